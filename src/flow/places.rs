//! What places hold that others can see: attributes and elements of symbols, names of the file's top level.
//!
//! A script can have thousands of names at its top level, but few of them hold something that is followed. As with variables,
//! those are kept apart: `held` is small and looked at all the time, `plain` is large and shared between the copies of a state.

use std::collections::BTreeMap;

use rpds::RedBlackTreeMapSync;

use super::symbol::{Symbol, Symbols};
use super::value::Value;

/// What places hold; one in which nothing was stored is absent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    held: BTreeMap<Symbol, Value>,
    plain: RedBlackTreeMapSync<Symbol, Symbol>,
}

impl Places {
    pub(crate) fn get(&self, place: Symbol) -> Option<Value> {
        let held = self.held.get(&place).cloned();
        held.or_else(|| self.plain.get(&place).map(|&symbol| Value::Symbol(symbol)))
    }

    pub(crate) fn contains(&self, place: Symbol) -> bool {
        self.held.contains_key(&place) || self.plain.contains_key(&place)
    }

    pub(crate) fn insert(&mut self, place: Symbol, value: Value) {
        match value {
            Value::Symbol(symbol) => {
                self.held.remove(&place);
                self.plain.insert_mut(place, symbol);
            }
            followed => {
                self.plain.remove_mut(&place);
                self.held.insert(place, followed);
            }
        }
    }

    pub(crate) fn remove(&mut self, place: Symbol) -> Option<Value> {
        if let Some(value) = self.held.remove(&place) {
            return Some(value);
        }
        let symbol = self.plain.get(&place).copied()?;
        self.plain.remove_mut(&place);
        Some(Value::Symbol(symbol))
    }

    /// The places that hold something followed.
    pub(crate) fn held(&self) -> &BTreeMap<Symbol, Value> {
        &self.held
    }

    /// The values that are followed, to be changed into other followed ones.
    pub(crate) fn held_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.held.values_mut()
    }

    /// The places that hold symbols.
    pub(crate) fn plain(&self) -> impl Iterator<Item = (Symbol, Symbol)> {
        self.plain.iter().map(|(&place, &symbol)| (place, symbol))
    }

    /// All places.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Symbol> {
        self.held.keys().chain(self.plain.keys()).copied()
    }

    /// All places in order, with what they hold.
    pub(crate) fn all(&self) -> BTreeMap<Symbol, Value> {
        let plain = self.plain().map(|(place, symbol)| (place, Value::Symbol(symbol)));
        self.held.iter().map(|(&place, value)| (place, value.clone())).chain(plain).collect()
    }

    /// A symbol is about to mean something else: places that hold it, or something made of it, hold an unknown value.
    pub(crate) fn forget_symbol(&mut self, symbols: &Symbols, symbol: Symbol) {
        let plain = self.plain().filter(|&(_, held)| symbols.mentions(held, symbol)).map(|(place, _)| place);
        let held = self
            .held
            .iter()
            .filter(|(_, value)| value.symbol().is_some_and(|held| symbols.mentions(held, symbol)));
        let gone: Vec<Symbol> = plain.chain(held.map(|(&place, _)| place)).collect();
        gone.into_iter().for_each(|place| self.insert(place, Value::UNKNOWN));
    }

    /// Moves what turned out to be a symbol to where symbols are.
    pub(crate) fn tidy(&mut self) {
        let is_plain = |value: &Value| matches!(value, Value::Symbol(_));
        let plain: Vec<Symbol> =
            self.held.iter().filter(|(_, value)| is_plain(value)).map(|(&place, _)| place).collect();
        for place in plain {
            if let Some(value) = self.held.remove(&place) {
                self.insert(place, value);
            }
        }
    }

    /// The places that hold something else, or nothing, in the other.
    pub(crate) fn differing(&self, other: &Self) -> Vec<Symbol> {
        let held = self.held.iter().filter(|(place, value)| other.held.get(place) != Some(value));
        let plain = self.plain.iter().filter(|(place, symbol)| other.plain.get(place) != Some(symbol));
        held.map(|(&place, _)| place).chain(plain.map(|(&place, _)| place)).collect()
    }
}
