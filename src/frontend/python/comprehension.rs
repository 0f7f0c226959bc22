//! Comprehensions and generator expressions.
//!
//! A comprehension is a loop that fills a fresh container: `[f(x) for x in xs if x]` is
//!
//! ```text
//! b0: %0 = list []
//!     %1 = iterate xs
//!     goto b1
//! b1: next x of %1 then b2 else b3      a loop of b1 b2 …
//! b2: if x then b4 else b1
//! b4: %2 = call f(x)
//!     push %0 <- %2
//!     forget %2 (statement)
//!     goto b1
//! b3: forget %1, forget x (scope)
//! ```
//!
//! A generator expression that something consumes is lowered like a list: it is evaluated where it stands. One that nothing
//! consumes (a statement of its own, or bound to a name that nothing reads) is a function that never runs.

use std::collections::HashMap;

use ruff_python_ast::{Comprehension, Expr, ExprGenerator};
use ruff_text_size::Ranged;

use super::scan::Names;
use super::scope::Layer;
use super::{Lowering, span, span_of};
use crate::ir::{
    BlockId, Constant, ContainerKind, Flavour, Forgetting, FunctionKind, Key, Local, Operand, Operation,
    Terminator,
};
use crate::source::Span;

/// What each turn of a comprehension does with its value.
#[derive(Clone, Copy)]
enum Turn<'a> {
    Push(&'a Expr),
    Set(&'a Expr, &'a Expr),
    Spread(&'a Expr),
    Yield(&'a Expr),
}

/// A loop of a comprehension that is being built.
struct Open {
    head: BlockId,
    done: BlockId,
    held: Vec<(Local, Span)>,
}

impl<'a> Lowering<'a> {
    /// `yield from values`: each element is yielded.
    pub(super) fn yield_from(&mut self, values: &'a Expr, at: Span) -> Operand {
        let over = self.expression(values);
        if !self.may_loop(at) {
            return self.unknown("yield from", vec![over], at);
        }
        let iterator = self.temporary(at);
        self.emit(Operation::Iterate { to: iterator, over: over.clone() }, at);
        let (head, done) = (self.block(), self.block());
        self.goto(head);
        self.builder().open_loop(head, at);
        let body = self.block();
        self.switch_to(head);
        let item = self.held_temporary();
        self.end(Terminator::Next { iterator, item, body, done, span: at });
        self.switch_to(body);
        let mark = self.mark();
        self.give(Operand::Local(item), at);
        self.forget_since(mark);
        self.forget(&[(item, at)]);
        self.goto(head);
        self.builder().close_loop();
        self.switch_to(done);
        self.unknown("yield from", vec![over], at)
    }

    /// A comprehension, or a generator expression that is consumed.
    pub(super) fn comprehension(&mut self, expression: &'a Expr) -> Operand {
        let (kind, generators, turn) = match expression {
            Expr::ListComp(it) => (ContainerKind::List, &it.generators, Turn::Push(&it.elt)),
            Expr::SetComp(it) => (ContainerKind::Set, &it.generators, Turn::Push(&it.elt)),
            Expr::Generator(it) => (ContainerKind::List, &it.generators, Turn::Push(&it.elt)),
            Expr::DictComp(it) => match &it.key {
                Some(key) => (ContainerKind::Dict, &it.generators, Turn::Set(key, &it.value)),
                None => (ContainerKind::Dict, &it.generators, Turn::Spread(&it.value)),
            },
            _ => return self.unknown("comprehension", Vec::new(), span_of(expression)),
        };
        let container = self.empty_container(kind, span_of(expression));
        self.turns(generators, turn, &container);
        container
    }

    /// A generator expression that nothing consumes; gives a value of which nothing is known.
    pub(super) fn unconsumed(&mut self, generator: &'a ExprGenerator) -> Operand {
        let at = span_of(generator);
        let body = |it: &mut Self| {
            it.builder().function_mut().flavour = Flavour::Generator;
            it.turns(&generator.generators, Turn::Yield(&generator.elt), &Operand::Constant(Constant::None));
        };
        let made = self.nested(generator.range(), "<genexpr>", FunctionKind::Lambda, Names::default(), body);
        if let Some(function) = made {
            self.emit(Operation::Unconsumed { function }, at);
        }
        self.unknown("generator", Vec::new(), at)
    }

    fn turns(&mut self, generators: &'a [Comprehension], turn: Turn<'a>, container: &Operand) {
        self.scope().layers.push(Layer::Comprehension(HashMap::new()));
        let mut open = Vec::with_capacity(generators.len());
        for generator in generators {
            if !self.may_loop(span_of(generator)) {
                break;
            }
            open.push(self.open_turn(generator));
        }
        let mark = self.mark();
        self.turn(turn, container);
        self.forget_since(mark);
        while let Some(inner) = open.pop() {
            self.goto(inner.head);
            self.builder().close_loop();
            self.switch_to(inner.done);
            self.forget(&inner.held);
        }
        if let Some(Layer::Comprehension(locals)) = self.scope().layers.pop() {
            let mut locals: Vec<Local> = locals.into_values().collect();
            locals.sort_unstable();
            let at = generators.first().map(span_of).unwrap_or_default();
            for local in locals {
                self.emit(Operation::Forget { local, why: Forgetting::Scope }, at);
            }
        }
    }

    /// `for target in iter if …`: the current block is then the one that all conditions lead to.
    fn open_turn(&mut self, generator: &'a Comprehension) -> Open {
        let header = span(generator.target.range().cover(generator.iter.range()));
        let mark = self.mark();
        let over = self.expression(&generator.iter);
        let mut held = self.take_since(mark);
        let iterator = self.held_temporary();
        held.push((iterator, header));
        self.emit(Operation::Iterate { to: iterator, over }, span_of(&generator.iter));
        let (head, done) = (self.block(), self.block());
        self.goto(head);
        self.builder().open_loop(head, header);
        let body = self.block();
        self.switch_to(head);
        self.declare(&generator.target);
        let slot = self.slot(&generator.target);
        let item = slot.unwrap_or_else(|| self.held_temporary());
        self.end(Terminator::Next { iterator, item, body, done, span: header });
        self.switch_to(body);
        if slot.is_none() {
            self.take_item(&generator.target, item);
        }
        for condition in &generator.ifs {
            let targets = self.test(condition);
            self.switch_to(targets.no);
            self.goto(head);
            self.switch_to(targets.yes);
        }
        Open { head, done, held }
    }

    /// Gives a target that is not a plain local its item, and forgets the item.
    pub(super) fn take_item(&mut self, target: &'a Expr, item: Local) {
        let mark = self.mark();
        self.assign(target, Operand::Local(item));
        self.forget_since(mark);
        self.forget(&[(item, span_of(target))]);
    }

    fn turn(&mut self, turn: Turn<'a>, container: &Operand) {
        match turn {
            Turn::Push(Expr::Starred(starred)) => self.spread(&starred.value, container, ContainerKind::List),
            Turn::Spread(value) => self.spread(value, container, ContainerKind::Dict),
            Turn::Push(element) => {
                let value = self.expression(element);
                self.emit(Operation::Push { container: container.clone(), value }, span_of(element));
            }
            Turn::Set(key, element) => {
                let key = Key::At(self.expression(key));
                let value = self.expression(element);
                let at = Span::new(span_of(element).start, span_of(element).end);
                self.emit(Operation::SetElement { of: container.clone(), key, value }, at);
            }
            Turn::Yield(element) => {
                let value = self.expression(element);
                self.give(value, span_of(element));
            }
        }
    }

    /// `[*xs for xs in …]`, `{**d for d in …}` (Python 3.15): the container is updated with another.
    fn spread(&mut self, value: &'a Expr, container: &Operand, kind: ContainerKind) {
        let at = span_of(value);
        let value = self.expression(value);
        let Operand::Local(local) = container else { return };
        let operator = if kind == ContainerKind::Dict { "|" } else { "+" };
        let place = crate::ir::Place::Local(*local);
        self.emit(Operation::Update { place, operator, value }, at);
    }

    /// Makes the names of a comprehension's target locals of the comprehension.
    fn declare(&mut self, target: &'a Expr) {
        let mut pending = vec![target];
        while let Some(target) = pending.pop() {
            match target {
                Expr::Name(name) => {
                    let scope = self.scope();
                    if let Some(Layer::Comprehension(locals)) = scope.layers.last_mut() {
                        let builder = &mut scope.builder;
                        let name = name.id.as_str();
                        locals.entry(name).or_insert_with(|| builder.shadow(name));
                    }
                }
                Expr::Tuple(it) => pending.extend(&it.elts),
                Expr::List(it) => pending.extend(&it.elts),
                Expr::Starred(it) => pending.push(&it.value),
                _ => {}
            }
        }
    }
}
