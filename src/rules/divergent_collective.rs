//! `divergent-collective`: some ranks do not come to a collective, or come to others in another order.
//!
//! ```text
//! if rank == 0:
//!     dist.all_reduce(x)    # here: the others never come, and rank 0 waits for them
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, lanes};
use crate::flow::{Cause, Difference, Event, What};

pub(super) const RULE: Rule = Rule {
    name: "divergent-collective",
    severity: Severity::Error,
    law: Law::Progress,
    summary: "a collective that only some ranks come to, or in another order",
    page: include_str!("../../rules/divergent-collective.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::DivergentCollective { at, api, cause, standstill } = &event.what else { return None };
    let differs = standstill.lanes.iter().all(|lane| lane.last().is_some_and(|step| step.stuck));
    let ordered = matches!(cause, Some(Cause { nature: Difference::Order, .. }));
    let message = match differs || ordered {
        true => format!("not all ranks come to `{api}` in the same order"),
        false => format!("not all ranks come to `{api}`"),
    };
    let mut labels: Vec<Label> = cause.iter().flat_map(tell_cause).collect();
    labels.extend(lanes::labels(standstill).into_iter().filter(|label| label.span != *at));
    let text = match ordered {
        true => "each rank takes part with an element of its own here",
        false => "the ranks that come here wait for the others",
    };
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message,
        primary: Label { span: *at, text: text.to_owned() },
        labels,
        help: format!(
            "let all ranks of the group take part, in one order: {}{}",
            remedy(cause.as_ref()),
            lanes::draw(standstill, context)
        ),
        function: event.function.clone(),
        elsewhere: Vec::new(),
        fix: None,
    })
}

fn tell_cause(cause: &Cause) -> Vec<Label> {
    let label = |span, text: &str| Label { span, text: text.to_owned() };
    match cause.nature {
        Difference::Rank => vec![label(cause.at, "ranks go different ways here")],
        Difference::Data(from) => vec![
            label(from, "how much there is differs between ranks"),
            label(cause.at, "so ranks may go different ways here"),
        ],
        Difference::Order => vec![label(cause.at, "the order of a set of texts differs between processes")],
    }
}

fn remedy(cause: Option<&Cause>) -> &'static str {
    match cause.map(|cause| cause.nature) {
        Some(Difference::Data(_)) => {
            "decide by a number that all ranks have reduced first, or call it with empty data"
        }
        Some(Difference::Order) => "go through a sorted list",
        Some(Difference::Rank) | None => {
            "move it out of the branch, or give it a group of the ranks that come here"
        }
    }
}
