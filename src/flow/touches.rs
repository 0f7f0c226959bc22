//! Touches: who reads or writes a buffer while an operation uses it.
//!
//! ```text
//! h = dist.irecv(x, 1)        #1 pending, receives x
//! y = x.view(-1)              a view is no touch
//! print(y)                    reads x: #1 is pending
//! h.wait()                    #1 finished
//! print(y)                    fine
//! ```
//!
//! What a function does to the buffers of its caller is part of its summary, with the number of effects that come before it,
//! so that a helper that waits and then prints is not one that prints and then waits.

use super::event::{Origin as Told, Standing, What};
use super::flight::{Origin, is_untouched};
use super::handles::told;
use super::regions::{Overlap, SELECTION};
use super::run::Run;
use super::state::{State, Touched};
use super::symbol::{Symbol, Term};
use super::value::{Bound, ObjectId, Passing, Value};
use crate::catalog::{DataUse, Gives, Touches};
use crate::ir::{Access, Constant, ContainerKind, Key, Operand, Operator, Usage};
use crate::source::Span;

/// How many touches a summary tells of.
const TOLD: usize = 24;

impl Run<'_, '_> {
    /// The data of a value is touched here.
    pub(crate) fn touch(&mut self, state: &mut State, value: &Value, access: Access) {
        match value {
            Value::Symbol(symbol) => self.touch_symbol(state, *symbol, access, &[]),
            Value::Object(_) => {
                let inner = self.regions_of_each(state, value);
                inner.into_iter().for_each(|symbol| self.touch_symbol(state, symbol, access, &[]));
            }
            Value::Function(_)
            | Value::Each(_)
            | Value::Perhaps(_)
            | Value::Part(..)
            | Value::Method(_)
            | Value::Test(_)
            | Value::Length(_) => {}
        }
    }

    fn touch_symbol(&mut self, state: &mut State, symbol: Symbol, access: Access, inside: &[Told]) {
        let innermost = inside.last().map_or(self.here.span, |call| call.span);
        self.log_touch(state, symbol, access, innermost);
        let Some((id, usage)) = self.in_conflict(state, symbol, access) else { return };
        let Some(handle) = state.handle(id) else { return };
        let what = What::Touched {
            handle: told(handle, None),
            usage,
            access,
            buffer: self.buffer_name(state, symbol),
            inside: inside.to_vec(),
            at: self.here.span,
        };
        self.report(what, &state.path);
        self.mark_touched(state, id);
    }

    /// A pending operation that a touch of a region gets in the way of.
    pub(crate) fn in_conflict(
        &self,
        state: &State,
        symbol: Symbol,
        access: Access,
    ) -> Option<(ObjectId, Usage)> {
        if symbol == Symbol::UNKNOWN {
            return None;
        }
        let pending = state.heap.keys().filter_map(|&id| Some((id, state.handle(id)?)));
        for (id, handle) in pending.filter(|(_, handle)| is_untouched(handle)) {
            for buffer in handle.buffers.iter() {
                let conflicts = match (buffer.usage, access) {
                    (Usage::Sends, Access::Read) => false,
                    (Usage::Sends, Access::Write | Access::Free) => true,
                    (Usage::Receives | Usage::Both, _) => true,
                };
                if conflicts {
                    let touched = self.program.region(symbol, buffer.sort);
                    let in_flight = self.program.region(buffer.region, buffer.sort);
                    if self.program.overlap(&touched, &in_flight) == Overlap::Certain {
                        return Some((id, buffer.usage));
                    }
                }
            }
        }
        None
    }

    /// Remembers a touch of something that the caller may have in flight.
    pub(crate) fn log_touch(&self, state: &mut State, symbol: Symbol, access: Access, at: Span) {
        if self.program.is_reachable_by_caller(symbol)
            && !matches!(access, Access::Read if self.is_scalar(symbol))
        {
            let touch = Touched { region: symbol, access, at, after: state.effects.len() };
            state.log_touch(touch, TOLD);
        }
    }

