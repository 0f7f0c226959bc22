//! Adopting the tool on code that has findings already.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use transcript::Folder;

const LOST: &str = "import torch.distributed as dist\n\n\ndef send(t):\n    dist.isend(t, 1)\n";
const CONCISE: &str = "check --output-format concise";

fn folder() -> Folder {
    Folder::with(&[(".git/HEAD", b""), ("a.py", LOST.as_bytes()), ("pkg/b.py", LOST.as_bytes())])
}

#[test]
fn what_is_known_is_not_reported_again() {
    let folder = folder();
    insta::assert_snapshot!(folder.unwaited("check --write-baseline"), @r"
    $ unwaited check --write-baseline
    no problem found in 2 files; 2 more are in the baseline
    -- standard error
    note: wrote 2 known findings to `unwaited-baseline.json`; there were 0 before
    -- exit code 0
    ");
    insta::assert_snapshot!(std::fs::read_to_string(folder.path().join("unwaited-baseline.json")).unwrap(), @r#"
    {
      "version": 1,
      "findings": [
        {
          "file": "a.py",
          "rule": "discarded-handle",
          "function": "send",
          "line": "dist.isend(t, 1)"
        },
        {
          "file": "pkg/b.py",
          "rule": "discarded-handle",
          "function": "send",
          "line": "dist.isend(t, 1)"
        }
      ]
    }
    "#);
    insta::assert_snapshot!(folder.unwaited(CONCISE), @r"
    $ unwaited check --output-format concise
    no problem found in 2 files; 2 more are in the baseline
    -- exit code 0
    ");
    let edited = LOST.replace("def send(t):\n", "x = 1\n\n\ndef send(t):\n    t  =  t + 1\n");
    let one_more = edited + "\n\ndef other(t):\n    dist.isend(t, 1)\n    dist.isend(t, 2)\n";
    folder.write("a.py", one_more.as_bytes());
    insta::assert_snapshot!(folder.unwaited(CONCISE), @r"
    $ unwaited check --output-format concise
    a.py:13:5: error[discarded-handle] the handle of `dist.isend` is thrown away
    a.py:14:5: error[discarded-handle] the handle of `dist.isend` is thrown away
    found 2 problems (2 errors) in 2 files; 2 more are in the baseline
    2 can be fixed with `--fix --unsafe-fixes`
    -- exit code 1
    ");
    let settings = folder.unwaited("config pkg");
    assert!(settings.contains("baseline = \"unwaited-baseline.json\"  # it is there"), "{settings}");
    insta::assert_snapshot!(folder.unwaited("check --output-format concise --isolated pkg"), @r"
    $ unwaited check --output-format concise --isolated pkg
    pkg/b.py:5:5: error[discarded-handle] the handle of `dist.isend` is thrown away
    found 1 problem (1 error) in 1 file
    1 can be fixed with `--fix --unsafe-fixes`
    -- exit code 1
    ");
}

#[test]
fn the_same_line_twice() {
    let folder = folder();
    folder.unwaited("check --write-baseline");
    folder.write("a.py", (LOST.to_owned() + "    dist.isend(t, 1)\n").as_bytes());
    insta::assert_snapshot!(folder.unwaited(CONCISE), @r"
    $ unwaited check --output-format concise
    a.py:6:5: error[discarded-handle] the handle of `dist.isend` is thrown away
    found 1 problem (1 error) in 2 files; 2 more are in the baseline
    1 can be fixed with `--fix --unsafe-fixes`
    -- exit code 1
    ");
}

#[test]
fn what_is_gone_is_told_and_taken_out() {
    let folder = folder();
    folder.unwaited("check --write-baseline");
    folder.write("a.py", b"x = 1\n");
    insta::assert_snapshot!(folder.unwaited(CONCISE), @r"
    $ unwaited check --output-format concise
    no problem found in 2 files; 1 more is in the baseline
    -- standard error
    warning: findings of the baseline `unwaited-baseline.json` are gone; `--write-baseline` takes them out: discarded-handle in a.py (`dist.isend(t, 1)`)
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --output-format concise pkg"), @r"
    $ unwaited check --output-format concise pkg
    no problem found in 1 file; 1 more is in the baseline
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --output-format concise --select waited-twice"), @r"
    $ unwaited check --output-format concise --select waited-twice
    no problem found in 2 files
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --output-format concise --write-baseline"), @r"
    $ unwaited check --output-format concise --write-baseline
    no problem found in 2 files; 1 more is in the baseline
    -- standard error
    note: wrote 1 known finding to `unwaited-baseline.json`; there were 2 before
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited(CONCISE), @r"
    $ unwaited check --output-format concise
    no problem found in 2 files; 1 more is in the baseline
    -- exit code 0
    ");
}

#[test]
fn a_run_over_a_part_keeps_what_is_known_of_the_rest() {
    let folder = folder();
    folder.unwaited("check --write-baseline");
    insta::assert_snapshot!(folder.unwaited("check --write-baseline pkg"), @r"
    $ unwaited check --write-baseline pkg
    no problem found in 1 file; 1 more is in the baseline
    -- standard error
    note: wrote 2 known findings to `unwaited-baseline.json`; there were 2 before
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --write-baseline --select waited-twice"), @r"
    $ unwaited check --write-baseline --select waited-twice
    no problem found in 2 files
    -- standard error
    note: wrote 2 known findings to `unwaited-baseline.json`; there were 2 before
    -- exit code 0
    ");
    std::fs::remove_file(folder.path().join("a.py")).unwrap();
    insta::assert_snapshot!(folder.unwaited("check --write-baseline pkg"), @r"
    $ unwaited check --write-baseline pkg
    no problem found in 1 file; 1 more is in the baseline
    -- standard error
    note: wrote 1 known finding to `unwaited-baseline.json`; there were 2 before
    -- exit code 0
    ");
}

#[test]
fn a_file_that_cannot_be_parsed_keeps_what_is_known() {
    let folder = folder();
    folder.unwaited("check --write-baseline");
    folder.write("a.py", (LOST.to_owned() + "def f(:\n").as_bytes());
    insta::assert_snapshot!(folder.unwaited("check --output-format concise --write-baseline"), @r"
    $ unwaited check --output-format concise --write-baseline
    a.py:6:7: error[syntax-error] expected a parameter or the end of the parameter list
    found 1 problem (1 error) in 2 files; 2 more are in the baseline
    -- standard error
    note: wrote 2 known findings to `unwaited-baseline.json`; there were 2 before
    -- exit code 2
    ");
    folder.write("a.py", LOST.as_bytes());
    insta::assert_snapshot!(folder.unwaited(CONCISE), @r"
    $ unwaited check --output-format concise
    no problem found in 2 files; 2 more are in the baseline
    -- exit code 0
    ");
}

#[test]
fn a_baseline_of_another_name_and_place() {
    let folder = folder();
    folder.write("unwaited.toml", b"baseline = 'ci/known.json'\n");
    insta::assert_snapshot!(folder.unwaited(CONCISE), @r"
    $ unwaited check --output-format concise
    -- standard error
    error: the baseline `ci/known.json` is not there: write it with `--write-baseline`
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --write-baseline"), @r"
    $ unwaited check --write-baseline
    -- standard error
    error: the baseline `ci/known.json` cannot be written: no such file or directory
    -- exit code 2
    ");
    std::fs::create_dir(folder.path().join("ci")).unwrap();
    insta::assert_snapshot!(folder.unwaited("check --write-baseline"), @r"
    $ unwaited check --write-baseline
    no problem found in 2 files; 2 more are in the baseline
    -- standard error
    note: wrote 2 known findings to `ci/known.json`; there were 0 before
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited(CONCISE), @r"
    $ unwaited check --output-format concise
    no problem found in 2 files; 2 more are in the baseline
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --output-format concise --baseline other.json"), @r"
    $ unwaited check --output-format concise --baseline other.json
    -- standard error
    error: the baseline `other.json` is not there: write it with `--write-baseline`
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("config"), @r#"
    $ unwaited config
    select = "all"              # built in
    respect-gitignore = true    # built in
    backend = "any"             # built in
    baseline = "ci/known.json"  # unwaited.toml
    -- exit code 0
    "#);
}

#[test]
fn a_baseline_that_is_damaged() {
    let folder = folder();
    folder.write("unwaited-baseline.json", b"{\"version\": 1, \"findi");
    insta::assert_snapshot!(folder.unwaited(CONCISE), @r"
    $ unwaited check --output-format concise
    -- standard error
    error: the baseline `unwaited-baseline.json` is damaged: EOF while parsing a string at line 1 column 21; remove it and write it anew with `--write-baseline`
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --write-baseline"), @r"
    $ unwaited check --write-baseline
    -- standard error
    error: the baseline `unwaited-baseline.json` is damaged: EOF while parsing a string at line 1 column 21; remove it and write it anew with `--write-baseline`
    -- exit code 2
    ");
}

#[test]
fn a_baseline_of_standard_input() {
    let folder = folder();
    insta::assert_snapshot!(folder.unwaited_reading("check --write-baseline -", LOST.as_bytes()), @r"
    $ unwaited check --write-baseline -
    -- standard error
    error: a baseline is about files, and `-` reads standard input
    -- exit code 2
    ");
    folder.unwaited("check --write-baseline");
    let shown =
        folder.unwaited_reading("check --output-format concise --stdin-filename pkg/b.py -", LOST.as_bytes());
    insta::assert_snapshot!(shown, @r"
    $ unwaited check --output-format concise --stdin-filename pkg/b.py -
    no problem found in 1 file; 1 more is in the baseline
    -- exit code 0
    ");
}

#[test]
fn sarif_marks_what_is_known() {
    let folder = folder();
    folder.unwaited("check --write-baseline");
    folder.write("pkg/c.py", LOST.as_bytes());
    let output = folder.command("check --output-format sarif").output().unwrap();
    let sarif: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let states: Vec<String> = results
        .iter()
        .map(|result| {
            let file = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            format!("{file} {} {}", result["baselineState"], result["suppressions"][0]["kind"])
        })
        .collect();
    insta::assert_snapshot!(states.join("\n"), @r#"
    "a.py" "unchanged" "external"
    "pkg/b.py" "unchanged" "external"
    "pkg/c.py" "new" null
    "#);
}

#[test]
fn comments_are_added_for_what_is_found() {
    let folder = folder();
    let program = "import torch.distributed as dist\r\n\r\n\r\ndef send(t):\r\n    dist.isend(\r\n        t, 1)  # why\r\n";
    folder.write("a.py", program.as_bytes());
    insta::assert_snapshot!(folder.unwaited("check --add-ignore=known"), @r"
    $ unwaited check --add-ignore=known
    -- standard error
    note: 2 findings suppressed in 2 files
    -- exit code 0
    ");
    let text = std::fs::read_to_string(folder.path().join("a.py")).unwrap();
    insta::assert_snapshot!(text.replace('\r', "<CR>"), @r"
    import torch.distributed as dist<CR>
    <CR>
    <CR>
    def send(t):<CR>
        dist.isend(<CR>
            t, 1)  # why  # unwaited: ignore[discarded-handle] known<CR>
    ");
    insta::assert_snapshot!(std::fs::read_to_string(folder.path().join("pkg/b.py")).unwrap(), @r"
    import torch.distributed as dist


    def send(t):
        dist.isend(t, 1)  # unwaited: ignore[discarded-handle] known
    ");
    insta::assert_snapshot!(folder.unwaited(CONCISE), @r"
    $ unwaited check --output-format concise
    no problem found in 2 files
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("check --add-ignore"), @r"
    $ unwaited check --add-ignore
    -- standard error
    note: 0 findings suppressed in 0 files
    -- exit code 0
    ");
}

#[test]
fn comments_without_a_reason_and_in_other_encodings() {
    let folder = Folder::with(&[(
        "a.py",
        b"# coding: latin-1\nimport torch.distributed as dist\ndist.isend('\xe9', 1)\n",
    )]);
    insta::assert_snapshot!(folder.unwaited("check --add-ignore a.py"), @r"
    $ unwaited check --add-ignore a.py
    -- standard error
    note: 1 finding suppressed in 1 file
    -- exit code 0
    ");
    let bytes = std::fs::read(folder.path().join("a.py")).unwrap();
    assert!(bytes.ends_with(b"dist.isend('\xe9', 1)  # unwaited: ignore[discarded-handle]\n"));
}

#[test]
fn comments_that_cannot_be_added() {
    let folder = folder();
    folder.write("broken.py", b"import torch.distributed as dist\ndef f(:\n");
    insta::assert_snapshot!(folder.unwaited("check --add-ignore broken.py gone.py"), @r"
    $ unwaited check --add-ignore broken.py gone.py
    -- standard error
    note: 0 findings suppressed in 0 files
    error: broken.py: expected a parameter or the end of the parameter list
    error: gone.py: no such file or directory
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited_reading("check --add-ignore -", LOST.as_bytes()), @r"
    $ unwaited check --add-ignore -
    -- standard error
    error: `--add-ignore` changes files, and `-` reads standard input
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("check --add-ignore --fix"), @r"
    $ unwaited check --add-ignore --fix
    -- standard error
    error: the argument '--add-ignore[=<REASON>]' cannot be used with '--fix'

    Usage: unwaited check --add-ignore[=<REASON>] [PATH]...

    For more information, try '--help'.
    -- exit code 2
    ");
    let output = folder.command("check").arg("--add-ignore=two\nrows").output().unwrap();
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"error: the reason of `--add-ignore` has more than one row, and a comment has only one");
}

#[test]
fn every_fixture_is_silent_with_its_comments() {
    let folder = Folder::with(&[]);
    for rule in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures")).unwrap() {
        let rule = rule.unwrap().path();
        for file in std::fs::read_dir(&rule).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_some_and(|ending| ending == "py") {
                let name = file.file_name().unwrap().to_str().unwrap();
                let name = format!("{}/{name}", rule.file_name().unwrap().to_str().unwrap());
                folder.write(&name, &std::fs::read(&file).unwrap());
            }
        }
    }
    let before = folder.unwaited("check --statistics --quiet");
    assert!(before.lines().count() > 10, "{before}");
    let added = folder.unwaited("check --add-ignore=later");
    assert!(added.ends_with("-- exit code 0\n"), "{added}");
    let after = folder.unwaited("check --output-format concise");
    assert!(after.contains("no problem found"), "{after}");
}
