//! The form of a file in `rules/apis/`: one library, as data.
//!
//! ```toml
//! library = "torch.distributed"
//! language = "python"
//! version = "2.9"
//! modules = ["torch.distributed", "torch.distributed.distributed_c10d"]
//!
//! [[class]]
//! name = "Work"
//! handle = true
//!
//! [[function]]
//! name = "isend"
//! parameters = ["tensor", "dst", "group", "tag", "group_dst"]
//! does = "start"
//! kind = "point-to-point"
//! gives = "Work"
//! blocking = "send"
//! buffers = [{ argument = "tensor", use = "sends" }]
//! source = "torch/distributed/distributed_c10d.py, isend"
//! ```
//!
//! Names are relative to the first module of the file, or to the `module` that a function names; `Class.method` is a method.
//! Classes and functions that an entry refers to (`gives`, `extends`, `runs.allowed`) are looked for in the file's first
//! module, then as absolute paths in all files.
//! Adding a library is adding a file. A project's own functions have the same form in its configuration.

use serde::Deserialize;

use super::data::Data;
use super::work::Work;

/// One file of the catalogue.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Library {
    /// The name of the library, for messages.
    pub library: String,
    /// The language whose files it applies to.
    pub language: String,
    /// The version that the facts were checked against.
    #[serde(default)]
    pub version: String,
    /// The dotted modules that its names live in: the canonical one first, then those that re-export the same names. `*.MPI`
    /// stands for a module `MPI` that any project may re-export under a path of its own.
    pub modules: Vec<String>,
    /// Words that make a file worth parsing, beside those derived from the functions.
    #[serde(default)]
    pub words: Vec<String>,
    /// Names of modules whose import in a file, or that of a module below them, is evidence for this library's untyped
    /// methods; `*` stands for anything (default: the first segment of each module).
    #[serde(default)]
    pub evidence_imports: Vec<String>,
    /// Its classes.
    #[serde(default, rename = "class")]
    pub classes: Vec<Class>,
    /// Its functions and methods.
    #[serde(default, rename = "function")]
    pub functions: Vec<Function>,
    /// Values that are instances of its classes: `COMM_WORLD`.
    #[serde(default, rename = "value")]
    pub values: Vec<Value>,
    /// What happens when a pending handle is dropped.
    #[serde(default, rename = "drop")]
    pub drops: Vec<OnDrop>,
    /// The parts that its functions, attributes and values play between ranks.
    #[serde(default, rename = "part")]
    pub parts: Vec<super::Part>,
    /// Whether its waits keep a processor busy: then it is meant that a loop polls and sleeps.
    #[serde(default)]
    pub busy_waits: bool,
    /// Computations that take time.
    #[serde(default)]
    pub work: Vec<Work>,
    /// Where a send that is waited for at once blocks both ranks head to head: when, as a clause (`above the eager limit`).
    #[serde(default)]
    pub sends_block: Option<String>,
    /// What methods, attributes and functions do to the data of the library's tensors or arrays.
    #[serde(default)]
    pub data: Vec<Data>,
    /// The libraries whose buffers the library's tensors or arrays are.
    #[serde(default)]
    pub buffers_of: Vec<String>,
    /// Whether source and destination of one operation must be different buffers.
    #[serde(default)]
    pub apart: bool,
    /// The library whose drop entries apply to kinds of operations that this one has no entry for (default: the one whose
    /// handle a function gives).
    #[serde(default)]
    pub drops_of: Option<String>,
}

/// A class.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Class {
    /// Its name.
    pub name: String,
    /// What a message calls an instance: `handle`, `request`, `future`.
    #[serde(default)]
    pub noun: String,
    /// Whether its instances are handles of operations in flight.
    #[serde(default)]
    pub handle: bool,
    /// The class that it extends.
    #[serde(default)]
    pub extends: Option<String>,
    /// Attributes that are the number of ranks.
    #[serde(default)]
    pub counts_ranks: Vec<String>,
    /// Every attribute of an instance, where the list is complete: any other is a mistake.
    #[serde(default)]
    pub attributes: Vec<String>,
    /// Names of receivers without a type that may be taken for instances, `*` standing for anything (`comm`, `*_comm`);
    /// the file must import the library too.
    #[serde(default)]
    pub receivers: Vec<String>,
}

/// A value of a module that is an instance of a class.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Value {
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: String,
}

/// What happens when the last reference to a pending handle goes.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OnDrop {
    /// The kind of operation.
    pub kind: Kind,
    /// The backend (`gloo`, `nccl`, `mpi`); `any` where it makes no difference.
    pub backend: String,
    /// What the library does then.
    pub effect: DropEffect,
    /// One clause for the report, in the present tense: `the message is cancelled and the peer waits for ever`.
    pub harm: String,
    /// Where the fact comes from.
    pub source: String,
}

/// What a library does with an operation whose last handle is gone.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DropEffect {
    /// The operation never happens.
    Cancels,
    /// It goes on, and nobody knows when it ends.
    Continues,
    /// It goes on with a buffer that may be freed.
    Leaks,
    /// The program panics or aborts.
    Aborts,
    /// The drop waits for it.
    Waits,
}

