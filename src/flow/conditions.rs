//! Conditions: what it means for a state that a value is true or false.
//!
//! ```text
//! h = isend(x)
//! if h is not None:      a handle is not `None` …
//!     h.wait()
//!                        … so on the other way there was no handle: it vanishes, and is not lost
//! ```

use super::run::Run;
use super::state::State;
use super::symbol::Symbol;
use super::value::{Container, Object, ObjectId, Test, Value};
use crate::ir::Operator;

impl Run<'_, '_> {
    /// The states in which a value is true (or false), none where it cannot be.
    pub(crate) fn assume(&mut self, mut state: State, value: &Value, truth: bool) -> Vec<State> {
        match value {
            Value::Symbol(symbol) | Value::Function(symbol) => self.assume_symbol(&state, *symbol, truth),
            Value::Object(id) | Value::Length(id) => self.assume_object(state, *id, truth),
            Value::Each(objects) => {
                if !truth {
                    objects.iter().for_each(|&object| state.vanish(object));
                }
                vec![state]
            }
            Value::Perhaps(_) | Value::Part(..) => vec![state],
            Value::Method(_) => {
                if truth {
                    vec![state]
                } else {
                    Vec::new()
                }
            }
            Value::Test(test) => self.assume_test(state, test, truth),
        }
    }

    fn assume_symbol(&mut self, state: &State, symbol: Symbol, truth: bool) -> Vec<State> {
        let ways = state.facts.assume(&mut self.program.symbols, symbol, truth);
        ways.into_iter()
            .map(|facts| {
                let mut state = state.clone();
                state.facts = facts;
                state
            })
            .collect()
    }

    fn assume_object(&mut self, mut state: State, id: ObjectId, truth: bool) -> Vec<State> {
        match state.heap.get_mut(&id) {
            Some(Object::Container(container)) => {
                if container.filled == Some(!truth) {
                    return Vec::new();
                }
                let like = if container.filled.is_none() { container.like } else { None };
                if truth {
                    container.filled = Some(true);
                } else {
                    empty(&mut state, id);
                }
                match like {
                    Some(symbol) => self.assume_symbol(&state, symbol, truth),
                    None => vec![state],
                }
            }
            Some(Object::Handle(_)) if !truth => {
                state.vanish(id);
                vec![state]
            }
            _ => vec![state],
        }
    }

    fn assume_test(&mut self, mut state: State, test: &Test, truth: bool) -> Vec<State> {
        match test {
            Test::Not(value) => self.assume(state, value, !truth),
            Test::Truth(value) => self.assume(state, value, truth),
            Test::And(values) => self.assume_chain(state, values, truth, true),
            Test::Or(values) => self.assume_chain(state, values, truth, false),
            Test::Finished(target, which) => {
                if truth {
                    self.finish_polled(&mut state, target, *which);
                }
                vec![state]
            }
            Test::IsNone(value) => match value {
                Value::Symbol(symbol) => {
                    let symbols = &mut self.program.symbols;
                    let condition = symbols.apply(&Operator::Is, vec![*symbol, Symbol::NONE]);
                    self.assume_symbol(&state, condition, truth)
                }
                Value::Test(_) => self.assume_nothing_from_poll(state, value, truth),
                _ if !truth => vec![state],
                Value::Object(id) if state.handle(*id).is_some() => {
                    state.vanish(*id);
                    vec![state]
                }
                Value::Each(objects) => {
                    objects.iter().for_each(|&object| state.vanish(object));
                    vec![state]
                }
                Value::Perhaps(_) | Value::Part(..) => vec![state],
                Value::Object(_) | Value::Method(_) | Value::Length(_) | Value::Function(_) => Vec::new(),
            },
        }
    }

    /// A chain of values that is left at the first one which is not `going_on`.
    fn assume_chain(&mut self, state: State, values: &[Value], truth: bool, going_on: bool) -> Vec<State> {
        let mut on_the_way = vec![state];
        let mut left = Vec::new();
        for value in values {
            let mut next = Vec::new();
            for state in on_the_way {
                if truth != going_on {
                    left.extend(self.assume(state.clone(), value, !going_on));
                }
                next.extend(self.assume(state, value, going_on));
            }
            on_the_way = next;
        }
        if truth == going_on { on_the_way } else { left }
    }
}

/// A container turns out to be empty: what only it could hold does not exist.
///
/// Other containers with the same elements, of which it is a copy, are empty with it.
pub(crate) fn empty(state: &mut State, id: ObjectId) {
    if state.container(id).is_some_and(|container| !container.slice) {
        for inner in state.reach(&[&Value::Object(id)]) {
            if state.handle(inner).is_some() {
                state.vanish(inner);
            }
        }
    }
    if let Some(container) = state.container_mut(id) {
        *container =
            Container { entries: Vec::new(), rest: Vec::new(), filled: Some(false), ..container.clone() };
    }
    state.collect_unreachable();
}
