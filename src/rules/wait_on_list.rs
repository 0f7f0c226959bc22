//! `wait-on-list`: one handle is taken for a list, a list for one handle, or a handle for something with other methods.
//!
//! ```text
//! reqs = dist.batch_isend_irecv(ops)
//! reqs.wait()                         # here: a list has no `wait`
//!
//! work = dist.isend(t, 1)
//! for w in work: w.wait()             # here: one handle cannot be iterated
//! work.test()                         # here: `Work` has no `test`
//! ```

use super::{Context, Finding, Fix, Label, Law, Rule, Severity, fix, story};
use crate::flow::{Event, Handle, What};

pub(super) const RULE: Rule = Rule {
    name: "wait-on-list",
    severity: Severity::Error,
    law: Law::Api,
    summary: "a list of handles is used as a handle, a handle as a list, or a method called that a handle does not have",
    page: include_str!("../../rules/wait-on-list.md"),
    check,
};

/// A list that is waited for as a handle; what else was meant is not known.
fn fixed(what: &What, context: &Context<'_>) -> Option<Fix> {
    match what {
        What::WaitOnList { at, .. } => fix::wait_on_each(*at, context),
        _ => None,
    }
}

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let (handle, at, (message, seen, help)) = match &event.what {
        What::WaitOnList { handle, method, at } => (handle, at, on_list(handle, method, context)),
        What::HandleAsList { handle, at } => (handle, at, as_list(handle, context)),
        What::NoSuchMethod { handle, method, class, at } => {
            (handle, at, no_such_method(handle, method, class, context))
        }
        _ => return None,
    };
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message,
        primary: Label { span: *at, text: seen },
        labels: story::from_the_start(handle, context),
        help,
        function: event.function.clone(),
        fix: fixed(&event.what, context),
    })
}

fn on_list(handle: &Handle, method: &str, context: &Context<'_>) -> (String, String, String) {
    let called = story::callee(handle.started, handle.api, context);
    let wait = story::wait(handle, context);
    let name = handle.holder.as_deref().unwrap_or("handles");
    (
        format!("`{method}` is called on a list of handles of {called}"),
        format!("a list has no `{method}`: this raises an `AttributeError`, and nothing is waited for"),
        format!("wait for each handle in it: `for handle in {name}: handle.{wait}()`"),
    )
}

fn as_list(handle: &Handle, context: &Context<'_>) -> (String, String, String) {
    let called = story::callee(handle.started, handle.api, context);
    let wait = story::wait(handle, context);
    let name = handle.holder.as_deref().unwrap_or("handle");
    (
        format!("the handle of {called} is used as a list"),
        "this is one handle: it cannot be iterated, indexed or measured".to_owned(),
        format!("call `{name}.{wait}()` itself, or put the handle into a list: `[{name}]`"),
    )
}

fn no_such_method(
    handle: &Handle,
    method: &str,
    class: &str,
    context: &Context<'_>,
) -> (String, String, String) {
    let called = story::callee(handle.started, handle.api, context);
    let wait = story::wait(handle, context);
    (
        format!("the handle of {called} is a `{class}`, which has no `{method}`"),
        "this raises an `AttributeError`, and the operation stays pending".to_owned(),
        format!("`{wait}()` finishes it"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, told};
    use crate::flow::What;

    #[test]
    fn a_wait_on_a_batch() {
        let story = Story::new("reqs = dist.batch_isend_irecv(ops)\nreqs.wait()\n");
        let mut handle = story.handle("dist.batch_isend_irecv(ops)");
        handle.holder = Some("reqs".into());
        let event = What::WaitOnList { handle, method: "wait".into(), at: story.span("reqs.wait()") };
        insta::assert_snapshot!(told(&story, &[story.event(event)]), @r"
        error wait-on-list: `wait` is called on a list of handles of `dist.batch_isend_irecv`
          ^ 2 `reqs.wait()`: a list has no `wait`: this raises an `AttributeError`, and nothing is waited for
          - 1 `dist.batch_isend_irecv(ops)`: the batch starts here
          help: wait for each handle in it: `for handle in reqs: handle.wait()`
        ");
    }

    #[test]
    fn a_loop_over_one_handle() {
        let story = Story::new("for w in dist.isend(t, 1): w.wait()\n");
        let handle = story.handle("dist.isend(t, 1)");
        let event = What::HandleAsList { handle, at: story.span("dist.isend(t, 1)") };
        insta::assert_snapshot!(told(&story, &[story.event(event)]), @r"
        error wait-on-list: the handle of `dist.isend` is used as a list
          ^ 1 `dist.isend(t, 1)`: this is one handle: it cannot be iterated, indexed or measured
          help: call `handle.wait()` itself, or put the handle into a list: `[handle]`
        ");
    }

    #[test]
    fn a_method_of_another_library() {
        let story = Story::new("w = dist.isend(t, 1)\nw.test()\n");
        let event = What::NoSuchMethod {
            handle: story.handle("dist.isend(t, 1)"),
            method: "test".into(),
            class: "Work".into(),
            at: story.span("w.test()"),
        };
        insta::assert_snapshot!(told(&story, &[story.event(event)]), @r"
        error wait-on-list: the handle of `dist.isend` is a `Work`, which has no `test`
          ^ 2 `w.test()`: this raises an `AttributeError`, and the operation stays pending
          - 1 `dist.isend(t, 1)`: the send starts here
          help: `wait()` finishes it
        ");
    }
}
