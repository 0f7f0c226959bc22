//! What a finding is recognised by when the file around it has changed: its rule, the function that it is in, and its line
//! without the blanks that formatting changes. Rows do not count, so that edits above it change nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::FileReport;
use crate::rules::Finding;
use crate::source::SourceFile;

/// What a finding is recognised by, in one file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The rule.
    pub rule: String,
    /// The qualified name of the function; empty at the top level.
    pub function: String,
    /// The line, with one blank between its words.
    pub line: String,
}

impl Fingerprint {
    /// What a finding is recognised by; a file that has no text has no lines.
    pub fn of(source: Option<&SourceFile>, finding: &Finding) -> Self {
        let line = source.map_or("", |source| {
            let row = source.lines.row(finding.primary.span.start);
            source.lines.text(&source.text, row)
        });
        Self {
            rule: finding.rule.to_owned(),
            function: finding.function.clone(),
            line: line.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

/// Numbers the findings that are recognised by the same thing, so that each has a name of its own.
#[derive(Debug, Default)]
pub struct Names {
    seen: BTreeMap<(String, Fingerprint), u32>,
}

impl Names {
    /// A name of 16 letters for a finding, the same in every run over the same tree.
    pub fn name(&mut self, report: &FileReport, finding: &Finding) -> String {
        let fingerprint = Fingerprint::of(report.source.as_ref(), finding);
        let Fingerprint { rule, function, line } = fingerprint.clone();
        let number = self.seen.entry((report.name.clone(), fingerprint)).or_default();
        *number += 1;
        let parts = [rule.as_str(), &report.name.replace('\\', "/"), &function, &line, &number.to_string()];
        format!("{:016x}", fnv(parts.join("\0").as_bytes()))
    }
}

/// FNV-1a: names must not change with the version of a library, and nobody gains by making two alike.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::outcome::plain_finding;
    use crate::rules::Severity;
    use crate::source::Span;

    fn report(text: &str) -> FileReport {
        let at = text.match_indices("isend").map(|(at, _)| Span::new(at as u32, at as u32 + 5));
        let finding = |span| plain_finding("discarded-handle", Severity::Error, "", span);
        FileReport {
            name: "a.py".to_owned(),
            source: Some(SourceFile::new("a.py", text)),
            findings: at.map(finding).collect(),
            silenced: Vec::new(),
        }
    }

    fn names(text: &str) -> Vec<String> {
        let (report, mut names) = (report(text), Names::default());
        report.findings.iter().map(|finding| names.name(&report, finding)).collect()
    }

    #[test]
    fn lines_above_and_blanks_change_nothing() {
        assert_eq!(names("dist.isend(t,  1)\n"), names("import x\n\n    dist.isend(t, 1)\r\n"));
        assert_ne!(names("dist.isend(t, 1)\n"), names("dist.isend(t, 2)\n"));
    }

    #[test]
    fn two_that_are_alike_have_two_names() {
        let names = names("dist.isend(t, 1)\ndist.isend(t, 1)\n");
        assert_ne!(names[0], names[1]);
    }

    #[test]
    fn a_name_is_the_same_in_every_version() {
        insta::assert_snapshot!(names("dist.isend(t, 1)\n").join(" "), @"5b48e70f0aac8dc9");
    }
}
