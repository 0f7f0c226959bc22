//! Worlds of Rust ranks: each test is a small program and the verdict that it must get.
#![allow(unused_must_use, reason = "the programs lose their requests on purpose")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;
use unwaited::runtime::verdict::{HarmKind, Outcome, Why};
use unwaited::runtime::{
    Backend, Buffer, Network, Policy, Rank, Reduction, Run, Schedule, Settings, World, wait_all, wait_any,
};

fn run_under(token: &str, ranks: usize, program: impl Fn(&Rank) + Sync) -> Run {
    let schedule: Schedule = token.parse().unwrap();
    World::new(ranks).with(Settings { schedule, ..Settings::default() }).run(program)
}

/// The outcomes under `rl`, `re`, `bl` and `be`.
fn outcomes(ranks: usize, program: impl Fn(&Rank) + Sync) -> [Outcome; 4] {
    Policy::ALL.map(|policy| {
        let settings = Settings { schedule: policy.into(), ..Settings::default() };
        World::new(ranks).with(settings).run(&program).verdict.outcome
    })
}

const HANGS: Outcome = Outcome::Hangs;
const COMPLETES: Outcome = Outcome::Completes;
const WRONG: Outcome = Outcome::WrongData;

#[test]
fn a_message_that_is_waited_for_on_both_sides() {
    let found = outcomes(2, |rank| {
        let buffer = Buffer::from(vec![rank.id() as f32; 10]);
        if rank.id() == 0 {
            rank.isend(&buffer, 1).wait();
        } else {
            rank.irecv(&buffer, 0).wait();
            assert_eq!(buffer.to_vec(), vec![0.0; 10]);
        }
    });
    assert_eq!(found, [COMPLETES; 4]);
}

#[test]
fn a_discarded_isend_with_a_late_receiver_names_the_lost_handle() {
    let program = |rank: &Rank| {
        let buffer = Buffer::from(vec![1.0; 10]);
        if rank.id() == 0 {
            rank.isend(&buffer, 1);
        } else {
            rank.compute(Duration::from_secs(1));
            rank.irecv(&buffer, 0).wait();
        }
    };
    assert_eq!(outcomes(2, program), [HANGS, HANGS, COMPLETES, COMPLETES]);
    let verdict = run_under("rl", 2, program).verdict;
    let [blocked] = &verdict.blocked[..] else { panic!("{verdict:?}") };
    assert_eq!((blocked.rank, &*blocked.operation), (1, "irecv from rank 0"));
    assert!(matches!(&blocked.why[..], [Why::Cancelled(lost)] if lost.operation == "isend to rank 1"));
    assert_eq!(verdict.blame.len(), 1);
    assert_eq!(verdict.blame[0].rank, 0);
}

#[test]
fn a_discarded_isend_with_an_early_receiver_depends_on_the_schedule() {
    let found = outcomes(2, |rank| {
        let buffer = Buffer::from(vec![1.0; 10]);
        if rank.id() == 0 {
            rank.compute(Duration::from_secs(1));
            rank.isend(&buffer, 1);
        } else {
            rank.irecv(&buffer, 0).wait();
        }
    });
    assert_eq!(found, [HANGS, COMPLETES, COMPLETES, COMPLETES]);
}

#[test]
fn both_handles_discarded_before_a_barrier() {
    let found = outcomes(2, |rank| {
        let buffer = Buffer::from(vec![1.0; 10]);
        if rank.id() == 0 {
            rank.isend(&buffer, 1);
        } else {
            rank.irecv(&buffer, 0);
        }
        rank.barrier();
    });
    assert_eq!(found, [HANGS; 4]);
}

#[test]
fn a_discarded_irecv_leaves_the_buffer_as_it_was() {
    let run = run_under("be", 2, |rank| {
        let buffer = Buffer::from(vec![rank.id() as f32; 3]);
        if rank.id() == 0 {
            rank.send(&buffer, 1);
        } else {
            rank.irecv(&buffer, 0);
            buffer.to_vec();
        }
    });
    assert_eq!(run.verdict.outcome, WRONG);
    assert_eq!(run.verdict.harms[0].kind, HarmKind::NeverFilled);
}

