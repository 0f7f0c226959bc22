//! A number of seconds becomes a `timedelta`, and the file imports it where it does not yet.
//!
//! ```text
//! import torch.distributed as dist        from datetime import timedelta
//!                                         import torch.distributed as dist
//! handle.wait(timeout=5)                  handle.wait(timeout=timedelta(seconds=5))
//! ```

use super::super::{Applicability, Context, Fix};
use crate::source::{Edit, Layout, Span, mentions, words};

/// The module and the class that a wait takes.
const MODULE: &str = "datetime";
const CLASS: &str = "timedelta";

pub(in super::super) fn as_timedelta(wants: &str, at: Span, context: &Context<'_>) -> Option<Fix> {
    let argument = at.of(context.text);
    let number = argument.rsplit('=').next().unwrap_or(argument).trim();
    if wants != "datetime.timedelta" || number.parse::<f64>().is_err() {
        return None;
    }
    let layout = context.layout();
    let (name, import) = match imported(&layout) {
        Some(name) => (name, None),
        None if is_taken(&layout) => return None,
        None => (CLASS.to_owned(), Some(import(&layout)?)),
    };
    let start = at.end - number.len() as u32;
    let written = format!("{name}(seconds={number})");
    let message = format!("write `{written}`");
    let mut edits = vec![Edit::replace(Span::new(start, at.end), written)];
    edits.extend(import);
    Some(Fix { applicability: Applicability::Safe, message, edits })
}

/// The name under which the top level of a file imports the class.
fn imported(layout: &Layout<'_>) -> Option<String> {
    let top_level = (0..layout.count()).filter(|line| layout.indentation(*line).is_empty());
    top_level.map(|line| layout.code(line)).find_map(|code| {
        let of_class = code.strip_prefix("from datetime import").and_then(|names| name_of(names, CLASS));
        let of_module = code.strip_prefix("import ").and_then(|names| name_of(names, MODULE));
        of_class.or_else(|| of_module.map(|module| format!("{module}.{CLASS}")))
    })
}

/// Whether the name of the class may stand for something else; in a text that is a statement it does not.
fn is_taken(layout: &Layout<'_>) -> bool {
    let codes = (0..layout.count()).map(|line| layout.code(line));
    codes.filter(|code| !code.starts_with(['"', '\''])).any(|code| mentions(code, CLASS))
}

/// What `wanted` is called after an import of these names: `td` in `timedelta as td, datetime`.
fn name_of(names: &str, wanted: &str) -> Option<String> {
    let names = names.trim().trim_start_matches('(').trim_end_matches(')');
    names.split(',').find_map(|name| {
        let mut parts = name.split_whitespace();
        if parts.next() != Some(wanted) {
            return None;
        }
        match (parts.next(), parts.next()) {
            (None, _) => Some(wanted.to_owned()),
            (Some("as"), Some(alias)) => Some(alias.to_owned()),
            (Some(_), _) => None,
        }
    })
}

/// The import in front of the first one of the file, behind those of `__future__`.
fn import(layout: &Layout<'_>) -> Option<Edit> {
    let is_import = |line: &usize| {
        let code = layout.code(*line);
        layout.indentation(*line).is_empty()
            && (code.starts_with("import ") || code.starts_with("from "))
            && words(code, "__future__").next().is_none()
            && !code.contains(';')
    };
    let first = (0..layout.count()).find(is_import)?;
    Some(layout.insert_before(first, "from datetime import timedelta"))
}

#[cfg(test)]
mod tests {
    use super::super::super::hand_built::{Story, fixed};
    use crate::flow::What;

    fn seconds(text: &str, at: &str) -> String {
        let story = Story::new(text);
        let api = story.api("torch.distributed.Work.wait");
        fixed(&story, &[story.event(What::BadTimeout { api, got: "int", at: story.span(at) })])
    }

    #[test]
    fn without_an_import_one_is_added_before_the_first() {
        let text = "\"\"\"What it does.\"\"\"\nfrom __future__ import annotations\n\nimport torch\n\nh.wait(timeout=5)\n";
        insta::assert_snapshot!(seconds(text, "timeout=5"), @r#"
        safe: write `timedelta(seconds=5)`
        """What it does."""
        from __future__ import annotations

        from datetime import timedelta
        import torch

        h.wait(timeout=timedelta(seconds=5))
        "#);
    }

    #[test]
    fn an_import_is_used_under_its_name() {
        let text = "import datetime as dt\nh.wait(60)\n";
        insta::assert_snapshot!(seconds(text, "60"), @r"
        safe: write `dt.timedelta(seconds=60)`
        import datetime as dt
        h.wait(dt.timedelta(seconds=60))
        ");
        let text = "from datetime import (\n    date,\n    timedelta as td,\n)\nh.wait(60)\n";
        assert!(seconds(text, "60").ends_with("h.wait(td(seconds=60))\n"));
    }

    #[test]
    fn a_name_that_may_be_another_thing_and_a_value_that_is_no_number() {
        assert_eq!(seconds("import torch\ntimedelta = 3\nh.wait(60)\n", "60"), "no fix");
        assert_eq!(seconds("import torch\nh.wait(limit)\n", "limit"), "no fix");
    }
}
