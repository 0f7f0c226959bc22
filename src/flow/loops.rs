//! Loops over values.
//!
//! A loop over a container whose elements are all known takes one turn for each. A loop over any other container takes a
//! turn for *each of its elements at once*: what the body does to its variable is done to all of them, and behind the loop
//! all have been processed. Without that, `for r in reqs: r.wait()` would have a way on which nothing is waited for.

use super::run::Run;
use super::state::State;
use super::symbol::{Symbol, Term};
use super::value::{Container, Object, ObjectId, Position, Value};
use crate::ir::{ContainerKind, Local, Operand};

/// How a loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// With another turn.
    Turn,
    /// Behind the loop.
    End,
}

/// Up to this number of elements a loop takes one turn for each.
const UNROLLED: usize = 6;

impl Run<'_, '_> {
    pub(crate) fn execute_iterate(&mut self, state: State, to: Local, over: &Operand) -> Vec<State> {
        let over = self.operand(&state, over);
        let mut results = Vec::new();
        for (mut state, over) in self.consumed(state, over) {
            if self.is_handle(&state, &over) {
                self.handle_as_list(&mut state, &over);
            }
            if let Some(symbol) = over.symbol() {
                self.look_into(symbol);
            }
            let position = self.first_position(&state, &over);
            let iterator = state.make(self.site(0), Object::Iterator(over, position));
            self.bind(&mut state, to, Value::Object(iterator));
            results.push(state);
        }
        results
    }

    fn first_position(&self, state: &State, over: &Value) -> Position {
        match over {
            Value::Object(id) => match state.container(*id) {
                Some(container) if is_unrolled(container) => Position::At(0),
                _ => Position::Before,
            },
            _ => Position::Before,
        }
    }

    /// The ways in which the head of a loop can go on.
    pub(crate) fn next_element(
        &mut self,
        state: State,
        iterator: Local,
        item: Local,
    ) -> Vec<(State, Outcome)> {
        let Value::Object(id) = state.local(iterator) else {
            return self.next_of_symbol(state, None, Symbol::UNKNOWN, Position::Within, item);
        };
        let Some(Object::Iterator(over, position)) = state.heap.get(&id).cloned() else {
            return self.next_of_symbol(state, None, Symbol::UNKNOWN, Position::Within, item);
        };
        match &over {
            Value::Object(of) if state.container(*of).is_some() => {
                self.next_of_container(state, id, *of, position, item)
            }
            Value::Symbol(symbol) => self.next_of_symbol(state, Some(id), *symbol, position, item),
            Value::Each(objects) | Value::Perhaps(objects) => {
                let objects = objects.to_vec();
                self.next_of_many(state, id, &objects, item)
            }
            _ => self.next_of_symbol(state, Some(id), Symbol::UNKNOWN, position, item),
        }
    }

    fn next_of_symbol(
        &mut self,
        state: State,
        iterator: Option<ObjectId>,
        over: Symbol,
        position: Position,
        item: Local,
    ) -> Vec<(State, Outcome)> {
        let mut ways = Vec::new();
        for (truth, outcome) in [(true, Outcome::Turn), (false, Outcome::End)] {
            let states = match position {
                // A loop that takes no turn tells that the container is empty, and so does the next loop over it.
                Position::Before => {
                    let whole = self.whole_of(over);
                    self.assume(state.clone(), &Value::Symbol(whole), truth)
                }
                Position::Within | Position::At(_) => vec![state.clone()],
            };
            for mut state in states {
                if outcome == Outcome::Turn {
                    advance(&mut state, iterator, Position::Within);
                    let value = self.item_of(&mut state, over);
                    self.bind(&mut state, item, value);
                }
                ways.push((state, outcome));
            }
        }
        ways
    }

    /// What is empty if and only if this has no element: `xs` for `xs.items()`.
    pub(crate) fn whole_of(&self, symbol: Symbol) -> Symbol {
        match self.program.symbols.term(symbol) {
            Term::Apply(operator, parts) if *operator == super::calls::ELEMENTS => self.whole_of(parts[0]),
            _ => symbol,
        }
    }

    fn next_of_container(
        &mut self,
        mut state: State,
        iterator: ObjectId,
        of: ObjectId,
        position: Position,
        item: Local,
    ) -> Vec<(State, Outcome)> {
        let Some(container) = state.container(of).cloned() else { return vec![(state, Outcome::End)] };
        if let Position::At(index) = position
            && container.is_exact()
        {
            return match container.entries.get(index as usize) {
                Some((_, value)) => {
                    advance(&mut state, Some(iterator), Position::At(index + 1));
                    self.bind(&mut state, item, value.clone());
                    vec![(state, Outcome::Turn)]
                }
                None => vec![(state, Outcome::End)],
            };
        }
        let mut ways = Vec::new();
        if position == Position::Before {
            for end in self.assume(state.clone(), &Value::Object(of), false) {
                ways.push((end, Outcome::End));
            }
        } else {
            ways.push((state.clone(), Outcome::End));
        }
        for mut turn in self.assume(state, &Value::Object(of), true) {
            advance(&mut turn, Some(iterator), Position::Within);
            self.renew_elements(&mut turn, &container);
            let value = self.any_element(&mut turn, &container);
            self.bind(&mut turn, item, value);
            ways.push((turn, Outcome::Turn));
        }
        ways
    }

