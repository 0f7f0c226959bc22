//! The state of one path: what the variables hold, the objects, and what the branches have told.
//!
//! ```text
//! h = None                     h: None
//! if ctx.overlap:
//!     h = isend(x)             h: #1                 #1 pending      ctx.overlap
//! work()                       two states, because #1 is pending in one of them
//! if ctx.overlap:
//!     h.wait()                 h: #1                 #1 finished     ctx.overlap
//! ```
//!
//! Two states that meet at a block are one where they hold the same objects in the same condition: then only the facts that
//! both know are kept. Branches that have nothing to do with handles therefore cost nothing.
//!
//! The law of this module is that of reference counting: an object exists as long as a variable, a place in memory, or another
//! object that exists refers to it. What stops existing while it is pending is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::event::Step;
use super::facts::Facts;
use super::flight::in_flight_on_both;
use super::rebinding::Rebinding;
use super::symbol::{Site, Symbol, Symbols, Term};
use super::value::{Age, Container, Handle, Manager, Object, ObjectId, Position, Slot, Status, Value};
use super::variables::Variables;
use crate::ir::{Access, BlockId, Local, Which};
use crate::source::Span;

/// The state of one path at one point.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// What the variables hold.
    pub(crate) locals: Variables,
    /// What places that others can see hold: fields and elements of symbols, names of the file's top level.
    pub(crate) memory: BTreeMap<Symbol, Value>,
    /// The objects.
    pub(crate) heap: BTreeMap<ObjectId, Object>,
    /// What the branches have told.
    pub(crate) facts: Facts,
    /// What they have told of things that have changed since: it still says which way was taken.
    pub(crate) outdated: Facts,
    /// What was done to things that belong to the caller, in order.
    pub(crate) effects: Vec<Effect>,
    /// What the operation that is being executed still holds.
    pub(crate) pinned: Vec<Value>,
    /// What was touched of what belongs to the caller, in order.
    pub(crate) touches: Arc<[Touched]>,
    /// Names of receive buffers that were bound to something else.
    pub(crate) rebindings: Vec<Rebinding>,
    /// How many managers that coalesce operations are open.
    pub(crate) coalescing: u8,
    /// How many managers that expect an error are open.
    pub(crate) expecting: u8,
    /// Variables that a closure which is out of sight shares.
    pub(crate) shared: BTreeSet<Local>,
    /// The last decisions on the way here.
    pub(crate) path: Arc<Vec<Decision>>,
}

/// Something done to what belongs to the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Handles are finished.
    Finish(Symbol, Which),
    /// An element is added to a container.
    Push(Symbol, Value),
    /// Operations are launched.
    Launch(Symbol),
    /// Somebody unknown gets hold of it.
    Escape(Symbol),
}

/// Data of the caller that is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touched {
    pub(crate) region: Symbol,
    pub(crate) access: Access,
    pub(crate) at: Span,
    /// How many effects come before it.
    pub(crate) after: usize,
}

impl Effect {
    pub(crate) fn target(&self) -> Symbol {
        match self {
            Self::Finish(target, _) | Self::Push(target, _) | Self::Launch(target) | Self::Escape(target) => {
                *target
            }
        }
    }

    fn retarget(&mut self, to: Symbol) {
        match self {
            Self::Finish(target, _) | Self::Push(target, _) | Self::Launch(target) | Self::Escape(target) => {
                *target = to
            }
        }
    }
}

/// A decision on the way, and the condition that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) step: Step,
    pub(crate) condition: Symbol,
}

/// How many different symbols the elements of a container are told apart by.
const PLAIN_KINDS: usize = 3;

/// How many decisions a state remembers.
const REMEMBERED: usize = 16;

impl State {
    /// What a local holds.
    pub(crate) fn local(&self, local: Local) -> Value {
        self.locals.get(local).unwrap_or(Value::UNKNOWN)
    }

    pub(crate) fn handle(&self, id: ObjectId) -> Option<&Handle> {
        match self.heap.get(&id)? {
            Object::Handle(handle) => Some(handle),
            _ => None,
        }
    }

