//! Messages that a wait hands over, and what becomes of them.
//!
//! Some receives have no buffer: the **message** is what the wait returns. It is **thrown away** where that result is not used, or
//! where the wait is one that gives only a flag. That is no mistake in itself (the arrival may be all that matters); it is one where
//! the request is used as if it were the message.
//!
//! ```text
//! request = comm.irecv(source=1)
//! request.wait()                     the message is thrown away
//! return request["size"]             and the request is used as data
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::event::What;
use super::handles::told;
use super::run::Run;
use super::state::State;
use super::value::{Handle, Object, ObjectId, Status, Value};
use crate::catalog::{ApiId, Returns};
use crate::ir::{Callee, Local, Operand, Operation, Operator};
use crate::source::Span;

/// What a function does with messages, by the start of their requests.
#[derive(Default)]
pub(crate) struct Messages {
    /// The waits that have thrown one away.
    thrown_away: BTreeMap<Span, Span>,
    taken: BTreeSet<Span>,
}

impl Messages {
    /// Whether somebody takes the message of the request that was started here.
    pub(crate) fn is_taken(&self, started: Span) -> bool {
        self.taken.contains(&started)
    }
}

impl Run<'_, '_> {
    /// A wait for requests returns, with their messages or without.
    pub(crate) fn note_message(&mut self, state: &State, target: &Value, returns: Returns) {
        self.note_taken(state, target, returns);
        let Value::Object(id) = target else { return };
        let Some(handle) = state.handle(*id).filter(|handle| self.has_message(handle)) else { return };
        let started = handle.started;
        let is_read = self.result_is_read();
        if handle.status == Status::Finished && is_read && returns == Returns::Message {
            self.report_thrown_away(state, *id);
        } else if handle.status == Status::Pending && (!is_read || returns != Returns::Message) {
            self.messages.thrown_away.entry(started).or_insert(self.here.span);
        }
    }

    /// Messages are returned, and taken if anything reads the result.
    pub(crate) fn note_taken(&mut self, state: &State, target: &Value, returns: Returns) {
        if gives_message(returns) && self.result_is_read() {
            let all = state.reach(&[target]).into_iter().filter_map(|id| state.handle(id));
            self.messages.taken.extend(all.map(|handle| handle.started));
        }
    }

    fn has_message(&self, handle: &Handle) -> bool {
        !handle.many && self.program.catalog.function(handle.api).gives_message
    }

    /// Whether anything reads the result of the current operation.
    fn result_is_read(&self) -> bool {
        let result = super::overlap::numbered(self.function).find_map(|(number, op)| match &op.operation {
            Operation::Call { to, .. } if number == self.here.operation => Some(*to),
            _ => None,
        });
        result.is_none_or(|to| super::overlap::is_read(self.function, to))
    }

    /// An operation is about to be executed: it may use a request as data.
    pub(crate) fn note_use_as_data(&mut self, state: &State, operation: &Operation) {
        if self.messages.thrown_away.is_empty() {
            return;
        }
        for local in self.used_as_data(state, operation) {
            self.note_value_as_data(state, &state.local(local));
        }
    }

    /// A value is used as data: a request among others.
    pub(crate) fn note_value_as_data(&mut self, state: &State, value: &Value) {
        if let Value::Object(id) = value
            && state.handle(*id).is_some_and(|handle| handle.status == Status::Finished)
        {
            self.report_thrown_away(state, *id);
        }
    }

    fn used_as_data(&mut self, state: &State, operation: &Operation) -> Vec<Local> {
        match operation {
            Operation::Element { of: used, .. }
            | Operation::Unpack { from: used, .. }
            | Operation::Iterate { over: used, .. } => used.local().into_iter().collect(),
            Operation::Field { of, name, .. } => {
                of.local().filter(|of| self.lacks(state, *of, name)).into_iter().collect()
            }
            Operation::Compute { operator, operands, .. } => match operator {
                Operator::Less
                | Operator::LessEqual
                | Operator::Greater
                | Operator::GreaterEqual
                | Operator::Other(_) => operands.iter().filter_map(Operand::local).collect(),
                Operator::Not
                | Operator::And
                | Operator::Or
                | Operator::Equal
                | Operator::NotEqual
                | Operator::Is
                | Operator::IsNot
                | Operator::In
                | Operator::NotIn => Vec::new(),
            },
            Operation::Call { callee, arguments, .. } if self.is_own_call(state, callee) => {
                arguments.iter().filter_map(|argument| argument.value.local()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a local holds a request that has no such attribute.
    fn lacks(&self, state: &State, of: Local, name: &str) -> bool {
        let Value::Object(id) = state.local(of) else { return false };
        let class = state.handle(id).and_then(|handle| self.program.catalog.gives(handle.api));
        class.is_some_and(|class| self.program.catalog.has_attribute(class, name) == Some(false))
    }

    /// Whether a call is neither of the catalogue nor a method of a container; a test may compare requests.
    fn is_own_call(&mut self, state: &State, callee: &Callee) -> bool {
        if super::overlap::is_a_test(self.program.unit, self.function) {
            return false;
        }
        match callee {
            Callee::Method { meaning, receiver, name } => {
                let receiver = self.operand(state, receiver);
                let path = receiver.symbol().and_then(|symbol| self.program.symbols.path_of(symbol));
                let is_known =
                    path.is_some_and(|path| self.program.catalog.api(&format!("{path}.{name}")).is_some());
                meaning.is_none() && !is_known
            }
            Callee::Value(value) => {
                let value = self.operand(state, value);
                let path = value.symbol().and_then(|symbol| self.program.symbols.path_of(symbol));
                path.is_none_or(|path| self.program.catalog.api(&path).is_none())
            }
        }
    }

    fn report_thrown_away(&mut self, state: &State, id: ObjectId) {
        let Some(Object::Handle(handle)) = state.heap.get(&id) else { return };
        let Some(&at) = self.messages.thrown_away.get(&handle.started) else { return };
        let what = What::MessageDiscarded { handle: told(handle, None), at, used: self.here.span };
        self.report(what, &[]);
    }

    /// A receive is started that must be given room.
    pub(crate) fn note_room(&mut self, api: ApiId, room: Room) {
        if room == Room::Missing && !super::overlap::is_a_test(self.program.unit, self.function) {
            self.report(What::SmallRoom { api, at: self.here.span }, &[]);
        }
    }
}

/// Whether a message is in what a wait or a poll returns.
fn gives_message(returns: Returns) -> bool {
    match returns {
        Returns::Message
        | Returns::FlagAndMessage
        | Returns::IndexAndMessage
        | Returns::IndexFlagAndMessage
        | Returns::IndicesAndMessages => true,
        Returns::Nothing
        | Returns::Flag
        | Returns::Handles
        | Returns::Index
        | Returns::IndexAndFlag
        | Returns::Indices => false,
    }
}

/// Whether a receive is given room for its message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    Given,
    Missing,
}
