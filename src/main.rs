//! The command `unwaited`.

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use unwaited::runtime::command::{self, RunArgs};
use unwaited::runtime::prove::{self, ProveArgs};

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
    /// Execute fixtures under every schedule and compare with what they say of themselves
    Prove(ProveArgs),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Run(arguments) => command::run(&arguments),
        Command::Prove(arguments) => prove::run(&arguments, &|_| None),
    }
}
