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
//! Each of these needs that the handle is in fact waited for somewhere. One that never is has no excuse.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{Event, Loss, Step, Turn, What};
use super::run::Run;
use super::state::{Decision, State};
use super::symbol::{Symbol, Term};
use super::value::{Handle, ObjectId};
use crate::catalog::Does;
use crate::ir::{Local, Operation, Operator, Place};
use crate::source::Span;

/// What a function does with the handles that it starts, by the place of their start.
#[derive(Default)]
pub(crate) struct Excuses {
    waited: BTreeSet<Span>,
    restarted: BTreeSet<Span>,
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
        let outside = self.enclosing_loops(made_in);
        for around in self.enclosing_loops(self.here.in_loop) {
            if !outside.contains(&around) {
                let header = self.function.loops[around as usize].span;
                self.excuses.around_wait.entry(started).or_default().insert(header);
            }
        }
    }

    /// A prepared request is started.
    pub(crate) fn note_restart(&mut self, started: Span) {
        self.excuses.restarted.insert(started);
    }

    /// Handles are taken out of a container in an order that is not followed.
    pub(crate) fn note_by_number(&mut self, state: &State, objects: &[ObjectId]) {
        if self.here.in_loop.is_some() {
            let started =
                objects.iter().filter_map(|&id| state.handle(id)).map(|handle: &Handle| handle.started);
            self.excuses.by_number.extend(started);
        }
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
        let mut events: Vec<Event> = Vec::new();
        for Candidate { mut event, path } in candidates {
            if !events.iter().any(|known| known.what.is_same_as(&event.what)) {
                let from = event.what.begins();
                let steps = path.iter().map(|decision| decision.step);
                event.path = steps.filter(|step| step.span.start >= from).collect();
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
                    self.is_loss_excused(handle.started, handle.guard, *how, &candidate.path)
                }
            },
            What::PartlyWaited { handle, .. } => {
                let headers: BTreeSet<Span> = self.function.loops.iter().map(|of| of.span).collect();
                self.excuses.waited.contains(&handle.started)
                    && takes_no_turn(Some(&headers), &candidate.path)
            }
            What::Unlaunched { built, .. } => self.excuses.restarted.contains(built),
            What::Kept { .. }
            | What::WaitOnList { .. }
            | What::HandleAsList { .. }
            | What::NoSuchMethod { .. }
            | What::WaitNeverRuns { .. }
            | What::WaitedTwice { .. }
            | What::BadTimeout { .. }
            | What::BatchMisuse { .. } => false,
        }
    }

    fn is_loss_excused(&self, started: Span, guard: Option<Span>, how: Loss, path: &[Decision]) -> bool {
        if !self.excuses.waited.contains(&started) {
            return false;
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
            counts && !alternates && (span.start >= started.start || guard == Some(span))
        })
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
        symbols.any_part(condition, &|term| matches!(term, Term::Apply(operator, _) if compares(operator)))
            && symbols.any_part(condition, &|term| self.is_number_of_turn(term))
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
        let Term::Call(parts) = self.program.symbols.term(symbol) else { return false };
        let path = parts.first().and_then(|&callee| self.program.symbols.path_of(callee));
        let api = path.and_then(|path| self.program.catalog.api(&path));
        api.is_some_and(|api| self.program.catalog.function(api).does == Does::Count)
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
