//! A loop that does nothing but poll becomes a wait.
//!
//! ```text
//! while not handle.is_completed():        handle.wait()
//!     pass
//! ```

use super::super::{Context, Fix, story};
use super::surroundings::Surroundings;
use super::wait::unsafe_fix;
use crate::flow::Handle;
use crate::source::{Edit, Line, Span};

/// Puts a wait in the place of the loop around a poll.
pub(in super::super) fn wait_instead(handle: &Handle, at: Span, context: &Context<'_>) -> Option<Fix> {
    let around = Surroundings::of(at, context)?;
    let (layout, header) = (&around.layout, around.line);
    let poll = around.code().strip_prefix("while not ")?.strip_suffix(':')?;
    let name = poll.strip_suffix("()")?.rsplit_once('.')?.0;
    if poll != at.of(context.text) || handle.several || layout.opener(header + 1) != Some(header) {
        return None;
    }
    let body = header + 1..=layout.block_end(header + 1);
    let goes_on = body.end() + 1 < layout.count() && layout.continues(body.end() + 1);
    if goes_on || !body.clone().all(|line| does_nothing(layout.code(line))) {
        return None;
    }
    let wait = Edit::replace(layout.span(header), format!("{name}.{}()", story::wait(handle, context)));
    let edits = std::iter::once(wait).chain(body.map(|line: Line| layout.remove(line))).collect();
    Some(unsafe_fix(format!("wait for `{name}` instead"), edits))
}

fn does_nothing(code: &str) -> bool {
    let is_sleep = ["time.sleep(", "sleep("].iter().any(|call| code.starts_with(call)) && code.ends_with(')');
    matches!(code, "pass" | "continue" | "...") || is_sleep
}

#[cfg(test)]
mod tests {
    use super::super::super::hand_built::{Story, fixed};
    use crate::flow::{Turns, What};

    fn polled(text: &str) -> String {
        let story = Story::new(text);
        let event = What::BusyPoll {
            poll: story.api("torch.distributed.Work.is_completed"),
            handle: Some(story.handle("dist.irecv(t, 1)")),
            turns: Turns::Idle,
            at: story.span("h.is_completed()"),
            header: story.span("h.is_completed()"),
        };
        fixed(&story, &[story.event(event)])
    }

    #[test]
    fn a_loop_that_sleeps() {
        let text = "h = dist.irecv(t, 1)\nwhile not h.is_completed():  # soon\n    time.sleep(1)\nprint(t)\n";
        insta::assert_snapshot!(polled(text), @r"
        unsafe: wait for `h` instead
        h = dist.irecv(t, 1)
        h.wait()  # soon
        print(t)
        ");
    }

    #[test]
    fn a_loop_that_works_or_asks_something_else() {
        assert_eq!(polled("h = dist.irecv(t, 1)\nwhile not h.is_completed():\n    work()\n"), "no fix");
        assert_eq!(polled("h = dist.irecv(t, 1)\nwhile a and not h.is_completed():\n    pass\n"), "no fix");
        assert_eq!(polled("h = dist.irecv(t, 1)\nwhile not h.is_completed(): pass\n"), "no fix");
    }
}
