//! How well the asynchronous operations of a run were hidden behind other work.
//!
//! An operation is under way from its start to its completion. The part of that time during which its rank did not
//! wait is its *overlap*: 1 for a send that a computation hides entirely, 0 for `isend(...).wait()`.

use super::trace::{Event, What};
use super::verdict::Overlap;
use super::{Handle, Place, Time};
use std::collections::HashMap;

struct UnderWay<'trace> {
    operation: &'trace str,
    place: &'trace Place,
    posted: Time,
    complete: Option<Time>,
}

/// The overlap of every asynchronous operation that completed and took any time.
pub(super) fn overlaps(trace: &[Event]) -> Vec<Overlap> {
    let ranks = trace.iter().map(|event| event.rank + 1).max().unwrap_or(0);
    (0..ranks).flat_map(|rank| overlaps_of(trace, rank)).collect()
}

fn overlaps_of(trace: &[Event], rank: usize) -> Vec<Overlap> {
    let mut under_way: Vec<UnderWay<'_>> = Vec::new();
    let mut index: HashMap<Handle, usize> = HashMap::new();
    let mut waits: Vec<(Time, Time)> = Vec::new();
    let mut waiting = None;
    for event in trace.iter().filter(|event| event.rank == rank) {
        match &event.what {
            What::Posted { handle, operation, place, blocking: false } => {
                index.insert(*handle, under_way.len());
                under_way.push(UnderWay { operation, place, posted: event.at, complete: None });
            }
            What::Completed { handle } => {
                if let Some(of) = index.get(handle) {
                    under_way[*of].complete = Some(event.at);
                }
            }
            What::Waits { .. } => waiting = Some(event.at),
            What::Resumed { .. } => waits.extend(waiting.take().map(|since| (since, event.at))),
            _ => {}
        }
    }
    under_way.iter().filter_map(|operation| told(rank, operation, &waits)).collect()
}

fn told(rank: usize, operation: &UnderWay<'_>, waits: &[(Time, Time)]) -> Option<Overlap> {
    let complete = operation.complete.filter(|complete| *complete > operation.posted)?;
    let first = waits.partition_point(|(_, until)| *until <= operation.posted);
    let during = waits[first..].iter().take_while(|(since, _)| *since < complete);
    let waited: f64 = during
        .map(|(since, until)| {
            (*until).min(complete).as_seconds() - (*since).max(operation.posted).as_seconds()
        })
        .sum();
    let whole = complete.as_seconds() - operation.posted.as_seconds();
    Some(Overlap {
        rank,
        operation: operation.operation.to_owned(),
        started: operation.place.clone(),
        share: (1.0 - waited / whole).clamp(0.0, 1.0),
    })
}
