//! Runs the built binary in a folder of its own and writes down what a user would see.

#![allow(dead_code, reason = "no test file uses all of it")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A folder to run in.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, bytes) in files {
            folder.write(name, bytes);
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// What a user sees who runs `unwaited` with these arguments.
    pub(crate) fn unwaited(&self, arguments: &str) -> String {
        self.unwaited_reading(arguments, b"")
    }

    /// The same with something on standard input.
    pub(crate) fn unwaited_reading(&self, arguments: &str, input: &[u8]) -> String {
        let mut child = self.command(arguments).spawn().unwrap();
        // A run that reads no standard input may have ended before this.
        let _ = child.stdin.take().unwrap().write_all(input);
        transcript(arguments, &child.wait_with_output().unwrap())
    }

    /// The command itself, for what a transcript cannot tell.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unwaited"));
        command
            .args(arguments.split_whitespace())
            .current_dir(self.path())
            .env_remove("NO_COLOR")
            .env_remove("FORCE_COLOR")
            .env_remove("CLICOLOR")
            .env_remove("CLICOLOR_FORCE")
            .env_remove("UNWAITED_CACHE_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

fn transcript(arguments: &str, output: &Output) -> String {
    let command = format!("$ unwaited {arguments}");
    let mut text = format!("{}\n{}", command.trim_end(), String::from_utf8_lossy(&output.stdout));
    if !output.stderr.is_empty() {
        text += "-- standard error\n";
        text += &String::from_utf8_lossy(&output.stderr);
    }
    text + &format!("-- exit code {}\n", output.status.code().unwrap())
}
