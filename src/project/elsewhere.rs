//! Finds the lines of places in other files that belong to a finding.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::rules::{Elsewhere, Finding, Row};
use crate::source::{self, SourceFile};

/// The files that were read for that.
#[derive(Default)]
pub(crate) struct Places {
    files: Mutex<HashMap<String, Option<Arc<SourceFile>>>>,
}

impl Places {
    /// Fills in the lines of a finding's places in other files.
    pub(crate) fn find(&self, finding: &mut Finding) {
        for elsewhere in &mut finding.elsewhere {
            elsewhere.row = self.row(elsewhere);
        }
    }

    fn row(&self, elsewhere: &Elsewhere) -> Option<Row> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let file = files.entry(elsewhere.file.clone()).or_insert_with_key(|name| read(name)).clone()?;
        drop(files);
        let place = file.lines.position(&file.text, elsewhere.span.start);
        let text = file.text.lines().nth(place.row.checked_sub(1)? as usize)?.trim_end().to_owned();
        Some(Row { line: place.row, column: place.column, text })
    }
}

fn read(name: &str) -> Option<Arc<SourceFile>> {
    let bytes = std::fs::read(Path::new(name)).ok()?;
    let text = source::decode(bytes).ok()?;
    Some(Arc::new(SourceFile::new(name.to_owned(), text)))
}
