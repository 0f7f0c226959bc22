//! `unwaited run` as a user meets it: exit codes, messages, and nothing left behind.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder with the script, which is also where the run puts its temporary files.
fn folder(script: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("x.py"), script).unwrap();
    std::fs::create_dir(folder.path().join("tmp")).unwrap();
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unwaited"));
    command.arg("run").args(arguments).current_dir(folder).env("TMPDIR", folder.join("tmp"));
    command.env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

fn run(script: &str, arguments: &[&str]) -> (Output, String) {
    let folder = folder(script);
    let output = command(folder.path(), arguments).output().unwrap();
    let left: Vec<_> = std::fs::read_dir(folder.path().join("tmp")).unwrap().collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, text)
}

/// A program in which rank 1 does something and rank 0 waits at a barrier.
fn rank_one_does(what: &str) -> String {
    format!(
        "import os, sys, signal, time\nimport torch\nimport torch.distributed as dist\n\n\
         dist.init_process_group('gloo')\nif dist.get_rank() == 1:\n    {what}\ndist.barrier()\n"
    )
}

fn rank_one(what: &str) -> (Option<i32>, String) {
    let (output, text) = run(&rank_one_does(what), &["-n", "2", "x.py"]);
    (output.status.code(), text)
}

#[test]
fn a_program_that_completes() {
    let (output, text) = run(&rank_one_does("print('hello')"), &["-n", "2", "x.py"]);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1 | hello\n");
    assert!(text.starts_with("completes in 20.0 µs of virtual time"), "{text}");
}

