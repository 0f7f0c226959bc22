//! A file as the rest of the crate sees it: its text, byte spans into it, lines and columns, its language, and the
//! comments in it that speak to `unwaited`.
//!
//! - A **span** is a half-open range of bytes of the decoded text. Everything behind the front ends speaks in spans.
//! - A **position** is what a person reads: row and column, both counted from 1, columns in characters.
//! - A **statement line** is what Python calls a logical line: rows that brackets, backslashes or a triple-quoted string
//!   hold together. A suppression covers one of them.
//!
//! ```text
//! work = dist.isend(      # row 1: the suppression at the end covers rows 1 to 3
//!     tensor, dst=1,      # row 2
//! )                       # unwaited: ignore[unwaited-handle] the peer asks for it at exit
//! ```

mod comments;
mod decode;
mod edit;
mod ignoring;
mod layout;
mod lines;
mod notebook;
mod removal;
mod rust_comments;
mod suppression;

pub use decode::{Undecodable, decode, encode_like, is_utf16};
pub use edit::{Edit, agree, apply};
pub use ignoring::ignore_edits;
pub use layout::{Layout, Line, StatementLines, mentions, words};
pub use lines::{Lines, Position};
pub use suppression::{Misspelt, Named, Reach, Suppression, Suppressions, speaks_to_us};

use std::path::Path;

use notebook::Notebook;
use serde::{Deserialize, Serialize};

/// A half-open range of bytes in a file's decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
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
    /// Rust, of any edition.
    Rust,
}

impl Language {
    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Rust => "rust",
        }
    }

    /// What begins a comment that ends with its row.
    pub fn comment_mark(self) -> &'static str {
        match self {
            Self::Python => "#",
            Self::Rust => "//",
        }
    }

    /// The language of a path by its ending, or `None` for a file that is not read.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "py" | "ipynb" => Some(Self::Python),
            "rs" => Some(Self::Rust),
            _ => None,
        }
    }

    /// The language of a script that names its interpreter in its first line: `#!/usr/bin/env python3`.
    pub fn of_script(bytes: &[u8]) -> Option<Self> {
        let line = bytes.split(|byte| *byte == b'\n').next()?.strip_prefix(b"#!")?;
        memchr::memmem::find(line, b"python").map(|_| Self::Python)
    }
}

/// Whether a path is that of a notebook.
pub fn is_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "ipynb")
}

/// A decoded file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its path, as reports name it.
    pub name: String,
    /// Its text, without a byte order mark; for a notebook the code of all its cells.
    pub text: String,
    /// Where its lines start.
    pub lines: Lines,
    notebook: Option<Notebook>,
}

impl SourceFile {
    /// A file with this name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let lines = Lines::new(&text);
        Self { name: name.into(), text, lines, notebook: None }
    }

    /// A notebook with this name, from its decoded bytes.
    pub fn of_notebook(name: impl Into<String>, raw: String) -> Result<Self, Undecodable> {
        let (notebook, program) = Notebook::read(raw)?;
        Ok(Self { notebook: Some(notebook), ..Self::new(name, program) })
    }

    /// The file as it is written: its text, or the notebook with everything that is no code.
    pub fn raw(&self) -> &str {
        self.notebook.as_ref().map_or(&self.text, |notebook| &notebook.raw)
    }

    /// The file after some edits of its text; `None` where they cannot be made.
    pub fn edited(&self, edits: &[Edit]) -> Option<Self> {
        match &self.notebook {
            None => Some(Self::new(self.name.clone(), apply(&self.text, edits)?)),
            Some(notebook) => Self::of_notebook(self.name.clone(), notebook.edited(edits)?).ok(),
        }
    }

    /// The number of the cell that a byte of the text belongs to, in a notebook.
    pub fn cell(&self, offset: u32) -> Option<u32> {
        self.notebook.as_ref()?.cell(offset).map(|(number, _)| number)
    }

    /// The row and column of a byte of the text; in a notebook within its cell.
    pub fn position(&self, offset: u32) -> Position {
        let position = self.lines.position(&self.text, offset);
        let cell = self.notebook.as_ref().and_then(|notebook| notebook.cell(offset));
        match cell {
            None => position,
            Some((_, start)) => Position { row: position.row - self.lines.row(start) + 1, ..position },
        }
    }
}
