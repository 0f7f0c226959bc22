//! Calls of functions of the file: an outcome of the callee's summary is replayed in the caller's state.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::calls::{ELEMENTS, Results, doubt};
use super::event::Loss;
use super::program::{Attribute, Depth, Made, Type};
use super::run::Run;
use super::state::{Effect, State, Touched};
use super::summary::{Outcome, Summary};
use super::symbol::{Site, Symbol, Term};
use super::value::{Age, Bound, InFlight, InsideCall, Object, ObjectId, Passing, Slot, Status, Test, Value};
use crate::ir::{ClassId, Constant, DefaultValue, FunctionId, Operator, ParameterKind};

/// A call of a function of the file.
struct Call {
    function: FunctionId,
    /// What each parameter gets.
    arguments: Vec<Value>,
    /// Whether the function is defined inside of the calling one, so that what it captures is known.
    nested: bool,
}

/// How many objects of its sort a callee makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copies {
    One,
    Many,
}

impl Run<'_, '_> {
    /// Runs a function of the file on arguments, the receiver of a method among them.
    pub(crate) fn run_function(
        &mut self,
        mut state: State,
        function: FunctionId,
        arguments: &[Bound],
    ) -> Results {
        let unit = self.program.unit;
        let callee = unit.function(function);
        let summary = self.program.summaries[function.0 as usize].clone();
        let usable = summary.filter(|summary| !callee.opaque && !summary.is_too_rich());
        let Some(summary) = usable else {
            let symbol = self.program.symbols.intern(Term::Function(function));
            return self.call_unknown(state, symbol, arguments);
        };
        self.summary.communicates |= summary.communicates;
        if summary.communicates {
            self.overlap.note_communication(self.here.operation);
        }
        if summary.only_computes() {
            self.replay_certain_touches(&mut state, function, &summary, arguments);
            // What it computes is the same for the same arguments, like any unknown function's result.
            let symbol = self.program.symbols.intern(Term::Function(function));
            let all = arguments.iter().map(|bound| bound.value.symbol().unwrap_or(Symbol::UNKNOWN));
            let all: Vec<Symbol> = std::iter::once(symbol).chain(all).collect();
            let result = match self.program.symbols.call(all) {
                Symbol::UNKNOWN => self.fresh(&mut state, 0),
                same => same,
            };
            self.disturb(result);
            return vec![(state, Value::Symbol(result))];
        }
        let values = self.bind_arguments(&mut state, function, arguments);
        let call = Call { function, arguments: values, nested: callee.parent == Some(self.id) };
        for &symbol in &summary.looks_into {
            if let Value::Symbol(seen) = self.resolve(&mut state, &call, symbol) {
                self.look_into(seen);
            }
        }
        self.replay_all(&state, &call, &summary, arguments)
    }

    fn replay_all(&mut self, state: &State, call: &Call, summary: &Summary, arguments: &[Bound]) -> Results {
        let mut results = Vec::new();
        let mut giving = 0;
        for outcome in &summary.outcomes {
            let before = results.len();
            for state in self.satisfy(state.clone(), call, outcome) {
                results.push(self.replay(state, call, outcome, arguments));
            }
            giving += usize::from(results.len() > before && outcome.gives_handle_or_nothing_in_a_container());
        }
        let possible = summary.outcomes.len();
        if giving > 0 && giving < self.count_ways(state, call, summary).min(possible) {
            // Only some ways through the function give a handle: whether one was lost here depends on more than is known.
            results.iter_mut().for_each(|(state, value)| doubt(state, value));
        }
        results
    }

    fn count_ways(&mut self, state: &State, call: &Call, summary: &Summary) -> usize {
        let possible = |outcome: &&Outcome| !self.satisfy(state.clone(), call, outcome).is_empty();
        summary.outcomes.iter().filter(possible).count()
    }

