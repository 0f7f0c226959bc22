//! `wait-cycle`: ranks wait for each other.
//!
//! ```text
//! dist.send(mine, peer)     # here: every rank waits until its peer receives,
//! dist.recv(other, peer)    # and the peer comes to that only behind its own send
//! ```
//!
//! The event says where each rank stands; the labels tell it rank by rank.

use super::{Context, Finding, Label, Law, Rule, Severity, lanes};
use crate::flow::{Event, What};

pub(super) const RULE: Rule = Rule {
    name: "wait-cycle",
    severity: Severity::Error,
    law: Law::Progress,
    summary: "ranks wait for what the others only start after a wait of their own",
    page: include_str!("../../rules/wait-cycle.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::WaitCycle { at, standstill } = &event.what else { return None };
    let mut labels = lanes::labels(standstill);
    let here = labels.iter().position(|label| label.span == *at);
    let text = match here {
        Some(index) => labels.remove(index).text,
        None => "each rank waits here for another one".to_owned(),
    };
    let size = standstill.lanes.len();
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!(
            "with {size} ranks, each waits here for what another one starts only behind its own wait"
        ),
        primary: Label { span: *at, text },
        labels,
        help: format!(
            "post the receive before the send, start both and wait for both, or let one side receive first{}",
            lanes::draw(standstill, context)
        ),
        function: event.function.clone(),
        elsewhere: Vec::new(),
        fix: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, told};
    use crate::flow::{LaneStep, Standstill, What};

    #[test]
    fn two_ranks_that_send_first() {
        let story = Story::new("dist.send(a, peer)\ndist.recv(b, peer)\n");
        let at = story.span("dist.send(a, peer)");
        let step = |peer| vec![LaneStep { at, text: format!("send to rank {peer}"), stuck: true }];
        let standstill = Standstill { lanes: vec![step(1), step(0)] };
        let event = story.event(What::WaitCycle { at, standstill });
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error wait-cycle: with 2 ranks, each waits here for what another one starts only behind its own wait
          ^ 1 `dist.send(a, peer)`: rank 0 waits here for its send to rank 1, and rank 1 for its send to rank 0
          help: post the receive before the send, start both and wait for both, or let one side receive first
        rank 0 │ ● send to rank 1 (line 1) ▒▒▒ waits for ever
        rank 1 │ ● send to rank 0 (line 1) ▒▒▒ waits for ever
        ");
    }
}
