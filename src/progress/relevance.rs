//! What of a file matters to other ranks: which functions communicate, and which branches decide about it.
//!
//! A branch on something unknown has to be followed both ways only if its ways differ in what other ranks see. The
//! **region** of a branch are the blocks from it to its **join**, through which every way goes on:
//!
//! ```text
//! if verbose:             region: the print. Nobody else sees it: go on at the join
//!     print(x)
//! if fast:                region: the send. Both ways are followed
//!     dist.send(x, 1)
//! ```

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::arithmetic::is_rank_name;
use super::calls::SELECTING;
use crate::catalog::{Catalog, Does, Plays};
use crate::ir::{
    Argument, Block, BlockId, Callee, ContainerKind, Function, FunctionId, Global, Key, Local, Operand,
    Operation, Place, Terminator, Unit,
};

/// What of a file matters.
pub(super) struct Relevance {
    /// For each function whether it communicates, itself or by what it calls.
    communicates: Vec<bool>,
    /// For each function whether it starts something that another rank sees.
    starts: Vec<bool>,
    /// For each function whether ranks differ in it, whether it sends, and whether it receives.
    ranked: Vec<bool>,
    sends: Vec<bool>,
    receives: Vec<bool>,
    shapes: Vec<Shape>,
    /// Regions that were asked for.
    regions: RefCell<HashMap<(FunctionId, BlockId), Rc<Region>>>,
    /// Functions that are called or named by others.
    pub(super) referenced: BTreeSet<FunctionId>,
    /// Functions in which an error is expected: what hangs there is meant to.
    pub(super) expecting: BTreeSet<FunctionId>,
}

/// The form of a function.
#[derive(Debug, Default)]
pub(super) struct Shape {
    joins: Vec<Option<BlockId>>,
    seen: Vec<bool>,
    /// Locals on which communication depends.
    deciding: HashSet<Local>,
}

/// A part of a function between a branch and its join.
pub(super) struct Region {
    pub(super) blocks: Vec<BlockId>,
    pub(super) join: Option<BlockId>,
    pub(super) matters: bool,
}

/// The names that matter.
struct Names<'a> {
    starts: HashSet<&'a str>,
    waits: HashSet<&'a str>,
    sends: HashSet<&'a str>,
    receives: HashSet<&'a str>,
    ranks: HashSet<&'a str>,
}

