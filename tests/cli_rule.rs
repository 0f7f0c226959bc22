//! `unwaited rule`: the pages are compiled in.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use transcript::Folder;
use unwaited::project::known_rules;

#[test]
fn every_rule_is_explained() {
    let folder = Folder::with(&[]);
    for rule in known_rules() {
        assert!(!rule.page.is_empty(), "{} has no page", rule.name);
        let arguments = format!("rule {}", rule.name);
        let expected = format!("$ unwaited {arguments}\n{}-- exit code 0\n", rule.page);
        assert_eq!(folder.unwaited(&arguments), expected);
    }
}

#[test]
fn every_rule_is_in_every_list() {
    let folder = Folder::with(&[]);
    for format in ["text", "markdown", "json"] {
        let list = folder.unwaited(&format!("rule --output-format {format}"));
        for rule in known_rules() {
            assert!(
                list.contains(rule.name) && list.contains(rule.severity.word()),
                "{format}: {}",
                rule.name
            );
        }
    }
}

#[test]
fn every_rule_is_explained_for_programs() {
    let folder = Folder::with(&[]);
    for rule in known_rules() {
        let output =
            folder.command(&format!("rule --output-format json {}", rule.name)).output().unwrap().stdout;
        let page: serde_json::Value = serde_json::from_slice(&output).unwrap();
        assert_eq!(page["name"], rule.name);
        assert_eq!(page["page"], rule.page);
    }
}

#[test]
fn a_rule_that_is_misspelt() {
    insta::assert_snapshot!(Folder::with(&[]).unwaited("rule unusd-ignore"), @r"
    $ unwaited rule unusd-ignore
    -- standard error
    error: invalid value 'unusd-ignore' for '[NAME]': no rule is called `unusd-ignore`: did you mean `unused-ignore`?

    For more information, try '--help'.
    -- exit code 2
    ");
}
