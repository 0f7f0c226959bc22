//! `unwaited run`: the options, and what is done with them.

use super::fabric::{Network, Settings};
use super::fixture::Fixture;
use super::python::{self, Console, Library, Options, Program, Stream};
use super::report::Paint;
use super::verdict::Outcome;
use super::{Policy, Run, Schedule, Style, cargo, chrome, report, timeline};
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Arguments of `unwaited run`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// How many ranks run the script [default: what its header says, or 2]
    #[arg(short = 'n', long = "ranks", value_name = "N")]
    pub ranks: Option<usize>,
    /// How sends and transfers behave
    #[arg(long, value_name = "POLICY", default_value_t = Policy::default())]
    pub policy: Policy,
    /// Repeat the run of this token
    #[arg(long, value_name = "TOKEN", conflicts_with = "policy")]
    pub replay: Option<Schedule>,
    /// Run every asynchronous call as its blocking form
    #[arg(long)]
    pub blocking: bool,
    /// Run on the real library instead
    #[arg(long, value_enum)]
    pub on: Option<Library>,
    /// Draw the ranks over virtual time into an SVG file
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
    /// Write a Chrome trace, which Perfetto opens
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Seconds that an empty message takes
    #[arg(long, value_name = "SECONDS", default_value_t = 20e-6)]
    pub latency: f64,
    /// Bytes that follow in a second
    #[arg(long, value_name = "BYTES", default_value_t = 1_000_000_000)]
    pub bandwidth: u64,
    /// End the run after so many seconds of real time
    #[arg(long, value_name = "SECONDS")]
    pub time_limit: Option<u64>,
    /// The Python interpreter
    #[arg(long, value_name = "FILE", default_value = "python3")]
    pub python: PathBuf,
    /// How the verdict is told
    #[arg(long, value_enum, default_value_t = Format::Full)]
    pub output_format: Format,
    /// The script and its arguments
    #[arg(value_name = "SCRIPT", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub script: Vec<String>,
}

/// How a verdict is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// As text, on standard error.
    Full,
    /// As JSON, on standard output; the ranks then print on standard error.
    Json,
}

/// Runs `unwaited run`: 0 if the program completes, 1 if not, 2 if it could not be run, 130 if interrupted.
#[must_use]
pub fn run(arguments: &RunArgs) -> ExitCode {
    match execute(arguments) {
        Ok(code) => code,
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

fn execute(arguments: &RunArgs) -> Result<ExitCode, String> {
    let [script, rest @ ..] = &arguments.script[..] else { return Err("no script is given".into()) };
    let (script, options) = (Path::new(script), options(arguments)?);
    if script.extension().is_some_and(|extension| extension == "rs") {
        return execute_rust(arguments, script, &options);
    }
    let program = Program {
        script: script.into(),
        arguments: rest.to_vec(),
        ranks: ranks(arguments, script)?,
        python: arguments.python.clone(),
    };
    if let Some(library) = arguments.on {
        return run_on(library, &program, &options);
    }
    let run = python::run(&program, &options)?;
    tell(arguments, &run)?;
    Ok(code(&run))
}

/// A Rust program says itself how many ranks it has, and has no other library to run on.
fn execute_rust(arguments: &RunArgs, script: &Path, options: &Options) -> Result<ExitCode, String> {
    if arguments.ranks.is_some() || arguments.on.is_some() {
        return Err(
            "-n and --on are for Python scripts: a Rust program says itself how many ranks it has".into()
        );
    }
    let run = cargo::run(script, &options.settings.schedule, options.style)?;
    tell(arguments, &run)?;
    Ok(code(&run))
}

fn ranks(arguments: &RunArgs, script: &Path) -> Result<usize, String> {
    match arguments.ranks {
        Some(0) => Err("a program needs at least one rank".into()),
        Some(ranks) => Ok(ranks),
        None if script.is_file() => Ok(Fixture::read(script)?.map_or(2, |fixture| fixture.ranks)),
        None => Ok(2),
    }
}

fn run_on(library: Library, program: &Program, options: &Options) -> Result<ExitCode, String> {
    let real = python::run_on(library, program, options)?;
    let _ = writeln!(std::io::stderr(), "{} on {library}: {}", real.outcome, real.detail);
    Ok(match real.outcome {
        Outcome::Completes => ExitCode::SUCCESS,
        Outcome::Unfinished => ExitCode::from(130),
        _ => ExitCode::from(1),
    })
}

fn code(run: &Run) -> ExitCode {
    match run.verdict.outcome {
        Outcome::Completes | Outcome::Slow => ExitCode::SUCCESS,
        Outcome::Unfinished if super::signals::received().is_some() => ExitCode::from(130),
        _ => ExitCode::from(1),
    }
}

fn options(arguments: &RunArgs) -> Result<Options, String> {
    let latency =
        Duration::try_from_secs_f64(arguments.latency).map_err(|error| format!("--latency: {error}"))?;
    let network = Network { latency, bytes_per_second: arguments.bandwidth };
    let schedule = arguments.replay.clone().unwrap_or_else(|| arguments.policy.into());
    Ok(Options {
        settings: Settings { network, schedule, ..Settings::default() },
        style: if arguments.blocking { Style::Blocking } else { Style::Asynchronous },
        limit: arguments.time_limit.map(Duration::from_secs),
        console: console(arguments.output_format),
    })
}

/// Prints each line with the rank it comes from.
fn console(format: Format) -> Console {
    Arc::new(move |rank, stream, line| {
        let mut text = rank.map_or_else(|| b"unwaited: ".to_vec(), |rank| format!("{rank} | ").into_bytes());
        text.extend_from_slice(line);
        text.push(b'\n');
        // Output that nobody reads any more is not worth an error.
        let _ = match (stream, format) {
            (Stream::Out, Format::Full) => std::io::stdout().lock().write_all(&text),
            _ => std::io::stderr().lock().write_all(&text),
        };
    })
}

fn tell(arguments: &RunArgs, run: &Run) -> Result<(), String> {
    if let Some(path) = &arguments.timeline {
        write(path, &timeline::svg(run))?;
    }
    if let Some(path) = &arguments.trace {
        write(path, &chrome::json(run).to_string())?;
    }
    match arguments.output_format {
        Format::Full => {
            let _ = write!(std::io::stderr(), "{}", report::render(&run.verdict, Paint::of_stderr()));
        }
        Format::Json => {
            let text = serde_json::to_string_pretty(&run.verdict).map_err(|error| error.to_string())?;
            let _ = writeln!(std::io::stdout(), "{text}");
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{} could not be written: {error}", path.display()))
}

fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "error: {message}");
}
