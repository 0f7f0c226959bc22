//! What is reported as touched in flight can be touched in flight, and the first touch is reported.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::concrete::{Clash, Coverage, Search, enumerate};
use super::programs::{Feature, programs};
use super::{cases, events, lower, lowered, named, seen, text};
use crate::flow::event::{Event, What};
use crate::flow::run::APART;
use crate::ir::Unit;

/// So many runs are looked at.
const RUNS: usize = 300;

/// What the two sides agree on to the operation.
const EXACT: &[Feature] = &[
    Feature::Buffers,
    Feature::BufferNames,
    Feature::Compound,
    Feature::Tests,
    Feature::Loops,
    Feature::Exits,
    Feature::Escapes,
];
/// Where a name stands for one buffer on one way and for another on the other, nobody asks afterwards which way was taken.
const ONE_NAME_EACH: &[Feature] =
    &[Feature::Buffers, Feature::Compound, Feature::Tests, Feature::Loops, Feature::Exits, Feature::Escapes];
/// With lists and calls, for what holds of every program.
const ALL: &[Feature] = &[
    Feature::Buffers,
    Feature::BufferNames,
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

/// A touch, as far as an event tells of one: the start, and the operation that touches.
type Told = ((u32, u32), (u32, u32));

fn told(event: &Event) -> Option<Told> {
    let pair = |span: crate::source::Span| (span.start, span.end);
    match &event.what {
        What::Touched { handle, at, .. } | What::SharedBuffer { with: Some(handle), at, .. } => {
            (event.function == "f").then(|| (pair(handle.started), pair(*at)))
        }
        _ => None,
    }
}

/// The reported touches that no run has.
fn impossible(unit: &Unit, events: &[Event]) -> BTreeSet<Told> {
    let mut open: BTreeSet<Told> = events.iter().filter_map(told).collect();
    let coverage = enumerate(unit, named(unit, "f"), RUNS, &mut |outcome| {
        if outcome.strays {
            open.clear();
        }
        outcome.clashes.iter().for_each(|clash| {
            open.remove(&(clash.started, clash.at));
        });
        if open.is_empty() { Search::Found } else { Search::Open }
    });
    if coverage == Coverage::All { open } else { BTreeSet::new() }
}

/// Operations whose buffer is touched on some run, and of which nothing is told.
fn unreported(unit: &Unit, events: &[Event]) -> BTreeSet<Clash> {
    let told: BTreeSet<(u32, u32)> = events.iter().filter_map(told).map(|(started, _)| started).collect();
    // Of the operations that one touch gets in the way of one is told.
    let places: BTreeSet<(u32, u32)> = events.iter().filter_map(self::told).map(|(_, at)| at).collect();
    let mut missing = BTreeSet::new();
    enumerate(unit, named(unit, "f"), RUNS, &mut |outcome| {
        if outcome.complete && !outcome.strays {
            let mut first: BTreeMap<(u32, u32), &Clash> = BTreeMap::new();
            outcome.clashes.iter().for_each(|clash| {
                first.entry(clash.started).or_insert(clash);
            });
            let silent =
                first.values().filter(|clash| !told.contains(&clash.started) && !places.contains(&clash.at));
            missing.extend(silent.map(|clash| (*clash).clone()));
        }
        if missing.is_empty() { Search::Open } else { Search::Found }
    });
    missing
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn a_reported_touch_happens_on_some_run(program in programs(EXACT)) {
        let unit = lowered::unit(&program);
        prop_assert_eq!(unit.faults(), Vec::<String>::new());
        let wrong = impossible(&unit, &events(&unit, APART));
        prop_assert!(wrong.is_empty(), "{:?}\n{}", wrong, unit);
    }

    #[test]
    fn a_reported_touch_happens_on_some_run_of_the_text(program in programs(ALL)) {
        let text = text::python(&program);
        let unit = lower(&text);
        let wrong = impossible(&unit, &events(&unit, APART));
        prop_assert!(wrong.is_empty(), "{:?}\n{}", wrong, text);
    }

    #[test]
    fn a_touch_that_is_reported_where_states_are_joined_happens(program in programs(EXACT), apart in 1..5_usize) {
        let unit = lowered::unit(&program);
        let wrong = impossible(&unit, &events(&unit, apart));
        prop_assert!(wrong.is_empty(), "{:?}\n{}", wrong, unit);
    }

    #[test]
    fn a_touch_is_reported(program in programs(ONE_NAME_EACH)) {
        let unit = lowered::unit(&program);
        let Some(seen) = seen(&unit) else { return Ok(()) };
        let missing = unreported(&unit, &seen);
        prop_assert!(missing.is_empty(), "{:?}\n{}", missing, unit);
    }
}