    /// Whether a symbol is used as a number somewhere: a rank, a count.
    fn is_scalar(&self, symbol: Symbol) -> bool {
        matches!(self.program.symbols.term(symbol), Term::Length(_) | Term::Number(_) | Term::Constant(_))
    }

    /// `x[key] = value`: the array is written, and what is stored is read; a list just gets another element.
    pub(crate) fn touch_element(&mut self, state: &mut State, of: &Value, key: &Key, value: &Value) {
        let Some(of) = of.symbol().filter(|of| *of != Symbol::UNKNOWN) else { return };
        let key = self.stored_key(state, key);
        let element = self.program.symbols.intern(Term::Element([of, key]));
        let is_slice = self.program.symbols.is_slice(key);
        if is_slice {
            self.touch(state, value, Access::Read);
        }
        if is_slice || self.is_array(state, of) || self.is_number(value) {
            self.touch_symbol(state, element, Access::Write, &[]);
        } else {
            self.log_touch(state, element, Access::Write, self.here.span);
        }
    }

    /// `x[key] += value`: what is there is written in place, be it a part of an array or an array in a list.
    pub(crate) fn touch_updated_element(&mut self, state: &mut State, of: &Value, key: &Key) {
        let Some(of) = of.symbol().filter(|of| *of != Symbol::UNKNOWN) else { return };
        let key = self.stored_key(state, key);
        let element = self.program.symbols.intern(Term::Element([of, key]));
        self.touch_symbol(state, element, Access::Write, &[]);
    }

    /// The key of a store: a selection is a copy to read from, and a part of the array to write to.
    fn stored_key(&mut self, state: &State, key: &Key) -> Symbol {
        let key = self.region_key(state, key);
        if self.program.is_selection(key) { Symbol::UNKNOWN } else { key }
    }

    /// A number that is written down: only arrays have such elements.
    fn is_number(&self, value: &Value) -> bool {
        let constant = value.symbol().and_then(|symbol| self.program.symbols.constant_of(symbol));
        match constant {
            Some(Constant::Int(_)) => true,
            Some(Constant::Other(text)) => text.starts_with(|first: char| first.is_ascii_digit()),
            Some(Constant::None | Constant::Bool(_) | Constant::Str(_)) | None => false,
        }
    }

    /// `x += y`: an array is written in place. A list of buffers just gets more elements.
    pub(crate) fn touch_updated(&mut self, state: &mut State, value: &Value) {
        if let Some(symbol) = value.symbol()
            && self.is_array(state, symbol)
        {
            self.touch_symbol(state, symbol, Access::Write, &[]);
        } else if let Some(symbol) = value.symbol() {
            self.log_touch(state, symbol, Access::Write, self.here.span);
        }
    }

    /// Whether a value that may be in flight is an array and not a list of arrays: an operation uses all of it, or a slice.
    fn is_array(&self, state: &State, symbol: Symbol) -> bool {
        let mut handles = state.heap.keys().filter_map(|&id| state.handle(id));
        handles.any(|handle| {
            handle.buffers.iter().any(|buffer| {
                let used = self.program.region(buffer.region, buffer.sort);
                let asked = self.program.region(symbol, buffer.sort);
                used.root == asked.root && self.program.is_of_array(&used, asked.steps.len())
            })
        })
    }

    /// A subscript that gives a number reads it.
    pub(crate) fn touch_number(&mut self, state: &mut State, of: &Value, key: &Key) {
        let Some(symbol) = of.symbol() else { return };
        let flat = self.program.origins.get(&symbol).is_some_and(|origin| origin.flat);
        if let (true, Key::At(_)) = (flat, key) {
            let key = self.region_key(state, key);
            let element = self.program.symbols.element(symbol, key);
            self.touch_symbol(state, element, Access::Read, &[]);
        }
    }

