//! The verdict: decided once, by the first cause that is found, and kept.
//!
//! For each blocked rank this says which operation it waits for and why that can never complete, then follows the
//! peers from rank to rank for a cycle, and collects the lost handles that the reasons name.
//!
//! ```text
//! rank 0: recv from rank 1    why: rank 1 is itself blocked at x.py:4
//! rank 1: recv from rank 0    why: rank 0 is itself blocked at x.py:4     cycle: 0, 1
//! ```

use super::super::operation::Operation;
use super::super::overlap;
use super::super::verdict::{Blocked, Lost, Open, Outcome, Verdict, Why};
use super::super::{Handle, Start};
use super::matching::almost_fits;
use super::{Fabric, Standing};
use std::collections::{BTreeMap, VecDeque};

impl Fabric {
    /// Nobody can go on: says how the run ended by where the ranks stand.
    pub(super) fn decide_by_standing(&mut self) {
        let left = self.ranks.iter().all(|book| matches!(book.standing, Standing::Left));
        let outcome = match (left, self.harms.is_empty()) {
            (false, _) => Outcome::Hangs,
            (true, false) => Outcome::WrongData,
            (true, true) if !self.open.is_empty() => Outcome::PendingAtExit,
            (true, true) => Outcome::Completes,
        };
        self.decide(outcome);
    }

    /// Keeps the verdict. Only the first counts.
    pub(super) fn decide(&mut self, outcome: Outcome) {
        if self.verdict.is_none() {
            self.verdict = Some(self.tell(outcome));
        }
    }

    pub(super) fn tell(&self, outcome: Outcome) -> Verdict {
        let blocked = self.blocked();
        let cycle = shortest_cycle(&blocked);
        let blame = self.blame(&blocked);
        let open = self.open.iter().map(|handle| self.tell_open(*handle)).collect();
        Verdict {
            outcome,
            schedule: self.chooser.followed(),
            choices: self.chooser.made().to_vec(),
            makespan: self.now,
            blocked,
            cycle,
            blame,
            harms: self.harms.clone(),
            failures: self.failures.clone(),
            open,
            overlaps: overlap::overlaps(&self.trace),
            notes: self.notes.clone(),
        }
    }

    fn tell_open(&self, handle: Handle) -> Open {
        let operation = self.operation(handle);
        Open { rank: operation.rank, operation: operation.to_string(), started: operation.place.clone() }
    }

    fn blocked(&self) -> Vec<Blocked> {
        let (mut blocked, nothing) = (Vec::new(), Vec::new());
        for (rank, book) in self.ranks.iter().enumerate() {
            let (handles, place, polls) = match &book.standing {
                Standing::Waiting { wait, place, .. } => (&wait.handles, place, false),
                Standing::Polling { handles, place } => (handles, place, true),
                Standing::Going => match &book.asked {
                    Some(asked) => (asked.handles.last().unwrap_or(&nothing), &asked.place, true),
                    None => continue,
                },
                Standing::Left | Standing::Failed => continue,
            };
            let stuck = handles.iter().find(|handle| !self.operation(**handle).is_complete());
            let Some(handle) = stuck.or(handles.first()).copied() else { continue };
            let operation = self.operation(handle);
            let (place, started) = (place.clone(), operation.place.clone());
            let why = self.why(handle, polls);
            blocked.push(Blocked { rank, operation: operation.to_string(), place, started, polls, why });
        }
        blocked
    }

    fn why(&self, handle: Handle, polls: bool) -> Vec<Why> {
        let operation = self.operation(handle);
        if let Some(first) = operation.waited.clone() {
            return vec![Why::WaitedTwice { first }];
        }
        if operation.is_complete() && polls {
            return vec![Why::PollNeverTrue];
        }
        if let Some(partner) = operation.partner.filter(|partner| self.operation(*partner).is_cancelled()) {
            return vec![Why::Cancelled(self.lost(partner))];
        }
        match operation.posting.start {
            Start::Send { to, .. } => vec![self.why_peer(operation, to)],
            Start::Receive { from: Some(from), .. } => vec![self.why_peer(operation, from)],
            Start::Receive { from: None, .. } => self.why_nobody(operation),
            Start::Collective(_) => self.why_collective(operation),
        }
    }

    fn lost(&self, handle: Handle) -> Lost {
        let operation = self.operation(handle);
        Lost {
            rank: operation.rank,
            operation: operation.to_string(),
            started: operation.place.clone(),
            lost: operation.lost.clone().unwrap_or_else(|| operation.place.clone()),
        }
    }

