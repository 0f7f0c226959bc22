//! `universe-dropped`: what MPI was initialized with dies before the communicators that were made with it.
//!
//! ```text
//! let world = mpi::initialize().unwrap().world();      // here: MPI is finalized at the semicolon
//! world.process_at_rank(1).send(&x);
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, story};
use crate::flow::{Event, What};

pub(super) const RULE: Rule = Rule {
    name: "universe-dropped",
    severity: Severity::Error,
    law: Law::Api,
    summary: "a communicator outlives the universe that it was made with, whose drop finalizes MPI",
    page: include_str!("../../rules/universe-dropped.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::OwnerDropped { owner, acquired, lent, holder, at } = &event.what else { return None };
    let class = context.catalog.gives(*owner).map(|class| context.catalog.class_entry(class));
    let noun = class.map_or("owner", |class| class.noun.as_str());
    let kept = match holder {
        Some(name) => format!("`{name}` outlives the {noun} that it was made with"),
        None => format!("what is returned outlives the {noun} that it was made with"),
    };
    let called = story::callee(*acquired, *owner, context);
    let mut labels = Vec::new();
    if !lent.contains(*at) && !at.contains(*lent) {
        labels.push(Label { span: *at, text: format!("the {noun} is dropped here, and MPI is finalized") });
    }
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: kept,
        primary: Label {
            span: *lent,
            text: format!("the {noun} of {called} is dropped, which finalizes MPI: every later call aborts"),
        },
        labels,
        help: format!("bind the {noun} to a name of its own that lives as long as its communicators"),
        function: event.function.clone(),
        fix: None,
    })
}
