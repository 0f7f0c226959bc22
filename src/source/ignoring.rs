//! Adds comments that suppress findings.
//!
//! A comment goes to the end of the statement line, which no string and no backslash can reach. Where the line has one of ours
//! already, the rule goes into its brackets.
//!
//! ```text
//! dist.isend(
//!     t, 1)                              #  →  t, 1)  # unwaited: ignore[discarded-handle] reason
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::comments::python_statements;
use super::{Edit, Language, Lines, Reach, Span, Suppressions};

/// The edits that suppress rules in the statement lines where findings start: `(place, rule)`.
pub fn ignore_edits(
    language: Language,
    text: &str,
    lines: &Lines,
    findings: &[(Span, &str)],
    reason: &str,
) -> Vec<Edit> {
    let suppressions = Suppressions::of(language, text, lines);
    let mut places: BTreeMap<Place, BTreeSet<&str>> = BTreeMap::new();
    for (span, rule) in findings {
        let row = lines.row(span.start);
        let ours = suppressions.all.iter().find(|ours| match ours.reach {
            Reach::Rows(first, last) => (first..=last).contains(&row),
            Reach::File | Reach::Nothing => false,
        });
        let place = match ours {
            Some(ours) => Some(Place::Bracket(ours.span.end.saturating_sub(1))),
            None => end_of_line(language, text, *span).map(Place::End),
        };
        if let Some(place) = place {
            places.entry(place).or_default().insert(rule);
        }
    }
    places.into_iter().map(|(place, rules)| edit(language, place, &rules, reason)).collect()
}

/// Where rules are added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Before the closing bracket of a comment of ours.
    Bracket(u32),
    /// At the end of a statement line.
    End(u32),
}

fn end_of_line(language: Language, text: &str, span: Span) -> Option<u32> {
    let statements = match language {
        Language::Python => python_statements(text),
        Language::Rust => return Some(line_end(text, span.start)),
    };
    let statement = statements.iter().rev().find(|statement| statement.code.start <= span.start)?;
    (span.start <= statement.end).then_some(statement.end)
}

/// Where the code of a line ends.
fn line_end(text: &str, at: u32) -> u32 {
    let rest = text.get(at as usize..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    at + line.trim_end().len() as u32
}

fn edit(language: Language, place: Place, rules: &BTreeSet<&str>, reason: &str) -> Edit {
    let list = rules.iter().copied().collect::<Vec<_>>().join(", ");
    let sign = match language {
        Language::Python => "#",
        Language::Rust => "//",
    };
    match place {
        Place::Bracket(at) => Edit::insert(at, format!(", {list}")),
        Place::End(at) => {
            Edit::insert(at, format!("  {sign} unwaited: ignore[{list}] {reason}").trim_end().to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::apply;

    /// The text with a suppression of each `isend` and `irecv`.
    fn added(text: &str, reason: &str) -> String {
        let find = |word, rule: &'static str| {
            text.match_indices(word).map(move |(at, _)| (Span::new(at as u32, at as u32 + 5), rule))
        };
        let findings: Vec<(Span, &str)> = find("isend", "discarded").chain(find("irecv", "unread")).collect();
        let edits = ignore_edits(Language::Python, text, &Lines::new(text), &findings, reason);
        apply(text, &edits).unwrap()
    }

    #[test]
    fn at_the_end_of_the_statement_line() {
        insta::assert_snapshot!(added("isend(t)\n", "it is meant"), @"isend(t)  # unwaited: ignore[discarded] it is meant");
        insta::assert_snapshot!(added("isend(\n    t,  # here\n    1)\nx = 1\n", ""), @r"
        isend(
            t,  # here
            1)  # unwaited: ignore[discarded]
        x = 1
        ");
        insta::assert_snapshot!(added("x = isend(t) \\\n    + '''\n a'''\n", ""), @r"
        x = isend(t) \
            + '''
         a'''  # unwaited: ignore[discarded]
        ");
        insta::assert_snapshot!(added("isend(t)  # type: ignore", "why"), @"isend(t)  # type: ignore  # unwaited: ignore[discarded] why");
    }

    #[test]
    fn rules_of_one_line_share_a_comment() {
        insta::assert_snapshot!(added("isend(t); irecv(t); isend(t)\n", ""), @"isend(t); irecv(t); isend(t)  # unwaited: ignore[discarded, unread]");
    }

    #[test]
    fn a_comment_of_ours_takes_the_rule() {
        insta::assert_snapshot!(added("isend(t)  # unwaited: ignore[other] old\n", "new"), @"isend(t)  # unwaited: ignore[other, discarded] old");
        insta::assert_snapshot!(added("# unwaited: ignore[other]\nisend(t)\n", ""), @r"
        # unwaited: ignore[other, discarded]
        isend(t)
        ");
    }

    #[test]
    fn line_ends_stay() {
        assert_eq!(added("isend(t)\r\nx\r\n", ""), "isend(t)  # unwaited: ignore[discarded]\r\nx\r\n");
    }
}
