//! What each operation of the intermediate form does to a state.
//!
//! ```text
//! reqs = []                       reqs: list #1 (empty)
//! reqs.append(isend(x))           reqs: list #1 [#2]        #2 pending
//! reqs[0].wait()                                            #2 finished
//! reqs = None                     reqs: None                #1 and #2 are unreachable and leave the heap
//! ```
//!
//! Operations that may go on in several ways (a call of a function with several outcomes) give several states.

use super::event::{Loss, What};
use super::rebinding::Named;
use super::run::Run;
use super::state::{Effect, State};
use super::symbol::{Symbol, Term};
use super::value::{Bound, Container, Object, Passing, Slot, Test, Value};
use crate::ir::{
    self, Access, Argument, Callee, Constant, ContainerKind, Forgetting, FunctionId, Item, Key, Local,
    Operand, Operation, Operator, Place,
};

/// Parts of a site from here on are for what attributes are set to.
const SET_PLACE: u32 = 1 << 24;

/// Displays with more elements than this are not followed unless a handle is among them.
const FOLLOWED_ELEMENTS: usize = 16;

impl Run<'_, '_> {
    /// Executes one operation.
    pub(crate) fn execute(&mut self, mut state: State, operation: &Operation) -> Vec<State> {
        if !matches!(operation, Operation::Forget { .. }) {
            self.named_last = None;
        }
        self.note_use_as_data(&state, operation);
        match operation {
            Operation::Call { to, callee, arguments } => {
                return self.execute_call(state, *to, callee, arguments);
            }
            Operation::Await { to, value } => return self.execute_await(state, *to, value),
            Operation::Enter { to, manager } => return self.execute_enter(state, *to, manager),
            Operation::Leave { manager } => return self.execute_leave(state, manager),
            Operation::Field { to, of, name } => return self.execute_field(state, *to, of, name),
            Operation::Iterate { to, over } => return self.execute_iterate(state, *to, over),
            Operation::Assign { to, from } => {
                let value = self.operand(&state, from);
                let value = self.assigned(&mut state, *to, value, 40);
                self.bind(&mut state, *to, value);
            }
            Operation::Compute { to, operator, operands } => {
                let values: Vec<Value> =
                    operands.iter().map(|operand| self.operand(&state, operand)).collect();
                self.touch_operands(&mut state, operator, &values);
                let value = self.compute(&mut state, operator, &values);
                if let (Operator::Other(_), Some(made)) = (operator, value.symbol()) {
                    self.compute_anew(&mut state, made);
                }
                self.bind(&mut state, *to, value);
            }
            Operation::Element { to, of, key } => {
                let of = self.operand(&state, of);
                self.touch_number(&mut state, &of, key);
                let value = self.element(&mut state, &of, key);
                self.bind(&mut state, *to, value);
            }
            Operation::SetField { of, name, value } => {
                let (of, value) = (self.operand(&state, of), self.operand(&state, value));
                self.touch_attribute(&mut state, &of, name);
                self.set_field(&mut state, &of, name, value);
            }
            Operation::SetElement { of, key, value } => {
                let (of, value) = (self.operand(&state, of), self.operand(&state, value));
                self.touch_element(&mut state, &of, key, &value);
                self.set_element(&mut state, &of, key, value);
            }
            Operation::DropField { of, name } => {
                if let Some(of) = self.operand(&state, of).symbol() {
                    let place = self.program.symbols.field(of, name);
                    state.memory.remove(&place);
                    self.settle(&mut state, Loss::Deleted, self.place_name(place));
                }
            }
            Operation::DropElement { of, key } => {
                let of = self.operand(&state, of);
                self.drop_element(&mut state, &of, key);
            }
            Operation::Update { place, operator, value } => {
                let value = self.operand(&state, value);
                self.update(&mut state, place, operator, value);
            }
            Operation::Collect { to, kind, items } => {
                let value = self.collect(&mut state, *kind, items);
                self.bind(&mut state, *to, value);
            }
            Operation::Unpack { to, star, from } => {
                let from = self.operand(&state, from);
                self.unpack(&mut state, to, *star, &from);
            }
            Operation::Closure { to, function } => {
                let value = self.closure(&mut state, *function);
                self.bind(&mut state, *to, value);
            }
            Operation::Global { to, name } => {
                let value = self.global(&mut state, name);
                self.bind(&mut state, *to, value);
            }
            Operation::Import { to, path } => {
                let value = Value::Symbol(self.program.symbols.intern(Term::Path(path.as_str().into())));
                self.bind(&mut state, *to, value);
            }
            Operation::SetGlobal { name, value } => {
                let value = self.operand(&state, value);
                let place = self.program.symbols.intern(Term::Global(name.as_str().into()));
                self.store(&mut state, place, value);
            }
            Operation::Yield { to, value } => {
                let value = self.operand(&state, value);
                self.give_away(&mut state, &value);
                let back = Value::Symbol(self.fresh(&mut state, 0));
                self.bind(&mut state, *to, back);
            }
            Operation::Forget { local, why } => self.forget(&mut state, *local, *why),
            Operation::Unconsumed { function } => self.unconsumed(&mut state, *function),
            Operation::Escape { value } => {
                let value = self.operand(&state, value);
                self.give_away(&mut state, &value);
            }
            Operation::Start { to, api, buffers } => {
                let value = self.start_by_name(&mut state, api, buffers);
                self.bind(&mut state, *to, value);
            }
            Operation::Finish { target, which } => {
                let target = self.operand(&state, target);
                self.finish_value(&mut state, &target, *which, None);
            }
            Operation::Poll { to, target, which } => {
                let target = self.operand(&state, target);
                let value = Value::Test(Test::Finished(target, *which).into());
                self.bind(&mut state, *to, value);
            }
            Operation::Push { container, value } => {
                let (container, value) = (self.operand(&state, container), self.operand(&state, value));
                self.push(&mut state, &container, value);
            }
            Operation::Take { to, container } => {
                let container = self.operand(&state, container);
                let value = self.take(&mut state, &container);
                self.bind(&mut state, *to, value);
            }
            Operation::View { to, of } => {
                let value = self.operand(&state, of);
                self.bind(&mut state, *to, value);
            }
            Operation::Fresh { to } => {
                let value = Value::Symbol(self.fresh(&mut state, 0));
                self.bind(&mut state, *to, value);
            }
            Operation::Touch { buffer, access } => {
                let buffer = self.operand(&state, buffer);
                self.touch(&mut state, &buffer, *access);
            }
        }
        vec![state]
    }

