//! Between bytes of a text and the positions of the protocol.
//!
//! A position counts lines from 0, and characters from 0 in units that editor and server agree upon: bytes of UTF-8, units
//! of UTF-16 (what every editor knows), or whole characters.
//!
//! Law: a byte that starts a character has one position, and that position leads back to it.

use lsp_types::{Position, PositionEncodingKind, Range};

use crate::source::{SourceFile, Span};

/// The units that characters are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The cheapest of those that an editor offers.
    pub(super) fn agreed(offered: &[PositionEncodingKind]) -> Self {
        let known = [(PositionEncodingKind::UTF8, Self::Utf8), (PositionEncodingKind::UTF32, Self::Utf32)];
        known.into_iter().find(|(kind, _)| offered.contains(kind)).map_or(Self::Utf16, |(_, it)| it)
    }

    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// The position of a byte.
    pub(super) fn position(self, source: &SourceFile, offset: u32) -> Position {
        let text = source.text.as_str();
        let row = source.lines.row(offset);
        let start = source.lines.start(text, row) as usize;
        let end = text.floor_char_boundary(offset as usize).max(start);
        let before = text.get(start..end).unwrap_or_default();
        Position { line: row - 1, character: self.length(before) }
    }

    /// The range of a span.
    pub(super) fn range(self, source: &SourceFile, span: Span) -> Range {
        Range { start: self.position(source, span.start), end: self.position(source, span.end) }
    }

    /// The byte at a position; the end of the line for a position behind it.
    pub(super) fn offset(self, source: &SourceFile, position: Position) -> u32 {
        let text = source.text.as_str();
        let row = position.line.saturating_add(1);
        let start = source.lines.start(text, row);
        let line = source.lines.text(text, row);
        let mut left = position.character;
        for (at, character) in line.char_indices() {
            let units = self.units(character);
            if left < units {
                return start + at as u32;
            }
            left -= units;
        }
        start + line.len() as u32
    }

    /// The span of a range.
    pub(super) fn span(self, source: &SourceFile, range: Range) -> Span {
        Span::new(self.offset(source, range.start), self.offset(source, range.end))
    }

    fn length(self, text: &str) -> u32 {
        text.chars().map(|character| self.units(character)).sum()
    }

    fn units(self, character: char) -> u32 {
        match self {
            Self::Utf8 => character.len_utf8() as u32,
            Self::Utf16 => character.len_utf16() as u32,
            Self::Utf32 => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_character_has_three_lengths() {
        let source = SourceFile::new("a.py", "x\n😀é!");
        let at = source.text.find('!').unwrap() as u32;
        let columns =
            [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32].map(|it| it.position(&source, at).character);
        assert_eq!(columns, [6, 3, 2]);
    }

    #[test]
    fn a_position_behind_the_line_or_the_text() {
        let source = SourceFile::new("a.py", "ab\r\nc");
        let offset = |line, character| Encoding::Utf16.offset(&source, Position { line, character });
        assert_eq!((offset(0, 99), offset(1, 1), offset(9, 0)), (2, 5, 5));
    }

    #[test]
    fn bytes_are_chosen_where_they_are_offered() {
        let offered = [PositionEncodingKind::UTF16, PositionEncodingKind::UTF8];
        assert_eq!(Encoding::agreed(&offered), Encoding::Utf8);
        assert_eq!(Encoding::agreed(&[]), Encoding::Utf16);
    }

    proptest! {
        #[test]
        fn a_position_leads_back_to_its_byte(
            parts in proptest::collection::vec(proptest::sample::select(vec!["a", "é", "😀", "\n", "\r\n", "\r"]), 0..20)
        ) {
            let source = SourceFile::new("a.py", parts.concat());
            let rows = 1..=source.lines.count();
            let places = rows.flat_map(|row| {
                let start = source.lines.start(&source.text, row);
                let line = source.lines.text(&source.text, row);
                let ends = std::iter::once(line.len());
                line.char_indices().map(|(at, _)| at).chain(ends).map(move |at| start + at as u32).collect::<Vec<_>>()
            });
            for offset in places {
                for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                    prop_assert_eq!(encoding.offset(&source, encoding.position(&source, offset)), offset);
                }
            }
        }
    }
}
