//! The ranks' connections: who is let in, what they send, and through them their buffers.

use super::super::Handle;
use super::super::ledger::{Buffers, Snapshot};
use super::wire::{self, Incoming};
use serde_json::json;
use std::collections::{HashMap, VecDeque};
use std::io::BufReader;
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// How long a new connection may take to say who it is.
const GREETING: Duration = Duration::from_secs(5);

pub(super) enum Message {
    Joined(usize, TcpStream),
    Held(TcpStream),
    Incoming(usize, Incoming),
    Gone(usize),
}

/// Lets a connection in if it knows the token, and then reads its calls.
pub(super) fn greet(stream: TcpStream, token: &str, size: usize, sender: &Sender<Message>) {
    let prepared = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(GREETING)));
    let Ok(mut reader) = prepared.and_then(|()| stream.try_clone()).map(BufReader::new) else { return };
    let Ok(hello) = wire::read_hello(&mut reader) else { return };
    if hello.token != token || hello.rank >= size {
        return;
    }
    if stream.set_read_timeout(None).and_then(|()| stream.set_nodelay(true)).is_err() {
        return;
    }
    // A host that no longer listens has ended the run.
    if hello.lifeline {
        let _ = sender.send(Message::Held(stream));
        return;
    }
    let rank = hello.rank;
    let _ = sender.send(Message::Joined(rank, stream));
    while let Ok(incoming) = wire::read(&mut reader) {
        if sender.send(Message::Incoming(rank, incoming)).is_err() {
            return;
        }
    }
    let _ = sender.send(Message::Gone(rank));
}

/// The ranks' connections, and through them their buffers.
pub(super) struct Ranks {
    pub(super) inbox: Receiver<Message>,
    /// Messages that came while others were awaited.
    later: VecDeque<Message>,
    pub(super) streams: Vec<Option<TcpStream>>,
    /// Kept open; a rank whose lifeline ends ends itself, should this process die.
    pub(super) lifelines: Vec<TcpStream>,
    pub(super) called_with: Vec<Vec<Snapshot>>,
    pub(super) owners: HashMap<Handle, usize>,
}

impl Ranks {
    pub(super) fn new(size: usize, inbox: Receiver<Message>) -> Ranks {
        Ranks {
            inbox,
            later: VecDeque::new(),
            streams: (0..size).map(|_| None).collect(),
            lifelines: Vec::new(),
            called_with: vec![Vec::new(); size],
            owners: HashMap::new(),
        }
    }

    pub(super) fn has_joined(&self, rank: usize) -> bool {
        self.streams[rank].is_some()
    }

    pub(super) fn are_complete(&self) -> bool {
        self.streams.iter().all(Option::is_some) && self.lifelines.len() == self.streams.len()
    }

    pub(super) fn next(&mut self, patience: Duration) -> Result<Message, RecvTimeoutError> {
        match self.later.pop_front() {
            Some(message) => Ok(message),
            None => self.inbox.recv_timeout(patience),
        }
    }

    pub(super) fn send(&mut self, rank: usize, head: &serde_json::Value, chunks: &[Vec<u8>]) {
        if let Some(stream) = &mut self.streams[rank] {
            // A rank that cannot be written to is gone, which its reader tells.
            let _ = wire::write(stream, head, chunks);
        }
    }

    /// Asks the rank of an operation for bytes and waits for them.
    fn ask(&mut self, word: &str, handle: Handle) -> Vec<Vec<u8>> {
        let Some(rank) = self.owners.get(&handle).copied() else { return Vec::new() };
        self.send(rank, &json!({ word: handle }), &[]);
        loop {
            match self.inbox.recv() {
                Ok(Message::Incoming(from, Incoming::Data(chunks))) if from == rank => return chunks,
                Ok(Message::Gone(from)) if from == rank => {
                    self.later.push_back(Message::Gone(from));
                    return Vec::new();
                }
                Ok(other) => self.later.push_back(other),
                Err(_) => return Vec::new(),
            }
        }
    }
}

impl Buffers for Ranks {
    fn gives(&mut self, handle: Handle) -> Vec<Vec<u8>> {
        self.ask("gives", handle)
    }

    fn holds(&mut self, handle: Handle) -> Vec<Vec<u8>> {
        self.ask("holds", handle)
    }

    fn fill(&mut self, handle: Handle, chunks: Vec<Vec<u8>>) {
        if let Some(rank) = self.owners.get(&handle).copied() {
            self.send(rank, &wire::fill(handle, &chunks), &chunks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::TcpListener;
    use std::sync::mpsc::channel;

    /// What the host hears of a connection that greets like this, and what the other end reads from it.
    fn greeted_with(token: &str, rank: usize) -> (Option<Message>, Vec<u8>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let mut guest = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        wire::write(&mut guest, &json!({ "token": token, "rank": rank, "lifeline": true }), &[]).unwrap();
        let (sender, inbox) = channel();
        greet(listener.accept().unwrap().0, "secret", 2, &sender);
        let heard = inbox.try_recv().ok();
        let mut read = Vec::new();
        if heard.is_none() {
            guest.read_to_end(&mut read).unwrap();
        }
        (heard, read)
    }

    #[test]
    fn a_connection_without_the_token_is_closed_without_a_word() {
        let (heard, read) = greeted_with("guess", 0);
        assert!(heard.is_none() && read.is_empty());
    }

    #[test]
    fn a_connection_of_a_rank_that_does_not_exist_is_closed() {
        assert!(greeted_with("secret", 2).0.is_none());
    }

    #[test]
    fn a_connection_with_the_token_is_let_in() {
        assert!(matches!(greeted_with("secret", 1).0, Some(Message::Held(_))));
    }
}
