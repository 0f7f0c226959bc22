//! Calls of methods: what those of the standard library mean; all others are bound by the analysis.

use syn::{Expr, ExprMethodCall};

use super::{Lowering, nothing, unit_value};
use crate::catalog::{Does, TypeId, WhichOf};
use crate::ir::{
    Access, Callee, Constant, ContainerKind, Item, Key, Local, Meaning, Operand, Operation, Operator, Which,
};
use crate::source::Span;

impl Lowering<'_> {
    /// `receiver.method(…)`.
    pub(super) fn method_call(&mut self, it: &ExprMethodCall, span: Span) -> Operand {
        if let Some(value) = self.chain(it, span) {
            return value;
        }
        let name = super::names::plain(&it.method);
        let arguments: Vec<&Expr> = it.args.iter().collect();
        if let Some(value) = self.method_on_place(it, &name, &arguments, span) {
            return value;
        }
        if let Some(value) = self.method_with_closure(it, &name, &arguments, span) {
            return value;
        }
        let receiver = self.expression(&it.receiver);
        if let Some(value) = self.method_of_collection(&receiver, &name, &arguments, span) {
            return value;
        }
        if let Some(value) = self.method_of_language(&receiver, &name, &arguments, span) {
            return value;
        }
        self.touch_by_method(&receiver, &name, span);
        self.call_method(receiver, &name, &arguments, span)
    }

    /// A late bound call.
    pub(super) fn call_method(
        &mut self,
        receiver: Operand,
        name: &str,
        arguments: &[&Expr],
        span: Span,
    ) -> Operand {
        let meaning = meaning(name, arguments.len());
        let arguments = self.arguments(arguments);
        let callee = Callee::Method { receiver, name: name.to_owned(), meaning };
        let to = self.temporary(span);
        self.emit(Operation::Call { to, callee, arguments }, span);
        Operand::Local(to)
    }

    /// `self.request.take()`, `slot.replace(r)`: what a place holds moves out.
    fn method_on_place(
        &mut self,
        it: &ExprMethodCall,
        name: &str,
        arguments: &[&Expr],
        span: Span,
    ) -> Option<Operand> {
        let place = reached_through(&it.receiver);
        match (name, arguments) {
            ("take" | "take_unchecked", []) if super::assignment::is_place(place) => {
                Some(self.take_from_place(place, nothing(), span))
            }
            ("replace", [value]) if super::assignment::is_place(place) => {
                let value = self.expression(value);
                Some(self.take_from_place(place, value, span))
            }
            _ => None,
        }
    }

    fn method_of_language(
        &mut self,
        receiver: &Operand,
        name: &str,
        arguments: &[&Expr],
        span: Span,
    ) -> Option<Operand> {
        let count = arguments.len();
        match (name, count) {
            ("is_some" | "is_ok", 0) => {
                Some(self.compute(Operator::IsNot, vec![receiver.clone(), nothing()], span))
            }
            ("is_none" | "is_err", 0) => {
                Some(self.compute(Operator::Is, vec![receiver.clone(), nothing()], span))
            }
            ("is_empty", 0) => Some(self.compute(Operator::Not, vec![receiver.clone()], span)),
            ("len", 0) => Some(self.call_path("std.len", vec![(receiver.clone(), span)], span)),
            ("as_ptr" | "as_mut_ptr" | "as_slice" | "as_mut_slice" | "as_bytes", 0) => {
                let to = self.temporary(span);
                self.emit(Operation::View { to, of: receiver.clone() }, span);
                Some(Operand::Local(to))
            }
            ("clone" | "to_vec" | "to_owned", 0) => {
                self.touch(receiver, Access::Read, span);
                Some(self.unknown("clone", vec![receiver.clone()], span))
            }
            ("first" | "first_mut" | "front" | "front_mut", 0) => Some(self.element(receiver, 0, span)),
            ("last" | "last_mut" | "back" | "back_mut", 0) => Some(self.element(receiver, -1, span)),
            ("zip", 1) => {
                let other = self.expression(arguments[0]);
                let values = vec![(receiver.clone(), span), (other, self.span_of(arguments[0]))];
                Some(self.call_path("std.zip", values, span))
            }
            ("chain", 1) => {
                let other = self.expression(arguments[0]);
                let items = vec![Item::Spread(receiver.clone()), Item::Spread(other)];
                Some(self.collect(ContainerKind::List, items, span))
            }
            ("enumerate", 0) => Some(self.call_path("std.enumerate", vec![(receiver.clone(), span)], span)),
            ("collect" | "into_vec", 0) => Some(receiver.clone()),
            _ if is_passed_through(name, count) => {
                if matches!(name, "iter" | "iter_mut") {
                    let access = if name == "iter" { Access::Read } else { Access::Write };
                    self.touch(receiver, access, span);
                }
                for argument in arguments {
                    let value = self.expression(argument);
                    if self.is_named(&value) {
                        self.emit(Operation::Escape { value }, span);
                    }
                }
                Some(receiver.clone())
            }
            _ => self.method_of_map(receiver, name, arguments, span),
        }
    }

    fn element(&mut self, of: &Operand, index: i64, span: Span) -> Operand {
        let to = self.temporary(span);
        let key = Key::At(Operand::Constant(Constant::Int(index)));
        self.emit(Operation::Element { to, of: of.clone(), key }, span);
        Operand::Local(to)
    }

    /// A map is a list of pairs.
    fn method_of_map(
        &mut self,
        receiver: &Operand,
        name: &str,
        arguments: &[&Expr],
        span: Span,
    ) -> Option<Operand> {
        let Operand::Local(local) = receiver else { return None };
        if !self.scope().maps.contains(local) {
            return None;
        }
        match (name, arguments) {
            ("insert", [key, value]) => {
                let items = vec![Item::One(self.expression(key)), Item::One(self.expression(value))];
                let pair = self.collect(ContainerKind::Tuple, items, span);
                self.emit(Operation::Push { container: receiver.clone(), value: pair }, span);
                Some(self.unknown("what was there", Vec::new(), span))
            }
            ("remove", [key]) => {
                self.expression(key);
                let pair = self.temporary(span);
                self.emit(Operation::Take { to: pair, container: receiver.clone() }, span);
                Some(self.element(&Operand::Local(pair), 1, span))
            }
            ("clear", []) | ("contains_key", _) => None,
            _ => {
                arguments.iter().for_each(|it| _ = self.expression(it));
                self.emit(Operation::Escape { value: receiver.clone() }, span);
                Some(self.unknown("of a map", Vec::new(), span))
            }
        }
    }

    /// Methods of a container of a library: they say directly what happens.
    fn method_of_collection(
        &mut self,
        receiver: &Operand,
        name: &str,
        arguments: &[&Expr],
        span: Span,
    ) -> Option<Operand> {
        let Operand::Local(local) = receiver else { return None };
        let class: TypeId = *self.scope().collections.get(local)?;
        let entry = self.catalog.function(self.catalog.method(class, name)?);
        let which = match entry.which {
            WhichOf::One => Which::One,
            WhichOf::All => Which::All,
            WhichOf::Any => Which::Any,
            WhichOf::Several => Which::Several,
        };
        let values: Vec<Operand> = arguments.iter().map(|it| self.expression(it)).collect();
        let to = self.temporary(span);
        let target = receiver.clone();
        match entry.does {
            Does::Keep => {
                let kept = entry
                    .on
                    .as_deref()
                    .and_then(|on| entry.position(on))
                    .and_then(|at| values.get(at).cloned());
                let value = kept.unwrap_or_else(unit_value);
                self.emit(Operation::Push { container: target, value }, span);
            }
            Does::Finish => self.emit(Operation::Finish { target, which }, span),
            Does::Poll => {
                self.emit(Operation::Poll { to, target, which }, span);
                return Some(Operand::Local(to));
            }
            // How many are left: something, if and only if there is anything in it.
            Does::Read => {
                self.emit(Operation::Assign { to, from: target }, span);
                return Some(self.call_path("std.len", vec![(Operand::Local(to), span)], span));
            }
            _ => self.emit(Operation::Escape { value: target }, span),
        }
        Some(self.unknown("result", Vec::new(), span))
    }

    /// Notes that a variable holds a container of a library.
    pub(super) fn note_collection(&mut self, local: Local, class: TypeId) {
        self.scope().collections.insert(local, class);
    }

    fn touch_by_method(&mut self, receiver: &Operand, name: &str, span: Span) {
        let access = match name {
            "fill" | "fill_with" | "copy_from_slice" | "clone_from_slice" | "copy_within" | "swap"
            | "swap_with_slice" => Access::Write,
            "sort" | "sort_by" | "sort_by_key" | "sort_unstable" | "sort_unstable_by" | "reverse"
            | "rotate_left" | "rotate_right" => Access::Write,
            "resize" | "resize_with" | "truncate" | "set" | "extend_from_slice" | "write" => Access::Write,
            "contains" | "starts_with" | "ends_with" | "join" | "concat" | "binary_search" => Access::Read,
            _ => return,
        };
        self.touch(receiver, access, span);
    }
}

