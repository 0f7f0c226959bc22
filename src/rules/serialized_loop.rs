//! `serialized-loop`: each turn of a loop waits for its own operation, although the turns need nothing of each other.
//!
//! ```text
//! for chunk, peer in zip(chunks, peers):
//!     handle = dist.isend(chunk, peer)
//!     handle.wait()                         # here: the next turn starts only when this message has arrived
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, story};
use crate::flow::{Event, What};

pub(super) const RULE: Rule = Rule {
    name: "serialized-loop",
    severity: Severity::Advice,
    law: Law::Overlap,
    summary: "each turn of a loop waits for its own operation",
    page: include_str!("../../rules/serialized-loop.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::SerialLoop { handle, at, header } = &event.what else { return None };
    if story::is_stream_ordered(context) {
        // The operations of one communicator run one after the other in its stream, whoever waits.
        return None;
    }
    let called = story::callee(handle.started, handle.api, context);
    let noun = story::noun(handle.api, context);
    let mut labels =
        vec![Label { span: *header, text: "the turns of this loop need nothing of each other".to_owned() }];
    if !at.contains(handle.started) {
        labels.push(Label { span: handle.started, text: format!("each turn starts a {noun} here") });
    }
    labels.extend(story::inside(handle, context));
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!("the {noun}s of {called} run one after the other: each turn waits for its own"),
        primary: Label { span: *at, text: "the next turn starts nothing before this is over".to_owned() },
        labels,
        help: format!(
            "start them all and keep the handles in a list, then `{}` for each: the time of all becomes the time of the slowest",
            story::wait(handle, context)
        ),
        function: event.function.clone(),
        fix: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, found, told};
    use crate::flow::What;

    #[test]
    fn a_message_to_each_peer() {
        let story = Story::new("for p in peers:\n    h = dist.isend(t, p)\n    h.wait()\n");
        let handle = story.handle("dist.isend(t, p)");
        let (at, header) = (story.span("h.wait()"), story.span("for p in peers"));
        let event = story.event(What::SerialLoop { handle, at, header });
        insta::assert_snapshot!(told(&story, &[event]), @r"
        advice serialized-loop: the sends of `dist.isend` run one after the other: each turn waits for its own
          ^ 3 `h.wait()`: the next turn starts nothing before this is over
          - 1 `for p in peers`: the turns of this loop need nothing of each other
          - 2 `dist.isend(t, p)`: each turn starts a send here
          help: start them all and keep the handles in a list, then `wait` for each: the time of all becomes the time of the slowest
        ");
    }

    #[test]
    fn a_message_to_each_peer_in_one_stream() {
        let story = Story::new("for p in peers:\n    h = dist.isend(t, p)\n    h.wait()\n").backend("nccl");
        let handle = story.handle("dist.isend(t, p)");
        let (at, header) = (story.span("h.wait()"), story.span("for p in peers"));
        assert!(found(&story, &[story.event(What::SerialLoop { handle, at, header })]).is_empty());
    }
}
