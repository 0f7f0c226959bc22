//! Buffers in flight: what an operation uses from its start to its finish.
//!
//! ```text
//! h = dist.isend(x[:n], 1)        h: #1 pending, sends x[:n]
//! g = dist.irecv(x, 1)            shared: x and x[:n] overlap, and one of them receives
//! k = dist.irecv(y.clone(), 1)    temporary: nobody has the copy that the data arrives in
//! ```

use std::sync::Arc;

use super::apis::{Argument, Given};
use super::event::{Standing, What};
use super::handles::told;
use super::regions::Overlap;
use super::run::Run;
use super::state::{Effect, State, Touched};
use super::symbol::{Symbol, Symbols, Term};
use super::value::{Handle, InFlight, Object, ObjectId, Operation, Status, Value};
use crate::catalog::{ApiId, Gives, Kind, Sort, UsageName};
use crate::ir::{Access, Constant, Operator, Usage};

/// How a value was made that nothing else is known of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// How it was made.
    pub(crate) gives: Gives,
    /// What it was made from.
    pub(crate) of: Symbol,
    /// Whether it is known to have one dimension: then an index gives a number and not a view.
    pub(crate) flat: bool,
}

/// Which containers count as having what is in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holders {
    /// Those that a name or a place in memory leads to: not the `[array, type]` of a call.
    Named,
    /// Those that a part of the statement under way holds, too: `a, b = b, a`.
    Any,
}

impl Run<'_, '_> {
    /// The buffers that a call hands to an operation.
    pub(crate) fn buffers_of(&mut self, state: &State, api: ApiId, given: &Given<'_>) -> Arc<[InFlight]> {
        let sort = self.program.catalog.sort_of_buffers(api);
        let mut all = Vec::new();
        for buffer in given.entry.buffers.iter().filter(|buffer| !buffer.copied) {
            let Argument::Given(value, at) = given.argument(&buffer.argument) else { continue };
            let Some(usage) = self.usage(buffer.usage, given) else { continue };
            let regions = if buffer.each {
                self.regions_of_each(state, &value)
            } else {
                self.first_region(state, &value).into_iter().collect()
            };
            all.extend(regions.into_iter().map(|region| InFlight { region, usage, sort, at }));
        }
        all.retain(|buffer| self.may_be_buffer(buffer.region));
        all.into()
    }

    /// How an operation uses a buffer; an operation object does as the function that it is to run.
    fn usage(&self, name: UsageName, given: &Given<'_>) -> Option<Usage> {
        match name {
            UsageName::Sends => Some(Usage::Sends),
            UsageName::Receives => Some(Usage::Receives),
            UsageName::Both => Some(Usage::Both),
            UsageName::AsRun => {
                let runs = given.entry.runs.as_ref()?;
                let Argument::Given(value, _) = given.argument(&runs.argument) else { return None };
                let api = self.program.catalog.api(&self.program.symbols.path_of(value.symbol()?)?)?;
                let first = self.program.catalog.function(api).buffers.first()?;
                self.usage(first.usage, given)
            }
        }
    }

    /// The buffer that an argument is; of `[array, count, type]` it is the first element.
    fn first_region(&self, state: &State, value: &Value) -> Option<Symbol> {
        match value {
            Value::Object(id) => state.container(*id)?.entries.first()?.1.symbol(),
            other => other.symbol(),
        }
    }

    /// The buffers in a list.
    pub(crate) fn regions_of_each(&mut self, state: &State, value: &Value) -> Vec<Symbol> {
        let Value::Object(id) = value else {
            return value.symbol().map(|list| self.program.symbols.each_of(list)).into_iter().collect();
        };
        let Some(container) = state.container(*id) else { return Vec::new() };
        let mut regions: Vec<Symbol> = container.elements().filter_map(Value::symbol).collect();
        let base = self.program.symbols.intern(Term::Result(id.site));
        if !container.is_exact() && self.bases.contains(&base) {
            regions.push(self.program.symbols.each_of(base));
        }
        regions
    }

