//! Buffers of an earlier call: a method writes what an operation of its last call still uses, and only then waits for it.
//!
//! ```text
//! def step(self, x):
//!     self.out.copy_(x)               # the send of the last step uses it …
//!     if self.handle is not None:
//!         self.handle.wait()          # … as this wait, which comes too late, says
//!     self.handle = dist.isend(self.out, 1)
//! ```
//!
//! What the attributes of a class hold between two calls is known from the methods that store in them. That the operation is
//! pending where the buffer is touched is known from the wait behind the touch.

use super::event::What;
use super::handles::told;
use super::program::Attribute;
use super::regions::Overlap;
use super::run::Run;
use super::state::{Effect, State, Touched};
use super::symbol::{Symbol, Term};
use super::value::{Handle, InFlight};
use crate::ir::{Access, Usage};

impl Run<'_, '_> {
    /// Handles that an attribute has kept since an earlier call are waited for.
    pub(crate) fn note_late_wait(&mut self, state: &State, target: Symbol) {
        if state.touches.is_empty() {
            return;
        }
        let Some(place) = self.attribute_behind(target) else { return };
        if self.is_filled_by_this_call(state, place) {
            return;
        }
        let Some((class, name, _)) = self.program.attribute_of(place) else { return };
        let Some(attribute) = self.program.attributes.get(&(class, name)) else { return };
        let held: Vec<Handle> = attribute.held.clone();
        for handle in held {
            let Some((touch, usage)) = self.touched_before(state, place, &handle) else { continue };
            let what = What::Touched {
                handle: told(&handle, None),
                usage,
                access: touch.access,
                buffer: self.program.written(self.id, touch.region),
                inside: Vec::new(),
                at: touch.at,
            };
            self.report(what, &state.path);
        }
    }

    /// Whether this call has put handles of its own there: then they may be the ones that are waited for.
    fn is_filled_by_this_call(&self, state: &State, place: Symbol) -> bool {
        let symbols = &self.program.symbols;
        let pushed = |effect: &Effect| {
            matches!(effect, Effect::Push(..) | Effect::Launch(_)) && symbols.mentions(effect.target(), place)
        };
        state.memory.keys().any(|stored| symbols.mentions(*stored, place)) || state.effects.iter().any(pushed)
    }

    /// The attribute that a value was taken from: `self.open` for each element of `self.open.values()`.
    fn attribute_behind(&self, symbol: Symbol) -> Option<Symbol> {
        match self.program.symbols.term(symbol) {
            Term::Field(of, _) if matches!(self.program.symbols.term(*of), Term::Parameter(0)) => {
                Some(symbol)
            }
            Term::Item(of) | Term::Element([of, _]) => self.attribute_behind(*of),
            Term::Apply(operator, parts) if *operator == super::calls::ELEMENTS => {
                self.attribute_behind(parts[0])
            }
            _ => None,
        }
    }

    /// A touch of a buffer of the handle that comes before everything which could have finished it.
    fn touched_before(&self, state: &State, place: Symbol, handle: &Handle) -> Option<(Touched, Usage)> {
        let receiver = self.program.owner(place);
        let may_finish = |effect: &Effect| {
            let target = effect.target();
            match effect {
                Effect::Finish(..) => self.program.symbols.mentions(target, place),
                Effect::Escape(_) => self.program.symbols.mentions(place, target) || target == receiver,
                Effect::Push(..) | Effect::Launch(_) => false,
            }
        };
        let first = state.effects.iter().position(may_finish).unwrap_or(state.effects.len());
        let before = state.touches.iter().filter(|touch| touch.after <= first);
        before.into_iter().find_map(|touch| {
            let usage = handle.buffers.iter().find(|buffer| self.gets_in_the_way(touch, buffer))?.usage;
            Some((*touch, usage))
        })
    }

    fn gets_in_the_way(&self, touch: &Touched, buffer: &InFlight) -> bool {
        let reads = touch.access == Access::Read;
        let region = |symbol| self.program.region(symbol, buffer.sort);
        let harmless = reads && buffer.usage == Usage::Sends;
        !(harmless || self.is_of_one_call(buffer.region))
            && self.program.overlap(&region(touch.region), &region(buffer.region)) == Overlap::Certain
    }

    /// Whether a buffer is named by a number that is another in each call: `self.bufs[step % 2]`.
    fn is_of_one_call(&self, symbol: Symbol) -> bool {
        self.program.symbols.any_part(symbol, &|term| match term {
            Term::Parameter(n) => *n > 0,
            Term::Result(_) | Term::Number(_) | Term::Item(_) | Term::Merged(..) | Term::Unknown => true,
            Term::Constant(_)
            | Term::Path(_)
            | Term::Captured(_)
            | Term::Global(_)
            | Term::Function(_)
            | Term::Class(_)
            | Term::Field(..)
            | Term::Element(_)
            | Term::Length(_)
            | Term::Apply(..)
            | Term::Call(_) => false,
        })
    }

    /// Remembers handles with the buffers that they use, in terms of the object that keeps them.
    pub(crate) fn keep_held(attribute: &mut Attribute, handles: Vec<Handle>) {
        for handle in handles {
            let known = attribute.held.iter().any(|other| other.started == handle.started);
            if !known && attribute.held.len() < 4 {
                attribute.held.push(handle);
            }
        }
    }

    /// The handles in a value whose buffers belong to the receiver of the method.
    pub(crate) fn handles_on_own_buffers(&self, state: &State, value: &super::value::Value) -> Vec<Handle> {
        let own = |buffer: &InFlight| {
            let owner = self.program.owner(self.program.region(buffer.region, buffer.sort).root);
            matches!(self.program.symbols.term(owner), Term::Parameter(0))
        };
        let all = state.reach(&[value]).into_iter().filter_map(|id| state.handle(id));
        all.filter(|handle| !handle.buffers.is_empty() && handle.buffers.iter().all(own)).cloned().collect()
    }
}
