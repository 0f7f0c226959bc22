//! Containers: what goes in and what comes out.
//!
//! ```text
//! pair = (isend(a), irecv(b))      entries 0: #1, 1: #2
//! reqs.append(isend(x))            in a loop that the list was made outside of: no place is known, the rest is {#1, …}
//! reqs[0]                          the entry, or *a part* of the list: one of several
//! reqs[i]                          each element: the loop that counts `i` goes through all of them
//! ```

use super::event::{Loss, Selection};
use super::loops::direct_objects;
use super::run::Run;
use super::state::{Effect, State};
use super::symbol::{Symbol, Term};
use super::value::{Bound, Container, Object, ObjectId, Passing, Slot, Value};
use crate::ir::{Constant, ContainerKind, Key, Local, Meaning, Operand};

/// A list whose places are known is not kept longer than this.
const LONGEST: usize = 8;

/// How a subscript is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Number,
    Variable,
}

impl Run<'_, '_> {
    /// `of[key]`.
    pub(crate) fn element(&mut self, state: &mut State, of: &Value, key: &Key) -> Value {
        match of {
            Value::Symbol(symbol) => {
                self.look_into(*symbol);
                let key = self.region_key(state, key);
                self.element_of_symbol(state, *symbol, key)
            }
            Value::Object(id) if state.container(*id).is_some() => match key {
                Key::At(operand) => {
                    let key = self.operand(state, operand).symbol().unwrap_or(Symbol::UNKNOWN);
                    // A number that is written down takes one element; one that a variable holds is counted by a loop.
                    let written = matches!(operand, Operand::Constant(_));
                    self.element_at(state, *id, key, if written { By::Number } else { By::Variable })
                }
                Key::Range(..) => self.slice(state, *id),
            },
            Value::Object(_) => {
                self.handle_as_list(state, of);
                Value::UNKNOWN
            }
            Value::Each(objects) | Value::Perhaps(objects) => {
                let inner: Vec<ObjectId> =
                    objects.iter().filter_map(|&id| state.container(id)).flat_map(direct_objects).collect();
                match key {
                    Key::At(operand) => {
                        let key = self.operand(state, operand).symbol().unwrap_or(Symbol::UNKNOWN);
                        self.element_of_each(state, objects, key).unwrap_or_else(|| Value::each(inner))
                    }
                    Key::Range(..) => Value::each(inner),
                }
            }
            Value::Part(..) | Value::Method(_) | Value::Test(_) | Value::Length(_) | Value::Function(_) => {
                Value::UNKNOWN
            }
        }
    }

    /// Remembers that elements of a container are looked at.
    fn look_into_container(&mut self, id: ObjectId) {
        let base = self.program.symbols.intern(Term::Result(id.site));
        self.look_into(base);
    }

    pub(crate) fn element_of_symbol(&mut self, state: &State, of: Symbol, key: Symbol) -> Value {
        let place = self.program.symbols.element(of, key);
        state.memory.get(&place).cloned().unwrap_or(Value::Symbol(place))
    }

    /// The same place of each of several containers, where all have it.
    fn element_of_each(&mut self, state: &State, objects: &[ObjectId], key: Symbol) -> Option<Value> {
        let slot = self.slot(key)?;
        let mut inner = Vec::new();
        for &id in objects {
            let container = state.container(id)?;
            let (_, value) = container.entries.iter().find(|(known, _)| *known == slot)?;
            inner.extend(value.objects());
        }
        Some(Value::each(inner))
    }

    fn slot(&self, key: Symbol) -> Option<Slot> {
        match self.program.symbols.constant_of(key) {
            Some(Constant::Int(n)) => u32::try_from(*n).ok().map(Slot::Position),
            _ if key == Symbol::UNKNOWN => None,
            _ => Some(Slot::Key(key)),
        }
    }

