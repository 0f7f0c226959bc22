//! A concrete interpreter of the IR that counts references, as CPython does: what the analysis is measured against.
//!
//! A **choice** is whatever a program does not determine: what a parameter holds, what a poll answers, how often a `while` turns.
//! A run is given its choices as a list and notes how many ways each choice had, so that all runs can be enumerated. A
//! parameter keeps its value, so that a condition that is tested twice gives the same answer twice.
//!
//! ```text
//! h = isend(x)            h: handle 0, pending                choice c = 1
//! if c:
//!     h = None            nothing refers to handle 0: lost here
//! ```
//!
//! What would raise in Python goes on here, because the analysis goes on: a method of `None` gives `None`, and so does an element
//! that does not exist. The condition of a `while` is chosen anew for each turn: its body is taken to change it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    Access, BlockId, Callee, Constant, ContainerKind, Function, FunctionId, Global, Item, Key, Local,
    Meaning, Operand, Operation, Operator, Terminator, Unit, Usage, Which,
};
use crate::source::Span;

/// What a variable holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Something that holds no object.
    Plain(Plain),
    /// An object.
    Object(usize),
    /// A method of an object, not called.
    Method(usize, String),
    /// The answer of a poll; what it answers is chosen when it is looked at.
    Polled(Vec<usize>, Which),
    /// Whether a handle is `None`, which is chosen when it is looked at.
    IsNone(usize),
    /// The opposite of an answer.
    Not(Box<Value>),
}

/// A value that holds no object.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plain {
    Constant(Constant),
    /// What a parameter, or an element of it, holds.
    Given(u32),
    Path(String),
    Function(FunctionId),
    Apply(Operator, Vec<Plain>),
}

impl Value {
    pub(super) const NONE: Self = Self::Plain(Plain::Constant(Constant::None));

    fn objects(&self) -> Vec<usize> {
        match self {
            Self::Plain(_) => Vec::new(),
            Self::Object(id) | Self::Method(id, _) | Self::IsNone(id) => vec![*id],
            Self::Polled(ids, _) => ids.clone(),
            Self::Not(inner) => inner.objects(),
        }
    }
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    Handle(Handle),
    Container(ContainerKind, Vec<(Value, Value)>),
    Iterator(Value, usize),
}

/// A handle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Handle {
    /// The call that started it, in each function that was running.
    pub(super) started: Vec<Span>,
    pub(super) finished: bool,
    /// What it uses.
    pub(super) buffers: Vec<(Value, Usage)>,
}

/// A pending handle that nothing refers to any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lost {
    /// The function that ran.
    pub(super) function: String,
    /// The call that started the handle, in this function.
    pub(super) started: (u32, u32),
    /// The operation that lost it.
    pub(super) at: (u32, u32),
}

/// A touch of a buffer that a pending operation uses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Clash {
    /// The call that started the operation, in the entry function.
    pub(super) started: (u32, u32),
    /// The operation that touches the buffer.
    pub(super) at: (u32, u32),
}

/// A run.
pub(super) struct World<'a> {
    unit: &'a Unit,
    pub(super) heap: BTreeMap<usize, Object>,
    frames: Vec<Frame>,
    /// What others hold.
    pub(super) escaped: BTreeSet<usize>,
    /// What is lost.
    pub(super) lost: BTreeSet<Lost>,
    /// Who touched what was in flight.
    clashes: BTreeSet<Clash>,
    pinned: Vec<Value>,
    nothing: Vec<(Value, Value)>,
    narrow: BTreeSet<u32>,
    choices: Vec<usize>,
    ways: Vec<usize>,
    given: BTreeMap<u32, usize>,
    next: u32,
    fuel: u32,
    strays: bool,
    /// The entry function's blocks are shown to the observer as they begin.
    observed: Vec<Snapshot>,
}

