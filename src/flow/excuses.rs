//! Excuses: ways that the analysis can take and the program cannot.
//!
//! A loss is reported only after the whole function was analysed, because what happens on other paths can excuse it:
//!
//! - **No turn.** `for _ in range(steps): handle.wait()` waits for a handle that was started before the loop. The way on
//!   which such a loop takes no turn is not what its author thought of.
//! - **By number.** `reqs[count].wait()` in a loop goes through the handles in an order that the analysis does not follow;
//!   so does `pending.pop(name).wait()`.
//! - **The number of a turn.** `if step > 0: handle.wait()` and `if step + 1 < steps: handle = start()` depend on each other
//!   through arithmetic on the counter of the loop.
//!
//! - **An exception.** Where an exception is caught, the wait itself may have raised it.
//!
//! Each of these needs that the handle is in fact waited for or handed on somewhere. One that never is has no excuse.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{Event, Handle as Told, Loss, Note, Selection, Step, Turn, What};
use super::run::Run;
use super::state::{Decision, State};
use super::symbol::{Symbol, Term};
use super::value::{Handle, Object, ObjectId, Value};
use crate::catalog::{ApiId, Does, DropEffect};
use crate::ir::{Constant, Local, Operation, Operator, Place, Terminator};
use crate::source::Span;

/// What a function does with the handles that it starts, by the place of their start.
#[derive(Default)]
pub(crate) struct Excuses {
    waited: BTreeSet<Span>,
    waits: BTreeMap<Span, BTreeSet<Span>>,
    restarted: BTreeSet<Span>,
    handed_on: BTreeSet<Span>,
    carried: BTreeSet<Span>,
    /// Waited for with a time-out: the exception may mean that it is still pending.
    limited: BTreeSet<Span>,
    /// Waited for on a way that tests the condition of the start again.
    reasserted: BTreeSet<Span>,
    launched: BTreeSet<Span>,
    by_number: BTreeSet<Span>,
    /// Loops around a wait that are not around the start, by their headers.
    around_wait: BTreeMap<Span, BTreeSet<Span>>,
}

/// An event that waits for the end of the analysis, with the decisions that lead to it.
pub(crate) struct Candidate {
    pub(crate) event: Event,
    path: Vec<Decision>,
}

/// How many ways to the same event are kept.
const WAYS: usize = 12;

impl Run<'_, '_> {
    /// A handle is waited for.
    pub(crate) fn note_wait(&mut self, started: Span, made_in: Option<u32>) {
        self.excuses.waited.insert(started);
        self.excuses.waits.entry(started).or_default().insert(self.here.span);
        if self.here.span.start < started.start && self.here.in_loop.is_some() {
            // The wait stands before the start: it is for the handle of an earlier turn.
            self.excuses.carried.insert(started);
        }
        let outside = self.enclosing_loops(made_in);
        for around in self.enclosing_loops(self.here.in_loop) {
            if !outside.contains(&around) {
                let header = self.function.loops[around as usize].span;
                self.excuses.around_wait.entry(started).or_default().insert(header);
            }
        }
    }

    /// An operation is launched.
    pub(crate) fn note_launch(&mut self, built: Span) {
        self.excuses.launched.insert(built);
    }

    /// A handle is waited for behind `if b: assert a`, and was started under `if a`: the program says that `b` goes with `a`.
    pub(crate) fn note_reassertion(&mut self, path: &[Decision], started: Span, guard: Option<Span>) {
        let Some(start) = path.iter().position(|decision| Some(decision.step.span) == guard) else { return };
        let condition = path[start].condition;
        let again =
            |decision: &Decision| decision.condition == condition && self.is_asserted(decision.step.span);
        if condition != Symbol::UNKNOWN && path[start + 1..].iter().any(again) {
            self.excuses.reasserted.insert(started);
        }
    }

    /// Whether the condition at a place raises an exception if it does not hold.
    fn is_asserted(&self, span: Span) -> bool {
        let blocks = &self.function.blocks;
        blocks.iter().any(|block| match &block.end {
            Terminator::Branch { yes, no, span: tested, .. } => {
                let raises = |to: &crate::ir::BlockId| matches!(blocks[to.0 as usize].end, Terminator::Raise);
                *tested == span && (raises(yes) || raises(no))
            }
            _ => false,
        })
    }

    /// Handles are waited for with a time-out.
    pub(crate) fn note_limit(&mut self, state: &State, target: &Value) {
        let all = state.reach(&[target]);
        self.excuses
            .limited
            .extend(all.into_iter().filter_map(|id| state.handle(id)).map(|handle| handle.started));
    }