    /// What a name is bound to.
    pub(crate) fn assigned(&mut self, state: &mut State, to: Local, value: Value, part: u32) -> Value {
        match value {
            Value::Symbol(symbol) if self.program.starts_something(symbol) => Value::Function(symbol),
            Value::Symbol(symbol) => Value::Symbol(self.set_sentinel(state, to, symbol, part)),
            followed => followed,
        }
    }

    /// Binds a local: what it held before is released.
    pub(crate) fn bind(&mut self, state: &mut State, to: Local, value: Value) {
        if state.shared.contains(&to) {
            self.give_away(state, &value);
        }
        self.note_rebinding(state, to, &value);
        if state.locals.bind(to, value).is_some() {
            self.settle_local(state, Loss::Rebound, to);
        }
    }

    fn forget(&mut self, state: &mut State, local: Local, why: Forgetting) {
        let Some(before) = state.locals.unbind(local) else { return };
        match (&before, why) {
            (Value::Method(method), Forgetting::Statement) if self.named_last == Some(local) => {
                self.method_not_called(state, &method.0, &method.1)
            }
            (Value::Symbol(_), _) => return,
            _ => {}
        }
        let how = match why {
            Forgetting::Statement => Loss::Discarded,
            Forgetting::Delete => Loss::Deleted,
            Forgetting::Scope => Loss::ScopeEnd,
        };
        self.settle_local(state, how, local);
    }

