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
use super::super::verdict::HarmKind;
use super::super::{Handle, Time};
use super::{Effect, Fabric, Resumed, Standing, Which};

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

    pub(super) fn resume(&mut self, rank: usize, with: Resumed) {
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

    /// Lazy flights that nobody is inside for take off when nobody could go on otherwise.
    fn take_off_delayed(&mut self) -> bool {
        let delayed = self.ranks.iter().find_map(|book| book.matched.first().copied());
        if let Some(flight) = delayed {
            self.take_off(flight);
        }
        delayed.is_some()
    }
}
