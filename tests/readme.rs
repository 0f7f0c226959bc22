//! What README.md shows is what the binary prints.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use transcript::Folder;

/// The first block of a language in README.md after this text.
fn block(after: &str, language: &str) -> String {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, readme) = readme.split_once(after).unwrap();
    let (_, rest) = readme.split_once(&format!("\n```{language}\n")).unwrap();
    let (block, _) = rest.split_once("```").unwrap();
    block.to_owned()
}

#[test]
fn the_example_prints_what_the_readme_shows() {
    let folder = Folder::with(&[("ring.py", block("`ring.py`:", "python").as_bytes())]);
    let shown = folder.unwaited("check ring.py");
    let expected = format!("$ unwaited check ring.py\n{}-- exit code 1\n", block("`ring.py`:", "text"));
    assert_eq!(shown, expected, "README.md must show this:\n{shown}");
}

#[test]
fn the_program_ends_as_the_readme_shows() {
    let folder = Folder::with(&[("late.py", block("`late.py`:", "python").as_bytes())]);
    let shown = folder.unwaited("run -n 2 late.py");
    let text = block("`late.py`:", "text");
    let expected = format!("$ unwaited run -n 2 late.py\n-- standard error\n{text}-- exit code 1\n");
    assert_eq!(shown, expected, "README.md must show this:\n{shown}");
}

#[test]
fn the_configuration_is_one() {
    let folder = Folder::with(&[("pyproject.toml", block("### Configure it", "toml").as_bytes())]);
    let shown = folder.unwaited("config");
    assert!(shown.contains("api = [\"ours\"]") && shown.ends_with("-- exit code 0\n"), "{shown}");
}