    pub(crate) fn handle_mut(&mut self, id: ObjectId) -> Option<&mut Handle> {
        match self.heap.get_mut(&id)? {
            Object::Handle(handle) => Some(handle),
            _ => None,
        }
    }

    pub(crate) fn container(&self, id: ObjectId) -> Option<&Container> {
        match self.heap.get(&id)? {
            Object::Container(container) => Some(container),
            _ => None,
        }
    }

    pub(crate) fn container_mut(&mut self, id: ObjectId) -> Option<&mut Container> {
        match self.heap.get_mut(&id)? {
            Object::Container(container) => Some(container),
            _ => None,
        }
    }

    /// Remembers a decision.
    pub(crate) fn decide(&mut self, step: Step, condition: Symbol) {
        if self.path.last().is_some_and(|last| last.step == step) {
            return;
        }
        let mut path = Vec::with_capacity(REMEMBERED);
        path.extend_from_slice(&self.path[self.path.len().saturating_sub(REMEMBERED - 1)..]);
        path.push(Decision { step, condition });
        self.path = Arc::new(path);
    }

    pub(crate) fn affect(&mut self, effect: Effect) {
        if effect.target() != Symbol::UNKNOWN && !self.effects.contains(&effect) {
            self.effects.push(effect);
        }
    }

    /// All objects reachable from `from`.
    pub(crate) fn reach(&self, from: &[&Value]) -> BTreeSet<ObjectId> {
        let mut stack = Vec::new();
        from.iter().for_each(|value| value.visit(&mut |object| stack.push(object)));
        self.close(stack)
    }

    fn close(&self, mut stack: Vec<ObjectId>) -> BTreeSet<ObjectId> {
        let mut seen = BTreeSet::new();
        while let Some(id) = stack.pop() {
            if seen.insert(id)
                && let Some(object) = self.heap.get(&id)
            {
                object.visit(&mut |inner| stack.push(inner));
            }
        }
        seen
    }

    /// Every value that keeps objects alive.
    fn roots(&self) -> impl Iterator<Item = &Value> {
        let pushed = self.effects.iter().filter_map(|effect| match effect {
            Effect::Push(_, value) => Some(value),
            Effect::Finish(..) | Effect::Launch(_) | Effect::Escape(_) => None,
        });
        self.locals.held().values().chain(self.memory.values()).chain(pushed).chain(&self.pinned)
    }

    /// Takes the objects out of the heap that nothing refers to any more.
    pub(crate) fn collect_unreachable(&mut self) -> BTreeMap<ObjectId, Object> {
        if self.heap.is_empty() {
            return BTreeMap::new();
        }
        let mut stack = Vec::new();
        self.roots().for_each(|value| value.visit(&mut |object| stack.push(object)));
        let alive = self.close(stack);
        if alive.len() == self.heap.len() {
            return BTreeMap::new();
        }
        let (alive, gone) =
            std::mem::take(&mut self.heap).into_iter().partition(|(id, _)| alive.contains(id));
        self.heap = alive;
        gone
    }

    /// Puts a new object on the heap as the newest of its site.
    pub(crate) fn make(&mut self, site: Site, mut object: Object) -> ObjectId {
        let newest = ObjectId { site, age: Age::Newest };
        if self.heap.contains_key(&newest) {
            self.rebindings.retain(|rebinding| rebinding.handle.site != site);
            let to = self.age(site);
            // What the new object holds is the one that was the newest until now.
            object.rename(&|id| if id == newest { to } else { id });
        }
        self.heap.insert(newest, object);
        newest
    }

    /// Makes room for a new newest object of a site: the newest becomes the one before, or, where it is just one of the many
    /// in some container, one of the older ones.
    fn age(&mut self, site: Site) -> ObjectId {
        let [newest, previous, older] =
            [Age::Newest, Age::Previous, Age::Older].map(|age| ObjectId { site, age });
        if self.heap.contains_key(&previous) {
            self.fold(previous, older);
        }
        let to = if self.is_held_apart(newest) { previous } else { older };
        self.fold(newest, to);
        to
    }

