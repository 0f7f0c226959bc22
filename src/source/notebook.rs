//! A notebook as one program.
//!
//! - The **raw** text is the file: JSON, with the source of each cell as one string or as a list of strings.
//! - The **program** is the text of all code cells, one behind the other, with an empty row between them. A finding has a
//!   place in the program; a person reads it as cell, row and column. Cells are numbered from 1, those without code included.
//! - What only a notebook understands (`%time`, `!ls`, `%%bash`, `tensor?`) is **masked**: written over by a comment of the same
//!   length, so that all places stay what they are.
//!
//! ```text
//! {"cells": [
//!   {"cell_type": "markdown", "source": "# Ring"},           1
//!   {"cell_type": "code", "source": ["%time f()\n",          2     0#ime f()
//!                                    "h = isend(t)"]},             h = isend(t)
//!
//!   {"cell_type": "code", "source": "h.wait()"}]}            3     h.wait()
//! ```
//!
//! Law: a text that is edited and a text that is edited, written and read again are the same, and what no edit touches
//! stands in the file as before, byte for byte.

mod json;
mod magics;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Edit, Span, Undecodable, apply};
use json::Source;

/// A notebook that has been read.
#[derive(Clone, Debug)]
pub(super) struct Notebook {
    pub(super) raw: String,
    /// The code cells, in their order.
    cells: Vec<Cell>,
}

/// A code cell.
#[derive(Clone, Debug)]
struct Cell {
    /// Its number among all cells, from 1.
    number: u32,
    /// Where it stands in the program, with the line end behind its last row.
    span: Span,
    /// Its text as it is written.
    text: String,
    source: Source,
}

#[derive(Deserialize)]
struct RawNotebook<'r> {
    #[serde(borrow)]
    cells: Option<Vec<RawCell<'r>>>,
    metadata: Option<Metadata>,
    worksheets: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct RawCell<'r> {
    cell_type: String,
    #[serde(borrow)]
    source: Option<&'r RawValue>,
}

#[derive(Deserialize)]
struct Metadata {
    kernelspec: Option<Kernel>,
    language_info: Option<Kernel>,
}

#[derive(Deserialize)]
struct Kernel {
    language: Option<String>,
    name: Option<String>,
}

impl Notebook {
    /// Reads a notebook, and gives it with its program.
    pub(super) fn read(raw: String) -> Result<(Self, String), Undecodable> {
        let parsed: RawNotebook<'_> = serde_json::from_str(&raw).map_err(|error| damaged(&error))?;
        let Some(cells) = &parsed.cells else {
            return Err(without_cells(parsed.worksheets.is_some()));
        };
        let is_python = parsed.metadata.as_ref().is_none_or(Metadata::is_python);
        let mut program = String::new();
        let mut found = Vec::new();
        for (number, cell) in (1..).zip(cells) {
            let Some(source) = cell.source.filter(|_| is_python && cell.cell_type == "code") else {
                continue;
            };
            let (source, text) = Source::of(source, &raw).ok_or_else(|| strange_source(number))?;
            let start = program.len() as u32;
            program += &magics::masked(&text);
            if !text.ends_with('\n') {
                program.push('\n');
            }
            found.push(Cell { number, span: Span::new(start, program.len() as u32), text, source });
            program.push('\n');
        }
        Ok((Self { cells: found, raw }, program))
    }

    /// The number of the cell that holds a byte of the program, and where that cell starts.
    pub(super) fn cell(&self, offset: u32) -> Option<(u32, u32)> {
        let behind = self.cells.partition_point(|cell| cell.span.start <= offset);
        self.cells.get(behind.checked_sub(1)?).map(|cell| (cell.number, cell.span.start))
    }

    /// The file with the program edited; `None` where an edit does not lie in one cell.
    pub(super) fn edited(&self, edits: &[Edit]) -> Option<String> {
        let mut of_cells: Vec<Vec<Edit>> = vec![Vec::new(); self.cells.len()];
        for edit in edits {
            let at = self.cells.iter().position(|cell| cell.span.contains(edit.span))?;
            let start = self.cells.get(at)?.span.start;
            let span = Span::new(edit.span.start - start, edit.span.end - start);
            of_cells.get_mut(at)?.push(Edit { span, text: edit.text.clone() });
        }
        let mut changes = Vec::new();
        for (cell, edits) in self.cells.iter().zip(&of_cells).filter(|(_, edits)| !edits.is_empty()) {
            changes.push(cell.source.rewritten(&cell.edited(edits)?, &self.raw)?);
        }
        apply(&self.raw, &changes)
    }
}

impl Cell {
    fn edited(&self, edits: &[Edit]) -> Option<String> {
        if self.text.ends_with('\n') {
            return apply(&self.text, edits);
        }
        let mut edited = apply(&format!("{}\n", self.text), edits)?;
        edited.truncate(edited.strip_suffix('\n').map_or(edited.len(), str::len));
        Some(edited)
    }
}

impl Metadata {
    /// Whether the cells are Python, as far as the notebook says.
    fn is_python(&self) -> bool {
        let language = self.kernelspec.as_ref().and_then(|it| it.language.as_deref());
        let name = || self.language_info.as_ref().and_then(|it| it.name.as_deref());
        language.or_else(name).is_none_or(|language| language.to_lowercase().contains("python"))
    }
}

fn damaged(error: &serde_json::Error) -> Undecodable {
    let text = error.to_string();
    let what = text.split(" at line").next().unwrap_or(&text);
    let message =
        format!("the notebook is damaged: {what}, line {}, column {}", error.line(), error.column());
    Undecodable {
        message,
        help: "open it in Jupyter and save it, or take it from version control".to_owned(),
    }
}