impl Relevance {
    pub(super) fn of(unit: &Unit, catalog: &Catalog) -> Relevance {
        let names = Names::of(catalog);
        let expectations = catalog.apis().filter(|api| catalog.function(*api).does == Does::ExpectError);
        let names_of_expectation: HashSet<&str> =
            expectations.map(|api| catalog.short_name(api).rsplit('.').next().unwrap_or_default()).collect();
        let simple: Vec<&str> = unit.functions.iter().map(simple_name).collect();
        let calls: Vec<Calls<'_>> = unit.functions.iter().map(Calls::of).collect();
        let direct = |wanted: &HashSet<&str>| -> Vec<bool> {
            calls
                .iter()
                .map(|calls| {
                    calls.names.iter().any(|name| wanted.contains(name) || imported(unit, name, wanted))
                })
                .collect()
        };
        let starts = spread(direct(&names.starts), &calls, &simple);
        let waits = spread(direct(&names.waits), &calls, &simple);
        let communicates: Vec<bool> = starts.iter().zip(&waits).map(|(x, y)| *x || *y).collect();
        let ranked: Vec<bool> =
            unit.functions.iter().zip(&calls).map(|(it, calls)| names.rank_in(it, calls)).collect();
        let ranked = keep_in_attributes(unit, spread(ranked, &calls, &simple));
        let sends = spread(direct(&names.sends), &calls, &simple);
        let receives = spread(direct(&names.receives), &calls, &simple);
        let mut referenced = BTreeSet::new();
        for (caller, calls) in calls.iter().enumerate() {
            for (index, name) in simple.iter().enumerate() {
                let closure = calls.closures.contains(&FunctionId(index as u32));
                let named = calls.names.contains(name) || calls.globals.contains(name);
                if index != caller && (closure || (named && !name.is_empty())) {
                    referenced.insert(FunctionId(index as u32));
                }
            }
        }
        let expects = |calls: &Calls<'_>| {
            let mut names = calls.names.iter().chain(&calls.globals);
            names.any(|name| names_of_expectation.contains(name))
        };
        let expecting =
            calls.iter().enumerate().filter(|(_, it)| expects(it)).map(|(index, _)| FunctionId(index as u32));
        let expecting = expecting.collect();
        let mut relevance = Relevance {
            communicates,
            starts,
            ranked,
            sends,
            receives,
            shapes: Vec::new(),
            regions: RefCell::default(),
            referenced,
            expecting,
        };
        let talking: HashSet<&str> = simple
            .iter()
            .zip(&relevance.communicates)
            .filter(|(_, it)| **it)
            .map(|(name, _)| *name)
            .collect();
        let called_value = relevance.communicates.iter().zip(&unit.functions).any(|(it, function)| {
            *it && (function.parent.is_some() || function.kind == crate::ir::FunctionKind::Lambda)
        });
        for (function, communicates) in unit.functions.iter().zip(relevance.communicates.clone()) {
            let shape = match communicates || called_value {
                true => Shape::of(unit, function, &names, &talking, called_value),
                false => Shape::silent(function),
            };
            relevance.shapes.push(shape);
        }
        relevance
    }

    /// Whether ranks may come to different ends in a function: it starts something, and asks for its rank, sends and
    /// receives, or has something whose nature differs between ranks.
    pub(super) fn is_worth_it(&self, function: FunctionId) -> bool {
        let index = function.0 as usize;
        let (starts, ranked) = (self.starts[index], self.ranked[index]);
        starts && (ranked || (self.sends[index] && self.receives[index]))
    }

    pub(super) fn communicates(&self, function: FunctionId) -> bool {
        self.communicates[function.0 as usize]
    }

    /// Whether anything in the file starts something.
    pub(super) fn is_any(&self) -> bool {
        (0..self.starts.len() as u32).any(|it| self.is_worth_it(FunctionId(it)))
    }

    /// The region of a branch.
    pub(super) fn region(&self, unit: &Unit, id: FunctionId, from: BlockId) -> Rc<Region> {
        if let Some(known) = self.regions.borrow().get(&(id, from)) {
            return Rc::clone(known);
        }
        let region = Rc::new(self.find_region(unit, id, from));
        self.regions.borrow_mut().insert((id, from), Rc::clone(&region));
        region
    }

    fn find_region(&self, unit: &Unit, id: FunctionId, from: BlockId) -> Region {
        let function = unit.function(id);
        let shape = &self.shapes[id.0 as usize];
        let join = shape.joins[from.0 as usize];
        let mut blocks = Vec::new();
        let mut known = HashSet::new();
        let mut next = successors(&function.blocks[from.0 as usize]);
        while let Some(block) = next.pop() {
            if Some(block) != join && block != from && known.insert(block) {
                blocks.push(block);
                next.extend(successors(&function.blocks[block.0 as usize]));
            }
        }
        let matters = blocks.iter().any(|block| {
            shape.seen[block.0 as usize]
                || assigns(&function.blocks[block.0 as usize]).any(|it| shape.deciding.contains(&it))
        });
        Region { blocks, join, matters }
    }
}

impl<'a> Names<'a> {
    fn of(catalog: &'a Catalog) -> Self {
        let of = |wanted: &dyn Fn(Plays) -> bool| -> HashSet<&'a str> {
            catalog.part_names().filter(|(_, plays)| wanted(*plays)).map(|(name, _)| name).collect()
        };
        let starts = of(&Plays::is_seen);
        let both = |plays| matches!(plays, Plays::Exchange | Plays::Operation);
        let sends =
            of(&|it| both(it) || matches!(it, Plays::Send | Plays::SynchronousSend | Plays::BufferedSend));
        let receives = of(&|it| both(it) || it == Plays::Receive);
        let ranks = of(&|it| it == Plays::Rank);
        let finishes =
            |api: &crate::catalog::ApiId| matches!(catalog.function(*api).does, Does::Finish | Does::Poll);
        let waits = catalog.apis().filter(finishes);
        let waits = waits.map(|api| catalog.short_name(api).rsplit('.').next().unwrap_or_default()).collect();
        Names { starts, waits, sends, receives, ranks }
    }

    /// Whether ranks may differ in a function: it asks for its rank, or has something of its own.
    fn rank_in(&self, function: &Function, calls: &Calls<'_>) -> bool {
        let is_rank = |name: &str| self.ranks.contains(name) || is_rank_name(name);
        let named =
            |name: &&str| is_rank(name) || SELECTING.contains(name) || *name == "set" || *name == "environ";
        calls.names.iter().chain(&calls.globals).any(named)
            || function.parameters.iter().any(|it| is_rank(&it.name))
            || function.locals.iter().any(|it| is_rank(&it.name))
            || has_own_data(function)
    }
}

