//! Owners: objects whose drop ends everything that was made with them, as `Universe` of rsmpi finalizes MPI.
//!
//! ```text
//! let world = mpi::initialize().unwrap().world();      the owner is a temporary: it is dropped at the semicolon, and `world` lives on
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use super::calls::Results;
use super::event::{Loss, What};
use super::program::Type;
use super::run::Run;
use super::state::{Decision, State};
use super::symbol::Symbol;
use super::value::{Bound, Lent, Manager, Object, ObjectId, Owner, Value};
use crate::catalog::{ApiId, Does};

impl Run<'_, '_> {
    /// Something is acquired that others are made with.
    pub(crate) fn acquire(&mut self, state: &mut State, api: ApiId) -> Value {
        let owner = Owner { api, acquired: self.here.span, lent: None, escaped: false };
        Value::Object(state.make(self.site(0), Object::Manager(Manager::Owner(owner))))
    }

    /// A method of an owner; `None` where it gives nothing that depends on it.
    pub(crate) fn call_method_of_owner(
        &mut self,
        mut state: State,
        id: ObjectId,
        name: &str,
        arguments: &[Bound],
    ) -> Results {
        let Some(Object::Manager(Manager::Owner(owner))) = state.heap.get(&id) else {
            return vec![(state, Value::UNKNOWN)];
        };
        let catalog = self.program.catalog;
        let method = catalog.gives(owner.api).and_then(|class| catalog.method(class, name));
        let Some(method) = method.filter(|&method| catalog.function(method).does == Does::Instance) else {
            return self.call_unknown(state, Symbol::UNKNOWN, arguments);
        };
        let instance = self.fresh(&mut state, 0);
        if let Some(class) = catalog.gives(method) {
            self.program.declare(instance, Type::Catalogued(class));
        }
        if let Some(Object::Manager(Manager::Owner(owner))) = state.heap.get_mut(&id) {
            owner.lent = Some(Lent { symbol: instance, at: self.here.span });
        }
        vec![(state, Value::Symbol(instance))]
    }

    /// Owners are gone: what was made with them must not live on.
    pub(crate) fn report_owners(
        &mut self,
        state: &State,
        gone: &BTreeMap<ObjectId, Object>,
        how: Loss,
        path: &Arc<Vec<Decision>>,
    ) {
        // Who drops it by name has thought of it.
        if !matches!(how, Loss::Discarded | Loss::Underscore | Loss::ScopeEnd) {
            return;
        }
        for object in gone.values() {
            let Object::Manager(Manager::Owner(owner)) = object else { continue };
            if let Some(lent) = owner.lent
                && !owner.escaped
                && let Some(holder) = self.holder_of(state, lent.symbol, how)
            {
                let what = What::OwnerDropped {
                    owner: owner.api,
                    acquired: owner.acquired,
                    lent: lent.at,
                    holder,
                    at: self.here.span,
                };
                self.report(what, path);
            }
        }
    }

    /// The variable that still holds what was made; the result of a function has no name. At the end of a statement its
    /// temporaries are about to go too.
    fn holder_of(&self, state: &State, symbol: Symbol, how: Loss) -> Option<Option<String>> {
        let mut named = None;
        let mut any = false;
        for (local, held) in state.locals.plain() {
            if held == symbol {
                any = true;
                let info = self.function.locals.get(local.0 as usize);
                named = named.or(info.map(|it| it.name.clone()).filter(|name| !name.is_empty()));
            }
        }
        match (named, how) {
            (Some(name), _) => Some(Some(name)),
            (None, Loss::ScopeEnd) if any => Some(None),
            (None, _) => None,
        }
    }
}