    /// Whether an object can be told from others: something refers to it without going through a container's unordered rest.
    fn is_held_apart(&self, id: ObjectId) -> bool {
        let mut stack = Vec::new();
        self.roots().for_each(|value| value.visit(&mut |object| stack.push(object)));
        let mut seen = BTreeSet::new();
        while let Some(next) = stack.pop() {
            if next == id {
                return true;
            }
            if !seen.insert(next) {
                continue;
            }
            match self.heap.get(&next) {
                Some(Object::Container(container)) => {
                    container
                        .entries
                        .iter()
                        .for_each(|(_, value)| value.visit(&mut |inner| stack.push(inner)));
                }
                Some(object) => object.visit(&mut |inner| stack.push(inner)),
                None => {}
            }
        }
        false
    }

    /// Makes `from` part of `to`.
    fn fold(&mut self, from: ObjectId, to: ObjectId) {
        let Some(mut object) = self.heap.remove(&from) else { return };
        self.rename(&|id| if id == from { to } else { id });
        object.rename(&|id| if id == from { to } else { id });
        if to.age == Age::Older {
            make_many(&mut object);
        }
        let joined = match self.heap.remove(&to) {
            Some(existing) => join_objects(existing, object),
            None => object,
        };
        self.heap.insert(to, joined);
    }

    fn rename(&mut self, rename: &dyn Fn(ObjectId) -> ObjectId) {
        let values = self.locals.held_mut().chain(self.memory.values_mut()).chain(&mut self.pinned);
        values.for_each(|value| *value = value.renamed(rename));
        for effect in &mut self.effects {
            if let Effect::Push(_, value) = effect {
                *value = value.renamed(rename);
            }
        }
        self.heap.values_mut().for_each(|object| object.rename(rename));
    }

    /// Replaces every reference to an object by `None`: a test has told that it does not exist.
    pub(crate) fn vanish(&mut self, id: ObjectId) {
        self.heap.remove(&id);
        let values = self.locals.held_mut().chain(self.memory.values_mut());
        values.for_each(|value| *value = value.without(id));
        self.locals.tidy();
        for object in self.heap.values_mut() {
            if let Object::Container(container) = object {
                container.entries.iter_mut().for_each(|(_, value)| *value = value.without(id));
                container.rest.retain(|value| *value != Value::Object(id));
                container.rest.iter_mut().for_each(|value| *value = value.without(id));
            }
        }
    }

    /// Gives everything reachable from a value to somebody unknown.
    pub(crate) fn escape(&mut self, value: &Value) {
        for id in self.reach(&[value]) {
            match self.heap.get_mut(&id) {
                Some(Object::Handle(handle)) => handle.escaped = true,
                Some(Object::Container(container)) => {
                    container.escaped = true;
                    if container.filled != Some(true) {
                        // Whoever has it may fill it.
                        container.keep(Value::UNKNOWN);
                        container.filled = None;
                    }
                }
                Some(Object::Operation(operation)) => operation.escaped = true,
                Some(Object::Coroutine(..)) => {
                    // Whoever got it may await it.
                    self.heap.remove(&id);
                }
                Some(Object::Manager(Manager::Owner(owner))) => owner.escaped = true,
                Some(Object::Partial(_) | Object::Lazy(..) | Object::Iterator(..) | Object::Manager(_))
                | None => {}
            }
        }
    }

    /// An exception may have come from a wait for any of the pending handles.
    pub(crate) fn mark_raised(&mut self, handler: Option<Span>) {
        for object in self.heap.values_mut() {
            if let Object::Handle(handle) = object
                && handle.status == Status::Pending
            {
                handle.raised = handler;
            }
        }
    }

    /// Gives away what is kept in places that belong to a symbol.
    pub(crate) fn escape_memory_of(&mut self, symbols: &Symbols, owner: Symbol) {
        let places: Vec<Value> = self
            .memory
            .iter()
            .filter(|(place, _)| **place != owner && symbols.mentions(**place, owner))
            .map(|(_, value)| value.clone())
            .collect();
        places.iter().for_each(|value| self.escape(value));
    }

    /// What a symbol stands for changes: what is known of it was so, and is so no more.
    pub(crate) fn outdate(&mut self, symbols: &Symbols, symbol: Symbol) {
        self.outdated.take_over(&self.facts, &|known| symbols.mentions(known, symbol));
        self.facts.forget(&|known| symbols.mentions(known, symbol));
    }

