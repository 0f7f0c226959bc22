//! The messages of PyTorch's lintrunner, one JSON object in a row.

use std::io::{self, Write};

use serde::Serialize;

use super::json::write_row;
use super::place::Place;
use crate::project::{FileReport, Outcome};
use crate::rules::Finding;

#[derive(Serialize)]
struct Message<'o> {
    path: &'o str,
    line: Option<u32>,
    char: Option<u32>,
    code: &'static str,
    severity: &'static str,
    name: &'static str,
    original: Option<&'o str>,
    replacement: Option<&'o str>,
    description: String,
}

pub(super) fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    outcome.findings().try_for_each(|(report, finding)| write_row(&message(report, finding), out))
}

fn message<'o>(report: &'o FileReport, finding: &'o Finding) -> Message<'o> {
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
        original: None,
        replacement: None,
        description: format!("{}{help}", finding.message),
    }
}
