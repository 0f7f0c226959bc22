//! Calls: finding out what is called.
//!
//! ```text
//! dist.isend(x)            a path of an imported module            → the catalogue
//! send(x)                  a variable that holds such a path       → the catalogue
//! self._post(x)            a method of a class of the file         → its summary
//! comm.Isend(x)            a method of something unknown           → what the catalogue takes for evidence
//! req.wait()               a method of a handle                    → the catalogue
//! debug(x, req)            unknown                                 → whatever is passed belongs to somebody else now
//! ```

use super::event::What;
use super::handles::told;
use super::program::{Depth, Type};
use super::run::Run;
use super::state::{Effect, State};
use super::symbol::{Symbol, Term};
use super::value::{Bound, Container, Manager, Object, ObjectId, Partial, Passing, Test, Value};
use crate::catalog::{ApiId, DataUse, Does};
use crate::ir::{
    ClassId, Constant, ContainerKind, Flavour, FunctionId, FunctionKind, Local, Meaning, Operand, Operator,
    Which,
};
use crate::source::Language;

/// `x.values()`, `x.items()`, `list(x)`: there is an element in it if there is one in `x`.
pub(crate) const ELEMENTS: Operator = Operator::Other("elements");

/// Parts of a site from here on are for elements of what a call goes through.
const EACH_ELEMENT: u32 = 1 << 20;

/// The ways in which a call can go, each with its result.
pub(crate) type Results = Vec<(State, Value)>;

impl Run<'_, '_> {
    /// Calls a value.
    pub(crate) fn call_value(&mut self, state: State, callee: &Value, arguments: &[Bound]) -> Results {
        match callee {
            Value::Symbol(symbol) => self.call_symbol(state, *symbol, arguments),
            Value::Method(method) => self.call_method(state, &method.0, &method.1, None, arguments),
            Value::Object(id) => match state.heap.get(id).cloned() {
                Some(Object::Partial(partial)) => {
                    let all: Vec<Bound> = partial.arguments.iter().chain(arguments).cloned().collect();
                    self.call_value(state, &partial.callee, &all)
                }
                _ => self.call_unknown(state, Symbol::UNKNOWN, arguments),
            },
            Value::Each(_)
            | Value::Perhaps(_)
            | Value::Part(..)
            | Value::Test(_)
            | Value::Length(_)
            | Value::Function(_) => self.call_unknown(state, Symbol::UNKNOWN, arguments),
        }
    }

    fn call_symbol(&mut self, state: State, callee: Symbol, arguments: &[Bound]) -> Results {
        match self.program.symbols.term(callee).clone() {
            Term::Path(path) => self.call_path(state, &path, arguments),
            Term::Function(function) => self.call_function(state, function, None, arguments),
            Term::Class(class) => self.construct(state, class, arguments),
            Term::Field(of, name) => self.call_method(state, &Value::Symbol(of), &name, None, arguments),
            _ => self.call_unknown(state, callee, arguments),
        }
    }

    pub(crate) fn call_path(&mut self, mut state: State, path: &str, arguments: &[Bound]) -> Results {
        self.touch_by_function(&mut state, path, arguments);
        if let Some(api) = self.program.catalog.api(path) {
            return self.call_api(state, api, None, arguments);
        }
        let made = self.program.catalog.class(path);
        let callee = self.program.symbols.intern(Term::Path(path.into()));
        if let Some(used) = self.program.catalog.data_function(path) {
            return self.call_on_data(state, used, callee, None, arguments);
        }
        let mut results = self.call_unknown(state, callee, arguments);
        if let Some(class) = made {
            for (state, value) in &mut results {
                let instance = self.fresh(state, 0);
                self.program.declare(instance, Type::Catalogued(class));
                *value = Value::Symbol(instance);
            }
        }
        results
    }

