//! Masks what is no Python in a code cell.
//!
//! ```text
//! %matplotlib inline          0#atplotlib inline        a line magic; `0` keeps a block from being empty
//! files = !ls *.pt            files = 0#s *.pt          a command whose output gets a name
//! tensor.shape?               0#nsor.shape?             a question
//! %%bash                      0#bash                    a cell magic: the whole cell is another language,
//! mpirun -n 2 ring.py         #pirun -n 2 ring.py
//! %%time                      0#time                    unless it only looks at the Python below it
//! f()                         f()
//! ```

use super::super::comments::python_statements;

/// Cell magics whose cells are Python.
const TRANSPARENT: &[&str] =
    &["capture", "debug", "ipytest", "memit", "mprun", "prun", "px", "python", "python3", "time", "timeit"];

/// The text of a cell with everything masked that is no Python; of the same length.
pub(super) fn masked(cell: &str) -> String {
    let mut text = cell.to_owned();
    let start = cell.len() - cell.trim_start().len();
    if let Some(magic) = cell.get(start..).and_then(|cell| cell.strip_prefix("%%")) {
        let name = magic.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let mut at = mask_row(&mut text, start, "0");
        while !TRANSPARENT.contains(&name) && at < text.len() {
            at = mask_row(&mut text, at, "#");
        }
    }
    let mut from = 0;
    while let Some(magic) = next_magic(&text, from) {
        from = mask_with_continuations(&mut text, magic);
    }
    text
}

/// Where the next thing stands that is no Python.
fn next_magic(text: &str, from: usize) -> Option<usize> {
    let statements = python_statements(text).into_iter();
    statements.filter(|statement| statement.code.start as usize >= from).find_map(|statement| {
        let start = statement.code.start as usize;
        let row = text.get(start..).unwrap_or_default().split(['\n', '\r']).next().unwrap_or_default();
        let is_magic = row.starts_with(['%', '!', '?']);
        if is_magic || row.trim_end().ends_with('?') {
            return Some(start);
        }
        let (name, value) = row.split_once('=')?;
        let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ',' | ' ' | '.'));
        let value = value.trim_start();
        (is_name && value.starts_with(['%', '!']) && !value.starts_with("!="))
            .then(|| start + row.len() - value.len())
    })
}

/// Masks a row and those that backslashes join to it, and gives where the next one starts.
fn mask_with_continuations(text: &mut String, start: usize) -> usize {
    let mut at = start;
    let mut sign = "0";
    loop {
        let goes_on = text
            .get(at..)
            .unwrap_or_default()
            .split(['\n', '\r'])
            .next()
            .is_some_and(|row| row.ends_with('\\'));
        at = mask_row(text, at, sign);
        sign = "#";
        if !goes_on || at >= text.len() {
            return at;
        }
    }
}

/// Writes a comment over the start of a row, and gives where the next row starts. `sign` is what the first byte becomes.
fn mask_row(text: &mut String, start: usize, sign: &str) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let row = rest.split('\n').next().unwrap_or_default();
    let end = start + row.len();
    let code = row.trim_end_matches('\r');
    let length: usize = code.chars().take(2).map(char::len_utf8).sum();
    if length > 0 {
        let mask = format!("{sign}{}", "#".repeat(length - 1));
        text.replace_range(start..start + length, &mask);
    }
    (end + 1).min(text.len().max(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_that_only_a_notebook_understands() {
        let cell = "%matplotlib inline\nimport a\nfor x in y:\n    !ls -l \\\n      | wc\n    x = %time f()\na.b?\n?a\nx = y % 2\n";
        assert_eq!(
            masked(cell),
            "0#atplotlib inline\nimport a\nfor x in y:\n    0#s -l \\\n##    | wc\n    x = 0#ime f()\n0#b?\n0#\nx = y % 2\n"
        );
    }

    #[test]
    fn a_cell_in_another_language_and_a_cell_that_is_timed() {
        assert_eq!(masked("%%bash\nls 'x\nf(\n"), "0#bash\n## 'x\n##\n");
        assert_eq!(masked("\n%%time -n 1\nf()\n"), "\n0#time -n 1\nf()\n");
    }

    #[test]
    fn what_looks_like_a_magic_inside_a_statement_is_none() {
        let cell = "x = (a\n  % b)\ntext = '''\n%d\n!x\n'''\nif a != b: pass\nd[k] = c\n";
        assert_eq!(masked(cell), cell);
    }

    #[test]
    fn a_command_that_would_open_a_string_or_a_bracket() {
        assert_eq!(masked("!echo \"\"\" (\nx = 1\n%cd (\ny = 2\n"), "0#cho \"\"\" (\nx = 1\n0#d (\ny = 2\n");
        assert_eq!(masked("%é\n!"), "0##\n0");
    }

    proptest! {
        #[test]
        fn nothing_changes_its_place(
            parts in proptest::collection::vec(
                proptest::sample::select(vec!["%", "!", "?", "a", " ", "\n", "\r\n", "=", "'", "(", "\\", "é", "%%bash", "#"]),
                0..30,
            )
        ) {
            let cell = parts.concat();
            let text = masked(&cell);
            prop_assert_eq!(text.len(), cell.len());
            let ends = |text: &str| text.match_indices(['\n', '\r']).map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert_eq!(ends(&text), ends(&cell));
        }
    }
}
