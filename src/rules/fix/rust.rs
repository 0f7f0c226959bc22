//! Fixes of Rust: a request that is thrown away is waited for on the spot, and a guard that waits on the spot gets a name, so that
//! it waits at the end of its block.
//!
//! ```text
//! let _ = peer.immediate_send(scope, &x);                    let _ = peer.immediate_send(scope, &x).wait();
//! let _ = WaitGuard::from(peer.immediate_send(scope, &x));   let _guard = WaitGuard::from(…);
//! ```
//!
//! C functions have no method to wait with; their findings are left to the user.

use super::super::{Context, Fix, story};
use super::wait::unsafe_fix;
use crate::flow::{Event, Handle, Loss, What};
use crate::source::{Edit, Span, mentions};

/// The fix of an event of a Rust file.
pub(in super::super) fn in_rust(event: &Event, context: &Context<'_>) -> Option<Fix> {
    if let What::Lost { handle, how: Loss::Discarded | Loss::Underscore, .. } = &event.what {
        return wait_on_the_spot(handle, context);
    }
    let What::WaitedAtOnce { handle, .. } = &event.what else { return None };
    name_the_guard(handle, context)
}

fn wait_on_the_spot(handle: &Handle, context: &Context<'_>) -> Option<Fix> {
    let is_of_c = story::short_name(handle.api, context).starts_with("MPI_");
    let is_call = handle.started.of(context.text).ends_with(')');
    (is_call && !is_of_c && !handle.several).then(|| {
        unsafe_fix("wait for it on the spot".to_owned(), vec![Edit::insert(handle.started.end, ".wait()")])
    })
}

/// `_` of the `let` that the start stands in becomes a name.
fn name_the_guard(handle: &Handle, context: &Context<'_>) -> Option<Fix> {
    const BEFORE: &str = "let _ = ";
    let before = context.text.get(..handle.started.start as usize)?;
    let start = before.rfind(BEFORE)?;
    let between = before.get(start + BEFORE.len()..)?;
    if between.contains([';', '{', '}']) || mentions(context.text, "_guard") {
        return None;
    }
    let underscore = (start + "let ".len()) as u32;
    let edit = Edit::replace(Span::new(underscore, underscore + 1), "_guard");
    Some(unsafe_fix("name the guard, so that it waits at the end of its block".to_owned(), vec![edit]))
}
