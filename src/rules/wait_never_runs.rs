//! `wait-never-runs`: a wait is written down, and nothing ever runs it.
//!
//! ```text
//! handle.wait                       # here: without parentheses the method is only named
//! (h.wait() for h in handles)       # here: nothing goes through the generator
//! map(lambda h: h.wait(), handles)  # here
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, fix, story};
use crate::flow::{Event, Handle, Idle, What};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "wait-never-runs",
    severity: Severity::Error,
    law: Law::Api,
    summary: "a wait is named but not called, or stands in a lazy expression that nothing consumes",
    page: include_str!("../../rules/wait-never-runs.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::WaitNeverRuns { handle, why, at } = &event.what else { return None };
    let (message, seen, help) = match why {
        Idle::NotCalled => not_called(*at, context),
        Idle::NotConsumed => not_consumed(handle.as_ref(), context),
    };
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message,
        primary: Label { span: *at, text: seen.to_owned() },
        labels: handle.as_ref().map(|handle| story::from_the_start(handle, context)).unwrap_or_default(),
        help,
        function: event.function.clone(),
        fix: fix::call_it(*why, *at, context),
    })
}

fn not_called(at: Span, context: &Context<'_>) -> (String, &'static str, String) {
    let named = at.of(context.text);
    (
        format!("`{named}` is named but not called"),
        "without parentheses this does nothing, and the operation stays pending",
        format!("call it: `{named}()`"),
    )
}

fn not_consumed(handle: Option<&Handle>, context: &Context<'_>) -> (String, &'static str, String) {
    let wait = handle.map_or("wait", |handle| story::wait(handle, context));
    (
        "the waits in this expression never run".to_owned(),
        "this is lazy, and nothing goes through it: no wait inside it runs",
        format!("write a loop: `for handle in handles: handle.{wait}()`"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, told};
    use crate::flow::{Idle, What};

    #[test]
    fn a_wait_without_parentheses() {
        let story = Story::new("h = dist.isend(t, 1)\nh.wait\n");
        let handle = Some(story.handle("dist.isend(t, 1)"));
        let event = What::WaitNeverRuns { handle, why: Idle::NotCalled, at: story.span("h.wait") };
        insta::assert_snapshot!(told(&story, &[story.event(event)]), @r"
        error wait-never-runs: `h.wait` is named but not called
          ^ 2 `h.wait`: without parentheses this does nothing, and the operation stays pending
          - 1 `dist.isend(t, 1)`: the send starts here
          help: call it: `h.wait()`
        ");
    }

    #[test]
    fn waits_in_a_generator() {
        let story = Story::new("(h.wait() for h in hs)\n");
        let at = story.span("(h.wait() for h in hs)");
        let event = What::WaitNeverRuns { handle: None, why: Idle::NotConsumed, at };
        insta::assert_snapshot!(told(&story, &[story.event(event)]), @r"
        error wait-never-runs: the waits in this expression never run
          ^ 1 `(h.wait() for h in hs)`: this is lazy, and nothing goes through it: no wait inside it runs
          help: write a loop: `for handle in handles: handle.wait()`
        ");
    }
}
