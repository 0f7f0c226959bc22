//! The arguments of `check`, and what they make of the same findings.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use std::io::Read;

use transcript::Folder;

/// Two suppressions without effect, in every version of the rules.
const UNUSED: &[u8] = b"x = 1  # unwaited: ignore[unused-ingore]\ny = 2  # unwaited: ignor[x]\n";

fn folder() -> Folder {
    Folder::with(&[("a.py", UNUSED), ("b.py", UNUSED)])
}

#[test]
fn a_full_report() {
    insta::assert_snapshot!(folder().unwaited("check a.py"), @r"
    $ unwaited check a.py
    warning[unused-ignore]

      ⚠ no rule is called `unused-ingore`: did you mean `unused-ignore`?
       ╭─[a.py:1:27]
     1 │ x = 1  # unwaited: ignore[unused-ingore]
       ·                           ─────────────
     2 │ y = 2  # unwaited: ignor[x]
       ╰────
      help: `unwaited rule` lists the names
            see `unwaited rule unused-ignore`

    warning[unused-ignore]

      ⚠ `ignor` is not understood: `ignore` and `ignore-file` are
       ╭─[a.py:2:10]
     1 │ x = 1  # unwaited: ignore[unused-ingore]
     2 │ y = 2  # unwaited: ignor[x]
       ·          ──────────────────
       ╰────
      help: write `# unwaited: ignore[rule] reason`
            see `unwaited rule unused-ignore`

    found 2 problems (2 warnings) in 1 file
    -- exit code 1
    ");
}

#[test]
fn a_wrong_flag_and_a_wrong_command() {
    insta::assert_snapshot!(folder().unwaited("check --selct x"), @r"
    $ unwaited check --selct x
    -- standard error
    error: unexpected argument '--selct' found

      tip: a similar argument exists: '--select'

    Usage: unwaited check --select <RULE> [PATH]...

    For more information, try '--help'.
    -- exit code 2
    ");
    insta::assert_snapshot!(folder().unwaited("chekc"), @r"
    $ unwaited chekc
    -- standard error
    error: unrecognized subcommand 'chekc'

      tip: a similar subcommand exists: 'check'

    Usage: unwaited <COMMAND>

    For more information, try '--help'.
    -- exit code 2
    ");
    insta::assert_snapshot!(folder().unwaited("check --select unused-ignored"), @r"
    $ unwaited check --select unused-ignored
    -- standard error
    error: invalid value 'unused-ignored' for '--select <RULE>': no rule is called `unused-ignored`: did you mean `unused-ignore`?

    For more information, try '--help'.
    -- exit code 2
    ");
    insta::assert_snapshot!(folder().unwaited("check --severity unused-ignore=fatal"), @r"
    $ unwaited check --severity unused-ignore=fatal
    -- standard error
    error: invalid value 'unused-ignore=fatal' for '--severity <RULE=LEVEL>': `fatal` is no level: advice, warning and error are

    For more information, try '--help'.
    -- exit code 2
    ");
    insta::assert_snapshot!(folder().unwaited("check --output-format yaml"), @r"
    $ unwaited check --output-format yaml
    -- standard error
    error: invalid value 'yaml' for '--output-format <FORMAT>'
      [possible values: full, concise, json, json-lines, sarif, github, gitlab, junit, lintrunner]

    For more information, try '--help'.
    -- exit code 2
    ");
}

#[test]
fn no_command_prints_the_help_and_fails() {
    insta::assert_snapshot!(folder().unwaited(""), @r"
    $ unwaited
    -- standard error
    Finds asynchronous communication that was started and never properly finished

    Usage: unwaited <COMMAND>

    Commands:
      check        Check files and folders
      rule         Explain one rule, or list all of them
      config       Show the settings in force and where each comes from
      apis         Show what is known of libraries
      completions  Print what a shell completes, or manual pages
      run          Execute a program of N ranks in the companion runtime
      prove        Execute fixtures under every schedule, and compare with what they and the linter say
      server       Serve an editor: the language server protocol over standard input and output
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version
    -- exit code 2
    ");
}

#[test]
fn rules_are_left_out() {
    insta::assert_snapshot!(folder().unwaited("check --ignore unused-ignore"), @r"
    $ unwaited check --ignore unused-ignore
    no problem found in 2 files
    -- exit code 0
    ");
    insta::assert_snapshot!(folder().unwaited("check --select unused-ignore --ignore unused-ignore"), @r"
    $ unwaited check --select unused-ignore --ignore unused-ignore
    no problem found in 2 files
    -- exit code 0
    ");
}

#[test]
fn severity_decides_the_exit_code() {
    insta::assert_snapshot!(folder().unwaited("check --output-format concise --severity unused-ignore=advice a.py"), @r"
    $ unwaited check --output-format concise --severity unused-ignore=advice a.py
    a.py:1:27: advice[unused-ignore] no rule is called `unused-ingore`: did you mean `unused-ignore`?
    a.py:2:10: advice[unused-ignore] `ignor` is not understood: `ignore` and `ignore-file` are
    found 2 problems (2 advice) in 1 file
    -- exit code 0
    ");
    insta::assert_snapshot!(folder().unwaited("check --output-format concise --severity unused-ignore=error a.py"), @r"
    $ unwaited check --output-format concise --severity unused-ignore=error a.py
    a.py:1:27: error[unused-ignore] no rule is called `unused-ingore`: did you mean `unused-ignore`?
    a.py:2:10: error[unused-ignore] `ignor` is not understood: `ignore` and `ignore-file` are
    found 2 problems (2 errors) in 1 file
    -- exit code 1
    ");
    insta::assert_snapshot!(folder().unwaited("check --output-format concise --exit-zero --quiet a.py"), @r"
    $ unwaited check --output-format concise --exit-zero --quiet a.py
    a.py:1:27: warning[unused-ignore] no rule is called `unused-ingore`: did you mean `unused-ignore`?
    a.py:2:10: warning[unused-ignore] `ignor` is not understood: `ignore` and `ignore-file` are
    -- exit code 0
    ");
}

#[test]
fn statistics_count_instead() {
    insta::assert_snapshot!(folder().unwaited("check --statistics"), @r"
    $ unwaited check --statistics
         4  warning  unused-ignore
    found 4 problems (4 warnings) in 2 files
    -- exit code 1
    ");
    insta::assert_snapshot!(folder().unwaited("check --statistics --output-format json"), @r#"
    $ unwaited check --statistics --output-format json
    [
      {
        "rule": "unused-ignore",
        "severity": "warning",
        "count": 4
      }
    ]
    -- exit code 1
    "#);
}

#[test]
fn the_report_goes_to_a_file() {
    let folder = folder();
    insta::assert_snapshot!(folder.unwaited("check --output-file report.json --output-format json a.py"), @r"
    $ unwaited check --output-file report.json --output-format json a.py
    -- exit code 1
    ");
    let report = std::fs::read_to_string(folder.path().join("report.json")).unwrap();
    assert!(report.starts_with("[\n") && report.contains("\"filename\": \"a.py\""));
    insta::assert_snapshot!(folder.unwaited("check --output-file no/such/folder a.py"), @r"
    $ unwaited check --output-file no/such/folder a.py
    -- standard error
    error: the report cannot be written to `no/such/folder`: no such file or directory
    -- exit code 2
    ");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = Folder::with(&[]);
    for number in 0..40 {
        folder.write(&format!("{number}.py"), UNUSED);
    }
    let one = folder.unwaited("check --output-format concise --jobs 1");
    let many = folder.unwaited("check --output-format concise --jobs 7");
    assert_eq!(one.lines().skip(1).collect::<Vec<_>>(), many.lines().skip(1).collect::<Vec<_>>());
    assert!(one.contains("found 80 problems (80 warnings) in 40 files"));
}

#[test]
fn colours_are_asked_for() {
    let folder = folder();
    assert!(folder.unwaited("check --color always").contains("\u{1b}["));
    assert!(!folder.unwaited("check").contains("\u{1b}["));
    let forced = folder.command("check").env("FORCE_COLOR", "1").output().unwrap();
    assert!(forced.stdout.contains(&0x1b));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::with(&[("a.py", &UNUSED.repeat(2000))]);
    let mut child = folder.command("check").spawn().unwrap();
    let mut some = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    insta::assert_snapshot!(folder().unwaited("check --output-file /dev/full a.py"), @r"
    $ unwaited check --output-file /dev/full a.py
    -- standard error
    error: the report cannot be written to `/dev/full`: no space left on device
    -- exit code 2
    ");
}
