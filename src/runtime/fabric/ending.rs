//! How ranks end, and what is noted for the verdict meanwhile.

use super::super::trace::What;
use super::super::verdict::{Difference, Failure, Harm, HarmKind, Outcome};
use super::super::{Handle, Place};
use super::{Fabric, Standing};
use std::sync::Arc;

impl Fabric {
    /// A rank has ended well.
    pub fn leave(&mut self, rank: usize) {
        self.touch_time(rank);
        let operations = self.operations.iter().enumerate();
        let open = operations.filter(|(_, operation)| operation.rank == rank && operation.is_open());
        let open: Vec<Handle> = open.map(|(index, _)| Handle(index as u32)).collect();
        self.open.extend(open);
        self.note(rank, What::Left);
        self.ranks[rank].standing = Standing::Left;
        self.changed();
        self.goes_inside(rank);
    }

    /// A rank has ended badly, and with it the run.
    pub fn fail(&mut self, rank: usize, message: String, place: Option<Place>) {
        self.now = self.now.max(self.ranks[rank].clock);
        self.note(rank, What::Failed { message: message.clone() });
        self.ranks[rank].standing = Standing::Failed;
        self.failures.push(Failure { rank, message, place });
        self.decide(Outcome::Fails);
    }

    /// A rank's own assertion about its data failed, and with it the run ends.
    pub fn fail_assertion(&mut self, rank: usize, message: String, place: Place) {
        self.now = self.now.max(self.ranks[rank].clock);
        self.note(rank, What::Failed { message: message.clone() });
        self.ranks[rank].standing = Standing::Failed;
        let operation = if message.is_empty() { "its assertion failed".into() } else { message };
        let (started, place) = (place.clone(), Some(place));
        self.harms.push(Harm {
            rank,
            kind: HarmKind::Assertion,
            operation,
            started,
            place,
            difference: None,
        });
        self.decide(Outcome::WrongData);
    }

    /// Ends the run from outside.
    pub fn stop(&mut self, why: impl Into<Arc<str>>) {
        self.notes.push(why.into());
        self.decide(Outcome::Unfinished);
    }

    /// Adds a remark to the verdict to come.
    pub fn remark(&mut self, remark: impl Into<Arc<str>>) {
        let remark = remark.into();
        if !self.notes.contains(&remark) {
            self.notes.push(remark);
        }
    }

    /// The shell has found that an operation moved other bytes than it should.
    pub fn harm(
        &mut self,
        handle: Handle,
        kind: HarmKind,
        place: Option<Place>,
        difference: Option<Difference>,
    ) {
        let operation = self.operation(handle);
        let kind = match kind {
            HarmKind::SentChanged if operation.freed => HarmKind::Freed,
            other => other,
        };
        let place = if operation.freed { operation.lost.clone() } else { place };
        let harm = Harm {
            rank: operation.rank,
            kind,
            operation: operation.to_string(),
            started: operation.place.clone(),
            place: place.or_else(|| operation.touched.clone()),
            difference,
        };
        let known = self
            .harms
            .iter()
            .any(|known| known.kind == kind && known.started == harm.started && known.rank == harm.rank);
        if !known {
            self.harms.push(harm);
        }
    }
}
