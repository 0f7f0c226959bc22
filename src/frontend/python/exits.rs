//! Ways out: `return`, `break`, `continue`, `raise`, and the constructs that they pass on the way.
//!
//! - **`finally`**: every way out gets its own copy of the body: the normal end, each `return`, `break`, `continue`, and each
//!   `raise` that a handler further out may catch. What copies may add to a file is bounded ([`Lowering::may_copy`]): when it is used
//!   up, the remaining ways out of the file share one copy for each `finally`, which goes on to any of them ([`Terminator::Choose`]).
//! - **`with`**: `Enter` at the head, `Leave` on every way out. The manager is held by a temporary until it is left.
//! - **`try`**: at its entry the body or any of its handlers is chosen: an exception from a call is taken to come before
//!   anything happened. An explicit `raise` (and a failing `assert`) in the body goes to those handlers that can catch it.
//! - A `raise` that nothing in the function catches ends it with [`Terminator::Raise`].

use std::rc::Rc;

use ruff_python_ast::{Stmt, StmtAssert, StmtRaise};
use ruff_text_size::Ranged;

use super::guarded::{Catches, Certainty, Handler, certainty, raised};
use super::{Lowering, span, span_of};
use crate::ir::{BlockId, Local, Operand, Operation, Terminator};
use crate::source::Span;

