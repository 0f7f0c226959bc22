//! What the branches of a path tell is true of every execution that takes the path.
//!
//! A **world** gives each parameter a small number. Random conditions over parameters are assumed one after the other, each with
//! the truth value that it has in the world: then one of the ways that are kept must be that of the world, nothing that is
//! decided may be wrong, and the conditions of a summary must hold.

use proptest::prelude::*;

use super::cases;
use crate::flow::facts::Facts;
use crate::flow::symbol::{Symbol, Symbols, Term};
use crate::ir::{Constant, Operator};

/// A condition over the parameters 0 to 2.
#[derive(Clone, Debug)]
enum Condition {
    Truth(u32),
    Compared(u32, Operator, i64),
    Mirrored(i64, Operator, u32),
    Pair(u32, Operator, u32),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

fn conditions() -> impl Strategy<Value = Condition> {
    let operators = || {
        prop::sample::select(vec![
            Operator::Equal,
            Operator::NotEqual,
            Operator::Less,
            Operator::LessEqual,
            Operator::Greater,
            Operator::GreaterEqual,
        ])
    };
    let atom = prop_oneof![
        (0..3_u32).prop_map(Condition::Truth),
        (0..3_u32, operators(), -1..4_i64).prop_map(|(p, o, n)| Condition::Compared(p, o, n)),
        (-1..4_i64, operators(), 0..3_u32).prop_map(|(n, o, p)| Condition::Mirrored(n, o, p)),
        (0..3_u32, operators(), 0..3_u32).prop_map(|(p, o, q)| Condition::Pair(p, o, q)),
    ];
    atom.prop_recursive(3, 8, 3, |inner| {
        let several = || prop::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            inner.clone().prop_map(|one| Condition::Not(Box::new(one))),
            several().prop_map(Condition::And),
            several().prop_map(Condition::Or),
        ]
    })
}

fn symbol(symbols: &mut Symbols, condition: &Condition) -> Symbol {
    let parameter = |symbols: &mut Symbols, number: u32| symbols.intern(Term::Parameter(number));
    match condition {
        Condition::Truth(p) => parameter(symbols, *p),
        Condition::Compared(p, operator, n) => {
            let (p, n) = (parameter(symbols, *p), symbols.constant(&Constant::Int(*n)));
            symbols.apply(operator, vec![p, n])
        }
        Condition::Mirrored(n, operator, p) => {
            let (p, n) = (parameter(symbols, *p), symbols.constant(&Constant::Int(*n)));
            symbols.apply(operator, vec![n, p])
        }
        Condition::Pair(p, operator, q) => {
            let (p, q) = (parameter(symbols, *p), parameter(symbols, *q));
            symbols.apply(operator, vec![p, q])
        }
        Condition::Not(one) => {
            let one = symbol(symbols, one);
            symbols.apply(&Operator::Not, vec![one])
        }
        Condition::And(all) => {
            let all = all.iter().map(|one| symbol(symbols, one)).collect();
            symbols.apply(&Operator::And, all)
        }
        Condition::Or(all) => {
            let all = all.iter().map(|one| symbol(symbols, one)).collect();
            symbols.apply(&Operator::Or, all)
        }
    }
}

fn holds(condition: &Condition, world: &[i64]) -> bool {
    let of = |p: u32| world[p as usize];
    match condition {
        Condition::Truth(p) => of(*p) != 0,
        Condition::Compared(p, operator, n) => compared(of(*p), operator, *n),
        Condition::Mirrored(n, operator, p) => compared(*n, operator, of(*p)),
        Condition::Pair(p, operator, q) => compared(of(*p), operator, of(*q)),
        Condition::Not(one) => !holds(one, world),
        Condition::And(all) => all.iter().all(|one| holds(one, world)),
        Condition::Or(all) => all.iter().any(|one| holds(one, world)),
    }
}

fn compared(a: i64, operator: &Operator, b: i64) -> bool {
    match operator {
        Operator::Equal => a == b,
        Operator::NotEqual => a != b,
        Operator::Less => a < b,
        Operator::LessEqual => a <= b,
        Operator::Greater => a > b,
        Operator::GreaterEqual => a >= b,
        other => panic!("{other:?} compares no numbers"),
    }
}

/// Whether everything that the facts say holds in the world.
fn agree(symbols: &mut Symbols, facts: &Facts, world: &[i64]) -> bool {
    let said = facts.conditions(symbols);
    said.into_iter().all(|(condition, truth)| value(symbols, condition, world) == i64::from(truth))
}

