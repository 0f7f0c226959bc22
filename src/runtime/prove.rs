//! `unwaited prove`: runs every fixture under every schedule and compares.
//!
//! ```text
//! fixture              header                     found               rl     re         bl         be         
//! discarded_isend.py   hangs in some schedules    discarded-handle    hangs  completes  completes  completes  agrees
//! ```
//!
//! Three things must agree: the header, the verdicts, and the static findings, which come through the seam
//! [`Linter`]. A fixture that does harm must be found by the rules that it is marked with, one that completes everywhere
//! must not be accused.

mod static_findings;

pub use static_findings::{Finding, Found, Linter, NoLinter, Weight};

use super::explore::{Exploration, explore};
use super::fabric::Settings;
use super::fixture::{Expectation, Fixture};
use super::python::{self, Console, Options, Program};
use super::verdict::{Outcome, Verdict};
use super::{Policy, Run, Schedule, Style, cargo, signals};
use clap::Args;
use serde::Serialize;
use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A fixture may take so long for one schedule.
const LIMIT: Duration = Duration::from_secs(120);

/// Arguments of `unwaited prove`.
#[derive(Args, Clone, Debug)]
pub struct ProveArgs {
    /// Fixtures, or folders of them
    #[arg(value_name = "PATHS", default_value = "fixtures")]
    pub paths: Vec<PathBuf>,
    /// Schedules to run for each policy at most
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub bound: usize,
    /// The Python interpreter
    #[arg(long, value_name = "FILE", default_value = "python3")]
    pub python: PathBuf,
    /// Print the table as JSON
    #[arg(long)]
    pub json: bool,
}

/// What is known of one fixture.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    /// Its file.
    pub fixture: PathBuf,
    /// What its header says.
    pub header: String,
    /// What the linter says of it.
    pub found: Found,
    /// Token, outcome and virtual time of each run.
    pub runs: Vec<(String, Outcome, String)>,
    /// What does not agree; empty if everything does.
    pub disagreements: Vec<String>,
}

/// Runs `unwaited prove`: 0 if every fixture agrees, 1 if one does not, 2 if one could not be run.
#[must_use]
pub fn run(arguments: &ProveArgs, linter: &dyn Linter) -> ExitCode {
    let proofs = match prove_all(arguments, linter) {
        Ok(proofs) => proofs,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "error: {message}");
            return if signals::received().is_some() { ExitCode::from(130) } else { ExitCode::from(2) };
        }
    };
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&proofs).unwrap_or_default(),
        false => table(&proofs),
    };
    // A table that nobody reads any more is not worth an error.
    let _ = writeln!(std::io::stdout(), "{text}");
    ExitCode::from(u8::from(proofs.iter().any(|proof| !proof.disagreements.is_empty())))
}

/// Proves every fixture below the paths.
///
/// # Errors
/// A header that cannot be understood, a program that cannot be started.
pub fn prove_all(arguments: &ProveArgs, linter: &dyn Linter) -> Result<Vec<Proof>, String> {
    let fixtures = fixtures(&arguments.paths)?;
    // The linter looks first and alone; the runs wait for processes, so several of them go at once.
    let found: Vec<(Found, Vec<String>)> =
        fixtures.iter().map(|fixture| static_findings::compare(fixture, linter)).collect::<Result<_, _>>()?;
    let next = AtomicUsize::new(0);
    let proofs: Mutex<Vec<(usize, Result<Proof, String>)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                while let Some(index) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < fixtures.len())
                {
                    let proof = prove(&fixtures[index], arguments, found[index].clone());
                    proofs.lock().unwrap_or_else(PoisonError::into_inner).push((index, proof));
                }
            });
        }
    });
    let mut proofs = proofs.into_inner().unwrap_or_else(PoisonError::into_inner);
    proofs.sort_by_key(|(index, _)| *index);
    proofs.into_iter().map(|(_, proof)| proof).collect()
}

fn fixtures(paths: &[PathBuf]) -> Result<Vec<Fixture>, String> {
    let mut fixtures = Vec::new();
    for path in paths {
        let mut walk = ignore::WalkBuilder::new(path);
        for entry in walk.sort_by_file_path(Ord::cmp).build() {
            let entry = entry.map_err(|error| error.to_string())?;
            let named =
                entry.path().extension().is_some_and(|extension| extension == "py" || extension == "rs");
            if named && entry.file_type().is_some_and(|kind| kind.is_file()) {
                fixtures.extend(Fixture::read(entry.path())?);
            }
        }
    }
    Ok(fixtures)
}

