//! The source of a cell in the file, and how it is written anew without a change of anything around it.
//!
//! Only the rows between the first and the last that differ are written; the others keep the form that they have in the file,
//! escapes included.

use serde_json::value::RawValue;

use super::super::{Edit, Span};

/// Where the source of a cell stands.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// One string.
    Text(Span),
    /// A list of strings, mostly one for each row.
    List {
        /// From bracket to bracket.
        span: Span,
        rows: Vec<Row>,
    },
}

/// A string of a list.
#[derive(Clone, Debug)]
pub(super) struct Row {
    span: Span,
    text: String,
}

impl Source {
    /// Finds the source of a cell in the file, and gives it with its text.
    pub(super) fn of(value: &RawValue, raw: &str) -> Option<(Self, String)> {
        let span = place(value, raw)?;
        if let Ok(text) = serde_json::from_str::<String>(value.get()) {
            return Some((Self::Text(span), text));
        }
        let values: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
        let row = |value: &&RawValue| {
            let text = serde_json::from_str(value.get()).ok()?;
            Some(Row { span: place(value, raw)?, text })
        };
        let rows: Vec<Row> = values.iter().map(row).collect::<Option<_>>()?;
        let text = rows.iter().map(|row| row.text.as_str()).collect();
        Some((Self::List { span, rows }, text))
    }

    /// The edit of the file that gives the cell this text.
    pub(super) fn rewritten(&self, text: &str, raw: &str) -> Option<Edit> {
        match self {
            Self::Text(span) => Some(Edit::replace(*span, quoted(text)?)),
            Self::List { span, rows } => rewritten_rows(*span, rows, text, raw),
        }
    }
}

fn rewritten_rows(list: Span, rows: &[Row], text: &str, raw: &str) -> Option<Edit> {
    if rows.iter().map(|row| row.text.as_str()).collect::<String>() == text {
        return Some(Edit::delete(Span::new(list.start, list.start)));
    }
    let (head, rest) = same_head(rows, text);
    let (tail, rest) = same_tail(rows.get(head..)?, rest);
    let between = separator(list, rows, raw);
    let old = rows.get(head..rows.len() - tail)?;
    let new: Vec<String> = rest.split_inclusive('\n').map(quoted).collect::<Option<_>>()?;
    let new = new.join(&between);
    match (old.first().zip(old.last()), rows.get(head)) {
        // Some rows are replaced; with none in their place, the separator goes too.
        (Some((first, last)), _) if new.is_empty() => {
            let next = rows.get(rows.len() - tail);
            let before = head.checked_sub(1).and_then(|at| rows.get(at));
            let start = if next.is_some() { first.span.start } else { before?.span.end };
            let end = next.map_or(last.span.end, |next| next.span.start);
            Some(Edit::delete(Span::new(start, end)))
        }
        (Some((first, last)), _) => Some(Edit::replace(Span::new(first.span.start, last.span.end), new)),
        (None, _) if new.is_empty() => Some(Edit::delete(Span::new(list.start, list.start))),
        (None, Some(next)) => Some(Edit::insert(next.span.start, format!("{new}{between}"))),
        (None, None) => Some(Edit::insert(rows.last()?.span.end, format!("{between}{new}"))),
    }
}

/// How many strings at the start of the list stay, and the text behind them. Only whole rows stay.
fn same_head<'t>(rows: &[Row], text: &'t str) -> (usize, &'t str) {
    let mut rest = text;
    let stays = |row: &&Row| match rest.strip_prefix(row.text.as_str()) {
        Some(behind) if row.text.ends_with('\n') => {
            rest = behind;
            true
        }
        Some(_) | None => false,
    };
    let head = rows.iter().take_while(stays).count();
    (head, rest)
}

/// How many strings at the end of the list stay, and the text before them.
fn same_tail<'t>(rows: &[Row], text: &'t str) -> (usize, &'t str) {
    let mut rest = text;
    let mut tail = 0;
    for row in rows.iter().rev() {
        match rest.strip_suffix(row.text.as_str()) {
            Some(before) if before.is_empty() || before.ends_with('\n') => rest = before,
            Some(_) | None => break,
        }
        tail += 1;
    }
    (tail, rest)
}

/// What stands between two strings of the list; for a list of one, what stands before it.
fn separator(list: Span, rows: &[Row], raw: &str) -> String {
    match rows {
        [first, second, ..] => Span { start: first.span.end, end: second.span.start }.of(raw).to_owned(),
        [only] => format!(",{}", Span { start: list.start + 1, end: only.span.start }.of(raw)),
        [] => ", ".to_owned(),
    }
}

fn quoted(text: &str) -> Option<String> {
    serde_json::to_string(text).ok()
}

/// Where a value stands in the text that it was read from.
fn place(value: &RawValue, raw: &str) -> Option<Span> {
    let start = (value.get().as_ptr() as usize).checked_sub(raw.as_ptr() as usize)?;
    let span = Span::new(u32::try_from(start).ok()?, u32::try_from(start + value.get().len()).ok()?);
    (span.of(raw) == value.get()).then_some(span)
}
