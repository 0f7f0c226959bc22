//! What a shell and the fabric say to each other.

use super::super::{Backend, Handle, Place, Schedule};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long bytes are under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// The time that an empty message takes.
    pub latency: Duration,
    /// How many bytes follow in a second.
    pub bytes_per_second: u64,
}

impl Network {
    pub(super) fn span(self, bytes: u64) -> Duration {
        let nanos = u128::from(bytes) * 1_000_000_000 / u128::from(self.bytes_per_second.max(1));
        self.latency + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// Twenty microseconds and a gigabyte a second: a plain network between machines.
impl Default for Network {
    fn default() -> Network {
        Network { latency: Duration::from_micros(20), bytes_per_second: 1_000_000_000 }
    }
}

/// What a fabric is made of.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Whose behaviour it has.
    pub backend: Backend,
    /// How fast it is.
    pub network: Network,
    /// Which schedule it follows.
    pub schedule: Schedule,
}

/// What the shell has to do, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Copy the bytes out of the buffer of this operation and keep them.
    Take(Handle),
    /// Put the bytes of the send into the buffer of the receive.
    Deliver {
        /// Whose bytes.
        send: Handle,
        /// Whose buffer.
        receive: Handle,
    },
    /// Combine the bytes taken from these operations, one for each member of the group in its order, and put each
    /// member's part into its buffer.
    Combine(Vec<Handle>),
    /// Let a rank go on.
    Resume {
        /// The rank.
        rank: usize,
        /// Why it goes on.
        with: Resumed,
    },
}

/// Why a rank goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resumed {
    /// These operations are complete.
    Complete(Vec<Handle>),
    /// The time limit of its wait is over.
    TimedOut,
    /// It asked, and these are complete.
    Polled(Vec<Handle>),
}

/// What a rank waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The operations.
    pub handles: Vec<Handle>,
    /// All of them, or one.
    pub which: Which,
    /// For how long at most.
    pub limit: Option<Duration>,
}

/// How many operations a wait needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// All.
    All,
    /// One.
    Any,
}

/// How a rank meets the buffer of an operation that it has not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// It looks.
    Read,
    /// It changes it.
    Write,
}

/// What the touched buffer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// The operation is over.
    Quiet,
    /// The bytes have not moved yet.
    Pending,
    /// They never will.
    Never,
}

/// A handle whose last reference went since the rank's last call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Which handle.
    pub handle: Handle,
    /// Whether nothing else holds its buffer.
    #[serde(default)]
    pub freed: bool,
    /// Where it went.
    pub place: Place,
}
