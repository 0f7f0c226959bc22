//! Fixtures: programs that say in their first lines how they end.
//!
//! ```text
//! # ranks: 2
//! # verdict: hangs in some schedules
//! ```
//!
//! In Rust the lines begin with `//`. A verdict is one or several outcomes, joined by `or`: each of them must occur,
//! and nothing else may, unless it is said that they occur *in some schedules*. `static` says that the program is not
//! to be run. `no rule: why` says that what the program does wrong is not the linter's business.
//!
//! A *marker* at the end of a row, `#~ rule` or `//~ rule`, names the rule that reports this row. `#~ FN rule: why` and
//! `#~ FP rule: why` are wrong answers that are known: a miss, a false alarm.

use super::verdict::{Outcome, Verdict};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Header lines are looked for in so many lines.
const HEAD: usize = 20;

/// What a fixture says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// It is only linted.
    Static,
    /// It is run, and ends like this.
    Ends {
        /// Each of these occurs.
        outcomes: BTreeSet<Outcome>,
        /// Something else does, too.
        in_some: bool,
    },
}

/// A program with a header.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Its file.
    pub path: PathBuf,
    /// How many ranks run it.
    pub ranks: usize,
    /// What it says of itself.
    pub expectation: Expectation,
    /// Which rules report something in it.
    pub markers: Vec<Marker>,
    /// Whether it says that no rule is about what it does.
    pub no_rule: bool,
}

/// A rule that reports a row, or is to report it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The rule.
    pub rule: String,
    /// What it does.
    pub marked: Marked,
}

/// What a rule does at a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// It reports the row, rightly.
    Found,
    /// It does not report the row, and should.
    KnownMiss,
    /// It reports the row, and should not.
    KnownFalseAlarm,
}

impl Fixture {
    /// Reads the header of a file; `None` if it has none.
    ///
    /// # Errors
    /// A header that cannot be understood, with the reason.
    pub fn read(path: &Path) -> Result<Option<Fixture>, String> {
        let wrong = |error: String| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let header = |key: &str| {
            let lines = text.lines().take(HEAD).filter(|line| line.starts_with(['#', '/']));
            let mut values = lines.filter_map(|line| {
                line.trim_start_matches(['#', '/', '!'])
                    .trim()
                    .strip_prefix(key)?
                    .strip_prefix(':')
                    .map(str::trim)
            });
            values.next()
        };
        let Some(verdict) = header("verdict") else { return Ok(None) };
        let expectation = verdict.parse().map_err(wrong)?;
        let ranks = match header("ranks") {
            Some(ranks) => ranks.parse().map_err(|_| wrong(format!("`{ranks}` is no number of ranks")))?,
            None => 2,
        };
        let no_rule = header("no rule").is_some_and(|why| !why.is_empty());
        let markers = text.lines().flat_map(markers).collect();
        Ok(Some(Fixture { path: path.to_owned(), ranks, expectation, markers, no_rule }))
    }

    /// Whether a rule is marked like this somewhere.
    #[must_use]
    pub fn is_marked(&self, rule: &str, marked: Marked) -> bool {
        self.markers.iter().any(|marker| marker.rule == rule && marker.marked == marked)
    }
}

/// The markers of a row.
fn markers(row: &str) -> Vec<Marker> {
    let Some((_, text)) = row.split_once("#~ ").or_else(|| row.split_once("//~ ")) else { return Vec::new() };
    let (marked, rules) = match text.trim().split_once(' ') {
        Some(("FN", rest)) => (Marked::KnownMiss, rest),
        Some(("FP", rest)) => (Marked::KnownFalseAlarm, rest),
        Some(_) | None => (Marked::Found, text),
    };
    let names = rules.split_once(": ").map_or(rules, |(names, _)| names).split(',');
    names.map(|name| Marker { rule: name.trim().to_owned(), marked }).collect()
}

impl FromStr for Expectation {
    type Err = String;

    fn from_str(text: &str) -> Result<Expectation, String> {
        if text == "static" {
            return Ok(Expectation::Static);
        }
        let (text, in_some) = match text.strip_suffix("in some schedules") {
            Some(rest) => (rest.trim(), true),
            None => (text, false),
        };
        let outcomes = text.split(" or ").map(outcome).collect::<Result<_, _>>()?;
        Ok(Expectation::Ends { outcomes, in_some })
    }
}

const OUTCOMES: [Outcome; 7] = [
    Outcome::Completes,
    Outcome::Hangs,
    Outcome::WrongData,
    Outcome::PollsForever,
    Outcome::PendingAtExit,
    Outcome::Slow,
    Outcome::Fails,
];

fn outcome(word: &str) -> Result<Outcome, String> {
    let known = OUTCOMES.into_iter().find(|outcome| outcome.to_string() == word.trim());
    known.ok_or_else(|| {
        let words = OUTCOMES.map(|outcome| outcome.to_string()).join(", ");
        format!("`{word}` is no verdict; known are {words} and static")
    })
}

impl fmt::Display for Expectation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expectation::Static => out.write_str("static"),
            Expectation::Ends { outcomes, in_some } => {
                let words: Vec<String> = outcomes.iter().map(ToString::to_string).collect();
                write!(out, "{}{}", words.join(" or "), if *in_some { " in some schedules" } else { "" })
            }
        }
    }
}

impl Expectation {
    /// Whether slowness is the question, so that the blocking form must be run as well.
    #[must_use]
    pub fn asks_for_speed(&self) -> bool {
        matches!(self, Expectation::Ends { outcomes, .. } if outcomes.contains(&Outcome::Slow))
    }

    /// Whether the program does no harm.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        matches!(self, Expectation::Ends { outcomes, .. } if outcomes.iter().eq([&Outcome::Completes]))
    }

    /// Whether the verdicts of all schedules are as stated.
    #[must_use]
    pub fn fits(&self, verdicts: &[Verdict]) -> bool {
        let Expectation::Ends { outcomes, in_some } = self else { return verdicts.is_empty() };
        let found: BTreeSet<Outcome> = verdicts.iter().map(|verdict| verdict.outcome).collect();
        match in_some {
            true => outcomes.is_subset(&found) && !found.is_subset(outcomes),
            false => *outcomes == found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_line_reads_back_as_it_was_written() {
        for line in ["static", "hangs", "hangs or wrong data", "polls for ever in some schedules", "slow"] {
            assert_eq!(line.parse::<Expectation>().unwrap().to_string(), line);
        }
    }

    #[test]
    fn a_verdict_with_a_misspelt_word_names_the_known_ones() {
        let refused = "hang".parse::<Expectation>().unwrap_err();
        assert!(refused.starts_with("`hang` is no verdict; known are completes, hangs"), "{refused}");
    }

    #[test]
    fn markers_of_every_form() {
        let of = |row: &str| {
            let markers = markers(row).into_iter();
            markers.map(|Marker { rule, marked }| format!("{marked:?} {rule}")).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(of("f()  #~ busy-poll, wait-cycle"), "Found busy-poll; Found wait-cycle");
        assert_eq!(of("f(); //~ busy-poll"), "Found busy-poll");
        assert_eq!(of("f()  #~ FN busy-poll: a loop in a callee"), "KnownMiss busy-poll");
        assert_eq!(of("f()  #~ FP busy-poll: the time limit"), "KnownFalseAlarm busy-poll");
        assert_eq!(of("f()  # busy-poll"), "");
    }
}
