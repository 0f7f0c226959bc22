//! What can be wrong with settings, and where.

use std::fmt;
use std::path::Path;

use super::{Layer, Origin};
use crate::catalog::{CatalogError, nearest};
use crate::project::walk::shown;
use crate::source::Lines;

/// Settings that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// The file with row and column, or the argument.
    pub place: String,
    /// What is wrong, lower case, without a full stop.
    pub message: String,
}

impl SettingsError {
    /// Something is wrong with a place.
    pub(super) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    /// A file cannot be used as a whole.
    pub(super) fn in_file(path: &Path, message: impl Into<String>) -> Self {
        Self::new(shown(path), message)
    }

    /// A value cannot be used.
    pub(super) fn in_value(layer: &Layer, key: &str, why: String) -> Self {
        match &layer.origin {
            Origin::File(path) => Self::in_file(path, format!("`{key}`: {why}")),
            Origin::Argument(_) => Self::new(format!("--{key}"), why),
        }
    }

    /// A text does not have the form of a configuration file.
    pub(super) fn malformed(place: &str, text: &str, error: &toml::de::Error) -> Self {
        let start = error.span().map(|span| span.start as u32);
        let place = match start.map(|start| Lines::new(text).position(text, start)) {
            Some(at) => format!("{place}:{}:{}", at.row, at.column),
            None => place.to_owned(),
        };
        Self { place, message: in_our_words(error.message()) }
    }
}

/// `serde` speaks of fields, variants and sequences; the user knows keys, words and lists.
fn in_our_words(message: &str) -> String {
    let message = message.trim().replace('\n', ", ");
    let (what, unknown) =
        match (message.strip_prefix("unknown field "), message.strip_prefix("unknown variant ")) {
            (Some(unknown), _) => (Unknown::Key, unknown),
            (None, Some(unknown)) => (Unknown::Word, unknown),
            (None, None) => {
                return message
                    .replace("expected a sequence", "expected a list")
                    .replace("expected a map", "expected a table");
            }
        };
    let mut names = unknown.split('`').skip(1).step_by(2);
    let wrong = names.next().unwrap_or_default();
    let known: Vec<&str> = names.collect();
    let wrong = match what {
        Unknown::Key => format!("no key is called `{wrong}`"),
        Unknown::Word => format!("`{wrong}` is not known here"),
    };
    match nearest(unknown.split('`').nth(1).unwrap_or_default(), known.iter().copied()) {
        Some(near) => format!("{wrong}: did you mean `{near}`?"),
        None => format!("{wrong}: there are {}", known.join(", ")),
    }
}

/// What is not known.
enum Unknown {
    Key,
    Word,
}

/// An entry of `api` that cannot be used; the catalogue knows it by the library's name.
pub(super) fn in_apis(layers: &[Layer], error: &CatalogError) -> SettingsError {
    let gives =
        |layer: &&Layer| layer.given.api.iter().flatten().any(|library| library.library == error.file);
    match layers.iter().rev().find(gives) {
        Some(layer) => SettingsError::in_value(layer, "api", error.to_string()),
        None => SettingsError::new("the catalogue", error.to_string()),
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for SettingsError {}
