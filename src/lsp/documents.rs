//! The texts that the editor holds.

use std::path::PathBuf;

use lsp_types::{TextDocumentContentChangeEvent, Uri};

use super::encoding::Encoding;
use super::uri;
use crate::rules::Finding;
use crate::source::{SourceFile, is_notebook};

/// A text that the editor holds.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) path: Option<PathBuf>,
    pub(super) version: i32,
    pub(super) source: SourceFile,
    /// What was found in it when it was checked last.
    pub(super) findings: Vec<Finding>,
    pub(super) freshness: Freshness,
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
        let name = path.as_ref().map_or_else(|| uri.as_str().to_owned(), |path| path.display().to_string());
        Self {
            uri,
            path,
            version,
            source: SourceFile::new(name, text),
            findings: Vec::new(),
            freshness: Freshness::Stale,
        }
    }

    /// Whether it is a notebook's file, or one cell of one: neither is a program of its own.
    pub(super) fn is_part_of_a_notebook(&self) -> bool {
        self.path.as_deref().is_some_and(is_notebook)
            || self.uri.as_str().starts_with("vscode-notebook-cell:")
    }

    /// Follows what was typed; a change without a range is the whole text.
    pub(super) fn change(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        for change in changes {
            let text = match change.range {
                None => change.text,
                Some(range) => {
                    let span = encoding.span(&self.source, range);
                    let before = self.source.text.get(..span.start as usize).unwrap_or_default();
                    let behind = self.source.text.get(span.end as usize..).unwrap_or_default();
                    [before, &change.text, behind].concat()
                }
            };
            self.source = SourceFile::new(std::mem::take(&mut self.source.name), text);
        }
        self.version = version;
        self.freshness = Freshness::Stale;
    }
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
