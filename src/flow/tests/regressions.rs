//! Mistakes that these laws have found, as the smallest program that showed each.

use std::collections::BTreeSet;

use super::{events, lower};
use crate::flow::event::What;
use crate::flow::run::APART;

/// The lines of the body of `f` that lose a handle which they start.
fn lost(body: &str, apart: usize) -> BTreeSet<usize> {
    let head = "import torch.distributed as dist\ndef f(x, a, b, xs):\n";
    let indented = body.lines().map(|line| format!("    {line}\n")).collect::<String>();
    let text = format!("{head}{indented}");
    let row = |byte: u32| text[..byte as usize].matches('\n').count() - 1;
    let started = events(&lower(&text), apart).into_iter().filter_map(|event| match event.what {
        What::Lost { handle, .. } => Some(row(handle.started.start)),
        _ => None,
    });
    started.collect()
}

/// Where the states before and behind the first turn of a loop were joined, the loop was still taken to tell by its end that
/// the sequence is empty, and everything under a second loop over it was unreachable.
#[test]
fn two_loops_over_one_sequence_where_states_are_joined() {
    let body = "h = None\nfor v in xs:\n    h = dist.isend(x, 1)\nfor v in xs:\n    dist.isend(x, 1)";
    assert_eq!(lost(body, APART), BTreeSet::from([3, 5]));
    assert!(lost(body, 1).contains(&5));
}
