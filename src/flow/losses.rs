//! Losses: objects that nothing refers to any more, and what that means for those that are pending.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::event::{Idle, Loss, Selection, What};
use super::handles::told;
use super::program::Type;
use super::run::Run;
use super::state::{Decision, State};
use super::symbol::{Symbol, Term};
use super::value::{Handle, Object, ObjectId, Status, Value};
use crate::ir::Local;
use crate::source::Span;

type Gone = BTreeMap<ObjectId, Object>;

impl Run<'_, '_> {
    /// Takes what is unreachable out of the state and reports what is lost with it.
    pub(crate) fn settle(&mut self, state: &mut State, how: Loss, holder: Option<String>) {
        let mut gone = state.collect_unreachable();
        if !gone.is_empty() {
            let path = state.path.clone();
            self.give_away_what_was_promised(state, &gone);
            self.finish_guarded(state, &mut gone);
            self.report_owners(state, &gone, how, &path);
            self.report_gone(&gone, how, holder, &path);
        }
    }

    /// The same after a local gave up what it held.
    pub(crate) fn settle_local(&mut self, state: &mut State, how: Loss, local: Local) {
        let mut gone = state.collect_unreachable();
        if gone.is_empty() {
            return;
        }
        let path = state.path.clone();
        self.give_away_what_was_promised(state, &gone);
        self.finish_guarded(state, &mut gone);
        self.report_owners(state, &gone, how, &path);
        let renewed = how == Loss::Rebound && self.is_handle(state, &state.local(local));
        let (how, holder) = self.named_loss(if renewed { Loss::Renewed } else { how }, local);
        self.report_gone(&gone, how, holder, &path);
    }

    /// A lazy call that nothing consumed is reported as such; the handles that it was given are not reported as well.
    fn give_away_what_was_promised(&mut self, state: &mut State, gone: &Gone) {
        for object in gone.values() {
            if let Object::Lazy(_, over, _) = object {
                over.iter().for_each(|value| state.escape(value));
            }
        }
    }

    fn named_loss(&self, how: Loss, local: Local) -> (Loss, Option<String>) {
        let Some(info) = self.function.locals.get(local.0 as usize) else { return (how, None) };
        if info.name.is_empty() {
            return (if matches!(how, Loss::Rebound | Loss::Renewed) { Loss::Discarded } else { how }, None);
        }
        let thrown_away = info.name.starts_with('_') && info.reads == 0;
        let how = if thrown_away && matches!(how, Loss::Rebound | Loss::Renewed | Loss::ScopeEnd) {
            Loss::Underscore
        } else {
            how
        };
        (how, Some(info.name.clone()))
    }

    fn report_gone(&mut self, gone: &Gone, how: Loss, holder: Option<String>, path: &Arc<Vec<Decision>>) {
        let parts = partly_waited(gone);
        let promised = promised_to_lazy(gone);
        for (id, object) in gone {
            match object {
                Object::Handle(handle) if is_lost(handle) && promised.contains(id) => {}
                Object::Handle(handle) if is_lost(handle) => {
                    if let Some(&(at, how)) = parts.get(id) {
                        let handle = told(handle, holder.clone());
                        self.report(What::PartlyWaited { handle, how, at }, path);
                    } else {
                        let how = if is_in_container(gone, *id) && how == Loss::Rebound {
                            Loss::ContainerGone
                        } else {
                            how
                        };
                        let what =
                            What::Lost { handle: told(handle, holder.clone()), how, at: self.here.span };
                        self.report(what, path);
                    }
                }
                Object::Handle(handle)
                    if handle.status == Status::Prepared && !handle.escaped && handle.certain =>
                {
                    let what =
                        What::Unlaunched { api: Some(handle.api), built: handle.started, at: self.here.span };
                    self.report(what, path);
                }
                Object::Operation(operation)
                    if operation.launched == Status::Pending && !operation.escaped =>
                {
                    let what = What::Unlaunched {
                        api: Some(operation.api),
                        built: operation.built,
                        at: self.here.span,
                    };
                    self.report(what, path);
                }
                Object::Coroutine(function, _, built) if self.communicates(*function) => {
                    self.report(What::Unlaunched { api: None, built: *built, at: self.here.span }, path);
                }
                Object::Lazy(function, _, built) if self.waits(function) => {
                    self.report(
                        What::WaitNeverRuns { why: Idle::NotConsumed, handle: None, at: *built },
                        path,
                    );
                }
                Object::Handle(_)
                | Object::Operation(_)
                | Object::Container(_)
                | Object::Partial(_)
                | Object::Lazy(..)
                | Object::Iterator(..)
                | Object::Manager(_)
                | Object::Coroutine(..) => {}
            }
        }
    }

    /// How a place is written, for the name of what held a handle.
    pub(crate) fn place_name(&self, place: Symbol) -> Option<String> {
        self.program.written(self.id, place)
    }

    /// The function ends: what it keeps for others leaves with it, everything else is released.
    pub(crate) fn leave(&mut self, mut state: State, result: Value) {
        for local in state.shared.clone() {
            let value = state.local(local);
            self.give_away(&mut state, &value);
        }
        self.share_returned_closures(&mut state, &result);
        self.store_captures(&mut state);
        self.note_handed_on(&state, &result);
        for value in state.memory.values() {
            self.note_handed_on(&state, value);
        }
        self.report_kept(&state);
        if self.is_top_level() {
            self.leave_top_level(state);
            return;
        }
        self.summarise(&state, &result);
        self.release_locals(state, result);
    }

