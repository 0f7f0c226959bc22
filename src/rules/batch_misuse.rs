//! `batch-misuse`: operations are described or launched in a way that cannot work.
//!
//! ```text
//! dist.batch_isend_irecv([dist.isend(t, 1)])      # here: a handle, where an operation is wanted
//! dist.P2POp(dist.send, t, 1)                     # here: only `isend` and `irecv` can be launched
//! dist.P2POp(dist.isend(t, 1), t, 1)              # here: called, where the function itself is wanted
//! dist.batch_isend_irecv(ops)
//! dist.batch_isend_irecv(ops)                     # here: the same operations once more
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, story};
use crate::catalog::ApiId;
use crate::flow::{Event, Misuse, What};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "batch-misuse",
    severity: Severity::Error,
    law: Law::Api,
    summary: "a batch is given handles, the same operations again, or an operation that cannot be launched",
    page: include_str!("../../rules/batch-misuse.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::BatchMisuse { why, api, earlier, at } = &event.what else { return None };
    let called = story::callee(*at, *api, context);
    let (message, seen, before, help) = match why {
        Misuse::HandlesGiven => (
            format!("{called} is given handles of operations that have started already"),
            "this raises: it takes descriptions of operations, and starts them itself",
            "the operation starts here",
            "describe each operation instead of starting it, and wait for the handles that the launch gives"
                .to_owned(),
        ),
        Misuse::LaunchedAgain => (
            format!("{called} starts operations again that an earlier call has started"),
            "the list still holds the operations of the earlier launch, and they are posted a second time",
            "they are started here for the first time",
            "begin a new list after each launch".to_owned(),
        ),
        Misuse::WrongFunction => (
            format!(
                "{called} is given {} instead of a function that can be launched",
                what_it_is_given(*earlier, context)
            ),
            "the launch calls the function itself, and needs one that returns at once",
            "this is what it is given",
            format!("name the function without calling it: {}", allowed(*api, context)),
        ),
    };
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message,
        primary: Label { span: *at, text: seen.to_owned() },
        labels: earlier.map(|span| Label { span, text: before.to_owned() }).into_iter().collect(),
        help,
        function: event.function.clone(),
        fix: None,
    })
}

fn what_it_is_given(argument: Option<Span>, context: &Context<'_>) -> String {
    let text = argument.map(|span| span.of(context.text)).unwrap_or_default();
    match text.is_empty() || text.ends_with(')') {
        true => "the result of a call".to_owned(),
        false => format!("`{text}`"),
    }
}

/// The functions that an operation may name: "`isend` or `irecv`".
fn allowed(api: ApiId, context: &Context<'_>) -> String {
    let names =
        context.catalog.function(api).runs.as_ref().map(|runs| runs.allowed.as_slice()).unwrap_or_default();
    let short = |name: &String| format!("`{}`", name.rsplit('.').next().unwrap_or(name));
    names.iter().map(short).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, told};
    use crate::flow::{Misuse, What};

    #[test]
    fn a_list_that_is_launched_twice() {
        let story = Story::new("dist.batch_isend_irecv(ops)\ndist.batch_isend_irecv(ops) \n");
        let event = What::BatchMisuse {
            why: Misuse::LaunchedAgain,
            api: story.api("torch.distributed.batch_isend_irecv"),
            earlier: Some(story.span("dist.batch_isend_irecv(ops)")),
            at: story.span("dist.batch_isend_irecv(ops) "),
        };
        insta::assert_snapshot!(told(&story, &[story.event(event)]), @r"
        error batch-misuse: `dist.batch_isend_irecv` starts operations again that an earlier call has started
          ^ 2 `dist.batch_isend_irecv(ops) `: the list still holds the operations of the earlier launch, and they are posted a second time
          - 1 `dist.batch_isend_irecv(ops)`: they are started here for the first time
          help: begin a new list after each launch
        ");
    }

    #[test]
    fn a_blocking_function() {
        let story = Story::new("dist.P2POp(dist.send, t, 1)\n");
        let event = What::BatchMisuse {
            why: Misuse::WrongFunction,
            api: story.api("torch.distributed.P2POp"),
            earlier: Some(story.span("dist.send")),
            at: story.span("dist.P2POp(dist.send, t, 1)"),
        };
        insta::assert_snapshot!(told(&story, &[story.event(event)]), @r"
        error batch-misuse: `dist.P2POp` is given `dist.send` instead of a function that can be launched
          ^ 1 `dist.P2POp(dist.send, t, 1)`: the launch calls the function itself, and needs one that returns at once
          - 1 `dist.send`: this is what it is given
          help: name the function without calling it: `isend` or `irecv`
        ");
    }
}
