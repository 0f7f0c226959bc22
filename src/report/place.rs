//! Where a finding stands, as formats for programs tell it: rows and columns from 1, columns in characters.

use crate::project::FileReport;
use crate::source::{Position, Span};

/// The first and the last position of a span; that of the end is one past the last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: Position,
    pub(super) end: Position,
}

impl Place {
    /// The place of a span; a file that has no text has only its beginning.
    pub(super) fn of(report: &FileReport, span: Span) -> Self {
        let at = |offset| {
            report.source.as_ref().map_or(Position { row: 1, column: 1 }, |source| source.position(offset))
        };
        Self { start: at(span.start), end: at(span.end) }
    }

    pub(super) fn is_on_one_row(self) -> bool {
        self.start.row == self.end.row
    }
}

/// A file's name as formats want it that know no backslashes.
pub(super) fn slashed(name: &str) -> String {
    if std::path::MAIN_SEPARATOR == '\\' { name.replace('\\', "/") } else { name.to_owned() }
}
