//! The closing line: `found 3 problems (2 errors, 1 warning) in 120 files`.

use std::io::{self, Write};

use crate::project::{Outcome, Silence};
use crate::rules::{Applicability, Severity};

pub(super) fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", sentence(outcome))?;
    match hint(outcome) {
        Some(hint) => writeln!(out, "{hint}"),
        None => Ok(()),
    }
}

/// What can be done about what is left.
fn hint(outcome: &Outcome) -> Option<String> {
    let safe = outcome.fixable(Applicability::Safe);
    let others = outcome.fixable(Applicability::Unsafe);
    match (safe, others) {
        (0, 0) => None,
        (safe, 0) => Some(format!("{safe} can be fixed with `--fix`")),
        (0, others) => Some(format!("{others} can be fixed with `--fix --unsafe-fixes`")),
        (safe, others) => {
            Some(format!("{safe} can be fixed with `--fix`, {others} more with `--fix --unsafe-fixes`"))
        }
    }
}

fn sentence(outcome: &Outcome) -> String {
    let known = outcome.silenced().filter(|(_, silenced)| silenced.why == Silence::Baseline).count();
    match known {
        0 => found(outcome),
        1 => format!("{}; 1 more is in the baseline", found(outcome)),
        known => format!("{}; {known} more are in the baseline", found(outcome)),
    }
}

fn found(outcome: &Outcome) -> String {
    let problems = outcome.findings().count();
    if outcome.fixed() > 0 {
        return fixed(outcome, problems);
    }
    match (problems, outcome.files) {
        (0, 0) => "no file to check".to_owned(),
        (0, files) => format!("no problem found in {}", counted(files, "file")),
        (problems, 0) => format!("found {} ({})", counted(problems, "problem"), by_severity(outcome)),
        (problems, files) => format!(
            "found {} ({}) in {}",
            counted(problems, "problem"),
            by_severity(outcome),
            counted(files, "file")
        ),
    }
}

/// `found 3 problems in 2 files: 2 fixed, 1 left (1 error)`
fn fixed(outcome: &Outcome, left: usize) -> String {
    let fixed = outcome.fixed();
    let found = counted(fixed + left, "problem");
    let rest = match left {
        0 => "none left".to_owned(),
        left => format!("{left} left ({})", by_severity(outcome)),
    };
    format!("found {found} in {}: {fixed} fixed, {rest}", counted(outcome.files, "file"))
}

fn by_severity(outcome: &Outcome) -> String {
    let count = |severity| outcome.findings().filter(|(_, finding)| finding.severity == severity).count();
    let parts = [Severity::Error, Severity::Warning, Severity::Advice].map(|severity| match severity {
        Severity::Error => (count(severity), counted(count(severity), "error")),
        Severity::Warning => (count(severity), counted(count(severity), "warning")),
        Severity::Advice => (count(severity), format!("{} advice", count(severity))),
    });
    let parts: Vec<String> =
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
    parts.join(", ")
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::FileReport;
    use crate::rules::{Finding, Label};
    use crate::source::Span;

    fn closing(severities: &[Severity], files: usize) -> String {
        let finding = |severity: &Severity| Finding {
            rule: "discarded-handle",
            severity: *severity,
            message: String::new(),
            primary: Label { span: Span::default(), text: String::new() },
            labels: Vec::new(),
            help: String::new(),
            function: String::new(),
            fix: None,
        };
        let findings = severities.iter().map(finding).collect();
        let reports =
            vec![FileReport { name: "a.py".to_owned(), source: None, findings, silenced: Vec::new() }];
        sentence(&Outcome { reports, files, ..Outcome::default() })
    }

    #[test]
    fn nothing_to_check_and_nothing_found() {
        assert_eq!(closing(&[], 0), "no file to check");
        assert_eq!(closing(&[], 1), "no problem found in 1 file");
    }

    #[test]
    fn every_severity_is_counted() {
        use Severity::{Advice, Error, Warning};
        assert_eq!(closing(&[Error], 1), "found 1 problem (1 error) in 1 file");
        let all = closing(&[Error, Advice, Error, Warning], 120);
        assert_eq!(all, "found 4 problems (2 errors, 1 warning, 1 advice) in 120 files");
    }

    #[test]
    fn a_path_that_does_not_exist_is_no_file() {
        assert_eq!(closing(&[Severity::Error], 0), "found 1 problem (1 error)");
    }
}
