//! `bad-timeout`: a time-out has a type that the wait does not take.
//!
//! ```text
//! handle.wait(timeout=5)     # here: an `int` raises a `TypeError`, a `timedelta` is wanted
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, fix, story};
use crate::flow::{Event, What};

pub(super) const RULE: Rule = Rule {
    name: "bad-timeout",
    severity: Severity::Error,
    law: Law::Api,
    summary: "a time-out has a type that raises",
    page: include_str!("../../rules/bad-timeout.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::BadTimeout { api, got, at } = &event.what else { return None };
    let timeout = context.catalog.function(*api).timeout.as_ref()?;
    let (name, wants) = (story::short_name(*api, context), timeout.wants.as_str());
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!("the time-out of `{name}` is {}, not a `{wants}`", with_article(got)),
        primary: Label {
            span: *at,
            text: format!("{} here raises a `TypeError` before anything is waited for", with_article(got)),
        },
        labels: Vec::new(),
        help: format!("give it a `{wants}`{}", example(wants, at.of(context.text))),
        function: event.function.clone(),
        fix: fix::as_timedelta(wants, *at, context),
    })
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} `{kind}`")
}

/// `5` as seconds; a string or a longer expression is left to the user.
fn example(wants: &str, argument: &str) -> String {
    let number = argument.rsplit('=').next().unwrap_or(argument).trim();
    if wants.ends_with("timedelta") && number.parse::<f64>().is_ok() {
        format!(": `timedelta(seconds={number})`")
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, told};
    use crate::flow::What;

    #[test]
    fn seconds_as_an_int() {
        let story = Story::new("h.wait(timeout=5)\n");
        let api = story.api("torch.distributed.Work.wait");
        let event = story.event(What::BadTimeout { api, got: "int", at: story.span("timeout=5") });
        insta::assert_snapshot!(told(&story, &[event]), @r"
        error bad-timeout: the time-out of `wait` is an `int`, not a `datetime.timedelta`
          ^ 1 `timeout=5`: an `int` here raises a `TypeError` before anything is waited for
          help: give it a `datetime.timedelta`: `timedelta(seconds=5)`
        ");
    }
}
