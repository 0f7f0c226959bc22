//! The texts and notebooks that the editor holds.
//!
//! - What is checked is one **source**: a text, or the program that the cells of a notebook are together.
//! - What the editor knows has **addresses**: that of the text, or those of the cells. A finding has a span of the source; a
//!   **place** is where the editor shows it.

use std::path::{Path, PathBuf};

use lsp_types::{Location, Range, TextDocumentContentChangeEvent, Uri};

use super::cells::Cells;
use super::encoding::Encoding;
use super::uri;
use crate::rules::Finding;
use crate::source::{SourceFile, Span, is_notebook};

/// What stands for the path of a notebook that was never saved.
const UNSAVED: &str = "untitled.ipynb";

/// A text or a notebook that the editor holds.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) path: Option<PathBuf>,
    pub(super) version: i32,
    pub(super) source: SourceFile,
    /// What was found in it when it was checked last.
    pub(super) findings: Vec<Finding>,
    pub(super) freshness: Freshness,
    pub(super) form: Form,
}

/// How the editor holds a document.
#[derive(Debug)]
pub(super) enum Form {
    Text,
    Notebook(Cells),
}

/// Whether what was found is about the text as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    Fresh,
    Stale,
}

impl Document {
    pub(super) fn new(uri: Uri, version: i32, text: String) -> Self {
        let path = uri::path(&uri);
        let source = SourceFile::new(name(&uri, path.as_deref()), text);
        let (findings, freshness) = (Vec::new(), Freshness::Stale);
        Self { uri, path, version, source, findings, freshness, form: Form::Text }
    }

    pub(super) fn of_notebook(uri: Uri, version: i32, cells: Cells) -> Self {
        let path = uri::path(&uri).unwrap_or_else(|| UNSAVED.into());
        let source = program(name(&uri, Some(&path)), &cells);
        let (findings, freshness) = (Vec::new(), Freshness::Stale);
        Self { uri, path: Some(path), version, source, findings, freshness, form: Form::Notebook(cells) }
    }

    /// Whether it is the text of a notebook's file, or of one cell of it: neither is a program of its own.
    pub(super) fn is_part_of_a_notebook(&self) -> bool {
        let is_part = self.path.as_deref().is_some_and(is_notebook)
            || self.uri.as_str().starts_with("vscode-notebook-cell:");
        matches!(self.form, Form::Text) && is_part
    }

    /// Follows what was typed into a text.
    pub(super) fn change(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        self.source = changed(&self.source, changes, encoding);
        self.version = version;
        self.freshness = Freshness::Stale;
    }

    /// Follows what a change makes of the cells of a notebook.
    pub(super) fn change_cells(&mut self, version: i32, change: impl FnOnce(&mut Cells)) {
        if let Form::Notebook(cells) = &mut self.form {
            change(cells);
            self.source = program(std::mem::take(&mut self.source.name), cells);
            self.version = version;
            self.freshness = Freshness::Stale;
        }
    }

    /// The addresses that the editor shows diagnostics of, with the version of the text that each stands for.
    pub(super) fn addresses(&self) -> Vec<(&Uri, i32)> {
        match &self.form {
            Form::Text => vec![(&self.uri, self.version)],
            Form::Notebook(cells) => cells.all().iter().map(|cell| (&cell.uri, cell.version)).collect(),
        }
    }

    /// Where the editor shows a span.
    pub(super) fn place(&self, span: Span, encoding: Encoding) -> Option<Location> {
        let cells = match &self.form {
            Form::Text => {
                return Some(Location { uri: self.uri.clone(), range: encoding.range(&self.source, span) });
            }
            Form::Notebook(cells) => cells,
        };
        let (number, start) = self.source.in_cell(span.start)?;
        let cell = cells.get(number)?;
        let end = match self.source.in_cell(span.end) {
            Some((last, end)) if last == number => end,
            Some(_) | None => cell.source.text.len() as u32,
        };
        let range = encoding.range(&cell.source, Span::new(start, end));
        Some(Location { uri: cell.uri.clone(), range })
    }

    /// The span that the editor means by a range of one of the addresses.
    pub(super) fn span(&self, uri: &Uri, range: Range, encoding: Encoding) -> Option<Span> {
        match &self.form {
            Form::Text => (self.uri == *uri).then(|| encoding.span(&self.source, range)),
            Form::Notebook(cells) => {
                let (number, cell) = cells.find(uri)?;
                let span = encoding.span(&cell.source, range);
                let at = |offset| self.source.byte_in_cell(number, offset);
                Some(Span::new(at(span.start)?, at(span.end)?))
            }
        }
    }
}

fn name(uri: &Uri, path: Option<&Path>) -> String {
    path.map_or_else(|| uri.as_str().to_owned(), |path| path.display().to_string())
}

/// The program that some cells are. That they cannot be read is impossible: they are written here.
fn program(name: String, cells: &Cells) -> SourceFile {
    SourceFile::of_notebook(name.clone(), cells.raw()).unwrap_or_else(|_| SourceFile::new(name, ""))
}

/// A text after what was typed; a change without a range is the whole text.
pub(super) fn changed(
    source: &SourceFile,
    changes: Vec<TextDocumentContentChangeEvent>,
    encoding: Encoding,
) -> SourceFile {
    let mut source = source.clone();
    for change in changes {
        let text = match change.range {
            None => change.text,
            Some(range) => {
                let span = encoding.span(&source, range);
                let before = source.text.get(..span.start as usize).unwrap_or_default();
                let behind = source.text.get(span.end as usize..).unwrap_or_default();
                [before, &change.text, behind].concat()
            }
        };
        source = SourceFile::new(source.name, text);
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsp_types::{Position, Range};

    fn change(range: Option<[u32; 4]>, text: &str) -> TextDocumentContentChangeEvent {
        let at = |line, character| Position { line, character };
        let range = range.map(|[a, b, c, d]| Range { start: at(a, b), end: at(c, d) });
        TextDocumentContentChangeEvent { range, range_length: None, text: text.to_owned() }
    }

    #[test]
    fn changes_follow_one_another() {
        let mut document = Document::new("untitled:a".parse().unwrap(), 1, "é = 1\nb\n".to_owned());
        let changes = vec![
            change(Some([0, 4, 0, 5]), "2\nx"),
            change(Some([1, 0, 1, 1]), "y"),
            change(Some([9, 0, 9, 0]), "end"),
        ];
        document.change(2, changes, Encoding::Utf16);
        assert_eq!(document.source.text, "é = 2\ny\nb\nend");
        document.change(3, vec![change(None, "new")], Encoding::Utf16);
        assert_eq!((document.source.text.as_str(), document.version), ("new", 3));
    }
}
