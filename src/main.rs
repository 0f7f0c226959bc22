//! The command `unwaited`.

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use unwaited::runtime::command::{self, RunArgs};

/// Finds asynchronous communication that was started and never properly finished.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Execute a program of N ranks in the companion runtime
    Run(RunArgs),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Run(arguments) => command::run(&arguments),
    }
}
