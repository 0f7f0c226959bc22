//! Messages and collectives whose sides do not fit together.

use super::super::verdict::HarmKind;
use super::super::{Element, Handle, Start};
use super::Fabric;

impl Fabric {
    /// A message that does not fit into the buffer ends the receiver.
    pub(super) fn refuse_pair(&mut self, send: Handle, receive: Handle) -> bool {
        let (sent, taken) = (&self.operation(send).posting, &self.operation(receive).posting);
        let (Some(sent_bytes), Some(room)) = (sent.bytes, taken.bytes) else { return false };
        let known = sent.element != Element::Bytes && taken.element != Element::Bytes;
        let (differs, short) = (known && sent.element != taken.element, sent_bytes < room);
        if sent_bytes > room {
            let operation = self.operation(receive);
            let (rank, place) = (operation.rank, operation.place.clone());
            let message =
                format!("a message of {sent_bytes} bytes does not fit into the {room} bytes of {operation}");
            self.fail(rank, message, Some(place));
            return true;
        }
        let sent_at = Some(self.operation(send).place.clone());
        if differs {
            self.harm(receive, HarmKind::Reinterpreted, sent_at, None);
        } else if short && self.backend.short_messages_are_wrong() {
            self.harm(receive, HarmKind::Short, sent_at, None);
        }
        false
    }

    pub(super) fn refuse_slot(&mut self, parts: &[Handle]) -> bool {
        let Some(first) = parts.first().map(|part| self.operation(*part)) else { return false };
        let Start::Collective(kind) = first.posting.start else { return false };
        let other = parts
            .iter()
            .map(|part| self.operation(*part))
            .find(|part| part.posting.bytes != first.posting.bytes);
        let (Some(other), true) = (other, kind.is_uniform()) else { return false };
        let message = format!(
            "{} of {} bytes meets rank {} with {} bytes",
            other,
            other.posting.bytes.unwrap_or(0),
            first.rank,
            first.posting.bytes.unwrap_or(0)
        );
        let (rank, place) = (other.rank, other.place.clone());
        self.fail(rank, message, Some(place));
        true
    }
}
