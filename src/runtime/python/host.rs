//! The host: seats the ranks, plays the turns, moves the bytes.

use super::super::Run;
use super::super::fabric::Fabric;
use super::super::ledger::Ledger;
use super::super::signals;
use super::super::turns::{Reply, Turns};
use super::children::{self, Address, Children};
use super::ranks::{Message, Ranks, greet};
use super::wire::{self, Incoming};
use super::{Options, Program, Stream};
use serde_json::json;
use std::collections::HashMap;
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How often the host looks after signals and processes while no rank calls.
const PULSE: Duration = Duration::from_millis(50);
/// For how long a process may be stopped before the run is ended.
const STOPPED_FOR: Duration = Duration::from_secs(3);
/// After which silence the user is told who is waited for.
const SILENCE: Duration = Duration::from_secs(10);
pub(super) fn run(program: &Program, options: &Options, shim: &Path) -> Result<Run, String> {
    signals::watch();
    let wrong = |error: std::io::Error| format!("no socket for the ranks: {error}");
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(wrong)?;
    listener.set_nonblocking(true).map_err(wrong)?;
    let address = Address { port: listener.local_addr().map_err(wrong)?.port(), token: token()? };
    let commands = (0..program.ranks).map(|rank| children::shimmed(program, rank, &address, shim)).collect();
    let mut children = Children::start(commands, &options.console)?;
    let fabric = Fabric::new(program.ranks, options.settings.clone());
    let (sender, inbox) = channel();
    let mut host = Host {
        turns: Turns::new(fabric, options.style),
        ledger: Ledger::default(),
        ranks: Ranks::new(program.ranks, inbox),
        started: Instant::now(),
        silent: Silence::default(),
        options,
    };
    host.join(&listener, &sender, &address.token, &mut children);
    drop((listener, sender));
    host.serve(&mut children);
    let fabric = host.turns.fabric_mut();
    let run = Run { verdict: fabric.ended(), trace: fabric.take_trace() };
    children.finish();
    Ok(run)
}

fn token() -> Result<String, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("no random token for the run: {error}"))?;
    Ok(bytes.map(|byte| format!("{byte:02x}")).concat())
}

struct Host<'run> {
    turns: Turns,
    ledger: Ledger,
    ranks: Ranks,
    started: Instant,
    silent: Silence,
    options: &'run Options,
}

#[derive(Default)]
struct Silence {
    since: Option<Instant>,
    told: bool,
    stopped: HashMap<usize, Instant>,
}

impl Host<'_> {
    /// Waits until every rank has connected, or one has ended before it did.
    fn join(
        &mut self,
        listener: &TcpListener,
        sender: &Sender<Message>,
        token: &str,
        children: &mut Children,
    ) {
        let size = self.turns.fabric().size();
        while self.turns.fabric().verdict().is_none() && !self.ranks.are_complete() {
            while let Ok((stream, _)) = listener.accept() {
                let (sender, token) = (sender.clone(), token.to_owned());
                std::thread::spawn(move || greet(stream, &token, size, &sender));
            }
            if let Ok(message) = self.ranks.inbox.recv_timeout(Duration::from_millis(2)) {
                self.take_in(message, children);
            }
            for rank in 0..size {
                if let (false, Some(end)) = (self.ranks.has_joined(rank), children.ended(rank)) {
                    self.turns.lose(rank, format!("{end}, before it could connect"));
                }
            }
            self.look_around(children);
        }
    }

    fn serve(&mut self, children: &mut Children) {
        while !self.turns.is_over() {
            if self.turns.fabric().verdict().is_some() {
                // Ranks that compute will not hear that the run is over.
                self.turns.running().for_each(|rank| children.kill_one(rank));
                self.play();
                continue;
            }
            if self.turns.is_seated() {
                self.play();
                self.heed_limits();
                continue;
            }
            match self.ranks.next(PULSE) {
                Ok(message) => {
                    self.silent = Silence::default();
                    self.take_in(message, children);
                }
                Err(RecvTimeoutError::Timeout) => self.look_around(children),
                Err(RecvTimeoutError::Disconnected) => self.turns.fabric_mut().stop("every rank is gone"),
            }
        }
    }

    fn take_in(&mut self, message: Message, children: &mut Children) {
        match message {
            Message::Joined(rank, stream) => self.ranks.streams[rank] = Some(stream),
            Message::Held(stream) => self.ranks.lifelines.push(stream),
            Message::Incoming(rank, Incoming::Call(submission, snapshots)) => {
                self.ranks.called_with[rank] = snapshots;
                self.turns.submit(rank, submission);
            }
            Message::Incoming(..) => {}
            Message::Gone(rank) if self.turns.fabric().verdict().is_none() => {
                self.turns.lose(rank, children.end_of(rank));
            }
            Message::Gone(_) => {}
        }
    }

    fn play(&mut self) {
        let turn = self.turns.play();
        for (rank, handles) in &turn.started {
            self.ranks.send(*rank, &json!({ "started": handles }), &[]);
            let snapshots = std::mem::take(&mut self.ranks.called_with[*rank]);
            for (handle, snapshot) in handles.iter().zip(snapshots) {
                self.ledger.open(*handle, snapshot);
                self.ranks.owners.insert(*handle, *rank);
            }
        }
        self.ledger.carry_out(&turn, self.turns.fabric_mut(), &mut self.ranks);
        for (rank, reply, clock) in &turn.replies {
            if let Reply::Complete(handles) = reply {
                self.ranks.owners.retain(|handle, _| !handles.contains(handle));
            }
            let head = wire::reply(reply, *clock, self.turns.fabric());
            self.ranks.send(*rank, &head, &[]);
        }
    }

    /// Ends the run at a signal and at its time limit.
    fn heed_limits(&mut self) {
        if let Some(signal) = signals::received() {
            self.turns.fabric_mut().stop(signal);
        }
        if let Some(limit) = self.options.limit.filter(|limit| self.started.elapsed() > *limit) {
            self.turns.fabric_mut().stop(format!("the time limit of {limit:?} is over"));
        }
    }

    /// While nobody calls: signals, the time limit, stopped processes, and a word to the user.
    fn look_around(&mut self, children: &Children) {
        self.heed_limits();
        let running: Vec<usize> = self.turns.running().collect();
        let now = Instant::now();
        for rank in &running {
            if !children.is_stopped(*rank) {
                self.silent.stopped.remove(rank);
            } else if now - *self.silent.stopped.entry(*rank).or_insert(now) > STOPPED_FOR {
                self.turns.lose(*rank, "is stopped by a signal and does not answer".into());
                return;
            }
        }
        let since = *self.silent.since.get_or_insert(now);
        if now - since > SILENCE && !self.silent.told {
            self.silent.told = true;
            let ranks = running.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            let line = format!("still waiting for the next call of rank {ranks}, which computes");
            (self.options.console)(None, Stream::Err, line.as_bytes());
        }
    }
}
