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

use super::{Context, Finding, Label, Law, Rule, Severity, fix, story};
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
    let how = match how {
        Loss::Rebound | Loss::Renewed if is_own_statement(*at, handle, context) => How::NextTurn,
        Loss::Renewed => How::Newer,
        Loss::Rebound => How::SomethingElse,
        Loss::Deleted => How::Deleted,
        Loss::SlotRefilled => How::Refilled,
        Loss::Discarded | Loss::Underscore | Loss::ScopeEnd | Loss::ContainerGone => return None,
    };
    if how.is_the_newest() && story::is_stream_ordered(context) {
        return None;
    }
    let place = story::place(*at, handle, context);
    let (happens, lost) = how.words(&story::named(place));
    Some(Finding {
        rule: RULE.name,
        severity: severity(handle, context),
        message: format!("{happens} while it holds {}", pending(handle, context)),
        primary: Label {
            span: handle.started,
            text: format!("the {} starts here", story::noun(handle.api, context)),
        },
        labels: labels(event, handle, Label { span: *at, text: lost }, context),
        help: help(handle, place, context),
        function: event.function.clone(),
        fix: how
            .can_be_preceded_by_a_wait()
            .then(|| fix::before_the_overwrite(event, handle, *at, context))
            .flatten(),
    })
}

/// What takes the handle away.
#[derive(Clone, Copy)]
enum How {
    /// The statement that started it, in the next turn of a loop.
    NextTurn,
    /// The handle of another start.
    Newer,
    SomethingElse,
    Refilled,
    Deleted,
}

impl How {
    /// Whether there is one place before which the handle can be waited for.
    fn can_be_preceded_by_a_wait(self) -> bool {
        match self {
            Self::NextTurn | Self::Newer | Self::SomethingElse | Self::Deleted => true,
            Self::Refilled => false,
        }
    }

    /// Whether the place holds a handle of a later start afterwards.
    fn is_the_newest(self) -> bool {
        match self {
            Self::NextTurn | Self::Newer | Self::Refilled => true,
            Self::SomethingElse | Self::Deleted => false,
        }
    }

    /// What happens to the place, for the message and for the label.
    fn words(self, place: &str) -> (String, String) {
        match self {
            Self::NextTurn => (
                format!("the next turn of the loop overwrites {place}"),
                format!(
                    "the next turn binds {place} again, and nothing has waited for the handle of this one"
                ),
            ),
            Self::Newer => (
                format!("{place} is bound to a newer handle"),
                "a newer handle takes its place here, and nothing can wait for the older one any more"
                    .to_owned(),
            ),
            Self::SomethingElse => (
                format!("{place} is bound to something else"),
                "something else takes its place here, and nothing can wait for it any more".to_owned(),
            ),
            Self::Refilled => (
                format!("{place} is filled again"),
                "it can be filled again here without a wait for what it held".to_owned(),
            ),
            Self::Deleted => (
                format!("{place} is deleted"),
                "it is deleted here, and nothing can wait for the operation any more".to_owned(),
            ),
        }
    }
}

/// Whether the handle is overwritten by the statement that started it: `at` is its target, or the whole of it.
fn is_own_statement(at: Span, handle: &Handle, context: &Context<'_>) -> bool {
    let between = Span { start: at.end, end: handle.started.start };
    let is_target = at.end < handle.started.start && !between.of(context.text).contains('\n');
    is_target || at.contains(handle.started)
}

fn pending(handle: &Handle, context: &Context<'_>) -> String {
    let called = story::callee(handle.started, handle.api, context);
    if handle.several {
        format!("pending handles of {called}")
    } else {
        format!("the pending handle of {called}")
    }
}

/// A remote call runs whether or not anybody keeps its future: losing it hides an error at most.
fn severity(handle: &Handle, context: &Context<'_>) -> Severity {
    if context.catalog.function(handle.api).kind == Kind::Rpc { Severity::Advice } else { RULE.severity }
}

fn labels(event: &Event, handle: &Handle, lost: Label, context: &Context<'_>) -> Vec<Label> {
    let mut labels = story::inside(handle, context);
    labels.extend(story::condition_of_start(handle, context));
    labels.extend(story::turns(event, handle, context));
    labels.push(lost);
    labels
}

fn help(handle: &Handle, place: Option<&str>, context: &Context<'_>) -> String {
    let wait = story::wait(handle, context);
    let keep = match place {
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
        let mut event = story.lost_by("h", "dist.isend(t, p)", Loss::Renewed, "h");
        let header = story.span("for p in peers");
        event.path = vec![Step { span: header, turn: Turn::Turn }, Step { span: header, turn: Turn::Turn }];
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error overwritten-handle: the next turn of the loop overwrites `h` while it holds the pending handle of `dist.isend`
          ^ 2 `dist.isend(t, p)`: the send starts here
          - 1 `for p in peers`: the loop takes a turn
          - 2 `h`: the next turn binds `h` again, and nothing has waited for the handle of this one
          help: call `h.wait()` before that, or collect the handles in a list and wait for each of them; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
        ");
    }

    #[test]
    fn a_name_bound_to_none() {
        let story = Story::new("h = dist.isend(t, 1)\nh = None\n");
        let event = story.lost_at("h", "dist.isend(t, 1)", Loss::Rebound, story.last("h"));
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error overwritten-handle: `h` is bound to something else while it holds the pending handle of `dist.isend`
          ^ 1 `dist.isend(t, 1)`: the send starts here
          - 2 `h`: something else takes its place here, and nothing can wait for it any more
          help: call `h.wait()` before that, or collect the handles in a list and wait for each of them; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
        ");
    }

    #[test]
    fn a_deleted_name() {
        let story = Story::new("h = dist.isend(t, 1)\ndel h\n");
        let event = story.lost_at("h", "dist.isend(t, 1)", Loss::Deleted, story.last("h"));
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error overwritten-handle: `h` is deleted while it holds the pending handle of `dist.isend`
          ^ 1 `dist.isend(t, 1)`: the send starts here
          - 2 `h`: it is deleted here, and nothing can wait for the operation any more
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
