//! Values: what a variable may hold on one path, and the objects that the analysis follows.
//!
//! Most values are [`Symbol`]s. The analysis keeps **objects** only for what can hold a handle: the handles themselves,
//! containers, operations that wait to be launched, and the few things that carry one of these around. An object is named by
//! the site that made it and its age, so that in a loop the newest is kept apart from those of earlier turns:
//!
//! ```text
//! for x in xs:
//!     req = isend(x)       site 3: age 0 is this turn's handle; the last turn's became age 1 …
//!                          … and when `req` is rebound nothing holds age 1 any more: it is lost
//! ```
//!
//! ```text
//! for x in xs:
//!     reqs.append(isend(x))    age 0, and in the list also age 2: all handles of earlier turns as one object
//! ```

use std::sync::Arc;

use super::event::{Origin, Selection};
use super::symbol::{Site, Symbol};
use crate::catalog::{ApiId, AtDrop, Sort};
use crate::ir::{ContainerKind, FunctionId, Usage, Which};
use crate::source::Span;

/// The name of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId {
    pub(crate) site: Site,
    pub(crate) age: Age,
}

/// Which of the objects that a site made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Age {
    /// The newest.
    Newest,
    /// The one before.
    Previous,
    /// All older ones, as one.
    Older,
}

/// What a variable holds on one path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    /// Something that is not followed, by its symbol.
    Symbol(Symbol),
    /// A catalogued function that starts something, held by a name: two ways with different ones are kept apart.
    Function(Symbol),
    /// This object.
    Object(ObjectId),
    /// Each of these objects in turn: the element of a loop over them. What happens to it happens to all.
    Each(Arc<[ObjectId]>),
    /// One of these objects, or something else: paths were joined, or nobody knows which.
    Perhaps(Arc<[ObjectId]>),
    /// One element of a container that has several, by position.
    Part(ObjectId, Selection),
    /// A method of a value, not called: `req.wait`.
    Method(Arc<(Value, String)>),
    /// A condition on values.
    Test(Arc<Test>),
    /// The number of elements of a container.
    Length(ObjectId),
}

/// A condition on values that are followed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Test {
    /// Whether the handles are finished, which finishes them if it is true.
    Finished(Value, Which),
    /// Whether the value is `None`.
    IsNone(Value),
    /// Whether the value is true.
    Truth(Value),
    /// The opposite.
    Not(Value),
    /// All of them.
    And(Vec<Value>),
    /// At least one of them.
    Or(Vec<Value>),
}

impl Value {
    pub(crate) const UNKNOWN: Self = Self::Symbol(Symbol::UNKNOWN);
    pub(crate) const NONE: Self = Self::Symbol(Symbol::NONE);

    /// The symbol of a value that is not followed.
    pub(crate) fn symbol(&self) -> Option<Symbol> {
        match self {
            Self::Symbol(symbol) | Self::Function(symbol) => Some(*symbol),
            _ => None,
        }
    }

    /// Each of several objects, or the object itself where there is only one.
    pub(crate) fn each(mut objects: Vec<ObjectId>) -> Self {
        objects.sort_unstable();
        objects.dedup();
        match objects.as_slice() {
            [] => Self::UNKNOWN,
            [one] => Self::Object(*one),
            _ => Self::Each(objects.into()),
        }
    }

    /// One of several objects, or none of them.
    pub(crate) fn perhaps(mut objects: Vec<ObjectId>) -> Self {
        objects.sort_unstable();
        objects.dedup();
        if objects.is_empty() { Self::UNKNOWN } else { Self::Perhaps(objects.into()) }
    }

