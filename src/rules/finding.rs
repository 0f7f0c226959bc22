//! A finding: what a rule says about an event, ready for a report.

use serde::{Deserialize, Serialize};

use crate::source::{Edit, Span};

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    /// How the source can be changed so that it is gone, where that is known.
    pub fix: Option<Fix>,
}

/// A change of the source that removes a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// Whether it can be made without a look at it.
    pub applicability: Applicability,
    /// What it does, lower case, without a full stop.
    pub message: String,
    /// The changes, which are made together.
    pub edits: Vec<Edit>,
}

/// Whether a fix can be made without a look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Applicability {
    /// The program does what was written before, or what can only have been meant.
    Safe,
    /// The operations are finished, and a person should see whether this is the right place for it.
    Unsafe,
}

impl Applicability {
    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// A place and what is to be seen there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}
