//! Where in the user's program something happened.

use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashMap;
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

    /// The place of a caller that is marked with `#[track_caller]`. A thread keeps each file name once.
    pub(crate) fn of(location: &'static Location<'static>) -> Place {
        thread_local! {
            static FILES: RefCell<HashMap<&'static str, Arc<str>>> = RefCell::default();
        }
        let name = location.file();
        let file =
            FILES.with_borrow_mut(|files| Arc::clone(files.entry(name).or_insert_with(|| name.into())));
        Place { file, line: location.line() }
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
