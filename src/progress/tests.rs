//! What is told of programs, and random programs that the runtime executes beside it.

mod random;

use super::analyse;
use crate::catalog::Catalog;
use crate::flow::What;
use crate::frontend::{ModuleName, python};
use crate::source::Language;

/// The rules that speak, each with its row.
pub(super) fn told(text: &str) -> Vec<String> {
    thread_local! {
        static CATALOG: Catalog = Catalog::new(Language::Python, &[]).unwrap();
    }
    let lowered = python::lower(text, &ModuleName::default());
    assert!(lowered.problems.is_empty(), "{:?}\n{text}", lowered.problems);
    let events = CATALOG.with(|catalog| analyse(&lowered.unit, catalog));
    let row = |at: u32| text.bytes().take(at as usize).filter(|byte| *byte == b'\n').count() + 1;
    let tell = |what: &What| match what {
        What::WaitCycle { at, .. } => format!("{}: wait-cycle", row(at.start)),
        What::DivergentCollective { at, .. } => format!("{}: divergent-collective", row(at.start)),
        What::UnmatchedMessage { at, why, .. } => format!("{}: unmatched-message {why:?}", row(at.start)),
        other => format!("{other:?}"),
    };
    events.iter().map(|event| tell(&event.what)).collect()
}

fn in_function(body: &str) -> Vec<String> {
    let head = "import torch, torch.distributed as dist\ndef f(x, y, flag, other, peer):\n    rank, size = dist.get_rank(), dist.get_world_size()\n";
    told(&format!("{head}{body}"))
}

#[test]
fn a_ring_that_sends_before_it_receives() {
    let body = "    dist.send(x, (rank + 1) % size)\n    dist.recv(y, (rank - 1) % size)\n";
    assert_eq!(in_function(body), ["4: wait-cycle"]);
}

#[test]
fn a_ring_whose_even_ranks_send_first() {
    let body = "    if rank % 2 == 0:\n        dist.send(x, (rank + 1) % size)\n        dist.recv(y, (rank - 1) % size)\n    \
                else:\n        dist.recv(y, (rank - 1) % size)\n        dist.send(x, (rank + 1) % size)\n";
    assert!(in_function(body).is_empty());
}

#[test]
fn a_condition_that_may_tell_the_ranks_apart() {
    let body = "    if flag:\n        dist.send(x, 1 - rank)\n        dist.recv(y, 1 - rank)\n    \
                else:\n        dist.recv(y, 1 - rank)\n        dist.send(x, 1 - rank)\n";
    assert!(in_function(body).is_empty());
}

#[test]
fn a_condition_that_has_nothing_to_do_with_the_order() {
    let body = "    if flag:\n        dist.send(x, 1 - rank)\n        dist.recv(y, 1 - rank)\n";
    assert_eq!(in_function(body), ["5: wait-cycle"]);
}

#[test]
fn peers_of_which_nothing_is_known() {
    let body = "    dist.send(x, peer)\n    dist.recv(y, peer)\n";
    assert!(in_function(body).is_empty(), "one side of a server and its clients");
}

#[test]
fn a_root_that_is_a_parameter() {
    let body = "    if rank == other:\n        dist.broadcast(x, other)\n";
    assert_eq!(in_function(body), ["5: divergent-collective"]);
}

#[test]
fn a_bound_that_may_include_all_ranks() {
    let body = "    if rank < other:\n        dist.all_reduce(x)\n";
    assert!(in_function(body).is_empty());
}

#[test]
fn a_program_for_two_ranks() {
    let body = "    if rank == 0:\n        dist.barrier()\n    elif rank == 1:\n        dist.barrier()\n";
    assert!(in_function(body).is_empty());
}

#[test]
fn a_call_that_may_bring_the_others() {
    let body = "    if rank == 0:\n        dist.broadcast(x, 0)\n    else:\n        other.join_in(x)\n";
    assert!(in_function(body).is_empty());
}

#[test]
fn a_number_that_was_reduced_first() {
    let body = "    kept = x[x > 0].numel()\n    if kept > 0:\n        dist.all_reduce(y)\n";
    assert_eq!(in_function(body), ["6: divergent-collective"]);
    let body = "    kept = (x > 0).nonzero()\n    dist.all_reduce(kept)\n    if kept.numel() > 0:\n        dist.all_reduce(y)\n";
    assert!(in_function(body).is_empty());
}

#[test]
fn two_functions_that_are_two_halves() {
    let text = "import torch.distributed as dist\n\
                def before():\n    if dist.get_rank() != 0:\n        dist.barrier()\n\
                def after():\n    if dist.get_rank() == 0:\n        dist.barrier()\n";
    assert!(told(text).is_empty());
}

#[test]
fn a_manager_whose_two_halves_are_one_barrier() {
    let text = "import torch.distributed as dist\nfrom contextlib import contextmanager\n\
                @contextmanager\ndef first():\n    if dist.get_rank() != 0:\n        dist.barrier()\n    yield\n    \
                if dist.get_rank() == 0:\n        dist.barrier()\n\
                def load(path):\n    with first():\n        return open(path).read()\n";
    assert!(told(text).is_empty());
}

#[test]
fn a_function_with_thousands_of_branches() {
    let branch = |index: usize| format!("    if c{index}:\n        dist.send(x, {index})\n");
    let text =
        format!("import torch.distributed as dist\ndef f(x):\n{}", (0..2000).map(branch).collect::<String>());
    assert!(told(&text).is_empty());
}

#[test]
fn a_loop_that_goes_round_for_ever() {
    let text = "import torch.distributed as dist\ndef f(x):\n    n = 0\n    while True:\n        n += 1\n        dist.barrier()\n";
    assert!(told(text).is_empty());
}
