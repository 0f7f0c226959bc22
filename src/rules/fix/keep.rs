//! A handle that is thrown away is kept, and waited for at the last moment.
//!
//! ```text
//! dist.isend(t, peer)                handle = dist.isend(t, peer)
//! work()                             work()
//!                                    handle.wait()
//!
//! dist.batch_isend_irecv(ops)        for handle in dist.batch_isend_irecv(ops):
//!                                        handle.wait()
//!
//! [dist.isend(t, p) for p in all]    handles = [dist.isend(t, p) for p in all]
//!                                    for handle in handles:
//!                                        handle.wait()
//! ```

use super::super::{Applicability, Context, Fix};
use super::surroundings::{Holds, Surroundings};
use crate::flow::Handle;
use crate::source::{Edit, Span, words};

pub(in super::super) fn keep(handle: &Handle, context: &Context<'_>) -> Option<Fix> {
    let around = Surroundings::of(handle.started, context)?;
    let target = Span { start: around.span().start, end: handle.started.start };
    if around.span().end == handle.started.end && is_empty_or_unread(target.of(context.text)) {
        return if handle.several { each(handle, target, &around) } else { one(handle, target, &around) };
    }
    conditional(handle, &around)
        .or_else(|| list(handle, &around))
        .or_else(|| one_of_several(handle, &around, context))
}

/// Nothing before the call, or `_ =`.
fn is_empty_or_unread(target: &str) -> bool {
    let name = target.trim_end().strip_suffix('=').map(str::trim_end);
    let is_unread =
        |name: &str| name.starts_with('_') && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    target.is_empty() || name.is_some_and(is_unread)
}

fn one(handle: &Handle, target: Span, around: &Surroundings<'_, '_>) -> Option<Fix> {
    let name = around.free("handle");
    let holds = if handle.conditional.is_some() { Holds::OneOrNone } else { Holds::One };
    let (wait, when) = around.at_the_last_moment(handle, &around.wait_rows(&name, holds, handle))?;
    Some(Fix {
        applicability: Applicability::Unsafe,
        message: format!("keep the handle, and wait for it {when}"),
        edits: vec![Edit::replace(target, format!("{name} = ")), wait],
    })
}

/// Handles that are known as a whole only: waited for where they are made.
fn each(handle: &Handle, target: Span, around: &Surroundings<'_, '_>) -> Option<Fix> {
    let (name, layout) = (around.free("handle"), &around.layout);
    let wait = around.wait_rows(&name, Holds::One, handle);
    let inner = format!("{}{}{wait}", layout.indentation(around.line), layout.level());
    Some(Fix {
        applicability: Applicability::Unsafe,
        message: "wait for each of the handles".to_owned(),
        edits: vec![
            Edit::replace(target, format!("for {name} in ")),
            Edit::insert(handle.started.end, format!(":{}{inner}", layout.ending())),
        ],
    })
}

/// `start() if condition else None` as a statement.
fn conditional(handle: &Handle, around: &Surroundings<'_, '_>) -> Option<Fix> {
    let rest = around.code().get((handle.started.end - around.span().start) as usize..)?;
    let is_plain = rest.starts_with(" if ") && rest.ends_with(" else None") && !handle.several;
    if !is_plain || around.span().start != handle.started.start {
        return None;
    }
    let name = around.free("handle");
    let (wait, when) =
        around.at_the_last_moment(handle, &around.wait_rows(&name, Holds::OneOrNone, handle))?;
    Some(Fix {
        applicability: Applicability::Unsafe,
        message: format!("keep the handle, and wait for it {when}"),
        edits: vec![Edit::insert(around.span().start, format!("{name} = ")), wait],
    })
}

/// `result, _ = start()`: what else the call gives may be the buffer, so the wait comes at once.
fn one_of_several(handle: &Handle, around: &Surroundings<'_, '_>, context: &Context<'_>) -> Option<Fix> {
    let unread = handle.holder.as_deref().filter(|_| !handle.several)?;
    let start = around.span().start;
    let target = Span { start, end: handle.started.start }.of(context.text).trim_end().strip_suffix('=')?;
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | ' ' | '.');
    if around.span().end != handle.started.end || !target.chars().all(is_plain) {
        return None;
    }
    let mut places = words(target, unread);
    let (Some(at), None) = (places.next(), places.next()) else { return None };
    let name = around.free("handle");
    let holds = if handle.conditional.is_some() { Holds::OneOrNone } else { Holds::One };
    let rows = around.wait_rows(&name, holds, handle);
    let place = Span::new(start + at as u32, start + (at + unread.len()) as u32);
    Some(Fix {
        applicability: Applicability::Unsafe,
        message: "keep the handle, and wait for it".to_owned(),
        edits: vec![Edit::replace(place, name), around.layout.insert_after(around.line, around.line, &rows)],
    })
}

