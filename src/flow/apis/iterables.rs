//! What functions of the language do with what goes through them: `list`, `zip`, `enumerate`, `sum`.
//!
//! ```text
//! for h, x in zip(handles, xs)       each element: a tuple of the handle and an element of `xs`
//! ```

use super::Given;
use crate::catalog::{ApiId, Does};
use crate::flow::calls::Results;
use crate::flow::event::What;
use crate::flow::run::Run;
use crate::flow::state::State;
use crate::flow::symbol::{Symbol, Term};
use crate::flow::value::{Container, Object, Test, Value};
use crate::ir::{ContainerKind, Operator};

impl Run<'_, '_> {
    pub(super) fn call_on_iterables(&mut self, state: State, api: ApiId, given: &Given<'_>) -> Results {
        let mut ways = vec![(state, Vec::new())];
        for bound in &given.arguments {
            let mut next = Vec::new();
            for (state, values) in ways {
                for (state, value) in self.consumed(state, bound.value.clone()) {
                    let mut values: Vec<Value> = values.clone();
                    values.push(value);
                    next.push((state, values));
                }
            }
            ways = next;
        }
        let does = given.entry.does;
        let finish = |this: &mut Self, (mut state, values): (State, Vec<Value>)| {
            let value = match does {
                Does::Zip => this.zip(&mut state, &values),
                Does::Enumerate => this.enumerate(&mut state, &values),
                Does::Consume => this.consume(&mut state, api, &values),
                _ => this.collected(&mut state, api, &values),
            };
            (state, value)
        };
        ways.into_iter().map(|way| finish(self, way)).collect()
    }

    /// `list(xs)`, `sorted(xs)`, `deque(xs)`, `itertools.chain(a, b)`.
    pub(super) fn collected(&mut self, state: &mut State, api: ApiId, values: &[Value]) -> Value {
        let kind = match self.program.catalog.short_name(api) {
            "tuple" => ContainerKind::Tuple,
            "set" | "frozenset" => ContainerKind::Set,
            "dict" | "OrderedDict" => ContainerKind::Dict,
            _ => ContainerKind::List,
        };
        match values {
            [_, ..] if kind == ContainerKind::Dict => {
                values.iter().for_each(|value| self.give_away(state, value));
                Value::UNKNOWN
            }
            [Value::Object(id)] if state.container(*id).is_some() => self.copied(state, *id),
            [Value::Object(_)] => {
                self.handle_as_list(state, &values[0]);
                Value::UNKNOWN
            }
            [Value::Symbol(symbol)] => {
                self.look_into(*symbol);
                Value::Symbol(self.program.symbols.apply(&crate::flow::calls::ELEMENTS, vec![*symbol]))
            }
            [] => Value::Object(
                state.make(self.site(0), Object::Container(Container::new(kind, self.here.in_loop))),
            ),
            several => {
                let mut all = Container::new(kind, self.here.in_loop);
                several.iter().for_each(|value| self.spread(state, &mut all, value));
                Value::Object(state.make(self.site(0), Object::Container(all)))
            }
        }
    }

    pub(super) fn zip(&mut self, state: &mut State, values: &[Value]) -> Value {
        if values.len() > 1 {
            values.iter().for_each(|value| self.zip_of_launched(state, value));
        }
        let (filled, like) = self.emptiness(state, values);
        let parts: Vec<Value> = values
            .iter()
            .enumerate()
            .map(|(which, value)| self.each_element(state, value, which as u32))
            .collect();
        self.list_of_tuples(state, parts, filled, like)
    }

    /// Whether there is an element in what goes through several values side by side.
    pub(super) fn emptiness(&mut self, state: &State, values: &[Value]) -> (Option<bool>, Option<Symbol>) {
        let mut symbols = Vec::new();
        for value in values {
            match value {
                Value::Object(id) => match state.container(*id) {
                    Some(container) if container.filled.is_some() => return (container.filled, None),
                    Some(container) => symbols.extend(container.like),
                    None => {}
                },
                Value::Symbol(symbol) => symbols.push(self.whole_of(*symbol)),
                _ => {}
            }
        }
        let like = match symbols.as_slice() {
            [] => return (None, None),
            [one] => *one,
            _ => self.program.symbols.apply(&Operator::Other("zip"), symbols),
        };
        (state.facts.decide(&mut self.program.symbols, like), (like != Symbol::UNKNOWN).then_some(like))
    }

    /// A backend that merges operations gives fewer handles than there are operations: `zip` then drops the rest.
    pub(super) fn zip_of_launched(&mut self, state: &mut State, value: &Value) {
        let Value::Object(id) = value else { return };
        let Some(container) = state.container(*id) else { return };
        if !container.launched || container.escaped || container.is_exact() {
            return;
        }
        if let Some(handle) = self.some_handle_in(state, *id) {
            let what =
                What::PartlyWaited { handle, how: crate::flow::event::Selection::Zip, at: self.here.span };
            self.report(what, &state.path);
            state.escape(value);
        }
    }

    pub(super) fn enumerate(&mut self, state: &mut State, values: &[Value]) -> Value {
        let Some(first) = values.first() else { return Value::UNKNOWN };
        if let Value::Symbol(symbol) = first {
            self.look_into(*symbol);
        }
        let (filled, like) = self.emptiness(state, &values[..1]);
        let number = self.program.symbols.intern(Term::Number(self.site(4)));
        self.renew(state, number);
        let number = Value::Symbol(number);
        let element = self.each_element(state, first, 0);
        self.list_of_tuples(state, vec![number, element], filled, like)
    }

    /// `all(r.test() for r in reqs)`, `sum(xs)`.
    pub(super) fn consume(&mut self, state: &mut State, api: ApiId, values: &[Value]) -> Value {
        let tests: Vec<Value> = match values {
            [Value::Object(id)] => match state.container(*id) {
                Some(container) => {
                    container.elements().filter(|value| matches!(value, Value::Test(_))).cloned().collect()
                }
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        match self.program.catalog.short_name(api) {
            "all" | "any" if !tests.is_empty() => Value::Test(Test::And(tests).into()),
            _ => Value::Symbol(self.fresh(state, 0)),
        }
    }
}
