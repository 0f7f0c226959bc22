//! `small-receive-room`: a receive of a pickled message is given no room, and large messages do not fit.
//!
//! ```text
//! request = comm.irecv(source=1)              # here: a message of 32 KiB or more is truncated
//! request = comm.irecv(1 << 20, source=1)     # room for a mebibyte
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, story};
use crate::flow::{Event, What};

pub(super) const RULE: Rule = Rule {
    name: "small-receive-room",
    severity: Severity::Advice,
    law: Law::Api,
    summary: "a receive is given no room, and a large message is truncated",
    page: include_str!("../../rules/small-receive-room.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::SmallRoom { api, at } = &event.what else { return None };
    let room = context.catalog.function(*api).room.as_ref()?;
    let called = story::callee(*at, *api, context);
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!("{called} is given no room for its message"),
        primary: Label { span: *at, text: room.harm.clone() },
        labels: Vec::new(),
        help: format!(
            "give the largest size in bytes as `{}`, as in {}, or probe for the message and receive what was matched",
            room.argument,
            example(&called, &room.argument)
        ),
        function: event.function.clone(),
        fix: None,
    })
}

fn example(called: &str, argument: &str) -> String {
    format!("`{}({argument}=1 << 20, …)`", called.trim_matches('`'))
}
