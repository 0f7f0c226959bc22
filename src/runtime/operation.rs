//! An operation: one piece of communication that a rank has started.
//!
//! `isend(b, 1)` on rank 0 *posts* a [`Start::Send`] and gets its [`Handle`]. The operation then goes through the
//! states of [`State`]: it is *queued* until the fabric pairs it with the receive of rank 1 (*matched*), *flies*
//! while its bytes are under way, and is *complete* once a wait for it can return. A handle that dies too early makes
//! it *cancelled*, and a cancelled operation keeps its place in the queue: what is paired with it never completes.

use super::{Place, Time};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Names an operation; the fabric numbers them in the order in which they are posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Handle(pub u32);

/// Names a group of ranks (a communicator). Group 0 is the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupId(pub u32);

impl GroupId {
    /// All ranks.
    pub const WORLD: GroupId = GroupId(0);
}

/// What the elements of a buffer are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Element {
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
    /// Bytes of which nothing more is known: pickled objects, half floats.
    #[default]
    Bytes,
}

/// How a reduction combines two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Reduction {
    Sum,
    Product,
    Min,
    Max,
    Average,
    And,
    Or,
    Xor,
}

/// A collective operation. Every member of the group takes part in each, in the same order. Roots are world ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Collective {
    Barrier,
    Broadcast { root: usize },
    Reduce { root: usize, by: Reduction },
    AllReduce { by: Reduction },
    Gather { root: usize },
    AllGather,
    Scatter { root: usize },
    ReduceScatter { by: Reduction },
    AllToAll,
}

impl Collective {
    /// Its name as in `torch.distributed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Collective::Barrier => "barrier",
            Collective::Broadcast { .. } => "broadcast",
            Collective::Reduce { .. } => "reduce",
            Collective::AllReduce { .. } => "all_reduce",
            Collective::Gather { .. } => "gather",
            Collective::AllGather => "all_gather",
            Collective::Scatter { .. } => "scatter",
            Collective::ReduceScatter { .. } => "reduce_scatter",
            Collective::AllToAll => "all_to_all",
        }
    }

    /// Whether all members must bring buffers of one size.
    pub(crate) fn is_uniform(self) -> bool {
        matches!(
            self,
            Collective::Broadcast { .. } | Collective::Reduce { .. } | Collective::AllReduce { .. }
        )
    }

    /// Whether the given rank ends up with data that it did not have before.
    pub(crate) fn fills(self, rank: usize) -> bool {
        match self {
            Collective::Barrier => false,
            Collective::Broadcast { root } => root != rank,
            Collective::Reduce { root, .. } | Collective::Gather { root } => root == rank,
            _ => true,
        }
    }
}

/// What a rank starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// A message to another rank.
    Send {
        /// The receiver, a world rank.
        to: usize,
        /// The tag.
        tag: i64,
        /// Completes only when the receiver takes it, whatever the schedule says (`ssend`).
        #[serde(default)]
        synchronous: bool,
    },
    /// A message from another rank.
    Receive {
        /// The sender, or `None` for any.
        from: Option<usize>,
        /// The tag, or `None` for any.
        tag: Option<i64>,
    },
    /// A part in a collective.
    Collective(Collective),
}

/// Whether the program waits inside the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// `send`, `recv`, `all_reduce(t)`: the call returns when the operation is complete.
    Blocking,
    /// `isend`, `irecv`, `all_reduce(t, async_op=True)`: the call returns a handle.
    Asynchronous,
}

/// A start with everything the fabric must know about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posting {
    /// What is started.
    pub start: Start,
    /// In which group.
    pub group: GroupId,
    /// Bytes that the buffer holds; for a receive `None` means as much as comes.
    pub bytes: Option<u64>,
    /// What the bytes are.
    #[serde(default)]
    pub element: Element,
    /// The function that the program called: `isend`, `Irecv`, `all_reduce`.
    pub api: Arc<str>,
}

/// Where an operation stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Posted, and not yet paired.
    Queued,
    /// Paired; the bytes could move.
    Matched { at: Time },
    /// The bytes have left the sender and arrive at the given time.
    Flying,
    /// A wait for it can return.
    Complete { at: Time },
    /// Its last handle died before it was complete, or a wait for it ran out of time.
    Cancelled,
}

/// An operation in the fabric's book.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) rank: usize,
    pub(crate) posting: Posting,
    pub(crate) style: Style,
    pub(crate) place: Place,
    pub(crate) posted: Time,
    pub(crate) state: State,
    /// The other side of a message, once paired.
    pub(crate) partner: Option<Handle>,
    /// The slot of a collective.
    pub(crate) slot: Option<u32>,
    /// A buffered send: its bytes left when it was posted.
    pub(crate) buffered: bool,
    /// Where a wait for it returned.
    pub(crate) waited: Option<Place>,
    /// Where its last handle died while it was not complete.
    pub(crate) lost: Option<Place>,
    /// Where its buffer was last touched in flight.
    pub(crate) touched: Option<Place>,
    /// Its handle and its buffer are both gone, and it goes on in freed memory.
    pub(crate) freed: bool,
}

impl Operation {
    pub(crate) fn is_complete(&self) -> bool {
        matches!(self.state, State::Complete { .. })
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.state == State::Cancelled
    }

    /// Neither complete nor cancelled.
    pub(crate) fn is_pending(&self) -> bool {
        !self.is_complete() && !self.is_cancelled()
    }

    /// Whether a rank that leaves now leaves it undone: it is pending and not just a send under way, or has been
    /// cancelled with its handle.
    pub(crate) fn is_open(&self) -> bool {
        let on_its_way = self.state == State::Flying && matches!(self.posting.start, Start::Send { .. });
        (self.is_pending() && !on_its_way) || (self.is_cancelled() && self.lost.is_some())
    }

    pub(crate) fn is_message(&self) -> bool {
        !matches!(self.posting.start, Start::Collective(_))
    }

    pub(crate) fn is_wildcard(&self) -> bool {
        matches!(self.posting.start, Start::Receive { from: None, .. })
    }

    /// Whether this receive takes the given send.
    pub(crate) fn accepts(&self, send: &Operation) -> bool {
        let Start::Receive { from, tag } = self.posting.start else { return false };
        let Start::Send { tag: sent, .. } = send.posting.start else { return false };
        from.is_none_or(|from| from == send.rank) && tag.is_none_or(|tag| tag == sent)
    }
}

/// `isend to rank 1`, `recv from any rank (tag 3)`, `all_reduce`.
impl fmt::Display for Operation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let api = &self.posting.api;
        let tag = |out: &mut fmt::Formatter<'_>, tag: i64| match tag {
            0 => Ok(()),
            tag => write!(out, " (tag {tag})"),
        };
        match self.posting.start {
            Start::Send { to, tag: sent, .. } => {
                write!(out, "{api} to rank {to}")?;
                tag(out, sent)
            }
            Start::Receive { from, tag: wanted } => {
                match from {
                    Some(from) => write!(out, "{api} from rank {from}")?,
                    None => write!(out, "{api} from any rank")?,
                }
                tag(out, wanted.unwrap_or(0))
            }
            Start::Collective(_) => write!(out, "{api}"),
        }
    }
}