    /// In another turn what is not followed in the elements is something else: the number that `enumerate` gives, a key.
    fn renew_elements(&mut self, state: &mut State, container: &Container) {
        for id in direct_objects(container) {
            let Some(element) = state.container(id).cloned() else { continue };
            for value in element.elements() {
                if let Value::Symbol(symbol) = value
                    && matches!(
                        self.program.symbols.term(*symbol),
                        Term::Result(_) | Term::Item(_) | Term::Number(_)
                    )
                {
                    state.forget_symbol(&mut self.program.symbols, *symbol);
                }
            }
            if let Some(kept) = state.container_mut(id) {
                *kept = element;
            }
        }
    }

    /// The element of a turn that stands for all turns.
    fn any_element(&mut self, state: &mut State, container: &Container) -> Value {
        let objects = direct_objects(container);
        if container.kind == ContainerKind::Dict || objects.is_empty() {
            let tests: Vec<&Value> = container.elements().filter(|value| value.symbol().is_none()).collect();
            if let ([one], false) = (tests.as_slice(), container.kind == ContainerKind::Dict) {
                return (*one).clone();
            }
            if let Some(method) = same_method(&tests) {
                return method;
            }
            return Value::Symbol(self.fresh(state, 8));
        }
        Value::each(objects)
    }

    fn next_of_many(
        &mut self,
        state: State,
        iterator: ObjectId,
        objects: &[ObjectId],
        item: Local,
    ) -> Vec<(State, Outcome)> {
        let mut inner = Vec::new();
        for &object in objects {
            if let Some(container) = state.container(object) {
                inner.extend(direct_objects(container));
            }
        }
        let end = (state.clone(), Outcome::End);
        let mut turn = state;
        let Some(Object::Iterator(_, position)) = turn.heap.get(&iterator).cloned() else { return vec![end] };
        advance(&mut turn, Some(iterator), Position::Within);
        let value = if inner.is_empty() {
            Value::Symbol(self.fresh(&mut turn, 8))
        } else {
            Value::each(inner.clone())
        };
        self.bind(&mut turn, item, value);
        let turn = (turn, Outcome::Turn);
        if position == Position::Before && !inner.is_empty() { vec![turn] } else { vec![end, turn] }
    }

    /// Remembers that elements of something that belongs to others are looked at here.
    pub(crate) fn look_into(&mut self, symbol: Symbol) {
        if symbol == Symbol::UNKNOWN {
            return;
        }
        let in_loop = self.here.in_loop;
        self.looked_into.entry(in_loop).or_default().insert(symbol);
        // A call or an iterator of the container is a look into the container.
        if let Term::Call(parts) | Term::Apply(_, parts) = self.program.symbols.term(symbol).clone() {
            parts.into_iter().for_each(|part| self.look_into(part));
        } else if let Term::Item(of) | Term::Field(of, _) = *self.program.symbols.term(symbol) {
            self.looked_into.entry(in_loop).or_default().insert(of);
        }
    }
}

/// The same method of each of several values: `waits.append(work.wait)`.
fn same_method(values: &[&Value]) -> Option<Value> {
    let mut objects = Vec::new();
    let mut name = None;
    for value in values {
        let Value::Method(method) = value else { return None };
        objects.extend(method.0.objects());
        if name.get_or_insert(&method.1) != &&method.1 {
            return None;
        }
    }
    name.map(|name| Value::Method((Value::each(objects), name.clone()).into()))
}

fn advance(state: &mut State, iterator: Option<ObjectId>, to: Position) {
    if let Some(Object::Iterator(_, position)) = iterator.and_then(|id| state.heap.get_mut(&id)) {
        *position = to;
    }
}

fn is_unrolled(container: &Container) -> bool {
    container.is_exact() && container.entries.len() <= UNROLLED && container.kind != ContainerKind::Dict
}

/// The objects that are elements of a container themselves.
pub(crate) fn direct_objects(container: &Container) -> Vec<ObjectId> {
    let mut objects = Vec::new();
    for value in container.elements() {
        match value {
            Value::Object(object) => objects.push(*object),
            Value::Each(more) | Value::Perhaps(more) => objects.extend(more.iter().copied()),
            Value::Symbol(_)
            | Value::Part(..)
            | Value::Method(_)
            | Value::Test(_)
            | Value::Length(_)
            | Value::Function(_) => {}
        }
    }
    objects.sort_unstable();
    objects.dedup();
    objects
}
