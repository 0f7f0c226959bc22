//! A file as the rest of the crate sees it: its text, byte spans into it, lines and columns, and its language.
//!
//! - A **span** is a half-open range of bytes of the decoded text. Everything behind the front ends speaks in spans.
//! - A **position** is what a person reads: row and column, both counted from 1, columns in characters.

use std::path::Path;

/// A half-open range of bytes in a file's decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of the bytes `start..end`.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The text that the span covers, or nothing where it does not fit the text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Whether `other` lies within this span.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// The language that a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Python 3.
    Python,
}

impl Language {
    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
        }
    }

    /// The language of a path by its ending, or `None` for a file that is not read.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "py" => Some(Self::Python),
            _ => None,
        }
    }
}
