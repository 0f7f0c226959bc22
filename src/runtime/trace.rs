//! The trace: everything that happened in a run, in the order in which the fabric decided it.
//!
//! Two runs of one token have equal traces, event by event. The timeline and the Chrome trace are drawn from it.

use super::{Handle, Place, Time};
use serde::{Deserialize, Serialize};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When.
    pub at: Time,
    /// To which rank.
    pub rank: usize,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// An operation was started.
    Posted {
        /// Its handle.
        handle: Handle,
        /// What it is.
        operation: String,
        /// Where.
        place: Place,
        /// Whether the call waits for it.
        blocking: bool,
    },
    /// A message's two sides were paired.
    Matched {
        /// The send.
        send: Handle,
        /// The receive.
        receive: Handle,
    },
    /// The bytes of an operation left its buffer.
    Took {
        /// The operation.
        handle: Handle,
    },
    /// An operation became complete.
    Completed {
        /// The operation.
        handle: Handle,
    },
    /// The last reference to a pending handle went.
    Lost {
        /// The operation.
        handle: Handle,
        /// Where.
        place: Place,
        /// Whether that cancelled the operation.
        cancelled: bool,
    },
    /// The rank stopped to wait.
    Waits {
        /// For which operations.
        handles: Vec<Handle>,
        /// Where.
        place: Place,
    },
    /// The rank goes on.
    Resumed {
        /// Whether because its time ran out.
        timed_out: bool,
    },
    /// The rank asked whether an operation is complete.
    Polled {
        /// The answer.
        complete: bool,
    },
    /// The rank computed or slept.
    Computed {
        /// Until when.
        until: Time,
    },
    /// The rank touched the buffer of an operation that it had not waited for.
    Touched {
        /// The operation.
        handle: Handle,
        /// Where.
        place: Place,
    },
    /// The rank ended.
    Left,
    /// The rank failed.
    Failed {
        /// What it said.
        message: String,
    },
}