    fn may_be_buffer(&self, symbol: Symbol) -> bool {
        match self.program.symbols.term(symbol) {
            Term::Unknown
            | Term::Constant(_)
            | Term::Path(_)
            | Term::Function(_)
            | Term::Class(_)
            | Term::Number(_)
            | Term::Length(_) => false,
            // What the body of a class defines and no method sets is a constant.
            Term::Field(of, name) => !self.program.is_defined_by_class(*of, name),
            Term::Parameter(_)
            | Term::Captured(_)
            | Term::Global(_)
            | Term::Result(_)
            | Term::Merged(..)
            | Term::Item(_)
            | Term::Element(_)
            | Term::Apply(..)
            | Term::Call(_) => true,
        }
    }

    /// An operation begins to use buffers: those that another one uses, and those that nobody can read afterwards.
    pub(crate) fn check_buffers(&mut self, state: &mut State, api: ApiId, buffers: &[InFlight]) {
        if state.coalescing > 0 || state.expecting > 0 {
            return;
        }
        self.report_shared_in_one(state, api, buffers);
        for buffer in buffers {
            self.report_shared(state, api, buffer);
        }
        for buffer in buffers {
            self.report_temporary(state, api, buffer);
        }
    }

    /// Source and destination of one operation.
    fn report_shared_in_one(&mut self, state: &State, api: ApiId, buffers: &[InFlight]) {
        if !self.program.catalog.keeps_buffers_apart(api) {
            return;
        }
        for (index, one) in buffers.iter().enumerate() {
            for other in &buffers[index + 1..] {
                if one.usage != other.usage && self.in_flight_overlap(one, other) == Overlap::Certain {
                    let what = What::SharedBuffer {
                        api,
                        with: None,
                        buffer: self.buffer_name(state, other.region),
                        at: self.here.span,
                    };
                    self.report(what, &state.path);
                }
            }
        }
    }

    fn report_shared(&mut self, state: &mut State, api: ApiId, buffer: &InFlight) {
        let access = access_of(buffer.usage);
        let Some((id, _)) = self.in_conflict(state, buffer.region, access) else { return };
        let Some(handle) = state.handle(id) else { return };
        let what = What::SharedBuffer {
            api,
            with: Some(told(handle, None)),
            buffer: self.buffer_name(state, buffer.region),
            at: self.here.span,
        };
        self.report(what, &state.path);
        self.mark_touched(state, id);
    }

    /// What a called function has started: buffers that another operation uses.
    pub(crate) fn check_begun(&mut self, state: &mut State, begun: &[(ObjectId, Arc<[InFlight]>)]) {
        for (id, buffers) in begun {
            let pending = state.handle(*id).filter(|handle| handle.status == Status::Pending);
            let Some(api) = pending.map(|handle| handle.api) else { continue };
            for buffer in buffers.iter() {
                if !self.is_made_by_this_call(buffer.region) {
                    self.report_shared(state, api, buffer);
                }
            }
        }
    }

    fn is_made_by_this_call(&self, symbol: Symbol) -> bool {
        let here = self.here.operation;
        self.program
            .symbols
            .any_part(symbol, &|term| matches!(term, Term::Result(site) if site.operation == here))
    }

    /// A call that communicates and blocks uses its buffers at once.
    pub(crate) fn use_buffers(&mut self, state: &mut State, api: ApiId, given: &Given<'_>) {
        let buffers = self.buffers_of(state, api, given);
        self.report_shared_in_one(state, api, &buffers);
        for buffer in buffers.iter() {
            self.log_touch(state, buffer.region, access_of(buffer.usage), self.here.span);
            self.report_shared(state, api, buffer);
        }
    }

