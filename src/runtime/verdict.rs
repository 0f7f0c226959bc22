//! What a run has shown, decided once and kept.
//!
//! An [`Outcome`] is the word that a fixture's header states. The [`Verdict`] adds the evidence: which ranks are
//! *blocked*, at which operation and why it can never complete; the *cycle* of ranks that wait for each other; the
//! *lost handles* that are to blame; and the *harms*, the places where a rank got other data than it was sent.

mod harm;

pub use harm::{Difference, Harm, HarmKind};

use super::{Choice, Place, Schedule, Time};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// How a run ended, in one word. A run that shows several is told by the first of them in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The run was ended from outside, or reached a bound.
    Unfinished,
    /// A rank raised, crashed, was killed, or misused a call.
    Fails,
    /// No rank can go on and no transfer is possible.
    Hangs,
    /// Some rank asks again and again for what can never come.
    PollsForever,
    /// A rank got other data than it was sent.
    WrongData,
    /// A rank left before something that it had started was complete.
    PendingAtExit,
    /// Completes, and takes as long as the blocking form.
    Slow,
    /// Every rank left, nothing is open.
    Completes,
}

/// The word of a fixture's header.
impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Outcome::Unfinished => "unfinished",
            Outcome::Fails => "fails",
            Outcome::Hangs => "hangs",
            Outcome::PollsForever => "polls for ever",
            Outcome::WrongData => "wrong data",
            Outcome::PendingAtExit => "pending at exit",
            Outcome::Slow => "slow",
            Outcome::Completes => "completes",
        })
    }
}

/// A handle that died before its operation was complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// Whose it was.
    pub rank: usize,
    /// What it was, as `isend to rank 1`.
    pub operation: String,
    /// Where it was started.
    pub started: Place,
    /// Where its last reference went.
    pub lost: Place,
}

/// Why an operation can never complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The operation it is paired with went with its handle.
    Cancelled(Lost),
    /// A lost handle has left this pair of ranks unusable, and the collective needs it.
    PairBroken(Lost),
    /// The peer has ended without posting the other side.
    Left {
        /// The peer.
        rank: usize,
    },
    /// The peer is blocked itself before it comes to the other side.
    Waits {
        /// The peer.
        rank: usize,
        /// Where it is blocked.
        place: Place,
    },
    /// The peer does something else and has not come to the other side.
    Elsewhere {
        /// The peer.
        rank: usize,
    },
    /// The peer has posted something similar that does not fit.
    Differs {
        /// The peer.
        rank: usize,
        /// What it posted, as `recv from rank 0 (tag 2)`.
        operation: String,
        /// Where.
        place: Place,
    },
    /// The handle has been waited for before.
    WaitedTwice {
        /// Where the first wait returned.
        first: Place,
    },
    /// The backend says yes to a poll only after a wait.
    PollNeverTrue,
}

impl Why {
    /// The rank that would have to act. Nobody can bring back what was cancelled.
    #[must_use]
    pub fn peer(&self) -> Option<usize> {
        match self {
            Why::Cancelled(_) | Why::PairBroken(_) => None,
            Why::Left { rank } | Why::Elsewhere { rank } => Some(*rank),
            Why::Waits { rank, .. } | Why::Differs { rank, .. } => Some(*rank),
            Why::WaitedTwice { .. } | Why::PollNeverTrue => None,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Cancelled(lost) => {
                let Lost { rank, operation, lost, .. } = lost;
                write!(
                    out,
                    "the matching {operation} of rank {rank} was cancelled when its handle was lost at {lost}"
                )
            }
            Why::PairBroken(lost) => {
                let Lost { rank, operation, lost, .. } = lost;
                write!(
                    out,
                    "the {operation} of rank {rank}, whose handle was lost at {lost}, blocks the connection"
                )
            }
            Why::Left { rank } => write!(out, "rank {rank} has exited"),
            Why::Elsewhere { rank } => write!(out, "rank {rank} has not come to the other side"),
            Why::Waits { rank, place } => write!(out, "rank {rank} is itself blocked at {place}"),
            Why::Differs { rank, operation, place } => {
                write!(out, "rank {rank} has posted {operation} at {place} instead")
            }
            Why::WaitedTwice { first } => {
                write!(out, "the handle was already waited for at {first}, and a second wait never returns")
            }
            Why::PollNeverTrue => {
                out.write_str("with this backend the answer stays no until the handle is waited for")
            }
        }
    }
}

/// A rank that cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// Which rank.
    pub rank: usize,
    /// What it waits for, as `irecv from rank 0`.
    pub operation: String,
    /// Where it waits.
    pub place: Place,
    /// Where the operation was started, which for a blocking call is the same place.
    pub started: Place,
    /// Whether it polls instead of waiting.
    pub polls: bool,
    /// Why that can never complete.
    pub why: Vec<Why>,
}

/// A rank that did not end well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Which rank.
    pub rank: usize,
    /// What it said last.
    pub message: String,
    /// Where, if that is known.
    pub place: Option<Place>,
}

/// An operation that was still open when its rank left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// Whose it is.
    pub rank: usize,
    /// What it is.
    pub operation: String,
    /// Where it was started.
    pub started: Place,
}

/// How well an asynchronous operation was hidden behind other work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overlap {
    /// Whose it is.
    pub rank: usize,
    /// What it is.
    pub operation: String,
    /// Where it was started.
    pub started: Place,
    /// The part of its time, from 0 to 1, during which its rank did not wait.
    pub share: f64,
}

/// What a run has shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// In one word.
    pub outcome: Outcome,
    /// The schedule that repeats the run.
    pub schedule: Schedule,
    /// The choices that were made.
    pub choices: Vec<Choice>,
    /// When the last rank ended, in virtual time.
    pub makespan: Time,
    /// The ranks that cannot go on.
    pub blocked: Vec<Blocked>,
    /// Ranks each of which waits for the next, and the last for the first.
    pub cycle: Vec<usize>,
    /// The lost handles that are to blame.
    pub blame: Vec<Lost>,
    /// Where data went wrong.
    pub harms: Vec<Harm>,
    /// Ranks that did not end well.
    pub failures: Vec<Failure>,
    /// What was open when its rank left.
    pub open: Vec<Open>,
    /// How well each asynchronous operation was hidden.
    pub overlaps: Vec<Overlap>,
    /// Remarks that change nothing.
    pub notes: Vec<Arc<str>>,
}