    /// A prepared request is started.
    pub(crate) fn note_restart(&mut self, started: Span) {
        self.excuses.restarted.insert(started);
    }

    /// Handles get to somebody else.
    pub(crate) fn note_handed_on(&mut self, state: &State, value: &Value) {
        for id in state.reach(&[value]) {
            match state.heap.get(&id) {
                Some(Object::Handle(handle)) => self.excuses.handed_on.insert(handle.started),
                Some(Object::Operation(operation)) => self.excuses.handed_on.insert(operation.built),
                _ => false,
            };
        }
    }

    /// Handles are taken out of a container in an order that is not followed.
    pub(crate) fn note_by_number(&mut self, state: &State, objects: &[ObjectId]) {
        if self.here.in_loop.is_some() {
            let started =
                objects.iter().filter_map(|&id| state.handle(id)).map(|handle: &Handle| handle.started);
            self.excuses.by_number.extend(started);
        }
    }

    /// Whether a place is not in this function: its story began in one that was called.
    fn is_elsewhere(&self, place: Span) -> bool {
        let mut ops = self.function.blocks.iter().flat_map(|block| &block.ops);
        !ops.any(|op| op.span == place)
    }

    fn enclosing_loops(&self, innermost: Option<u32>) -> BTreeSet<u32> {
        let Some(inner) = innermost.and_then(|inner| self.function.loops.get(inner as usize)) else {
            return BTreeSet::new();
        };
        let around = |(_, of): &(usize, &crate::ir::Loop)| of.blocks.contains(&inner.head);
        self.function.loops.iter().enumerate().filter(around).map(|(index, _)| index as u32).collect()
    }

    /// Adds an event, to be looked at again when the whole function is known.
    pub(crate) fn report(&mut self, what: What, path: &[Decision]) {
        let same = self.candidates.iter().filter(|candidate| candidate.event.what.is_same_as(&what));
        if same.clone().count() >= WAYS || same.clone().any(|candidate| candidate.path == path) {
            return;
        }
        let event = Event { function: self.function.name.clone(), what, path: Vec::new() };
        self.candidates.push(Candidate { event, path: path.to_vec() });
    }

