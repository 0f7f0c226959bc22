//! The run of the analysis over one function: states flow along the edges of its graph until nothing new arrives anywhere.
//!
//! A block keeps the states that have arrived at it. A state that is alike to one of them is merged into it; where more
//! states arrive than are kept apart, they are joined, and from there on only what holds on all of them is reported. The
//! number of steps is bounded in proportion to the size of the function: beyond it nothing more is found, nothing wrong is.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::event::{Step, Turn};
use super::program::{Program, Type};
use super::rebinding::Named;
use super::state::State;
use super::summary::Summary;
use super::symbol::{Site, Symbol, Term};
use super::value::Value;
use crate::catalog::Catalog;
use crate::ir::{
    Argument, BlockId, Callee, Constant, Function, FunctionId, FunctionKind, Local, Operand, Operation,
    ParameterKind, Terminator,
};
use crate::source::Span;

/// The run over one function.
pub(crate) struct Run<'p, 'a> {
    pub(crate) program: &'p mut Program<'a>,
    pub(crate) id: FunctionId,
    pub(crate) function: &'a Function,
    pub(crate) here: Here,
    pub(crate) candidates: Vec<super::excuses::Candidate>,
    pub(crate) excuses: super::excuses::Excuses,
    pub(crate) overlap: super::overlap::Seen,
    pub(crate) messages: super::messages::Messages,
    pub(crate) summary: Summary,
    pub(crate) looked_into: BTreeMap<Option<u32>, BTreeSet<Symbol>>,
    disturbed: BTreeMap<Option<u32>, BTreeSet<Symbol>>,
    made: HashSet<Symbol>,
    sentinels: BTreeMap<Local, Vec<Constant>>,
    /// Variables that are given to operations as buffers.
    arrays: BTreeSet<Local>,
    /// The attribute that was named last, and is a statement of its own if nothing uses it.
    pub(crate) named_last: Option<Local>,
    pub(crate) fills: Vec<super::slots::Fill>,
    /// Containers of which elements that are not followed have symbols of their own.
    pub(crate) bases: BTreeSet<Symbol>,
    /// Those of which such an element was looked up.
    pub(crate) looked_up: BTreeSet<Symbol>,
    /// What the names of the top level hold at its end.
    pub(crate) exported: Option<BTreeMap<String, Symbol>>,
    numbering: Vec<u32>,
    innermost: Vec<Option<u32>>,
    order: Vec<u32>,
    arrived: Vec<Arrivals>,
    waiting: BTreeSet<(u32, BlockId)>,
    steps: u64,
    apart: usize,
}

/// The operation that is being executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Here {
    pub(crate) operation: u32,
    pub(crate) span: Span,
    pub(crate) in_loop: Option<u32>,
}

/// The states at the start of a block.
#[derive(Default)]
struct Arrivals {
    states: Vec<(State, Freshness)>,
    joined: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Freshness {
    New,
    Done,
}

/// How many states a block keeps apart in a function of ordinary size.
pub(crate) const APART: usize = 24;

impl<'p, 'a> Run<'p, 'a> {
    pub(crate) fn new(program: &'p mut Program<'a>, id: FunctionId) -> Self {
        let function = program.unit.function(id);
        let mut numbering = Vec::with_capacity(function.blocks.len());
        let mut count = 0;
        for block in &function.blocks {
            numbering.push(count);
            count += block.ops.len() as u32 + 1;
        }
        program.start_function();
        let arrays = arrays(function, program.catalog);
        let apart = (60_000 / (count as usize + 1)).clamp(4.min(program.apart), program.apart);
        Self {
            program,
            id,
            function,
            here: Here { operation: 0, span: Span::default(), in_loop: None },
            candidates: Vec::new(),
            excuses: super::excuses::Excuses::default(),
            overlap: super::overlap::Seen::default(),
            messages: super::messages::Messages::default(),
            summary: Summary::default(),
            looked_into: BTreeMap::new(),
            disturbed: BTreeMap::new(),
            made: HashSet::new(),
            sentinels: sentinels(function),
            arrays,
            named_last: None,
            fills: Vec::new(),
            bases: BTreeSet::new(),
            looked_up: BTreeSet::new(),
            exported: None,
            numbering,
            innermost: innermost_loops(function),
            order: reverse_postorder(function),
            arrived: function.blocks.iter().map(|_| Arrivals::default()).collect(),
            waiting: BTreeSet::new(),
            steps: 10_000 + 300 * u64::from(count),
            apart,
        }
    }