#[test]
fn a_discarded_isend_is_told_at_its_line() {
    let script = "\
import time
import torch
import torch.distributed as dist

dist.init_process_group('gloo')
if dist.get_rank() == 0:
    dist.isend(torch.ones(3), 1)
else:
    time.sleep(1)
    dist.recv(torch.zeros(3), 0)
";
    let (output, text) = run(script, &["-n", "2", "x.py"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text, @r"
      × hangs: the isend to rank 1 of rank 0 went with its handle, and rank 1 can never go on
        ╭─[x.py:7:5]
      6 │ if dist.get_rank() == 0:
      7 │     dist.isend(torch.ones(3), 1)
        ·     ──────────────┬─────────────
        ·                   ╰── rank 0 starts isend to rank 1 and loses its handle here
      8 │ else:
      9 │     time.sleep(1)
     10 │     dist.recv(torch.zeros(3), 0)
        ·     ──────────────┬─────────────
        ·                   ╰── rank 1 waits here for recv from rank 0
        ╰────
      help: keep the handle, and wait for it before it goes out of scope
      rank 1: recv from rank 0: the matching isend to rank 1 of rank 0 was cancelled when its handle was lost at x.py:7
      decided at 1.00 s under schedule rl
    ");
}

#[test]
fn a_rank_that_raises() {
    let (code, text) = rank_one("raise ValueError('no luck')");
    assert_eq!(code, Some(1));
    assert!(text.contains("fails: rank 1: ValueError: no luck"), "{text}");
    assert!(!text.contains("launch.py"), "the shim shows in the traceback: {text}");
}

#[test]
fn a_rank_that_kills_itself() {
    let (code, text) = rank_one("os.kill(os.getpid(), signal.SIGKILL)");
    assert_eq!(code, Some(1));
    assert!(text.contains("fails: rank 1 was killed by signal 9"), "{text}");
}

#[test]
fn a_rank_that_exits_with_a_code() {
    let (code, text) = rank_one("sys.exit(3)");
    assert_eq!(code, Some(1));
    assert!(text.contains("fails: rank 1 exited with code 3"), "{text}");
}

#[test]
fn a_rank_that_ends_without_a_word() {
    let (code, text) = rank_one("os._exit(4)");
    assert_eq!(code, Some(1));
    assert!(text.contains("fails: rank 1 ended with exit code 4 in the middle of the run"), "{text}");
}

#[test]
fn a_rank_that_is_stopped_by_a_signal() {
    let (code, text) = rank_one("os.kill(os.getpid(), signal.SIGSTOP)");
    assert_eq!(code, Some(1));
    assert!(text.contains("fails: rank 1 is stopped by a signal and does not answer"), "{text}");
}

#[test]
fn a_rank_that_computes_for_longer_than_the_time_limit() {
    let (output, text) = run(&rank_one_does("while True: pass"), &["-n", "2", "--time-limit", "1", "x.py"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("unfinished: the time limit of 1s is over"), "{text}");
}

#[test]
fn a_rank_that_prints_ten_megabytes() {
    let (output, _) = run(&rank_one_does("print('x' * 10_000_000)"), &["-n", "2", "x.py"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout.len(), "1 | \n".len() + 10_000_000);
}

#[test]
fn a_child_of_a_rank_does_not_outlive_the_run() {
    let (output, text) = run(
        &rank_one_does("import subprocess; print(subprocess.Popen(['sleep', '600']).pid)"),
        &["-n", "2", "x.py"],
    );
    assert_eq!(output.status.code(), Some(0), "{text}");
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(has_ended(line.trim().trim_start_matches("1 | ")), "the child still runs");
}

#[test]
fn an_operation_that_the_small_torch_lacks_is_named() {
    let (code, text) = rank_one("torch.special_thing(1)");
    assert_eq!(code, Some(1));
    assert!(text.contains("special_thing"), "{text}");
}

#[test]
fn a_spawn_inside_a_rank_is_refused_with_the_remedy() {
    let (code, text) = rank_one("import torch.multiprocessing as mp; mp.spawn(print, nprocs=2)");
    assert_eq!(code, Some(1));
    assert!(text.contains("the ranks are already running"), "{text}");
}

#[test]
fn a_script_with_a_syntax_error() {
    let (output, text) = run("def x(:\n", &["-n", "2", "x.py"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("fails: rank 0: SyntaxError: invalid syntax"), "{text}");
    assert!(text.contains("x.py:1"), "{text}");
}

#[test]
fn a_script_that_is_not_there() {
    let (output, text) = run("", &["-n", "2", "y.py"]);
    assert_eq!((output.status.code(), &*text), (Some(2), "error: there is no script y.py\n"));
}

#[test]
fn an_interpreter_that_is_not_there() {
    let (output, text) = run("", &["-n", "2", "--python", "no-such-python", "x.py"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text.starts_with("error: no-such-python could not be started"), "{text}");
}

#[test]
fn an_interpreter_that_does_not_run_the_shim() {
    let (output, text) = run("", &["-n", "2", "--python", "false", "x.py"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.contains("ended with exit code 1 in the middle of the run, before it could connect"),
        "{text}"
    );
}

#[test]
fn an_interrupt_ends_everything() {
    let folder =
        folder(&rank_one_does("print(os.getpid(), flush=True); time.time(); [0 for _ in iter(int, 1)]"));
    let mut child = command(folder.path(), &["-n", "2", "x.py"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(has_ended(line.trim().trim_start_matches("1 | ")), "a rank still runs");
    assert_eq!(std::fs::read_dir(folder.path().join("tmp")).unwrap().count(), 0);
}

#[test]
fn a_token_that_is_none() {
    let (output, text) = run("", &["-n", "2", "--replay", "xx", "x.py"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("`xx` is no schedule token"), "{text}");
}

#[test]
fn the_blocking_form_of_an_exchange_hangs() {
    let script = "\
import torch
import torch.distributed as dist

dist.init_process_group('gloo')
rank = dist.get_rank()
request = dist.isend(torch.ones(3), 1 - rank)
dist.recv(torch.zeros(3), 1 - rank)
request.wait()
";
    let (output, _) = run(script, &["-n", "2", "x.py"]);
    assert_eq!(output.status.code(), Some(0));
    let (output, text) = run(script, &["-n", "2", "--blocking", "x.py"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("hangs: rank 0 waits for rank 1, rank 1 waits for rank 0"), "{text}");
}

#[test]
fn a_timeline_and_a_trace_are_written() {
    let folder = folder(&rank_one_does("time.sleep(1)"));
    let arguments = ["-n", "2", "--timeline", "t.svg", "--trace", "t.json", "x.py"];
    assert!(command(folder.path(), &arguments).output().unwrap().status.success());
    let svg = std::fs::read_to_string(folder.path().join("t.svg")).unwrap();
    assert!(
        svg.contains("completes in 1.00 s of virtual time") && svg.contains("class=\"compute\""),
        "{svg}"
    );
    let trace = std::fs::read(folder.path().join("t.json")).unwrap();
    let trace: serde_json::Value = serde_json::from_slice(&trace).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    assert!(events.iter().any(|event| event["name"] == "computes" && event["dur"] == 1e6), "{trace}");
}

#[test]
fn arguments_after_the_script_are_the_scripts() {
    let (output, text) = run("import sys; print(sys.argv)\n", &["-n", "1", "x.py", "--lr", "3"]);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0 | ['x.py', '--lr', '3']\n");
}

#[test]
fn a_file_that_the_script_leaves_open_is_written_and_exit_handlers_communicate() {
    let folder = folder(
        "import atexit\nimport torch.distributed as dist\n\ndist.init_process_group('gloo')\n\
         file = open('out%d.txt' % dist.get_rank(), 'w')\nfile.write('written')\natexit.register(dist.barrier)\n",
    );
    let output = command(folder.path(), &["-n", "2", "x.py"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.starts_with("completes in 20.0 µs"), "{text}");
    assert_eq!(std::fs::read_to_string(folder.path().join("out1.txt")).unwrap(), "written");
}

#[test]
fn a_group_with_a_rank_that_does_not_exist() {
    let (code, text) = rank_one("dist.new_group([0, 7])");
    assert_eq!(code, Some(1));
    assert!(text.contains("new_group: there is no rank 7 in a world of 2 ranks"), "{text}");
}

#[test]
fn a_message_to_nobody_in_mpi() {
    let script = "from array import array\nfrom mpi4py import MPI\n\nbuffer = array('d', [1.0])\n\
                  MPI.COMM_WORLD.Send(buffer, dest=MPI.PROC_NULL)\n\
                  MPI.COMM_WORLD.Irecv(buffer, source=MPI.PROC_NULL).Wait()\n";
    let (output, text) = run(script, &["-n", "1", "x.py"]);
    assert_eq!(output.status.code(), Some(0), "{text}");
}

/// Whether a process has ended, or is only kept for its parent to look at. Known where there is `/proc`.
fn has_ended(pid: &str) -> bool {
    assert!(pid.parse::<u32>().is_ok(), "`{pid}` is no process");
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with(['Z', 'X']) || stat.is_empty()
}
