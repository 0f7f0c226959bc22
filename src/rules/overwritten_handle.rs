//! `overwritten-handle`: the only name of a pending handle is bound to something else, or deleted.
//!
//! ```text
//! for peer in peers:
//!     handle = dist.isend(t, peer)    # here: the next turn binds `handle` again
//! handle.wait()                       # waits for the last one only
//! ```
//!
//! With nccl the newest handle of a communicator stands for those before it, so a newer handle in the same name is a known
//! way to wait for all of them.

use super::{Context, Finding, Label, Law, Rule, Severity, story};
use crate::catalog::Kind;
use crate::flow::{Event, Handle, Loss, What};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "overwritten-handle",
    severity: Severity::Error,
    law: Law::Reach,
    summary: "the only name of a pending handle is bound to something else or deleted",
    page: include_str!("../../rules/overwritten-handle.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::Lost { handle, how, at } = &event.what else { return None };
    let how = if *how == Loss::Rebound && at.contains(handle.started) { Loss::Renewed } else { *how };
    let (message, lost) = match how {
        Loss::Rebound => bound_again(handle, context),
        Loss::Renewed | Loss::SlotRefilled if story::is_stream_ordered(context) => return None,
        Loss::Renewed if at.contains(handle.started) => bound_by_the_next_turn(handle, context),
        Loss::Renewed => bound_to_a_newer_one(handle, context),
        Loss::SlotRefilled => filled_again(handle, context),
        Loss::Deleted => deleted(handle, context),
        Loss::Discarded | Loss::Underscore | Loss::ScopeEnd | Loss::ContainerGone => return None,
    };
    Some(Finding {
        rule: RULE.name,
        severity: severity(handle, context),
        message,
        primary: Label { span: handle.started, text: primary(handle, *at, &lost, context) },
        labels: labels(event, handle, *at, lost, context),
        help: help(handle, context),
        function: event.function.clone(),
    })
}

fn bound_again(handle: &Handle, context: &Context<'_>) -> (String, String) {
    let name = story::holder(handle);
    let message = format!("{name} is bound to something else while it holds {}", pending(handle, context));
    (
        message,
        format!(
            "{name} is bound to something else here, and nothing can wait for the {} any more",
            held(handle)
        ),
    )
}

fn bound_to_a_newer_one(handle: &Handle, context: &Context<'_>) -> (String, String) {
    let name = story::holder(handle);
    let message = format!("{name} is bound to a newer handle while it holds {}", pending(handle, context));
    (
        message,
        format!("{name} is bound to a newer handle here, and nothing can wait for the older one any more"),
    )
}

fn bound_by_the_next_turn(handle: &Handle, context: &Context<'_>) -> (String, String) {
    let name = story::holder(handle);
    let message =
        format!("the next turn of the loop overwrites {name}, which holds {}", pending(handle, context));
    (
        message,
        format!("{name} is bound again by the next turn, before anything waits for the handle of this one"),
    )
}

fn filled_again(handle: &Handle, context: &Context<'_>) -> (String, String) {
    let name = story::holder(handle);
    let message = format!("{name} is filled again while it holds {}", pending(handle, context));
    (message, format!("{name} can be filled again here without a wait for what it held"))
}

fn deleted(handle: &Handle, context: &Context<'_>) -> (String, String) {
    let name = story::holder(handle);
    let message = format!("{name} is deleted while it holds {}", pending(handle, context));
    (message, format!("{name} is deleted here, and nothing can wait for the {} any more", held(handle)))
}

fn pending(handle: &Handle, context: &Context<'_>) -> String {
    let called = story::callee(handle.started, handle.api, context);
    if handle.several {
        format!("pending handles of {called}")
    } else {
        format!("the pending handle of {called}")
    }
}

fn held(handle: &Handle) -> &'static str {
    story::handles(handle)
}

