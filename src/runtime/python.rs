//! Python ranks: one process a rank, all of them served from one fabric in this process.
//!
//! ```text
//! unwaited run -n 2 x.py
//!   ├─ a temporary folder with the shim: `torch.distributed`, `mpi4py.MPI`, virtual clocks, a small torch
//!   ├─ python launch.py x.py   RANK=0 ─┐  each connects twice over loopback: once for its calls, once as a
//!   ├─ python launch.py x.py   RANK=1 ─┤  lifeline whose end ends it
//!   └─ the host: seats the ranks, plays turns, moves bytes, and puts everything away
//! ```
//!
//! Nothing outlives a run: the processes are killed with their groups, the sockets are closed and the folder is
//! removed, however the run ends.

mod children;
mod host;
mod ranks;
mod real;
mod shim;
mod wire;

pub use real::{Library, RealRun, run_on};

use super::fabric::Settings;
use super::{Run, Style};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A Python program of several ranks.
#[derive(Clone, Debug)]
pub struct Program {
    /// The script.
    pub script: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// How many ranks run it.
    pub ranks: usize,
    /// The interpreter.
    pub python: PathBuf,
}

/// Which of a rank's two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Its standard output.
    Out,
    /// Its standard error.
    Err,
}

/// Takes what the ranks print, line by line, and what the host has to say meanwhile.
pub type Console = Arc<dyn Fn(Option<usize>, Stream, &[u8]) + Send + Sync>;

/// How a program is run.
#[derive(Clone)]
pub struct Options {
    /// The fabric.
    pub settings: Settings,
    /// Whether asynchronous calls run as blocking ones.
    pub style: Style,
    /// Ends the run after so much real time; none is for ever.
    pub limit: Option<Duration>,
    /// Where output goes.
    pub console: Console,
}

/// Runs a program and tells how that ended.
///
/// # Errors
/// The run could not be started: no such script, no such interpreter, no room for the shim.
pub fn run(program: &Program, options: &Options) -> Result<Run, String> {
    if !program.script.is_file() {
        return Err(format!("there is no script {}", program.script.display()));
    }
    let folder = shim::install()?;
    host::run(program, options, folder.path())
}