    /// Forgets everything about a symbol that is about to mean something else.
    pub(crate) fn forget_symbol(&mut self, symbols: &mut Symbols, symbol: Symbol) {
        self.facts.forget(&|known| symbols.mentions(known, symbol));
        self.outdated.forget(&|known| symbols.mentions(known, symbol));
        self.locals.forget_symbol(symbols, symbol);
        self.forget_places(symbols, symbol);
        self.forget_in_flight(symbols, symbol);
        self.forget_touches(symbols, symbol);
        for effect in &mut self.effects {
            let target = effect.target();
            if symbols.mentions(target, symbol) {
                let gone = symbols.term(symbol).clone();
                let target = symbols.rebuild(target, &mut |term| (*term == gone).then_some(Symbol::UNKNOWN));
                effect.retarget(target);
            }
        }
        self.effects.retain(|effect| effect.target() != Symbol::UNKNOWN);
    }

    fn forget_touches(&mut self, symbols: &Symbols, symbol: Symbol) {
        if self.touches.iter().any(|touch| symbols.mentions(touch.region, symbol)) {
            let kept = self.touches.iter().filter(|touch| !symbols.mentions(touch.region, symbol));
            self.touches = kept.copied().collect();
        }
    }

    fn forget_places(&mut self, symbols: &Symbols, symbol: Symbol) {
        let gone: Vec<Symbol> =
            self.memory.keys().copied().filter(|&place| symbols.mentions(place, symbol)).collect();
        for place in gone {
            if let Some(value) = self.memory.remove(&place) {
                self.escape(&value);
            }
        }
        for value in self.memory.values_mut() {
            if value.symbol().is_some_and(|held| symbols.mentions(held, symbol)) {
                *value = Value::UNKNOWN;
            }
        }
        for object in self.heap.values_mut() {
            if let Object::Container(container) = object {
                forget_in_container(container, symbols, symbol);
            }
        }
    }

