//! Facts: what the branches of a path have told about symbols.
//!
//! ```text
//! copies = config.copies
//! async_op = overlap and copies == 1      and(overlap, equal(copies, 1))
//! if copies > 1:                          taken: 1 < copies
//!     works = []
//! if async_op:                            cannot be true: copies is at least 2 on this path
//! ```
//!
//! An atomic condition is kept under its symbol with its truth value; comparisons with constants are kept as ranges of the
//! symbol that is compared. Two facts that contradict each other mean that no execution takes the path.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::clauses::{self, Clause, Literal};
use super::symbol::{Symbol, Symbols, Term, truth_of};
use crate::ir::{Constant, Operator};

/// The facts of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    truths: Arc<BTreeMap<Symbol, bool>>,
    ranges: Arc<BTreeMap<Symbol, Range>>,
    /// Of each of these at least one holds: what is left where paths with different facts are merged.
    clauses: Arc<BTreeSet<Clause>>,
}

/// What is known of a symbol that was compared with constants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Range {
    equal: Option<Constant>,
    unequal: Vec<Constant>,
    low: Option<i64>,
    high: Option<i64>,
}

/// How many constants are remembered that a symbol is not: a chain of thousands of `elif` tells no more.
const MOST_UNEQUAL: usize = 32;

/// An atomic condition in its normal form.
enum Atom {
    Truth(Symbol),
    Equal(Symbol, Constant),
    /// `symbol < bound`.
    Below(Symbol, i64),
}

impl Facts {
    /// Whether a condition holds, where the facts decide it.
    pub(crate) fn decide(&self, symbols: &mut Symbols, condition: Symbol) -> Option<bool> {
        if let Some(constant) = symbols.constant_of(condition) {
            return truth_of(constant);
        }
        if let Some(&known) = self.truths.get(&condition) {
            return Some(known);
        }
        match symbols.term(condition).clone() {
            Term::Function(_) | Term::Class(_) => Some(true),
            Term::Apply(Operator::Not, operands) => {
                self.decide(symbols, *operands.first()?).map(|truth| !truth)
            }
            Term::Apply(Operator::And, operands) => self.decide_all(symbols, &operands, false),
            Term::Apply(Operator::Or, operands) => self.decide_all(symbols, &operands, true),
            _ => {
                let (atom, positive) = normal(symbols, condition);
                self.decide_atom(symbols, &atom).map(|truth| truth == positive)
            }
        }
    }

    /// `and` and `or`: one operand that is `decisive` decides, all others together decide the opposite.
    fn decide_all(&self, symbols: &mut Symbols, operands: &[Symbol], decisive: bool) -> Option<bool> {
        let mut open = false;
        for &operand in operands {
            match self.decide(symbols, operand) {
                Some(truth) if truth == decisive => return Some(decisive),
                Some(_) => {}
                None => open = true,
            }
        }
        (!open).then_some(!decisive)
    }

    fn decide_atom(&self, symbols: &Symbols, atom: &Atom) -> Option<bool> {
        match atom {
            Atom::Truth(symbol) => self.decide_truth(symbols, *symbol),
            Atom::Equal(symbol, constant) => {
                if matches!(constant, Constant::None) && self.truths.get(symbol) == Some(&true) {
                    return Some(false);
                }
                if matches!(symbols.term(*symbol), Term::Function(_) | Term::Class(_)) {
                    return Some(false);
                }
                self.ranges.get(symbol)?.equals(constant)
            }
            Atom::Below(symbol, bound) => self.ranges.get(symbol)?.below(*bound),
        }
    }

    fn decide_truth(&self, symbols: &Symbols, symbol: Symbol) -> Option<bool> {
        if let Some(constant) = symbols.constant_of(symbol) {
            return truth_of(constant);
        }
        if let Some(&known) = self.truths.get(&symbol) {
            return Some(known);
        }
        if let Some(known) = self.decide_order(symbols, symbol) {
            return Some(known);
        }
        let range = self.ranges.get(&symbol)?;
        if let Some(equal) = &range.equal {
            return truth_of(equal);
        }
        (range.low >= Some(1) || range.high.is_some_and(|high| high < 0)).then_some(true)
    }