/// A list comprehension as a statement.
fn list(handle: &Handle, around: &Surroundings<'_, '_>) -> Option<Fix> {
    let inside = around.code().strip_prefix('[')?.strip_suffix(']')?;
    let blank = inside.len() - inside.trim_start().len();
    if around.span().start + 1 + blank as u32 != handle.started.start {
        return None;
    }
    let name = around.free("handles");
    let rows = around.wait_rows(&name, Holds::Several, handle);
    Some(Fix {
        applicability: Applicability::Unsafe,
        message: "keep the handles, and wait for each of them".to_owned(),
        edits: vec![
            Edit::insert(around.span().start, format!("{name} = ")),
            around.layout.insert_after(around.line, around.line, &rows),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::hand_built::{Story, fixed};
    use crate::flow::Loss;

    fn discarded(text: &str, call: &str) -> String {
        let story = Story::new(text);
        fixed(&story, &[story.lost(call, Loss::Discarded, call)])
    }

    #[test]
    fn a_send_is_waited_for_at_the_end_of_its_block() {
        let text = "def f(t):\n    if t:\n        dist.isend(t, 1)  # out\n        work(t)\n    return t\n";
        insta::assert_snapshot!(discarded(text, "dist.isend(t, 1)"), @r"
        unsafe: keep the handle, and wait for it at the end of the block
        def f(t):
            if t:
                handle = dist.isend(t, 1)  # out
                work(t)
                handle.wait()
            return t
        ");
    }

    #[test]
    fn a_receive_is_waited_for_before_its_buffer_is_seen() {
        let text =
            "def f(box, handle):\n    dist.irecv(box, 1)\n    work()\n    if handle:\n        print(box)\n";
        insta::assert_snapshot!(discarded(text, "dist.irecv(box, 1)"), @r"
        unsafe: keep the handle, and wait for it before its buffer is used
        def f(box, handle):
            handle_2 = dist.irecv(box, 1)
            work()
            handle_2.wait()
            if handle:
                print(box)
        ");
    }

    #[test]
    fn a_send_is_waited_for_before_its_buffer_is_written_or_the_function_left() {
        let written = "dist.isend(t, 1)\nprint(t)\nt += 1\n";
        assert!(discarded(written, "dist.isend(t, 1)").ends_with("print(t)\nhandle.wait()\nt += 1\n"));
        let left = "def f(t):\n  dist.isend(t, 1)\n  if a:\n    return 1\n  b()\n";
        assert!(discarded(left, "dist.isend(t, 1)").contains("  handle.wait()\n  if a:\n"));
    }

    #[test]
    fn a_batch_is_waited_for_where_it_starts() {
        insta::assert_snapshot!(discarded("if a:\n\tdist.batch_isend_irecv(ops)  # all\n", "dist.batch_isend_irecv(ops)"), @"
        unsafe: wait for each of the handles
        if a:
        	for handle in dist.batch_isend_irecv(ops):
        		handle.wait()  # all
        ");
    }

    #[test]
    fn a_comprehension_becomes_a_list() {
        insta::assert_snapshot!(discarded("[dist.isend(t, p) for p in all]\nprint(t)\n", "dist.isend(t, p)"), @r"
        unsafe: keep the handles, and wait for each of them
        handles = [dist.isend(t, p) for p in all]
        for handle in handles:
            handle.wait()
        print(t)
        ");
    }

    #[test]
    fn a_conditional_expression_gives_a_handle_or_none() {
        insta::assert_snapshot!(discarded("dist.isend(t, 1) if a else None\n", "dist.isend(t, 1)"), @r"
        unsafe: keep the handle, and wait for it at the end of the block
        handle = dist.isend(t, 1) if a else None
        if handle is not None:
            handle.wait()
        ");
    }

    #[test]
    fn one_of_several_results() {
        let story = Story::new("out, _ = start(t)\nprint(out)\n");
        let event = story.lost_by("_", "start(t)", Loss::Underscore, "_");
        insta::assert_snapshot!(fixed(&story, &[event]), @r"
        unsafe: keep the handle, and wait for it
        out, handle = start(t)
        handle.wait()
        print(out)
        ");
    }

    #[test]
    fn an_underscore_becomes_a_name() {
        let story = Story::new("_ = dist.isend(t, 1)\n");
        let event = story.lost_by("_", "dist.isend(t, 1)", Loss::Underscore, "_");
        insta::assert_snapshot!(fixed(&story, &[event]), @r"
        unsafe: keep the handle, and wait for it at the end of the block
        handle = dist.isend(t, 1)
        handle.wait()
        ");
    }

    #[test]
    fn a_part_of_a_larger_statement_is_left_to_the_user() {
        assert_eq!(discarded("dist.isend(t, 1) if a else f()\n", "dist.isend(t, 1)"), "no fix");
        assert_eq!(discarded("if a: dist.isend(t, 1)\n", "dist.isend(t, 1)"), "no fix");
        assert_eq!(discarded("f(); dist.isend(t, 1)\n", "dist.isend(t, 1)"), "no fix");
    }
}
