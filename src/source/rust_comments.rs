//! Finds the line comments of a Rust text, and for each the statement that it belongs to.
//!
//! A small lexer that knows only what can hide a `//` or hold rows together: strings (raw ones too), characters, block
//! comments and brackets. A **statement** ends at a `;`, at a `,` of a list or the arms of a `match`, and with a block; brackets
//! other than braces hold it together. A comment at the end of any of its rows belongs to it; one on a row of its own
//! belongs to the next one.
//!
//! ```text
//! let r = peer.immediate_send(   // this belongs to the statement that ends two rows below
//!     scope, &x,
//! );
//! // this belongs to the next statement
//! r.wait();
//! ```

use super::Span;
use super::comments::Comment;

/// All line comments of a Rust text, in order.
pub(super) fn rust_comments(text: &str) -> Vec<Comment> {
    let mut lexer = Lexer { bytes: text.as_bytes(), ..Lexer::default() };
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    lexer.end_statement();
    lexer.comments
}

#[derive(Default)]
struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    /// The open brackets.
    open: Vec<Bracket>,
    /// Where the current statement starts, once it has a token.
    started: Option<usize>,
    /// The end of the last statement, while its row goes on: a comment behind it belongs to it.
    ended: Option<Span>,
    comments: Vec<Comment>,
    /// How many of the comments have their statement.
    settled: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Brace,
    Other,
}

impl Lexer<'_> {
    fn step(&mut self) {
        match self.byte(0) {
            b'/' if self.byte(1) == b'/' => return self.comment(),
            b'/' if self.byte(1) == b'*' => return self.block_comment(),
            b'\n' => self.ended = None,
            b' ' | b'\t' | b'\r' => {}
            b'"' => return self.string(),
            b'\'' => return self.quote(),
            b'r' | b'b' | b'c' if self.is_raw() => return self.raw_string(),
            b'{' => {
                self.token();
                self.at += 1;
                self.open.push(Bracket::Brace);
                return self.end_statement();
            }
            b'(' | b'[' => {
                self.token();
                self.open.push(Bracket::Other);
            }
            b'}' => {
                self.end_statement();
                self.close();
            }
            b')' | b']' => {
                self.token();
                self.close();
            }
            b';' | b',' if self.open.last() != Some(&Bracket::Other) => {
                self.token();
                self.at += 1;
                return self.end_statement();
            }
            byte if is_word(byte) => return self.word(),
            _ => self.token(),
        }
        self.at += 1;
    }

    fn comment(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = self.at + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        // Behind a statement that has just ended on this row, and before anything else.
        let statement = if self.started.is_none() { self.ended } else { None };
        self.comments.push(Comment { span: span(self.at, end), statement });
        self.at = end;
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.bytes.len() {
            match (self.byte(0), self.byte(1)) {
                (b'/', b'*') => depth += 1,
                (b'*', b'/') => depth -= 1,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            self.at += 2;
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.token();
        self.at += 1;
        while self.at < self.bytes.len() && self.byte(0) != b'"' {
            self.at += if self.byte(0) == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }

    /// A character, or the mark of a lifetime.
    fn quote(&mut self) {
        self.token();
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let length = match rest.first() {
            Some(b'\\') => rest.iter().skip(2).position(|byte| *byte == b'\'').map(|end| end + 4),
            Some(_) => rest.iter().take(5).skip(1).position(|byte| *byte == b'\'').map(|end| end + 3),
            None => None,
        };
        let is_letter = |length: usize| {
            let inner = rest.get(..length.saturating_sub(2)).unwrap_or_default();
            std::str::from_utf8(inner)
                .is_ok_and(|inner| inner.starts_with('\\') || inner.chars().count() == 1)
        };
        self.at += length.filter(|length| is_letter(*length)).unwrap_or(1);
    }

    /// Whether a raw string begins here: `r"`, `r#"`, `br##"`.
    fn is_raw(&self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let rest = rest.strip_prefix(b"b").or_else(|| rest.strip_prefix(b"c")).unwrap_or(rest);
        let Some(rest) = rest.strip_prefix(b"r") else { return false };
        rest.iter().find(|byte| **byte != b'#') == Some(&b'"')
    }

    fn raw_string(&mut self) {
        self.token();
        while self.byte(0) != b'#' && self.byte(0) != b'"' {
            self.at += 1;
        }
        let mut end = vec![b'"'];
        while self.byte(0) == b'#' {
            end.push(b'#');
            self.at += 1;
        }
        self.at += 1;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memmem::find(rest, &end).map_or(rest.len(), |at| at + end.len());
    }

    fn word(&mut self) {
        self.token();
        while is_word(self.byte(0)) && self.at < self.bytes.len() {
            self.at += 1;
        }
    }

    fn close(&mut self) {
        self.open.pop();
    }

    fn token(&mut self) {
        self.ended = None;
        self.started.get_or_insert(self.at);
    }

    fn end_statement(&mut self) {
        let Some(start) = self.started.take() else { return };
        let statement = span(start, self.at.min(self.bytes.len()));
        for comment in self.comments.iter_mut().skip(self.settled) {
            comment.statement.get_or_insert(statement);
        }
        self.settled = self.comments.len();
        self.ended = Some(statement);
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or_default()
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end.max(start) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each comment with the statement that it belongs to.
    fn comments(text: &str) -> String {
        let show = |comment: &Comment| {
            let statement = comment.statement.map_or("nothing", |statement| statement.of(text));
            let statement: Vec<&str> = statement.lines().map(str::trim).collect();
            format!("{} -> {}", comment.span.of(text), statement.join(" "))
        };
        rust_comments(text).iter().map(show).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn at_the_end_of_a_row_before_a_statement_and_inside_of_one() {
        let text = "fn f() {\n    // one\n    let r = send(  // two\n        x,\n    ); // three\n    g(); // four\n    // five\n}\n";
        insta::assert_snapshot!(comments(text), @r"
        // one -> let r = send(  // two x, );
        // two -> let r = send(  // two x, );
        // three -> let r = send(  // two x, );
        // four -> g();
        // five -> nothing
        ");
    }

    #[test]
    fn a_statement_without_a_semicolon_at_the_end_of_a_block() {
        insta::assert_snapshot!(comments("{ send(x) // one\n}\n// two\n"), @r"
        // one -> send(x) // one
        // two -> nothing
        ");
    }

    #[test]
    fn slashes_in_strings_characters_and_block_comments() {
        let text =
            "f(\"//\", r#\"\"//\"#, '/', b'\\'', \"\\\"//\"); /* // /* // */ // */ g::<'a>('\"'); // one\n";
        insta::assert_snapshot!(comments(text), @r#"// one -> g::<'a>('"');"#);
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_text_is_comments_are_parts_of_it_in_order(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "//", "/*", "*/", "\"", "'", "r#\"", "\"#", "{", "}", "(", ")", ";", ",", "\\", "\r", "\n", "x", "é", " ", "'a",
                ]),
                0..40,
            )
        ) {
            let text = parts.concat();
            let mut before = 0;
            for comment in rust_comments(&text) {
                proptest::prop_assert!(comment.span.start >= before);
                proptest::prop_assert!(comment.span.of(&text).starts_with("//"));
                let statement = comment.statement.map(|statement| statement.of(&text));
                proptest::prop_assert_ne!(statement, Some(""));
                before = comment.span.end;
            }
        }
    }
}
