//! Where the analysis differs from a run on purpose, or knowingly: an example of each.
//!
//! **Silent on purpose**
//!
//! - A loop over a list of which not every place is known is one turn for all elements.
//! - `pop` in a loop around it drains a list that was made outside of the loop, however often the loop turns.
//! - A wait in a loop excuses the way on which the loop takes no turn.
//! - Of the handles that one wait leaves pending one is told.
//!
//! **Knowingly wrong**
//!
//! - What every path needs at once is forgotten where it takes more than three conditions to say it.
//! - A handle that was tested against `None` may be `None` in the next test all the same.

use super::concrete::{Search, enumerate};
use super::{events, lower, named};
use crate::flow::event::What;
use crate::flow::run::APART;
use crate::ir::Unit;

fn unit(body: &str) -> Unit {
    let indented = body.lines().map(|line| format!("    {line}\n")).collect::<String>();
    let head = "import torch.distributed as dist\ndef f(x, c, ca, cb, cd, xs, w):\n";
    lower(&format!("{head}{indented}"))
}

/// How many places the analysis says are lost, and how many are on some run.
fn told_and_true(body: &str) -> (usize, usize) {
    let unit = unit(body);
    let told = events(&unit, APART);
    let told =
        told.iter().filter(|it| matches!(it.what, What::Lost { .. } | What::PartlyWaited { .. })).count();
    let mut lost = std::collections::BTreeSet::new();
    enumerate(&unit, named(&unit, "f"), 2_000, &mut |outcome| {
        lost.extend(outcome.lost.iter().map(|it| it.started));
        Search::Open
    });
    (told, lost.len())
}

#[test]
fn a_loop_that_is_left_after_the_first_element() {
    let body = "l = []\nfor v in xs:\n    l.append(dist.isend(x, 1))\nfor r in l:\n    r.wait()\n    break";
    assert_eq!(told_and_true(body), (0, 1));
}

#[test]
fn a_loop_that_takes_fewer_than_it_adds() {
    let body = "l = []\nwhile w:\n    l.append(dist.isend(x, 1))\n    l.append(dist.isend(x, 1))\n    l.pop().wait()";
    assert_eq!(told_and_true(body), (0, 1));
}

#[test]
fn a_wait_in_a_loop_that_may_take_no_turn() {
    let body = "h = dist.isend(x, 1)\nfor v in xs:\n    h.wait()";
    assert_eq!(told_and_true(body), (0, 1));
}

#[test]
fn one_wait_that_leaves_two_handles() {
    let body = "l = [dist.isend(x, 1), dist.isend(x, 2), dist.isend(x, 3)]\nl[0].wait()";
    assert_eq!(told_and_true(body), (1, 2));
}

#[test]
fn one_of_four_conditions() {
    let body =
        "h = None\nif c or ca or cb or cd:\n    h = dist.isend(x, 1)\nif c or ca or cb or cd:\n    h.wait()";
    assert_eq!(told_and_true(body), (1, 0));
}
