//! Starts: an operation begins, in every way in which the call asks for one.
//!
//! ```text
//! h = dist.all_reduce(x, async_op=flag)      two ways: a pending handle where `flag` is true, `None` where it is not
//! ```

use std::sync::Arc;

use super::{Argument, Given};
use crate::catalog::{ApiId, Count};
use crate::flow::calls::Results;
use crate::flow::messages::Room;
use crate::flow::run::Run;
use crate::flow::state::State;
use crate::flow::value::{Container, Handle, InFlight, Manager, Object, Status, Value};
use crate::ir::{ContainerKind, Operand, Usage};
use crate::source::Span;

impl Run<'_, '_> {
    /// Starts an operation in every way in which the call asks for one.
    pub(super) fn start_if_asked(&mut self, mut state: State, api: ApiId, given: &Given<'_>) -> Results {
        self.summary.communicates = true;
        if state.expecting == 0
            && let Some(room) = &given.entry.room
        {
            self.note_room(api, self.room_in(given, &room.argument));
        }
        let Some(when) = &given.entry.when else {
            let value = self.start(&mut state, api, None, given);
            return vec![(state, value)];
        };
        let (condition, span) = match given.argument(&when.argument) {
            Argument::Given(value, span) => (value, span),
            Argument::Hidden => return vec![(state, Value::UNKNOWN)],
            Argument::Absent if when.default == when.is => {
                let value = self.start(&mut state, api, None, given);
                return vec![(state, value)];
            }
            Argument::Absent => {
                self.use_buffers(&mut state, api, given);
                return vec![(state, Value::NONE)];
            }
        };
        let started = self.assume(state.clone(), &condition, when.is);
        let not_started = self.assume(state, &condition, !when.is);
        let conditional = (!not_started.is_empty()).then_some(span);
        let mut results = Vec::new();
        for mut state in started {
            let value = self.start(&mut state, api, conditional, given);
            results.push((state, value));
        }
        for mut state in not_started {
            self.use_buffers(&mut state, api, given);
            results.push((state, Value::NONE));
        }
        results
    }

    /// Whether a call gives room for the message.
    pub(super) fn room_in(&self, given: &Given<'_>, argument: &str) -> Room {
        match given.argument(argument) {
            Argument::Given(Value::NONE, _) | Argument::Absent => Room::Missing,
            Argument::Given(..) | Argument::Hidden => Room::Given,
        }
    }

    pub(super) fn start(
        &mut self,
        state: &mut State,
        api: ApiId,
        conditional: Option<Span>,
        given: &Given<'_>,
    ) -> Value {
        let buffers = self.buffers_of(state, api, given);
        self.start_on(state, api, conditional, buffers)
    }

    pub(super) fn start_on(
        &mut self,
        state: &mut State,
        api: ApiId,
        conditional: Option<Span>,
        buffers: Arc<[InFlight]>,
    ) -> Value {
        self.summary.communicates = true;
        self.check_buffers(state, api, &buffers);
        if state.coalescing > 0 || state.expecting > 0 {
            return Value::UNKNOWN;
        }
        let mut handle = Handle { buffers, ..self.new_handle(api, Status::Pending, conditional) };
        handle.guard = state.path.last().map(|decision| decision.step.span);
        if self.program.catalog.function(api).count == Count::List {
            handle.many = true;
            handle.launched = true;
            return self.list_of_handles(state, handle, None);
        }
        Value::Object(state.make(self.site(0), Object::Handle(handle)))
    }

    /// The primitive form of a start.
    pub(crate) fn start_by_name(
        &mut self,
        state: &mut State,
        api: &str,
        buffers: &[(Operand, Usage)],
    ) -> Value {
        let Some(api) = self.program.catalog.api(api) else { return Value::UNKNOWN };
        let (sort, at) = (self.program.catalog.sort_of_buffers(api), self.here.span);
        let mut all = Vec::new();
        for (buffer, usage) in buffers {
            if let Value::Symbol(region) = self.operand(state, buffer) {
                all.push(InFlight { region, usage: *usage, sort, at });
            }
        }
        self.start_on(state, api, None, all.into())
    }

    pub(crate) fn new_handle(&self, api: ApiId, status: Status, conditional: Option<Span>) -> Handle {
        Handle {
            api,
            started: self.here.span,
            inside: Arc::new([]),
            status,
            escaped: false,
            many: false,
            conditional,
            certain: true,
            launched: false,
            aliased: false,
            polled: None,
            finished: None,
            raised: None,
            guarded: self.own_guard(api),
            made_in: self.here.in_loop,
            guard: None,
            buffers: Arc::new([]),
            touched: None,
        }
    }

    pub(super) fn list_of_handles(
        &mut self,
        state: &mut State,
        handle: Handle,
        filled: Option<bool>,
    ) -> Value {
        let handle = state.make(self.site(1), Object::Handle(handle));
        let mut list = Container::new(ContainerKind::List, self.here.in_loop);
        list.keep(Value::Object(handle));
        list.filled = filled;
        list.launched = true;
        Value::Object(state.make(self.site(0), Object::Container(list)))
    }

    /// A manager that is the one handle of all operations inside.
    pub(super) fn coalesce(&mut self, state: State, api: ApiId, given: &Given<'_>) -> Results {
        let results = self.start_if_asked(state, api, given);
        results
            .into_iter()
            .map(|(mut state, value)| {
                let handle = match value {
                    Value::Object(handle) => Some(handle),
                    _ => None,
                };
                let manager = Object::Manager(Manager::Coalescing(handle));
                let manager = state.make(self.site(2), manager);
                (state, Value::Object(manager))
            })
            .collect()
    }
}
