//! `unread-handle`: a handle is kept in an attribute or global that nothing ever reads.
//!
//! ```text
//! def push(self, t):
//!     self.last = dist.isend(t, self.peer)    # here, if no code says `.last`
//! ```
//!
//! The object keeps the handle, so the operation is not cancelled; but nobody can know when it ends. The analysis sends the event
//! only where all code that could read the name is known.

use super::{Context, Finding, Label, Law, Rule, Severity, story};
use crate::flow::{Event, What};

pub(super) const RULE: Rule = Rule {
    name: "unread-handle",
    severity: Severity::Warning,
    law: Law::Reach,
    summary: "a handle is kept in an attribute or global that nothing ever reads",
    page: include_str!("../../rules/unread-handle.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::Kept { handle, name } = &event.what else { return None };
    let name = handle.holder.as_ref().unwrap_or(name);
    let called = story::callee(handle.started, handle.api, context);
    let (handles, are) = (story::handles(handle), story::are(handle));
    let (noun, wait) = (story::noun(handle.api, context), story::wait(handle, context));
    let mut labels = story::inside(handle, context);
    labels.extend(story::condition_of_start(handle, context));
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: format!("the {handles} of {called} {are} kept in `{name}`, and nothing ever reads it"),
        primary: Label {
            span: handle.started,
            text: format!("the {noun} starts here, and nothing can ever know when it ends"),
        },
        labels,
        help: format!("wait where the result is needed or the buffer is used again: `{name}.{wait}()`"),
        function: event.function.clone(),
        fix: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, told};
    use crate::flow::What;

    #[test]
    fn an_attribute_that_is_only_written() {
        let story = Story::new("self.last = dist.isend(t, self.peer)\n");
        let handle = story.handle("dist.isend(t, self.peer)");
        let event = story.event(What::Kept { handle, name: "self.last".into() });
        insta::assert_snapshot!(told(&story, &[event]), @r"
        warning unread-handle: the handle of `dist.isend` is kept in `self.last`, and nothing ever reads it
          ^ 1 `dist.isend(t, self.peer)`: the send starts here, and nothing can ever know when it ends
          help: wait where the result is needed or the buffer is used again: `self.last.wait()`
        ");
    }
}
