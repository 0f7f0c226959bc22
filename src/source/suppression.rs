//! Comments that tell `unwaited` to be silent.
//!
//! - `# unwaited: ignore[rule, …] reason` **covers a statement line**: at the end of any of its rows the one that it stands
//!   in, on a row of its own the next one. A finding is covered if it starts there; its other labels do not matter.
//! - `# unwaited: ignore-file[rule, …] reason` covers the whole file, wherever it stands.
//!
//! The words may follow other comments on the same row: `# type: ignore  # unwaited: ignore[wait-on-list]`. In Rust `//` begins a
//! comment, and a statement line is a statement.

use super::comments::python_comments;
use super::rust_comments::rust_comments;
use super::{Language, Lines, Span};

/// The suppressions of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppressions {
    /// Those that are well formed.
    pub all: Vec<Suppression>,
    /// Comments that speak to `unwaited` and cannot be understood.
    pub misspelt: Vec<Misspelt>,
}

/// One comment that suppresses findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// From `unwaited` to the closing bracket.
    pub span: Span,
    /// What it covers.
    pub reach: Reach,
    /// The rules that it names.
    pub rules: Vec<Named>,
    /// What the author says about it, behind the bracket.
    pub reason: String,
}

/// What a suppression covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The rows from the first to the last, both included.
    Rows(u32, u32),
    /// The whole file.
    File,
    /// Nothing: there is no statement behind it.
    Nothing,
}

impl Reach {
    /// Whether a finding that starts on this row is covered.
    pub fn covers(self, row: u32) -> bool {
        match self {
            Self::Rows(first, last) => (first..=last).contains(&row),
            Self::File => true,
            Self::Nothing => false,
        }
    }
}

/// A name in the brackets of a suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name, as written.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// A comment that starts with `unwaited:` and goes on in a way that nobody understands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misspelt {
    /// The comment from `unwaited` on.
    pub span: Span,
    /// What is wrong, lower case, without a full stop.
    pub message: String,
}

/// The word that a comment must start with.
const ADDRESS: &str = "unwaited:";

/// Whether a file contains the word that addresses `unwaited` at all.
pub fn speaks_to_us(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, ADDRESS.as_bytes()).is_some()
}

impl Suppressions {
    /// Finds the suppressions of a text.
    pub fn of(language: Language, text: &str, lines: &Lines) -> Self {
        let mut found = Self::default();
        if !speaks_to_us(text.as_bytes()) {
            return found;
        }
        let comments = match language {
            Language::Python => python_comments(text),
            Language::Rust => rust_comments(text),
        };
        let mark = language.comment_mark();
        for comment in comments {
            let Some(start) = address(comment.span.of(text), mark) else { continue };
            let span = Span::new(comment.span.start + start as u32, comment.span.end);
            let rows = comment.statement.map_or(Reach::Nothing, |statement| {
                Reach::Rows(lines.row(statement.start), lines.row(statement.end))
            });
            match parse(text, span, rows) {
                Ok(suppression) => found.all.push(suppression),
                Err(message) => found.misspelt.push(Misspelt { span, message }),
            }
        }
        found
    }
}

/// Where `unwaited:` stands in a comment, directly behind the mark that begins one.
fn address(comment: &str, mark: &str) -> Option<usize> {
    comment
        .match_indices(ADDRESS)
        .map(|(at, _)| at)
        .find(|at| comment.get(..*at).is_some_and(|before| before.trim_end().ends_with(mark)))
}

