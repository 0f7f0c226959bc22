//! The abstract interpreter.

mod event;

pub use event::{Event, Handle, Idle, Loss, Misuse, Note, Origin, Selection, Step, Turn, What};

use crate::catalog::Catalog;
use crate::ir::Unit;

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
}

/// Analyses one file on its own.
pub fn analyse(_unit: &Unit, _catalog: &Catalog, settings: &Settings) -> Analysis {
    Analysis { events: Vec::new(), backend: settings.backend.clone() }
}