    /// Calls `visit` with every object that the value refers to directly.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(ObjectId)) {
        match self {
            // A number or a truth value keeps nothing alive.
            Self::Symbol(_) | Self::Function(_) | Self::Length(_) | Self::Test(_) => {}
            Self::Object(object) | Self::Part(object, _) => visit(*object),
            Self::Each(objects) | Self::Perhaps(objects) => objects.iter().copied().for_each(visit),
            Self::Method(method) => method.0.visit(visit),
        }
    }

    /// The objects that the value refers to directly.
    pub(crate) fn objects(&self) -> Vec<ObjectId> {
        let mut objects = Vec::new();
        self.visit(&mut |object| objects.push(object));
        objects
    }

    /// The value without an object that turns out not to exist.
    pub(crate) fn without(&self, gone: ObjectId) -> Self {
        let others =
            |objects: &Arc<[ObjectId]>| objects.iter().copied().filter(|&id| id != gone).collect::<Vec<_>>();
        match self {
            Self::Object(id) if *id == gone => Self::NONE,
            Self::Each(objects) if objects.contains(&gone) => Self::each(others(objects)),
            Self::Perhaps(objects) if objects.contains(&gone) => Self::perhaps(others(objects)),
            other => other.clone(),
        }
    }

    /// The value with its objects renamed.
    pub(crate) fn renamed(&self, rename: &dyn Fn(ObjectId) -> ObjectId) -> Self {
        match self {
            Self::Symbol(_) | Self::Function(_) => self.clone(),
            Self::Object(object) => Self::Object(rename(*object)),
            Self::Part(object, how) => Self::Part(rename(*object), *how),
            Self::Length(object) => Self::Length(rename(*object)),
            Self::Each(objects) => Self::each(objects.iter().map(|&object| rename(object)).collect()),
            Self::Perhaps(objects) => Self::perhaps(objects.iter().map(|&object| rename(object)).collect()),
            Self::Method(method) => Self::Method(Arc::new((method.0.renamed(rename), method.1.clone()))),
            Self::Test(test) => Self::Test(Arc::new(test.mapped(&|operand| operand.renamed(rename)))),
        }
    }
}

impl Test {
    fn mapped(&self, map: &dyn Fn(&Value) -> Value) -> Self {
        match self {
            Self::Finished(one, which) => Self::Finished(map(one), *which),
            Self::IsNone(one) => Self::IsNone(map(one)),
            Self::Truth(one) => Self::Truth(map(one)),
            Self::Not(one) => Self::Not(map(one)),
            Self::And(all) => Self::And(all.iter().map(map).collect()),
            Self::Or(all) => Self::Or(all.iter().map(map).collect()),
        }
    }
}

/// Something that can hold a handle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Object {
    /// The handle of an operation.
    Handle(Handle),
    /// A list, tuple, set or dictionary.
    Container(Container),
    /// An operation that was built and waits to be launched.
    Operation(Operation),
    /// A function with some of its arguments bound.
    Partial(Partial),
    /// A function, the values that it will be applied to when something consumes it, and where that is written.
    Lazy(Value, Vec<Value>, Span),
    /// A position in a loop over a value.
    Iterator(Value, Position),
    /// The manager of a `with` block.
    Manager(Manager),
    /// A coroutine that was not awaited yet: its function, its arguments, and where it was built.
    Coroutine(FunctionId, Vec<Bound>, Span),
}

/// A handle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Handle {
    /// What was started.
    pub(crate) api: ApiId,
    /// Where, in this function.
    pub(crate) started: Span,
    /// The calls inside a wrapper.
    pub(crate) inside: Arc<[InsideCall]>,
    /// Where it stands.
    pub(crate) status: Status,
    /// Whether others may hold it: then nothing is said about its end.
    pub(crate) escaped: bool,
    /// Whether it stands for any number of handles.
    pub(crate) many: bool,
    /// The argument that decides whether there is a handle.
    pub(crate) conditional: Option<Span>,
    /// Whether every way through a wrapper gives one.
    pub(crate) certain: bool,
    /// Whether it came out of a launch, which gives fewer handles on some backends.
    pub(crate) launched: bool,
    /// Whether it was turned into another object for the same operation, a future for instance.
    pub(crate) aliased: bool,
    /// The poll that has looked at it last.
    pub(crate) polled: Option<Span>,
    /// Where it was finished.
    pub(crate) finished: Option<Span>,
    /// The handler of an exception that was caught while it was pending.
    pub(crate) raised: Option<Span>,
    /// The guard that holds it.
    pub(crate) guarded: Option<Guarded>,
    /// The innermost loop around its start.
    pub(crate) made_in: Option<u32>,
    /// The last condition that was decided before the start.
    pub(crate) guard: Option<Span>,
    /// What it uses until it is finished.
    pub(crate) buffers: Arc<[InFlight]>,
    /// The operation that has touched one of them, and was reported.
    pub(crate) touched: Option<u32>,
}

/// A buffer that an operation uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InFlight {
    /// What names it.
    pub(crate) region: Symbol,
    /// How it is used.
    pub(crate) usage: Usage,
    /// The sort of data.
    pub(crate) sort: Option<Sort>,
    /// The argument that gave it.
    pub(crate) at: Span,
}

