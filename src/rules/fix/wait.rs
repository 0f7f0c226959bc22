//! A handle in a name is waited for before the name goes.
//!
//! ```text
//! handle = dist.irecv(box, 1)        handle = dist.irecv(box, 1)
//! if stop:                           if stop:
//!     return None                        handle.wait()
//! handle.wait()                          return None
//!                                    handle.wait()
//!
//! for peer in peers:                 for peer in peers:
//!     handle = dist.isend(t, peer)       handle = dist.isend(t, peer)
//! handle.wait()                          handle.wait()
//! ```

use super::super::{Applicability, Context, Fix};
use super::surroundings::{Holds, Surroundings};
use crate::flow::{Event, Handle, Step, Turn};
use crate::source::{Edit, Line, Span, mentions};

/// Waits before the scope ends at `at`.
pub(in super::super) fn before_the_end(
    event: &Event,
    handle: &Handle,
    at: Span,
    context: &Context<'_>,
) -> Option<Fix> {
    let name = handle.holder.as_deref().filter(|name| is_name(name))?;
    let around = Surroundings::of(handle.started, context)?;
    let (bound, holds) = binding(name, handle, &around, context)?;
    let rows = around.wait_rows(name, holds, handle);
    let is_waited = |line: &Line| waits(around.layout.code(*line), name);
    let edit = match around.lines().filter(|line| *line > bound).find(is_waited) {
        None => never_waited(bound, handle, at, &rows, &around)?,
        Some(wait) => on_the_other_way(event, wait, &rows, &around)
            .or_else(|| in_the_other_branch(wait, bound, &rows, &around))
            .or_else(|| at_the_end(at, &rows, &around))?,
    };
    Some(unsafe_fix(format!("wait for what `{name}` holds"), vec![edit]))
}

/// Waits before something else takes the place of the handle at `at`.
pub(in super::super) fn before_the_overwrite(
    handle: &Handle,
    at: Span,
    context: &Context<'_>,
) -> Option<Fix> {
    let name = handle.holder.as_deref().filter(|name| is_name(name))?;
    let around = Surroundings::of(handle.started, context)?;
    let line = around.layout.line_at(at.start)?;
    let (bound, holds) = binding(name, handle, &around, context)?;
    let rows = around.wait_rows(name, holds, handle);
    let edits = if line == around.line {
        let (wait, _) = around.at_the_last_moment(handle, &rows)?;
        std::iter::once(wait).chain(wait_behind_the_loop(name, &around)).collect()
    } else {
        let base = around.layout.outermost(line, bound).unwrap_or(line);
        let base = if around.layout.continues(base) { return None } else { base };
        vec![around.layout.insert_before(base, &rows)]
    };
    Some(unsafe_fix(format!("wait for what `{name}` holds before it is overwritten"), edits))
}

/// Waits before a container is emptied or bound to something else.
pub(in super::super) fn before_it_is_emptied(
    handle: &Handle,
    at: Span,
    context: &Context<'_>,
) -> Option<Fix> {
    let name = handle.holder.as_deref().filter(|name| is_name(name))?;
    let around = Surroundings::of(handle.started, context)?;
    let (_, holds) = binding(name, handle, &around, context)?;
    let line = around.layout.line_at(at.start)?;
    let edit = around.layout.insert_before(line, &around.wait_rows(name, holds, handle));
    Some(unsafe_fix(format!("wait for what `{name}` holds before it is emptied"), vec![edit]))
}

fn unsafe_fix(message: String, edits: Vec<Edit>) -> Fix {
    Fix { applicability: Applicability::Unsafe, message, edits }
}

