//! The tree that a file belongs to: a handle kept in an attribute is reported unless a file of the tree mentions the attribute.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use transcript::Folder;

const KEEPS: &[u8] = b"import torch.distributed as dist


class Sender:
    def push(self, tensor):
        self.pending_push = dist.isend(tensor, 1)
";
const READS: &[u8] = b"def finish(sender):\n    sender.pending_push.wait()\n";

/// Whether the handle in `pkg/keeps.py` is reported as one that nothing reads.
fn is_reported(files: &[(&str, &[u8])], arguments: &str) -> bool {
    let folder = Folder::with(files);
    let shown = folder.unwaited_reading(&format!("check --output-format concise {arguments}"), KEEPS);
    shown.contains(":6:29: warning[unread-handle]")
}

#[test]
fn nothing_reads_it() {
    assert!(is_reported(&[("pkg/keeps.py", KEEPS), ("other.py", b"pending_pushes = 0\n")], "."));
    assert!(is_reported(&[("pkg/keeps.py", KEEPS)], "pkg/keeps.py"));
}

#[test]
fn another_file_of_the_given_paths_reads_it() {
    let files: [(&str, &[u8]); 2] = [("pkg/keeps.py", KEEPS), ("other.py", READS)];
    assert!(!is_reported(&files, "."));
    assert!(is_reported(&files, "pkg"), "the other file is not given, and there is no root");
}

#[test]
fn the_tree_reaches_from_the_root_down() {
    for root in [".git/HEAD", ".hg/store", "unwaited.toml", ".unwaited.toml"] {
        let files: [(&str, &[u8]); 3] = [(root, b""), ("pkg/keeps.py", KEEPS), ("other.py", READS)];
        assert!(!is_reported(&files, "pkg"), "{root}");
        assert!(!is_reported(&files, "pkg/keeps.py"), "{root}");
    }
}

#[test]
fn isolated_looks_for_version_control_only() {
    let configured: [(&str, &[u8]); 3] =
        [("unwaited.toml", b""), ("pkg/keeps.py", KEEPS), ("other.py", READS)];
    assert!(is_reported(&configured, "--isolated pkg"));
    let versioned: [(&str, &[u8]); 3] = [(".git/HEAD", b""), ("pkg/keeps.py", KEEPS), ("other.py", READS)];
    assert!(!is_reported(&versioned, "--isolated pkg"));
}

#[test]
fn standard_input_has_the_tree_of_its_name() {
    let alone: [(&str, &[u8]); 1] = [("pkg/keeps.py", KEEPS)];
    assert!(!is_reported(&alone, "-"), "without a root there is no tree");
    assert!(!is_reported(&alone, "- --stdin-filename pkg/keeps.py"), "without a root there is no tree");
    let rooted: [(&str, &[u8]); 2] = [(".git/HEAD", b""), ("pkg/keeps.py", KEEPS)];
    assert!(is_reported(&rooted, "- --stdin-filename pkg/keeps.py"));
    let read: [(&str, &[u8]); 3] = [(".git/HEAD", b""), ("pkg/keeps.py", KEEPS), ("other.py", READS)];
    assert!(!is_reported(&read, "- --stdin-filename pkg/keeps.py"));
}
