//! Lost overlap: what stands between a start and its wait, and what could.
//!
//! The interpreter says *which wait finishes which start*; the rest is read off the operations of the function once it has run.
//!
//! - A wait comes **at once** where nothing but moves stands between it and the start, in one block.
//! - **Spare work** is a computation of the same block that neither touches the buffers nor needs the result: it could have
//!   stood in between.
//!
//! ```text
//! gx = g @ w.t()
//! h = dist.all_reduce(gx, async_op=True)     start of #1
//! h.wait()                                   finishes #1, at once
//! gw = g.t() @ x                             spare work: g and x are not in flight
//! ```
//!
//! [`data`] says what may share data, [`at_once`] finds waits that come at once, [`serial`] loops whose turns wait for nothing of each other,
//! [`spins`] loops that only poll,
//! [`exchange`] collectives made by hand, [`work`] what takes time.

mod at_once;
mod data;
mod exchange;
mod serial;
mod spins;
mod work;

use std::collections::{BTreeMap, BTreeSet};

use super::event::Handle as Told;
use super::handles::told;
use super::run::Run;
use super::state::State;
use super::value::{Handle, Object, ObjectId, Status, Value};
use crate::catalog::{ApiId, Catalog, Does};
use crate::ir::{BlockId, Function, FunctionId, Local, Loop, Op, Operation, Terminator, Unit};
use crate::source::{Language, Span};

/// What the interpreter has seen of each operation of a function, by the operation's number.
#[derive(Default)]
pub(crate) struct Seen {
    called: BTreeMap<u32, BTreeSet<ApiId>>,
    communicating: BTreeSet<u32>,
    /// `None` where one operation waits for handles of several starts.
    waits: BTreeMap<u32, Option<Wait>>,
    polls: BTreeMap<u32, Poll>,
}

/// A wait for one handle.
#[derive(Clone)]
struct Wait {
    handle: Told,
    company: Company,
    /// Where it stands for a reader: the drop of a guard waits where the guard was made.
    at: Span,
}

/// Whether other operations are in flight at a wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Company {
    Alone,
    Others,
}

/// A question whether handles are finished.
#[derive(Clone)]
struct Poll {
    api: ApiId,
    handles: Vec<Told>,
    asked: Asked,
}

/// Whether a question is asked on some backends only, by a condition of the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Anyway,
    BackendsOfItsChoice,
}

impl Seen {
    /// A function of the catalogue is called.
    pub(crate) fn note_call(&mut self, operation: u32, api: ApiId) {
        self.called.entry(operation).or_default().insert(api);
    }

    /// A function of the file is called that communicates.
    pub(crate) fn note_communication(&mut self, operation: u32) {
        self.communicating.insert(operation);
    }

    fn called_at(&self, operation: u32) -> impl Iterator<Item = ApiId> + '_ {
        self.called.get(&operation).into_iter().flatten().copied()
    }
}

impl Run<'_, '_> {
    /// One pending handle is finished by the current operation.
    pub(crate) fn note_single_wait(&mut self, state: &State, id: ObjectId) {
        let Some(handle) = state.handle(id) else { return };
        let others = state.heap.iter().any(|(&other, object)| other != id && is_in_flight(object));
        let company = if others { Company::Others } else { Company::Alone };
        let is_clear = handle.certain && !handle.aliased && !handle.many && handle.conditional.is_none();
        let new = is_clear.then(|| Wait { handle: told(handle, None), company, at: self.here.span });
        let known = self.overlap.waits.entry(self.here.operation).or_insert_with(|| new.clone());
        let agree = match (&*known, &new) {
            (Some(known), Some(new)) => known.handle.started == new.handle.started,
            _ => false,
        };
        match known {
            Some(wait) if agree && company == Company::Others => wait.company = company,
            Some(_) if agree => {}
            Some(_) | None => *known = None,
        }
    }

    /// The current operation asks whether handles are finished.
    pub(crate) fn note_poll(&mut self, state: &State, api: ApiId, target: &Value) {
        let handles: Vec<Told> = state
            .reach(&[target])
            .into_iter()
            .filter_map(|id| state.handle(id))
            .filter(|handle| handle.status != Status::Finished)
            .map(|handle: &Handle| told(handle, None))
            .collect();
        let asked = if self.tests_the_backend(state) { Asked::BackendsOfItsChoice } else { Asked::Anyway };
        let new = Poll { api, handles: Vec::new(), asked };
        let poll = self.overlap.polls.entry(self.here.operation).or_insert(new);
        for handle in handles {
            if poll.handles.iter().all(|known| known.started != handle.started) {
                poll.handles.push(handle);
            }
        }
    }

    /// Tells where overlap is lost, once the whole function is known.
    pub(crate) fn report_overlap(&mut self) {
        if !self.summary.communicates && self.overlap.called.is_empty() {
            return;
        }
        let found = {
            let (unit, catalog) = (self.program.unit, self.program.catalog);
            let works = work::find(unit, self.function, catalog);
            let view = View {
                function: self.function,
                catalog,
                seen: &self.overlap,
                data: data::Data::new(unit, self.function, catalog, &self.overlap, &works),
                works,
                calls: &|id| self.communicates(id),
                unit,
            };
            let mut found = at_once::find(&view);
            found.extend(spins::find(&view));
            found.extend(exchange::find(&view));
            found
        };
        found.into_iter().for_each(|what| self.report(what, &[]));
    }
}