    /// Calls a function that is known for what it does to data: it keeps nothing of what it is given. A method is known by
    /// its name alone, and `box.add(handle)` keeps it.
    fn call_on_data(
        &mut self,
        mut state: State,
        used: DataUse,
        callee: Symbol,
        receiver: Option<Symbol>,
        arguments: &[Bound],
    ) -> Results {
        for bound in arguments {
            // An array of requests keeps them, whatever it is called.
            let holds_handles = state.reach(&[&bound.value]).iter().any(|&id| state.handle(id).is_some());
            if receiver.is_some() || holds_handles {
                self.give_away(&mut state, &bound.value);
            }
        }
        match self.data_result(&mut state, used, callee, receiver, arguments) {
            Some(value) => vec![(state, value)],
            None => {
                let held = state.effects.len();
                let mut results = self.call_unknown(state, callee, arguments);
                results.iter_mut().for_each(|(state, _)| state.effects.truncate(held));
                results
            }
        }
    }

    /// Calls something of which nothing is known: what it is given may end up anywhere.
    pub(crate) fn call_unknown(&mut self, mut state: State, callee: Symbol, arguments: &[Bound]) -> Results {
        let mut all = vec![callee];
        for bound in arguments {
            self.give_away(&mut state, &bound.value);
            all.push(match bound.passing {
                Passing::Position => bound.value.symbol().unwrap_or(Symbol::UNKNOWN),
                Passing::Name(_) => bound.value.symbol().unwrap_or(Symbol::UNKNOWN),
                Passing::Spread => Symbol::UNKNOWN,
            });
        }
        let result = match self.program.symbols.call(all) {
            Symbol::UNKNOWN => self.fresh(&mut state, 0),
            same => same,
        };
        self.make_anew(&mut state, result);
        self.disturb(result);
        vec![(state, Value::Symbol(result))]
    }

    /// Somebody unknown gets hold of a value.
    pub(crate) fn give_away(&mut self, state: &mut State, value: &Value) {
        self.note_handed_on(state, value);
        state.escape(value);
        match value {
            Value::Symbol(symbol) => self.give_symbol_away(state, *symbol),
            Value::Method(method) => self.give_away(state, &method.0),
            _ => {
                let inner: Vec<Value> = self.plain_values_in(state, value);
                inner.iter().for_each(|value| self.give_away(state, value));
            }
        }
    }

    /// Functions and parameters inside of what is given away.
    pub(crate) fn plain_values_in(&self, state: &State, value: &Value) -> Vec<Value> {
        let mut plain = Vec::new();
        for id in state.reach(&[value]) {
            match state.heap.get(&id) {
                Some(Object::Container(container)) => {
                    plain.extend(container.elements().filter(|inner| inner.symbol().is_some()).cloned());
                }
                Some(Object::Partial(partial)) => plain.push(partial.callee.clone()),
                Some(Object::Lazy(function, ..)) => plain.push(function.clone()),
                _ => {}
            }
        }
        plain.retain(|value| matches!(value, Value::Symbol(_)));
        plain
    }

    fn give_symbol_away(&mut self, state: &mut State, symbol: Symbol) {
        match self.program.symbols.term(symbol).clone() {
            Term::Unknown | Term::Constant(_) | Term::Path(_) | Term::Class(_) => {}
            Term::Function(function) => self.share_captures(state, function),
            _ => {
                self.disturb(symbol);
                self.forget_buffers_of(state, symbol);
                state.escape_memory_of(&self.program.symbols, symbol);
                state.affect(Effect::Escape(symbol));
            }
        }
    }

    /// A closure gets out of sight: what it captures may be used at any time.
    pub(crate) fn share_captures(&mut self, state: &mut State, function: FunctionId) {
        let unit = self.program.unit;
        let closure = unit.function(function);
        if closure.parent != Some(self.id) {
            return;
        }
        for &(_, outer) in &closure.captures {
            if state.shared.insert(outer) {
                let value = state.local(outer);
                self.give_away(state, &value);
            }
        }
    }

    /// Calls a method.
    pub(crate) fn call_method(
        &mut self,
        mut state: State,
        receiver: &Value,
        name: &str,
        meaning: Option<Meaning>,
        arguments: &[Bound],
    ) -> Results {
        match receiver {
            Value::Symbol(symbol) => self.call_method_of_symbol(state, *symbol, name, meaning, arguments),
            Value::Object(id) => self.call_method_of_object(state, *id, name, arguments),
            Value::Each(objects) | Value::Perhaps(objects) => {
                let first = objects.first().copied();
                self.call_method_of_many(state, receiver, first, name, meaning, arguments)
            }
            Value::Part(id, _) => {
                let first = self.first_handle(&state, *id);
                match first.and_then(|handle| self.method_of_handle(&state, handle, name)) {
                    Some(api) => self.call_api(state, api, Some(receiver), arguments),
                    None => self.call_unknown(state, Symbol::UNKNOWN, arguments),
                }
            }
            Value::Method(_) | Value::Test(_) | Value::Length(_) | Value::Function(_) => {
                self.give_away(&mut state, receiver);
                self.call_unknown(state, Symbol::UNKNOWN, arguments)
            }
        }
    }

