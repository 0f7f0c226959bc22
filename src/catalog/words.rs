//! The prefilter: which files are worth parsing.
//!
//! A file that starts an operation names the function (`isend`) or the argument that makes it asynchronous (`async_op`).
//! The **words** are these names, without those that contain another word. What is left is the asynchronous flag passed by
//! position, `all_reduce(x, op, group, True)`: there the name counts only if so many positional arguments follow. A name that
//! a file imports under another name, or an argument list that it spreads, is not followed. Many libraries have a `reduce`: the
//! call counts only in a file that names the library's package, too.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, packed};
use memchr::memmem;

use super::schema::{Does, Function};

/// What is searched for in a file.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Enough on their own.
    list: Vec<String>,
    /// The functions that count only with a positional argument, and its position.
    flags: BTreeMap<String, usize>,
    /// Those of them that count in every file.
    anywhere: BTreeSet<String>,
    /// Of the others one of these must be named in the file: the packages of their libraries.
    packages: BTreeSet<String>,
    /// Finds the words, and behind them the ends of the calls of these functions (`reduce(` for `all_reduce(` too).
    searcher: Searcher,
}

/// The SIMD searcher where the machine has one and the patterns are few enough.
#[derive(Debug, Default)]
enum Searcher {
    Packed(Box<packed::Searcher>),
    Automaton(Box<AhoCorasick>),
    #[default]
    Nothing,
}

impl Words {
    /// The words of some functions, beside those that a library asks for. Beside each function stands the package that a file
    /// must name where the function counts only with a flag.
    pub(super) fn new<'a>(
        all: impl Iterator<Item = (&'a Function, Option<&'a str>)> + Clone,
        asked_for: impl Iterator<Item = &'a String>,
    ) -> Self {
        let functions = all.clone().map(|(function, _)| function);
        let own = functions.clone().flat_map(own_words).chain(asked_for.map(String::as_str));
        let list =
            shortest(own.filter(|word| !word.is_empty()).collect(), |word, other| word.contains(other));
        let mut flags = BTreeMap::new();
        let (mut anywhere, mut packages) = (BTreeSet::new(), BTreeSet::new());
        for (function, package) in all {
            let Some((name, position)) = call_with_flag(function) else { continue };
            let least = flags.entry(name.to_owned()).or_insert(position);
            *least = position.min(*least);
            match package.filter(|_| !function.distinctive) {
                Some(package) => packages.insert(package.to_owned()),
                None => anywhere.insert(name.to_owned()),
            };
        }
        flags.retain(|name, _| !list.iter().any(|word| name.contains(word)));
        let ends = shortest(flags.keys().map(String::as_str).collect(), |name, other| name.ends_with(other));
        let patterns = list.iter().cloned().chain(ends.iter().map(|name| format!("{name}(")));
        let searcher = Searcher::new(&patterns.collect::<Vec<_>>());
        Self { list, flags, anywhere, packages, searcher }
    }

    pub(super) fn list(&self) -> &[String] {
        &self.list
    }

    /// The functions that count only with a positional argument, and its position.
    pub(super) fn flags(&self) -> impl Iterator<Item = (&str, usize)> {
        self.flags.iter().map(|(name, position)| (name.as_str(), *position))
    }

    /// Whether a text contains a word, or a call with its flag by position.
    pub(super) fn are_in(&self, text: &[u8]) -> bool {
        let named = OnceCell::new();
        let names_package = || {
            let is_named = |package: &String| memmem::find(text, package.as_bytes()).is_some();
            *named.get_or_init(|| self.packages.iter().any(is_named))
        };
        let counts = |pattern: usize, end: usize| {
            pattern < self.list.len() || self.is_flagged(text, end, &names_package)
        };
        match &self.searcher {
            Searcher::Packed(it) => {
                it.find_iter(text).any(|found| counts(found.pattern().as_usize(), found.end()))
            }
            Searcher::Automaton(it) => {
                it.find_iter(text).any(|found| counts(found.pattern().as_usize(), found.end()))
            }
            Searcher::Nothing => false,
        }
    }

    /// Whether the call whose arguments begin at `start` passes the flag of its function by position.
    fn is_flagged(&self, text: &[u8], start: usize, names_package: &dyn Fn() -> bool) -> bool {
        let (before, arguments) = text.split_at(start);
        let before = before.strip_suffix(b"(").unwrap_or(before);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = before.iter().rev().take_while(|byte| is_name(byte)).count();
        let (before, name) = before.split_at(before.len() - length);
        let Ok(name) = std::str::from_utf8(name) else { return false };
        let Some(position) = self.flags.get(name) else { return false };
        !before.ends_with(b"def ")
            && has_argument(arguments, *position)
            && (self.anywhere.contains(name) || names_package())
    }
}

/// The number of patterns up to which the SIMD searcher is the faster one.
const PACKED_LIMIT: usize = 64;

impl Searcher {
    fn new(patterns: &[String]) -> Self {
        if patterns.len() <= PACKED_LIMIT
            && let Some(searcher) = packed::Searcher::new(patterns)
        {
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

/// Some names without those that `includes` finds another one in.
fn shortest(names: BTreeSet<&str>, includes: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let spare = |name: &str| names.iter().any(|other| *other != name && includes(name, other));
    names.iter().filter(|name| !spare(name)).map(|name| (*name).to_owned()).collect()
}

/// How far the arguments of a call are followed; a longer call counts.
const CALL_LIMIT: usize = 4096;

/// Whether a call, whose text behind the opening parenthesis is given, has a positional argument at `position`. Behind
/// an argument that is spread or given by name, none is counted.
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
            b'*' if depth == 0 && before == b',' => return false,
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
    use super::{Searcher, has_argument};
    use crate::catalog::Catalog;
    use crate::source::Language;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_built_in_words_are_few_enough_for_the_simd_searcher() {
        let catalog = Catalog::new(Language::Python, &[]).unwrap();
        assert!(matches!(catalog.words.searcher, Searcher::Packed(_)));
    }

    #[test]
    fn a_call_with_enough_positional_arguments() {
        assert!(has_argument(b"x, dist.ReduceOp.SUM, group, True)", 3));
        assert!(has_argument(b"x,\n op, # why, not\n (a, b),\n True,\n)", 3));
        assert!(has_argument(b"x, a == b, f(k=1), True)", 3));
        assert!(has_argument(b"True)", 0));
    }

    #[test]
    fn a_call_without_them() {
        assert!(!has_argument(b"x, dist.ReduceOp.SUM, group)", 3));
        assert!(!has_argument(b"x, op, group,)", 3));
        assert!(!has_argument(b"x, op=a, group=b, other=c)", 3));
        assert!(!has_argument(b"f(a, b, c, d))", 3));
        assert!(!has_argument(b"*arguments)", 3));
        assert!(!has_argument(b")", 0));
    }
}
