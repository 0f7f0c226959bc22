//! Closures: functions of their own, or run inline where they stand.
//!
//! The body of an inlined closure is a block: its parameters are variables of a layer, and a `return` or `?` in it leaves only the body.
//! Closures of `Option`, `Result` and `bool` run on one of two ways:
//!
//! ```text
//! let r = (rank == 0).then(|| peer.immediate_send(scope, &x));
//! b0: if rank == 0 then b1 else b2;   b1: %1 = call …;   b2: %1 = None
//! ```

use syn::{Expr, ExprAsync, ExprClosure, ExprMethodCall, Pat};

use super::assignment::behind_references;
use super::condition::Targets;
use super::exits::FrameKind;
use super::names::plain;
use super::scope::{Scope, Sees};
use super::{Lowering, NESTING_LIMIT, nothing, unit_value};
use crate::catalog::ApiId;
use crate::ir::{
    ContainerKind, Flavour, FunctionBuilder, FunctionId, FunctionKind, Local, Operand, Operation, Operator,
    ParameterKind, Terminator, TypeRef,
};
use crate::source::Span;

impl Lowering<'_> {
    /// A closure as a value.
    pub(super) fn closure(&mut self, it: &ExprClosure, span: Span) -> Operand {
        let flavour = if it.asyncness.is_some() { Flavour::Coroutine } else { Flavour::Plain };
        let made = self.nested("<closure>", FunctionKind::Lambda, span, |lowering| {
            lowering.builder().function_mut().flavour = flavour;
            lowering.closure_parameters(it.inputs.iter());
            let value = lowering.expression(&it.body);
            lowering.return_tail(value, span);
        });
        self.closure_value(made, span)
    }

    /// `async { … }`: a function that runs when somebody awaits it.
    pub(super) fn async_block(&mut self, it: &ExprAsync, span: Span) -> Operand {
        let made = self.nested("<async>", FunctionKind::Lambda, span, |lowering| {
            let value = lowering.block_value(&it.block);
            lowering.return_tail(value, span);
        });
        self.closure_value(made, span)
    }

    fn closure_value(&mut self, made: Option<FunctionId>, span: Span) -> Operand {
        match made {
            Some(function) => {
                let to = self.temporary(span);
                self.emit(Operation::Closure { to, function }, span);
                Operand::Local(to)
            }
            None => self.unknown("closure", Vec::new(), span),
        }
    }

    fn closure_parameters<'p>(&mut self, inputs: impl Iterator<Item = &'p Pat>) {
        let mut later = Vec::new();
        for (index, pattern) in inputs.enumerate() {
            let (pattern, annotation) = match pattern {
                Pat::Type(typed) => (typed.pat.as_ref(), self.type_ref(&typed.ty)),
                other => (other, TypeRef::Unknown),
            };
            later.extend(self.parameter(index, pattern, annotation).map(|local| (pattern, local)));
        }
        for (pattern, local) in later {
            self.bind_pattern(pattern, Operand::Local(local));
        }
        self.forget_since(0);
    }

    /// A parameter; gives its local where a pattern has to take it apart.
    pub(super) fn parameter(&mut self, index: usize, pattern: &Pat, annotation: TypeRef) -> Option<Local> {
        let at = self.span_of_node(pattern);
        let (name, apart) = match pattern {
            Pat::Ident(it) if it.subpat.is_none() => (plain(&it.ident), false),
            Pat::Wild(_) => (format!("_{index}"), false),
            _ => (format!("<{index}>"), true),
        };
        let local = self.builder().parameter_of(&name, ParameterKind::Plain, None, annotation);
        self.declare_as(&name, local, at);
        apart.then_some(local)
    }

    /// Ends a function with a value.
    pub(super) fn return_tail(&mut self, value: Operand, at: Span) {
        if self.builder().is_ended() {
            return;
        }
        let mut temporaries = self.take_since(0);
        temporaries.retain(|(local, _)| value != Operand::Local(*local));
        self.forget(&temporaries);
        self.end(Terminator::Return { value, span: at });
    }

    /// Lowers an inner function that sees the variables around it.
    pub(super) fn nested(
        &mut self,
        name: &str,
        kind: FunctionKind,
        at: Span,
        body: impl FnOnce(&mut Self),
    ) -> Option<FunctionId> {
        if self.scopes.len() > NESTING_LIMIT {
            self.problem(at, "too many nested functions");
            return None;
        }
        let id = self.reserve();
        let parent = self.scope().id;
        let mut scope = Scope::new(id, name, Sees::Around);
        let function = scope.builder.function_mut();
        (function.kind, function.parent, function.span) = (kind, Some(parent), at);
        self.scopes.push(scope);
        body(self);
        self.close_scope(Span::new(at.end, at.end));
        Some(id)
    }

    /// Room for a function that is lowered later.
    pub(super) fn reserve(&mut self) -> FunctionId {
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(FunctionBuilder::new("").finish(Span::default()));
        id
    }

    pub(super) fn close_scope(&mut self, end: Span) {
        self.return_tail(unit_value(), end);
        let Some(scope) = self.scopes.pop() else { return };
        if let Some(place) = self.functions.get_mut(scope.id.0 as usize) {
            *place = scope.builder.finish(end);
            place.simplify();
        }
    }
}