    /// `a == b` and `a < b` cannot both be true.
    fn decide_order(&self, symbols: &Symbols, symbol: Symbol) -> Option<bool> {
        let Term::Apply(operator, operands) = symbols.term(symbol) else { return None };
        let holds = |operator: Operator, a: Symbol, b: Symbol| {
            let other = symbols.known(&Term::Apply(operator, vec![a, b]));
            other.is_some_and(|other| self.truths.get(&other) == Some(&true))
        };
        let &[a, b] = operands.as_slice() else { return None };
        let excluded = match operator {
            Operator::Equal => holds(Operator::Less, a, b) || holds(Operator::Less, b, a),
            Operator::Less => {
                holds(Operator::Equal, a, b) || holds(Operator::Equal, b, a) || holds(Operator::Less, b, a)
            }
            _ => false,
        };
        excluded.then_some(false)
    }

    /// The ways in which a condition can have a truth value, none where it cannot.
    pub(crate) fn assume(&self, symbols: &mut Symbols, condition: Symbol, truth: bool) -> Vec<Self> {
        let ways = self.assume_alone(symbols, condition, truth);
        ways.into_iter().filter_map(|facts| facts.concluded(symbols)).collect()
    }

    /// With what follows from the clauses; nothing where one of them cannot hold.
    fn concluded(mut self, symbols: &mut Symbols) -> Option<Self> {
        for clause in self.clauses.clone().iter() {
            let truths: Vec<(Literal, Option<bool>)> =
                clause.iter().map(|literal| (*literal, self.decide(symbols, literal.condition))).collect();
            if truths.iter().any(|(literal, truth)| *truth == Some(literal.truth)) {
                continue;
            }
            let mut open = truths.iter().filter(|(_, truth)| truth.is_none());
            let (last, _) = open.next()?;
            if open.next().is_none() {
                let (atom, positive) = normal(symbols, last.condition);
                if !self.learn(symbols, atom, last.truth == positive) {
                    return None;
                }
                // What is compared with a number that is not whole is never decided.
                if self.decide(symbols, last.condition).is_some() {
                    return self.concluded(symbols);
                }
            }
        }
        Some(self)
    }

    fn assume_alone(&self, symbols: &mut Symbols, condition: Symbol, truth: bool) -> Vec<Self> {
        match self.decide(symbols, condition) {
            Some(known) if known == truth => return vec![self.clone()],
            Some(_) => return Vec::new(),
            None => {}
        }
        match symbols.term(condition).clone() {
            Term::Unknown => vec![self.clone()],
            Term::Apply(Operator::Not, operands) if operands.len() == 1 => {
                self.assume(symbols, operands[0], !truth)
            }
            Term::Apply(Operator::And, operands) => self.assume_chain(symbols, &operands, truth, true),
            Term::Apply(Operator::Or, operands) => self.assume_chain(symbols, &operands, truth, false),
            _ => {
                let (atom, positive) = normal(symbols, condition);
                let mut facts = self.clone();
                let holds = facts.learn(symbols, atom, truth == positive);
                if holds { vec![facts] } else { Vec::new() }
            }
        }
    }

    /// A chain of operands that is left at the first one which is not `going_on`.
    fn assume_chain(
        &self,
        symbols: &mut Symbols,
        operands: &[Symbol],
        truth: bool,
        going_on: bool,
    ) -> Vec<Self> {
        let mut on_the_way = vec![self.clone()];
        let mut left = Vec::new();
        for &operand in operands {
            let mut next = Vec::new();
            for facts in on_the_way {
                if truth != going_on {
                    left.extend(facts.assume(symbols, operand, !going_on));
                }
                next.extend(facts.assume(symbols, operand, going_on));
            }
            on_the_way = next;
        }
        if truth == going_on { on_the_way } else { left }
    }

    /// Adds an atom; false where it contradicts what is known.
    fn learn(&mut self, symbols: &Symbols, atom: Atom, truth: bool) -> bool {
        if let Some(known) = self.decide_atom(symbols, &atom) {
            return known == truth;
        }
        match atom {
            Atom::Truth(symbol) | Atom::Equal(symbol, _) | Atom::Below(symbol, _)
                if symbol == Symbol::UNKNOWN => {}
            Atom::Truth(symbol) => {
                Arc::make_mut(&mut self.truths).insert(symbol, truth);
            }
            Atom::Equal(symbol, constant) => {
                let range = Arc::make_mut(&mut self.ranges).entry(symbol).or_default();
                if truth { range.equal = Some(constant) } else { range.exclude(constant) }
            }
            Atom::Below(symbol, bound) => {
                let range = Arc::make_mut(&mut self.ranges).entry(symbol).or_default();
                if truth { range.lower_the_top(bound - 1) } else { range.raise_the_bottom(bound) }
            }
        }
        true
    }