/// What the entry function's variables hold at the start of a block.
#[derive(Clone)]
pub(super) struct Snapshot {
    pub(super) block: BlockId,
    pub(super) locals: BTreeMap<Local, Value>,
    pub(super) heap: BTreeMap<usize, Object>,
    pub(super) escaped: BTreeSet<usize>,
}

struct Frame {
    function: FunctionId,
    locals: BTreeMap<Local, Value>,
    here: Span,
    turns: BTreeMap<BlockId, u32>,
}

/// How a run, or a call in it, ends.
enum End {
    Returned(Value),
    /// It raised, or took too long.
    Stopped,
}

/// What a run has done.
pub(super) struct Outcome {
    pub(super) lost: BTreeSet<Lost>,
    pub(super) clashes: BTreeSet<Clash>,
    pub(super) observed: Vec<Snapshot>,
    /// Whether it came to the end of the function.
    pub(super) complete: bool,
    /// Whether it did what an analysis does not have to follow: what raises in Python (a place that a list does not have, a change of
    /// a tuple), or changes a list while a loop goes through it, or takes one of handles and `None` out of a list.
    pub(super) strays: bool,
    /// The choices that were made, and how many ways each had.
    pub(super) choices: Vec<(usize, usize)>,
}

/// How often a `while` turns at most.
const MOST_TURNS: u32 = 3;
/// What is given is one of so many numbers, and a sequence that is given has as many elements.
const WIDE: usize = 4;

/// Runs a function with these choices, and the first way of every choice behind them.
pub(super) fn run(unit: &Unit, function: FunctionId, choices: Vec<usize>) -> Outcome {
    let mut world = World {
        unit,
        heap: BTreeMap::new(),
        frames: Vec::new(),
        escaped: BTreeSet::new(),
        lost: BTreeSet::new(),
        clashes: BTreeSet::new(),
        pinned: Vec::new(),
        nothing: Vec::new(),
        narrow: BTreeSet::new(),
        choices,
        ways: Vec::new(),
        given: BTreeMap::new(),
        next: 0,
        fuel: 2_000,
        strays: false,
        observed: Vec::new(),
    };
    let parameters = unit.function(function).parameters.iter();
    let arguments = parameters.map(|parameter| world.argument(&parameter.name)).collect();
    let end = world.call(function, arguments);
    let complete = matches!(end, End::Returned(_));
    world.choices.resize(world.ways.len(), 0);
    let choices = world.choices.into_iter().zip(world.ways).collect();
    let (lost, clashes) = (world.lost, world.clashes);
    Outcome { lost, clashes, observed: world.observed, complete, strays: world.strays, choices }
}

/// All runs of a function, or the first so many; tells whether these are all.
pub(super) fn enumerate(
    unit: &Unit,
    function: FunctionId,
    most: usize,
    visit: &mut dyn FnMut(&Outcome) -> Search,
) -> Coverage {
    let mut choices = Vec::new();
    for _ in 0..most {
        let outcome = run(unit, function, choices);
        if visit(&outcome) == Search::Found {
            return Coverage::All;
        }
        let Some(next) = following(&outcome.choices) else { return Coverage::All };
        choices = next;
    }
    Coverage::Some
}

/// Whether the search for a run goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    Found,
    Open,
}

/// Whether all runs were seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    All,
    Some,
}

/// The choices that come next in order.
fn following(choices: &[(usize, usize)]) -> Option<Vec<usize>> {
    let last = choices.iter().rposition(|&(choice, ways)| choice + 1 < ways)?;
    let mut next: Vec<usize> = choices[..=last].iter().map(|&(choice, _)| choice).collect();
    next[last] += 1;
    Some(next)
}

