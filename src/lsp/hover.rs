//! What the editor shows where the pointer rests: the page of the rule that has something to say there.

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

use super::documents::Document;
use super::encoding::Encoding;
use crate::project::known_rule;
use crate::source::{Language, Span, Suppressions};

/// The page of the finding at a position, or of the rule that a suppression names there.
pub(super) fn hover(document: &Document, position: Position, encoding: Encoding) -> Option<Hover> {
    let offset = encoding.offset(&document.source, position);
    let (rule, span) = found(document, offset).or_else(|| suppressed(document, offset))?;
    let page = known_rule(&rule).ok()?.page;
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: page.to_owned() }),
        range: Some(encoding.range(&document.source, span)),
    })
}

/// The narrowest finding there.
fn found(document: &Document, offset: u32) -> Option<(String, Span)> {
    let findings = document.findings.iter().map(|finding| (finding.rule, finding.primary.span));
    let here = findings.filter(|(_, span)| is_in(*span, offset));
    let narrowest = here.min_by_key(|(_, span)| span.end - span.start);
    narrowest.map(|(rule, span)| (rule.to_owned(), span))
}

fn suppressed(document: &Document, offset: u32) -> Option<(String, Span)> {
    let source = &document.source;
    let language = document.path.as_deref().and_then(Language::of).unwrap_or(Language::Python);
    let suppressions = Suppressions::of(language, &source.text, &source.lines);
    let mut names = suppressions.all.into_iter().flat_map(|suppression| suppression.rules);
    names.find(|named| is_in(named.span, offset)).map(|named| (named.name, named.span))
}

fn is_in(span: Span, offset: u32) -> bool {
    span.start <= offset && offset <= span.end
}
