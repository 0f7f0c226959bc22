//! A wait that is written down and never runs is made to run.
//!
//! ```text
//! handle.wait                     handle.wait()
//! (h.wait() for h in handles)     [h.wait() for h in handles]
//! map(wait, handles)              list(map(wait, handles))
//! ```

use super::super::{Applicability, Context, Fix};
use crate::flow::Idle;
use crate::source::{Edit, Span};

pub(in super::super) fn call_it(why: Idle, at: Span, context: &Context<'_>) -> Option<Fix> {
    let text = at.of(context.text);
    let edits = match why {
        Idle::NotCalled => vec![Edit::insert(at.end, "()")],
        Idle::NotConsumed if text.starts_with('(') && text.ends_with(')') => vec![
            Edit::replace(Span::new(at.start, at.start + 1), "["),
            Edit::replace(Span::new(at.end - 1, at.end), "]"),
        ],
        Idle::NotConsumed if text.starts_with("map(") => {
            vec![Edit::insert(at.start, "list("), Edit::insert(at.end, ")")]
        }
        Idle::NotConsumed => return None,
    };
    let message = match why {
        Idle::NotCalled => format!("call it: `{text}()`"),
        Idle::NotConsumed => "let every wait run".to_owned(),
    };
    Some(Fix { applicability: Applicability::Safe, message, edits })
}

#[cfg(test)]
mod tests {
    use super::super::super::hand_built::{Story, fixed};
    use crate::flow::{Idle, What};

    fn idle(text: &str, why: Idle, at: &str) -> String {
        let story = Story::new(text);
        let event = What::WaitNeverRuns { handle: None, why, at: story.span(at) };
        fixed(&story, &[story.event(event)])
    }

    #[test]
    fn a_wait_without_parentheses() {
        insta::assert_snapshot!(idle("h.wait  # now\n", Idle::NotCalled, "h.wait"), @r"
        safe: call it: `h.wait()`
        h.wait()  # now
        ");
    }

    #[test]
    fn lazy_waits() {
        let generator = "(h.wait() for h in hs)";
        insta::assert_snapshot!(idle("(h.wait() for h in hs)\n", Idle::NotConsumed, generator), @r"
        safe: let every wait run
        [h.wait() for h in hs]
        ");
        insta::assert_snapshot!(idle("map(wait, hs)\n", Idle::NotConsumed, "map(wait, hs)"), @r"
        safe: let every wait run
        list(map(wait, hs))
        ");
        insta::assert_snapshot!(idle("it = lazy(hs)\n", Idle::NotConsumed, "lazy(hs)"), @"no fix");
    }
}
