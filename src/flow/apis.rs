//! Calls of catalogued functions: the data of `rules/apis/*.toml` becomes changes of the state.
//!
//! [`starts`] says what begins an operation, [`launches`] what is built first and launched later, [`iterables`] what the
//! functions of the language do with what goes through them; waits, polls and everything else are here.

mod iterables;
mod launches;
mod starts;

use super::calls::Results;
use super::event::What;
use super::loops::direct_objects;
use super::program::Type;
use super::run::Run;
use super::state::State;
use super::symbol::{Symbol, Term};
use super::value::{Bound, Container, Handle, Manager, Object, Passing, Slot, Status, Test, Value};
use crate::catalog::{ApiId, Does, Function, Returns, WhichOf};
use crate::ir::{Constant, ContainerKind, DefaultValue, Operator, Which};
use crate::source::Span;

/// Running numbers.
pub(crate) const COUNT: Operator = Operator::Other("numbers up to");

/// A tuple of symbols.
pub(crate) const TUPLE: Operator = Operator::Other("tuple");

/// The arguments of a call, as a catalogued function sees them.
pub(crate) struct Given<'c> {
    pub(crate) entry: &'c Function,
    receiver: Option<Value>,
    arguments: Vec<Bound>,
}

/// An argument, if the call gives one.
pub(crate) enum Argument {
    Given(Value, Span),
    /// `*args` or `**kwargs` may contain it.
    Hidden,
    Absent,
}

impl Run<'_, '_> {
    /// Calls a catalogued function; `receiver` is what stands before the dot of a method.
    pub(crate) fn call_api(
        &mut self,
        mut state: State,
        api: ApiId,
        receiver: Option<&Value>,
        arguments: &[Bound],
    ) -> Results {
        let catalog = self.program.catalog;
        let entry = catalog.function(api);
        self.overlap.note_call(self.here.operation, api);
        let mut given = Given { entry, receiver: receiver.cloned(), arguments: arguments.to_vec() };
        if given.receiver.is_none()
            && catalog.owner(api).is_some()
            && !entry.of_class
            && !given.arguments.is_empty()
        {
            // `MPI.Request.Wait(req)`: the receiver of the method is the first argument.
            given.take_receiver();
        }
        if let Some(argument) = &entry.names_backend
            && let Argument::Given(value, _) = given.argument(argument)
            && value != Value::NONE
        {
            self.note_backend(&value);
        }
        match entry.does {
            Does::Start => return self.start_if_asked(state, api, &given),
            Does::Coalesce => return self.coalesce(state, api, &given),
            Does::Exit => return Vec::new(),
            Does::Finish => self.check_timeout(&state, api, &given),
            _ => {}
        }
        if let Does::Collect | Does::Consume | Does::Zip | Does::Enumerate = entry.does {
            return self.call_on_iterables(state, api, &given);
        }
        let value = self.simple_call(&mut state, api, &given, arguments);
        vec![(state, value)]
    }

    fn simple_call(
        &mut self,
        state: &mut State,
        api: ApiId,
        given: &Given<'_>,
        arguments: &[Bound],
    ) -> Value {
        match given.entry.does {
            Does::Finish => self.finish_by_api(state, api, given),
            Does::Poll => {
                self.note_poll(state, api, &given.target());
                self.note_taken(state, &given.target(), given.entry.returns);
                self.poll_by_api(state, given)
            }
            Does::Release => {
                let target = given.target();
                self.release(state, &target);
                Value::NONE
            }
            Does::Alias => self.alias(state, given),
            Does::Build => self.build(state, api, given),
            Does::Launch => self.launch(state, api, given),
            Does::Prepare => {
                let buffers = self.buffers_of(state, api, given);
                let handle = Handle { buffers, ..self.new_handle(api, Status::Prepared, None) };
                Value::Object(state.make(self.site(0), Object::Handle(handle)))
            }
            Does::Restart => {
                self.restart(state, &given.target());
                Value::NONE
            }
            Does::ExpectError => {
                Value::Object(state.make(self.site(0), Object::Manager(Manager::ExpectingError)))
            }
            Does::Instance => self.instance(state, api, given),
            Does::Backend => {
                self.name_backend(given);
                Value::NONE
            }
            Does::Pause => self.plain_result(state, api, given),
            Does::Nothing => {
                self.use_buffers(state, api, given);
                self.plain_result(state, api, given)
            }
            Does::Fence => {
                self.complete_buffers(state);
                self.plain_result(state, api, given)
            }
            Does::Count => self.count(state, given),
            Does::Map | Does::Filter => self.lazy(state, given),
            Does::Read => self.read_result(state, api, given),
            Does::Pass => given.target(),
            Does::Bind => self.partial(state, arguments),
            Does::Guard => {
                let target = given.target();
                self.guard(state, &target, given.entry.at_drop);
                target
            }
            Does::Acquire => self.acquire(state, api),
            Does::Keep => {
                let kept = given.target();
                let container = given.receiver.clone().unwrap_or(Value::UNKNOWN);
                self.push(state, &container, kept);
                Value::UNKNOWN
            }
            // Its body is lowered where it stands; one that is no closure may do anything.
            Does::Inline => {
                arguments.iter().for_each(|bound| self.give_away(state, &bound.value));
                Value::Symbol(self.fresh(state, 0))
            }
            Does::Start
            | Does::Coalesce
            | Does::Exit
            | Does::Collect
            | Does::Zip
            | Does::Enumerate
            | Does::Consume => Value::UNKNOWN,
        }
    }

