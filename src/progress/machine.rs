//! Runs one rank through a function and writes down what other ranks see of it.
//!
//! ```text
//! def pass_on(x, flag):                    rank 1 of 3                    script
//!     rank = dist.get_rank()               rank: 1
//!     if flag:                             chosen: true
//!         dist.send(x, (rank + 1) % 3)     to: 2                          send to 2, wait
//!     dist.recv(x, rank - 1)               from: 0                        receive from 0, wait
//! ```

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::choice::{Choices, Question};
use super::frame::Frame;
use super::relevance::{Relevance, assigns};
use super::script::{Script, Turn};
use super::value::{Atom, Instance, Nature, Remaining, Shape, Site, Term, Terms, Value};
use crate::catalog::Catalog;
use crate::ir::{
    BlockId, ClassId, Constant, FunctionId, Global, Local, Operand, Operation, Place, Terminator, Unit,
};
use crate::source::Span;

/// Operations that one rank may run through.
const STEPS: u32 = 3000;
/// Calls inside each other.
pub(super) const DEPTH: u32 = 10;
/// Turns of a loop whose end is not known.
const TURNS: u32 = 2;

/// What names hold.
type Names = HashMap<Rc<str>, Value>;
/// What attributes hold.
type Attributes = BTreeMap<String, Value>;

/// What all runs of a file share.
pub(super) struct Program<'a> {
    pub(super) unit: &'a Unit,
    pub(super) catalog: &'a Catalog,
    pub(super) relevance: &'a Relevance,
    /// What names of the top level hold, by the rank and how many there are.
    pub(super) globals: RefCell<HashMap<(usize, usize), Names>>,
    /// What constructors put into attributes for certain, by the class, the rank and how many there are.
    pub(super) attributes: RefCell<HashMap<(ClassId, usize, usize), Attributes>>,
}

/// Why a run ends before its function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// What happens is not known.
    Undecided,
    /// An exception leaves the function.
    Raised,
}

/// How a frame hands over.
pub(super) enum Flow {
    Returned(Value),
    Yielded(Value),
}

/// Whether unknown branches are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// All ways are followed, and what ranks do is written down.
    Followed,
    /// Only what is certain is learnt, as of constructors.
    Skimmed,
}

/// One rank on its way.
pub(super) struct Machine<'a, 'r> {
    pub(super) program: &'r Program<'a>,
    pub(super) terms: &'r mut Terms,
    pub(super) choices: &'r mut Choices,
    pub(super) rank: usize,
    pub(super) size: usize,
    /// The group that is looked at as the world, where it is not the world.
    pub(super) primary: Option<Term>,
    pub(super) manner: Manner,
    pub(super) script: Script,
    pub(super) steps: u32,
    pub(super) occurrences: HashMap<Rc<Site>, u32>,
    /// What all ranks have made alike.
    pub(super) synced: HashSet<Term>,
    /// Which element of an iteration in no certain order something was made for.
    pub(super) born: HashMap<Term, u64>,
    pub(super) element: Option<u64>,
    pub(super) globals: HashMap<Rc<str>, Value>,
    /// Groups that are not the world, and whether the world occurs.
    pub(super) groups: BTreeSet<Term>,
    pub(super) world: bool,
    /// Whether a condition or a range depends on the number of the rank.
    pub(super) ranked: bool,
    pub(super) visited: BTreeSet<FunctionId>,
    /// Operations that are built and not started.
    pub(super) unlaunched: i32,
}

impl<'a, 'r> Machine<'a, 'r> {
    pub(super) fn new(
        program: &'r Program<'a>,
        terms: &'r mut Terms,
        choices: &'r mut Choices,
        (rank, size): (usize, usize),
        primary: Option<Term>,
    ) -> Self {
        Machine {
            program,
            terms,
            choices,
            rank,
            size,
            primary,
            manner: Manner::Followed,
            script: Script::default(),
            steps: 0,
            occurrences: HashMap::new(),
            synced: HashSet::new(),
            born: HashMap::new(),
            element: None,
            globals: HashMap::new(),
            groups: BTreeSet::new(),
            world: false,
            ranked: false,
            visited: BTreeSet::new(),
            unlaunched: 0,
        }
    }

