//! Assignments: each target takes a value, and gives up what it held.
//!
//! What is stored through a reference (`*slot = r`) may be anybody's, so it escapes.

use syn::{BinOp, Expr, ExprAssign, UnOp};

use super::scope::Bound;
use super::{Lowering, unit_value};
use crate::ir::{Access, Operand, Operation, Place};
use crate::source::Span;

impl Lowering<'_> {
    /// `target = value`.
    pub(super) fn assign(&mut self, it: &ExprAssign, span: Span) -> Operand {
        let value = self.expression(&it.right);
        self.assign_to(&it.left, value, span);
        unit_value()
    }

    /// Gives a target its value.
    pub(super) fn assign_to(&mut self, target: &Expr, value: Operand, span: Span) {
        match target {
            Expr::Path(path) => self.assign_to_path(target, &path.path, value, span),
            Expr::Field(it) => {
                let of = self.expression(&it.base);
                let name = super::expression::member(&it.member);
                self.emit(Operation::SetField { of, name, value }, span);
            }
            Expr::Index(it) => {
                let of = self.expression(&it.expr);
                let key = self.key(&it.index);
                self.emit(Operation::SetElement { of, key, value }, span);
            }
            Expr::Tuple(it) => self.assign_parts(it.elems.iter().collect(), value, span),
            Expr::Array(it) => self.assign_parts(it.elems.iter().collect(), value, span),
            Expr::Paren(it) => self.assign_to(&it.expr, value, span),
            Expr::Group(it) => self.assign_to(&it.expr, value, span),
            Expr::Unary(it) if matches!(it.op, UnOp::Deref(_)) => {
                let place = self.expression(&it.expr);
                self.touch(&place, Access::Write, span);
                self.emit(Operation::Escape { value }, span);
            }
            // `_ = value` drops it at the end of the statement.
            Expr::Infer(_) => {}
            other => {
                self.expression(other);
                self.emit(Operation::Escape { value }, span);
            }
        }
    }

    fn assign_to_path(&mut self, target: &Expr, path: &syn::Path, value: Operand, span: Span) {
        let names = super::names::segments(path);
        if let [name] = names.as_slice()
            && let Some(Bound::Local(to)) = self.bound(name)
        {
            return self.emit(Operation::Assign { to, from: value }, span);
        }
        match self.meaning_of(&names) {
            Some(super::names::Meaning::Own(name)) => self.emit(Operation::SetGlobal { name, value }, span),
            _ => {
                self.expression(target);
                self.emit(Operation::Escape { value }, span);
            }
        }
    }

    fn assign_parts(&mut self, targets: Vec<&Expr>, from: Operand, span: Span) {
        let mut to = Vec::with_capacity(targets.len());
        for target in &targets {
            to.push(self.temporary(self.span_of(target)));
        }
        self.emit(Operation::Unpack { to: to.clone(), star: None, from }, span);
        for (target, local) in targets.into_iter().zip(to) {
            self.assign_to(target, Operand::Local(local), span);
        }
    }

    /// `target += value`.
    pub(super) fn update(
        &mut self,
        target: &Expr,
        operator: &'static str,
        value: &Expr,
        span: Span,
    ) -> Operand {
        let value = self.expression(value);
        let place = match target {
            Expr::Path(it) => self.place_of_path(&it.path),
            Expr::Field(it) => {
                let of = self.expression(&it.base);
                Some(Place::Field(of, super::expression::member(&it.member)))
            }
            Expr::Index(it) => {
                let of = self.expression(&it.expr);
                let key = self.key(&it.index);
                Some(Place::Element(of, key))
            }
            _ => None,
        };
        match place {
            Some(place) => self.emit(Operation::Update { place, operator, value }, span),
            None => {
                let place = self.expression(target);
                self.touch(&place, Access::Write, span);
            }
        }
        unit_value()
    }

    fn place_of_path(&mut self, path: &syn::Path) -> Option<Place> {
        let names = super::names::segments(path);
        if let [name] = names.as_slice()
            && let Some(local) = self.local_of(name)
        {
            self.builder().count_read(local);
            return Some(Place::Local(local));
        }
        match self.meaning_of(&names)? {
            super::names::Meaning::Own(name) => Some(Place::Global(name)),
            _ => None,
        }
    }

    /// Takes what a place holds and leaves `left` in it: `take()`, `replace(…)`, `mem::replace(&mut place, …)`.
    pub(super) fn take_from_place(&mut self, place: &Expr, left: Operand, span: Span) -> Operand {
        let held = self.expression(place);
        let to = self.temporary(span);
        self.emit(Operation::Assign { to, from: held }, span);
        let place = behind_references(place);
        if is_place(place) {
            self.assign_to(place, left, span);
        } else {
            self.emit(Operation::Escape { value: left }, span);
        }
        Operand::Local(to)
    }
}

/// The place that a reference leads to.
pub(super) fn behind_references(expression: &Expr) -> &Expr {
    match expression {
        Expr::Reference(it) => behind_references(&it.expr),
        Expr::RawAddr(it) => behind_references(&it.expr),
        Expr::Paren(it) => behind_references(&it.expr),
        Expr::Group(it) => behind_references(&it.expr),
        Expr::Cast(it) => behind_references(&it.expr),
        other => other,
    }
}

/// A variable, a field or an element.
pub(super) fn is_place(expression: &Expr) -> bool {
    matches!(expression, Expr::Path(_) | Expr::Field(_) | Expr::Index(_))
}

/// The operator of `+=` and its kin.
pub(super) fn updates(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::AddAssign(_) => "+",
        BinOp::SubAssign(_) => "-",
        BinOp::MulAssign(_) => "*",
        BinOp::DivAssign(_) => "/",
        BinOp::RemAssign(_) => "%",
        BinOp::BitXorAssign(_) => "^",
        BinOp::BitAndAssign(_) => "&",
        BinOp::BitOrAssign(_) => "|",
        BinOp::ShlAssign(_) => "<<",
        BinOp::ShrAssign(_) => ">>",
        _ => return None,
    })
}
