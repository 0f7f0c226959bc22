//! Changes of a text.
//!
//! - An **edit** replaces the bytes of a span by a text; an empty span inserts, an empty text deletes.
//! - Edits **agree** if they can be made together: no two of them touch the same bytes, and what is inserted at one place is
//!   the same text, which then is inserted once.
//!
//! ```text
//! h.wait; g.wait      edit 6..6 "()", edit 14..14 "()"      h.wait(); g.wait()
//! ```
//!
//! The law, tested below on random texts: what no edit covers stands in the result as before, in the same order, and the
//! order in which edits are given does not matter.

use serde::{Deserialize, Serialize};

use super::Span;

/// Replaces the bytes of a span.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
}

impl Edit {
    /// Puts a text in front of a byte.
    pub fn insert(at: u32, text: impl Into<String>) -> Self {
        Self { span: Span::new(at, at), text: text.into() }
    }

    /// Puts a text in the place of another.
    pub fn replace(span: Span, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }

    /// Takes a text away.
    pub fn delete(span: Span) -> Self {
        Self { span, text: String::new() }
    }

    /// Whether both can be made together.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let (first, second) = if self.span <= other.span { (self, other) } else { (other, self) };
        first == second || (first.span != second.span && first.span.end <= second.span.start)
    }
}

/// Whether all of these edits can be made together with all of those.
pub fn agree<'e>(these: &[Edit], those: impl IntoIterator<Item = &'e Edit>) -> bool {
    those.into_iter().all(|that| these.iter().all(|this| this.agrees_with(that)))
}

/// The text after the edits; `None` where they do not agree or do not fit the text.
pub fn apply(text: &str, edits: &[Edit]) -> Option<String> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort();
    sorted.dedup();
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    let mut before: Option<&Edit> = None;
    for edit in sorted {
        if before.is_some_and(|before| !before.agrees_with(edit)) {
            return None;
        }
        result.push_str(text.get(done..edit.span.start as usize)?);
        result.push_str(&edit.text);
        done = edit.span.end as usize;
        before = Some(edit);
    }
    result.push_str(text.get(done..)?);
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edit(start: u32, end: u32, text: &str) -> Edit {
        Edit::replace(Span::new(start, end), text)
    }

    #[test]
    fn an_insertion_a_replacement_and_a_deletion() {
        let edits = [edit(8, 9, ""), edit(0, 1, "y"), edit(4, 4, "(")];
        assert_eq!(apply("x = 1 + 2", &edits).as_deref(), Some("y = (1 + "));
    }

    #[test]
    fn one_insertion_that_two_fixes_ask_for() {
        let import = Edit::insert(0, "import a\n");
        assert_eq!(apply("a()\n", &[import.clone(), import]).as_deref(), Some("import a\na()\n"));
    }

    #[test]
    fn edits_of_the_same_bytes_do_not_agree() {
        assert_eq!(apply("abc", &[edit(0, 2, "x"), edit(1, 3, "y")]), None);
        assert_eq!(apply("abc", &[edit(1, 1, "x"), edit(1, 1, "y")]), None);
        assert_eq!(apply("abc", &[edit(0, 3, "x"), edit(1, 1, "y")]), None);
        assert!(edit(0, 1, "").agrees_with(&edit(1, 1, "y")));
    }

    #[test]
    fn edits_that_do_not_fit_the_text_change_nothing() {
        assert_eq!(apply("é", &[edit(1, 2, "")]), None);
        assert_eq!(apply("x", &[edit(1, 5, "")]), None);
    }

    /// Edits that agree: the text is cut at some places, and every second piece is replaced.
    fn pieces() -> impl Strategy<Value = Vec<(String, String)>> {
        let piece = proptest::string::string_regex("[a-cé\r\n# ]{1,4}").expect("the pattern is one");
        let text = proptest::string::string_regex("[A-C\n]{0,3}").expect("the pattern is one");
        proptest::collection::vec((piece, text), 0..12)
    }

    proptest! {
        #[test]
        fn what_no_edit_covers_stays_in_its_order(pieces in pieces(), turn in 0_usize..12) {
            let (mut text, mut expected, mut edits) = (String::new(), String::new(), Vec::new());
            for (index, (piece, new)) in pieces.iter().enumerate() {
                let start = text.len() as u32;
                text += piece;
                if index % 2 == 0 {
                    edits.push(edit(start, text.len() as u32, new));
                    expected += new;
                } else {
                    expected += piece;
                }
            }
            let count = edits.len().max(1);
            edits.rotate_left(turn % count);
            prop_assert_eq!(apply(&text, &edits), Some(expected));
        }

        #[test]
        fn two_edits_agree_in_both_orders_or_in_none(a in 0_u32..6, b in 0_u32..6, c in 0_u32..6, d in 0_u32..6) {
            let (left, right) = (edit(a, b.max(a), "x"), edit(c, d.max(c), "y"));
            prop_assert_eq!(left.agrees_with(&right), right.agrees_with(&left));
            prop_assert_eq!(left.agrees_with(&right), apply("abcdef", &[left, right]).is_some());
        }
    }
}
