//! SARIF 2.1.0, the form that code scanning services read.
//!
//! - A **result** is a finding; those that a comment suppresses or that are in the baseline are results too, marked so.
//! - A **rule** of the tool is one that some result has, with its page.
//! - Names of files are relative to `SRCROOT`, which is the working directory.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::json::write_value;
use super::page_address;
use super::place::{Place, slashed};
use crate::project::{FileReport, KnownRule, Names, Outcome, Silence, known_rules};
use crate::rules::{Finding, Fix, Label, Severity};
use crate::source::Edit;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

pub(super) fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let rules = rules(outcome);
    let indices: BTreeMap<&str, usize> =
        rules.iter().enumerate().map(|(index, rule)| (rule.name, index)).collect();
    write_value(
        &json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": driver(&rules) },
                "columnKind": "unicodeCodePoints",
                "invocations": [{ "executionSuccessful": !outcome.is_incomplete() }],
                "results": results(outcome, &indices),
            }],
        }),
        out,
    )
}

fn driver(rules: &[KnownRule]) -> Value {
    let mut driver = json!({
        "name": "unwaited",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(descriptor).collect::<Vec<_>>(),
    });
    if let Some(home) = Some(env!("CARGO_PKG_REPOSITORY")).filter(|home| !home.is_empty()) {
        driver["informationUri"] = home.into();
    }
    driver
}

/// The rules that something was found by.
fn rules(outcome: &Outcome) -> Vec<KnownRule> {
    let reported = outcome.findings().map(|(_, finding)| finding.rule);
    let silenced = outcome.silenced().map(|(_, silenced)| silenced.finding.rule);
    let found: Vec<&str> = reported.chain(silenced).collect();
    known_rules().filter(|rule| found.contains(&rule.name)).collect()
}

fn descriptor(rule: &KnownRule) -> Value {
    let mut descriptor = json!({
        "id": rule.name,
        "shortDescription": { "text": rule.summary },
        "help": { "text": rule.page, "markdown": rule.page },
        "defaultConfiguration": { "level": level(rule.severity) },
    });
    if let Some(address) = page_address(rule.name) {
        descriptor["helpUri"] = address.into();
    }
    descriptor
}

fn results(outcome: &Outcome, rules: &BTreeMap<&str, usize>) -> Vec<Value> {
    let compared = match outcome.silenced().any(|(_, silenced)| silenced.why == Silence::Baseline) {
        true => Compared::WithBaseline,
        false => Compared::WithNothing,
    };
    let mut names = Names::default();
    let mut results = Vec::new();
    for report in &outcome.reports {
        let reported = report.findings.iter().map(|finding| (finding, None));
        let silenced = report.silenced.iter().map(|silenced| (&silenced.finding, Some(&silenced.why)));
        let mut all: Vec<_> = reported.chain(silenced).collect();
        all.sort_by_key(|(finding, _)| (finding.primary.span, finding.rule));
        for (finding, why) in all {
            let mut result = result(report, finding, rules, names.name(report, finding));
            mark(&mut result, why, compared);
            results.push(result);
        }
    }
    results
}

fn result(report: &FileReport, finding: &Finding, rules: &BTreeMap<&str, usize>, name: String) -> Value {
    let help = if finding.help.is_empty() { String::new() } else { format!("\n\n{}", finding.help) };
    let mut location = json!({ "physicalLocation": physical(report, &finding.primary) });
    if !finding.function.is_empty() {
        location["logicalLocations"] =
            json!([{ "fullyQualifiedName": finding.function, "kind": "function" }]);
    }
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level(finding.severity),
        "message": { "text": format!("{}{help}", finding.message) },
        "locations": [location],
        "partialFingerprints": { "unwaited/v1": name },
    });
    if let Some(index) = rules.get(finding.rule) {
        result["ruleIndex"] = (*index).into();
    }
    let told =
        std::iter::once(&finding.primary).chain(&finding.labels).filter(|label| !label.text.is_empty());
    let related: Vec<Value> = told.enumerate().map(|(id, label)| relation(report, label, id)).collect();
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    if let Some(change) = finding.fix.as_ref().and_then(|fix| change(report, fix)) {
        result["fixes"] = json!([change]);
    }
    result
}

/// A fix; in a notebook rows count within a cell, which the format cannot say.
fn change(report: &FileReport, fix: &Fix) -> Option<Value> {
    let source = report.source.as_ref()?;
    if fix.edits.iter().any(|edit| source.cell(edit.span.start).is_some()) {
        return None;
    }
    let replacement = |edit: &Edit| {
        json!({
            "deletedRegion": region(Place::of(report, edit.span)),
            "insertedContent": { "text": edit.text },
        })
    };
    Some(json!({
        "description": { "text": fix.message },
        "artifactChanges": [{
            "artifactLocation": artifact(report),
            "replacements": fix.edits.iter().map(replacement).collect::<Vec<_>>(),
        }],
    }))
}

/// A step of the story.
fn relation(report: &FileReport, label: &Label, id: usize) -> Value {
    json!({
        "id": id,
        "physicalLocation": physical(report, label),
        "message": { "text": label.text },
    })
}

fn physical(report: &FileReport, label: &Label) -> Value {
    let mut location = json!({ "artifactLocation": artifact(report) });
    if let Some(source) = &report.source {
        let mut region = region(Place::of(report, label.span));
        region["snippet"] = json!({ "text": label.span.of(&source.text) });
        location["region"] = region;
    }
    location
}

fn artifact(report: &FileReport) -> Value {
    let mut artifact = json!({ "uri": uri(&slashed(&report.name)) });
    if std::path::Path::new(&report.name).is_relative() {
        artifact["uriBaseId"] = "SRCROOT".into();
    }
    artifact
}

fn region(Place { start, end }: Place) -> Value {
    json!({
        "startLine": start.row,
        "startColumn": start.column,
        "endLine": end.row,
        "endColumn": end.column,
    })
}

/// Whether the findings were compared with a baseline.
#[derive(Clone, Copy)]
enum Compared {
    WithBaseline,
    WithNothing,
}

/// Says why a finding is not reported, and what is new.
fn mark(result: &mut Value, why: Option<&Silence>, compared: Compared) {
    match why {
        None => match compared {
            Compared::WithBaseline => result["baselineState"] = "new".into(),
            Compared::WithNothing => {}
        },
        Some(Silence::Comment(reason)) => {
            let mut suppression = json!({ "kind": "inSource" });
            if !reason.is_empty() {
                suppression["justification"] = reason.as_str().into();
            }
            result["suppressions"] = json!([suppression]);
        }
        Some(Silence::Baseline) => {
            result["baselineState"] = "unchanged".into();
            result["suppressions"] =
                json!([{ "kind": "external", "justification": "it is in the baseline" }]);
        }
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "note",
    }
}

/// A path as a reference: what is neither a letter, a digit nor one of a few signs is written in numbers.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let absolute = if path.starts_with('/') { "file://" } else { "" };
    let letters = path.bytes().map(|byte| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    std::iter::once(absolute.to_owned()).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_become_references() {
        insta::assert_snapshot!(uri("src/a b/ä#1.py"), @"src/a%20b/%C3%A4%231.py");
        insta::assert_snapshot!(uri("/tmp/a.py"), @"file:///tmp/a.py");
    }
}