    /// The element of a container under a key.
    fn element_at(&mut self, state: &mut State, id: ObjectId, key: Symbol, by: By) -> Value {
        self.look_into_container(id);
        let Some(container) = state.container(id) else { return Value::UNKNOWN };
        if let Some(value) = self.known_element(container, key) {
            return value;
        }
        let objects = direct_objects(container);
        let is_position =
            by == By::Number && matches!(self.program.symbols.constant_of(key), Some(Constant::Int(_)));
        let handles_only =
            !objects.is_empty() && objects.iter().all(|&object| state.handle(object).is_some());
        if is_position && handles_only && container.kind != ContainerKind::Dict {
            return Value::Part(id, Selection::Index);
        }
        self.note_by_number(state, &objects);
        let Some(container) = state.container(id) else { return Value::UNKNOWN };
        if objects.is_empty() {
            let tests: Vec<&Value> = container.elements().filter(|value| value.symbol().is_none()).collect();
            return match tests.as_slice() {
                [one] => (*one).clone(),
                _ => self.plain_element(id, key),
            };
        }
        Value::each(objects)
    }

    /// An element that is not followed, of a container that this function made.
    fn plain_element(&mut self, id: ObjectId, key: Symbol) -> Value {
        let base = self.program.symbols.intern(Term::Result(id.site));
        if self.bases.contains(&base) && id.age == super::value::Age::Newest {
            self.looked_up.insert(base);
            Value::Symbol(self.program.symbols.element(base, key))
        } else {
            Value::UNKNOWN
        }
    }

    fn known_element(&self, container: &Container, key: Symbol) -> Option<Value> {
        let slot = match self.program.symbols.constant_of(key) {
            Some(Constant::Int(n)) if container.kind != ContainerKind::Dict => {
                let count = i64::try_from(container.entries.len()).ok()?;
                if !container.is_exact() {
                    return None;
                }
                Slot::Position(u32::try_from(if *n < 0 { count + n } else { *n }).ok()?)
            }
            _ if key == Symbol::UNKNOWN => return None,
            _ => Slot::Key(key),
        };
        container.entries.iter().find(|(known, _)| *known == slot).map(|(_, value)| value.clone())
    }

    fn slice(&mut self, state: &mut State, id: ObjectId) -> Value {
        let Some(container) = state.container(id).cloned() else { return Value::UNKNOWN };
        let mut part = Container { partly: None, slice: true, ..container };
        part.loosen();
        part.filled = None;
        Value::Object(state.make(self.site(0), Object::Container(part)))
    }

    /// `of[key] = value`.
    pub(crate) fn set_element(&mut self, state: &mut State, of: &Value, key: &Key, value: Value) {
        match of {
            Value::Symbol(symbol) => {
                let key = self.key_symbol(state, key);
                let place = self.program.symbols.element(*symbol, key);
                if key == Symbol::UNKNOWN {
                    self.push(state, of, value);
                    return;
                }
                self.note_fill(state, *symbol, key, &value);
                self.store(state, place, value);
            }
            Value::Object(id) if state.container(*id).is_some() => {
                let key = self.key_symbol(state, key);
                let base = self.program.symbols.intern(Term::Result(id.site));
                self.note_fill(state, base, key, &value);
                self.put(state, *id, key, value);
            }
            Value::Each(objects) => {
                for &id in objects.iter() {
                    if let Some(container) = state.container_mut(id) {
                        container.keep(value.clone());
                    }
                }
            }
            _ => self.give_away(state, &value),
        }
    }

