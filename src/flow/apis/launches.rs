//! Operations that are built first and launched later, and requests that are prepared first and started later.
//!
//! ```text
//! ops = [P2POp(isend, x, 1), P2POp(irecv, y, 1)]     two operations, not launched
//! handles = batch_isend_irecv(ops)                   launched; a list of handles, as many as the backend likes
//! ```

use std::sync::Arc;

use super::{Argument, Given};
use crate::catalog::ApiId;
use crate::flow::event::{Misuse, What};
use crate::flow::loops::direct_objects;
use crate::flow::run::Run;
use crate::flow::state::{Effect, State};
use crate::flow::value::{Container, InFlight, Object, ObjectId, Operation, Slot, Status, Value};
use crate::ir::ContainerKind;
use crate::source::Span;

impl Run<'_, '_> {
    pub(super) fn build(&mut self, state: &mut State, api: ApiId, given: &Given<'_>) -> Value {
        self.summary.communicates = true;
        if state.expecting > 0 {
            return Value::UNKNOWN;
        }
        if let Some(runs) = &given.entry.runs
            && let Argument::Given(value, at) = given.argument(&runs.argument)
            && self.is_wrong_function(state, &value, &runs.allowed, api)
        {
            let (earlier, at) = (Some(at), self.here.span);
            self.report(What::BatchMisuse { why: Misuse::WrongFunction, api, earlier, at }, &state.path);
            self.give_away(state, &value);
            return Value::UNKNOWN;
        }
        let operation = Operation {
            api,
            built: self.here.span,
            launched: Status::Pending,
            launch: None,
            escaped: false,
            many: false,
            buffers: self.buffers_of(state, api, given),
        };
        Value::Object(state.make(self.site(0), Object::Operation(operation)))
    }

    /// Whether a value is certainly not one of the functions that may be launched.
    pub(super) fn is_wrong_function(
        &self,
        state: &State,
        value: &Value,
        allowed: &[String],
        builder: ApiId,
    ) -> bool {
        let catalog = self.program.catalog;
        match value {
            Value::Object(id) => state.handle(*id).is_some(),
            Value::Symbol(symbol) => match self.program.symbols.path_of(*symbol) {
                Some(path) => match catalog.api(&path) {
                    Some(api) => {
                        catalog.library_name(api) == catalog.library_name(builder)
                            && !allowed.iter().any(|name| name == catalog.short_name(api))
                    }
                    None => false,
                },
                None => false,
            },
            _ => false,
        }
    }

    /// Starts operations that were built before.
    pub(super) fn launch(&mut self, state: &mut State, api: ApiId, given: &Given<'_>) -> Value {
        self.summary.communicates = true;
        let target = given.target();
        let misuse = if state.expecting > 0 { None } else { self.launch_misuse(state, &target) };
        if let Some((why, earlier)) = misuse {
            self.report(What::BatchMisuse { why, api, earlier, at: self.here.span }, &state.path);
        }
        let (count, filled) = self.launched_count(state, &target);
        let at = self.here.span;
        for id in state.reach(&[&target]) {
            match state.heap.get_mut(&id) {
                Some(Object::Operation(operation)) => {
                    operation.launched = Status::Finished;
                    operation.launch = Some(at);
                    let built = operation.built;
                    self.note_launch(built);
                }
                Some(Object::Handle(handle)) => handle.escaped = true,
                _ => {}
            }
        }
        if let Value::Symbol(symbol) = target {
            self.look_into(symbol);
            state.affect(Effect::Launch(symbol));
        }
        if state.coalescing > 0 || state.expecting > 0 || matches!(misuse, Some((Misuse::HandlesGiven, _))) {
            return Value::UNKNOWN;
        }
        let mut handle = self.new_handle(api, Status::Pending, None);
        handle.guard = state.path.last().map(|decision| decision.step.span);
        handle.launched = true;
        handle.buffers = launched_buffers(state, &target);
        self.check_launched(state, api, &target);
        self.check_buffers(state, api, &handle.buffers.clone());
        if count == Some(1) {
            let handle = state.make(self.site(1), Object::Handle(handle));
            let mut list = Container::new(ContainerKind::List, self.here.in_loop);
            list.entries.push((Slot::Position(0), Value::Object(handle)));
            list.filled = Some(true);
            list.launched = true;
            return Value::Object(state.make(self.site(0), Object::Container(list)));
        }
        handle.many = true;
        self.list_of_handles(state, handle, filled)
    }

    /// How many operations a value holds, and whether it holds any.
    pub(super) fn launched_count(&mut self, state: &State, target: &Value) -> (Option<usize>, Option<bool>) {
        match target {
            Value::Object(id) => match state.container(*id) {
                Some(container) => {
                    let many = container
                        .elements()
                        .any(|value| !matches!(value, Value::Object(id) if is_one(state, *id)));
                    let count = (container.is_exact() && !many).then_some(container.entries.len());
                    (count, container.filled)
                }
                None => (None, None),
            },
            Value::Symbol(symbol) => (None, state.facts.decide(&mut self.program.symbols, *symbol)),
            _ => (None, None),
        }
    }

    /// What is wrong with a launch, and the start or launch that came before.
    pub(super) fn launch_misuse(&self, state: &State, target: &Value) -> Option<(Misuse, Option<Span>)> {
        let Value::Object(id) = target else { return None };
        let container = state.container(*id)?;
        for id in direct_objects(container) {
            match state.heap.get(&id) {
                Some(Object::Handle(handle)) if !handle.escaped => {
                    return Some((Misuse::HandlesGiven, Some(handle.started)));
                }
                Some(Object::Operation(operation)) if operation.launched == Status::Finished => {
                    return Some((Misuse::LaunchedAgain, operation.launch));
                }
                _ => {}
            }
        }
        None
    }

    pub(super) fn restart(&mut self, state: &mut State, target: &Value) {
        self.summary.communicates = true;
        for id in state.reach(&[target]) {
            if let Some(handle) = state.handle_mut(id) {
                handle.status = Status::Pending;
                handle.finished = None;
                let started = handle.started;
                self.note_restart(started);
            }
        }
        if let Value::Symbol(symbol) = target {
            state.affect(Effect::Launch(*symbol));
        }
    }
}

/// The buffers of the operations in a value.
fn launched_buffers(state: &State, target: &Value) -> Arc<[InFlight]> {
    let all = state.reach(&[target]);
    let operations = all.into_iter().filter_map(|id| match state.heap.get(&id) {
        Some(Object::Operation(operation)) => Some(operation.buffers.to_vec()),
        _ => None,
    });
    operations.flatten().collect()
}

fn is_one(state: &State, id: ObjectId) -> bool {
    match state.heap.get(&id) {
        Some(Object::Operation(operation)) => !operation.many,
        Some(Object::Handle(handle)) => !handle.many,
        _ => false,
    }
}
