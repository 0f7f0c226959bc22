//! The fabric: a pure state machine that carries the messages of a few ranks and decides how their run ends.
//!
//! It has no thread, no clock and no I/O. A shell tells it what the ranks do ([`Fabric::start`], [`Fabric::wait`],
//! [`Fabric::poll`], [`Fabric::drop_handle`], [`Fabric::leave`] …), lets it go on with [`Fabric::step`] when no rank
//! has a call that comes first, and carries out its [`Effect`]s: *take* the bytes out of a buffer, *deliver* them
//! into another, *resume* a rank. The fabric never sees a byte.
//!
//! # Words
//!
//! An operation is *posted*, then *matched* with its other side, then it *flies*, and when it *lands* it is complete.
//! A rank is *going* until it *waits*, *polls* in vain, or has *left*. A rank that waits or has left is *inside*: a
//! lazy transfer needs both of its ranks to be inside.
//!
//! # An example
//!
//! ```text
//! rank 0                    rank 1                   the fabric
//! isend(b, 1)                                        h0 queued
//! (the handle dies)                                  h0 cancelled, and keeps its place in the queue
//! leaves                    recv(c, 0)               h1 matched with h0: neither will ever fly
//!                                                    step: nobody is going, nothing flies
//!                                                    verdict: hangs, rank 1 waits at its recv, h0 is to blame
//! ```

mod blame;
mod ending;
mod matching;
mod polling;
mod progress;
mod sizes;
mod standing;
mod terms;

use super::operation::{Operation, State};
use super::schedule::{Chooser, Sends};
use super::trace::{Event, What};
use super::verdict::{Failure, Harm, HarmKind, Outcome, Verdict};
use super::{Backend, GroupId, Handle, OnDrop, Place, Posting, Start, Style, Time};
use matching::{Group, Mailbox, Slot};
use progress::Flight;
pub use progress::Step;
use standing::{Asked, RankBook, Standing};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
pub use terms::{Access, Dropped, Effect, Network, Resumed, Settings, Touched, Wait, Which};

/// The state machine. See the [module](self).
#[derive(Clone, Debug)]
pub struct Fabric {
    backend: Backend,
    network: Network,
    chooser: Chooser,
    ranks: Vec<RankBook>,
    groups: Vec<Group>,
    operations: Vec<Operation>,
    mailboxes: HashMap<(GroupId, usize), Mailbox>,
    slots: Vec<Slot>,
    /// Pairs of ranks whose connection a cancelled message has made unusable, and that message.
    broken: BTreeMap<(GroupId, usize, usize), Handle>,
    air: BTreeSet<(Time, Flight)>,
    now: Time,
    /// Counts everything that could turn a poll's answer.
    changes: u64,
    /// Polls in vain since the last change.
    fruitless: u32,
    effects: Vec<Effect>,
    trace: Vec<Event>,
    harms: Vec<Harm>,
    failures: Vec<Failure>,
    /// Operations that were pending when their rank left.
    open: Vec<Handle>,
    notes: Vec<Arc<str>>,
    verdict: Option<Verdict>,
}

impl Fabric {
    /// A fabric for so many ranks, all of them going.
    #[must_use]
    pub fn new(ranks: usize, settings: Settings) -> Fabric {
        Fabric {
            backend: settings.backend,
            network: settings.network,
            chooser: Chooser::new(settings.schedule),
            ranks: vec![RankBook::new(); ranks],
            groups: vec![Group::new("world".into(), (0..ranks).collect())],
            operations: Vec::new(),
            mailboxes: HashMap::new(),
            slots: Vec::new(),
            broken: BTreeMap::new(),
            air: BTreeSet::new(),
            now: Time::START,
            changes: 0,
            fruitless: 0,
            effects: Vec::new(),
            trace: Vec::new(),
            harms: Vec::new(),
            failures: Vec::new(),
            open: Vec::new(),
            notes: Vec::new(),
            verdict: None,
        }
    }

