//! Every fixture ends as its header says, under every schedule, and the linter agrees.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

/// Runs `unwaited prove` over a folder: how many fixtures there are, and the table if something disagrees.
fn prove(folder: &str) -> (usize, String) {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut command = Command::new(env!("CARGO_BIN_EXE_unwaited"));
    let output = command.args(["prove", folder]).current_dir(root).output().unwrap();
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let fixtures = table.lines().count().saturating_sub(2);
    (fixtures, if output.status.success() { String::new() } else { table + &errors })
}

/// `.ci/run` leaves this one out, and runs the command itself.
#[test]
fn the_python_fixtures_end_as_their_headers_say() {
    let (count, wrong) = prove("fixtures/runtime");
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 70, "only {count} fixtures were found");
}

#[test]
fn the_rust_fixtures_end_as_their_headers_say() {
    let (count, wrong) = prove("examples");
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 10, "only {count} fixtures were found");
}