    fn in_flight_overlap(&self, one: &InFlight, other: &InFlight) -> Overlap {
        let (a, b) =
            (self.program.region(one.region, one.sort), self.program.region(other.region, other.sort));
        self.program.overlap(&a, &b)
    }

    /// A receive into something that nobody has a name for.
    fn report_temporary(&mut self, state: &State, api: ApiId, buffer: &InFlight) {
        let entry = self.program.catalog.function(api);
        let into_one = match entry.kind {
            Kind::PointToPoint | Kind::OneSided | Kind::File => true,
            Kind::Collective | Kind::Barrier | Kind::Rpc => false,
        };
        if !into_one || buffer.usage != Usage::Receives {
            return;
        }
        let Some(standing) = self.is_temporary(state, buffer.region, buffer.sort) else { return };
        let what = What::Temporary { api, argument: buffer.at, standing, at: self.here.span };
        self.report(what, &state.path);
    }

    /// Whether a value is a copy that only the call has, as far as that is known.
    fn is_temporary(&self, state: &State, symbol: Symbol, sort: Option<Sort>) -> Option<Standing> {
        let region = self.program.region(symbol, sort);
        let computed = matches!(
            self.program.symbols.term(region.root),
            Term::Apply(Operator::Other("+" | "-" | "*" | "/" | "@" | "**" | "//" | "%"), _)
        );
        let standing = match self.program.origins.get(&region.root) {
            _ if computed => Standing::Certain,
            Some(origin) => match origin.gives {
                Gives::Copy | Gives::New => Standing::Certain,
                Gives::PerhapsCopy => self.does_copy(origin.of, sort)?,
                Gives::Nothing
                | Gives::Itself
                | Gives::View
                | Gives::Strided
                | Gives::Part
                | Gives::Parts => return None,
            },
            None if region.steps.is_empty() => self.copies_by_sort(region.root, sort)?,
            None => return None,
        };
        (!self.is_held(state, region.root, Holders::Named)).then_some(standing)
    }

    /// Whether a method copies that means something else for other receivers: `copy` of an array, and of a list.
    fn copies_by_sort(&self, root: Symbol, sort: Option<Sort>) -> Option<Standing> {
        let symbols = &self.program.symbols;
        match symbols.term(root) {
            Term::Apply(operator, _) if *operator == super::calls::ELEMENTS => Some(Standing::Certain),
            Term::Element([_, key]) if self.program.is_selection(*key) => Some(Standing::Certain),
            Term::Call(parts) => {
                let Term::Field(of, name) = symbols.term(*parts.first()?) else { return None };
                match self.program.catalog.data_method(name, sort)?.gives {
                    Gives::Copy | Gives::New => Some(Standing::Certain),
                    Gives::PerhapsCopy => self.does_copy(*of, sort),
                    Gives::Nothing
                    | Gives::Itself
                    | Gives::View
                    | Gives::Strided
                    | Gives::Part
                    | Gives::Parts => None,
                }
            }
            _ => None,
        }
    }

    /// Whether a function that copies where it must does so.
    pub(crate) fn does_copy(&self, of: Symbol, sort: Option<Sort>) -> Option<Standing> {
        let region = self.program.region(of, sort);
        if region.strided || self.is_column(of) {
            return Some(Standing::Certain);
        }
        let new = self.program.origins.get(&region.root).is_some_and(|origin| origin.gives == Gives::New);
        (!new).then_some(Standing::Possible)
    }

    /// `x[:, 0]`: elements that are not next to each other.
    pub(crate) fn is_column(&self, symbol: Symbol) -> bool {
        let Term::Element([_, key]) = self.program.symbols.term(symbol) else { return false };
        let Term::Apply(operator, parts) = self.program.symbols.term(*key) else { return false };
        let is_slice = |part: &Symbol| {
            matches!(self.program.symbols.term(*part), Term::Apply(Operator::Other("slice"), _))
        };
        *operator == super::apis::TUPLE && parts.first().is_some_and(is_slice) && !parts.iter().all(is_slice)
    }

