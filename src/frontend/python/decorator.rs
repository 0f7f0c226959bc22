//! Decorators.
//!
//! A decorator is **transparent** if a caller gets what the body gives: `@staticmethod`, `@torch.no_grad()`,
//! `@functools.wraps(f)` … Any other makes the function opaque: `@retry(3)`.

use ruff_python_ast::{Decorator, Expr};

use super::annotation::dotted;
use super::{Lowering, span_of};
use crate::ir::{FunctionKind, Operand};
use crate::source::Span;

/// Decorators by their last name that are transparent wherever they come from.
const TRANSPARENT: [&str; 47] = [
    "abstractclassmethod",
    "abstractmethod",
    "abstractproperty",
    "abstractstaticmethod",
    "annotate",
    "asynccontextmanager",
    "cache",
    "cached_property",
    "classmethod",
    "contextmanager",
    "custom_bwd",
    "custom_fwd",
    "dataclass",
    "deleter",
    "deprecated",
    "enable_grad",
    "expectedFailure",
    "final",
    "fixture",
    "getter",
    "inference_mode",
    "lru_cache",
    "no_grad",
    "no_type_check",
    "once_differentiable",
    "overload",
    "override",
    "overrides",
    "parametrize",
    "profile",
    "property",
    "record_function",
    "runtime_checkable",
    "script_if_tracing",
    "script_method",
    "set_grad_enabled",
    "setter",
    "skip",
    "skipIf",
    "skipUnless",
    "skipif",
    "staticmethod",
    "total_ordering",
    "unique",
    "wraps",
    "xfail",
    "usefixtures",
];
/// Decorators that are transparent only if their dotted name speaks of torch, its compiler or pytest.
const TRANSPARENT_IN: [&str; 6] = ["torch", "jit", "compiler", "dynamo", "pytest", "nvtx"];
const TRANSPARENT_THERE: [&str; 9] =
    ["allow_in_graph", "compile", "disable", "export", "ignore", "range", "script", "slow", "unused"];

/// What the decorators of a function make of it.
#[derive(Clone, Copy, Default)]
pub(super) struct Decorated {
    /// The sort of method that they make it, if they do.
    pub(super) kind: Option<FunctionKind>,
    /// Whether a generator becomes the manager of a `with`.
    pub(super) manager: bool,
    /// Whether it adds to a property of the same name.
    pub(super) accessor: bool,
    /// Whether it is a stub for a type checker.
    pub(super) overload: bool,
}

/// Whether a function is only a stub that tells a type checker of one more signature.
pub(super) fn is_overload(decorators: &[Decorator]) -> bool {
    decorated(decorators).overload
}

pub(super) fn decorated(decorators: &[Decorator]) -> Decorated {
    let mut result = Decorated::default();
    for name in decorators.iter().filter_map(decorator_name) {
        match name.rsplit('.').next().unwrap_or_default() {
            "staticmethod" | "abstractstaticmethod" => result.kind = Some(FunctionKind::Static),
            "classmethod" | "abstractclassmethod" => result.kind = Some(FunctionKind::ClassMethod),
            "property" | "cached_property" | "abstractproperty" => result.kind = Some(FunctionKind::Property),
            "contextmanager" | "asynccontextmanager" => result.manager = true,
            "setter" | "deleter" => result.accessor = true,
            "overload" => result.overload = true,
            _ => {}
        }
    }
    result
}

/// The dotted name of a decorator, without its arguments.
fn decorator_name(decorator: &Decorator) -> Option<String> {
    match &decorator.expression {
        Expr::Call(call) => dotted(&call.func),
        other => dotted(other),
    }
}

fn is_transparent(decorator: &Decorator) -> bool {
    let Some(name) = decorator_name(decorator) else { return false };
    let last = name.rsplit('.').next().unwrap_or_default();
    let marks = name.contains("mark.") || last.contains("nvtx") || last.contains("profil");
    let there = || TRANSPARENT_IN.iter().any(|it| name.contains(it));
    marks || TRANSPARENT.contains(&last) || (TRANSPARENT_THERE.contains(&last) && there())
}

impl<'a> Lowering<'a> {
    /// The values of the decorators that are not transparent, innermost first.
    pub(super) fn wrappers(&mut self, decorators: &'a [Decorator]) -> Vec<(Operand, Span)> {
        let mut wrappers = Vec::new();
        for decorator in decorators {
            let value = self.expression(&decorator.expression);
            if !is_transparent(decorator) {
                wrappers.push((value, span_of(decorator)));
            }
        }
        wrappers.reverse();
        wrappers
    }
}