    fn finish_by_api(&mut self, state: &mut State, api: ApiId, given: &Given<'_>) -> Value {
        let target = given.target();
        let which = Which::from(given.entry.which);
        self.note_message(state, &target, given.entry.returns);
        self.finish_value(state, &target, which, Some(api));
        match given.entry.returns {
            Returns::Handles => target,
            Returns::Nothing
            | Returns::Message
            | Returns::Flag
            | Returns::FlagAndMessage
            | Returns::Index
            | Returns::IndexAndMessage
            | Returns::IndexAndFlag
            | Returns::IndexFlagAndMessage
            | Returns::Indices
            | Returns::IndicesAndMessages => Value::Symbol(self.fresh(state, 0)),
        }
    }

    /// A poll that gives those which are finished, in a loop that goes on until all are.
    fn poll_some(&mut self, state: &mut State, target: &Value) {
        if let Value::Object(id) = target
            && self.drains(state, *id)
        {
            self.finish_value(state, target, Which::Several, None);
        }
    }

    /// Handles are given up as meant: `Free`, `Cancel`.
    pub(crate) fn release(&mut self, state: &mut State, target: &Value) {
        self.finish_polled(state, target, Which::All);
        for id in state.reach(&[target]) {
            if let Some(handle) = state.handle_mut(id) {
                handle.status = Status::Finished;
            }
        }
    }

    fn poll_by_api(&mut self, state: &mut State, given: &Given<'_>) -> Value {
        let target = given.target();
        let which = Which::from(given.entry.which);
        let at = self.here.span;
        for id in state.reach(&[&target]) {
            if let Some(handle) = state.handle_mut(id) {
                handle.polled = Some(at);
            }
        }
        if matches!(given.entry.returns, Returns::Indices | Returns::IndicesAndMessages) {
            // `Testsome`: called until all are finished.
            self.poll_some(state, &target);
        }
        // A list that is written in the call is gone when the answer is looked at; what was in it is not.
        let asked = match &target {
            Value::Object(id) => match state.container(*id).map(direct_objects) {
                Some(objects) if !objects.is_empty() => Value::each(objects),
                Some(_) | None => target,
            },
            _ => target,
        };
        let flag = Value::Test(Test::Finished(asked, which).into());
        let (place, count) = match given.entry.returns {
            Returns::FlagAndMessage => (0, 2),
            Returns::IndexAndFlag => (1, 2),
            Returns::IndexFlagAndMessage => (1, 3),
            Returns::Nothing
            | Returns::Message
            | Returns::Flag
            | Returns::Handles
            | Returns::Index
            | Returns::IndexAndMessage
            | Returns::Indices
            | Returns::IndicesAndMessages => return flag,
        };
        let mut tuple = Container::new(ContainerKind::Tuple, self.here.in_loop);
        for part in 0..count {
            let value = if part == place { flag.clone() } else { Value::Symbol(self.fresh(state, 1 + part)) };
            tuple.entries.push((Slot::Position(part), value));
        }
        tuple.filled = Some(true);
        Value::Object(state.make(self.site(0), Object::Container(tuple)))
    }

    fn alias(&mut self, state: &mut State, given: &Given<'_>) -> Value {
        let target = given.target();
        for id in state.reach(&[&target]) {
            if let Some(handle) = state.handle_mut(id) {
                handle.aliased = true;
            }
        }
        for bound in &given.arguments {
            if bound.value != target {
                self.give_away(state, &bound.value);
            }
        }
        if !given.arguments.is_empty() && matches!(target, Value::Object(id) if state.handle(id).is_some()) {
            // `future.then(callback)`: what comes after the wait is handed on.
            self.give_away(state, &target);
        }
        // One future for all handles of a list: what finishes it finishes each.
        match &target {
            Value::Object(id) if state.container(*id).is_some() => {
                let objects = state.container(*id).map(direct_objects).unwrap_or_default();
                Value::each(objects)
            }
            _ => target,
        }
    }

