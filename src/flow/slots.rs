//! Slots: places such as `self.open[mb]` that are filled again and again, by one call of a method after the other.
//!
//! What a slot held before the method ran is not known, so refilling it loses something only if the code itself says so:
//!
//! - one way through the method drains the slot before it is filled, and another way does not (`if can_run: self.drain(mb)`);
//! - a loop fills slots round robin (`mb = (mb + 1) % slots`) and nothing in the loop looks into any of them.
//!
//! A drain that depends on a comparison (`if step >= depth`) is a pipeline that fills up first, and is correct.

use super::event::{Loss, What};
use super::handles::told;
use super::run::Run;
use super::state::{Decision, Effect, State};
use super::symbol::{Symbol, Term};
use super::value::{Handle, Status, Value};
use crate::ir::{Local, Operation, Operator};
use crate::source::Span;

/// A slot is filled with a pending handle.
pub(crate) struct Fill {
    operation: u32,
    at: Span,
    handle: Handle,
    base: Symbol,
    key: Symbol,
    place: Symbol,
    in_loop: Option<u32>,
    drained: Drained,
    path: Vec<Decision>,
}

/// Whether the slot was emptied on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drained {
    Yes,
    No,
}

impl Run<'_, '_> {
    /// Remembers that a slot is filled.
    pub(crate) fn note_fill(&mut self, state: &State, base: Symbol, key: Symbol, value: &Value) {
        let all = state.reach(&[value]);
        let pending = all.into_iter().filter_map(|id| state.handle(id));
        let Some(handle) =
            pending.into_iter().find(|handle| handle.status == Status::Pending && handle.certain)
        else {
            return;
        };
        let handle = handle.clone();
        let place = self.program.symbols.element(base, key);
        let drained = if self.is_drained(state, place) { Drained::Yes } else { Drained::No };
        let known =
            |fill: &Fill| fill.operation == self.here.operation && fill.drained == drained && fill.key == key;
        if !self.fills.iter().any(known) {
            let path = state.path.to_vec();
            let (operation, at, in_loop) = (self.here.operation, self.here.span, self.here.in_loop);
            self.fills.push(Fill { operation, at, handle, base, key, place, in_loop, drained, path });
        }
    }

    fn is_drained(&mut self, state: &State, place: Symbol) -> bool {
        let empty = self.program.symbols.apply(&Operator::Is, vec![place, Symbol::NONE]);
        let finished = state
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Finish(target, _) if *target == place));
        finished
            || state.memory.contains(place)
            || state.facts.decide(&mut self.program.symbols, empty) == Some(true)
    }

    /// Reports the slots that are filled although something may be in them.
    pub(crate) fn report_slots(&mut self) {
        let fills = std::mem::take(&mut self.fills);
        for fill in &fills {
            let drained_elsewhere = fills.iter().any(|other| {
                other.operation == fill.operation
                    && other.place == fill.place
                    && other.drained == Drained::Yes
            });
            let refilled = fill.drained == Drained::No && drained_elsewhere && self.was_a_plain_choice(fill);
            if refilled || self.is_round_robin(fill) {
                let holder = self.program.written(self.id, fill.place);
                let what =
                    What::Lost { handle: told(&fill.handle, holder), how: Loss::SlotRefilled, at: fill.at };
                self.report(what, &fill.path);
            }
        }
    }

    fn was_a_plain_choice(&self, fill: &Fill) -> bool {
        let Some(last) = fill.path.last() else { return false };
        let counts = self.program.symbols.any_part(last.condition, &|term| {
            matches!(
                term,
                Term::Unknown
                    | Term::Apply(
                        Operator::Less | Operator::LessEqual | Operator::Greater | Operator::GreaterEqual,
                        _
                    )
                    | Term::Apply(Operator::Equal | Operator::NotEqual | Operator::Other(_), _)
            )
        });
        !counts
    }

    fn is_round_robin(&self, fill: &Fill) -> bool {
        let Some(in_loop) = fill.in_loop else { return false };
        fill.drained == Drained::No
            && self.comes_round(fill.key, in_loop)
            && !self.looks_into_within(fill.base, in_loop)
    }

    /// Whether a key takes the same values again and again: it is a remainder, or a variable that the loop sets to one.
    fn comes_round(&self, key: Symbol, in_loop: u32) -> bool {
        let program = &*self.program;
        let is_remainder =
            program.symbols.any_part(key, &|term| matches!(term, Term::Apply(Operator::Other("%"), _)));
        let merged = match program.symbols.term(key) {
            Term::Merged(_, local) => Some(Local(*local)),
            _ => None,
        };
        is_remainder || merged.is_some_and(|local| self.is_set_to_remainder(local, in_loop))
    }

    fn is_set_to_remainder(&self, local: Local, in_loop: u32) -> bool {
        let Some(of) = self.function.loops.get(in_loop as usize) else { return false };
        of.blocks.iter().any(|block| {
            let ops = &self.function.blocks[block.0 as usize].ops;
            ops.windows(2).any(|pair| match (&pair[0].operation, &pair[1].operation) {
                (
                    Operation::Compute { to, operator: Operator::Other("%"), .. },
                    Operation::Assign { to: name, from: crate::ir::Operand::Local(from) },
                ) => name == &local && from == to,
                _ => false,
            })
        })
    }

    fn looks_into_within(&self, base: Symbol, in_loop: u32) -> bool {
        let Some(outer) = self.function.loops.get(in_loop as usize) else { return true };
        self.looked_into.iter().any(|(inner, symbols)| {
            let within = inner.and_then(|inner| self.function.loops.get(inner as usize));
            within.is_some_and(|within| within.blocks.is_subset(&outer.blocks)) && symbols.contains(&base)
        })
    }
}