    /// The value of an operator applied.
    fn compute(&mut self, state: &mut State, operator: &Operator, values: &[Value]) -> Value {
        let symbols: Option<Vec<Symbol>> = values.iter().map(Value::symbol).collect();
        if let Some(symbols) = symbols {
            return Value::Symbol(self.program.symbols.apply(operator, symbols));
        }
        if let Some(value) = self.on_poll(operator, values) {
            return value;
        }
        match (operator, values) {
            (Operator::In, [Value::Symbol(one), Value::Object(id)]) => self.membership(state, *one, *id),
            (Operator::NotIn, [Value::Symbol(one), Value::Object(id)]) => {
                match self.membership(state, *one, *id) {
                    Value::Symbol(symbol) => {
                        Value::Symbol(self.program.symbols.apply(&Operator::Not, vec![symbol]))
                    }
                    other => other,
                }
            }
            (Operator::Not, [one]) => Value::Test(Test::Not(one.clone()).into()),
            (Operator::And, all) => Value::Test(Test::And(all.to_vec()).into()),
            (Operator::Or, all) => Value::Test(Test::Or(all.to_vec()).into()),
            (Operator::Is | Operator::Equal, [one, other]) => self.none_test(one, other),
            (Operator::IsNot | Operator::NotEqual, [one, other]) => match self.none_test(one, other) {
                Value::Test(test) => Value::Test(Test::Not(Value::Test(test)).into()),
                undecided => undecided,
            },
            (Operator::Other("+" | "*" | "|"), [one, other]) => self.concatenated(state, one, other),
            _ => Value::UNKNOWN,
        }
        .or_length(self, operator, values)
    }

    /// `mode in ("send", "receive")`: one of the comparisons.
    fn membership(&mut self, state: &State, one: Symbol, id: super::value::ObjectId) -> Value {
        let Some(container) = state.container(id).filter(|container| container.is_exact()) else {
            return Value::UNKNOWN;
        };
        let symbols: Option<Vec<Symbol>> =
            container.entries.iter().map(|(_, value)| value.symbol()).collect();
        let Some(symbols) = symbols else { return Value::UNKNOWN };
        let equal = |run: &mut Self, other| run.program.symbols.apply(&Operator::Equal, vec![one, other]);
        let tests: Vec<Symbol> = symbols.into_iter().map(|other| equal(self, other)).collect();
        Value::Symbol(self.program.symbols.apply(&Operator::Or, tests))
    }

    fn none_test(&mut self, one: &Value, other: &Value) -> Value {
        match (one, other) {
            (value, Value::Symbol(Symbol::NONE)) | (Value::Symbol(Symbol::NONE), value) => {
                Value::Test(Test::IsNone(value.clone()).into())
            }
            _ => Value::UNKNOWN,
        }
    }

    /// `a + b` and `[None] * n`: a container with the elements of both.
    fn concatenated(&mut self, state: &mut State, one: &Value, other: &Value) -> Value {
        let mut both = Container::new(ContainerKind::List, self.here.in_loop);
        let mut found = false;
        for value in [one, other] {
            if let Value::Object(id) = value
                && let Some(container) = state.container(*id).cloned()
            {
                found = true;
                both.kind = container.kind;
                both.launched |= container.launched;
                container.elements().for_each(|element| both.keep(element.clone()));
                both.filled = if container.filled == Some(true) { Some(true) } else { None };
            }
        }
        if found { Value::Object(state.make(self.site(0), Object::Container(both))) } else { Value::UNKNOWN }
    }

