//! The messages of PyTorch's lintrunner, one JSON object in a row.
//!
//! A **replacement** is the whole file with the fix of this message. lintrunner writes the last one of a file when it is asked to;
//! the others come with the next run.

use std::io::{self, Write};

use serde::Serialize;

use super::json::write_row;
use super::place::Place;
use crate::project::{FileReport, Outcome};
use crate::rules::{Applicability, Finding};
use crate::source::SourceFile;

#[derive(Serialize)]
struct Message<'o> {
    path: &'o str,
    line: Option<u32>,
    char: Option<u32>,
    code: &'static str,
    severity: &'static str,
    name: &'static str,
    original: Option<&'o str>,
    replacement: Option<String>,
    description: String,
}

pub(super) fn write(outcome: &Outcome, allowed: Applicability, out: &mut dyn Write) -> io::Result<()> {
    outcome.findings().try_for_each(|(report, finding)| write_row(&message(report, finding, allowed), out))
}

fn message<'o>(report: &'o FileReport, finding: &'o Finding, allowed: Applicability) -> Message<'o> {
    let fix = finding.fix.as_ref().filter(|fix| fix.applicability <= allowed);
    let source = report.source.as_ref();
    let replacement = fix.and_then(|fix| Some(source?.edited(&fix.edits)?.raw().to_owned()));
    let start = report.source.as_ref().map(|_| Place::of(report, finding.primary.span).start);
    let help = if finding.help.is_empty() { String::new() } else { format!("\nhelp: {}", finding.help) };
    Message {
        path: &report.name,
        line: start.map(|start| start.row),
        char: start.map(|start| start.column),
        code: "UNWAITED",
        // The words are the same.
        severity: finding.severity.word(),
        name: finding.rule,
        original: source.filter(|_| replacement.is_some()).map(SourceFile::raw),
        replacement,
        description: format!("{}{help}", finding.message),
    }
}
