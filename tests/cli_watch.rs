//! `check --watch`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout};

use transcript::Folder;

const LOST: &[u8] = b"import torch.distributed as dist\n\n\ndef send(t):\n    dist.isend(t, 1)\n";
const CLEAN: &[u8] = b"import torch.distributed as dist\n";

/// A run that watches, ended with the test.
struct Watching {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Watching {
    fn start(folder: &Folder, arguments: &str) -> Self {
        let arguments = format!("check --watch --output-format concise --quiet {arguments}");
        let mut command = folder.command(&arguments);
        let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    /// The next row that is printed.
    fn row(&mut self) -> String {
        let mut row = String::new();
        self.out.read_line(&mut row).unwrap();
        row
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_change_of_a_file_below_a_folder() {
    let folder = Folder::with(&[("a.py", LOST), ("pkg/b.py", CLEAN)]);
    let mut watching = Watching::start(&folder, "");
    assert!(watching.row().starts_with("a.py:5:5"));
    folder.write("pkg/b.py", LOST);
    assert!(watching.row().starts_with("a.py:5:5"));
    assert!(watching.row().starts_with("pkg/b.py:5:5"));
    folder.write("pkg/new/c.py", LOST);
    while !watching.row().starts_with("pkg/new/c.py:5:5") {}
}

#[test]
fn a_file_that_an_editor_replaces() {
    let folder = Folder::with(&[("a.py", LOST), ("b.py", LOST)]);
    let mut watching = Watching::start(&folder, "a.py");
    assert!(watching.row().starts_with("a.py:5:5"));
    folder.write("a.py.new", &[b"\n", LOST].concat());
    std::fs::rename(folder.path().join("a.py.new"), folder.path().join("a.py")).unwrap();
    assert!(watching.row().starts_with("a.py:6:5"));
}

#[test]
fn a_change_of_the_settings() {
    let folder = Folder::with(&[("unwaited.toml", b""), ("pkg/a.py", LOST)]);
    let mut watching = Watching::start(&folder, "pkg");
    assert!(watching.row().starts_with("pkg/a.py:5:5: error"));
    folder.write("unwaited.toml", b"severity = { discarded-handle = 'advice' }\n");
    while !watching.row().starts_with("pkg/a.py:5:5: advice") {}
}

#[test]
fn what_cannot_be_watched() {
    let folder = Folder::with(&[("a.py", LOST)]);
    insta::assert_snapshot!(folder.unwaited("check --watch -"), @r"
    $ unwaited check --watch -
    -- standard error
    error: `--watch` waits for files to change, and `-` reads standard input
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --watch no/such/folder/a.py"), @r"
    $ unwaited check --watch no/such/folder/a.py
    -- standard error
    error: `no/such/folder` cannot be watched: no such file or directory
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --watch --diff"), @r"
    $ unwaited check --watch --diff
    -- standard error
    error: the argument '--watch' cannot be used with '--diff'

    Usage: unwaited check --watch [PATH]...

    For more information, try '--help'.
    -- exit code 2
    ");
}
