//! Operations, and the operands they work on. Each variant shows the source that it comes from.

use super::{FunctionId, Local};
use crate::source::Span;

/// An operation and the source it comes from.
#[derive(Clone, Debug)]
pub struct Op {
    /// What happens.
    pub operation: Operation,
    /// The source that it was lowered from.
    pub span: Span,
}

/// A value that an operation uses.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// What a local holds.
    Local(Local),
    /// A constant.
    Constant(Constant),
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Constant {
    /// `None`, and Rust's `()`.
    None,
    /// `True`, `False`.
    Bool(bool),
    /// An integer that fits.
    Int(i64),
    /// A string.
    Str(String),
    /// A constant whose value does not matter here: a float, bytes, `...`, a huge integer; kept by its text.
    Other(String),
}

/// What an operator does; only purity and meaning for conditions matter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// `not x`.
    Not,
    /// `a and b` of pure operands, without a branch.
    And,
    /// `a or b` of pure operands, without a branch.
    Or,
    /// `a == b`.
    Equal,
    /// `a != b`.
    NotEqual,
    /// `a < b`.
    Less,
    /// `a <= b`.
    LessEqual,
    /// `a > b`.
    Greater,
    /// `a >= b`.
    GreaterEqual,
    /// `a is b`.
    Is,
    /// `a is not b`.
    IsNot,
    /// `a in b`.
    In,
    /// `a not in b`.
    NotIn,
    /// Any other operator by its text: `+`, `@`, `%`, `-x`, an f-string, a slice.
    Other(&'static str),
}

/// What a container is, for messages and for how keys behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContainerKind {
    /// A list, deque, vector.
    List,
    /// A tuple.
    Tuple,
    /// A set.
    Set,
    /// A dictionary, a map.
    Dict,
}

/// An element of a container display.
#[derive(Clone, Debug)]
pub enum Item {
    /// `x`.
    One(Operand),
    /// `key: x`.
    Keyed(Operand, Operand),
    /// `*xs`, `**xs`.
    Spread(Operand),
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Argument {
    /// How it is passed.
    pub passing: Passing,
    /// What is passed.
    pub value: Operand,
    /// Its source.
    pub span: Span,
}

/// How an argument is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passing {
    /// By position.
    Positional,
    /// By name.
    Named(String),
    /// `*xs`.
    Spread,
    /// `**xs`.
    SpreadNamed,
}

/// What a call calls.
#[derive(Clone, Debug)]
pub enum Callee {
    /// The value of an operand: `f(…)`, `dist.isend(…)` after `field dist .isend`.
    Value(Operand),
    /// A method of a receiver: `req.wait()`, `reqs.append(…)`, `comm.Isend(…)`, `dist.isend(…)`.
    Method {
        /// What stands before the dot.
        receiver: Operand,
        /// The name behind it.
        name: String,
        /// What the method does if the receiver turns out to be a container of the language.
        meaning: Option<Meaning>,
    },
}

/// What a method of the language's own containers does to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// `append`, `add`, `put`, `push`, `appendleft`, `insert` (its last argument): keeps one more element.
    Push,
    /// `extend`, `update`: keeps the elements of the argument too.
    Extend,
    /// `pop()`, `popleft()`, `popitem()`: removes one element and gives it.
    Take,
    /// `pop(key)`, `pop(key, default)`: removes the element under a key and gives it.
    TakeKey,
    /// `get(key)`, `get(key, default)`: gives the element under a key.
    Get,
    /// `setdefault(key, value)`: gives the element under a key, which is the value where there was none.
    SetDefault,
    /// `remove(x)`, `discard(x)`: removes one element.
    Remove,
    /// `clear()`: removes all elements.
    Clear,
    /// `values()`, `copy()`, `iter()`: the elements.
    Elements,
    /// `items()`: pairs of key and element.
    Pairs,
    /// `keys()`, `len`, `index`, `count`: nothing of the elements comes out.
    Measure,
    /// `sort`, `reverse`: the same elements in another order.
    Reorder,
}

/// A subscript.
#[derive(Clone, Debug)]
pub enum Key {
    /// `x[k]`.
    At(Operand),
    /// `x[a:b]`, with its bounds where they are given.
    Range(Option<Operand>, Option<Operand>),
}

/// Where an augmented assignment stores.
#[derive(Clone, Debug)]
pub enum Place {
    /// `x`.
    Local(Local),
    /// A global `x`.
    Global(String),
    /// `x.name`.
    Field(Operand, String),
    /// `x[k]`.
    Element(Operand, Key),
}

/// Why a local gives up what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Forgetting {
    /// The value of an expression statement, or of a temporary at the end of its statement.
    Statement,
    /// `del x`.
    Delete,
    /// The end of the scope; Rust's blocks. The end of a function forgets all its locals without an operation.
    Scope,
}

/// How a buffer is used by the operation in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Usage {
    /// It is read: a send buffer.
    Sends,
    /// It is written: a receive buffer.
    Receives,
    /// Both: an in-place collective.
    Both,
}

/// How an operation touches a buffer's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Its elements are read.
    Read,
    /// Its elements are written.
    Write,
    /// Its storage is freed, replaced or resized.
    Free,
}

/// Which of the handles behind a target an operation finishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Which {
    /// The one handle that the target is.
    One,
    /// All handles in the container that the target is.
    All,
    /// One of the handles in the container, whichever comes first.
    Any,
    /// Some of the handles in the container, at least one.
    Several,
}

