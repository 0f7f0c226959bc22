//! Turns: the order in which the calls of the ranks reach the fabric, so that a run depends on nothing else.
//!
//! Ranks run as threads or processes, and the machine decides which of them calls first. To keep that out of the run,
//! nothing is served until every rank is *seated*: it has called, sleeps, is blocked, or has ended. Then a *turn* is
//! played: the calls with the earliest clock are served in the order of their ranks, or, if the fabric has an earlier
//! event, that comes first. The ranks that got a reply go on, all at once, and the next turn waits for them again.
//!
//! ```text
//! turn 1   rank 0 calls isend at 0 s     → handle 0        rank 1 calls compute(1 s)   → sleeps until 1 s
//! turn 2   rank 0 calls wait at 0 s      → is blocked      rank 1 wakes at 1 s         → goes on
//! turn 3                                                   rank 1 calls recv at 1 s    → is blocked, bytes move
//! turn 4   rank 0 and rank 1 go on at 1.00002 s
//! ```

use super::fabric::{Access, Dropped, Effect, Fabric, Resumed, Step, Touched, Wait, Which};
use super::{Backend, GroupId, Handle, Place, Posting, Style, Time};
use std::time::Duration;

/// What a rank asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Start these operations and go on.
    Start(Vec<Posting>),
    /// Start these operations and wait for all of them.
    Do(Vec<Posting>),
    /// Wait.
    Wait(Wait),
    /// Ask which of these are complete.
    Poll(Vec<Handle>),
    /// Touch the buffer of an operation in flight.
    Touch(Handle, Access),
    /// Compute or sleep for so long.
    Compute(Duration),
    /// Read the clock.
    Clock,
    /// Name a group of ranks.
    Group(String, Vec<usize>),
    /// Behave like another library from now on.
    Backend(Backend),
    /// End well.
    Leave,
    /// End badly.
    Fail {
        /// What the rank says.
        message: String,
        /// Whether that is an assertion about its data.
        assertion: bool,
    },
}

/// A call and what came before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The handles that died before it.
    pub dropped: Vec<Dropped>,
    /// The call.
    pub call: Call,
    /// Where it is made.
    pub place: Place,
}

/// What a rank gets back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The handles of the started operations.
    Started(Vec<Handle>),
    /// These operations are complete.
    Complete(Vec<Handle>),
    /// The time limit of the wait is over.
    TimedOut,
    /// Of those it asked for, these are complete.
    Polled(Vec<Handle>),
    /// What the touched buffer holds.
    Touched(Touched),
    /// The group's name.
    Group(GroupId),
    /// Done.
    Done,
    /// The library refuses the call.
    Refused(String),
    /// The run is over.
    Stop,
}

/// What a turn leads to, in the order in which a shell has to see to it: what was started, which buffers were touched
/// early, what happens to bytes, and who goes on.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// Which handles the postings of a rank got.
    pub started: Vec<(usize, Vec<Handle>)>,
    /// Reads and writes of buffers in flight: where, and whose.
    pub early: Vec<(Handle, Access, Place)>,
    /// What has to be done with bytes, in this order. No [`Effect::Resume`] is among them.
    pub effects: Vec<Effect>,
    /// Who goes on with what, and with which clock.
    pub replies: Vec<(usize, Reply, Time)>,
}

#[derive(Clone, Debug)]
enum Seat {
    Running,
    Called(Submission),
    Sleeping,
    /// Blocked in a wait; a blocking call then replies with the handles it started.
    Blocked(Option<Vec<Handle>>),
    Left,
    Gone,
}

/// Plays turns over a fabric.
#[derive(Clone, Debug)]
pub struct Turns {
    fabric: Fabric,
    seats: Vec<Seat>,
    /// Every asynchronous call runs as its blocking form.
    blocking: bool,
}

impl Turns {
    /// Over a new fabric, whose ranks are all running. With [`Style::Blocking`] every asynchronous call runs as its
    /// blocking form.
    #[must_use]
    pub fn new(fabric: Fabric, style: Style) -> Turns {
        Turns { seats: vec![Seat::Running; fabric.size()], fabric, blocking: style == Style::Blocking }
    }