fn is_in_flight(object: &Object) -> bool {
    matches!(object, Object::Handle(handle) if matches!(handle.status, Status::Pending | Status::Mixed))
}

/// A function that has run, for the searches.
struct View<'v> {
    function: &'v Function,
    unit: &'v Unit,
    catalog: &'v Catalog,
    seen: &'v Seen,
    data: data::Data,
    works: BTreeSet<u32>,
    /// Whether a function of the file communicates.
    calls: &'v dyn Fn(FunctionId) -> bool,
}

/// An operation with its place.
#[derive(Clone, Copy)]
struct Numbered<'v> {
    number: u32,
    op: &'v Op,
}

impl<'v> View<'v> {
    /// The operations of a block, with their numbers.
    fn block(&self, id: BlockId) -> Vec<Numbered<'v>> {
        let before: usize =
            self.function.blocks.iter().take(id.0 as usize).map(|block| block.ops.len() + 1).sum();
        let ops =
            self.function.blocks.get(id.0 as usize).map(|block| block.ops.as_slice()).unwrap_or_default();
        let numbers = before as u32..;
        ops.iter().zip(numbers).map(|(op, number)| Numbered { number, op }).collect()
    }

    /// The block of an operation.
    fn block_of(&self, number: u32) -> Option<BlockId> {
        let mut before = 0;
        let blocks = self.function.blocks.iter();
        let at = blocks.take_while(|block| {
            let is_behind = before + (block.ops.len() as u32) < number;
            before += block.ops.len() as u32 + 1;
            is_behind
        });
        let at = at.count();
        (at < self.function.blocks.len()).then_some(BlockId(at as u32))
    }

    /// Whether a way leads from one operation to another.
    fn leads_to(&self, from: u32, to: u32) -> bool {
        let (Some(start), Some(end)) = (self.block_of(from), self.block_of(to)) else { return false };
        if start == end && from < to {
            return true;
        }
        let mut seen = BTreeSet::new();
        let mut pending = vec![start];
        while let Some(block) = pending.pop() {
            let targets = self.function.blocks.get(block.0 as usize).map(|it| it.end.targets());
            for next in targets.unwrap_or_default() {
                if next == end {
                    return true;
                }
                if seen.insert(next) {
                    pending.push(next);
                }
            }
        }
        false
    }

    /// The innermost loop around a block.
    fn loop_around(&self, block: BlockId) -> Option<&'v Loop> {
        let around = self.function.loops.iter().filter(|of| of.blocks.contains(&block));
        around.min_by_key(|of| of.blocks.len())
    }

    /// What the operations of some blocks are.
    fn ops_of(&self, blocks: &BTreeSet<BlockId>) -> Vec<Numbered<'v>> {
        blocks.iter().flat_map(|&block| self.block(block)).collect()
    }

    /// Whether an operation has to do with communication.
    fn communicates(&self, number: u32) -> bool {
        let does = |api: ApiId| {
            matches!(
                self.catalog.function(api).does,
                Does::Start
                    | Does::Finish
                    | Does::Poll
                    | Does::Build
                    | Does::Launch
                    | Does::Prepare
                    | Does::Restart
                    | Does::Coalesce
            ) || self.catalog.is_blocking(api)
        };
        self.seen.communicating.contains(&number) || self.seen.called_at(number).any(does)
    }
}

/// All operations of a function in their order, with their numbers.
pub(super) fn numbered(function: &Function) -> impl Iterator<Item = (u32, &Op)> {
    let mut first = 0;
    function.blocks.iter().flat_map(move |block| {
        let numbers = first..;
        first += block.ops.len() as u32 + 1;
        numbers.zip(&block.ops)
    })
}

/// Whether anything reads a local, temporaries included.
pub(super) fn is_read(function: &Function, local: Local) -> bool {
    let reads = |op: &Op| {
        !matches!(op.operation, Operation::Forget { .. }) && op.operation.effects().0.contains(&local)
    };
    let ends = |end: &Terminator| match end {
        Terminator::Branch { on: value, .. } | Terminator::Return { value, .. } => {
            value.local() == Some(local)
        }
        Terminator::Next { iterator, .. } => *iterator == local,
        Terminator::Goto(_) | Terminator::Choose(_) | Terminator::Raise => false,
    };
    let named = function.locals.get(local.0 as usize).is_some_and(|info| info.reads > 0);
    named || function.blocks.iter().any(|block| block.ops.iter().any(reads) || ends(&block.end))
}

/// Whether a function tests the library itself, where a wait at once is what is tested.
pub(super) fn is_a_test(unit: &Unit, function: &Function) -> bool {
    // In Rust the program that is tested says so too.
    if unit.language == Language::Rust {
        return false;
    }
    let is_so_called = |name: &str| {
        let name = name.trim_start_matches('_');
        name.starts_with("test")
            || name.starts_with("Test")
            || name.ends_with("Test")
            || name.ends_with("TestCase")
    };
    let class = function.class.map(|class| unit.class(class));
    let bases = class.into_iter().flat_map(|class| &class.bases);
    let is_test_base = |base: &crate::ir::TypeRef| match base {
        crate::ir::TypeRef::Class(class) => is_so_called(&unit.class(*class).name),
        crate::ir::TypeRef::Path(path) => path.rsplit('.').next().is_some_and(is_so_called),
        crate::ir::TypeRef::Unknown => false,
    };
    function.name.split('.').any(is_so_called) || bases.into_iter().any(is_test_base)
}