    /// What each parameter gets; what the call passes in other ways is given away.
    fn bind_arguments(&mut self, state: &mut State, function: FunctionId, arguments: &[Bound]) -> Vec<Value> {
        let unit = self.program.unit;
        let parameters = &unit.function(function).parameters;
        let mut values: Vec<Option<Value>> = vec![None; parameters.len()];
        let spreads = arguments.iter().any(|bound| bound.passing == Passing::Spread);
        let mut position = 0;
        for bound in arguments {
            let index = match &bound.passing {
                Passing::Position => {
                    let index = position;
                    position += 1;
                    parameters
                        .get(index)
                        .filter(|parameter| parameter.kind == ParameterKind::Plain)
                        .map(|_| index)
                }
                Passing::Name(name) => parameters.iter().position(|parameter| parameter.name == *name),
                Passing::Spread => None,
            };
            match index {
                Some(index) => values[index] = Some(bound.value.clone()),
                None => self.give_away(state, &bound.value),
            }
        }
        let defaults = parameters.iter().map(|parameter| parameter.default.clone());
        let pairs: Vec<_> = values.into_iter().zip(defaults).collect();
        pairs
            .into_iter()
            .map(|(value, default)| match (value, default) {
                (Some(value), _) => value,
                (None, Some(DefaultValue::Constant(constant))) if !spreads => self.constant_value(&constant),
                (None, _) => Value::UNKNOWN,
            })
            .collect()
    }

    /// The states in which the conditions of an outcome hold.
    fn satisfy(&mut self, state: State, call: &Call, outcome: &Outcome) -> Vec<State> {
        let mut states = vec![state];
        for &(condition, truth) in &outcome.conditions {
            let mut next = Vec::new();
            for mut state in states {
                let value = self.condition(&mut state, call, condition);
                next.extend(self.assume(state, &value, truth));
            }
            states = next;
        }
        states
    }

    /// A condition of the callee, on the caller's values.
    fn condition(&mut self, state: &mut State, call: &Call, condition: Symbol) -> Value {
        if let Some(test) = self.type_condition(state, call, condition) {
            return test;
        }
        let Term::Apply(operator, operands) = self.program.symbols.term(condition).clone() else {
            return self.resolve(state, call, condition);
        };
        let values: Vec<Value> =
            operands.iter().map(|&operand| self.condition(state, call, operand)).collect();
        let symbols: Option<Vec<Symbol>> = values.iter().map(Value::symbol).collect();
        if let Some(symbols) = symbols {
            return Value::Symbol(self.program.symbols.apply(&operator, symbols));
        }
        match (operator, values.as_slice()) {
            (Operator::Not, [one]) => Value::Test(Test::Not(one.clone()).into()),
            (Operator::And, all) => Value::Test(Test::And(all.to_vec()).into()),
            (Operator::Or, all) => Value::Test(Test::Or(all.to_vec()).into()),
            (Operator::Is | Operator::Equal, [value, Value::Symbol(Symbol::NONE)]) => {
                Value::Test(Test::IsNone(value.clone()).into())
            }
            _ => Value::UNKNOWN,
        }
    }

    /// `isinstance(parameter, list)`, where the caller passes something that is followed.
    fn type_condition(&mut self, state: &mut State, call: &Call, condition: Symbol) -> Option<Value> {
        let Term::Call(parts) = self.program.symbols.term(condition).clone() else { return None };
        let &[callee, value, class] = parts.as_slice() else { return None };
        let api = self.program.catalog.api(&self.program.symbols.path_of(callee)?)?;
        if self.program.catalog.short_name(api) != "isinstance" {
            return None;
        }
        match self.resolve(state, call, value) {
            Value::Symbol(_) => None,
            value => Some(self.type_test(state, &value, class)),
        }
    }

