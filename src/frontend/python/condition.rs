//! Conditions, as branches and as values.
//!
//! Where a condition decides a branch, `and`, `or`, `not`, chained comparisons and conditional expressions become branches on
//! their atoms: `if a and not b:` is
//!
//! ```text
//! b0: if a then b3 else b2
//! b3: if b then b2 else b1
//! ```
//!
//! Where it is a value and its operands are **pure** (names, attributes, constants, comparisons, arithmetic, `len`,
//! `isinstance`, subscripts of these), it stays one expression that a later test can refer to. Otherwise it becomes
//! branches that assign the result.

use ruff_python_ast::{BoolOp, CmpOp, Expr, ExprBoolOp, ExprCompare, ExprIf, Number, UnaryOp};
use ruff_text_size::Ranged;

use super::{Lowering, span_of};
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

impl<'a> Lowering<'a> {
    /// Branches on a condition to two new blocks, which begin by forgetting what the condition left behind.
    /// The block for yes becomes the current one.
    pub(super) fn test(&mut self, condition: &'a Expr) -> Targets {
        let targets = Targets { yes: self.block(), no: self.block(), repeats: false };
        self.test_to(condition, targets);
        targets
    }

    /// The same for the head of a `while` loop: it is left to `done`.
    pub(super) fn test_again(&mut self, condition: &'a Expr, done: BlockId) {
        let targets = Targets { yes: self.block(), no: done, repeats: true };
        self.test_to(condition, targets);
    }

    fn test_to(&mut self, condition: &'a Expr, targets: Targets) {
        let mark = self.mark();
        self.condition(condition, targets);
        let temporaries = self.take_since(mark);
        self.switch_to(targets.no);
        self.forget(&temporaries);
        self.switch_to(targets.yes);
        self.forget(&temporaries);
    }

    /// Branches on a condition.
    pub(super) fn condition(&mut self, condition: &'a Expr, targets: Targets) {
        let reached = self.deeper(span_of(condition), |it| it.branch_on(condition, targets));
        if reached.is_none() {
            self.end(Terminator::Choose(vec![targets.yes, targets.no]));
        }
    }

    fn branch_on(&mut self, condition: &'a Expr, targets: Targets) {
        match condition {
            Expr::UnaryOp(it) if it.op == UnaryOp::Not => self.condition(&it.operand, targets.swapped()),
            Expr::BoolOp(it) => self.branch_on_operands(it, targets),
            Expr::Compare(it) => self.branch_on_comparison(it, targets),
            Expr::If(it) => {
                let inner = self.test(&it.test);
                self.condition(&it.body, targets);
                self.switch_to(inner.no);
                self.condition(&it.orelse, targets);
            }
            _ => match constant_truth(condition) {
                Some(true) => self.goto(targets.yes),
                Some(false) => self.goto(targets.no),
                None => {
                    let value = self.expression(condition);
                    self.branch(value, targets, span_of(condition));
                }
            },
        }
    }

    fn branch(&mut self, on: Operand, targets: Targets, span: Span) {
        let Targets { yes, no, repeats } = targets;
        self.end(Terminator::Branch { on, yes, no, span, repeats });
    }

    fn branch_on_operands(&mut self, operation: &'a ExprBoolOp, targets: Targets) {
        let Some((last, first)) = operation.values.split_last() else { return self.goto(targets.yes) };
        for value in first {
            let next = self.block();
            let targets = match operation.op {
                BoolOp::And => Targets { yes: next, ..targets },
                BoolOp::Or => Targets { no: next, ..targets },
            };
            self.condition(value, targets);
            self.switch_to(next);
        }
        self.condition(last, targets);
    }

    fn branch_on_comparison(&mut self, comparison: &'a ExprCompare, targets: Targets) {
        let mut left = self.expression(&comparison.left);
        let mut start = comparison.left.range();
        let links = comparison.ops.iter().zip(&comparison.comparators);
        let last = links.len().saturating_sub(1);
        for (index, (operator, right)) in links.enumerate() {
            let link = super::span(start.cover(right.range()));
            let value = self.expression(right);
            let truth = self.compute(comparing(*operator), vec![left, value.clone()], link);
            if index == last {
                self.branch(truth, targets, link);
            } else {
                let next = self.block();
                self.branch(truth, Targets { yes: next, ..targets }, link);
                self.switch_to(next);
            }
            (left, start) = (value, right.range());
        }
    }
}

/// Conditions as values.
impl<'a> Lowering<'a> {
    /// `a and b`, `a or b` as a value.
    pub(super) fn boolean_value(&mut self, operation: &'a ExprBoolOp) -> Operand {
        let span = span_of(operation);
        if operation.values.iter().all(|it| is_pure(it, PURE_DEPTH)) {
            let operands = operation.values.iter().map(|it| self.expression(it)).collect();
            let operator = match operation.op {
                BoolOp::And => Operator::And,
                BoolOp::Or => Operator::Or,
            };
            return self.compute(operator, operands, span);
        }
        let result = self.temporary(span);
        let done = self.block();
        let last = operation.values.len().saturating_sub(1);
        for (index, value) in operation.values.iter().enumerate() {
            let arm = self.assign_arm(result, value);
            if index < last {
                let next = self.block();
                let (yes, no) = match operation.op {
                    BoolOp::And => (next, done),
                    BoolOp::Or => (done, next),
                };
                self.branch(arm, Targets { yes, no, repeats: false }, span_of(value));
                self.switch_to(next);
            }
        }
        self.goto(done);
        self.switch_to(done);
        Operand::Local(result)
    }

