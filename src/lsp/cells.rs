//! The cells of a notebook, as the editor holds them: each is a text with an address of its own.
//!
//! Together they are written as the file of a notebook would be, without what is shown; so a notebook that is open is read as
//! one on the disk is.

use lsp_types::{
    NotebookCell, NotebookDocumentCellChange, NotebookDocumentCellChangeStructure, TextDocumentItem, Uri,
};
use serde_json::json;

use super::documents::changed;
use super::encoding::Encoding;
use crate::source::SourceFile;

/// The language of the cells that are read.
pub(super) const LANGUAGE: &str = "python";

/// The cells of a notebook, in their order.
#[derive(Debug, Default)]
pub(super) struct Cells(Vec<Cell>);

/// A cell.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) source: SourceFile,
    language: String,
}

impl Cell {
    fn new(it: TextDocumentItem) -> Self {
        let name = it.uri.as_str().to_owned();
        Self {
            uri: it.uri,
            version: it.version,
            source: SourceFile::new(name, it.text),
            language: it.language_id,
        }
    }
}

impl Cells {
    /// The cells of a notebook that is opened; one without a text is passed over.
    pub(super) fn new(order: Vec<NotebookCell>, texts: Vec<TextDocumentItem>) -> Self {
        Self(in_order(order, texts.into_iter().map(Cell::new).collect()).0)
    }

    /// Follows a change, and gives the cells that are gone.
    pub(super) fn change(&mut self, change: NotebookDocumentCellChange, encoding: Encoding) -> Vec<Cell> {
        let gone = change.structure.map(|structure| self.reorder(structure)).unwrap_or_default();
        for text in change.text_content.unwrap_or_default() {
            let uri = &text.document.uri;
            if let Some(cell) = self.0.iter_mut().find(|cell| cell.uri == *uri) {
                cell.source = changed(&cell.source, text.changes, encoding);
                cell.version = text.document.version;
            }
        }
        gone
    }

    fn reorder(&mut self, structure: NotebookDocumentCellChangeStructure) -> Vec<Cell> {
        let array = structure.array;
        let start = (array.start as usize).min(self.0.len());
        let end = start.saturating_add(array.delete_count as usize).min(self.0.len());
        let behind = self.0.split_off(end);
        let mut known = self.0.split_off(start);
        known.extend(structure.did_open.unwrap_or_default().into_iter().map(Cell::new));
        let (new, gone) = in_order(array.cells.unwrap_or_default(), known);
        self.0.extend(new);
        self.0.extend(behind);
        gone
    }

    /// The file of a notebook with these cells.
    pub(super) fn raw(&self) -> String {
        let cell = |cell: &Cell| {
            let kind = if cell.language == LANGUAGE { "code" } else { "raw" };
            json!({ "cell_type": kind, "source": cell.source.text })
        };
        json!({ "cells": self.0.iter().map(cell).collect::<Vec<_>>() }).to_string()
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Cell] {
        &self.0
    }

    /// The cell with a number; they count from 1.
    pub(super) fn get(&self, number: u32) -> Option<&Cell> {
        self.0.get((number as usize).checked_sub(1)?)
    }

    /// The cell with an address, and its number.
    pub(super) fn find(&self, uri: &Uri) -> Option<(u32, &Cell)> {
        (1..).zip(&self.0).find(|(_, cell)| cell.uri == *uri)
    }
}

/// The wanted ones of some cells, in the wanted order, and those that are not wanted.
fn in_order(order: Vec<NotebookCell>, mut known: Vec<Cell>) -> (Vec<Cell>, Vec<Cell>) {
    let mut wanted = Vec::with_capacity(order.len());
    for cell in order {
        if let Some(at) = known.iter().position(|it| it.uri == cell.document) {
            wanted.push(known.remove(at));
        }
    }
    (wanted, known)
}
