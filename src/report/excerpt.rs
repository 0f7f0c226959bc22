//! The rows of a file that a finding points at, made fit to print.
//!
//! An excerpt holds the rows of each label with one row of context, in order. Control characters become visible signs, line
//! ends become `\n`, and a row that is longer than [`LONGEST`] characters is cut to what surrounds its labels and fits the
//! terminal. Offsets in the file are translated to offsets in the excerpt.

use std::collections::BTreeSet;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::printable_character;
use crate::source::{SourceFile, Span};

/// How many characters a row may have before it is cut.
const LONGEST: usize = 180;
/// How many characters stand before the first label of a row that is cut.
const BEFORE: usize = 20;
/// How many columns the frame around a row takes.
const FRAME: usize = 14;
/// What stands where a row is cut.
const CUT: char = '\u{2026}';
/// How many rows a label may span before only its first row is marked.
const TALLEST: u32 = 8;

/// Rows of one file.
#[derive(Debug)]
pub(super) struct Excerpt {
    name: String,
    text: String,
    rows: Vec<Row>,
}

/// One row of an excerpt.
#[derive(Debug)]
struct Row {
    number: u32,
    /// Its number as a person reads it: in a notebook within its cell.
    shown: u32,
    cell: Option<u32>,
    /// Where its text starts in the excerpt.
    start: usize,
    /// Where each character of the excerpt's row, from `start` on, stands in the file.
    origins: Vec<(usize, u32)>,
    /// How many characters of the file's row were cut off at its start.
    cut: usize,
}

impl Excerpt {
    /// The rows of a file that some spans touch.
    pub(super) fn new(source: &SourceFile, name: String, spans: &[Span], width: usize) -> Self {
        let mut excerpt = Self { name, text: String::new(), rows: Vec::new() };
        let mut numbers = BTreeSet::new();
        for span in spans {
            let (first, last) = rows_of(source, *span);
            numbers.extend(first.saturating_sub(1).max(1)..=last);
            numbers.extend(Some(last + 1).filter(|next| has_row(source, *next)));
        }
        for number in numbers {
            excerpt.add_row(source, number, spans, width);
        }
        excerpt
    }

    /// The place of a span in the excerpt: start and length.
    pub(super) fn place(&self, source: &SourceFile, span: Span) -> (usize, usize) {
        let (first, last) = rows_of(source, span);
        let end = if first == last && source.lines.row(span.end) != last {
            source.lines.start(&source.text, first + 1).saturating_sub(1)
        } else {
            span.end
        };
        let start = self.translate(first, span.start);
        (start, self.translate(last, end).saturating_sub(start))
    }

    fn add_row(&mut self, source: &SourceFile, number: u32, spans: &[Span], width: usize) {
        let first_byte = source.lines.start(&source.text, number);
        let line = source.lines.text(&source.text, number);
        let within = first_byte..=first_byte + line.len() as u32;
        let mark = spans.iter().map(|span| span.start).filter(|at| within.contains(at)).min();
        let (cut, length) = window(line, mark.map(|at| (at - first_byte) as usize), width);
        let start = self.text.len();
        if cut > 0 {
            self.text.push(CUT);
        }
        let shown = source.position(first_byte).row;
        let cell = source.cell(first_byte);
        let mut row = Row { number, shown, cell, start, origins: Vec::new(), cut };
        let mut characters = line.char_indices().skip(cut);
        for (at, character) in characters.by_ref().take(length) {
            row.origins.push((self.text.len(), first_byte + at as u32));
            self.text.push(printable_character(character));
        }
        if characters.next().is_some() {
            self.text.push(CUT);
        }
        self.text.push('\n');
        self.rows.push(row);
    }

    /// Where a byte of a row of the file stands in the excerpt.
    fn translate(&self, number: u32, offset: u32) -> usize {
        let Some(row) = self.rows.iter().find(|row| row.number == number) else { return 0 };
        let behind = row.origins.partition_point(|(_, origin)| *origin < offset);
        match row.origins.get(behind) {
            Some((here, _)) => *here,
            None => self.end_of(row),
        }
    }

    fn end_of(&self, row: &Row) -> usize {
        let rest = self.text.get(row.start..).unwrap_or_default();
        row.start + rest.find('\n').unwrap_or(rest.len())
    }

    fn row_at(&self, offset: usize) -> usize {
        self.rows.partition_point(|row| row.start <= offset).saturating_sub(1)
    }

    /// The column of a place in the file's row, counted from 0.
    fn column(row: &Row, offset: usize) -> usize {
        row.cut + row.origins.partition_point(|(here, _)| *here < offset)
    }
}

/// The first and last row of a span, the last one included; of a tall span only the first.
fn rows_of(source: &SourceFile, span: Span) -> (u32, u32) {
    let first = source.lines.row(span.start);
    let last = source.lines.row(span.end.saturating_sub(1).max(span.start));
    if last - first < TALLEST { (first, last) } else { (first, first) }
}

/// Whether there is a row of this number; the empty one behind the last line end does not count.
fn has_row(source: &SourceFile, number: u32) -> bool {
    (source.lines.start(&source.text, number) as usize) < source.text.len()
}

/// Which characters of a row are shown: how many are skipped and how many follow.
fn window(line: &str, mark: Option<usize>, width: usize) -> (usize, usize) {
    let length = line.chars().count();
    if length <= LONGEST {
        return (0, length);
    }
    let mark = line.get(..mark.unwrap_or_default()).map_or(0, |before| before.chars().count());
    (mark.saturating_sub(BEFORE), width.saturating_sub(FRAME).max(BEFORE * 2))
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        rows_before: usize,
        rows_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let at = self.row_at(span.offset());
        let end = self.row_at(span.offset() + span.len());
        let is_next = |index: usize| match (self.rows.get(index), self.rows.get(index + 1)) {
            (Some(row), Some(next)) => row.number + 1 == next.number && row.cell == next.cell,
            _ => false,
        };
        if !(at..end).all(is_next) {
            return Err(MietteError::OutOfBounds);
        }
        let first = (at.saturating_sub(rows_before)..at)
            .rev()
            .take_while(|index| is_next(*index))
            .last()
            .unwrap_or(at);
        let last =
            (end..end + rows_after).take_while(|index| is_next(*index)).last().map_or(end, |index| index + 1);
        let (Some(row), Some(last_row)) = (self.rows.get(first), self.rows.get(last)) else {
            return Err(MietteError::OutOfBounds);
        };
        let start = if rows_before == 0 { span.offset() } else { row.start };
        let stop = self.end_of(last_row) + 1;
        let data = self.text.as_bytes().get(start..stop).ok_or(MietteError::OutOfBounds)?;
        let column = if rows_before == 0 { Self::column(row, span.offset()) } else { 0 };
        let name = row.cell.map_or_else(|| self.name.clone(), |cell| format!("{}:cell {cell}", self.name));
        Ok(Box::new(MietteSpanContents::new_named(
            name,
            data,
            (start, stop - start).into(),
            row.shown as usize - 1,
            column,
            last - first + 1,
        )))
    }
}
