//! Finds comments, and for each the statement line that it belongs to.
//!
//! A small lexer that knows only what can hide a `#` or hold rows together: strings (with the code inside f-strings and
//! t-strings), brackets and backslashes. It never fails; what it makes of a broken file is good enough, because
//! there nothing is said about suppressions.
//!
//! ```text
//! x = f"{d["#"]}"   # this is one comment
//! y = (             # this belongs to the statement line that ends two rows below
//!     1,
//! )
//! # this belongs to the next statement line
//! z = 2
//! ```

use super::Span;

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    /// From the `#` to the end of the row.
    pub(super) span: Span,
    /// The statement line that it stands in or before; `None` behind the last one.
    pub(super) statement: Option<Span>,
}

/// A statement line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// From its first token to its last.
    pub(super) code: Span,
    /// Where its last row ends, the comment included and the line end not.
    pub(super) end: u32,
}

/// All comments of a Python text, in order.
pub(super) fn python_comments(text: &str) -> Vec<Comment> {
    read(text).comments
}

/// All statement lines of a Python text, in order.
pub(super) fn python_statements(text: &str) -> Vec<Statement> {
    read(text).statements
}

fn read(text: &str) -> Lexer<'_> {
    let mut lexer = Lexer { bytes: text.as_bytes(), ..Lexer::default() };
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    lexer.end_statement();
    lexer
}

#[derive(Default)]
struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    /// What the position is inside of, innermost last; empty for plain code.
    inside: Vec<Inside>,
    /// Open brackets of plain code.
    depth: u32,
    /// Where the current statement line starts, once it has a token.
    started: Option<usize>,
    comments: Vec<Comment>,
    statements: Vec<Statement>,
    /// How many of the comments have their statement line.
    settled: usize,
}

#[derive(Clone, Copy)]
enum Inside {
    /// The text of an f-string or t-string.
    Text(Quote),
    /// A replacement field of one: code, with so many open brackets.
    Field(u32),
    /// The format behind the colon of a field.
    Format,
}

#[derive(Clone, Copy)]
struct Quote {
    byte: u8,
    triple: bool,
    raw: bool,
}

impl Quote {
    fn width(self) -> usize {
        if self.triple { 3 } else { 1 }
    }

    fn closes(self, rest: &[u8]) -> bool {
        rest.iter().take_while(|byte| **byte == self.byte).take(3).count() >= self.width()
    }
}

