//! Functions and lambdas: parameters, and the body in a scope of its own.

use ruff_python_ast::{ExprLambda, Parameters, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};

use super::decorator::decorated;
use super::scan::Names;
use super::scope::{Layer, Scope};
use super::{Lowering, NESTING_LIMIT, span, span_of};
use crate::ir::{
    Argument, Callee, ClassId, DefaultValue, Flavour, FunctionBuilder, FunctionId, FunctionKind, Operand,
    Operation, ParameterKind, Passing, Terminator,
};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// The statements of the file, as its first function.
    pub(super) fn top_level(&mut self, body: &'a [ruff_python_ast::Stmt]) {
        let names = Names::default();
        let mut scope = Scope::new(self.reserve(), "<module>", names, true);
        scope.builder.function_mut().kind = FunctionKind::TopLevel;
        self.scopes.push(scope);
        self.statements(body);
        let end = self.text.len() as u32;
        self.close_scope(Span::new(end, end));
    }

    /// `def name(…): …`.
    pub(super) fn define(&mut self, def: &'a StmtFunctionDef) {
        let name = def.name.as_str();
        let at = span_of(&def.name);
        let decorated = decorated(&def.decorator_list);
        let wrappers = self.wrappers(&def.decorator_list);
        let defaults = self.defaults(&def.parameters);
        let class = self.class_around();
        let kind = match (class, decorated.kind) {
            (None, _) => FunctionKind::Plain,
            (Some(_), Some(kind)) => kind,
            (Some(_), None) if matches!(name, "__new__" | "__init_subclass__" | "__class_getitem__") => {
                FunctionKind::ClassMethod
            }
            (Some(_), None) => FunctionKind::Method,
        };
        let names = self.scan.take_names(def.range());
        let flavour = flavour(def.is_async, names.yields, decorated.manager);
        let opaque = !wrappers.is_empty();
        let body = |it: &mut Self| {
            let function = it.builder().function_mut();
            (function.span, function.flavour, function.class, function.opaque) = (at, flavour, class, opaque);
            it.parameters(&def.parameters, defaults);
            it.statements(&def.body);
        };
        let Some(function) = self.nested(def.range(), name, kind, names, body) else { return };
        if decorated.overload {
            return;
        }
        if class.is_some() {
            self.add_method(name, function, decorated.accessor);
        }
        self.bind_function(name, function, wrappers, at);
    }

    /// Binds a function to its name, where anything can see it only as a value.
    fn bind_function(
        &mut self,
        name: &'a str,
        function: FunctionId,
        wrappers: Vec<(Operand, Span)>,
        at: Span,
    ) {
        if self.at_top_level() && self.globals.is_static(name) {
            return;
        }
        let in_class = self.class_around().is_some();
        if in_class && self.scopes.len() == 1 {
            return;
        }
        let to = self.temporary(at);
        self.emit(Operation::Closure { to, function }, at);
        let mut value = Operand::Local(to);
        for (wrapper, span) in wrappers {
            let to = self.temporary(span);
            let arguments = vec![Argument { passing: Passing::Positional, value, span: at }];
            self.emit(Operation::Call { to, callee: Callee::Value(wrapper), arguments }, span);
            value = Operand::Local(to);
        }
        if in_class {
            self.emit(Operation::Escape { value }, at);
        } else {
            self.bind_name(name, value, at);
        }
    }

    fn class_around(&mut self) -> Option<ClassId> {
        match self.scope().layers.last() {
            Some(Layer::Class(class)) => Some(class.id),
            Some(Layer::Comprehension(_)) | None => None,
        }
    }

    /// `lambda …: body`.
    pub(super) fn lambda(&mut self, lambda: &'a ExprLambda) -> Operand {
        let at = span_of(lambda);
        let defaults = lambda.parameters.as_deref().map(|it| self.defaults(it)).unwrap_or_default();
        let names = self.scan.take_names(lambda.range());
        let flavour = flavour(false, names.yields, false);
        let body = |it: &mut Self| {
            let function = it.builder().function_mut();
            (function.span, function.flavour) = (at, flavour);
            if let Some(parameters) = &lambda.parameters {
                it.parameters(parameters, defaults);
            }
            let value = it.expression(&lambda.body);
            let mut temporaries = it.take_since(0);
            temporaries.retain(|(local, _)| value != Operand::Local(*local));
            it.forget(&temporaries);
            it.end(Terminator::Return { value, span: span_of(lambda.body.as_ref()) });
        };
        match self.nested(lambda.range(), "<lambda>", FunctionKind::Lambda, names, body) {
            Some(function) => {
                let to = self.temporary(at);
                self.emit(Operation::Closure { to, function }, at);
                Operand::Local(to)
            }
            None => self.unknown("lambda", Vec::new(), at),
        }
    }

    /// Evaluates the defaults of parameters, in the order of [`Self::parameters`].
    fn defaults(&mut self, parameters: &'a Parameters) -> Vec<Option<DefaultValue>> {
        let mut defaults = Vec::new();
        for parameter in parameters.iter_non_variadic_params() {
            defaults.push(parameter.default.as_deref().map(|default| match self.expression(default) {
                Operand::Constant(constant) => DefaultValue::Constant(constant),
                value @ Operand::Local(_) => {
                    // The function keeps it for as long as it lives.
                    self.emit(Operation::Escape { value }, span_of(default));
                    DefaultValue::Computed
                }
            }));
        }
        defaults
    }

    fn parameters(&mut self, parameters: &'a Parameters, defaults: Vec<Option<DefaultValue>>) {
        let mut defaults = defaults.into_iter();
        let positional = parameters.posonlyargs.iter().chain(&parameters.args);
        for parameter in positional {
            self.parameter(&parameter.parameter, ParameterKind::Plain, defaults.next().flatten());
        }
        if let Some(rest) = &parameters.vararg {
            self.parameter(rest, ParameterKind::RestPositional, None);
        }
        for parameter in &parameters.kwonlyargs {
            self.parameter(&parameter.parameter, ParameterKind::KeywordOnly, defaults.next().flatten());
        }
        if let Some(rest) = &parameters.kwarg {
            self.parameter(rest, ParameterKind::RestKeyword, None);
        }
    }

    fn parameter(
        &mut self,
        parameter: &'a ruff_python_ast::Parameter,
        kind: ParameterKind,
        default: Option<DefaultValue>,
    ) {
        let annotation = self.annotation(parameter.annotation());
        self.builder().parameter_of(parameter.name.as_str(), kind, default, annotation);
    }
}

