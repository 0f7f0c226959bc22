//! Findings as the editor shows them.

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    NumberOrString, PublishDiagnosticsParams, Uri,
};

use super::documents::Document;
use super::protocol::{Client, RelatedPlaces};
use crate::project::UNUSED_IGNORE;
use crate::report::page_address;
use crate::rules::{Finding, Label, Severity};

/// The findings of each address, also of those where nothing is found.
pub(super) fn diagnostics(document: &Document, client: &Client) -> Vec<PublishDiagnosticsParams> {
    let all: Vec<_> =
        document.findings.iter().filter_map(|finding| diagnostic(document, finding, client)).collect();
    let of_address = |(uri, version): (&Uri, i32)| PublishDiagnosticsParams {
        uri: uri.clone(),
        diagnostics: all.iter().filter(|(at, _)| at == uri).map(|(_, it)| it.clone()).collect(),
        version: Some(version),
    };
    document.addresses().into_iter().map(of_address).collect()
}

/// A finding, and the address where it is shown.
pub(super) fn diagnostic(
    document: &Document,
    finding: &Finding,
    client: &Client,
) -> Option<(Uri, Diagnostic)> {
    let address = page_address(finding.rule).and_then(|address| address.parse().ok());
    let place = document.place(finding.primary.span, client.encoding)?;
    let diagnostic = Diagnostic {
        range: place.range,
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
    };
    Some((place.uri, diagnostic))
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
    let place = |label: &Label| {
        let location = document.place(label.span, client.encoding)?;
        Some(DiagnosticRelatedInformation { location, message: label.text.clone() })
    };
    let places: Vec<_> = told.filter_map(place).collect();
    match client.related {
        RelatedPlaces::Shown => Some(places),
        RelatedPlaces::NotShown => None,
    }
}
