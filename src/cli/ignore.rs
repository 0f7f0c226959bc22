//! `unwaited check --add-ignore`: a comment for everything that is found.

use std::path::{Path, PathBuf};

use super::arguments::CheckArguments;
use super::output::tell;
use super::{Exit, fail};
use crate::project::{Change, FileReport, Outcome, UNUSED_IGNORE, is_failure};
use crate::rules::Finding;
use crate::source::{Language, Span, ignore_edits};

/// Writes the comments, and says how many.
pub(super) fn add(arguments: &CheckArguments, reason: &str, outcome: &Outcome) -> Exit {
    if reason.contains(['\n', '\r']) {
        return fail("the reason of `--add-ignore` has more than one row, and a comment has only one");
    }
    let changes: Vec<Change> = outcome.reports.iter().filter_map(|report| change(report, reason)).collect();
    let mut wrong = false;
    let (mut findings, mut files) = (0, 0);
    for change in &changes {
        match change.write() {
            Ok(()) => {
                findings += change.fixed;
                files += 1;
            }
            Err(message) => {
                wrong = true;
                tell("error", &message);
            }
        }
    }
    if !arguments.quiet {
        let plural = |count, noun| if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") };
        tell("note", &format!("{} suppressed in {}", plural(findings, "finding"), plural(files, "file")));
    }
    for (report, finding) in outcome.findings().filter(|(_, finding)| is_failure(finding)) {
        wrong = true;
        tell("error", &format!("{}: {}", report.name, finding.message));
    }
    if wrong { Exit::Failed } else { Exit::Clean }
}

/// What is added to a file.
fn change(report: &FileReport, reason: &str) -> Option<Change> {
    let source = report.source.as_ref()?;
    let path = PathBuf::from(&report.name);
    let language = Language::of(&path).unwrap_or(Language::Python);
    let suppressed = |finding: &&Finding| !is_failure(finding) && finding.rule != UNUSED_IGNORE;
    let findings: Vec<(Span, &str)> = report
        .findings
        .iter()
        .filter(suppressed)
        .map(|finding| (finding.primary.span, finding.rule))
        .collect();
    let edits = ignore_edits(language, &source.text, &source.lines, &findings, reason.trim());
    let after = source.edited(&edits).filter(|after| after.raw() != source.raw())?;
    Some(Change {
        path: Some(Path::new(&report.name).to_owned()),
        name: report.name.clone(),
        before: source.raw().to_owned(),
        after: after.raw().to_owned(),
        fixed: findings.len(),
    })
}