/// The line that binds the name which holds the handle, and what the name holds then.
fn binding(
    name: &str,
    handle: &Handle,
    around: &Surroundings<'_, '_>,
    context: &Context<'_>,
) -> Option<(Line, Holds)> {
    let target = Span { start: around.span().start, end: handle.started.start }.of(context.text);
    let is_bound = target.trim_end().strip_suffix('=').is_some_and(|target| target.trim() == name);
    if is_bound && around.span().end == handle.started.end {
        let may_be_none = handle.conditional.is_some() || around.has_line(&format!("{name} = None"));
        let one = if may_be_none { Holds::OneOrNone } else { Holds::One };
        return Some((around.line, if handle.several { Holds::Several } else { one }));
    }
    let layout = &around.layout;
    let binds = |line: &Line| {
        let rest = layout.code(*line).strip_prefix(name).map(str::trim_start);
        rest.is_some_and(|rest| (rest.starts_with('=') && !rest.starts_with("==")) || rest.starts_with(':'))
    };
    let line = around.lines().take_while(|line| *line <= around.line).filter(binds).last()?;
    let value = layout.code(line).split_once('=').map(|(_, value)| value.trim())?;
    let is_dictionary = value.starts_with('{') || value.starts_with("dict(");
    let is_list = value.starts_with(['[', '(']) || value.starts_with("deque(") || value.starts_with("list(");
    if is_dictionary {
        Some((line, Holds::SeveralByName))
    } else {
        (is_list || handle.several).then_some((line, Holds::Several))
    }
}

/// Whether a line seems to wait for what a name holds.
fn waits(code: &str, name: &str) -> bool {
    mentions(code, name) && (code.contains("wait") || code.contains("Wait") || code.starts_with("for "))
}

fn never_waited(
    bound: Line,
    handle: &Handle,
    at: Span,
    rows: &str,
    around: &Surroundings<'_, '_>,
) -> Option<Edit> {
    if bound == around.line && !around.layout.leaves(around.layout.line_at(at.start)?) {
        return around.at_the_last_moment(handle, rows).map(|(edit, _)| edit);
    }
    let leaves =
        around.layout.line_at(at.start).filter(|line| around.layout.code(*line).starts_with("return"));
    match leaves {
        Some(line) => Some(around.layout.insert_before(line, rows)),
        None => Some(around.layout.insert_after(around.layout.block_end(bound), bound, rows)),
    }
}

/// Before the `return`, `break` or `continue` of the last condition that led away from the wait.
fn on_the_other_way(event: &Event, wait: Line, rows: &str, around: &Surroundings<'_, '_>) -> Option<Edit> {
    let layout = &around.layout;
    let taken = |step: &&Step| step.turn == Turn::True && step.span.start > around.span().start;
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
fn in_the_other_branch(wait: Line, bound: Line, rows: &str, around: &Surroundings<'_, '_>) -> Option<Edit> {
    let layout = &around.layout;
    let opener = layout.opener(wait)?;
    let end = layout.block_end(wait);
    let is_plain = layout.code(opener).starts_with("if ") && layout.outermost(opener, bound) == Some(opener);
    if !is_plain || (end + 1 < layout.count() && layout.continues(end + 1)) {
        return None;
    }
    let level = layout.level();
    let inner: Vec<String> = rows.lines().map(|row| format!("{level}{row}")).collect();
    Some(layout.insert_after(end, opener, &format!("else:\n{}", inner.join("\n"))))
}

/// Before the `return` at which the scope ends, or behind its last line.
fn at_the_end(at: Span, rows: &str, around: &Surroundings<'_, '_>) -> Option<Edit> {
    let layout = &around.layout;
    let line = layout.line_at(at.start)?;
    if layout.leaves(line) {
        return Some(layout.insert_before(line, rows));
    }
    let first = *around.lines().start();
    let like = if layout.indentation(first).len() < layout.indentation(around.line).len() {
        first + 1
    } else {
        first
    };
    Some(layout.insert_after(around.last, like, rows))
}

/// A wait that stands directly in the block of the loop, behind it: inside the loop it is one too many.
fn wait_behind_the_loop(name: &str, around: &Surroundings<'_, '_>) -> Option<Edit> {
    let layout = &around.layout;
    let looping = layout.opener(around.line)?;
    let is_wait = |line: &Line| {
        let call = layout.code(*line).strip_prefix(name);
        call.is_some_and(|call| matches!(call, ".wait()" | ".Wait()"))
            && layout.indentation(*line) == layout.indentation(looping)
    };
    (layout.block_end(around.line) + 1..=layout.block_end(looping))
        .find(is_wait)
        .map(|line| layout.remove(line))
}

fn is_name(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}
