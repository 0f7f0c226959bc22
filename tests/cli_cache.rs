//! The cache: nothing of what is reported depends on it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use transcript::Folder;
use unwaited::project::settings::{Discovery, Resolver};
use unwaited::project::{self, CacheUse, Input, Options, Outcome, Silent};

const LOST: &str = "import torch.distributed as dist\n\n\ndef send(t):\n    dist.isend(t, 1)\n";
/// Keeps a handle that only another file may read.
const KEPT: &str = "import torch.distributed as dist\n\n\nclass Sender:\n    def send(self, t):\n        self.request = dist.isend(t, 1)\n";
const CONCISE: &str = "check --output-format concise";

fn folder() -> Folder {
    Folder::with(&[
        (".git/HEAD", b""),
        ("lost.py", LOST.as_bytes()),
        ("kept.py", KEPT.as_bytes()),
        ("pkg/__init__.py", b""),
        (
            "pkg/quiet.py",
            b"import torch.distributed as dist\n\n\ndef send(t):\n    dist.isend(t, 1).wait()\n",
        ),
        ("pkg/other.py", b"x = 1\n"),
        ("suppressed.py", LOST.replace("1)", "1)  # unwaited: ignore[discarded-handle]").as_bytes()),
        ("unused.py", b"x = 1  # unwaited: ignore[waited-twice]\n"),
        ("broken.py", b"import torch.distributed as dist\nx = dist.isend(\n"),
        ("binary.py", b"isend\x00"),
    ])
}

/// What a run shows, by its arguments, without their row.
fn shown(folder: &Folder, arguments: &str) -> String {
    folder.unwaited(arguments).split_once('\n').unwrap().1.to_owned()
}

/// The files of the cache, below the folder.
fn memories(folder: &Path) -> Vec<PathBuf> {
    let version = folder.join(".unwaited_cache").join(env!("CARGO_PKG_VERSION"));
    fs::read_dir(version)
        .map_or_else(|_| Vec::new(), |entries| entries.map(|entry| entry.unwrap().path()).collect())
}

#[test]
fn every_format_is_the_same_with_and_without() {
    let folder = folder();
    for format in ["full", "concise", "json", "sarif", "gitlab", "junit"] {
        for rest in ["", "--select unused-ignore", "pkg lost.py", "--severity discarded-handle=advice"] {
            let arguments = format!("check --output-format {format} {rest}");
            let without = shown(&folder, &format!("{arguments} --no-cache"));
            assert_eq!(shown(&folder, &arguments), without, "cold: {arguments}");
            assert_eq!(shown(&folder, &arguments), without, "warm: {arguments}");
        }
    }
}

#[test]
fn every_fixture_is_the_same_with_and_without() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let folder = Folder::with(&[]);
    let cache = folder.path().join("cache");
    let run = |rest: &str| {
        let arguments = format!("check --isolated --output-format json {} {rest}", fixtures.display());
        shown(&folder, &arguments)
    };
    let without = run("--no-cache");
    assert!(without.len() > 10_000);
    let with = format!("--cache-dir {}", cache.display());
    assert!(run(&with) == without, "cold");
    assert!(run(&with) == without, "warm");
    assert!(run(&format!("{with} --jobs 1")) == without, "warm, with one thread");
}

#[test]
fn a_file_that_is_named_and_found() {
    let folder = Folder::with(&[("a.py", b"def f(:\n")]);
    let named = shown(&folder, "check --output-format concise a.py --no-cache");
    let found = shown(&folder, "check --output-format concise . --no-cache");
    assert_ne!(named, found);
    for _ in 0..2 {
        assert_eq!(shown(&folder, "check --output-format concise a.py"), named);
        assert_eq!(shown(&folder, "check --output-format concise ."), found);
    }
}