/// Whether a function makes a set, or selects by a comparison.
fn has_own_data(function: &Function) -> bool {
    let mut compared = HashSet::new();
    function.blocks.iter().flat_map(|block| &block.ops).any(|op| match &op.operation {
        Operation::Collect { kind: ContainerKind::Set, .. } => true,
        Operation::Compute { to, .. } => {
            compared.insert(*to);
            false
        }
        Operation::Assign { to, from: Operand::Local(from) } if compared.contains(from) => {
            compared.insert(*to);
            false
        }
        Operation::Element { key: Key::At(Operand::Local(key)), .. } => compared.contains(key),
        _ => false,
    })
}

/// The last part of a qualified name.
pub(super) fn simple_name(function: &Function) -> &str {
    let name = function.name.rsplit('.').next().unwrap_or_default();
    if name.starts_with('<') { "" } else { name }
}

/// What a function calls.
struct Calls<'a> {
    names: HashSet<&'a str>,
    globals: HashSet<&'a str>,
    closures: HashSet<FunctionId>,
}

impl<'a> Calls<'a> {
    fn of(function: &'a Function) -> Self {
        let mut calls = Calls { names: HashSet::new(), globals: HashSet::new(), closures: HashSet::new() };
        let mut globals: HashMap<Local, &str> = HashMap::new();
        for op in function.blocks.iter().flat_map(|block| &block.ops) {
            match &op.operation {
                Operation::Global { to, name } => {
                    globals.insert(*to, name);
                    calls.globals.insert(name);
                }
                Operation::Import { to, path } => {
                    globals.insert(*to, path.rsplit('.').next().unwrap_or(path));
                }
                Operation::Field { to, name, .. } => {
                    globals.insert(*to, name);
                    calls.globals.insert(name);
                }
                Operation::Call { callee: Callee::Method { name, .. }, .. } => {
                    calls.names.insert(name);
                }
                Operation::Call { callee: Callee::Value(Operand::Local(local)), .. } => {
                    calls.names.extend(globals.get(local));
                }
                Operation::Closure { function, .. } | Operation::Unconsumed { function } => {
                    calls.closures.insert(*function);
                }
                _ => {}
            }
        }
        calls
    }
}

/// Whether a name is imported as something that matters: `from torch.distributed import send as put`.
fn imported(unit: &Unit, name: &str, wanted: &HashSet<&str>) -> bool {
    match unit.globals.get(name) {
        Some(Global::Import(path)) => wanted.contains(path.rsplit('.').next().unwrap_or_default()),
        _ => false,
    }
}

