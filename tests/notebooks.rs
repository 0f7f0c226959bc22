//! Notebooks: what is found in them, where, and what a fix changes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use transcript::Folder;

/// As Jupyter writes it; the handle of the third cell is lost in the fifth.
const RING: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# A ring"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [],
   "source": [
    "%load_ext autoreload\n",
    "!pip list | grep \"torch\n",
    "import torch.distributed as dist"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "metadata": {
    "tags": ["é"]
   },
   "outputs": [],
   "source": [
    "def ring(t, peer, meanwhile):\n",
    "    handle = dist.isend(t, peer)\n",
    "    meanwhile()\n",
    "    handle.wait  # \u00e9\n",
    "    return t"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "metadata": {},
   "outputs": [],
   "source": "%%bash\nmpirun -n 2 'ring.py\n"
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "metadata": {},
   "outputs": [],
   "source": [
    "dist.isend(t, 1)\n",
    "work()"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Python 3",
   "language": "python",
   "name": "python3"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

fn folder() -> Folder {
    Folder::with(&[("ring.ipynb", RING.as_bytes())])
}

#[test]
fn findings_name_the_cell_and_the_row_in_it() {
    insta::assert_snapshot!(folder().unwaited("check --output-format concise"), @r"
    $ unwaited check --output-format concise
    ring.ipynb:cell 3:4:5: error[wait-never-runs] `handle.wait` is named but not called
    ring.ipynb:cell 5:1:1: error[discarded-handle] the handle of `dist.isend` is thrown away
    found 2 problems (2 errors) in 1 file
    1 can be fixed with `--fix`, 1 more with `--fix --unsafe-fixes`
    -- exit code 1
    ");
    insta::assert_snapshot!(folder().unwaited("check --select wait-never-runs"), @r"
    $ unwaited check --select wait-never-runs
    error[wait-never-runs]

      × `handle.wait` is named but not called
       ╭─[ring.ipynb:cell 3:4:5]
     1 │ def ring(t, peer, meanwhile):
     2 │     handle = dist.isend(t, peer)
       ·              ─────────┬─────────
       ·                       ╰── the send starts here
     3 │     meanwhile()
     4 │     handle.wait  # é
       ·     ─────┬─────
       ·          ╰── without parentheses this does nothing, and the operation stays pending
     5 │     return t
       ╰────
      help: call it: `handle.wait()`
            see `unwaited rule wait-never-runs`

    found 1 problem (1 error) in 1 file
    1 can be fixed with `--fix`
    -- exit code 1
    ");
    let json = folder().unwaited("check --output-format json --select discarded-handle");
    let place = "\"location\": {\n      \"cell\": 5,\n      \"row\": 1,\n      \"column\": 1\n    }";
    assert!(json.contains(place), "{json}");
}

#[test]
fn a_fix_changes_the_rows_that_it_must_and_nothing_else() {
    let folder = folder();
    insta::assert_snapshot!(folder.unwaited("check --fix --unsafe-fixes"), @r"
    $ unwaited check --fix --unsafe-fixes
    found 2 problems in 1 file: 2 fixed, none left
    -- exit code 0
    ");
    let expected = RING
        .replace(r#""    handle.wait  # \u00e9\n""#, r#""    handle.wait()  # é\n""#)
        .replace(r#""dist.isend(t, 1)\n""#, r#""handle_2 = dist.isend(t, 1)\n""#)
        .replace(r#""work()""#, "\"work()\\n\",\n    \"handle_2.wait()\"");
    assert_eq!(std::fs::read_to_string(folder.path().join("ring.ipynb")).unwrap(), expected);
}

#[test]
fn notebooks_that_cannot_be_read() {
    let folder = Folder::with(&[
        ("cut.ipynb", RING.as_bytes().get(..300).unwrap()),
        ("empty.ipynb", b""),
        ("old.ipynb", br#"{"nbformat": 3, "worksheets": [{"cells": []}]} isend "#),
        ("other.ipynb", br#"{"isend": "torch.distributed"}"#),
        ("third.ipynb", br#"{"nbformat": 3, "worksheets": [{"cells": []}], "x": "isend"}"#),
    ]);
    insta::assert_snapshot!(folder.unwaited("check --output-format concise cut.ipynb empty.ipynb old.ipynb other.ipynb third.ipynb"), @r"
    $ unwaited check --output-format concise cut.ipynb empty.ipynb old.ipynb other.ipynb third.ipynb
    cut.ipynb: error[unreadable-file] the notebook is damaged: EOF while parsing a string, line 18, column 26
    empty.ipynb: error[unreadable-file] the notebook is damaged: EOF while parsing a value, line 1, column 0
    old.ipynb: error[unreadable-file] the notebook is damaged: trailing characters, line 1, column 48
    other.ipynb: error[unreadable-file] this is no notebook: there is no list of cells
    third.ipynb: error[unreadable-file] the notebook has an old format, without a list of cells
    found 5 problems (5 errors) in 5 files
    -- exit code 2
    ");
}

#[test]
fn a_syntax_error_is_told_with_its_cell() {
    let raw = r#"{"cells": [{"cell_type": "code", "source": "import torch.distributed as dist\n%time f(\n"}, {"cell_type": "code", "source": ["x = (\n", "def f(:\n"]}]}"#;
    let folder = Folder::with(&[("a.ipynb", raw.as_bytes())]);
    let run = folder.unwaited("check --output-format concise a.ipynb");
    assert!(run.contains("a.ipynb:cell 2:") && run.contains("error[syntax-error]"), "{run}");
}

#[test]
fn a_notebook_from_standard_input() {
    let folder = Folder::with(&[]);
    let run =
        folder.unwaited_reading("check - --stdin-filename b.ipynb --output-format concise", RING.as_bytes());
    assert!(run.contains("b.ipynb:cell 5:1:1: error[discarded-handle]"), "{run}");
}
