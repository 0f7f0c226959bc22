//! Laws of the fabric, on random programs that never leave this thread.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use unwaited::runtime::trace::{Event, What};
use unwaited::runtime::verdict::{Outcome, Verdict};
use unwaited::runtime::{
    Backend, Call, Collective, Dropped, Effect, Element, Fabric, GroupId, Handle, Place, Policy, Posting,
    Reply, Schedule, Settings, Start, Style, Submission, Turns, Wait, Which,
};

/// One line of a rank's program.
#[derive(Clone, Copy, Debug)]
enum Line {
    Isend { to: usize, tag: i64 },
    Irecv { from: Option<usize>, tag: i64 },
    Barrier,
    WaitFor(usize),
    WaitForAll,
    Poll(usize),
    Drop(usize),
    Compute(u64),
}

struct Played {
    verdict: Verdict,
    trace: Vec<Event>,
    delivered: Vec<(Handle, Handle)>,
    starts: HashMap<Handle, (usize, Start)>,
}

/// Runs one program a rank by hand: no thread, no process.
fn play(programs: &[Vec<Line>], backend: Backend, schedule: Schedule) -> Played {
    let settings = Settings { backend, schedule, ..Settings::default() };
    let mut turns = Turns::new(Fabric::new(programs.len(), settings), Style::Asynchronous);
    let mut lines: Vec<VecDeque<Line>> =
        programs.iter().map(|lines| lines.iter().copied().collect()).collect();
    let mut held: Vec<Vec<Handle>> = vec![Vec::new(); programs.len()];
    let mut played = Played {
        verdict: turns.fabric().ended(),
        trace: Vec::new(),
        delivered: Vec::new(),
        starts: HashMap::new(),
    };
    while !turns.is_over() {
        for rank in turns.running().collect::<Vec<_>>() {
            let submission = next_call(rank, &mut lines[rank], &mut held[rank]);
            turns.submit(rank, submission);
        }
        let turn = turns.play();
        for effect in turn.effects {
            if let Effect::Deliver { send, receive } = effect {
                played.delivered.push((send, receive));
            }
        }
        for (rank, handles) in turn.started {
            for handle in handles {
                played.starts.insert(handle, (rank, turns.fabric().posting(handle).start.clone()));
            }
        }
        for (rank, reply, _) in turn.replies {
            match reply {
                Reply::Started(handles) if turns.fabric().verdict().is_none() => held[rank].extend(handles),
                Reply::Refused(refusal) => panic!("{refusal}"),
                _ => {}
            }
        }
    }
    played.verdict = turns.fabric().verdict().cloned().unwrap();
    played.trace = turns.fabric().trace().to_vec();
    played
}

fn next_call(rank: usize, lines: &mut VecDeque<Line>, held: &mut Vec<Handle>) -> Submission {
    let mut dropped = Vec::new();
    let place = |line: usize| Place::new("program", u32::try_from(line).unwrap());
    let call = loop {
        let Some(line) = lines.pop_front() else { break Call::Leave };
        let pick = |index: usize| held.get(index % held.len().max(1)).copied();
        match line {
            Line::Isend { to, tag } => break start(Start::Send { to, tag, synchronous: false }),
            Line::Irecv { from, tag } => break start(Start::Receive { from, tag: Some(tag) }),
            Line::Barrier => {
                let barrier = Start::Collective(Collective::Barrier);
                let Call::Start(postings) = start(barrier) else { unreachable!() };
                break Call::Do(postings);
            }
            Line::WaitFor(index) => {
                if let Some(handle) = pick(index) {
                    break wait(vec![handle]);
                }
            }
            Line::WaitForAll => break wait(std::mem::take(held)),
            Line::Poll(index) => {
                if let Some(handle) = pick(index) {
                    break Call::Poll(vec![handle]);
                }
            }
            Line::Drop(index) => {
                if let Some(handle) = pick(index) {
                    held.retain(|other| *other != handle);
                    dropped.push(Dropped { handle, freed: false, place: place(lines.len()) });
                }
            }
            Line::Compute(micros) => break Call::Compute(Duration::from_micros(micros)),
        }
    };
    Submission {
        dropped,
        call,
        place: Place::new("program", u32::try_from(lines.len() + 100 * rank).unwrap()),
    }
}