    /// What a symbol of the callee is for the caller.
    fn resolve(&mut self, state: &mut State, call: &Call, symbol: Symbol) -> Value {
        match self.program.symbols.term(symbol).clone() {
            Term::Parameter(index) => call.arguments.get(index as usize).cloned().unwrap_or(Value::UNKNOWN),
            Term::Captured(local) if call.nested => state.local(local),
            Term::Captured(_) => Value::UNKNOWN,
            Term::Result(site) => Value::Symbol(self.result_of(call, site)),
            Term::Merged(..) | Term::Number(_) | Term::Unknown => Value::UNKNOWN,
            Term::Item(of) => {
                let of = self.resolve(state, call, of);
                match of {
                    Value::Symbol(Symbol::UNKNOWN) => Value::UNKNOWN,
                    Value::Symbol(of) => Value::Symbol(self.program.symbols.intern(Term::Item(of))),
                    followed => self.inner(state, &followed),
                }
            }
            Term::Element([of, key]) => {
                let is_slice = self.program.symbols.is_slice(key);
                let of = self.resolve(state, call, of);
                let key = self.resolve(state, call, key).symbol().unwrap_or(Symbol::UNKNOWN);
                match of {
                    followed if is_slice && followed.symbol().is_none() => followed,
                    Value::Symbol(of) => self.element_of_symbol(state, of, key),
                    followed => self.inner_at(state, &followed, key),
                }
            }
            Term::Field(of, name) => match self.resolve(state, call, of) {
                Value::Symbol(of) => {
                    let place = self.program.symbols.field(of, &name);
                    state.memory.get(&place).cloned().unwrap_or(Value::Symbol(place))
                }
                followed => Value::Method((followed, name.to_string()).into()),
            },
            Term::Call(parts) => {
                // `for h in self.open.values()`: the elements of what the method is called on.
                let first = parts.first().map(|&part| self.resolve(state, call, part));
                if let Some(Value::Method(method)) = &first
                    && method.0.symbol().is_none()
                {
                    return method.0.clone();
                }
                let all: Vec<Symbol> = parts
                    .iter()
                    .map(|&part| self.resolve(state, call, part).symbol().unwrap_or(Symbol::UNKNOWN))
                    .collect();
                Value::Symbol(self.program.symbols.call(all))
            }
            Term::Length(of) => match self.resolve(state, call, of) {
                Value::Symbol(of) => Value::Symbol(self.program.symbols.intern(Term::Length(of))),
                Value::Object(id) => Value::Length(id),
                _ => Value::UNKNOWN,
            },
            Term::Apply(operator, operands) if self.program.symbols.list_of_each(symbol).is_some() => {
                match self.resolve(state, call, operands[0]) {
                    Value::Symbol(list) => Value::Symbol(self.program.symbols.apply(&operator, vec![list])),
                    followed => self.inner(state, &followed),
                }
            }
            Term::Apply(operator, operands) if operator == ELEMENTS => {
                match self.resolve(state, call, operands[0]) {
                    Value::Symbol(of) => Value::Symbol(self.program.symbols.apply(&operator, vec![of])),
                    followed => followed,
                }
            }
            Term::Apply(operator, operands) => {
                let all: Vec<Symbol> = operands
                    .iter()
                    .map(|&operand| self.resolve(state, call, operand).symbol().unwrap_or(Symbol::UNKNOWN))
                    .collect();
                Value::Symbol(self.program.symbols.apply(&operator, all))
            }
            Term::Global(name) => {
                let place = self.program.symbols.intern(Term::Global(name));
                state.memory.get(&place).cloned().unwrap_or(Value::Symbol(place))
            }
            Term::Constant(_) | Term::Path(_) | Term::Function(_) | Term::Class(_) => Value::Symbol(symbol),
        }
    }

    /// Each element of a followed value.
    fn inner(&mut self, state: &State, value: &Value) -> Value {
        let objects = value.objects().into_iter().filter_map(|id| state.container(id));
        Value::each(objects.flat_map(super::loops::direct_objects).collect())
    }

    fn inner_at(&mut self, state: &State, value: &Value, key: Symbol) -> Value {
        let position = match self.program.symbols.constant_of(key) {
            Some(Constant::Int(n)) => u32::try_from(*n).ok(),
            _ => None,
        };
        if let (Value::Object(id), Some(position)) = (value, position)
            && let Some(container) = state.container(*id)
        {
            let known = container.entries.iter().find(|(slot, _)| *slot == Slot::Position(position));
            if let Some((_, value)) = known {
                return value.clone();
            }
        }
        self.inner(state, value)
    }

    /// The symbol for something that the callee makes.
    fn result_of(&mut self, call: &Call, site: Site) -> Symbol {
        let part = self.program.part(call.function, Made::Symbol(site));
        let site = self.site(part);
        self.program.symbols.intern(Term::Result(site))
    }

