//! Every fixture ends as its header says, under every schedule.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use unwaited::runtime::prove::{ProveArgs, prove_all, table};

fn disagreements(folder: &str) -> (usize, String) {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let arguments =
        ProveArgs { paths: vec![root.join(folder)], bound: 64, python: "python3".into(), json: false };
    let proofs = prove_all(&arguments, &|_| None).unwrap();
    let wrong: Vec<_> = proofs.iter().filter(|proof| !proof.disagreements.is_empty()).cloned().collect();
    (proofs.len(), if wrong.is_empty() { String::new() } else { table(&wrong) })
}

#[test]
fn the_python_fixtures_end_as_their_headers_say() {
    let (count, wrong) = disagreements("fixtures/runtime");
    assert!(count > 70, "only {count} fixtures were found");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_rust_fixtures_end_as_their_headers_say() {
    let (count, wrong) = disagreements("examples");
    assert!(count > 10, "only {count} fixtures were found");
    assert!(wrong.is_empty(), "{wrong}");
}
