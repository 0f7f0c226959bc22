//! `unwaited rule`.

use std::fmt::Write as _;

use serde::Serialize;

use super::arguments::{PageFormat, RuleArguments};
use super::output::Output;
use super::{Exit, fail};
use crate::project::{KnownRule, known_rules, reason};
use crate::report::page_address;
use crate::rules::Law;

pub(super) fn run(arguments: &RuleArguments) -> Exit {
    let text = match arguments.name {
        Some(name) => known_rules()
            .filter(|rule| rule.name == name.as_str())
            .map(|rule| page(&rule, arguments.output_format))
            .collect(),
        None => list(arguments.output_format),
    };
    let written = Output::open(None).and_then(|output| output.write(|out| out.write_all(text.as_bytes())));
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

/// The rules under the heading of their law, laws in their order.
fn grouped(heading: impl Fn(&str) -> String, row: impl Fn(&KnownRule) -> String) -> String {
    let mut rules: Vec<KnownRule> = known_rules().collect();
    rules.sort_by_key(|rule| (rule.law.is_none(), rule.law));
    let mut text = String::new();
    let mut before: Option<Option<Law>> = None;
    for rule in &rules {
        if before != Some(rule.law) {
            let gap = if before.is_some() { "\n" } else { "" };
            let _ = write!(text, "{gap}{}", heading(law_in_words(rule.law)));
        }
        before = Some(rule.law);
        text.push_str(&row(rule));
    }
    text
}

fn entry(rule: &KnownRule) -> Entry {
    Entry {
        name: rule.name,
        severity: rule.severity.word(),
        law: rule.law.map(law_name),
        summary: rule.summary,
        page: rule.page,
        url: page_address(rule.name),
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).map(|text| text + "\n").unwrap_or_default()
}

fn law_name(law: Law) -> &'static str {
    match law {
        Law::Reach => "reach",
        Law::Api => "api",
    }
}

fn law_in_words(law: Option<Law>) -> &'static str {
    match law {
        Some(Law::Reach) => "Reach: a pending handle stays reachable until it is finished",
        Some(Law::Api) => "API: a call can do what it says",
        None => "Comments",
    }
}