/// The place that a chain of references leads to: `self.slot` for `self.slot.as_mut()`, `cell.borrow_mut()`, `lock().unwrap()`.
fn reached_through(receiver: &Expr) -> &Expr {
    match super::assignment::behind_references(receiver) {
        Expr::MethodCall(it)
            if matches!(
                it.method.to_string().as_str(),
                "borrow_mut" | "lock" | "unwrap" | "get_mut" | "as_mut" | "deref_mut" | "write" | "expect"
            ) && it.args.len() <= 1 =>
        {
            reached_through(&it.receiver)
        }
        Expr::Unary(it) if matches!(it.op, syn::UnOp::Deref(_)) => reached_through(&it.expr),
        other => other,
    }
}

/// Methods that give what they are called on, in another form.
fn is_passed_through(name: &str, arguments: usize) -> bool {
    match name {
        "unwrap" | "unwrap_unchecked" | "unwrap_or_default" | "ok" | "as_ref" | "as_mut" | "as_deref"
        | "as_deref_mut" => arguments == 0,
        "borrow" | "borrow_mut" | "lock" | "get_mut" | "deref" | "deref_mut" | "into_inner"
        | "into_boxed_slice" | "assume_init" | "assume_init_ref" | "assume_init_mut" | "into"
        | "try_into" | "cast" | "cast_mut" | "cast_const" => arguments == 0,
        "by_ref" | "iter" | "iter_mut" | "into_iter" | "copied" | "cloned" | "rev" | "peekable" | "fuse" => {
            arguments == 0
        }
        "drain" | "skip" | "step_by" | "expect" | "ok_or" | "context" | "unwrap_or" | "or"
        | "as_mut_slice" => arguments == 1,
        // `take(n)` of an iterator.
        "take" => arguments == 1,
        _ => false,
    }
}

/// What a method of this name does if its receiver is a container of the language.
fn meaning(name: &str, arguments: usize) -> Option<Meaning> {
    Some(match (name, arguments) {
        ("push" | "push_back" | "push_front" | "insert", _) => Meaning::Push,
        ("extend" | "append" | "extend_from_slice", 1) => Meaning::Extend,
        ("pop" | "pop_front" | "pop_back" | "pop_first" | "pop_last", 0) => Meaning::Take,
        ("remove" | "swap_remove" | "swap_remove_back", 1) => Meaning::TakeKey,
        ("get" | "get_mut", 1) => Meaning::Get,
        ("clear", 0) => Meaning::Clear,
        ("truncate", 1) => Meaning::Remove,
        ("values" | "values_mut" | "into_values", 0) => Meaning::Elements,
        ("keys" | "into_keys" | "capacity", 0) | ("contains" | "reserve", 1) => Meaning::Measure,
        ("sort" | "sort_unstable" | "reverse", 0) | ("swap", 2) | ("rotate_left" | "rotate_right", 1) => {
            Meaning::Reorder
        }
        _ => return None,
    })
}