    fn put(&mut self, state: &mut State, id: ObjectId, key: Symbol, value: Value) {
        self.forget_plain_elements(state, id);
        if state.container(id).is_some_and(|container| container.escaped) {
            self.give_away(state, &value);
        }
        let Some(container) = state.container(id) else { return };
        let slot = match self.program.symbols.constant_of(key) {
            Some(Constant::Int(n)) if container.kind != ContainerKind::Dict => {
                let count = container.entries.len() as i64;
                u32::try_from(if *n < 0 { count + n } else { *n }).ok().map(Slot::Position)
            }
            _ if key == Symbol::UNKNOWN => None,
            _ => Some(Slot::Key(key)),
        };
        let name = self.program.written(self.id, key).map(|key| format!("[{key}]"));
        let how = if self.is_handle(state, &value) { Loss::Renewed } else { Loss::Rebound };
        let Some(container) = state.container_mut(id) else { return };
        container.filled = Some(true);
        match slot {
            Some(slot) => match container.entries.iter_mut().find(|(known, _)| *known == slot) {
                Some((_, held)) => {
                    *held = value;
                    self.settle(state, how, name);
                }
                None => container.entries.push((slot, value)),
            },
            None => container.keep(value),
        }
    }

    /// `del of[key]`.
    pub(crate) fn drop_element(&mut self, state: &mut State, of: &Value, key: &Key) {
        if let (Value::Object(id), Key::Range(None, None)) = (of, key)
            && state.container(*id).is_some()
        {
            self.container_method(state, *id, Meaning::Clear, &[]);
            return;
        }
        let key = self.key_symbol(state, key);
        match of {
            Value::Symbol(symbol) => {
                self.look_into(*symbol);
                let place = self.program.symbols.element(*symbol, key);
                state.memory.remove(&place);
                self.settle(state, Loss::Deleted, self.place_name(place));
            }
            Value::Object(id) => {
                self.remove_key(state, *id, key);
                self.settle(state, Loss::Deleted, None);
            }
            _ => {}
        }
    }

    /// Removes the element under a key; one that is not known may have been any.
    fn remove_key(&mut self, state: &mut State, id: ObjectId, key: Symbol) {
        let slot = match self.program.symbols.constant_of(key) {
            Some(Constant::Int(_)) => None,
            _ => Some(Slot::Key(key)),
        };
        let Some(container) = state.container_mut(id) else { return };
        match container.entries.iter().position(|(known, _)| Some(*known) == slot) {
            Some(index) => {
                container.entries.remove(index);
                container.filled = if container.entries.is_empty() && container.rest.is_empty() {
                    Some(false)
                } else {
                    None
                };
            }
            None => {
                container.loosen();
                container.filled = None;
            }
        }
    }

    /// `a, *b, c = from`.
    pub(crate) fn unpack(&mut self, state: &mut State, to: &[Local], star: Option<usize>, from: &Value) {
        let parts = self.parts_of(state, to.len(), star, from);
        for (index, (&local, part)) in to.iter().zip(parts).enumerate() {
            let part = self.assigned(state, local, part, 40 + index as u32);
            self.bind(state, local, part);
        }
    }

    fn parts_of(&mut self, state: &mut State, count: usize, star: Option<usize>, from: &Value) -> Vec<Value> {
        match from {
            Value::Symbol(symbol) => {
                self.look_into(*symbol);
                (0..count).map(|index| self.part_of_symbol(state, *symbol, index, star)).collect()
            }
            Value::Object(id) if state.container(*id).is_some() => {
                self.parts_of_container(state, *id, count, star)
            }
            Value::Object(_) => {
                self.handle_as_list(state, from);
                vec![Value::UNKNOWN; count]
            }
            Value::Each(objects) | Value::Perhaps(objects) => {
                let objects = objects.clone();
                let each = matches!(from, Value::Each(_));
                (0..count).map(|index| part_of_many(state, &objects, index, count, each)).collect()
            }
            Value::Part(..) | Value::Method(_) | Value::Test(_) | Value::Length(_) | Value::Function(_) => {
                vec![Value::UNKNOWN; count]
            }
        }
    }

    fn part_of_symbol(&mut self, state: &mut State, of: Symbol, index: usize, star: Option<usize>) -> Value {
        if star.is_some() || of == Symbol::UNKNOWN {
            return Value::Symbol(self.fresh(state, 20 + index as u32));
        }
        let key = self.program.symbols.constant(&Constant::Int(index as i64));
        self.element_of_symbol(state, of, key)
    }

