//! What the analysis tells the rules: something that happened to a handle, with the story that led there.

use crate::catalog::ApiId;
use crate::source::Span;

/// Something worth a rule's attention, in one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The qualified name of the function in which it happens.
    pub function: String,
    /// What happens.
    pub what: What,
    /// The turns of the way that leads there, oldest first.
    pub path: Vec<Step>,
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A pending handle has become unreachable.
    Lost {
        /// The handle.
        handle: Handle,
        /// How it was lost.
        how: Loss,
        /// Where.
        at: Span,
    },
    /// Of several handles only some are waited, and the others are lost or may be.
    PartlyWaited {
        /// One of the handles that are not.
        handle: Handle,
        /// How the wait selects some of them.
        how: Selection,
        /// The wait, or the header of the loop over a `zip`.
        at: Span,
    },
    /// A pending handle is kept in an attribute or global at the end of the function, and nothing in the file ever reads that
    /// name.
    Kept {
        /// The handle.
        handle: Handle,
        /// The attribute's or global's name.
        name: String,
    },
    /// An operation was built and is never started.
    Unlaunched {
        /// The function that builds it, where the catalogue knows one; a coroutine has none.
        api: Option<ApiId>,
        /// Where it was built.
        built: Span,
        /// Where it was lost.
        at: Span,
    },
    /// A wait is called on a container of handles.
    WaitOnList {
        /// A handle in the container.
        handle: Handle,
        /// The method that was called, without parentheses.
        method: String,
        /// The call.
        at: Span,
    },
    /// A handle is used as a container: iterated, indexed, measured.
    HandleAsList {
        /// The handle.
        handle: Handle,
        /// The use.
        at: Span,
    },
    /// A method is called that the type of the handle does not have.
    NoSuchMethod {
        /// The handle.
        handle: Handle,
        /// The method.
        method: String,
        /// The class of the handle, as the user knows it.
        class: String,
        /// The call.
        at: Span,
    },
    /// A wait that is written down and never runs.
    WaitNeverRuns {
        /// The handle, or one of the handles, that it would have waited for, where that is known.
        handle: Option<Handle>,
        /// Why it does not.
        why: Idle,
        /// The expression.
        at: Span,
    },
    /// A handle is waited for a second time.
    WaitedTwice {
        /// The handle.
        handle: Handle,
        /// The wait's function.
        wait: ApiId,
        /// The first wait.
        first: Span,
        /// The second.
        at: Span,
    },
    /// A time-out has a type that raises.
    BadTimeout {
        /// The function that takes it.
        api: ApiId,
        /// The type of the argument: `int`.
        got: &'static str,
        /// The argument.
        at: Span,
    },
    /// Ranks wait for each other: each needs what another one only starts after its own wait.
    WaitCycle {
        /// The wait of the first of them.
        at: Span,
        /// Where all ranks stand.
        standstill: Standstill,
    },
    /// A collective that some ranks do not come to, or come to in another order.
    DivergentCollective {
        /// The collective.
        at: Span,
        /// The function that takes part in it, as the catalogue calls it.
        api: String,
        /// What separates the ranks.
        cause: Option<Cause>,
        /// Where all ranks stand.
        standstill: Standstill,
    },
    /// A message whose other side is missing or does not fit.
    UnmatchedMessage {
        /// Its start.
        at: Span,
        /// The function that starts it, as the catalogue calls it.
        api: String,
        /// What is wrong with it.
        why: Unmatched,
        /// The other side, where there is one.
        other: Option<Span>,
        /// Where all ranks stand.
        standstill: Standstill,
    },
    /// Operations are launched in a way that cannot work.
    BatchMisuse {
        /// What is wrong.
        why: Misuse,
        /// The function that launches or builds.
        api: ApiId,
        /// What makes it wrong: the start or launch that came before, or the argument.
        earlier: Option<Span>,
        /// The call.
        at: Span,
    },
}

/// A handle, as the report names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handle {
    /// What was started.
    pub api: ApiId,
    /// The call that started it, in the function of the event.
    pub started: Span,
    /// Where that call is a wrapper: the calls inside it, outermost first, down to the start itself.
    pub inside: Vec<Origin>,
    /// Whether the call gives a container of handles.
    pub several: bool,
    /// The argument that decides at run time whether there is a handle at all.
    pub conditional: Option<Span>,
    /// The name, attribute or slot that held it last, as the user wrote it.
    pub holder: Option<String>,
    /// What else happened to it that a rule may want to know.
    pub notes: Vec<Note>,
    /// The last condition that was decided before the start.
    pub guard: Option<Span>,
    /// The handler of an exception that was caught on the way while it was pending.
    pub raised: Option<Span>,
}

/// Something that happened to a handle and did not finish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Note {
    /// It was asked whether it is finished, and the answer was no on this way.
    Polled(Span),
    /// The class or function synchronises the whole device somewhere, which finishes what is in its streams.
    Fenced(Span),
}

/// A call inside a wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The qualified name of the wrapper.
    pub function: String,
    /// The call, in the same file.
    pub span: Span,
}

/// How a pending handle was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Loss {
    /// The value of an expression statement.
    Discarded,
    /// Bound to a name that starts with an underscore and is never read.
    Underscore,
    /// Its name, slot or attribute was bound to something else.
    Rebound,
    /// Its name, slot or attribute was bound to the handle of a newer operation: the next turn of a loop.
    Renewed,
    /// Its name was deleted.
    Deleted,
    /// The scope ended.
    ScopeEnd,
    /// The container that held it was emptied or bound to something else.
    ContainerGone,
    /// A slot was filled again that nothing has drained since.
    SlotRefilled,
}

