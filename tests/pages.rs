//! The page of each rule is a test: its mistake is found to the line and reported as the page shows, and its remedy is silent.
//!
//! The reports in the pages are written by `UPDATE_PAGES=1 cargo test --test pages`; without that variable the test compares.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;
mod transcript;

use support::{Markers, assert_none, findings_in, folder, read};
use transcript::Folder;
use unwaited::rules::{DIAGNOSTICS, RULES};
use unwaited::source::Language;

/// The programs in a section of a page, Python first.
fn blocks<'p>(page: &'p str, section: &str) -> Vec<(Language, &'p str)> {
    let heading = format!("\n## {section}\n");
    let Some((_, rest)) = page.split_once(heading.as_str()) else { return Vec::new() };
    let section = rest.split("\n## ").next().unwrap_or_default();
    let languages = [Language::Python, Language::Rust].into_iter();
    let of = |language: Language| {
        let fence = format!("```{}\n", language.name());
        let fenced: Vec<&'p str> = section.split(fence.as_str()).skip(1).collect();
        fenced.into_iter().filter_map(move |block| Some((language, block.split("```").next()?)))
    };
    languages.flat_map(of).collect()
}

#[test]
fn the_mistake_of_every_page_is_found_to_the_line() {
    let mut complaints = Vec::new();
    for rule in RULES {
        let mistakes = blocks(rule.page, "Mistake");
        assert!(!mistakes.is_empty(), "the page of {} shows no mistake", rule.name);
        for (language, mistake) in mistakes {
            let markers = Markers::of(mistake);
            assert_eq!(markers.rules(), [rule.name].into(), "the markers on the page of {}", rule.name);
            let differences = markers.differences(&findings_in(language, mistake));
            complaints.extend(differences.into_iter().map(|it| format!("{}, mistake, {it}", rule.name)));
        }
    }
    assert_none(&complaints);
}

#[test]
fn the_remedy_of_every_page_is_silent() {
    let mut complaints = Vec::new();
    for rule in RULES {
        let remedies = blocks(rule.page, "Remedy");
        assert!(!remedies.is_empty(), "the page of {} shows no remedy", rule.name);
        for (language, remedy) in remedies {
            let differences = Markers::default().differences(&findings_in(language, remedy));
            complaints.extend(differences.into_iter().map(|it| format!("{}, remedy, {it}", rule.name)));
        }
    }
    assert_none(&complaints);
}

#[test]
fn every_page_says_what_the_list_says() {
    for rule in RULES {
        let (law, _) = rule.law.words().split_once(':').unwrap();
        let law = format!("*Law: {law}.");
        let severity = format!("Severity: {}.", rule.severity.word());
        assert!(rule.page.starts_with(&format!("# {}\n\n{law}", rule.name)), "the head of {}", rule.name);
        assert!(rule.page.contains(&severity), "the page of {} gives another severity", rule.name);
        let allow = format!(" unwaited: ignore[{}]", rule.name);
        assert!(rule.page.contains(&allow), "the page of {} does not say how to allow it", rule.name);
    }
}

#[test]
fn every_page_explains_itself() {
    for (name, page) in RULES.iter().map(|rule| (rule.name, rule.page)).chain(DIAGNOSTICS.iter().copied()) {
        assert!(page.starts_with(&format!("# {name}\n")), "the title of {name}");
        assert!(page.contains("\n## Why"), "the page of {name} gives no reason");
        assert!(page.contains("\n## How to allow it\n"), "the page of {name} does not say how to allow it");
    }
}

/// The section that shows what is printed.
const DIAGNOSTIC: &str = "## Diagnostic";

/// The first program of the section about the mistake, without its markers, and the ending of such a file.
fn first_mistake(page: &str) -> (String, &'static str) {
    let (_, rest) = page.split_once("\n## Mistake\n").unwrap();
    let (language, rest) = rest.split_once("```").unwrap().1.split_once('\n').unwrap();
    let ending = match language {
        "python" => "py",
        "rust" => "rs",
        other => panic!("a mistake in `{other}`"),
    };
    let (program, _) = rest.split_once("```").unwrap();
    let without =
        |line: &str| line.split_once("#~ ").or(line.split_once("//~ ")).map(|it| it.0.trim_end().to_owned());
    let lines = program.lines().map(|line| without(line).unwrap_or_else(|| line.to_owned()) + "\n");
    (lines.collect(), ending)
}

/// What `unwaited check` prints about the first mistake of a page.
fn printed(page: &str) -> String {
    let (program, ending) = first_mistake(page);
    // A configuration makes the folder a project: rules that ask the whole tree are on.
    let file = format!("example.{ending}");
    let folder = Folder::with(&[("unwaited.toml", b""), (&file, program.as_bytes())]);
    let output = folder.command(&format!("check --color never {file}")).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The page with this report in its section, which stands behind the mistake.
fn with_report(page: &str, report: &str) -> String {
    let section = format!("{DIAGNOSTIC}\n\n```text\n{report}```\n\n");
    let heading = format!("\n{DIAGNOSTIC}\n");
    let (before, after) = match page.split_once(&heading) {
        Some((before, rest)) => (before, rest.split_once("\n## ").unwrap().1),
        None => {
            let (before, rest) = page.split_once("\n## Mistake\n").unwrap();
            let (mistake, after) = rest.split_once("\n## ").unwrap();
            (&page[..before.len() + "\n## Mistake\n".len() + mistake.len()], after)
        }
    };
    format!("{before}\n{section}## {after}")
}

#[test]
fn every_page_shows_the_report_of_its_mistake() {
    let mut complaints = Vec::new();
    for rule in RULES {
        let file = folder("rules").join(format!("{}.md", rule.name));
        let page = read(&file);
        let report = printed(&page);
        assert!(report.contains(&format!("[{}]", rule.name)), "{} is not reported:\n{report}", rule.name);
        let wanted = with_report(&page, &report);
        if std::env::var_os("UPDATE_PAGES").is_some() {
            std::fs::write(&file, &wanted).unwrap();
        } else if page != wanted {
            let shown = page.split_once(DIAGNOSTIC).map_or("nothing", |it| it.1);
            complaints.push(format!("the page of {} shows\n{shown}\nand is to be\n{wanted}", rule.name));
        }
    }
    assert_none(&complaints);
}
