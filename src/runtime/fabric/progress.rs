//! Progress: when bytes move, when ranks go on, and what happens when nobody can.
//!
//! A matched transfer is a *flight*. It takes off at once under an eager policy; under a lazy one when all its ranks
//! are inside a wait, or have left. Taking off reads the send buffer, landing fills the receive buffer.
//!
//! [`Fabric::step`] is called when every rank has a call that waits to be served, or is blocked. In this order: it
//! answers polls after a change, lets the next flight land or the next time limit run out, leaves the turn to the
//! calls, and, if there is no call either, does what a real backend is free to delay: lazy flights, open receives,
//! one more poll in vain. If nothing of this is left, the run is over and the verdict is decided.

use super::super::operation::State;
use super::super::schedule::Transfers;
use super::super::trace::What;
use super::super::verdict::{HarmKind, Outcome};
use super::super::{Element, Handle, Place, Start, Time};
use super::{Asked, Effect, Fabric, Resumed, Standing, Which};

/// After so many polls in vain, with every other rank blocked, a run is said to poll for ever.
const POLLS_IN_VAIN: u32 = 20_000;

/// Bytes that move together: a message, named by its send, or a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flight {
    Message(Handle),
    Slot(u32),
}

/// What a step has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Something happened; there may be effects.
    Moved,
    /// The earliest call comes first.
    CallsFirst,
    /// The verdict is decided.
    Ended,
}

impl Fabric {
    /// Goes on by one step; `calls` is the earliest clock of a rank whose call waits to be served.
    pub fn step(&mut self, calls: Option<Time>) -> Step {
        if self.verdict.is_some() {
            return Step::Ended;
        }
        if self.answer_changed_polls() {
            return Step::Moved;
        }
        if let Some(next) = self.next_event().filter(|next| calls.is_none_or(|calls| *next <= calls)) {
            self.now = self.now.max(next);
            self.land_due();
            self.end_due_waits();
            return Step::Moved;
        }
        if calls.is_some() {
            return Step::CallsFirst;
        }
        if self.take_off_delayed() || self.settle_open_receive() || self.answer_vain_polls() {
            return if self.verdict.is_some() { Step::Ended } else { Step::Moved };
        }
        self.decide_by_standing();
        Step::Ended
    }

    fn next_event(&self) -> Option<Time> {
        let landing = self.air.first().map(|(time, _)| *time);
        let limit = self.ranks.iter().filter_map(|book| match book.standing {
            Standing::Waiting { until, .. } if until != Time::NEVER => Some(until),
            _ => None,
        });
        landing.into_iter().chain(limit).min()
    }

    /// A flight could take off.
    pub(super) fn ready(&mut self, flight: Flight) {
        if self.may_take_off(flight) {
            return self.take_off(flight);
        }
        for rank in self.ends(flight) {
            self.ranks[rank].matched.insert(flight);
        }
    }

    pub(super) fn forget_ready(&mut self, flight: Flight) {
        for rank in self.ends(flight) {
            self.ranks[rank].matched.remove(&flight);
        }
    }

    /// A rank is now inside a wait or has left: what was delayed for it may take off.
    pub(super) fn goes_inside(&mut self, rank: usize) {
        let waiting: Vec<Flight> = self.ranks[rank].matched.iter().copied().collect();
        for flight in waiting {
            if self.may_take_off(flight) {
                self.take_off(flight);
            }
        }
    }

    fn may_take_off(&self, flight: Flight) -> bool {
        let eager = self.chooser.policy().transfers == Transfers::Eager;
        eager || self.ends(flight).into_iter().all(|rank| self.is_inside(rank))
    }

    fn is_inside(&self, rank: usize) -> bool {
        match self.ranks[rank].standing {
            Standing::Going => self.backend.polls_see_messages() && self.ranks[rank].asked.is_some(),
            Standing::Polling { .. } => self.backend.polls_see_messages(),
            Standing::Waiting { .. } | Standing::Left | Standing::Failed => true,
        }
    }

    /// The ranks that a flight needs. A buffered send has already done its part.
    fn ends(&self, flight: Flight) -> Vec<usize> {
        match flight {
            Flight::Message(send) => {
                let send = self.operation(send);
                let receiver = send.partner.map(|receive| self.operation(receive).rank);
                let sender = (!send.buffered).then_some(send.rank);
                sender.into_iter().chain(receiver).collect()
            }
            Flight::Slot(slot) => {
                self.slot_parts(slot).into_iter().map(|part| self.operation(part).rank).collect()
            }
        }
    }

