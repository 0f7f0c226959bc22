//! What the analysis tells the rules: something that happened to a handle, with the story that led there.

use std::sync::Arc;

use crate::catalog::ApiId;
use crate::ir::{Access, Usage};
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
    /// Something is dropped that others were made with, and one of them lives on.
    OwnerDropped {
        /// The function that gave it.
        owner: ApiId,
        /// The call of that function.
        acquired: Span,
        /// The call that made what lives on.
        lent: Span,
        /// The variable that holds it, where it has a name.
        holder: Option<String>,
        /// Where it is dropped.
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
    /// A wait comes directly after the start.
    WaitedAtOnce {
        /// The handle.
        handle: Handle,
        /// The wait.
        at: Span,
        /// Work that could have stood in between.
        spare: Vec<Spare>,
        /// What makes it worse than lost time, where sends block until the peer receives.
        exposed: Option<Exposure>,
    },
    /// Each turn of a loop starts one operation and waits for it, although the turns need nothing of each other.
    SerialLoop {
        /// The handle.
        handle: Handle,
        /// The wait.
        at: Span,
        /// The header of the loop.
        header: Span,
    },
    /// A loop asks whether handles are finished, and ends when they are.
    BusyPoll {
        /// The function that asks.
        poll: ApiId,
        /// One of the handles, a message if there is one, where they are known.
        handle: Option<Handle>,
        /// What the turns of the loop do beside that.
        turns: Turns,
        /// The question.
        at: Span,
        /// The header of the loop.
        header: Span,
    },
    /// A loop over all ranks sends to each and receives from each.
    CollectiveByHand {
        /// What sends.
        send: ApiId,
        /// The call that sends.
        sent: Span,
        /// The call that receives.
        received: Span,
        /// The header of the loop.
        at: Span,
    },
    /// A wait throws a message away, and the request is used as if it were the message.
    MessageDiscarded {
        /// The request.
        handle: Handle,
        /// The wait.
        at: Span,
        /// The use.
        used: Span,
    },
    /// A receive is started without room for its message.
    SmallRoom {
        /// What was started.
        api: ApiId,
        /// The call.
        at: Span,
    },
    /// The data of a buffer is touched while an operation uses it.
    Touched {
        /// The operation's handle.
        handle: Handle,
        /// How the operation uses the buffer.
        usage: Usage,
        /// How it is touched.
        access: Access,
        /// The buffer as the user wrote it, where that is known.
        buffer: Option<String>,
        /// Where a called function does it: the place in that function.
        inside: Vec<Origin>,
        /// The touch.
        at: Span,
    },
    /// A buffer is used by two operations at once, and one of them writes it.
    SharedBuffer {
        /// The function that begins to use it second.
        api: ApiId,
        /// The operation that uses it already; none where one operation has it as source and destination.
        with: Option<Handle>,
        /// The buffer as the user wrote it, where that is known.
        buffer: Option<String>,
        /// The call of the second one.
        at: Span,
    },
    /// The name of a receive buffer is bound to something else, and read as if it held the data.
    ReboundBuffer {
        /// The receive's handle.
        handle: Handle,
        /// The name.
        name: String,
        /// Where it is read.
        reread: Reread,
        /// The rebinding.
        at: Span,
    },
    /// Data is received into something that nobody can read.
    Temporary {
        /// The function that receives.
        api: ApiId,
        /// The argument.
        argument: Span,
        /// Whether that is certain.
        standing: Standing,
        /// The call.
        at: Span,
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

/// Work beside an operation in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spare {
    /// The computation.
    pub span: Span,
    /// Where it stands.
    pub order: Order,
}

/// Where work stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// Before the start.
    Before,
    /// Behind the wait.
    After,
}

/// What the turns of a polling loop do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Turns {
    /// Nothing.
    Idle,
    /// Something, but the answer is the only way out.
    Busy,
}

/// How a wait at once can block two ranks that do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Exposure {
    /// It is repeated for each peer, in the loop with this header.
    Repeated(Span),
    /// This message of the same function comes after it.
    Followed(Span),
}

/// A call inside a wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The qualified name of the wrapper.
    pub function: String,
    /// The file that it stands in, where it is another one.
    pub file: Option<Arc<str>>,
    /// The call.
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

/// How certain something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// It is always so.
    Certain,
    /// It depends on what the program does not say: a layout, a type.
    Possible,
}

