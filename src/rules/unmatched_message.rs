//! `unmatched-message`: the other side of a message is missing, or does not fit.
//!
//! ```text
//! if rank == 0:
//!     dist.send(torch.ones(10), 1)     # here: twice as much as the other side has room for
//! else:
//!     dist.recv(torch.zeros(5), 0)
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, lanes};
use crate::flow::{Event, Unmatched, What};

pub(super) const RULE: Rule = Rule {
    name: "unmatched-message",
    severity: Severity::Error,
    law: Law::Progress,
    summary: "a message whose other side is missing, or has another tag, size or type",
    page: include_str!("../../rules/unmatched-message.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::UnmatchedMessage { at, api, why, other, standstill } = &event.what else { return None };
    let mut labels: Vec<Label> =
        other.iter().map(|span| Label { span: *span, text: "this is the other side".to_owned() }).collect();
    labels.extend(lanes::labels(standstill).into_iter().filter(|label| label.span != *at));
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!("{} `{api}`", mismatch(*why)),
        primary: Label { span: *at, text: harm(*why).to_owned() },
        labels,
        help: format!("{}{}", remedy(*why), lanes::draw(standstill, context)),
        function: event.function.clone(),
        elsewhere: Vec::new(),
        fix: None,
    })
}

fn mismatch(why: Unmatched) -> &'static str {
    match why {
        Unmatched::Missing => "no rank has the other side of this",
        Unmatched::Differs => "the other side of this has another tag or peer:",
        Unmatched::TooLarge => "the buffer on the other side is too small for this",
        Unmatched::TooSmall => "the buffer on the other side is larger than this",
        Unmatched::OtherType => "the buffer on the other side has another type than this",
    }
}

fn harm(why: Unmatched) -> &'static str {
    match why {
        Unmatched::Missing | Unmatched::Differs => "this is never complete",
        Unmatched::TooLarge => "with gloo the receiver aborts",
        Unmatched::TooSmall => "the rest of the buffer keeps what it held, without a word",
        Unmatched::OtherType => "the bits are taken for something else, without a word",
    }
}

fn remedy(why: Unmatched) -> &'static str {
    match why {
        Unmatched::Missing => "post the other side on the peer, or leave this out",
        Unmatched::Differs => "let both sides name the same tag, and each other",
        Unmatched::TooLarge | Unmatched::TooSmall => "give both buffers the same number of elements",
        Unmatched::OtherType => "give both buffers the same type",
    }
}
