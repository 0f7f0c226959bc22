//! Random programs of a few ranks: what is told of them must come true in the runtime.
//!
//! A program is a list of statements, some of them under a test of the rank. It is written as Python, for the analysis, and
//! executed by ranks that are threads.
//!
//! ```text
//! if rank == 0: dist.send(x, (rank + 1) % size)     rank.send(&x, (rank.id() + 1) % rank.size())
//! dist.barrier()                                    rank.barrier()
//! ```

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Formatter, Write};

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::told;
use crate::runtime::verdict::Outcome;
use crate::runtime::{Buffer, Rank, Reduction, Request, World};

/// The numbers of ranks that both sides try.
const SIZES: [usize; 3] = [2, 3, 4];

#[derive(Clone)]
struct Program(Vec<(Option<Test>, Vec<Step>, Vec<Step>)>);

/// Which ranks take the first way.
#[derive(Clone, Copy, Debug)]
enum Test {
    Is(usize),
    Even,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Send(Peer),
    Receive(Peer),
    /// Starts it under a number, to be waited for later.
    StartSend(u8, Peer),
    StartReceive(u8, Peer),
    Wait(u8),
    Barrier,
    Reduce,
}

#[derive(Clone, Copy, Debug)]
enum Peer {
    Next,
    Previous,
}

impl Peer {
    fn text(self) -> &'static str {
        match self {
            Peer::Next => "(rank + 1) % size",
            Peer::Previous => "(rank - 1) % size",
        }
    }

    fn of(self, rank: &Rank) -> usize {
        match self {
            Peer::Next => (rank.id() + 1) % rank.size(),
            Peer::Previous => (rank.id() + rank.size() - 1) % rank.size(),
        }
    }
}

impl Debug for Program {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "\n{}", self.text())
    }
}

impl Program {
    fn text(&self) -> String {
        let mut text = "import torch.distributed as dist\n\ndef f(x):\n    rank, size = dist.get_rank(), dist.get_world_size()\n    h0 = h1 = None\n".to_owned();
        for (test, yes, no) in &self.0 {
            match test {
                None => lines(&mut text, yes, "    "),
                Some(test) => {
                    let condition = match test {
                        Test::Is(rank) => format!("rank == {rank}"),
                        Test::Even => "rank % 2 == 0".to_owned(),
                    };
                    let _ = writeln!(text, "    if {condition}:");
                    lines(&mut text, yes, "        ");
                    let _ = writeln!(text, "    else:");
                    lines(&mut text, no, "        ");
                }
            }
        }
        // Whatever is still open is waited for, as the analysis does it at the end of a script.
        text.push_str("    if h0 is not None:\n        h0.wait()\n    if h1 is not None:\n        h1.wait()\n\nf(None)\n");
        text
    }

    fn run(&self, size: usize) -> Outcome {
        World::new(size).run(|rank| self.play(rank)).verdict.outcome
    }

    fn play(&self, rank: &Rank) {
        let buffer = Buffer::from(vec![1.0_f32; 4]);
        let mut held: BTreeMap<u8, Request> = BTreeMap::new();
        let mut all: Vec<Request> = Vec::new();
        for (test, yes, no) in &self.0 {
            let first = match test {
                None => true,
                Some(Test::Is(number)) => rank.id() == *number,
                Some(Test::Even) => rank.id().is_multiple_of(2),
            };
            for step in if first { yes } else { no } {
                step.play(rank, &buffer, (&mut held, &mut all));
            }
        }
        held.into_values().for_each(|request| {
            request.wait();
        });
        all.iter().for_each(|request| {
            request.wait();
        });
    }
}

impl Step {
    fn text(self) -> String {
        match self {
            Step::Send(peer) => format!("dist.send(x, {})", peer.text()),
            Step::Receive(peer) => format!("dist.recv(x, {})", peer.text()),
            Step::StartSend(name, peer) => format!("h{name} = dist.isend(x, {})", peer.text()),
            Step::StartReceive(name, peer) => format!("h{name} = dist.irecv(x, {})", peer.text()),
            Step::Wait(name) => format!("if h{name} is not None: h{name}.wait(); h{name} = None"),
            Step::Barrier => "dist.barrier()".to_owned(),
            Step::Reduce => "dist.all_reduce(x)".to_owned(),
        }
    }

