//! Rust fixtures: examples of a Cargo package, each a program that calls [`main`].
//!
//! [`main`] runs the program's ranks under the schedule that it finds in its environment, writes the run to the file
//! that it finds there, or else tells the verdict itself, and ends with the verdict's exit code. [`run`] starts such
//! an example from its source file.

use super::fabric::Settings;
use super::report::{self, Paint};
use super::verdict::Outcome;
use super::{Rank, Run, Schedule, Style, World};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCHEDULE: &str = "UNWAITED_SCHEDULE";
const BLOCKING: &str = "UNWAITED_BLOCKING";
const RESULT: &str = "UNWAITED_RESULT";

/// Runs a program of so many ranks as the main function of an example, and ends the process unless it completes.
pub fn main(ranks: usize, program: impl Fn(&Rank) + Sync) {
    let schedule = match std::env::var(SCHEDULE).map(|token| token.parse::<Schedule>()) {
        Ok(Ok(schedule)) => schedule,
        Ok(Err(refusal)) => return end(2, &format!("error: {refusal}\n")),
        Err(_) => Schedule::default(),
    };
    let world = World::new(ranks).with(Settings { schedule, ..Settings::default() });
    let world = if std::env::var_os(BLOCKING).is_some() { world.blocking() } else { world };
    let run = world.run(program);
    let code = i32::from(!matches!(run.verdict.outcome, Outcome::Completes | Outcome::Slow));
    match std::env::var_os(RESULT) {
        Some(path) => match write(&run, Path::new(&path)) {
            Ok(()) => end(code, ""),
            Err(error) => end(2, &format!("error: {error}\n")),
        },
        None => end(code, &report::render(&run.verdict, Paint::of_stderr())),
    }
}

fn write(run: &Run, path: &Path) -> Result<(), String> {
    let text = serde_json::to_vec(run).map_err(|error| error.to_string())?;
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn end(code: i32, text: &str) {
    // Nobody may be there to read it.
    let _ = std::io::stderr().write_all(text.as_bytes());
    if code != 0 {
        std::process::exit(code);
    }
}

/// Runs the example whose source file this is.
///
/// # Errors
/// No package around the file, or one that does not build.
pub fn run(source: &Path, schedule: &Schedule, style: Style) -> Result<Run, String> {
    let package = package_of(source).ok_or_else(|| format!("{} is in no Cargo package", source.display()))?;
    let name = source.file_stem().unwrap_or_default();
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let result = folder.path().join("run.json");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["run", "--quiet", "--example"]).arg(name).current_dir(package);
    cargo.env(SCHEDULE, schedule.to_string()).env(RESULT, &result);
    if style == Style::Blocking {
        cargo.env(BLOCKING, "1");
    }
    let output = cargo.output().map_err(|error| format!("cargo could not be started: {error}"))?;
    let text = std::fs::read(&result).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("the example {} gave no verdict: {}", name.display(), said.trim())
    })?;
    serde_json::from_slice(&text).map_err(|error| format!("the verdict cannot be read: {error}"))
}

fn package_of(source: &Path) -> Option<PathBuf> {
    let source = source.canonicalize().ok()?;
    source.ancestors().find(|folder| folder.join("Cargo.toml").is_file()).map(Path::to_path_buf)
}