/// A family of operations that behave alike.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A message from one rank to another.
    PointToPoint,
    /// All ranks of a group take part.
    #[default]
    Collective,
    /// A collective without data.
    Barrier,
    /// A call of a function on another rank.
    Rpc,
    /// One-sided access to the memory of another rank.
    OneSided,
    /// Input and output on files.
    File,
}

/// A function or method.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Function {
    /// Its name, `Class.method` for a method.
    pub name: String,
    /// The module that it lives in, where that is not the file's first one; then no other module re-exports it.
    #[serde(default)]
    pub module: Option<String>,
    /// Its parameters in order, without the receiver of a method; keyword-only ones behind a `*`, the rest parameters as
    /// `*name` and `**name`.
    #[serde(default)]
    pub parameters: Vec<String>,
    /// For a method: whether it belongs to the class itself (a class or static method). In class form
    /// (`Request.Waitall(requests)`) all arguments are then its parameters; any other method takes the receiver first
    /// (`Request.Wait(request)`).
    #[serde(default)]
    pub of_class: bool,
    /// What it does.
    pub does: Does,
    /// The family of the operation that it starts.
    #[serde(default)]
    pub kind: Kind,
    /// The class of the handle that it starts, of the instance that it gives, or of the operation that it builds.
    #[serde(default)]
    pub gives: Option<String>,
    /// When it starts one: always where this is absent.
    #[serde(default)]
    pub when: Option<When>,
    /// How many handles result.
    #[serde(default)]
    pub count: Count,
    /// The argument that it works on: the handles that it finishes or polls, the operations that it launches, the object
    /// that it passes on, the context that it names; `self` for the receiver.
    #[serde(default)]
    pub on: Option<String>,
    /// The argument through which a handle, or the flag of a poll, comes out: a pointer.
    #[serde(default)]
    pub out: Option<String>,
    /// What the drop of a guard does with a handle that is pending.
    #[serde(default)]
    pub at_drop: AtDrop,
    /// Which of the handles it finishes or polls.
    #[serde(default)]
    pub which: WhichOf,
    /// The buffers that it uses until it is finished.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// The function that does the same and blocks.
    #[serde(default)]
    pub blocking: Option<String>,
    /// The argument that is a time-out, and of which types it may be.
    #[serde(default)]
    pub timeout: Option<Timeout>,
    /// For a finish: whether a second one on the same handle is a mistake, for which kinds and backends.
    #[serde(default)]
    pub again: Vec<Again>,
    /// For a poll: for which kinds and backends the answer stays no until somebody waits.
    #[serde(default)]
    pub stays_false: Vec<Again>,
    /// For a finish or poll: what it returns.
    #[serde(default)]
    pub returns: Returns,
    /// For a start: whether its message is what the wait returns, instead of filling a buffer.
    #[serde(default)]
    pub gives_message: bool,
    /// The room for a message that is to be unpacked, where it has to be given.
    #[serde(default)]
    pub room: Option<Room>,
    /// For a message: which way it goes, and the collective that says it where each rank exchanges one with every other.
    #[serde(default)]
    pub everyone: Option<Everyone>,
    /// Whether it gives the number of ranks.
    #[serde(default)]
    pub counts_ranks: bool,
    /// The argument that names a backend, of a function that does something else: `new_group`.
    #[serde(default)]
    pub names_backend: Option<String>,
    /// For an operation object: the argument that names the function to run, and the functions that it may name.
    #[serde(default)]
    pub runs: Option<Runs>,
    /// Whether the name alone, on any receiver, is enough to recognise it (`Isend` occurs nowhere else).
    #[serde(default)]
    pub distinctive: bool,
    /// Words of which a file must contain one for the function to matter in it, instead of those derived from its name and
    /// its condition.
    #[serde(default)]
    pub words: Option<Vec<String>>,
    /// Where the facts come from.
    #[serde(default)]
    pub source: String,
}

