//! Which variables of a function may share data, read off its operations without running them.
//!
//! - A **path** names data: a local, or something below one (`l0.grad`, `l3[1]`). One path covers another that begins with it.
//! - The **origins** of a local are the paths that its value may be, or may be a part of. A product of two tensors has none but
//!   itself; a view, an attribute or the result of an unknown function has those of what it was made from.
//!
//! ```text
//! w = self.weight           origins of w: self.weight
//! y = w.t()                 origins of y: self.weight         a view
//! z = y @ x                 origins of z: z                   new data
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::Seen;
use crate::catalog::{Catalog, Does};
use crate::ir::{
    Callee, Constant, Function, Global, Key, Local, Op, Operand, Operation, Operator, Place, Terminator, Unit,
};

/// A name for data.
pub(super) type Path = String;

/// Paths are followed to this number of origins.
const MOST_ORIGINS: usize = 24;

/// What the locals of a function may share. A name of the top level counts as one more local.
pub(super) struct Data {
    names: BTreeMap<String, Local>,
    origins: BTreeMap<Local, BTreeSet<Path>>,
}

/// Where a value comes from.
enum From {
    /// It is this local, or a view of it.
    Local(Local),
    /// It is an attribute of it.
    Field(Local, String),
    /// It is an element of it, by its position.
    Part(Local, String),
}

impl Data {
    pub(super) fn new(
        unit: &Unit,
        function: &Function,
        catalog: &Catalog,
        seen: &Seen,
        works: &BTreeSet<u32>,
    ) -> Self {
        let mut data = Self { names: names(unit, function), origins: BTreeMap::new() };
        let mut sources: BTreeMap<Local, Vec<From>> = BTreeMap::new();
        for (number, op) in super::numbered(function) {
            if !works.contains(&number) && !makes_new_data(number, op, catalog, seen) {
                for to in data.written(&op.operation) {
                    sources.entry(to).or_default().extend(data.sources_of(&op.operation, to));
                }
            }
        }
        for block in &function.blocks {
            if let Terminator::Next { iterator, item, .. } = &block.end {
                sources.entry(*item).or_default().push(From::Local(*iterator));
            }
        }
        let count = (function.locals.len() + data.names.len()) as u32;
        data.origins = close_origins(&sources, count);
        data
    }

    /// The paths that a local's value may be, or may be a part of.
    pub(super) fn origins(&self, local: Local) -> BTreeSet<Path> {
        self.origins.get(&local).cloned().unwrap_or_else(|| BTreeSet::from([own(local)]))
    }

    /// Whether a local may share data with one of these paths.
    pub(super) fn shares(&self, local: Local, paths: &BTreeSet<Path>) -> bool {
        self.origins(local).iter().any(|own| paths.iter().any(|path| covers(own, path) || covers(path, own)))
    }

    fn sources_of(&self, operation: &Operation, to: Local) -> Vec<From> {
        match operation {
            Operation::Field { of: Operand::Local(of), name, .. } => vec![From::Field(*of, name.clone())],
            Operation::Element { of: Operand::Local(of), key, .. } => vec![match key {
                Key::At(Operand::Constant(Constant::Int(at))) => From::Part(*of, at.to_string()),
                Key::At(_) | Key::Range(..) => From::Local(*of),
            }],
            Operation::Unpack { to: all, from: Operand::Local(from), .. } => {
                let at = all.iter().position(|local| *local == to).unwrap_or_default();
                vec![From::Part(*from, at.to_string())]
            }
            Operation::Call { callee, arguments, .. } => {
                let receiver = match callee {
                    Callee::Method { receiver, .. } => receiver.local(),
                    Callee::Value(_) => None,
                };
                let arguments = arguments.iter().filter_map(|argument| argument.value.local());
                receiver.into_iter().chain(arguments).map(From::Local).collect()
            }
            other => self.read(other).into_iter().map(From::Local).collect(),
        }
    }

    /// The locals that an operation binds or updates.
    pub(super) fn written(&self, operation: &Operation) -> Vec<Local> {
        let placed = match operation {
            Operation::Update { place: Place::Local(local), .. } => Some(*local),
            Operation::Update { place: Place::Global(name), .. } | Operation::SetGlobal { name, .. } => {
                self.names.get(name).copied()
            }
            _ => None,
        };
        operation.effects().1.into_iter().chain(placed).collect()
    }

    /// The locals that an operation reads.
    pub(super) fn read(&self, operation: &Operation) -> Vec<Local> {
        let named = match operation {
            Operation::Forget { .. } => return Vec::new(),
            Operation::Global { name, .. } | Operation::Update { place: Place::Global(name), .. } => {
                self.names.get(name).copied()
            }
            _ => None,
        };
        operation.effects().0.into_iter().chain(named).collect()
    }
}

/// The names of the top level that a function uses, but for imports, functions and classes.
fn names(unit: &Unit, function: &Function) -> BTreeMap<String, Local> {
    let is_data = |name: &&String| matches!(unit.globals.get(*name), Some(Global::Once | Global::Several));
    let used = super::numbered(function).filter_map(|(_, op)| match &op.operation {
        Operation::Global { name, .. }
        | Operation::SetGlobal { name, .. }
        | Operation::Update { place: Place::Global(name), .. } => Some(name),
        _ => None,
    });
    let used: BTreeSet<&String> = used.filter(is_data).collect();
    let numbers = (function.locals.len() as u32..).map(Local);
    used.into_iter().cloned().zip(numbers).collect()
}

/// The path of a local itself.
pub(super) fn own(local: Local) -> Path {
    format!("l{}", local.0)
}

/// Whether one path is another or something around it.
fn covers(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Goes from each local to what its sources come from, until nothing is added.
fn close_origins(sources: &BTreeMap<Local, Vec<From>>, count: u32) -> BTreeMap<Local, BTreeSet<Path>> {
    let mut origins: BTreeMap<Local, BTreeSet<Path>> =
        (0..count).map(Local).map(|local| (local, BTreeSet::from([own(local)]))).collect();
    for _ in 0..8 {
        let mut grown = false;
        for (to, all) in sources {
            let found: Vec<Path> = all.iter().flat_map(|from| paths_of(from, &origins)).collect();
            if let Some(known) = origins.get_mut(to) {
                let before = known.len();
                known.extend(found.into_iter().take(MOST_ORIGINS));
                grown |= known.len() > before;
            }
        }
        if !grown {
            break;
        }
    }
    origins
}

fn paths_of(from: &From, origins: &BTreeMap<Local, BTreeSet<Path>>) -> Vec<Path> {
    let of = |local: &Local| origins.get(local).into_iter().flatten().cloned();
    match from {
        From::Local(local) => of(local).collect(),
        From::Field(local, name) => {
            of(local).filter(|path| path.len() < 80).map(|path| format!("{path}.{name}")).collect()
        }
        From::Part(local, key) => {
            of(local).filter(|path| path.len() < 80).map(|path| format!("{path}[{key}]")).collect()
        }
    }
}

/// Whether the result of an operation shares nothing with its operands.
fn makes_new_data(number: u32, op: &Op, catalog: &Catalog, seen: &Seen) -> bool {
    match &op.operation {
        Operation::Compute { operator, .. } => !matches!(operator, Operator::Or | Operator::And),
        Operation::Call { .. } => {
            let new = |does| matches!(does, Does::Count | Does::Read | Does::Nothing | Does::Consume);
            let mut apis = seen.called_at(number).peekable();
            apis.peek().is_some() && apis.all(|api| new(catalog.function(api).does))
        }
        _ => false,
    }
}
