//! What the tests over fixtures, pages and cases share: the findings of a text, and the markers in it.
//!
//! - `#~ rule, rule` at the end of a line, in Rust `//~ rule`: these rules report this line.
//! - `#~ FN rule: why`: the line is wrong, and the rule does not see it (a false negative).
//! - `#~ FP rule: why`: the line is right, and the rule reports it all the same (a false positive).
//!
//! The programs of `fixtures/runtime` show harm that no rule finds yet, too: there a marker of a rule that does not exist is
//! passed over.
//!
//! Every other finding is one too many. A wrong answer that has become right fails too, so that its marker is updated.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use unwaited::catalog::Catalog;
use unwaited::flow::{self, Settings};
use unwaited::frontend::{ModuleName, python, rust};
use unwaited::progress;
use unwaited::rules::{self, Context, Finding, Severity};
use unwaited::source::Language;

/// A row and the rule that reports it, or is to report it.
pub(crate) type Line = (usize, String);

/// A finding, as far as markers speak of it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) line: Line,
    pub(crate) severity: Severity,
    pub(crate) message: String,
}

/// All findings of a Python file with this text, on its own.
pub(crate) fn findings(text: &str) -> Vec<Found> {
    findings_in(Language::Python, text)
}

/// All findings of a file with this text, on its own.
pub(crate) fn findings_in(language: Language, text: &str) -> Vec<Found> {
    let found = full_findings_in(language, text).into_iter();
    found
        .map(|finding| Found {
            line: (row(text, finding.primary.span.start), finding.rule.to_owned()),
            severity: finding.severity,
            message: finding.message,
        })
        .collect()
}

/// The same, as the rules give them.
pub(crate) fn full_findings_in(language: Language, text: &str) -> Vec<Finding> {
    let catalog = catalog(language);
    let lowered = match language {
        Language::Python => python::lower(text, &ModuleName::default()),
        Language::Rust => rust::lower(text, catalog),
    };
    assert!(lowered.problems.is_empty(), "it cannot be read: {:?}", lowered.problems);
    let ranks = progress::analyse(&lowered.unit, catalog);
    let mut analysis = flow::analyse(lowered.unit, catalog, &Settings::default());
    analysis.events.extend(ranks);
    let context = Context::new(catalog, text, analysis.backend.as_deref());
    rules::check(&analysis.events, &context)
}

fn catalog(language: Language) -> &'static Catalog {
    static PYTHON: OnceLock<Catalog> = OnceLock::new();
    static RUST: OnceLock<Catalog> = OnceLock::new();
    let known = match language {
        Language::Python => &PYTHON,
        Language::Rust => &RUST,
    };
    known.get_or_init(|| match Catalog::new(language, &[]) {
        Ok(catalog) => catalog,
        Err(error) => panic!("the built-in catalogue does not load: {error}"),
    })
}

fn row(text: &str, byte: u32) -> usize {
    text[..byte as usize].matches('\n').count() + 1
}

/// What the markers of a text ask for.
#[derive(Debug, Default)]
pub(crate) struct Markers {
    pub(crate) expected: BTreeSet<Line>,
    pub(crate) not_seen: BTreeSet<Line>,
    pub(crate) wrongly_seen: BTreeSet<Line>,
}

impl Markers {
    /// The markers of a text: each names a rule.
    pub(crate) fn of(text: &str) -> Self {
        let markers = Self::of_any_rules(text);
        let all = markers.expected.iter().chain(&markers.not_seen).chain(&markers.wrongly_seen);
        for (row, name) in all {
            assert!(rules::rule(name).is_some(), "line {row}: no rule is called `{name}`");
        }
        markers
    }

    /// The markers of a text that name rules; others are passed over.
    pub(crate) fn of_known_rules(text: &str) -> Self {
        let mut markers = Self::of_any_rules(text);
        for lines in [&mut markers.expected, &mut markers.not_seen, &mut markers.wrongly_seen] {
            lines.retain(|(_, name)| rules::rule(name).is_some());
        }
        markers
    }

    fn of_any_rules(text: &str) -> Self {
        let mut markers = Self::default();
        for (index, line) in text.lines().enumerate() {
            if let Some(marker) = marker_of(line) {
                markers.add(index + 1, marker.trim());
            }
        }
        markers
    }

    fn add(&mut self, row: usize, marker: &str) {
        let (lines, names) = match marker.split_once(' ') {
            Some(("FN", rest)) => (&mut self.not_seen, with_a_reason(row, rest)),
            Some(("FP", rest)) => (&mut self.wrongly_seen, with_a_reason(row, rest)),
            Some(_) | None => (&mut self.expected, marker),
        };
        for name in names.split(',').map(str::trim) {
            lines.insert((row, name.to_owned()));
        }
    }

    pub(crate) fn rules(&self) -> BTreeSet<&str> {
        let all = self.expected.iter().chain(&self.not_seen).chain(&self.wrongly_seen);
        all.map(|(_, rule)| rule.as_str()).collect()
    }

    /// What is wrong with the findings of the text, one sentence each.
    pub(crate) fn differences(&self, found: &[Found]) -> Vec<String> {
        let lines: BTreeSet<Line> = found.iter().map(|it| it.line.clone()).collect();
        let mut differences = Vec::new();
        for (row, rule) in self.expected.difference(&lines) {
            differences.push(format!("line {row}: {rule} is marked and not found"));
        }
        for (row, rule) in self.not_seen.intersection(&lines) {
            differences.push(format!("line {row}: {rule} is found now: make its FN an ordinary marker"));
        }
        for (row, rule) in self.wrongly_seen.difference(&lines) {
            differences.push(format!("line {row}: {rule} is not found any more: remove its FP marker"));
        }
        for it in found {
            if !self.expected.contains(&it.line)
                && !self.not_seen.contains(&it.line)
                && !self.wrongly_seen.contains(&it.line)
            {
                differences.push(format!(
                    "line {}: {} is found and not marked: {}",
                    it.line.0, it.line.1, it.message
                ));
            }
        }
        differences
    }
}

/// The marker at the end of a line.
pub(crate) fn marker_of(line: &str) -> Option<&str> {
    let marked = line.split_once("#~ ").or_else(|| line.split_once("//~ "));
    marked.map(|(_, marker)| marker)
}

fn with_a_reason(row: usize, marker: &str) -> &str {
    let (names, why) =
        marker.split_once(": ").unwrap_or_else(|| panic!("line {row}: the marker gives no reason"));
    assert!(!why.trim().is_empty(), "line {row}: the marker gives no reason");
    names
}

/// A folder of the package.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The entries of a folder, sorted.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = read.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    paths
}

/// The Python files of a folder, sorted.
pub(crate) fn python_files(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "py")).collect()
}

/// The source files of a folder, of every language, sorted.
pub(crate) fn source_files(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_file() && Language::of(path).is_some()).collect()
}

/// The language of a source file.
pub(crate) fn language(path: &Path) -> Language {
    Language::of(path).unwrap_or(Language::Python)
}

/// The last part of a path, without its ending.
pub(crate) fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Fails with all complaints at once.
pub(crate) fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}
