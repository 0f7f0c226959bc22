//! Every fixture says what is found in it, to the line; so do the cases beside the package, where they are present.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use support::{
    Found, Line, Markers, assert_none, entries, findings_in, folder, language, marker_of, read, source_files,
    stem,
};
use unwaited::rules::{RULES, Severity};

fn fixtures() -> Vec<PathBuf> {
    let folders = entries(&folder("fixtures")).into_iter().filter(|path| path.is_dir());
    folders.flat_map(|path| source_files(&path)).collect()
}

/// Whether it is a program of the companion runtime: its header says how it ends, and `unwaited prove` compares.
fn is_run(path: &Path) -> bool {
    path.parent().is_some_and(|folder| stem(folder) == "runtime")
}

fn name(path: &Path) -> String {
    let parent = path.parent().map(stem).unwrap_or_default();
    let file = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    format!("{parent}/{file}")
}

#[test]
fn every_finding_is_marked_and_every_marker_is_found() {
    let mut complaints = Vec::new();
    for path in fixtures() {
        let text = read(&path);
        let markers = if is_run(&path) { Markers::of_known_rules(&text) } else { Markers::of(&text) };
        let folder = path.parent().map(stem).unwrap_or_default();
        // Advice is for the fixtures of its own rule: elsewhere it would be in the way of small examples.
        let counts = |it: &Found| {
            it.severity > Severity::Advice
                || it.line.1 == folder
                || markers.rules().contains(it.line.1.as_str())
        };
        let found: Vec<Found> = findings_in(language(&path), &text).into_iter().filter(counts).collect();
        let differences = markers.differences(&found);
        complaints.extend(differences.into_iter().map(|it| format!("{}, {it}", name(&path))));
    }
    assert_none(&complaints);
}

#[test]
fn every_fixture_begins_with_its_reason() {
    let without: Vec<String> =
        fixtures().iter().filter(|path| !begins_with_a_comment(path)).map(|path| name(path)).collect();
    assert_none(&without);
}

fn begins_with_a_comment(path: &Path) -> bool {
    read(path).starts_with(&format!("{} ", language(path).comment_mark()))
}

#[test]
fn wrong_fixtures_are_marked_with_the_rule_of_their_folder_and_right_ones_are_not() {
    let mut complaints = Vec::new();
    for path in fixtures().into_iter().filter(|path| !is_run(path)) {
        let markers = Markers::of(&read(&path));
        let rule = path.parent().map(stem).unwrap_or_default();
        let is_wrong = stem(&path).ends_with("_bad");
        if is_wrong && markers.rules() != [rule].into() {
            complaints.push(format!("{}: is marked with {:?}", name(&path), markers.rules()));
        }
        let has_mistakes = !markers.expected.is_empty() || !markers.not_seen.is_empty();
        if !is_wrong && has_mistakes {
            complaints.push(format!("{}: a right fixture has markers of mistakes", name(&path)));
        }
        if rule != "silent" && !is_wrong && !stem(&path).ends_with("_ok") {
            complaints.push(format!("{}: is neither _bad nor _ok", name(&path)));
        }
    }
    assert_none(&complaints);
}

/// Three ways to lose a handle: more than one may describe a loss.
const LOSSES: [&str; 3] = ["discarded-handle", "unwaited-handle", "overwritten-handle"];

/// The markers of a case that ask for rules that exist.
fn wanted(text: &str) -> BTreeSet<Line> {
    let mut wanted = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        let names = marker_of(line).map(str::trim).unwrap_or_default();
        let known =
            names.split(',').map(str::trim).filter(|name| RULES.iter().any(|rule| rule.name == *name));
        wanted.extend(known.map(|name| (index + 1, name.to_owned())));
    }
    wanted
}

fn is_met(want: &Line, found: &BTreeSet<Line>) -> bool {
    let alike = |name: &&str| found.contains(&(want.0, (*name).to_owned()));
    found.contains(want) || (LOSSES.contains(&want.1.as_str()) && LOSSES.iter().any(alike))
}

/// What counts: everything above advice, and advice of a rule that the case asks for.
fn counted(found: Vec<Found>, wanted: &BTreeSet<Line>) -> BTreeSet<Line> {
    let asked = |rule: &str| wanted.iter().any(|(_, name)| name == rule);
    found
        .into_iter()
        .filter(|it| it.severity > Severity::Advice || asked(&it.line.1))
        .map(|it| it.line)
        .collect()
}

#[test]
fn the_cases_beside_the_package() {
    let cases = folder("..").join("shared").join("cases");
    if !cases.is_dir() {
        println!("skipped: there is no {}", cases.display());
        return;
    }
    let (mut met, mut total) = (0, 0);
    let (mut missed, mut wrong) = (Vec::new(), Vec::new());
    for path in source_files(&cases) {
        let text = read(&path);
        let wanted = wanted(&text);
        let found = counted(findings_in(language(&path), &text), &wanted);
        total += wanted.len();
        for want in &wanted {
            if is_met(want, &found) {
                met += 1;
            } else {
                missed.push(format!("{}, line {}: {} is not found", stem(&path), want.0, want.1));
            }
        }
        let rows: BTreeSet<usize> = wanted.iter().map(|(row, _)| *row).collect();
        let extra = found.iter().filter(|(row, _)| !rows.contains(row));
        wrong.extend(extra.map(|(row, rule)| format!("{}, line {row}: {rule} is one too many", stem(&path))));
    }
    println!("{met} of {total} markers\n{}", missed.join("\n"));
    assert_none(&wrong);
    assert!(met * 10 >= total * 9, "{met} of {total} markers:\n{}", missed.join("\n"));
}
