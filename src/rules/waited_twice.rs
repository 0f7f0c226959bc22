//! `waited-twice`: a handle is waited for again where the library does not allow that.
//!
//! ```text
//! handle = dist.irecv(t, 1)
//! handle.wait()
//! handle.wait()      # here: with gloo this hangs; after a collective it would be harmless
//! ```
//!
//! Whether a second wait is a mistake is knowledge of the catalogue, by kind of operation and backend.

use super::{Context, Finding, Label, Law, Rule, Severity, fix, story};
use crate::catalog::{Again, ApiId};
use crate::flow::{Event, Handle, What};

pub(super) const RULE: Rule = Rule {
    name: "waited-twice",
    severity: Severity::Warning,
    law: Law::Api,
    summary: "a handle is waited for a second time where that blocks or raises",
    page: include_str!("../../rules/waited-twice.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::WaitedTwice { handle, wait, first, at } = &event.what else { return None };
    let again = harmful(handle, *wait, context)?;
    let called = story::callee(handle.started, handle.api, context);
    let mut labels = story::from_the_start(handle, context);
    labels.push(Label { span: *first, text: "it is waited for here".to_owned() });
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!("the handle of {called} is waited for a second time"),
        primary: Label { span: *at, text: format!("and again here: {}", clause(again)) },
        labels,
        help: "wait once: remove this wait, or bind the name to `None` after the first and test it here"
            .to_owned(),
        function: event.function.clone(),
        fix: fix::drop_the_second(*at, context),
    })
}

fn harmful<'a>(handle: &Handle, wait: ApiId, context: &Context<'a>) -> Option<&'a Again> {
    let kind = context.catalog.function(handle.api).kind;
    let in_force = |backend: &str| context.backend.is_none_or(|known| backend == known || backend == "any");
    context.catalog.function(wait).again.iter().find(|again| again.kind == kind && in_force(&again.backend))
}

fn clause(again: &Again) -> String {
    match again.backend.as_str() {
        "any" => again.harm.clone(),
        backend => format!("with {backend} {}", again.harm),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, found, told};
    use crate::flow::{Event, What};

    fn twice(story: &Story, start: &str) -> Event {
        let (handle, wait) = (story.handle(start), story.api("torch.distributed.Work.wait"));
        let (first, at) = (story.span("h.wait()"), story.span("h.wait() "));
        story.event(What::WaitedTwice { handle, wait, first, at })
    }

    #[test]
    fn a_receive() {
        let story = Story::new("h = dist.irecv(t, 1)\nh.wait()\nh.wait() \n");
        insta::assert_snapshot!(told(&story, &[twice(&story, "dist.irecv(t, 1)")]), @r"
        warning waited-twice: the handle of `dist.irecv` is waited for a second time
          ^ 3 `h.wait() `: and again here: with gloo the second wait blocks for ever, or until its time-out
          - 1 `dist.irecv(t, 1)`: the receive starts here
          - 2 `h.wait()`: it is waited for here
          help: wait once: remove this wait, or bind the name to `None` after the first and test it here
        ");
    }

    #[test]
    fn a_collective() {
        let story = Story::new("h = dist.all_reduce(t, async_op=True)\nh.wait()\nh.wait() \n");
        assert!(found(&story, &[twice(&story, "dist.all_reduce(t, async_op=True)")]).is_empty());
    }

    #[test]
    fn a_receive_on_a_backend_that_allows_it() {
        let story = Story::new("h = dist.irecv(t, 1)\nh.wait()\nh.wait() \n").backend("nccl");
        assert!(found(&story, &[twice(&story, "dist.irecv(t, 1)")]).is_empty());
    }
}
