//! `prefer-collective`: a loop over all ranks sends to each and receives from each, where one collective says it.
//!
//! ```text
//! for peer in range(dist.get_world_size()):                  # here: `dist.all_to_all` says it
//!     requests.append(dist.irecv(boxes[peer], peer))
//!     requests.append(dist.isend(parts[peer], peer))
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, story};
use crate::flow::{Event, What};

pub(super) const RULE: Rule = Rule {
    name: "prefer-collective",
    severity: Severity::Advice,
    law: Law::Overlap,
    summary: "a loop over all ranks does by hand what a collective does",
    page: include_str!("../../rules/prefer-collective.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::CollectiveByHand { send, sent, received, at } = &event.what else { return None };
    let everyone = context.catalog.function(*send).everyone.as_ref()?;
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!("a loop over all ranks does by hand what `{}` does", everyone.collective),
        primary: Label { span: *at, text: "this goes through all ranks".to_owned() },
        labels: vec![
            Label { span: *sent, text: "something is sent to each".to_owned() },
            Label { span: *received, text: "something is received from each".to_owned() },
        ],
        help: format!(
            "call {} with all parts at once: the library knows the network, and picks an order that avoids congestion",
            collective(*sent, *send, &everyone.collective, context)
        ),
        function: event.function.clone(),
        fix: None,
    })
}

/// The collective in the user's words: `dist.all_to_all` beside `dist.isend`.
fn collective(
    sent: crate::source::Span,
    send: crate::catalog::ApiId,
    name: &str,
    context: &Context<'_>,
) -> String {
    let called = story::callee(sent, send, context);
    let before = called
        .trim_matches('`')
        .strip_suffix(story::short_name(send, context))
        .unwrap_or_default()
        .to_owned();
    format!("`{before}{name}`")
}
