//! Schedules: what a real backend leaves open, and nothing else.
//!
//! A schedule is a [`Policy`] and a list of *choices*. The policy says how sends and transfers behave throughout; a
//! choice says which of several messages a receive from any rank takes. Everything else is fixed by the program, so a
//! program without such receives has one schedule for each policy.
//!
//! A schedule is written as a *token*: `rl` is rendezvous and lazy without a choice, `be-0-2` is buffered and eager
//! where the first open receive takes its first candidate and the second its third. The same token gives the same run.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// When a send is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sends {
    /// When its bytes have arrived in the receiver's buffer.
    Rendezvous,
    /// At once: the bytes are copied when it is posted.
    Buffered,
}

/// When the bytes of a matched pair move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Transfers {
    /// As soon as it is matched.
    Eager,
    /// As late as possible: when the ranks of both ends are inside a wait, or when nobody could go on otherwise. The
    /// time that the bytes need is counted from the match all the same, so overlap is not lost.
    Lazy,
}

/// One of the four ways in which a backend may behave throughout a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Policy {
    /// When a send is complete.
    pub sends: Sends,
    /// When the bytes move.
    pub transfers: Transfers,
}

impl Policy {
    /// All four, the strictest first.
    pub const ALL: [Policy; 4] = [
        Policy { sends: Sends::Rendezvous, transfers: Transfers::Lazy },
        Policy { sends: Sends::Rendezvous, transfers: Transfers::Eager },
        Policy { sends: Sends::Buffered, transfers: Transfers::Lazy },
        Policy { sends: Sends::Buffered, transfers: Transfers::Eager },
    ];

    fn letters(self) -> [char; 2] {
        let sends = match self.sends {
            Sends::Rendezvous => 'r',
            Sends::Buffered => 'b',
        };
        let transfers = match self.transfers {
            Transfers::Eager => 'e',
            Transfers::Lazy => 'l',
        };
        [sends, transfers]
    }
}

impl Default for Policy {
    fn default() -> Policy {
        Policy::ALL[0]
    }
}

/// `rendezvous-lazy`, as on the command line.
impl fmt::Display for Policy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sends = match self.sends {
            Sends::Rendezvous => "rendezvous",
            Sends::Buffered => "buffered",
        };
        let transfers = match self.transfers {
            Transfers::Eager => "eager",
            Transfers::Lazy => "lazy",
        };
        write!(out, "{sends}-{transfers}")
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(name: &str) -> Result<Policy, String> {
        Policy::ALL.into_iter().find(|policy| policy.to_string() == name).ok_or_else(|| {
            let known = Policy::ALL.map(|policy| policy.to_string()).join(", ");
            format!("`{name}` is no policy; known are {known}")
        })
    }
}

/// A policy and the choices to make; after the last of them the first candidate is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Schedule {
    /// How sends and transfers behave.
    pub policy: Policy,
    /// Which candidate each open receive takes.
    pub choices: Vec<usize>,
}

impl From<Policy> for Schedule {
    fn from(policy: Policy) -> Schedule {
        Schedule { policy, choices: Vec::new() }
    }
}

/// The token.
impl fmt::Display for Schedule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [sends, transfers] = self.policy.letters();
        write!(out, "{sends}{transfers}")?;
        self.choices.iter().try_for_each(|choice| write!(out, "-{choice}"))
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(token: &str) -> Result<Schedule, String> {
        let wrong = || format!("`{token}` is no schedule token; one looks like `rl` or `be-0-2`");
        let mut parts = token.split('-');
        let letters = parts.next().unwrap_or_default();
        let policy = Policy::ALL
            .into_iter()
            .find(|policy| policy.letters().iter().copied().eq(letters.chars()))
            .ok_or_else(wrong)?;
        let choices = parts.map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
        Ok(Schedule { policy, choices })
    }
}

/// A choice that a run has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The candidate that was taken.
    pub taken: usize,
    /// How many there were.
    pub of: usize,
}

/// Follows a schedule and keeps the choices that were made.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    schedule: Schedule,
    made: Vec<Choice>,
}

impl Chooser {
    pub(crate) fn new(schedule: Schedule) -> Chooser {
        Chooser { schedule, made: Vec::new() }
    }

    pub(crate) fn policy(&self) -> Policy {
        self.schedule.policy
    }

    /// Picks one of so many candidates; a single one is no choice.
    pub(crate) fn choose(&mut self, of: usize) -> usize {
        if of < 2 {
            return 0;
        }
        let wanted = self.schedule.choices.get(self.made.len()).copied().unwrap_or(0);
        let taken = wanted.min(of - 1);
        self.made.push(Choice { taken, of });
        taken
    }

    pub(crate) fn made(&self) -> &[Choice] {
        &self.made
    }

    /// The schedule that repeats this run.
    pub(crate) fn followed(&self) -> Schedule {
        Schedule {
            policy: self.schedule.policy,
            choices: self.made.iter().map(|choice| choice.taken).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_token_reads_back_as_the_schedule_it_was_written_from(
            policy in 0..4_usize,
            choices in prop::collection::vec(0..9_usize, 0..6),
        ) {
            let schedule = Schedule { policy: Policy::ALL[policy], choices };
            prop_assert_eq!(schedule.to_string().parse::<Schedule>(), Ok(schedule));
        }
    }

    #[test]
    fn a_token_with_a_letter_too_many_is_refused_with_an_example() {
        let refused = "rlx".parse::<Schedule>();
        assert_eq!(refused, Err("`rlx` is no schedule token; one looks like `rl` or `be-0-2`".into()));
    }
}
