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

/// The paths on which one of two conditions holds were merged, and that one of them does was forgotten.
#[test]
fn two_tests_of_the_same_two_conditions() {
    for condition in ["a or b", "not (a and b)", "a or b or xs"] {
        let body =
            format!("h = None\nif {condition}:\n    h = dist.isend(x, 1)\nif {condition}:\n    h.wait()");
        assert_eq!(lost(&body, APART), BTreeSet::new(), "{condition}");
    }
}

/// The same with a condition and its opposite.
#[test]
fn a_test_of_two_conditions_and_of_the_opposite() {
    let body = "h = dist.isend(x, 1)\nif a and b:\n    h.wait()\nif not (a and b):\n    h.wait()";
    assert_eq!(lost(body, APART), BTreeSet::new());
    let nested = "h = dist.isend(x, 1)\nif a:\n    if b:\n        h.wait()\nif not a or not b:\n    h.wait()";
    assert_eq!(lost(nested, APART), BTreeSet::new());
}

/// What is left of two paths is no more than that.
#[test]
fn a_test_of_one_of_two_conditions() {
    let body = "h = None\nif a or b:\n    h = dist.isend(x, 1)\nif a:\n    h.wait()";
    assert_eq!(lost(body, APART), BTreeSet::from([3]));
}

/// A comparison with a number that is not whole is kept and never decided; concluding from it did not come to an end.
#[test]
fn a_test_of_two_conditions_one_of_which_is_never_decided() {
    let body = "h = None\nif a == 2.0 or b:\n    h = dist.isend(x, 1)\nif not b:\n    work()\nif a == 2.0 or b:\n    h.wait()";
    assert!(lost(body, APART).len() <= 1);
}
