//! Configuration files, `--config`, and `unwaited config`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use transcript::Folder;

const LOST: &[u8] = b"import torch.distributed as dist\n\n\ndef send(t):\n    dist.isend(t, 1)\n";
const TWICE: &[u8] =
    b"import torch.distributed as dist\n\n\ndef send(t):\n    h = dist.isend(t, 1)\n    h.wait\n    dist.isend(t, 1)\n";
/// A project's own function that starts something.
const OURS: &[u8] = br#"
[[tool.unwaited.api]]
library = "ours"
language = "python"
modules = ["ours.comm"]

[[tool.unwaited.api.function]]
name = "push"
parameters = ["tensor", "peer"]
does = "start"
kind = "point-to-point"
gives = "torch.distributed.Work"
"#;

#[test]
fn a_file_of_each_name() {
    for name in ["unwaited.toml", ".unwaited.toml"] {
        let folder = Folder::with(&[("a.py", LOST), (name, b"ignore = ['discarded-handle']\n")]);
        assert!(folder.unwaited("check").contains("no problem found in 1 file"), "{name}");
    }
    let text = b"[project]\nname = 'x'\n[tool.unwaited]\nignore = ['discarded-handle']\n";
    let folder = Folder::with(&[("a.py", LOST), ("pyproject.toml", text)]);
    assert!(folder.unwaited("check").contains("no problem found in 1 file"));
}

