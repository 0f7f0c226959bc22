//! Every finding with the source it is about.
//!
//! ```text
//! error[overwritten-handle]
//!
//!   × the handle in `work` is overwritten while its operation is pending
//!    ╭─[ring.py:3:16]
//!  2 │     for step in range(steps):
//!  3 │         work = dist.isend(chunk, peer)
//!    ·         ──┬─   ───────────┬───────────
//!    ·           │               ╰── started here
//!    ·           ╰── overwritten here by the next turn
//!    ╰────
//!   help: keep the handles in a list and wait for all of them
//! ```

use std::fmt::{self, Display};
use std::io::{self, Write};

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};

use super::excerpt::Excerpt;
use super::{Colour, Links, Look, page_address, printable, printable_lines};
use crate::project::{FileReport, Outcome, known_rules};
use crate::rules::{Finding, Label, Severity};
use crate::source::SourceFile;

pub(super) fn write(outcome: &Outcome, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    let handler = handler(look);
    for (report, finding) in outcome.findings() {
        let mut text = String::new();
        let shown = Shown::new(report, finding, look.width);
        handler
            .render_report(&mut text, &shown)
            .map_err(|_| io::Error::other("the report cannot be drawn"))?;
        for row in text.lines() {
            writeln!(out, "{}", row.trim_end())?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn handler(look: &Look) -> GraphicalReportHandler {
    let theme = match look.colour {
        Colour::Coloured => GraphicalTheme::unicode(),
        Colour::Plain => GraphicalTheme::unicode_nocolor(),
    };
    GraphicalReportHandler::new_themed(theme)
        .with_width(look.width)
        .with_links(look.links == Links::Written)
        .with_context_lines(1)
        .without_syntax_highlighting()
}

/// A finding as `miette` wants it.
#[derive(Debug)]
struct Shown {
    code: String,
    message: String,
    severity: Severity,
    help: Option<String>,
    address: Option<String>,
    excerpt: Option<Excerpt>,
    labels: Vec<LabeledSpan>,
}

impl Shown {
    fn new(report: &FileReport, finding: &Finding, width: usize) -> Self {
        let name = printable(&report.name);
        let mut shown = Self {
            code: format!("{}[{}]", finding.severity.word(), finding.rule),
            message: printable(&finding.message),
            severity: finding.severity,
            help: help(finding),
            address: page_address(finding.rule),
            excerpt: None,
            labels: Vec::new(),
        };
        match &report.source {
            Some(source) => shown.add_source(source, name, finding, width),
            None => shown.message = format!("{name}: {}", shown.message),
        }
        shown
    }

    fn add_source(&mut self, source: &SourceFile, name: String, finding: &Finding, width: usize) {
        let labels: Vec<&Label> = std::iter::once(&finding.primary).chain(&finding.labels).collect();
        let spans: Vec<_> = labels.iter().map(|label| label.span).collect();
        let excerpt = Excerpt::new(source, name, &spans, width);
        for (index, label) in labels.iter().enumerate() {
            let (start, length) = excerpt.place(source, label.span);
            let text = label_text(&label.text, source, label, width);
            self.labels.push(match index {
                0 => LabeledSpan::new_primary_with_span(text, (start, length)),
                _ => LabeledSpan::new_with_span(text, (start, length)),
            });
        }
        self.excerpt = Some(excerpt);
    }
}

/// The text of a label, broken where it would leave the terminal.
fn label_text(text: &str, source: &SourceFile, label: &Label, width: usize) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let column = source.position(label.span.start).column as usize;
    let room = width.saturating_sub(column + 16).max(30);
    Some(textwrap::fill(&printable(text), room))
}

fn help(finding: &Finding) -> Option<String> {
    let has_page = known_rules().any(|known| known.name == finding.rule);
    let see = has_page.then(|| format!("see `unwaited rule {}`", finding.rule));
    let help = Some(printable_lines(&finding.help)).filter(|help| !help.is_empty());
    let elsewhere = finding.elsewhere.iter().map(|place| match &place.row {
        Some(row) => printable(&format!("{}:{}:{}: {}", place.file, row.line, row.column, place.text)),
        None => printable(&format!("{}: {}", place.file, place.text)),
    });
    let parts: Vec<String> = elsewhere.chain(help).chain(see).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

impl Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(&self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Advice => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn Display>)
    }

    fn url<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.address.as_ref().map(|address| Box::new(address) as Box<dyn Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}
