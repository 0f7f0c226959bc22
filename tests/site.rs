//! The documentation site: what is generated in it is what the pages of the rules, the schema, the binary and the runtime say.
//!
//! The generated chapters are written by `UPDATE_PAGES=1 cargo test --test site`; without that variable the tests compare.
//! `mdbook build docs` makes the site of them.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed, and says what it skips"
)]

mod support;
mod transcript;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::{assert_none, entries, folder, read};
use transcript::Folder;
use unwaited::rules::{DIAGNOSTICS, Law, RULES};

const BOOK: &str = "docs/book";

/// The laws, each with a program that breaks it and one that keeps it; both are among those that `unwaited prove` executes.
const LAWS: &[(Law, &str, [&str; 2])] = &[
    (Law::Reach, "reach", ["discarded_isend", "discarded_isend_ok"]),
    (Law::Quiet, "quiet", ["receive_buffer_read", "receive_buffer_read_ok"]),
    (Law::Overlap, "overlap", ["wait_at_once", "wait_at_once_ok"]),
    (Law::Api, "api", ["wait_without_parentheses", "wait_without_parentheses_ok"]),
];

const COMMANDS: &[&str] = &["check", "rule", "config", "apis", "completions", "run", "prove", "server"];

#[test]
fn the_chapters_that_are_generated_are_up_to_date() {
    let mut made = BTreeMap::from([
        ("SUMMARY.md".into(), summary()),
        ("generated/settings.md".into(), settings()),
        ("commands.md".into(), commands()),
        ("rules.md".into(), list_of_rules()),
    ]);
    let names = RULES.iter().map(|rule| rule.name).chain(DIAGNOSTICS.iter().map(|(name, _)| *name));
    made.extend(names.map(|name| {
        let include = format!("{{{{#include ../../../rules/{name}.md}}}}\n");
        (format!("rules/{name}.md"), include)
    }));
    made.extend(
        LAWS.iter().map(|(law, name, programs)| (format!("generated/{name}.md"), about(*law, programs))),
    );
    agree(&made);
}

#[test]
fn the_timelines_are_those_of_the_runtime() {
    let python = std::env::var("UNWAITED_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if Command::new(python).arg("--version").output().is_err() {
        println!("skipped: there is no python3 that could run the programs");
        return;
    }
    let programs = LAWS.iter().flat_map(|(_, _, programs)| programs);
    agree(&programs.map(|program| (format!("generated/{program}.svg"), timeline(program))).collect());
}

#[test]
fn every_chapter_is_in_the_summary_and_every_inclusion_exists() {
    if updates() {
        return;
    }
    let book = folder(BOOK);
    let summary = read(&book.join("SUMMARY.md"));
    let listed: BTreeSet<&str> = summary.split("](").skip(1).filter_map(|it| it.split(')').next()).collect();
    let mut complaints = Vec::new();
    for path in below(&book).into_iter().filter(|path| path.extension().is_some_and(|it| it == "md")) {
        let name = path.strip_prefix(&book).unwrap().to_str().unwrap();
        if name != "SUMMARY.md" && !name.starts_with("generated/") && !listed.contains(name) {
            complaints.push(format!("{name} is in no list"));
        }
        complaints.extend(lost_inclusions(&path).into_iter().map(|it| format!("{name}: {it}")));
    }
    complaints.extend(
        listed.iter().filter(|it| !book.join(it).is_file()).map(|it| format!("{it} is listed and not there")),
    );
    assert_none(&complaints);
}

/// What a chapter includes and is not there.
fn lost_inclusions(chapter: &Path) -> Vec<String> {
    let text = read(chapter);
    let included = text.split("{{#include ").skip(1).filter_map(|it| it.split("}}").next());
    let is_lost = |asked: &&str| {
        let (file, anchor) = asked.split_once(':').unwrap_or((asked, ""));
        let text = std::fs::read_to_string(chapter.parent().unwrap().join(file)).unwrap_or_default();
        let has_anchor = anchor.is_empty()
            || ["ANCHOR", "ANCHOR_END"].iter().all(|it| text.contains(&format!("<!-- {it}: {anchor} -->\n")));
        text.is_empty() || !has_anchor
    };
    included.filter(is_lost).map(|it| format!("{it} cannot be included")).collect()
}

/// Compares what was made with what is in the book, or writes it there.
fn agree(made: &BTreeMap<String, String>) {
    let book = folder(BOOK);
    if updates() {
        for (name, text) in made {
            std::fs::create_dir_all(book.join(name).parent().unwrap()).unwrap();
            std::fs::write(book.join(name), text).unwrap();
        }
        return;
    }
    let differs =
        |name: &str, text: &str| std::fs::read_to_string(book.join(name)).ok().as_deref() != Some(text);
    let complaints: Vec<String> = made
        .iter()
        .filter(|(name, text)| differs(name, text))
        .map(|(name, _)| format!("{BOOK}/{name} is not up to date: `UPDATE_PAGES=1 cargo test --test site`"))
        .collect();
    assert_none(&complaints);
}

/// Whether the book is being written, and not compared.
fn updates() -> bool {
    std::env::var_os("UPDATE_PAGES").is_some()
}

fn summary() -> String {
    let mut text = String::from(
        "# Summary\n\n[Why](why.md)\n\n- [Quick start](quick-start.md)\n- [The four laws](laws.md)\n",
    );
    for (law, name, _) in LAWS {
        writeln!(text, "  - [{}](laws/{name}.md)", short(*law)).unwrap();
    }
    text += "- [Rules](rules.md)\n";
    let names = RULES.iter().map(|rule| rule.name).chain(DIAGNOSTICS.iter().map(|(name, _)| *name));
    for name in names {
        writeln!(text, "  - [{name}](rules/{name}.md)").unwrap();
    }
    text + "- [Configuration](configuration.md)\n  - [Libraries](libraries.md)\n- [Editors and CI](editors-and-ci.md)\n\
            - [Commands](commands.md)\n- [How it works](how-it-works.md)\n  - [The companion runtime](runtime.md)\n\n\
            [Changes](changelog.md)\n"
}

