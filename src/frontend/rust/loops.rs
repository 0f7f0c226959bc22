//! Loops and labelled blocks.

use syn::{Block, Expr, ExprBlock, ExprForLoop, ExprLoop, ExprTryBlock, ExprWhile, Pat};

use super::condition::Targets;
use super::exits::FrameKind;
use super::names::plain;
use super::{Lowering, nothing, unit_value};
use crate::ir::{BlockId, Local, Operand, Operation, Terminator};
use crate::source::Span;

/// A loop over values that is being built.
pub(super) struct Open {
    pub(super) head: BlockId,
    done: BlockId,
    held: Vec<(Local, Span)>,
    at: Span,
}

impl Lowering<'_> {
    /// `loop { … }`: its value is that of the `break` that leaves it.
    pub(super) fn loop_expression(&mut self, it: &ExprLoop, span: Span) -> Operand {
        if !self.may_loop(span) {
            return unit_value();
        }
        let result = self.temporary(span);
        let (head, after) = (self.block(), self.block());
        self.goto(head);
        let header = self.span_between(it.loop_token.span, it.loop_token.span);
        self.builder().open_loop(head, header);
        self.switch_to(head);
        let frame = self.frame(FrameKind::Loop(head), it.label.as_ref(), after, Some(result));
        self.scope().frames.push(frame);
        self.turn(&it.body);
        self.scope().frames.pop();
        self.goto(head);
        self.builder().close_loop();
        self.switch_to(after);
        Operand::Local(result)
    }

    /// The body of a loop.
    fn turn(&mut self, body: &Block) {
        let mark = self.mark();
        self.block_value(body);
        self.forget_since(mark);
    }

    /// `while condition { … }`.
    pub(super) fn while_expression(&mut self, it: &ExprWhile) -> Operand {
        let header = self.span_between(it.while_token.span, it.while_token.span);
        let header = Span::new(header.start, self.span_of(&it.cond).end);
        if !self.may_loop(header) {
            return unit_value();
        }
        let (head, after) = (self.block(), self.block());
        self.goto(head);
        let frame = self.frame(FrameKind::Loop(head), it.label.as_ref(), after, None);
        self.scope().frames.push(frame);
        self.builder().open_loop(head, header);
        self.switch_to(head);
        self.push_layer();
        let yes = self.block();
        let done = self.block_outside();
        self.test_to(&it.cond, Targets { yes, no: done, repeats: true });
        self.turn(&it.body);
        self.pop_layer(self.span_of_end(it.body.brace_token.span));
        self.scope().frames.pop();
        self.goto(head);
        self.builder().close_loop();
        self.switch_to(done);
        self.goto(after);
        self.switch_to(after);
        unit_value()
    }

    /// A block that does not belong to the innermost loop.
    fn block_outside(&mut self) -> BlockId {
        let paused = self.builder().pause_loop();
        let block = self.block();
        if let Some(paused) = paused {
            self.builder().resume_loop(paused);
        }
        block
    }

    /// `for pattern in values { … }`.
    pub(super) fn for_expression(&mut self, it: &ExprForLoop) -> Operand {
        let begin = self.span_between(it.for_token.span, it.for_token.span);
        let header = Span::new(begin.start, self.span_of(&it.expr).end);
        let mark = self.mark();
        let over = self.expression(&it.expr);
        let Some(open) = self.open_turns(over, mark, header) else { return unit_value() };
        // A `break` gives up what the loop holds, as its end does.
        let frame = self.frame(FrameKind::Loop(open.head), it.label.as_ref(), open.done, None);
        self.scope().frames.push(frame);
        self.push_layer();
        let item = self.next_item(&open, Some(&it.pat));
        if let Some(item) = item {
            let mark = self.mark();
            self.bind_pattern(&it.pat, Operand::Local(item));
            self.forget_since(mark);
            self.forget(&[(item, header)]);
        }
        self.turn(&it.body);
        self.pop_layer(self.span_of_end(it.body.brace_token.span));
        self.scope().frames.pop();
        self.close_turns(open);
        unit_value()
    }

    /// Begins a loop over a value: what was made since `mark` is held until it ends.
    pub(super) fn open_turns(&mut self, over: Operand, mark: usize, header: Span) -> Option<Open> {
        if !self.may_loop(header) {
            return None;
        }
        let mut held = self.take_since(mark);
        let iterator = self.builder().temporary();
        held.push((iterator, header));
        self.emit(Operation::Iterate { to: iterator, over }, header);
        // Ways out of the loop give it up.
        self.scope().temporaries.extend(held.iter().copied());
        let (head, done) = (self.block(), self.block());
        self.goto(head);
        self.builder().open_loop(head, header);
        self.switch_to(head);
        Some(Open { head, done, held, at: header })
    }

    /// The next element: a variable of the innermost layer where the pattern is a name, else a temporary that whoever asks
    /// has to forget.
    pub(super) fn next_item(&mut self, open: &Open, pattern: Option<&Pat>) -> Option<Local> {
        let body = self.block();
        let (item, apart) = match pattern {
            Some(Pat::Ident(it)) if it.subpat.is_none() => {
                let at = self.span_of_node(&it.ident);
                (self.declare(&plain(&it.ident), at), None)
            }
            _ => {
                let local = self.builder().temporary();
                (local, Some(local))
            }
        };
        let Some((iterator, _)) = open.held.last().copied() else { return apart };
        self.end(Terminator::Next { iterator, item, body, done: open.done, span: open.at });
        self.switch_to(body);
        apart
    }

    /// Ends a loop over a value.
    pub(super) fn close_turns(&mut self, open: Open) {
        self.goto(open.head);
        self.builder().close_loop();
        self.switch_to(open.done);
        let known = self.scope().temporaries.len().saturating_sub(open.held.len());
        self.scope().temporaries.truncate(known);
        self.forget(&open.held);
    }

    /// `'label: { … }`, or just a block.
    pub(super) fn labelled_block(&mut self, it: &ExprBlock, span: Span) -> Operand {
        if it.label.is_none() {
            return self.block_value(&it.block);
        }
        let result = self.temporary(span);
        let after = self.block();
        let frame = self.frame(FrameKind::Block, it.label.as_ref(), after, Some(result));
        self.scope().frames.push(frame);
        let mark = self.mark();
        let value = self.block_value(&it.block);
        self.arm(result, value, mark, span);
        self.scope().frames.pop();
        self.goto(after);
        self.switch_to(after);
        Operand::Local(result)
    }

    /// `try { … }`: a `?` in it leaves only the block.
    pub(super) fn try_block(&mut self, it: &ExprTryBlock, span: Span) -> Operand {
        let result = self.temporary(span);
        let after = self.block();
        let frame = self.frame(FrameKind::Inline, None, after, Some(result));
        self.scope().frames.push(frame);
        let mark = self.mark();
        let value = self.block_value(&it.block);
        let value = if value == nothing() { unit_value() } else { value };
        self.arm(result, value, mark, span);
        self.scope().frames.pop();
        self.goto(after);
        self.switch_to(after);
        Operand::Local(result)
    }

    /// Whether an expression is a closure, or a name.
    pub(super) fn is_closure(expression: &Expr) -> bool {
        matches!(super::assignment::behind_references(expression), Expr::Closure(_))
    }
}
