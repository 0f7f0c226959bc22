//! `temporary-buffer`: data is received into a value that nobody can read.
//!
//! ```text
//! handle = dist.irecv(box.clone(), peer)    # here: `box` stays as it was
//! handle.wait()
//! ```
//!
//! What copies only sometimes (`contiguous`, `to`) is an error where it certainly does, and a warning where it may.

use super::{Context, Finding, Label, Law, Rule, Severity, story};
use crate::flow::{Event, Standing, What};

pub(super) const RULE: Rule = Rule {
    name: "temporary-buffer",
    severity: Severity::Error,
    law: Law::Quiet,
    summary: "data is received into a value that nobody can read",
    page: include_str!("../../rules/temporary-buffer.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::Temporary { api, argument, standing, at } = &event.what else { return None };
    let called = story::callee(*at, *api, context);
    let text = argument.of(context.text);
    let value = if text.len() <= 60 && !text.contains('\n') {
        format!("`{text}`")
    } else {
        "the argument".to_owned()
    };
    let (severity, verb, seen) = match standing {
        Standing::Certain => (RULE.severity, "is", "this is a new buffer, and only the operation has it"),
        Standing::Possible => (
            Severity::Warning,
            "may be",
            "this copies where it must, and then only the operation has the copy",
        ),
    };
    Some(Finding {
        rule: RULE.name,
        severity,
        message: format!("{called} receives into {value}, which {verb} a temporary copy"),
        primary: Label { span: *at, text: "nothing can read what arrives here".to_owned() },
        labels: vec![Label { span: *argument, text: seen.to_owned() }],
        help: "bind the buffer to a name, receive into that, and copy from it after the wait".to_owned(),
        function: event.function.clone(),
        fix: None,
    })
}