/// Reads `unwaited: ignore[a, b] reason`.
fn parse(text: &str, span: Span, rows: Reach) -> Result<Suppression, String> {
    let comment = span.of(text);
    let words = comment.get(ADDRESS.len()..).unwrap_or_default();
    let body = words.trim_start();
    let word = body.split(|c: char| c.is_whitespace() || c == '[').next().unwrap_or_default();
    let reach = match word {
        "ignore" => rows,
        "ignore-file" => Reach::File,
        _ => return Err(format!("`{word}` is not understood: `ignore` and `ignore-file` are")),
    };
    let at = comment.len() - body.len() + word.len();
    let rest = comment.get(at..).unwrap_or_default();
    let open = rest.len() - rest.trim_start().len();
    let Some(names) = rest.trim_start().strip_prefix('[') else {
        return Err(format!("no rule is named: write `{word}[rule] reason`"));
    };
    let Some((names, behind)) = names.split_once(']') else {
        return Err("the bracket is not closed".to_owned());
    };
    let first = span.start + (at + open + 1) as u32;
    let rules = named(names, first);
    if rules.is_empty() {
        return Err(format!("no rule is named: write `{word}[rule] reason`"));
    }
    let reason = behind.split('#').next().unwrap_or_default().trim().to_owned();
    Ok(Suppression { span: Span::new(span.start, first + names.len() as u32 + 1), reach, rules, reason })
}

/// The names in a list, with their places; `first` is where the list starts.
fn named(list: &str, first: u32) -> Vec<Named> {
    let mut start = first;
    let mut found = Vec::new();
    for part in list.split(',') {
        let name = part.trim();
        let lead = (part.len() - part.trim_start().len()) as u32;
        if !name.is_empty() {
            let span = Span::new(start + lead, start + lead + name.len() as u32);
            found.push(Named { name: name.to_owned(), span });
        }
        start += part.len() as u32 + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suppressions(text: &str) -> String {
        let found = Suppressions::of(Language::Python, text, &Lines::new(text));
        let one = |suppression: &Suppression| {
            let names: Vec<&str> = suppression.rules.iter().map(|named| named.span.of(text)).collect();
            format!("{} {:?} {names:?}", suppression.span.of(text), suppression.reach)
        };
        let wrong = |wrong: &Misspelt| format!("{}: {}", wrong.span.of(text), wrong.message);
        found.all.iter().map(one).chain(found.misspelt.iter().map(wrong)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn at_the_end_of_any_row_of_a_statement() {
        let text = "x = f(\n  a,  # unwaited: ignore[one, two] it is meant\n  b,\n)\n";
        insta::assert_snapshot!(suppressions(text), @r#"unwaited: ignore[one, two] Rows(1, 4) ["one", "two"]"#);
    }

    #[test]
    fn on_a_row_of_its_own_before_the_statement() {
        let text = "# unwaited: ignore[one]\n# because\n\nx = f(\n)\n";
        insta::assert_snapshot!(suppressions(text), @r#"unwaited: ignore[one] Rows(4, 5) ["one"]"#);
        insta::assert_snapshot!(suppressions("x\n# unwaited: ignore[one]\n"), @r#"unwaited: ignore[one] Nothing ["one"]"#);
    }

    #[test]
    fn for_the_whole_file_and_behind_another_comment() {
        insta::assert_snapshot!(suppressions("x  # noqa  #unwaited:ignore-file [one,] generated\n"), @r#"unwaited:ignore-file [one,] File ["one"]"#);
    }

    #[test]
    fn a_comment_that_is_not_understood() {
        insta::assert_snapshot!(suppressions("x  # unwaited: ingore[one]\n# unwaited: ignore\n# unwaited: ignore[ ]\n# unwaited: ignore[one\n"), @r"
        unwaited: ingore[one]: `ingore` is not understood: `ignore` and `ignore-file` are
        unwaited: ignore: no rule is named: write `ignore[rule] reason`
        unwaited: ignore[ ]: no rule is named: write `ignore[rule] reason`
        unwaited: ignore[one: the bracket is not closed
        ");
    }

    #[test]
    fn words_in_strings_and_in_prose_are_not_addressed_to_us() {
        assert_eq!(suppressions("x = '# unwaited: ignore[one]'\n# handles are unwaited: see below\n"), "");
    }
}
