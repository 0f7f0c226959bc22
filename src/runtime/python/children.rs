//! The processes of the ranks: started, listened to, and never left behind.

use super::{Console, Program, Stream};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a rank may take to end by itself once the run is over.
const GRACE: Duration = Duration::from_secs(2);

/// What a rank must know to connect.
pub(super) struct Address {
    pub(super) port: u16,
    pub(super) token: String,
}

/// The processes of a run. They are killed when this goes.
pub(super) struct Children {
    children: Vec<Child>,
    readers: Vec<JoinHandle<()>>,
}

impl Children {
    /// Starts one process a command; their numbers are those of the ranks.
    pub(super) fn start(commands: Vec<Command>, console: &Console) -> Result<Children, String> {
        let mut started = Children { children: Vec::new(), readers: Vec::new() };
        for (rank, mut command) in commands.into_iter().enumerate() {
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let mut child = command.spawn().map_err(|error| {
                format!("{} could not be started: {error}", command.get_program().display())
            })?;
            let outputs: [(Stream, Option<Box<dyn Read + Send>>); 2] = [
                (Stream::Out, child.stdout.take().map(|pipe| Box::new(pipe) as _)),
                (Stream::Err, child.stderr.take().map(|pipe| Box::new(pipe) as _)),
            ];
            started.children.push(child);
            for (stream, pipe) in outputs {
                let (Some(pipe), console) = (pipe, Console::clone(console)) else { continue };
                started.readers.push(std::thread::spawn(move || forward(pipe, rank, stream, &console)));
            }
        }
        Ok(started)
    }

    /// The exit codes of the processes that have ended; a signal counts as -1.
    pub(super) fn codes(&mut self) -> Vec<Option<i32>> {
        let code =
            |child: &mut Child| child.try_wait().ok().flatten().map(|status| status.code().unwrap_or(-1));
        self.children.iter_mut().map(code).collect()
    }

    /// How a rank's process has ended, if it has.
    pub(super) fn ended(&mut self, rank: usize) -> Option<String> {
        self.children[rank].try_wait().ok().flatten().map(tell)
    }

    /// How a rank's process ended, which it is about to.
    pub(super) fn end_of(&mut self, rank: usize) -> String {
        let until = Instant::now() + GRACE;
        while Instant::now() < until {
            if let Some(end) = self.ended(rank) {
                return end;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        "closed its connection".into()
    }

    /// Whether a rank's process is stopped, as by SIGSTOP. Known on Linux only.
    pub(super) fn is_stopped(&self, rank: usize) -> bool {
        let path = format!("/proc/{}/stat", self.children[rank].id());
        let stat = std::fs::read_to_string(path).unwrap_or_default();
        let state = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
        matches!(state, Some("T" | "t"))
    }

    /// Lets the ranks end for a moment, then ends what is left, and waits for their output.
    pub(super) fn finish(mut self) {
        let until = Instant::now() + GRACE;
        while Instant::now() < until && self.any_alive() {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.kill();
        let until = Instant::now() + GRACE;
        while Instant::now() < until && self.readers.iter().any(|reader| !reader.is_finished()) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ends a rank's process now.
    pub(super) fn kill_one(&mut self, rank: usize) {
        kill_group(&self.children[rank]);
        // A child that has ended already cannot be killed, which is as well.
        let _ = self.children[rank].kill();
    }

    fn any_alive(&mut self) -> bool {
        self.children.iter_mut().any(|child| matches!(child.try_wait(), Ok(None)))
    }

    fn kill(&mut self) {
        for child in &mut self.children {
            kill_group(child);
            // A child that has ended already cannot be killed, which is as well.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The command of a rank under the shim.
pub(super) fn shimmed(program: &Program, rank: usize, address: &Address, shim: &Path) -> Command {
    let mut command = Command::new(&program.python);
    command.arg(shim.join("launch.py")).arg(&program.script).args(&program.arguments);
    as_torchrun(&mut command, program, rank, address.port);
    command.env("UNWAITED_PORT", address.port.to_string()).env("UNWAITED_TOKEN", &address.token);
    command.env("PYTHONHASHSEED", "0").env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONIOENCODING", "utf-8");
    command
}

/// The environment that `torchrun` gives to a rank.
pub(super) fn as_torchrun(command: &mut Command, program: &Program, rank: usize, port: u16) {
    for (name, value) in [
        ("RANK", rank),
        ("LOCAL_RANK", rank),
        ("WORLD_SIZE", program.ranks),
        ("LOCAL_WORLD_SIZE", program.ranks),
    ] {
        command.env(name, value.to_string());
    }
    command.env("MASTER_ADDR", "127.0.0.1").env("MASTER_PORT", port.to_string());
}

/// Ends what a rank has started itself.
#[cfg(unix)]
fn kill_group(child: &Child) {
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // The group is gone when every process in it is.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

fn tell(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was killed by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("ended with exit code {code} in the middle of the run"),
        None => "ended in the middle of the run".into(),
    }
}

fn forward(pipe: impl Read, rank: usize, stream: Stream, console: &Console) {
    let mut pipe = BufReader::new(pipe);
    let mut line = Vec::new();
    while pipe.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        console(Some(rank), stream, line.strip_suffix(b"\n").unwrap_or(&line));
        line.clear();
    }
}