    /// The fabric.
    #[must_use]
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// The fabric, for the remarks of a shell.
    pub fn fabric_mut(&mut self) -> &mut Fabric {
        &mut self.fabric
    }

    /// A rank calls. It must be running.
    pub fn submit(&mut self, rank: usize, submission: Submission) {
        self.seats[rank] = Seat::Called(submission);
    }

    /// A rank is gone without a word: the run ends.
    pub fn lose(&mut self, rank: usize, message: String) {
        let known = self.fabric.verdict().is_some();
        if !known {
            self.fabric.fail(rank, message, None);
        }
        self.seats[rank] = Seat::Gone;
    }

    /// Whether every rank is seated, so that a turn can be played.
    #[must_use]
    pub fn is_seated(&self) -> bool {
        !self.seats.iter().any(|seat| matches!(seat, Seat::Running))
    }

    /// Ranks that have not called yet.
    pub fn running(&self) -> impl Iterator<Item = usize> + '_ {
        self.seats.iter().enumerate().filter(|(_, seat)| matches!(seat, Seat::Running)).map(|(rank, _)| rank)
    }

    /// Whether no rank will call any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.seats.iter().all(|seat| matches!(seat, Seat::Gone))
    }

    /// Plays a turn. It may be one without replies, when bytes have to move before anything else is decided; then
    /// the next one can be played at once.
    pub fn play(&mut self) -> Turn {
        let mut turn = Turn::default();
        self.bury_handles();
        while turn.replies.is_empty() && turn.effects.is_empty() {
            if self.fabric.verdict().is_some() {
                self.stop_all(&mut turn);
                return turn;
            }
            let earliest = self.earliest();
            if let (Step::CallsFirst, Some(clock)) = (self.fabric.step(earliest), earliest) {
                self.serve_at(clock, &mut turn);
            }
            self.sort_effects(&mut turn);
        }
        turn
    }

    fn bury_handles(&mut self) {
        for rank in 0..self.seats.len() {
            let Seat::Called(submission) = &mut self.seats[rank] else { continue };
            for dropped in std::mem::take(&mut submission.dropped) {
                if self.fabric.knows(dropped.handle) {
                    self.fabric.drop_handle(rank, dropped);
                }
            }
        }
    }

    fn earliest(&self) -> Option<Time> {
        let calling = |seat: &Seat| matches!(seat, Seat::Called(_) | Seat::Sleeping);
        let ranks = (0..self.seats.len()).filter(|rank| calling(&self.seats[*rank]));
        ranks.map(|rank| self.fabric.clock(rank)).min()
    }

    fn serve_at(&mut self, clock: Time, turn: &mut Turn) {
        for rank in 0..self.seats.len() {
            if self.fabric.clock(rank) != clock || self.fabric.verdict().is_some() {
                continue;
            }
            let served = match std::mem::replace(&mut self.seats[rank], Seat::Running) {
                Seat::Called(submission) => self.serve(rank, submission, turn),
                Seat::Sleeping => Some(Reply::Done),
                other => {
                    self.seats[rank] = other;
                    None
                }
            };
            turn.replies.extend(served.map(|reply| (rank, reply, self.fabric.clock(rank))));
        }
    }

    /// Serves a call; `None` if the rank has to wait.
    fn serve(&mut self, rank: usize, submission: Submission, turn: &mut Turn) -> Option<Reply> {
        let Submission { call, place, .. } = submission;
        if let Some(refusal) = self.refuse(&call) {
            return Some(Reply::Refused(refusal));
        }
        match call {
            Call::Start(postings) => {
                let style = if self.blocking { Style::Blocking } else { Style::Asynchronous };
                self.begin(rank, postings, style, place, turn)
            }
            Call::Do(postings) => self.begin(rank, postings, Style::Blocking, place, turn),
            Call::Wait(wait) => {
                self.seats[rank] = Seat::Blocked(None);
                self.fabric.wait(rank, wait, place);
                None
            }
            Call::Poll(handles) => {
                self.seats[rank] = Seat::Blocked(None);
                self.fabric.poll(rank, handles, place);
                None
            }
            Call::Touch(handle, access) => {
                let touched = self.fabric.touch(rank, handle, access, place.clone());
                if touched == Touched::Pending {
                    turn.early.push((handle, access, place));
                }
                Some(Reply::Touched(touched))
            }
            Call::Compute(span) => {
                self.fabric.compute(rank, span);
                self.seats[rank] = Seat::Sleeping;
                None
            }
            Call::Clock => {
                self.fabric.look_at_clock(rank);
                self.seats[rank] = Seat::Sleeping;
                None
            }
            Call::Group(name, members) => Some(Reply::Group(self.fabric.group(&name, &members))),
            Call::Backend(backend) => {
                self.fabric.set_backend(backend);
                Some(Reply::Done)
            }
            Call::Leave => {
                self.seats[rank] = Seat::Left;
                self.fabric.leave(rank);
                None
            }
            Call::Fail { message, assertion } => {
                self.seats[rank] = Seat::Left;
                match assertion {
                    true => self.fabric.fail_assertion(rank, message, place),
                    false => self.fabric.fail(rank, message, Some(place)),
                }
                None
            }
        }
    }

    /// What a rank can get wrong that no library would see.
    fn refuse(&self, call: &Call) -> Option<String> {
        let known = |handles: &[Handle]| handles.iter().all(|handle| self.fabric.knows(*handle));
        let fine = match call {
            Call::Wait(wait) => known(&wait.handles),
            Call::Poll(handles) => known(handles),
            Call::Touch(handle, _) => known(&[*handle]),
            Call::Group(_, members) => {
                let size = self.fabric.size();
                let stranger = members.iter().find(|member| **member >= size);
                return stranger.map(|rank| format!("there is no rank {rank} in a world of {size} ranks"));
            }
            _ => true,
        };
        (!fine).then(|| "there is no such operation".into())
    }

    fn begin(
        &mut self,
        rank: usize,
        postings: Vec<Posting>,
        style: Style,
        place: Place,
        turn: &mut Turn,
    ) -> Option<Reply> {
        let mut handles = Vec::new();
        for posting in postings {
            match self.fabric.start(rank, posting, style, place.clone()) {
                Ok(handle) => handles.push(handle),
                Err(refusal) => return Some(Reply::Refused(refusal)),
            }
        }
        turn.started.push((rank, handles.clone()));
        if style == Style::Asynchronous {
            return Some(Reply::Started(handles));
        }
        self.seats[rank] = Seat::Blocked(Some(handles.clone()));
        let wait = Wait { handles, which: Which::All, limit: None };
        self.fabric.wait(rank, wait, place);
        None
    }

    fn sort_effects(&mut self, turn: &mut Turn) {
        for effect in self.fabric.take_effects() {
            let Effect::Resume { rank, with } = effect else {
                turn.effects.push(effect);
                continue;
            };
            let started = match std::mem::replace(&mut self.seats[rank], Seat::Running) {
                Seat::Blocked(started) => started,
                _ => None,
            };
            let reply = match (started, with) {
                (Some(handles), _) => Reply::Started(handles),
                (None, Resumed::Complete(handles)) => Reply::Complete(handles),
                (None, Resumed::TimedOut) => Reply::TimedOut,
                (None, Resumed::Polled(handles)) => Reply::Polled(handles),
            };
            turn.replies.push((rank, reply, self.fabric.clock(rank)));
        }
    }

    fn stop_all(&mut self, turn: &mut Turn) {
        self.sort_effects(turn);
        turn.replies.clear();
        for (rank, seat) in self.seats.iter_mut().enumerate() {
            if !matches!(std::mem::replace(seat, Seat::Gone), Seat::Gone) {
                turn.replies.push((rank, Reply::Stop, self.fabric.clock(rank)));
            }
        }
    }
}