    /// Replays an outcome.
    fn replay(
        &mut self,
        mut state: State,
        call: &Call,
        outcome: &Outcome,
        arguments: &[Bound],
    ) -> (State, Value) {
        for &(symbol, ref of) in &outcome.types {
            if let Term::Result(site) = *self.program.symbols.term(symbol) {
                let made = self.result_of(call, site);
                self.renew(&mut state, made);
                self.program.declare(made, of.clone());
            }
        }
        for site in outcome.made(&self.program.symbols) {
            let made = self.result_of(call, site);
            self.renew(&mut state, made);
        }
        let copies = self.copy_objects(&mut state, call, outcome);
        state.pinned.extend(copies.values().map(|&copy| Value::Object(copy)));
        // What the callee started itself was judged there: its own touches come before, or were reported.
        let begun = state.take_buffers(copies.values());
        for (index, effect) in outcome.effects.iter().enumerate() {
            self.replay_touches(&mut state, call, &outcome.touches, index);
            self.replay_effect(&mut state, call, effect, &copies, arguments);
        }
        self.replay_touches(&mut state, call, &outcome.touches, outcome.effects.len());
        self.check_begun(&mut state, &begun);
        state.give_buffers(begun);
        for (place, value) in &outcome.stores {
            let value = self.translate(&mut state, call, value, &copies);
            self.replay_store(&mut state, call, *place, value, outcome);
        }
        let result = self.translate(&mut state, call, &outcome.result, &copies);
        (state, result)
    }

    /// Replays the touches that come after a number of effects.
    fn replay_touches(&mut self, state: &mut State, call: &Call, touches: &[Touched], after: usize) {
        let callee = self.program.unit.function(call.function).name.clone();
        for touch in touches.iter().filter(|touch| touch.after == after) {
            let target = self.resolve(state, call, touch.region);
            self.replay_touch(state, &target, touch, &callee);
        }
    }

    /// What a function that only computes does to what it is given, whichever way it takes.
    fn replay_certain_touches(
        &mut self,
        state: &mut State,
        function: FunctionId,
        summary: &Summary,
        arguments: &[Bound],
    ) {
        let touches = summary.certain_touches();
        if touches.is_empty() {
            return;
        }
        let nested = self.program.unit.function(function).parent == Some(self.id);
        let call = Call { function, arguments: self.bind_arguments(state, function, arguments), nested };
        let callee = self.program.unit.function(function).name.clone();
        for touch in touches.iter() {
            let target = self.resolve(state, &call, touch.region);
            self.replay_touch(state, &target, touch, &callee);
        }
    }

    /// Copies the objects of an outcome into the caller's state.
    fn copy_objects(
        &mut self,
        state: &mut State,
        call: &Call,
        outcome: &Outcome,
    ) -> BTreeMap<ObjectId, ObjectId> {
        let mut copies = BTreeMap::new();
        for &id in outcome.heap.keys() {
            let part = self.program.part(call.function, Made::Object(id));
            let site = self.site(part);
            let placeholder = Object::Manager(super::value::Manager::ExpectingError);
            copies.insert(id, state.make(site, placeholder));
        }
        let symbols = &self.program.symbols;
        let kept = outcome
            .kept_objects(|symbol| matches!(symbols.term(symbol), Term::Parameter(_) | Term::Captured(_)));
        for (id, object) in &outcome.heap {
            let mut object = object.clone();
            self.translate_buffers(state, call, &mut object, copies_of(outcome, *id));
            self.translate_object(state, call, &mut object, &copies);
            self.retell(&mut object, call, kept.contains(id));
            if let Object::Handle(handle) = &mut object {
                handle.guard = state.path.last().map(|decision| decision.step.span);
            }
            if let Some(copy) = copies.get(id) {
                state.heap.insert(*copy, object);
            }
        }
        copies
    }

    /// Tells the story of a copied object from the caller's point of view.
    fn retell(&self, object: &mut Object, call: &Call, kept: bool) {
        let at = self.here.span;
        let callee: Arc<str> = self.program.unit.function(call.function).name.as_str().into();
        match object {
            Object::Handle(handle) => {
                handle.escaped = false;
                if !kept {
                    let inner = InsideCall { function: callee, span: handle.started };
                    handle.inside = std::iter::once(inner).chain(handle.inside.iter().cloned()).collect();
                    handle.started = at;
                }
                handle.made_in = self.here.in_loop;
            }
            Object::Container(container) => {
                container.escaped = false;
                container.made_in = self.here.in_loop;
            }
            Object::Operation(operation) => {
                operation.escaped = false;
                operation.built = at;
            }
            Object::Coroutine(_, _, built) | Object::Lazy(_, _, built) => *built = at,
            Object::Partial(_) | Object::Iterator(..) | Object::Manager(_) => {}
        }
    }

