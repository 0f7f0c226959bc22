//! `immediate-wait`: an operation is waited for as soon as it is started.
//!
//! ```text
//! h = dist.all_reduce(gx, async_op=True)
//! h.wait()                                  # here: the product below could have run meanwhile
//! gw = g.t() @ x
//!
//! dist.isend(t, 1).wait()                   # here: `dist.send` says the same
//! ```
//!
//! Where the library's sends block until the peer receives, a send at once is more than lost time: two ranks that do the same
//! block each other. Then it is a warning.

use super::{Context, Finding, Fix, Label, Law, Rule, Severity, fix, story};
use crate::flow::{Event, Exposure, Handle, Order, Spare, What};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "immediate-wait",
    severity: Severity::Advice,
    law: Law::Overlap,
    summary: "an operation is waited for as soon as it is started",
    page: include_str!("../../rules/immediate-wait.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::WaitedAtOnce { handle, at, spare, exposed } = &event.what else { return None };
    let called = story::callee(handle.started, handle.api, context);
    let noun = story::noun(handle.api, context);
    let mut labels = story::inside(handle, context);
    if !at.contains(handle.started) {
        labels.insert(0, Label { span: handle.started, text: format!("the {noun} starts here") });
    }
    labels.extend(exposed.iter().map(|exposure| worse(*exposure)));
    labels.extend(spare.iter().map(could_overlap));
    Some(Finding {
        rule: RULE.name,
        severity: if exposed.is_some() { Severity::Warning } else { RULE.severity },
        message: message(&called, spare, *exposed, handle, context),
        primary: Label { span: *at, text: format!("this waits for the {noun} before anything else is done") },
        labels,
        help: help(handle, spare, *exposed, context),
        function: event.function.clone(),
        fix: fixed(handle, *at, spare, *exposed, context),
    })
}

/// A blocking call says the same; where there is work to overlap with, the wait comes too early. An exposed wait would block
/// as before, and the way out is another order.
fn fixed(
    handle: &Handle,
    at: Span,
    spare: &[Spare],
    exposed: Option<Exposure>,
    context: &Context<'_>,
) -> Option<Fix> {
    match (spare.first().map(|spare| spare.order), exposed) {
        (_, Some(_)) | (Some(Order::Before), None) => None,
        (Some(Order::After), None) => fix::wait_later(handle, at, context),
        (None, None) => fix::block(handle, at, context),
    }
}

fn message(
    called: &str,
    spare: &[Spare],
    exposed: Option<Exposure>,
    handle: &Handle,
    context: &Context<'_>,
) -> String {
    if let Some(exposure) = exposed {
        let when = context.catalog.sends_block(handle.api).unwrap_or("head to head");
        return match exposure {
            Exposure::Repeated(_) => format!("{called} is waited for peer by peer, and blocks {when}"),
            Exposure::Followed(_) => {
                format!("{called} is waited for before the next message, and blocks {when}")
            }
        };
    }
    if spare.is_empty() {
        format!("{called} is waited for at once, like a blocking call")
    } else {
        format!("{called} is waited for at once, although there is work to overlap it with")
    }
}

fn worse(exposure: Exposure) -> Label {
    match exposure {
        Exposure::Repeated(span) => {
            Label { span, text: "the next peer has its turn only after the wait for this one".to_owned() }
        }
        Exposure::Followed(span) => Label {
            span,
            text: "this is not posted before the wait is over, and the peer may wait for it".to_owned(),
        },
    }
}

fn could_overlap(spare: &Spare) -> Label {
    let text = match spare.order {
        Order::Before => "this is not needed for it, and could run while it is in flight",
        Order::After => "this does not need the result, and could run while it is in flight",
    };
    Label { span: spare.span, text: text.to_owned() }
}

