//! What is reported as lost can be lost, and what is lost is reported.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::concrete::{Coverage, Lost, Search, enumerate, run};
use super::programs::{Feature, programs};
use super::{cases, events, lower, lowered, named, seen, text};
use crate::flow::event::{Event, What};
use crate::flow::run::APART;
use crate::ir::Unit;

/// So many runs are looked at.
const RUNS: usize = 300;

/// Everything that is followed exactly.
const WITH_LOOPS: &[Feature] =
    &[Feature::Compound, Feature::Tests, Feature::Loops, Feature::Exits, Feature::Escapes];
/// Where states were joined, nothing is remembered of a test of a handle that there is on one path only.
const WITHOUT_TESTS: &[Feature] = &[Feature::Loops, Feature::Exits, Feature::Escapes];
/// Without loops, in which one wait stands for many.
const STRAIGHT: &[Feature] =
    &[Feature::Compound, Feature::Tests, Feature::Exits, Feature::Escapes, Feature::Lists, Feature::Pops];
/// With lists, where the element that a `pop` takes is not told from the others.
const WITH_LISTS: &[Feature] = &[
    Feature::Compound,
    Feature::Tests,
    Feature::Loops,
    Feature::Exits,
    Feature::Escapes,
    Feature::Lists,
    Feature::Pops,
];
/// All that there is, for what holds of every program.
const ALL: &[Feature] = &[
    Feature::Compound,
    Feature::Tests,
    Feature::Loops,
    Feature::Exits,
    Feature::Escapes,
    Feature::Lists,
    Feature::Pops,
    Feature::ListLoops,
    Feature::Python,
];

/// A loss, as far as an event tells of one: the function, the start, and the operation that loses the handle.
type Told = (String, (u32, u32), Option<(u32, u32)>);

fn told(event: &Event) -> Option<Told> {
    let pair = |span: crate::source::Span| (span.start, span.end);
    match &event.what {
        What::Lost { handle, at, .. } => {
            Some((event.function.clone(), pair(handle.started), Some(pair(*at))))
        }
        What::PartlyWaited { handle, .. } => Some((event.function.clone(), pair(handle.started), None)),
        _ => None,
    }
}

/// The reported losses that no run has.
fn impossible(unit: &Unit, events: &[Event]) -> Vec<Event> {
    events.iter().filter(|event| told(event).is_some_and(|told| !is_possible(unit, &told))).cloned().collect()
}

/// The same where the operation that loses the handle may be another than the reported one.
fn impossible_anywhere(unit: &Unit, events: &[Event]) -> Vec<Event> {
    let somewhere = |event: &&Event| {
        told(event).is_some_and(|(function, started, _)| !is_possible(unit, &(function, started, None)))
    };
    events.iter().filter(somewhere).cloned().collect()
}

fn is_possible(unit: &Unit, told: &Told) -> bool {
    let function = named(unit, &told.0);
    let is_it = |lost: &Lost| {
        lost.function == told.0 && lost.started == told.1 && told.2.is_none_or(|at| lost.at == at)
    };
    let mut found = false;
    let coverage = enumerate(unit, function, RUNS, &mut |outcome| {
        found |= outcome.strays || outcome.lost.iter().any(is_it);
        if found { Search::Found } else { Search::Open }
    });
    found || coverage == Coverage::Some && sampled(unit, function, &is_it)
}

/// Looks at random runs; where there are too many to see them all, the benefit of the doubt is the report's.
fn sampled(unit: &Unit, function: crate::ir::FunctionId, is_it: &dyn Fn(&Lost) -> bool) -> bool {
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    let mut found = false;
    for _ in 0..RUNS {
        let choices = (0..60).map(|_| random()).collect();
        let outcome = run(unit, function, choices);
        found |= outcome.strays || outcome.lost.iter().any(is_it);
    }
    found
}

/// The losses of complete runs that no event tells of.
fn unreported(unit: &Unit, events: &[Event]) -> BTreeSet<Lost> {
    // Of the handles that one wait leaves pending one is told.
    if events.iter().any(|event| matches!(event.what, What::PartlyWaited { .. })) {
        return BTreeSet::new();
    }
    let told: BTreeSet<_> =
        events.iter().filter_map(told).map(|(name, started, _)| (name, started)).collect();
    let mut missing = BTreeSet::new();
    enumerate(unit, named(unit, "f"), RUNS, &mut |outcome| {
        if outcome.complete && !outcome.strays {
            let here = outcome.lost.iter().filter(|lost| lost.function == "f");
            let new = here.filter(|lost| !told.contains(&(lost.function.clone(), lost.started)));
            missing.extend(new.cloned());
        }
        if missing.is_empty() { Search::Open } else { Search::Found }
    });
    missing
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn a_reported_loss_happens_there_on_some_run(program in programs(WITH_LOOPS)) {
        let unit = lowered::unit(&program);
        prop_assert_eq!(unit.faults(), Vec::<String>::new());
        let wrong = impossible(&unit, &events(&unit, APART));
        prop_assert!(wrong.is_empty(), "{:?}\n{}", wrong, unit);
        let text = text::python(&program);
        let unit = lower(&text);
        let wrong = impossible(&unit, &events(&unit, APART));
        prop_assert!(wrong.is_empty(), "{:?}\n{}", wrong, text);
    }

    #[test]
    fn a_reported_loss_happens_on_some_run(program in programs(WITH_LISTS)) {
        let unit = lowered::unit(&program);
        let wrong = impossible_anywhere(&unit, &events(&unit, APART));
        prop_assert!(wrong.is_empty(), "{:?}\n{}", wrong, unit);
    }

    #[test]
    fn a_reported_loss_happens_on_some_run_of_the_text(program in programs(ALL)) {
        let text = text::python(&program);
        let unit = lower(&text);
        let wrong = impossible_anywhere(&unit, &events(&unit, APART));
        prop_assert!(wrong.is_empty(), "{:?}\n{}", wrong, text);
    }

    #[test]
    fn a_loss_that_is_reported_where_states_are_joined_happens(
        program in programs(WITHOUT_TESTS),
        apart in 1..5_usize,
    ) {
        let unit = lowered::unit(&program);
        let wrong = impossible(&unit, &events(&unit, apart));
        prop_assert!(wrong.is_empty(), "{:?}\n{}", wrong, unit);
    }

    #[test]
    fn a_loss_is_reported(program in prop_oneof![programs(WITH_LOOPS), programs(STRAIGHT)]) {
        let unit = lowered::unit(&program);
        let Some(seen) = seen(&unit) else { return Ok(()) };
        let missing = unreported(&unit, &seen);
        prop_assert!(missing.is_empty(), "{:?}\n{}", missing, unit);
    }

    #[test]
    fn a_loss_is_reported_in_the_text(program in prop_oneof![programs(WITH_LOOPS), programs(STRAIGHT)]) {
        let text = text::python(&program);
        let unit = lower(&text);
        let Some(seen) = seen(&unit) else { return Ok(()) };
        let missing = unreported(&unit, &seen);
        prop_assert!(missing.is_empty(), "{:?}\n{}", missing, text);
    }

    #[test]
    fn the_same_text_gives_the_same_events(program in programs(ALL)) {
        let unit = lower(&text::python(&program));
        prop_assert_eq!(events(&unit, APART), events(&unit, APART));
    }
}
