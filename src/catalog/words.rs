//! The prefilter: which files are worth parsing.
//!
//! A file that starts an operation names the function (`isend`) or the argument that makes it asynchronous (`async_op`).
//! The **words** are these names, without those that contain another word. What is left is the asynchronous flag passed by
//! position, `all_reduce(x, op, group, True)`: for it the name of the function counts only if a call follows that has so
//! many positional arguments.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, packed};

use super::schema::{Does, Function};

/// What is searched for in a file.
#[derive(Debug)]
pub(super) struct Words {
    /// Enough on their own.
    list: Vec<String>,
    /// For each call that counts only with enough arguments: the position of the argument that decides. Their patterns
    /// (`all_reduce(`) are searched for behind the words.
    positions: Vec<usize>,
    searcher: Searcher,
}

/// The SIMD searcher where the machine has one.
#[derive(Debug)]
enum Searcher {
    Packed(Box<packed::Searcher>),
    Automaton(Box<AhoCorasick>),
    Nothing,
}

impl Words {
    /// The words of some functions, beside those that a library asks for.
    pub(super) fn new<'a>(
        functions: impl Iterator<Item = &'a Function> + Clone,
        asked_for: impl Iterator<Item = &'a String>,
    ) -> Self {
        let own = functions.clone().flat_map(own_words).chain(asked_for.map(String::as_str));
        let list = without_containing(&own.filter(|word| !word.is_empty()).collect());
        let calls: BTreeSet<(&str, usize)> = functions.filter_map(call_with_flag).collect();
        let calls: Vec<_> =
            calls.into_iter().filter(|(name, _)| !list.iter().any(|w| name.contains(w))).collect();
        let patterns = list.iter().cloned().chain(calls.iter().map(|(name, _)| format!("{name}(")));
        let searcher = Searcher::new(&patterns.collect::<Vec<_>>());
        Self { positions: calls.iter().map(|(_, position)| *position).collect(), list, searcher }
    }

    pub(super) fn list(&self) -> &[String] {
        &self.list
    }

    /// Whether a text contains a word, or a call with its flag by position.
    pub(super) fn are_in(&self, text: &[u8]) -> bool {
        let counts = |(pattern, end): (usize, usize)| match pattern.checked_sub(self.list.len()) {
            None => true,
            Some(call) => has_argument(&text[end..], self.positions[call]),
        };
        match &self.searcher {
            Searcher::Packed(it) => it.find_iter(text).any(|m| counts((m.pattern().as_usize(), m.end()))),
            Searcher::Automaton(it) => it.find_iter(text).any(|m| counts((m.pattern().as_usize(), m.end()))),
            Searcher::Nothing => false,
        }
    }
}

impl Searcher {
    fn new(patterns: &[String]) -> Self {
        if let Some(searcher) = packed::Searcher::new(patterns) {
            return Self::Packed(Box::new(searcher));
        }
        // Fails only beyond sizes that no catalogue reaches.
        AhoCorasick::new(patterns).map_or(Self::Nothing, |it| Self::Automaton(Box::new(it)))
    }
}

/// The words that a function contributes on its own.
fn own_words(function: &Function) -> Vec<&str> {
    if let Some(words) = &function.words {
        return words.iter().map(String::as_str).collect();
    }
    if !begins_something(function.does) {
        return Vec::new();
    }
    match &function.when {
        Some(when) if when.is != when.default => vec![&when.argument],
        Some(_) | None => vec![last_name(function)],
    }
}

/// A function that starts something if an argument says so which can be given by position.
fn call_with_flag(function: &Function) -> Option<(&str, usize)> {
    let when = function.when.as_ref()?;
    let counts = begins_something(function.does) && function.words.is_none() && when.is != when.default;
    counts.then_some(())?;
    Some((last_name(function), function.position(&when.argument)?))
}

fn begins_something(does: Does) -> bool {
    matches!(does, Does::Start | Does::Launch | Does::Build | Does::Prepare | Does::Coalesce)
}

fn last_name(function: &Function) -> &str {
    function.name.rsplit('.').next().unwrap_or_default()
}

/// Some words without those that contain another.
fn without_containing(words: &BTreeSet<&str>) -> Vec<String> {
    let shorter = |word: &str| words.iter().any(|other| *other != word && word.contains(other));
    words.iter().filter(|word| !shorter(word)).map(|word| (*word).to_owned()).collect()
}

/// How far the arguments of a call are followed; a longer call counts.
const CALL_LIMIT: usize = 4096;

/// Whether a call, whose text behind the opening parenthesis is given, has a positional argument at `position`. Spread
/// arguments may hold any number; behind an argument by name there is no positional one.
fn has_argument(text: &[u8], position: usize) -> bool {
    let (mut depth, mut commas, mut before) = (0_usize, 0, b',');
    let mut rest = text.iter().take(CALL_LIMIT).copied();
    while let Some(byte) = rest.next() {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b'\\' => continue,
            b'#' => {
                rest.by_ref().find(|it| *it == b'\n');
                continue;
            }
            b'\'' | b'"' => drop(rest.by_ref().find(|it| *it == byte)),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth > 0 => depth -= 1,
            b')' | b']' | b'}' => return before != b',' && commas >= position,
            b',' if depth == 0 && commas >= position => return true,
            b',' if depth == 0 => commas += 1,
            b'*' if depth == 0 && before == b',' => return true,
            b'=' if depth == 0 && !b"=!<>:".contains(&before) && rest.clone().next() != Some(b'=') => {
                return false;
            }
            _ => {}
        }
        before = byte;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::has_argument;

    #[test]
    fn a_call_with_enough_positional_arguments() {
        assert!(has_argument(b"x, dist.ReduceOp.SUM, group, True)", 3));
        assert!(has_argument(b"x,\n op, # why, not\n (a, b),\n True,\n)", 3));
        assert!(has_argument(b"x, a == b, f(k=1), True)", 3));
        assert!(has_argument(b"*arguments)", 3));
        assert!(has_argument(b"True)", 0));
    }

    #[test]
    fn a_call_without_them() {
        assert!(!has_argument(b"x, dist.ReduceOp.SUM, group)", 3));
        assert!(!has_argument(b"x, op, group,)", 3));
        assert!(!has_argument(b"x, op=a, group=b, other=c)", 3));
        assert!(!has_argument(b"f(a, b, c, d))", 3));
        assert!(!has_argument(b")", 0));
    }
}
