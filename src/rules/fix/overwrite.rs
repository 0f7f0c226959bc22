//! A handle is waited for before something else takes its place.
//!
//! ```text
//! for peer in peers:                 for peer in peers:
//!     handle = dist.isend(t, peer)       handle = dist.isend(t, peer)
//! handle.wait()                          handle.wait()
//!
//! handle = None                      handle = None
//! for peer in peers:                 for peer in peers:
//!                                        if handle is not None:
//!                                            handle.wait()
//!     handle = dist.isend(t, peer)       handle = dist.isend(t, peer)
//! if handle is not None:             if handle is not None:
//!     handle.wait()                      handle.wait()
//! ```

use super::super::{Context, Fix};
use super::held::Held;
use super::wait::{in_the_other_branch, on_the_other_way, unsafe_fix};
use crate::flow::{Event, Handle};
use crate::source::{Edit, Line, Span};

pub(in super::super) fn before_the_overwrite(
    event: &Event,
    handle: &Handle,
    at: Span,
    context: &Context<'_>,
) -> Option<Fix> {
    let held = Held::of(handle, context)?;
    let line = held.around.layout.line_at(at.start)?;
    let edits = if line != held.around.line {
        vec![held.around.layout.insert_before(line, &held.wait_rows_here())]
    } else {
        in_every_turn(&held, event)?
    };
    Some(unsafe_fix(format!("wait for what `{}` holds before it is overwritten", held.name), edits))
}

/// The next turn of the loop binds the name again.
fn in_every_turn(held: &Held<'_, '_>, event: &Event) -> Option<Vec<Edit>> {
    let (around, layout) = (&held.around, &held.around.layout);
    let rows = held.wait_rows_here();
    let block_end = layout.block_end(around.line);
    if let Some(wait) = held.first_wait_behind(around.line).filter(|wait| *wait <= block_end) {
        let edit =
            on_the_other_way(held, event, wait, &rows).or_else(|| in_the_other_branch(held, wait, &rows));
        return edit.map(|edit| vec![edit]);
    }
    let later: Vec<Line> =
        around.lines().filter(|line| *line > block_end && held.is_waited_at(*line)).collect();
    if held.is_carried_by_a_loop() {
        return None;
    }
    if held.may_be_none() && !later.is_empty() {
        return Some(vec![layout.insert_before(around.line, &held.wait_rows())]);
    }
    let (wait, _) = around.at_the_last_moment(held.handle, &rows)?;
    let moved = match later.as_slice() {
        [] => Vec::new(),
        [_] => held.plain_wait(block_end, around.looping()?)?,
        [_, ..] => return None,
    };
    Some(std::iter::once(wait).chain(moved.into_iter().map(|line| layout.remove(line))).collect())
}