/// Lets callers share what their callees do.
fn spread(mut does: Vec<bool>, calls: &[Calls<'_>], simple: &[&str]) -> Vec<bool> {
    loop {
        let names: HashSet<&str> = simple
            .iter()
            .zip(&does)
            .filter(|(name, it)| **it && !name.is_empty())
            .map(|(name, _)| *name)
            .collect();
        let before = does.iter().filter(|it| **it).count();
        for (index, calls) in calls.iter().enumerate() {
            let by_name = calls.names.iter().any(|name| names.contains(name));
            let by_closure = calls.closures.iter().any(|it| does[it.0 as usize]);
            does[index] |= by_name || by_closure;
        }
        if does.iter().filter(|it| **it).count() == before {
            return does;
        }
    }
}

/// Lets methods share what the constructor of their class keeps: `self.is_first = dist.get_rank() == 0`.
fn keep_in_attributes(unit: &Unit, does: Vec<bool>) -> Vec<bool> {
    let constructor = |function: &Function| unit.class(function.class?).methods.get("__init__").copied();
    let keeps = |function: &Function| constructor(function).is_some_and(|it| does[it.0 as usize]);
    unit.functions.iter().zip(&does).map(|(function, own)| *own || keeps(function)).collect()
}

impl Shape {
    fn silent(function: &Function) -> Shape {
        Shape { joins: joins(function), seen: vec![false; function.blocks.len()], deciding: HashSet::new() }
    }

    fn of(
        unit: &Unit,
        function: &Function,
        names: &Names<'_>,
        talking: &HashSet<&str>,
        values: bool,
    ) -> Shape {
        let mut held: HashMap<Local, &str> = HashMap::new();
        let mut seen = vec![false; function.blocks.len()];
        let mut deciding = HashSet::new();
        let matters = |name: &str| {
            names.starts.contains(name)
                || names.waits.contains(name)
                || talking.contains(name)
                || imported(unit, name, &names.starts)
        };
        for (index, block) in function.blocks.iter().enumerate() {
            for op in &block.ops {
                match &op.operation {
                    Operation::Global { to, name } | Operation::Field { to, name, .. } => {
                        held.insert(*to, name);
                    }
                    Operation::Import { to, path } => {
                        held.insert(*to, path.rsplit('.').next().unwrap_or(path));
                    }
                    Operation::Call { callee, arguments, .. } => {
                        let is_seen = match callee {
                            Callee::Method { name, .. } => matters(name),
                            Callee::Value(Operand::Local(local)) => match held.get(local) {
                                Some(name) => matters(name),
                                None => values,
                            },
                            Callee::Value(_) => false,
                        };
                        if is_seen {
                            seen[index] = true;
                            deciding.extend(deciding_arguments(arguments));
                        }
                    }
                    Operation::Yield { .. } | Operation::Await { .. } => seen[index] = true,
                    Operation::Enter { .. } | Operation::Leave { .. } => seen[index] |= !talking.is_empty(),
                    _ => {}
                }
            }
        }
        let joins = joins(function);
        let mut shape = Shape { joins, seen, deciding };
        shape.follow_back(function);
        shape
    }

    /// What decides about a deciding local decides too.
    fn follow_back(&mut self, function: &Function) {
        for (index, block) in function.blocks.iter().enumerate() {
            let on = match &block.end {
                Terminator::Branch { on: Operand::Local(local), .. } => *local,
                Terminator::Next { iterator, .. } => *iterator,
                _ => continue,
            };
            if self.leads_to_seen(function, BlockId(index as u32)) {
                self.deciding.insert(on);
            }
        }
        loop {
            let before = self.deciding.len();
            for op in function.blocks.iter().flat_map(|block| &block.ops) {
                let from = sources(&op.operation, &self.deciding);
                self.deciding.extend(from);
            }
            if self.deciding.len() == before {
                return;
            }
        }
    }

    fn leads_to_seen(&self, function: &Function, from: BlockId) -> bool {
        let join = self.joins[from.0 as usize];
        let mut known = HashSet::new();
        let mut next = successors(&function.blocks[from.0 as usize]);
        while let Some(block) = next.pop() {
            if Some(block) == join || block == from || !known.insert(block) {
                continue;
            }
            if self.seen[block.0 as usize] {
                return true;
            }
            next.extend(successors(&function.blocks[block.0 as usize]));
        }
        false
    }
}

/// The arguments of a communicating call, without its buffer, which comes first.
fn deciding_arguments(arguments: &[Argument]) -> impl Iterator<Item = Local> + '_ {
    arguments.iter().skip(usize::from(arguments.len() > 1)).filter_map(|argument| local_of(&argument.value))
}

fn local_of(operand: &Operand) -> Option<Local> {
    match operand {
        Operand::Local(local) => Some(*local),
        Operand::Constant(_) => None,
    }
}

