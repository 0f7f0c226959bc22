//! The command line: arguments in, reports and an exit code out.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | nothing to report, or advice only |
//! | 1 | errors or warnings were found |
//! | 2 | the work could not be done: bad arguments, a file that could not be read or parsed |
//!
//! `run` and `prove` keep to it: 1 is a program that does not complete, or a fixture that disagrees. Both end with 130 after
//! Ctrl-C.

mod apis;
mod arguments;
mod check;
mod completions;
mod config;
mod fix;
mod ignore;
mod output;
mod progress;
mod prove;
mod rule;
mod server;
mod settings;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use arguments::{Arguments, Command};

/// Runs the command line; the first argument is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    crate::project::keep_crashes_quiet();
    match Arguments::try_parse_from(arguments) {
        Ok(Arguments { command }) => execute(command),
        Err(error) => {
            // Where nobody listens, there is nobody to tell.
            let _ = error.print();
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Clean.into(),
                _ => Exit::Failed.into(),
            }
        }
    }
}

fn execute(command: Command) -> ExitCode {
    match command {
        Command::Check(arguments) => check::run(&arguments).into(),
        Command::Rule(arguments) => rule::run(&arguments).into(),
        Command::Config(arguments) => config::run(&arguments).into(),
        Command::Apis(arguments) => apis::run(&arguments).into(),
        Command::Completions(arguments) => completions::run(&arguments).into(),
        Command::Run(arguments) => crate::runtime::command::run(&arguments),
        Command::Prove(arguments) => prove::run(&arguments),
        Command::Server(arguments) => server::run(&arguments).into(),
    }
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// There is nothing to report.
    Clean,
    /// There are findings that fail a run.
    Found,
    /// The work could not be done.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Clean => Self::SUCCESS,
            Exit::Found => Self::from(1),
            Exit::Failed => Self::from(2),
        }
    }
}

/// Tells the user why the work could not be done.
fn fail(message: &str) -> Exit {
    output::tell("error", message);
    Exit::Failed
}