    /// A closure that is returned keeps what it captures.
    fn share_returned_closures(&mut self, state: &mut State, result: &Value) {
        let mut plain = self.plain_values_in(state, result);
        plain.extend(result.symbol().map(Value::Symbol));
        for value in plain {
            if let Value::Symbol(symbol) = value
                && let Term::Function(function) = *self.program.symbols.term(symbol)
            {
                self.share_captures(state, function);
            }
        }
    }

    /// Variables of the enclosing function that were bound here (`nonlocal`) keep what they hold.
    fn store_captures(&mut self, state: &mut State) {
        for &(inner, outer) in &self.function.captures {
            let place = self.program.symbols.intern(Term::Captured(outer));
            let value = state.local(inner);
            if value != Value::Symbol(place) && state.locals.get(inner).is_some() {
                state.memory.insert(place, value);
            }
        }
    }

    /// At the end of the top level its names live on until the program ends.
    fn leave_top_level(&mut self, state: State) {
        for (local, value) in state.locals.held() {
            let name =
                self.function.locals.get(local.0 as usize).map(|info| info.name.clone()).unwrap_or_default();
            if !name.is_empty() {
                self.report_kept_value(&state, value, &name);
            }
        }
        self.export(&state);
    }

    fn export(&mut self, state: &State) {
        let mut names = BTreeMap::new();
        for (&place, value) in &state.memory {
            let Term::Global(name) = self.program.symbols.term(place) else { continue };
            let partial = match value {
                Value::Object(id) => state.heap.get(id).and_then(Object::as_lasting_partial),
                _ => None,
            };
            match (value, partial) {
                (Value::Symbol(symbol), _) => {
                    names.insert(name.to_string(), *symbol);
                }
                (_, Some(partial)) => {
                    self.program.partials.insert(name.to_string(), partial.clone());
                }
                _ => {}
            }
        }
        match &mut self.exported {
            None => self.exported = Some(names),
            Some(known) => known.retain(|name, symbol| names.get(name) == Some(symbol)),
        }
    }

    fn release_locals(&mut self, mut state: State, result: Value) {
        if state.heap.is_empty() {
            return;
        }
        let held = state.locals.take_held();
        state.locals.bind(Local(u32::MAX), result);
        // The names go one after the other, so that each loss is told with the name that held it last.
        let mut rest = Vec::new();
        for (local, value) in held {
            state.locals.bind(local, value);
            rest.push(local);
        }
        while let Some(local) = rest.pop() {
            state.locals.unbind(local);
            self.settle_local(&mut state, Loss::ScopeEnd, local);
        }
    }

    fn report_kept(&mut self, state: &State) {
        let places: Vec<(Symbol, Value)> =
            state.memory.iter().map(|(&place, value)| (place, value.clone())).collect();
        for (place, value) in places {
            if let Some(name) = self.kept_name(place)
                && self.program.is_visible(self.program.owner(place))
            {
                self.report_kept_value(state, &value, &name);
            }
        }
    }

    /// The attribute or global that keeps what is stored in a place.
    fn kept_name(&self, place: Symbol) -> Option<String> {
        match self.program.symbols.term(place) {
            // An attribute of something else than an instance of a class of the file belongs to whoever reads it there.
            Term::Field(of, name) if matches!(self.program.type_of(*of), Some(Type::Own(_))) => {
                Some(name.to_string())
            }
            Term::Global(name) => Some(name.to_string()),
            Term::Element([of, _]) => self.kept_name(*of),
            _ => None,
        }
    }

    fn report_kept_value(&mut self, state: &State, value: &Value, name: &str) {
        for id in state.reach(&[value]) {
            if let Some(handle) = state.handle(id)
                && is_lost(handle)
                && !self.program.unit.names_read.contains(name)
            {
                let what = What::Kept { handle: told(handle, Some(name.to_owned())), name: name.to_owned() };
                self.report(what, &state.path);
            }
        }
    }
}

/// Whether the end of a handle's last reference loses something.
fn is_lost(handle: &Handle) -> bool {
    handle.status == Status::Pending && !handle.escaped && handle.certain
}

/// For each handle in a container of which only a part was waited: the wait.
fn partly_waited(gone: &Gone) -> BTreeMap<ObjectId, (Span, Selection)> {
    let mut parts = BTreeMap::new();
    for object in gone.values() {
        let Object::Container(container) = object else { continue };
        let wait = container.partly.or_else(|| waited_sibling(gone, container));
        if let Some(wait) = wait {
            container.objects().into_iter().for_each(|inner| {
                parts.insert(inner, wait);
            });
        }
    }
    parts
}

/// The objects that a lazy call would have gone through, had anything consumed it.
fn promised_to_lazy(gone: &Gone) -> BTreeSet<ObjectId> {
    let mut stack = Vec::new();
    for object in gone.values() {
        if let Object::Lazy(_, over, _) = object {
            over.iter().for_each(|value| value.visit(&mut |id| stack.push(id)));
        }
    }
    let mut seen = BTreeSet::new();
    while let Some(id) = stack.pop() {
        if seen.insert(id)
            && let Some(object) = gone.get(&id)
        {
            object.visit(&mut |inner| stack.push(inner));
        }
    }
    seen
}

/// The wait for another element of a container whose elements are all known: `pair = (send, recv)`, `pair[0].wait()`.
fn waited_sibling(gone: &Gone, container: &super::value::Container) -> Option<(Span, Selection)> {
    if !container.is_exact() {
        return None;
    }
    container.objects().into_iter().find_map(|id| match gone.get(&id) {
        Some(Object::Handle(handle)) if handle.status == Status::Finished && !handle.many => {
            Some((handle.finished?, Selection::Index))
        }
        _ => None,
    })
}

fn is_in_container(gone: &Gone, id: ObjectId) -> bool {
    gone.values().any(|object| match object {
        Object::Container(container) => container.objects().contains(&id),
        _ => false,
    })
}
