//! Fixes: what is changed, what is said, and what is left alone.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use transcript::Folder;

const MISTAKES: &[u8] = b"import torch.distributed as dist\r
\r
def tell(t, meanwhile):\r
    h = dist.isend(t, 1)\r
    meanwhile()  # unwaited: ignore[wait-on-list, waited-twice] because\r
    h.wait(5)  # seconds\r
    g = dist.isend(t, 2)\r
    meanwhile()\r
    g.wait  # and on\r
";

const FIXED: &str = "from datetime import timedelta\r
import torch.distributed as dist\r
\r
def tell(t, meanwhile):\r
    h = dist.isend(t, 1)\r
    meanwhile()\r
    h.wait(timedelta(seconds=5))  # seconds\r
    g = dist.isend(t, 2)\r
    meanwhile()\r
    g.wait()  # and on\r
";

fn text(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn everything_safe_is_fixed_and_nothing_else_changes() {
    let folder = Folder::with(&[("a.py", MISTAKES)]);
    insta::assert_snapshot!(folder.unwaited("check --fix"), @r"
    $ unwaited check --fix
    found 4 problems in 1 file: 4 fixed, none left
    -- exit code 0
    ");
    assert_eq!(text(&folder, "a.py"), FIXED);
    insta::assert_snapshot!(folder.unwaited("check --fix"), @r"
    $ unwaited check --fix
    no problem found in 1 file
    -- exit code 0
    ");
    assert_eq!(text(&folder, "a.py"), FIXED);
}

#[test]
fn the_exit_code_can_tell_that_something_was_fixed() {
    let folder = Folder::with(&[("a.py", MISTAKES)]);
    let run = folder.unwaited("check --fix --exit-non-zero-on-fix --quiet");
    assert!(run.ends_with("-- exit code 1\n"), "{run}");
    let run = folder.unwaited("check --fix --exit-non-zero-on-fix --quiet");
    assert!(run.ends_with("-- exit code 0\n"), "{run}");
}

#[test]
fn a_difference_changes_nothing() {
    let mistakes =
        b"import torch.distributed as dist\n\n\ndef tell(t, meanwhile):\n    h = dist.isend(t, 1)\n    meanwhile()\n    h.wait\n";
    let folder = Folder::with(&[("sub/a.py", mistakes)]);
    insta::assert_snapshot!(folder.unwaited("check --diff"), @r"
    $ unwaited check --diff
    --- a/sub/a.py
    +++ b/sub/a.py
    @@ -4,4 +4,4 @@
     def tell(t, meanwhile):
         h = dist.isend(t, 1)
         meanwhile()
    -    h.wait
    +    h.wait()
    -- standard error
    note: would fix 1 problem in 1 file
    -- exit code 1
    ");
    assert_eq!(text(&folder, "sub/a.py").as_bytes(), mistakes);
    folder.unwaited("check --fix");
    insta::assert_snapshot!(folder.unwaited("check --diff"), @r"
    $ unwaited check --diff
    -- standard error
    note: nothing would be fixed
    -- exit code 0
    ");
}

#[test]
fn a_text_from_standard_input_goes_to_standard_output() {
    let folder = Folder::with(&[("a.py", b"")]);
    let text = b"x = 1  # unwaited: ignore[waited-twice]\ny = 2  # unwaited: ignore[nothing]\n";
    insta::assert_snapshot!(folder.unwaited_reading("check - --fix --stdin-filename a.py --output-format concise", text), @r"
    $ unwaited check - --fix --stdin-filename a.py --output-format concise
    x = 1
    y = 2  # unwaited: ignore[nothing]
    -- standard error
    a.py:2:27: warning[unused-ignore] no rule is called `nothing`
    found 2 problems in 1 file: 1 fixed, 1 left (1 warning)
    -- exit code 1
    ");
    assert_eq!(std::fs::read(folder.path().join("a.py")).unwrap(), b"");
}

#[test]
fn a_report_says_what_could_be_fixed() {
    let folder = Folder::with(&[("a.py", MISTAKES)]);
    let run = folder.unwaited("check --output-format concise");
    assert!(run.contains("\n4 can be fixed with `--fix`\n"), "{run}");
    let json = folder.unwaited("check --output-format json --select wait-never-runs");
    insta::assert_snapshot!(json.split_once("\"fix\": ").unwrap().1, @r#"
    {
          "applicability": "safe",
          "message": "call it: `g.wait()`",
          "edits": [
            {
              "content": "()",
              "location": {
                "row": 9,
                "column": 11
              },
              "end_location": {
                "row": 9,
                "column": 11
              }
            }
          ]
        }
      }
    ]
    -- exit code 1
    "#);
}

#[test]
fn what_is_deselected_is_not_fixed() {
    let folder = Folder::with(&[("a.py", MISTAKES)]);
    folder.unwaited("check --fix --ignore bad-timeout,unused-ignore");
    let text = text(&folder, "a.py");
    assert!(text.contains("h.wait(5)") && text.contains("ignore[wait-on-list, waited-twice]"), "{text}");
    assert!(text.contains("g.wait()"), "{text}");
}

#[test]
fn a_file_that_cannot_be_written() {
    let folder = Folder::with(&[("a.py", b"x = 1  # unwaited: ignore[waited-twice]\n")]);
    let path = folder.path().join("a.py");
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    insta::assert_snapshot!(folder.unwaited("check --fix --quiet"), @r"
    $ unwaited check --fix --quiet
    -- standard error
    error: the fixes of `a.py` are not written: the file is read-only
    -- exit code 2
    ");
    assert_eq!(text(&folder, "a.py"), "x = 1  # unwaited: ignore[waited-twice]\n");
}

#[test]
fn a_file_that_does_not_parse_is_fixed_where_it_can_be_read() {
    let broken = b"import torch.distributed as dist\n\ndef f(t, g):\n    h = dist.isend(t, 1)\n    g()\n    h.wait\n\ndef g(:\n    pass\n";
    let folder = Folder::with(&[("a.py", broken)]);
    let run = folder.unwaited("check --fix --output-format concise");
    assert!(run.contains("syntax-error") && run.ends_with("-- exit code 2\n"), "{run}");
    assert!(text(&folder, "a.py").contains("h.wait()"));
}