/// A guard that holds a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Guarded {
    /// Where it was made.
    pub(crate) at: Span,
    /// What its drop does.
    pub(crate) at_drop: AtDrop,
}

/// A call inside a wrapper, in the order that a report tells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InsideCall {
    pub(crate) function: Arc<str>,
    pub(crate) span: Span,
}

impl From<&InsideCall> for Origin {
    fn from(call: &InsideCall) -> Self {
        Self { function: call.function.to_string(), span: call.span }
    }
}

/// Where a handle stands in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Status {
    /// A persistent request that was never started.
    Prepared,
    /// Started and not finished.
    Pending,
    /// Finished, or given up as meant.
    Finished,
    /// On some of the joined paths one, on some another.
    Mixed,
}

impl Status {
    /// What holds of two that are joined.
    pub(crate) fn join(self, other: Self) -> Self {
        if self == other { self } else { Self::Mixed }
    }
}

/// A container.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Container {
    /// What sort.
    pub(crate) kind: ContainerKind,
    /// The elements whose position or key is known. In a list they are in order.
    pub(crate) entries: Vec<(Slot, Value)>,
    /// The other elements, in no order.
    pub(crate) rest: Vec<Value>,
    /// Whether there is at least one element, where that is known.
    pub(crate) filled: Option<bool>,
    /// What is empty if and only if this is, where `filled` does not tell.
    pub(crate) like: Option<Symbol>,
    /// Whether others may hold it too.
    pub(crate) escaped: bool,
    /// Whether it is the result of a launch.
    pub(crate) launched: bool,
    /// Whether it has some of the elements of another container.
    pub(crate) slice: bool,
    /// A wait that finished only one of its elements.
    pub(crate) partly: Option<(Span, Selection)>,
    /// The innermost loop in which it was made.
    pub(crate) made_in: Option<u32>,
}

/// A known position or key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Slot {
    /// The nth element of a list or tuple.
    Position(u32),
    /// The element under a key.
    Key(Symbol),
}

impl Container {
    pub(crate) fn new(kind: ContainerKind, made_in: Option<u32>) -> Self {
        Self {
            kind,
            entries: Vec::new(),
            rest: Vec::new(),
            filled: Some(false),
            like: None,
            escaped: false,
            launched: false,
            slice: false,
            partly: None,
            made_in,
        }
    }

    /// All elements that are known at all.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter().map(|(_, value)| value).chain(&self.rest)
    }

    fn elements_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.entries.iter_mut().map(|(_, value)| value).chain(&mut self.rest)
    }

    /// Whether every element is known with its place.
    pub(crate) fn is_exact(&self) -> bool {
        self.rest.is_empty() && (self.filled == Some(false) || !self.entries.is_empty())
    }

    /// Whether no element is followed.
    pub(crate) fn is_plain(&self) -> bool {
        self.elements().all(|value| matches!(value, Value::Symbol(_)))
    }

    /// The objects among the elements.
    pub(crate) fn objects(&self) -> Vec<ObjectId> {
        let mut objects = Vec::new();
        self.elements().for_each(|value| value.visit(&mut |object| objects.push(object)));
        objects.sort_unstable();
        objects.dedup();
        objects
    }

    /// Brings the rest into its normal form: single objects, one value for all that may be in it, and the others.
    ///
    /// Without that, joined paths would add ever other subsets of the same objects.
    pub(crate) fn tidy(&mut self) {
        let mut perhaps = Vec::new();
        let mut rest = Vec::new();
        for value in std::mem::take(&mut self.rest) {
            match value {
                Value::Each(objects) => rest.extend(objects.iter().copied().map(Value::Object)),
                Value::Perhaps(objects) => perhaps.extend(objects.iter().copied()),
                other => rest.push(other),
            }
        }
        perhaps.retain(|id| !rest.contains(&Value::Object(*id)));
        if !perhaps.is_empty() {
            rest.push(Value::perhaps(perhaps));
        }
        rest.sort();
        rest.dedup();
        self.rest = rest;
    }

    /// Keeps one more element in no known place.
    pub(crate) fn keep(&mut self, value: Value) {
        self.filled = Some(true);
        self.like = None;
        if !self.rest.contains(&value) {
            self.rest.push(value);
            self.tidy();
        }
    }

    /// Forgets the places of the elements.
    pub(crate) fn loosen(&mut self) {
        for (_, value) in std::mem::take(&mut self.entries) {
            self.rest.push(value);
        }
        self.tidy();
    }
}

