//! The analysis against a concrete interpreter, on random programs.
//!
//! [`programs`] makes small programs, [`lowered`] writes them as IR and [`text`] as Python; [`concrete`] runs them and counts
//! references. The laws are in [`losses`], [`states`] and [`conditions`]; [`differences`] lists where the analysis differs from the
//! run on purpose, and the mistakes that these tests have found.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod concrete;
mod losses;
mod lowered;
mod programs;
mod text;

use std::sync::OnceLock;

use proptest::test_runner::Config;

use super::event::Event;
use super::program::Program;
use crate::catalog::Catalog;
use crate::frontend::{ModuleName, python};
use crate::ir::{FunctionId, Unit};
use crate::source::Language;

fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(|| Catalog::new(Language::Python, &[]).unwrap())
}

/// So many random cases, or as many as `PROPTEST_CASES` asks for.
fn cases(count: u32) -> Config {
    let mut config = Config { failure_persistence: None, max_shrink_iters: 600, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = count;
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
    let mut program = Program::new(unit, catalog(), None);
    program.apart = apart;
    super::analyse_program(&mut program)
}

/// The function of a name.
fn named(unit: &Unit, name: &str) -> FunctionId {
    unit.function_ids().find(|&id| unit.function(id).name == name).unwrap()
}