    /// Forgets every fact about a symbol for which `gone` holds.
    pub(crate) fn forget(&mut self, gone: &dyn Fn(Symbol) -> bool) {
        keep(&mut self.truths, |symbol, _| !gone(symbol));
        keep(&mut self.ranges, |symbol, _| !gone(symbol));
        let goes = |clause: &Clause| clause.iter().any(|literal| gone(literal.of) || gone(literal.condition));
        if self.clauses.iter().any(goes) {
            Arc::make_mut(&mut self.clauses).retain(|clause| !goes(clause));
        }
    }

    /// Adds what another knows of the symbols for which `of` holds, unless something is known of them already.
    pub(crate) fn take_over(&mut self, other: &Self, of: &dyn Fn(Symbol) -> bool) {
        for (&symbol, &truth) in other.truths.iter().filter(|(symbol, _)| of(**symbol)) {
            Arc::make_mut(&mut self.truths).entry(symbol).or_insert(truth);
        }
        for (&symbol, range) in other.ranges.iter().filter(|(symbol, _)| of(**symbol)) {
            Arc::make_mut(&mut self.ranges).entry(symbol).or_insert_with(|| range.clone());
        }
    }

    /// Keeps only what both say; tells whether that is less than `self` said.
    pub(crate) fn intersect(&mut self, symbols: &mut Symbols, other: &Self) -> bool {
        if self == other {
            return false;
        }
        let clauses = clauses::in_common(&self.as_clauses(symbols), &other.as_clauses(symbols));
        let weaker = clauses != *self.clauses;
        if weaker {
            self.clauses = Arc::new(clauses);
        }
        let before = (self.truths.len(), self.ranges.len());
        keep(&mut self.truths, |symbol, truth| other.truths.get(&symbol) == Some(truth));
        keep(&mut self.ranges, |symbol, range| other.ranges.get(&symbol) == Some(range));
        weaker || before != (self.truths.len(), self.ranges.len())
    }

    fn as_clauses(&self, symbols: &mut Symbols) -> BTreeSet<Clause> {
        let literals = self.conditions(symbols).into_iter();
        let units = literals.map(|(condition, truth)| vec![Literal::new(symbols, condition, truth)]);
        units.chain(self.clauses.iter().cloned()).collect()
    }

    /// The facts as conditions with their truth values, for a summary.
    pub(crate) fn conditions(&self, symbols: &mut Symbols) -> Vec<(Symbol, bool)> {
        let mut all: Vec<(Symbol, bool)> =
            self.truths.iter().map(|(&symbol, &truth)| (symbol, truth)).collect();
        for (&symbol, range) in self.ranges.iter() {
            all.extend(range.conditions(symbols, symbol));
        }
        all
    }
}

/// Keeps what is said of some symbols. Where that is everything, nothing is copied.
fn keep<T: Clone>(said: &mut Arc<BTreeMap<Symbol, T>>, kept: impl Fn(Symbol, &T) -> bool) {
    if said.iter().any(|(&symbol, value)| !kept(symbol, value)) {
        Arc::make_mut(said).retain(|&symbol, value| kept(symbol, value));
    }
}

impl Range {
    fn equals(&self, constant: &Constant) -> Option<bool> {
        if matches!(constant, Constant::Other(_)) {
            return None;
        }
        if let Some(equal) = &self.equal {
            return Some(equal == constant);
        }
        if self.unequal.contains(constant) {
            return Some(false);
        }
        match constant {
            Constant::Int(n) if self.low.is_some_and(|low| *n < low) => Some(false),
            Constant::Int(n) if self.high.is_some_and(|high| *n > high) => Some(false),
            Constant::None if self.low.is_some() || self.high.is_some() => Some(false),
            _ => None,
        }
    }

    fn below(&self, bound: i64) -> Option<bool> {
        if let Some(Constant::Int(n)) = self.equal {
            return Some(n < bound);
        }
        if self.high.is_some_and(|high| high < bound) {
            return Some(true);
        }
        self.low.is_some_and(|low| low >= bound).then_some(false)
    }

    fn exclude(&mut self, constant: Constant) {
        match constant {
            Constant::Int(n) if self.low == Some(n) => self.low = Some(n + 1),
            Constant::Int(n) if self.high == Some(n) => self.high = Some(n - 1),
            _ if self.unequal.len() < MOST_UNEQUAL => {
                self.unequal.push(constant);
                self.unequal.sort();
            }
            _ => {}
        }
    }

    fn lower_the_top(&mut self, top: i64) {
        self.high = Some(self.high.map_or(top, |high| high.min(top)));
    }

    fn raise_the_bottom(&mut self, bottom: i64) {
        self.low = Some(self.low.map_or(bottom, |low| low.max(bottom)));
    }

