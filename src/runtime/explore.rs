//! Exploration: every schedule that a backend could choose, each run once.
//!
//! For each policy the program runs with no choices made; the run tells which choices it met. Then the last choice
//! that has an untried candidate is made differently, and so on, until there is none: a depth-first walk over
//! schedules that needs nothing but the tokens. A program without open receives has one schedule a policy.
//!
//! ```text
//! rl          met 3 candidates, then 2        took 0, 0
//! rl-0-1                                      took 0, 1
//! rl-1        met 2 candidates after that     took 1, 0
//! …
//! ```
//!
//! One schedule is run again and must give the same trace. If it does not, the program itself is nondeterministic,
//! and what was explored is not all that can happen.

use super::verdict::Verdict;
use super::{Policy, Run, Schedule};

/// What the exploration of a program has shown.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The verdicts, in the order of the policies.
    pub verdicts: Vec<Verdict>,
    /// Policies of which not every schedule was run, because there are more than the bound.
    pub unexhausted: Vec<Policy>,
    /// Whether a schedule that was run twice gave one trace.
    pub deterministic: bool,
}

/// Runs every schedule of these policies, at most so many a policy.
///
/// # Errors
/// A run that could not be started.
pub fn explore(
    policies: &[Policy],
    bound: usize,
    mut run: impl FnMut(&Schedule) -> Result<Run, String>,
) -> Result<Exploration, String> {
    let mut exploration = Exploration { verdicts: Vec::new(), unexhausted: Vec::new(), deterministic: true };
    let mut first: Option<Run> = None;
    for policy in policies {
        let mut next = Some(Schedule::from(*policy));
        for _ in 0..bound.max(1) {
            let Some(schedule) = next.take() else { break };
            let done = run(&schedule)?;
            next = successor(&done.verdict);
            exploration.verdicts.push(done.verdict.clone());
            first.get_or_insert(done);
        }
        if next.is_some() {
            exploration.unexhausted.push(*policy);
        }
    }
    if let Some(first) = first {
        exploration.deterministic = run(&first.verdict.schedule)?.trace == first.trace;
    }
    Ok(exploration)
}

/// The next schedule of the walk.
fn successor(verdict: &Verdict) -> Option<Schedule> {
    let choices = &verdict.choices;
    let last = choices.iter().rposition(|choice| choice.taken + 1 < choice.of)?;
    let mut taken: Vec<usize> = choices[..=last].iter().map(|choice| choice.taken).collect();
    taken[last] += 1;
    Some(Schedule { policy: verdict.schedule.policy, choices: taken })
}