impl World<'_> {
    fn choose(&mut self, ways: usize) -> usize {
        let at = self.ways.len();
        self.ways.push(ways);
        self.choices.get(at).copied().unwrap_or(0) % ways
    }

    fn something(&mut self) -> Value {
        self.next += 1;
        Value::Plain(Plain::Given(self.next))
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().unwrap()
    }

    /// An argument of the entry function; names with `c` and `w` in front are conditions.
    fn argument(&mut self, name: &str) -> Value {
        let value = self.something();
        if name.starts_with(['c', 'w']) {
            self.narrow.insert(self.next);
        }
        value
    }

    fn call(&mut self, id: FunctionId, arguments: Vec<Value>) -> End {
        let function = self.unit.function(id);
        let parameters = function.parameters.iter().map(|it| it.local);
        let locals = parameters.zip(arguments).collect();
        self.frames.push(Frame { function: id, locals, here: Span::default(), turns: BTreeMap::new() });
        let end = if self.frames.len() > 8 { End::Stopped } else { self.blocks(function) };
        if let End::Returned(value) = &end {
            self.pinned.push(value.clone());
            self.frame().locals.clear();
            self.settle();
        }
        self.frames.pop();
        end
    }

    fn blocks(&mut self, function: &Function) -> End {
        let mut at = BlockId(0);
        loop {
            if self.frames.len() == 1 {
                let locals = self.frame().locals.clone();
                let (heap, escaped) = (self.heap.clone(), self.escaped.clone());
                self.observed.push(Snapshot { block: at, locals, heap, escaped });
            }
            let block = &function.blocks[at.0 as usize];
            for op in &block.ops {
                if self.fuel == 0 {
                    return End::Stopped;
                }
                self.fuel -= 1;
                self.frame().here = op.span;
                let pinned = self.pinned.len();
                if !self.execute(&op.operation) {
                    return End::Stopped;
                }
                self.pinned.truncate(pinned);
                self.settle();
            }
            match self.go_on(at, &block.end) {
                Way::To(next) => at = next,
                Way::End(end) => return end,
            }
        }
    }

    fn go_on(&mut self, from: BlockId, end: &Terminator) -> Way {
        match end {
            Terminator::Goto(to) => Way::To(*to),
            Terminator::Choose(ways) => Way::To(ways[self.choose(ways.len())]),
            Terminator::Branch { on, yes, no, span, repeats } => {
                self.frame().here = *span;
                let value = self.operand(on);
                if *repeats {
                    self.change(&value);
                }
                let truth = self.truth(&value);
                let turns = self.frame().turns.entry(from).or_default();
                *turns += u32::from(truth);
                if *repeats && *turns > MOST_TURNS {
                    return Way::End(End::Stopped);
                }
                self.settle();
                Way::To(if truth { *yes } else { *no })
            }
            Terminator::Next { iterator, item, body, done, span } => {
                self.frame().here = *span;
                match self.next_element(*iterator) {
                    Some(value) => {
                        self.bind(*item, value);
                        self.settle();
                        Way::To(*body)
                    }
                    None => Way::To(*done),
                }
            }
            Terminator::Return { value, span } => {
                self.frame().here = *span;
                Way::End(End::Returned(self.operand(value)))
            }
            Terminator::Raise => Way::End(End::Stopped),
        }
    }

    fn next_element(&mut self, iterator: Local) -> Option<Value> {
        let Some(Value::Object(id)) = self.frame().locals.get(&iterator).cloned() else { return None };
        let Some(Object::Iterator(over, at)) = self.heap.get_mut(&id) else { return None };
        let index = *at;
        *at += 1;
        match over.clone() {
            Value::Object(of) => match self.heap.get(&of) {
                Some(Object::Container(_, elements)) => elements.get(index).map(|(_, value)| value.clone()),
                _ => None,
            },
            Value::Plain(Plain::Given(number)) => (index < self.value_of(number)).then(|| self.something()),
            _ => None,
        }
    }

    fn operand(&mut self, operand: &Operand) -> Value {
        match operand {
            Operand::Local(local) => self.frame().locals.get(local).cloned().unwrap_or(Value::NONE),
            Operand::Constant(constant) => Value::Plain(Plain::Constant(constant.clone())),
        }
    }

    fn bind(&mut self, to: Local, value: Value) {
        self.frame().locals.insert(to, value);
    }

    fn make(&mut self, object: Object) -> Value {
        self.next += 1;
        let id = self.next as usize;
        self.heap.insert(id, object);
        Value::Object(id)
    }

    /// Drops what nothing refers to, and notes what was pending of it.
    fn settle(&mut self) {
        let mut stack: Vec<usize> = self.escaped.iter().copied().collect();
        let held = self.frames.iter().flat_map(|frame| frame.locals.values()).chain(&self.pinned);
        stack.extend(held.flat_map(Value::objects));
        let alive = self.reach(stack);
        let gone: Vec<usize> = self.heap.keys().copied().filter(|id| !alive.contains(id)).collect();
        for id in gone {
            if let Some(Object::Handle(handle)) = self.heap.remove(&id)
                && !handle.finished
            {
                self.lose(&handle);
            }
        }
    }

    fn lose(&mut self, handle: &Handle) {
        let depth = self.frames.len() - 1;
        let Some(started) = handle.started.get(depth).copied() else { return };
        let frame = self.frame();
        let (id, at) = (frame.function, frame.here);
        let function = self.unit.function(id).name.clone();
        let [started, at] = [started, at].map(|span| (span.start, span.end));
        self.lost.insert(Lost { function, started, at });
    }

    fn reach(&self, mut stack: Vec<usize>) -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.heap.get(&id) {
                Some(Object::Container(_, elements)) => {
                    stack.extend(elements.iter().flat_map(|(_, value)| value.objects()));
                }
                Some(Object::Iterator(over, _)) => stack.extend(over.objects()),
                Some(Object::Handle(_)) | None => {}
            }
        }
        seen
    }
}