#[test]
fn a_handle_overwritten_by_the_next_turn_of_a_loop() {
    let found = outcomes(2, |rank| {
        let buffers: Vec<_> = (0..3).map(|n| Buffer::from(vec![n as f32])).collect();
        if rank.id() == 0 {
            let mut last = None;
            for buffer in &buffers {
                last = Some(rank.isend(buffer, 1));
            }
            last.unwrap().wait();
        } else {
            rank.compute(Duration::from_millis(1));
            buffers.iter().for_each(|buffer| rank.recv(buffer, 0));
        }
    });
    assert_eq!(found, [HANGS, HANGS, COMPLETES, COMPLETES]);
}

#[test]
fn a_send_buffer_written_before_the_wait() {
    let program = |rank: &Rank| {
        let buffer = Buffer::from(vec![1.0_f32; 4]);
        if rank.id() == 0 {
            let request = rank.isend(&buffer, 1);
            buffer.fill(7.0);
            request.wait();
        } else {
            rank.compute(Duration::from_secs(1));
            rank.recv(&buffer, 0);
        }
    };
    assert_eq!(outcomes(2, program), [WRONG, WRONG, COMPLETES, COMPLETES]);
    let harm = run_under("rl", 2, program).verdict.harms.remove(0);
    assert_eq!(harm.kind, HarmKind::SentChanged);
    let found = harm.difference.unwrap();
    assert_eq!((&*found.expected, &*found.got), ("1.0", "7.0"));
}

#[test]
fn a_receive_buffer_read_before_the_wait() {
    let program = |rank: &Rank| {
        let buffer = Buffer::from(vec![rank.id() as f32 + 1.0; 4]);
        if rank.id() == 0 {
            rank.compute(Duration::from_secs(1));
            rank.send(&buffer, 1);
        } else {
            let request = rank.irecv(&buffer, 0);
            buffer.get(0);
            request.wait();
        }
    };
    assert_eq!(outcomes(2, program), [WRONG; 4]);
    let harm = run_under("re", 2, program).verdict.harms.remove(0);
    assert_eq!(harm.kind, HarmKind::ReadEarly);
    let found = harm.difference.unwrap();
    assert_eq!((&*found.expected, &*found.got), ("1.0", "2.0"));
}

#[test]
fn a_receive_buffer_written_before_the_wait_loses_one_of_the_two() {
    let program = |rank: &Rank| {
        let buffer = Buffer::from(vec![rank.id() as f32; 4]);
        if rank.id() == 0 {
            rank.send(&buffer, 1);
        } else {
            let request = rank.irecv(&buffer, 0);
            rank.compute(Duration::from_secs(1));
            buffer.set(2, 9.0);
            request.wait();
        }
    };
    assert_eq!(outcomes(2, program), [WRONG; 4]);
    assert_eq!(run_under("rl", 2, program).verdict.harms[0].kind, HarmKind::WriteLost);
    assert_eq!(run_under("re", 2, program).verdict.harms[0].kind, HarmKind::MessageLost);
}

#[test]
fn two_receives_into_one_buffer() {
    let found = outcomes(3, |rank| {
        let buffer = Buffer::from(vec![rank.id() as f32; 4]);
        if rank.id() == 0 {
            wait_all(&[rank.irecv(&buffer, 1), rank.irecv(&buffer, 2)]);
        } else {
            rank.send(&buffer, 0);
        }
    });
    assert_eq!(found, [WRONG; 4]);
}

#[test]
fn head_to_head_sends_wait_for_each_other() {
    let program = |rank: &Rank| {
        let buffer = Buffer::from(vec![1.0; 10]);
        rank.send(&buffer, 1 - rank.id());
        rank.recv(&buffer, 1 - rank.id());
    };
    assert_eq!(outcomes(2, program), [HANGS, HANGS, COMPLETES, COMPLETES]);
    let verdict = run_under("rl", 2, program).verdict;
    assert_eq!(verdict.cycle, [0, 1]);
    assert!(matches!(verdict.blocked[0].why[..], [Why::Waits { rank: 1, .. }]));
}