    fn collect(&mut self, state: &mut State, kind: ContainerKind, items: &[Item]) -> Value {
        let mut container = Container::new(kind, self.here.in_loop);
        for item in items {
            match item {
                Item::One(operand) => {
                    let value = self.operand(state, operand);
                    if container.rest.is_empty() && kind != ContainerKind::Set {
                        let slot = Slot::Position(container.entries.len() as u32);
                        container.entries.push((slot, value));
                        container.filled = Some(true);
                    } else {
                        container.keep(value);
                    }
                }
                Item::Keyed(key, operand) => {
                    let (key, value) = (self.operand(state, key), self.operand(state, operand));
                    match key.symbol() {
                        Some(key) if key != Symbol::UNKNOWN => {
                            container.entries.push((Slot::Key(key), value))
                        }
                        _ => container.keep(value),
                    }
                    container.filled = Some(true);
                }
                Item::Spread(operand) => {
                    let value = self.operand(state, operand);
                    self.spread(state, &mut container, &value);
                }
            }
        }
        let base = self.program.symbols.intern(Term::Result(self.site(0)));
        self.renew(state, base);
        self.bases.insert(base);
        if container.entries.len() + container.rest.len() > FOLLOWED_ELEMENTS && container.is_plain() {
            return Value::UNKNOWN;
        }
        Value::Object(state.make(self.site(0), Object::Container(container)))
    }

    /// Adds the elements of a value to a container that is being built.
    pub(crate) fn spread(&mut self, state: &mut State, container: &mut Container, value: &Value) {
        container.loosen();
        let mut filled = container.filled;
        match value {
            Value::Object(id) => {
                if let Some(Object::Lazy(function, over, _)) = state.heap.get(id).cloned() {
                    self.consume_at_once(state, *id, &function, &over);
                    return;
                }
                let Some(inner) = state.container(*id).cloned() else {
                    self.handle_as_list(state, value);
                    return;
                };
                if filled != Some(true) {
                    filled = if inner.filled == Some(false) { filled } else { inner.filled };
                }
                inner.elements().for_each(|element| container.keep(element.clone()));
                container.launched |= inner.launched;
            }
            Value::Symbol(symbol) => {
                self.look_into(*symbol);
                let item = self.item_of(state, *symbol);
                container.keep(item);
                filled = if filled == Some(true) { filled } else { None };
            }
            other => {
                container.keep(other.clone());
                filled = if filled == Some(true) { filled } else { None };
            }
        }
        container.filled = filled;
    }

    /// `[*map(wait, reqs)]`: consumed on the spot.
    fn consume_at_once(
        &mut self,
        state: &mut State,
        lazy: super::value::ObjectId,
        function: &Value,
        over: &[Value],
    ) {
        state.heap.remove(&lazy);
        for value in over {
            if self.waits(function) {
                self.finish_value(state, value, ir::Which::All, None);
            } else {
                self.give_away(state, value);
            }
        }
    }

    /// The symbol of an element of a symbol.
    pub(crate) fn item_of(&mut self, state: &mut State, of: Symbol) -> Value {
        if of == Symbol::UNKNOWN {
            return Value::Symbol(self.fresh(state, 9));
        }
        let item = self.program.symbols.intern(Term::Item(of));
        if item != Symbol::UNKNOWN {
            self.renew(state, item);
        }
        Value::Symbol(item)
    }

    fn closure(&mut self, state: &mut State, function: FunctionId) -> Value {
        let value = Value::Symbol(self.program.symbols.intern(Term::Function(function)));
        if self.program.unit.function(function).opaque {
            self.give_away(state, &value);
        }
        value
    }

    fn global(&mut self, state: &mut State, name: &str) -> Value {
        let place = self.program.symbols.intern(Term::Global(name.into()));
        if let (Some(partial), true) = (self.program.partials.get(name), self.program.is_bound_once(name))
            && !state.memory.contains_key(&place)
        {
            let partial = partial.clone();
            return Value::Object(state.make(self.site(0), Object::Partial(partial)));
        }
        self.note_reading(state, Named::Place(place));
        match state.memory.get(&place) {
            Some(value) => value.clone(),
            None => Value::Symbol(self.program.global(name)),
        }
    }

    /// Stores a value in a place that others can see.
    pub(crate) fn store(&mut self, state: &mut State, place: Symbol, value: Value) {
        if place == Symbol::UNKNOWN {
            self.give_away(state, &value);
            return;
        }
        state.outdate(&self.program.symbols, place);
        self.disturb(place);
        self.note_place_rebinding(state, place, &value);
        state.retire(&mut self.program.symbols, place);
        let value = self.stored(state, place, value);
        self.note_attribute(state, place, &value);
        let how = if self.is_handle(state, &value) { Loss::Renewed } else { Loss::Rebound };
        state.memory.insert(place, value);
        self.settle(state, how, self.place_name(place));
    }

