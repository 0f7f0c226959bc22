//! Clauses: what paths that were merged have in common although they say different things.
//!
//! ```text
//! if a or b:              one path knows `a`, the other `not a` and `b`
//!     h = isend(x)        merged: neither fact is left, but the clause `a or b` is
//! if a or b:              both false contradicts the clause: there is no such way on which `h` is lost
//!     h.wait()
//! ```
//!
//! Each path says a list of clauses: every fact is a clause of one literal. Of two lists, each clause of the one together with
//! each clause of the other holds on both paths.

use std::collections::BTreeSet;

use super::symbol::{Symbol, Symbols, Term};

/// A condition with a truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Literal {
    /// What it speaks of: the symbol that is compared with a constant, or the condition itself.
    pub(crate) of: Symbol,
    pub(crate) condition: Symbol,
    pub(crate) truth: bool,
}

/// Literals of which at least one holds, sorted.
pub(crate) type Clause = Vec<Literal>;

/// Longer clauses, and more of them, are not kept.
const LONGEST: usize = 3;
const MOST: usize = 6;
/// Paths that differ in more than this are not compared clause by clause.
const COMPARED: usize = 6;

impl Literal {
    pub(crate) fn new(symbols: &Symbols, condition: Symbol, truth: bool) -> Self {
        let of = match symbols.term(condition) {
            Term::Apply(_, operands) => match operands.as_slice() {
                [of, bound] if symbols.constant_of(*bound).is_some() => *of,
                _ => condition,
            },
            _ => condition,
        };
        Self { of, condition, truth }
    }

    fn contradicts(&self, other: &Self) -> bool {
        self.condition == other.condition && self.truth != other.truth
    }
}

/// The clauses of more than one literal that follow from both lists.
pub(crate) fn in_common(mine: &BTreeSet<Clause>, theirs: &BTreeSet<Clause>) -> BTreeSet<Clause> {
    let (kept, mine_only): (Vec<&Clause>, Vec<&Clause>) =
        mine.iter().partition(|clause| is_implied(clause, theirs));
    let (taken, theirs_only): (Vec<&Clause>, Vec<&Clause>) =
        theirs.iter().partition(|clause| is_implied(clause, mine));
    let mut common: BTreeSet<Clause> =
        kept.into_iter().chain(taken).filter(|clause| clause.len() > 1).cloned().collect();
    if mine_only.len() <= COMPARED && theirs_only.len() <= COMPARED {
        for one in mine_only {
            common.extend(theirs_only.iter().filter_map(|other| either(one, other)));
        }
    }
    let minimal = |clause: &&Clause| !common.iter().any(|other| other != *clause && is_part(other, clause));
    common.iter().filter(minimal).take(MOST).cloned().collect()
}

fn is_implied(clause: &Clause, by: &BTreeSet<Clause>) -> bool {
    by.iter().any(|known| is_part(known, clause))
}

fn is_part(part: &Clause, whole: &Clause) -> bool {
    part.iter().all(|literal| whole.contains(literal))
}

/// That one or the other holds, unless that says nothing.
fn either(one: &Clause, other: &Clause) -> Option<Clause> {
    let both: BTreeSet<Literal> = one.iter().chain(other).copied().collect();
    let says_nothing = both.iter().any(|a| both.iter().any(|b| a.contradicts(b)));
    (!says_nothing && both.len() <= LONGEST && both.len() > 1).then(|| both.into_iter().collect())
}