/// How a wait selects some of several handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Selection {
    /// `reqs[0].wait()`, `reqs[-1].wait()`.
    Index,
    /// `reqs.pop().wait()`.
    Taken,
    /// A wait for any one.
    Any,
    /// `zip(reqs, others)` over handles of a batch, which can be fewer than the operations.
    Zip,
}

/// Why a wait never runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Idle {
    /// `req.wait` without parentheses.
    NotCalled,
    /// `(r.wait() for r in reqs)`, `map(wait, reqs)`: nothing consumes it.
    NotConsumed,
}

/// What is wrong with a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Misuse {
    /// Handles of operations that were started already, instead of operations.
    HandlesGiven,
    /// Operations that an earlier launch has started already.
    LaunchedAgain,
    /// The function to run is not one that can be launched, or was called instead of named.
    WrongFunction,
}

/// What some ranks have done when nobody can go on, or all have ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standstill {
    /// What each rank has done, in its order.
    pub lanes: Vec<Vec<LaneStep>>,
}

/// Something that a rank does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneStep {
    /// The place in the function of the event.
    pub at: Span,
    /// What it does: `send to rank 1`.
    pub text: String,
    /// Whether it does not get past it.
    pub stuck: bool,
}

/// What separates ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cause {
    /// The condition or loop.
    pub at: Span,
    /// Why ranks go different ways there.
    pub nature: Difference,
}

/// Why ranks go different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Difference {
    /// The condition depends on the number of the rank.
    Rank,
    /// It depends on data of which each rank has its own, which comes from here.
    Data(Span),
    /// The order of a set differs between processes.
    Order,
}

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unmatched {
    /// Nobody takes it, or nobody sends it.
    Missing,
    /// The other side has another tag, or another peer.
    Differs,
    /// It is larger than the buffer that takes it.
    TooLarge,
    /// It is smaller than the buffer that takes it.
    TooSmall,
    /// Its elements are of another type than those of the buffer.
    OtherType,
}

/// A turn of the way to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// What decided.
    pub span: Span,
    /// Which way it went.
    pub turn: Turn,
}

/// Which way a decision went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Turn {
    /// The condition was true.
    True,
    /// The condition was false.
    False,
    /// The loop had no turn, or no further one.
    NoTurn,
    /// The loop took a turn.
    Turn,
    /// A wait that finished only some of the handles.
    Partly,
    /// It raised, and a handler of the function goes on.
    Raised,
}

impl What {
    /// The span by which events are ordered.
    pub(crate) fn place(&self) -> Span {
        match self {
            Self::Lost { handle, .. } | Self::Kept { handle, .. } => handle.started,
            Self::Unlaunched { built, .. } => *built,
            Self::PartlyWaited { at, .. }
            | Self::WaitOnList { at, .. }
            | Self::HandleAsList { at, .. }
            | Self::NoSuchMethod { at, .. }
            | Self::WaitNeverRuns { at, .. }
            | Self::WaitedTwice { at, .. }
            | Self::BadTimeout { at, .. }
            | Self::WaitCycle { at, .. }
            | Self::DivergentCollective { at, .. }
            | Self::UnmatchedMessage { at, .. }
            | Self::BatchMisuse { at, .. } => *at,
        }
    }

    /// Where the story of an event begins.
    pub(crate) fn begins(&self) -> u32 {
        match self {
            Self::Lost { handle, .. } | Self::PartlyWaited { handle, .. } | Self::Kept { handle, .. } => {
                handle.started.start
            }
            Self::Unlaunched { built, .. } => built.start,
            Self::WaitedTwice { first, .. } => first.start,
            Self::WaitOnList { at, .. }
            | Self::HandleAsList { at, .. }
            | Self::NoSuchMethod { at, .. }
            | Self::WaitNeverRuns { at, .. }
            | Self::BadTimeout { at, .. }
            | Self::WaitCycle { at, .. }
            | Self::DivergentCollective { at, .. }
            | Self::UnmatchedMessage { at, .. }
            | Self::BatchMisuse { at, .. } => at.start,
        }
    }

    /// Whether two events tell of the same thing: a handle lost in the same way, the same call misused.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Lost { handle: x, how: p, .. }, Self::Lost { handle: y, how: q, .. }) => {
                x.started == y.started && p == q
            }
            (Self::PartlyWaited { at: x, .. }, Self::PartlyWaited { at: y, .. })
            | (Self::WaitOnList { at: x, .. }, Self::WaitOnList { at: y, .. })
            | (Self::HandleAsList { at: x, .. }, Self::HandleAsList { at: y, .. })
            | (Self::NoSuchMethod { at: x, .. }, Self::NoSuchMethod { at: y, .. })
            | (Self::WaitNeverRuns { at: x, .. }, Self::WaitNeverRuns { at: y, .. })
            | (Self::WaitedTwice { at: x, .. }, Self::WaitedTwice { at: y, .. })
            | (Self::BadTimeout { at: x, .. }, Self::BadTimeout { at: y, .. })
            | (Self::WaitCycle { at: x, .. }, Self::WaitCycle { at: y, .. })
            | (Self::DivergentCollective { at: x, .. }, Self::DivergentCollective { at: y, .. })
            | (Self::UnmatchedMessage { at: x, .. }, Self::UnmatchedMessage { at: y, .. })
            | (Self::BatchMisuse { at: x, .. }, Self::BatchMisuse { at: y, .. }) => x == y,
            (Self::Kept { handle: x, name: p }, Self::Kept { handle: y, name: q }) => {
                x.started == y.started && p == q
            }
            (Self::Unlaunched { built: x, .. }, Self::Unlaunched { built: y, .. }) => x == y,
            _ => false,
        }
    }
}
