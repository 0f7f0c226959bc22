//! Pairing: which send belongs to which receive, and which parts make up a collective.
//!
//! Every rank has one *mailbox* a group, with the sends to it and its own receives in the order in which they were
//! posted. A receive takes the first send that it accepts, so messages of one sender with one tag never overtake. A
//! cancelled operation stays in the mailbox and is paired like any other, which is how gloo behaves: what it is
//! paired with never completes.
//!
//! A receive from any rank is *open*. Under an eager policy it takes what is there; under a lazy one it waits until
//! nobody can go on without it, so that every message it could take has been posted, and until then it holds back the
//! later receives that want the same messages.
//!
//! Every member's n-th collective in a group goes into the group's n-th *slot*, which is matched when it is full.

use super::super::operation::{Operation, State};
use super::super::schedule::Transfers;
use super::super::trace::What;
use super::super::{Backend, Collective, GroupId, Handle, Place, Posting, Start, Style};
use super::progress::Flight;
use super::{Fabric, Wait, Which};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) name: Arc<str>,
    pub(super) members: Vec<usize>,
    slots: Vec<u32>,
    /// How many collectives each member has posted.
    posted: HashMap<usize, usize>,
}

impl Group {
    pub(super) fn new(name: Arc<str>, members: Vec<usize>) -> Group {
        Group { name, members, slots: Vec::new(), posted: HashMap::new() }
    }
}

/// Messages to one rank in one group.
#[derive(Clone, Debug, Default)]
pub(super) struct Mailbox {
    pub(super) sends: VecDeque<Handle>,
    pub(super) receives: VecDeque<Handle>,
}

/// One collective of one group: the parts that have been posted.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// One part a member, in the order of the members.
    pub(super) parts: Vec<Option<Handle>>,
}

impl Fabric {
    /// The group with this name and these members, which every member names alike.
    pub fn group(&mut self, name: &str, members: &[usize]) -> GroupId {
        let known = self.groups.iter().position(|group| &*group.name == name && group.members == members);
        let index = known.unwrap_or_else(|| {
            self.groups.push(Group::new(name.into(), members.to_vec()));
            self.groups.len() - 1
        });
        GroupId(index as u32)
    }

    pub(super) fn refuse(&self, rank: usize, posting: &Posting) -> Result<(), String> {
        let group = self.groups.get(posting.group.0 as usize).ok_or("there is no such group")?;
        let api = &posting.api;
        let member = |other: usize| match group.members.contains(&other) {
            true => Ok(()),
            false => Err(format!(
                "{api}: rank {other} is not in the group, which has {} ranks",
                group.members.len()
            )),
        };
        member(rank)?;
        let own = matches!(self.backend, Backend::Gloo | Backend::Nccl);
        match posting.start {
            Start::Send { to: other, .. } | Start::Receive { from: Some(other), .. } => {
                member(other)?;
                match other == rank && own {
                    true => Err(format!("{api}: rank {rank} cannot exchange messages with itself")),
                    false => Ok(()),
                }
            }
            Start::Receive { from: None, .. } => Ok(()),
            Start::Collective(
                Collective::Broadcast { root }
                | Collective::Reduce { root, .. }
                | Collective::Gather { root }
                | Collective::Scatter { root },
            ) => member(root),
            Start::Collective(_) => Ok(()),
        }
    }

    /// Puts a new operation where its other side can find it.
    pub(super) fn enqueue(&mut self, handle: Handle) {
        let operation = self.operation(handle);
        let (rank, group) = (operation.rank, operation.posting.group);
        match operation.posting.start {
            Start::Send { to, .. } => {
                self.mailboxes.entry((group, to)).or_default().sends.push_back(handle);
                self.settle(group, to);
            }
            Start::Receive { .. } => {
                self.mailboxes.entry((group, rank)).or_default().receives.push_back(handle);
                self.settle(group, rank);
            }
            Start::Collective(_) => self.join(handle, rank, group),
        }
    }

    /// Pairs everything in a mailbox that can be paired now.
    fn settle(&mut self, group: GroupId, to: usize) {
        while let Some((send, receive)) = self.next_pair(group, to) {
            self.pair(send, receive);
        }
    }

    fn next_pair(&mut self, group: GroupId, to: usize) -> Option<(Handle, Handle)> {
        let mailbox = self.mailboxes.get(&(group, to))?;
        let mut held: BTreeSet<Handle> = BTreeSet::new();
        for &receive in &mailbox.receives {
            let candidates = self.candidates(mailbox, receive);
            let free: Vec<Handle> = candidates.into_iter().filter(|send| !held.contains(send)).collect();
            if !self.operation(receive).is_wildcard() {
                match free.first() {
                    Some(&send) => return Some((send, receive)),
                    None => continue,
                }
            }
            if self.chooser.policy().transfers == Transfers::Eager && !free.is_empty() {
                return Some((free[self.chooser.choose(free.len())], receive));
            }
            held.extend(free);
        }
        None
    }

    /// The sends that a receive could take: the first that it accepts of each sender. A receive from any rank does
    /// not take what was cancelled.
    fn candidates(&self, mailbox: &Mailbox, receive: Handle) -> Vec<Handle> {
        let receive = self.operation(receive);
        let mut senders = BTreeSet::new();
        let mut found = Vec::new();
        for &send in &mailbox.sends {
            let operation = self.operation(send);
            let fits = receive.accepts(operation) && !(receive.is_wildcard() && operation.is_cancelled());
            if fits && senders.insert(operation.rank) {
                found.push(send);
                if !receive.is_wildcard() {
                    break;
                }
            }
        }
        found
    }