    /// Runs to the end.
    pub(crate) fn finish(mut self) -> Self {
        let entry = self.entry_state();
        self.arrive(BlockId(0), BlockId(0), entry);
        while let Some((_, block)) = self.waiting.pop_first() {
            while let Some(state) = self.next_new(block) {
                self.execute_block(block, state);
                if self.steps == 0 {
                    return self;
                }
            }
        }
        self.report_slots();
        self.report_overlap();
        self
    }

    /// Whether the run came to its end before its steps were used up.
    pub(crate) fn is_complete(&self) -> bool {
        self.steps > 0
    }

    /// The summary as it is kept.
    pub(crate) fn concluded(&self) -> Summary {
        let mut summary = self.summary.clone();
        let all: BTreeSet<Symbol> = self.looked_into.values().flatten().copied().collect();
        summary.trust_loops(&self.program.symbols);
        summary.computes = summary
            .outcomes
            .iter()
            .any(|outcome| outcome.result.symbol().is_some_and(|symbol| !self.program.is_visible(symbol)));
        summary.looks_into =
            all.into_iter().filter(|&symbol| self.program.is_reachable_by_caller(symbol)).collect();
        summary
    }

    /// The states that have arrived at a block.
    #[cfg(test)]
    pub(crate) fn states_at(&self, block: BlockId) -> impl Iterator<Item = &State> {
        self.arrived[block.0 as usize].states.iter().map(|(state, _)| state)
    }

    /// Whether states were joined anywhere.
    #[cfg(test)]
    pub(crate) fn has_joined(&self) -> bool {
        self.arrived.iter().any(|arrivals| arrivals.joined)
    }

    fn next_new(&mut self, block: BlockId) -> Option<State> {
        let arrivals = &mut self.arrived[block.0 as usize];
        let (state, freshness) =
            arrivals.states.iter_mut().find(|(_, freshness)| *freshness == Freshness::New)?;
        *freshness = Freshness::Done;
        Some(state.clone())
    }

    fn entry_state(&mut self) -> State {
        let mut state = State::default();
        for (index, parameter) in self.function.parameters.iter().enumerate() {
            let symbol = self.program.symbols.intern(Term::Parameter(index as u32));
            if let Some(named) = self.program.named_type(&parameter.annotation) {
                self.program.declare(symbol, named);
            }
            let value = match parameter.kind {
                ParameterKind::Plain | ParameterKind::KeywordOnly => Value::Symbol(symbol),
                ParameterKind::RestPositional | ParameterKind::RestKeyword => Value::Symbol(symbol),
            };
            state.locals.bind(parameter.local, value);
        }
        if let Some(class) = self.function.class
            && self.program.takes_receiver(self.id)
        {
            let receiver = self.program.symbols.intern(Term::Parameter(0));
            self.program.declare(receiver, Type::Own(vec![class]));
        }
        for &(inner, outer) in &self.function.captures {
            let symbol = self.program.symbols.intern(Term::Captured(outer));
            state.locals.bind(inner, Value::Symbol(symbol));
        }
        state
    }

    fn execute_block(&mut self, id: BlockId, state: State) {
        let function = self.function;
        let block = &function.blocks[id.0 as usize];
        let mut states = vec![state];
        let first = self.numbering[id.0 as usize];
        let in_loop = self.innermost[id.0 as usize];
        for (index, op) in block.ops.iter().enumerate() {
            self.here = Here { operation: first + index as u32, span: op.span, in_loop };
            let mut next = Vec::with_capacity(states.len());
            for state in states {
                self.steps = self.steps.saturating_sub(cost(&state));
                let results = self.execute(state, &op.operation);
                next.extend(results.into_iter().map(|state| self.unpin(state)));
            }
            if self.steps == 0 {
                return;
            }
            next.truncate(4 * APART);
            states = next;
        }
        self.here = Here { operation: first + block.ops.len() as u32, span: Span::default(), in_loop };
        for state in states {
            self.steps = self.steps.saturating_sub(1);
            self.go_on(id, state, &block.end);
        }
    }

