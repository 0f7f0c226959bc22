//! What a finding looks like, on sources that are hard to print.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

use unwaited::project::{FileReport, Outcome};
use unwaited::report::{self, Closing, Colour, Content, Format, Links, Look};
use unwaited::rules::{Finding, Label, Severity};
use unwaited::source::{SourceFile, Span};

/// A finding in a text, with a label for each pair of a word of the text and what it says; the first one is primary.
fn outcome(text: &str, message: &str, labels: &[(&str, &str)]) -> Outcome {
    let label = |(word, says): &(&str, &str)| {
        let start = text.find(word).unwrap() as u32;
        Label { span: Span::new(start, start + word.len() as u32), text: (*says).to_owned() }
    };
    let finding = Finding {
        rule: "discarded-handle",
        severity: Severity::Error,
        message: message.to_owned(),
        primary: label(&labels[0]),
        labels: labels[1..].iter().map(label).collect(),
        help: "keep the handle and wait for it".to_owned(),
        function: "send".to_owned(),
        fix: None,
    };
    let source = Some(SourceFile::new("pkg/send.py", text));
    let reports = vec![FileReport {
        name: "pkg/send.py".to_owned(),
        source,
        findings: vec![finding],
        silenced: Vec::new(),
    }];
    Outcome { reports, files: 1, ..Outcome::default() }
}

fn look(format: Format) -> Look {
    Look {
        format,
        content: Content::Findings,
        closing: Closing::Omitted,
        colour: Colour::Plain,
        links: Links::Absent,
        width: 80,
    }
}