/// Scopes of functions.
impl<'a> Lowering<'a> {
    fn reserve(&mut self) -> FunctionId {
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(FunctionBuilder::new("").finish(Span::default()));
        id
    }

    /// Lowers an inner function, unless this place was lowered before.
    pub(super) fn nested(
        &mut self,
        range: TextRange,
        name: &str,
        kind: FunctionKind,
        names: Names<'a>,
        body: impl FnOnce(&mut Self),
    ) -> Option<FunctionId> {
        if let Some(known) = self.defined.get(&range) {
            return Some(*known);
        }
        if self.scopes.len() > NESTING_LIMIT {
            self.problem(span(range), "too many nested functions");
            return None;
        }
        let id = self.reserve();
        self.defined.insert(range, id);
        let qualified = self.qualified(name);
        let parent = self.scope().id;
        let mut scope = Scope::new(id, &qualified, names, false);
        let function = scope.builder.function_mut();
        (function.kind, function.parent, function.span) = (kind, Some(parent), span(range));
        self.scopes.push(scope);
        body(self);
        let end = span(range).end;
        self.close_scope(Span::new(end, end));
        Some(id)
    }

    fn close_scope(&mut self, end: Span) {
        let Some(scope) = self.scopes.pop() else { return };
        if let Some(place) = self.functions.get_mut(scope.id.0 as usize) {
            *place = scope.builder.finish(end);
            place.simplify();
        }
    }

    /// The qualified name of a function or class that is defined here.
    pub(super) fn qualified(&mut self, name: &str) -> String {
        if name.starts_with('<') {
            return name.to_owned();
        }
        let scope = self.scope();
        let around = match scope.layers.last() {
            Some(Layer::Class(class)) => class.name.as_str(),
            Some(Layer::Comprehension(_)) | None => match scope.builder.function().name.as_str() {
                "<module>" => return name.to_owned(),
                around => around,
            },
        };
        format!("{around}.{name}")
    }
}

fn flavour(is_async: bool, yields: bool, manager: bool) -> Flavour {
    match (manager, yields, is_async) {
        (true, _, _) => Flavour::Manager,
        (false, true, _) => Flavour::Generator,
        (false, false, true) => Flavour::Coroutine,
        (false, false, false) => Flavour::Plain,
    }
}