    fn call_method_of_symbol(
        &mut self,
        mut state: State,
        receiver: Symbol,
        name: &str,
        meaning: Option<Meaning>,
        arguments: &[Bound],
    ) -> Results {
        let this = Value::Symbol(receiver);
        let elsewhere = matches!(self.program.symbols.term(receiver), Term::Path(_) | Term::Class(_));
        // A method that takes a handle is not one of a tensor, whatever it is called.
        let takes_handle = arguments.iter().any(|bound| self.is_handle(&state, &bound.value));
        if !elsewhere && !takes_handle && self.program.type_of(receiver).is_none() {
            self.touch_by_method(&mut state, receiver, name, arguments);
        }
        match self.program.type_of(receiver) {
            Some(Type::Catalogued(class)) => {
                if let Some(api) = self.program.catalog.method(class, name) {
                    return self.call_api(state, api, Some(&this), arguments);
                }
            }
            Some(Type::Own(classes)) => {
                if let Some(results) = self.call_own_method(&state, receiver, &classes, name, arguments) {
                    return results;
                }
            }
            None => {}
        }
        match self.program.symbols.term(receiver).clone() {
            Term::Path(path) => return self.call_path(state, &format!("{path}.{name}"), arguments),
            Term::Class(class) => return self.call_through_class(state, receiver, class, name, arguments),
            _ => {}
        }
        if let Some(results) = self.call_super(&state, receiver, name, arguments) {
            return results;
        }
        if let Some(meaning) = meaning {
            let value = self.method_of_foreign_container(&mut state, receiver, name, meaning, arguments);
            return vec![(state, value)];
        }
        self.call_method_of_unknown(state, receiver, name, arguments)
    }

    fn call_method_of_unknown(
        &mut self,
        mut state: State,
        receiver: Symbol,
        name: &str,
        arguments: &[Bound],
    ) -> Results {
        let this = Value::Symbol(receiver);
        let last_name = self.program.symbols.last_name(receiver);
        let last_name = last_name.or_else(|| self.program.written(self.id, receiver).map(Into::into));
        if let Some(api) = self.program.catalog.guess(
            name,
            last_name.as_deref().unwrap_or_default(),
            &self.program.unit.imports,
        ) {
            return self.call_api(state, api, Some(&this), arguments);
        }
        if let Some(function) = self.program.only_method(name)
            && is_distinctive(name)
            && self.may_be_any_object(receiver)
        {
            return self.call_function(state, function, Some(this), arguments);
        }
        if let Some(used) = self.program.catalog.data_method(name, state.sort_in_flight())
            && self.program.finishing(name).is_none()
        {
            let callee = self.program.symbols.field(receiver, name);
            return self.call_on_data(state, used, callee, Some(receiver), arguments);
        }
        if self.program.completes(name) {
            self.complete_buffers(&mut state);
        }
        if let Some(api) = self.program.finishing(name) {
            self.wait_on_attribute_list(&state, receiver, api);
            let finish = self.program.catalog.function(api);
            let which = Which::from(finish.which);
            if finish.does == Does::Poll {
                let test = Value::Test(Test::Finished(this, which).into());
                return vec![(state, test)];
            }
            self.finish_value(&mut state, &this, which, None);
            state.escape_memory_of(&self.program.symbols, receiver);
        } else {
            // `self.model(x)`: what is called is something that `self` keeps, and `self` does not go with it.
            let kept = self.program.keeps(receiver, name);
            let given = if kept { self.program.symbols.field(receiver, name) } else { receiver };
            self.give_symbol_away(&mut state, given);
        }
        let callee = self.program.symbols.field(receiver, name);
        self.call_unknown(state, callee, arguments)
    }

