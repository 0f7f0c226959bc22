//! The fixtures on rsmpi are programs: they compile against it, the right ones complete, and the wrong ones come to the harm that
//! their pages name. Where no MPI is installed, or the crate is not to be had, that is printed and nothing is tested.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says what it skips"
)]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::{assert_none, entries, folder, read, source_files, stem};

/// Beside the fixtures stands what they need, in the version that the catalogue was checked against.
const MANIFEST: &str = r#"
[package]
name = "fixtures"
version = "0.0.0"
edition = "2024"

[dependencies]
mpi = { version = "=0.8.2", default-features = false }

[workspace]
"#;

/// What a request says when it is dropped while it is pending.
const DROPPED: &str = "dropped without being completed";
/// What a collection says then.
const NOT_COMPLETED: &str = "not completed";
/// What MPI says after it was finalized.
const FINALIZED: &str = "MPI_FINALIZE";

/// The ways through wrong fixtures, each with a piece of what it prints before it ends.
const HARMS: &[(&str, &[&str], &str)] = &[
    ("discarded_handle_rsmpi_bad", &["underscore", "name", "drop", "tuple", "wrapped", "forget"], DROPPED),
    ("discarded_handle_wrapper_bad", &[""], DROPPED),
    ("unwaited_handle_rsmpi_bad", &["early", "conditional", "loop", "polled"], DROPPED),
    ("unwaited_handle_collected_bad", &["vector", "adaptor"], DROPPED),
    ("unwaited_handle_collected_bad", &["collection"], NOT_COMPLETED),
    ("overwritten_handle_rsmpi_bad", &["loop", "slot"], DROPPED),
    ("partly_waited_rsmpi_bad", &["any", "pair"], DROPPED),
    ("wait_never_runs_rsmpi_bad", &[""], DROPPED),
    ("universe_dropped_statement_bad", &[""], FINALIZED),
    ("universe_dropped_function_bad", &[""], FINALIZED),
];

fn run(program: &str, arguments: &[&str], at: &Path) -> std::io::Result<Output> {
    Command::new(program).args(arguments).current_dir(at).env_remove("RUSTFLAGS").output()
}

fn is_there(program: &str) -> bool {
    run(program, &["--version"], Path::new(".")).is_ok_and(|output| output.status.success())
}

/// The fixtures that use rsmpi, each with the name of its program.
fn programs() -> Vec<(String, PathBuf)> {
    let folders = entries(&folder("fixtures")).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|path| source_files(&path));
    let on_rsmpi = files
        .filter(|path| path.extension().is_some_and(|it| it == "rs") && read(path).contains("\nuse mpi::"));
    on_rsmpi
        .map(|path| {
            let name = format!("{}_{}", path.parent().map(stem).unwrap_or_default(), stem(&path));
            (name.replace('-', "_"), path)
        })
        .collect()
}

/// A package with the dependency only; `None` where it cannot be built here.
fn package() -> Option<PathBuf> {
    if !["mpicc", "mpirun"].into_iter().all(is_there) {
        println!("skipped: no MPI is installed");
        return None;
    }
    let at = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rsmpi-fixtures");
    std::fs::create_dir_all(at.join("src/bin")).unwrap();
    std::fs::write(at.join("Cargo.toml"), MANIFEST).unwrap();
    std::fs::write(at.join("src/lib.rs"), "").unwrap();
    let built = run(env!("CARGO"), &["build", "--quiet", "--lib"], &at).unwrap();
    if !built.status.success() {
        println!("skipped: rsmpi cannot be built here\n{}", String::from_utf8_lossy(&built.stderr));
        return None;
    }
    Some(at)
}

fn mpirun(at: &Path, program: &str, way: &str) -> Output {
    let program = at.join("target/debug").join(program);
    let command = ["--allow-run-as-root", "--oversubscribe", "-n", "1", program.to_str().unwrap(), way];
    run("timeout", &[["60", "mpirun"].as_slice(), command.as_slice()].concat(), at).unwrap()
}

fn told(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat()
}

#[test]
fn fixtures_on_rsmpi_compile_and_end_as_their_pages_say() {
    let Some(at) = package() else { return };
    let programs = programs();
    for (name, path) in &programs {
        std::fs::copy(path, at.join("src/bin").join(format!("{name}.rs"))).unwrap();
    }
    let built = run(env!("CARGO"), &["build", "--quiet", "--bins"], &at).unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));

    let mut complaints = Vec::new();
    for (name, _) in programs.iter().filter(|(name, _)| !name.ends_with("_bad")) {
        let output = mpirun(&at, name, "");
        if !output.status.success() {
            complaints.push(format!("{name} fails: {}", told(&output)));
        }
    }
    for (name, ways, harm) in HARMS {
        for way in *ways {
            let output = mpirun(&at, name, way);
            if output.status.success() || !told(&output).contains(harm) {
                complaints.push(format!("{name} {way} does no harm: {}", told(&output)));
            }
        }
    }
    println!("{} programs", programs.len());
    assert_none(&complaints);
}
