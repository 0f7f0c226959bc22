//! Where lines start, and from there rows and columns.
//!
//! A line ends with `\n`, `\r\n` or a lone `\r`, as Python reads them. A form feed is a character like any other.

/// What a person reads: row and column, both counted from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The row.
    pub row: u32,
    /// The column.
    pub column: u32,
}

/// The starts of all lines of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let after_ends = memchr::memchr2_iter(b'\n', b'\r', bytes)
            .filter(|&at| bytes.get(at) == Some(&b'\n') || bytes.get(at + 1) != Some(&b'\n'))
            .map(|at| at as u32 + 1);
        Self { starts: std::iter::once(0).chain(after_ends).collect() }
    }

    /// The row of a byte, from 1.
    pub fn row(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset).max(1) as u32
    }

    /// The first byte of a row; the end of the text for a row behind the last.
    pub fn start(&self, text: &str, row: u32) -> u32 {
        let index = row.saturating_sub(1) as usize;
        self.starts.get(index).copied().unwrap_or(text.len() as u32)
    }

    /// The text of a row, without its end.
    pub fn text<'t>(&self, text: &'t str, row: u32) -> &'t str {
        let range = self.start(text, row) as usize..self.start(text, row + 1) as usize;
        let line = text.get(range).unwrap_or_default();
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// How many lines there are; a text that ends with a line end has an empty last line.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The row and column of a byte.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let row = self.row(offset);
        let start = self.start(text, row) as usize;
        let end = text.floor_char_boundary(offset as usize).max(start);
        let column = text.get(start..end).map_or(0, |before| before.chars().count()) as u32 + 1;
        Position { row, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str, offset: u32) -> (u32, u32) {
        let position = Lines::new(text).position(text, offset);
        (position.row, position.column)
    }

    #[test]
    fn columns_count_characters_not_bytes() {
        assert_eq!(position("é = x", 3), (1, 3));
    }

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let text = "a\nb\r\nc\rd";
        assert_eq!(Lines::new(text).count(), 4);
        assert_eq!(position(text, 7), (4, 1));
        assert_eq!(Lines::new(text).text(text, 2), "b");
        assert_eq!(Lines::new(text).text(text, 3), "c");
    }

    #[test]
    fn a_form_feed_is_a_character_of_its_line() {
        assert_eq!(position("\u{c}x = 1\n", 1), (1, 2));
    }

    #[test]
    fn the_end_of_the_text_has_a_position() {
        assert_eq!(position("", 0), (1, 1));
        assert_eq!(position("x\n", 2), (2, 1));
        assert_eq!(position("x\n", 99), (2, 1));
    }

    #[test]
    fn an_offset_within_a_character_belongs_to_it() {
        assert_eq!(position("aé", 2), (1, 2));
    }
}
