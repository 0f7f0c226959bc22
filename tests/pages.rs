//! The page of each rule is a test: its mistake is found to the line, and its remedy is silent.

mod support;

use support::{Markers, assert_none, findings_in, full_findings_in};
use unwaited::project::{FileReport, Outcome};
use unwaited::report::{self, Closing, Colour, Content, Format, Look};
use unwaited::rules::{DIAGNOSTICS, RULES};
use unwaited::source::{Language, SourceFile};

/// The programs in a section of a page, Python first.
fn blocks<'p>(page: &'p str, section: &str) -> Vec<(Language, &'p str)> {
    let languages = [Language::Python, Language::Rust].into_iter();
    let of =
        |language: Language| fenced(page, section, language.name()).into_iter().map(move |it| (language, it));
    languages.flat_map(of).collect()
}

/// The blocks of a section of a page that are marked with a word.
fn fenced<'p>(page: &'p str, section: &str, word: &str) -> Vec<&'p str> {
    let heading = format!("\n## {section}\n");
    let Some((_, rest)) = page.split_once(heading.as_str()) else { return Vec::new() };
    let section = rest.split("\n## ").next().unwrap_or_default();
    let opening = format!("```{word}\n");
    let fenced: Vec<&str> = section.split(opening.as_str()).skip(1).collect();
    fenced.into_iter().filter_map(|block| block.split("```").next()).collect()
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

/// What is printed of the first finding in a text, the markers taken off.
fn first_report(language: Language, mistake: &str) -> String {
    let marker = format!(" {}~ ", language.comment_mark());
    let unmarked =
        mistake.lines().map(|line| line.split(marker.as_str()).next().unwrap_or_default().trim_end());
    let text = unmarked.map(|line| format!("{line}\n")).collect::<String>();
    let findings = full_findings_in(language, &text).into_iter().take(1).collect();
    let ending = if language == Language::Rust { "rs" } else { "py" };
    let name = format!("mistake.{ending}");
    let source = Some(SourceFile::new(&name, &text));
    let outcome =
        Outcome { reports: vec![FileReport { name, source, findings }], files: 1, notes: Vec::new() };
    let look = Look {
        format: Format::Full,
        content: Content::Findings,
        closing: Closing::Omitted,
        colour: Colour::Plain,
        width: 100,
    };
    let mut out = Vec::new();
    let written = report::write(&outcome, &look, &mut out);
    assert!(written.is_ok(), "nothing stops a report from being written into memory");
    String::from_utf8_lossy(&out).trim_end().to_owned()
}

#[test]
fn the_diagnostic_of_a_page_is_what_its_mistake_prints() {
    let mut complaints = Vec::new();
    for rule in RULES {
        let shown = fenced(rule.page, "Diagnostic", "text");
        for (shown, (language, mistake)) in shown.into_iter().zip(blocks(rule.page, "Mistake")) {
            let printed = first_report(language, mistake);
            if shown.trim_end() != printed {
                complaints.push(format!("{} prints\n{printed}\n", rule.name));
            }
        }
    }
    assert_none(&complaints);
}

#[test]
fn every_page_says_what_the_list_says() {
    for rule in RULES {
        let name = rule.law.words().split(':').next().unwrap_or_default();
        let law = format!("*Law: {name}.");
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
