//! Summaries: what a function does for its callers, without its code.
//!
//! ```text
//! def start(x, async_op=False):
//!     out = torch.empty_like(x)
//!     work = dist.all_reduce(out, async_op=async_op)
//!     return out, work
//! ```
//!
//! has two **outcomes**: under `async_op` it gives a tuple with a pending handle, otherwise a tuple with `None`. An outcome
//! is a set of conditions on the parameters, what was done to things of the caller in order (**effects**), what was stored
//! where others see it, the result, and the objects that result and stores refer to. A call copies these objects into the
//! caller's state, so that a handle that came through three wrappers is as good as one from the library.
//!
//! Everything in a summary is written in terms of the callee's parameters. Nothing in it refers to source code but the
//! spans of the story.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::program::Type;
use super::state::{Effect, Touched, touched_on_both};
use super::symbol::{Site, Symbol, Symbols, Term};
use super::value::{Object, ObjectId, Value};

/// What a function does for its callers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// The ways in which it can end.
    pub(crate) outcomes: Vec<Outcome>,
    /// Containers of the caller of which it looks at elements.
    pub(crate) looks_into: Vec<Symbol>,
    /// Whether it starts or finishes anything.
    pub(crate) communicates: bool,
    /// Whether some result is something that no caller can recognise.
    pub(crate) computes: bool,
}

/// Conditions and whether they hold.
pub(crate) type Conditions = Vec<(Symbol, bool)>;

/// One way in which a function can end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// What holds of the parameters then.
    pub(crate) conditions: Conditions,
    /// What was done to things of the caller.
    pub(crate) effects: Vec<Effect>,
    /// What was touched of what the caller may have in flight, in order.
    pub(crate) touches: Arc<[Touched]>,
    /// What places that the caller can see hold.
    pub(crate) stores: Vec<(Symbol, Value)>,
    /// The result.
    pub(crate) result: Value,
    /// The types of what it makes: instances of classes of the file.
    pub(crate) types: Vec<(Symbol, Type)>,
    /// The objects that results, stores and effects refer to.
    pub(crate) heap: BTreeMap<ObjectId, Object>,
}

/// How many outcomes are kept apart.
const MOST: usize = 12;

impl Summary {
    /// Adds an outcome, as part of an earlier one where it does the same.
    pub(crate) fn add(&mut self, outcome: Outcome) {
        for known in &mut self.outcomes {
            if known.does_the_same(&outcome) {
                known.conditions.retain(|condition| outcome.conditions.contains(condition));
                if known.result != outcome.result {
                    known.result = Value::UNKNOWN;
                }
                known.forget_differing_stores(&outcome);
                known.touches = touched_on_both(&known.touches, &outcome.touches);
                return;
            }
        }
        self.outcomes.push(outcome);
    }

    /// A loop over the elements of a parameter goes through all of them.
    ///
    /// `for h in handles: finish(h)` has a way on which nothing is finished, because of conditions that no caller knows
    /// (`finish` does nothing for `None`). An outcome that could as well be another one which finishes elements does so too.
    pub(crate) fn trust_loops(&mut self, symbols: &Symbols) {
        let of_elements = |effect: &&Effect| {
            let inner = |term: &Term| matches!(term, Term::Item(_));
            matches!(effect, Effect::Finish(..)) && symbols.any_part(effect.target(), &inner)
        };
        let finishing: Vec<(Conditions, Vec<Effect>)> = self
            .outcomes
            .iter()
            .map(|outcome| {
                let effects: Vec<Effect> = outcome.effects.iter().filter(of_elements).cloned().collect();
                (outcome.conditions.clone(), effects)
            })
            .filter(|(_, effects)| !effects.is_empty())
            .collect();
        let keeping: Vec<(Conditions, Vec<Symbol>)> = self
            .outcomes
            .iter()
            .map(|outcome| (outcome.conditions.clone(), outcome.kept_elements(symbols)))
            .collect();
        for outcome in &mut self.outcomes {
            for (conditions, kept) in &keeping {
                if outcome.conditions.iter().all(|condition| conditions.contains(condition)) {
                    let mine = outcome.kept_elements(symbols);
                    let new = kept
                        .iter()
                        .filter(|symbol| !mine.contains(symbol))
                        .map(|&symbol| Effect::Escape(symbol));
                    outcome.effects.extend(new);
                }
            }
            for (conditions, effects) in &finishing {
                if outcome.conditions.iter().all(|condition| conditions.contains(condition)) {
                    let new = effects.iter().filter(|effect| !outcome.effects.contains(effect)).cloned();
                    let new: Vec<Effect> = new.collect();
                    outcome.effects.extend(new);
                }
            }
        }
    }

    /// Whether there are more outcomes than are worth following.
    pub(crate) fn is_too_rich(&self) -> bool {
        self.outcomes.len() > MOST
    }

    /// Whether it does nothing but compute a value that is not one of its arguments.
    pub(crate) fn only_computes(&self) -> bool {
        !self.communicates
            && self.looks_into.is_empty()
            && !self.outcomes.is_empty()
            && self.outcomes.iter().all(|outcome| {
                outcome.effects.is_empty()
                    && outcome.stores.is_empty()
                    && outcome.heap.is_empty()
                    && outcome.types.is_empty()
            })
            && self.computes
    }