    /// Lets the first open receive that has candidates take one, when nobody can go on without it.
    pub(super) fn settle_open_receive(&mut self) -> bool {
        let mut boxes: Vec<(GroupId, usize)> = self.mailboxes.keys().copied().collect();
        boxes.sort_unstable();
        for key in boxes {
            let mailbox = &self.mailboxes[&key];
            let open = mailbox.receives.iter().copied().find_map(|receive| {
                let pending =
                    self.operation(receive).is_wildcard() && !self.operation(receive).is_cancelled();
                let candidates = if pending { self.candidates(mailbox, receive) } else { Vec::new() };
                (!candidates.is_empty()).then_some((receive, candidates))
            });
            if let Some((receive, candidates)) = open {
                let send = candidates[self.chooser.choose(candidates.len())];
                self.pair(send, receive);
                self.settle(key.0, key.1);
                return true;
            }
        }
        false
    }

    fn pair(&mut self, send: Handle, receive: Handle) {
        let (group, to) = (self.operation(send).posting.group, self.operation(receive).rank);
        if let Some(mailbox) = self.mailboxes.get_mut(&(group, to)) {
            mailbox.sends.retain(|other| *other != send);
            mailbox.receives.retain(|other| *other != receive);
        }
        self.note(to, What::Matched { send, receive });
        let at = self.now;
        for (handle, partner) in [(send, receive), (receive, send)] {
            let operation = self.operation_mut(handle);
            operation.partner = Some(partner);
            if operation.state == State::Queued {
                operation.state = State::Matched { at };
            }
        }
        let dead = self.operation(send).is_cancelled() || self.operation(receive).is_cancelled();
        if !dead {
            self.ready(Flight::Message(send));
        }
    }

    fn join(&mut self, handle: Handle, rank: usize, id: GroupId) {
        let next = self.slots.len() as u32;
        let group = &mut self.groups[id.0 as usize];
        let turn = group.posted.entry(rank).or_default();
        if group.slots.len() == *turn {
            group.slots.push(next);
            self.slots.push(Slot { parts: vec![None; group.members.len()] });
        }
        let slot = group.slots[*turn];
        *turn += 1;
        let seat = group.members.iter().position(|member| *member == rank).unwrap_or_default();
        self.slots[slot as usize].parts[seat] = Some(handle);
        self.operation_mut(handle).slot = Some(slot);
        if self.slot_agrees(slot) && self.broken_in(id).is_none() {
            let at = self.now;
            for part in self.slot_parts(slot) {
                self.operation_mut(part).state = State::Matched { at };
            }
            self.ready(Flight::Slot(slot));
        }
    }

    pub(super) fn slot_parts(&self, slot: u32) -> Vec<Handle> {
        self.slots[slot as usize].parts.iter().flatten().copied().collect()
    }

    /// Whether every member is there with the same collective.
    fn slot_agrees(&self, slot: u32) -> bool {
        let parts = &self.slots[slot as usize].parts;
        let start = |part: &Handle| &self.operation(*part).posting.start;
        let first = parts.first().and_then(Option::as_ref).map(start);
        first.is_some() && parts.iter().all(|part| part.as_ref().map(start) == first)
    }

    /// A message of this group that was cancelled and left its pair of ranks unusable.
    pub(super) fn broken_in(&self, group: GroupId) -> Option<Handle> {
        let mut pairs = self.broken.range((group, 0, 0)..=(group, usize::MAX, usize::MAX));
        pairs.next().map(|(_, handle)| *handle)
    }

    /// An operation ends without being complete.
    pub(super) fn cancel(&mut self, handle: Handle) {
        self.operation_mut(handle).state = State::Cancelled;
        self.changed();
        let operation = self.operation(handle);
        let group = operation.posting.group;
        let mine = operation.rank;
        let other = match operation.posting.start {
            Start::Send { to, .. } => Some(to),
            Start::Receive { from, .. } => from,
            Start::Collective(_) => None,
        };
        if let Some(partner) = operation.partner {
            let send = if matches!(operation.posting.start, Start::Send { .. }) { handle } else { partner };
            self.forget_ready(Flight::Message(send));
        }
        if let Some(other) = other {
            self.broken.entry((group, mine.min(other), mine.max(other))).or_insert(handle);
        }
    }

    /// Whether a wait can never return because the handle was waited for before.
    pub(super) fn blocks_for_ever(&self, wait: &Wait) -> bool {
        let blocks = |handle: &Handle| {
            let operation = self.operation(*handle);
            operation.is_cancelled()
                || (operation.is_message()
                    && operation.style == Style::Asynchronous
                    && operation.waited.is_some()
                    && self.backend.second_wait_blocks())
        };
        match wait.which {
            Which::All => wait.handles.iter().any(blocks),
            Which::Any => !wait.handles.is_empty() && wait.handles.iter().all(blocks),
        }
    }

    /// The operation's wait has returned here.
    pub(super) fn mark_waited(&mut self, handle: Handle, place: &Place) {
        self.operation_mut(handle).waited.get_or_insert_with(|| place.clone());
    }
}

/// What may be a partner of a receive that has none: for the report.
pub(super) fn almost_fits(wanted: &Operation, other: &Operation) -> bool {
    match (&wanted.posting.start, &other.posting.start) {
        (Start::Receive { from, .. }, Start::Send { to, .. }) => {
            *to == wanted.rank && from.is_none_or(|from| from == other.rank)
        }
        (Start::Send { to, .. }, Start::Receive { from, .. }) => {
            *to == other.rank && from.is_none_or(|from| from == wanted.rank)
        }
        _ => false,
    }
}
