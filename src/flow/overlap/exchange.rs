//! Collectives that a loop makes by hand.
//!
//! A loop **goes through all ranks** where it counts to their number. One that sends to each rank and receives from each, and does
//! nothing else between ranks, is what a collective says in one call; so are two such loops, one for each direction.
//!
//! ```text
//! for peer in range(dist.get_world_size()):
//!     requests.append(dist.irecv(boxes[peer], peer))
//!     requests.append(dist.isend(parts[peer], peer))
//! ```

use std::collections::BTreeSet;

use super::serial::{item, roots};
use super::{Numbered, View, is_a_test};
use crate::catalog::{ApiId, Does, UsageName};
use crate::flow::event::What;
use crate::ir::{Local, Loop, Operand, Operation, Operator, Terminator};
use crate::source::Span;

/// A loop over all ranks with what it does between them.
struct Exchange {
    header: Span,
    sent: Option<(ApiId, Span)>,
    received: Option<(ApiId, Span)>,
}

/// What is told of loops over all ranks.
pub(super) fn find(view: &View<'_>) -> Vec<What> {
    if is_a_test(view.unit, view.function) {
        return Vec::new();
    }
    let loops: Vec<Exchange> = view.function.loops.iter().filter_map(|of| exchange(view, of)).collect();
    let both = loops.iter().find_map(|of| told(of.header, of.sent?, of.received?));
    let (sends, receives) =
        (loops.iter().find(|of| of.sent.is_some()), loops.iter().find(|of| of.received.is_some()));
    let in_two = sends.zip(receives).and_then(|(sends, receives)| {
        let first = if sends.header.start < receives.header.start { sends } else { receives };
        told(first.header, sends.sent?, receives.received?)
    });
    both.or(in_two).into_iter().collect()
}

fn told(header: Span, sent: (ApiId, Span), received: (ApiId, Span)) -> Option<What> {
    Some(What::CollectiveByHand { send: sent.0, sent: sent.1, received: received.1, at: header })
}

/// A loop over all ranks that sends to each, or receives from each, or both, once.
fn exchange(view: &View<'_>, of: &Loop) -> Option<Exchange> {
    let item = item(view, of)?;
    let ops = view.ops_of(&of.blocks);
    if !goes_through_all_ranks(view, of) || !tests_nothing_but_the_rank(view, of, &ops, item) {
        return None;
    }
    let mut found = Exchange { header: of.span, sent: None, received: None };
    for op in ops.iter().filter(|op| view.communicates(op.number)) {
        let api = view.seen.called_at(op.number).next()?;
        let is_with_each = roots(view, &ops, &view.data.read(&op.op.operation)).contains(&item);
        let place = match direction(view, api) {
            Some(UsageName::Sends) if is_with_each => &mut found.sent,
            Some(UsageName::Receives) if is_with_each => &mut found.received,
            _ if view.catalog.function(api).does == Does::Finish => continue,
            _ => return None,
        };
        if place.replace((api, op.op.span)).is_some() {
            return None;
        }
    }
    (found.sent.is_some() || found.received.is_some()).then_some(found)
}

/// Whether a message is sent or received, for those that a collective can say.
fn direction(view: &View<'_>, api: ApiId) -> Option<UsageName> {
    view.catalog.function(api).everyone.as_ref().map(|everyone| everyone.way)
}

/// Whether a loop counts to the number of ranks.
fn goes_through_all_ranks(view: &View<'_>, of: &Loop) -> bool {
    let Some(head) = view.function.blocks.get(of.head.0 as usize) else { return false };
    let Terminator::Next { iterator, .. } = head.end else { return false };
    let all: Vec<(u32, &crate::ir::Op)> = super::numbered(view.function).collect();
    let makers =
        |local: Local| all.iter().filter(move |(_, op)| view.data.written(&op.operation).contains(&local));
    let over = makers(iterator).find_map(|(_, op)| match &op.operation {
        Operation::Iterate { over: Operand::Local(over), .. } => Some(*over),
        _ => None,
    });
    let bound = over.and_then(|over| {
        makers(over).find_map(|(number, op)| match &op.operation {
            Operation::Call { arguments, .. } if counts(view, *number) => match arguments.as_slice() {
                [only] => only.value.local(),
                _ => None,
            },
            _ => None,
        })
    });
    bound.is_some_and(|bound| is_number_of_ranks(view, bound, &mut BTreeSet::new()))
}

fn counts(view: &View<'_>, number: u32) -> bool {
    view.seen.called_at(number).any(|api| view.catalog.function(api).does == Does::Count)
}

/// Whether all that a local is bound to is the number of ranks.
fn is_number_of_ranks(view: &View<'_>, local: Local, seen: &mut BTreeSet<Local>) -> bool {
    if !seen.insert(local) {
        return true;
    }
    let mut makers = super::numbered(view.function)
        .filter(|(_, op)| view.data.written(&op.operation).contains(&local))
        .peekable();
    makers.peek().is_some()
        && makers.all(|(number, op)| match &op.operation {
            Operation::Call { .. } => {
                view.seen.called_at(number).any(|api| view.catalog.function(api).counts_ranks)
            }
            Operation::Field { name, .. } => view.catalog.counts_ranks(name),
            Operation::Assign { .. } | Operation::SetGlobal { .. } | Operation::Global { .. } => {
                let from = view.data.read(&op.operation);
                !from.is_empty() && from.into_iter().all(|from| is_number_of_ranks(view, from, seen))
            }
            _ => false,
        })
}

/// Whether each turn is the same but for the own rank: no condition but a comparison with the variable of the loop.
fn tests_nothing_but_the_rank(view: &View<'_>, of: &Loop, ops: &[Numbered<'_>], item: Local) -> bool {
    of.blocks.iter().filter(|block| **block != of.head).all(|block| {
        let end = view.function.blocks.get(block.0 as usize).map(|block| &block.end);
        match end {
            Some(Terminator::Branch { on: Operand::Local(on), yes, no, .. }) => {
                let stays = of.blocks.contains(yes) && of.blocks.contains(no);
                stays && compares(view, ops, *on, item)
            }
            Some(Terminator::Goto(to)) => of.blocks.contains(to),
            _ => false,
        }
    })
}

fn compares(view: &View<'_>, ops: &[Numbered<'_>], on: Local, item: Local) -> bool {
    let mut makers = ops.iter().filter(|op| view.data.written(&op.op.operation).contains(&on));
    makers.any(|op| match &op.op.operation {
        Operation::Compute { operator: Operator::Equal | Operator::NotEqual, operands, .. } => {
            let read: Vec<Local> = operands.iter().filter_map(Operand::local).collect();
            roots(view, ops, &read).contains(&item)
        }
        _ => false,
    })
}
