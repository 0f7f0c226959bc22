//! The command `unwaited`.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// States of the analysis are many small pieces of memory, and files are large ones.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    unwaited::cli::run(std::env::args_os())
}
