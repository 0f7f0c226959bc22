//! A wait is moved before the first touch of the buffer that the operation uses.
//!
//! ```text
//! handle = dist.irecv(box, 1)        handle = dist.irecv(box, 1)
//! work()                             work()
//! total = box.sum()                  handle.wait()
//! handle.wait()                      total = box.sum()
//! ```

use super::super::{Context, Fix};
use super::held::Held;
use super::wait::unsafe_fix;
use crate::flow::Handle;
use crate::source::Span;

/// Waits before the statement at `at`.
pub(in super::super) fn before_the_touch(handle: &Handle, at: Span, context: &Context<'_>) -> Option<Fix> {
    let held = Held::of(handle, context)?;
    let layout = &held.around.layout;
    let touch = layout.line_at(at.start).filter(|touch| *touch > held.bound)?;
    let touch = layout.outermost(touch, held.bound)?;
    let mut edits = vec![layout.insert_before(touch, &held.wait_rows())];
    if held.first_wait_behind(touch).is_some() {
        let moved = held.plain_wait(touch, held.bound)?;
        edits.extend(moved.into_iter().map(|line| layout.remove(line)));
    }
    Some(unsafe_fix(format!("wait for what `{}` holds before this", held.name), edits))
}

#[cfg(test)]
mod tests {
    use super::super::super::hand_built::{Story, fixed};
    use crate::flow::{Access, Event, Usage, What};

    fn touched(story: &Story, holder: &str, call: &str, at: &str) -> Event {
        let mut handle = story.handle(call);
        handle.holder = Some(holder.to_owned());
        let (usage, access) = (Usage::Receives, Access::Read);
        story.event(What::Touched {
            handle,
            usage,
            access,
            buffer: None,
            inside: Vec::new(),
            at: story.span(at),
        })
    }

    #[test]
    fn the_wait_behind_the_touch_is_moved() {
        let text = "h = dist.irecv(b, 1)\nwork()\nif a:\n    print(b)\nelse:\n    pass\nh.wait()\nend()\n";
        let story = Story::new(text);
        insta::assert_snapshot!(fixed(&story, &[touched(&story, "h", "dist.irecv(b, 1)", "print(b)")]), @r"
        unsafe: wait for what `h` holds before this
        h = dist.irecv(b, 1)
        work()
        h.wait()
        if a:
            print(b)
        else:
            pass
        end()
        ");
    }

    #[test]
    fn a_loop_of_waits_is_moved_as_a_whole() {
        let text = "hs = [dist.irecv(b, 1)]\nprint(b)\nfor h in hs:\n    h.wait()\nend()\n";
        let story = Story::new(text);
        insta::assert_snapshot!(fixed(&story, &[touched(&story, "hs", "dist.irecv(b, 1)", "print(b)")]), @r"
        unsafe: wait for what `hs` holds before this
        hs = [dist.irecv(b, 1)]
        for handle in hs:
            handle.wait()
        print(b)
        end()
        ");
    }

    #[test]
    fn a_wait_that_does_more_than_wait_is_left_to_the_user() {
        let text = "h = dist.irecv(b, 1)\nprint(b)\nif a:\n    h.wait()\n    end()\n";
        let story = Story::new(text);
        assert_eq!(fixed(&story, &[touched(&story, "h", "dist.irecv(b, 1)", "print(b)")]), "no fix");
    }
}