fn print(outcome: &Outcome, look: &Look) -> String {
    let mut out = Vec::new();
    report::write(outcome, look, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn full(text: &str, labels: &[(&str, &str)]) -> String {
    print(&outcome(text, "the handle of `isend` is thrown away", labels), &look(Format::Full))
}

const RING: &str = "\
def ring(steps, chunk, peer):
    work = None
    for step in range(steps):
        prepare(step)
        step += 1
        work = dist.isend(chunk, peer)
    if work is not None:
        log(steps)
        log(peer)
        log(chunk)
        work.wait()
";

#[test]
fn a_story_of_several_steps() {
    let labels = [
        ("dist.isend(chunk, peer)", "started here"),
        ("for step in range(steps)", "the next turn begins"),
        ("work = dist", "overwritten here while it is pending"),
        ("work.wait()", "only the last one is waited for"),
    ];
    insta::assert_snapshot!(full(RING, &labels), @r"
    error[discarded-handle]

      × the handle of `isend` is thrown away
       ╭─[pkg/send.py:6:16]
     2 │     work = None
     3 │     for step in range(steps):
       ·     ────────────┬───────────
       ·                 ╰── the next turn begins
     4 │         prepare(step)
     5 │         step += 1
     6 │         work = dist.isend(chunk, peer)
       ·         ─────┬──────────────┬─────────
       ·              │              ╰── started here
       ·              ╰── overwritten here while it is pending
     7 │     if work is not None:
       ╰────
        ╭─[pkg/send.py:11:9]
     10 │         log(chunk)
     11 │         work.wait()
        ·         ─────┬─────
        ·              ╰── only the last one is waited for
        ╰────
      help: keep the handle and wait for it
            see `unwaited rule discarded-handle`
    ");
}

#[test]
fn a_narrow_terminal_breaks_messages_and_labels() {
    let labels = [(
        "dist.isend(chunk, peer)",
        "started here, by a call that is described at some length in this label",
    )];
    let outcome =
        outcome(RING, "the handle of `isend` is thrown away, which is told at some length too", &labels);
    let narrow = Look { width: 50, ..look(Format::Full) };
    insta::assert_snapshot!(print(&outcome, &narrow), @r"
    error[discarded-handle]

      × the handle of `isend` is thrown away, which
      │ is told at some length too
       ╭─[pkg/send.py:6:16]
     5 │         step += 1
     6 │         work = dist.isend(chunk, peer)
       ·                ───────────┬───────────
       ·                           ╰─┤ started here, by a call that
       ·                             │ is described at some length in
       ·                             │ this label
     7 │     if work is not None:
       ╰────
      help: keep the handle and wait for it
            see `unwaited rule discarded-handle`
    ");
}

#[test]
fn tabs_wide_characters_and_windows_line_ends() {
    let text = "if x:\r\n\tname = \"\u{65e5}\u{672c}\u{8a9e}\"; dist.isend(t, 1)  # \u{e9}\r\nprint()\r\n";
    insta::assert_snapshot!(full(text, &[("dist.isend(t, 1)", "thrown away here")]), @r#"
    error[discarded-handle]

      × the handle of `isend` is thrown away
       ╭─[pkg/send.py:2:16]
     1 │ if x:
     2 │     name = "日本語"; dist.isend(t, 1)  # é
       ·                      ────────┬───────
       ·                              ╰── thrown away here
     3 │ print()
       ╰────
      help: keep the handle and wait for it
            see `unwaited rule discarded-handle`
    "#);
}

#[test]
fn old_line_ends_and_control_characters() {
    let text = "a = 1\rdist.isend(t, 1)  # \u{1b}[31m\u{202e}\r\u{c}b = 2\r";
    insta::assert_snapshot!(full(text, &[("dist.isend(t, 1)", "thrown away here")]), @r"
    error[discarded-handle]

      × the handle of `isend` is thrown away
       ╭─[pkg/send.py:2:1]
     1 │ a = 1
     2 │ dist.isend(t, 1)  # ␛[31m�
       · ────────┬───────
       ·         ╰── thrown away here
     3 │  b = 2
       ╰────
      help: keep the handle and wait for it
            see `unwaited rule discarded-handle`
    ");
}

#[test]
fn a_call_over_several_rows() {
    let text = "x = 1\ndist.isend(\n    tensor,\n    1,\n)\ny = 2\n";
    insta::assert_snapshot!(full(text, &[(&text[6..text.len() - 7], "thrown away here"), ("tensor", "this")]), @r"
    error[discarded-handle]

      × the handle of `isend` is thrown away
       ╭─[pkg/send.py:2:1]
     1 │     x = 1
     2 │ ╭─▶ dist.isend(
     3 │ │       tensor,
       · │       ───┬──
       · │          ╰── this
     4 │ │       1,
     5 │ ├─▶ )
       · ╰──── thrown away here
     6 │     y = 2
       ╰────
      help: keep the handle and wait for it
            see `unwaited rule discarded-handle`
    ");
}

#[test]
fn a_row_that_is_too_long_to_print() {
    let text = format!("x = [{}]; dist.isend(t, 1); y = [{}]\n", "0, ".repeat(2000), "1, ".repeat(2000));
    insta::assert_snapshot!(full(&text, &[("dist.isend(t, 1)", "thrown away here")]), @r"
    error[discarded-handle]

      × the handle of `isend` is thrown away
       ╭─[pkg/send.py:1:6009]
     1 │ …, 0, 0, 0, 0, 0, ]; dist.isend(t, 1); y = [1, 1, 1, 1, 1, 1, 1, 1,…
       ·                      ────────┬───────
       ·                              ╰── thrown away here
       ╰────
      help: keep the handle and wait for it
            see `unwaited rule discarded-handle`
    ");
}

#[test]
fn a_label_that_covers_a_whole_function_marks_its_first_row() {
    let labels = [(RING.trim_end(), "in this function")];
    insta::assert_snapshot!(full(RING, &labels), @r"
    error[discarded-handle]

      × the handle of `isend` is thrown away
       ╭─[pkg/send.py:1:1]
     1 │ def ring(steps, chunk, peer):
       · ──────────────┬──────────────
       ·               ╰── in this function
     2 │     work = None
       ╰────
      help: keep the handle and wait for it
            see `unwaited rule discarded-handle`
    ");
}

#[test]
fn a_label_at_the_very_end() {
    let mut outcome = outcome("x = (\n", "unexpected end of file", &[("x", "")]);
    outcome.reports[0].findings[0].primary = Label { span: Span::new(6, 6), text: "here".to_owned() };
    insta::assert_snapshot!(print(&outcome, &look(Format::Full)), @r"
    error[discarded-handle]

      × unexpected end of file
       ╭─[pkg/send.py:2:1]
     1 │ x = (
     2 │
       · ▲
       · ╰── here
       ╰────
      help: keep the handle and wait for it
            see `unwaited rule discarded-handle`
    ");
}

#[test]
fn an_empty_file() {
    let mut outcome = outcome("", "there is nothing", &[("", "here")]);
    outcome.reports[0].findings[0].help = String::new();
    insta::assert_snapshot!(print(&outcome, &look(Format::Full)), @r"
    error[discarded-handle]

      × there is nothing
       ╭─[pkg/send.py:1:1]
     1 │
       · ▲
       · ╰── here
       ╰────
      help: see `unwaited rule discarded-handle`
    ");
}

#[test]
fn colours() {
    let coloured = Look { colour: Colour::Coloured, ..look(Format::Full) };
    let outcome = outcome("dist.isend(t, 1)\n", "the handle is thrown away", &[("dist.isend(t, 1)", "here")]);
    let shown = print(&outcome, &coloured).replace('\u{1b}', "␛");
    insta::assert_snapshot!(shown, @r"
    ␛[31merror[discarded-handle]␛[0m

      ␛[31m×␛[0m the handle is thrown away
       ╭─[␛[36;1;4mpkg/send.py:1:1␛[0m]
     ␛[2m1␛[0m │ dist.isend(t, 1)
       · ␛[35;1m────────┬───────␛[0m
       ·         ␛[35;1m╰── ␛[35;1mhere␛[0m␛[0m
       ╰────
    ␛[36m  help: ␛[0mkeep the handle and wait for it
            see `unwaited rule discarded-handle`
    ");
}

#[test]
fn one_row_each() {
    let outcome =
        outcome("\u{e9} = dist.isend(t, 1)\n", "the handle is thrown away", &[("dist.isend(t, 1)", "here")]);
    insta::assert_snapshot!(print(&outcome, &look(Format::Concise)), @"pkg/send.py:1:5: error[discarded-handle] the handle is thrown away");
}

#[test]
fn for_programs() {
    let labels = [("dist.isend(t, 1)", "here"), ("t", "this buffer")];
    let outcome = outcome("\u{e9} = dist.isend(t, 1)\n", "the handle is thrown away", &labels);
    insta::assert_snapshot!(print(&outcome, &look(Format::Json)), @r#"
    [
      {
        "rule": "discarded-handle",
        "severity": "error",
        "message": "the handle is thrown away",
        "filename": "pkg/send.py",
        "location": {
          "row": 1,
          "column": 5
        },
        "end_location": {
          "row": 1,
          "column": 21
        },
        "labels": [
          {
            "message": "here",
            "location": {
              "row": 1,
              "column": 5
            },
            "end_location": {
              "row": 1,
              "column": 21
            }
          },
          {
            "message": "this buffer",
            "location": {
              "row": 1,
              "column": 8
            },
            "end_location": {
              "row": 1,
              "column": 9
            }
          }
        ],
        "help": "keep the handle and wait for it",
        "url": null,
        "fix": null
      }
    ]
    "#);
}