    /// The operation is done: what only it held is released.
    fn unpin(&mut self, mut state: State) -> State {
        if !state.pinned.is_empty() {
            state.pinned.clear();
            self.settle(&mut state, super::event::Loss::Discarded, None);
        }
        state
    }

    fn go_on(&mut self, from: BlockId, mut state: State, end: &Terminator) {
        match end {
            Terminator::Goto(to) => self.arrive(from, *to, state),
            Terminator::Choose(ways) => {
                for (index, &to) in ways.iter().enumerate() {
                    let mut next = state.clone();
                    if index > 0 {
                        // Into a handler: what raised may have been the wait.
                        next.mark_raised(self.begin_of(to));
                    }
                    self.arrive(from, to, next);
                }
            }
            Terminator::Branch { on, yes, no, span, repeats } => {
                self.here.span = *span;
                let value = self.operand(&state, on);
                let condition = value.symbol().unwrap_or(Symbol::UNKNOWN);
                if *repeats && condition != Symbol::UNKNOWN {
                    let symbols = &self.program.symbols;
                    state.facts.forget(&|known| symbols.mentions(condition, known));
                }
                for (truth, to) in [(true, *yes), (false, *no)] {
                    let step = self.way(*span, *repeats, truth, to);
                    for mut next in self.assume(state.clone(), &value, truth) {
                        next.decide(step, condition);
                        self.arrive(from, to, next);
                    }
                }
            }
            Terminator::Next { iterator, item, body, done, span } => {
                self.here.span = *span;
                for (next, turn) in self.next_element(state, *iterator, *item) {
                    let (to, turn) = match turn {
                        super::loops::Outcome::Turn => (*body, Turn::Turn),
                        super::loops::Outcome::End => (*done, Turn::NoTurn),
                    };
                    let mut next = next;
                    next.decide(Step { span: *span, turn }, Symbol::UNKNOWN);
                    self.arrive(from, to, next);
                }
            }
            Terminator::Return { value, span } => {
                self.here.span = *span;
                let value = self.operand(&state, value);
                self.note_value_as_data(&state, &value);
                self.leave(state, value);
            }
            Terminator::Raise => {}
        }
    }

    /// In another turn of a loop, facts about what the loop may change are not known any more.
    fn forget_what_may_change(&self, state: &mut State, head: BlockId) {
        let outer = self.function.loops.iter().find(|of| of.head == head);
        let within = |inner: Option<u32>| match (
            outer,
            inner.and_then(|inner| self.function.loops.get(inner as usize)),
        ) {
            (Some(outer), Some(inner)) => inner.blocks.is_subset(&outer.blocks),
            (None, _) => true,
            (Some(_), None) => false,
        };
        let disturbed: Vec<Symbol> = self
            .disturbed
            .iter()
            .filter(|(inner, _)| within(**inner))
            .flat_map(|(_, symbols)| symbols.iter().copied())
            .collect();
        let program = &*self.program;
        state.facts.forget(&|known| program.is_volatile(known, &disturbed));
    }

    /// Something may change the attributes of a symbol here, or the symbol is the result of a call that is made again.
    pub(crate) fn disturb(&mut self, symbol: Symbol) {
        self.disturbed.entry(self.here.in_loop).or_default().insert(symbol);
    }

    /// How a way of a branch is told: at the head of a loop it is a turn or the end.
    fn way(&self, span: Span, repeats: bool, truth: bool, to: BlockId) -> Step {
        let around = self.here.in_loop.and_then(|index| self.function.loops.get(index as usize));
        match around.filter(|_| repeats) {
            Some(of) if of.blocks.contains(&to) => Step { span: of.span, turn: Turn::Turn },
            Some(of) => Step { span: of.span, turn: Turn::NoTurn },
            None => Step { span, turn: if truth { Turn::True } else { Turn::False } },
        }
    }

    /// Where the code of a block begins.
    fn begin_of(&self, block: BlockId) -> Option<Span> {
        self.function.blocks[block.0 as usize].ops.first().map(|op| op.span)
    }

