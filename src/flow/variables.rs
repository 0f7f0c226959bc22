//! What the variables of a function hold on one path.
//!
//! A function can have thousands of variables, and a state is copied at every branch; but few variables ever hold something
//! that is followed. So those are kept apart: `held` is small and looked at all the time, `plain` is large, shared between
//! the copies of a state, and looked at only where states meet.

use std::collections::BTreeMap;

use rpds::RedBlackTreeMap;

use super::symbol::{Symbol, Symbols};
use super::value::Value;
use crate::ir::Local;

/// What the variables hold; one that is not bound is absent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    held: BTreeMap<Local, Value>,
    plain: RedBlackTreeMap<Local, Symbol>,
}

impl Variables {
    pub(crate) fn get(&self, local: Local) -> Option<Value> {
        match self.held.get(&local) {
            Some(value) => Some(value.clone()),
            None => self.plain.get(&local).map(|&symbol| Value::Symbol(symbol)),
        }
    }

    /// Binds a variable; gives what it held before, if that was followed.
    pub(crate) fn bind(&mut self, local: Local, value: Value) -> Option<Value> {
        match value {
            Value::Symbol(symbol) => {
                self.plain.insert_mut(local, symbol);
                self.held.remove(&local)
            }
            followed => {
                let before = self.held.insert(local, followed);
                if before.is_none() {
                    self.plain.remove_mut(&local);
                }
                before
            }
        }
    }

    /// Unbinds a variable; gives what it held.
    pub(crate) fn unbind(&mut self, local: Local) -> Option<Value> {
        if let Some(value) = self.held.remove(&local) {
            return Some(value);
        }
        let symbol = self.plain.get(&local).copied()?;
        self.plain.remove_mut(&local);
        Some(Value::Symbol(symbol))
    }

    /// The variables that hold something followed.
    pub(crate) fn held(&self) -> &BTreeMap<Local, Value> {
        &self.held
    }

    /// The values that are followed, to be changed into other followed ones.
    pub(crate) fn held_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.held.values_mut()
    }

    /// The variables that hold symbols.
    pub(crate) fn plain(&self) -> impl Iterator<Item = (Local, Symbol)> {
        self.plain.iter().map(|(&local, &symbol)| (local, symbol))
    }

    /// Moves what turned out to be a symbol to where symbols are.
    pub(crate) fn tidy(&mut self) {
        let symbols: Vec<(Local, Symbol)> = self
            .held
            .iter()
            .filter_map(|(&local, value)| value.symbol().map(|symbol| (local, symbol)))
            .collect();
        for (local, symbol) in symbols {
            self.held.remove(&local);
            self.plain.insert_mut(local, symbol);
        }
    }

    /// A symbol is about to mean something else: variables that hold it, or something made of it, hold an unknown value.
    pub(crate) fn forget_symbol(&mut self, symbols: &Symbols, symbol: Symbol) {
        let gone: Vec<Local> = self
            .plain()
            .filter(|&(_, held)| symbols.mentions(held, symbol))
            .map(|(local, _)| local)
            .collect();
        for local in gone {
            self.plain.insert_mut(local, Symbol::UNKNOWN);
        }
    }

    /// The variables that are bound here and hold something else, or nothing, in the other.
    pub(crate) fn differing(&self, other: &Self) -> Vec<Local> {
        let plain = self.plain.iter().filter(|(local, symbol)| other.plain.get(local) != Some(symbol));
        let held = self.held.iter().filter(|(local, value)| other.held.get(local) != Some(value));
        plain.map(|(&local, _)| local).chain(held.map(|(&local, _)| local)).collect()
    }

    /// Unbinds all variables and gives those that hold something followed.
    pub(crate) fn take_held(&mut self) -> Vec<(Local, Value)> {
        self.plain = RedBlackTreeMap::new();
        std::mem::take(&mut self.held).into_iter().collect()
    }
}