/// The locals that an operation makes a deciding local of.
fn sources(operation: &Operation, deciding: &HashSet<Local>) -> Vec<Local> {
    let wanted = |to: &Local| deciding.contains(to);
    match operation {
        Operation::Assign { to, from } if wanted(to) => local_of(from).into_iter().collect(),
        Operation::Compute { to, operands, .. } if wanted(to) => {
            operands.iter().filter_map(local_of).collect()
        }
        Operation::Unpack { to, from, .. } if to.iter().any(wanted) => local_of(from).into_iter().collect(),
        Operation::Iterate { to, over } if wanted(to) => local_of(over).into_iter().collect(),
        Operation::Field { to, of, .. } | Operation::Element { to, of, .. } if wanted(to) => {
            local_of(of).into_iter().collect()
        }
        Operation::Collect { to, items, .. } if wanted(to) => items
            .iter()
            .filter_map(|item| match item {
                crate::ir::Item::One(value)
                | crate::ir::Item::Spread(value)
                | crate::ir::Item::Keyed(_, value) => local_of(value),
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The locals that a block binds or changes.
pub(super) fn assigns(block: &Block) -> impl Iterator<Item = Local> + '_ {
    let item = match &block.end {
        Terminator::Next { item, .. } => Some(*item),
        _ => None,
    };
    block.ops.iter().flat_map(|op| bound(&op.operation)).chain(item)
}

fn bound(operation: &Operation) -> Vec<Local> {
    match operation {
        Operation::Assign { to, .. }
        | Operation::Compute { to, .. }
        | Operation::Field { to, .. }
        | Operation::Element { to, .. }
        | Operation::Collect { to, .. }
        | Operation::Closure { to, .. }
        | Operation::Global { to, .. }
        | Operation::Import { to, .. }
        | Operation::Call { to, .. }
        | Operation::Iterate { to, .. }
        | Operation::Enter { to, .. }
        | Operation::Yield { to, .. }
        | Operation::Await { to, .. }
        | Operation::Start { to, .. }
        | Operation::Poll { to, .. }
        | Operation::Take { to, .. }
        | Operation::View { to, .. }
        | Operation::Fresh { to }
        | Operation::Update { place: Place::Local(to), .. } => vec![*to],
        Operation::Unpack { to, .. } => to.clone(),
        Operation::SetField { .. }
        | Operation::SetElement { .. }
        | Operation::DropField { .. }
        | Operation::DropElement { .. }
        | Operation::Update { .. }
        | Operation::SetGlobal { .. }
        | Operation::Leave { .. }
        | Operation::Forget { .. }
        | Operation::Unconsumed { .. }
        | Operation::Escape { .. }
        | Operation::Finish { .. }
        | Operation::Push { .. }
        | Operation::Touch { .. } => Vec::new(),
    }
}

pub(super) fn successors(block: &Block) -> Vec<BlockId> {
    match &block.end {
        Terminator::Goto(to) => vec![*to],
        Terminator::Branch { yes, no, .. } => vec![*yes, *no],
        Terminator::Next { body, done, .. } => vec![*body, *done],
        Terminator::Choose(to) => to.clone(),
        Terminator::Return { .. } | Terminator::Raise => Vec::new(),
    }
}

/// For each block the nearest one through which every way to a return goes. Ways that raise do not count.
fn joins(function: &Function) -> Vec<Option<BlockId>> {
    let count = function.blocks.len();
    let exit = count;
    let mut before = vec![Vec::new(); count + 1];
    for (index, block) in function.blocks.iter().enumerate() {
        successors(block).iter().for_each(|to| before[to.0 as usize].push(index));
        if matches!(block.end, Terminator::Return { .. }) {
            before[exit].push(index);
        }
    }
    let (order, number) = backwards(exit, &before);
    let mut joins: Vec<Option<usize>> = vec![None; count + 1];
    joins[exit] = Some(exit);
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order.iter().skip(1) {
            let next = if matches!(function.blocks[node].end, Terminator::Return { .. }) {
                vec![exit]
            } else {
                successors(&function.blocks[node]).iter().map(|it| it.0 as usize).collect()
            };
            let known = next.into_iter().filter(|it| joins[*it].is_some());
            let joined = known.reduce(|left, right| meet(left, right, &joins, &number));
            if joined.is_some() && joined != joins[node] {
                joins[node] = joined;
                changed = true;
            }
        }
    }
    joins.truncate(count);
    joins.into_iter().map(|it| it.filter(|it| *it != exit).map(|it| BlockId(it as u32))).collect()
}

/// The blocks from the exit backwards, in an order in which most joins come first.
fn backwards(exit: usize, before: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    let mut number = vec![usize::MAX; before.len()];
    let (mut order, mut open) = (Vec::new(), vec![(exit, 0)]);
    let mut seen = vec![false; before.len()];
    seen[exit] = true;
    while let Some((node, at)) = open.pop() {
        match before[node].get(at) {
            Some(&next) => {
                open.push((node, at + 1));
                if !seen[next] {
                    seen[next] = true;
                    open.push((next, 0));
                }
            }
            None => order.push(node),
        }
    }
    order.reverse();
    for (index, node) in order.iter().enumerate() {
        number[*node] = index;
    }
    (order, number)
}

fn meet(mut left: usize, mut right: usize, joins: &[Option<usize>], number: &[usize]) -> usize {
    while left != right {
        while number[left] > number[right] {
            left = joins[left].unwrap_or(right);
        }
        while number[right] > number[left] {
            right = joins[right].unwrap_or(left);
        }
    }
    left
}
