//! A handle in a name is waited for before the name goes.
//!
//! ```text
//! handle = dist.irecv(box, 1)        handle = dist.irecv(box, 1)
//! if stop:                           if stop:
//!     return None                        handle.wait()
//! handle.wait()                          return None
//!                                    handle.wait()
//! ```

use super::super::{Applicability, Context, Fix};
use super::held::Held;
use crate::flow::{Event, Handle, Step, Turn};
use crate::source::{Edit, Line, Span};

/// Waits before the scope ends at `at`.
pub(in super::super) fn before_the_end(
    event: &Event,
    handle: &Handle,
    at: Span,
    context: &Context<'_>,
) -> Option<Fix> {
    let held = Held::of(handle, context)?;
    let rows = held.wait_rows();
    let edit = match held.first_wait_behind(held.bound) {
        None if held.is_carried_by_a_loop() => at_the_end(&held, at, &rows)?,
        None => never_waited(&held, at, &rows)?,
        Some(wait) => on_the_other_way(&held, event, wait, &rows)
            .or_else(|| in_the_other_branch(&held, wait, &rows))
            .or_else(|| at_the_end(&held, at, &rows))?,
    };
    Some(unsafe_fix(format!("wait for what `{}` holds", held.name), vec![edit]))
}

/// Waits before a container is emptied or bound to something else.
pub(in super::super) fn before_it_is_emptied(
    handle: &Handle,
    at: Span,
    context: &Context<'_>,
) -> Option<Fix> {
    let held = Held::of(handle, context)?;
    let line = held.around.layout.line_at(at.start)?;
    let edit = held.around.layout.insert_before(line, &held.wait_rows());
    Some(unsafe_fix(format!("wait for what `{}` holds before it is emptied", held.name), vec![edit]))
}

pub(super) fn unsafe_fix(message: String, edits: Vec<Edit>) -> Fix {
    Fix { applicability: Applicability::Unsafe, message, edits }
}

fn never_waited(held: &Held<'_, '_>, at: Span, rows: &str) -> Option<Edit> {
    let (around, layout) = (&held.around, &held.around.layout);
    if held.bound == around.line {
        return around.at_the_last_moment(held.handle, rows).map(|(edit, _)| edit);
    }
    let returns = |line: &Line| layout.code(*line).starts_with("return");
    match layout.line_at(at.start).filter(returns) {
        Some(line) => Some(layout.insert_before(line, rows)),
        None => Some(layout.insert_after(layout.block_end(held.bound), held.bound, rows)),
    }
}

/// Before the `return`, `break` or `continue` of the last condition that led away from the wait.
pub(super) fn on_the_other_way(held: &Held<'_, '_>, event: &Event, wait: Line, rows: &str) -> Option<Edit> {
    let layout = &held.around.layout;
    let taken = |step: &&Step| step.turn == Turn::True && step.span.start > held.around.span().start;
    let leaving = event.path.iter().rev().filter(taken).find_map(|step| {
        let condition = layout.line_at(step.span.start)?;
        let last = layout.block_end(condition + 1);
        let is_inside = layout.indentation(condition + 1).len() > layout.indentation(condition).len();
        let is_last = layout.indentation(last) == layout.indentation(condition + 1);
        (is_inside && is_last && layout.leaves(last) && last != wait).then_some(last)
    })?;
    Some(layout.insert_before(leaving, rows))
}

/// An `else` for the `if` that decides about the wait.
pub(super) fn in_the_other_branch(held: &Held<'_, '_>, wait: Line, rows: &str) -> Option<Edit> {
    let layout = &held.around.layout;
    let opener = layout.opener(wait)?;
    let end = layout.block_end(wait);
    let is_plain =
        layout.code(opener).starts_with("if ") && layout.outermost(opener, held.bound) == Some(opener);
    if !is_plain || (end + 1 < layout.count() && layout.continues(end + 1)) {
        return None;
    }
    let level = layout.level();
    let inner: Vec<String> = rows.lines().map(|row| format!("{level}{row}")).collect();
    Some(layout.insert_after(end, opener, &format!("else:\n{}", inner.join("\n"))))
}

/// Before the `return` at which the scope ends, or behind its last line; only where the name is bound on every way there.
fn at_the_end(held: &Held<'_, '_>, at: Span, rows: &str) -> Option<Edit> {
    let (around, layout) = (&held.around, &held.around.layout);
    let line = layout.line_at(at.start)?;
    let first = *around.lines().start();
    let is_function = layout.indentation(first).len() < layout.indentation(around.line).len();
    let like = if is_function { first + 1 } else { first };
    if !held.may_be_none() && layout.indentation(like) != layout.indentation(held.bound) {
        return None;
    }
    if layout.leaves(line) {
        return Some(layout.insert_before(line, rows));
    }
    Some(layout.insert_after(around.last, like, rows))
}