    /// Whether two states can be one: they hold the same objects in the same condition.
    ///
    /// What is finished, or belongs to somebody else, can no longer be lost here and makes no difference.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        self.coalescing == other.coalescing
            && self.expecting == other.expecting
            && self.shared == other.shared
            && self.matters_alike(other, self.locals.held(), other.locals.held())
            && self.matters_alike(other, &self.memory, &other.memory)
            && self.heap_alike(other)
            && alike_effects(&self.effects, &other.effects)
            && self.rebindings == other.rebindings
    }

    /// Whether the places that hold something which matters hold the same.
    fn matters_alike<K: Ord>(
        &self,
        other: &Self,
        mine: &BTreeMap<K, Value>,
        theirs: &BTreeMap<K, Value>,
    ) -> bool {
        let covered = |x: &BTreeMap<K, Value>, of: &Self, y: &BTreeMap<K, Value>, other: &Self| {
            x.iter().all(|(key, value)| match y.get(key) {
                Some(same) if same == value => true,
                Some(differs) => !of.matters(value) && !other.matters(differs),
                None => !of.matters(value),
            })
        };
        covered(mine, self, theirs, other) && covered(theirs, other, mine, self)
    }

    fn heap_alike(&self, other: &Self) -> bool {
        let covered = |mine: &Self, theirs: &Self| {
            mine.heap.iter().all(|(id, object)| match theirs.heap.get(id) {
                Some(same) => alike_objects(mine, object, theirs, same),
                None => !object_matters(object),
            })
        };
        covered(self, other) && covered(other, self)
    }

    /// Whether a value refers to something that can still be lost.
    fn matters(&self, value: &Value) -> bool {
        match value {
            Value::Symbol(_) => false,
            Value::Test(_) | Value::Length(_) | Value::Function(_) => true,
            _ => value.objects().iter().any(|id| self.heap.get(id).is_some_and(object_matters)),
        }
    }

    /// Makes one state of two that are alike; tells whether that is less than `self` said.
    pub(crate) fn merge(&mut self, symbols: &mut Symbols, mut other: Self, at: BlockId) -> bool {
        let mut changed = self.renew_merged(symbols, &mut other, at);
        changed |=
            self.facts.intersect(symbols, &other.facts) | self.outdated.intersect(symbols, &other.outdated);
        let differing = self.memory.iter().filter(|(place, value)| other.memory.get(place) != Some(value));
        let gone: Vec<Symbol> = differing.map(|(&place, _)| place).collect();
        for place in gone {
            changed = true;
            self.memory.remove(&place);
        }
        for (id, object) in &mut self.heap {
            match (object, other.heap.get(id)) {
                (Object::Container(mine), Some(Object::Container(theirs))) => {
                    changed |= merge_plain(mine, theirs)
                }
                (Object::Handle(mine), Some(Object::Handle(theirs))) if mine != theirs => {
                    changed |= !mine.escaped && theirs.escaped;
                    mine.escaped |= theirs.escaped;
                    mine.polled = mine.polled.or(theirs.polled);
                    let both = in_flight_on_both(&mine.buffers, &theirs.buffers);
                    changed |= both.len() < mine.buffers.len();
                    mine.buffers = both;
                }
                _ => {}
            }
        }
        self.touches = touched_on_both(&self.touches, &other.touches);
        self.rebindings.retain(|rebinding| other.rebindings.contains(rebinding));
        for effect in other.effects {
            if matches!(effect, Effect::Escape(_)) {
                self.affect(effect);
            }
        }
        self.collect_unreachable();
        changed
    }

    /// Gives a merged symbol to every variable that holds different symbols in the two states; tells whether one of them held
    /// something more certain until now.
    fn renew_merged(&mut self, symbols: &mut Symbols, other: &mut Self, at: BlockId) -> bool {
        let mut changed = false;
        for local in self.locals.differing(&other.locals) {
            let merged = symbols.intern(Term::Merged(at, local.0));
            if self.locals.get(local) != Some(Value::Symbol(merged)) {
                self.forget_symbol(symbols, merged);
                changed = true;
            }
            other.forget_symbol(symbols, merged);
            self.locals.bind(local, Value::Symbol(merged));
            other.locals.bind(local, Value::Symbol(merged));
        }
        changed
    }

    /// Joins a state that is not alike: afterwards only what holds on both is certain.
    pub(crate) fn weaken(&mut self, symbols: &mut Symbols, other: Self, at: BlockId) {
        self.facts.intersect(symbols, &other.facts);
        self.outdated.intersect(symbols, &other.outdated);
        let mut locals = self.locals.differing(&other.locals);
        locals.extend(other.locals.differing(&self.locals));
        for local in locals {
            let joined = match (self.locals.get(local), other.locals.get(local)) {
                (Some(a), Some(b)) => join_values(symbols, &a, &b, at, local),
                (Some(one), None) | (None, Some(one)) => Value::perhaps(one.objects()),
                (None, None) => Value::UNKNOWN,
            };
            self.locals.bind(local, joined);
        }
        for (place, value) in &other.memory {
            let joined = match self.memory.get(place) {
                Some(mine) if mine == value => continue,
                Some(mine) => Value::perhaps([mine.objects(), value.objects()].concat()),
                None => Value::perhaps(value.objects()),
            };
            self.memory.insert(*place, joined);
        }
        for (place, value) in &mut self.memory {
            if !other.memory.contains_key(place) {
                *value = Value::perhaps(value.objects());
            }
        }
        self.weaken_heap(other.heap);
        for effect in other.effects {
            self.affect(effect);
        }
        self.touches = touched_on_both(&self.touches, &other.touches);
        self.rebindings.clear();
        self.shared.extend(other.shared);
        self.coalescing = self.coalescing.max(other.coalescing);
        self.expecting = self.expecting.max(other.expecting);
    }

    fn weaken_heap(&mut self, other: BTreeMap<ObjectId, Object>) {
        for (id, object) in &mut self.heap {
            if !other.contains_key(id) {
                make_uncertain(object);
            }
        }
        for (id, mut object) in other {
            let joined = match self.heap.remove(&id) {
                Some(mine) => join_objects(mine, object),
                None => {
                    make_uncertain(&mut object);
                    object
                }
            };
            self.heap.insert(id, joined);
        }
    }
}

