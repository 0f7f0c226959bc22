//! Polls: asking whether something is complete, without waiting for it.
//!
//! A poll is answered at once, unless the rank has asked the same since the fabric last changed and since it last
//! rested: then it is *parked* until something changes, so that a loop that only polls lets time pass. If nothing can
//! change any more it is answered no, and after enough of these the run is said to poll for ever.

use super::super::verdict::Outcome;
use super::super::{Handle, Place, Time};
use super::{Asked, Fabric, Resumed, Standing};

/// After so many polls in vain, with every other rank blocked, a run is said to poll for ever.
const POLLS_IN_VAIN: u32 = 20_000;

impl Fabric {
    fn polling(&self) -> Vec<usize> {
        let polls = |rank: &usize| matches!(self.ranks[*rank].standing, Standing::Polling { .. });
        (0..self.ranks.len()).filter(polls).collect()
    }

    pub(super) fn answer_changed_polls(&mut self) -> bool {
        let mut polling = self.polling();
        polling.retain(|rank| !self.has_asked_since_change(*rank));
        polling.iter().for_each(|rank| self.answer_poll(*rank));
        !polling.is_empty()
    }

    pub(super) fn answer_vain_polls(&mut self) -> bool {
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
}
