//! Annotations of GitHub Actions, one row for each finding.
//!
//! ```text
//! ::error title=unwaited (discarded-handle),file=ring.py,line=12,col=5,endLine=12,endColumn=29::ring.py:12:5: the handle …
//! ```

use std::io::{self, Write};

use super::place::{Place, slashed};
use crate::project::{FileReport, Outcome};
use crate::rules::{Finding, Severity};

pub(super) fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    outcome.findings().try_for_each(|(report, finding)| write_one(report, finding, out))
}

fn write_one(report: &FileReport, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let name = slashed(&report.name);
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "notice",
    };
    let mut properties = format!("title=unwaited ({}),file={}", finding.rule, property(&name));
    let mut place = String::new();
    if report.source.is_some() {
        let Place { start, end } = Place::of(report, finding.primary.span);
        place = format!("{}:{}:", start.row, start.column);
        // Columns are for one row only.
        properties += &match Place::of(report, finding.primary.span).is_on_one_row() {
            true => format!(
                ",line={},col={},endLine={},endColumn={}",
                start.row, start.column, end.row, end.column
            ),
            false => format!(",line={},endLine={}", start.row, end.row),
        };
    }
    let help = if finding.help.is_empty() { String::new() } else { format!("\nhelp: {}", finding.help) };
    let message = format!("{name}:{place} {}{help}", finding.message);
    writeln!(out, "::{command} {properties}::{}", data(&message))
}

/// What stands behind the colons.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
