//! Where in the user's program something happened.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A line of a source file. Line 0 means that only the file is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The file as the program names it.
    pub file: Arc<str>,
    /// The line, counted from 1.
    pub line: u32,
}

impl Place {
    /// The given line of the given file.
    pub fn new(file: impl Into<Arc<str>>, line: u32) -> Place {
        Place { file: file.into(), line }
    }

    /// The place of a caller that is marked with `#[track_caller]`.
    pub(crate) fn of(location: &'static Location<'static>) -> Place {
        Place::new(location.file(), location.line())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => out.write_str(&self.file),
            line => write!(out, "{}:{line}", self.file),
        }
    }
}