    fn take_off(&mut self, flight: Flight) {
        self.forget_ready(flight);
        let arrival = match flight {
            Flight::Message(send) => {
                let Some(receive) = self.operation(send).partner else { return };
                if self.refuse_pair(send, receive) {
                    return;
                }
                let since = match self.operation(send).buffered {
                    true => self.operation(send).posted,
                    false => self.matched_at(receive),
                };
                if !self.operation(send).buffered {
                    self.take(send);
                    self.operation_mut(send).state = State::Flying;
                }
                self.operation_mut(receive).state = State::Flying;
                let bytes = self.operation(send).posting.bytes.unwrap_or(0);
                since + self.network.span(bytes)
            }
            Flight::Slot(slot) => {
                let parts = self.slot_parts(slot);
                if self.refuse_slot(&parts) {
                    return;
                }
                let since = parts.first().map_or(self.now, |part| self.matched_at(*part));
                let bytes = parts.iter().filter_map(|part| self.operation(*part).posting.bytes).max();
                for part in &parts {
                    self.take(*part);
                    self.operation_mut(*part).state = State::Flying;
                }
                let hops = usize::BITS - parts.len().saturating_sub(1).leading_zeros();
                since + self.network.span(bytes.unwrap_or(0)) * hops.max(1)
            }
        };
        self.air.insert((arrival.max(self.now), flight));
    }

    fn matched_at(&self, handle: Handle) -> Time {
        match self.operation(handle).state {
            State::Matched { at } => at,
            _ => self.now,
        }
    }

    /// A message that does not fit into the buffer ends the receiver.
    fn refuse_pair(&mut self, send: Handle, receive: Handle) -> bool {
        let (sent, taken) = (&self.operation(send).posting, &self.operation(receive).posting);
        let (Some(sent_bytes), Some(room)) = (sent.bytes, taken.bytes) else { return false };
        let known = sent.element != Element::Bytes && taken.element != Element::Bytes;
        let (differs, short) = (known && sent.element != taken.element, sent_bytes < room);
        if sent_bytes > room {
            let operation = self.operation(receive);
            let (rank, place) = (operation.rank, operation.place.clone());
            let message =
                format!("a message of {sent_bytes} bytes does not fit into the {room} bytes of {operation}");
            self.fail(rank, message, Some(place));
            return true;
        }
        let sent_at = Some(self.operation(send).place.clone());
        if differs {
            self.harm(receive, HarmKind::Reinterpreted, sent_at, None);
        } else if short && self.backend.short_messages_are_wrong() {
            self.harm(receive, HarmKind::Short, sent_at, None);
        }
        false
    }

    fn refuse_slot(&mut self, parts: &[Handle]) -> bool {
        let Some(first) = parts.first().map(|part| self.operation(*part)) else { return false };
        let Start::Collective(kind) = first.posting.start else { return false };
        let other = parts
            .iter()
            .map(|part| self.operation(*part))
            .find(|part| part.posting.bytes != first.posting.bytes);
        let (Some(other), true) = (other, kind.is_uniform()) else { return false };
        let message = format!(
            "{} of {} bytes meets rank {} with {} bytes",
            other,
            other.posting.bytes.unwrap_or(0),
            first.rank,
            first.posting.bytes.unwrap_or(0)
        );
        let (rank, place) = (other.rank, other.place.clone());
        self.fail(rank, message, Some(place));
        true
    }

    pub(super) fn take(&mut self, handle: Handle) {
        let rank = self.operation(handle).rank;
        self.note(rank, What::Took { handle });
        self.effects.push(Effect::Take(handle));
    }

    fn land_due(&mut self) {
        while let Some((time, flight)) = self.air.first().copied().filter(|(time, _)| *time <= self.now) {
            self.air.remove(&(time, flight));
            match flight {
                Flight::Message(send) => self.land_message(send),
                Flight::Slot(slot) => {
                    let parts = self.slot_parts(slot);
                    self.effects.push(Effect::Combine(parts.clone()));
                    parts.into_iter().for_each(|part| self.complete(part));
                }
            }
        }
    }

    fn land_message(&mut self, send: Handle) {
        let Some(receive) = self.operation(send).partner else { return };
        if !self.operation(receive).is_cancelled() {
            self.effects.push(Effect::Deliver { send, receive });
            if self.operation(receive).freed {
                self.harm(receive, HarmKind::Freed, self.operation(receive).lost.clone(), None);
            }
            self.complete(receive);
        }
        if !self.operation(send).is_complete() {
            self.complete(send);
        }
    }

    pub(super) fn complete(&mut self, handle: Handle) {
        let (rank, at) = (self.operation(handle).rank, self.now);
        self.operation_mut(handle).state = State::Complete { at };
        self.note(rank, What::Completed { handle });
        self.changed();
        self.look_after(rank);
    }