/// An operation that waits to be launched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Operation {
    /// The function that built it.
    pub(crate) api: ApiId,
    /// Where.
    pub(crate) built: Span,
    /// Whether it was launched.
    pub(crate) launched: Status,
    /// Where it was launched.
    pub(crate) launch: Option<Span>,
    /// Whether others may hold it.
    pub(crate) escaped: bool,
    /// Whether it stands for any number of operations.
    pub(crate) many: bool,
    /// What it will use.
    pub(crate) buffers: Arc<[InFlight]>,
}

/// A function with some arguments bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Partial {
    pub(crate) callee: Value,
    pub(crate) arguments: Vec<Bound>,
}

/// An argument of a call, evaluated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bound {
    pub(crate) passing: Passing,
    pub(crate) value: Value,
    pub(crate) span: Span,
}

/// How an argument is passed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Passing {
    Position,
    Name(String),
    Spread,
}

/// How far a loop over a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Position {
    /// The next element is the nth of a container whose elements are all known.
    At(u32),
    /// No turn was taken yet.
    Before,
    /// At least one turn was taken.
    Within,
}

/// What a `with` block manages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Manager {
    /// The handle, if there is one, of all operations inside.
    Coalescing(Option<ObjectId>),
    /// An error is expected inside.
    ExpectingError,
    /// Its drop ends what was made with it.
    Owner(Owner),
}

/// Something whose drop ends what was made with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Owner {
    /// The function that gave it.
    pub(crate) api: ApiId,
    /// Where.
    pub(crate) acquired: Span,
    /// What was made with it last.
    pub(crate) lent: Option<Lent>,
    /// Whether others may hold it.
    pub(crate) escaped: bool,
}

/// Something that was made with an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lent {
    pub(crate) symbol: Symbol,
    pub(crate) at: Span,
}

impl Object {
    /// A function with arguments bound that refers to no other object: it means the same everywhere in the file.
    pub(crate) fn as_lasting_partial(&self) -> Option<&Partial> {
        match self {
            Self::Partial(partial) => {
                let plain = partial.callee.symbol().is_some()
                    && partial.arguments.iter().all(|bound| bound.value.symbol().is_some());
                plain.then_some(partial)
            }
            _ => None,
        }
    }

    /// Calls `visit` with every object that this one keeps alive.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(ObjectId)) {
        match self {
            Self::Handle(_) | Self::Operation(_) => {}
            Self::Manager(Manager::ExpectingError | Manager::Owner(_)) => {}
            Self::Manager(Manager::Coalescing(handle)) => handle.iter().copied().for_each(visit),
            Self::Container(container) => container.elements().for_each(|value| value.visit(visit)),
            Self::Partial(partial) => {
                partial.callee.visit(visit);
                partial.arguments.iter().for_each(|bound| bound.value.visit(visit));
            }
            Self::Lazy(function, over, _) => {
                function.visit(visit);
                over.iter().for_each(|value| value.visit(visit));
            }
            Self::Iterator(over, _) => over.visit(visit),
            Self::Coroutine(_, arguments, _) => arguments.iter().for_each(|bound| bound.value.visit(visit)),
        }
    }

    /// Renames the objects that it refers to.
    pub(crate) fn rename(&mut self, rename: &dyn Fn(ObjectId) -> ObjectId) {
        let apply = |value: &mut Value| *value = value.renamed(rename);
        match self {
            Self::Handle(_) | Self::Operation(_) => {}
            Self::Manager(Manager::ExpectingError | Manager::Owner(_)) => {}
            Self::Manager(Manager::Coalescing(handle)) => *handle = handle.map(rename),
            Self::Container(container) => {
                container.elements_mut().for_each(apply);
                container.tidy();
            }
            Self::Partial(partial) => {
                apply(&mut partial.callee);
                partial.arguments.iter_mut().for_each(|bound| apply(&mut bound.value));
            }
            Self::Lazy(function, over, _) => {
                apply(function);
                over.iter_mut().for_each(apply);
            }
            Self::Iterator(over, _) => apply(over),
            Self::Coroutine(_, arguments, _) => {
                arguments.iter_mut().for_each(|bound| apply(&mut bound.value))
            }
        }
    }
}