fn join_values(symbols: &mut Symbols, a: &Value, b: &Value, at: BlockId, local: Local) -> Value {
    if a == b {
        return a.clone();
    }
    let objects = [a.objects(), b.objects()].concat();
    if objects.is_empty() {
        return Value::Symbol(symbols.intern(Term::Merged(at, local.0)));
    }
    Value::perhaps(objects)
}

/// What was touched on both of two ways.
pub(crate) fn touched_on_both(mine: &Arc<[Touched]>, theirs: &Arc<[Touched]>) -> Arc<[Touched]> {
    if mine == theirs {
        return mine.clone();
    }
    let same = |touch: &Touched| {
        theirs.iter().any(|other| other.region == touch.region && other.access == touch.access)
    };
    mine.iter().filter(|touch| same(touch)).copied().collect()
}

fn alike_effects(a: &[Effect], b: &[Effect]) -> bool {
    let significant = |effect: &&Effect| !matches!(effect, Effect::Escape(_));
    a.iter().filter(significant).eq(b.iter().filter(significant))
}

fn alike_objects(of: &State, a: &Object, other: &State, b: &Object) -> bool {
    if !object_matters(a) && !object_matters(b) {
        return true;
    }
    match (a, b) {
        (Object::Container(x), Object::Container(y)) => alike_containers(of, x, other, y),
        (Object::Handle(x), Object::Handle(y)) => {
            x.status == y.status
                && x.escaped == y.escaped
                && x.many == y.many
                && x.certain == y.certain
                && x.raised == y.raised
                && x.guarded == y.guarded
        }
        _ => a == b,
    }
}

/// Whether an object can still be lost, or decides what happens next.
fn object_matters(object: &Object) -> bool {
    match object {
        Object::Handle(handle) => handle.status != Status::Finished && !handle.escaped,
        Object::Operation(operation) => operation.launched != Status::Finished && !operation.escaped,
        Object::Container(container) => !container.escaped,
        Object::Partial(_)
        | Object::Lazy(..)
        | Object::Iterator(..)
        | Object::Manager(_)
        | Object::Coroutine(..) => true,
    }
}

fn alike_containers(of: &State, a: &Container, other: &State, b: &Container) -> bool {
    if a.kind == b.kind && a.escaped == b.escaped && a.is_plain() && b.is_plain() {
        return true;
    }
    let followed = |state: &State, container: &Container| {
        container.rest.iter().filter(|value| state.matters(value)).cloned().collect::<Vec<_>>()
    };
    let alike = |x: &Value, y: &Value| x == y || (!of.matters(x) && !other.matters(y));
    a.kind == b.kind
        && a.filled == b.filled
        && a.escaped == b.escaped
        && a.launched == b.launched
        && a.partly == b.partly
        && a.entries.len() == b.entries.len()
        && a.entries.iter().zip(&b.entries).all(|((k, x), (l, y))| k == l && alike(x, y))
        && followed(of, a) == followed(other, b)
}

/// Takes over what two containers that are alike have in common; tells whether that is less.
fn merge_plain(mine: &mut Container, theirs: &Container) -> bool {
    if mine == theirs {
        return false;
    }
    if mine.filled != theirs.filled || mine.entries.len() != theirs.entries.len() {
        let before = mine.clone();
        let mut all = theirs.clone();
        all.loosen();
        mine.loosen();
        mine.filled = if mine.filled == theirs.filled { mine.filled } else { None };
        all.rest.retain(|value| !mine.rest.contains(value));
        mine.rest.extend(all.rest);
        mine.tidy();
        if mine.rest.len() > PLAIN_KINDS {
            mine.rest = vec![Value::UNKNOWN];
        }
        return *mine != before;
    }
    let mut changed = false;
    for ((_, a), (_, b)) in mine.entries.iter_mut().zip(&theirs.entries) {
        if a != b && *a != Value::UNKNOWN {
            *a = Value::UNKNOWN;
            changed = true;
        }
    }
    for value in &theirs.rest {
        if !mine.rest.contains(value) {
            mine.rest.retain(|value| value.symbol().is_none());
            mine.rest.push(Value::UNKNOWN);
            mine.rest.sort();
            mine.rest.dedup();
            changed = true;
        }
    }
    changed
}