    fn arrive(&mut self, from: BlockId, to: BlockId, mut state: State) {
        if self.is_back_edge(from, to) {
            self.forget_what_may_change(&mut state, to);
        }
        self.program.note_types_at(to, &state.locals);
        let apart = self.apart;
        let arrivals = &mut self.arrived[to.0 as usize];
        let symbols = &mut self.program.symbols;
        let changed = arrivals.take_in(symbols, state, to, apart);
        if changed {
            self.waiting.insert((self.order[to.0 as usize], to));
        }
    }

    fn is_back_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.order[from.0 as usize] >= self.order[to.0 as usize] && from != to
            || self.function.loops.iter().any(|of| of.head == to && of.blocks.contains(&from) && from == to)
    }

    /// Whether a variable is certainly an array: `x += y` then changes it, and makes no new one.
    pub(crate) fn is_array_variable(&self, local: Local) -> bool {
        self.arrays.contains(&local)
    }

    /// The value of an operand.
    pub(crate) fn operand(&mut self, state: &State, operand: &Operand) -> Value {
        match operand {
            Operand::Local(local) => {
                self.note_reading(state, Named::Local(*local));
                match state.local(*local) {
                    Value::Function(symbol) => Value::Symbol(symbol),
                    value => value,
                }
            }
            Operand::Constant(constant) => Value::Symbol(self.program.symbols.constant(constant)),
        }
    }

    /// The site of a result of the current operation.
    pub(crate) fn site(&self, part: u32) -> Site {
        Site { operation: self.here.operation, part }
    }

    /// A symbol for a result of the current operation, about which nothing is known yet.
    pub(crate) fn fresh(&mut self, state: &mut State, part: u32) -> Symbol {
        let symbol = self.program.symbols.intern(Term::Result(self.site(part)));
        self.renew(state, symbol);
        symbol
    }

    /// What is bound to a variable that elsewhere is set to `None` (or to -1) says that there is something now: it is not
    /// `None` (or not negative). So `if buffer is not None: handle.wait()` waits where both were set together.
    pub(crate) fn set_sentinel(&mut self, state: &mut State, to: Local, symbol: Symbol, part: u32) -> Symbol {
        let Some(constants) = self.sentinels.get(&to).cloned() else { return symbol };
        if !self.program.is_made_here(symbol) {
            return symbol;
        }
        if self.program.symbols.constant_of(symbol).is_some() || self.program.type_of(symbol).is_some() {
            return symbol;
        }
        let fresh = self.fresh(state, part);
        for constant in constants {
            self.program.learn_set(&mut state.facts, fresh, &constant);
        }
        if let Some(&origin) = self.program.origins.get(&symbol) {
            self.note_origin(fresh, origin);
        }
        fresh
    }

    /// A symbol is made anew: what was known of the one that an earlier execution made is forgotten.
    pub(crate) fn renew(&mut self, state: &mut State, symbol: Symbol) {
        if !self.made.insert(symbol) {
            state.forget_symbol(&mut self.program.symbols, symbol);
        }
    }

    pub(crate) fn constant(&mut self, constant: Constant) -> Value {
        Value::Symbol(self.program.symbols.constant(&constant))
    }

    pub(crate) fn is_top_level(&self) -> bool {
        self.function.kind == FunctionKind::TopLevel
    }
}

/// What a step costs: what it looks at grows with the number of objects.
fn cost(state: &State) -> u64 {
    1 + state.heap.len() as u64 / 8
}

impl Arrivals {
    /// Takes a state in; tells whether that is news for the block.
    fn take_in(
        &mut self,
        symbols: &mut super::symbol::Symbols,
        state: State,
        at: BlockId,
        apart: usize,
    ) -> bool {
        if self.joined {
            return self.join_into_first(symbols, state, at);
        }
        if let Some((known, freshness)) = self.states.iter_mut().find(|(known, _)| known.is_alike(&state)) {
            let changed = known.merge(symbols, state, at);
            if changed {
                *freshness = Freshness::New;
            }
            return changed;
        }
        self.states.push((state, Freshness::New));
        if self.states.len() > apart {
            self.joined = true;
            let mut all = std::mem::take(&mut self.states).into_iter();
            if let Some(first) = all.next() {
                self.states.push((first.0, Freshness::New));
            }
            for (state, _) in all {
                self.join_into_first(symbols, state, at);
            }
        }
        true
    }

