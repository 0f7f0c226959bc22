//! How fast the runtime is: a deadlock told to 2 to 64 ranks, and 64 ranks that exchange 100,000 messages.

use std::io::Write;
use std::time::Instant;
use unwaited::runtime::verdict::Outcome;
use unwaited::runtime::{Buffer, Rank, World, wait_all};

fn main() {
    for ranks in [2, 4, 8, 16, 32, 64] {
        let started = Instant::now();
        let run = World::new(ranks).run(|rank| {
            let buffer = Buffer::from(vec![1.0_f32; 10]);
            rank.send(&buffer, (rank.id() + 1) % ranks);
            rank.recv(&buffer, (rank.id() + ranks - 1) % ranks);
        });
        assert_eq!(run.verdict.outcome, Outcome::Hangs);
        assert_eq!(run.verdict.cycle.len(), ranks);
        say(&format!("a ring of {ranks} ranks hangs: told after {:?}", started.elapsed()));
    }
    let (ranks, rounds) = (64, 100_000 / 64);
    let started = Instant::now();
    let run = World::new(ranks).run(|rank| exchange(rank, rounds));
    assert_eq!(run.verdict.outcome, Outcome::Completes);
    let (took, messages) = (started.elapsed(), ranks * rounds);
    let speed = messages as f64 / took.as_secs_f64();
    say(&format!("{messages} messages among {ranks} ranks in {took:?}: {speed:.0} a second, {}", memory()));
}

/// Each round, every rank sends to its right and receives from its left.
fn exchange(rank: &Rank, rounds: usize) {
    let (mine, other) = (Buffer::from(vec![rank.id() as u64; 16]), Buffer::from(vec![0_u64; 16]));
    let (left, right) = ((rank.id() + rank.size() - 1) % rank.size(), (rank.id() + 1) % rank.size());
    for _ in 0..rounds {
        wait_all(&[rank.irecv(&other, left), rank.isend(&mine, right)]);
        assert_eq!(other.get(15), left as u64);
    }
}

/// The most memory that the process has had, where the system tells.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "memory unknown".into(), |peak| format!("at most {} of memory", peak.trim()))
}

fn say(line: &str) {
    // A figure that nobody reads is not worth an error.
    let _ = writeln!(std::io::stdout(), "{line}");
}
