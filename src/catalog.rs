//! The knowledge of libraries, compiled from `rules/apis/*.toml` into look-up tables.

mod schema;

pub use schema::*;

/// A function or method of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApiId(pub u32);

/// A class of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// Everything that is known of libraries.
#[derive(Debug)]
pub struct Catalog {
    _private: (),
}
