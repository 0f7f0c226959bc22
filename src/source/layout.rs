//! How a Python text is laid out: statement lines, their indentation, and the blocks that indentation makes of them.
//!
//! It knows no syntax. A **statement line** starts where a row starts that continues no other; its **code** ends before its
//! comment. A **block** is a run of lines with the same indentation and all deeper ones between them. A line that carries on
//! a compound statement (`else:`) **continues** the line before it: nothing can be put between them.
//!
//! ```text
//! if ready:             #0 opens a block
//!     h = isend(       #1 in a block of its own with #2
//!         t, 1)
//!     work()            #2
//! else:                 #3 continues #0
//!     h = None          #4
//! h.wait()              #5 in one block with #0
//! ```

use std::rc::Rc;

use super::comments::{Statement, python_statements};
use super::{Edit, Span};

/// A text with its statement lines.
#[derive(Clone, Debug)]
pub struct Layout<'t> {
    text: &'t str,
    lines: StatementLines,
}

/// Where the statement lines of a text stand.
#[derive(Clone, Debug, Default)]
pub struct StatementLines(Rc<[Statement]>);

impl StatementLines {
    /// Finds the statement lines of a Python text.
    pub fn of_python(text: &str) -> Self {
        Self(python_statements(text).into())
    }
}

/// A statement line, by its number.
pub type Line = usize;

impl<'t> Layout<'t> {
    /// A text with the lines that were found in it.
    pub fn new(text: &'t str, lines: StatementLines) -> Self {
        Self { text, lines }
    }

    fn get(&self, line: Line) -> Option<&Statement> {
        self.lines.0.get(line)
    }

    /// The line that a byte belongs to.
    pub fn line_at(&self, offset: u32) -> Option<Line> {
        let line = self.lines.0.partition_point(|line| line.code.start <= offset).checked_sub(1)?;
        (offset <= self.get(line)?.end).then_some(line)
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.lines.0.len()
    }

    /// Where the code of a line stands, without its comment.
    pub fn span(&self, line: Line) -> Span {
        self.get(line).map(|line| line.code).unwrap_or_default()
    }

    /// The code of a line, without its comment.
    pub fn code(&self, line: Line) -> &'t str {
        self.span(line).of(self.text)
    }

    /// The white space that a line starts with.
    pub fn indentation(&self, line: Line) -> &'t str {
        Span { start: self.row_start(line), end: self.span(line).start }.of(self.text)
    }

    /// The last line of the block of a line, deeper ones included.
    pub fn block_end(&self, line: Line) -> Line {
        let own = self.indentation(line);
        let inside = |next: &Line| self.indentation(*next).starts_with(own);
        (line + 1..self.count()).take_while(inside).last().unwrap_or(line)
    }

    /// The line that opens the block of a line.
    pub fn opener(&self, line: Line) -> Option<Line> {
        let own = self.indentation(line).len();
        (0..line).rev().find(|before| self.indentation(*before).len() < own)
    }

    /// The line of the block of `base` that `line` is or is part of; `None` where it is in another block.
    pub fn outermost(&self, line: Line, base: Line) -> Option<Line> {
        let own = self.indentation(base);
        if line > self.block_end(base) {
            return None;
        }
        let sibling = (base..=line).rev().find(|at| self.indentation(*at) == own && !self.continues(*at))?;
        Some(self.before_decorators(sibling))
    }

    /// Whether a line carries on the compound statement before it.
    pub fn continues(&self, line: Line) -> bool {
        let word = self.code(line).split(|c: char| !c.is_alphanumeric()).next();
        matches!(word, Some("else" | "elif" | "except" | "finally"))
    }

    /// Whether a line leaves its block: what stands behind it in the block is never reached.
    pub fn leaves(&self, line: Line) -> bool {
        let word = self.code(line).split(|c: char| !c.is_alphanumeric()).next();
        matches!(word, Some("return" | "raise" | "break" | "continue"))
    }

    fn before_decorators(&self, line: Line) -> Line {
        let own = self.indentation(line);
        let is_decorator = |at: &Line| self.indentation(*at) == own && self.code(*at).starts_with('@');
        (0..line).rev().take_while(is_decorator).last().unwrap_or(line)
    }

    /// Puts rows in front of a line, with its indentation; rows of one text are divided by `\n`.
    pub fn insert_before(&self, line: Line, rows: &str) -> Edit {
        let text: String = rows.lines().map(|row| self.row(line, row)).collect();
        Edit::insert(self.row_start(line), text)
    }

    /// Puts rows behind a line, with the indentation of the line `like`.
    pub fn insert_after(&self, line: Line, like: Line, rows: &str) -> Edit {
        let text: String = rows.lines().map(|row| self.row(like, row)).collect();
        let end = self.get(line).map_or(0, |line| line.end);
        match self.line_end(end) {
            "" => {
                let ending = self.ending();
                Edit::insert(end, format!("{ending}{}", text.trim_end_matches(['\r', '\n'])))
            }
            here => Edit::insert(end + here.len() as u32, text),
        }
    }

    /// Takes a whole line away, with its indentation and line end; a comment behind it stays on a row of its own.
    pub fn remove(&self, line: Line) -> Edit {
        let code = self.span(line);
        let end = self.get(line).map_or(code.end, |line| line.end);
        let rest = Span { start: code.end, end }.of(self.text);
        if rest.trim().is_empty() {
            let behind = end + self.line_end(end).len() as u32;
            return Edit::delete(Span::new(self.row_start(line), behind));
        }
        let blank = (rest.len() - rest.trim_start().len()) as u32;
        Edit::delete(Span::new(code.start, code.end + blank))
    }

    /// The white space of one level: that of the first line that is indented.
    pub fn level(&self) -> &'t str {
        let first = (0..self.count()).map(|line| self.indentation(line)).find(|it| !it.is_empty());
        first.unwrap_or("    ")
    }

    /// The line end of a text: that of its first row.
    pub fn ending(&self) -> &'t str {
        let first = memchr::memchr2(b'\n', b'\r', self.text.as_bytes()).unwrap_or(self.text.len());
        match self.line_end(first as u32) {
            "" => "\n",
            ending => ending,
        }
    }

    fn row(&self, like: Line, row: &str) -> String {
        format!("{}{row}{}", self.indentation(like), self.ending())
    }

    fn row_start(&self, line: Line) -> u32 {
        let before = self.text.get(..self.span(line).start as usize).unwrap_or_default();
        memchr::memrchr2(b'\n', b'\r', before.as_bytes()).map_or(0, |at| at as u32 + 1)
    }

    /// The line end that stands at a byte, or nothing at the end of the text.
    fn line_end(&self, at: u32) -> &'t str {
        let rest = self.text.get(at as usize..).unwrap_or_default();
        let ends = ["\r\n", "\n", "\r"];
        let length = ends.iter().find(|end| rest.starts_with(**end)).map_or(0, |end| end.len());
        rest.get(..length).unwrap_or_default()
    }
}

