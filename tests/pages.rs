//! The page of each rule is a test: its mistake is found to the line, and its remedy is silent.

mod support;

use support::{Markers, assert_none, findings};
use unwaited::rules::{DIAGNOSTICS, Law, RULES};

/// The code blocks of a section of a page.
fn blocks<'p>(page: &'p str, section: &str) -> Vec<&'p str> {
    let heading = format!("\n## {section}\n");
    let Some((_, rest)) = page.split_once(heading.as_str()) else { return Vec::new() };
    let section = rest.split("\n## ").next().unwrap_or_default();
    let fenced = section.split("```python\n").skip(1);
    fenced.filter_map(|block| block.split("```").next()).collect()
}

#[test]
fn the_mistake_of_every_page_is_found_to_the_line() {
    let mut complaints = Vec::new();
    for rule in RULES {
        let mistakes = blocks(rule.page, "Mistake");
        assert!(!mistakes.is_empty(), "the page of {} shows no mistake", rule.name);
        for mistake in mistakes {
            let markers = Markers::of(mistake);
            assert_eq!(markers.rules(), [rule.name].into(), "the markers on the page of {}", rule.name);
            let differences = markers.differences(&findings(mistake));
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
        for remedy in remedies {
            let differences = Markers::default().differences(&findings(remedy));
            complaints.extend(differences.into_iter().map(|it| format!("{}, remedy, {it}", rule.name)));
        }
    }
    assert_none(&complaints);
}

#[test]
fn every_page_says_what_the_list_says() {
    for rule in RULES {
        let law = match rule.law {
            Law::Reach => "*Law: Reach.",
            Law::Progress => "*Law: Progress.",
            Law::Api => "*Law: API.",
        };
        let severity = format!("Severity: {}.", rule.severity.word());
        assert!(rule.page.starts_with(&format!("# {}\n\n{law}", rule.name)), "the head of {}", rule.name);
        assert!(rule.page.contains(&severity), "the page of {} gives another severity", rule.name);
        let allow = format!("# unwaited: ignore[{}]", rule.name);
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
