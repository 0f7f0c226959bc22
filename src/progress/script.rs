//! A script: what one rank does in one run, in its order, as far as other ranks see it.
//!
//! ```text
//! dist.send(x, 1)         Post(send to 1), Wait
//! req = dist.irecv(y, 1)  Post(receive from 1)
//! req.wait()              Wait
//! ```

use std::collections::BTreeSet;
use std::rc::Rc;

use super::choice::Question;
use super::value::{Extent, Group, Site, Term};
use crate::runtime::Collective;
use crate::source::Span;

/// The other side of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    Rank(i64),
    /// Any rank.
    Any,
    /// A rank of which nothing is known.
    Unknown(Term),
}

/// What is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Send { to: Peer, tag: Option<i64>, manner: Manner },
    Receive { from: Peer, tag: Option<i64> },
    Collective(Collective),
}

/// When a send is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// When the backend likes.
    Standard,
    /// When the receiver takes it.
    Synchronous,
    /// At once.
    Buffered,
}

/// Something that a rank starts.
#[derive(Clone, Debug)]
pub(super) struct Post {
    pub(super) act: Act,
    pub(super) group: Group,
    pub(super) extent: Option<Extent>,
    /// Which element of an iteration in no certain order it belongs to.
    pub(super) element: Option<u64>,
    /// The function as the user knows it.
    pub(super) api: Rc<str>,
    pub(super) blocking: bool,
    pub(super) site: Rc<Site>,
}

/// One line of a script.
#[derive(Clone, Debug)]
pub(super) enum Line {
    Post(Post),
    /// Waits for what these lines have started.
    Wait {
        posts: Rc<[usize]>,
        any: bool,
        site: Rc<Site>,
    },
}

/// A decision on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) site: Rc<Site>,
    pub(super) way: u64,
    /// Where it became something that differs between ranks by its nature.
    pub(super) local: Option<Span>,
    /// How many lines there were before.
    pub(super) before: usize,
}

/// What one rank does in one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    pub(super) lines: Vec<Line>,
    pub(super) turns: Vec<Turn>,
    /// Calls of which nobody knows whether they communicate, and how many lines there were before.
    pub(super) mysteries: Vec<(Rc<Site>, usize)>,
    /// What had to be assumed for all ranks alike.
    pub(super) asked: BTreeSet<Question>,
    /// Nothing is known of an operation's peer.
    pub(super) unknown_peers: bool,
}

impl Script {
    pub(super) fn posts(&self) -> impl Iterator<Item = (usize, &Post)> {
        self.lines.iter().enumerate().filter_map(|(index, line)| match line {
            Line::Post(post) => Some((index, post)),
            Line::Wait { .. } => None,
        })
    }
}
