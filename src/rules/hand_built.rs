//! Events built by hand, and findings as a transcript, for the tests of the rules.

use std::fmt::Write;

use super::{Context, Finding, Label, check};
use crate::catalog::{ApiId, Catalog};
use crate::flow::{Event, Handle, Loss, What};
use crate::source::{Language, Span, apply};

/// A text, and the catalogue that its events speak of.
pub(super) struct Story {
    text: String,
    catalog: Catalog,
    backend: Option<&'static str>,
}

impl Story {
    pub(super) fn new(text: &str) -> Self {
        let catalog = Catalog::new(Language::Python, &[]).expect("the built-in catalogue loads");
        Self { text: text.to_owned(), catalog, backend: None }
    }

    pub(super) fn backend(self, backend: &'static str) -> Self {
        Self { backend: Some(backend), ..self }
    }

    /// Where a piece of the text first stands.
    pub(super) fn span(&self, piece: &str) -> Span {
        let start = self.text.find(piece).expect("the piece is in the text");
        Span::new(start as u32, (start + piece.len()) as u32)
    }

    /// Where a piece of the text last stands.
    pub(super) fn last(&self, piece: &str) -> Span {
        let start = self.text.rfind(piece).expect("the piece is in the text");
        Span::new(start as u32, (start + piece.len()) as u32)
    }

    pub(super) fn api(&self, path: &str) -> ApiId {
        self.catalog.api(path).expect("the catalogue knows it")
    }

    /// The handle of a call; `dist.isend(t, 1)` is what it says, anything else a wrapper of it.
    pub(super) fn handle(&self, call: &str) -> Handle {
        let name = call.strip_prefix("dist.").and_then(|rest| rest.split('(').next()).unwrap_or("isend");
        Handle {
            api: self.api(&format!("torch.distributed.{name}")),
            started: self.span(call),
            inside: Vec::new(),
            several: name.starts_with("batch"),
            conditional: None,
            holder: None,
            notes: Vec::new(),
            guard: None,
            raised: None,
        }
    }

    pub(super) fn event(&self, what: What) -> Event {
        Event { function: "f".to_owned(), what, path: Vec::new() }
    }

    pub(super) fn lost(&self, call: &str, how: Loss, at: &str) -> Event {
        self.event(What::Lost { handle: self.handle(call), how, at: self.span(at) })
    }

    pub(super) fn lost_by(&self, holder: &str, call: &str, how: Loss, at: &str) -> Event {
        self.lost_at(holder, call, how, self.span(at))
    }

    pub(super) fn lost_at(&self, holder: &str, call: &str, how: Loss, at: Span) -> Event {
        let handle = Handle { holder: Some(holder.to_owned()), ..self.handle(call) };
        self.event(What::Lost { handle, how, at })
    }

    fn findings(&self, events: &[Event]) -> Vec<Finding> {
        check(events, &Context::new(&self.catalog, &self.text, self.backend))
    }

    fn place(&self, label: &Label) -> String {
        let row = self.text[..label.span.start as usize].matches('\n').count() + 1;
        format!("{row} `{}`", label.span.of(&self.text))
    }
}

/// What the rules find: "row: rule".
pub(super) fn found(story: &Story, events: &[Event]) -> Vec<String> {
    let row = |finding: &Finding| story.place(&finding.primary).split(' ').next().map(str::to_owned);
    story.findings(events).iter().map(|it| format!("{}: {}", row(it).unwrap_or_default(), it.rule)).collect()
}

/// What the rules find, as a person reads it.
pub(super) fn told(story: &Story, events: &[Event]) -> String {
    let mut out = String::new();
    for finding in story.findings(events) {
        let _ = writeln!(out, "{} {}: {}", finding.severity.word(), finding.rule, finding.message);
        for (mark, label) in
            std::iter::once(("^", &finding.primary)).chain(finding.labels.iter().map(|it| ("-", it)))
        {
            let _ = writeln!(out, "  {mark} {}: {}", story.place(label), label.text);
        }
        let _ = writeln!(out, "  help: {}", finding.help);
    }
    out
}

/// The text after the fix of the first finding that has one, and what the fix says of itself.
pub(super) fn fixed(story: &Story, events: &[Event]) -> String {
    let Some(fix) = story.findings(events).into_iter().find_map(|finding| finding.fix) else {
        return "no fix".to_owned();
    };
    let text = apply(&story.text, &fix.edits).expect("the edits of a fix agree");
    format!("{}: {}\n{text}", fix.applicability.word(), fix.message)
}
