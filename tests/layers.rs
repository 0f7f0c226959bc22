//! The architecture as a test: a layer names only the layers that it may know.
//!
//! Read from the sources: every `crate::…` in a `use` or an expression, the nested ones of `crate::{…}` included.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each layer with those that it may name.
const LAYERS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("catalog", &["source"]),
    ("ir", &["source"]),
    ("frontend", &["source", "catalog", "ir"]),
    ("flow", &["source", "catalog", "ir"]),
    ("progress", &["source", "catalog", "ir", "flow", "runtime"]),
    ("rules", &["source", "catalog", "flow"]),
    ("project", &["source", "catalog", "ir", "frontend", "flow", "progress", "rules"]),
    ("report", &["source", "rules", "project"]),
    ("runtime", &["source", "catalog"]),
    ("prove", &["source", "catalog", "rules", "project", "runtime"]),
    (
        "cli",
        &[
            "source", "catalog", "ir", "frontend", "flow", "rules", "project", "report", "runtime", "prove",
            "lsp",
        ],
    ),
    ("lsp", &["source", "catalog", "ir", "frontend", "flow", "rules", "project", "report"]),
];

/// Names that say nothing about what is in a module.
const EMPTY_WORDS: &[&str] = &["util", "utils", "helper", "helpers", "common", "manager", "misc"];

fn sources() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The segments of a source's path below `src`, without the ending.
fn segments(path: &Path) -> Vec<String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let path = path.strip_prefix(src).unwrap().with_extension("");
    path.iter().map(|segment| segment.to_str().unwrap().to_owned()).collect()
}

/// The layers that a text names.
fn named(text: &str) -> BTreeSet<String> {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(first_words_of_group(group)),
            None => found.extend(word(rest)),
        }
    }
    found
}

fn word(text: &str) -> Option<String> {
    let word: String = text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}

/// The first word of each path of `a::{b, c}, d::e}`.
fn first_words_of_group(group: &str) -> Vec<String> {
    let mut depth = 0;
    let mut starts = vec![0];
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => starts.push(at + 1),
            _ => {}
        }
    }
    starts.into_iter().filter_map(|start| word(group[start..].trim_start())).collect()
}

#[test]
fn a_layer_names_only_what_it_may_know() {
    let mut crossings = Vec::new();
    for path in sources() {
        let segments = segments(&path);
        // Tests of a layer may use any other.
        if segments.iter().any(|segment| segment == "tests") {
            continue;
        }
        let Some((layer, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == segments[0]) else { continue };
        for other in named(&fs::read_to_string(&path).unwrap()) {
            let is_layer = LAYERS.iter().any(|(layer, _)| *layer == other);
            if is_layer && other != *layer && !allowed.contains(&other.as_str()) {
                crossings.push(format!("{} names {other}", segments.join("/")));
            }
        }
    }
    assert_eq!(crossings, Vec::<String>::new());
}

#[test]
fn every_module_belongs_to_a_layer() {
    let known = |name: &str| matches!(name, "lib" | "main") || LAYERS.iter().any(|(layer, _)| *layer == name);
    let strange: Vec<_> =
        sources().iter().map(|path| segments(path)).filter(|path| !known(&path[0])).collect();
    assert!(strange.is_empty(), "{strange:?}");
}

#[test]
fn every_module_says_what_it_is() {
    let silent: Vec<_> =
        sources().into_iter().filter(|path| !fs::read_to_string(path).unwrap().starts_with("//! ")).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn no_module_has_an_empty_name() {
    let empty = |path: &PathBuf| segments(path).iter().any(|name| EMPTY_WORDS.contains(&name.as_str()));
    let found: Vec<_> = sources().into_iter().filter(empty).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn names_are_found_in_every_form() {
    let text = "use crate::flow::Event;\nuse crate::{\n    ir::{self, Unit},\n    rules,\n};\nlet x = crate::report::write;\n/// See [`crate::prove`].\n";
    let expected = ["flow", "ir", "report", "rules"].map(str::to_owned);
    assert_eq!(named(text), BTreeSet::from(expected));
}

#[test]
fn every_direct_dependency_has_its_reason_on_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest: toml::Table = fs::read_to_string(root.join("Cargo.toml")).unwrap().parse().unwrap();
    let page = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let on_unix = &manifest["target"]["cfg(unix)"];
    let tables = [&manifest["dependencies"], &manifest["dev-dependencies"], &on_unix["dependencies"]];
    let missing: Vec<_> = tables
        .into_iter()
        .flat_map(|table| table.as_table().unwrap().keys())
        .filter(|name| !page.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
