//! Rust worlds: ranks as threads of one process.
//!
//! [`World::run`] starts one thread a rank. A rank that calls puts its submission into the *hall* and waits; the rank
//! that takes the last seat plays the turn for all, moves the bytes and lets those go on that got a reply. So no
//! thread of its own is needed, and nothing runs that is not a rank.

use super::fabric::{Dropped, Fabric, Settings};
use super::ledger::{Buffers, Ledger, Snapshot};
use super::rank::Rank;
use super::trace::Event;
use super::turns::{Call, Reply, Submission, Turns};
use super::verdict::Verdict;
use super::{Buffer, Element, Handle, Item, Place, Style, Time};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A number of ranks and the laws that they run under.
#[derive(Clone, Debug)]
pub struct World {
    size: usize,
    settings: Settings,
    style: Style,
}

/// A run that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What it has shown.
    pub verdict: Verdict,
    /// What happened in it.
    pub trace: Vec<Event>,
}

impl World {
    /// So many ranks under the strictest schedule of gloo.
    #[must_use]
    pub fn new(size: usize) -> World {
        World { size, settings: Settings::default(), style: Style::Asynchronous }
    }

    /// Under other settings.
    #[must_use]
    pub fn with(self, settings: Settings) -> World {
        World { settings, ..self }
    }

    /// Runs every asynchronous call as its blocking form.
    #[must_use]
    pub fn blocking(self) -> World {
        World { style: Style::Blocking, ..self }
    }

    /// Runs the program, once for every rank, and tells how that ended.
    pub fn run(&self, program: impl Fn(&Rank) + Sync) -> Run {
        let fabric = Fabric::new(self.size, self.settings.clone());
        let hall = Arc::new(Hall::new(Turns::new(fabric, self.style), self.size));
        std::thread::scope(|scope| {
            for id in 0..self.size {
                let (guest, program) = (Arc::clone(&hall), &program);
                let thread = std::thread::Builder::new().name(format!("rank {id}"));
                if let Err(error) = thread.spawn_scoped(scope, move || attend(&guest, id, self.size, program))
                {
                    hall.lose(id, format!("its thread could not be started: {error}"));
                }
            }
        });
        let mut inner = Hall::lock_of(&hall);
        let fabric = inner.turns.fabric_mut();
        Run { verdict: fabric.ended(), trace: fabric.take_trace() }
    }
}

/// Ends a rank's thread when the run is over; never seen by the user.
struct Stopped;

fn attend(hall: &Arc<Hall>, id: usize, size: usize, program: &(impl Fn(&Rank) + Sync)) {
    let start = Mutex::new(Place::of(Location::caller()));
    let link = Arc::new(Link { hall: Arc::clone(hall), rank: id, dropped: Mutex::default(), last: start });
    let rank = Rank::new(Arc::clone(&link), size);
    let ended = catch_unwind(AssertUnwindSafe(|| program(&rank)));
    let last = match ended {
        Ok(()) => Call::Leave,
        Err(payload) if payload.is::<Stopped>() => return,
        Err(payload) => {
            let message = panic_message(&*payload);
            let assertion = message.starts_with("assertion");
            Call::Fail { message, assertion }
        }
    };
    let over = catch_unwind(AssertUnwindSafe(|| link.call(last, link.last_place(), Vec::new())));
    debug_assert!(over.is_err(), "the run must be over when a rank that left is replied to");
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panicked".into())
}

/// What an operation's buffers are: the one it gives, the one it fills.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) gives: Vec<Buffer<u8>>,
    pub(super) fills: Vec<Buffer<u8>>,
    pub(super) element: Element,
}

impl Parts {
    pub(super) fn new<T: Item>(gives: Vec<Buffer<u8>>, fills: Vec<Buffer<u8>>) -> Parts {
        Parts { gives, fills, element: T::ELEMENT }
    }
}

/// A rank's way into the hall.
#[derive(Debug)]
pub(super) struct Link {
    hall: Arc<Hall>,
    pub(super) rank: usize,
    dropped: Mutex<Vec<Dropped>>,
    /// Where the rank made its last call: the nearest that is known of the place of a drop.
    last: Mutex<Place>,
}

impl Link {
    /// Makes a call and waits for its reply.
    pub(super) fn call(&self, call: Call, place: Place, parts: Vec<Parts>) -> (Reply, Time) {
        let dropped = std::mem::take(&mut *self.dropped.lock().unwrap_or_else(PoisonError::into_inner));
        place.clone_into(&mut self.last.lock().unwrap_or_else(PoisonError::into_inner));
        let (reply, clock) = self.hall.call(self.rank, Submission { dropped, call, place }, parts);
        if reply == Reply::Stop {
            resume_unwind(Box::new(Stopped));
        }
        (reply, clock)
    }

