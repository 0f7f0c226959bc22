//! Asking the Python interpreter that is there: `python3`, or the one that `UNWAITED_PYTHON` names.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Runs a script that reads a question as JSON and prints the answer, as JSON too, on its last line.
pub(crate) fn ask(script: &str, question: &Value) -> Result<Value, String> {
    let python = std::env::var("UNWAITED_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut child = Command::new(&python)
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{python}: {error}"))?;
    let sent = child.stdin.take().unwrap().write_all(question.to_string().as_bytes());
    let output = child.wait_with_output().unwrap();
    sent.map_err(|error| format!("{python}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).map_err(|error| format!("{python} says nothing useful: {error}"))
}
