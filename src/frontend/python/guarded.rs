//! The statements that make frames: `with` and `try`, and which handlers can catch what.
//!
//! At the entry of a `try` the body or any of its handlers is chosen; an explicit `raise` in the body goes to those handlers
//! that can catch it. Exceptions are compared by the name of their class:
//!
//! ```text
//! try:
//!     raise KeyError(k)
//! except TypeError:          never: neither is derived from the other
//! except LookupError:        may be
//! except KeyError:           certainly: handlers below this one are not looked at
//! ```

use std::rc::Rc;

use ruff_python_ast::{ExceptHandler, ExceptHandlerExceptHandler, Expr, StmtTry, StmtWith, WithItem};

use super::exits::Frame;
use super::{Lowering, span_of};
use crate::ir::{BlockId, Forgetting, Operation, Terminator};

/// A handler of a `try`.
pub(super) struct Handler<'a> {
    pub(super) block: BlockId,
    pub(super) catches: Catches<'a>,
}

/// What a handler catches.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Catches<'a> {
    /// Everything that a program raises on purpose.
    All,
    /// The exception of this name and those derived from it.
    Named(&'a str),
    /// Something that is not followed.
    Some,
}

/// Builtin exceptions that have no descendants among the builtin ones: none of them is caught as another.
const LEAVES: [&str; 14] = [
    "AssertionError",
    "AttributeError",
    "EOFError",
    "GeneratorExit",
    "IndexError",
    "KeyError",
    "KeyboardInterrupt",
    "MemoryError",
    "NotImplementedError",
    "StopIteration",
    "SystemExit",
    "TimeoutError",
    "TypeError",
    "ZeroDivisionError",
];

/// Whether a handler catches an exception.
pub(super) enum Certainty {
    Never,
    Maybe,
    Always,
}

/// Whether a handler that catches `catches` catches a raised `raised`.
pub(super) fn certainty(catches: Catches<'_>, raised: Catches<'_>) -> Certainty {
    match (catches, raised) {
        (Catches::All, _) => Certainty::Always,
        (Catches::Named(catches), Catches::Named(raised)) if catches == raised => Certainty::Always,
        (Catches::Named(catches), Catches::Named(raised))
            if LEAVES.contains(&catches) && LEAVES.contains(&raised) =>
        {
            Certainty::Never
        }
        (Catches::Named(_) | Catches::Some, _) => Certainty::Maybe,
    }
}

/// What a `raise` raises.
pub(super) fn raised(exception: &Expr) -> Catches<'_> {
    match exception {
        Expr::Call(call) => class_name(&call.func),
        other => class_name(other),
    }
}

/// The name of an exception class. A name in lower case is a variable.
fn class_name(expression: &Expr) -> Catches<'_> {
    let name = match expression {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => return Catches::Some,
    };
    if name.starts_with(char::is_uppercase) { Catches::Named(name) } else { Catches::Some }
}

fn caught(handler: &ExceptHandlerExceptHandler) -> Catches<'_> {
    match handler.type_.as_deref().map(class_name) {
        None | Some(Catches::Named("Exception" | "BaseException")) => Catches::All,
        Some(catches) => catches,
    }
}

impl<'a> Lowering<'a> {
    /// `with a as x, b: …`.
    pub(super) fn with(&mut self, statement: &'a StmtWith) {
        let outside = self.scope().frames.len();
        statement.items.iter().for_each(|it| self.enter(it));
        self.statements(&statement.body);
        while self.scope().frames.len() > outside {
            if let Some(Frame::With { manager, held, span }) = self.scope().frames.pop()
                && !self.builder().is_ended()
            {
                self.leave(manager, &held, span);
            }
        }
    }

    fn enter(&mut self, item: &'a WithItem) {
        let span = span_of(&item.context_expr);
        let mark = self.mark();
        let manager = self.expression(&item.context_expr);
        let held = self.take_since(mark);
        let target = item.optional_vars.as_deref();
        let slot = target.and_then(|it| self.slot(it));
        let to = slot.unwrap_or_else(|| self.held_temporary());
        self.emit(Operation::Enter { to, manager: manager.clone() }, span);
        match target {
            Some(target) if slot.is_none() => self.take_item(target, to),
            Some(_) => {}
            None => self.forget(&[(to, span)]),
        }
        self.scope().frames.push(Frame::With { manager, held, span });
    }

    /// `try: … except …: … else: … finally: …`.
    pub(super) fn try_statement(&mut self, statement: &'a StmtTry) {
        let body = statement.finalbody.as_slice();
        if body.is_empty() {
            return self.guarded(statement);
        }
        self.scope().frames.push(Frame::Finally { body, shared: None });
        self.guarded(statement);
        if let Some(Frame::Finally { shared, .. }) = self.scope().frames.pop() {
            match shared {
                Some(shared) => self.finish_shared(shared),
                None => self.statements(body),
            }
        }
    }

    /// A `try` without its `finally`.
    fn guarded(&mut self, statement: &'a StmtTry) {
        if statement.handlers.is_empty() {
            self.statements(&statement.body);
            return self.statements(&statement.orelse);
        }
        let after = self.block();
        let body = self.block();
        let mut handlers = Vec::with_capacity(statement.handlers.len());
        for ExceptHandler::ExceptHandler(handler) in &statement.handlers {
            handlers.push(Handler { block: self.block(), catches: caught(handler) });
        }
        let ways = std::iter::once(body).chain(handlers.iter().map(|it| it.block)).collect();
        self.end(Terminator::Choose(ways));
        self.switch_to(body);
        let handlers: Rc<[Handler<'a>]> = handlers.into();
        self.scope().frames.push(Frame::Handlers(Rc::clone(&handlers)));
        self.statements(&statement.body);
        self.scope().frames.pop();
        self.statements(&statement.orelse);
        self.goto(after);
        for (ExceptHandler::ExceptHandler(handler), entry) in statement.handlers.iter().zip(handlers.iter()) {
            self.switch_to(entry.block);
            self.handler(handler);
            self.goto(after);
        }
        self.switch_to(after);
    }

    fn handler(&mut self, handler: &'a ExceptHandlerExceptHandler) {
        let mark = self.mark();
        if let Some(class) = &handler.type_ {
            self.expression(class);
        }
        self.forget_since(mark);
        let Some(name) = &handler.name else { return self.statements(&handler.body) };
        let at = span_of(name);
        let mark = self.mark();
        let exception = self.unknown("exception", Vec::new(), at);
        self.bind_name(name.as_str(), exception, at);
        self.forget_since(mark);
        self.statements(&handler.body);
        if let Some(local) = self.slot_of(name.as_str())
            && !self.builder().is_ended()
        {
            self.emit(Operation::Forget { local, why: Forgetting::Scope }, at);
        }
    }
}