    /// Runs a function as nobody's callee.
    pub(super) fn run_root(&mut self, function: FunctionId) -> Result<(), Stop> {
        let unit = self.program.unit;
        if function != FunctionId(0) {
            self.learn_globals();
        }
        let entry = unit.function(function);
        let receiver = entry
            .class
            .filter(|_| entry.kind == crate::ir::FunctionKind::Method)
            .map(|class| self.object(class));
        let mut frame = self.frame_of_root(function, receiver);
        loop {
            match self.run(&mut frame)? {
                Flow::Returned(_) if self.unlaunched == 0 => return Ok(()),
                Flow::Returned(_) => return Err(Stop::Undecided),
                Flow::Yielded(_) => {}
            }
        }
    }

    /// What names of the top level hold. A list or dictionary may be another one each time.
    fn learn_globals(&mut self) {
        let key = (self.rank, self.size);
        if let Some(known) = self.program.globals.borrow().get(&key) {
            self.globals = known.clone();
            return;
        }
        self.skim(FunctionId(0), Vec::new());
        self.globals.retain(|_, value| is_lasting(value));
        self.program.globals.borrow_mut().insert(key, self.globals.clone());
    }

    /// Learns what is certain of a function's effects, without a trace of it in the script.
    fn skim(&mut self, function: FunctionId, arguments: Vec<Value>) {
        let (manner, steps) = (self.manner, self.steps);
        self.manner = Manner::Skimmed;
        let mut frame = self.frame_of_root(function, arguments.into_iter().next());
        let _ = self.run(&mut frame);
        self.manner = manner;
        self.steps = steps;
        self.script = Script::default();
    }

    /// An instance of which is known what its constructor does for certain.
    fn object(&mut self, class: ClassId) -> Value {
        let name: Rc<str> = Rc::from(format!("self {}", class.0));
        let term = self.named(&name);
        let instance = Rc::new(Instance { class: Some(class), fields: RefCell::default(), term });
        let object = Value::Instance(Rc::clone(&instance));
        let key = (class, self.rank, self.size);
        if let Some(known) = self.program.attributes.borrow().get(&key) {
            *instance.fields.borrow_mut() = known.clone();
            return object;
        }
        if let Some(constructor) = self.method_of(class, "__init__") {
            self.skim(constructor, vec![object.clone()]);
        }
        instance.fields.borrow_mut().retain(|_, value| is_lasting(value));
        self.program.attributes.borrow_mut().insert(key, instance.fields.borrow().clone());
        object
    }

    fn frame_of_root(&mut self, function: FunctionId, receiver: Option<Value>) -> Frame {
        let entry = self.program.unit.function(function);
        let mut locals = vec![Value::NONE; entry.locals.len()];
        let mut receiver = receiver;
        for parameter in &entry.parameters {
            let value = receiver.take().unwrap_or_else(|| self.parameter(function, &parameter.name));
            if let Some(slot) = locals.get_mut(parameter.local.0 as usize) {
                *slot = value;
            }
        }
        self.captures_unknown(function, &mut locals);
        self.visited.insert(function);
        Frame::new(function, locals, None, 0)
    }

    /// What a function captures where the function around it does not run.
    pub(super) fn captures_unknown(&mut self, function: FunctionId, locals: &mut [Value]) {
        let entry = self.program.unit.function(function);
        for (here, _) in &entry.captures {
            let name = entry.locals.get(here.0 as usize).map(|it| it.name.clone()).unwrap_or_default();
            if let Some(slot) = locals.get_mut(here.0 as usize) {
                *slot = self.parameter(function, &name);
            }
        }
    }

