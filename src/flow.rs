//! The abstract interpreter: follows every handle of a file from where it is started to where it is finished or lost.
//!
//! A **handle** is pending from its start to its finish. The interpreter goes along the paths of each function with a state
//! that says what the variables hold, and asks one question at each point: has a pending handle just become unreachable?
//!
//! ```text
//! def push(x, fast):                       state
//!     h = dist.isend(x, 1)                 h: #1       #1 pending
//!     if fast:
//!         return                           h leaves the scope: #1 is lost     on the way where `fast` is true
//!     h.wait()                             h: #1       #1 finished
//! ```
//!
//! The same question, asked by counting references, is what the libraries ask at run time; so the analysis is an abstract
//! form of what the companion runtime does, and can be tested against it.
//!
//! [`state`] is one path at one point, [`value`] and [`symbol`] what it is made of, [`facts`] what its branches have told, [`clauses`] what
//! is left of that where paths meet.
//! [`run`] sends states through a function; [`transfer`], [`containers`], [`conditions`], [`loops`], [`handles`] and
//! [`calls`] say what each operation does to them, [`apis`] through the catalogue and [`wrappers`] through the [`summary`] of
//! other functions. [`flight`] knows which buffers an operation uses, [`regions`] which of them overlap, [`touches`] and
//! [`rebinding`] who gets in their way, [`earlier`] also where an earlier call has started the operation. [`losses`] and
//! [`slots`] turn what happens into events, unless there are [`excuses`]; [`overlap`] looks at what stands between start and
//! wait, [`messages`] at what a wait hands over. [`guards`] and [`owners`] say what a drop does, [`results`] what a poll gives
//! in Rust.

mod apis;
mod backends;
mod calls;
mod clauses;
mod conditions;
mod containers;
mod earlier;
mod event;
mod excuses;
mod exports;
mod facts;
mod flight;
mod guards;
mod handles;
mod heap;
mod links;
mod loops;
mod losses;
mod messages;
mod order;
mod overlap;
mod owners;
mod places;
mod program;
mod rebinding;
mod regions;
mod results;
mod run;
mod slots;
mod state;
mod summary;
mod symbol;
#[cfg(test)]
mod tests;
mod touches;
mod transfer;
mod translate;
mod users;
mod value;
mod variables;
mod wrappers;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use exports::Exports;
pub use links::{NoTree, Tree};

pub use event::{
    Cause, Difference, Event, Exposure, Handle, Idle, LaneStep, Loss, Misuse, Note, Order, Origin, Reread,
    Selection, Spare, Standing, Standstill, Step, Turn, Turns, Unmatched, What,
};

use crate::catalog::Catalog;
pub use crate::ir::{Access, Usage};
use crate::ir::{FunctionId, Global, Unit};
use links::Links;
use program::Program;
use run::Run;

/// What the analysis is told beside the program.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The backend (`gloo`, `nccl`, `mpi`) where it is configured.
    pub backend: Option<String>,
}

/// What the analysis of one file found.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// What happened to handles, in the order of the file.
    pub events: Vec<Event>,
    /// The backend in force: configured, or named by the program.
    pub backend: Option<String>,
    /// What other files can know of the file.
    pub exports: Arc<Exports>,
}

/// Where a file stands in its tree.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    /// The dotted name of its module.
    pub module: &'p str,
    /// The file, as reports name it.
    pub file: &'p str,
    /// The modules around it.
    pub tree: &'p dyn Tree,
    /// How much of it is analysed.
    pub extent: Extent,
}

/// How much of a file is analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All functions.
    Whole,
    /// Only those that use what other files export: the file contains nothing that starts an operation.
    Users,
}

/// Analyses one file on its own.
///
/// Callees come before their callers, so that a call finds the summary of what it calls. A second round sees what the first
/// has learned about recursion and about the attributes of classes; only its events count.
pub fn analyse(unit: Unit, catalog: &Catalog, settings: &Settings) -> Analysis {
    analyse_in(unit, catalog, settings, Place { module: "", file: "", tree: &NoTree, extent: Extent::Whole })
}

/// Analyses one file among the modules of its tree, see [`analyse`].
pub fn analyse_in(mut unit: Unit, catalog: &Catalog, settings: &Settings, place: Place<'_>) -> Analysis {
    let links = Links::add_to(&mut unit, place.tree, catalog);
    let chosen = match place.extent {
        Extent::Whole => unit.function_ids().collect(),
        Extent::Users => users::users(&unit, &links),
    };
    let mut program = Program::new(&unit, catalog, links);
    let events = analyse_program(&mut program, &chosen);
    let backend = program.backends.in_force(settings.backend.clone());
    let exports = Arc::new(exports::exports(&program, place.module, place.file));
    Analysis { events, backend, exports }
}

fn analyse_program(program: &mut Program<'_>, chosen: &BTreeSet<FunctionId>) -> Vec<Event> {
    let top_level = FunctionId(0);
    let mut order = order::callees_first(program.unit);
    order.retain(|function| chosen.contains(function));
    if chosen.contains(&top_level) {
        learn_globals(program, top_level);
    }
    for &function in &order {
        let run = Run::new(program, function).walk();
        keep_summary(run, function);
    }
    if chosen.contains(&top_level) {
        learn_globals(program, top_level);
        order.push(top_level);
    }
    let mut events = Vec::new();
    for function in order {
        events.extend(summarise(program, function));
    }
    events.sort_by_key(|event| event.what.place());
    events
}

/// Runs the analysis over a function, keeps its summary and tells what happens in it.
fn summarise(program: &mut Program<'_>, function: FunctionId) -> Vec<Event> {
    let mut run = Run::new(program, function).finish();
    let events = run.events();
    keep_summary(run, function);
    events
}

/// Keeps the summary of a function, unless its run was not complete.
fn keep_summary(run: Run<'_, '_>, function: FunctionId) {
    let summary = run.is_complete().then(|| run.concluded());
    run.program.summaries[function.0 as usize] = summary.map(Arc::new);
}

/// Runs the analysis over the top level, to know what the names hold that are bound once.
fn learn_globals(program: &mut Program<'_>, top_level: FunctionId) {
    let unit = program.unit;
    let run = Run::new(program, top_level).walk();
    let mut globals = run.exported.unwrap_or_default();
    globals.retain(|name, _| unit.globals.get(name) == Some(&Global::Once));
    program.keep_globals(globals);
}
