//! `busy-poll`: a loop asks again and again whether an operation is finished, where a wait says it.
//!
//! ```text
//! while not handle.is_completed():     # here: a wait returns as soon as it is finished
//!     time.sleep(0.001)
//! ```
//!
//! Some backends complete a message only inside a wait. There the answer stays no, and the loop never ends: a warning, whatever else
//! the loop does. Which ones is knowledge of the catalogue.

use super::{Context, Finding, Label, Law, Rule, Severity, story};
use crate::catalog::{Again, ApiId, Returns};
use crate::flow::{Event, Handle, Turns, What};

pub(super) const RULE: Rule = Rule {
    name: "busy-poll",
    severity: Severity::Advice,
    law: Law::Overlap,
    summary: "a loop polls where a wait says it",
    page: include_str!("../../rules/busy-poll.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::BusyPoll { poll, handle, turns, at, header } = &event.what else { return None };
    let harm = harm(*poll, handle.as_ref(), context);
    if *turns == Turns::Busy && harm.is_none() {
        return None;
    }
    let asked = story::short_name(*poll, context);
    let mut labels: Vec<Label> =
        handle.iter().flat_map(|handle| story::from_the_start(handle, context)).collect();
    if !header.contains(*at) {
        labels.push(Label { span: *header, text: "the loop ends only when the answer is yes".to_owned() });
    }
    Some(Finding {
        rule: RULE.name,
        severity: if harm.is_some() { Severity::Warning } else { RULE.severity },
        message: match harm {
            Some(_) => format!("`{asked}` is polled for a message that nothing waits for"),
            None => format!("a loop polls `{asked}` and does nothing else"),
        },
        primary: Label {
            span: *at,
            text: match harm {
                Some(again) => format!("with {} {}", again.backend, again.harm),
                None => "a wait returns as soon as it is finished, this at the next turn or later".to_owned(),
            },
        },
        labels,
        help: help(*poll, handle.as_ref(), *turns, context),
        function: event.function.clone(),
        fix: None,
    })
}

/// Where the answer never becomes yes by itself.
fn harm<'a>(poll: ApiId, handle: Option<&Handle>, context: &Context<'a>) -> Option<&'a Again> {
    let kind = context.catalog.function(handle?.api).kind;
    let in_force = |backend: &str| context.backend.is_none_or(|known| backend == known || backend == "any");
    let entries = &context.catalog.function(poll).stays_false;
    entries.iter().find(|again| again.kind == kind && in_force(&again.backend))
}

fn help(poll: ApiId, handle: Option<&Handle>, turns: Turns, context: &Context<'_>) -> String {
    let capital = story::short_name(poll, context).starts_with(char::is_uppercase);
    let wait = match handle {
        Some(handle) => story::wait(handle, context),
        None if capital => "Wait",
        None => "wait",
    };
    match (turns, context.catalog.function(poll).returns) {
        (Turns::Busy, _) => format!("do the work, then call `{wait}`"),
        (Turns::Idle, Returns::FlagAndMessage) => {
            format!("call `{wait}`, which gives the message, or do something useful in the loop")
        }
        (Turns::Idle, _) => format!("call `{wait}`, or do something useful in the loop"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, found, told};
    use crate::flow::{Event, Turns, What};

    fn polled(story: &Story, call: &str, turns: Turns) -> Event {
        let poll = story.api("torch.distributed.Work.is_completed");
        let at = story.span("h.is_completed()");
        let header = story.span("not h.is_completed()");
        story.event(What::BusyPoll { poll, handle: Some(story.handle(call)), turns, at, header })
    }

    #[test]
    fn a_collective() {
        let story = Story::new("h = dist.all_reduce(t, async_op=True)\nwhile not h.is_completed(): pass\n");
        let event = polled(&story, "dist.all_reduce(t, async_op=True)", Turns::Idle);
        insta::assert_snapshot!(told(&story, &[event]), @r"
        advice busy-poll: a loop polls `is_completed` and does nothing else
          ^ 2 `h.is_completed()`: a wait returns as soon as it is finished, this at the next turn or later
          - 1 `dist.all_reduce(t, async_op=True)`: the collective starts here
          help: call `wait`, or do something useful in the loop
        ");
    }

    #[test]
    fn a_message_on_a_backend_that_completes_it_in_a_wait_only() {
        let story = Story::new("h = dist.irecv(t, 1)\nwhile not h.is_completed(): work()\n");
        insta::assert_snapshot!(told(&story, &[polled(&story, "dist.irecv(t, 1)", Turns::Busy)]), @r"
        warning busy-poll: `is_completed` is polled for a message that nothing waits for
          ^ 2 `h.is_completed()`: with gloo the answer stays no until somebody waits, and the loop never ends
          - 1 `dist.irecv(t, 1)`: the receive starts here
          help: do the work, then call `wait`
        ");
    }

    #[test]
    fn a_message_on_another_backend() {
        let story = Story::new("h = dist.irecv(t, 1)\nwhile not h.is_completed(): work()\n").backend("nccl");
        assert!(found(&story, &[polled(&story, "dist.irecv(t, 1)", Turns::Busy)]).is_empty());
    }
}
