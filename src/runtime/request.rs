//! Requests: the handles of Rust ranks.

use super::fabric::{Wait, Which};
use super::turns::{Call, Reply};
use super::world::Link;
use super::{Buffer, Handle, Place};
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

/// An operation that has been started. What becomes of it when this is dropped before it is complete is the
/// library's: with gloo's behaviour, which is the default, a message is cancelled.
#[must_use = "an operation that is not waited for may never happen"]
#[derive(Debug)]
pub struct Request {
    link: Arc<Link>,
    handle: Handle,
    buffers: Vec<Buffer<u8>>,
}

/// Where a message came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The sender.
    pub source: usize,
    /// The tag.
    pub tag: i64,
}

/// The time limit of a wait was over before the operation was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut;

impl std::fmt::Display for TimedOut {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("timed out waiting for an operation")
    }
}

impl std::error::Error for TimedOut {}

impl Request {
    pub(super) fn new(link: Arc<Link>, handle: Handle, buffers: Vec<Buffer<u8>>) -> Request {
        Request { link, handle, buffers }
    }

    /// Waits until the operation is complete. A received message's origin is told.
    #[track_caller]
    pub fn wait(&self) -> Option<Status> {
        let place = Place::of(Location::caller());
        wait_for(&[self], Which::All, None, place).ok()?;
        let (source, tag) = self.link.origin(self.handle)?;
        Some(Status { source, tag })
    }

    /// Waits so long at most, in virtual time.
    ///
    /// # Errors
    /// The time is over.
    #[track_caller]
    pub fn wait_within(&self, limit: Duration) -> Result<(), TimedOut> {
        let place = Place::of(Location::caller());
        wait_for(&[self], Which::All, Some(limit), place).map(|_| ())
    }

    /// Asks whether the operation is complete.
    #[track_caller]
    pub fn is_complete(&self) -> bool {
        let place = Place::of(Location::caller());
        let (reply, _) = self.link.call(Call::Poll(vec![self.handle]), place, Vec::new());
        let complete = matches!(reply, Reply::Polled(complete) if !complete.is_empty());
        if complete {
            self.land();
        }
        complete
    }

    fn land(&self) {
        self.buffers.iter().for_each(|buffer| buffer.lands(self.handle));
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.link.drop_handle(self.handle);
    }
}

/// Waits for all requests.
#[track_caller]
pub fn wait_all(requests: &[Request]) {
    let all: Vec<&Request> = requests.iter().collect();
    let place = Place::of(Location::caller());
    let _ = wait_for(&all, Which::All, None, place);
}

/// Waits for one of the requests, takes it out and returns it; `None` if there is none.
#[track_caller]
pub fn wait_any(requests: &mut Vec<Request>) -> Option<Request> {
    let all: Vec<&Request> = requests.iter().collect();
    let place = Place::of(Location::caller());
    let first = wait_for(&all, Which::Any, None, place).ok()?.first().copied()?;
    let index = requests.iter().position(|request| request.handle == first)?;
    Some(requests.remove(index))
}

fn wait_for(
    requests: &[&Request],
    which: Which,
    limit: Option<Duration>,
    place: Place,
) -> Result<Vec<Handle>, TimedOut> {
    let Some(first) = requests.first() else { return Ok(Vec::new()) };
    let handles = requests.iter().map(|request| request.handle).collect();
    let (reply, _) = first.link.call(Call::Wait(Wait { handles, which, limit }), place, Vec::new());
    let Reply::Complete(complete) = reply else { return Err(TimedOut) };
    requests.iter().filter(|request| complete.contains(&request.handle)).for_each(|request| request.land());
    Ok(complete)
}