#[test]
fn the_nearest_file_counts_for_each_file() {
    let folder = Folder::with(&[
        ("unwaited.toml", b"ignore = ['discarded-handle']\n"),
        ("a.py", LOST),
        ("sub/unwaited.toml", b"severity = { discarded-handle = 'advice' }\n"),
        ("sub/deep/b.py", LOST),
        ("other/pyproject.toml", b"[tool.ruff]\nline-length = 100\n"),
        ("other/c.py", LOST),
    ]);
    insta::assert_snapshot!(folder.unwaited("check --output-format concise"), @r"
    $ unwaited check --output-format concise
    sub/deep/b.py:5:5: advice[discarded-handle] the handle of `dist.isend` is thrown away
    found 1 problem (1 advice) in 3 files
    1 can be fixed with `--fix --unsafe-fixes`
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --output-format concise --isolated"), @r"
    $ unwaited check --output-format concise --isolated
    a.py:5:5: error[discarded-handle] the handle of `dist.isend` is thrown away
    other/c.py:5:5: error[discarded-handle] the handle of `dist.isend` is thrown away
    sub/deep/b.py:5:5: error[discarded-handle] the handle of `dist.isend` is thrown away
    found 3 problems (3 errors) in 3 files
    3 can be fixed with `--fix --unsafe-fixes`
    -- exit code 1
    ");
}

#[test]
fn the_command_line_comes_last() {
    let folder = Folder::with(&[("a.py", TWICE), ("unwaited.toml", b"ignore = ['discarded-handle']\n")]);
    insta::assert_snapshot!(folder.unwaited("check --output-format concise"), @r"
    $ unwaited check --output-format concise
    a.py:6:5: error[wait-never-runs] `h.wait` is named but not called
    found 1 problem (1 error) in 1 file
    1 can be fixed with `--fix`
    -- exit code 1
    ");
    insta::assert_snapshot!(folder.unwaited("check --output-format concise --select discarded-handle"), @r"
    $ unwaited check --output-format concise --select discarded-handle
    a.py:7:5: error[discarded-handle] the handle of `dist.isend` is thrown away
    found 1 problem (1 error) in 1 file
    1 can be fixed with `--fix --unsafe-fixes`
    -- exit code 1
    ");
    insta::assert_snapshot!(folder.unwaited("check --output-format concise --config ignore=['wait-never-runs']"), @r"
    $ unwaited check --output-format concise --config ignore=['wait-never-runs']
    no problem found in 1 file
    -- exit code 0
    ");
}

#[test]
fn a_file_is_given() {
    let folder = Folder::with(&[
        ("a.py", LOST),
        ("unwaited.toml", b"ignore = ['discarded-handle']\n"),
        ("ci/strict.toml", b"severity = { discarded-handle = 'warning' }\n"),
    ]);
    insta::assert_snapshot!(folder.unwaited("check --output-format concise --config ci/strict.toml"), @r"
    $ unwaited check --output-format concise --config ci/strict.toml
    a.py:5:5: warning[discarded-handle] the handle of `dist.isend` is thrown away
    found 1 problem (1 warning) in 1 file
    1 can be fixed with `--fix --unsafe-fixes`
    -- exit code 1
    ");
}

#[test]
fn a_file_extends_another() {
    let folder = Folder::with(&[
        ("base.toml", b"ignore = ['discarded-handle']\nbackend = 'gloo'\nexclude = ['generated']\n"),
        ("pkg/unwaited.toml", b"extend = '../base.toml'\nbackend = 'nccl'\n"),
        ("pkg/a.py", LOST),
        ("pkg/generated/b.py", LOST),
    ]);
    insta::assert_snapshot!(folder.unwaited("check pkg"), @r"
    $ unwaited check pkg
    no problem found in 1 file
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("config pkg"), @r#"
    $ unwaited config pkg
    select = "all"                 # built in
    ignore = ["discarded-handle"]  # base.toml
    exclude = ["generated"]        # base.toml
    respect-gitignore = true       # built in
    backend = "nccl"               # pkg/unwaited.toml
    -- exit code 0
    "#);
}

#[test]
fn a_file_that_extends_in_a_circle_or_into_nothing() {
    let folder = Folder::with(&[
        ("a.py", LOST),
        ("unwaited.toml", b"extend = 'other.toml'\n"),
        ("other.toml", b"extend = 'unwaited.toml'\n"),
    ]);
    let shown = here(&folder, "check");
    insta::assert_snapshot!(shown, @r"
    $ unwaited check
    -- standard error
    error: unwaited.toml: `extend` leads in a circle: unwaited.toml, other.toml, unwaited.toml
    -- exit code 2
    ");
    folder.write("other.toml", b"extend = 'gone.toml'\n");
    let shown = here(&folder, "check");
    insta::assert_snapshot!(shown, @r"
    $ unwaited check
    -- standard error
    error: other.toml: `extend`: `gone.toml` cannot be read: no such file or directory
    -- exit code 2
    ");
}

#[test]
fn rules_that_do_not_apply_to_some_files() {
    let folder = Folder::with(&[
        ("unwaited.toml", b"[per-file-ignores]\n'tests/**' = ['discarded-handle']\n"),
        ("tests/deep/a.py", LOST),
        ("src/b.py", LOST),
    ]);
    insta::assert_snapshot!(folder.unwaited("check --output-format concise"), @r"
    $ unwaited check --output-format concise
    src/b.py:5:5: error[discarded-handle] the handle of `dist.isend` is thrown away
    found 1 problem (1 error) in 2 files
    1 can be fixed with `--fix --unsafe-fixes`
    -- exit code 1
    ");
}

#[test]
fn files_that_are_left_out() {
    let folder = Folder::with(&[
        ("unwaited.toml", b"exclude = ['gen', '/a.py', '!build']\n"),
        ("a.py", LOST),
        ("pkg/a.py", LOST),
        ("pkg/gen/b.py", LOST),
        ("build/c.py", LOST),
        ("dist/d.py", LOST),
    ]);
    insta::assert_snapshot!(folder.unwaited("check --show-files"), @r"
    $ unwaited check --show-files
    build/c.py
    pkg/a.py
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --show-files --exclude *.py"), @r"
    $ unwaited check --show-files --exclude *.py
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --show-files a.py pkg/gen/b.py"), @r"
    $ unwaited check --show-files a.py pkg/gen/b.py
    a.py
    pkg/gen/b.py
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --show-files --force-exclude a.py pkg/a.py pkg/gen/b.py"), @r"
    $ unwaited check --show-files --force-exclude a.py pkg/a.py pkg/gen/b.py
    pkg/a.py
    -- exit code 0
    ");
}

#[test]
fn ignore_files_that_do_not_count() {
    let folder = Folder::with(&[
        ("unwaited.toml", b"respect-gitignore = false\n"),
        (".ignore", b"a.py\n"),
        ("a.py", LOST),
    ]);
    insta::assert_snapshot!(folder.unwaited("check --show-files"), @r"
    $ unwaited check --show-files
    a.py
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --show-files --isolated"), @r"
    $ unwaited check --show-files --isolated
    -- exit code 0
    ");
}

#[test]
fn a_function_of_the_project() {
    let program = b"from ours.comm import push\n\n\ndef send(t):\n    push(t, 1)\n";
    let folder = Folder::with(&[("pyproject.toml", OURS), ("a.py", program)]);
    insta::assert_snapshot!(folder.unwaited("check"), @r"
    $ unwaited check
    error[discarded-handle]

      × the handle of `push` is thrown away
       ╭─[a.py:5:5]
     4 │ def send(t):
     5 │     push(t, 1)
       ·     ─────┬────
       ·          ╰── the message starts here and its handle is dropped at once
       ╰────
      help: keep the handle and wait: `handle = push(…)`, and later `handle.wait()`; as it is, with
            gloo the message is cancelled, the peer waits for ever or fails, and later messages and
            barriers of the pair hang
            see `unwaited rule discarded-handle`

    found 1 problem (1 error) in 1 file
    1 can be fixed with `--fix --unsafe-fixes`
    -- exit code 1
    ");
    assert!(folder.unwaited("check --isolated").contains("no problem found"));
}

#[test]
fn a_function_of_the_project_that_is_not_understood() {
    let wrong = String::from_utf8_lossy(OURS).replace("does = \"start\"", "does = \"starts\"");
    let folder = Folder::with(&[("pyproject.toml", wrong.as_bytes()), ("a.py", LOST)]);
    insta::assert_snapshot!(folder.unwaited("check"), @r"
    $ unwaited check
    -- standard error
    error: pyproject.toml:10:8: `starts` is not known here: did you mean `start`?
    -- exit code 2
    ");
    let wrong = String::from_utf8_lossy(OURS).replace("distributed.Work", "distributed.Wrk");
    folder.write("pyproject.toml", wrong.as_bytes());
    insta::assert_snapshot!(here(&folder, "check"), @r"
    $ unwaited check
    -- standard error
    error: pyproject.toml: `api`: ours: push.gives: `torch.distributed.Wrk` is not known; did you mean `torch.distributed.Work`?
    -- exit code 2
    ");
}

#[test]
fn a_key_or_a_value_that_does_not_exist() {
    let folder = Folder::with(&[("a.py", LOST), ("pyproject.toml", b"[tool.unwaited]\nselct = []\n")]);
    insta::assert_snapshot!(here(&folder, "check"), @r"
    $ unwaited check
    -- standard error
    error: pyproject.toml:2:1: no key is called `selct`: did you mean `select`?
    -- exit code 2
    ");
    folder.write("pyproject.toml", b"[tool.unwaited]\nselect = ['discarded-handles']\n");
    insta::assert_snapshot!(here(&folder, "check --show-files"), @r"
    $ unwaited check --show-files
    -- standard error
    error: pyproject.toml:2:10: no rule is called `discarded-handles`: did you mean `discarded-handle`?
    -- exit code 2
    ");
    folder.write("pyproject.toml", b"[tool.unwaited\nselect = []\n");
    insta::assert_snapshot!(here(&folder, "check"), @r"
    $ unwaited check
    -- standard error
    error: pyproject.toml:1:15: unclosed table, expected `]`
    -- exit code 2
    ");
    folder.write("pyproject.toml", b"[tool.unwaited]\nexclude = ['a[b']\n");
    insta::assert_snapshot!(here(&folder, "check"), @r"
    $ unwaited check
    -- standard error
    error: pyproject.toml: `exclude`: `a[b` is no pattern for files: unclosed character class; missing ']'
    -- exit code 2
    ");
    folder.write("pyproject.toml", b"this is no toml and none of our business\n");
    assert!(here(&folder, "check --quiet --output-format concise").contains("a.py:5:5"));
}

#[test]
fn a_broken_file_below_a_folder_that_is_checked() {
    let folder =
        Folder::with(&[("a.py", LOST), ("sub/unwaited.toml", b"backend = 'glo'\n"), ("sub/b.py", LOST)]);
    insta::assert_snapshot!(here(&folder, "check"), @r"
    $ unwaited check
    -- standard error
    error: sub/unwaited.toml:1:11: `glo` is no backend: nccl, gloo, mpi and any are; did you mean `gloo`?
    -- exit code 2
    ");
    assert!(here(&folder, "check --quiet --output-format concise a.py").contains("a.py:5:5"));
}

#[test]
fn a_setting_on_the_command_line_that_is_none() {
    let folder = Folder::with(&[("a.py", LOST), ("x.toml", b""), ("y.toml", b"")]);
    insta::assert_snapshot!(folder.unwaited("check --config unwated.toml"), @r"
    $ unwaited check --config unwated.toml
    -- standard error
    error: `--config unwated.toml`: there is no such file, and it is no setting such as `backend = 'nccl'`
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --config backend=nccl"), @r"
    $ unwaited check --config backend=nccl
    -- standard error
    error: `--config backend=nccl`: `nccl` is no value: a word stands in quotes, `backend = 'nccl'`
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --config backnd='nccl'"), @r"
    $ unwaited check --config backnd='nccl'
    -- standard error
    error: `--config backnd='nccl'`: no key is called `backnd`: did you mean `backend`?
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --config extend='x.toml'"), @r"
    $ unwaited check --config extend='x.toml'
    -- standard error
    error: `--config extend='x.toml'`: `extend` is for files: write `--config FILE`
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --config x.toml --config y.toml"), @r"
    $ unwaited check --config x.toml --config y.toml
    -- standard error
    error: two configuration files are given: `x.toml` and `y.toml`
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --config x.toml --isolated"), @r"
    $ unwaited check --config x.toml --isolated
    -- standard error
    error: `--isolated` wants no configuration file, and `--config x.toml` is one
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --backend ncl"), @r"
    $ unwaited check --backend ncl
    -- standard error
    error: invalid value 'ncl' for '--backend <BACKEND>'
      [possible values: nccl, gloo, mpi, any]

      tip: a similar value exists: 'nccl'

    For more information, try '--help'.
    -- exit code 2
    ");
}

#[test]
fn every_setting_with_its_origin() {
    let folder = Folder::with(&[
        ("base.toml", b"ignore = ['wait-on-list']\nbackend = 'gloo'\n[severity]\nunread-handle = 'advice'\n"),
        (
            "pyproject.toml",
            b"[tool.unwaited]\nextend = 'base.toml'\nexclude = ['gen']\nbaseline = 'known.json'\n[tool.unwaited.per-file-ignores]\n'tests/**' = ['waited-twice']\n",
        ),
        ("a.py", LOST),
    ]);
    insta::assert_snapshot!(here(&folder, "config"), @r#"
    $ unwaited config
    select = "all"                                        # built in
    ignore = ["wait-on-list"]                             # base.toml
    severity = { unread-handle = "advice" }               # base.toml
    per-file-ignores = { "tests/**" = ["waited-twice"] }  # pyproject.toml
    exclude = ["gen"]                                     # pyproject.toml
    respect-gitignore = true                              # built in
    backend = "gloo"                                      # base.toml
    baseline = "known.json"                               # pyproject.toml
    -- exit code 0
    "#);
    insta::assert_snapshot!(here(&folder, "config a.py --ignore waited-twice --config backend='mpi'"), @r#"
    $ unwaited config a.py --ignore waited-twice --config backend='mpi'
    select = "all"                                        # built in
    ignore = ["wait-on-list"]                             # base.toml
    ignore = ["waited-twice"]                             # --ignore
    severity = { unread-handle = "advice" }               # base.toml
    per-file-ignores = { "tests/**" = ["waited-twice"] }  # pyproject.toml
    exclude = ["gen"]                                     # pyproject.toml
    respect-gitignore = true                              # built in
    backend = "mpi"                                       # --config
    baseline = "known.json"                               # pyproject.toml
    -- exit code 0
    "#);
    insta::assert_snapshot!(here(&folder, "config --isolated --output-format json"), @r#"
    $ unwaited config --isolated --output-format json
    [
      {
        "key": "select",
        "value": "all",
        "origin": "built in"
      },
      {
        "key": "respect-gitignore",
        "value": true,
        "origin": "built in"
      },
      {
        "key": "backend",
        "value": "any",
        "origin": "built in"
      }
    ]
    -- exit code 0
    "#);
    insta::assert_snapshot!(here(&folder, "config gone"), @r"
    $ unwaited config gone
    -- standard error
    error: `gone` cannot be read: no such file or directory
    -- exit code 2
    ");
}

#[test]
fn the_schema_is_printed() {
    let folder = Folder::with(&[]);
    let output = folder.command("config --schema").output().unwrap();
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/unwaited.schema.json");
    assert_eq!(String::from_utf8_lossy(&output.stdout), std::fs::read_to_string(published).unwrap());
}

/// A transcript without the folder's own path.
fn here(folder: &Folder, arguments: &str) -> String {
    let own = folder.path().canonicalize().unwrap().display().to_string();
    folder.unwaited(arguments).replace(&own, "/here")
}