    /// Resumes a waiting rank if it has what it waits for.
    pub(super) fn look_after(&mut self, rank: usize) {
        let Standing::Waiting { wait, place, blocks: false, .. } = &self.ranks[rank].standing else { return };
        let complete: Vec<Handle> =
            wait.handles.iter().copied().filter(|handle| self.operation(*handle).is_complete()).collect();
        let enough = match wait.which {
            Which::All => complete.len() == wait.handles.len(),
            Which::Any => !complete.is_empty() || wait.handles.is_empty(),
        };
        if !enough {
            return;
        }
        let finished = match wait.which {
            Which::All => complete,
            Which::Any => complete.into_iter().take(1).collect(),
        };
        let place = place.clone();
        finished.iter().for_each(|handle| self.mark_waited(*handle, &place));
        self.resume(rank, Resumed::Complete(finished));
    }

    fn resume(&mut self, rank: usize, with: Resumed) {
        let book = &mut self.ranks[rank];
        book.clock = book.clock.max(self.now);
        book.standing = Standing::Going;
        let what = match &with {
            Resumed::Polled(complete) => What::Polled { complete: !complete.is_empty() },
            other => What::Resumed { timed_out: *other == Resumed::TimedOut },
        };
        self.note(rank, what);
        self.effects.push(Effect::Resume { rank, with });
    }

    /// Waits whose time limit is over raise; a message that was waited for is then unusable.
    fn end_due_waits(&mut self) {
        for rank in 0..self.ranks.len() {
            let Standing::Waiting { wait, until, .. } = &self.ranks[rank].standing else { continue };
            if *until > self.now {
                continue;
            }
            let open = wait.handles.iter().copied().filter(|handle| self.operation(*handle).is_pending());
            let open: Vec<Handle> = open.filter(|handle| self.operation(*handle).is_message()).collect();
            if self.backend.second_wait_blocks() {
                open.into_iter().for_each(|handle| self.cancel(handle));
            }
            self.resume(rank, Resumed::TimedOut);
        }
    }

    fn polling(&self) -> Vec<usize> {
        let polls = |rank: &usize| matches!(self.ranks[*rank].standing, Standing::Polling { .. });
        (0..self.ranks.len()).filter(polls).collect()
    }

    fn answer_changed_polls(&mut self) -> bool {
        let mut polling = self.polling();
        polling.retain(|rank| !self.has_asked_since_change(*rank));
        polling.iter().for_each(|rank| self.answer_poll(*rank));
        !polling.is_empty()
    }

    fn answer_vain_polls(&mut self) -> bool {
        let polling = self.polling();
        polling.iter().for_each(|rank| self.answer_poll(*rank));
        !polling.is_empty()
    }

    pub(super) fn polled_complete(&self, rank: usize) -> bool {
        let Standing::Polling { handles, .. } = &self.ranks[rank].standing else { return false };
        handles.iter().any(|handle| self.poll_sees(*handle))
    }

    fn poll_sees(&self, handle: Handle) -> bool {
        let operation = self.operation(handle);
        let seen = !operation.is_message() || self.backend.polls_see_messages() || operation.waited.is_some();
        operation.is_complete() && seen
    }

    pub(super) fn answer_poll(&mut self, rank: usize) {
        let Standing::Polling { handles, place } = self.ranks[rank].standing.clone() else { return };
        let complete: Vec<Handle> =
            handles.iter().copied().filter(|handle| self.poll_sees(*handle)).collect();
        if complete.is_empty() {
            self.keep_asked(rank, handles, &place);
            self.fruitless += 1;
            if self.fruitless > POLLS_IN_VAIN && self.air.is_empty() && self.nobody_else_acts() {
                return self.decide(Outcome::PollsForever);
            }
        }
        complete.iter().for_each(|handle| self.mark_waited(*handle, &place));
        self.resume(rank, Resumed::Polled(complete));
    }

    fn keep_asked(&mut self, rank: usize, handles: Vec<Handle>, place: &Place) {
        let change = self.changes;
        let earlier = self.ranks[rank].asked.take().filter(|asked| asked.change == change && !asked.rested);
        let mut asked = earlier.map_or_else(Vec::new, |asked| asked.handles);
        if !asked.contains(&handles) {
            asked.push(handles);
        }
        self.ranks[rank].asked = Some(Asked { handles: asked, place: place.clone(), change, rested: false });
    }

    /// Every rank is blocked, has ended, or has asked in vain since the last change.
    fn nobody_else_acts(&self) -> bool {
        (0..self.ranks.len()).all(|rank| match self.ranks[rank].standing {
            Standing::Waiting { until, .. } => until == Time::NEVER,
            Standing::Left | Standing::Failed => true,
            Standing::Going | Standing::Polling { .. } => self.has_asked_since_change(rank),
        })
    }

    fn has_asked_since_change(&self, rank: usize) -> bool {
        self.ranks[rank].asked.as_ref().is_some_and(|asked| asked.change == self.changes)
    }

    /// Lazy flights that nobody is inside for take off when nobody could go on otherwise.
    fn take_off_delayed(&mut self) -> bool {
        let delayed = self.ranks.iter().find_map(|book| book.matched.first().copied());
        if let Some(flight) = delayed {
            self.take_off(flight);
        }
        delayed.is_some()
    }
}
