//! The command `unwaited`.

use std::process::ExitCode;

fn main() -> ExitCode {
    unwaited::cli::run(std::env::args_os())
}