    /// How many ranks there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.ranks.len()
    }

    /// Takes over the behaviour of another library, as `init_process_group` names it.
    pub fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    /// The clock of a rank.
    #[must_use]
    pub fn clock(&self, rank: usize) -> Time {
        self.ranks[rank].clock
    }

    /// How the run ended, once it has.
    #[must_use]
    pub fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// How the run ended; one that has not is unfinished.
    #[must_use]
    pub fn ended(&self) -> Verdict {
        self.verdict.clone().unwrap_or_else(|| self.tell(Outcome::Unfinished))
    }

    /// Everything that happened so far.
    #[must_use]
    pub fn trace(&self) -> &[Event] {
        &self.trace
    }

    /// Takes everything that happened out, at the end of a run.
    pub fn take_trace(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.trace)
    }

    /// What the shell has to do; each effect is handed out once.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// The posting of an operation.
    #[must_use]
    pub fn posting(&self, handle: Handle) -> &Posting {
        &self.operation(handle).posting
    }

    /// Whether an operation of this name was ever started.
    #[must_use]
    pub fn knows(&self, handle: Handle) -> bool {
        (handle.0 as usize) < self.operations.len()
    }

    /// The rank that posted an operation.
    #[must_use]
    pub fn owner(&self, handle: Handle) -> usize {
        self.operation(handle).rank
    }

    /// The send whose message a receive took, with its rank and tag.
    #[must_use]
    pub fn origin(&self, receive: Handle) -> Option<(usize, i64, Option<u64>)> {
        let send = self.operation(self.operation(receive).partner?);
        match send.posting.start {
            Start::Send { tag, .. } => Some((send.rank, tag, send.posting.bytes)),
            _ => None,
        }
    }

    /// Starts an operation, or says why the library would refuse it.
    ///
    /// # Errors
    /// A message to oneself through gloo, a rank that does not exist, a member that is none.
    pub fn start(
        &mut self,
        rank: usize,
        posting: Posting,
        style: Style,
        place: Place,
    ) -> Result<Handle, String> {
        self.refuse(rank, &posting)?;
        self.touch_time(rank);
        let handle = Handle(u32::try_from(self.operations.len()).map_err(|_| "too many operations")?);
        let buffered = self.chooser.policy().sends == Sends::Buffered
            && matches!(posting.start, Start::Send { synchronous: false, .. });
        let operation = Operation {
            rank,
            posting,
            style,
            place: place.clone(),
            posted: self.now,
            state: State::Queued,
            partner: None,
            slot: None,
            buffered,
            waited: None,
            lost: None,
            touched: None,
            freed: false,
        };
        let blocking = style == Style::Blocking;
        self.note(rank, What::Posted { handle, operation: operation.to_string(), place, blocking });
        self.operations.push(operation);
        self.ranks[rank].does_something_else();
        self.changed();
        if buffered {
            self.take(handle);
            self.complete(handle);
        }
        self.enqueue(handle);
        Ok(handle)
    }

    /// A rank waits; it goes on with an [`Effect::Resume`].
    pub fn wait(&mut self, rank: usize, wait: Wait, place: Place) {
        self.touch_time(rank);
        self.note(rank, What::Waits { handles: wait.handles.clone(), place: place.clone() });
        let until = wait.limit.map_or(Time::NEVER, |limit| self.ranks[rank].clock + limit);
        let blocks = self.blocks_for_ever(&wait);
        self.ranks[rank].does_something_else();
        self.ranks[rank].standing = Standing::Waiting { wait, place, until, blocks };
        self.goes_inside(rank);
        self.look_after(rank);
    }

    /// A rank asks which of these are complete; it goes on with an [`Effect::Resume`].
    pub fn poll(&mut self, rank: usize, handles: Vec<Handle>, place: Place) {
        self.touch_time(rank);
        let same =
            |asked: &Asked| asked.change == self.changes && asked.handles.contains(&handles) && !asked.rested;
        let again = self.ranks[rank].asked.as_ref().is_some_and(same);
        self.ranks[rank].standing = Standing::Polling { handles, place };
        if self.backend.polls_see_messages() {
            self.goes_inside(rank);
        }
        if !again || self.polled_complete(rank) {
            self.answer_poll(rank);
        }
    }

    /// A rank computes or sleeps for so long.
    pub fn compute(&mut self, rank: usize, span: Duration) {
        self.touch_time(rank);
        let until = self.ranks[rank].clock + span;
        self.note(rank, What::Computed { until });
        let book = &mut self.ranks[rank];
        book.clock = until;
        book.rest();
        book.looks_since = None;
    }

    /// A rank reads its clock. Looking takes a moment, and the longer a rank does nothing else the longer: a loop
    /// that looks until its time is over comes to its end.
    pub fn look_at_clock(&mut self, rank: usize) -> Time {
        self.touch_time(rank);
        let book = &mut self.ranks[rank];
        let since = *book.looks_since.get_or_insert(book.clock);
        let moment = ((book.clock - since) / 4).clamp(Duration::from_micros(1), Duration::from_millis(100));
        book.clock = book.clock + moment;
        book.rest();
        book.clock
    }

    /// A rank touches the buffer of an operation that it has not waited for.
    pub fn touch(&mut self, rank: usize, handle: Handle, access: Access, place: Place) -> Touched {
        self.touch_time(rank);
        self.ranks[rank].does_something_else();
        self.note(rank, What::Touched { handle, place: place.clone() });
        let operation = self.operation_mut(handle);
        let fills = match operation.posting.start {
            Start::Send { .. } => false,
            Start::Receive { .. } => true,
            Start::Collective(kind) => kind.fills(rank),
        };
        if operation.is_pending() {
            operation.touched = Some(place);
            return Touched::Pending;
        }
        if operation.is_cancelled() && fills {
            if access == Access::Read {
                let lost = operation.lost.clone();
                self.harm(handle, HarmKind::NeverFilled, lost.or(Some(place)), None);
            }
            return Touched::Never;
        }
        Touched::Quiet
    }

    /// The last reference to a handle is gone.
    pub fn drop_handle(&mut self, rank: usize, dropped: Dropped) {
        let Dropped { handle, freed, place } = dropped;
        let operation = self.operation(handle);
        if !operation.is_pending() || operation.lost.is_some() {
            return;
        }
        let receives = !matches!(operation.posting.start, Start::Send { .. });
        let flies = operation.state == State::Flying;
        let fate = match operation.is_message() {
            true => self.backend.on_message_drop(),
            false => self.backend.on_collective_drop(),
        };
        let cancelled = fate == OnDrop::Cancels && (receives || !flies);
        self.note(rank, What::Lost { handle, place: place.clone(), cancelled });
        let operation = self.operation_mut(handle);
        operation.lost = Some(place.clone());
        operation.freed = freed && fate == OnDrop::ContinuesUnowned;
        if cancelled {
            self.cancel(handle);
        }
        if fate == OnDrop::Aborts {
            self.fail(rank, "a request was dropped before it was complete".into(), Some(place));
        }
    }

    fn operation(&self, handle: Handle) -> &Operation {
        &self.operations[handle.0 as usize]
    }

    fn operation_mut(&mut self, handle: Handle) -> &mut Operation {
        &mut self.operations[handle.0 as usize]
    }

    fn note(&mut self, rank: usize, what: What) {
        self.trace.push(Event { at: self.now, rank, what });
    }

    fn changed(&mut self) {
        self.changes += 1;
        self.fruitless = 0;
    }

    /// A call of this rank is being served: it is now the time of its clock.
    fn touch_time(&mut self, rank: usize) {
        self.now = self.now.max(self.ranks[rank].clock);
        self.ranks[rank].standing = Standing::Going;
    }
}
