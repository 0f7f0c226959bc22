//! Annotations and bases, as types: `MPI.Comm`, `"MPI.Comm"`, `Optional[MPI.Comm]` and `MPI.Comm | None` are all `mpi4py.MPI.Comm`.

use ruff_python_ast::{Expr, Operator};
use ruff_python_parser::parse_expression;

use super::Lowering;
use crate::ir::TypeRef;

/// How long a quoted annotation may be to be looked at, and how many wrappers are unwrapped.
const QUOTED_LENGTH: usize = 200;
const WRAPPERS: u32 = 8;

impl Lowering<'_> {
    /// The type that an annotation names.
    pub(super) fn annotation(&self, annotation: Option<&Expr>) -> TypeRef {
        annotation.map_or(TypeRef::Unknown, |it| self.type_of(it, WRAPPERS))
    }

    fn type_of(&self, annotation: &Expr, wrappers: u32) -> TypeRef {
        let Some(inner) = wrappers.checked_sub(1) else { return TypeRef::Unknown };
        match annotation {
            Expr::Name(_) | Expr::Attribute(_) => {
                dotted(annotation).map_or(TypeRef::Unknown, |it| self.named_type(&it))
            }
            Expr::StringLiteral(quoted) if quoted.value.len() <= QUOTED_LENGTH => {
                let parsed = parse_expression(quoted.value.to_str());
                parsed.map_or(TypeRef::Unknown, |it| self.type_of(it.expr(), inner))
            }
            Expr::BinOp(union) if union.op == Operator::BitOr => {
                match (union.left.as_ref(), union.right.as_ref()) {
                    (some, Expr::NoneLiteral(_)) | (Expr::NoneLiteral(_), some) => self.type_of(some, inner),
                    _ => TypeRef::Unknown,
                }
            }
            Expr::Subscript(wrapper) => match dotted(&wrapper.value) {
                Some(name)
                    if matches!(
                        name.rsplit('.').next(),
                        Some("Optional" | "Annotated" | "Final" | "ClassVar")
                    ) =>
                {
                    let first = match wrapper.slice.as_ref() {
                        Expr::Tuple(several) => several.elts.first(),
                        only => Some(only),
                    };
                    first.map_or(TypeRef::Unknown, |it| self.type_of(it, inner))
                }
                _ => TypeRef::Unknown,
            },
            _ => TypeRef::Unknown,
        }
    }

    /// The type behind a dotted name.
    fn named_type(&self, name: &str) -> TypeRef {
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        let inner = self.scopes.iter().rev().find_map(|it| it.imports.get(first).map(String::as_str));
        if let Some(path) = inner.or_else(|| self.globals.path(first)) {
            return TypeRef::Path(rest.map_or_else(|| path.to_owned(), |rest| format!("{path}.{rest}")));
        }
        match rest {
            None => self.globals.class(first).map_or(TypeRef::Unknown, TypeRef::Class),
            Some(_) => TypeRef::Unknown,
        }
    }
}

/// The text of a name or of attributes of a name.
pub(super) fn dotted(expression: &Expr) -> Option<String> {
    let mut parts = Vec::new();
    let mut rest = expression;
    while let Expr::Attribute(attribute) = rest {
        parts.push(attribute.attr.as_str());
        rest = &attribute.value;
        if parts.len() > 16 {
            return None;
        }
    }
    let Expr::Name(name) = rest else { return None };
    parts.push(name.id.as_str());
    parts.reverse();
    Some(parts.join("."))
}