    /// The key of a subscript as a symbol: slices and tuples of indices too.
    pub(crate) fn region_key(&mut self, state: &State, key: &Key) -> Symbol {
        match key {
            Key::At(operand) => {
                let value = self.operand(state, operand);
                match value {
                    Value::Object(id) if self.is_list(state, id) => {
                        let base = self.program.symbols.intern(Term::Result(id.site));
                        self.program.symbols.intern(Term::Apply(SELECTION, vec![base]))
                    }
                    other if self.is_called_selection(operand, &other) => {
                        let key = self.plain_symbol(state, &other);
                        self.program.symbols.intern(Term::Apply(SELECTION, vec![key]))
                    }
                    other => self.plain_symbol(state, &other),
                }
            }
            Key::Range(lower, upper) => {
                let mut bound = |operand: &Option<Operand>| {
                    operand.as_ref().map(|it| self.operand(state, it).symbol().unwrap_or(Symbol::UNKNOWN))
                };
                let (lower, upper) = (bound(lower), bound(upper));
                self.program.symbols.slice(lower, upper)
            }
        }
    }

    fn is_list(&self, state: &State, id: ObjectId) -> bool {
        state.container(id).is_some_and(|container| container.kind == ContainerKind::List)
    }

    /// A key of which nothing is known but its name: `x[mask]`, `x[self.indices]`.
    fn is_called_selection(&self, operand: &Operand, value: &Value) -> bool {
        let local = match operand {
            Operand::Local(local) => self.function.locals.get(local.0 as usize),
            Operand::Constant(_) => None,
        };
        let last = || value.symbol().and_then(|symbol| self.program.symbols.last_name(symbol));
        let named = |name: &str| {
            let last = name.rsplit('_').next().unwrap_or(name);
            ["mask", "indices", "perm", "permutation"].contains(&last)
        };
        local.is_some_and(|local| named(&local.name)) || last().is_some_and(|name| named(&name))
    }

    /// The operands of an operator are read, where it computes something of their data.
    pub(crate) fn touch_operands(&mut self, state: &mut State, operator: &Operator, values: &[Value]) {
        match operator {
            Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessEqual
            | Operator::Greater
            | Operator::GreaterEqual => {}
            Operator::Other("slice" | "lambda" | "type") => return,
            Operator::Other(_) => {}
            Operator::Not
            | Operator::And
            | Operator::Or
            | Operator::Is
            | Operator::IsNot
            | Operator::In
            | Operator::NotIn => return,
        }
        values.iter().for_each(|value| self.touch(state, value, Access::Read));
    }

    /// A function of a module touches what it is given.
    pub(crate) fn touch_by_function(&mut self, state: &mut State, path: &str, arguments: &[Bound]) {
        if self.program.catalog.is_of_data(path) {
            self.touch_out(state, arguments);
        }
        let Some(used) = self.program.catalog.data_function(path) else { return };
        let mut values = arguments.iter().filter(|bound| !is_out(bound)).map(|bound| bound.value.clone());
        if let (Some(access), Some(first)) = (access(used.touches), values.next()) {
            self.touch(state, &first, access);
            values.collect::<Vec<_>>().iter().for_each(|value| self.touch(state, value, Access::Read));
        }
    }

    /// A method touches its receiver and what it is given.
    pub(crate) fn touch_by_method(
        &mut self,
        state: &mut State,
        receiver: Symbol,
        name: &str,
        arguments: &[Bound],
    ) {
        let sort = state.sort_in_flight();
        let Some(used) = self.program.catalog.data_method(name, sort) else {
            // An array that shares its storage with a tensor, or the other way round.
            let other = self.program.catalog.data_method(name, None);
            if let Some(access) = other.and_then(|used| access(used.touches)) {
                self.touch(state, &Value::Symbol(receiver), access);
            }
            return;
        };
        self.touch_out(state, arguments);
        if used.gives == Gives::PerhapsCopy && self.does_copy(receiver, sort) == Some(Standing::Certain) {
            self.touch(state, &Value::Symbol(receiver), Access::Read);
        }
        if let Some(access) = access(used.touches) {
            self.touch(state, &Value::Symbol(receiver), access);
            // `queue.put(x)` reads nothing of `x`.
            let is_data = name.ends_with('_') || self.program.origins.contains_key(&receiver);
            for bound in arguments.iter().filter(|bound| is_data && !is_out(bound)) {
                self.touch(state, &bound.value, Access::Read);
            }
        }
    }