fn help(handle: &Handle, spare: &[Spare], exposed: Option<Exposure>, context: &Context<'_>) -> String {
    let wait = story::wait(handle, context);
    if exposed.is_some() {
        return "start all messages first, and wait for them together".to_owned();
    }
    match spare.first().map(|spare| spare.order) {
        Some(Order::After) => format!("move the `{wait}` behind the work that does not need the result"),
        Some(Order::Before) => {
            format!("start it before the work that it does not depend on, and `{wait}` after it")
        }
        None => match story::blocking_call(handle, context) {
            Some(blocking) => format!("call the blocking {blocking}, which says the same"),
            None => format!("call the blocking form, or do something before the `{wait}`"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, told};
    use crate::flow::{Exposure, Order, Spare, What};

    #[test]
    fn a_send_in_two_words() {
        let story = Story::new("dist.isend(t, 1).wait()\n");
        let handle = story.handle("dist.isend(t, 1)");
        let at = story.span("dist.isend(t, 1).wait()");
        let event = story.event(What::WaitedAtOnce { handle, at, spare: Vec::new(), exposed: None });
        insta::assert_snapshot!(told(&story, &[event]), @r"
        advice immediate-wait: `dist.isend` is waited for at once, like a blocking call
          ^ 1 `dist.isend(t, 1).wait()`: this waits for the send before anything else is done
          help: call the blocking `dist.send`, which says the same
        ");
    }

    #[test]
    fn a_product_behind_the_wait() {
        let story = Story::new("h = dist.isend(t, 1)\nh.wait()\ny = w @ x\n");
        let spare = vec![Spare { span: story.span("w @ x"), order: Order::After }];
        let handle = story.handle("dist.isend(t, 1)");
        let event =
            story.event(What::WaitedAtOnce { handle, at: story.span("h.wait()"), spare, exposed: None });
        insta::assert_snapshot!(told(&story, &[event]), @r"
        advice immediate-wait: `dist.isend` is waited for at once, although there is work to overlap it with
          ^ 2 `h.wait()`: this waits for the send before anything else is done
          - 1 `dist.isend(t, 1)`: the send starts here
          - 3 `w @ x`: this does not need the result, and could run while it is in flight
          help: move the `wait` behind the work that does not need the result
        ");
    }

    #[test]
    fn a_product_before_the_start() {
        let story = Story::new("y = w @ x\nh = dist.isend(t, 1)\nh.wait()\n");
        let spare = vec![Spare { span: story.span("w @ x"), order: Order::Before }];
        let handle = story.handle("dist.isend(t, 1)");
        let event =
            story.event(What::WaitedAtOnce { handle, at: story.span("h.wait()"), spare, exposed: None });
        insta::assert_snapshot!(told(&story, &[event]), @r"
        advice immediate-wait: `dist.isend` is waited for at once, although there is work to overlap it with
          ^ 3 `h.wait()`: this waits for the send before anything else is done
          - 2 `dist.isend(t, 1)`: the send starts here
          - 1 `w @ x`: this is not needed for it, and could run while it is in flight
          help: start it before the work that it does not depend on, and `wait` after it
        ");
    }

    #[test]
    fn a_send_that_a_receive_follows() {
        let story = Story::new("dist.isend(t, 1).wait()\ndist.irecv(u, 1)\n");
        let handle = story.handle("dist.isend(t, 1)");
        let exposed = Some(Exposure::Followed(story.span("dist.irecv(u, 1)")));
        let at = story.span("dist.isend(t, 1).wait()");
        let event = story.event(What::WaitedAtOnce { handle, at, spare: Vec::new(), exposed });
        insta::assert_snapshot!(told(&story, &[event]), @r"
        warning immediate-wait: `dist.isend` is waited for before the next message, and blocks head to head
          ^ 1 `dist.isend(t, 1).wait()`: this waits for the send before anything else is done
          - 2 `dist.irecv(u, 1)`: this is not posted before the wait is over, and the peer may wait for it
          help: start all messages first, and wait for them together
        ");
    }
}