    fn translate_object(
        &mut self,
        state: &mut State,
        call: &Call,
        object: &mut Object,
        copies: &BTreeMap<ObjectId, ObjectId>,
    ) {
        object.rename(&|id| copies.get(&id).copied().unwrap_or(id));
        if let Object::Container(container) = object {
            let slots: Vec<(Slot, Value)> = std::mem::take(&mut container.entries);
            for (slot, value) in slots {
                let value = self.translate_plain(state, call, value);
                let slot = match slot {
                    Slot::Key(key) => {
                        Slot::Key(self.resolve(state, call, key).symbol().unwrap_or(Symbol::UNKNOWN))
                    }
                    Slot::Position(_) => slot,
                };
                container.entries.push((slot, value));
            }
            let rest: Vec<Value> = std::mem::take(&mut container.rest);
            container.rest = rest.into_iter().map(|value| self.translate_plain(state, call, value)).collect();
            container.rest.sort();
            container.rest.dedup();
        }
    }

    /// The buffers of a handle or operation, by the caller's names for them.
    fn translate_buffers(&mut self, state: &mut State, call: &Call, object: &mut Object, count: Copies) {
        let buffers = match object {
            Object::Handle(handle) => &mut handle.buffers,
            Object::Operation(operation) => &mut operation.buffers,
            _ => return,
        };
        let mut all: Vec<InFlight> = Vec::new();
        for buffer in buffers.iter() {
            let symbols = &self.program.symbols;
            let one_by_one = if count == Copies::Many { symbols.list_behind(buffer.region) } else { None };
            let list = symbols.list_of_each(buffer.region).or(one_by_one);
            let value = self.resolve(state, call, list.unwrap_or(buffer.region));
            let regions = match (list, &value) {
                (Some(_), _) => self.regions_of_each(state, &value),
                (None, _) => value.symbol().into_iter().collect(),
            };
            let known = regions.into_iter().filter(|region| *region != Symbol::UNKNOWN);
            all.extend(known.map(|region| InFlight { region, at: self.here.span, ..*buffer }));
        }
        *buffers = all.into();
    }

    fn translate_plain(&mut self, state: &mut State, call: &Call, value: Value) -> Value {
        match value {
            Value::Symbol(symbol) => self.resolve(state, call, symbol),
            other => other,
        }
    }

    /// A value of the callee, in the caller's state.
    fn translate(
        &mut self,
        state: &mut State,
        call: &Call,
        value: &Value,
        copies: &BTreeMap<ObjectId, ObjectId>,
    ) -> Value {
        match value {
            Value::Symbol(Symbol::UNKNOWN) => Value::Symbol(self.fresh(state, 0)),
            Value::Symbol(symbol) => match self.resolve(state, call, *symbol) {
                Value::Symbol(Symbol::UNKNOWN) => Value::Symbol(self.fresh(state, 0)),
                known => known,
            },
            Value::Method(method) => {
                let receiver = self.translate(state, call, &method.0, copies);
                Value::Method((receiver, method.1.clone()).into())
            }
            Value::Test(test) => match &**test {
                Test::Finished(on, which) => {
                    let on = self.translate(state, call, on, copies);
                    Value::Test(Test::Finished(on, *which).into())
                }
                Test::IsNone(_) | Test::Truth(_) | Test::Not(_) | Test::And(_) | Test::Or(_) => {
                    Value::UNKNOWN
                }
            },
            followed => followed.renamed(&|id| copies.get(&id).copied().unwrap_or(id)),
        }
    }

    fn replay_effect(
        &mut self,
        state: &mut State,
        call: &Call,
        effect: &Effect,
        copies: &BTreeMap<ObjectId, ObjectId>,
        _arguments: &[Bound],
    ) {
        let target = self.resolve(state, call, effect.target());
        match effect {
            Effect::Finish(_, which) => {
                let which = *which;
                match (&target, which) {
                    // A helper that waits for its parameter was given a list: its own `wait` on each is what it means.
                    (Value::Object(id), crate::ir::Which::One) if state.container(*id).is_some() => {
                        self.finish_value(state, &target, crate::ir::Which::One, None);
                    }
                    _ => self.finish_value(state, &target, which, None),
                }
            }
            Effect::Push(_, value) => {
                let value = self.translate(state, call, value, copies);
                self.push(state, &target, value);
            }
            Effect::Launch(_) => self.launch_all(state, &target),
            Effect::Escape(_) => self.give_away(state, &target),
        }
    }