fn start(start: Start) -> Call {
    let (bytes, element) = (Some(8), Element::F64);
    Call::Start(vec![Posting { start, group: GroupId::WORLD, bytes, element, api: "start".into() }])
}

fn wait(handles: Vec<Handle>) -> Call {
    Call::Wait(Wait { handles, which: Which::All, limit: None })
}

/// Messages as (sender, receiver, tag).
fn messages(ranks: usize) -> impl Strategy<Value = Vec<(usize, usize, i64)>> {
    let message =
        (0..ranks, 1..ranks, 0..2_i64).prop_map(move |(from, step, tag)| (from, (from + step) % ranks, tag));
    prop::collection::vec(message, 0..20)
}

/// Every rank posts its ends of the messages, in an order of its own that keeps those of one channel in order, with
/// computation in between, and then waits for all.
fn well_formed(messages: &[(usize, usize, i64)], ranks: usize, shuffle: &[usize]) -> Vec<Vec<Line>> {
    let mut programs = vec![Vec::new(); ranks];
    for (rank, program) in programs.iter_mut().enumerate() {
        let sends = messages
            .iter()
            .filter(|(from, ..)| *from == rank)
            .map(|(_, to, tag)| Line::Isend { to: *to, tag: *tag });
        let receives = messages
            .iter()
            .filter(|(_, to, _)| *to == rank)
            .map(|(from, _, tag)| Line::Irecv { from: Some(*from), tag: *tag });
        let (mut sends, mut receives) = (sends.collect::<VecDeque<_>>(), receives.collect::<VecDeque<_>>());
        for turn in 0.. {
            let coin = shuffle[(turn * 7 + rank) % shuffle.len()];
            let next = match coin % 2 {
                0 => sends.pop_front().or_else(|| receives.pop_front()),
                _ => receives.pop_front().or_else(|| sends.pop_front()),
            };
            let Some(line) = next else { break };
            program.push(Line::Compute(coin as u64 % 50));
            program.push(line);
        }
        program.push(Line::WaitForAll);
    }
    programs
}

fn line(ranks: usize) -> impl Strategy<Value = Line> {
    prop_oneof![
        4 => (0..ranks, 0..2_i64).prop_map(|(to, tag)| Line::Isend { to, tag }),
        4 => (0..ranks, 0..2_i64).prop_map(|(from, tag)| Line::Irecv { from: Some(from), tag }),
        1 => (0..2_i64).prop_map(|tag| Line::Irecv { from: None, tag }),
        1 => Just(Line::Barrier),
        3 => (0..9_usize).prop_map(Line::WaitFor),
        1 => Just(Line::WaitForAll),
        1 => (0..9_usize).prop_map(Line::Poll),
        2 => (0..9_usize).prop_map(Line::Drop),
        2 => (0..90_u64).prop_map(Line::Compute),
    ]
}

fn any_programs() -> impl Strategy<Value = Vec<Vec<Line>>> {
    (2..5_usize)
        .prop_flat_map(|ranks| prop::collection::vec(prop::collection::vec(line(ranks), 0..12), ranks))
}

