//! Ways out: `return`, `break`, `continue` and `?`, and what they leave on the way.
//!
//! A way out gives up the temporaries of the statements and the variables of the blocks that it leaves, and goes to where its frame ends.
//! What a block holds further out stays. A `return` in the body of an inlined closure leaves that body only.
//!
//! ```text
//! 'outer: for x in xs {
//!     let r = peer.immediate_send(scope, x);
//!     if bad(x) { continue 'outer }          forget r (scope), goto head
//! ```

use syn::{ExprBreak, ExprContinue, ExprReturn, Lifetime};

use super::{Lowering, nothing, unit_value};
use crate::ir::{BlockId, Local, Operand, Operation, Operator, Terminator};
use crate::source::Span;

/// What an exit leaves.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    pub(super) label: Option<String>,
    /// Behind it.
    pub(super) after: BlockId,
    /// Where the value of a `break` or of the whole goes.
    pub(super) result: Option<Local>,
    /// How many layers and temporaries were there before it.
    pub(super) layers: usize,
    pub(super) temporaries: usize,
}

/// What sort of construct an exit leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// A loop, with the block that a `continue` goes to.
    Loop(BlockId),
    /// A labelled block.
    Block,
    /// The body of a closure that is lowered where it stands.
    Inline,
}

impl Lowering<'_> {
    /// A frame that begins here.
    pub(super) fn frame(
        &mut self,
        kind: FrameKind,
        label: Option<&syn::Label>,
        after: BlockId,
        result: Option<Local>,
    ) -> Frame {
        let scope = self.scope();
        Frame {
            kind,
            label: label.map(|it| it.name.ident.to_string()),
            after,
            result,
            layers: scope.layers.len(),
            temporaries: scope.temporaries.len(),
        }
    }

    /// Gives up what lies inside of a frame.
    fn leave(&mut self, frame: &Frame, at: Span) {
        let inside: Vec<(Local, Span)> =
            self.scope().temporaries.iter().skip(frame.temporaries).copied().collect();
        self.forget(&inside);
        self.forget_layers(frame.layers, at);
    }

    /// Leaves a frame with a value.
    fn leave_with(&mut self, frame: &Frame, value: Operand, at: Span) {
        if let Some(result) = frame.result {
            self.emit(Operation::Assign { to: result, from: value }, at);
        }
        self.leave(frame, at);
        self.goto(frame.after);
    }

    /// `return value`.
    pub(super) fn return_expression(&mut self, it: &ExprReturn, at: Span) -> Operand {
        let value = it.expr.as_deref().map_or_else(unit_value, |it| self.expression(it));
        self.leave_function(value, at);
        unit_value()
    }

    /// Leaves the function, or the inlined closure, with a value.
    pub(super) fn leave_function(&mut self, value: Operand, at: Span) {
        let inline = self.scope().frames.iter().rev().find(|it| it.kind == FrameKind::Inline).cloned();
        match inline {
            Some(frame) => self.leave_with(&frame, value, at),
            None => {
                let mut held = self.scope().temporaries.clone();
                held.retain(|(local, _)| value != Operand::Local(*local));
                self.forget(&held);
                self.end(Terminator::Return { value, span: at });
            }
        }
    }

    /// `break`, `break 'label value`.
    pub(super) fn break_expression(&mut self, it: &ExprBreak, at: Span) -> Operand {
        let value = it.expr.as_deref().map_or_else(unit_value, |it| self.expression(it));
        let label = it.label.as_ref();
        match self.target(label, |frame| match frame.kind {
            FrameKind::Loop(_) => true,
            FrameKind::Block => label.is_some(),
            FrameKind::Inline => false,
        }) {
            Some(frame) => self.leave_with(&frame, value, at),
            None => self.end(Terminator::Raise),
        }
        unit_value()
    }

    /// `continue`.
    pub(super) fn continue_expression(&mut self, it: &ExprContinue, at: Span) -> Operand {
        let target = self.target(it.label.as_ref(), |frame| matches!(frame.kind, FrameKind::Loop(_)));
        match target {
            Some(frame) => self.next_turn(&frame, at),
            None => self.end(Terminator::Raise),
        }
        unit_value()
    }

    /// Goes on with the next turn of a loop.
    pub(super) fn next_turn(&mut self, frame: &Frame, at: Span) {
        self.leave(frame, at);
        match frame.kind {
            FrameKind::Loop(head) => self.goto(head),
            FrameKind::Block | FrameKind::Inline => self.goto(frame.after),
        }
    }

    fn target(&mut self, label: Option<&Lifetime>, fits: impl Fn(&Frame) -> bool) -> Option<Frame> {
        let wanted = label.map(|it| it.ident.to_string());
        let frames = &self.scope().frames;
        let inside = frames.iter().rev().take_while(|it| it.kind != FrameKind::Inline);
        inside.into_iter().find(|frame| fits(frame) && (wanted.is_none() || wanted == frame.label)).cloned()
    }

    /// `value?`: where the value is nothing, the function is left.
    pub(super) fn try_expression(&mut self, value: Operand, at: Span) -> Operand {
        let on = self.compute(Operator::Is, vec![value.clone(), nothing()], at);
        let (failed, passed) = (self.block(), self.block());
        self.end(Terminator::Branch { on, yes: failed, no: passed, span: at, repeats: false });
        self.switch_to(failed);
        self.leave_function(nothing(), at);
        self.switch_to(passed);
        value
    }

    /// The program ends here: nothing is reported on this way.
    pub(super) fn panic(&mut self) {
        self.end(Terminator::Raise);
    }
}