/// Where a name that was bound to something else is taken for the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reread {
    /// What it is bound to is computed from it.
    AtOnce,
    /// It is read later.
    Later(Span),
    /// Nowhere: what the operation uses is freed with the old value.
    Freed,
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
            Self::OwnerDropped { lent, .. } => *lent,
            Self::PartlyWaited { at, .. }
            | Self::WaitOnList { at, .. }
            | Self::HandleAsList { at, .. }
            | Self::NoSuchMethod { at, .. }
            | Self::WaitNeverRuns { at, .. }
            | Self::WaitedTwice { at, .. }
            | Self::WaitedAtOnce { at, .. }
            | Self::SerialLoop { at, .. }
            | Self::BusyPoll { at, .. }
            | Self::CollectiveByHand { at, .. }
            | Self::MessageDiscarded { at, .. }
            | Self::SmallRoom { at, .. }
            | Self::BadTimeout { at, .. }
            | Self::WaitCycle { at, .. }
            | Self::DivergentCollective { at, .. }
            | Self::UnmatchedMessage { at, .. }
            | Self::Touched { at, .. }
            | Self::SharedBuffer { at, .. }
            | Self::ReboundBuffer { at, .. }
            | Self::Temporary { at, .. }
            | Self::BatchMisuse { at, .. } => *at,
        }
    }

    /// The handle that it is about, where there is one.
    pub(crate) fn handle(&self) -> Option<&Handle> {
        match self {
            Self::Lost { handle, .. }
            | Self::PartlyWaited { handle, .. }
            | Self::Kept { handle, .. }
            | Self::WaitOnList { handle, .. }
            | Self::HandleAsList { handle, .. }
            | Self::NoSuchMethod { handle, .. }
            | Self::WaitedTwice { handle, .. }
            | Self::WaitedAtOnce { handle, .. }
            | Self::SerialLoop { handle, .. }
            | Self::MessageDiscarded { handle, .. }
            | Self::Touched { handle, .. }
            | Self::ReboundBuffer { handle, .. } => Some(handle),
            Self::WaitNeverRuns { handle, .. } | Self::BusyPoll { handle, .. } => handle.as_ref(),
            Self::SharedBuffer { with, .. } => with.as_ref(),
            Self::Unlaunched { .. }
            | Self::OwnerDropped { .. }
            | Self::CollectiveByHand { .. }
            | Self::SmallRoom { .. }
            | Self::BadTimeout { .. }
            | Self::Temporary { .. }
            | Self::WaitCycle { .. }
            | Self::DivergentCollective { .. }
            | Self::UnmatchedMessage { .. }
            | Self::BatchMisuse { .. } => None,
        }
    }

    /// Where the story of an event begins.
    pub(crate) fn begins(&self) -> u32 {
        match self {
            Self::Lost { handle, .. } | Self::PartlyWaited { handle, .. } | Self::Kept { handle, .. } => {
                handle.started.start
            }
            Self::Touched { handle, .. }
            | Self::ReboundBuffer { handle, .. }
            | Self::SharedBuffer { with: Some(handle), .. } => handle.started.start,
            Self::SharedBuffer { with: None, at, .. } | Self::Temporary { at, .. } => at.start,
            Self::Unlaunched { built, .. } => built.start,
            Self::WaitedTwice { first, .. } => first.start,
            Self::OwnerDropped { acquired, .. } => acquired.start,
            Self::WaitOnList { at, .. }
            | Self::HandleAsList { at, .. }
            | Self::NoSuchMethod { at, .. }
            | Self::WaitNeverRuns { at, .. }
            | Self::WaitedAtOnce { at, .. }
            | Self::SerialLoop { at, .. }
            | Self::BusyPoll { at, .. }
            | Self::CollectiveByHand { at, .. }
            | Self::MessageDiscarded { at, .. }
            | Self::SmallRoom { at, .. }
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
            | (Self::WaitedAtOnce { at: x, .. }, Self::WaitedAtOnce { at: y, .. })
            | (Self::SerialLoop { at: x, .. }, Self::SerialLoop { at: y, .. })
            | (Self::BusyPoll { at: x, .. }, Self::BusyPoll { at: y, .. })
            | (Self::CollectiveByHand { at: x, .. }, Self::CollectiveByHand { at: y, .. })
            | (Self::MessageDiscarded { at: x, .. }, Self::MessageDiscarded { at: y, .. })
            | (Self::SmallRoom { at: x, .. }, Self::SmallRoom { at: y, .. })
            | (Self::BadTimeout { at: x, .. }, Self::BadTimeout { at: y, .. })
            | (Self::WaitCycle { at: x, .. }, Self::WaitCycle { at: y, .. })
            | (Self::DivergentCollective { at: x, .. }, Self::DivergentCollective { at: y, .. })
            | (Self::UnmatchedMessage { at: x, .. }, Self::UnmatchedMessage { at: y, .. })
            | (Self::Temporary { at: x, .. }, Self::Temporary { at: y, .. })
            | (Self::ReboundBuffer { at: x, .. }, Self::ReboundBuffer { at: y, .. })
            | (Self::BatchMisuse { at: x, .. }, Self::BatchMisuse { at: y, .. }) => x == y,
            (Self::Touched { handle: x, at: p, .. }, Self::Touched { handle: y, at: q, .. }) => {
                x.started == y.started && p == q
            }
            (Self::SharedBuffer { with: x, at: p, .. }, Self::SharedBuffer { with: y, at: q, .. }) => {
                p == q && x.as_ref().map(|it| it.started) == y.as_ref().map(|it| it.started)
            }
            (Self::Kept { handle: x, name: p }, Self::Kept { handle: y, name: q }) => {
                x.started == y.started && p == q
            }
            (Self::Unlaunched { built: x, .. }, Self::Unlaunched { built: y, .. }) => x == y,
            (Self::OwnerDropped { lent: x, .. }, Self::OwnerDropped { lent: y, .. }) => x == y,
            _ => false,
        }
    }
}