    fn launch_all(&mut self, state: &mut State, target: &Value) {
        for id in state.reach(&[target]) {
            match state.heap.get_mut(&id) {
                Some(Object::Operation(operation)) => operation.launched = Status::Finished,
                Some(Object::Handle(handle)) if handle.status == Status::Prepared => {
                    handle.status = Status::Pending
                }
                _ => {}
            }
        }
        if let Value::Symbol(symbol) = target {
            state.affect(Effect::Launch(*symbol));
        }
    }

    fn replay_store(
        &mut self,
        state: &mut State,
        call: &Call,
        place: Symbol,
        value: Value,
        outcome: &Outcome,
    ) {
        match self.program.symbols.term(place).clone() {
            Term::Field(of, name) => {
                let of = self.resolve(state, call, of);
                match of.symbol() {
                    Some(of) => {
                        let place = self.program.symbols.field(of, &name);
                        self.store(state, place, value);
                    }
                    None => self.give_away(state, &value),
                }
            }
            Term::Element([of, key]) => {
                let of = self.resolve(state, call, of);
                let key = self.resolve(state, call, key).symbol().unwrap_or(Symbol::UNKNOWN);
                match of.symbol() {
                    Some(of) if key != Symbol::UNKNOWN => {
                        let drained = outcome.effects.iter().any(|effect| effect.target() == place);
                        if !drained {
                            self.note_fill(state, of, key, &value);
                        }
                        let place = self.program.symbols.element(of, key);
                        self.store(state, place, value);
                    }
                    _ => self.push(state, &of, value),
                }
            }
            Term::Global(_) => self.store(state, place, value),
            Term::Captured(local) if call.nested => {
                let local = crate::ir::Local(local.0);
                self.bind(state, local, value);
            }
            _ => self.give_away(state, &value),
        }
        self.settle(state, Loss::Rebound, None);
    }

    /// Makes an instance of a class of the file.
    pub(crate) fn construct(&mut self, mut state: State, class: ClassId, arguments: &[Bound]) -> Results {
        let instance = self.fresh(&mut state, 0);
        self.program.declare(instance, Type::Own(vec![class]));
        let this = Value::Symbol(instance);
        if let Some(fields) = &self.program.unit.class(class).record_fields {
            self.fill_record(&mut state, instance, fields, arguments);
            return vec![(state, this)];
        }
        let Some(constructor) = self.program.constructor(class) else {
            arguments.iter().for_each(|bound| self.give_away(&mut state, &bound.value));
            return vec![(state, this)];
        };
        let results = self.call_function(state, constructor, Some(this.clone()), arguments);
        results.into_iter().map(|(state, _)| (state, this.clone())).collect()
    }

    fn fill_record(&mut self, state: &mut State, instance: Symbol, fields: &[String], arguments: &[Bound]) {
        for (index, bound) in arguments.iter().enumerate() {
            let name = match &bound.passing {
                Passing::Position => fields.get(index),
                Passing::Name(name) => fields.iter().find(|field| *field == name),
                Passing::Spread => None,
            };
            match name {
                Some(name) => {
                    let place = self.program.symbols.field(instance, name);
                    self.store(state, place, bound.value.clone());
                }
                None => self.give_away(state, &bound.value),
            }
        }
    }

