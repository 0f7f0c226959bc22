//! What a run found.

use super::Change;
use serde::{Deserialize, Serialize};

use crate::rules::{Applicability, Finding, Label, Severity};
use crate::source::{SourceFile, Span};

/// The name under which a file that cannot be parsed is reported.
pub const SYNTAX_ERROR: &str = "syntax-error";
/// The name under which a file that cannot be read or decoded is reported.
pub const UNREADABLE_FILE: &str = "unreadable-file";
/// The name under which a defect of `unwaited` itself is reported.
pub const INTERNAL_ERROR: &str = "internal-error";

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The files about which there is something to say, in the order of their names.
    pub reports: Vec<FileReport>,
    /// How many files were looked at.
    pub files: usize,
    /// How many of them were not read, because nothing is to be said of them and they have not changed since that was found.
    pub passed_over: usize,
    /// What the user should know beside findings: paths that were given and are no source files.
    pub notes: Vec<String>,
    /// What was written beside the report, in sentences.
    pub written: Vec<String>,
    /// The files that were fixed, in the order of their names.
    pub changes: Vec<Change>,
}

impl Outcome {
    /// All findings with the file that they are in, in the order of the report.
    pub fn findings(&self) -> impl Iterator<Item = (&FileReport, &Finding)> {
        self.reports.iter().flat_map(|report| report.findings.iter().map(move |finding| (report, finding)))
    }

    /// All findings that are not reported, with the file that they are in.
    pub fn silenced(&self) -> impl Iterator<Item = (&FileReport, &Silenced)> {
        self.reports.iter().flat_map(|report| report.silenced.iter().map(move |silenced| (report, silenced)))
    }

    /// Whether some file could not be checked, or not wholly.
    pub fn is_incomplete(&self) -> bool {
        self.findings().any(|(_, finding)| is_failure(finding))
    }

    /// How many findings were fixed.
    pub fn fixed(&self) -> usize {
        self.changes.iter().map(|change| change.fixed).sum()
    }

    /// How many findings can be fixed in this way.
    pub fn fixable(&self, applicability: Applicability) -> usize {
        let fixes = self.findings().filter_map(|(_, finding)| finding.fix.as_ref());
        fixes.filter(|fix| fix.applicability == applicability).count()
    }

    /// Whether some finding weighs at least this much.
    pub fn reaches(&self, severity: Severity) -> bool {
        self.findings().any(|(_, finding)| finding.severity >= severity)
    }
}

/// Whether a finding says that a file could not be checked, or not wholly.
pub fn is_failure(finding: &Finding) -> bool {
    matches!(finding.rule, SYNTAX_ERROR | UNREADABLE_FILE | INTERNAL_ERROR)
}

/// The findings of one file.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// The file's path, relative to the working directory where it lies in it.
    pub name: String,
    /// Its text, unless it could not be read.
    pub source: Option<SourceFile>,
    /// What was found, in the order of the file.
    pub findings: Vec<Finding>,
    /// What was found and is not reported, in the order of the file.
    pub silenced: Vec<Silenced>,
}

/// A finding that is not reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silenced {
    /// What was found.
    pub finding: Finding,
    /// Why it is not reported.
    pub why: Silence,
}

/// Why a finding is not reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Silence {
    /// A comment suppresses it, for this reason.
    Comment(String),
    /// It is in the baseline.
    Baseline,
}

impl FileReport {
    /// The report of a file that has no text to point at.
    pub(crate) fn without_text(name: String, finding: Finding) -> Self {
        Self { name, source: None, findings: vec![finding], silenced: Vec::new() }
    }
}

/// A finding about a file as a whole or about how it is written, in which no handle takes part.
pub(crate) fn plain_finding(
    rule: &'static str,
    severity: Severity,
    message: impl Into<String>,
    span: Span,
) -> Finding {
    Finding {
        rule,
        severity,
        message: message.into(),
        primary: Label { span, text: String::new() },
        labels: Vec::new(),
        help: String::new(),
        function: String::new(),
        fix: None,
    }
}
