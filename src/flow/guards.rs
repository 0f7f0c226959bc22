//! Guards: objects whose drop finishes the operation that they hold, as `WaitGuard` of rsmpi does.
//!
//! A guarded handle that becomes unreachable while it is pending is not lost: the drop waits for it, at the place where the guard
//! was made as far as a reader is concerned.
//!
//! ```text
//! let _ = WaitGuard::from(peer.immediate_send(scope, &x));      #1 pending, guarded; at the semicolon: #1 finished
//! ```

use std::collections::BTreeMap;

use super::run::Run;
use super::state::State;
use super::value::{Guarded, Object, ObjectId, Status, Value};
use crate::catalog::{ApiId, AtDrop, DropEffect};
use crate::ir::Which;

impl Run<'_, '_> {
    /// The handles behind a value get a guard.
    pub(crate) fn guard(&mut self, state: &mut State, target: &Value, at_drop: AtDrop) {
        let guarded = Guarded { at: self.here.span, at_drop };
        for id in state.reach(&[target]) {
            if let Some(handle) = state.handle_mut(id) {
                handle.guarded = Some(guarded);
            }
        }
    }

    /// What a library does by itself when a handle is dropped: `None` where that loses something.
    pub(crate) fn own_guard(&self, api: ApiId) -> Option<Guarded> {
        let mut drops = self.program.catalog.drops(api).peekable();
        let waits = drops.peek().is_some() && drops.all(|drop| drop.effect == DropEffect::Waits);
        waits.then_some(Guarded { at: self.here.span, at_drop: AtDrop::Settles })
    }

    /// The drop of guards finishes what is pending among objects that nothing refers to any more.
    pub(crate) fn finish_guarded(&mut self, state: &mut State, gone: &mut BTreeMap<ObjectId, Object>) {
        for (id, object) in gone.iter_mut() {
            let Object::Handle(handle) = object else { continue };
            let (Some(guarded), Status::Pending | Status::Mixed) = (handle.guarded, handle.status) else {
                continue;
            };
            // For the time of the wait it is there again.
            state.heap.insert(*id, object.clone());
            let here = std::mem::replace(&mut self.here.span, guarded.at);
            match guarded.at_drop {
                AtDrop::Waits => self.finish_value(state, &Value::Object(*id), Which::One, None),
                AtDrop::Cancels | AtDrop::Settles => self.release(state, &Value::Object(*id)),
            }
            self.here.span = here;
            if let Some(finished) = state.heap.remove(id) {
                *object = finished;
            }
        }
    }
}
