//! The findings that are known: they were there when the tool was adopted, and are not reported again.
//!
//! - An **entry** is a file, what its findings are recognised by ([`Fingerprint`]), and how many of them are known. Of more
//!   than that the last ones of the file are new.
//! - An entry is **gone** when its file was checked, or is no longer there, and fewer findings are like it. Writing the baseline
//!   anew drops it.
//!
//! ```text
//! baseline        send.py  discarded-handle  in push  dist.isend(t, 1)      2 known
//! the file now    three of them              the first two are not reported, the third is
//!                 one of them                it is not reported; one entry is gone
//! ```

mod compare;

pub(crate) use compare::compare;
pub use compare::{BaselineUse, baseline_of};

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::walk::{reason, shown};
use super::{FileReport, Fingerprint, Silence, Silenced, is_failure, replace_file};
use crate::rules::Finding;

/// The file that is a baseline without being named in the configuration.
pub const BASELINE: &str = "unwaited-baseline.json";
/// The form that this version writes.
const VERSION: u32 = 1;

/// The findings that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    known: BTreeMap<Entry, usize>,
}

/// What is known of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// The file, relative to the folder of the baseline, with slashes.
    file: String,
    fingerprint: Fingerprint,
}

/// The file of a baseline.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    findings: Vec<Row>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Row {
    file: String,
    rule: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    function: String,
    line: String,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: usize,
}

fn one() -> usize {
    1
}

fn is_one(count: &usize) -> bool {
    *count == 1
}

impl Baseline {
    /// Reads a baseline. An error is a message for the user.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = shown(path);
        let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                format!("the baseline `{name}` is not there: write it with `--write-baseline`")
            }
            _ => format!("the baseline `{name}` cannot be read: {}", reason(&error)),
        })?;
        let wrong = |why: String| {
            format!(
                "the baseline `{name}` is damaged: {why}; remove it and write it anew with `--write-baseline`"
            )
        };
        let written: Written = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if written.version != VERSION {
            return Err(wrong(format!("its version is {}, and this one reads {VERSION}", written.version)));
        }
        let mut baseline = Self::default();
        for row in written.findings {
            let fingerprint = Fingerprint { rule: row.rule, function: row.function, line: row.line };
            *baseline.known.entry(Entry { file: row.file, fingerprint }).or_default() += row.count;
        }
        Ok(baseline)
    }

    /// Writes a baseline, wholly or not at all.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let findings = self.known.iter().map(|(entry, count)| {
            let Fingerprint { rule, function, line } = entry.fingerprint.clone();
            Row { file: entry.file.clone(), rule, function, line, count: *count }
        });
        let written = Written { version: VERSION, findings: findings.collect() };
        let failed = |why: String| format!("the baseline `{}` cannot be written: {why}", shown(path));
        let text = serde_json::to_string_pretty(&written).map_err(|error| failed(error.to_string()))?;
        replace_file(path, (text + "\n").as_bytes()).map_err(|error| failed(reason(&error)))
    }

    /// Takes the known findings out of a report, and out of what is left of the baseline.
    fn silence(&mut self, report: &mut FileReport, file: &str) {
        let mut findings = Vec::new();
        for finding in std::mem::take(&mut report.findings) {
            match self.known.get_mut(&Entry::of(report, &finding, file)) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    report.silenced.push(Silenced { finding, why: Silence::Baseline });
                }
                Some(_) | None => findings.push(finding),
            }
        }
        report.findings = findings;
    }

    /// Lets the findings of a report be known.
    fn learn(&mut self, report: &FileReport, file: &str) {
        for finding in report.findings.iter().filter(|finding| !is_failure(finding)) {
            *self.known.entry(Entry::of(report, finding, file)).or_default() += 1;
        }
    }
}

impl Entry {
    fn of(report: &FileReport, finding: &Finding, file: &str) -> Self {
        Self { file: file.to_owned(), fingerprint: Fingerprint::of(report, finding) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Baseline, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("known.json");
        std::fs::write(&path, text).unwrap();
        let read = Baseline::read(&path);
        read.map_err(|message| message.replace(&folder.path().display().to_string(), "/here"))
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("known.json");
        let fingerprint = |line: &str| Fingerprint {
            rule: "discarded-handle".to_owned(),
            function: "send".to_owned(),
            line: line.to_owned(),
        };
        let entry = |line| Entry { file: "a.py".to_owned(), fingerprint: fingerprint(line) };
        let baseline = Baseline { known: BTreeMap::from([(entry("isend(t)"), 1), (entry("irecv(t)"), 3)]) };
        baseline.write(&path).unwrap();
        insta::assert_snapshot!(std::fs::read_to_string(&path).unwrap(), @r#"
        {
          "version": 1,
          "findings": [
            {
              "file": "a.py",
              "rule": "discarded-handle",
              "function": "send",
              "line": "irecv(t)",
              "count": 3
            },
            {
              "file": "a.py",
              "rule": "discarded-handle",
              "function": "send",
              "line": "isend(t)"
            }
          ]
        }
        "#);
        assert_eq!(Baseline::read(&path), Ok(baseline));
    }

    #[test]
    fn a_file_that_is_no_baseline() {
        insta::assert_snapshot!(read("{").unwrap_err(), @"the baseline `/here/known.json` is damaged: EOF while parsing an object at line 1 column 1; remove it and write it anew with `--write-baseline`");
        insta::assert_snapshot!(read("[]").unwrap_err(), @"the baseline `/here/known.json` is damaged: invalid length 0, expected struct Written with 2 elements at line 1 column 2; remove it and write it anew with `--write-baseline`");
        insta::assert_snapshot!(read(r#"{"version": 7, "findings": []}"#).unwrap_err(), @"the baseline `/here/known.json` is damaged: its version is 7, and this one reads 1; remove it and write it anew with `--write-baseline`");
        insta::assert_snapshot!(read(r#"{"version": 1, "findings": [{"file": "a.py"}]}"#).unwrap_err(), @"the baseline `/here/known.json` is damaged: missing field `rule` at line 1 column 44; remove it and write it anew with `--write-baseline`");
    }
}