    fn parts_of_container(
        &mut self,
        state: &mut State,
        id: ObjectId,
        count: usize,
        star: Option<usize>,
    ) -> Vec<Value> {
        let Some(container) = state.container(id).cloned() else { return vec![Value::UNKNOWN; count] };
        let objects = direct_objects(&container);
        match star {
            None if container.is_exact() && container.entries.len() == count => {
                container.entries.into_iter().map(|(_, value)| value).collect()
            }
            None => vec![Value::each(objects); count],
            Some(star) => {
                let mut rest = Container { partly: None, slice: true, ..container.clone() };
                rest.loosen();
                rest.filled = None;
                let rest = Value::Object(state.make(self.site(star as u32), Object::Container(rest)));
                (0..count)
                    .map(|index| if index == star { rest.clone() } else { Value::each(objects.clone()) })
                    .collect()
            }
        }
    }

    /// Adds one element.
    pub(crate) fn push(&mut self, state: &mut State, container: &Value, value: Value) {
        match container {
            Value::Object(id) => self.push_into(state, *id, value),
            Value::Each(objects) => {
                for &id in objects.iter() {
                    self.push_into(state, id, value.clone());
                }
            }
            Value::Symbol(symbol) => {
                if value.symbol().is_none() {
                    self.note_element(state, *symbol, &value);
                    state.affect(Effect::Push(*symbol, value.clone()));
                }
                self.give_away(state, &value);
            }
            _ => self.give_away(state, &value),
        }
    }

    /// A container of this function changes: what lies under its keys may be something else.
    fn forget_plain_elements(&mut self, state: &mut State, id: ObjectId) {
        if let Some(base) = self.program.symbols.known(&Term::Result(id.site))
            && self.looked_up.contains(&base)
        {
            state.forget_symbol(&mut self.program.symbols, base);
        }
    }

    fn push_into(&mut self, state: &mut State, id: ObjectId, value: Value) {
        self.forget_plain_elements(state, id);
        if state.container(id).is_some_and(|container| container.escaped) {
            self.give_away(state, &value);
        }
        let in_loop = self.here.in_loop;
        let Some(container) = state.container_mut(id) else { return };
        if container.is_exact() && container.made_in == in_loop && container.entries.len() < LONGEST {
            let slot = Slot::Position(container.entries.len() as u32);
            container.entries.push((slot, value));
            container.filled = Some(true);
        } else {
            // In another turn the element is another one; that all of them come from one place stays true.
            let value = match value.symbol().and_then(|item| self.program.symbols.list_behind(item)) {
                Some(list) => Value::Symbol(self.program.symbols.each_of(list)),
                None => value,
            };
            let Some(container) = state.container_mut(id) else { return };
            container.loosen();
            container.keep(value);
        }
    }

    /// Adds the elements of a value.
    pub(crate) fn extend(&mut self, state: &mut State, container: &Value, value: &Value) {
        match container {
            Value::Object(id) => {
                let Some(mut mine) = state.container(*id).cloned() else { return };
                if mine.escaped {
                    self.give_away(state, value);
                }
                self.spread(state, &mut mine, value);
                if let Some(container) = state.container_mut(*id) {
                    *container = mine;
                }
            }
            Value::Symbol(symbol) => {
                if let Value::Object(id) = value
                    && let Some(inner) = state.container(*id)
                {
                    let elements = Value::each(direct_objects(inner));
                    if elements.symbol().is_none() {
                        self.note_element(state, *symbol, &elements);
                        state.affect(Effect::Push(*symbol, elements));
                    }
                }
                self.give_away(state, value);
            }
            _ => self.give_away(state, value),
        }
    }

    /// Removes one element and gives it.
    pub(crate) fn take(&mut self, state: &mut State, container: &Value) -> Value {
        match container {
            Value::Object(id) if state.container(*id).is_some() => self.take_from(state, *id),
            Value::Symbol(symbol) => {
                self.look_into(*symbol);
                Value::Symbol(self.program.symbols.element(*symbol, Symbol::UNKNOWN))
            }
            _ => Value::UNKNOWN,
        }
    }

