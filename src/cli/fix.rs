//! `unwaited check --fix` and `--diff`: what becomes of changed texts.

use std::io::{self, Write};

use similar::TextDiff;

use super::output::{Output, tell};
use super::{Exit, fail};
use crate::project::{Change, Outcome, reason};
use crate::rules::Severity;
use crate::source::encode_like;

/// Writes every changed file.
pub(super) fn write(changes: &[Change]) -> Result<(), String> {
    let failures: Vec<String> = changes.iter().filter_map(|change| change.write().err()).collect();
    match failures.split_last() {
        None => Ok(()),
        Some((last, before)) => {
            before.iter().for_each(|message| tell("error", message));
            Err(last.clone())
        }
    }
}

/// Prints a text from standard input with its fixes.
pub(super) fn pass_on(bytes: &[u8], changes: &[Change]) -> Result<(), String> {
    let fixed = changes.first().and_then(|change| encode_like(bytes, &change.after));
    let print = |out: &mut dyn Write| out.write_all(fixed.as_deref().unwrap_or(bytes));
    Output::Standard
        .write(print)
        .map_err(|error| format!("the fixed text cannot be written: {}", reason(&error)))
}

/// Prints what the fixes would change, and changes nothing.
pub(super) fn show(outcome: &Outcome, output: &Output) -> Exit {
    let print = |out: &mut dyn Write| outcome.changes.iter().try_for_each(|change| difference(change, out));
    if let Err(error) = output.write(print) {
        return fail(&format!("the difference cannot be written: {}", reason(&error)));
    }
    let files = match outcome.changes.len() {
        1 => "1 file".to_owned(),
        files => format!("{files} files"),
    };
    match outcome.fixed() {
        0 => tell("note", "nothing would be fixed"),
        1 => tell("note", &format!("would fix 1 problem in {files}")),
        fixed => tell("note", &format!("would fix {fixed} problems in {files}")),
    }
    if outcome.is_incomplete() {
        tell_failures(outcome);
        return Exit::Failed;
    }
    if outcome.changes.is_empty() { Exit::Clean } else { Exit::Found }
}

/// The difference in the form that `patch` and `git apply` read.
fn difference(change: &Change, out: &mut dyn Write) -> io::Result<()> {
    let (old, new) = (format!("a/{}", change.name), format!("b/{}", change.name));
    let lines = TextDiff::from_lines(&change.before, &change.after);
    write!(out, "{}", lines.unified_diff().header(&old, &new))
}

fn tell_failures(outcome: &Outcome) {
    let failures = outcome.findings().filter(|(_, finding)| {
        finding.severity == Severity::Error && crate::rules::rule(finding.rule).is_none()
    });
    for (report, finding) in failures {
        tell("error", &format!("{}: {}", report.name, finding.message));
    }
}
