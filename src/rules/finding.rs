//! A finding: what a rule says about an event, ready for a report.

use crate::source::Span;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; never fails a run by default.
    Advice,
    /// Probably wrong, or wrong on some backend.
    Warning,
    /// Wrong.
    Error,
}

impl Severity {
    /// The word that reports and configuration use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Advice => "advice",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What a rule says about one place.
///
/// It cannot be built without its primary label: the report always has a line to point at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's name.
    pub rule: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// What happened, in the user's names, lower case, without a full stop.
    pub message: String,
    /// The place it is reported at, with what is to be seen there.
    pub primary: Label,
    /// The rest of the story, in the order of events.
    pub labels: Vec<Label>,
    /// What to do.
    pub help: String,
    /// The qualified name of the function that it is in.
    pub function: String,
}

/// A place and what is to be seen there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}
