//! The built-in files, read once for each language that is asked for.

use std::sync::OnceLock;

use super::files::FILES;
use super::{CatalogError, Library};
use crate::source::Language;

/// A file of the catalogue with its name.
pub(super) type Named = (&'static str, Library);

/// The built-in libraries of a language.
pub(super) fn libraries(language: Language) -> &'static Result<Vec<Named>, CatalogError> {
    static PYTHON: OnceLock<Result<Vec<Named>, CatalogError>> = OnceLock::new();
    static RUST: OnceLock<Result<Vec<Named>, CatalogError>> = OnceLock::new();
    let known = match language {
        Language::Python => &PYTHON,
        Language::Rust => &RUST,
    };
    known.get_or_init(|| read(language))
}

fn read(language: Language) -> Result<Vec<Named>, CatalogError> {
    let of_language = FILES.iter().filter(|(_, text)| is_of(language, text));
    of_language.map(|(file, text)| Ok((*file, Library::parse(file, text)?))).collect()
}

/// Whether a file is about a language, by its rows above the first table: reading a whole file takes a while.
fn is_of(language: Language, text: &str) -> bool {
    let header = text.split("\n[").next().unwrap_or_default();
    let row = format!("language = \"{}\"", language.name());
    header.lines().any(|line| line == row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_of_one_language() {
        let read = |language| libraries(language).as_ref().unwrap().iter();
        let all: Vec<_> = read(Language::Python).chain(read(Language::Rust)).collect();
        assert_eq!(all.len(), FILES.len());
        assert!(read(Language::Rust).all(|(_, library)| library.language == "rust"));
    }
}