    /// The events that have no excuse, each told by the shortest way that leads to it.
    pub(crate) fn events(&mut self) -> Vec<Event> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.retain(|candidate| !self.is_excused(candidate));
        candidates.sort_by_key(|candidate| candidate.path.len());
        let fence = self.program.fence_near(self.id);
        let mut events: Vec<Event> = Vec::new();
        for Candidate { mut event, path } in candidates {
            if !events.iter().any(|known| known.what.is_same_as(&event.what)) {
                let from = event.what.begins();
                let steps = path.iter().map(|decision| decision.step);
                event.path = steps.filter(|step| step.span.start >= from).collect();
                if let (What::Lost { handle, .. }, Some(fence)) = (&mut event.what, fence) {
                    handle.notes.push(Note::Fenced(fence));
                }
                events.push(event);
            }
        }
        events
    }

    fn is_excused(&self, candidate: &Candidate) -> bool {
        match &candidate.event.what {
            What::Lost { handle, how, .. } => match how {
                Loss::Discarded | Loss::Underscore | Loss::Deleted | Loss::SlotRefilled => false,
                Loss::Rebound | Loss::Renewed | Loss::ScopeEnd | Loss::ContainerGone => {
                    self.is_loss_excused(handle, *how, &candidate.path)
                }
            },
            // What an attribute holds is finished with everything else in the streams of the device.
            What::Kept { .. } => self.program.has_fence(),
            What::PartlyWaited { handle, how: Selection::Any, .. }
                if self.excuses.waited.contains(&handle.started) =>
            {
                true
            }
            What::PartlyWaited { handle, how: Selection::Index | Selection::Taken, .. }
                if self.is_stream_ordered(handle.api, &candidate.path) =>
            {
                true
            }
            What::PartlyWaited { handle, how: Selection::Index | Selection::Taken, .. }
                if self.excuses.by_number.contains(&handle.started) =>
            {
                true
            }
            // A batch that gives fewer handles than operations does so on every way.
            What::PartlyWaited { how: Selection::Zip, .. } => false,
            What::PartlyWaited { handle, .. } => {
                let headers: BTreeSet<Span> = self.function.loops.iter().map(|of| of.span).collect();
                self.excuses.waited.contains(&handle.started)
                    && takes_no_turn(Some(&headers), &candidate.path)
            }
            What::Unlaunched { built, .. } => {
                let headers: BTreeSet<Span> = self.function.loops.iter().map(|of| of.span).collect();
                let launched =
                    self.excuses.launched.contains(built) && takes_no_turn(Some(&headers), &candidate.path);
                launched || self.excuses.restarted.contains(built) || self.excuses.handed_on.contains(built)
            }
            // Where nobody looks at the message, its size does not matter.
            What::SmallRoom { at, .. } => {
                !self.messages.is_taken(*at) && !self.excuses.handed_on.contains(at)
            }
            What::WaitOnList { .. }
            | What::HandleAsList { .. }
            | What::NoSuchMethod { .. }
            | What::WaitNeverRuns { .. }
            | What::WaitedTwice { .. }
            | What::OwnerDropped { .. }
            | What::WaitedAtOnce { .. }
            | What::SerialLoop { .. }
            | What::BusyPoll { .. }
            | What::CollectiveByHand { .. }
            | What::MessageDiscarded { .. }
            | What::BadTimeout { .. }
            | What::WaitCycle { .. }
            | What::DivergentCollective { .. }
            | What::UnmatchedMessage { .. }
            | What::Temporary { .. }
            | What::SharedBuffer { with: None, .. }
            | What::BatchMisuse { .. } => false,
            What::Touched { handle, .. }
            | What::ReboundBuffer { handle, .. }
            | What::SharedBuffer { with: Some(handle), .. } => {
                self.is_loss_excused(handle, Loss::Renewed, &candidate.path)
            }
        }
    }

    /// Whether the way ends a loop around a poll at its head, whose condition says that there is no more to wait for; a loop
    /// that counts gives up.
    fn ends_loop(&self, started: Span, path: &[Decision]) -> bool {
        let Some(headers) = self.excuses.around_wait.get(&started) else { return false };
        let goes_on_by_condition = |header: Span| {
            let mut loops = self.function.loops.iter().filter(|of| of.span == header);
            loops.any(|of| !matches!(self.function.blocks[of.head.0 as usize].end, Terminator::Next { .. }))
        };
        let ends = |header: Span| {
            path.iter().any(|decision| decision.step == Step { span: header, turn: Turn::NoTurn })
        };
        headers.iter().any(|&header| ends(header) && goes_on_by_condition(header))
    }

    /// Whether the exception that was caught may have come from the wait: a wait stands before the handler.
    fn is_raised_by_the_wait(&self, handle: &Told) -> bool {
        let Some(handler) = handle.raised else { return false };
        let waits = self.excuses.waits.get(&handle.started);
        let before = waits.is_some_and(|waits| {
            waits.iter().any(|wait| wait.start < handler.start && wait.start > handle.started.start)
        });
        before && !self.excuses.limited.contains(&handle.started)
    }

    /// Whether the way was taken because of a backend on which the newest handle of a stream stands for all.
    fn is_stream_ordered(&self, api: ApiId, path: &[Decision]) -> bool {
        let drops = self.program.catalog.drops(api).filter(|drop| drop.effect == DropEffect::Continues);
        let backends: Vec<&str> =
            drops.map(|drop| drop.backend.as_str()).filter(|&name| name != "any").collect();
        let names = |text: &str| backends.iter().any(|name| text.eq_ignore_ascii_case(name));
        path.iter().any(|decision| {
            self.program.symbols.any_part(decision.condition, &|term| match term {
                Term::Path(path) => path.rsplit('.').next().is_some_and(names),
                Term::Field(_, name) => names(name),
                Term::Constant(Constant::Str(text)) => names(text),
                _ => false,
            })
        })
    }

    fn is_loss_excused(&self, handle: &Told, how: Loss, path: &[Decision]) -> bool {
        let (started, guard) = (handle.started, handle.guard);
        let is_handed_on = self.excuses.handed_on.contains(&started);
        // A manager stands for the calls inside of it; a way that does not need it may have kept what one of them gave.
        let is_manager = self.program.catalog.function(handle.api).does == Does::Coalesce;
        if is_handed_on && (is_manager || self.excuses.by_number.contains(&started)) {
            return true;
        }
        // A handle that was started in a method and kept by its object, which waits for the device.
        if how == Loss::ContainerGone
            && self.program.has_fence()
            && handle.inside.is_empty()
            && self.is_elsewhere(started)
        {
            return true;
        }
        if !self.excuses.waited.contains(&started) {
            return false;
        }
        let polled = handle.notes.iter().any(|note| matches!(note, Note::Polled(_)));
        if self.is_raised_by_the_wait(handle) || (polled && self.ends_loop(started, path)) {
            return true;
        }
        if how == Loss::ScopeEnd && self.excuses.reasserted.contains(&started) {
            return true;
        }
        if self.excuses.by_number.contains(&started)
            || takes_no_turn(self.excuses.around_wait.get(&started), path)
        {
            return true;
        }
        // The last decision before the start, and all that come after it.
        path.iter().any(|decision| {
            let Step { span, turn } = decision.step;
            let counts = matches!(turn, Turn::True | Turn::False) && self.counts_turns(decision.condition);
            // Every second turn waits: the next turn overwrites what the others started.
            let alternates = how == Loss::Renewed && self.is_remainder(decision.condition);
            let carried =
                self.excuses.carried.contains(&started) || self.excuses.by_number.contains(&started);
            let guards = guard == Some(span) && self.guards(span, started);
            let skips = carried && (how == Loss::Renewed || span.start >= started.start);
            // How many there are is counted beside the list: `if count > 0: for handle in handles: …`.
            let how_many = self.is_in_a_loop(started) && how == Loss::ScopeEnd && span.start >= started.start;
            counts && !alternates && (skips || guards || how_many)
        })
    }

    /// Whether a start depends on a condition: only one way of the branch leads to it in the same turn.
    fn guards(&self, condition: Span, started: Span) -> bool {
        let blocks = &self.function.blocks;
        let at = blocks.iter().position(|block| block.ops.iter().any(|op| op.span == started));
        let tested = blocks.iter().enumerate().find_map(|(index, block)| match &block.end {
            Terminator::Branch { yes, no, span, .. } if *span == condition => Some((index, *yes, *no)),
            _ => None,
        });
        let (Some(at), Some((branch, yes, no))) = (at, tested) else { return false };
        let heads: BTreeSet<usize> = self.function.loops.iter().map(|of| of.head.0 as usize).collect();
        let reaches = |from: crate::ir::BlockId| {
            let mut seen = BTreeSet::new();
            let mut stack = vec![from.0 as usize];
            while let Some(block) = stack.pop() {
                if block == at {
                    return true;
                }
                if block != branch && !heads.contains(&block) && seen.insert(block) {
                    stack.extend(blocks[block].end.targets().into_iter().map(|to| to.0 as usize));
                }
            }
            false
        };
        reaches(yes) != reaches(no)
    }

    /// Whether a condition compares the number of a turn.
    fn counts_turns(&self, condition: Symbol) -> bool {
        let symbols = &self.program.symbols;
        let compares = |operator: &Operator| {
            matches!(
                operator,
                Operator::Equal
                    | Operator::NotEqual
                    | Operator::Less
                    | Operator::LessEqual
                    | Operator::Greater
                    | Operator::GreaterEqual
                    | Operator::Other("%" | "&" | "+" | "-")
            )
        };
        let whole = self.is_number_of_turn(symbols.term(condition));
        (whole
            || symbols
                .any_part(condition, &|term| matches!(term, Term::Apply(operator, _) if compares(operator))))
            && symbols.any_part(condition, &|term| self.is_number_of_turn(term))
    }

    fn is_in_a_loop(&self, place: Span) -> bool {
        let holds = |block: &crate::ir::BlockId| {
            self.function.blocks[block.0 as usize].ops.iter().any(|op| op.span == place)
        };
        self.function.loops.iter().any(|of| of.blocks.iter().any(holds))
    }

    fn is_remainder(&self, condition: Symbol) -> bool {
        self.program.symbols.any_part(condition, &|term| matches!(term, Term::Apply(Operator::Other("%"), _)))
    }

    fn is_number_of_turn(&self, term: &Term) -> bool {
        match term {
            Term::Number(_) => true,
            Term::Item(of) => self.counts(*of),
            Term::Merged(_, local) => self.is_counted(Local(*local)),
            _ => false,
        }
    }

    /// Whether a symbol is a range of numbers.
    fn counts(&self, symbol: Symbol) -> bool {
        matches!(self.program.symbols.term(symbol), Term::Apply(operator, _) if *operator == super::apis::COUNT)
    }

    /// Whether a variable is counted up or down somewhere.
    fn is_counted(&self, local: Local) -> bool {
        let mut ops = self.function.blocks.iter().flat_map(|block| &block.ops);
        ops.any(|op| match &op.operation {
            Operation::Update { place: Place::Local(updated), operator: "+" | "-", .. } => *updated == local,
            _ => false,
        })
    }
}

/// Whether the way goes past one of the loops without a turn.
fn takes_no_turn(headers: Option<&BTreeSet<Span>>, path: &[Decision]) -> bool {
    headers.is_some_and(|headers| {
        headers.iter().any(|&header| {
            let took = |turn: Turn| path.iter().any(|decision| decision.step == Step { span: header, turn });
            took(Turn::NoTurn) && !took(Turn::Turn)
        })
    })
}
