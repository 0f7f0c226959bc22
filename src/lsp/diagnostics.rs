//! Findings as the editor shows them.

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString,
};

use super::documents::Document;
use super::protocol::{Client, RelatedPlaces};
use crate::project::UNUSED_IGNORE;
use crate::report::page_address;
use crate::rules::{Finding, Severity};

pub(super) fn diagnostics(document: &Document, client: &Client) -> Vec<Diagnostic> {
    document.findings.iter().map(|finding| diagnostic(document, finding, client)).collect()
}

pub(super) fn diagnostic(document: &Document, finding: &Finding, client: &Client) -> Diagnostic {
    let address = page_address(finding.rule).and_then(|address| address.parse().ok());
    Diagnostic {
        range: client.encoding.range(&document.source, finding.primary.span),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Advice => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.rule.to_owned())),
        code_description: address.map(|href| CodeDescription { href }),
        source: Some(env!("CARGO_PKG_NAME").to_owned()),
        message: message(finding),
        related_information: related(document, finding, client),
        tags: (finding.rule == UNUSED_IGNORE).then(|| vec![DiagnosticTag::UNNECESSARY]),
        data: None,
    }
}

fn message(finding: &Finding) -> String {
    match finding.help.as_str() {
        "" => finding.message.clone(),
        help => format!("{}\nhelp: {help}", finding.message),
    }
}

/// The story: one place for each label.
fn related(
    document: &Document,
    finding: &Finding,
    client: &Client,
) -> Option<Vec<DiagnosticRelatedInformation>> {
    let told =
        std::iter::once(&finding.primary).chain(&finding.labels).filter(|label| !label.text.is_empty());
    let places: Vec<_> = told
        .map(|label| DiagnosticRelatedInformation {
            location: Location {
                uri: document.uri.clone(),
                range: client.encoding.range(&document.source, label.span),
            },
            message: label.text.clone(),
        })
        .collect();
    match client.related {
        RelatedPlaces::Shown => Some(places),
        RelatedPlaces::NotShown => None,
    }
}