/// A construct around the current statement.
pub(super) enum Frame<'a> {
    /// A loop.
    Loop {
        /// Where `continue` goes.
        head: BlockId,
        /// Where `break` goes.
        after: BlockId,
        /// What the loop holds: its iterator.
        held: Vec<(Local, Span)>,
    },
    /// A `with` block.
    With {
        /// Its manager.
        manager: Operand,
        /// What the block holds.
        held: Vec<(Local, Span)>,
        /// The source of the manager.
        span: Span,
    },
    /// A `match`, which holds its subject.
    Match(Vec<(Local, Span)>),
    /// A `finally` that runs on the way out of a `return`, whose value it may replace.
    Pending,
    /// A `try` with a `finally`.
    Finally {
        /// The body of the `finally`.
        body: &'a [Stmt],
        /// The copy that ways out share.
        shared: Option<Shared>,
    },
    /// A `try` with handlers.
    Handlers(Rc<[Handler<'a>]>),
}

/// One copy of a `finally` body for several ways out.
pub(super) struct Shared {
    entry: BlockId,
    /// The end of the copy; `None` while it is built.
    exit: Option<BlockId>,
    next: Vec<BlockId>,
}

/// What happens on the way out.
impl<'a> Lowering<'a> {
    /// Passes all frames but the outer `keep`: leaves managers, forgets iterators, runs `finally` bodies.
    fn unwind(&mut self, keep: usize) {
        let mut passed = Vec::new();
        let mut paused = Vec::new();
        while self.scope().frames.len() > keep {
            let Some(mut frame) = self.scope().frames.pop() else { break };
            self.pass(&mut frame);
            if let Frame::Loop { .. } = frame {
                paused.extend(self.builder().pause_loop());
            }
            passed.push(frame);
        }
        let scope = self.scope();
        scope.frames.extend(passed.into_iter().rev());
        paused.into_iter().rev().for_each(|it| scope.builder.resume_loop(it));
    }

    fn pass(&mut self, frame: &mut Frame<'a>) {
        match frame {
            Frame::Loop { held, .. } | Frame::Match(held) => {
                let held = held.clone();
                self.forget(&held);
            }
            Frame::With { manager, held, span } => {
                if self.may_copy(1) {
                    let (manager, held, span) = (manager.clone(), held.clone(), *span);
                    self.leave(manager, &held, span);
                }
            }
            Frame::Finally { body, shared } => {
                self.scope().frames.push(Frame::Pending);
                self.run_finally(body, shared);
                self.scope().frames.pop();
            }
            Frame::Pending => self.drop_pending(),
            Frame::Handlers(_) => {}
        }
    }

    /// Gives up the value of a `return` whose `finally` goes elsewhere.
    fn drop_pending(&mut self) {
        let scope = self.scope();
        if let (Some(result), false) = (scope.result, scope.returning) {
            self.forget(&[(result, Span::default())]);
        }
    }

    pub(super) fn leave(&mut self, manager: Operand, held: &[(Local, Span)], span: Span) {
        self.emit(Operation::Leave { manager }, span);
        self.forget(held);
    }

    /// Whether `size` more bytes of source may be copied onto a way out. The sum of all copies is linear in the file.
    fn may_copy(&mut self, size: usize) -> bool {
        let left = self.copies_left.checked_sub(size + 1);
        self.copies_left = left.unwrap_or(self.copies_left);
        left.is_some()
    }

    fn run_finally(&mut self, body: &'a [Stmt], shared: &mut Option<Shared>) {
        let size = match body {
            [first, .., last] => span(first.range().cover(last.range())),
            [only] => span_of(only),
            [] => return,
        };
        if self.may_copy((size.end - size.start) as usize) {
            return self.statements(body);
        }
        let next = self.block();
        let entry = match shared {
            Some(shared) => {
                shared.next.push(next);
                shared.entry
            }
            None => {
                let entry = self.block();
                *shared = Some(Shared { entry, exit: None, next: vec![next] });
                entry
            }
        };
        self.goto(entry);
        if let Some(shared) = shared
            && shared.exit.is_none()
        {
            self.switch_to(entry);
            self.statements(body);
            let exit = self.block();
            self.goto(exit);
            shared.exit = Some(exit);
        }
        self.switch_to(next);
    }

    /// The normal end of a `try` whose `finally` is shared: it takes the shared copy too, which is then connected with all
    /// the ways that use it.
    pub(super) fn finish_shared(&mut self, shared: Shared) {
        let Shared { entry, exit, mut next } = shared;
        let after = self.block();
        next.push(after);
        self.goto(entry);
        if let Some(exit) = exit {
            self.switch_to(exit);
            self.end(Terminator::Choose(next));
        }
        self.switch_to(after);
    }
}

/// The statements that leave.
impl<'a> Lowering<'a> {
    /// `return value`. Where a `finally` runs on the way, the value waits in a temporary of the function.
    pub(super) fn leave_function(&mut self, value: Operand, span: Span) {
        let scope = self.scope();
        scope.returning = scope.result.is_some_and(|it| value == Operand::Local(it));
        self.unwind(0);
        self.scope().returning = false;
        self.end(Terminator::Return { value, span });
    }

    /// The temporary in which the value of a `return` waits, where a `finally` runs on the way.
    pub(super) fn waiting_room(&mut self) -> Option<Local> {
        if !self.scope().frames.iter().any(|it| matches!(it, Frame::Finally { .. } | Frame::Pending)) {
            return None;
        }
        let scope = self.scope();
        let result = scope.result.unwrap_or_else(|| scope.builder.temporary());
        scope.result = Some(result);
        Some(result)
    }

    /// `break`: passes the loop itself too, which forgets its iterator.
    pub(super) fn leave_loop(&mut self) {
        match self.innermost_loop() {
            Some((level, _, after)) => {
                self.unwind_turn(level);
                self.goto(after);
            }
            None => self.end(Terminator::Raise),
        }
    }

    /// `continue`.
    pub(super) fn next_turn(&mut self) {
        match self.innermost_loop() {
            Some((level, head, _)) => {
                self.unwind_turn(level + 1);
                self.goto(head);
            }
            None => self.end(Terminator::Raise),
        }
    }

    fn unwind_turn(&mut self, keep: usize) {
        let returning = std::mem::take(&mut self.scope().returning);
        self.unwind(keep);
        self.scope().returning = returning;
    }

    /// The level, head and end of the innermost loop. There is none where Python refuses to run the file.
    fn innermost_loop(&mut self) -> Option<(usize, BlockId, BlockId)> {
        let frames = self.scope().frames.iter().enumerate();
        frames.rev().find_map(|(level, frame)| match frame {
            Frame::Loop { head, after, .. } => Some((level, *head, *after)),
            Frame::With { .. }
            | Frame::Match(_)
            | Frame::Pending
            | Frame::Finally { .. }
            | Frame::Handlers(_) => None,
        })
    }

    /// `raise exception from cause`.
    pub(super) fn raise_statement(&mut self, statement: &'a StmtRaise) {
        let mark = self.mark();
        for part in [&statement.exc, &statement.cause].into_iter().flatten() {
            self.expression(part);
        }
        self.forget_since(mark);
        self.raise(statement.exc.as_deref().map_or(Catches::Some, raised));
    }

    /// `assert test, message`.
    pub(super) fn assert_statement(&mut self, statement: &'a StmtAssert) {
        let targets = self.test(&statement.test);
        self.switch_to(targets.no);
        if let Some(message) = &statement.msg {
            let mark = self.mark();
            self.expression(message);
            self.forget_since(mark);
        }
        self.raise(Catches::Named("AssertionError"));
        self.switch_to(targets.yes);
    }

    /// Goes to the handlers that can catch an exception, inner before outer.
    fn raise(&mut self, raised: Catches<'a>) {
        let returning = std::mem::take(&mut self.scope().returning);
        let mut level = self.scope().frames.len();
        let mut passed = Vec::new();
        let mut paused = Vec::new();
        while self.catchers_outside(level) && level > 0 {
            level -= 1;
            let Some(mut frame) = self.scope().frames.pop() else { break };
            let settled = match &frame {
                Frame::Handlers(handlers) => self.hand_over(&Rc::clone(handlers), raised, level),
                Frame::Loop { .. }
                | Frame::With { .. }
                | Frame::Match(_)
                | Frame::Pending
                | Frame::Finally { .. } => {
                    self.pass(&mut frame);
                    false
                }
            };
            if let Frame::Loop { .. } = frame {
                paused.extend(self.builder().pause_loop());
            }
            passed.push(frame);
            if settled {
                break;
            }
        }
        let scope = self.scope();
        scope.returning = returning;
        scope.frames.extend(passed.into_iter().rev());
        paused.into_iter().rev().for_each(|it| scope.builder.resume_loop(it));
        self.end(Terminator::Raise);
    }

    fn catchers_outside(&mut self, level: usize) -> bool {
        self.scope().frames.iter().take(level).any(|it| matches!(it, Frame::Handlers(_)))
    }

    /// Goes to the handlers of one `try`; gives whether one of them certainly catches.
    fn hand_over(&mut self, handlers: &[Handler<'a>], raised: Catches<'a>, level: usize) -> bool {
        let mut targets = Vec::new();
        let mut settled = false;
        for handler in handlers {
            match certainty(handler.catches, raised) {
                Certainty::Never => {}
                Certainty::Maybe => targets.push(handler.block),
                Certainty::Always => {
                    targets.push(handler.block);
                    settled = true;
                    break;
                }
            }
        }
        let further = (!settled && self.catchers_outside(level)).then(|| self.block());
        targets.extend(further);
        match *targets.as_slice() {
            [] => {}
            [only] => self.goto(only),
            _ => self.end(Terminator::Choose(targets)),
        }
        if let Some(further) = further {
            self.switch_to(further);
        }
        settled
    }
}