fn prove(
    fixture: &Fixture,
    arguments: &ProveArgs,
    (found, disagreements): (Found, Vec<String>),
) -> Result<Proof, String> {
    let mut proof = Proof {
        fixture: fixture.path.clone(),
        header: fixture.expectation.to_string(),
        found,
        runs: Vec::new(),
        disagreements,
    };
    if fixture.expectation != Expectation::Static {
        let mut exploration = explore(&Policy::ALL, arguments.bound, |schedule| {
            run_one(fixture, arguments, schedule, Style::Asynchronous)
        })?;
        if fixture.expectation.asks_for_speed() {
            compare_speed(fixture, arguments, &mut exploration.verdicts)?;
        }
        judge(&mut proof, fixture, &exploration);
    }
    Ok(proof)
}

fn judge(proof: &mut Proof, fixture: &Fixture, exploration: &Exploration) {
    let Exploration { verdicts, unexhausted, deterministic } = exploration;
    let runs = verdicts
        .iter()
        .map(|verdict| (verdict.schedule.to_string(), verdict.outcome, verdict.makespan.to_string()));
    proof.runs = runs.collect();
    if !fixture.expectation.fits(verdicts) {
        proof.disagreements.push("the header says something else".into());
    }
    if !deterministic {
        proof
            .disagreements
            .push("two runs of one schedule differ: the program is nondeterministic on its own".into());
    }
    for policy in unexhausted {
        let count = verdicts.iter().filter(|verdict| verdict.schedule.policy == *policy).count();
        proof
            .disagreements
            .push(format!("{policy} has more than the {count} schedules that were run: raise --bound"));
    }
}

/// A program that completes no sooner than its blocking form is slow.
fn compare_speed(fixture: &Fixture, arguments: &ProveArgs, verdicts: &mut [Verdict]) -> Result<(), String> {
    for verdict in verdicts.iter_mut().filter(|verdict| verdict.outcome == Outcome::Completes) {
        let blocking = run_one(fixture, arguments, &verdict.schedule, Style::Blocking)?.verdict;
        if blocking.outcome == Outcome::Completes && blocking.makespan <= verdict.makespan {
            verdict.outcome = Outcome::Slow;
        }
    }
    Ok(())
}

fn run_one(
    fixture: &Fixture,
    arguments: &ProveArgs,
    schedule: &Schedule,
    style: Style,
) -> Result<Run, String> {
    if let Some(signal) = signals::received() {
        return Err(signal.into());
    }
    if fixture.path.extension().is_some_and(|extension| extension == "rs") {
        return cargo::run(&fixture.path, schedule, style);
    }
    let program = Program {
        script: fixture.path.clone(),
        arguments: Vec::new(),
        ranks: fixture.ranks,
        python: arguments.python.clone(),
    };
    let silent: Console = Arc::new(|_, _, _| {});
    let settings = Settings { schedule: schedule.clone(), ..Settings::default() };
    python::run(&program, &Options { settings, style, limit: Some(LIMIT), console: silent })
}

/// The table that `prove` prints.
#[must_use]
pub fn table(proofs: &[Proof]) -> String {
    let mut rows = vec![["fixture", "header", "found", "rl", "re", "bl", "be", ""].map(String::from)];
    rows.extend(proofs.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        for (cell, width) in row.iter().zip(&widths) {
            let pad = width - cell.chars().count();
            text.extend([cell.as_str(), &" ".repeat(pad + 2)]);
        }
        text.extend([row[7].as_str(), "\n"]);
    }
    let wrong = proofs.iter().filter(|proof| !proof.disagreements.is_empty()).count();
    text.push_str(&match wrong {
        0 => format!("{} fixtures, all agree", proofs.len()),
        wrong => format!("{} fixtures, {wrong} disagree", proofs.len()),
    });
    text
}

fn row(proof: &Proof) -> [String; 8] {
    let name = proof.fixture.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let found = match &proof.found {
        Found::Rules(rules) if rules.is_empty() => "-".into(),
        Found::Rules(rules) => rules.iter().map(String::as_str).collect::<Vec<_>>().join(", "),
        Found::NotLintedYet => "not linted yet".into(),
        Found::KnownMiss => "known miss".into(),
        Found::NoRule => "no rule".into(),
    };
    let of = |letters: &str| under(proof, letters);
    let agrees =
        if proof.disagreements.is_empty() { "agrees".into() } else { proof.disagreements.join("; ") };
    [name, proof.header.clone(), found, of("rl"), of("re"), of("bl"), of("be"), agrees]
}

/// The outcomes under one policy: `hangs`, or `hangs in 1 of 3`.
fn under(proof: &Proof, letters: &str) -> String {
    let runs: Vec<Outcome> = proof
        .runs
        .iter()
        .filter(|(token, ..)| token.starts_with(letters))
        .map(|(_, outcome, _)| *outcome)
        .collect();
    let Some(worst) = runs.iter().min() else { return "-".into() };
    match runs.iter().filter(|outcome| *outcome == worst).count() {
        count if count == runs.len() => worst.to_string(),
        count => format!("{worst} in {count} of {}", runs.len()),
    }
}
