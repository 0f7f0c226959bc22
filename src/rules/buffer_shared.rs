//! `buffer-shared`: one buffer is in two operations at once, and one of them writes it.
//!
//! ```text
//! for peer in peers:
//!     handles.append(dist.irecv(box, peer))    # here: each turn receives into the same memory
//! ```
//!
//! Two sends may share a buffer. An MPI operation may not have one buffer as source and destination, but for `IN_PLACE`.

use super::{Context, Finding, Fix, Label, Law, Rule, Severity, fix, story};
use crate::catalog::{ApiId, Kind};
use crate::flow::{Event, Handle, What};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "buffer-shared",
    severity: Severity::Error,
    law: Law::Quiet,
    summary: "one buffer is in two operations at once, and one of them writes it",
    page: include_str!("../../rules/buffer-shared.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::SharedBuffer { api, with, buffer, at } = &event.what else { return None };
    let buffer = story::buffer(buffer.as_deref());
    let finding = match with {
        // Collectives of one communicator run one after the other in its stream.
        Some(handle) if story::is_stream_ordered(context) && both_collective(handle, *api, context) => {
            return None;
        }
        Some(handle) => in_two(event, handle, &buffer, *api, *at, context),
        None => in_one(event, &buffer, *api, *at, context),
    };
    Some(finding)
}

fn both_collective(handle: &Handle, api: ApiId, context: &Context<'_>) -> bool {
    [handle.api, api].iter().all(|api| context.catalog.function(*api).kind == Kind::Collective)
}

fn in_two(
    event: &Event,
    handle: &Handle,
    buffer: &str,
    api: ApiId,
    at: Span,
    context: &Context<'_>,
) -> Finding {
    let first = story::callee(handle.started, handle.api, context);
    let mut labels = story::from_the_start(handle, context);
    labels.extend(story::turns(event, handle, context));
    let which = if handle.started == at { "the one of an earlier turn" } else { "the first" };
    Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!("{buffer} is given to a second operation while {first} uses it"),
        primary: Label {
            span: at,
            text: format!(
                "the {} begins here, and nothing has waited for {which}",
                story::noun(api, context)
            ),
        },
        labels,
        help: format!(
            "give each operation a buffer of its own, or {} before this; as it is, the data of both is mixed",
            story::wait_for(handle, context)
        ),
        function: event.function.clone(),
        fix: fixed(handle, api, at, context),
    }
}

/// The first is waited for before the second begins; not a receive before a send, for which the peer may wait itself.
fn fixed(handle: &Handle, api: ApiId, at: Span, context: &Context<'_>) -> Option<Fix> {
    let is_exchange = story::noun(handle.api, context) == "receive" && story::noun(api, context) == "send";
    if is_exchange { None } else { fix::before_the_touch(handle, at, context) }
}

fn in_one(event: &Event, buffer: &str, api: ApiId, at: Span, context: &Context<'_>) -> Finding {
    let called = story::callee(at, api, context);
    Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!("{buffer} is both what {called} sends and where it receives"),
        primary: Label { span: at, text: "source and destination overlap".to_owned() },
        labels: Vec::new(),
        help: "receive into another buffer, or pass `IN_PLACE` as the source; as it is, what is sent can be overwritten before it is read".to_owned(),
        function: event.function.clone(),
        fix: None,
    }
}
