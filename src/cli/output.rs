//! Where reports go: standard output, or a file.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Where a report goes.
pub(super) enum Output {
    Standard(BufWriter<io::Stdout>),
    /// Standard error, where standard output is taken.
    Error(BufWriter<io::Stderr>),
    File(BufWriter<File>),
}

impl Output {
    /// Standard output, or this file, which is emptied first.
    pub(super) fn open(path: Option<&Path>) -> io::Result<Self> {
        match path {
            None => Ok(Self::Standard(BufWriter::new(io::stdout()))),
            Some(path) => Ok(Self::File(BufWriter::new(File::create(path)?))),
        }
    }

    /// The columns of the terminal, where it is one.
    pub(super) fn width(&self) -> Option<usize> {
        match self {
            Self::Standard(_) => terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)),
            Self::Error(_) | Self::File(_) => None,
        }
    }

    /// Whether a person looks at it.
    pub(super) fn is_terminal(&self) -> bool {
        match self {
            Self::Standard(_) => io::stdout().is_terminal(),
            Self::Error(_) => io::stderr().is_terminal(),
            Self::File(_) => false,
        }
    }

    /// Writes something. A reader that has gone away (`| head`) is no error.
    pub(super) fn write(mut self, what: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let out: &mut dyn Write = match &mut self {
            Self::Standard(out) => out,
            Self::Error(out) => out,
            Self::File(out) => out,
        };
        let written = what(out).and_then(|()| out.flush());
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}

/// Writes a row to standard error.
pub(super) fn tell(kind: &str, message: &str) {
    // Where nobody listens, there is nobody to tell.
    let _ = writeln!(io::stderr(), "{kind}: {message}");
}