/// What a function does.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// Starts an operation and gives its handle (or a list of them).
    Start,
    /// Finishes the handles of `on`.
    Finish,
    /// Tells whether the handles of `on` are finished.
    Poll,
    /// Gives another object for the same operation: `get_future()`, `then(…)`.
    Alias,
    /// Builds an operation that `launch` must start: `P2POp`.
    Build,
    /// Starts the operations of `on` and gives their handles: `batch_isend_irecv`.
    Launch,
    /// Builds a request that is not started yet: `Send_init`.
    Prepare,
    /// Starts the prepared requests of `on`: `Start`, `Startall`.
    Restart,
    /// Ends the life of the handles of `on` without waiting, as meant: `Free`, `Cancel`.
    Release,
    /// A context manager that is the one handle of all operations inside: `_coalescing_manager`.
    Coalesce,
    /// A context manager inside which an error is expected: `pytest.raises`.
    ExpectError,
    /// Gives an instance of the class `gives`.
    Instance,
    /// Names the backend: `init_process_group`.
    Backend,
    /// Known, and no handle results: `send`, functional collectives, `DTensor.redistribute(async_op=…)`.
    Nothing,
    /// Waits for everything that is in the streams of a device: `torch.cuda.synchronize`.
    Fence,
    /// Lets time pass and does nothing: `time.sleep`.
    Pause,
    /// Never returns: `sys.exit`, `Abort`.
    Exit,
    /// Gives a container of the elements of its argument: `list`, `sorted`, `reversed`, `iter`, `deque`.
    Collect,
    /// Gives pairs of the elements of its arguments: `zip`.
    Zip,
    /// Gives pairs of a number and the elements of its argument: `enumerate`.
    Enumerate,
    /// Applies its first argument to the elements of the others, as they are consumed: `map`, `filter`.
    Map,
    /// Keeps the elements for which its first argument is true, as they are consumed: `filter`.
    Filter,
    /// Gives running numbers: `range`, `itertools.count`.
    Count,
    /// Consumes an iterable and gives something else: `sum`, `any`, `all`, `max`.
    Consume,
    /// Reads its arguments and keeps none of them: `print`, `len`, `isinstance`, `id`.
    Read,
    /// Gives its argument `on` back: `tqdm(xs)`, `typing.cast(t, x)`; as a decorator, changes nothing for the caller.
    Pass,
    /// Gives a function with some arguments bound: `functools.partial`.
    Bind,
    /// Runs its argument `on`, a closure, once and at once; what `gives` names is a container that it hands to it last.
    Inline,
    /// Gives `on` back in a guard, whose drop does what `at-drop` says.
    Guard,
    /// Adds its argument `on` to the receiver, a container.
    Keep,
    /// Gives something whose drop ends everything that was made with it: `mpi::initialize()`.
    Acquire,
}

/// What the drop of a guard does with a handle that is pending.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AtDrop {
    /// It waits for it.
    #[default]
    Waits,
    /// It cancels it, and waits for that.
    Cancels,
    /// Nothing is lost: the drop, or the end of a scope further out, waits for it.
    Settles,
}

/// The condition under which a function starts something.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct When {
    /// The argument.
    pub argument: String,
    /// The truth value that it must have.
    #[serde(default = "yes")]
    pub is: bool,
    /// The truth value that it has where it is not given.
    #[serde(default)]
    pub default: bool,
}

fn yes() -> bool {
    true
}

/// How many handles a start gives.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Count {
    /// One.
    #[default]
    One,
    /// A list with one for each operation, or fewer where the backend merges them.
    List,
}

/// Which handles of the argument a function finishes.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WhichOf {
    /// The one that the argument is.
    #[default]
    One,
    /// All of those in it.
    All,
    /// Whichever comes first.
    Any,
    /// At least one.
    Several,
}

/// A buffer argument.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Buffer {
    /// The argument.
    pub argument: String,
    /// How the operation uses it.
    #[serde(rename = "use")]
    pub usage: UsageName,
    /// Whether the call copies it at once (a pickled message): then it may be changed.
    #[serde(default)]
    pub copied: bool,
    /// Whether the argument is a list of which each element is a buffer.
    #[serde(default)]
    pub each: bool,
}

/// How an operation uses a buffer.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UsageName {
    /// Reads it.
    Sends,
    /// Writes it.
    Receives,
    /// Reads and writes it.
    Both,
    /// As the function that the operation object runs uses it.
    AsRun,
}

/// A time-out argument.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Timeout {
    /// The argument.
    pub argument: String,
    /// The type that it must have, for the report: `datetime.timedelta`.
    pub wants: String,
    /// The types of constants that raise: `int`, `bool`, `float`, `str`, `None`.
    pub rejects: Vec<String>,
}

/// Room for a message whose size the receiver does not know.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Room {
    /// The argument that is the room, or says how large it is.
    pub argument: String,
    /// What happens without it, one clause in the present tense.
    pub harm: String,
}

/// A message of which a collective makes one with every rank.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Everyone {
    /// Which way the message goes.
    pub way: UsageName,
    /// The collective.
    pub collective: String,
}

/// A finish or poll that goes wrong.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Again {
    /// For operations of this kind.
    pub kind: Kind,
    /// On this backend.
    pub backend: String,
    /// What happens, one clause in the present tense.
    pub harm: String,
}

/// What a finish or a poll returns.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Returns {
    /// Nothing of interest.
    #[default]
    Nothing,
    /// The message or result.
    Message,
    /// Whether it is finished.
    Flag,
    /// A pair of whether it is finished, and the message.
    FlagAndMessage,
    /// The handles themselves, in a container.
    Handles,
    /// The position of the one that is finished.
    Index,
    /// A pair of that position, and the message.
    IndexAndMessage,
    /// A pair of that position, and whether one is finished.
    IndexAndFlag,
    /// A triple of that position, whether one is finished, and the message.
    IndexFlagAndMessage,
    /// A list of the positions of those that are finished.
    Indices,
    /// A pair of that list, and a list of the messages.
    IndicesAndMessages,
}

/// What an operation object runs.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Runs {
    /// The argument that names the function.
    pub argument: String,
    /// The functions that it may name.
    pub allowed: Vec<String>,
}
