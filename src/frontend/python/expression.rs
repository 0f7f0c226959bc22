//! Expressions: each gives the operand that holds its value.

use ruff_python_ast::{
    DictItem, Expr, ExprAttribute, ExprBinOp, ExprNamed, ExprSlice, ExprStringLiteral, ExprSubscript,
    ExprUnaryOp, InterpolatedStringElement, InterpolatedStringElements, Number, Operator as BinaryOperator,
    UnaryOp,
};

use super::{Lowering, span_of};
use crate::ir::{Constant, ContainerKind, Item, Key, Operand, Operation, Operator};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// Evaluates an expression.
    pub(super) fn expression(&mut self, expression: &'a Expr) -> Operand {
        if let Some(constant) = self.constant(expression) {
            return Operand::Constant(constant);
        }
        let span = span_of(expression);
        match self.deeper(span, |it| it.evaluate(expression)) {
            Some(value) => value,
            None => self.unknown("too deep", Vec::new(), span),
        }
    }

    fn evaluate(&mut self, expression: &'a Expr) -> Operand {
        let span = span_of(expression);
        match expression {
            Expr::Name(it) => self.read(it.id.as_str(), span),
            Expr::Attribute(it) => self.attribute(it),
            Expr::Call(it) => self.call(it),
            Expr::Subscript(it) => self.subscript(it),
            Expr::BoolOp(it) => self.boolean_value(it),
            Expr::Compare(it) => self.comparison_value(it),
            Expr::If(it) => self.conditional_value(it),
            Expr::BinOp(it) => self.binary(it),
            Expr::UnaryOp(it) => self.unary(it),
            Expr::Named(it) => self.walrus(it),
            Expr::List(it) => self.display(ContainerKind::List, &it.elts, span),
            Expr::Tuple(it) => self.display(ContainerKind::Tuple, &it.elts, span),
            Expr::Set(it) => self.display(ContainerKind::Set, &it.elts, span),
            Expr::Dict(it) => self.dictionary(&it.items, span),
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                self.comprehension(expression)
            }
            Expr::Lambda(it) => self.lambda(it),
            Expr::Await(it) => {
                let value = self.expression(&it.value);
                let to = self.temporary(span);
                self.emit(Operation::Await { to, value }, span);
                Operand::Local(to)
            }
            Expr::Yield(it) => {
                let none = Operand::Constant(Constant::None);
                let value = it.value.as_deref().map_or(none, |it| self.expression(it));
                self.give(value, span)
            }
            Expr::YieldFrom(it) => self.yield_from(&it.value, span),
            Expr::FString(it) => {
                let parts = it.value.elements().collect();
                self.interpolated("f-string", parts, span)
            }
            Expr::TString(it) => {
                let parts = it.value.elements().collect();
                self.interpolated("t-string", parts, span)
            }
            Expr::Slice(it) => {
                let operands = self.bounds(it).into_iter().flatten().collect();
                self.unknown("slice", operands, span)
            }
            Expr::Starred(it) => {
                let value = self.expression(&it.value);
                self.unknown("*", vec![value], span)
            }
            Expr::IpyEscapeCommand(_) => self.unknown("command", Vec::new(), span),
            Expr::StringLiteral(_) | Expr::BytesLiteral(_) | Expr::NumberLiteral(_) => {
                self.unknown("literal", Vec::new(), span)
            }
            Expr::BooleanLiteral(_) | Expr::NoneLiteral(_) | Expr::EllipsisLiteral(_) => {
                self.unknown("literal", Vec::new(), span)
            }
        }
    }

    /// `yield value`.
    pub(super) fn give(&mut self, value: Operand, span: Span) -> Operand {
        let to = self.temporary(span);
        self.emit(Operation::Yield { to, value }, span);
        Operand::Local(to)
    }

    fn attribute(&mut self, attribute: &'a ExprAttribute) -> Operand {
        let span = span_of(attribute);
        let of = self.expression(&attribute.value);
        let to = self.temporary(span);
        self.emit(Operation::Field { to, of, name: attribute.attr.as_str().to_owned() }, span);
        Operand::Local(to)
    }

    fn subscript(&mut self, subscript: &'a ExprSubscript) -> Operand {
        let span = span_of(subscript);
        let of = self.expression(&subscript.value);
        let key = self.key(&subscript.slice);
        let to = self.temporary(span);
        self.emit(Operation::Element { to, of, key }, span);
        Operand::Local(to)
    }

    /// The key of a subscript. A slice with a step takes elements from between its bounds, so the bounds are hidden.
    pub(super) fn key(&mut self, slice: &'a Expr) -> Key {
        let Expr::Slice(range) = slice else { return Key::At(self.expression(slice)) };
        let step = range.step.as_deref().and_then(|it| self.constant(it));
        let [lower, upper, given] = self.bounds(range);
        match (given, step) {
            (None, _) | (_, Some(Constant::None | Constant::Int(1))) => Key::Range(lower, upper),
            (Some(_), Some(Constant::Int(-1))) if lower.is_none() && upper.is_none() => {
                Key::Range(None, None)
            }
            (given, _) => {
                let operands = [lower, upper, given].into_iter().flatten().collect();
                Key::Range(Some(self.unknown("slice", operands, span_of(range))), None)
            }
        }
    }

    fn bounds(&mut self, slice: &'a ExprSlice) -> [Option<Operand>; 3] {
        [&slice.lower, &slice.upper, &slice.step].map(|it| it.as_deref().map(|it| self.expression(it)))
    }

    /// A chain of operators leans to the left; it is walked without recursion, since it can be very long.
    fn binary(&mut self, operation: &'a ExprBinOp) -> Operand {
        let mut chain = vec![operation];
        let mut leftmost = operation.left.as_ref();
        while let Expr::BinOp(inner) = leftmost {
            chain.push(inner);
            leftmost = &inner.left;
        }
        let mut value = self.expression(leftmost);
        for link in chain.into_iter().rev() {
            let right = self.expression(&link.right);
            value = self.compute(Operator::Other(sign(link.op)), vec![value, right], span_of(link));
        }
        value
    }

    fn unary(&mut self, operation: &'a ExprUnaryOp) -> Operand {
        let value = self.expression(&operation.operand);
        let operator = match operation.op {
            UnaryOp::Not => Operator::Not,
            UnaryOp::Invert => Operator::Other("~x"),
            UnaryOp::UAdd => Operator::Other("+x"),
            UnaryOp::USub => Operator::Other("-x"),
        };
        self.compute(operator, vec![value], span_of(operation))
    }

    /// `name := value`; the value of the whole is what the name now holds.
    fn walrus(&mut self, named: &'a ExprNamed) -> Operand {
        let value = self.expression(&named.value);
        self.assign(&named.target, value.clone());
        let Expr::Name(name) = named.target.as_ref() else { return value };
        self.slot_of(name.id.as_str()).map_or(value, Operand::Local)
    }

    /// `[a, *b]`, `(a, *b)`, `{a, *b}`.
    fn display(&mut self, kind: ContainerKind, elements: &'a [Expr], span: Span) -> Operand {
        let mut items = Vec::with_capacity(elements.len());
        for element in elements {
            items.push(match element {
                Expr::Starred(starred) => Item::Spread(self.expression(&starred.value)),
                _ => Item::One(self.expression(element)),
            });
        }
        self.collect(kind, items, span)
    }

    fn dictionary(&mut self, entries: &'a [DictItem], span: Span) -> Operand {
        let mut items = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = entry.key.as_ref().map(|it| self.expression(it));
            let value = self.expression(&entry.value);
            items.push(match key {
                Some(key) => Item::Keyed(key, value),
                None => Item::Spread(value),
            });
        }
        self.collect(ContainerKind::Dict, items, span)
    }

    /// A new container.
    pub(super) fn collect(&mut self, kind: ContainerKind, items: Vec<Item>, span: Span) -> Operand {
        let to = self.temporary(span);
        self.emit(Operation::Collect { to, kind, items }, span);
        Operand::Local(to)
    }

    fn interpolated(
        &mut self,
        what: &'static str,
        parts: Vec<&'a InterpolatedStringElement>,
        span: Span,
    ) -> Operand {
        let mut operands = Vec::new();
        for part in parts {
            self.interpolation(part, &mut operands);
        }
        self.unknown(what, operands, span)
    }

    fn interpolation(&mut self, part: &'a InterpolatedStringElement, operands: &mut Vec<Operand>) {
        let InterpolatedStringElement::Interpolation(part) = part else { return };
        operands.push(self.expression(&part.expression));
        let Some(spec) = &part.format_spec else { return };
        let elements: &'a InterpolatedStringElements = &spec.elements;
        for inner in elements {
            let _ = self.deeper(span_of(part), |it| it.interpolation(inner, operands));
        }
    }
}

