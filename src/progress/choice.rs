//! Choices: what is not known and has to be assumed, in every way that there is.
//!
//! ```text
//! if fast:            choice #0 of 2, the same for all ranks
//! if mask.any():      choice #1 of 2 for rank 0, #2 of 2 for rank 1: its nature differs between ranks
//! if rank == root:    choice #3: which rank `root` is
//! ```
//!
//! A run makes its choices in the order in which it meets them; the next run makes the last one differently that can be.

use std::collections::HashMap;

use super::value::Term;

/// What is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Question {
    /// Whether a condition is true; the n-th turn of a loop asks again.
    Truth { term: Term, turn: u32, rank: Option<usize> },
    /// Which number it is.
    Number { term: Term },
}

/// The choices of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    made: Vec<(Question, usize, usize)>,
    index: HashMap<Question, usize>,
}

impl Choices {
    /// What is chosen of so many.
    pub(super) fn choose(&mut self, question: Question, of: usize) -> usize {
        if let Some(at) = self.index.get(&question) {
            return self.made[*at].1;
        }
        self.index.insert(question, self.made.len());
        self.made.push((question, 0, of));
        0
    }

    /// What was chosen, if it was asked.
    pub(super) fn chosen(&self, question: Question) -> Option<usize> {
        self.index.get(&question).map(|at| self.made[*at].1)
    }

    /// The choices of the next run.
    pub(super) fn next(&self) -> Option<Choices> {
        let last = self.made.iter().rposition(|(_, taken, of)| taken + 1 < *of)?;
        let mut made = self.made[..=last].to_vec();
        made[last].1 += 1;
        let index = made.iter().enumerate().map(|(at, (question, ..))| (*question, at)).collect();
        Some(Choices { made, index })
    }

    /// Whether two runs agree in everything that both were asked, numbers aside.
    pub(super) fn agree_in_truths(&self, other: &Choices) -> bool {
        self.made.iter().all(|(question, taken, _)| match question {
            Question::Truth { .. } => other.chosen(*question).is_none_or(|chosen| chosen == *taken),
            Question::Number { .. } => true,
        })
    }

    /// Whether two runs agree in every number that both have chosen.
    pub(super) fn agree_in_numbers(&self, other: &Choices) -> bool {
        self.made.iter().all(|(question, taken, _)| match question {
            Question::Number { .. } => other.chosen(*question).is_none_or(|chosen| chosen == *taken),
            Question::Truth { .. } => true,
        })
    }

    /// Whether a condition that differs between ranks by its nature is decided.
    pub(super) fn has_local(&self) -> bool {
        self.made.iter().any(|(question, ..)| matches!(question, Question::Truth { rank: Some(_), .. }))
    }

    /// Whether a condition is decided for all ranks alike.
    pub(super) fn has_common(&self) -> bool {
        self.made.iter().any(|(question, ..)| matches!(question, Question::Truth { rank: None, .. }))
    }

    /// Whether a number is chosen.
    pub(super) fn has_number(&self) -> bool {
        self.made.iter().any(|(question, ..)| matches!(question, Question::Number { .. }))
    }
}