    /// The last reference to a handle is gone; the fabric hears of it with the next call.
    pub(super) fn drop_handle(&self, handle: Handle) {
        let dropped = Dropped { handle, freed: false, place: self.last_place() };
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner).push(dropped);
    }

    fn last_place(&self) -> Place {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The rank and tag of the message that a receive took.
    pub(super) fn origin(&self, receive: Handle) -> Option<(usize, i64)> {
        let inner = Hall::lock_of(&self.hall);
        inner.turns.fabric().origin(receive).map(|(rank, tag, _)| (rank, tag))
    }
}

#[derive(Debug)]
struct Hall {
    inner: Mutex<Inner>,
    bells: Vec<Condvar>,
}

#[derive(Debug)]
struct Inner {
    turns: Turns,
    ledger: Ledger,
    memory: Memory,
    /// The buffers of the call that each rank is in.
    called_with: Vec<Vec<Parts>>,
    replies: Vec<Option<(Reply, Time)>>,
}

impl Hall {
    fn new(turns: Turns, size: usize) -> Hall {
        let inner = Inner {
            turns,
            ledger: Ledger::default(),
            memory: Memory::default(),
            called_with: vec![Vec::new(); size],
            replies: vec![None; size],
        };
        Hall { inner: Mutex::new(inner), bells: (0..size).map(|_| Condvar::new()).collect() }
    }

    fn lock_of(hall: &Hall) -> MutexGuard<'_, Inner> {
        hall.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self, rank: usize, submission: Submission, parts: Vec<Parts>) -> (Reply, Time) {
        let mut inner = Hall::lock_of(self);
        inner.called_with[rank] = parts;
        inner.turns.submit(rank, submission);
        self.play_if_seated(&mut inner);
        loop {
            if let Some(reply) = inner.replies[rank].take() {
                return reply;
            }
            inner = self.bells[rank].wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Hall {
    fn play_if_seated(&self, inner: &mut Inner) {
        while inner.turns.is_seated() && !inner.turns.is_over() {
            inner.play().into_iter().for_each(|rank| self.bells[rank].notify_one());
        }
    }

    fn lose(&self, rank: usize, message: String) {
        let mut inner = Hall::lock_of(self);
        inner.turns.lose(rank, message);
        self.play_if_seated(&mut inner);
    }
}

impl Inner {
    /// Plays a turn for all, and tells who goes on.
    fn play(&mut self) -> Vec<usize> {
        let turn = self.turns.play();
        for (rank, handles) in &turn.started {
            let parts = std::mem::take(&mut self.called_with[*rank]);
            for (handle, parts) in handles.iter().zip(parts) {
                self.ledger
                    .open(*handle, Snapshot { gives: bytes(&parts.gives), holds: bytes(&parts.fills) });
                self.memory.parts.insert(*handle, parts);
            }
        }
        self.ledger.carry_out(&turn, self.turns.fabric_mut(), &mut self.memory);
        let mut ranks = Vec::new();
        for (rank, reply, clock) in turn.replies {
            if let Reply::Complete(handles) = &reply {
                handles.iter().for_each(|handle| self.memory.forget(*handle));
            }
            self.replies[rank] = Some((reply, clock));
            ranks.push(rank);
        }
        ranks
    }
}

#[derive(Debug, Default)]
struct Memory {
    parts: HashMap<Handle, Parts>,
}

impl Memory {
    fn forget(&mut self, handle: Handle) {
        self.parts.remove(&handle);
    }
}

fn bytes(buffers: &[Buffer<u8>]) -> Vec<Vec<u8>> {
    buffers.iter().map(Buffer::bytes).collect()
}

impl Buffers for Memory {
    fn gives(&mut self, handle: Handle) -> Vec<Vec<u8>> {
        self.parts.get(&handle).map(|parts| bytes(&parts.gives)).unwrap_or_default()
    }

    fn holds(&mut self, handle: Handle) -> Vec<Vec<u8>> {
        self.parts.get(&handle).map(|parts| bytes(&parts.fills)).unwrap_or_default()
    }

    fn fill(&mut self, handle: Handle, chunks: Vec<Vec<u8>>) {
        let Some(parts) = self.parts.get(&handle) else { return };
        for (buffer, chunk) in parts.fills.iter().zip(chunks) {
            buffer.put_bytes(&chunk);
        }
    }
}