    /// What a place that others can see holds after a store.
    fn stored(&mut self, state: &mut State, place: Symbol, value: Value) -> Value {
        let Value::Symbol(symbol) = value else { return value };
        if matches!(self.program.symbols.term(symbol), Term::Function(_)) {
            self.give_away(state, &value);
        }
        let is_set = self.program.is_sentinel_attribute(place)
            && self.program.symbols.constant_of(symbol).is_none()
            && self.program.type_of(symbol).is_none()
            && self.program.is_made_here(symbol);
        if !is_set {
            return value;
        }
        let fresh = self.fresh(state, SET_PLACE + place.number());
        self.program.learn_set(&mut state.facts, fresh, &Constant::None);
        Value::Symbol(fresh)
    }

    fn set_field(&mut self, state: &mut State, of: &Value, name: &str, value: Value) {
        match of.symbol() {
            Some(of) => {
                let place = self.program.symbols.field(of, name);
                self.store(state, place, value);
            }
            None => self.give_away(state, &value),
        }
    }

    fn update(&mut self, state: &mut State, place: &Place, operator: &'static str, value: Value) {
        let current = match place {
            Place::Local(local) => state.local(*local),
            Place::Global(name) => self.global(state, name),
            Place::Field(of, name) => {
                let of = self.operand(state, of);
                self.read_field(state, &of, name)
            }
            Place::Element(of, key) => {
                let of = self.operand(state, of);
                self.element(state, &of, key)
            }
        };
        if let Value::Object(id) = &current
            && state.container(*id).is_some()
        {
            self.extend(state, &current, &value);
            return;
        }
        self.touch(state, &value, Access::Read);
        match place {
            Place::Element(of, key) => {
                let of = self.operand(state, of);
                self.touch_updated_element(state, &of, key);
            }
            Place::Local(_) | Place::Global(_) | Place::Field(..) => self.touch_updated(state, &current),
        }
        if value.symbol().is_none() {
            self.update_unknown(state, &current, &value);
            return;
        }
        let result = self.compute(state, &Operator::Other(operator), &[current, value]);
        match place {
            Place::Local(local) if self.is_array_variable(*local) => {}
            Place::Local(local) => self.bind(state, *local, result),
            Place::Global(name) => {
                let place = self.program.symbols.intern(Term::Global(name.as_str().into()));
                self.store(state, place, result);
            }
            Place::Field(of, name) => {
                let of = self.operand(state, of);
                self.set_field(state, &of, name, result);
            }
            Place::Element(of, key) => {
                let of = self.operand(state, of);
                if let Some(of) = of.symbol() {
                    let key = self.key_symbol(state, key);
                    let place = self.program.symbols.element(of, key);
                    state.outdate(&self.program.symbols, place);
                }
            }
        }
    }

    /// `theirs += handles`: the container belongs to somebody else.
    fn update_unknown(&mut self, state: &mut State, current: &Value, value: &Value) {
        if let Some(symbol) = current.symbol() {
            let elements = match value {
                Value::Object(id) => state.container(*id).map(|inner| Value::each(inner.objects())),
                _ => None,
            };
            state.affect(Effect::Push(symbol, elements.unwrap_or_else(|| value.clone())));
        }
        self.give_away(state, value);
    }

    /// The symbol that stands for a subscript.
    pub(crate) fn key_symbol(&mut self, state: &State, key: &Key) -> Symbol {
        match key {
            Key::At(operand) => self.operand(state, operand).symbol().unwrap_or(Symbol::UNKNOWN),
            Key::Range(..) => Symbol::UNKNOWN,
        }
    }