    /// Whether nothing at all is known of where a value comes from: a parameter, an attribute, an element.
    fn may_be_any_object(&self, symbol: Symbol) -> bool {
        match self.program.symbols.term(symbol) {
            Term::Parameter(_) | Term::Captured(_) | Term::Item(_) | Term::Element(_) => true,
            Term::Field(of, _) => self.may_be_any_object(*of),
            _ => false,
        }
    }

    /// `self.open.pop(k).wait()` where some method stores a list of handles in `self.open`.
    fn wait_on_attribute_list(&mut self, state: &State, receiver: Symbol, api: ApiId) {
        let Some((class, name, depth)) = self.program.attribute_of(receiver) else { return };
        if depth == Depth::Itself {
            return;
        }
        let Some(attribute) = self.program.attributes.get(&(class, name)) else { return };
        let list = attribute.lists.iter().find(|(stored, _)| *stored == depth);
        if let Some((_, handle)) = list {
            let handle = told(handle, None);
            let method = self.program.catalog.short_name(api).rsplit('.').next().unwrap_or("wait").to_owned();
            self.report(What::WaitOnList { handle, method, at: self.here.span }, &state.path);
        }
    }

    /// A method of an instance of a class of the file, or of one of several such classes.
    fn call_own_method(
        &mut self,
        state: &State,
        receiver: Symbol,
        classes: &[ClassId],
        name: &str,
        arguments: &[Bound],
    ) -> Option<Results> {
        let functions: Option<Vec<FunctionId>> =
            classes.iter().map(|&class| self.program.method(class, name)).collect();
        let functions = functions?;
        let mut results = Vec::new();
        for function in functions {
            let this = match self.program.unit.function(function).kind {
                FunctionKind::Static => None,
                _ => Some(Value::Symbol(receiver)),
            };
            results.extend(self.call_function(state.clone(), function, this, arguments));
        }
        if classes.len() > 1 {
            // Nobody knows which of the classes it is.
            results.iter_mut().for_each(|(state, value)| doubt(state, value));
        }
        Some(results)
    }

    /// `Class.method(…)`.
    fn call_through_class(
        &mut self,
        state: State,
        receiver: Symbol,
        class: ClassId,
        name: &str,
        arguments: &[Bound],
    ) -> Results {
        let Some(function) = self.program.method(class, name) else {
            let callee = self.program.symbols.field(receiver, name);
            return self.call_unknown(state, callee, arguments);
        };
        match self.program.unit.function(function).kind {
            FunctionKind::ClassMethod => {
                self.call_function(state, function, Some(Value::Symbol(receiver)), arguments)
            }
            _ => self.call_function(state, function, None, arguments),
        }
    }

    /// `super().method(…)`.
    fn call_super(
        &mut self,
        state: &State,
        receiver: Symbol,
        name: &str,
        arguments: &[Bound],
    ) -> Option<Results> {
        let Term::Call(parts) = self.program.symbols.term(receiver) else { return None };
        let path = self.program.symbols.path_of(*parts.first()?)?;
        if &*path != "builtins.super" {
            return None;
        }
        let function = self.program.inherited_from_bases(self.function.class?, name)?;
        let this = self.program.symbols.intern(Term::Parameter(0));
        Some(self.call_function(state.clone(), function, Some(Value::Symbol(this)), arguments))
    }

