//! GitLab's code quality report: an array in the form of Code Climate's issues.

use std::io::{self, Write};

use serde::Serialize;

use super::json::write_value;
use super::place::{Place, slashed};
use crate::project::{FileReport, Names, Outcome};
use crate::rules::{Finding, Severity};

#[derive(Serialize)]
struct Issue<'o> {
    description: String,
    check_name: &'o str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

pub(super) fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let mut names = Names::default();
    let issues: Vec<Issue<'_>> =
        outcome.findings().map(|(report, finding)| issue(report, finding, &mut names)).collect();
    write_value(&issues, out)
}

fn issue<'o>(report: &FileReport, finding: &'o Finding, names: &mut Names) -> Issue<'o> {
    let Place { start, end } = Place::of(report, finding.primary.span);
    Issue {
        description: finding.message.clone(),
        check_name: finding.rule,
        fingerprint: names.name(report, finding),
        severity: match finding.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Advice => "info",
        },
        location: Location { path: slashed(&report.name), lines: Lines { begin: start.row, end: end.row } },
    }
}
