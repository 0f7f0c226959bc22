//! What finishes a handle, and what cannot.

use super::event::{Handle as Told, Idle, Note, Selection, What};
use super::flight::forget_buffers;
use super::loops::direct_objects;
use super::run::Run;
use super::state::{Effect, State};
use super::symbol::{Symbol, Term};
use super::value::{Handle, Object, ObjectId, Status, Value};
use crate::catalog::{ApiId, Does};
use crate::ir::Which;
use crate::source::Language;

impl Run<'_, '_> {
    /// Finishes the handles behind a value; `api` is the function that does it, where one is known.
    pub(crate) fn finish_value(
        &mut self,
        state: &mut State,
        target: &Value,
        which: Which,
        api: Option<ApiId>,
    ) {
        self.summary.communicates = true;
        match target {
            Value::Symbol(symbol) => self.finish_symbol(state, *symbol, which),
            Value::Object(id) => match state.heap.get(id) {
                Some(Object::Handle(_)) => self.finish_handle(state, *id, api),
                Some(Object::Container(_)) => self.finish_container(state, *id, which, api),
                Some(_) | None => {}
            },
            Value::Each(objects) => {
                for &id in objects.iter() {
                    self.finish_one_of_many(state, id, which);
                }
            }
            Value::Perhaps(objects) => {
                for id in state.reach(&[&Value::Perhaps(objects.clone())]) {
                    if let Some(handle) = state.handle_mut(id) {
                        handle.status = handle.status.join(Status::Finished);
                    }
                }
            }
            Value::Part(container, how) => self.finish_part(state, *container, *how),
            Value::Method(_) | Value::Test(_) | Value::Length(_) | Value::Function(_) => {}
        }
    }

    /// Finishes what a poll has told to be finished.
    pub(crate) fn finish_polled(&mut self, state: &mut State, target: &Value, which: Which) {
        let at = self.here.span;
        let all: Vec<ObjectId> = state.reach(&[target]).into_iter().collect();
        for id in all {
            if let Some(handle) = state.handle_mut(id)
                && handle.status != Status::Prepared
            {
                handle.status = Status::Finished;
                handle.polled.get_or_insert(at);
                let (started, made_in) = (handle.started, handle.made_in);
                self.note_wait(started, made_in);
            }
        }
        if let Value::Symbol(symbol) = target {
            self.finish_symbol(state, *symbol, which);
        }
    }

    fn finish_symbol(&mut self, state: &mut State, symbol: Symbol, which: Which) {
        let kept: Vec<Value> = state
            .memory
            .iter()
            .filter(|(place, _)| self.covers(symbol, **place))
            .map(|(_, value)| value.clone())
            .collect();
        for value in kept {
            for id in state.reach(&[&value]) {
                if let Some(handle) = state.handle_mut(id) {
                    handle.status = Status::Finished;
                }
            }
        }
        self.note_late_wait(state, symbol);
        state.affect(Effect::Finish(symbol, which));
    }

    /// Whether finishing what `target` stands for finishes what is kept in `place`: the place itself, or an element of a
    /// container that the target is made from (`for h in self.open.values()` against `self.open[k]`).
    fn covers(&self, target: Symbol, place: Symbol) -> bool {
        target == place
            || matches!(self.program.symbols.term(place), Term::Element([of, _]) if self.program.symbols.mentions(target, *of))
    }

    fn finish_handle(&mut self, state: &mut State, id: ObjectId, api: Option<ApiId>) {
        let span = self.here.span;
        let Some(handle) = state.handle(id) else { return };
        match handle.status {
            Status::Prepared => {}
            Status::Pending | Status::Mixed => {
                self.note_single_wait(state, id);
                if let Some(handle) = state.handle_mut(id) {
                    handle.status = Status::Finished;
                    handle.finished = Some(span);
                    let (started, made_in, guard) = (handle.started, handle.made_in, handle.guard);
                    self.note_wait(started, made_in);
                    self.note_reassertion(&state.path.clone(), started, guard);
                }
            }
            Status::Finished => {
                let told = told(handle, None);
                if let (Some(first), Some(wait), false, false) =
                    (handle.finished, api, handle.many || handle.escaped, handle.polled.is_some())
                    && first != span
                {
                    self.report(What::WaitedTwice { handle: told, wait, first, at: span }, &state.path);
                }
            }
        }
    }

    fn finish_one_of_many(&mut self, state: &mut State, id: ObjectId, which: Which) {
        let span = self.here.span;
        match state.heap.get_mut(&id) {
            Some(Object::Handle(handle)) if handle.status != Status::Prepared => {
                handle.status = Status::Finished;
                handle.finished = Some(span);
                let (started, made_in) = (handle.started, handle.made_in);
                self.note_wait(started, made_in);
            }
            Some(Object::Container(_)) => self.finish_container(state, id, which, None),
            _ => {}
        }
    }