    fn touch_out(&mut self, state: &mut State, arguments: &[Bound]) {
        for bound in arguments.iter().filter(|bound| is_out(bound)) {
            self.touch(state, &bound.value, Access::Write);
        }
    }

    /// Setting an attribute may free what was in its owner.
    pub(crate) fn touch_attribute(&mut self, state: &mut State, of: &Value, name: &str) {
        let used = self.program.catalog.data_attribute(name, state.sort_in_flight());
        if let Some(access) = used.and_then(|used| access(used.touches)) {
            self.touch(state, of, access);
        }
    }

    /// What a function of a sort of data gives: something new gets a symbol of its own, something that shares storage keeps
    /// the symbol that says so.
    pub(crate) fn data_result(
        &mut self,
        state: &mut State,
        used: DataUse,
        callee: Symbol,
        receiver: Option<Symbol>,
        arguments: &[Bound],
    ) -> Option<Value> {
        let first = || arguments.first().and_then(|bound| bound.value.symbol());
        let of = receiver.or_else(first).unwrap_or(Symbol::UNKNOWN);
        match used.gives {
            Gives::Nothing => None,
            Gives::Itself => Some(Value::Symbol(of)),
            Gives::Copy | Gives::PerhapsCopy | Gives::New => {
                let made = self.fresh(state, 0);
                let shape =
                    if receiver.is_none() { arguments.first().map(|bound| &bound.value) } else { None };
                let flat = used.gives == Gives::New && arguments.len() <= 2 && self.is_flat(shape);
                self.note_origin(made, Origin { gives: used.gives, of, flat });
                Some(Value::Symbol(made))
            }
            Gives::View | Gives::Strided | Gives::Part | Gives::Parts => {
                let mut all = vec![callee];
                for bound in arguments {
                    let plain = match bound.passing {
                        Passing::Position | Passing::Name(_) => self.plain_symbol(state, &bound.value),
                        Passing::Spread => Symbol::UNKNOWN,
                    };
                    all.push(plain);
                }
                if receiver.is_none() {
                    // Which of the arguments shares its storage must be seen in the term.
                    all.truncate(2);
                }
                let known = self.program.symbols.call(all);
                Some(Value::Symbol(if known == Symbol::UNKNOWN {
                    self.unlike_others(state, callee, of)
                } else {
                    known
                }))
            }
        }
    }

    /// A view whose arguments are not known is like no other.
    fn unlike_others(&mut self, state: &mut State, callee: Symbol, of: Symbol) -> Symbol {
        let apart = self.fresh(state, 1);
        let all = if matches!(self.program.symbols.term(callee), Term::Path(_)) {
            vec![callee, of, apart]
        } else {
            vec![callee, apart]
        };
        self.program.symbols.call(all)
    }

    /// What a called function did to buffers of this one.
    pub(crate) fn replay_touch(&mut self, state: &mut State, target: &Value, touch: &Touched, callee: &str) {
        let inside = [Told { function: callee.to_owned(), span: touch.at }];
        if let Value::Symbol(symbol) = target {
            let stored = matches!(self.program.symbols.term(touch.region), Term::Element(_));
            let is_store = stored
                && matches!(self.program.symbols.term(*symbol), Term::Element([of, key])
                if touch.access == Access::Write && !self.program.symbols.is_slice(*key) && !self.is_array(state, *of));
            if is_store {
                self.log_touch(state, *symbol, touch.access, touch.at);
            } else {
                self.touch_symbol(state, *symbol, touch.access, &inside);
            }
        }
    }
}

fn is_out(bound: &Bound) -> bool {
    matches!(&bound.passing, Passing::Name(name) if name == "out")
}

fn access(touches: Touches) -> Option<Access> {
    match touches {
        Touches::Nothing => None,
        Touches::Read => Some(Access::Read),
        Touches::Write => Some(Access::Write),
        Touches::Free => Some(Access::Free),
    }
}