    fn instance(&mut self, state: &mut State, api: ApiId, given: &Given<'_>) -> Value {
        let symbol = self.pure_symbol(state, api, given);
        if let Some(class) = self.program.catalog.gives(api) {
            self.program.declare(symbol, Type::Catalogued(class));
        }
        Value::Symbol(symbol)
    }

    fn plain_result(&mut self, state: &mut State, api: ApiId, given: &Given<'_>) -> Value {
        for bound in &given.arguments {
            self.give_away(state, &bound.value);
        }
        Value::Symbol(self.pure_symbol(state, api, given))
    }

    /// `range(n)`.
    fn count(&mut self, state: &mut State, given: &Given<'_>) -> Value {
        let bounds = given.arguments.iter().map(|bound| bound.value.symbol().unwrap_or(Symbol::UNKNOWN));
        let bounds: Vec<Symbol> = bounds.collect();
        match self.program.symbols.apply(&COUNT, bounds) {
            Symbol::UNKNOWN => Value::Symbol(self.fresh(state, 0)),
            numbers => Value::Symbol(numbers),
        }
    }

    /// The symbol of a call that gives the same for the same arguments.
    fn pure_symbol(&mut self, state: &mut State, api: ApiId, given: &Given<'_>) -> Symbol {
        let path = self.program.catalog.path(api).to_owned();
        let callee = self.program.symbols.intern(Term::Path(path.as_str().into()));
        let arguments = given.receiver.iter().chain(given.arguments.iter().map(|bound| &bound.value));
        let arguments: Vec<Value> = arguments.cloned().collect();
        let mut all = vec![callee];
        for value in &arguments {
            all.push(self.plain_symbol(state, value));
        }
        match self.program.symbols.call(all) {
            Symbol::UNKNOWN => self.fresh(state, 0),
            same => same,
        }
    }

    /// The symbol of a value; a tuple of symbols has one too.
    pub(crate) fn plain_symbol(&mut self, state: &State, value: &Value) -> Symbol {
        let Value::Object(id) = value else { return value.symbol().unwrap_or(Symbol::UNKNOWN) };
        let Some(container) = state.container(*id) else { return Symbol::UNKNOWN };
        let parts: Option<Vec<Symbol>> = container.entries.iter().map(|(_, value)| value.symbol()).collect();
        match parts {
            Some(parts) if container.is_exact() => self.program.symbols.apply(&TUPLE, parts),
            _ => Symbol::UNKNOWN,
        }
    }

    fn name_backend(&mut self, given: &Given<'_>) {
        let argument = given.entry.on.as_deref().unwrap_or("backend");
        match given.argument(argument) {
            Argument::Given(value, _) => self.note_backend(&value),
            Argument::Hidden => self.note_backend(&Value::UNKNOWN),
            Argument::Absent => {}
        }
    }

    fn lazy(&mut self, state: &mut State, given: &Given<'_>) -> Value {
        let mut values = given.arguments.iter().map(|bound| bound.value.clone());
        let Some(function) = values.next() else { return Value::UNKNOWN };
        let lazy = Object::Lazy(function, values.collect(), self.here.span);
        Value::Object(state.make(self.site(0), lazy))
    }

    /// `len(reqs)`, `isinstance(h, list)`, `print(…)`.
    fn read_result(&mut self, state: &mut State, api: ApiId, given: &Given<'_>) -> Value {
        let first = given.arguments.first().map(|bound| bound.value.clone());
        match (self.program.catalog.short_name(api), first) {
            ("len", Some(Value::Object(id))) => match state.container(id) {
                Some(container) if container.is_exact() => {
                    let count = container.entries.len() as i64;
                    self.int(count)
                }
                Some(_) => Value::Length(id),
                None => {
                    self.handle_as_list(state, &Value::Object(id));
                    Value::UNKNOWN
                }
            },
            ("len", Some(Value::Symbol(of))) if of != Symbol::UNKNOWN => {
                Value::Symbol(self.program.symbols.intern(Term::Length(of)))
            }
            ("isinstance", Some(value @ Value::Object(_))) => {
                let class = given.arguments.get(1).map_or(Value::UNKNOWN, |bound| bound.value.clone());
                let class = self.plain_symbol(state, &class);
                self.type_test(state, &value, class)
            }
            ("bool", Some(value)) => Value::Test(Test::Truth(value).into()),
            _ => Value::Symbol(self.pure_symbol(state, api, given)),
        }
    }