    fn play(
        self,
        rank: &Rank,
        buffer: &Buffer<f32>,
        (held, all): (&mut BTreeMap<u8, Request>, &mut Vec<Request>),
    ) {
        let kept = match self {
            Step::Send(peer) => return rank.send(buffer, peer.of(rank)),
            Step::Receive(peer) => return rank.recv(buffer, peer.of(rank)),
            Step::Barrier => return rank.barrier(),
            Step::Reduce => return rank.all_reduce(buffer, Reduction::Sum),
            Step::Wait(name) => {
                if let Some(request) = held.remove(&name) {
                    request.wait();
                }
                return;
            }
            Step::StartSend(name, peer) => held.insert(name, rank.isend(buffer, peer.of(rank))),
            Step::StartReceive(name, peer) => held.insert(name, rank.irecv(buffer, peer.of(rank))),
        };
        // A handle that is overwritten is the matter of another rule: here somebody keeps it.
        all.extend(kept);
    }
}

fn lines(text: &mut String, steps: &[Step], indent: &str) {
    if steps.is_empty() {
        let _ = writeln!(text, "{indent}pass");
    }
    for step in steps {
        let _ = writeln!(text, "{indent}{}", step.text());
    }
}

fn peer() -> impl Strategy<Value = Peer> {
    prop_oneof![Just(Peer::Next), Just(Peer::Previous)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => peer().prop_map(Step::Send),
        4 => peer().prop_map(Step::Receive),
        2 => (0..2_u8, peer()).prop_map(|(name, peer)| Step::StartSend(name, peer)),
        2 => (0..2_u8, peer()).prop_map(|(name, peer)| Step::StartReceive(name, peer)),
        3 => (0..2_u8).prop_map(Step::Wait),
        1 => Just(Step::Barrier),
        1 => Just(Step::Reduce),
    ]
}

fn program() -> impl Strategy<Value = Program> {
    let test = prop_oneof![2 => Just(None), 1 => (0..3_usize).prop_map(|it| Some(Test::Is(it))), 2 => Just(Some(Test::Even))];
    let part = (test, prop::collection::vec(step(), 1..3), prop::collection::vec(step(), 0..3));
    prop::collection::vec(part, 1..4).prop_map(Program)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn what_is_told_of_a_program_comes_true(program in program()) {
        let told = told(&program.text());
        if !told.is_empty() {
            let ends: Vec<Outcome> = SIZES.iter().map(|size| program.run(*size)).collect();
            prop_assert!(ends.contains(&Outcome::Hangs), "{told:?} of a program that ends as {ends:?}");
        }
    }

    #[test]
    fn a_program_that_completes_with_any_number_of_ranks_is_not_told_of(program in program()) {
        let ends: Vec<Outcome> = SIZES.iter().map(|size| program.run(*size)).collect();
        if ends.iter().all(|end| matches!(end, Outcome::Completes | Outcome::WrongData | Outcome::PendingAtExit)) {
            prop_assert_eq!(told(&program.text()), Vec::<String>::new());
        }
    }
}

/// The same programs each time: of those that hang with every number of ranks, how many are told.
#[test]
fn most_exchanges_that_hang_are_told() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut hang, mut found) = (0, 0);
    for _ in 0..600 {
        let program = program().new_tree(&mut runner).unwrap().current();
        if SIZES.iter().all(|size| program.run(*size) == Outcome::Hangs) {
            hang += 1;
            found += usize::from(!told(&program.text()).is_empty());
        }
    }
    assert!(hang > 50, "{hang} programs hang");
    assert!(found * 2 > hang, "{found} of {hang} programs that hang are told");
}
