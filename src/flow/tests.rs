//! The analysis against a concrete interpreter, on random programs.
//!
//! [`programs`] makes small programs, [`lowered`] writes them as IR and [`text`] as Python; [`concrete`] runs them and counts
//! references. The laws are in [`losses`], [`quiet`], [`states`] and [`conditions`]. [`differences`] lists where the analysis differs from a
//! run on purpose, [`regressions`] the mistakes that these tests have found.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod concrete;
mod conditions;
mod differences;
mod losses;
mod lowered;
mod programs;
mod quiet;
mod regressions;
mod states;
mod text;

use std::sync::OnceLock;

use proptest::test_runner::{Config, RngSeed};

use super::event::Event;
use super::program::Program;
use super::run::Run;
use crate::catalog::Catalog;
use crate::frontend::{ModuleName, python};
use crate::ir::{FunctionId, Unit};
use crate::source::Language;

/// So many states at a block that none are joined.
const NEVER_JOINED: usize = 300;

fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(|| Catalog::new(Language::Python, &[]).unwrap())
}

/// So many random cases, or as many as `PROPTEST_CASES` asks for.
fn cases(count: u32) -> Config {
    let mut config = Config { failure_persistence: None, max_shrink_iters: 600, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        // The same programs each time, so that a change is judged by what it changes; more cases look further.
        config.cases = count;
        config.rng_seed = RngSeed::Fixed(2026);
    }
    config
}

/// The unit of a Python text.
fn lower(text: &str) -> Unit {
    let lowered = python::lower(text, &ModuleName::default());
    assert_eq!(lowered.problems, [], "{text}");
    lowered.unit
}

/// The events of a unit where a block keeps so many states apart.
fn events(unit: &Unit, apart: usize) -> Vec<Event> {
    let mut program = Program::new(unit, catalog());
    program.apart = apart;
    super::analyse_program(&mut program)
}

/// What the analysis sees happen in the function `f`, before anything is excused; nothing where states were joined.
fn seen(unit: &Unit) -> Option<Vec<Event>> {
    let mut program = Program::new(unit, catalog());
    program.apart = NEVER_JOINED;
    super::analyse_program(&mut program);
    let run = Run::new(&mut program, named(unit, "f")).finish();
    assert!(run.is_complete(), "the steps are used up");
    let events = run.candidates.iter().map(|candidate| candidate.event.clone()).collect();
    (!run.has_joined()).then_some(events)
}

/// The function of a name.
fn named(unit: &Unit, name: &str) -> FunctionId {
    unit.function_ids().find(|&id| unit.function(id).name == name).unwrap()
}
