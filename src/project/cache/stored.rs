//! What is remembered of one file.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Print;
use crate::project::{Silence, Silenced, known_rules};
use crate::rules::{Elsewhere, Finding, Fix, Label, Severity};

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
    /// Whether it contains none, and is analysed for what it uses of other files.
    #[serde(default, skip_serializing_if = "is_false")]
    joined: bool,
    /// What it imports of its tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    imports: Vec<String>,
    /// The names that matter of what it exports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    matters: Vec<String>,
    /// A hash of its content and of everything that it imports.
    #[serde(default)]
    closure: u64,
    /// What was found in it, by what the rest of the tree reads of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    found: Vec<Found>,
}

fn is_false(value: &bool) -> bool {
    !value
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
        Self {
            print,
            worth,
            joined: false,
            imports: Vec::new(),
            matters: Vec::new(),
            closure: 0,
            found: Vec::new(),
        }
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

    /// The same as a file that is analysed for what it uses of other files.
    pub(crate) fn joined(&self) -> Self {
        Self { joined: true, ..self.clone() }
    }

    /// The same with its place among the other files. What was found in another place does not count any more.
    pub(crate) fn linked(&self, imports: Vec<String>, matters: Vec<String>, closure: u64) -> Self {
        let found = if closure == self.closure { self.found.clone() } else { Vec::new() };
        Self { imports, matters, closure, found, ..self.clone() }
    }

    /// Whether it may start something.
    pub(crate) fn is_worth_parsing(&self) -> bool {
        self.worth == Worth::Handles
    }

    /// Whether it is analysed even if it is not named.
    pub(crate) fn is_node(&self) -> bool {
        self.worth != Worth::Nothing || self.joined
    }

    /// What it imports of its tree.
    pub(crate) fn imports(&self) -> impl Iterator<Item = &String> {
        self.imports.iter()
    }

    /// The names that matter of what it exports.
    pub(crate) fn matters(&self) -> impl Iterator<Item = &str> {
        self.matters.iter().map(String::as_str)
    }

    /// Hashes of these names, and of the last name of the module.
    pub(crate) fn wanted(&self) -> Vec<u64> {
        if self.matters.is_empty() {
            return Vec::new();
        }
        let module = self.print.module().rsplit('.').find(|name| !name.is_empty());
        self.matters().chain(module).map(super::hash).collect()
    }

    /// A hash of its content and of everything that it imports.
    pub(crate) fn closure(&self) -> u64 {
        self.closure
    }

    /// A hash of its content.
    pub(crate) fn content(&self) -> Option<u64> {
        self.print.content()
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    elsewhere: Vec<Elsewhere>,
    help: String,
    function: String,
    fix: Option<Fix>,
}

impl StoredFinding {
    fn of(finding: &Finding) -> Self {
        let Finding { rule, severity, message, primary, labels, elsewhere, help, function, fix } =
            finding.clone();
        Self { rule: rule.to_owned(), severity, message, primary, labels, elsewhere, help, function, fix }
    }

    fn told(&self) -> Option<Finding> {
        let Self { rule, severity, message, primary, labels, elsewhere, help, function, fix } = self.clone();
        let rule = known_rules().find(|known| known.name == rule)?.name;
        Some(Finding { rule, severity, message, primary, labels, elsewhere, help, function, fix })
    }
}