    /// Whether a name, a place in memory or somebody else has a storage.
    pub(crate) fn is_held(&self, state: &State, root: Symbol, holders: Holders) -> bool {
        let symbols = &self.program.symbols;
        let named = |local: crate::ir::Local| {
            self.function.locals.get(local.0 as usize).is_some_and(|info| !info.name.is_empty())
        };
        let in_local = state.locals.plain().any(|(local, held)| named(local) && symbols.mentions(held, root));
        let holds = |value: &Value| value.symbol().is_some_and(|held| symbols.mentions(held, root));
        let counts = |local: crate::ir::Local| holders == Holders::Any || named(local);
        let kept = state.locals.held().iter().filter(|(local, _)| counts(**local)).map(|(_, value)| value);
        let kept: Vec<&Value> = kept.chain(state.memory.values()).chain(&state.pinned).collect();
        let in_container = state.reach(&kept).into_iter().any(|id| match state.heap.get(&id) {
            Some(Object::Container(container)) => container.elements().any(holds),
            _ => false,
        });
        let given_away = || {
            let given = |effect: &Effect| matches!(effect, Effect::Escape(to) if symbols.mentions(*to, root));
            state.effects.iter().any(given)
        };
        in_local || in_container || state.memory.values().any(holds) || given_away()
    }

    /// Operations that are launched together are in flight together.
    pub(crate) fn check_launched(&mut self, state: &State, api: ApiId, target: &Value) {
        if state.expecting > 0 {
            return;
        }
        let operations: Vec<Operation> = state
            .reach(&[target])
            .into_iter()
            .filter_map(|id| match state.heap.get(&id) {
                Some(Object::Operation(operation)) => Some(operation.clone()),
                _ => None,
            })
            .collect();
        for (index, one) in operations.iter().enumerate() {
            for other in &operations[index + 1..] {
                if let Some(buffer) = self.shared_by(one, other) {
                    let handle = Handle { started: one.built, ..self.new_handle(api, Status::Pending, None) };
                    let what = What::SharedBuffer {
                        api,
                        with: Some(told(&handle, None)),
                        buffer: self.buffer_name(state, buffer),
                        at: self.here.span,
                    };
                    self.report(what, &state.path);
                    return;
                }
            }
        }
    }

    /// The buffer that two operations certainly share, and that one of them writes.
    fn shared_by(&self, one: &Operation, other: &Operation) -> Option<Symbol> {
        let pairs = one.buffers.iter().flat_map(|mine| other.buffers.iter().map(move |its| (mine, its)));
        let writes = |buffer: &InFlight| access_of(buffer.usage) == Access::Write;
        let mut shared = pairs.filter(|(mine, its)| {
            (writes(mine) || writes(its)) && self.in_flight_overlap(mine, its) == Overlap::Certain
        });
        shared.next().map(|(_, its)| its.region)
    }

    /// The first touch of a buffer in flight is reported, not every one.
    pub(crate) fn mark_touched(&self, state: &mut State, id: ObjectId) {
        let here = self.here.operation;
        if let Some(handle) = state.handle_mut(id) {
            handle.touched = Some(here);
        }
    }

    /// How a buffer is written in the source, or the name that holds it.
    pub(crate) fn buffer_name(&self, state: &State, symbol: Symbol) -> Option<String> {
        let holder = || {
            let mut plain = state.locals.plain().filter(|(_, held)| *held == symbol);
            plain.find_map(|(local, _)| {
                let info = self.function.locals.get(local.0 as usize)?;
                (!info.name.is_empty()).then(|| info.name.clone())
            })
        };
        holder().or_else(|| self.program.written(self.id, symbol))
    }

