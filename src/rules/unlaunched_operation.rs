//! `unlaunched-operation`: an operation is described and never started.
//!
//! ```text
//! send = dist.P2POp(dist.isend, t, 1)       # here: it reaches no `batch_isend_irecv`
//! request = comm.Send_init(t, dest=1)       # here: nothing calls `request.Start()`
//! exchange(t)                               # here, if `exchange` is an `async def` that communicates
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, story};
use crate::catalog::{ApiId, Does};
use crate::flow::{Event, What};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unlaunched-operation",
    severity: Severity::Error,
    law: Law::Reach,
    summary: "an operation is built, or a coroutine of one called, and never started",
    page: include_str!("../../rules/unlaunched-operation.md"),
    check,
};

/// What was built, for the words of the message.
enum Built {
    Operation,
    PersistentRequest,
    Coroutine,
}

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::Unlaunched { api, built, at } = &event.what else { return None };
    let what = kind(*api, context);
    let called = called(*api, *built, context);
    let mut labels = Vec::new();
    if at != built && !at.contains(*built) && !built.contains(*at) {
        labels.push(Label { span: *at, text: "it is lost here, without having been started".to_owned() });
    }
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: message(&what, &called),
        primary: Label { span: *built, text: seen(&what).to_owned() },
        labels,
        help: help(&what, &called),
        function: event.function.clone(),
        fix: None,
    })
}

fn kind(api: Option<ApiId>, context: &Context<'_>) -> Built {
    match api.map(|api| context.catalog.function(api).does) {
        None => Built::Coroutine,
        Some(Does::Prepare) => Built::PersistentRequest,
        Some(_) => Built::Operation,
    }
}

fn called(api: Option<ApiId>, built: Span, context: &Context<'_>) -> String {
    story::callee_or(built, api.map_or("the call", |api| story::short_name(api, context)), context)
}

fn message(what: &Built, called: &str) -> String {
    match what {
        Built::Operation => format!("the operation of {called} is never launched"),
        Built::PersistentRequest => format!("the request of {called} is never started"),
        Built::Coroutine => format!("the coroutine of {called} is never awaited"),
    }
}

fn seen(what: &Built) -> &'static str {
    match what {
        Built::Operation => "this only describes the operation, and no launch ever gets it",
        Built::PersistentRequest => "this only prepares the request, and nothing ever starts it",
        Built::Coroutine => "this only makes a coroutine, and the communication inside it never runs",
    }
}

fn help(what: &Built, called: &str) -> String {
    match what {
        Built::Operation => {
            "add it to the list of operations that is launched, and wait for the handles that the launch \
                             gives: the peer waits for its half of the message"
                .to_owned()
        }
        Built::PersistentRequest => "call its `Start()` and then its `Wait()` for each message".to_owned(),
        Built::Coroutine => format!("write `await` before {called}, or make a task of it and await that"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, told};
    use crate::flow::What;

    #[test]
    fn an_operation_beside_the_list() {
        let story = Story::new("send = dist.P2POp(dist.isend, t, 1)\nreturn t\n");
        let built = story.span("dist.P2POp(dist.isend, t, 1)");
        let api = Some(story.api("torch.distributed.P2POp"));
        let event = story.event(What::Unlaunched { api, built, at: story.span("return t") });
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error unlaunched-operation: the operation of `dist.P2POp` is never launched
          ^ 1 `dist.P2POp(dist.isend, t, 1)`: this only describes the operation, and no launch ever gets it
          - 2 `return t`: it is lost here, without having been started
          help: add it to the list of operations that is launched, and wait for the handles that the launch gives: the peer waits for its half of the message
        ");
    }

    #[test]
    fn a_coroutine_as_a_statement() {
        let story = Story::new("exchange(t)\n");
        let built = story.span("exchange(t)");
        let event = story.event(What::Unlaunched { api: None, built, at: built });
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error unlaunched-operation: the coroutine of `exchange` is never awaited
          ^ 1 `exchange(t)`: this only makes a coroutine, and the communication inside it never runs
          help: write `await` before `exchange`, or make a task of it and await that
        ");
    }
}
