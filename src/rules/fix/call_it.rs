//! A wait that is written down and never runs is made to run.
//!
//! ```text
//! handle.wait                     handle.wait()
//! handle.wait                     handle.wait()       unsafe: a wait that follows in the same block, and would be the second
//! use(box)                        use(box)
//! handle.wait()
//! (h.wait() for h in handles)     [h.wait() for h in handles]
//! map(wait, handles)              list(map(wait, handles))
//! ```

use super::super::{Applicability, Context, Fix};
use super::surroundings::Surroundings;
use crate::flow::Idle;
use crate::source::{Edit, Span};

pub(in super::super) fn call_it(why: Idle, at: Span, context: &Context<'_>) -> Option<Fix> {
    let text = at.of(context.text);
    let second = match why {
        Idle::NotCalled => wait_behind(at, context),
        Idle::NotConsumed => None,
    };
    let applicability = if second.is_some() { Applicability::Unsafe } else { Applicability::Safe };
    let edits = match why {
        Idle::NotCalled => std::iter::once(Edit::insert(at.end, "()")).chain(second).collect(),
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
    Some(Fix { applicability, message, edits })
}

/// Takes the same wait away where it follows in the block, with its parentheses.
fn wait_behind(at: Span, context: &Context<'_>) -> Option<Edit> {
    let around = Surroundings::of(at, context)?;
    let (layout, line) = (&around.layout, around.line);
    let call = format!("{}()", at.of(context.text));
    let mut behind = line + 1..=layout.block_end(line);
    let second = behind.find(|other| layout.code(*other) == call && around.are_siblings(line, *other))?;
    Some(layout.remove(second))
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
    fn a_wait_that_is_called_later() {
        insta::assert_snapshot!(idle("h.wait\nprint(b)\nh.wait()\n", Idle::NotCalled, "h.wait"), @r"
        unsafe: call it: `h.wait()`
        h.wait()
        print(b)
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