impl Lexer<'_> {
    fn step(&mut self) {
        match self.inside.last().copied() {
            None | Some(Inside::Field(_)) => self.step_in_code(),
            Some(Inside::Text(quote)) => self.step_in_text(quote),
            Some(Inside::Format) => self.step_in_format(),
        }
    }

    fn step_in_code(&mut self) {
        match self.byte(0) {
            b'#' => return self.comment(),
            b' ' | b'\t' | b'\x0c' => {}
            b'\n' | b'\r' => self.end_row(),
            b'\\' if matches!(self.byte(1), b'\n' | b'\r') => {
                self.token();
                self.at += if self.byte(1) == b'\r' && self.byte(2) == b'\n' { 2 } else { 1 };
            }
            byte @ (b'"' | b'\'') => return self.string(byte),
            b'(' | b'[' | b'{' => self.open(),
            b')' | b']' | b'}' => self.close(),
            b':' if matches!(self.inside.last(), Some(Inside::Field(0))) => self.inside.push(Inside::Format),
            _ => self.token(),
        }
        self.at += 1;
    }

    fn step_in_text(&mut self, quote: Quote) {
        match self.byte(0) {
            b'\\' => self.escape(quote),
            b'{' if self.byte(1) == b'{' => self.at += 2,
            b'{' => {
                self.inside.push(Inside::Field(0));
                self.at += 1;
            }
            b'\n' | b'\r' if !quote.triple => _ = self.inside.pop(),
            _ if quote.closes(self.rest()) => {
                self.inside.pop();
                self.at += quote.width();
            }
            _ => self.at += 1,
        }
    }

    fn step_in_format(&mut self) {
        match self.byte(0) {
            b'{' => self.inside.push(Inside::Field(0)),
            b'}' => {
                self.inside.pop();
                self.inside.pop();
            }
            _ => {}
        }
        self.at += 1;
    }

    fn comment(&mut self) {
        let rest = self.rest();
        let end = self.at + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.comments.push(Comment { span: span(self.at, end), statement: None });
        self.at = end;
    }

    fn string(&mut self, byte: u8) {
        self.token();
        let prefix = self.prefix();
        let is = |letter: u8| prefix.iter().any(|found| found.eq_ignore_ascii_case(&letter));
        let triple = self.byte(1) == byte && self.byte(2) == byte;
        let quote = Quote { byte, triple, raw: is(b'r') };
        let formatted = is(b'f') || is(b't');
        self.at += quote.width();
        if formatted {
            self.inside.push(Inside::Text(quote));
        } else {
            self.plain_text(quote);
        }
    }

    fn plain_text(&mut self, quote: Quote) {
        while self.at < self.bytes.len() {
            match self.byte(0) {
                b'\\' => self.at += 2,
                b'\n' | b'\r' if !quote.triple => return,
                _ if quote.closes(self.rest()) => {
                    self.at += quote.width();
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    /// A backslash in the text of an f-string: it never hides a brace, except in the name of a character.
    fn escape(&mut self, quote: Quote) {
        let named = !quote.raw && self.byte(1) == b'N' && self.byte(2) == b'{';
        self.at += match self.byte(1) {
            _ if named => 3,
            b'{' | b'}' => 1,
            _ => 2,
        };
    }

    /// The letters directly before a quote, where they are a string prefix.
    fn prefix(&self) -> &[u8] {
        let before = self.bytes.get(..self.at).unwrap_or_default();
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
        let length = before.iter().rev().take(3).take_while(|byte| is_name(byte)).count();
        let word = before.get(before.len() - length..).unwrap_or_default();
        if length < 3 && word.iter().all(|byte| b"rRbBuUfFtT".contains(byte)) { word } else { &[] }
    }

    fn open(&mut self) {
        self.token();
        match self.inside.last_mut() {
            Some(Inside::Field(depth)) => *depth += 1,
            _ => self.depth += 1,
        }
    }

    fn close(&mut self) {
        self.token();
        match self.inside.last_mut() {
            Some(Inside::Field(0)) => _ = self.inside.pop(),
            Some(Inside::Field(depth)) => *depth -= 1,
            _ => self.depth = self.depth.saturating_sub(1),
        }
    }

    fn token(&mut self) {
        self.started.get_or_insert(self.at);
    }

    fn end_row(&mut self) {
        if self.inside.is_empty() && self.depth == 0 {
            self.end_statement();
        }
    }

    fn end_statement(&mut self) {
        let Some(start) = self.started.take() else { return };
        // A backslash at the very end has stepped behind it.
        let statement = span(start, self.at.min(self.bytes.len()));
        self.statements.push(Statement { code: self.code_of(statement), end: statement.end });
        for comment in self.comments.iter_mut().skip(self.settled) {
            comment.statement = Some(statement);
        }
        self.settled = self.comments.len();
    }

    /// A statement line without the comment at its end.
    fn code_of(&self, statement: Span) -> Span {
        let last = self.comments.last().filter(|comment| comment.span.end == statement.end);
        let end = last.map_or(statement.end, |comment| comment.span.start);
        let code = self.bytes.get(statement.start as usize..end as usize).unwrap_or_default();
        Span::new(statement.start, statement.start + code.trim_ascii_end().len() as u32)
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}

fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each comment with the statement line that it belongs to.
    fn comments(text: &str) -> String {
        let show = |comment: &Comment| {
            let statement = comment.statement.map_or("nothing", |statement| statement.of(text));
            let statement: Vec<&str> = statement.lines().map(str::trim).collect();
            format!("{} -> {}", comment.span.of(text), statement.join(" "))
        };
        python_comments(text).iter().map(show).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_comment_at_the_end_belongs_to_its_statement_and_one_before_to_the_next() {
        let text = "x = 1  # one\n\n# two\n\n  # three\ny = 2\n# four\n";
        insta::assert_snapshot!(comments(text), @r"
        # one -> x = 1  # one
        # two -> y = 2
        # three -> y = 2
        # four -> nothing
        ");
    }

    #[test]
    fn brackets_backslashes_and_triple_quotes_hold_rows_together() {
        insta::assert_snapshot!(comments("f(a,  # one\n  b)  # two\n"), @r"
        # one -> f(a,  # one b)  # two
        # two -> f(a,  # one b)  # two
        ");
        insta::assert_snapshot!(comments("x = \\\r\n 1  # one\r\ny\n"), @r"# one -> x = \ 1  # one");
        insta::assert_snapshot!(comments("x = '''\n # no\n'''  # one\n"), @"# one -> x = ''' # no '''  # one");
    }

    #[test]
    fn a_number_sign_in_a_string_is_no_comment() {
        assert_eq!(comments("a = '#'; b = \"\\\"#\"; c = r'\\\\#'; d = rb'''\n#'''\n"), "");
        assert_eq!(comments("a = f'#{x:#x}' f\"{{#}}\" f'{d['#']}' rf'\\{x}#' f'\\N{NUMBER SIGN}#'\n"), "");
        assert_eq!(comments("a = f'''{\nx!r:>{width}}#'''\n"), "");
    }

    #[test]
    fn a_comment_in_the_field_of_an_f_string_is_one() {
        insta::assert_snapshot!(comments("a = f'''{\n  x  # one\n}'''\n"), @"# one -> a = f'''{ x  # one }'''");
    }

    #[test]
    fn a_name_that_ends_in_f_is_no_prefix() {
        insta::assert_snapshot!(comments("self'{'  # one\nprint(xf'{')  # two"), @r"
        # one -> self'{'  # one
        # two -> print(xf'{')  # two
        ");
    }

    #[test]
    fn an_unterminated_string_ends_with_its_row() {
        insta::assert_snapshot!(comments("a = 'it\nb = f'it\nc  # one"), @"# one -> c  # one");
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_text_is_comments_are_parts_of_it_in_order(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "#", "f\"", "'", "\"\"\"", "{", "}", "(", ")", ":", "\\", "\r", "\n", "r'", "x", "é", " ", "\\N{",
                ]),
                0..40,
            )
        ) {
            let text = parts.concat();
            let mut before = 0;
            for comment in python_comments(&text) {
                proptest::prop_assert!(comment.span.start >= before);
                proptest::prop_assert!(comment.span.of(&text).starts_with('#'));
                let statement = comment.statement.map(|statement| statement.of(&text));
                proptest::prop_assert_ne!(statement, Some(""));
                before = comment.span.end;
            }
        }
    }
}
