//! A second wait that is a statement of its own goes.
//!
//! ```text
//! handle.wait()        handle.wait()
//! use(box)             use(box)
//! handle.wait()
//! ```

use super::super::{Applicability, Context, Fix};
use super::surroundings::Surroundings;
use crate::source::{Edit, Span};

pub(in super::super) fn drop_the_second(at: Span, context: &Context<'_>) -> Option<Fix> {
    let around = Surroundings::of(at, context)?;
    if around.span() != at {
        return None;
    }
    let layout = &around.layout;
    let is_first = layout.opener(around.line).is_some_and(|opener| opener + 1 == around.line);
    let is_only = is_first && layout.block_end(around.line) == around.line;
    let edit = if is_only { Edit::replace(at, "pass") } else { layout.remove(around.line) };
    Some(Fix {
        applicability: Applicability::Unsafe,
        message: "remove the second wait".to_owned(),
        edits: vec![edit],
    })
}
