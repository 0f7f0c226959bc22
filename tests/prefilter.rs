//! Most files of a tree are not parsed, and the same is found as if all were.
//!
//! A file that is named is always parsed: so the files of a folder, one by one, are compared with the folder.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed, and says what it skips"
)]

#[path = "../benches/generated/mod.rs"]
mod generated;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use unwaited::project::{self, Input, Options, Silent, find_files, is_failure};

/// What is found in some files and folders: file, rule and place.
fn found(paths: Vec<PathBuf>) -> Vec<(String, &'static str, u32)> {
    let outcome = project::check(Input::Paths(paths), &Options::default(), &Silent).unwrap();
    let findings = outcome.findings().filter(|(_, finding)| !is_failure(finding));
    findings.map(|(report, it)| (report.name.clone(), it.rule, it.primary.span.start)).collect()
}

/// What is found in a folder, and in its files when all of them are parsed.
fn both(folder: &Path) -> [Vec<(String, &'static str, u32)>; 2] {
    let files = find_files(&[folder.to_owned()], &Options::default()).unwrap().files;
    [found(vec![folder.to_owned()]), found(files.into_iter().map(|file| file.path).collect())]
}

#[test]
fn the_fixtures() {
    let [some, all] = both(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"));
    assert!(all.len() > 200, "{}", all.len());
    assert_eq!(some, all);
}

#[test]
fn a_generated_tree() {
    let folder = tempfile::tempdir().unwrap();
    generated::tree(folder.path(), 100, 10).unwrap();
    let [some, all] = both(folder.path());
    assert_eq!(some, all);
}

/// `UNWAITED_TREE=FOLDER cargo test --release --test prefilter` compares on real packages.
#[test]
fn a_tree_of_ones_own() {
    let Some(folder) = std::env::var_os("UNWAITED_TREE") else {
        return println!("skipped: UNWAITED_TREE names no folder");
    };
    let [some, all] = both(Path::new(&folder));
    assert_eq!(some, all);
}

/// Statements of which some start something, some only look like it, and some have to do with none.
const STATEMENTS: &[&str] = &[
    "h = dist.isend(x, 1)",
    "h = dist.all_reduce(x, async_op=True)",
    "h = dist.all_reduce(x, dist.ReduceOp.SUM, None, True)",
    "dist.all_reduce(x, dist.ReduceOp.SUM)",
    "h = reduce(f, xs, 0, True)",
    "dist.P2POp(dist.isend, x, 1)",
    "h = comm.Irecv(x, source=0)",
    "h.wait()",
    "h.wait",
    "del h",
    "print(x)",
    "comm.send(x, 1)",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_trees(files in proptest::collection::vec(proptest::collection::vec(0..STATEMENTS.len(), 1..5), 1..8)) {
        let folder = tempfile::tempdir().unwrap();
        for (number, statements) in files.iter().enumerate() {
            let mut text = "import torch.distributed as dist\nfrom mpi4py import MPI\ncomm = MPI.COMM_WORLD\n\n\ndef f(x, xs):\n".to_owned();
            for index in statements {
                writeln!(text, "    {}", STATEMENTS[*index]).unwrap();
            }
            std::fs::write(folder.path().join(format!("file{number}.py")), text).unwrap();
        }
        let [some, all] = both(folder.path());
        prop_assert_eq!(some, all);
    }
}