/// Closures that run where they stand.
impl Lowering<'_> {
    /// Runs a closure, or calls another function, with values.
    pub(super) fn apply(&mut self, function: &Expr, values: Vec<Operand>, span: Span) -> Operand {
        match behind_references(function) {
            Expr::Closure(it) if it.asyncness.is_none() => self.inline(it, values, span),
            _ => {
                let callee = self.expression(function);
                let argument =
                    |value| crate::ir::Argument { passing: crate::ir::Passing::Positional, value, span };
                let arguments = values.into_iter().map(argument).collect();
                let to = self.temporary(span);
                self.emit(Operation::Call { to, callee: crate::ir::Callee::Value(callee), arguments }, span);
                Operand::Local(to)
            }
        }
    }

    /// The body of a closure, as a block.
    pub(super) fn inline(&mut self, it: &ExprClosure, values: Vec<Operand>, span: Span) -> Operand {
        let result = self.temporary(span);
        let after = self.block();
        let frame = self.frame(FrameKind::Inline, None, after, Some(result));
        self.scope().frames.push(frame);
        self.push_layer();
        let mark = self.mark();
        let mut values = values.into_iter();
        for pattern in &it.inputs {
            let value = values.next().unwrap_or_else(unit_value);
            let value = match value {
                Operand::Local(_) => value,
                Operand::Constant(_) => self.unknown("argument", Vec::new(), span),
            };
            self.bind_pattern(pattern, value);
        }
        let value = self.expression(&it.body);
        self.arm(result, value, mark, span);
        self.pop_layer(self.span_of(&it.body));
        self.scope().frames.pop();
        self.goto(after);
        self.switch_to(after);
        Operand::Local(result)
    }

    /// A function of a library that runs its argument at once. A container that the library hands to it lives as long as it runs.
    pub(super) fn run_inline(
        &mut self,
        api: ApiId,
        body: &Expr,
        arguments: &[&Expr],
        span: Span,
    ) -> Option<Operand> {
        let Expr::Closure(closure) = inside_wrappers(body) else { return None };
        for argument in arguments {
            if !std::ptr::eq(*argument, body) {
                self.expression(argument);
            }
        }
        let scope = self.unknown("scope", Vec::new(), span);
        let Some(class) = self.catalog.gives(api) else {
            return Some(self.inline(closure, vec![scope], span));
        };
        let at = self.span_of(body);
        let made = self.collect(ContainerKind::List, Vec::new(), at);
        let mut values = vec![scope; closure.inputs.len().saturating_sub(1)];
        values.push(made);
        if let Some(Pat::Ident(last)) = closure.inputs.last().map(without_type) {
            self.awaited_collection = Some((plain(&last.ident), class));
        }
        Some(self.inline(closure, values, span))
    }

    /// Methods of `Option`, `Result` and `bool` that run a closure.
    pub(super) fn method_with_closure(
        &mut self,
        it: &ExprMethodCall,
        name: &str,
        arguments: &[&Expr],
        span: Span,
    ) -> Option<Operand> {
        match (name, arguments) {
            ("then", [function]) => Some(self.then(&it.receiver, function, span)),
            ("map" | "and_then" | "inspect" | "is_some_and" | "is_ok_and", [function]) => {
                let value = self.expression(&it.receiver);
                Some(self.on_something(value, function, name, span))
            }
            ("map_or", [other, function]) => {
                let value = self.expression(&it.receiver);
                self.expression(other);
                Some(self.on_something(value, function, name, span))
            }
            ("map_or_else", [_, function]) => {
                let value = self.expression(&it.receiver);
                Some(self.on_something(value, function, name, span))
            }
            (
                "map_err" | "unwrap_or_else" | "or_else" | "ok_or_else" | "with_context" | "inspect_err",
                [function],
            ) => {
                let value = self.expression(&it.receiver);
                Some(self.on_nothing(value, function, name, span))
            }
            _ => None,
        }
    }

    fn then(&mut self, condition: &Expr, function: &Expr, span: Span) -> Operand {
        let result = self.temporary(span);
        let (yes, no, after) = (self.block(), self.block(), self.block());
        self.test_to(condition, Targets { yes, no, repeats: false });
        let mark = self.mark();
        let value = self.apply(function, Vec::new(), span);
        self.arm(result, value, mark, span);
        self.goto(after);
        self.switch_to(no);
        self.emit(Operation::Assign { to: result, from: nothing() }, span);
        self.goto(after);
        self.switch_to(after);
        Operand::Local(result)
    }

    fn on_something(&mut self, value: Operand, function: &Expr, name: &str, span: Span) -> Operand {
        let result = self.temporary(span);
        let (yes, no, after) = (self.block(), self.block(), self.block());
        let on = self.compute(Operator::IsNot, vec![value.clone(), nothing()], span);
        self.branch(on, Targets { yes, no, repeats: false }, span);
        self.switch_to(yes);
        let mark = self.mark();
        let mapped = self.apply(function, vec![value.clone()], span);
        let kept = if name == "inspect" { value } else { mapped };
        self.arm(result, kept, mark, span);
        self.goto(after);
        self.switch_to(no);
        self.emit(Operation::Assign { to: result, from: nothing() }, span);
        self.goto(after);
        self.switch_to(after);
        Operand::Local(result)
    }

    fn on_nothing(&mut self, value: Operand, function: &Expr, name: &str, span: Span) -> Operand {
        let result = self.temporary(span);
        let (yes, no, after) = (self.block(), self.block(), self.block());
        let on = self.compute(Operator::IsNot, vec![value.clone(), nothing()], span);
        self.branch(on, Targets { yes, no, repeats: false }, span);
        self.switch_to(yes);
        self.emit(Operation::Assign { to: result, from: value.clone() }, span);
        self.goto(after);
        self.switch_to(no);
        let mark = self.mark();
        let error = self.unknown(super::ERROR, vec![value], span);
        let mapped = self.apply(function, vec![error], span);
        let kept = if matches!(name, "unwrap_or_else" | "or_else") { mapped } else { nothing() };
        self.arm(result, kept, mark, span);
        self.goto(after);
        self.switch_to(after);
        Operand::Local(result)
    }
}

fn without_type(pattern: &Pat) -> &Pat {
    match pattern {
        Pat::Type(typed) => without_type(&typed.pat),
        other => other,
    }
}

/// `AssertUnwindSafe(|| …)`.
fn inside_wrappers(body: &Expr) -> &Expr {
    match behind_references(body) {
        Expr::Call(it) if it.args.len() == 1 => match (it.func.as_ref(), it.args.first()) {
            (Expr::Path(path), Some(inner))
                if path.path.segments.last().is_some_and(|it| it.ident == "AssertUnwindSafe") =>
            {
                inside_wrappers(inner)
            }
            _ => body,
        },
        other => other,
    }
}