/// Constants.
impl Lowering<'_> {
    /// The constant that an expression is.
    pub(super) fn constant(&self, expression: &Expr) -> Option<Constant> {
        match expression {
            Expr::NoneLiteral(_) => Some(Constant::None),
            Expr::BooleanLiteral(it) => Some(Constant::Bool(it.value)),
            Expr::EllipsisLiteral(_) => Some(Constant::Other("...".to_owned())),
            Expr::StringLiteral(it) => Some(Constant::Str(content(it))),
            Expr::BytesLiteral(it) => Some(self.by_text(span_of(it))),
            Expr::NumberLiteral(it) => match &it.value {
                Number::Int(value) => {
                    let value = value.as_u64().and_then(|it| i64::try_from(it).ok());
                    Some(value.map_or_else(|| self.by_text(span_of(it)), Constant::Int))
                }
                Number::Float(_) | Number::Complex { .. } => Some(self.by_text(span_of(it))),
            },
            Expr::UnaryOp(it)
                if it.op == UnaryOp::USub && matches!(it.operand.as_ref(), Expr::NumberLiteral(_)) =>
            {
                match self.constant(&it.operand)? {
                    Constant::Int(value) => Some(Constant::Int(-value)),
                    _ => Some(self.by_text(span_of(it))),
                }
            }
            _ => None,
        }
    }

    fn by_text(&self, span: Span) -> Constant {
        Constant::Other(span.of(self.text).to_owned())
    }
}

fn content(literal: &ExprStringLiteral) -> String {
    literal.value.iter().map(|it| it.as_str()).collect()
}

/// The text of a binary operator.
pub(super) fn sign(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "+",
        BinaryOperator::Sub => "-",
        BinaryOperator::Mult => "*",
        BinaryOperator::MatMult => "@",
        BinaryOperator::Div => "/",
        BinaryOperator::Mod => "%",
        BinaryOperator::Pow => "**",
        BinaryOperator::LShift => "<<",
        BinaryOperator::RShift => ">>",
        BinaryOperator::BitOr => "|",
        BinaryOperator::BitXor => "^",
        BinaryOperator::BitAnd => "&",
        BinaryOperator::FloorDiv => "//",
    }
}
