//! A Rust rank: the calls that a program makes, with familiar names.

use super::fabric::Access;
use super::turns::{Call, Reply};
use super::world::{Link, Parts};
use super::{Buffer, Collective, GroupId, Item, Place, Posting, Reduction, Request, Start, Time};
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

/// One of the ranks of a world, as its program sees it.
#[derive(Debug)]
pub struct Rank {
    link: Arc<Link>,
    size: usize,
}

impl Rank {
    pub(super) fn new(link: Arc<Link>, size: usize) -> Rank {
        Rank { link, size }
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> usize {
        self.link.rank
    }

    /// How many ranks there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Computes for so long, in virtual time.
    #[track_caller]
    pub fn compute(&self, span: Duration) {
        self.link.call(Call::Compute(span), Place::of(Location::caller()), Vec::new());
    }

    /// What its clock says.
    #[track_caller]
    #[must_use]
    pub fn now(&self) -> Time {
        self.link.call(Call::Clock, Place::of(Location::caller()), Vec::new()).1
    }

    /// Sends and waits until that is complete.
    #[track_caller]
    pub fn send<T: Item>(&self, buffer: &Buffer<T>, to: usize) {
        self.block("send", send(to, 0), give(buffer));
    }

    /// Receives and waits until that is complete.
    #[track_caller]
    pub fn recv<T: Item>(&self, buffer: &Buffer<T>, from: usize) {
        self.block("recv", receive(Some(from), Some(0)), fill(buffer));
    }

    /// Starts to send.
    #[track_caller]
    pub fn isend<T: Item>(&self, buffer: &Buffer<T>, to: usize) -> Request {
        self.begin("isend", send(to, 0), give(buffer))
    }

    /// Starts to receive.
    #[track_caller]
    pub fn irecv<T: Item>(&self, buffer: &Buffer<T>, from: usize) -> Request {
        self.begin("irecv", receive(Some(from), Some(0)), fill(buffer))
    }

    /// Starts to send with a tag.
    #[track_caller]
    pub fn isend_with_tag<T: Item>(&self, buffer: &Buffer<T>, to: usize, tag: i64) -> Request {
        self.begin("isend_with_tag", send(to, tag), give(buffer))
    }

    /// Starts to receive with a tag.
    #[track_caller]
    pub fn irecv_with_tag<T: Item>(&self, buffer: &Buffer<T>, from: usize, tag: i64) -> Request {
        self.begin("irecv_with_tag", receive(Some(from), Some(tag)), fill(buffer))
    }

    /// Starts to receive from any rank, with any tag.
    #[track_caller]
    pub fn irecv_any<T: Item>(&self, buffer: &Buffer<T>) -> Request {
        self.begin("irecv_any", receive(None, None), fill(buffer))
    }

    /// Waits for all ranks.
    #[track_caller]
    pub fn barrier(&self) {
        self.block("barrier", Start::Collective(Collective::Barrier), Parts::default());
    }

    /// Starts to wait for all ranks.
    #[track_caller]
    pub fn ibarrier(&self) -> Request {
        self.begin("ibarrier", Start::Collective(Collective::Barrier), Parts::default())
    }

    /// Gives the root's elements to all.
    #[track_caller]
    pub fn broadcast<T: Item>(&self, buffer: &Buffer<T>, root: usize) {
        self.block("broadcast", Start::Collective(Collective::Broadcast { root }), in_place(buffer));
    }

    /// Starts to give the root's elements to all.
    #[track_caller]
    pub fn ibroadcast<T: Item>(&self, buffer: &Buffer<T>, root: usize) -> Request {
        self.begin("ibroadcast", Start::Collective(Collective::Broadcast { root }), in_place(buffer))
    }

    /// Combines the elements of all ranks, for all.
    #[track_caller]
    pub fn all_reduce<T: Item>(&self, buffer: &Buffer<T>, by: Reduction) {
        self.block("all_reduce", Start::Collective(Collective::AllReduce { by }), in_place(buffer));
    }

    /// Starts to combine the elements of all ranks, for all.
    #[track_caller]
    pub fn iall_reduce<T: Item>(&self, buffer: &Buffer<T>, by: Reduction) -> Request {
        self.begin("iall_reduce", Start::Collective(Collective::AllReduce { by }), in_place(buffer))
    }

    /// Combines the elements of all ranks, for the root.
    #[track_caller]
    pub fn reduce<T: Item>(&self, buffer: &Buffer<T>, root: usize, by: Reduction) {
        self.block("reduce", Start::Collective(Collective::Reduce { root, by }), in_place(buffer));
    }

    /// Collects one buffer of each rank into the buffers of all; `into` has one for each rank.
    #[track_caller]
    pub fn all_gather<T: Item>(&self, into: &[Buffer<T>], buffer: &Buffer<T>) {
        self.block(
            "all_gather",
            Start::Collective(Collective::AllGather),
            Parts::new::<T>(vec![buffer.as_bytes()], as_bytes(into)),
        );
    }

    /// Collects one buffer of each rank into the root's; `into` is empty elsewhere.
    #[track_caller]
    pub fn gather<T: Item>(&self, into: &[Buffer<T>], buffer: &Buffer<T>, root: usize) {
        self.block(
            "gather",
            Start::Collective(Collective::Gather { root }),
            Parts::new::<T>(vec![buffer.as_bytes()], as_bytes(into)),
        );
    }

    /// Gives each rank one of the root's buffers; `from` is empty elsewhere.
    #[track_caller]
    pub fn scatter<T: Item>(&self, buffer: &Buffer<T>, from: &[Buffer<T>], root: usize) {
        self.block(
            "scatter",
            Start::Collective(Collective::Scatter { root }),
            Parts::new::<T>(as_bytes(from), vec![buffer.as_bytes()]),
        );
    }

    /// Gives each rank one buffer and takes one from each.
    #[track_caller]
    pub fn all_to_all<T: Item>(&self, into: &[Buffer<T>], from: &[Buffer<T>]) {
        self.block(
            "all_to_all",
            Start::Collective(Collective::AllToAll),
            Parts::new::<T>(as_bytes(from), as_bytes(into)),
        );
    }

    /// A blocking call; one that the library would refuse panics as it would raise there.
    #[track_caller]
    fn block(&self, api: &str, start: Start, parts: Parts) {
        let place = Place::of(Location::caller());
        let posting = posting(api, start, &parts);
        if let (Reply::Refused(refusal), _) = self.link.call(Call::Do(vec![posting]), place, vec![parts]) {
            panic!("{refusal}");
        }
    }

    #[track_caller]
    fn begin(&self, api: &str, start: Start, parts: Parts) -> Request {
        let place = Place::of(Location::caller());
        let posting = posting(api, start, &parts);
        let (reply, _) = self.link.call(Call::Start(vec![posting]), place, vec![parts.clone()]);
        match reply {
            Reply::Started(handles) if !handles.is_empty() => {
                let handle = handles[0];
                parts.gives.iter().for_each(|buffer| buffer.flies(handle, &self.link, Access::Read));
                parts.fills.iter().for_each(|buffer| buffer.flies(handle, &self.link, Access::Write));
                Request::new(Arc::clone(&self.link), handle, [parts.gives, parts.fills].concat())
            }
            Reply::Refused(refusal) => panic!("{refusal}"),
            other => panic!("{api} was answered with {other:?}"),
        }
    }
}

fn posting(api: &str, start: Start, parts: &Parts) -> Posting {
    let measured = if parts.gives.is_empty() { &parts.fills } else { &parts.gives };
    let bytes = measured.iter().map(|buffer| buffer.len() as u64).sum();
    Posting { start, group: GroupId::WORLD, bytes: Some(bytes), element: parts.element, api: api.into() }
}

fn send(to: usize, tag: i64) -> Start {
    Start::Send { to, tag, synchronous: false }
}

fn receive(from: Option<usize>, tag: Option<i64>) -> Start {
    Start::Receive { from, tag }
}

fn as_bytes<T: Item>(buffers: &[Buffer<T>]) -> Vec<Buffer<u8>> {
    buffers.iter().map(Buffer::as_bytes).collect()
}

fn give<T: Item>(buffer: &Buffer<T>) -> Parts {
    Parts::new::<T>(vec![buffer.as_bytes()], Vec::new())
}

fn fill<T: Item>(buffer: &Buffer<T>) -> Parts {
    Parts::new::<T>(Vec::new(), vec![buffer.as_bytes()])
}

fn in_place<T: Item>(buffer: &Buffer<T>) -> Parts {
    Parts::new::<T>(vec![buffer.as_bytes()], vec![buffer.as_bytes()])
}