#[test]
fn a_file_that_changes_in_the_same_instant() {
    let folder = folder();
    for number in 0..20 {
        let text = LOST.replace("1)", &format!("{number:02})"));
        let (with, without) =
            if number % 2 == 0 { (text.clone(), true) } else { (text.replace("isend", "xsend"), false) };
        folder.write("lost.py", with.as_bytes());
        let shown = shown(&folder, "check --output-format concise lost.py");
        assert_eq!(shown.contains("discarded-handle"), without, "{number}: {shown}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_keeps_its_size_and_its_time() {
    let folder = folder();
    let path = folder.path().join("lost.py");
    assert!(shown(&folder, CONCISE).contains("lost.py:5:5"));
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    folder.write("lost.py", LOST.replace("isend", "xsend").as_bytes());
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    assert!(!shown(&folder, CONCISE).contains("lost.py:5:5"));
}

#[test]
fn a_handle_that_another_file_begins_to_read() {
    let folder = folder();
    for _ in 0..2 {
        assert!(shown(&folder, CONCISE).contains("unread-handle"), "nobody reads it");
    }
    folder.write("pkg/other.py", b"def finish(sender):\n    sender.request.wait()\n");
    for _ in 0..2 {
        assert!(!shown(&folder, CONCISE).contains("unread-handle"), "pkg/other.py reads it");
    }
    folder.write("pkg/other.py", b"x = 1\n");
    for _ in 0..2 {
        assert!(shown(&folder, CONCISE).contains("unread-handle"), "nobody reads it again");
    }
}

#[test]
fn settings_that_change() {
    let folder = folder();
    assert!(shown(&folder, CONCISE).contains("lost.py:5:5: error"));
    folder.write("unwaited.toml", b"severity = { discarded-handle = 'advice' }\n");
    assert!(shown(&folder, CONCISE).contains("lost.py:5:5: advice"));
    folder.write("unwaited.toml", b"ignore = ['discarded-handle']\n");
    assert!(!shown(&folder, CONCISE).contains("lost.py:5:5"));
}

#[test]
fn no_cache_means_none() {
    let folder = folder();
    folder.unwaited("check --no-cache");
    assert!(!folder.path().join(".unwaited_cache").exists());
    folder.unwaited("check");
    assert_eq!(memories(folder.path()).len(), 2, "one for the files, one for the tree");
    let before: Vec<Vec<u8>> = memories(folder.path()).iter().map(|path| fs::read(path).unwrap()).collect();
    folder.write("lost.py", b"x = 1\n");
    folder.unwaited("check --no-cache");
    let after: Vec<Vec<u8>> = memories(folder.path()).iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(before, after);
}

#[test]
fn a_cache_that_is_damaged() {
    let folder = folder();
    let expected = shown(&folder, CONCISE);
    let whole: Vec<(PathBuf, Vec<u8>)> =
        memories(folder.path()).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    for (path, bytes) in &whole {
        for damaged in [&b""[..], b"\xff\xfe", &bytes[..bytes.len() / 2], &bytes[..bytes.len() - 1], b"0\n{}"]
        {
            fs::write(path, damaged).unwrap();
            assert_eq!(shown(&folder, CONCISE), expected);
        }
    }
    fs::remove_dir_all(folder.path().join(".unwaited_cache")).unwrap();
    fs::write(folder.path().join(".unwaited_cache"), "a file").unwrap();
    let (report, rest) = expected.split_once("-- exit code").unwrap();
    let warned = shown(&folder, CONCISE);
    assert!(warned.starts_with(report) && warned.ends_with(rest), "{warned}");
    insta::assert_snapshot!(warned.lines().find(|line| line.starts_with("warning:")).unwrap(), @"warning: the cache `.unwaited_cache` cannot be written: not a directory; `--no-cache` does without it, `--cache-dir` puts it elsewhere");
}

#[test]
fn a_cache_in_another_folder() {
    let folder = folder();
    folder.write("unwaited.toml", b"cache-dir = 'tmp/cache'\n");
    folder.unwaited("check");
    assert!(folder.path().join("tmp/cache/CACHEDIR.TAG").is_file());
    assert!(!folder.path().join(".unwaited_cache").exists());
    let mut command = folder.command("check --isolated");
    command.env("UNWAITED_CACHE_DIR", "elsewhere").output().unwrap();
    assert!(folder.path().join("elsewhere/.gitignore").is_file());
}

#[test]
fn several_runs_at_once() {
    let folder = folder();
    for number in 0..30 {
        folder.write(&format!("many/lost_{number}.py"), LOST.as_bytes());
    }
    let expected = shown(&folder, "check --output-format concise --no-cache");
    let runs: Vec<_> = (0..6).map(|_| folder.command(CONCISE).spawn().unwrap()).collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        assert!(expected.starts_with(&*String::from_utf8_lossy(&output.stdout)));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
    assert_eq!(shown(&folder, CONCISE), expected);
    let left = fs::read_dir(folder.path().join(".unwaited_cache").join(env!("CARGO_PKG_VERSION"))).unwrap();
    assert!(left.into_iter().all(|entry| entry.unwrap().path().extension().is_some_and(|it| it == "json")));
}

#[test]
fn fixes_are_made_of_what_is_remembered() {
    let folder = folder();
    shown(&folder, CONCISE);
    shown(&folder, "check --fix");
    assert_eq!(fs::read_to_string(folder.path().join("unused.py")).unwrap(), "x = 1\n");
}

fn check(folder: &Path) -> Outcome {
    let options = Options {
        cache: CacheUse::Remembers,
        resolver: Arc::new(Resolver::new(Discovery::Nearest, Vec::new())),
        ..Options::default()
    };
    project::check(Input::Paths(vec![folder.to_owned()]), &options, &Silent).unwrap()
}

#[test]
fn a_tree_that_has_not_changed_is_not_read() {
    let folder = folder();
    fs::remove_file(folder.path().join("binary.py")).unwrap();
    let first = check(folder.path());
    assert_eq!((first.passed_over, first.files), (0, 8));
    // A file is believed once it was older than a tick of the clock when it was read; that takes a few runs.
    let settled = (0..1000).map(|_| check(folder.path())).find(|outcome| outcome.passed_over == 3).unwrap();
    let rows = |outcome: &Outcome| -> Vec<String> {
        outcome.findings().map(|(report, finding)| format!("{} {}", report.name, finding.message)).collect()
    };
    assert_eq!(rows(&settled), rows(&first));
    folder.write("pkg/other.py", LOST.as_bytes());
    let changed = check(folder.path());
    assert_eq!((changed.passed_over, changed.findings().count()), (2, first.findings().count() + 1));
}