    fn call_method_of_object(
        &mut self,
        mut state: State,
        id: ObjectId,
        name: &str,
        arguments: &[Bound],
    ) -> Results {
        let this = Value::Object(id);
        match state.heap.get(&id) {
            Some(Object::Handle(handle)) => {
                let (handle, at) = (handle.clone(), self.here.span);
                if let Some(api) = self.handle_method(&handle, name) {
                    return self.call_api(state, api, Some(&this), arguments);
                }
                let class = self.program.catalog.gives(handle.api);
                // A compiler has checked the methods of typed languages: it is one of another trait.
                let unknown = self.program.unit.language == Language::Python
                    && class
                        .is_some_and(|class| self.program.catalog.has_attribute(class, name) == Some(false));
                if unknown && !handle.aliased && !handle.escaped && handle.certain {
                    let class = class.map(|class| self.program.catalog.class_entry(class).name.clone());
                    let (handle, method) = (told(&handle, None), name.to_owned());
                    let what = What::NoSuchMethod { handle, method, class: class.unwrap_or_default(), at };
                    self.report(what, &state.path);
                }
                self.give_away(&mut state, &this);
                self.call_unknown(state, Symbol::UNKNOWN, arguments)
            }
            Some(Object::Container(_)) => {
                if let Some(api) = self.program.finishing(name)
                    && self.program.catalog.function(api).does == Does::Finish
                    && self.some_handle_in(&state, id).is_some()
                {
                    self.finish_value(&mut state, &this, Which::One, Some(api));
                    return vec![(state, Value::UNKNOWN)];
                }
                self.give_away(&mut state, &this);
                self.call_unknown(state, Symbol::UNKNOWN, arguments)
            }
            Some(Object::Manager(Manager::Owner(_))) => self.call_method_of_owner(state, id, name, arguments),
            _ => {
                self.give_away(&mut state, &this);
                self.call_unknown(state, Symbol::UNKNOWN, arguments)
            }
        }
    }

    /// A method of each of several objects.
    fn call_method_of_many(
        &mut self,
        mut state: State,
        receiver: &Value,
        first: Option<ObjectId>,
        name: &str,
        meaning: Option<Meaning>,
        arguments: &[Bound],
    ) -> Results {
        if let Some(api) = first.and_then(|id| self.method_of_handle(&state, id, name)) {
            return self.call_api(state, api, Some(receiver), arguments);
        }
        let objects = receiver.objects();
        if let Some(meaning) = meaning {
            let mut values = Vec::new();
            for id in objects {
                if state.container(id).is_some() {
                    values.push(self.container_method(&mut state, id, meaning, arguments));
                }
            }
            let inner: Vec<ObjectId> = values.iter().flat_map(Value::objects).collect();
            return vec![(state, Value::each(inner))];
        }
        self.give_away(&mut state, receiver);
        self.call_unknown(state, Symbol::UNKNOWN, arguments)
    }

    fn method_of_handle(&self, state: &State, id: ObjectId, name: &str) -> Option<ApiId> {
        self.handle_method(state.handle(id)?, name)
    }

    fn first_handle(&self, state: &State, container: ObjectId) -> Option<ObjectId> {
        let container = state.container(container)?;
        super::loops::direct_objects(container).into_iter().find(|&id| state.handle(id).is_some())
    }

    /// A method of a container that belongs to somebody else.
    fn method_of_foreign_container(
        &mut self,
        state: &mut State,
        receiver: Symbol,
        name: &str,
        meaning: Meaning,
        arguments: &[Bound],
    ) -> Value {
        let this = Value::Symbol(receiver);
        let key = arguments.first().and_then(|bound| bound.value.symbol()).unwrap_or(Symbol::UNKNOWN);
        match meaning {
            Meaning::Push => {
                if let Some(last) = arguments.last() {
                    self.push(state, &this, last.value.clone());
                }
                self.forget_facts_about(state, receiver);
                Value::NONE
            }
            Meaning::Extend => {
                for bound in arguments {
                    self.extend(state, &this, &bound.value.clone());
                }
                self.forget_facts_about(state, receiver);
                Value::NONE
            }
            Meaning::Take => {
                self.forget_facts_about(state, receiver);
                self.take(state, &this)
            }
            Meaning::TakeKey => {
                self.look_into(receiver);
                let value = self.element_of_symbol(state, receiver, key);
                let place = self.program.symbols.element(receiver, key);
                state.memory.remove(&place);
                self.forget_facts_about(state, receiver);
                value
            }
            Meaning::Get => {
                self.look_into(receiver);
                self.element_of_symbol(state, receiver, key)
            }
            Meaning::SetDefault => {
                self.look_into(receiver);
                arguments.iter().for_each(|bound| self.give_away(state, &bound.value));
                self.element_of_symbol(state, receiver, key)
            }
            Meaning::Remove | Meaning::Clear | Meaning::Reorder => {
                self.forget_facts_about(state, receiver);
                self.look_into(receiver);
                self.forget_elements(state, receiver);
                Value::NONE
            }
            Meaning::Elements | Meaning::Pairs | Meaning::Measure => {
                self.look_into(receiver);
                if meaning == Meaning::Measure {
                    let method = self.program.symbols.field(receiver, name);
                    return Value::Symbol(self.program.symbols.call(vec![method]));
                }
                let elements = self.program.symbols.apply(&ELEMENTS, vec![receiver]);
                Value::Symbol(elements)
            }
        }
    }

