//! Comments that suppress findings.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use transcript::Folder;

/// The place and rule of each finding in a program; the words of the rules are tested elsewhere.
fn found(body: &str, arguments: &str) -> String {
    let text = format!("import torch.distributed as dist\n\n\ndef send(t):\n{body}");
    let folder = Folder::with(&[("a.py", text.as_bytes())]);
    let shown = folder.unwaited(&format!("check --quiet --output-format concise {arguments} a.py"));
    let findings = shown.lines().filter_map(|line| line.strip_prefix("a.py:"));
    findings.map(|line| format!("{}]\n", line.split(']').next().unwrap())).collect()
}

#[test]
fn nothing_is_suppressed() {
    insta::assert_snapshot!(found("    dist.isend(t, 1)\n", ""), @"5:5: error[discarded-handle]");
}

#[test]
fn at_the_end_of_the_row() {
    assert_eq!(found("    dist.isend(t, 1)  # unwaited: ignore[discarded-handle] it is meant\n", ""), "");
}

#[test]
fn at_the_end_of_any_row_of_the_statement() {
    assert_eq!(found("    dist.isend(  # unwaited: ignore[discarded-handle]\n        t, 1\n    )\n", ""), "");
    assert_eq!(found("    dist.isend(\n        t, 1\n    )  # unwaited: ignore[discarded-handle]\n", ""), "");
}

#[test]
fn on_a_row_of_its_own() {
    let body = "    # unwaited: ignore[discarded-handle] it is meant,\n    # as the protocol says\n\n    dist.isend(t, 1)\n";
    assert_eq!(found(body, ""), "");
    let next = "    # unwaited: ignore[discarded-handle]\n    dist.isend(t, 1)\n    dist.isend(t, 2)\n";
    insta::assert_snapshot!(found(next, ""), @"7:5: error[discarded-handle]");
}

#[test]
fn for_the_whole_file() {
    assert_eq!(
        found("    dist.isend(t, 1)\n    dist.isend(t, 2)\n# unwaited: ignore-file[discarded-handle]\n", ""),
        ""
    );
}

#[test]
fn one_that_names_another_rule() {
    insta::assert_snapshot!(found("    dist.isend(t, 1)  # unwaited: ignore[wait-on-list]\n", ""), @r"
    5:5: error[discarded-handle]
    5:42: warning[unused-ignore]
    ");
}

#[test]
fn one_whose_rule_is_not_checked_is_not_called_unused() {
    let body = "    t += 1  # unwaited: ignore[wait-on-list]\n";
    assert_eq!(found(body, "--ignore wait-on-list"), "");
    insta::assert_snapshot!(found(body, ""), @"5:32: warning[unused-ignore]");
}

#[test]
fn one_that_is_kept_on_purpose() {
    assert_eq!(found("    t += 1  # unwaited: ignore[wait-on-list, unused-ignore] for a while\n", ""), "");
}

#[test]
fn in_a_file_that_cannot_be_parsed_none_is_called_unused() {
    let body = "    t += 1  # unwaited: ignore[wait-on-list]\n    dist.isend(t, 1)\n    t = = 2\n";
    insta::assert_snapshot!(found(body, ""), @r"
    6:5: error[discarded-handle]
    7:9: error[syntax-error]
    ");
}
