//! The front ends: each reads one language and lowers it to [`crate::ir`].

pub mod python;
pub mod rust;

use crate::ir::Unit;
use crate::source::Span;

/// A lowered file, and what could not be read of it.
#[derive(Debug)]
pub struct Lowered {
    /// What could be read.
    pub unit: Unit,
    /// What could not, in the order of the file.
    pub problems: Vec<Problem>,
}

/// A place that a front end could not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place.
    pub span: Span,
    /// What is wrong, lower case, without a full stop.
    pub message: String,
}

/// Where a file stands among the modules of its tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleName {
    /// Its absolute dotted name (`pkg.sub.mod`; for `pkg/__init__.py`: `pkg`), as far as it is known.
    pub dotted: String,
    /// Whether the file is the package itself (`__init__.py`): relative imports then start at it.
    pub package: bool,
}