    /// A parameter that nobody gives: the rank and the number of ranks are known by their names.
    fn parameter(&mut self, function: FunctionId, name: &str) -> Value {
        if let Some(value) = self.by_name(name) {
            return value;
        }
        let shape = Shape::Apply(format!("parameter {}", function.0).into(), vec![Atom::Path(name.into())]);
        Value::Unknown(self.terms.intern(shape, Nature { name: name.into(), ..Nature::default() }))
    }

    pub(super) fn named(&mut self, name: &Rc<str>) -> Term {
        self.terms
            .intern(Shape::Named(Rc::clone(name)), Nature { name: Rc::clone(name), ..Nature::default() })
    }

    /// Runs until the frame returns or yields.
    pub(super) fn run(&mut self, frame: &mut Frame) -> Result<Flow, Stop> {
        let unit = self.program.unit;
        loop {
            let block = &unit.function(frame.function).blocks[frame.block.0 as usize];
            while let Some(op) = block.ops.get(frame.next) {
                frame.next += 1;
                self.steps += 1;
                if self.steps > STEPS {
                    return Err(Stop::Undecided);
                }
                if let Operation::Yield { to, value } = &op.operation {
                    let value = self.operand(frame, value);
                    self.set(frame, *to, Value::NONE);
                    return Ok(Flow::Yielded(value));
                }
                self.operation(frame, &op.operation, op.span)?;
            }
            self.steps += 1;
            if let Some(value) = self.terminate(frame, &block.end)? {
                return Ok(Flow::Returned(value));
            }
        }
    }

    fn terminate(&mut self, frame: &mut Frame, end: &Terminator) -> Result<Option<Value>, Stop> {
        match end {
            Terminator::Goto(to) => self.go(frame, *to),
            Terminator::Branch { on, yes, no, span, repeats } => {
                let value = self.operand(frame, on);
                return self.branch(frame, &value, (*yes, *no), (*span, *repeats));
            }
            Terminator::Next { iterator, item, body, done, span } => {
                return self.next(frame, (*iterator, *item), (*body, *done), *span);
            }
            Terminator::Choose(to) => return self.choose_way(frame, to),
            Terminator::Return { value, .. } => return Ok(Some(self.operand(frame, value))),
            Terminator::Raise => return Err(Stop::Raised),
        }
        Ok(None)
    }

    fn go(&mut self, frame: &mut Frame, to: BlockId) {
        frame.block = to;
        frame.next = 0;
    }

    /// The first way is that without an exception, or the first pattern.
    fn choose_way(&mut self, frame: &mut Frame, to: &[BlockId]) -> Result<Option<Value>, Stop> {
        match to.first() {
            Some(first) => self.go(frame, *first),
            None => return Err(Stop::Undecided),
        }
        Ok(None)
    }

    fn branch(
        &mut self,
        frame: &mut Frame,
        value: &Value,
        (yes, no): (BlockId, BlockId),
        (span, repeats): (Span, bool),
    ) -> Result<Option<Value>, Stop> {
        let from = frame.block;
        self.ranked |= matches!(value, Value::Ranked(_));
        if let Some(truth) = self.truth(value) {
            self.note_turn(frame, from, span, (u64::from(truth), None));
            self.go(frame, if truth { yes } else { no });
            return Ok(None);
        }
        let term = self.term_of(value);
        if !self.must_follow(frame, from) {
            return Ok(self.skip(frame, from, term));
        }
        let turn = frame.turns.get(&from).copied().unwrap_or(0);
        let truth = match repeats && turn >= TURNS {
            // How long it goes on is not known.
            true => return Err(Stop::Undecided),
            false => self.decide(term, if repeats { turn } else { 0 })?,
        };
        if repeats {
            *frame.turns.entry(from).or_default() += 1;
        }
        let local = self.local(term);
        self.note_turn(frame, from, span, (u64::from(truth), local));
        self.go(frame, if truth { yes } else { no });
        Ok(None)
    }

    fn must_follow(&self, frame: &Frame, from: BlockId) -> bool {
        self.manner == Manner::Followed
            && self.program.relevance.region(self.program.unit, frame.function, from).matters
    }

