//! Rebinding: the name of a receive buffer is bound to something else while the data is on its way.
//!
//! ```text
//! h = dist.irecv(b, 1)        #1 pending, receives what `b` holds
//! b = f(b)                    reported at once: `b` is taken for the data
//! b = torch.zeros(3)          remembered …
//! h.wait()
//! return b                    … and reported, since `b` is read as if it held the data
//! ```

use super::event::{Handle as Told, Reread, What};
use super::flight::{Holders, is_in_flight};
use super::handles::told;
use super::run::Run;
use super::state::State;
use super::symbol::{Symbol, Term};
use super::value::{ObjectId, Status, Value};
use crate::ir::{Local, Usage};
use crate::source::{Language, Span};

/// A name that held a receive buffer and holds something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rebinding {
    pub(crate) named: Named,
    pub(crate) handle: ObjectId,
    pub(crate) told: Told,
    pub(crate) to: Symbol,
    pub(crate) at: Span,
}

/// What had the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// A local.
    Local(Local),
    /// A name of the top level, by its symbol.
    Place(Symbol),
}

/// How many operations a statement has that reads what it binds.
const STATEMENT: u32 = 8;

impl Run<'_, '_> {
    /// A name is about to be bound to a value.
    pub(crate) fn note_rebinding(&mut self, state: &mut State, local: Local, to: &Value) {
        state.rebindings.retain(|rebinding| rebinding.named != Named::Local(local));
        let Some(name) = self.function.locals.get(local.0 as usize).map(|info| info.name.as_str()) else {
            return;
        };
        let (Some(Value::Symbol(before)), Some(to)) = (state.locals.get(local), to.symbol()) else { return };
        if name.is_empty() || before == to || before == Symbol::UNKNOWN {
            return;
        }
        let at = self.here.span;
        if self.program.unit.language == Language::Rust {
            let owner = !self.is_held_beside(state, Named::Local(local), before);
            if let (Some(told), true) = (self.is_used_by(state, before, to), owner) {
                let name = name.to_owned();
                self.report(
                    What::ReboundBuffer { handle: told, name, reread: Reread::Freed, at },
                    &state.path,
                );
            }
            return;
        }
        let Some((id, told)) = self.receives_into(state, before) else { return };
        let sort = state.sort_in_flight();
        let same_storage = self.program.region(to, sort).root == self.program.region(before, sort).root;
        if same_storage || self.program.symbols.constant_of(to).is_some() {
            return;
        }
        if self.is_made_from(to, before) {
            let what =
                What::ReboundBuffer { handle: told, name: name.to_owned(), reread: Reread::AtOnce, at };
            self.report(what, &state.path);
        } else if !self.is_held_beside(state, Named::Local(local), before) {
            state.rebindings.push(Rebinding { named: Named::Local(local), handle: id, told, to, at });
        }
    }

    /// An attribute or a name of the top level is about to be bound to a value. Of attributes nobody knows who else has them.
    pub(crate) fn note_place_rebinding(&mut self, state: &mut State, place: Symbol, to: &Value) {
        state.rebindings.retain(|rebinding| rebinding.named != Named::Place(place));
        let before = match state.memory.get(&place) {
            Some(held) => held.symbol(),
            None => Some(place),
        };
        let (Some(before), Some(to)) = (before, to.symbol()) else { return };
        let Some((id, told)) = self.receives_into(state, before) else { return };
        let sort = state.sort_in_flight();
        let same_storage = self.program.region(to, sort).root == self.program.region(before, sort).root;
        let Some(name) = self.place_name(place).filter(|_| !same_storage) else { return };
        let at = self.here.span;
        let named = Named::Place(place);
        if self.is_made_from(to, before) {
            self.report(What::ReboundBuffer { handle: told, name, reread: Reread::AtOnce, at }, &state.path);
        } else if matches!(self.program.symbols.term(place), Term::Global(_))
            && self.is_top_level()
            && self.program.symbols.constant_of(to).is_none()
            && !self.is_held_beside(state, named, before)
        {
            state.rebindings.push(Rebinding { named, handle: id, told, to, at });
        }
    }

    /// The pending operation that uses what a value owns, where the next value does not own it too.
    fn is_used_by(&self, state: &State, owner: Symbol, next: Symbol) -> Option<Told> {
        let handles = state.heap.keys().filter_map(|&id| state.handle(id));
        let mut pending = handles.filter(|handle| is_in_flight(handle) && handle.touched.is_none());
        pending.find_map(|handle| {
            let root = |symbol, sort| self.program.region(symbol, sort).root;
            let mut buffers = handle.buffers.iter();
            let uses = buffers.any(|buffer| {
                let used = root(buffer.region, buffer.sort);
                used == root(owner, buffer.sort) && used != root(next, buffer.sort)
            });
            uses.then(|| told(handle, None))
        })
    }

    /// The pending receive whose whole buffer a symbol is.
    fn receives_into(&self, state: &State, symbol: Symbol) -> Option<(ObjectId, Told)> {
        let handles = state.heap.keys().filter_map(|&id| Some((id, state.handle(id)?)));
        let mut pending = handles.filter(|(_, handle)| is_in_flight(handle));
        pending.find_map(|(id, handle)| {
            let receives = |usage: Usage| matches!(usage, Usage::Receives | Usage::Both);
            let mut buffers = handle.buffers.iter();
            let into = buffers.any(|buffer| receives(buffer.usage) && buffer.region == symbol);
            // A read in the same statement is not another story: `b = b * 2`. What `b *= 2` writes in place is told as that.
            let is_close = |touched: u32| (1..=STATEMENT).contains(&self.here.operation.abs_diff(touched));
            let now = handle.touched.is_none_or(is_close);
            (into && now).then(|| (id, told(handle, None)))
        })
    }

    /// Whether a value was computed from another.
    fn is_made_from(&self, value: Symbol, from: Symbol) -> bool {
        let of = self.program.origins.get(&value).map(|origin| origin.of);
        self.program.symbols.mentions(value, from)
            || of.is_some_and(|of| self.program.symbols.mentions(of, from))
    }

    /// Whether anything but one name has a value.
    fn is_held_beside(&self, state: &State, named: Named, symbol: Symbol) -> bool {
        let mut without = state.clone();
        match named {
            Named::Local(local) => drop(without.locals.unbind(local)),
            Named::Place(place) => drop(without.memory.remove(&place)),
        }
        self.is_held(&without, symbol, Holders::Any)
    }

    /// A name is read: what it holds may be taken for what was received.
    pub(crate) fn note_reading(&mut self, state: &State, named: Named) {
        if state.rebindings.is_empty() {
            return;
        }
        let held = match named {
            Named::Local(local) => Some(state.local(local)),
            Named::Place(place) => state.memory.get(&place).cloned(),
        };
        let read = |rebinding: &&Rebinding| {
            let finished = state.handle(rebinding.handle).is_some_and(|it| it.status == Status::Finished);
            let own_data = state.has_in_flight(&|buffer| buffer.region == rebinding.to);
            let same = rebinding.named == named && held == Some(Value::Symbol(rebinding.to));
            same && finished && !own_data
        };
        let Some(rebinding) = state.rebindings.iter().find(read) else { return };
        let name = match named {
            Named::Local(local) => self.function.locals.get(local.0 as usize).map(|info| info.name.clone()),
            Named::Place(place) => self.place_name(place),
        };
        let what = What::ReboundBuffer {
            handle: rebinding.told.clone(),
            name: name.unwrap_or_default(),
            reread: Reread::Later(self.here.span),
            at: rebinding.at,
        };
        self.report(what, &state.path);
    }
}
