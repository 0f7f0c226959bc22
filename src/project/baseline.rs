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

pub(crate) use compare::Baselines;
pub use compare::{BaselineUse, baseline_of};

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::walk::{reason, shown};
use super::{Fingerprint, Silence, Silenced, is_failure, replace_file};
use crate::rules::Finding;
use crate::source::SourceFile;

/// The file that is a baseline without being named in the configuration.
pub const BASELINE: &str = "unwaited-baseline.json";
/// The form that this version writes.
const VERSION: u32 = 1;

/// The findings that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// By file, relative to the folder of the baseline, with slashes.
    files: BTreeMap<String, Known>,
}

/// What is known of a file, and how many findings of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known(BTreeMap<Fingerprint, usize>);

/// The file of a baseline.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "a version and findings")]
struct Written {
    version: u32,
    findings: Vec<Row>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "a finding")]
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
            baseline.files.entry(row.file).or_default().add(fingerprint, row.count);
        }
        Ok(baseline)
    }

    /// Writes a baseline, wholly or not at all.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let findings = self.entries().map(|(file, fingerprint, count)| {
            let Fingerprint { rule, function, line } = fingerprint.clone();
            Row { file: file.to_owned(), rule, function, line, count }
        });
        let written = Written { version: VERSION, findings: findings.collect() };
        let failed = |why: String| format!("the baseline `{}` cannot be written: {why}", shown(path));
        let text = serde_json::to_string_pretty(&written).map_err(|error| failed(error.to_string()))?;
        replace_file(path, (text + "\n").as_bytes()).map_err(|error| failed(reason(&error)))
    }

    /// Lets these findings of a file be known, too: in a file that was not seen wholly, as many as there were at least.
    fn learn(&mut self, file: &str, found: Known) {
        let known = self.files.entry(file.to_owned()).or_default();
        for (fingerprint, count) in found.0 {
            let there = known.0.entry(fingerprint).or_default();
            *there = count.max(*there);
        }
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &Fingerprint, usize)> {
        self.files.iter().flat_map(|(file, Known(known))| {
            known.iter().map(move |(fingerprint, count)| (file.as_str(), fingerprint, *count))
        })
    }
}

impl Known {
    fn add(&mut self, fingerprint: Fingerprint, count: usize) {
        *self.0.entry(fingerprint).or_default() += count;
    }

    /// Divides findings of a file, in its order, into those that are reported and those that are known.
    pub(crate) fn divide(
        &self,
        findings: Vec<Finding>,
        source: Option<&SourceFile>,
    ) -> (Vec<Finding>, Vec<Silenced>) {
        let Self(mut left) = self.clone();
        let (mut reported, mut silenced) = (Vec::new(), Vec::new());
        for finding in findings {
            match left.get_mut(&Fingerprint::of(source, &finding)) {
                Some(left) if *left > 0 && !is_failure(&finding) => {
                    *left -= 1;
                    silenced.push(Silenced { finding, why: Silence::Baseline });
                }
                Some(_) | None => reported.push(finding),
            }
        }
        (reported, silenced)
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
        let mut known = Known::default();
        known.add(fingerprint("isend(t)"), 1);
        known.add(fingerprint("irecv(t)"), 3);
        let baseline = Baseline { files: BTreeMap::from([("a.py".to_owned(), known)]) };
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
        insta::assert_snapshot!(read("[]").unwrap_err(), @"the baseline `/here/known.json` is damaged: invalid length 0, expected a version and findings at line 1 column 2; remove it and write it anew with `--write-baseline`");
        insta::assert_snapshot!(read(r#"{"version": 7, "findings": []}"#).unwrap_err(), @"the baseline `/here/known.json` is damaged: its version is 7, and this one reads 1; remove it and write it anew with `--write-baseline`");
        insta::assert_snapshot!(read(r#"{"version": 1, "findings": [{"file": "a.py"}]}"#).unwrap_err(), @"the baseline `/here/known.json` is damaged: missing field `rule` at line 1 column 44; remove it and write it anew with `--write-baseline`");
    }
}
