//! Input of every kind: what is read, what is left out, and what is said of what cannot be read.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use transcript::Folder;

const CLEAN: &[u8] = b"import torch.distributed as dist\n\ndist.barrier()\n";
/// Something to report in every version of the rules.
const UNUSED: &[u8] = b"x = 1  # unwaited: ignore[unused-ingore]\n";

#[test]
fn an_empty_folder() {
    let folder = Folder::with(&[]);
    insta::assert_snapshot!(folder.unwaited("check"), @r"
    $ unwaited check
    no file to check
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --error-on-no-files"), @r"
    $ unwaited check --error-on-no-files
    no file to check
    -- standard error
    error: there is no file to check
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --output-format json"), @r"
    $ unwaited check --output-format json
    []
    -- standard error
    warning: there is no file to check
    -- exit code 0
    ");
}

#[test]
fn a_folder_without_a_problem() {
    let folder = Folder::with(&[("a.py", CLEAN), ("sub/b.py", CLEAN), ("c.pyi", UNUSED), ("d.txt", UNUSED)]);
    insta::assert_snapshot!(folder.unwaited("check ."), @r"
    $ unwaited check .
    no problem found in 2 files
    -- exit code 0
    ");
}

#[test]
fn a_path_that_does_not_exist() {
    let folder = Folder::with(&[("a.py", CLEAN)]);
    insta::assert_snapshot!(folder.unwaited("check a.py sned.py"), @r"
    $ unwaited check a.py sned.py
    error[unreadable-file]

      × sned.py: no such file or directory
      help: see `unwaited rule unreadable-file`

    found 1 problem (1 error) in 1 file
    -- exit code 2
    ");
}

#[test]
fn a_binary_file() {
    let folder = Folder::with(&[("a.py", b"\x7fELF\x02\x01\x00torch.distributed isend unwaited:")]);
    insta::assert_snapshot!(folder.unwaited("check ."), @r"
    $ unwaited check .
    error[unreadable-file]

      × a.py: the file is binary: byte 6 is NUL
      help: leave it out with `--exclude`
            see `unwaited rule unreadable-file`

    found 1 problem (1 error) in 1 file
    -- exit code 2
    ");
}

#[test]
fn bytes_that_are_not_utf8() {
    let folder = Folder::with(&[
        ("latin.py", b"# unwaited: ignore[nothing]\nname = '\xe9'\n"),
        ("cookie.py", b"# coding: latin-1\nname = '\xe9'  # unwaited: ignore[nothing]\n"),
    ]);
    insta::assert_snapshot!(folder.unwaited("check --output-format concise ."), @r"
    $ unwaited check --output-format concise .
    cookie.py:2:32: warning[unused-ignore] no rule is called `nothing`
    latin.py: error[unreadable-file] the file is not valid UTF-8: byte 0xe9 at offset 36, line 2
    found 2 problems (1 error, 1 warning) in 2 files
    -- exit code 2
    ");
}

#[test]
fn a_byte_order_mark_and_windows_line_ends() {
    let folder = Folder::with(&[("a.py", b"\xef\xbb\xbfx = (\r\n  1)  # unwaited: ignore[nothing]\r\n")]);
    insta::assert_snapshot!(folder.unwaited("check ."), @r"
    $ unwaited check .
    warning[unused-ignore]

      ⚠ no rule is called `nothing`
       ╭─[a.py:2:26]
     1 │ x = (
     2 │   1)  # unwaited: ignore[nothing]
       ·                          ───────
       ╰────
      help: `unwaited rule` lists the names
            see `unwaited rule unused-ignore`

    found 1 problem (1 warning) in 1 file
    -- exit code 1
    ");
}

#[test]
fn a_file_that_is_named_is_read_whatever_its_name() {
    let folder = Folder::with(&[
        ("script", b"#!/usr/bin/env python3\n# unwaited: ignore[nothing]\n"),
        ("README.md", UNUSED),
        ("stubs.pyi", UNUSED),
    ]);
    insta::assert_snapshot!(folder.unwaited("check --output-format concise script README.md stubs.pyi"), @r"
    $ unwaited check --output-format concise script README.md stubs.pyi
    script:2:20: warning[unused-ignore] no rule is called `nothing`
    found 1 problem (1 warning) in 1 file
    -- standard error
    warning: skipped `README.md`: it is not a Python or Rust file
    -- exit code 1
    ");
    insta::assert_snapshot!(folder.unwaited("check --quiet README.md"), @r"
    $ unwaited check --quiet README.md
    -- exit code 0
    ");
}

#[test]
fn ignored_hidden_and_foreign_files() {
    let folder = Folder::with(&[
        (".ignore", b"generated.py\n"),
        ("generated.py", UNUSED),
        (".hidden/a.py", UNUSED),
        (".venv/lib/b.py", UNUSED),
        ("node_modules/c.py", UNUSED),
        ("third/party/d.py", UNUSED),
    ]);
    insta::assert_snapshot!(folder.unwaited("check --show-files"), @r"
    $ unwaited check --show-files
    .hidden/a.py
    third/party/d.py
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --show-files --no-respect-gitignore"), @r"
    $ unwaited check --show-files --no-respect-gitignore
    .hidden/a.py
    generated.py
    third/party/d.py
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --show-files --exclude third,.hidden"), @r"
    $ unwaited check --show-files --exclude third,.hidden
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --show-files generated.py .venv"), @r"
    $ unwaited check --show-files generated.py .venv
    .venv/lib/b.py
    generated.py
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --show-files --exclude a[b"), @r"
    $ unwaited check --show-files --exclude a[b
    -- standard error
    error: --exclude: `a[b` is no pattern for files: unclosed character class; missing ']'
    -- exit code 2
    ");
}

#[test]
fn a_path_that_is_given_twice_is_checked_once() {
    let folder = Folder::with(&[("sub/a.py", UNUSED)]);
    let all = format!("check --output-format concise . sub ./sub/a.py {}", folder.path().display());
    let shown = folder.unwaited(&all).replace(&folder.path().display().to_string(), "/here");
    insta::assert_snapshot!(shown, @r"
    $ unwaited check --output-format concise . sub ./sub/a.py /here
    sub/a.py:1:27: warning[unused-ignore] no rule is called `unused-ingore`: did you mean `unused-ignore`?
    found 1 problem (1 warning) in 1 file
    -- exit code 1
    ");
}

#[cfg(unix)]
#[test]
fn links_in_circles_and_links_to_nowhere() {
    use std::os::unix::fs::symlink;
    let folder = Folder::with(&[("sub/a.py", UNUSED)]);
    symlink("..", folder.path().join("sub/up")).unwrap();
    symlink("nowhere.py", folder.path().join("gone.py")).unwrap();
    symlink("sub/a.py", folder.path().join("again.py")).unwrap();
    insta::assert_snapshot!(folder.unwaited("check --show-files"), @r"
    $ unwaited check --show-files
    sub/a.py
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --output-format concise gone.py again.py"), @r"
    $ unwaited check --output-format concise gone.py again.py
    again.py:1:27: warning[unused-ignore] no rule is called `unused-ingore`: did you mean `unused-ignore`?
    gone.py: error[unreadable-file] no such file or directory
    found 2 problems (1 error, 1 warning) in 1 file
    -- exit code 2
    ");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_read() {
    let folder = Folder::with(&[("a.py", CLEAN)]);
    std::os::unix::fs::symlink("/proc/self/mem", folder.path().join("memory.py")).unwrap();
    insta::assert_snapshot!(folder.unwaited("check"), @r"
    $ unwaited check
    error[unreadable-file]

      × memory.py: input/output error
      help: see `unwaited rule unreadable-file`

    found 1 problem (1 error) in 2 files
    -- exit code 2
    ");
}

#[cfg(unix)]
#[test]
fn a_device_is_not_waited_for() {
    let folder = Folder::with(&[]);
    insta::assert_snapshot!(folder.unwaited("check /dev/zero"), @r"
    $ unwaited check /dev/zero
    error[unreadable-file]

      × /dev/zero: it is not a regular file
      help: see `unwaited rule unreadable-file`

    found 1 problem (1 error)
    -- exit code 2
    ");
}

#[test]
fn fifty_thousand_lines() {
    let mut text = b"x = 1\n".repeat(49_999);
    text.extend_from_slice(UNUSED);
    let folder = Folder::with(&[("long.py", &text)]);
    insta::assert_snapshot!(folder.unwaited("check"), @r"
    $ unwaited check
    warning[unused-ignore]

      ⚠ no rule is called `unused-ingore`: did you mean `unused-ignore`?
           ╭─[long.py:50000:27]
     49999 │ x = 1
     50000 │ x = 1  # unwaited: ignore[unused-ingore]
           ·                           ─────────────
           ╰────
      help: `unwaited rule` lists the names
            see `unwaited rule unused-ignore`

    found 1 problem (1 warning) in 1 file
    -- exit code 1
    ");
}

#[test]
fn standard_input() {
    let folder = Folder::with(&[]);
    insta::assert_snapshot!(folder.unwaited_reading("check -", UNUSED), @r"
    $ unwaited check -
    warning[unused-ignore]

      ⚠ no rule is called `unused-ingore`: did you mean `unused-ignore`?
       ╭─[<stdin>:1:27]
     1 │ x = 1  # unwaited: ignore[unused-ingore]
       ·                           ─────────────
       ╰────
      help: `unwaited rule` lists the names
            see `unwaited rule unused-ignore`

    found 1 problem (1 warning) in 1 file
    -- exit code 1
    ");
    let named = "check --stdin-filename pkg/send.py --output-format concise -";
    insta::assert_snapshot!(folder.unwaited_reading(named, UNUSED), @r"
    $ unwaited check --stdin-filename pkg/send.py --output-format concise -
    pkg/send.py:1:27: warning[unused-ignore] no rule is called `unused-ingore`: did you mean `unused-ignore`?
    found 1 problem (1 warning) in 1 file
    -- exit code 1
    ");
    insta::assert_snapshot!(folder.unwaited_reading("check - --stdin-filename a.pyi", UNUSED), @r"
    $ unwaited check - --stdin-filename a.pyi
    no file to check
    -- standard error
    warning: skipped the standard input: its file name is not that of a Python or Rust file
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited_reading("check -", b"x = '\xff'"), @r"
    $ unwaited check -
    error[unreadable-file]

      × <stdin>: the file is not valid UTF-8: byte 0xff at offset 5, line 1
      help: save it as UTF-8, or name its encoding in the first line: `# -*- coding: latin-1 -*-`
            see `unwaited rule unreadable-file`

    found 1 problem (1 error) in 1 file
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited_reading("check - a.py", UNUSED), @r"
    $ unwaited check - a.py
    -- standard error
    error: `-` reads standard input, and cannot be given with other paths
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --stdin-filename a.py"), @r"
    $ unwaited check --stdin-filename a.py
    -- standard error
    error: `--stdin-filename` goes with `-`, which reads standard input
    -- exit code 2
    ");
}

#[test]
fn a_broken_function_does_not_hide_the_rest() {
    let folder = Folder::with(&[
        (
            "a.py",
            b"import torch.distributed as dist\n\ndef f(:\n    pass\n\ndef g(t):\n    dist.isend(t, 1)\n",
        ),
        ("b.py", CLEAN),
    ]);
    insta::assert_snapshot!(folder.unwaited("check ."), @r"
    $ unwaited check .
    error[syntax-error]

      × expected a parameter or the end of the parameter list
       ╭─[a.py:3:7]
     2 │
     3 │ def f(:
       ·       ┬
       ·       ╰── this cannot be parsed
     4 │     pass
       ╰────
      help: the rest of the file was checked, except for one more such place
            see `unwaited rule syntax-error`

    error[discarded-handle]

      × the handle of `dist.isend` is thrown away
       ╭─[a.py:7:5]
     6 │ def g(t):
     7 │     dist.isend(t, 1)
       ·     ────────┬───────
       ·             ╰── the send starts here and its handle is dropped at once
       ╰────
      help: keep the handle and wait: `handle = dist.isend(…)`, and later `handle.wait()`; or call
            the blocking `dist.send`; as it is, with gloo the message is cancelled, the peer waits for
            ever or fails, and later messages and barriers of the pair hang
            see `unwaited rule discarded-handle`

    found 2 problems (2 errors) in 2 files
    -- exit code 2
    ");
}

#[test]
fn a_broken_file_without_communication_is_read_when_it_is_named() {
    let folder = Folder::with(&[("a.py", b"def f(:\n")]);
    insta::assert_snapshot!(folder.unwaited("check a.py"), @r"
    $ unwaited check a.py
    error[syntax-error]

      × expected a parameter or the end of the parameter list
       ╭─[a.py:1:7]
     1 │ def f(:
       ·       ┬
       ·       ╰── this cannot be parsed
       ╰────
      help: the rest of the file was checked, except for one more such place
            see `unwaited rule syntax-error`

    found 1 problem (1 error) in 1 file
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check ."), @r"
    $ unwaited check .
    no problem found in 1 file
    -- exit code 0
    ");
}

#[test]
fn ten_thousand_files_on_the_command_line() {
    let folder = Folder::with(&[]);
    let names: Vec<String> = (0..10_000).map(|number| format!("{number}.py")).collect();
    for name in &names {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    folder.write("9999.py", UNUSED);
    let output = folder.command("check --output-format concise").args(&names).output().unwrap();
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stdout), @r"
    9999.py:1:27: warning[unused-ignore] no rule is called `unused-ingore`: did you mean `unused-ignore`?
    found 1 problem (1 warning) in 10000 files
    ");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(unix)]
#[test]
fn a_standard_output_that_is_closed() {
    let folder = Folder::with(&[("a.py", UNUSED)]);
    let command = format!("'{}' check a.py >&-", env!("CARGO_BIN_EXE_unwaited"));
    let output =
        std::process::Command::new("sh").args(["-c", &command]).current_dir(folder.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1));
}