    /// `a < b < c` as a value.
    pub(super) fn comparison_value(&mut self, comparison: &'a ExprCompare) -> Operand {
        let span = span_of(comparison);
        let pure = is_pure(&comparison.left, PURE_DEPTH)
            && comparison.comparators.iter().all(|it| is_pure(it, PURE_DEPTH));
        if comparison.ops.len() > 1 && !pure {
            return self.chained_value(comparison);
        }
        let mut left = self.expression(&comparison.left);
        let mut links = Vec::with_capacity(comparison.ops.len());
        for (operator, right) in comparison.ops.iter().zip(&comparison.comparators) {
            let value = self.expression(right);
            links.push(self.compute(comparing(*operator), vec![left, value.clone()], span));
            left = value;
        }
        match <[Operand; 1]>::try_from(links) {
            Ok([only]) => only,
            Err(links) => self.compute(Operator::And, links, span),
        }
    }

    fn chained_value(&mut self, comparison: &'a ExprCompare) -> Operand {
        let span = span_of(comparison);
        let result = self.temporary(span);
        let (yes, no, done) = (self.block(), self.block(), self.block());
        let mark = self.mark();
        self.branch_on_comparison(comparison, Targets { yes, no, repeats: false });
        let temporaries = self.take_since(mark);
        for (arm, truth) in [(yes, true), (no, false)] {
            self.switch_to(arm);
            self.forget(&temporaries);
            let from = Operand::Constant(Constant::Bool(truth));
            self.emit(Operation::Assign { to: result, from }, span);
            self.goto(done);
        }
        self.switch_to(done);
        Operand::Local(result)
    }

    /// `body if test else orelse` as a value.
    pub(super) fn conditional_value(&mut self, conditional: &'a ExprIf) -> Operand {
        let result = self.temporary(span_of(conditional));
        let done = self.block();
        let targets = self.test(&conditional.test);
        self.assign_arm(result, &conditional.body);
        self.goto(done);
        self.switch_to(targets.no);
        self.assign_arm(result, &conditional.orelse);
        self.goto(done);
        self.switch_to(done);
        Operand::Local(result)
    }

    /// `result = value`, and forgets what the value left behind. Gives where the value still is: a name, or the result.
    fn assign_arm(&mut self, result: Local, value: &'a Expr) -> Operand {
        let mark = self.mark();
        let from = self.expression(value);
        self.emit(Operation::Assign { to: result, from: from.clone() }, span_of(value));
        self.forget_since(mark);
        if value.is_name_expr() && !self.is_temporary(&from) { from } else { Operand::Local(result) }
    }

    fn is_temporary(&mut self, operand: &Operand) -> bool {
        let Operand::Local(local) = operand else { return false };
        self.builder().function().locals.get(local.0 as usize).is_none_or(|it| it.name.is_empty())
    }
}

/// The operator of a comparison.
pub(super) fn comparing(operator: CmpOp) -> Operator {
    match operator {
        CmpOp::Eq => Operator::Equal,
        CmpOp::NotEq => Operator::NotEqual,
        CmpOp::Lt => Operator::Less,
        CmpOp::LtE => Operator::LessEqual,
        CmpOp::Gt => Operator::Greater,
        CmpOp::GtE => Operator::GreaterEqual,
        CmpOp::Is => Operator::Is,
        CmpOp::IsNot => Operator::IsNot,
        CmpOp::In => Operator::In,
        CmpOp::NotIn => Operator::NotIn,
    }
}

/// The truth of a condition that does not depend on the run. What only a type checker sees is false.
fn constant_truth(condition: &Expr) -> Option<bool> {
    match condition {
        Expr::BooleanLiteral(it) => Some(it.value),
        Expr::NoneLiteral(_) => Some(false),
        Expr::NumberLiteral(it) => match &it.value {
            Number::Int(value) => Some(value.as_u64() != Some(0)),
            Number::Float(value) => Some(*value != 0.0),
            Number::Complex { .. } => None,
        },
        Expr::StringLiteral(it) => Some(!it.value.is_empty()),
        Expr::Name(it) if it.id.as_str() == "TYPE_CHECKING" => Some(false),
        Expr::Attribute(it) if it.attr.as_str() == "TYPE_CHECKING" => Some(false),
        _ => None,
    }
}

/// Whether an expression only looks at things: it can be evaluated again, or not at all.
fn is_pure(expression: &Expr, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let pure = |it: &Expr| is_pure(it, depth);
    match expression {
        Expr::Name(_) | Expr::NumberLiteral(_) | Expr::StringLiteral(_) | Expr::BytesLiteral(_) => true,
        Expr::BooleanLiteral(_) | Expr::NoneLiteral(_) | Expr::EllipsisLiteral(_) => true,
        Expr::Attribute(it) => pure(&it.value),
        Expr::Subscript(it) => pure(&it.value) && pure(&it.slice),
        Expr::Slice(it) => [&it.lower, &it.upper, &it.step].into_iter().flatten().all(|it| pure(it)),
        Expr::UnaryOp(it) => pure(&it.operand),
        Expr::BinOp(it) => pure(&it.left) && pure(&it.right),
        Expr::BoolOp(it) => it.values.iter().all(pure),
        Expr::Compare(it) => {
            pure(&it.left)
                && it.comparators.iter().all(|it| match it {
                    // `x in [a, b]`
                    Expr::List(list) => list.elts.iter().all(pure),
                    Expr::Set(set) => set.elts.iter().all(pure),
                    other => pure(other),
                })
        }
        Expr::Tuple(it) => it.elts.iter().all(pure),
        Expr::Call(it) => {
            let known = matches!(it.func.as_ref(), Expr::Name(name) if matches!(name.id.as_str(), "len" | "isinstance"));
            known && it.arguments.keywords.is_empty() && it.arguments.args.iter().all(pure)
        }
        _ => false,
    }
}
