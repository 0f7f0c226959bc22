//! `unwaited rule`.

use serde::Serialize;

use super::arguments::{PageFormat, RuleArguments};
use super::output::Output;
use super::{Exit, fail};
use crate::project::{KnownRule, Subject, known_rules, reason};
use crate::report::page_address;
use crate::rules::Law;

pub(super) fn run(arguments: &RuleArguments) -> Exit {
    let text = match &arguments.name {
        Some(rule) => page(rule, arguments.output_format),
        None => list(arguments.output_format),
    };
    let written = Output::Standard.write(|out| out.write_all(text.as_bytes()));
    match written {
        Ok(()) => Exit::Clean,
        Err(error) => fail(&format!("the page cannot be written: {}", reason(&error))),
    }
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    severity: &'static str,
    law: Option<&'static str>,
    summary: &'static str,
    page: &'static str,
    url: Option<String>,
}

fn page(rule: &KnownRule, format: PageFormat) -> String {
    match format {
        PageFormat::Text | PageFormat::Markdown => rule.page.to_owned(),
        PageFormat::Json => json(&entry(rule)),
    }
}

fn list(format: PageFormat) -> String {
    match format {
        PageFormat::Text => text_list(),
        PageFormat::Markdown => markdown_list(),
        PageFormat::Json => json(&known_rules().map(|rule| entry(&rule)).collect::<Vec<_>>()),
    }
}

fn text_list() -> String {
    let width = known_rules().map(|rule| rule.name.len()).max().unwrap_or_default();
    grouped(
        |heading| format!("{heading}\n"),
        |rule| format!("  {:width$}  {:<7}  {}\n", rule.name, rule.severity.word(), rule.summary),
    )
}

fn markdown_list() -> String {
    grouped(
        |heading| format!("## {heading}\n\n| rule | severity | what it finds |\n|---|---|---|\n"),
        |rule| format!("| `{}` | {} | {} |\n", rule.name, rule.severity.word(), rule.summary),
    )
}

/// The rules under the heading of what they are about.
fn grouped(heading: impl Fn(&str) -> String, row: impl Fn(&KnownRule) -> String) -> String {
    let rules: Vec<KnownRule> = known_rules().collect();
    let group = |rules: &[KnownRule]| {
        let title = rules.first().map_or("", |rule| in_words(rule.subject));
        heading(title) + &rules.iter().map(&row).collect::<String>()
    };
    let groups: Vec<String> =
        rules.chunk_by(|left, right| left.subject == right.subject).map(group).collect();
    groups.join("\n")
}

fn entry(rule: &KnownRule) -> Entry {
    Entry {
        name: rule.name,
        severity: rule.severity.word(),
        law: law(rule.subject),
        summary: rule.summary,
        page: rule.page,
        url: page_address(rule.name),
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).map(|text| text + "\n").unwrap_or_default()
}

fn in_words(subject: Subject) -> &'static str {
    match subject {
        Subject::Law(law) => law.words(),
        Subject::Comments => "Comments: a suppression has an effect",
        Subject::Failures => "Files: every file can be checked (these cannot be chosen or suppressed)",
    }
}

fn law(subject: Subject) -> Option<&'static str> {
    match subject {
        Subject::Law(Law::Reach) => Some("reach"),
        Subject::Law(Law::Progress) => Some("progress"),
        Subject::Law(Law::Quiet) => Some("quiet"),
        Subject::Law(Law::Overlap) => Some("overlap"),
        Subject::Law(Law::Api) => Some("api"),
        Subject::Comments | Subject::Failures => None,
    }
}