    fn unconsumed(&mut self, state: &mut State, function: FunctionId) {
        let waits = self.program.summaries[function.0 as usize]
            .as_ref()
            .is_some_and(|summary| summary.outcomes.iter().any(super::summary::Outcome::finishes));
        if !waits {
            return;
        }
        let unit = self.program.unit;
        let captured: Vec<Value> =
            unit.function(function).captures.iter().map(|&(_, outer)| state.local(outer)).collect();
        let handle = captured.iter().flat_map(|value| state.reach(&[value])).find_map(|id| state.handle(id));
        let handle = handle.map(|handle| super::handles::told(handle, None));
        let what = What::WaitNeverRuns { why: super::event::Idle::NotConsumed, handle, at: self.here.span };
        self.report(what, &state.path);
        captured.iter().for_each(|value| state.escape(value));
    }

    fn execute_call(
        &mut self,
        mut state: State,
        to: Local,
        callee: &Callee,
        arguments: &[Argument],
    ) -> Vec<State> {
        let arguments: Vec<Bound> = arguments
            .iter()
            .map(|argument| Bound {
                passing: match &argument.passing {
                    ir::Passing::Positional => Passing::Position,
                    ir::Passing::Named(name) => Passing::Name(name.clone()),
                    ir::Passing::Spread | ir::Passing::SpreadNamed => Passing::Spread,
                },
                value: self.operand(&state, &argument.value),
                span: argument.span,
            })
            .collect();
        let results = match callee {
            Callee::Value(operand) => {
                let callee = self.operand(&state, operand);
                self.call_value(state, &callee, &arguments)
            }
            Callee::Method { receiver, name, meaning } => {
                let receiver = self.operand(&state, receiver);
                if let (Some(meaning), Value::Object(id)) = (meaning, &receiver)
                    && state.container(*id).is_some()
                {
                    let value = self.container_method(&mut state, *id, *meaning, &arguments);
                    vec![(state, value)]
                } else {
                    self.call_method(state, &receiver, name, *meaning, &arguments)
                }
            }
        };
        self.bind_results(results, to)
    }

    /// Binds the result of each way in which a call can go.
    pub(crate) fn bind_results(&mut self, results: Vec<(State, Value)>, to: Local) -> Vec<State> {
        results
            .into_iter()
            .map(|(mut state, value)| {
                self.bind(&mut state, to, value);
                state
            })
            .collect()
    }

    fn execute_field(&mut self, mut state: State, to: Local, of: &Operand, name: &str) -> Vec<State> {
        let of = self.operand(&state, of);
        if let Some(results) = self.call_property(&state, &of, name) {
            return self.bind_results(results, to);
        }
        let value = self.read_field(&state, &of, name);
        self.bind(&mut state, to, value);
        self.named_last = Some(to);
        vec![state]
    }

    pub(crate) fn read_field(&mut self, state: &State, of: &Value, name: &str) -> Value {
        match of {
            Value::Symbol(symbol) => {
                let place = self.program.symbols.field(*symbol, name);
                state.memory.get(&place).cloned().unwrap_or(Value::Symbol(place))
            }
            Value::Object(_) | Value::Each(_) | Value::Perhaps(_) | Value::Part(..) => {
                Value::Method((of.clone(), name.to_owned()).into())
            }
            Value::Method(_) | Value::Test(_) | Value::Length(_) | Value::Function(_) => Value::UNKNOWN,
        }
    }

    pub(crate) fn constant_value(&mut self, constant: &Constant) -> Value {
        Value::Symbol(self.program.symbols.constant(constant))
    }
}

impl Value {
    /// A comparison with the number of elements of a container says whether it is empty.
    fn or_length(self, run: &mut Run<'_, '_>, operator: &Operator, values: &[Value]) -> Value {
        let [Value::Length(id), Value::Symbol(bound)] = values else { return self };
        let bound = match run.program.symbols.constant_of(*bound) {
            Some(Constant::Int(bound)) => *bound,
            _ => return self,
        };
        let filled = Value::Test(Test::Truth(Value::Object(*id)).into());
        match (operator, bound) {
            (Operator::Greater | Operator::NotEqual, 0) | (Operator::GreaterEqual, 1) => filled,
            (Operator::Equal | Operator::LessEqual, 0) | (Operator::Less, 1) => {
                Value::Test(Test::Not(filled).into())
            }
            _ => self,
        }
    }
}
