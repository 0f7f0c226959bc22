//! What the editor offers at a place: the fixes of the findings there, and all safe fixes of the document at once.
//!
//! A fix is offered only after it has been made on a copy and the copy has been checked: it must have fewer findings.

use std::collections::HashMap;

use lsp_types::{CodeAction, CodeActionKind, CodeActionParams, TextEdit, WorkspaceEdit};
use similar::{DiffTag, TextDiff};

use super::diagnostics::diagnostic;
use super::documents::Document;
use super::protocol::{Client, FIX_ALL};
use crate::project::helps;
use crate::rules::{Applicability, Finding, Fix};
use crate::source::{Edit, SourceFile, Span, apply};

/// Says what is found in another text of the document, and what its safe fixes make of it.
pub(super) trait Check {
    fn findings(&self, document: &Document, text: &str) -> Result<Vec<Finding>, String>;
    fn fixed(&self, document: &Document) -> Option<String>;
}

pub(super) fn actions(
    document: &Document,
    parameters: &CodeActionParams,
    client: &Client,
    check: &dyn Check,
) -> Vec<CodeAction> {
    let span = client.encoding.span(&document.source, parameters.range);
    let wanted = parameters.context.only.as_deref();
    let mut actions = Vec::new();
    if wanted.is_none_or(|kinds| kinds.iter().any(|kind| is_part(&CodeActionKind::QUICKFIX, kind))) {
        let here = document.findings.iter().filter(|finding| touches(finding.primary.span, span));
        actions.extend(here.filter_map(|finding| quick_fix(document, finding, client, check)));
    }
    if wanted.is_some_and(|kinds| kinds.iter().any(|kind| is_part(&FIX_ALL, kind))) {
        actions.extend(fix_all(document, client, check));
    }
    actions
}

fn quick_fix(
    document: &Document,
    finding: &Finding,
    client: &Client,
    check: &dyn Check,
) -> Option<CodeAction> {
    let fix = finding.fix.as_ref()?;
    let text = apply(&document.source.text, &fix.edits)?;
    if !helps(&document.findings, &check.findings(document, &text).ok()?) {
        return None;
    }
    Some(CodeAction {
        title: title(fix),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic(document, finding, client)]),
        edit: Some(workspace_edit(document, &fix.edits, client)),
        is_preferred: Some(fix.applicability == Applicability::Safe),
        ..CodeAction::default()
    })
}

fn title(fix: &Fix) -> String {
    let mut letters = fix.message.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn fix_all(document: &Document, client: &Client, check: &dyn Check) -> Option<CodeAction> {
    let text = check.fixed(document)?;
    Some(CodeAction {
        title: "Fix everything that can be fixed safely".to_owned(),
        kind: Some(FIX_ALL),
        edit: Some(workspace_edit(document, &differences(&document.source.text, &text), client)),
        ..CodeAction::default()
    })
}

/// The edits that turn one text into another, row by row.
fn differences(before: &str, after: &str) -> Vec<Edit> {
    let rows = TextDiff::from_lines(before, after);
    let old = starts((0..rows.old_len()).filter_map(|row| rows.old_slice(row)));
    let new = starts((0..rows.new_len()).filter_map(|row| rows.new_slice(row)));
    let at = |starts: &[u32], row: usize| starts.get(row).copied().unwrap_or_default();
    let changes = rows.ops().iter().filter(|change| change.tag() != DiffTag::Equal);
    changes
        .map(|change| {
            let (from, to) = (change.old_range(), change.new_range());
            let text = Span::new(at(&new, to.start), at(&new, to.end)).of(after);
            Edit::replace(Span::new(at(&old, from.start), at(&old, from.end)), text)
        })
        .collect()
}

/// Where each row starts, and where the last one ends.
fn starts<'r>(rows: impl Iterator<Item = &'r str>) -> Vec<u32> {
    let ends = rows.scan(0, |end, row| {
        *end += row.len() as u32;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

#[allow(clippy::mutable_key_type, reason = "the protocol's types key edits by address")]
fn workspace_edit(document: &Document, edits: &[Edit], client: &Client) -> WorkspaceEdit {
    let edits = edits.iter().map(|edit| text_edit(&document.source, edit, client)).collect();
    WorkspaceEdit {
        changes: Some(HashMap::from([(document.uri.clone(), edits)])),
        ..WorkspaceEdit::default()
    }
}

fn text_edit(source: &SourceFile, edit: &Edit, client: &Client) -> TextEdit {
    TextEdit { range: client.encoding.range(source, edit.span), new_text: edit.text.clone() }
}

/// Whether a kind is the wanted one or a part of it: `source.fixAll.unwaited` of `source`.
fn is_part(kind: &CodeActionKind, wanted: &CodeActionKind) -> bool {
    let rest = kind.as_str().strip_prefix(wanted.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn touches(left: Span, right: Span) -> bool {
    left.start <= right.end && right.start <= left.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_kind() {
        assert!(is_part(&FIX_ALL, &CodeActionKind::SOURCE) && is_part(&FIX_ALL, &FIX_ALL));
        assert!(!is_part(&CodeActionKind::QUICKFIX, &CodeActionKind::SOURCE));
    }

    #[test]
    fn rows_that_differ_become_edits_and_the_others_stay() {
        let (before, after) = ("a\nb\nc\nd", "a\nx\ny\nc\ne");
        let edits = differences(before, after);
        assert_eq!(edits.len(), 2);
        assert_eq!(apply(before, &edits).as_deref(), Some(after));
    }
}