enum Way {
    To(BlockId),
    End(End),
}

/// What each operation does; false where the run stops.
impl World<'_> {
    fn execute(&mut self, operation: &Operation) -> bool {
        match operation {
            Operation::Assign { to, from } => {
                let value = self.operand(from);
                self.bind(*to, value);
            }
            Operation::Compute { to, operator, operands } => {
                let values: Vec<Value> = operands.iter().map(|operand| self.operand(operand)).collect();
                let value = self.compute(operator, &values);
                self.bind(*to, value);
            }
            Operation::Field { to, of, name } => {
                let value = match self.operand(of) {
                    Value::Plain(Plain::Path(path)) => Value::Plain(Plain::Path(format!("{path}.{name}"))),
                    Value::Object(id) => Value::Method(id, name.clone()),
                    _ => self.something(),
                };
                self.bind(*to, value);
            }
            Operation::Element { to, of, key } => {
                let (of, key) = (self.operand(of), self.key(key));
                let value = self.element(&of, &key);
                self.bind(*to, value);
            }
            Operation::SetElement { of, key, value } => {
                let (of, key, value) = (self.operand(of), self.key(key), self.operand(value));
                self.set_element(&of, key, value);
            }
            Operation::Collect { to, kind, items } => {
                let mut elements = Vec::new();
                for item in items {
                    match item {
                        Item::One(operand) => elements.push((Value::NONE, self.operand(operand))),
                        Item::Keyed(key, operand) => {
                            elements.push((self.operand(key), self.operand(operand)));
                        }
                        Item::Spread(operand) => {
                            let value = self.operand(operand);
                            elements.extend(self.elements(&value).clone());
                        }
                    }
                }
                let value = self.make(Object::Container(*kind, elements));
                self.bind(*to, value);
            }
            Operation::Unpack { to, star: None, from } => {
                let from = self.operand(from);
                let elements = self.elements(&from).clone();
                if elements.len() != to.len() {
                    return false;
                }
                for (&local, (_, value)) in to.iter().zip(elements) {
                    self.bind(local, value);
                }
            }
            Operation::Global { to, name } => {
                let value = match self.unit.globals.get(name) {
                    Some(Global::Import(path)) => Plain::Path(path.clone()),
                    Some(Global::Function(function)) => Plain::Function(*function),
                    _ => Plain::Path(format!("builtins.{name}")),
                };
                self.bind(*to, Value::Plain(value));
            }
            Operation::Iterate { to, over } => {
                let over = self.operand(over);
                let iterator = self.make(Object::Iterator(over, 0));
                self.bind(*to, iterator);
            }
            Operation::Forget { local, .. } => {
                self.frame().locals.remove(local);
            }
            Operation::Escape { value } => {
                let value = self.operand(value);
                self.escape(&value);
            }
            Operation::Touch { buffer, access } => {
                let buffer = self.operand(buffer);
                self.touch(&buffer, *access);
            }
            Operation::Fresh { to } => {
                let value = self.something();
                self.bind(*to, value);
            }
            Operation::View { to, of } => {
                let value = self.operand(of);
                self.bind(*to, value);
            }
            Operation::Start { to, buffers, .. } => {
                let used: Vec<(Value, Usage)> =
                    buffers.iter().map(|(buffer, usage)| (self.operand(buffer), *usage)).collect();
                used.iter().for_each(|(buffer, usage)| self.use_at_once(buffer, *usage));
                let value = self.start(used);
                self.bind(*to, value);
            }
            Operation::Finish { target, which } => {
                let target = self.operand(target);
                self.finish(&target, *which);
            }
            Operation::Poll { to, target, which } => {
                let target = self.operand(target);
                self.bind(*to, Value::Polled(target.objects(), *which));
            }
            Operation::Push { container, value } => {
                let (container, value) = (self.operand(container), self.operand(value));
                self.changes(&container);
                self.elements(&container).push((Value::NONE, value));
            }
            Operation::Take { to, container } => {
                let container = self.operand(container);
                self.changes(&container);
                let value = self.take(&container);
                self.bind(*to, value);
            }
            Operation::Call { to, callee, arguments } => {
                let arguments: Vec<Value> = arguments.iter().map(|it| self.operand(&it.value)).collect();
                let Some(value) = self.call_callee(callee, arguments) else { return false };
                self.bind(*to, value);
            }
            other => panic!("the programs of these tests have no {other:?}"),
        }
        true
    }

    fn call_callee(&mut self, callee: &Callee, arguments: Vec<Value>) -> Option<Value> {
        match callee {
            Callee::Value(operand) => match self.operand(operand) {
                Value::Plain(Plain::Function(function)) => self.call_function(function, arguments),
                _ => Some(self.call_unknown(&arguments)),
            },
            Callee::Method { receiver, name, meaning } => {
                let receiver = self.operand(receiver);
                match (&receiver, name.as_str(), meaning) {
                    (Value::Plain(Plain::Path(path)), name, _) if path == "torch.distributed" => {
                        Some(self.start_with(name, arguments))
                    }
                    (Value::Plain(Plain::Path(_)), "empty", _) => Some(self.something()),
                    (Value::Plain(Plain::Given(_)), "view", _) => Some(receiver),
                    (Value::Plain(Plain::Given(_)), "sum", _) => {
                        self.touch(&receiver, Access::Read);
                        Some(self.something())
                    }
                    (Value::Plain(Plain::Given(_)), "zero_", _) => {
                        self.touch(&receiver, Access::Write);
                        Some(receiver)
                    }
                    (Value::Object(id), _, Some(meaning)) => Some(self.method(*id, *meaning, &arguments)),
                    (_, "wait", _) => {
                        self.finish(&receiver, Which::One);
                        Some(Value::NONE)
                    }
                    (_, "is_completed", _) => Some(Value::Polled(receiver.objects(), Which::One)),
                    _ => Some(self.call_unknown(&arguments)),
                }
            }
        }
    }

    fn call_function(&mut self, function: FunctionId, arguments: Vec<Value>) -> Option<Value> {
        self.pinned.extend(arguments.iter().cloned());
        match self.call(function, arguments) {
            End::Returned(value) => Some(value),
            End::Stopped => None,
        }
    }

    fn call_unknown(&mut self, arguments: &[Value]) -> Value {
        arguments.iter().for_each(|argument| self.escape(argument));
        self.something()
    }

    fn method(&mut self, id: usize, meaning: Meaning, arguments: &[Value]) -> Value {
        let this = Value::Object(id);
        let first = arguments.first().cloned().unwrap_or(Value::NONE);
        self.changes(&this);
        match meaning {
            Meaning::Push => self.elements(&this).push((Value::NONE, first)),
            Meaning::Take => return self.take(&this),
            Meaning::Clear => self.elements(&this).clear(),
            Meaning::Extend => {
                let more = self.elements(&first).clone();
                self.elements(&this).extend(more);
            }
            other => panic!("the programs of these tests have no {other:?}"),
        }
        Value::NONE
    }

    fn start_with(&mut self, name: &str, mut arguments: Vec<Value>) -> Value {
        let usage = match name {
            "isend" => Usage::Sends,
            "irecv" => Usage::Receives,
            _ => Usage::Both,
        };
        let buffer = arguments.swap_remove(0);
        self.use_at_once(&buffer, usage);
        self.start(vec![(buffer, usage)])
    }

    /// An operation begins to use a buffer.
    fn use_at_once(&mut self, buffer: &Value, usage: Usage) {
        self.touch(buffer, if usage == Usage::Sends { Access::Read } else { Access::Write });
    }

    fn start(&mut self, buffers: Vec<(Value, Usage)>) -> Value {
        let started = self.frames.iter().map(|frame| frame.here).collect();
        self.make(Object::Handle(Handle { started, finished: false, buffers }))
    }

    /// Data is touched: a pending operation that uses it, and has a right to, is in its way.
    fn touch(&mut self, buffer: &Value, access: Access) {
        let at = (self.frame().here.start, self.frame().here.end);
        for (id, object) in &self.heap {
            let Object::Handle(handle) = object else { continue };
            let clashes = |(used, usage): &(Value, Usage)| {
                used == buffer && !(access == Access::Read && *usage == Usage::Sends)
            };
            if !handle.finished && !self.escaped.contains(id) && handle.buffers.iter().any(clashes) {
                let started = handle.started[0];
                self.clashes.insert(Clash { started: (started.start, started.end), at });
            }
        }
    }

    fn escape(&mut self, value: &Value) {
        let all = self.reach(value.objects());
        for &id in &all {
            if matches!(self.heap.get(&id), Some(Object::Container(_, elements)) if elements.is_empty()) {
                self.fill(id);
            }
        }
        self.escaped.extend(all);
    }

    /// Whoever got an empty container may have put something into it.
    fn fill(&mut self, id: usize) {
        let count = self.choose(3);
        for index in 0..count {
            let element = self.something();
            if let Some(Object::Container(_, elements)) = self.heap.get_mut(&id) {
                elements.push((Value::Plain(Plain::Constant(Constant::Int(index as i64))), element));
            }
        }
    }

    fn finish(&mut self, target: &Value, which: Which) {
        let all = self.reach(target.objects());
        let mut handles: Vec<usize> =
            all.into_iter().filter(|id| matches!(self.heap.get(id), Some(Object::Handle(_)))).collect();
        if which == Which::Any && handles.len() > 1 {
            let one = self.choose(handles.len());
            handles = vec![handles[one]];
        }
        for id in handles {
            if let Some(Object::Handle(handle)) = self.heap.get_mut(&id) {
                handle.finished = true;
            }
        }
    }

    fn set_element(&mut self, of: &Value, key: Value, value: Value) {
        match self.position(of, &key) {
            Some(at) => self.elements(of)[at].1 = value,
            None if self.kind(of) == Some(ContainerKind::Dict) => self.elements(of).push((key, value)),
            None => self.strays = true,
        }
        self.changes(of);
    }

    /// A container changes: a tuple cannot, and a list should not while a loop goes through it.
    fn changes(&mut self, container: &Value) {
        let goes_through = |object: &Object| matches!(object, Object::Iterator(over, _) if over == container);
        self.strays |=
            self.kind(container) == Some(ContainerKind::Tuple) || self.heap.values().any(goes_through);
    }

    fn element(&mut self, of: &Value, key: &Value) -> Value {
        match self.position(of, key) {
            Some(at) => {
                let value = self.elements(of)[at].1.clone();
                self.mixes(of, &value);
                value
            }
            None => {
                self.strays |= self.kind(of).is_some();
                Value::NONE
            }
        }
    }

    /// A list with handles and `None` in it, of which one is taken: the analysis takes it to be a handle.
    fn mixes(&mut self, of: &Value, taken: &Value) {
        self.strays |= taken.objects().is_empty()
            && self.elements(of).iter().any(|(_, value)| !value.objects().is_empty());
    }

    fn take(&mut self, of: &Value) -> Value {
        let taken = self.elements(of).pop();
        self.strays |= self.kind(of).is_some() && taken.is_none();
        let taken = taken.map_or(Value::NONE, |(_, value)| value);
        self.mixes(of, &taken);
        taken
    }

    fn kind(&self, of: &Value) -> Option<ContainerKind> {
        match self.heap.get(of.objects().first()?) {
            Some(Object::Container(kind, _)) => Some(*kind),
            _ => None,
        }
    }

    /// The elements of a container; of anything else none, and what is added is dropped.
    fn elements(&mut self, container: &Value) -> &mut Vec<(Value, Value)> {
        self.nothing.clear();
        match container {
            Value::Object(id) => match self.heap.get_mut(id) {
                Some(Object::Container(_, elements)) => elements,
                _ => &mut self.nothing,
            },
            _ => &mut self.nothing,
        }
    }

    fn key(&mut self, key: &Key) -> Value {
        match key {
            Key::At(operand) => self.operand(operand),
            Key::Range(..) => panic!("the programs of these tests have no slices"),
        }
    }

    fn position(&mut self, of: &Value, key: &Value) -> Option<usize> {
        let Value::Object(id) = of else { return None };
        let Some(Object::Container(kind, elements)) = self.heap.get(id).cloned() else { return None };
        if kind == ContainerKind::Dict {
            return elements.iter().position(|(known, _)| known == key);
        }
        let index = match key {
            Value::Plain(Plain::Constant(Constant::Int(n))) => *n,
            Value::Plain(Plain::Given(number)) => self.value_of(*number) as i64,
            _ => return None,
        };
        let index = if index < 0 { index + elements.len() as i64 } else { index };
        usize::try_from(index).ok().filter(|&index| index < elements.len())
    }
}

