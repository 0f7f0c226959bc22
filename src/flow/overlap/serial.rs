//! Loops whose turns wait one after the other and need nothing of each other.
//!
//! ```text
//! for chunk, peer in zip(chunks, peers):       each turn has a chunk and a peer of its own
//!     dist.isend(chunk, peer).wait()           told
//!
//! for _ in range(steps):                       each turn sends what the last one has computed
//!     dist.isend(state, peer).wait()           not told
//!     state = step(state)
//! ```
//!
//! The **roots** of a start are the locals that its arguments are computed from within the loop. Turns are independent where all
//! roots are bound in the turn itself, by the header of the loop, or before the loop; a counter is bound by counting. One root
//! at least is the variable of the loop: a loop that repeats one and the same operation measures or polls something.

use std::collections::BTreeSet;

use super::at_once::{Pair, buffer_locals};

use super::{Numbered, View};
use crate::ir::{Constant, Local, Loop, Operand, Operation, Terminator};
use crate::source::Span;

/// The header of the loop around a start and its wait, where the turns of the loop are independent of each other.
pub(super) fn loop_of_independent_turns(view: &View<'_>, pair: &Pair<'_>) -> Option<Span> {
    let around = view.loop_around(pair.block)?;
    let item = item(view, around)?;
    let ops = view.ops_of(&around.blocks);
    let is_alone = ops
        .iter()
        .filter(|op| ![pair.start.number, pair.wait.number].contains(&op.number))
        .all(|op| !view.communicates(op.number) && !suspends(&op.operation()));
    let arguments = view.data.read(&pair.start.op.operation);
    let roots = roots(view, &ops, &arguments);
    let is_independent = is_alone
        && is_left_at_its_head_only(view, around)
        && roots.contains(&item)
        && roots
            .iter()
            .all(|&root| root == item || is_bound_in_the_turn(view, &ops, root, pair.start.number))
        && has_buffers_of_its_own(view, pair, &ops, item);
    is_independent.then_some(around.span)
}

impl<'v> Numbered<'v> {
    fn operation(&self) -> &'v Operation {
        &self.op.operation
    }
}

/// The variable of a `for` loop.
pub(super) fn item(view: &View<'_>, around: &Loop) -> Option<Local> {
    match &view.function.blocks.get(around.head.0 as usize)?.end {
        Terminator::Next { item, .. } => Some(*item),
        _ => None,
    }
}

fn suspends(operation: &&Operation) -> bool {
    matches!(operation, Operation::Yield { .. } | Operation::Await { .. } | Operation::Enter { .. })
}

/// Whether no turn decides that it is the last one.
fn is_left_at_its_head_only(view: &View<'_>, around: &Loop) -> bool {
    around.blocks.iter().filter(|block| **block != around.head).all(|block| {
        let end = view.function.blocks.get(block.0 as usize).map(|block| &block.end);
        end.is_some_and(|end| match end {
            Terminator::Return { .. } => false,
            _ => end.targets().iter().all(|to| around.blocks.contains(to)),
        })
    })
}

/// The locals that some locals are computed from by the operations of a loop.
pub(super) fn roots(view: &View<'_>, ops: &[Numbered<'_>], of: &[Local]) -> BTreeSet<Local> {
    let mut roots: BTreeSet<Local> = BTreeSet::new();
    let mut open: Vec<Local> = of.to_vec();
    while let Some(local) = open.pop() {
        if roots.insert(local) {
            let makers = ops.iter().filter(|op| view.data.written(op.operation()).contains(&local));
            open.extend(makers.flat_map(|op| view.data.read(op.operation())));
        }
    }
    roots
}

/// Whether a local holds something of this turn, or the same in all turns, when the operation starts.
fn is_bound_in_the_turn(view: &View<'_>, ops: &[Numbered<'_>], local: Local, start: u32) -> bool {
    let mut makers = ops.iter().filter(|op| view.data.written(op.operation()).contains(&local)).peekable();
    let Some(first) = makers.peek() else { return true };
    let is_before = first.number < start;
    let mut is_counted = true;
    let mut is_new = true;
    for op in makers {
        is_counted &= counts(view, op.operation(), local);
        is_new &= !roots(view, ops, &view.data.read(op.operation())).contains(&local);
    }
    is_counted || (is_before && is_new)
}

fn counts(view: &View<'_>, operation: &Operation, local: Local) -> bool {
    match operation {
        Operation::Update { operator: "+" | "-", value: Operand::Constant(Constant::Int(_)), .. } => {
            view.data.written(operation).contains(&local)
        }
        _ => false,
    }
}

/// Whether turns could be in flight side by side: each has a buffer of its own. One and the same buffer that is sent in all
/// turns is told at its wait.
fn has_buffers_of_its_own(view: &View<'_>, pair: &Pair<'_>, ops: &[Numbered<'_>], item: Local) -> bool {
    let mut buffers = buffer_locals(view, pair).into_iter();
    buffers.all(|buffer| roots(view, ops, &[buffer]).contains(&item) || is_made_in(view, ops, buffer))
}

/// Whether a call of the loop makes the buffer: `box = torch.zeros(n)`.
fn is_made_in(view: &View<'_>, ops: &[Numbered<'_>], buffer: Local) -> bool {
    let roots = roots(view, ops, &[buffer]);
    ops.iter().any(|op| {
        matches!(
            op.operation(),
            Operation::Call { .. } | Operation::Compute { .. } | Operation::Collect { .. }
        ) && view.data.written(op.operation()).iter().any(|to| roots.contains(to))
    })
}
