//! What the linter says of a fixture, and whether that agrees with what the fixture does.
//!
//! The comparison knows the linter through [`Linter`] only: this layer stands below it.
//!
//! ```text
//! verdict    markers                            findings            agreement
//! hangs      #~ discarded-handle                discarded-handle    agrees
//! hangs      #~ discarded-handle                                    discarded-handle is marked and not found
//! hangs      #~ wait-cycle, no rule as yet                          agrees, and `found` says "not linted yet"
//! completes                                     discarded-handle    discarded-handle finds harm where there is none
//! ```

use super::super::fixture::{Fixture, Marked, Marker};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// The linter, as far as fixtures are compared with it.
pub trait Linter {
    /// Whether it has a rule of this name.
    fn has_rule(&self, name: &str) -> bool;

    /// What it finds in a file; `None` if it does not read files of this language.
    ///
    /// # Errors
    /// A message for the user: the file could not be checked.
    fn findings(&self, path: &Path) -> Result<Option<Vec<Finding>>, String>;
}

/// A linter that reads no language: fixtures are compared with their headers only.
#[derive(Clone, Copy, Debug)]
pub struct NoLinter;

impl Linter for NoLinter {
    fn has_rule(&self, _name: &str) -> bool {
        false
    }

    fn findings(&self, _path: &Path) -> Result<Option<Vec<Finding>>, String> {
        Ok(None)
    }
}

/// Something that a rule reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: String,
    /// How much it weighs.
    pub weight: Weight,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The program does no harm, it could be better.
    Advice,
    /// The program may do harm.
    Harm,
}

/// What the linter says of a fixture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// These rules report something.
    Rules(BTreeSet<String>),
    /// The linter does not read this language, or has none of the rules that the fixture is marked with.
    NotLintedYet,
    /// The rules that the fixture is marked with report nothing, and the markers say why.
    KnownMiss,
    /// The header says that no rule is about this.
    NoRule,
}

/// Asks the linter about a fixture: what it finds, and what of that disagrees with the fixture.
pub(super) fn compare(fixture: &Fixture, linter: &dyn Linter) -> Result<(Found, Vec<String>), String> {
    let Some(findings) = linter.findings(&fixture.path)? else {
        return Ok((Found::NotLintedYet, Vec::new()));
    };
    let disagreements = match fixture.expectation.is_harmless() {
        true => false_alarms(fixture, &findings),
        false => misses(fixture, &findings, linter),
    };
    let rules: BTreeSet<String> = findings.into_iter().map(|finding| finding.rule).collect();
    let is_checked = fixture.markers.is_empty() || fixture.markers.iter().any(|it| linter.has_rule(&it.rule));
    let found = match rules.is_empty() {
        true if !is_checked => Found::NotLintedYet,
        true if fixture.markers.iter().any(|it| it.marked == Marked::KnownMiss) => Found::KnownMiss,
        true if fixture.no_rule => Found::NoRule,
        true | false => Found::Rules(rules),
    };
    Ok((found, disagreements))
}

/// A program that completes under every schedule must not be accused.
fn false_alarms(fixture: &Fixture, findings: &[Finding]) -> Vec<String> {
    let accuses = |finding: &&Finding| finding.weight == Weight::Harm;
    let wrong: BTreeSet<&str> = findings
        .iter()
        .filter(accuses)
        .map(|finding| finding.rule.as_str())
        .filter(|rule| !fixture.is_marked(rule, Marked::KnownFalseAlarm))
        .collect();
    wrong.into_iter().map(|rule| format!("{rule} finds harm where there is none")).collect()
}

/// In a program that does harm, the rules that it is marked with must find it, as far as they exist.
fn misses(fixture: &Fixture, findings: &[Finding], linter: &dyn Linter) -> Vec<String> {
    if fixture.markers.is_empty() {
        let why = "no rule is marked, and the header does not say `no rule: why`";
        return if fixture.no_rule { Vec::new() } else { vec![why.to_owned()] };
    }
    let is_found = |marker: &&Marker| findings.iter().any(|finding| finding.rule == marker.rule);
    let expected = fixture.markers.iter().filter(|marker| marker.marked == Marked::Found);
    let missed: BTreeSet<&str> = expected
        .filter(|marker| linter.has_rule(&marker.rule) && !is_found(marker))
        .map(|marker| marker.rule.as_str())
        .collect();
    missed.into_iter().map(|rule| format!("{rule} is marked and not found")).collect()
}
