//! `buffer-read`: a buffer is read before the data that is received into it has arrived.
//!
//! ```text
//! handle = dist.irecv(t, peer)
//! print(t.sum())                  # here: stale or partly filled
//! handle.wait()
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, fix, story};
use crate::flow::{Access, Event, What};

pub(super) const RULE: Rule = Rule {
    name: "buffer-read",
    severity: Severity::Error,
    law: Law::Quiet,
    summary: "a buffer is read before the data that it receives has arrived",
    page: include_str!("../../rules/buffer-read.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::Touched { handle, access: Access::Read, buffer, inside, at, .. } = &event.what else {
        return None;
    };
    let noun = story::noun(handle.api, context);
    let started = story::callee(handle.started, handle.api, context);
    let mut labels = story::from_the_start(handle, context);
    labels.extend(story::turns(event, handle, context));
    labels.extend(story::touched_inside(inside, "read"));
    let wait = story::wait_for(handle, context);
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!(
            "{} is read before the {noun} of {started} is finished",
            story::buffer(buffer.as_deref())
        ),
        primary: Label { span: *at, text: format!("it is read here, and nothing has waited for the {noun}") },
        labels,
        help: format!("{wait} before this; as it is, the values are stale, or only some of them are new"),
        function: event.function.clone(),
        // A function that is called may wait too.
        fix: if inside.is_empty() { fix::before_the_touch(handle, *at, context) } else { None },
    })
}