    fn take_from(&mut self, state: &mut State, id: ObjectId) -> Value {
        self.look_into_container(id);
        let drains = self.drains(state, id);
        let Some(container) = state.container_mut(id) else { return Value::UNKNOWN };
        if container.is_exact()
            && container.entries.len() == 1
            && let Some((_, value)) = container.entries.pop()
        {
            container.filled = Some(false);
            return value;
        }
        let objects = direct_objects(container);
        if objects.is_empty() {
            container.loosen();
            container.filled = None;
            return Value::UNKNOWN;
        }
        if drains {
            container.loosen();
            container.filled = None;
            self.note_by_number(state, &objects);
            return Value::each(objects);
        }
        let handles_only = objects.iter().all(|&object| state.handle(object).is_some());
        if handles_only { Value::Part(id, Selection::Taken) } else { Value::each(objects) }
    }

    /// A method of the language's containers.
    pub(crate) fn container_method(
        &mut self,
        state: &mut State,
        id: ObjectId,
        meaning: Meaning,
        arguments: &[Bound],
    ) -> Value {
        let this = Value::Object(id);
        match meaning {
            Meaning::Push | Meaning::Extend | Meaning::Get | Meaning::Measure => {}
            Meaning::Take
            | Meaning::TakeKey
            | Meaning::SetDefault
            | Meaning::Remove
            | Meaning::Clear
            | Meaning::Elements
            | Meaning::Pairs
            | Meaning::Reorder => self.forget_plain_elements(state, id),
        }
        let argument = |index: usize| arguments.get(index).map(|bound| bound.value.clone());
        match meaning {
            Meaning::Push => {
                let mut values = arguments.iter().rev().filter(|bound| bound.passing != Passing::Spread);
                if let Some(last) = values.next() {
                    self.push(state, &this, last.value.clone());
                }
                Value::NONE
            }
            Meaning::Extend => {
                for bound in arguments {
                    self.extend(state, &this, &bound.value.clone());
                }
                Value::NONE
            }
            Meaning::Take => {
                let taken = self.take(state, &this);
                if state.container(id).is_some_and(|container| container.kind == ContainerKind::Dict) {
                    self.pair_with_key(state, taken)
                } else {
                    taken
                }
            }
            Meaning::TakeKey => {
                let key = argument(0).and_then(|value| value.symbol()).unwrap_or(Symbol::UNKNOWN);
                self.take_key(state, id, key)
            }
            Meaning::Get => {
                let key = argument(0).and_then(|value| value.symbol()).unwrap_or(Symbol::UNKNOWN);
                self.element_at(state, id, key, By::Variable)
            }
            Meaning::SetDefault => self.set_default(state, id, argument(0), argument(1)),
            Meaning::Remove => {
                if let Some(container) = state.container_mut(id) {
                    container.loosen();
                    container.filled = None;
                }
                Value::NONE
            }
            Meaning::Clear => {
                if let Some(container) = state.container_mut(id) {
                    container.entries.clear();
                    container.rest.clear();
                    container.filled = Some(false);
                }
                self.settle(state, Loss::ContainerGone, None);
                Value::NONE
            }
            Meaning::Elements => self.copied(state, id),
            Meaning::Pairs => self.pairs(state, id),
            Meaning::Measure => Value::UNKNOWN,
            Meaning::Reorder => {
                if let Some(container) = state.container_mut(id) {
                    container.loosen();
                }
                Value::NONE
            }
        }
    }

    /// `popitem()` gives the key too.
    fn pair_with_key(&mut self, state: &mut State, value: Value) -> Value {
        let key = Value::Symbol(self.fresh(state, 2));
        let mut pair = Container::new(ContainerKind::Tuple, self.here.in_loop);
        pair.entries = vec![(Slot::Position(0), key), (Slot::Position(1), value)];
        pair.filled = Some(true);
        Value::Object(state.make(self.site(1), Object::Container(pair)))
    }