    fn forget_facts_about(&mut self, state: &mut State, symbol: Symbol) {
        self.forget_buffers_in(state, symbol);
        state.outdate(&self.program.symbols, symbol);
    }

    /// A container that belongs to others is emptied: what this path stored in it is released.
    fn forget_elements(&mut self, state: &mut State, container: Symbol) {
        let symbols = &self.program.symbols;
        let is_inside =
            |place: &Symbol| matches!(symbols.term(*place), Term::Element([of, _]) if *of == container);
        let inside: Vec<Symbol> = state.memory.keys().filter(|place| is_inside(place)).copied().collect();
        for place in inside {
            if let Some(value) = state.memory.remove(&place) {
                self.give_away(state, &value);
            }
        }
    }

    /// Reading a property of an instance of a class of the file runs its function.
    pub(crate) fn call_property(&mut self, state: &State, of: &Value, name: &str) -> Option<Results> {
        let symbol = of.symbol()?;
        let Some(Type::Own(classes)) = self.program.type_of(symbol) else { return None };
        let function = self.program.method(*classes.first()?, name)?;
        if self.program.unit.function(function).kind != FunctionKind::Property || classes.len() > 1 {
            return None;
        }
        // A property that does nothing with handles is a value like any other field.
        let summary = self.program.summaries[function.0 as usize].as_ref()?;
        if !summary.communicates && !summary.gives_handles() {
            return None;
        }
        Some(self.call_function(state.clone(), function, Some(of.clone()), &[]))
    }

    pub(crate) fn execute_await(&mut self, mut state: State, to: Local, value: &Operand) -> Vec<State> {
        let value = self.operand(&state, value);
        if let Value::Object(id) = value {
            match state.heap.get(&id).cloned() {
                Some(Object::Coroutine(function, arguments, _)) => {
                    state.heap.remove(&id);
                    let results = self.run_function(state, function, &arguments);
                    return self.bind_results(results, to);
                }
                Some(Object::Handle(_)) => self.finish_value(&mut state, &value, Which::One, None),
                _ => {}
            }
        }
        self.give_away(&mut state, &value);
        let result = Value::Symbol(self.fresh(&mut state, 0));
        self.bind(&mut state, to, result);
        vec![state]
    }

    pub(crate) fn execute_enter(&mut self, mut state: State, to: Local, manager: &Operand) -> Vec<State> {
        let manager = self.operand(&state, manager);
        if let Value::Object(id) = manager
            && let Some(Object::Manager(kind)) = state.heap.get(&id).cloned()
        {
            let value = match kind {
                Manager::Coalescing(handle) => {
                    state.coalescing = state.coalescing.saturating_add(1);
                    handle.map_or(Value::UNKNOWN, Value::Object)
                }
                Manager::ExpectingError => {
                    state.expecting = state.expecting.saturating_add(1);
                    Value::UNKNOWN
                }
                Manager::Owner(_) => Value::Object(id),
            };
            self.bind(&mut state, to, value);
            return vec![state];
        }
        if let Some(results) = self.call_manager_method(&state, &manager, "__enter__", &[]) {
            return self.bind_results(results, to);
        }
        let value = match manager {
            Value::Symbol(_) => Value::Symbol(self.fresh(&mut state, 0)),
            other => other,
        };
        self.bind(&mut state, to, value);
        vec![state]
    }

    pub(crate) fn execute_leave(&mut self, mut state: State, manager: &Operand) -> Vec<State> {
        let manager = self.operand(&state, manager);
        if let Value::Object(id) = manager
            && let Some(Object::Manager(kind)) = state.heap.get(&id).cloned()
        {
            match kind {
                Manager::Coalescing(_) => state.coalescing = state.coalescing.saturating_sub(1),
                Manager::ExpectingError => state.expecting = state.expecting.saturating_sub(1),
                Manager::Owner(_) => {}
            }
            return vec![state];
        }
        let span = self.here.span;
        let nothing = Bound { passing: Passing::Spread, value: Value::UNKNOWN, span };
        match self.call_manager_method(&state, &manager, "__exit__", &[nothing]) {
            Some(results) => results.into_iter().map(|(state, _)| state).collect(),
            None => vec![state],
        }
    }

