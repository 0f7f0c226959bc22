//! Assignments, `del`, and everything else that binds: each target takes a value.

use ruff_python_ast::{Expr, StmtAnnAssign, StmtAssign, StmtAugAssign};

use super::{Lowering, expression, span_of};
use crate::ir::{Constant, ContainerKind, Forgetting, Item, Local, Operand, Operation, Place};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// `a = b = value`.
    pub(super) fn assignment(&mut self, statement: &'a StmtAssign) {
        let value = match (statement.targets.as_slice(), statement.value.as_ref()) {
            ([Expr::Name(name)], Expr::Generator(generator)) if !self.is_read(name.id.as_str()) => {
                self.unconsumed(generator)
            }
            (_, value) => self.expression(value),
        };
        for target in &statement.targets {
            self.assign(target, value.clone());
        }
    }

    fn is_read(&mut self, name: &str) -> bool {
        let last = self.scopes.len() - 1;
        self.scan.is_read(&self.scopes[last].names, name)
    }

    /// `a: T = value`. Without a value nothing happens.
    pub(super) fn annotated_assignment(&mut self, statement: &'a StmtAnnAssign) {
        if let Some(value) = &statement.value {
            let value = self.expression(value);
            self.assign(&statement.target, value);
        }
    }

    /// `a += value`.
    pub(super) fn augmented_assignment(&mut self, statement: &'a StmtAugAssign) {
        let span = span_of(statement);
        let place = match statement.target.as_ref() {
            Expr::Name(name) => self.place_of(name.id.as_str()),
            Expr::Attribute(it) => {
                Some(Place::Field(self.expression(&it.value), it.attr.as_str().to_owned()))
            }
            Expr::Subscript(it) => {
                let of = self.expression(&it.value);
                Some(Place::Element(of, self.key(&it.slice)))
            }
            _ => None,
        };
        let value = self.expression(&statement.value);
        let operator = expression::sign(statement.op);
        if let Some(place) = place {
            self.emit(Operation::Update { place, operator, value }, span);
        }
    }

    fn place_of(&mut self, name: &'a str) -> Option<Place> {
        if name.is_empty() {
            return None;
        }
        if let Some(local) = self.slot_of(name) {
            self.builder().count_read(local);
            return Some(Place::Local(local));
        }
        self.names_read.insert(name.to_owned());
        Some(Place::Global(name.to_owned()))
    }

    /// Gives a target its value.
    pub(super) fn assign(&mut self, target: &'a Expr, value: Operand) {
        let span = span_of(target);
        let _ = self.deeper(span, |it| it.assign_to(target, value, span));
    }

    fn assign_to(&mut self, target: &'a Expr, value: Operand, span: Span) {
        match target {
            Expr::Name(name) if name.id.is_empty() => {}
            Expr::Name(name) => self.bind_name(name.id.as_str(), value, span),
            Expr::Attribute(it) => {
                let of = self.expression(&it.value);
                self.emit(Operation::SetField { of, name: it.attr.as_str().to_owned(), value }, span);
            }
            Expr::Subscript(it) => {
                let of = self.expression(&it.value);
                let key = self.key(&it.slice);
                self.emit(Operation::SetElement { of, key, value }, span);
            }
            Expr::Tuple(it) => self.unpack(&it.elts, value, span),
            Expr::List(it) => self.unpack(&it.elts, value, span),
            Expr::Starred(it) => self.assign(&it.value, value),
            // Not a target; the parser has said so. It is evaluated, so that nothing in it is lost.
            other => {
                self.expression(other);
            }
        }
    }

    /// `a, *b, (c, d) = from`: names take their element directly, other targets by way of a temporary.
    fn unpack(&mut self, targets: &'a [Expr], from: Operand, span: Span) {
        let star = targets.iter().position(|it| matches!(it, Expr::Starred(_)));
        let mut to = Vec::with_capacity(targets.len());
        let mut later = Vec::new();
        for target in targets {
            let inner = if let Expr::Starred(starred) = target { starred.value.as_ref() } else { target };
            to.push(self.slot(inner).unwrap_or_else(|| {
                let local = self.temporary(span_of(inner));
                later.push((inner, local));
                local
            }));
        }
        self.emit(Operation::Unpack { to, star, from }, span);
        for (target, local) in later {
            self.assign(target, Operand::Local(local));
        }
    }

    /// The local that a target is, if it is just that.
    pub(super) fn slot(&mut self, target: &'a Expr) -> Option<Local> {
        match target {
            Expr::Name(name) if !name.id.is_empty() => self.target_local(name.id.as_str()),
            _ => None,
        }
    }

    /// `del a, b.c, d[k]`.
    pub(super) fn delete(&mut self, target: &'a Expr) {
        let span = span_of(target);
        let _ = self.deeper(span, |it| it.delete_target(target, span));
    }

    fn delete_target(&mut self, target: &'a Expr, span: Span) {
        match target {
            Expr::Name(name) if name.id.is_empty() => {}
            Expr::Name(name) => match self.slot_of(name.id.as_str()) {
                Some(local) => self.emit(Operation::Forget { local, why: Forgetting::Delete }, span),
                None => {
                    let value = Operand::Constant(Constant::None);
                    self.emit(Operation::SetGlobal { name: name.id.as_str().to_owned(), value }, span);
                }
            },
            Expr::Attribute(it) => {
                let of = self.expression(&it.value);
                self.emit(Operation::DropField { of, name: it.attr.as_str().to_owned() }, span);
            }
            Expr::Subscript(it) => {
                let of = self.expression(&it.value);
                let key = self.key(&it.slice);
                self.emit(Operation::DropElement { of, key }, span);
            }
            Expr::Tuple(it) => it.elts.iter().for_each(|it| self.delete(it)),
            Expr::List(it) => it.elts.iter().for_each(|it| self.delete(it)),
            other => {
                self.expression(other);
            }
        }
    }

    /// An empty list, set or dictionary that a comprehension fills.
    pub(super) fn empty_container(&mut self, kind: ContainerKind, span: Span) -> Operand {
        self.collect(kind, Vec::<Item>::new(), span)
    }
}
