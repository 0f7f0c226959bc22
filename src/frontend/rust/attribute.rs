//! `#[cfg(…)]`: a statement that the configuration may leave out stands under a condition, which is told apart by its text.
//!
//! ```text
//! #[cfg(feature = "mpi")]
//! let r = start();              if cfg(feature = "mpi") then r = start()
//! #[cfg(not(feature = "mpi"))]
//! let r = ();                   if not cfg(feature = "mpi") then r = (): the same variable
//! ```

use syn::{Attribute, Meta, Pat};

use super::Lowering;
use crate::ir::{Constant, Operand, Operator, Terminator};

impl Lowering<'_> {
    /// Lowers something under the conditions of its attributes.
    pub(super) fn configured(&mut self, attributes: &[Attribute], inner: impl FnOnce(&mut Self)) {
        let conditions: Vec<(String, Negated)> = attributes.iter().filter_map(condition).collect();
        if conditions.is_empty() {
            return inner(self);
        }
        let done = self.block();
        let mark = self.mark();
        for (text, negated) in conditions {
            let next = self.block();
            let (yes, no) = if negated == Negated::Yes { (done, next) } else { (next, done) };
            let at = attributes.first().map(|it| self.span_of_node(it)).unwrap_or_default();
            let on = self.configuration(text, at);
            self.end(Terminator::Branch { on, yes, no, span: at, repeats: false });
            self.switch_to(next);
        }
        inner(self);
        self.goto(done);
        self.switch_to(done);
        self.forget_since(mark);
    }

    /// A condition on the configuration.
    pub(super) fn configuration(&mut self, text: String, at: crate::source::Span) -> Operand {
        let text = Operand::Constant(Constant::Other(text));
        self.compute(Operator::Other("cfg"), vec![text], at)
    }

    /// Names that a twin of this statement may declare too.
    pub(super) fn note_twins(&mut self, pattern: &Pat) {
        let mut names = Vec::new();
        super::pattern::names_in(pattern, &mut names);
        if let Some(layer) = self.scope().layers.last_mut() {
            layer.twins.extend(names);
        }
    }
}

/// Whether a condition is turned around by `not(…)`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Negated {
    Yes,
    No,
}

/// Whether an attribute decides if the statement is there.
pub(super) fn is_condition(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

fn condition(attribute: &Attribute) -> Option<(String, Negated)> {
    if !is_condition(attribute) {
        return None;
    }
    let Meta::List(list) = &attribute.meta else { return None };
    let text = list.tokens.to_string();
    let inner =
        text.strip_prefix("not").map(str::trim).and_then(|it| it.strip_prefix('(')?.strip_suffix(')'));
    Some(match inner {
        Some(inner) => (inner.trim().to_owned(), Negated::Yes),
        None => (text, Negated::No),
    })
}