    fn call_manager_method(
        &mut self,
        state: &State,
        manager: &Value,
        name: &str,
        arguments: &[Bound],
    ) -> Option<Results> {
        let symbol = manager.symbol()?;
        let Some(Type::Own(classes)) = self.program.type_of(symbol) else { return None };
        self.call_own_method(state, symbol, &classes, name, arguments)
    }

    /// A lazy value is consumed: its function is applied to each element.
    pub(crate) fn consumed(&mut self, mut state: State, value: Value) -> Results {
        let Value::Object(id) = value else { return vec![(state, value)] };
        let Some(Object::Lazy(function, over, _)) = state.heap.get(&id).cloned() else {
            return vec![(state, value)];
        };
        state.heap.remove(&id);
        let mut arguments = Vec::new();
        for (which, over) in over.iter().enumerate() {
            let item = self.each_element(&mut state, over, which as u32);
            arguments.push(Bound { passing: Passing::Position, value: item, span: self.here.span });
        }
        let mut results = Vec::new();
        for (mut state, result) in self.call_value(state, &function, &arguments) {
            let mut list = Container::new(ContainerKind::List, self.here.in_loop);
            list.keep(result);
            list.filled = None;
            let list = state.make(self.site(30), Object::Container(list));
            results.push((state, Value::Object(list)));
        }
        results
    }

    /// The element of a value that stands for all of its elements.
    /// What is not followed gets a symbol of its own; `which` tells those of one call apart.
    pub(crate) fn each_element(&mut self, state: &mut State, over: &Value, which: u32) -> Value {
        match over {
            Value::Object(id) => match state.container(*id) {
                Some(container) => match super::loops::direct_objects(container) {
                    objects if objects.is_empty() => Value::Symbol(self.fresh(state, EACH_ELEMENT + which)),
                    objects => Value::each(objects),
                },
                None => Value::UNKNOWN,
            },
            Value::Symbol(symbol) => {
                self.look_into(*symbol);
                self.item_of(state, *symbol)
            }
            _ => Value::UNKNOWN,
        }
    }

    pub(crate) fn partial(&mut self, state: &mut State, arguments: &[Bound]) -> Value {
        let Some((callee, rest)) = arguments.split_first() else { return Value::UNKNOWN };
        let partial = Partial { callee: callee.value.clone(), arguments: rest.to_vec() };
        Value::Object(state.make(self.site(0), Object::Partial(partial)))
    }

    /// Calls a function of the file: at once, or, where it is a coroutine, when the result is awaited.
    pub(crate) fn call_function(
        &mut self,
        mut state: State,
        function: FunctionId,
        receiver: Option<Value>,
        arguments: &[Bound],
    ) -> Results {
        let span = self.here.span;
        let receiver = receiver.map(|value| Bound { passing: Passing::Position, value, span });
        let all: Vec<Bound> = receiver.into_iter().chain(arguments.iter().cloned()).collect();
        match self.program.unit.function(function).flavour {
            Flavour::Plain => self.run_function(state, function, &all),
            Flavour::Coroutine => {
                let coroutine = state.make(self.site(0), Object::Coroutine(function, all, span));
                vec![(state, Value::Object(coroutine))]
            }
            Flavour::Generator | Flavour::Manager => {
                let callee = self.program.symbols.intern(Term::Function(function));
                self.call_unknown(state, callee, &all)
            }
        }
    }

    pub(crate) fn int(&mut self, value: i64) -> Value {
        self.constant(Constant::Int(value))
    }
}

/// Whether a method's name is so specific that it alone tells which method it is.
fn is_distinctive(name: &str) -> bool {
    let words = name.split('_').filter(|word| word.len() > 1).count();
    words >= 2 && name.len() >= 8
}

/// What comes out of a call is not certain.
pub(crate) fn doubt(state: &mut State, value: &Value) {
    for id in state.reach(&[value]) {
        if let Some(handle) = state.handle_mut(id) {
            handle.certain = false;
        }
    }
}
