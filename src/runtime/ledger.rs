//! The ledger: what every buffer held when its operation started, and what became of the bytes.
//!
//! The fabric decides *when* bytes move; the ledger moves them, and compares. At its start an operation's buffer is
//! copied. When the bytes are taken, the buffer must still hold that copy, or what arrives is not what was sent. When
//! a message is delivered, the receive buffer must not have been written since the start, and what the program has
//! read from it early must be what the message brings. When a wait returns, the buffer must hold the message.

use super::data::{Chunk, combine, difference, overwritten};
use super::fabric::{Access, Effect, Fabric};
use super::turns::{Reply, Turn};
use super::verdict::{Difference, HarmKind};
use super::{Element, Handle, Place, Start};
use std::collections::HashMap;

/// The buffers of all ranks, as the shell reaches them.
pub(super) trait Buffers {
    /// What the operation's buffer gives to others now.
    fn gives(&mut self, handle: Handle) -> Vec<Chunk>;
    /// What the buffer that the operation fills holds now.
    fn holds(&mut self, handle: Handle) -> Vec<Chunk>;
    /// Fills that buffer.
    fn fill(&mut self, handle: Handle, chunks: Vec<Chunk>);
}

/// What a buffer held when its operation started.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    pub(super) gives: Vec<Chunk>,
    pub(super) holds: Vec<Chunk>,
}

#[derive(Clone, Debug, Default)]
struct Entry {
    start: Snapshot,
    taken: Vec<Chunk>,
    /// What the program read before the data was there.
    read_early: Vec<(Place, Vec<Chunk>)>,
    /// What arrived.
    delivered: Option<Vec<Chunk>>,
}

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    entries: HashMap<Handle, Entry>,
}

impl Ledger {
    /// An operation has started with its buffer as given.
    pub(super) fn open(&mut self, handle: Handle, start: Snapshot) {
        self.entries.insert(handle, Entry { start, ..Entry::default() });
    }

    /// Does what a turn asks for, up to the replies.
    pub(super) fn carry_out(&mut self, turn: &Turn, fabric: &mut Fabric, buffers: &mut dyn Buffers) {
        for (handle, access, place) in &turn.early {
            if let (Access::Read, Some(entry)) = (access, self.entries.get_mut(handle)) {
                entry.read_early.push((place.clone(), buffers.holds(*handle)));
            }
        }
        for effect in &turn.effects {
            match effect {
                Effect::Take(handle) => self.take(*handle, fabric, buffers),
                Effect::Deliver { send, receive } => {
                    let bytes = self.entries.remove(send).map(|entry| entry.taken).unwrap_or_default();
                    self.deliver(*receive, bytes, fabric, buffers);
                }
                Effect::Combine(parts) => self.combine(parts, fabric, buffers),
                Effect::Resume { .. } => {}
            }
        }
        for (_, reply, _) in &turn.replies {
            if let Reply::Started(handles) | Reply::Complete(handles) | Reply::Polled(handles) = reply {
                handles.iter().for_each(|handle| self.release(*handle, fabric, buffers));
            }
        }
    }

    fn take(&mut self, handle: Handle, fabric: &mut Fabric, buffers: &mut dyn Buffers) {
        let Some(entry) = self.entries.get_mut(&handle) else { return };
        let gives = buffers.gives(handle);
        let found = first_difference(fabric.posting(handle).element, &entry.start.gives, &gives);
        entry.taken = gives;
        if let Some(found) = found {
            fabric.harm(handle, HarmKind::SentChanged, None, Some(found));
        }
    }

    fn deliver(
        &mut self,
        handle: Handle,
        mut bytes: Vec<Chunk>,
        fabric: &mut Fabric,
        buffers: &mut dyn Buffers,
    ) {
        let Some(entry) = self.entries.get_mut(&handle) else { return };
        let element = fabric.posting(handle).element;
        let holds = buffers.holds(handle);
        if let Some(found) = lost_write(element, &entry.start.holds, &holds, &bytes) {
            fabric.harm(handle, HarmKind::WriteLost, None, Some(found));
        }
        for (place, read) in entry.read_early.drain(..) {
            if let Some(found) = first_difference(element, &bytes, &read) {
                fabric.harm(handle, HarmKind::ReadEarly, Some(place), Some(found));
            }
        }
        for (chunk, held) in bytes.iter_mut().zip(&holds) {
            chunk.extend(held.iter().skip(chunk.len()));
        }
        buffers.fill(handle, bytes.clone());
        entry.delivered = Some(bytes);
    }

    fn combine(&mut self, parts: &[Handle], fabric: &mut Fabric, buffers: &mut dyn Buffers) {
        let Some(first) = parts.first() else { return };
        let posting = fabric.posting(*first);
        let Start::Collective(kind) = posting.start else { return };
        let element = posting.element;
        let members: Vec<usize> = parts.iter().map(|part| fabric.owner(*part)).collect();
        let taken = parts.iter().map(|part| self.entries.get(part).map(|entry| entry.taken.clone()));
        let given: Vec<Vec<Chunk>> = taken.map(Option::unwrap_or_default).collect();
        match combine(kind, &members, element, &given) {
            Ok(results) => {
                for (part, result) in parts.iter().zip(results) {
                    if let Some(bytes) = result {
                        self.deliver(*part, bytes, fabric, buffers);
                    }
                }
            }
            Err(refusal) => fabric.fail(members[0], refusal, None),
        }
    }

    /// The program may use the buffer from now on.
    fn release(&mut self, handle: Handle, fabric: &mut Fabric, buffers: &mut dyn Buffers) {
        let Some(delivered) = self.entries.get(&handle).and_then(|entry| entry.delivered.as_ref()) else {
            return;
        };
        let element = fabric.posting(handle).element;
        if let Some(found) = first_difference(element, delivered, &buffers.holds(handle)) {
            fabric.harm(handle, HarmKind::MessageLost, None, Some(found));
        }
        self.entries.remove(&handle);
    }
}

/// The first element that the program has written since the start and that the message overwrites.
fn lost_write(element: Element, start: &[Chunk], holds: &[Chunk], bytes: &[Chunk]) -> Option<Difference> {
    let mut chunks = start.iter().zip(holds).zip(bytes);
    chunks.find_map(|((start, holds), bytes)| overwritten(element, start, holds, bytes))
}

fn first_difference(element: Element, expected: &[Chunk], got: &[Chunk]) -> Option<Difference> {
    expected.iter().zip(got).find_map(|(expected, got)| difference(element, expected, got))
}