/// The name of a law.
fn short(law: Law) -> &'static str {
    law.words().split(':').next().unwrap_or_default()
}

/// The rules of a law, and its two programs with the timelines of their runs.
fn about(law: Law, [wrong, right]: &[&str; 2]) -> String {
    let mut text = format!("## A program that breaks it\n\n{}", program(wrong));
    text += &format!("## The same with the mistake mended\n\n{}", program(right));
    text += "## Rules\n\n| rule | severity | what it finds |\n|---|---|---|\n";
    for rule in RULES.iter().filter(|rule| rule.law == law) {
        writeln!(
            text,
            "| [`{0}`](../rules/{0}.md) | {1} | {2} |",
            rule.name,
            rule.severity.word(),
            rule.summary
        )
        .unwrap();
    }
    text
}

fn program(name: &str) -> String {
    format!(
        "```python\n{{{{#include ../../../fixtures/runtime/{name}.py}}}}\n```\n\n\
         `unwaited run --timeline {name}.svg {name}.py` draws:\n\n![the ranks over time](../generated/{name}.svg)\n\n"
    )
}

/// What the runtime draws of a program. Its own folder is the working folder, so that no path is drawn.
fn timeline(program: &str) -> String {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("timeline.svg");
    let output = Command::new(env!("CARGO_BIN_EXE_unwaited"))
        .args(["run", "--timeline", file.to_str().unwrap(), &format!("{program}.py")])
        .current_dir(folder("fixtures/runtime"))
        .output()
        .unwrap();
    assert!(file.is_file(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    read(&file)
}

fn list_of_rules() -> String {
    let mut text = "# Rules\n\n".to_owned() + &shown("rule --output-format markdown");
    let names = RULES.iter().map(|rule| rule.name).chain(DIAGNOSTICS.iter().map(|(name, _)| *name));
    for name in names {
        text = text.replace(&format!("| `{name}` |"), &format!("| [`{name}`](rules/{name}.md) |"));
    }
    text
}

fn commands() -> String {
    let mut text = "# Commands\n\nWhat `--help` says.\n".to_owned();
    for (heading, arguments) in std::iter::once(("unwaited".to_owned(), "--help".to_owned()))
        .chain(COMMANDS.iter().map(|it| (format!("unwaited {it}"), format!("{it} --help"))))
    {
        let help: String = shown(&arguments).lines().map(|row| row.trim_end().to_owned() + "\n").collect();
        write!(text, "\n## {heading}\n\n```text\n{help}```\n").unwrap();
    }
    text
}

#[test]
fn every_command_is_in_the_chapter_about_commands() {
    let help = shown("--help");
    let (_, rows) = help.split_once("Commands:\n").unwrap();
    let names =
        rows.lines().take_while(|row| !row.is_empty()).filter_map(|row| row.split_whitespace().next());
    assert_eq!(names.filter(|name| *name != "help").collect::<Vec<_>>(), COMMANDS);
}

fn settings() -> String {
    let schema: Value = serde_json::from_str(&shown("config --schema")).unwrap();
    let mut text = "| key | what it is | value |\n|---|---|---|\n".to_owned();
    for (key, said) in schema["properties"].as_object().unwrap() {
        let what = said["description"].as_str().unwrap().trim_end_matches('.');
        writeln!(text, "| `{key}` | {what} | {} |", value(&schema, said)).unwrap();
    }
    text
}

/// In words, what may be the value of a key.
fn value(schema: &Value, said: &Value) -> String {
    if let Some(name) = said["$ref"].as_str().and_then(|it| it.rsplit('/').next()) {
        return match name {
            "RuleName" => "a rule".to_owned(),
            "Library" => "a library".to_owned(),
            _ => one_of(&schema["$defs"][name]),
        };
    }
    if let Some(choices) = said["anyOf"].as_array() {
        return value(schema, &choices[0]);
    }
    match said["type"][0].as_str().or(said["type"].as_str()).unwrap() {
        "array" => format!("a list; each: {}", value(schema, &said["items"])),
        "object" if said["additionalProperties"].is_object() => {
            format!("a table; for each pattern: {}", value(schema, &said["additionalProperties"]))
        }
        "object" => {
            let (_, first) = said["properties"].as_object().unwrap().iter().next().unwrap();
            format!("a table; for each rule: {}", value(schema, first))
        }
        "boolean" => "`true` or `false`".to_owned(),
        "string" => "a text".to_owned(),
        other => panic!("no words for {other}"),
    }
}

fn one_of(said: &Value) -> String {
    let names = said["enum"].as_array().unwrap().iter().map(|it| format!("`{}`", it.as_str().unwrap()));
    names.collect::<Vec<_>>().join(", ")
}

/// What the binary prints; help is as wide as where there is no terminal.
fn shown(arguments: &str) -> String {
    let output = Folder::with(&[])
        .command(arguments)
        .env_remove("COLUMNS")
        .env_remove("UNWAITED_PYTHON")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments}");
    String::from_utf8(output.stdout).unwrap()
}

fn below(root: &Path) -> Vec<PathBuf> {
    let of = |path: PathBuf| if path.is_dir() { below(&path) } else { vec![path] };
    entries(root).into_iter().flat_map(of).collect()
}