    /// A value is made anew by a call or an operator that looks like an earlier one: what was in flight under that symbol is
    /// something else.
    pub(crate) fn make_anew(&mut self, state: &mut State, symbol: Symbol) {
        if symbol == Symbol::UNKNOWN {
            return;
        }
        self.note_made(symbol);
        state.retire(&mut self.program.symbols, symbol);
    }

    /// The same for an operator. As a key it gives the same number again: `x[i % 2]` stays what it was.
    pub(crate) fn compute_anew(&mut self, state: &mut State, symbol: Symbol) {
        let program = &*self.program;
        let of_storage = |buffer: &InFlight| {
            program.symbols.mentions(program.region(buffer.region, buffer.sort).root, symbol)
        };
        if state.has_in_flight(&of_storage) {
            self.make_anew(state, symbol);
        } else if symbol != Symbol::UNKNOWN {
            self.note_made(symbol);
        }
    }

    fn note_made(&mut self, symbol: Symbol) {
        let made_before = self.program.made_at.insert(symbol, self.here.operation);
        if made_before.is_some_and(|operation| operation != self.here.operation) {
            self.program.alike.insert(symbol);
        }
    }

    /// Somebody unknown may bind attributes of a value to other buffers.
    pub(crate) fn forget_buffers_of(&mut self, state: &mut State, owner: Symbol) {
        let program = &*self.program;
        let belongs = |buffer: &InFlight| {
            let root = program.region(buffer.region, buffer.sort).root;
            root != owner && program.symbols.mentions(root, owner)
        };
        state.drop_in_flight(&belongs);
    }

    /// A container of others gets or loses elements: what lies under its keys may be another buffer now.
    pub(crate) fn forget_buffers_in(&mut self, state: &mut State, container: Symbol) {
        let program = &*self.program;
        let belongs = |buffer: &InFlight| {
            let region = program.region(buffer.region, buffer.sort);
            region.root == container && !program.is_of_array(&region, 0)
                || region.root != container && program.symbols.mentions(region.root, container)
        };
        state.drop_in_flight(&belongs);
    }

    /// Everything that the device was given is complete.
    pub(crate) fn complete_buffers(&mut self, state: &mut State) {
        state.drop_in_flight(&|_| true);
    }

    /// Remembers how a value was made.
    pub(crate) fn note_origin(&mut self, symbol: Symbol, origin: Origin) {
        if matches!(self.program.symbols.term(symbol), Term::Result(_)) {
            self.program.origins.insert(symbol, origin);
        }
    }

    /// Whether an array of one dimension was asked for: `np.empty(8)`.
    pub(crate) fn is_flat(&self, shape: Option<&Value>) -> bool {
        let Some(symbol) = shape.and_then(Value::symbol) else { return false };
        match self.program.symbols.term(symbol) {
            Term::Constant(Constant::Int(_)) | Term::Length(_) => true,
            Term::Apply(Operator::Other("+" | "-" | "*" | "//"), parts) => {
                parts.iter().any(|part| self.is_flat(Some(&Value::Symbol(*part))))
            }
            _ => false,
        }
    }
}

/// How an operation touches a buffer of its own.
fn access_of(usage: Usage) -> Access {
    match usage {
        Usage::Sends => Access::Read,
        Usage::Receives | Usage::Both => Access::Write,
    }
}

/// Nothing is known any more of what an operation uses.
pub(crate) fn forget_buffers(state: &mut State, id: ObjectId) {
    if let Some(handle) = state.handle_mut(id) {
        handle.buffers = Arc::new([]);
    }
}

/// Whether a handle certainly stands for an operation that uses its buffers now.
pub(crate) fn is_in_flight(handle: &Handle) -> bool {
    handle.status == Status::Pending && !handle.escaped && handle.certain && !handle.buffers.is_empty()
}

impl State {
    /// Whether a buffer of a pending operation is like this.
    pub(crate) fn has_in_flight(&self, test: &dyn Fn(&InFlight) -> bool) -> bool {
        self.heap.values().any(|object| match object {
            Object::Handle(handle) => handle.buffers.iter().any(test),
            Object::Operation(operation) => operation.buffers.iter().any(test),
            _ => false,
        })
    }