    /// Writes down how the function ends, for its callers.
    pub(crate) fn summarise(&mut self, state: &State, result: &Value) {
        if self.summary.is_too_rich() {
            return;
        }
        let mut conditions = state.facts.conditions(&mut self.program.symbols);
        conditions.extend(state.outdated.conditions(&mut self.program.symbols));
        let program = &*self.program;
        let is_visible = |symbol: Symbol| program.is_visible(symbol);
        let conditions: Vec<(Symbol, bool)> =
            conditions.into_iter().filter(|(condition, _)| is_visible(*condition)).collect();
        let mut types = Vec::new();
        let mut stores = Vec::new();
        for (&place, value) in &state.memory {
            let owner = program.owner(place);
            let made_here = matches!(program.symbols.term(owner), Term::Result(_));
            if made_here && let Some(of) = program.type_of(owner) {
                types.push((owner, of));
            }
            if made_here || is_visible(place) {
                stores.push((place, value.clone()));
            }
        }
        if let Value::Symbol(symbol) = result
            && matches!(program.symbols.term(*symbol), Term::Result(_))
            && let Some(of) = program.type_of(*symbol)
        {
            types.push((*symbol, of));
        }
        types.sort_by_key(|(symbol, _)| *symbol);
        types.dedup_by_key(|(symbol, _)| *symbol);
        let effects: Vec<Effect> = state
            .effects
            .iter()
            .filter(|effect| program.is_reachable_by_caller(effect.target()))
            .cloned()
            .collect();
        let mut roots: Vec<&Value> = stores.iter().map(|(_, value)| value).collect();
        roots.push(result);
        roots.extend(effects.iter().filter_map(|effect| match effect {
            Effect::Push(_, value) => Some(value),
            Effect::Finish(..) | Effect::Launch(_) | Effect::Escape(_) => None,
        }));
        let heap = state
            .reach(&roots)
            .into_iter()
            .filter_map(|id| state.heap.get(&id).map(|object| (id, object.clone())))
            .collect();
        let kept: Vec<bool> =
            state.effects.iter().map(|it| program.is_reachable_by_caller(it.target())).collect();
        let after = |all: usize| kept.iter().take(all).filter(|is_kept| **is_kept).count();
        let touches = state.touches.iter().map(|touch| Touched { after: after(touch.after), ..*touch });
        let touches = touches.collect();
        let outcome = Outcome { conditions, effects, touches, stores, result: result.clone(), types, heap };
        self.summary.add(outcome);
    }

    /// Remembers what a method stores in an attribute of its class.
    pub(crate) fn note_attribute(&mut self, state: &State, place: Symbol, value: &Value) {
        let Some((class, name, depth)) = self.program.attribute_of(place) else { return };
        let of = value.symbol().map(|symbol| (symbol, self.program.type_of(symbol)));
        let list = self.list_in(state, value);
        let held = self.handles_on_own_buffers(state, value);
        let attribute: &mut Attribute = self.program.attributes.entry((class, name)).or_default();
        if let (Depth::Itself, Some((symbol, of))) = (depth, of)
            && symbol != Symbol::NONE
            && !attribute.types.contains(&of)
        {
            attribute.types.push(of);
        }
        Self::keep_held(attribute, held);
        if let Some(handle) = list
            && attribute.lists.len() < 4
            && !attribute.lists.iter().any(|(known, of)| *known == depth && of.started == handle.started)
        {
            attribute.lists.push((depth, handle));
        }
    }

    /// Remembers what a method adds to a container that is an attribute of its class.
    pub(crate) fn note_element(&mut self, state: &State, container: Symbol, value: &Value) {
        let place = self.program.symbols.element(container, Symbol::UNKNOWN);
        self.note_attribute(state, place, value);
    }

    fn list_in(&self, state: &State, value: &Value) -> Option<super::value::Handle> {
        let Value::Object(id) = value else { return None };
        let container = state.container(*id)?;
        let lists =
            matches!(container.kind, crate::ir::ContainerKind::List | crate::ir::ContainerKind::Tuple);
        let objects = super::loops::direct_objects(container);
        let all_handles = !objects.is_empty() && objects.iter().all(|&id| state.handle(id).is_some());
        if lists && all_handles { objects.first().and_then(|&id| state.handle(id).cloned()) } else { None }
    }

    /// Whether a function starts or finishes anything.
    pub(crate) fn communicates(&self, function: FunctionId) -> bool {
        self.program.summaries[function.0 as usize].as_ref().is_some_and(|summary| summary.communicates)
    }

    /// Whether a value is a function that finishes its argument.
    pub(crate) fn waits(&self, function: &Value) -> bool {
        let Some(symbol) = function.symbol() else { return false };
        match self.program.symbols.term(symbol) {
            Term::Function(id) => self.program.summaries[id.0 as usize]
                .as_ref()
                .is_some_and(|summary| summary.outcomes.iter().any(Outcome::finishes)),
            Term::Path(path) => {
                self.program.catalog.api(path).is_some_and(|api| {
                    self.program.catalog.function(api).does == crate::catalog::Does::Finish
                })
            }
            _ => false,
        }
    }
}

/// Whether a loop made the object, one for each element of something.
fn copies_of(outcome: &Outcome, id: ObjectId) -> Copies {
    let older = ObjectId { age: Age::Older, ..id };
    if outcome.heap.contains_key(&older) { Copies::Many } else { Copies::One }
}
