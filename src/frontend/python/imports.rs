//! What a Python file imports, found without parsing it.
//!
//! The rows that begin with `import` or `from` are read; those inside of strings are read too, which does no harm: what is
//! found here says where to look for functions, not what a name means.

use std::collections::BTreeSet;

use memchr::memmem;

use super::import::absolute;
use crate::frontend::ModuleName;

/// The absolute dotted names that a file imports: modules, and what it imports from them.
pub fn imports(bytes: &[u8], module: &ModuleName) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut read_to = 0;
    for at in memmem::find_iter(bytes, b"import") {
        if at < read_to {
            continue;
        }
        let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let Some(statement) = statement(&bytes[start..]) else { continue };
        if let Some(rest) = statement.strip_prefix("import ") {
            found.extend(names(rest));
        } else if let Some((from, rest)) =
            statement.strip_prefix("from ").and_then(|it| it.split_once(" import "))
        {
            from_module(from.trim(), rest, module, &mut found);
        } else {
            continue;
        }
        read_to = at + 1;
    }
    found
}

/// `from base import a, b`: `base`, `base.a`, `base.b`.
fn from_module(from: &str, rest: &str, module: &ModuleName, found: &mut BTreeSet<String>) {
    let named = from.trim_start_matches('.');
    let level = from.len() - named.len();
    if !is_dotted_name(named) && !named.is_empty() {
        return;
    }
    let base = absolute(level, named, module);
    for name in names(rest) {
        found.insert(if base.is_empty() { name } else { format!("{base}.{name}") });
    }
    if !base.is_empty() {
        found.insert(base);
    }
}

/// The names of a list like `a, b as c`.
fn names(list: &str) -> impl Iterator<Item = String> + '_ {
    let first = |part: &str| part.split_whitespace().next().map(str::to_owned);
    list.split(',').filter_map(first).filter(|name| is_dotted_name(name))
}

fn is_dotted_name(text: &str) -> bool {
    let is_name = |name: &str| {
        name.chars().all(|it| it.is_alphanumeric() || it == '_')
            && !name.starts_with(|it: char| it.is_numeric())
    };
    text.split('.').all(|name| !name.is_empty() && is_name(name))
}

/// The longest statement that is read.
const LONGEST: usize = 20_000;

/// The import statement at the start of some rows, in one row and without parentheses and comments.
fn statement(rows: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(rows.get(..rows.len().min(LONGEST))?);
    let mut rows = text.lines();
    let first = rows.next()?.trim_start();
    if !first.starts_with("import ") && !first.starts_with("from ") {
        return None;
    }
    let mut statement = without_comment(first).to_owned();
    let is_open = |statement: &str| statement.contains('(') && !statement.contains(')');
    while is_open(&statement) || statement.ends_with('\\') {
        let Some(row) = rows.next() else { break };
        let more = without_comment(row);
        statement.truncate(statement.trim_end_matches('\\').len());
        statement.push(' ');
        statement.push_str(more.trim());
    }
    let end = statement.find(';').unwrap_or(statement.len());
    statement.truncate(end);
    Some(statement.replace(['(', ')'], " ").replace('\t', " "))
}

fn without_comment(row: &str) -> &str {
    row.split('#').next().unwrap_or(row).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> String {
        let module = ModuleName { dotted: "pkg.sub.mod".to_owned(), package: false };
        imports(text.as_bytes(), &module).into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn plain_imports() {
        insta::assert_snapshot!(found("import a.b, c as d\n  import e  # f\n"), @"a.b c e");
    }

    #[test]
    fn names_from_a_module() {
        insta::assert_snapshot!(found("from a.b import c as d, e\n"), @"a.b a.b.c a.b.e");
        insta::assert_snapshot!(found("from a import *\n"), @"a");
    }

    #[test]
    fn relative_ones() {
        insta::assert_snapshot!(found("from . import a\nfrom ..comm import b\n"), @"pkg.comm pkg.comm.b pkg.sub pkg.sub.a");
    }

    #[test]
    fn lists_over_several_rows() {
        insta::assert_snapshot!(found("from a import (\n    b,  # first\n    c as d,\n)\nfrom e import f, \\\n    g\n"), @"a a.b a.c e e.f e.g");
    }

    #[test]
    fn what_is_no_import() {
        insta::assert_snapshot!(found("important = 1\nx = 'import a'\n# import b\nfrom 1 import c\n"), @"");
    }
}