/// A remote call runs whether or not anybody keeps its future: losing it hides an error at most.
fn severity(handle: &Handle, context: &Context<'_>) -> Severity {
    if context.catalog.function(handle.api).kind == Kind::Rpc { Severity::Advice } else { RULE.severity }
}

fn primary(handle: &Handle, at: Span, lost: &str, context: &Context<'_>) -> String {
    if at.contains(handle.started) {
        return format!("the {} starts here; {lost}", story::noun(handle.api, context));
    }
    format!("the {} starts here", story::noun(handle.api, context))
}

fn labels(event: &Event, handle: &Handle, at: Span, lost: String, context: &Context<'_>) -> Vec<Label> {
    let mut labels = story::inside(handle, context);
    labels.extend(story::condition_of_start(handle, context));
    labels.extend(story::turns(event, handle, context));
    if !at.contains(handle.started) {
        labels.push(Label { span: at, text: lost });
    }
    labels
}

fn help(handle: &Handle, context: &Context<'_>) -> String {
    let wait = story::wait(handle, context);
    let keep = match &handle.holder {
        Some(name) if story::is_bound_directly(handle, name, context) => {
            format!(
                "call `{name}.{wait}()` before that, or collect the handles in a list and wait for each of them"
            )
        }
        Some(name) => format!("wait for what `{name}` holds before that, or collect all handles in one list"),
        None => "wait before that, or collect the handles in a list and wait for each of them".to_owned(),
    };
    format!("{keep}{}", story::harm(handle.api, context))
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, found, told};
    use crate::flow::{Loss, Step, Turn};

    #[test]
    fn a_name_that_the_next_turn_binds_again() {
        let story = Story::new("for p in peers:\n    h = dist.isend(t, p)\nh.wait()\n");
        let mut event = story.lost_by("h", "dist.isend(t, p)", Loss::Renewed, "h = dist.isend(t, p)");
        let header = story.span("for p in peers");
        event.path = vec![Step { span: header, turn: Turn::Turn }, Step { span: header, turn: Turn::Turn }];
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error overwritten-handle: the next turn of the loop overwrites `h`, which holds the pending handle of `dist.isend`
          ^ 2 `dist.isend(t, p)`: the send starts here; `h` is bound again by the next turn, before anything waits for the handle of this one
          - 1 `for p in peers`: the loop takes a turn
          help: call `h.wait()` before that, or collect the handles in a list and wait for each of them; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
        ");
    }

    #[test]
    fn a_name_bound_to_none() {
        let story = Story::new("h = dist.isend(t, 1)\nh = None\n");
        let event = story.lost_by("h", "dist.isend(t, 1)", Loss::Rebound, "h = None");
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error overwritten-handle: `h` is bound to something else while it holds the pending handle of `dist.isend`
          ^ 1 `dist.isend(t, 1)`: the send starts here
          - 2 `h = None`: `h` is bound to something else here, and nothing can wait for the handle any more
          help: call `h.wait()` before that, or collect the handles in a list and wait for each of them; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
        ");
    }

    #[test]
    fn a_deleted_name() {
        let story = Story::new("h = dist.isend(t, 1)\ndel h\n");
        let event = story.lost_by("h", "dist.isend(t, 1)", Loss::Deleted, "del h");
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error overwritten-handle: `h` is deleted while it holds the pending handle of `dist.isend`
          ^ 1 `dist.isend(t, 1)`: the send starts here
          - 2 `del h`: `h` is deleted here, and nothing can wait for the handle any more
          help: call `h.wait()` before that, or collect the handles in a list and wait for each of them; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
        ");
    }

    #[test]
    fn the_newest_of_a_stream() {
        let story = Story::new("for p in peers:\n    h = dist.isend(t, p)\nh.wait()\n").backend("nccl");
        let event = story.lost_by("h", "dist.isend(t, p)", Loss::Rebound, "h = dist.isend(t, p)");
        assert!(found(&story, &[event]).is_empty());
    }
}