    fn join_into_first(&mut self, symbols: &mut super::symbol::Symbols, state: State, at: BlockId) -> bool {
        let Some((known, freshness)) = self.states.first_mut() else {
            self.states.push((state, Freshness::New));
            return true;
        };
        if known.is_alike(&state) {
            let changed = known.merge(symbols, state, at);
            if changed {
                *freshness = Freshness::New;
            }
            return changed;
        }
        let before = known.clone();
        known.weaken(symbols, state, at);
        let changed = !known.is_alike(&before)
            || known.facts != before.facts
            || !known.locals.differing(&before.locals).is_empty();
        if changed {
            *freshness = Freshness::New;
        }
        changed
    }
}

/// The blocks that a terminator leads to.
fn successors(end: &Terminator) -> Vec<BlockId> {
    match end {
        Terminator::Goto(to) => vec![*to],
        Terminator::Branch { yes, no, .. } => vec![*yes, *no],
        Terminator::Next { body, done, .. } => vec![*body, *done],
        Terminator::Choose(ways) => ways.clone(),
        Terminator::Return { .. } | Terminator::Raise => Vec::new(),
    }
}

/// For each block its place in reverse postorder: a block comes before what follows it, but for the way back of loops.
fn reverse_postorder(function: &Function) -> Vec<u32> {
    let count = function.blocks.len();
    let mut order = vec![u32::MAX; count];
    let mut seen = vec![false; count];
    let mut next = count as u32;
    let mut stack = vec![(0_usize, successors(&function.blocks[0].end), 0_usize)];
    seen[0] = true;
    while let Some((block, ways, at)) = stack.last_mut() {
        // The way behind a loop is visited first, so that it comes after the loop's body in the reversed order.
        let way = ways.len().checked_sub(*at + 1).map(|index| ways[index].0 as usize);
        *at += 1;
        match way {
            Some(to) if !seen[to] => {
                seen[to] = true;
                stack.push((to, successors(&function.blocks[to].end), 0));
            }
            Some(_) => {}
            None => {
                next -= 1;
                order[*block] = next;
                stack.pop();
            }
        }
    }
    order
}

/// The variables that are set to `None` or -1 somewhere, and to something else elsewhere.
fn sentinels(function: &Function) -> BTreeMap<Local, Vec<Constant>> {
    let mut sentinels: BTreeMap<Local, Vec<Constant>> = BTreeMap::new();
    for op in function.blocks.iter().flat_map(|block| &block.ops) {
        if let Operation::Assign {
            to,
            from: Operand::Constant(constant @ (Constant::None | Constant::Int(-1))),
        } = &op.operation
        {
            let known = sentinels.entry(*to).or_default();
            if !known.contains(constant) {
                known.push(constant.clone());
            }
        }
    }
    sentinels
}

/// The variables that are the first argument of a call by a name that uses it as a buffer.
fn arrays(function: &Function, catalog: &Catalog) -> BTreeSet<Local> {
    let mut arrays = BTreeSet::new();
    for op in function.blocks.iter().flat_map(|block| &block.ops) {
        if let Operation::Call { callee: Callee::Method { name, .. }, arguments, .. } = &op.operation
            && let Some(Argument { value: Operand::Local(local), .. }) = arguments.first()
            && catalog.takes_buffer_first(name)
        {
            arrays.insert(*local);
        }
    }
    arrays
}

/// For each block the innermost loop that it is in.
fn innermost_loops(function: &Function) -> Vec<Option<u32>> {
    let mut innermost = vec![None; function.blocks.len()];
    let mut sizes = vec![usize::MAX; function.blocks.len()];
    for (index, of) in function.loops.iter().enumerate() {
        for block in &of.blocks {
            let at = block.0 as usize;
            if of.blocks.len() < sizes[at] {
                sizes[at] = of.blocks.len();
                innermost[at] = Some(index as u32);
            }
        }
    }
    innermost
}