    fn note_turn(&mut self, frame: &Frame, from: BlockId, span: Span, (way, local): (u64, Option<Span>)) {
        if self.must_follow(frame, from) {
            let site = self.site(frame, span);
            let before = self.script.lines.len();
            self.script.turns.push(Turn { site, way, local, before });
        }
    }

    /// Goes on behind a region that nobody else sees; what it may have changed is not known any more.
    fn skip(&mut self, frame: &mut Frame, from: BlockId, on: Term) -> Option<Value> {
        let unit = self.program.unit;
        let region = self.program.relevance.region(unit, frame.function, from);
        let site = self.site(frame, unit.function(frame.function).span);
        let local = self.local(on);
        let blocks = &unit.function(frame.function).blocks;
        for block in &region.blocks {
            for local_of in assigns(&blocks[block.0 as usize]).collect::<Vec<_>>() {
                let count = self.occurrence(&site);
                let atoms = vec![Atom::Term(on), Atom::Constant(Constant::Int(i64::from(local_of.0)))];
                let shape = Shape::Apply(format!("merged {} {count}", frame.function.0).into(), atoms);
                let name = unit.function(frame.function).locals.get(local_of.0 as usize);
                let name = name.map(|it| it.name.as_str().into()).unwrap_or_default();
                let varies = self.terms.nature(on).varies;
                let term = self.terms.intern(shape, Nature { name, local, varies, ..Nature::default() });
                self.set(frame, local_of, Value::Unknown(term));
            }
            for op in &blocks[block.0 as usize].ops {
                self.forget_contents(frame, &op.operation);
            }
        }
        match region.join {
            Some(join) => {
                self.go(frame, join);
                None
            }
            None => Some(Value::Unknown(on)),
        }
    }

    /// What a skipped operation may have put into a container or an attribute.
    fn forget_contents(&mut self, frame: &Frame, operation: &Operation) {
        let changed = match operation {
            Operation::Push { container, .. } | Operation::Take { container, .. } => container,
            Operation::SetElement { of, .. } | Operation::DropElement { of, .. } => of,
            Operation::Update { place: Place::Element(of, _), .. } => of,
            Operation::Call {
                callee: crate::ir::Callee::Method { receiver, meaning: Some(_), .. }, ..
            } => receiver,
            Operation::SetField { of, name, .. } => {
                if let Value::Instance(instance) = self.operand(frame, of) {
                    let term = self.field_term(instance.term, name);
                    instance.fields.borrow_mut().insert(name.clone(), Value::Unknown(term));
                }
                return;
            }
            Operation::SetGlobal { name, .. } => {
                self.globals.remove(name.as_str());
                return;
            }
            _ => return,
        };
        if let Value::Container(container) = self.operand(frame, changed) {
            container.borrow_mut().open = true;
        }
    }

    /// Whether a condition is true, as it is assumed in this run.
    pub(super) fn decide(&mut self, term: Term, turn: u32) -> Result<bool, Stop> {
        if let Shape::Apply(operator, atoms) = self.terms.shape(term).clone()
            && let ("not", [Atom::Term(inner)]) = (&*operator, atoms.as_slice())
        {
            return self.decide(*inner, turn).map(|truth| !truth);
        }
        if self.terms.nature(term).varies || self.manner == Manner::Skimmed {
            return Err(Stop::Undecided);
        }
        let rank = self.local(term).map(|_| self.rank);
        let question = Question::Truth { term, turn, rank };
        if rank.is_none() {
            self.script.asked.insert(question);
        }
        if self.choices.chosen(question).is_none()
            && let Some(known) = self.follows(term)
        {
            return Ok(known);
        }
        Ok(self.choices.choose(question, 2) == 1)
    }

