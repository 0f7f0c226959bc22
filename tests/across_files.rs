//! Handles that cross files: what a function of one file does is known in those that import it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

use std::num::NonZeroUsize;
use std::path::PathBuf;

use unwaited::project::{self, CacheUse, Input, Options, Outcome, Silent};

const LOW: &str = "\
import torch.distributed as dist

def start(x):
    return dist.isend(x, 1)

def reduce(x, async_op=False):
    work = dist.all_reduce(x, async_op=async_op)
    return x, work

def scale(x):
    x.mul_(2)
";

const COMM: &str = "\
from .low import start

def push(x):
    return start(x)

def finish(handles):
    for handle in handles:
        handle.wait()

class Box:
    def __init__(self):
        self.kept = {}

    def push(self, handle, key):
        self.kept[key] = (handle, key)
";

/// A tree with two modules of a package and a program beside it.
struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    fn new(program: &str) -> Self {
        let tree = Self { folder: tempfile::tempdir().unwrap() };
        tree.write("pkg/__init__.py", "from .comm import push\n");
        tree.write("pkg/low.py", LOW);
        tree.write("pkg/comm.py", COMM);
        tree.write("train.py", program);
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    fn check(&self, paths: &[&str], options: &Options) -> Outcome {
        let paths = paths.iter().map(|name| self.path(name)).collect();
        project::check(Input::Paths(paths), options, &Silent).unwrap()
    }

    /// The findings of the whole tree: file, row, rule.
    fn found(&self) -> String {
        told(&self.check(&[""], &Options::default()))
    }
}

fn told(outcome: &Outcome) -> String {
    let rows = outcome.findings().map(|(report, finding)| {
        let name = report.name.rsplit('/').next().unwrap_or_default();
        let row = report.source.as_ref().map_or(0, |source| source.position(finding.primary.span.start).row);
        let elsewhere = finding.elsewhere.iter().map(|place| {
            let file = place.file.rsplit('/').next().unwrap_or_default();
            format!(" <- {file}:{}", place.row.as_ref().map_or(0, |row| row.line))
        });
        format!("{name}:{row} {}{}", finding.rule, elsewhere.collect::<String>())
    });
    rows.collect::<Vec<_>>().join("; ")
}

#[test]
fn a_wrapper_of_a_wrapper_whose_handle_is_dropped() {
    let tree = Tree::new("from pkg.comm import push\n\ndef f(x):\n    push(x)\n");
    insta::assert_snapshot!(tree.found(), @"train.py:4 discarded-handle <- comm.py:4 <- low.py:4");
}

#[test]
fn a_name_that_the_package_exports_again() {
    let tree = Tree::new("import pkg\nfrom pkg import push as send\n\ndef f(x):\n    send(x)\n");
    insta::assert_snapshot!(tree.found(), @"train.py:5 discarded-handle <- comm.py:4 <- low.py:4");
}

#[test]
fn a_star_import() {
    let tree = Tree::new("from pkg.comm import *\n\ndef f(x):\n    push(x)\n");
    insta::assert_snapshot!(tree.found(), @"train.py:4 discarded-handle <- comm.py:4 <- low.py:4");
}

#[test]
fn a_wrapper_that_gives_a_handle_only_if_it_is_asked_to() {
    let program = "\
from pkg.low import reduce

def blocking(x):
    out, _ = reduce(x)
    return out

def lost(x):
    out, work = reduce(x, async_op=True)
    return out
";
    insta::assert_snapshot!(Tree::new(program).found(), @"train.py:8 unwaited-handle <- low.py:7");
}

#[test]
fn a_buffer_that_a_function_of_another_file_writes() {
    let program = "\
from pkg.low import scale, start

def f(x):
    handle = start(x)
    scale(x)
    handle.wait()
";
    insta::assert_snapshot!(Tree::new(program).found(), @"train.py:5 buffer-written <- low.py:4 <- low.py:11");
}

#[test]
fn handles_that_are_finished_kept_or_given_elsewhere_are_silent() {
    let program = "\
from pkg.comm import Box, finish, push
from unknown import register

def several(xs):
    finish([push(x) for x in xs])

def kept(box: Box, x):
    box.push(push(x), 1)

def given(x):
    register(push(x))

def returned(x):
    return push(x)
";
    assert_eq!(Tree::new(program).found(), "");
}

#[test]
fn files_in_any_order_on_any_number_of_threads_and_one_by_one() {
    let tree = Tree::new("from pkg import push\n\ndef f(x):\n    push(x)\n");
    let (names, reversed) = (
        ["pkg/__init__.py", "pkg/comm.py", "pkg/low.py", "train.py"],
        ["train.py", "pkg/low.py", "pkg/comm.py", "pkg/__init__.py"],
    );
    let whole = tree.found();
    for jobs in [1, 2, 5] {
        let options = Options { jobs: NonZeroUsize::new(jobs), ..Options::default() };
        assert_eq!(told(&tree.check(&names, &options)), whole);
        assert_eq!(told(&tree.check(&reversed, &options)), whole);
    }
    assert_eq!(told(&tree.check(&["train.py"], &Options::default())), whole);
}

#[test]
fn a_remembered_tree_and_one_of_whose_files_another_has_changed() {
    let tree = Tree::new("from pkg import push\n\ndef f(x):\n    push(x)\n");
    let options = Options { cache: CacheUse::Remembers, ..Options::default() };
    let check = || told(&tree.check(&[""], &options));
    std::fs::create_dir(tree.path(".git")).unwrap();
    let first = check();
    assert_eq!(first, "train.py:4 discarded-handle <- comm.py:4 <- low.py:4");
    assert_eq!(check(), first);
    tree.write(
        "pkg/low.py",
        "import torch.distributed as dist\n\ndef start(x):\n    return dist.send(x, 1)\n",
    );
    assert_eq!(check(), "");
    tree.write("pkg/low.py", LOW);
    assert_eq!(check(), first);
}