/// What happens at one point of a function.
#[derive(Clone, Debug)]
pub enum Operation {
    /// `to = from`: `to` gives up what it held.
    Assign {
        /// The name that is bound.
        to: Local,
        /// What it is bound to.
        from: Operand,
    },
    /// `to = operator(operands)`, without a side effect: `a + b`, `x is None`, an f-string.
    Compute {
        /// Where the result goes.
        to: Local,
        /// The operator.
        operator: Operator,
        /// Its operands.
        operands: Vec<Operand>,
    },
    /// `to = of.name`.
    Field {
        /// Where the result goes.
        to: Local,
        /// What stands before the dot.
        of: Operand,
        /// The attribute.
        name: String,
    },
    /// `to = of[key]`.
    Element {
        /// Where the result goes.
        to: Local,
        /// The container or buffer.
        of: Operand,
        /// The subscript.
        key: Key,
    },
    /// `of.name = value`.
    SetField {
        /// What stands before the dot.
        of: Operand,
        /// The attribute.
        name: String,
        /// What is stored.
        value: Operand,
    },
    /// `of[key] = value`.
    SetElement {
        /// The container or buffer.
        of: Operand,
        /// The subscript.
        key: Key,
        /// What is stored.
        value: Operand,
    },
    /// `del of.name`.
    DropField {
        /// What stands before the dot.
        of: Operand,
        /// The attribute.
        name: String,
    },
    /// `del of[key]`.
    DropElement {
        /// The container.
        of: Operand,
        /// The subscript.
        key: Key,
    },
    /// `place += value`, where the object itself may change.
    Update {
        /// What is updated.
        place: Place,
        /// The operator's text, `+` for `+=`.
        operator: &'static str,
        /// The right-hand side.
        value: Operand,
    },
    /// `to = [a, b]`, `(a, b)`, `{k: v}`.
    Collect {
        /// Where the container goes.
        to: Local,
        /// What sort of container.
        kind: ContainerKind,
        /// Its elements.
        items: Vec<Item>,
    },
    /// `a, *b, c = from`: takes a container apart.
    Unpack {
        /// The targets in order.
        to: Vec<Local>,
        /// The index of the starred target.
        star: Option<usize>,
        /// What is taken apart.
        from: Operand,
    },
    /// A nested function or lambda becomes a value.
    Closure {
        /// Where the value goes.
        to: Local,
        /// The function.
        function: FunctionId,
    },
    /// `to = name`, a name of the file's top level or of the language.
    Global {
        /// Where the value goes.
        to: Local,
        /// The name.
        name: String,
    },
    /// An import inside a function: `to` stands for the dotted path.
    Import {
        /// The name that is bound.
        to: Local,
        /// The absolute dotted path.
        path: String,
    },
    /// `name = value` for a name of the file's top level.
    SetGlobal {
        /// The name.
        name: String,
        /// What is stored.
        value: Operand,
    },
    /// `to = callee(arguments)`: late bound.
    Call {
        /// Where the result goes.
        to: Local,
        /// What is called.
        callee: Callee,
        /// The arguments in order.
        arguments: Vec<Argument>,
    },
    /// `to = iter(over)`, before a loop whose head is a [`Terminator::Next`](super::Terminator::Next).
    Iterate {
        /// The iterator.
        to: Local,
        /// What is iterated.
        over: Operand,
    },
    /// A `with` block is entered: `with manager as to`.
    Enter {
        /// What `as` binds.
        to: Local,
        /// The manager.
        manager: Operand,
    },
    /// A `with` block is left, on whichever way.
    Leave {
        /// The manager.
        manager: Operand,
    },
    /// `to = yield value`: the value goes to the consumer.
    Yield {
        /// What the consumer sends back.
        to: Local,
        /// What it gets.
        value: Operand,
    },
    /// `to = await value`.
    Await {
        /// Where the result goes.
        to: Local,
        /// The awaitable.
        value: Operand,
    },
    /// The local gives up what it holds.
    Forget {
        /// The local.
        local: Local,
        /// Why.
        why: Forgetting,
    },
    /// A lazy expression that nothing consumes: `(r.wait() for r in reqs)` as a statement.
    Unconsumed {
        /// The generator expression or lazy call, lowered as a function.
        function: FunctionId,
    },
    /// A value goes where the analysis cannot follow (an unknown macro, `exec`).
    Escape {
        /// The value.
        value: Operand,
    },
    /// Primitive: an asynchronous operation starts.
    Start {
        /// Where the handle goes.
        to: Local,
        /// The catalogue's dotted name of what is started.
        api: String,
        /// The buffers that it uses until it is finished.
        buffers: Vec<(Operand, Usage)>,
    },
    /// Primitive: handles are finished.
    Finish {
        /// The handle or container.
        target: Operand,
        /// Which of them.
        which: Which,
    },
    /// Primitive: `to` is true once the handles are finished.
    Poll {
        /// The flag.
        to: Local,
        /// The handle or container.
        target: Operand,
        /// Which of them.
        which: Which,
    },
    /// Primitive: `container` keeps one more element.
    Push {
        /// The container.
        container: Operand,
        /// The element.
        value: Operand,
    },
    /// Primitive: `to` is an element that `container` gives up.
    Take {
        /// Where the element goes.
        to: Local,
        /// The container.
        container: Operand,
    },
    /// Primitive: `to` is another name for (a part of) the buffer `of`: they share storage.
    View {
        /// The alias.
        to: Local,
        /// The buffer.
        of: Operand,
    },
    /// Primitive: `to` is a new buffer.
    Fresh {
        /// The buffer.
        to: Local,
    },
    /// Primitive: the data of a buffer is touched.
    Touch {
        /// The buffer.
        buffer: Operand,
        /// How.
        access: Access,
    },
}
