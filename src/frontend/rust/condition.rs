//! Conditions, as branches and as values.
//!
//! Where a condition decides a branch, `&&`, `||` and `!` become branches on their atoms, and `let` binds the names of its pattern.
//! `while let Some(r) = reqs.pop()` asks whether there is anything in `reqs`, and takes it:
//!
//! ```text
//! b1: if reqs then b2 else b3      (again)
//! b2: %0 = call reqs.pop() [take], r = %0, …
//! ```
//!
//! Where it is a value and its operands are **pure** (names, fields, literals, comparisons, arithmetic, `len()` and friends), it stays one
//! expression that a later test can refer to. Otherwise it becomes branches that assign the result.

use syn::{BinOp, Expr, ExprBinary, ExprLet, Lit, Pat, UnOp};

use super::Lowering;
use crate::ir::{BlockId, Constant, Local, Operand, Operation, Operator, Terminator};
use crate::source::Span;

/// How deep an expression is looked at to find whether it is pure.
const PURE_DEPTH: u32 = 16;

/// Where a condition leads.
#[derive(Clone, Copy)]
pub(super) struct Targets {
    pub(super) yes: BlockId,
    pub(super) no: BlockId,
    /// Whether the condition is the head of a `while` loop.
    pub(super) repeats: bool,
}

impl Targets {
    fn swapped(self) -> Self {
        Self { yes: self.no, no: self.yes, ..self }
    }
}

impl Lowering<'_> {
    /// Branches on a condition to `yes` and `no`, which begin by forgetting what the condition left behind. The block for yes
    /// becomes the current one.
    pub(super) fn test_to(&mut self, condition: &Expr, targets: Targets) {
        let mark = self.mark();
        self.condition(condition, targets);
        let temporaries = self.take_since(mark);
        self.switch_to(targets.no);
        self.forget(&temporaries);
        self.switch_to(targets.yes);
        self.forget(&temporaries);
    }

    /// Branches on a condition.
    pub(super) fn condition(&mut self, condition: &Expr, targets: Targets) {
        let at = self.span_of(condition);
        let reached = self.deeper(at, |it| it.branch_on(condition, targets, at));
        if reached.is_none() {
            self.end(Terminator::Choose(vec![targets.yes, targets.no]));
        }
    }

    fn branch_on(&mut self, condition: &Expr, targets: Targets, at: Span) {
        match condition {
            Expr::Paren(it) => self.condition(&it.expr, targets),
            Expr::Group(it) => self.condition(&it.expr, targets),
            Expr::Unary(it) if matches!(it.op, UnOp::Not(_)) => self.condition(&it.expr, targets.swapped()),
            Expr::Binary(it) if is_and(&it.op) || is_or(&it.op) => self.branch_on_operands(it, targets),
            Expr::Let(it) => self.branch_on_let(it, targets, at),
            Expr::Lit(it) => match &it.lit {
                Lit::Bool(it) if it.value => self.goto(targets.yes),
                Lit::Bool(_) => self.goto(targets.no),
                _ => self.goto(targets.yes),
            },
            _ => {
                let value = self.expression(condition);
                self.branch(value, targets, at);
            }
        }
    }

    pub(super) fn branch(&mut self, on: Operand, targets: Targets, span: Span) {
        let Targets { yes, no, repeats } = targets;
        self.end(Terminator::Branch { on, yes, no, span, repeats });
    }

    /// A chain of `&&` leans to the left; it is walked without recursion.
    fn branch_on_operands(&mut self, operation: &ExprBinary, targets: Targets) {
        let and = is_and(&operation.op);
        let mut operands = vec![operation.right.as_ref()];
        let mut leftmost = operation.left.as_ref();
        while let Expr::Binary(inner) = leftmost
            && (if and { is_and(&inner.op) } else { is_or(&inner.op) })
        {
            operands.push(&inner.right);
            leftmost = &inner.left;
        }
        operands.push(leftmost);
        let last = operands.len() - 1;
        for (index, operand) in operands.into_iter().rev().enumerate() {
            if index == last {
                return self.condition(operand, targets);
            }
            let next = self.block();
            let inner = if and { Targets { yes: next, ..targets } } else { Targets { no: next, ..targets } };
            self.condition(operand, inner);
            self.switch_to(next);
        }
    }

    fn branch_on_let(&mut self, it: &ExprLet, targets: Targets, at: Span) {
        if let Some((container, call)) = taken_from(it) {
            let container_value = self.expression(container);
            let matched = self.block();
            self.branch(container_value, Targets { yes: matched, ..targets }, at);
            self.switch_to(matched);
            let value = self.expression(call);
            if let Pat::TupleStruct(some) = it.pat.as_ref() {
                some.elems.iter().for_each(|inner| self.pattern(inner, &value, Some(targets.no)));
            }
            return self.goto(targets.yes);
        }
        let subject = self.expression(&it.expr);
        if targets.repeats
            && let Some((operator, inner)) = something_or_nothing(&it.pat)
        {
            // The one test of a loop's head.
            let on = self.compute(operator.clone(), vec![subject.clone(), super::nothing()], at);
            let matched = self.block();
            self.branch(on, Targets { yes: matched, ..targets }, at);
            self.switch_to(matched);
            let value = match operator {
                Operator::Is => self.unknown(super::ERROR, vec![subject], at),
                _ => subject,
            };
            inner.into_iter().for_each(|inner| self.pattern(inner, &value, Some(targets.no)));
            return self.goto(targets.yes);
        }
        self.pattern(&it.pat, &subject, Some(targets.no));
        self.goto(targets.yes);
    }
}