    /// What is touched whichever way the function takes.
    pub(crate) fn certain_touches(&self) -> Arc<[Touched]> {
        let mut all = self.outcomes.iter().map(|outcome| outcome.touches.clone());
        let first = all.next().unwrap_or_default();
        all.fold(first, |common, touches| touched_on_both(&common, &touches))
    }

    /// Whether some outcome gives a handle, or stores or pushes one.
    pub(crate) fn gives_handles(&self) -> bool {
        self.outcomes.iter().any(Outcome::gives_handle)
    }
}

impl Outcome {
    fn does_the_same(&self, other: &Self) -> bool {
        let followed = |outcome: &Self| {
            outcome.stores.iter().filter(|(_, value)| value.symbol().is_none()).cloned().collect::<Vec<_>>()
        };
        let alike = match (&self.result, &other.result) {
            // `None` is told from everything else: callers test for it.
            (Value::Symbol(a), Value::Symbol(b)) => (*a == Symbol::NONE) == (*b == Symbol::NONE),
            (a, b) => a == b,
        };
        alike && self.effects == other.effects && self.heap == other.heap && followed(self) == followed(other)
    }

    fn forget_differing_stores(&mut self, other: &Self) {
        let plain: Vec<Symbol> = other
            .stores
            .iter()
            .filter(|store| !self.stores.contains(store))
            .map(|(place, _)| *place)
            .collect();
        for (place, value) in &mut self.stores {
            if !other.stores.iter().any(|(theirs, same)| theirs == place && same == value) {
                *value = Value::UNKNOWN;
            }
        }
        let missing: Vec<Symbol> =
            plain.into_iter().filter(|place| !self.stores.iter().any(|(mine, _)| mine == place)).collect();
        self.stores.extend(missing.into_iter().map(|place| (place, Value::UNKNOWN)));
    }

    /// Elements of parameters that it keeps in a container of its own: `[h for h in handles if h is not None]`.
    fn kept_elements(&self, symbols: &Symbols) -> Vec<Symbol> {
        let containers = self.heap.values().filter_map(|object| match object {
            Object::Container(container) => Some(container),
            _ => None,
        });
        let kept = containers
            .flat_map(|container| container.elements().filter_map(Value::symbol).collect::<Vec<_>>());
        let of_elements = |&symbol: &Symbol| {
            symbols.list_of_each(symbol).is_some()
                || symbols.any_part(symbol, &|term| matches!(term, Term::Item(_)))
        };
        kept.filter(of_elements).collect()
    }

    /// Whether it finishes something of the caller.
    pub(crate) fn finishes(&self) -> bool {
        self.effects.iter().any(|effect| matches!(effect, Effect::Finish(..)))
    }

    /// The objects that are kept where others can see them, and do not come out as the result or in a container that the
    /// caller gave: their story begins in the callee.
    pub(crate) fn kept_objects(&self, is_argument: impl Fn(Symbol) -> bool) -> BTreeSet<ObjectId> {
        let mut given = BTreeSet::new();
        let mut stack = self.result.objects();
        for effect in &self.effects {
            if let Effect::Push(target, value) = effect
                && is_argument(*target)
            {
                stack.extend(value.objects());
            }
        }
        while let Some(id) = stack.pop() {
            if given.insert(id)
                && let Some(object) = self.heap.get(&id)
            {
                object.visit(&mut |inner| stack.push(inner));
            }
        }
        self.heap.keys().copied().filter(|id| !given.contains(id)).collect()
    }

    /// Whether the result is or contains a handle, or is a container that happens to be empty on this way.
    pub(crate) fn gives_handle_or_nothing_in_a_container(&self) -> bool {
        let gives_container = match &self.result {
            Value::Object(id) => matches!(self.heap.get(id), Some(Object::Container(_))),
            _ => false,
        };
        self.gives_handle() || gives_container
    }

    /// The places in the callee at which values are made that the caller gets to see: each call makes others.
    pub(crate) fn made(&self, symbols: &Symbols) -> BTreeSet<Site> {
        let stored = self.stores.iter().map(|(_, value)| value);
        let plain = stored.chain([&self.result]).filter_map(Value::symbol);
        let inner = self.heap.values().flat_map(|object| match object {
            Object::Handle(handle) => handle.buffers.iter().map(|buffer| buffer.region).collect(),
            Object::Operation(operation) => operation.buffers.iter().map(|buffer| buffer.region).collect(),
            Object::Container(container) => container.elements().filter_map(Value::symbol).collect(),
            _ => Vec::new(),
        });
        let mut sites = BTreeSet::new();
        for symbol in plain.chain(inner) {
            symbols.visit_parts(symbol, &mut |term| {
                if let Term::Result(site) = term {
                    sites.insert(*site);
                }
            });
        }
        sites
    }

    /// Whether the result is or contains a handle.
    pub(crate) fn gives_handle(&self) -> bool {
        self.heap.values().any(|object| matches!(object, Object::Handle(_)))
    }
}