    /// `isinstance(h, list)` of something that is followed.
    pub(crate) fn type_test(&mut self, state: &State, value: &Value, class: Symbol) -> Value {
        let symbols: Vec<Symbol> = match self.program.symbols.term(class) {
            Term::Apply(operator, parts) if *operator == TUPLE => parts.clone(),
            _ => vec![class],
        };
        let names: Vec<_> =
            symbols.iter().filter_map(|&symbol| self.program.symbols.last_name(symbol)).collect();
        let named = |name: &str| names.iter().any(|known| &**known == name);
        let containers =
            ["list", "tuple", "set", "dict", "List", "Tuple", "Iterable", "Sequence", "Collection", "deque"];
        let any_container = containers.iter().any(|name| named(name));
        let is_container = matches!(value, Value::Object(id) if state.container(*id).is_some());
        match (is_container, any_container) {
            (true, true) => self.constant(Constant::Bool(true)),
            (false, true) if self.is_handle(state, value) => self.constant(Constant::Bool(false)),
            _ => Value::UNKNOWN,
        }
    }

    fn check_timeout(&mut self, state: &State, api: ApiId, given: &Given<'_>) {
        let Some(timeout) = &given.entry.timeout else { return };
        let Argument::Given(value, at) = given.argument(&timeout.argument) else { return };
        self.note_limit(state, &given.target());
        let Value::Symbol(symbol) = value else { return };
        let got = match self.program.symbols.constant_of(symbol) {
            Some(Constant::Int(_)) => "int",
            Some(Constant::Str(_)) => "str",
            Some(Constant::Bool(_)) => "bool",
            Some(Constant::Other(text)) if text.parse::<f64>().is_ok() => "float",
            None if self.is_int(symbol) || self.is_int_by_default(state, symbol) => "int",
            _ => return,
        };
        if timeout.rejects.iter().any(|name| name == got) {
            self.report(What::BadTimeout { api, got, at }, &state.path);
        }
    }

    /// `5`, `int(seconds)`, `30 * 60`.
    fn is_int(&self, symbol: Symbol) -> bool {
        match self.program.symbols.term(symbol) {
            Term::Constant(Constant::Int(_)) => true,
            Term::Call(parts) => {
                let path = parts.first().and_then(|&callee| self.program.symbols.path_of(callee));
                path.is_some_and(|path| &*path == "builtins.int")
            }
            Term::Apply(Operator::Other("*" | "+" | "-" | "//" | "%"), parts) => {
                parts.iter().all(|&part| self.is_int(part))
            }
            _ => false,
        }
    }

    /// A parameter with a default of that type, which nothing on the way has looked at.
    fn is_int_by_default(&self, state: &State, symbol: Symbol) -> bool {
        let Term::Parameter(number) = self.program.symbols.term(symbol) else { return false };
        let parameter = self.function.parameters.get(*number as usize);
        let default = parameter.and_then(|parameter| parameter.default.as_ref());
        let is_tested =
            state.path.iter().any(|decision| self.program.symbols.mentions(decision.condition, symbol));
        matches!(default, Some(DefaultValue::Constant(Constant::Int(_)))) && !is_tested
    }
}

impl Given<'_> {
    fn take_receiver(&mut self) {
        if self.arguments[0].passing == Passing::Position {
            self.receiver = Some(self.arguments.remove(0).value);
        }
    }

    /// The value of a parameter.
    pub(crate) fn argument(&self, name: &str) -> Argument {
        if name == "self" {
            return match &self.receiver {
                Some(value) => Argument::Given(value.clone(), Span::default()),
                None => Argument::Absent,
            };
        }
        let named = self
            .arguments
            .iter()
            .find(|bound| matches!(&bound.passing, Passing::Name(given) if given == name));
        if let Some(bound) = named {
            return Argument::Given(bound.value.clone(), bound.span);
        }
        let spreads = self.arguments.iter().any(|bound| bound.passing == Passing::Spread);
        let positional = self.arguments.iter().take_while(|bound| bound.passing == Passing::Position);
        match self.entry.position(name).and_then(|index| positional.clone().nth(index)) {
            Some(bound) => Argument::Given(bound.value.clone(), bound.span),
            None if spreads => Argument::Hidden,
            None => Argument::Absent,
        }
    }

    /// What the function works on.
    fn target(&self) -> Value {
        match self.argument(self.entry.on.as_deref().unwrap_or("self")) {
            Argument::Given(value, _) => value,
            Argument::Hidden | Argument::Absent => Value::UNKNOWN,
        }
    }
}

impl From<WhichOf> for Which {
    fn from(which: WhichOf) -> Self {
        match which {
            WhichOf::One => Self::One,
            WhichOf::All => Self::All,
            WhichOf::Any => Self::Any,
            WhichOf::Several => Self::Several,
        }
    }
}
