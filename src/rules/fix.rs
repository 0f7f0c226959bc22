//! How findings are fixed: edits, from the places that an event names and the layout of the text around them.
//!
//! - A **safe** fix writes what can only have been meant. An **unsafe** one finishes the operation at a place where it can be
//!   finished; a person should see whether it is the right one.
//! - A fix is **offered** only where the text around it has the plain form that it is made for: a call that is a whole
//!   statement, a handle in a name of its own. Anything else is left to the user.
//! - Whoever makes a fix looks at the result: [`crate::project`] takes it back where the file does not parse any more, or
//!   where the analysis has more to say than before.
//!
//! ```text
//! handle.wait             safe: handle.wait()
//! dist.isend(t, peer)     unsafe: handle = dist.isend(t, peer), and handle.wait() at the end of the block
//! ```

mod at_once;
mod call_it;
mod held;
mod keep;
mod overwrite;
mod second_wait;
mod surroundings;
mod timeout;
mod touch;
mod wait;
mod wait_for_all;

pub(super) use at_once::{block, wait_later};
pub(super) use call_it::call_it;
pub(super) use keep::keep;
pub(super) use overwrite::before_the_overwrite;
pub(super) use second_wait::drop_the_second;
pub(super) use timeout::as_timedelta;
pub(super) use touch::before_the_touch;
pub(super) use wait::{before_it_is_emptied, before_the_end};
pub(super) use wait_for_all::{wait_for_all, wait_on_each};
