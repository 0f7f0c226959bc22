//! What README.md shows is what the binary prints.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use transcript::Folder;

/// The first block of a language in README.md.
fn block(language: &str) -> String {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, rest) = readme.split_once(&format!("\n```{language}\n")).unwrap();
    let (block, _) = rest.split_once("```").unwrap();
    block.to_owned()
}

#[test]
fn the_example_prints_what_the_readme_shows() {
    let folder = Folder::with(&[("ring.py", block("python").as_bytes())]);
    let shown = folder.unwaited("check ring.py");
    let expected = format!("$ unwaited check ring.py\n{}-- exit code 1\n", block("text"));
    assert_eq!(shown, expected, "README.md must show this:\n{shown}");
}