#[test]
fn a_receive_posted_before_the_send_on_both_ranks() {
    let found = outcomes(2, |rank| {
        let (mine, other) = (Buffer::from(vec![rank.id() as f32; 10]), Buffer::from(vec![9.0; 10]));
        let receive = rank.irecv(&other, 1 - rank.id());
        let send = rank.isend(&mine, 1 - rank.id());
        wait_all(&[receive, send]);
        assert_eq!(other.get(0), 1.0 - rank.id() as f32);
    });
    assert_eq!(found, [COMPLETES; 4]);
}

#[test]
fn a_second_wait_for_a_message_never_returns_with_gloo() {
    let program = |rank: &Rank| {
        let buffer = Buffer::from(vec![1.0; 10]);
        if rank.id() == 0 {
            rank.send(&buffer, 1);
        } else {
            let request = rank.irecv(&buffer, 0);
            request.wait();
            request.wait();
        }
    };
    let verdict = run_under("rl", 2, program).verdict;
    assert_eq!(verdict.outcome, HANGS);
    assert!(matches!(verdict.blocked[0].why[..], [Why::WaitedTwice { .. }]));
    let mpi = World::new(2).with(Settings { backend: Backend::Mpi, ..Settings::default() }).run(program);
    assert_eq!(mpi.verdict.outcome, COMPLETES);
}

#[test]
fn a_poll_without_a_wait_never_says_yes_with_gloo() {
    let program = |rank: &Rank| {
        let buffer = Buffer::from(vec![1.0; 10]);
        if rank.id() == 0 {
            rank.send(&buffer, 1);
        } else {
            let request = rank.irecv(&buffer, 0);
            while !request.is_complete() {}
        }
    };
    assert_eq!(outcomes(2, program), [Outcome::PollsForever; 4]);
    let mpi = World::new(2).with(Settings { backend: Backend::Mpi, ..Settings::default() }).run(program);
    assert_eq!(mpi.verdict.outcome, COMPLETES);
}

#[test]
fn a_poll_loop_with_a_time_limit_ends() {
    let run = run_under("re", 2, |rank| {
        let buffer = Buffer::from(vec![1.0; 10]);
        if rank.id() == 0 {
            let start = rank.now();
            let request = rank.irecv(&buffer, 1);
            while !request.is_complete() && rank.now() - start < Duration::from_secs(5) {}
            std::mem::forget(request);
        }
    });
    assert_eq!(run.verdict.outcome, Outcome::PendingAtExit);
    let seconds = run.verdict.makespan.as_seconds();
    assert!((5.0..6.5).contains(&seconds), "{seconds}");
}

#[test]
fn a_wait_with_a_time_limit_that_runs_out() {
    let run = run_under("re", 2, |rank| {
        let buffer = Buffer::from(vec![1.0; 10]);
        if rank.id() == 0 {
            let request = rank.irecv(&buffer, 1);
            assert!(request.wait_within(Duration::from_secs(5)).is_err());
        }
    });
    assert_eq!(run.verdict.outcome, COMPLETES);
    assert_eq!(run.verdict.makespan.as_nanos(), 5_000_000_000);
}

#[test]
fn collectives_in_another_order_on_one_rank() {
    let verdict = run_under("rl", 2, |rank| {
        let buffer = Buffer::from(vec![1.0; 10]);
        if rank.id() == 0 {
            rank.barrier();
            rank.all_reduce(&buffer, Reduction::Sum);
        } else {
            rank.all_reduce(&buffer, Reduction::Sum);
            rank.barrier();
        }
    })
    .verdict;
    assert_eq!(verdict.outcome, HANGS);
    assert!(
        matches!(&verdict.blocked[0].why[..], [Why::Differs { rank: 1, operation, .. }] if operation == "all_reduce")
    );
}