/// Whether a text contains a name as a word of its own.
pub fn mentions(text: &str, name: &str) -> bool {
    words(text, name).next().is_some()
}

/// Where a name stands in a text as a word of its own.
pub fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).map(|(at, _)| at).filter(move |&at| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + name.len()..).and_then(|behind| behind.chars().next());
        !name.is_empty() && !before.is_some_and(is_word) && !behind.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::super::apply;
    use super::*;

    const TEXT: &str = "if a:\n    h = f(\n        1)  # one\n    g()\nelse:\n    h = None\nh.wait()";

    fn layout_of(text: &str) -> Layout<'_> {
        Layout::new(text, StatementLines::of_python(text))
    }

    fn after(text: &str, edit: Edit) -> String {
        apply(text, &[edit]).unwrap()
    }

    #[test]
    fn blocks_by_indentation() {
        let layout = layout_of(TEXT);
        assert_eq!(layout.count(), 6);
        assert_eq!(layout.code(1), "h = f(\n        1)");
        assert_eq!((layout.block_end(1), layout.block_end(0)), (2, 5));
        assert_eq!(
            (layout.outermost(4, 0), layout.outermost(5, 0), layout.outermost(4, 1)),
            (Some(0), Some(5), None)
        );
        assert_eq!((layout.opener(2), layout.opener(0)), (Some(0), None));
        assert!(layout.continues(3));
    }

    #[test]
    fn a_byte_belongs_to_the_line_with_its_comment() {
        let layout = layout_of(TEXT);
        assert_eq!(layout.line_at(TEXT.find("1)").unwrap() as u32), Some(1));
        assert_eq!(layout.line_at(TEXT.find("one").unwrap() as u32), Some(1));
    }

    #[test]
    fn rows_before_and_behind_a_line() {
        let layout = layout_of(TEXT);
        let before = after(TEXT, layout.insert_before(2, "x\ny"));
        assert!(before.contains("# one\n    x\n    y\n    g()\n"));
        assert!(after(TEXT, layout.insert_after(1, 1, "x")).contains("# one\n    x\n    g()\n"));
        assert!(after(TEXT, layout.insert_after(5, 5, "x")).ends_with("h.wait()\nx"));
    }

    #[test]
    fn line_ends_are_those_of_the_file() {
        let text = "def f():\r\n\th()";
        let layout = layout_of(text);
        assert_eq!(after(text, layout.insert_after(1, 1, "x")), "def f():\r\n\th()\r\n\tx");
        assert_eq!(after(text, layout.insert_before(1, "x")), "def f():\r\n\tx\r\n\th()");
    }

    #[test]
    fn a_line_goes_and_its_comment_stays() {
        let text = "a()\n  b()  # why\nc()\n";
        let layout = layout_of(text);
        assert_eq!(after(text, layout.remove(0)), "  b()  # why\nc()\n");
        assert_eq!(after(text, layout.remove(1)), "a()\n  # why\nc()\n");
    }

    #[test]
    fn nothing_comes_between_a_decorator_and_its_function() {
        let text = "a()\n@b\n@c(1)\ndef f():\n    a\n";
        let layout = layout_of(text);
        assert_eq!(layout.outermost(4, 0), Some(1));
    }

    #[test]
    fn names_are_whole_words() {
        assert!(mentions("f(box)", "box") && mentions("self.box += 1", "self.box"));
        assert!(!mentions("boxes, my_box", "box"));
    }
}
