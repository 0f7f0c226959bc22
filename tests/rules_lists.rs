//! The list of rules, their files, pages and fixtures agree.

mod support;

use std::collections::BTreeSet;

use support::{assert_none, entries, folder, read, source_files, stem};
use unwaited::rules::{DIAGNOSTICS, Law, RULES};

#[test]
fn every_rule_has_a_name_of_its_own_and_a_summary_without_a_full_stop() {
    let mut names = BTreeSet::new();
    for rule in RULES {
        assert!(names.insert(rule.name), "two rules are called {}", rule.name);
        assert!(rule.name.chars().all(|it| it.is_ascii_lowercase() || it == '-'), "{}", rule.name);
        assert!(!rule.summary.ends_with('.') && !rule.summary.is_empty(), "{}: {}", rule.name, rule.summary);
    }
}

#[test]
fn every_rule_is_one_file() {
    for rule in RULES {
        let file = folder("src/rules").join(format!("{}.rs", rule.name.replace('-', "_")));
        let text = read(&file);
        assert!(
            text.starts_with(&format!("//! `{}`: ", rule.name)),
            "{} begins with its name",
            file.display()
        );
    }
}

#[test]
fn every_page_belongs_to_a_rule_or_a_diagnostic() {
    let listed = RULES.iter().map(|rule| (rule.name, rule.page)).chain(DIAGNOSTICS.iter().copied());
    let listed: BTreeSet<(&str, &str)> = listed.collect();
    for (name, page) in &listed {
        assert_eq!(&read(&folder("rules").join(format!("{name}.md"))), page, "the page of {name}");
    }
    let names: BTreeSet<&str> = listed.iter().map(|(name, _)| *name).collect();
    let is_page = |path: &std::path::Path| path.extension().is_some_and(|ending| ending == "md");
    let pages = entries(&folder("rules")).into_iter().filter(|path| is_page(path));
    let strays: Vec<String> =
        pages.filter(|path| !names.contains(stem(path))).map(|path| path.display().to_string()).collect();
    assert_none(&strays);
}

#[test]
fn every_rule_has_fixtures_that_are_wrong_and_fixtures_that_are_right() {
    for rule in RULES {
        let files = source_files(&folder("fixtures").join(rule.name));
        assert!(files.iter().any(|path| stem(path).ends_with("_bad")), "{} has no wrong fixture", rule.name);
        assert!(files.iter().any(|path| stem(path).ends_with("_ok")), "{} has no right fixture", rule.name);
    }
}

/// But for right programs, and the programs that the companion runtime executes.
#[test]
fn every_folder_of_fixtures_belongs_to_a_rule() {
    let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).chain(["runtime", "silent"]).collect();
    let folders = entries(&folder("fixtures")).into_iter().filter(|path| path.is_dir());
    let strays: Vec<String> =
        folders.filter(|path| !names.contains(stem(path))).map(|path| path.display().to_string()).collect();
    assert_none(&strays);
}

#[test]
fn the_rules_of_one_law_stand_together() {
    let laws: Vec<Law> = RULES.iter().map(|rule| rule.law).collect();
    assert!(laws.is_sorted(), "{laws:?}");
}