#[test]
fn a_collective_that_one_rank_skips() {
    let verdict = run_under("rl", 3, |rank| {
        if rank.id() != 2 {
            rank.barrier();
        }
    })
    .verdict;
    assert_eq!(verdict.outcome, HANGS);
    assert_eq!(verdict.blocked[0].why, [Why::Left { rank: 2 }]);
}

#[test]
fn an_asynchronous_all_reduce_whose_tensor_is_written_before_the_wait() {
    let found = outcomes(2, |rank| {
        let buffer = Buffer::from(vec![1.0; 10]);
        let request = rank.iall_reduce(&buffer, Reduction::Sum);
        buffer.fill(5.0);
        request.wait();
    });
    assert_eq!(found, [WRONG; 4]);
}

#[test]
fn every_collective_brings_what_it_promises() {
    let found = outcomes(3, |rank| {
        let me = rank.id() as i64;
        let one = |value: i64| Buffer::from(vec![value]);
        let sum = one(me);
        rank.all_reduce(&sum, Reduction::Sum);
        assert_eq!(sum.to_vec(), [3]);
        let root = one(me);
        rank.broadcast(&root, 2);
        assert_eq!(root.to_vec(), [2]);
        let all: Vec<_> = (0..3).map(|_| one(-1)).collect();
        rank.all_gather(&all, &one(me * 10));
        assert_eq!(all.iter().map(|buffer| buffer.get(0)).collect::<Vec<_>>(), [0, 10, 20]);
        let from: Vec<_> = (0..3).map(|to| one(me * 10 + to)).collect();
        rank.all_to_all(&all, &from);
        assert_eq!(all.iter().map(|buffer| buffer.get(0)).collect::<Vec<_>>(), [me, me + 10, me + 20]);
        let part = one(-1);
        rank.scatter(&part, if me == 1 { &from } else { &[] }, 1);
        assert_eq!(part.get(0), 10 + me);
        rank.gather(if me == 0 { &all } else { &[] }, &one(me + 5), 0);
        if me == 0 {
            assert_eq!(all.iter().map(|buffer| buffer.get(0)).collect::<Vec<_>>(), [5, 6, 7]);
        }
        let most = one(me);
        rank.reduce(&most, 0, Reduction::Max);
        if me == 0 {
            assert_eq!(most.get(0), 2);
        }
        rank.barrier();
    });
    assert_eq!(found, [COMPLETES; 4]);
}

#[test]
fn a_message_that_does_not_fit_ends_the_receiver() {
    let verdict = run_under("rl", 2, |rank| {
        if rank.id() == 0 {
            rank.send(&Buffer::from(vec![1.0_f32; 10]), 1);
        } else {
            rank.recv(&Buffer::from(vec![1.0_f32; 5]), 0);
        }
    })
    .verdict;
    assert_eq!(verdict.outcome, Outcome::Fails);
    assert_eq!(
        verdict.failures[0].message,
        "a message of 40 bytes does not fit into the 20 bytes of recv from rank 0"
    );
}

#[test]
fn a_message_that_fills_half_of_the_buffer_is_wrong_data() {
    let found = outcomes(2, |rank| {
        if rank.id() == 0 {
            rank.send(&Buffer::from(vec![1.0_f32; 5]), 1);
        } else {
            rank.recv(&Buffer::from(vec![1.0_f32; 10]), 0);
        }
    });
    assert_eq!(found, [WRONG; 4]);
}

#[test]
fn a_rank_that_panics() {
    let verdict = run_under("rl", 2, |rank| {
        if rank.id() == 1 {
            std::panic::resume_unwind(Box::new("out of luck"));
        }
        rank.barrier();
    })
    .verdict;
    assert_eq!(verdict.outcome, Outcome::Fails);
    assert_eq!((verdict.failures[0].rank, &*verdict.failures[0].message), (1, "out of luck"));
}

