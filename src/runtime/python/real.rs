//! The same script on the real library, to confirm a verdict: unchanged, with a time limit, and without the shim.
//!
//! What happens is told in the words of the runtime as far as it can be seen from outside: every process ends with 0
//! (*completes*), one ends with an assertion (*wrong data*) or otherwise (*fails*), or the time is over (*hangs*).

use super::super::signals;
use super::super::verdict::Outcome;
use super::children::{Children, as_torchrun};
use super::{Console, Options, Program, Stream};
use std::fmt;
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a script may take if nothing else is said.
const LIMIT: Duration = Duration::from_secs(60);
/// How long the others may take once one has failed.
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// A real library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Library {
    /// torch, with the backend that the script names.
    Torch,
    /// mpi4py under mpirun.
    Mpi,
}

impl fmt::Display for Library {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Library::Torch => "torch",
            Library::Mpi => "mpi",
        })
    }
}

/// How a run on a real library ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealRun {
    /// In one word.
    pub outcome: Outcome,
    /// What was seen.
    pub detail: String,
}

/// Runs a program on a real library.
///
/// # Errors
/// No such script, interpreter or launcher.
pub fn run_on(library: Library, program: &Program, options: &Options) -> Result<RealRun, String> {
    if !program.script.is_file() {
        return Err(format!("there is no script {}", program.script.display()));
    }
    signals::watch();
    let said = Arc::new(Said::default());
    let mut children = Children::start(commands(library, program)?, &listening(&options.console, &said))?;
    let seen = watch(&mut children, options.limit.unwrap_or(LIMIT));
    children.finish();
    let end = said.outcome();
    Ok(match seen {
        Seen::Codes(codes) => judge(&codes, end),
        Seen::TimeIsOver(limit) => RealRun {
            outcome: end.unwrap_or(Outcome::Hangs),
            detail: match end {
                Some(_) => format!("a rank raised, and not all have ended after {limit:?}"),
                None => format!("not ended after {limit:?}"),
            },
        },
        Seen::Interrupted => RealRun { outcome: Outcome::Unfinished, detail: "interrupted".into() },
    })
}

fn commands(library: Library, program: &Program) -> Result<Vec<Command>, String> {
    let script = |command: &mut Command| {
        command.arg(&program.script).args(&program.arguments).env("PYTHONDONTWRITEBYTECODE", "1");
    };
    if library == Library::Mpi {
        let mut command = Command::new("mpirun");
        command.args(["-n", &program.ranks.to_string()]).arg(&program.python);
        // Open MPI refuses to run as root unless it is told so twice; MPICH does not look.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        script(&mut command);
        return Ok(vec![command]);
    }
    let port = free_port()?;
    let commands = (0..program.ranks).map(|rank| {
        let mut command = Command::new(&program.python);
        as_torchrun(&mut command, program, rank, port);
        script(&mut command);
        command
    });
    Ok(commands.collect())
}

/// A port on which the ranks can meet.
fn free_port() -> Result<u16, String> {
    let address = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).map_err(|error| format!("no port for the ranks to meet: {error}"))
}

/// What the ranks have said on their standard error.
#[derive(Default)]
struct Said {
    asserted: AtomicBool,
    raised: AtomicBool,
}

impl Said {
    fn listen(&self, line: &str) {
        self.asserted.fetch_or(line.contains("AssertionError"), Ordering::SeqCst);
        self.raised.fetch_or(line.starts_with("Traceback"), Ordering::SeqCst);
    }

    fn outcome(&self) -> Option<Outcome> {
        match (self.asserted.load(Ordering::SeqCst), self.raised.load(Ordering::SeqCst)) {
            (true, _) => Some(Outcome::WrongData),
            (false, true) => Some(Outcome::Fails),
            (false, false) => None,
        }
    }
}

/// Passes output on and listens.
fn listening(console: &Console, said: &Arc<Said>) -> Console {
    let (console, said) = (Console::clone(console), Arc::clone(said));
    Arc::new(move |rank, stream, line| {
        if stream == Stream::Err {
            said.listen(&String::from_utf8_lossy(line));
        }
        console(rank, stream, line);
    })
}

enum Seen {
    Codes(Vec<i32>),
    TimeIsOver(Duration),
    Interrupted,
}

fn watch(children: &mut Children, limit: Duration) -> Seen {
    let (started, mut failed) = (Instant::now(), None);
    loop {
        let codes = children.codes();
        if let Some(codes) = codes.iter().copied().collect::<Option<Vec<i32>>>() {
            return Seen::Codes(codes);
        }
        if codes.iter().flatten().any(|code| *code != 0) {
            let since: Instant = *failed.get_or_insert_with(Instant::now);
            if since.elapsed() > AFTER_FAILURE {
                return Seen::Codes(codes.into_iter().flatten().collect());
            }
        }
        if started.elapsed() > limit {
            return Seen::TimeIsOver(limit);
        }
        if signals::received().is_some() {
            return Seen::Interrupted;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn judge(codes: &[i32], end: Option<Outcome>) -> RealRun {
    let outcome = match codes.iter().any(|code| *code != 0) {
        true => end.unwrap_or(Outcome::Fails),
        false => Outcome::Completes,
    };
    let codes: Vec<String> = codes.iter().map(i32::to_string).collect();
    RealRun { outcome, detail: format!("exit codes {}", codes.join(", ")) }
}
