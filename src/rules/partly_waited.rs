//! `partly-waited`: of several handles only some are waited for.
//!
//! ```text
//! reqs = [dist.isend(a, 1), dist.irecv(b, 1)]
//! reqs[-1].wait()                                  # here: the first is still pending
//!
//! for req, box in zip(dist.batch_isend_irecv(ops), boxes):    # here: a batch may give fewer handles than operations
//!     req.wait()
//! ```
//!
//! With nccl the newest handle of one communicator stands for those before it. The other way round, only a backend that merges
//! the operations of a batch gives fewer handles, and nccl is the one that does.

use super::{Context, Finding, Label, Law, Rule, Severity, fix, story};
use crate::flow::{Event, Handle, Selection, What};

pub(super) const RULE: Rule = Rule {
    name: "partly-waited",
    severity: Severity::Error,
    law: Law::Reach,
    summary: "of several handles only some are waited for",
    page: include_str!("../../rules/partly-waited.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::PartlyWaited { handle, how, at } = &event.what else { return None };
    if !does_harm(*how, context) {
        return None;
    }
    let (message, seen) = tell(*how, handle, context);
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message,
        primary: Label { span: *at, text: seen.to_owned() },
        labels: story::from_the_start(handle, context),
        help: help(*how, handle, context),
        function: event.function.clone(),
        fix: fix::wait_for_all(*how, *at, context),
    })
}

fn does_harm(how: Selection, context: &Context<'_>) -> bool {
    match how {
        Selection::Index | Selection::Taken => !story::is_stream_ordered(context),
        Selection::Any => true,
        Selection::Zip => context.backend.is_none() || story::is_stream_ordered(context),
    }
}

fn tell(how: Selection, handle: &Handle, context: &Context<'_>) -> (String, &'static str) {
    let called = story::callee(handle.started, handle.api, context);
    match how {
        Selection::Index => (
            format!("only one of the handles of {called} is waited for"),
            "this waits for one handle, and the others stay pending",
        ),
        Selection::Taken => (
            format!("only one of the handles of {called} is waited for"),
            "this takes one handle out and waits for it, and the others stay pending",
        ),
        Selection::Any => (
            format!("only the first of the handles of {called} to finish is waited for"),
            "this returns as soon as any one of them is finished, and the others stay pending",
        ),
        Selection::Zip => (
            format!("`zip` stops at the shorter side, and {called} may give fewer handles than operations"),
            "where the backend merges operations into one handle, the pairs end too early",
        ),
    }
}

fn help(how: Selection, handle: &Handle, context: &Context<'_>) -> String {
    let wait = story::wait(handle, context);
    let name = handle.holder.as_deref().unwrap_or("handles");
    match how {
        Selection::Index | Selection::Taken => format!(
            "wait for each of them: `for handle in {name}: handle.{wait}()`{}",
            story::harm(handle.api, context)
        ),
        Selection::Any => format!(
            "repeat it until none is left, or wait for all of them{}",
            story::harm(handle.api, context)
        ),
        Selection::Zip => format!(
            "wait in a loop of its own (`for handle in {name}: handle.{wait}()`), and go through the results after it"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, found, told};
    use crate::flow::{Event, Selection, What};

    fn partly(story: &Story, how: Selection, at: &str) -> Event {
        let handle = story.handle("dist.batch_isend_irecv(ops)");
        story.event(What::PartlyWaited { handle, how, at: story.span(at) })
    }

    #[test]
    fn the_last_of_a_list() {
        let story = Story::new("hs = dist.batch_isend_irecv(ops)\nhs[-1].wait()\n");
        insta::assert_snapshot!(told(&story, &[partly(&story, Selection::Index, "hs[-1].wait()")]), @r"
        error partly-waited: only one of the handles of `dist.batch_isend_irecv` is waited for
          ^ 2 `hs[-1].wait()`: this waits for one handle, and the others stay pending
          - 1 `dist.batch_isend_irecv(ops)`: the batch starts here
          help: wait for each of them: `for handle in handles: handle.wait()`; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
        ");
    }

    #[test]
    fn a_zip_over_a_batch() {
        let story = Story::new("for h, b in zip(dist.batch_isend_irecv(ops), boxes): h.wait()\n");
        let header = "zip(dist.batch_isend_irecv(ops), boxes)";
        insta::assert_snapshot!(told(&story, &[partly(&story, Selection::Zip, header)]), @r"
        error partly-waited: `zip` stops at the shorter side, and `dist.batch_isend_irecv` may give fewer handles than operations
          ^ 1 `zip(dist.batch_isend_irecv(ops), boxes)`: where the backend merges operations into one handle, the pairs end too early
          - 1 `dist.batch_isend_irecv(ops)`: the batch starts here
          help: wait in a loop of its own (`for handle in handles: handle.wait()`), and go through the results after it
        ");
    }

    #[test]
    fn the_last_of_a_list_in_one_stream() {
        let story = Story::new("hs = dist.batch_isend_irecv(ops)\nhs[-1].wait()\n").backend("nccl");
        assert!(found(&story, &[partly(&story, Selection::Index, "hs[-1].wait()")]).is_empty());
    }

    #[test]
    fn a_zip_where_each_operation_has_its_handle() {
        let story = Story::new("zip(dist.batch_isend_irecv(ops), boxes)\n").backend("gloo");
        let header = "zip(dist.batch_isend_irecv(ops), boxes)";
        assert!(found(&story, &[partly(&story, Selection::Zip, header)]).is_empty());
    }
}
