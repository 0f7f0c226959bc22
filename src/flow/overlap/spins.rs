//! Loops that only poll.
//!
//! A loop **spins** where each turn asks whether handles are finished and does nothing else; to sleep is to do nothing. It ends
//! when the answer is yes, which is what a wait does. A turn that computes, keeps a message, looks at a clock or gives way to
//! other code is no spin.
//!
//! ```text
//! while not handle.is_completed():         while not handle.is_completed():
//!     time.sleep(0.001)        spins           queue.pop().run()                does something
//! ```
//!
//! Where a wait keeps a processor busy, a loop that sleeps between its questions is meant so.
//!
//! Where the answer stays no until somebody waits, it does not help that the loop does something: it never ends. That is told too,
//! if the question is the only way out.

use std::collections::BTreeSet;

use super::{Asked, Numbered, Poll, View, is_a_test};
use crate::catalog::{ApiId, Does, Kind};
use crate::flow::event::{Handle, Turns, What};
use crate::ir::{Callee, Local, Loop, Meaning, Operation, Operator, Terminator};

/// What is told of the polls of a function.
pub(super) fn find(view: &View<'_>) -> Vec<What> {
    view.seen.polls.iter().filter_map(|(&number, poll)| tell(view, number, poll)).collect()
}

fn tell(view: &View<'_>, number: u32, poll: &Poll) -> Option<What> {
    let block = view.block_of(number)?;
    let around =
        view.function.loops.iter().filter(|of| of.blocks.contains(&block) && !goes_through(view, of));
    let around = around.min_by_key(|of| of.blocks.len())?;
    let ops = view.ops_of(&around.blocks);
    let at = ops.iter().find(|op| op.number == number)?.op.span;
    let handle = poll.handles.iter().find(|handle| is_message(view, handle)).or(poll.handles.first());
    if sleeps_instead(view, poll.api, &ops) {
        return None;
    }
    let turns = if ops.iter().all(|op| is_idle(view, op)) {
        Turns::Idle
    } else if poll.asked == Asked::Anyway && is_the_only_way_out(view, around, number) {
        Turns::Busy
    } else {
        return None;
    };
    let never_ends =
        poll.asked == Asked::Anyway && handle.is_some_and(|handle| stays_false(view, poll.api, handle));
    let is_of_interest = never_ends || !is_a_test(view.unit, view.function);
    is_of_interest.then(|| What::BusyPoll {
        poll: poll.api,
        handle: handle.cloned(),
        turns,
        at,
        header: around.span,
    })
}

/// Whether the loop sleeps where a wait would keep a processor busy.
fn sleeps_instead(view: &View<'_>, poll: ApiId, ops: &[Numbered<'_>]) -> bool {
    let pauses = |op: &Numbered<'_>| {
        view.seen.called_at(op.number).any(|api| view.catalog.function(api).does == Does::Pause)
    };
    view.catalog.busy_waits(poll) && ops.iter().any(pauses)
}

fn is_message(view: &View<'_>, handle: &Handle) -> bool {
    view.catalog.function(handle.api).kind == Kind::PointToPoint
}

/// Whether the answer stays no on some backend.
fn stays_false(view: &View<'_>, poll: ApiId, handle: &Handle) -> bool {
    let kind = view.catalog.function(handle.api).kind;
    view.catalog.function(poll).stays_false.iter().any(|again| again.kind == kind)
}

/// Whether a loop goes through something: then it comes to an end by itself.
fn goes_through(view: &View<'_>, of: &Loop) -> bool {
    let head = view.function.blocks.get(of.head.0 as usize);
    head.is_some_and(|head| matches!(head.end, Terminator::Next { .. }))
}

/// Whether an operation only serves to ask.
fn is_idle(view: &View<'_>, op: &Numbered<'_>) -> bool {
    match &op.op.operation {
        Operation::Assign { .. }
        | Operation::Field { .. }
        | Operation::Element { .. }
        | Operation::Global { .. }
        | Operation::SetGlobal { .. }
        | Operation::Import { .. }
        | Operation::Forget { .. }
        | Operation::Unpack { .. }
        | Operation::Collect { .. }
        | Operation::Push { .. }
        | Operation::Iterate { .. }
        | Operation::DropElement { .. }
        | Operation::Poll { .. }
        | Operation::View { .. } => true,
        Operation::Compute { .. } => !view.works.contains(&op.number),
        Operation::Call { callee, .. } => is_idle_call(view, op.number, callee),
        _ => false,
    }
}

fn is_idle_call(view: &View<'_>, number: u32, callee: &Callee) -> bool {
    let serves = |api: ApiId| {
        matches!(
            view.catalog.function(api).does,
            Does::Poll
                | Does::Pause
                | Does::Consume
                | Does::Read
                | Does::Collect
                | Does::Count
                | Does::Enumerate
                | Does::Zip
                | Does::Pass
        )
    };
    let mut apis = view.seen.called_at(number).peekable();
    if apis.peek().is_some() {
        return apis.all(serves);
    }
    match callee {
        Callee::Method { meaning: Some(meaning), .. } => match meaning {
            Meaning::Push | Meaning::Extend | Meaning::SetDefault | Meaning::Reorder => false,
            Meaning::Take
            | Meaning::TakeKey
            | Meaning::Get
            | Meaning::Remove
            | Meaning::Clear
            | Meaning::Elements
            | Meaning::Pairs
            | Meaning::Measure => true,
        },
        Callee::Method { meaning: None, .. } | Callee::Value(_) => false,
    }
}

/// Whether a loop ends by the answer of a poll at its head and in no other way, and waits for nothing itself.
fn is_the_only_way_out(view: &View<'_>, around: &Loop, poll: u32) -> bool {
    let ops = view.ops_of(&around.blocks);
    let waits = |op: &Numbered<'_>| {
        view.seen.called_at(op.number).any(|api| view.catalog.function(api).does == Does::Finish)
            || view.seen.waits.contains_key(&op.number)
            || view.seen.communicating.contains(&op.number)
    };
    let leaves_elsewhere = around.blocks.iter().any(|block| {
        let end = view.function.blocks.get(block.0 as usize).map(|block| &block.end);
        end.is_none_or(|end| match end {
            Terminator::Return { .. } => true,
            Terminator::Branch { on, yes, no, .. } => {
                let leaves = [yes, no].into_iter().any(|to| !around.blocks.contains(to));
                leaves && !on.local().is_some_and(|on| answers(view, &ops, on, poll))
            }
            _ => end.targets().iter().any(|to| !around.blocks.contains(to)),
        })
    });
    !leaves_elsewhere && !ops.iter().any(waits)
}

/// Whether a condition is the answer of a poll, or its opposite.
fn answers(view: &View<'_>, ops: &[Numbered<'_>], on: Local, poll: u32) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![on];
    while let Some(local) = open.pop() {
        if !seen.insert(local) {
            continue;
        }
        for op in ops.iter().filter(|op| view.data.written(&op.op.operation).contains(&local)) {
            match &op.op.operation {
                _ if op.number == poll => {}
                Operation::Assign { .. }
                | Operation::Global { .. }
                | Operation::SetGlobal { .. }
                | Operation::Unpack { .. }
                | Operation::Element { .. }
                | Operation::Compute { operator: Operator::Not, .. } => {
                    open.extend(view.data.read(&op.op.operation));
                }
                _ => return false,
            }
        }
    }
    ops.iter()
        .any(|op| op.number == poll && view.data.written(&op.op.operation).iter().any(|to| seen.contains(to)))
}