    /// Why the peer does not post the other side of a message.
    fn why_peer(&self, operation: &Operation, peer: usize) -> Why {
        let queued =
            |other: &&Operation| other.rank == peer && other.partner.is_none() && !other.is_cancelled();
        let mine = operation.posting.group;
        let near = self
            .operations
            .iter()
            .filter(queued)
            .find(|other| almost_fits(operation, other) && other.posting.group == mine);
        if let Some(other) = near {
            return Why::Differs { rank: peer, operation: other.to_string(), place: other.place.clone() };
        }
        self.why_standing(peer)
    }

    fn why_standing(&self, peer: usize) -> Why {
        match &self.ranks[peer].standing {
            Standing::Waiting { place, .. } | Standing::Polling { place, .. } => {
                Why::Waits { rank: peer, place: place.clone() }
            }
            Standing::Left | Standing::Failed => Why::Left { rank: peer },
            Standing::Going => match &self.ranks[peer].asked {
                Some(asked) => Why::Waits { rank: peer, place: asked.place.clone() },
                None => Why::Elsewhere { rank: peer },
            },
        }
    }

    fn why_nobody(&self, operation: &Operation) -> Vec<Why> {
        let cancelled =
            self.mailboxes.get(&(operation.posting.group, operation.rank)).and_then(|mailbox| {
                mailbox.sends.iter().copied().find(|send| {
                    operation.accepts(self.operation(*send)) && self.operation(*send).is_cancelled()
                })
            });
        if let Some(send) = cancelled {
            return vec![Why::Cancelled(self.lost(send))];
        }
        let group = &self.groups[operation.posting.group.0 as usize];
        let others = group.members.iter().filter(|member| **member != operation.rank);
        others.map(|peer| self.why_peer(operation, *peer)).collect()
    }

    fn why_collective(&self, operation: &Operation) -> Vec<Why> {
        let id = operation.posting.group;
        let members = &self.groups[id.0 as usize].members;
        let Some(slot) = operation.slot.map(|slot| &self.slots[slot as usize]) else { return Vec::new() };
        let mut why = Vec::new();
        for (member, part) in members.iter().zip(&slot.parts).filter(|(member, _)| **member != operation.rank)
        {
            match part.map(|part| self.operation(part)) {
                None => why.push(self.why_standing(*member)),
                Some(other) if other.posting.start != operation.posting.start => why.push(Why::Differs {
                    rank: *member,
                    operation: other.to_string(),
                    place: other.place.clone(),
                }),
                Some(_) => {}
            }
        }
        let broken = self.broken_in(id).map(|handle| Why::PairBroken(self.lost(handle)));
        if why.is_empty() { broken.into_iter().collect() } else { why }
    }

    /// The lost handles that the reasons name.
    fn blame(&self, blocked: &[Blocked]) -> Vec<Lost> {
        let mut blame: Vec<Lost> = Vec::new();
        for why in blocked.iter().flat_map(|blocked| &blocked.why) {
            if let Why::Cancelled(lost) | Why::PairBroken(lost) = why {
                let timed_out = lost.lost == lost.started && !self.was_lost(lost);
                if !blame.contains(lost) && !timed_out {
                    blame.push(lost.clone());
                }
            }
        }
        blame
    }

    fn was_lost(&self, lost: &Lost) -> bool {
        self.operations.iter().any(|operation| {
            operation.rank == lost.rank && operation.place == lost.started && operation.lost.is_some()
        })
    }
}

/// The shortest way from a blocked rank over the peers that it waits for back to itself.
fn shortest_cycle(blocked: &[Blocked]) -> Vec<usize> {
    let edges: BTreeMap<usize, Vec<usize>> = blocked
        .iter()
        .map(|blocked| (blocked.rank, blocked.why.iter().filter_map(Why::peer).collect()))
        .collect();
    let cycles = edges.keys().filter_map(|rank| way_back(&edges, *rank));
    cycles.min_by_key(Vec::len).unwrap_or_default()
}

fn way_back(edges: &BTreeMap<usize, Vec<usize>>, from: usize) -> Option<Vec<usize>> {
    let mut ways = VecDeque::from([vec![from]]);
    let mut seen = vec![from];
    while let Some(way) = ways.pop_front() {
        let last = way.last().copied()?;
        for next in edges.get(&last)?.iter().copied() {
            if next == from {
                return Some(way);
            }
            if !seen.contains(&next) && edges.contains_key(&next) {
                seen.push(next);
                let mut longer = way.clone();
                longer.push(next);
                ways.push_back(longer);
            }
        }
    }
    None
}