    /// What other decisions say of a condition: what is none is not true.
    fn follows(&mut self, term: Term) -> Option<bool> {
        let asked = |it: &Self, term: Term| {
            it.choices.chosen(Question::Truth { term, turn: 0, rank: None }).map(|chosen| chosen == 1)
        };
        if let Shape::Apply(operator, atoms) = self.terms.shape(term)
            && let ("is", [Atom::Term(of), Atom::Constant(Constant::None)]) = (&**operator, atoms.as_slice())
        {
            return asked(self, *of).filter(|truth| *truth).map(|_| false);
        }
        let none = Shape::Apply("is".into(), vec![Atom::Term(term), Atom::Constant(Constant::None)]);
        let none = self.terms.intern(none, Nature::default());
        asked(self, none).filter(|truth| *truth).map(|_| false)
    }

    /// Where a term became something that differs between ranks, unless they have made it alike.
    pub(super) fn local(&self, term: Term) -> Option<Span> {
        self.terms.nature(term).local.filter(|_| !self.synced.contains(&term))
    }

    fn next(
        &mut self,
        frame: &mut Frame,
        (iterator, item): (Local, Local),
        (body, done): (BlockId, BlockId),
        span: Span,
    ) -> Result<Option<Value>, Stop> {
        let from = frame.block;
        let remaining = match self.get(frame, iterator) {
            Value::Iterator(remaining) => remaining,
            other => {
                let term = self.term_of(&other);
                return Ok(self.skip(frame, from, term));
            }
        };
        if let Some(generator) = remaining.borrow().generator.clone() {
            return self.next_of_generator(frame, &generator, (item, body, done));
        }
        self.leave_turn(frame, from);
        let next = remaining.borrow_mut().items.pop_front();
        let value = match next {
            Some(value) => Some(value),
            None => self.unknown_turn(frame, from, &remaining)?,
        };
        let (turns, unordered) = (remaining.borrow().turns, remaining.borrow().unordered);
        remaining.borrow_mut().turns += 1;
        match value {
            Some(value) => {
                let way = self.enter_turn(frame, from, (&remaining, turns), &value);
                let local = unordered.then_some(span);
                self.note_turn(frame, from, span, (way, local));
                self.set(frame, item, value);
                self.go(frame, body);
            }
            None => {
                self.note_turn(frame, from, span, (0, None));
                let more = remaining.borrow().more.filter(|_| turns > 0 && !self.must_follow(frame, from));
                if let Some(more) = more {
                    return Ok(self.skip(frame, from, more));
                }
                self.go(frame, done);
            }
        }
        Ok(None)
    }

    /// Another turn of a loop over something unknown.
    fn unknown_turn(
        &mut self,
        frame: &Frame,
        from: BlockId,
        remaining: &Rc<RefCell<Remaining>>,
    ) -> Result<Option<Value>, Stop> {
        let (more, turns) = (remaining.borrow().more, remaining.borrow().turns);
        let Some(more) = more else { return Ok(None) };
        let follows = self.must_follow(frame, from);
        let taken = match (turns, follows) {
            (0, false) => true,
            (_, false) => false,
            (TURNS.., true) => return Err(Stop::Undecided),
            (_, true) => {
                let shape = Shape::Apply("another".into(), vec![Atom::Term(more)]);
                let nature = Nature {
                    local: self.local(more),
                    varies: self.terms.nature(more).varies,
                    ..Nature::default()
                };
                let another = self.terms.intern(shape, nature);
                self.decide(another, turns)?
            }
        };
        if !taken {
            return Ok(None);
        }
        let atoms = vec![Atom::Term(more), Atom::Constant(Constant::Int(i64::from(turns)))];
        let local = self.local(more);
        let term =
            self.terms.intern(Shape::Apply("item".into(), atoms), Nature { local, ..Nature::default() });
        Ok(Some(Value::Unknown(term)))
    }

    fn enter_turn(
        &mut self,
        frame: &mut Frame,
        from: BlockId,
        (remaining, turns): (&Rc<RefCell<Remaining>>, u32),
        value: &Value,
    ) -> u64 {
        if !remaining.borrow().unordered {
            return u64::from(turns) + 1;
        }
        let element = u64::from(self.term_of(value).0) + 1;
        frame.unordered.push((from, element));
        self.element = Some(element);
        element
    }