    fn finish_container(&mut self, state: &mut State, id: ObjectId, which: Which, api: Option<ApiId>) {
        match which {
            Which::All => self.finish_all(state, id),
            Which::Any | Which::Several => {
                if self.drains(state, id) {
                    let objects = state.container(id).map(direct_objects).unwrap_or_default();
                    self.note_by_number(state, &objects);
                    self.finish_all(state, id);
                } else {
                    self.finish_part(state, id, Selection::Any);
                }
            }
            Which::One => {
                self.wait_on_list(state, id, api);
                self.finish_all(state, id);
            }
        }
    }

    pub(crate) fn finish_all(&mut self, state: &mut State, id: ObjectId) {
        let span = self.here.span;
        for id in state.reach(&[&Value::Object(id)]) {
            if let Some(handle) = state.handle_mut(id)
                && handle.status != Status::Prepared
            {
                handle.status = Status::Finished;
                handle.finished.get_or_insert(span);
                let (started, made_in) = (handle.started, handle.made_in);
                self.note_wait(started, made_in);
            }
        }
    }

    /// Whether the operation stands in a loop that goes through a container made outside of it: then each turn takes another
    /// element until none is left.
    pub(crate) fn drains(&self, state: &State, id: ObjectId) -> bool {
        state
            .container(id)
            .is_none_or(|container| self.here.in_loop.is_some() && container.made_in != self.here.in_loop)
    }

    /// One element of a container is finished, by position or whichever comes first.
    fn finish_part(&mut self, state: &mut State, id: ObjectId, how: Selection) {
        let Some(container) = state.container(id) else { return };
        let objects = direct_objects(container);
        if let [one] = objects.as_slice()
            && container.is_exact()
            && state.handle(*one).is_some_and(|handle| !handle.many)
        {
            self.finish_handle(state, *one, None);
            return;
        }
        let at = self.here.span;
        if let Some(container) = state.container_mut(id) {
            container.partly.get_or_insert((at, how));
        }
        // What the others use may be complete too.
        objects.into_iter().for_each(|id| forget_buffers(state, id));
    }

    fn wait_on_list(&mut self, state: &State, id: ObjectId, api: Option<ApiId>) {
        if self.program.unit.language == Language::Rust {
            return;
        }
        let Some(handle) = self.some_handle_in(state, id) else { return };
        let method = api.map_or("wait", |api| last_segment(self.program.catalog.short_name(api))).to_owned();
        self.report(What::WaitOnList { handle, method, at: self.here.span }, &state.path);
    }

    /// A handle in a container, as a report names it.
    pub(crate) fn some_handle_in(&self, state: &State, id: ObjectId) -> Option<Told> {
        let all = state.reach(&[&Value::Object(id)]);
        let handle = all.into_iter().find_map(|id| state.handle(id).filter(|handle| !handle.escaped))?;
        Some(told(handle, None))
    }

    /// A handle is iterated, indexed or taken apart.
    pub(crate) fn handle_as_list(&mut self, state: &mut State, value: &Value) {
        let Value::Object(id) = value else { return };
        let Some(handle) = state.handle(*id) else { return };
        // What compiles is a container of another kind.
        let is_checked = self.program.unit.language == Language::Rust;
        if handle.status == Status::Pending
            && !handle.escaped
            && handle.certain
            && !handle.aliased
            && !is_checked
        {
            let what = What::HandleAsList { handle: told(handle, None), at: self.here.span };
            self.report(what, &state.path);
        }
        state.escape(value);
    }

    pub(crate) fn is_handle(&self, state: &State, value: &Value) -> bool {
        matches!(value, Value::Object(id) if state.handle(*id).is_some())
    }

    /// `req.wait` as a statement: named and not called.
    pub(crate) fn method_not_called(&mut self, state: &State, receiver: &Value, name: &str) {
        let mut handles = state.reach(&[receiver]).into_iter().filter_map(|id| state.handle(id));
        let waited = handles.find(|handle| {
            !handle.escaped
                && self.handle_method(handle, name).is_some_and(|api| {
                    matches!(self.program.catalog.function(api).does, Does::Finish | Does::Restart)
                })
        });
        if let Some(handle) = waited {
            let handle = Some(told(handle, None));
            let what = What::WaitNeverRuns { why: Idle::NotCalled, handle, at: self.here.span };
            self.report(what, &state.path);
        }
    }

    /// The catalogued method of a handle.
    pub(crate) fn handle_method(&self, handle: &Handle, name: &str) -> Option<ApiId> {
        let catalog = self.program.catalog;
        let class = catalog.gives(handle.api);
        let own = class.and_then(|class| catalog.method(class, name));
        own.or_else(|| if handle.aliased { self.program.finishing(name) } else { None })
    }
}

/// A handle as a report names it.
pub(crate) fn told(handle: &Handle, holder: Option<String>) -> Told {
    Told {
        api: handle.api,
        started: handle.started,
        inside: handle.inside.iter().map(Into::into).collect(),
        several: handle.many || handle.launched,
        conditional: handle.conditional,
        holder,
        notes: handle.polled.map(Note::Polled).into_iter().collect(),
        guard: handle.guard,
        raised: handle.raised,
    }
}

fn last_segment(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