    /// What a symbol stood for is something else from here on; what is in flight keeps what it stood for.
    pub(crate) fn forget_in_flight(&mut self, symbols: &mut Symbols, symbol: Symbol) {
        let gone = symbols.term(symbol).clone();
        let mut forget = |buffer: &InFlight| {
            let region =
                symbols.rebuild(buffer.region, &mut |term| (*term == gone).then_some(Symbol::UNKNOWN));
            (region != Symbol::UNKNOWN).then_some(InFlight { region, ..*buffer })
        };
        self.change_in_flight(&mut |buffers| buffers.iter().filter_map(&mut forget).collect());
    }

    /// The same, where anything in flight is named by the symbol.
    pub(crate) fn retire(&mut self, symbols: &mut Symbols, symbol: Symbol) {
        if self.has_in_flight(&|buffer| symbols.mentions(buffer.region, symbol)) {
            self.forget_in_flight(symbols, symbol);
        }
    }

    /// Nothing is said any more about buffers like these.
    pub(crate) fn drop_in_flight(&mut self, test: &dyn Fn(&InFlight) -> bool) {
        if self.has_in_flight(test) {
            self.change_in_flight(&mut |buffers| {
                buffers.iter().filter(|buffer| !test(buffer)).copied().collect()
            });
        }
    }

    fn change_in_flight(&mut self, change: &mut dyn FnMut(&[InFlight]) -> Arc<[InFlight]>) {
        for object in self.heap.values_mut() {
            match object {
                Object::Handle(handle) => handle.buffers = change(&handle.buffers),
                Object::Operation(operation) => operation.buffers = change(&operation.buffers),
                _ => {}
            }
        }
    }

    /// Takes the buffers of some handles away for a while.
    pub(crate) fn take_buffers<'a>(
        &mut self,
        handles: impl Iterator<Item = &'a ObjectId>,
    ) -> Vec<(ObjectId, Arc<[InFlight]>)> {
        let mut taken = Vec::new();
        for &id in handles {
            if let Some(handle) = self.handle_mut(id) {
                taken.push((id, std::mem::take(&mut handle.buffers)));
            }
        }
        taken
    }

    /// Gives them back.
    pub(crate) fn give_buffers(&mut self, taken: Vec<(ObjectId, Arc<[InFlight]>)>) {
        for (id, buffers) in taken {
            if let Some(handle) = self.handle_mut(id) {
                handle.buffers = buffers;
            }
        }
    }

    /// The sort of the buffers that pending operations use, where there is one.
    pub(crate) fn sort_in_flight(&self) -> Option<Sort> {
        self.heap.values().find_map(|object| match object {
            Object::Handle(handle) if is_in_flight(handle) => handle.buffers.iter().find_map(|it| it.sort),
            _ => None,
        })
    }

    /// Remembers a touch for the summary, up to a number of them.
    pub(crate) fn log_touch(&mut self, touch: Touched, most: usize) {
        let known = |other: &Touched| other.region == touch.region && other.access == touch.access;
        if self.touches.len() < most && !self.touches.iter().any(known) {
            let mut touches = self.touches.to_vec();
            touches.push(touch);
            self.touches = touches.into();
        }
    }
}

/// Whether nothing has touched its buffers yet.
pub(crate) fn is_untouched(handle: &Handle) -> bool {
    is_in_flight(handle) && handle.touched.is_none()
}

/// The buffers that are in flight on both of two ways.
pub(crate) fn in_flight_on_both(mine: &Arc<[InFlight]>, theirs: &Arc<[InFlight]>) -> Arc<[InFlight]> {
    if mine == theirs {
        return mine.clone();
    }
    mine.iter().filter(|buffer| theirs.contains(buffer)).copied().collect()
}
