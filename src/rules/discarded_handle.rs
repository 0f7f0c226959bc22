//! `discarded-handle`: the result of a start is thrown away at once.
//!
//! ```text
//! dist.isend(t, 1)            # here
//! _ = dist.isend(t, 1)        # here: nothing ever reads `_`
//! self.post(t)                # here, if `post` gives its caller the handle
//! ```
//!
//! A one-way remote call is no mistake: the other side runs it whether or not anybody keeps the future. With nccl a send or a
//! collective goes on in its stream, so only a receive is an error there.

use super::{Context, Finding, Label, Law, Rule, Severity, fix, story};
use crate::catalog::Kind;
use crate::flow::{Event, Handle, Loss, Note, What};

pub(super) const RULE: Rule = Rule {
    name: "discarded-handle",
    severity: Severity::Error,
    law: Law::Reach,
    summary: "the handle of an operation is thrown away where the operation starts",
    page: include_str!("../../rules/discarded-handle.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::Lost { handle, how, at: _ } = &event.what else { return None };
    let (message, seen) = match how {
        Loss::Discarded => thrown_away(handle, context),
        Loss::Underscore => bound_to_an_unread_name(handle, context),
        Loss::Rebound
        | Loss::Renewed
        | Loss::Deleted
        | Loss::ScopeEnd
        | Loss::ContainerGone
        | Loss::SlotRefilled => return None,
    };
    let mut labels = story::inside(handle, context);
    labels.extend(story::condition_of_start(handle, context));
    Some(Finding {
        rule: RULE.name,
        severity: severity(handle, context)?,
        message,
        primary: Label { span: handle.started, text: seen },
        labels,
        help: help(handle, context),
        function: event.function.clone(),
        fix: fix::keep(handle, context),
    })
}

fn thrown_away(handle: &Handle, context: &Context<'_>) -> (String, String) {
    let called = story::callee(handle.started, handle.api, context);
    let (handles, are) = (story::handles(handle), story::are(handle));
    let noun = story::noun(handle.api, context);
    let message = format!("the {handles} of {called} {are} thrown away");
    (message, format!("the {noun} starts here and its {handles} {are} dropped at once"))
}

fn bound_to_an_unread_name(handle: &Handle, context: &Context<'_>) -> (String, String) {
    let called = story::callee(handle.started, handle.api, context);
    let (handles, are, name) = (story::handles(handle), story::are(handle), story::holder(handle));
    let noun = story::noun(handle.api, context);
    let message = format!("the {handles} of {called} {are} bound to {name} and never waited for");
    let seen = format!(
        "the {noun} starts here; {name} keeps the {handles} until it is bound again or the scope ends, and nothing reads it"
    );
    (message, seen)
}

fn severity(handle: &Handle, context: &Context<'_>) -> Option<Severity> {
    let kind = context.catalog.function(handle.api).kind;
    if kind == Kind::Rpc {
        return None;
    }
    if handle.notes.iter().any(|note| matches!(note, Note::Fenced(_))) && kind != Kind::PointToPoint {
        return Some(Severity::Advice);
    }
    let goes_on = story::is_stream_ordered(context) && story::noun(handle.api, context) != "receive";
    if goes_on || story::is_decided_by_the_caller(handle) {
        Some(Severity::Warning)
    } else {
        Some(RULE.severity)
    }
}

fn help(handle: &Handle, context: &Context<'_>) -> String {
    if story::is_decided_by_the_caller(handle) {
        return format!(
            "return the handle to the caller, or wait for it here{}",
            story::harm(handle.api, context)
        );
    }
    format!("{}{}", story::keep_and_wait(handle, context), story::harm(handle.api, context))
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, told};
    use crate::flow::{Event, Loss, Note, Origin, What};

    #[test]
    fn a_send_as_a_statement() {
        let story = Story::new("dist.isend(t, 1)\n");
        let event = story.lost("dist.isend(t, 1)", Loss::Discarded, "dist.isend(t, 1)");
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error discarded-handle: the handle of `dist.isend` is thrown away
          ^ 1 `dist.isend(t, 1)`: the send starts here and its handle is dropped at once
          help: keep the handle and wait: `handle = dist.isend(…)`, and later `handle.wait()`; or call the blocking `dist.send`; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
        ");
    }

    #[test]
    fn a_wrapper_as_a_statement() {
        let story = Story::new("def put(t): return dist.isend(t, 1)\nput(x)\n");
        let mut handle = story.handle("put(x)");
        handle.inside = vec![Origin { function: "put".into(), span: story.span("dist.isend(t, 1)") }];
        let event = story.event(What::Lost { handle, how: Loss::Discarded, at: story.span("put(x)") });
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error discarded-handle: the handle of `put` is thrown away
          ^ 2 `put(x)`: the send starts here and its handle is dropped at once
          - 1 `dist.isend(t, 1)`: inside `put` it is `dist.isend` that starts it
          help: keep the handle and wait: `handle = put(…)`, and later `handle.wait()`; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
        ");
    }

    #[test]
    fn an_underscore() {
        let story = Story::new("_ = dist.isend(t, 1)\n");
        let mut event = story.lost("dist.isend(t, 1)", Loss::Underscore, "_");
        hold(&mut event, "_");
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error discarded-handle: the handle of `dist.isend` is bound to `_` and never waited for
          ^ 1 `dist.isend(t, 1)`: the send starts here; `_` keeps the handle until it is bound again or the scope ends, and nothing reads it
          help: keep the handle and wait: `handle = dist.isend(…)`, and later `handle.wait()`; or call the blocking `dist.send`; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
        ");
    }

    #[test]
    fn a_send_that_goes_on_in_its_stream() {
        let story = Story::new("dist.isend(t, 1)\n").backend("nccl");
        let event = story.lost("dist.isend(t, 1)", Loss::Discarded, "dist.isend(t, 1)");
        insta::assert_snapshot!(told(&story, &[event]), @r"
        warning discarded-handle: the handle of `dist.isend` is thrown away
          ^ 1 `dist.isend(t, 1)`: the send starts here and its handle is dropped at once
          help: keep the handle and wait: `handle = dist.isend(…)`, and later `handle.wait()`; or call the blocking `dist.send`; as it is, with nccl the operation stays in its stream: a send usually completes, a receive races with whoever reads the buffer
        ");
    }

    #[test]
    fn a_collective_of_a_device_that_is_synchronised_elsewhere() {
        let story = Story::new("dist.all_reduce(t, async_op=True)\nsynchronize()\n");
        let mut handle = story.handle("dist.all_reduce(t, async_op=True)");
        handle.notes.push(Note::Fenced(story.span("synchronize()")));
        let at = handle.started;
        let event = story.event(What::Lost { handle, how: Loss::Discarded, at });
        assert!(told(&story, &[event]).starts_with("advice discarded-handle: "));
    }

    #[test]
    fn a_one_way_remote_call() {
        let story = Story::new("rpc.rpc_async(name, work)\n");
        let mut handle = story.handle("rpc.rpc_async(name, work)");
        handle.api = story.api("torch.distributed.rpc.rpc_async");
        let at = handle.started;
        let event = story.event(What::Lost { handle, how: Loss::Discarded, at });
        assert_eq!(told(&story, &[event]), "");
    }

    fn hold(event: &mut Event, name: &str) {
        if let What::Lost { handle, .. } = &mut event.what {
            handle.holder = Some(name.into());
        }
    }
}