fn without_cells(is_old: bool) -> Undecodable {
    let (message, help) = if is_old {
        ("the notebook has an old format, without a list of cells", "save it with a newer Jupyter")
    } else {
        ("this is no notebook: there is no list of cells", "leave it out with `--exclude`")
    };
    Undecodable { message: message.to_owned(), help: help.to_owned() }
}

fn strange_source(number: u32) -> Undecodable {
    let message =
        format!("the notebook is damaged: the source of cell {number} is neither a text nor a list of texts");
    Undecodable {
        message,
        help: "open it in Jupyter and save it, or take it from version control".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RAW: &str = r##"{
 "cells": [
  {"cell_type": "markdown", "source": ["# h = 1"]},
  {
   "cell_type": "code",
   "metadata": {},
   "source": [
    "%time f()\n",
    "h = \"\u00e9\"  # é"
   ]
  },
  {"source": "h.wait\n", "cell_type": "code"}
 ],
 "nbformat": 4
}
"##;

    fn read(raw: &str) -> (Notebook, String) {
        Notebook::read(raw.to_owned()).unwrap()
    }

    fn message(raw: &str) -> String {
        Notebook::read(raw.to_owned()).unwrap_err().message
    }

    #[test]
    fn code_cells_are_one_program() {
        let (notebook, program) = read(RAW);
        assert_eq!(program, "0#ime f()\nh = \"é\"  # é\n\nh.wait\n\n");
        let at = |piece: &str| notebook.cell(program.find(piece).unwrap() as u32).map(|(cell, _)| cell);
        assert_eq!((at("h ="), at("h.wait")), (Some(2), Some(3)));
    }

    #[test]
    fn an_edit_changes_its_rows_only() {
        let (notebook, program) = read(RAW);
        let end = program.find("h.wait").unwrap() as u32 + 6;
        let behind = program.find("\n\n").unwrap() as u32 + 1;
        let edits = [Edit::insert(end, "()"), Edit::insert(behind, "x = \"1\"\n")];
        let edited = notebook.edited(&edits).unwrap();
        let expected = RAW.replace("\"h.wait\\n\"", "\"h.wait()\\n\"").replace(
            "    \"h = \\\"\\u00e9\\\"  # é\"\n",
            "    \"h = \\\"é\\\"  # é\\n\",\n    \"x = \\\"1\\\"\"\n",
        );
        assert_eq!(edited, expected);
        assert_eq!(read(&edited).1, apply(&program, &edits).unwrap());
    }

    #[test]
    fn an_edit_across_cells_is_not_made() {
        let (notebook, program) = read(RAW);
        assert_eq!(notebook.edited(&[Edit::delete(Span::new(0, program.len() as u32))]), None);
    }

    #[test]
    fn another_language_has_no_program() {
        let raw = r#"{"metadata": {"kernelspec": {"language": "R"}}, "cells": [{"cell_type": "code", "source": "f()"}]}"#;
        assert_eq!(read(raw).1, "");
    }

    #[test]
    fn damaged_notebooks_say_where() {
        insta::assert_snapshot!(message("{\"cells\": [\n}"), @"the notebook is damaged: expected value, line 2, column 1");
        insta::assert_snapshot!(message(""), @"the notebook is damaged: EOF while parsing a value, line 1, column 0");
        insta::assert_snapshot!(message("{}"), @"this is no notebook: there is no list of cells");
        insta::assert_snapshot!(message("{\"worksheets\": []}"), @"the notebook has an old format, without a list of cells");
        insta::assert_snapshot!(message(r#"{"cells": [{"cell_type": "code", "source": 3}]}"#), @"the notebook is damaged: the source of cell 1 is neither a text nor a list of texts");
    }

    /// Cells of a few rows, and for each whether its source is a list.
    fn cells() -> impl Strategy<Value = Vec<(Vec<&'static str>, bool)>> {
        let row = proptest::sample::select(vec!["a = 1\n", "é\n", "\"x\"\n", "\n", "b", "\\\n"]);
        proptest::collection::vec((proptest::collection::vec(row, 1..5), any::<bool>()), 1..4)
    }

    proptest! {
        #[test]
        fn edited_and_written_and_read_again_is_the_same(cells in cells(), at in 0_usize..40, text in "[a\"\n]{0,4}") {
            let source = |(rows, is_list): &(Vec<&str>, bool)| {
                if *is_list { serde_json::json!(rows) } else { serde_json::json!(rows.concat()) }
            };
            let cells: Vec<_> = cells
                .iter()
                .map(|cell| serde_json::json!({ "cell_type": "code", "source": source(cell) }))
                .collect();
            let raw = serde_json::to_string_pretty(&serde_json::json!({ "cells": cells })).unwrap();
            let (notebook, program) = read(&raw);
            let at = program.floor_char_boundary(at.min(program.len()));
            let edits = [Edit::insert(at as u32, text.clone())];
            if let Some(edited) = notebook.edited(&edits) {
                let (again, _) = read(&edited);
                let texts: String = again.cells.iter().map(|cell| cell.text.as_str()).collect();
                let before: String = notebook.cells.iter().map(|cell| cell.text.as_str()).collect();
                // Behind a last row without a line end, that row gets one.
                let more = texts.len() - before.len() - text.len();
                prop_assert!(more <= 1, "{} and {} became {}", before, text, texts);
                if text.is_empty() {
                    prop_assert_eq!(edited, raw);
                }
            }
        }
    }
}
