//! What is remembered of one file.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Print;
use crate::project::{Silence, Silenced, known_rules};
use crate::rules::{Finding, Fix, Label, Severity};

/// For what a file is worth reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Worth {
    /// It contains no word that matters; it is passed over unless it is named.
    Nothing,
    /// It starts nothing that has a handle, and its ranks may still wait for each other.
    Ranks,
    /// It may start something.
    Handles,
}

/// What is remembered of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(super) print: Print,
    pub(super) worth: Worth,
    /// What was found in it, by what the rest of the tree reads of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    found: Vec<Found>,
}

/// What is found in a file, given what the rest of its tree reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Found {
    /// The names that it keeps handles under and never reads.
    pub(crate) kept: BTreeSet<String>,
    /// Those of them that nothing else reads.
    pub(crate) unread: BTreeSet<String>,
    findings: Vec<StoredFinding>,
    silenced: Vec<(StoredFinding, Silence)>,
}

impl Stored {
    /// A file of which it is not known yet what is found in it.
    pub(crate) fn new(print: Print, worth: Worth) -> Self {
        Self { print, worth, found: Vec::new() }
    }

    /// The same under another print.
    pub(super) fn under(&self, print: Print) -> Self {
        Self { print, ..self.clone() }
    }

    /// The same with what was found.
    pub(crate) fn with(&self, found: Found) -> Self {
        let mut stored = self.clone();
        stored.found.retain(|known| known.unread != found.unread);
        stored.found.push(found);
        stored
    }

    /// Whether anything was found, under whatever circumstances.
    pub(crate) fn has_findings(&self) -> bool {
        self.found.iter().any(|found| !found.findings.is_empty())
    }

    /// Whether nothing is to be said of the file, whatever the rest of the tree reads.
    pub(crate) fn is_silent(&self) -> bool {
        let silent =
            |found: &Found| found.kept.is_empty() && found.findings.is_empty() && found.silenced.is_empty();
        !self.found.is_empty() && self.found.iter().all(silent)
    }

    /// Whether it contains no word for which it would be parsed.
    pub(crate) fn is_worthless(&self) -> bool {
        self.worth == Worth::Nothing
    }

    /// The names that it keeps handles under and never reads, where it was analysed.
    pub(crate) fn kept(&self) -> Option<&BTreeSet<String>> {
        self.found.first().map(|found| &found.kept)
    }

    /// What is found where nothing else reads these names.
    pub(crate) fn found(&self, unread: &BTreeSet<String>) -> Option<&Found> {
        self.found.iter().find(|found| found.unread == *unread)
    }
}

impl Found {
    /// What is found where the file keeps handles under some names, of which nothing else reads the others.
    pub(crate) fn new(
        (kept, unread): (BTreeSet<String>, BTreeSet<String>),
        findings: &[Finding],
        silenced: &[Silenced],
    ) -> Self {
        let stored = |silenced: &Silenced| (StoredFinding::of(&silenced.finding), silenced.why.clone());
        Self {
            kept,
            unread,
            findings: findings.iter().map(StoredFinding::of).collect(),
            silenced: silenced.iter().map(stored).collect(),
        }
    }

    /// The findings, unless a rule of them is not known any more.
    pub(crate) fn told(&self) -> Option<(Vec<Finding>, Vec<Silenced>)> {
        let findings = self.findings.iter().map(StoredFinding::told).collect::<Option<_>>()?;
        let silenced = self
            .silenced
            .iter()
            .map(|(finding, why)| Some(Silenced { finding: finding.told()?, why: why.clone() }));
        Some((findings, silenced.collect::<Option<_>>()?))
    }
}

/// A finding whose rule is known by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredFinding {
    rule: String,
    severity: Severity,
    message: String,
    primary: Label,
    labels: Vec<Label>,
    help: String,
    function: String,
    fix: Option<Fix>,
}

impl StoredFinding {
    fn of(finding: &Finding) -> Self {
        let Finding { rule, severity, message, primary, labels, help, function, fix } = finding.clone();
        Self { rule: rule.to_owned(), severity, message, primary, labels, help, function, fix }
    }

    fn told(&self) -> Option<Finding> {
        let Self { rule, severity, message, primary, labels, help, function, fix } = self.clone();
        let rule = known_rules().find(|known| known.name == rule)?.name;
        Some(Finding { rule, severity, message, primary, labels, help, function, fix })
    }
}