/// mpi4py lets a rank send to itself, so that random programs are accepted.
const BACKEND: Backend = Backend::Mpi;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn messages_that_are_waited_for_all_arrive_once_and_never_overtake(
        messages in messages(4),
        shuffle in prop::collection::vec(0..100_usize, 8),
        policy in 0..4_usize,
    ) {
        let programs = well_formed(&messages, 4, &shuffle);
        let played = play(&programs, Backend::Gloo, Policy::ALL[policy].into());
        prop_assert_eq!(played.verdict.outcome, Outcome::Completes, "{:?}", played.verdict);
        prop_assert_eq!(played.delivered.len(), messages.len());
        for (channel, pairs) in channels(&played) {
            for window in pairs.windows(2) {
                prop_assert!(window[0].0 < window[1].0 && window[0].1 < window[1].1, "{:?} overtakes", channel);
            }
        }
    }

    #[test]
    fn any_program_gets_a_verdict_and_its_token_repeats_the_run(programs in any_programs(), policy in 0..4_usize) {
        let first = play(&programs, BACKEND, Policy::ALL[policy].into());
        let token = first.verdict.schedule.to_string();
        let second = play(&programs, BACKEND, token.parse().unwrap());
        prop_assert_eq!(first.trace, second.trace);
        prop_assert_eq!(first.verdict, second.verdict);
    }

    #[test]
    fn no_message_is_delivered_twice_or_to_a_stranger(programs in any_programs(), policy in 0..4_usize) {
        let played = play(&programs, BACKEND, Policy::ALL[policy].into());
        let mut seen = Vec::new();
        for (send, receive) in &played.delivered {
            prop_assert!(!seen.contains(send) && !seen.contains(receive));
            seen.extend([*send, *receive]);
            let (sender, Start::Send { to, tag, .. }) = &played.starts[send] else { panic!() };
            let (receiver, Start::Receive { from, tag: wanted }) = &played.starts[receive] else { panic!() };
            prop_assert_eq!(to, receiver);
            prop_assert_eq!(Some(*tag), *wanted);
            prop_assert!(from.is_none_or(|from| from == *sender));
        }
    }

    #[test]
    fn a_rank_that_is_said_to_be_blocked_never_went_on(programs in any_programs(), policy in 0..4_usize) {
        let played = play(&programs, BACKEND, Policy::ALL[policy].into());
        for blocked in &played.verdict.blocked {
            let last = played.trace.iter().rev().find(|event| event.rank == blocked.rank && is_act(&event.what));
            prop_assert!(matches!(last.map(|event| &event.what), Some(What::Waits { .. })), "{:?}", last);
        }
        let left = played.trace.iter().filter(|event| event.what == What::Left).count();
        if played.verdict.outcome == Outcome::Hangs {
            prop_assert_eq!(left + played.verdict.blocked.len(), programs.len());
        }
    }

    #[test]
    fn the_clock_of_a_trace_never_goes_back(programs in any_programs(), policy in 0..4_usize) {
        let played = play(&programs, BACKEND, Policy::ALL[policy].into());
        prop_assert!(played.trace.windows(2).all(|pair| pair[0].at <= pair[1].at));
    }
}

fn is_act(what: &What) -> bool {
    !matches!(what, What::Matched { .. } | What::Took { .. } | What::Completed { .. } | What::Lost { .. })
}

type Channel = (usize, usize, i64);

fn channels(played: &Played) -> HashMap<Channel, Vec<(Handle, Handle)>> {
    let mut channels: HashMap<Channel, Vec<(Handle, Handle)>> = HashMap::new();
    let mut pairs = played.delivered.clone();
    pairs.sort_unstable();
    for (send, receive) in pairs {
        let (from, Start::Send { to, tag, .. }) = &played.starts[&send] else { panic!() };
        channels.entry((*from, *to, *tag)).or_default().push((send, receive));
    }
    channels
}

#[test]
fn a_thousand_runs_of_one_token_have_one_trace() {
    let receiver =
        vec![Line::Irecv { from: None, tag: 0 }, Line::Irecv { from: None, tag: 0 }, Line::WaitForAll];
    let sender = vec![Line::Isend { to: 0, tag: 0 }, Line::WaitForAll];
    let programs = [receiver, sender.clone(), sender];
    let first = play(&programs, Backend::Gloo, "rl-1-0".parse().unwrap());
    assert_eq!(first.verdict.choices.len(), 1);
    for _ in 0..999 {
        assert_eq!(play(&programs, Backend::Gloo, "rl-1-0".parse().unwrap()).trace, first.trace);
    }
}