/// `Some(p)`, `Ok(p)`, `Err(p)` with what is inside.
fn something_or_nothing(pattern: &Pat) -> Option<(Operator, Option<&Pat>)> {
    let Pat::TupleStruct(it) = pattern else { return None };
    match it.path.segments.last()?.ident.to_string().as_str() {
        "Some" | "Ok" => Some((Operator::IsNot, it.elems.first())),
        "Err" => Some((Operator::Is, it.elems.first())),
        _ => None,
    }
}

/// `let Some(r) = reqs.pop()`: the container, and the call that takes from it.
fn taken_from(it: &ExprLet) -> Option<(&Expr, &Expr)> {
    let (Pat::TupleStruct(pattern), Expr::MethodCall(call)) = (it.pat.as_ref(), it.expr.as_ref()) else {
        return None;
    };
    let takes =
        matches!(call.method.to_string().as_str(), "pop" | "pop_front" | "pop_back") && call.args.is_empty();
    let is_path = matches!(call.receiver.as_ref(), Expr::Path(_) | Expr::Field(_));
    (takes && is_path && pattern.path.segments.last()?.ident == "Some")
        .then_some((call.receiver.as_ref(), it.expr.as_ref()))
}

/// Conditions as values.
impl Lowering<'_> {
    /// `a && b`, `a || b` as a value.
    pub(super) fn boolean_value(&mut self, operation: &ExprBinary, at: Span) -> Operand {
        let and = is_and(&operation.op);
        if is_pure(&operation.left, PURE_DEPTH) && is_pure(&operation.right, PURE_DEPTH) {
            let operands = vec![self.expression(&operation.left), self.expression(&operation.right)];
            return self.compute(if and { Operator::And } else { Operator::Or }, operands, at);
        }
        let result = self.temporary(at);
        let (yes, no) = (self.block(), self.block());
        let mark = self.mark();
        self.branch_on_operands(operation, Targets { yes, no, repeats: false });
        let temporaries = self.take_since(mark);
        self.truth_of(result, yes, no, &temporaries, at)
    }

    /// `let pattern = value`, `matches!(…)` as a value.
    pub(super) fn matches_value(&mut self, subject: &Expr, pattern: &Pat, at: Span) -> Operand {
        let result = self.temporary(at);
        let (yes, no) = (self.block(), self.block());
        let mark = self.mark();
        self.push_layer();
        let value = self.expression(subject);
        self.pattern(pattern, &value, Some(no));
        self.pop_layer(at);
        self.goto(yes);
        let temporaries = self.take_since(mark);
        self.truth_of(result, yes, no, &temporaries, at)
    }

    fn truth_of(
        &mut self,
        result: Local,
        yes: BlockId,
        no: BlockId,
        temporaries: &[(Local, Span)],
        at: Span,
    ) -> Operand {
        let done = self.block();
        for (arm, truth) in [(yes, true), (no, false)] {
            self.switch_to(arm);
            self.forget(temporaries);
            self.emit(Operation::Assign { to: result, from: Operand::Constant(Constant::Bool(truth)) }, at);
            self.goto(done);
        }
        self.switch_to(done);
        Operand::Local(result)
    }
}

pub(super) fn is_and(operator: &BinOp) -> bool {
    matches!(operator, BinOp::And(_))
}

pub(super) fn is_or(operator: &BinOp) -> bool {
    matches!(operator, BinOp::Or(_))
}

/// Whether an expression only looks at things: it can be evaluated again, or not at all.
fn is_pure(expression: &Expr, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let pure = |it: &Expr| is_pure(it, depth);
    match expression {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Field(it) => pure(&it.base),
        Expr::Index(it) => pure(&it.expr) && pure(&it.index),
        Expr::Unary(it) => pure(&it.expr),
        Expr::Binary(it) => pure(&it.left) && pure(&it.right) && !is_assignment(&it.op),
        Expr::Paren(it) => pure(&it.expr),
        Expr::Group(it) => pure(&it.expr),
        Expr::Reference(it) => pure(&it.expr),
        Expr::Cast(it) => pure(&it.expr),
        Expr::MethodCall(it) => {
            let looks = matches!(it.method.to_string().as_str(), "len" | "is_empty" | "is_some" | "is_none");
            looks && it.args.is_empty() && pure(&it.receiver)
        }
        _ => false,
    }
}

/// `+=` and its kin.
pub(super) fn is_assignment(operator: &BinOp) -> bool {
    super::assignment::updates(operator).is_some()
}