/// Conditions.
impl World<'_> {
    /// What something that is given is worth: as a number, as a truth value, as a number of elements.
    fn value_of(&mut self, number: u32) -> usize {
        if let Some(&known) = self.given.get(&number) {
            return known;
        }
        let ways = if self.narrow.contains(&number) { 2 } else { WIDE };
        let chosen = self.choose(ways);
        self.given.insert(number, chosen);
        chosen
    }

    fn compute(&mut self, operator: &Operator, values: &[Value]) -> Value {
        let truth = |truth: bool| Value::Plain(Plain::Constant(Constant::Bool(truth)));
        let plain: Option<Vec<Plain>> = values
            .iter()
            .map(|value| if let Value::Plain(plain) = value { Some(plain.clone()) } else { None })
            .collect();
        match (operator, values) {
            (Operator::Is, [Value::Object(id), other]) if *other == Value::NONE && self.is_handle(*id) => {
                Value::IsNone(*id)
            }
            (Operator::IsNot, [one, other]) => {
                let same = self.compute(&Operator::Is, &[one.clone(), other.clone()]);
                self.compute(&Operator::Not, &[same])
            }
            (Operator::Is, [one, other]) => truth(one == other),
            (Operator::Not, [one]) if plain.is_none() => Value::Not(Box::new(one.clone())),
            _ => Value::Plain(Plain::Apply(operator.clone(), plain.unwrap())),
        }
    }

    fn truth(&mut self, value: &Value) -> bool {
        match value {
            Value::Plain(plain) => self.number(plain) != 0,
            Value::Object(id) => match self.heap.get(id) {
                Some(Object::Container(_, elements)) => !elements.is_empty(),
                Some(Object::Handle(_)) => !self.is_none(*id),
                Some(Object::Iterator(..)) | None => true,
            },
            Value::IsNone(id) => self.is_none(*id),
            Value::Method(..) => true,
            Value::Polled(targets, which) => {
                let finished = self.choose(2) == 0;
                if finished {
                    let targets = targets.clone();
                    targets.iter().for_each(|&id| self.finish(&Value::Object(id), *which));
                }
                finished
            }
            Value::Not(inner) => !self.truth(inner),
        }
    }

    fn is_handle(&self, id: usize) -> bool {
        matches!(self.heap.get(&id), Some(Object::Handle(_)))
    }

    /// Every start may have given `None`; where a test says so, it did.
    fn is_none(&mut self, id: usize) -> bool {
        if !self.is_handle(id) || self.choose(2) == 0 {
            return false;
        }
        let vanish = |value: &mut Value| {
            if value.objects().contains(&id) {
                *value = Value::NONE;
            }
        };
        self.frames.iter_mut().flat_map(|frame| frame.locals.values_mut()).for_each(vanish);
        for object in self.heap.values_mut() {
            if let Object::Container(_, elements) = object {
                elements.iter_mut().for_each(|(_, value)| vanish(value));
            }
        }
        self.heap.remove(&id);
        true
    }

    fn number(&mut self, plain: &Plain) -> i64 {
        match plain {
            Plain::Constant(Constant::None) => 0,
            Plain::Constant(Constant::Bool(truth)) => i64::from(*truth),
            Plain::Constant(Constant::Int(number)) => *number,
            Plain::Given(number) => self.value_of(*number) as i64,
            Plain::Apply(operator, operands) => {
                let all: Vec<i64> = operands.iter().map(|operand| self.number(operand)).collect();
                i64::from(match (operator, all.as_slice()) {
                    (Operator::Not, [one]) => *one == 0,
                    (Operator::And, all) => all.iter().all(|one| *one != 0),
                    (Operator::Or, all) => all.iter().any(|one| *one != 0),
                    (Operator::Equal, [a, b]) => a == b,
                    (Operator::NotEqual, [a, b]) => a != b,
                    (Operator::Less, [a, b]) => a < b,
                    (Operator::LessEqual, [a, b]) => a <= b,
                    (Operator::Greater, [a, b]) => a > b,
                    (Operator::GreaterEqual, [a, b]) => a >= b,
                    other => panic!("the programs of these tests have no {other:?}"),
                })
            }
            Plain::Constant(_) | Plain::Path(_) | Plain::Function(_) => 1,
        }
    }

    /// What a value is made of may be something else from now on.
    fn change(&mut self, value: &Value) {
        let mut stack = match value {
            Value::Plain(plain) => vec![plain.clone()],
            _ => Vec::new(),
        };
        while let Some(plain) = stack.pop() {
            match plain {
                Plain::Given(number) => {
                    self.given.remove(&number);
                }
                Plain::Apply(_, operands) => stack.extend(operands),
                Plain::Constant(_) | Plain::Path(_) | Plain::Function(_) => {}
            }
        }
    }
}
