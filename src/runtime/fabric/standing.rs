//! Where the ranks stand.

use super::super::{Handle, Place, Time};
use super::Wait;
use super::progress::Flight;
use std::collections::BTreeSet;

/// Where a rank stands.
#[derive(Clone, Debug)]
pub(super) enum Standing {
    Going,
    Waiting { wait: Wait, place: Place, until: Time, blocks: bool },
    Polling { handles: Vec<Handle>, place: Place },
    Left,
    Failed,
}

/// Polls that were answered no since the fabric last changed and the rank last rested.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// What was asked for, each time.
    pub(super) handles: Vec<Vec<Handle>>,
    /// Where it was asked last.
    pub(super) place: Place,
    /// The change of the fabric after which it was asked.
    pub(super) change: u64,
    /// Time has passed for the rank since.
    pub(super) rested: bool,
}

#[derive(Clone, Debug)]
pub(super) struct RankBook {
    pub(super) clock: Time,
    pub(super) standing: Standing,
    /// What it has last asked for in vain.
    pub(super) asked: Option<Asked>,
    /// Since when it looks at the clock while it does nothing else.
    pub(super) looks_since: Option<Time>,
    /// Matched transfers in which it is an end.
    pub(super) matched: BTreeSet<Flight>,
}

impl RankBook {
    pub(super) fn new() -> RankBook {
        RankBook {
            clock: Time::START,
            standing: Standing::Going,
            asked: None,
            looks_since: None,
            matched: BTreeSet::new(),
        }
    }

    /// The rank neither polls nor looks at its clock.
    pub(super) fn does_something_else(&mut self) {
        self.looks_since = None;
        self.asked = None;
    }

    /// Time passes for the rank.
    pub(super) fn rest(&mut self) {
        if let Some(asked) = &mut self.asked {
            asked.rested = true;
        }
    }
}