/// What a symbol of such a condition is worth, where truth counts as a number.
fn value(symbols: &Symbols, of: Symbol, world: &[i64]) -> i64 {
    let truth = |symbol: Symbol| value_of(symbols, symbol, world) != 0;
    i64::from(truth(of))
}

fn value_of(symbols: &Symbols, of: Symbol, world: &[i64]) -> i64 {
    match symbols.term(of) {
        Term::Constant(Constant::Int(n)) => *n,
        Term::Constant(Constant::Bool(truth)) => i64::from(*truth),
        Term::Parameter(number) => world[*number as usize],
        Term::Apply(operator, operands) => {
            let all: Vec<i64> = operands.iter().map(|&one| value_of(symbols, one, world)).collect();
            i64::from(match (operator, all.as_slice()) {
                (Operator::Not, [one]) => *one == 0,
                (Operator::And, all) => all.iter().all(|one| *one != 0),
                (Operator::Or, all) => all.iter().any(|one| *one != 0),
                (operator, [a, b]) => compared(*a, operator, *b),
                other => panic!("{other:?} is no condition"),
            })
        }
        other => panic!("{other:?} is no condition"),
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn what_is_true_is_never_contradicted(
        all in prop::collection::vec(conditions(), 1..7),
        world in prop::collection::vec(0..4_i64, 3),
    ) {
        let symbols = &mut Symbols::new();
        let mut ways = vec![Facts::default()];
        for condition in &all {
            let (condition, truth) = (symbol(symbols, condition), holds(condition, &world));
            ways = ways.iter().flat_map(|facts| facts.assume(symbols, condition, truth)).collect();
            ways.retain(|facts| agree(symbols, facts, &world));
            prop_assert!(!ways.is_empty(), "the way of the world is gone");
        }
    }

    #[test]
    fn what_is_decided_is_so(
        all in prop::collection::vec(conditions(), 1..6),
        asked in conditions(),
        world in prop::collection::vec(0..4_i64, 3),
    ) {
        let symbols = &mut Symbols::new();
        let asked_for = symbol(symbols, &asked);
        let mut ways = vec![Facts::default()];
        for condition in &all {
            let (condition, truth) = (symbol(symbols, condition), holds(condition, &world));
            ways = ways.iter().flat_map(|facts| facts.assume(symbols, condition, truth)).collect();
        }
        for facts in ways.iter().filter(|facts| agree(&mut *symbols, facts, &world)).cloned().collect::<Vec<_>>() {
            if let Some(decided) = facts.decide(symbols, asked_for) {
                prop_assert_eq!(decided, holds(&asked, &world));
            }
        }
    }

    #[test]
    fn what_is_assumed_is_decided(
        all in prop::collection::vec(conditions(), 1..5),
        truths in prop::collection::vec(any::<bool>(), 5),
    ) {
        let symbols = &mut Symbols::new();
        let mut ways = vec![Facts::default()];
        for (condition, truth) in all.iter().zip(truths) {
            let condition = symbol(symbols, condition);
            ways = ways.iter().flat_map(|facts| facts.assume(symbols, condition, truth)).collect();
            for facts in &ways {
                let opposite = facts.assume(symbols, condition, !truth);
                prop_assert!(opposite.is_empty(), "{facts:?} allows the opposite of what was assumed");
            }
        }
    }

    #[test]
    fn what_two_paths_have_in_common_holds_on_both(
        one in prop::collection::vec(conditions(), 1..5),
        other in prop::collection::vec(conditions(), 1..5),
        world in prop::collection::vec(0..4_i64, 3),
    ) {
        let symbols = &mut Symbols::new();
        let mut assume = |all: &[Condition]| {
            let mut ways = vec![Facts::default()];
            for condition in all {
                let (condition, truth) = (symbol(symbols, condition), holds(condition, &world));
                ways = ways.iter().flat_map(|facts| facts.assume(symbols, condition, truth)).collect();
            }
            ways.into_iter().find(|facts| agree(symbols, facts, &world))
        };
        if let (Some(mut joined), Some(other)) = (assume(&one), assume(&other)) {
            let before = joined.clone();
            let changed = joined.intersect(symbols, &other);
            prop_assert!(agree(symbols, &joined, &world));
            prop_assert_eq!(changed, joined != before);
        }
    }
}
