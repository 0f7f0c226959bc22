//! What can be wrong with a file of the catalogue.

use std::fmt;

/// A file of the catalogue, or an addition of a project, that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogError {
    /// The file, or the library's name where it has none.
    pub file: String,
    /// The entry and its key: `isend.gives`; empty where the text as a whole is at fault.
    pub key: String,
    /// What is wrong, lower case, without a full stop.
    pub message: String,
    /// The name that was probably meant.
    pub near_miss: Option<String>,
}

impl CatalogError {
    /// A name that leads nowhere, beside those that would.
    pub(super) fn unknown<'a>(
        file: &str,
        key: String,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let near_miss = nearest(name, known).map(str::to_owned);
        Self { file: file.to_owned(), key, message: format!("`{name}` is not known"), near_miss }
    }

    /// A text that does not have the form of a catalogue file.
    pub(super) fn malformed(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let message = error.message().to_owned();
        // `unknown field `handel`, expected one of `handle`, `name`, …`
        let mut names = message.split('`').skip(1).step_by(2);
        let near_miss = names.next().and_then(|wrong| nearest(wrong, names)).map(str::to_owned);
        let before = error.span().and_then(|span| text.get(..span.start));
        let key = before.map(|it| format!("line {}", it.matches('\n').count() + 1)).unwrap_or_default();
        Self { file: file.to_owned(), key, message, near_miss }
    }

    /// An entry that cannot stand as it is.
    pub(super) fn new(file: &str, key: String, message: String) -> Self {
        Self { file: file.to_owned(), key, message, near_miss: None }
    }
}

/// The name that a wrong one was probably meant to be.
pub(crate) fn nearest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|name| (strsim::jaro_winkler(wrong, name), name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)?;
        match &self.near_miss {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for CatalogError {}