fn forget_in_container(container: &mut Container, symbols: &Symbols, symbol: Symbol) {
    let gone = |slot: &Slot| matches!(slot, Slot::Key(key) if symbols.mentions(*key, symbol));
    let (moved, kept): (Vec<_>, Vec<_>) =
        std::mem::take(&mut container.entries).into_iter().partition(|(slot, _)| gone(slot));
    container.entries = kept;
    for (_, value) in moved {
        if !container.rest.contains(&value) {
            container.rest.push(value);
        }
    }
    for value in container.entries.iter_mut().map(|(_, value)| value).chain(&mut container.rest) {
        if value.symbol().is_some_and(|held| symbols.mentions(held, symbol)) {
            *value = Value::UNKNOWN;
        }
    }
    container.tidy();
}

/// The object as one that may stand for any number.
fn make_many(object: &mut Object) {
    match object {
        Object::Handle(handle) => handle.many = true,
        Object::Operation(operation) => operation.many = true,
        Object::Container(_)
        | Object::Partial(_)
        | Object::Lazy(..)
        | Object::Iterator(..)
        | Object::Manager(_)
        | Object::Coroutine(..) => {}
    }
}

/// The object as one that may not exist at all.
fn make_uncertain(object: &mut Object) {
    match object {
        Object::Handle(handle) => handle.status = handle.status.join(Status::Finished),
        Object::Operation(operation) => operation.launched = operation.launched.join(Status::Finished),
        Object::Container(container) => {
            container.loosen();
            container.filled = None;
        }
        Object::Partial(_)
        | Object::Lazy(..)
        | Object::Iterator(..)
        | Object::Manager(_)
        | Object::Coroutine(..) => {}
    }
}

/// One object that stands for both.
fn join_objects(a: Object, b: Object) -> Object {
    match (a, b) {
        (Object::Handle(a), Object::Handle(b)) => Object::Handle(join_handles(a, &b)),
        (Object::Operation(mut a), Object::Operation(b)) => {
            a.launched = a.launched.join(b.launched);
            a.escaped |= b.escaped;
            a.many |= b.many;
            a.buffers = in_flight_on_both(&a.buffers, &b.buffers);
            Object::Operation(a)
        }
        (Object::Container(a), Object::Container(b)) => Object::Container(join_containers(a, b)),
        (Object::Iterator(a, at), Object::Iterator(b, other)) => {
            // A loop that may have taken a turn tells nothing by its end.
            let position = if at == other { at } else { Position::Within };
            let over = if a == b { a } else { Value::perhaps([a.objects(), b.objects()].concat()) };
            Object::Iterator(over, position)
        }
        (a, _) => a,
    }
}

fn join_handles(mut a: Handle, b: &Handle) -> Handle {
    a.status = a.status.join(b.status);
    a.escaped |= b.escaped;
    a.many |= b.many;
    a.conditional = a.conditional.or(b.conditional);
    a.certain &= b.certain;
    a.launched &= b.launched;
    a.polled = a.polled.or(b.polled);
    a.finished = a.finished.or(b.finished);
    a.buffers = in_flight_on_both(&a.buffers, &b.buffers);
    a
}

fn join_containers(mut a: Container, mut b: Container) -> Container {
    let same_slots =
        a.entries.len() == b.entries.len() && a.entries.iter().zip(&b.entries).all(|(x, y)| x.0 == y.0);
    if same_slots {
        for ((_, x), (_, y)) in a.entries.iter_mut().zip(&b.entries) {
            if x != y {
                *x = Value::each([x.objects(), y.objects()].concat());
            }
        }
    } else {
        a.loosen();
        b.loosen();
        a.rest.extend(b.entries.into_iter().map(|(_, value)| value));
    }
    a.rest.extend(b.rest);
    a.tidy();
    a.filled = if a.filled == b.filled { a.filled } else { None };
    a.escaped |= b.escaped;
    a.launched &= b.launched;
    a.partly = a.partly.or(b.partly);
    a
}
