//! Calls of catalogued functions: the data of `rules/apis/*.toml` becomes changes of the state.

use std::rc::Rc;

use super::calls::Results;
use super::event::{Misuse, What};
use super::loops::direct_objects;
use super::messages::Room;
use super::program::Type;
use super::run::Run;
use super::state::{Effect, State};
use super::symbol::{Symbol, Term};
use super::value::{
    Bound, Container, Handle, InFlight, Manager, Object, ObjectId, Operation, Passing, Slot, Status, Test,
    Value,
};
use crate::catalog::{ApiId, Count, Does, Function, Returns, WhichOf};
use crate::ir::{Constant, ContainerKind, DefaultValue, Operand, Operator, Usage, Which};
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

    /// Starts an operation in every way in which the call asks for one.
    fn start_if_asked(&mut self, mut state: State, api: ApiId, given: &Given<'_>) -> Results {
        self.summary.communicates = true;
        if state.expecting == 0
            && let Some(room) = &given.entry.room
        {
            self.note_room(api, self.room_in(given, &room.argument));
        }
        let Some(when) = &given.entry.when else {
            let value = self.start(&mut state, api, None, given);
            return vec![(state, value)];
        };
        let (condition, span) = match given.argument(&when.argument) {
            Argument::Given(value, span) => (value, span),
            Argument::Hidden => return vec![(state, Value::UNKNOWN)],
            Argument::Absent if when.default == when.is => {
                let value = self.start(&mut state, api, None, given);
                return vec![(state, value)];
            }
            Argument::Absent => {
                self.use_buffers(&mut state, api, given);
                return vec![(state, Value::NONE)];
            }
        };
        let started = self.assume(state.clone(), &condition, when.is);
        let not_started = self.assume(state, &condition, !when.is);
        let conditional = (!not_started.is_empty()).then_some(span);
        let mut results = Vec::new();
        for mut state in started {
            let value = self.start(&mut state, api, conditional, given);
            results.push((state, value));
        }
        for mut state in not_started {
            self.use_buffers(&mut state, api, given);
            results.push((state, Value::NONE));
        }
        results
    }

    /// Whether a call gives room for the message.
    fn room_in(&self, given: &Given<'_>, argument: &str) -> Room {
        match given.argument(argument) {
            Argument::Given(Value::NONE, _) | Argument::Absent => Room::Missing,
            Argument::Given(..) | Argument::Hidden => Room::Given,
        }
    }

    fn start(
        &mut self,
        state: &mut State,
        api: ApiId,
        conditional: Option<Span>,
        given: &Given<'_>,
    ) -> Value {
        let buffers = self.buffers_of(state, api, given);
        self.start_on(state, api, conditional, buffers)
    }

    fn start_on(
        &mut self,
        state: &mut State,
        api: ApiId,
        conditional: Option<Span>,
        buffers: Rc<[InFlight]>,
    ) -> Value {
        self.summary.communicates = true;
        self.check_buffers(state, api, &buffers);
        if state.coalescing > 0 || state.expecting > 0 {
            return Value::UNKNOWN;
        }
        let mut handle = Handle { buffers, ..self.new_handle(api, Status::Pending, conditional) };
        handle.guard = state.path.last().map(|decision| decision.step.span);
        if self.program.catalog.function(api).count == Count::List {
            handle.many = true;
            handle.launched = true;
            return self.list_of_handles(state, handle, None);
        }
        Value::Object(state.make(self.site(0), Object::Handle(handle)))
    }

    /// The primitive form of a start.
    pub(crate) fn start_by_name(
        &mut self,
        state: &mut State,
        api: &str,
        buffers: &[(Operand, Usage)],
    ) -> Value {
        let Some(api) = self.program.catalog.api(api) else { return Value::UNKNOWN };
        let (sort, at) = (self.program.catalog.sort_of_buffers(api), self.here.span);
        let mut all = Vec::new();
        for (buffer, usage) in buffers {
            if let Value::Symbol(region) = self.operand(state, buffer) {
                all.push(InFlight { region, usage: *usage, sort, at });
            }
        }
        self.start_on(state, api, None, all.into())
    }

    pub(crate) fn new_handle(&self, api: ApiId, status: Status, conditional: Option<Span>) -> Handle {
        Handle {
            api,
            started: self.here.span,
            inside: Rc::new([]),
            status,
            escaped: false,
            many: false,
            conditional,
            certain: true,
            launched: false,
            aliased: false,
            polled: None,
            finished: None,
            raised: None,
            guarded: self.own_guard(api),
            made_in: self.here.in_loop,
            guard: None,
            buffers: Rc::new([]),
            touched: None,
        }
    }

    fn list_of_handles(&mut self, state: &mut State, handle: Handle, filled: Option<bool>) -> Value {
        let handle = state.make(self.site(1), Object::Handle(handle));
        let mut list = Container::new(ContainerKind::List, self.here.in_loop);
        list.keep(Value::Object(handle));
        list.filled = filled;
        list.launched = true;
        Value::Object(state.make(self.site(0), Object::Container(list)))
    }

    /// A manager that is the one handle of all operations inside.
    fn coalesce(&mut self, state: State, api: ApiId, given: &Given<'_>) -> Results {
        let results = self.start_if_asked(state, api, given);
        results
            .into_iter()
            .map(|(mut state, value)| {
                let handle = match value {
                    Value::Object(handle) => Some(handle),
                    _ => None,
                };
                let manager = Object::Manager(Manager::Coalescing(handle));
                let manager = state.make(self.site(2), manager);
                (state, Value::Object(manager))
            })
            .collect()
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

    fn build(&mut self, state: &mut State, api: ApiId, given: &Given<'_>) -> Value {
        self.summary.communicates = true;
        if state.expecting > 0 {
            return Value::UNKNOWN;
        }
        if let Some(runs) = &given.entry.runs
            && let Argument::Given(value, at) = given.argument(&runs.argument)
            && self.is_wrong_function(state, &value, &runs.allowed, api)
        {
            let (earlier, at) = (Some(at), self.here.span);
            self.report(What::BatchMisuse { why: Misuse::WrongFunction, api, earlier, at }, &state.path);
            self.give_away(state, &value);
            return Value::UNKNOWN;
        }
        let operation = Operation {
            api,
            built: self.here.span,
            launched: Status::Pending,
            launch: None,
            escaped: false,
            many: false,
            buffers: self.buffers_of(state, api, given),
        };
        Value::Object(state.make(self.site(0), Object::Operation(operation)))
    }

    /// Whether a value is certainly not one of the functions that may be launched.
    fn is_wrong_function(&self, state: &State, value: &Value, allowed: &[String], builder: ApiId) -> bool {
        let catalog = self.program.catalog;
        match value {
            Value::Object(id) => state.handle(*id).is_some(),
            Value::Symbol(symbol) => match self.program.symbols.path_of(*symbol) {
                Some(path) => match catalog.api(&path) {
                    Some(api) => {
                        catalog.library_name(api) == catalog.library_name(builder)
                            && !allowed.iter().any(|name| name == catalog.short_name(api))
                    }
                    None => false,
                },
                None => false,
            },
            _ => false,
        }
    }

    /// Starts operations that were built before.
    fn launch(&mut self, state: &mut State, api: ApiId, given: &Given<'_>) -> Value {
        self.summary.communicates = true;
        let target = given.target();
        let misuse = if state.expecting > 0 { None } else { self.launch_misuse(state, &target) };
        if let Some((why, earlier)) = misuse {
            self.report(What::BatchMisuse { why, api, earlier, at: self.here.span }, &state.path);
        }
        let (count, filled) = self.launched_count(state, &target);
        let at = self.here.span;
        for id in state.reach(&[&target]) {
            match state.heap.get_mut(&id) {
                Some(Object::Operation(operation)) => {
                    operation.launched = Status::Finished;
                    operation.launch = Some(at);
                    let built = operation.built;
                    self.note_launch(built);
                }
                Some(Object::Handle(handle)) => handle.escaped = true,
                _ => {}
            }
        }
        if let Value::Symbol(symbol) = target {
            self.look_into(symbol);
            state.affect(Effect::Launch(symbol));
        }
        if state.coalescing > 0 || state.expecting > 0 || matches!(misuse, Some((Misuse::HandlesGiven, _))) {
            return Value::UNKNOWN;
        }
        let mut handle = self.new_handle(api, Status::Pending, None);
        handle.guard = state.path.last().map(|decision| decision.step.span);
        handle.launched = true;
        handle.buffers = launched_buffers(state, &target);
        self.check_launched(state, api, &target);
        self.check_buffers(state, api, &handle.buffers.clone());
        if count == Some(1) {
            let handle = state.make(self.site(1), Object::Handle(handle));
            let mut list = Container::new(ContainerKind::List, self.here.in_loop);
            list.entries.push((Slot::Position(0), Value::Object(handle)));
            list.filled = Some(true);
            list.launched = true;
            return Value::Object(state.make(self.site(0), Object::Container(list)));
        }
        handle.many = true;
        self.list_of_handles(state, handle, filled)
    }

    /// How many operations a value holds, and whether it holds any.
    fn launched_count(&mut self, state: &State, target: &Value) -> (Option<usize>, Option<bool>) {
        match target {
            Value::Object(id) => match state.container(*id) {
                Some(container) => {
                    let many = container
                        .elements()
                        .any(|value| !matches!(value, Value::Object(id) if is_one(state, *id)));
                    let count = (container.is_exact() && !many).then_some(container.entries.len());
                    (count, container.filled)
                }
                None => (None, None),
            },
            Value::Symbol(symbol) => (None, state.facts.decide(&mut self.program.symbols, *symbol)),
            _ => (None, None),
        }
    }

    /// What is wrong with a launch, and the start or launch that came before.
    fn launch_misuse(&self, state: &State, target: &Value) -> Option<(Misuse, Option<Span>)> {
        let Value::Object(id) = target else { return None };
        let container = state.container(*id)?;
        for id in direct_objects(container) {
            match state.heap.get(&id) {
                Some(Object::Handle(handle)) if !handle.escaped => {
                    return Some((Misuse::HandlesGiven, Some(handle.started)));
                }
                Some(Object::Operation(operation)) if operation.launched == Status::Finished => {
                    return Some((Misuse::LaunchedAgain, operation.launch));
                }
                _ => {}
            }
        }
        None
    }

    fn restart(&mut self, state: &mut State, target: &Value) {
        self.summary.communicates = true;
        for id in state.reach(&[target]) {
            if let Some(handle) = state.handle_mut(id) {
                handle.status = Status::Pending;
                handle.finished = None;
                let started = handle.started;
                self.note_restart(started);
            }
        }
        if let Value::Symbol(symbol) = target {
            state.affect(Effect::Launch(*symbol));
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

    fn call_on_iterables(&mut self, state: State, api: ApiId, given: &Given<'_>) -> Results {
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
    fn collected(&mut self, state: &mut State, api: ApiId, values: &[Value]) -> Value {
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
                Value::Symbol(self.program.symbols.apply(&super::calls::ELEMENTS, vec![*symbol]))
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

    fn zip(&mut self, state: &mut State, values: &[Value]) -> Value {
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
    fn emptiness(&mut self, state: &State, values: &[Value]) -> (Option<bool>, Option<Symbol>) {
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
    fn zip_of_launched(&mut self, state: &mut State, value: &Value) {
        let Value::Object(id) = value else { return };
        let Some(container) = state.container(*id) else { return };
        if !container.launched || container.escaped || container.is_exact() {
            return;
        }
        if let Some(handle) = self.some_handle_in(state, *id) {
            let what = What::PartlyWaited { handle, how: super::event::Selection::Zip, at: self.here.span };
            self.report(what, &state.path);
            state.escape(value);
        }
    }

    fn enumerate(&mut self, state: &mut State, values: &[Value]) -> Value {
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
    fn consume(&mut self, state: &mut State, api: ApiId, values: &[Value]) -> Value {
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

/// The buffers of the operations in a value.
fn launched_buffers(state: &State, target: &Value) -> Rc<[InFlight]> {
    let all = state.reach(&[target]);
    let operations = all.into_iter().filter_map(|id| match state.heap.get(&id) {
        Some(Object::Operation(operation)) => Some(operation.buffers.to_vec()),
        _ => None,
    });
    operations.flatten().collect()
}

fn is_one(state: &State, id: ObjectId) -> bool {
    match state.heap.get(&id) {
        Some(Object::Operation(operation)) => !operation.many,
        Some(Object::Handle(handle)) => !handle.many,
        _ => false,
    }
}
