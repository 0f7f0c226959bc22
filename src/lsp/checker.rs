//! Checks a document as it stands, or as it would be with its fixes.

use super::actions::Check;
use super::documents::Document;
use crate::project::{self, Input, Options, Outcome, Silent};
use crate::rules::{Applicability, Finding};

/// Checks texts under the settings in force.
pub(super) struct Checker<'s> {
    pub(super) options: &'s Options,
}

impl Checker<'_> {
    fn check(&self, document: &Document, raw: &str, options: &Options) -> Result<Outcome, String> {
        if document.is_part_of_a_notebook() {
            return Ok(Outcome::default());
        }
        let input = Input::Text { bytes: raw.as_bytes().to_owned(), name: document.path.clone() };
        project::check(input, options, &Silent)
    }
}

impl Check for Checker<'_> {
    fn findings(&self, document: &Document, raw: &str) -> Result<Vec<Finding>, String> {
        let outcome = self.check(document, raw, self.options)?;
        Ok(outcome.reports.into_iter().flat_map(|report| report.findings).collect())
    }

    fn fixed(&self, document: &Document) -> Option<String> {
        let options = Options { fix: Some(Applicability::Safe), ..self.options.clone() };
        let outcome = self.check(document, document.source.raw(), &options).ok()?;
        outcome.changes.into_iter().next().map(|change| change.after)
    }
}
