//! How a suppression, or one name of it, is taken out of a file.
//!
//! ```text
//! f()  # unwaited: ignore[a, b] why       without b:   f()  # unwaited: ignore[a] why
//! f()  # unwaited: ignore[a] why          without a:   f()
//! f()  # noqa  # unwaited: ignore[a]      without a:   f()  # noqa
//! ```

use super::{Edit, Lines, Named, Span, Suppression};

impl Suppression {
    /// The edit that takes one of its names away; with the last one goes the comment, and with it a row that held
    /// nothing else.
    pub fn without(&self, named: &Named, text: &str, lines: &Lines) -> Edit {
        match self.rules.iter().position(|it| it == named) {
            Some(_) if self.rules.len() == 1 => Edit::delete(self.comment(text, lines)),
            Some(0) => {
                let next = self.rules.get(1).map_or(named.span.end, |next| next.span.start);
                Edit::delete(Span::new(named.span.start, next))
            }
            Some(index) => {
                let before = self.rules.get(index - 1).map_or(named.span.start, |before| before.span.end);
                Edit::delete(Span::new(before, named.span.end))
            }
            None => Edit::delete(Span::new(named.span.start, named.span.start)),
        }
    }

    /// The comment with its sign and the space before it, up to the next comment of the row or its end.
    fn comment(&self, text: &str, lines: &Lines) -> Span {
        let row = lines.row(self.span.start);
        let first = lines.start(text, row);
        let row_text = lines.text(text, row);
        let before = Span { start: first, end: self.span.start }.of(text).trim_end();
        let before = before.strip_suffix('#').or_else(|| before.strip_suffix("//")).unwrap_or(before);
        let end = first + row_text.len() as u32;
        let rest = Span { start: self.span.end, end }.of(text);
        if let Some(at) = rest.find(" # ").or_else(|| rest.find(" // ")) {
            let next = self.span.end + at as u32 + 1;
            return Span::new(first + before.len() as u32, next);
        }
        let before = before.trim_end();
        let is_alone = before.is_empty();
        let start = first + if is_alone { 0 } else { before.len() as u32 };
        let end = if is_alone { lines.start(text, row + 1) } else { end };
        Span::new(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Language, Suppressions, apply};
    use super::*;

    fn without(name: &str, text: &str) -> String {
        let lines = Lines::new(text);
        let found = Suppressions::of(Language::Python, text, &lines);
        let suppression = found.all.first().expect("there is a suppression");
        let named = suppression.rules.iter().find(|named| named.name == name).expect("it has the name");
        apply(text, &[suppression.without(named, text, &lines)]).expect("the edit fits")
    }

    #[test]
    fn one_of_several_names() {
        let text = "f()  # unwaited: ignore[a, b, c] why\n";
        assert_eq!(without("a", text), "f()  # unwaited: ignore[b, c] why\n");
        assert_eq!(without("b", text), "f()  # unwaited: ignore[a, c] why\n");
        assert_eq!(without("c", text), "f()  # unwaited: ignore[a, b] why\n");
    }

    #[test]
    fn the_only_name_takes_the_comment_with_it() {
        assert_eq!(without("a", "f()  # unwaited: ignore[a] why\r\ng()\r\n"), "f()\r\ng()\r\n");
        assert_eq!(without("a", "f()\n  # unwaited: ignore[a]\ng()\n"), "f()\ng()\n");
        assert_eq!(without("a", "# unwaited: ignore-file[a]"), "");
    }

    #[test]
    fn other_comments_of_the_row_stay() {
        assert_eq!(without("a", "f()  # noqa  # unwaited: ignore[a] why\n"), "f()  # noqa\n");
        assert_eq!(without("a", "f()  # unwaited: ignore[a] why # noqa\n"), "f()  # noqa\n");
    }
}
