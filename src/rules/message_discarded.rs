//! `message-discarded`: a wait throws the message away, and the request is used as if it were the message.
//!
//! ```text
//! request = comm.irecv(source=1)
//! request.wait()                  # here: the message is what this returns
//! return request["size"]          # and a request has no such element
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, story};
use crate::flow::{Event, What};

pub(super) const RULE: Rule = Rule {
    name: "message-discarded",
    severity: Severity::Warning,
    law: Law::Api,
    summary: "a wait throws the message away, and the request is used in its place",
    page: include_str!("../../rules/message-discarded.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::MessageDiscarded { handle, at, used } = &event.what else { return None };
    let called = story::callee(handle.started, handle.api, context);
    let is_flag = at.of(context.text).contains(".Wait");
    let seen = if is_flag {
        "this returns a flag, and the message is gone"
    } else {
        "this returns the message, and nothing takes it"
    };
    let mut labels = story::from_the_start(handle, context);
    labels.push(Label { span: *used, text: "this uses the request as if it were the message".to_owned() });
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!("the message of {called} is thrown away, and the request is used in its place"),
        primary: Label { span: *at, text: seen.to_owned() },
        labels,
        help: "keep what the lower-case wait returns: `message = request.wait()`".to_owned(),
        function: event.function.clone(),
        fix: None,
    })
}
