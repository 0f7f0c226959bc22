//! `unwaited-handle`: a handle is kept in a local, and on some path the scope ends with the operation pending.
//!
//! ```text
//! handle = dist.isend(t, 1)    # here
//! if verbose:                  # this condition is false
//!     handle.wait()
//! return t                     # the function ends with the send pending
//! ```
//!
//! A barrier carries no data: one that a poll loop gives up on is meant, and a remote call runs whether or not anybody keeps
//! its future.

use super::{Context, Finding, Fix, Label, Law, Rule, Severity, fix, story};
use crate::catalog::Kind;
use crate::flow::{Event, Handle, Loss, Note, What};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unwaited-handle",
    severity: Severity::Error,
    law: Law::Reach,
    summary: "on some path a scope ends while it alone holds the handle of a pending operation",
    page: include_str!("../../rules/unwaited-handle.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::Lost { handle, how, at } = &event.what else { return None };
    let (message, lost) = match how {
        Loss::ScopeEnd => scope_ends(event, handle, *at, context),
        Loss::ContainerGone => container_goes(handle, *at, context),
        Loss::Discarded
        | Loss::Underscore
        | Loss::Rebound
        | Loss::Renewed
        | Loss::Deleted
        | Loss::SlotRefilled => return None,
    };
    let mut labels = story::inside(handle, context);
    labels.extend(story::condition_of_start(handle, context));
    labels.extend(polls(handle));
    labels.extend(story::turns(event, handle, context));
    labels.push(Label { span: *at, text: lost });
    Some(Finding {
        rule: RULE.name,
        severity: severity(handle, context)?,
        message,
        primary: Label {
            span: handle.started,
            text: format!("the {} starts here", story::noun(handle.api, context)),
        },
        labels,
        help: help(handle, context),
        function: event.function.clone(),
        fix: how_to_fix(event, handle, *how, *at, context),
    })
}

fn how_to_fix(event: &Event, handle: &Handle, how: Loss, at: Span, context: &Context<'_>) -> Option<Fix> {
    match how {
        Loss::ContainerGone => fix::before_it_is_emptied(handle, at, context),
        _ => fix::before_the_end(event, handle, at, context),
    }
}

fn scope_ends(event: &Event, handle: &Handle, at: Span, context: &Context<'_>) -> (String, String) {
    let called = story::callee(handle.started, handle.api, context);
    let (handles, are, noun) = (story::handles(handle), story::are(handle), story::noun(handle.api, context));
    let waited = format!("{are} {}", how_often(event, handle, at, context));
    let message = match &handle.holder {
        Some(name) => format!("the {handles} of {called} in `{name}` {waited}"),
        None => format!("the {handles} of {called} {waited}"),
    };
    let returns = at.of(context.text).starts_with("return");
    let leaves = match event.function.as_str() {
        "<module>" => "the program ends here",
        _ if returns => "the function returns here",
        _ => "the function ends here",
    };
    (message, format!("{leaves} with the {noun} pending"))
}

/// "never waited for", unless some other way through the function may wait.
fn how_often(event: &Event, handle: &Handle, at: Span, context: &Context<'_>) -> &'static str {
    let between = Span { start: handle.started.end, end: at.start }.of(context.text);
    if story::is_conditional(event, handle, context) {
        "not waited for on every path"
    } else if between.contains("wait") || between.contains("Wait") {
        "not waited for"
    } else {
        "never waited for"
    }
}

fn container_goes(handle: &Handle, at: Span, context: &Context<'_>) -> (String, String) {
    let called = story::callee(handle.started, handle.api, context);
    let noun = story::noun(handle.api, context);
    let name = story::named(story::container(at, handle, context));
    let message = format!("{name} gives up a handle of {called} that nothing has waited for");
    (message, format!("{name} gives up what it holds here, with the {noun} pending"))
}

fn polls(handle: &Handle) -> Option<Label> {
    handle.notes.iter().find_map(|note| match note {
        Note::Polled(span) => {
            Some(Label { span: *span, text: "a poll that says no does not finish it".to_owned() })
        }
        Note::Fenced(_) => None,
    })
}

fn severity(handle: &Handle, context: &Context<'_>) -> Option<Severity> {
    let polled = handle.notes.iter().any(|note| matches!(note, Note::Polled(_)));
    match context.catalog.function(handle.api).kind {
        Kind::Barrier if polled => None,
        Kind::Rpc => Some(Severity::Advice),
        Kind::PointToPoint | Kind::Collective | Kind::Barrier | Kind::OneSided | Kind::File => {
            Some(RULE.severity)
        }
    }
}

fn help(handle: &Handle, context: &Context<'_>) -> String {
    let wait = story::wait(handle, context);
    let keep = match &handle.holder {
        Some(name) if story::is_bound_directly(handle, name, context) => {
            format!("call `{name}.{wait}()` on every path, or give the handle to the caller")
        }
        Some(name) => format!("wait on every path for what `{name}` holds, or give it to the caller"),
        None => {
            format!("keep the {} and wait on every path, or give it to the caller", story::handles(handle))
        }
    };
    format!("{keep}{}", story::harm(handle.api, context))
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, found, told};
    use crate::flow::{Event, Loss, Note, Step, Turn, What};

    #[test]
    fn a_wait_in_one_branch() {
        let text = "def f(t, a):\n    h = dist.isend(t, 1)\n    if a:\n        h.wait()\n    return t\n";
        let story = Story::new(text);
        let mut event = story.lost_by("h", "dist.isend(t, 1)", Loss::ScopeEnd, "return t");
        event.path = vec![Step { span: story.span("if a"), turn: Turn::False }];
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error unwaited-handle: the handle of `dist.isend` in `h` is not waited for on every path
          ^ 2 `dist.isend(t, 1)`: the send starts here
          - 3 `if a`: this condition is false
          - 5 `return t`: the function returns here with the send pending
          help: call `h.wait()` on every path, or give the handle to the caller; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
        ");
    }

    #[test]
    fn a_list_that_is_cleared() {
        let story = Story::new("hs.append(dist.isend(t, 1))\nhs.clear()\n");
        let event = story.lost_by("hs", "dist.isend(t, 1)", Loss::ContainerGone, "hs.clear()");
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error unwaited-handle: `hs` gives up a handle of `dist.isend` that nothing has waited for
          ^ 1 `dist.isend(t, 1)`: the send starts here
          - 2 `hs.clear()`: `hs` gives up what it holds here, with the send pending
          help: wait on every path for what `hs` holds, or give it to the caller; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
        ");
    }

    #[test]
    fn a_barrier_that_a_poll_loop_gives_up_on() {
        let story = Story::new("b = dist.barrier(async_op=True)\nb.is_completed()\n");
        let mut event = story.lost_by("b", "dist.barrier(async_op=True)", Loss::ScopeEnd, "b.is_completed()");
        assert_eq!(found(&story, &[event.clone()]), ["1: unwaited-handle"]);
        poll(&mut event, &story);
        assert!(found(&story, &[event]).is_empty());
    }

    fn poll(event: &mut Event, story: &Story) {
        if let What::Lost { handle, .. } = &mut event.what {
            handle.notes.push(Note::Polled(story.span("b.is_completed()")));
        }
    }
}
