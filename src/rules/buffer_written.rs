//! `buffer-written`: a buffer is written while an operation sends it, receives into it or reduces it.
//!
//! ```text
//! handle = dist.isend(t, peer)
//! t.mul_(0.9)                     # here: the receiver gets the old values, the new ones, or a mixture
//! handle.wait()
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, fix, story};
use crate::flow::{Access, Event, Handle, Usage, What};

pub(super) const RULE: Rule = Rule {
    name: "buffer-written",
    severity: Severity::Error,
    law: Law::Quiet,
    summary: "a buffer is written, freed or resized while an operation uses it",
    page: include_str!("../../rules/buffer-written.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::Touched { handle, usage, access, buffer, inside, at } = &event.what else { return None };
    let verb = match access {
        Access::Write => "written",
        Access::Free => "freed or resized",
        Access::Read => return None,
    };
    let noun = story::noun(handle.api, context);
    let started = story::callee(handle.started, handle.api, context);
    let mut labels = story::from_the_start(handle, context);
    labels.extend(story::turns(event, handle, context));
    labels.extend(story::touched_inside(inside, verb));
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!(
            "{} is {verb} while the {noun} of {started} uses it",
            story::buffer(buffer.as_deref())
        ),
        primary: Label {
            span: *at,
            text: format!("it is {verb} here, before anything has waited for the {noun}"),
        },
        labels,
        help: help(handle, *usage, context),
        function: event.function.clone(),
        // A function that is called may wait too.
        fix: if inside.is_empty() { fix::before_the_touch(handle, *at, context) } else { None },
    })
}

fn help(handle: &Handle, usage: Usage, context: &Context<'_>) -> String {
    let wait = story::wait_for(handle, context);
    match usage {
        Usage::Sends => format!(
            "{wait} before this, or send a copy; as it is, the receiver gets the old values, the new ones or a mixture"
        ),
        Usage::Receives => {
            format!("{wait} before this; as it is, what is written here or what is received is lost")
        }
        Usage::Both => format!("{wait} before this; as it is, the result can be wrong on every rank"),
    }
}
