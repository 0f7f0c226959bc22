//! The JSON schema of a configuration file, made from the code and held against `docs/unwaited.schema.json`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::{Backend, Given, KEYS, Level, SCHEMA};
use crate::project::{RuleName, known_rules};

impl JsonSchema for RuleName {
    fn schema_name() -> Cow<'static, str> {
        "RuleName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> =
            known_rules().map(|rule| rule.name).filter(|name| RuleName::parse(name).is_ok()).collect();
        json_schema!({ "description": "The name of a rule.", "type": "string", "enum": names })
    }
}

impl JsonSchema for Level {
    fn schema_name() -> Cow<'static, str> {
        "Level".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "How much findings of a rule weigh.",
            "type": "string",
            "enum": ["advice", "warning", "error"],
        })
    }
}

impl JsonSchema for Backend {
    fn schema_name() -> Cow<'static, str> {
        "Backend".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words = Backend::ALL.map(Backend::word);
        json_schema!({
            "description": "The backend that the programs run on; `any` where it is not known.",
            "type": "string",
            "enum": words,
        })
    }
}

fn generated() -> String {
    let mut schema = schemars::schema_for!(Given);
    schema.insert("title".to_owned(), "Configuration of unwaited".into());
    schema.insert(
        "description".to_owned(),
        "`unwaited.toml`, `.unwaited.toml`, or the table `[tool.unwaited]` of `pyproject.toml`.".into(),
    );
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

fn accepts(text: &str) -> bool {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let value: toml::Table = toml::from_str(text).unwrap();
    let accepted = jsonschema::is_valid(&schema, &serde_json::to_value(value).unwrap());
    let read = Given::parse("unwaited.toml", text).is_ok();
    assert_eq!(accepted, read, "schema and code differ about\n{text}");
    accepted
}

#[test]
fn the_published_schema_is_that_of_the_code() {
    let generated = generated();
    if SCHEMA != generated {
        let path = std::env::temp_dir().join("unwaited.schema.json");
        std::fs::write(&path, generated).unwrap();
        panic!("rules or keys have changed: copy {} to docs/unwaited.schema.json", path.display());
    }
}

#[test]
fn every_key_is_described() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for (key, says) in KEYS {
        let property = &schema["properties"][key];
        let described = property["description"].as_str().unwrap_or_default();
        assert!(!described.is_empty(), "{key} has no description; the list says: {says}");
    }
}

#[test]
fn schema_and_code_accept_the_same() {
    assert!(accepts(""));
    assert!(accepts("select = ['wait-on-list']\nbackend = 'mpi'\nseverity = { unread-handle = 'error' }"));
    assert!(accepts("exclude = ['a/**']\nrespect-gitignore = false\nper-file-ignores = { 'a.py' = [] }"));
    assert!(accepts(
        "[[api]]\nlibrary = 'ours'\nlanguage = 'python'\nmodules = ['ours']\n[[api.function]]\nname = 'push'\ndoes = 'start'\n"
    ));
    assert!(!accepts("select = ['wait-on-lists']"));
    assert!(!accepts("selct = []"));
    assert!(!accepts("backend = 'ncl'"));
    assert!(!accepts("severity = { unread-handle = 'info' }"));
    assert!(!accepts("severity = { syntax-error = 'advice' }"));
    assert!(!accepts("[[api]]\nlibrary = 'ours'"));
}