    fn leave_turn(&mut self, frame: &mut Frame, from: BlockId) {
        if frame.unordered.last().is_some_and(|(head, _)| *head == from) {
            frame.unordered.pop();
            self.element = frame.unordered.last().map(|(_, element)| *element);
        }
    }

    fn next_of_generator(
        &mut self,
        frame: &mut Frame,
        generator: &Rc<RefCell<Frame>>,
        (item, body, done): (Local, BlockId, BlockId),
    ) -> Result<Option<Value>, Stop> {
        let Ok(mut inner) = generator.try_borrow_mut() else { return Err(Stop::Undecided) };
        match self.run(&mut inner)? {
            Flow::Yielded(value) => {
                self.set(frame, item, value);
                self.go(frame, body);
            }
            Flow::Returned(_) => self.go(frame, done),
        }
        Ok(None)
    }

    // --- Locals and names

    pub(super) fn get(&self, frame: &Frame, local: Local) -> Value {
        frame.locals.borrow().get(local.0 as usize).cloned().unwrap_or(Value::NONE)
    }

    pub(super) fn set(&self, frame: &Frame, local: Local, value: Value) {
        if let Some(slot) = frame.locals.borrow_mut().get_mut(local.0 as usize) {
            *slot = value;
        }
    }

    pub(super) fn operand(&self, frame: &Frame, operand: &Operand) -> Value {
        match operand {
            Operand::Local(local) => self.get(frame, *local),
            Operand::Constant(constant) => Value::Constant(constant.clone()),
        }
    }

    pub(super) fn site(&self, frame: &Frame, span: Span) -> Rc<Site> {
        Rc::new(Site::new(frame.function, span, frame.caller.clone()))
    }

    /// How often a rank has come to a place.
    pub(super) fn occurrence(&mut self, site: &Rc<Site>) -> u32 {
        let count = self.occurrences.entry(Rc::clone(site)).or_default();
        *count += 1;
        *count
    }

    /// A new unknown, the result of what happens at a place.
    pub(super) fn result(&mut self, site: &Rc<Site>, nature: Nature) -> Value {
        let count = self.occurrence(site);
        let term = self.terms.intern(Shape::Result(Rc::clone(site), count), nature);
        if let Some(element) = self.element {
            self.born.insert(term, element);
        }
        Value::Unknown(term)
    }

    pub(super) fn field_term(&mut self, of: Term, name: &str) -> Term {
        let above = self.terms.nature(of);
        let (local, varies, quiet) = (above.local, above.varies, above.quiet);
        let text = matches!(name, "dtype" | "__name__" | "__qualname__" | "type" | "device");
        let local = local.filter(|_| !self.synced.contains(&of));
        let nature = Nature { name: name.into(), local, varies, quiet, text };
        self.terms.intern(Shape::Field(of, name.into()), nature)
    }

    /// What a name of the top level or of the language stands for.
    pub(super) fn global(&mut self, name: &str) -> Value {
        if name == "__name__" {
            return Value::Constant(Constant::Str("__main__".to_owned()));
        }
        match self.program.unit.globals.get(name) {
            Some(Global::Import(path)) => Value::Path(path.as_str().into()),
            Some(Global::Function(id)) => Self::plain_function(*id),
            Some(Global::Class(id)) => Value::Class(*id),
            Some(Global::Once | Global::Several) => {
                if let Some(value) = self.globals.get(name) {
                    return value.clone();
                }
                if let Some(value) = self.by_name(name) {
                    return value;
                }
                let name: Rc<str> = format!("global {name}").into();
                Value::Unknown(self.named(&name))
            }
            None => Value::Path(format!("builtins.{name}").into()),
        }
    }
}

/// Whether a value stays what it is while others use it.
fn is_lasting(value: &Value) -> bool {
    !matches!(value, Value::Container(_) | Value::Iterator(_) | Value::Generator(_))
}