#[test]
fn an_rsmpi_request_dropped_before_it_is_complete_aborts() {
    let run = World::new(2).with(Settings { backend: Backend::Rsmpi, ..Settings::default() }).run(|rank| {
        let buffer = Buffer::from(vec![1.0]);
        if rank.id() == 0 {
            rank.isend(&buffer, 1);
        } else {
            rank.recv(&buffer, 0);
        }
    });
    assert_eq!(run.verdict.outcome, Outcome::Fails);
}

#[test]
fn a_send_that_a_computation_hides() {
    let network = Network { latency: Duration::from_millis(100), bytes_per_second: u64::MAX };
    let world = World::new(2).with(Settings { network, ..Settings::default() });
    let program = |rank: &Rank| {
        let buffer = Buffer::from(vec![1.0]);
        if rank.id() == 0 {
            let request = rank.isend(&buffer, 1);
            rank.compute(Duration::from_millis(100));
            request.wait();
        } else {
            rank.recv(&buffer, 0);
        }
    };
    let hidden = world.run(program).verdict;
    assert_eq!(hidden.makespan.as_nanos(), 100_000_000);
    assert!(hidden.overlaps[0].share > 0.999, "{:?}", hidden.overlaps);
    assert_eq!(world.clone().blocking().run(program).verdict.makespan.as_nanos(), 200_000_000);
}

#[test]
fn whichever_request_completes_first_is_taken_out() {
    let found = outcomes(3, |rank| {
        let buffer = Buffer::from(vec![rank.id() as i32]);
        if rank.id() == 0 {
            let (one, two) = (Buffer::from(vec![0]), Buffer::from(vec![0]));
            let mut requests = vec![rank.irecv(&one, 1), rank.irecv(&two, 2)];
            let mut count = 0;
            while wait_any(&mut requests).is_some() {
                count += 1;
            }
            assert_eq!((count, one.get(0), two.get(0)), (2, 1, 2));
        } else {
            rank.send(&buffer, 0);
        }
    });
    assert_eq!(found, [COMPLETES; 4]);
}

#[test]
fn a_ring_of_sixty_four_ranks_that_sends_before_it_receives() {
    let verdict = run_under("rl", 64, |rank| {
        let buffer = Buffer::from(vec![1.0_f32; 10]);
        rank.send(&buffer, (rank.id() + 1) % 64);
        rank.recv(&buffer, (rank.id() + 63) % 64);
    })
    .verdict;
    assert_eq!(verdict.outcome, HANGS);
    assert_eq!(verdict.cycle, (0..64).collect::<Vec<_>>());
}

#[test]
fn a_receive_that_asks_for_another_tag_is_told_what_was_posted() {
    let verdict = run_under("bl", 2, |rank| {
        let buffer = Buffer::from(vec![1.0_f32; 10]);
        if rank.id() == 0 {
            rank.isend_with_tag(&buffer, 1, 3).wait();
        } else {
            rank.irecv_with_tag(&buffer, 0, 4).wait();
        }
    })
    .verdict;
    assert_eq!(verdict.outcome, HANGS);
    assert_eq!(verdict.blocked[0].operation, "irecv_with_tag from rank 0 (tag 4)");
    let [Why::Differs { rank: 0, operation, .. }] = &verdict.blocked[0].why[..] else {
        panic!("{verdict:?}")
    };
    assert_eq!(operation, "isend_with_tag to rank 1 (tag 3)");
}

#[test]
fn a_collective_in_a_pair_that_a_lost_handle_has_broken() {
    let verdict = run_under("rl", 3, |rank| {
        let buffer = Buffer::from(vec![1.0_f32; 10]);
        if rank.id() == 0 {
            rank.isend(&buffer, 1);
        }
        rank.barrier();
    })
    .verdict;
    assert_eq!(verdict.outcome, HANGS);
    assert!(verdict.blocked.iter().all(|blocked| matches!(blocked.why[..], [Why::PairBroken(_)])));
    assert_eq!(verdict.blame[0].operation, "isend to rank 1");
}