    fn take_key(&mut self, state: &mut State, id: ObjectId, key: Symbol) -> Value {
        let Some(container) = state.container(id) else { return Value::UNKNOWN };
        let is_position = matches!(self.program.symbols.constant_of(key), Some(Constant::Int(_)));
        if is_position && container.kind != ContainerKind::Dict {
            return self.take_from(state, id);
        }
        match self.known_element(container, key) {
            Some(value) => {
                self.remove_key(state, id, key);
                value
            }
            None => self.element_at(state, id, Symbol::UNKNOWN, By::Variable),
        }
    }

    fn set_default(
        &mut self,
        state: &mut State,
        id: ObjectId,
        key: Option<Value>,
        default: Option<Value>,
    ) -> Value {
        let key = key.and_then(|value| value.symbol()).unwrap_or(Symbol::UNKNOWN);
        let Some(container) = state.container(id) else { return Value::UNKNOWN };
        if let Some(value) = self.known_element(container, key) {
            return value;
        }
        let default = default.unwrap_or(Value::NONE);
        let mut objects = direct_objects(container);
        objects.extend(match &default {
            Value::Object(object) => Some(*object),
            _ => None,
        });
        self.put(state, id, Symbol::UNKNOWN, default);
        Value::each(objects)
    }

    /// A new container with the same elements.
    pub(crate) fn copied(&mut self, state: &mut State, id: ObjectId) -> Value {
        let Some(container) = state.container(id).cloned() else { return Value::UNKNOWN };
        let mut copy = Container { partly: None, made_in: self.here.in_loop, ..container };
        if copy.kind == ContainerKind::Dict {
            copy.loosen();
            copy.kind = ContainerKind::List;
        }
        Value::Object(state.make(self.site(0), Object::Container(copy)))
    }

    fn pairs(&mut self, state: &mut State, id: ObjectId) -> Value {
        let Some(container) = state.container(id).cloned() else { return Value::UNKNOWN };
        let element = match direct_objects(&container) {
            objects if objects.is_empty() => Value::Symbol(self.fresh(state, 3)),
            objects => Value::each(objects),
        };
        let key = Value::Symbol(self.fresh(state, 2));
        self.list_of_tuples(state, vec![key, element], container.filled, container.like)
    }

    /// A list of any number of tuples that all look like one.
    pub(crate) fn list_of_tuples(
        &mut self,
        state: &mut State,
        parts: Vec<Value>,
        filled: Option<bool>,
        like: Option<Symbol>,
    ) -> Value {
        let mut tuple = Container::new(ContainerKind::Tuple, self.here.in_loop);
        tuple.entries =
            parts.into_iter().enumerate().map(|(n, part)| (Slot::Position(n as u32), part)).collect();
        tuple.filled = Some(true);
        let tuple = state.make(self.site(1), Object::Container(tuple));
        let mut list = Container::new(ContainerKind::List, self.here.in_loop);
        list.keep(Value::Object(tuple));
        list.filled = filled;
        list.like = like;
        Value::Object(state.make(self.site(0), Object::Container(list)))
    }
}

fn part_of_many(state: &State, objects: &[ObjectId], index: usize, count: usize, each: bool) -> Value {
    let mut inner = Vec::new();
    let mut plain = Vec::new();
    for &id in objects {
        let Some(container) = state.container(id) else { continue };
        if container.is_exact() && container.entries.len() == count {
            match &container.entries[index].1 {
                Value::Symbol(symbol) => plain.push(*symbol),
                value => inner.extend(value.objects()),
            }
        } else {
            inner.extend(direct_objects(container));
        }
    }
    match (inner.is_empty(), plain.as_slice()) {
        (true, [one]) => Value::Symbol(*one),
        (true, _) => Value::UNKNOWN,
        (false, _) if each => Value::each(inner),
        (false, _) => Value::perhaps(inner),
    }
}