    fn conditions(&self, symbols: &mut Symbols, symbol: Symbol) -> Vec<(Symbol, bool)> {
        let mut all = Vec::new();
        let mut add = |symbols: &mut Symbols, operator: Operator, constant: &Constant, truth: bool| {
            let constant = symbols.constant(constant);
            all.push((symbols.apply(&operator, vec![symbol, constant]), truth));
        };
        if let Some(equal) = &self.equal {
            add(symbols, Operator::Equal, equal, true);
        }
        for unequal in &self.unequal {
            add(symbols, Operator::Equal, unequal, false);
        }
        if let Some(low) = self.low {
            add(symbols, Operator::Less, &Constant::Int(low), false);
        }
        if let Some(high) = self.high.and_then(|high| high.checked_add(1)) {
            add(symbols, Operator::Less, &Constant::Int(high), true);
        }
        all
    }
}

/// The normal form of a condition, and whether it says the same or the opposite.
fn normal(symbols: &mut Symbols, condition: Symbol) -> (Atom, bool) {
    let Term::Apply(operator, operands) = symbols.term(condition).clone() else {
        return (Atom::Truth(measured(symbols, condition).unwrap_or(condition)), true);
    };
    if let (&[count], true) = (operands.as_slice(), operator == super::apis::COUNT) {
        // There is a number up to `n` if `n` is positive.
        return negated(below(symbols, count, 1));
    }
    let &[a, b] = operands.as_slice() else { return (Atom::Truth(condition), true) };
    match operator {
        Operator::Equal | Operator::Is => equality(symbols, a, b),
        Operator::NotEqual | Operator::IsNot => negated(equality(symbols, a, b)),
        Operator::Less => order(symbols, a, b),
        Operator::GreaterEqual => negated(order(symbols, a, b)),
        Operator::Greater => order(symbols, b, a),
        Operator::LessEqual => negated(order(symbols, b, a)),
        Operator::NotIn => (Atom::Truth(symbols.apply(&Operator::In, vec![a, b])), false),
        Operator::Not | Operator::And | Operator::Or | Operator::In | Operator::Other(_) => {
            (Atom::Truth(condition), true)
        }
    }
}

fn negated((atom, positive): (Atom, bool)) -> (Atom, bool) {
    (atom, !positive)
}

fn equality(symbols: &mut Symbols, a: Symbol, b: Symbol) -> (Atom, bool) {
    match (symbols.constant_of(a).cloned(), symbols.constant_of(b).cloned()) {
        (None, Some(constant)) => equality_with(symbols, a, constant),
        (Some(constant), None) => equality_with(symbols, b, constant),
        _ => {
            let ordered = if a <= b { vec![a, b] } else { vec![b, a] };
            (Atom::Truth(symbols.apply(&Operator::Equal, ordered)), true)
        }
    }
}

/// `len(x) == 0` says that `x` is false.
fn equality_with(symbols: &Symbols, a: Symbol, constant: Constant) -> (Atom, bool) {
    match (measured(symbols, a), &constant) {
        (Some(container), Constant::Int(0)) => (Atom::Truth(container), false),
        // `flag is True`: what is compared with a truth value is one.
        (None, Constant::Bool(truth)) => (Atom::Truth(a), *truth),
        _ => (Atom::Equal(a, constant), true),
    }
}

/// `x`, where the symbol is the length of `x`.
fn measured(symbols: &Symbols, symbol: Symbol) -> Option<Symbol> {
    match symbols.term(symbol) {
        Term::Length(of) => Some(*of),
        _ => None,
    }
}

/// `a < b`.
fn order(symbols: &mut Symbols, a: Symbol, b: Symbol) -> (Atom, bool) {
    match (symbols.constant_of(a), symbols.constant_of(b)) {
        (None, Some(Constant::Int(bound))) => below(symbols, a, *bound),
        (Some(Constant::Int(bound)), None) => match bound.checked_add(1) {
            Some(above) => negated(below(symbols, b, above)),
            None => (Atom::Truth(Symbol::UNKNOWN), true),
        },
        _ => (Atom::Truth(symbols.apply(&Operator::Less, vec![a, b])), true),
    }
}

/// `a < bound`; `len(x) < 1` says that `x` is false.
fn below(symbols: &Symbols, a: Symbol, bound: i64) -> (Atom, bool) {
    match measured(symbols, a) {
        Some(container) if bound == 1 => (Atom::Truth(container), false),
        _ => (Atom::Below(a, bound), true),
    }
}
