//! Where reports go: standard output, or a file.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::project::replace_file;

/// Where a report goes.
pub(super) enum Output {
    Standard,
    /// Standard error, where standard output is taken.
    Error,
    File(PathBuf),
}

impl Output {
    /// Standard output, or this file.
    pub(super) fn to(path: Option<&Path>) -> Self {
        path.map_or(Self::Standard, |path| Self::File(path.to_owned()))
    }

    /// The columns of the terminal, where it is one.
    pub(super) fn width(&self) -> Option<usize> {
        match self {
            Self::Standard => terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)),
            Self::Error | Self::File(_) => None,
        }
    }

    /// Whether a person looks at it.
    pub(super) fn is_terminal(&self) -> bool {
        match self {
            Self::Standard => io::stdout().is_terminal(),
            Self::Error => io::stderr().is_terminal(),
            Self::File(_) => false,
        }
    }

    /// Whether it can show links.
    pub(super) fn has_links(&self) -> bool {
        match self {
            Self::Standard => supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout),
            Self::Error | Self::File(_) => false,
        }
    }

    /// Writes something: to standard output as it comes, in a file wholly or not at all. A reader that has gone away (`| head`)
    /// is no error.
    pub(super) fn write(&self, what: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match self {
            Self::Standard => stream(io::stdout(), what),
            Self::Error => stream(io::stderr(), what),
            Self::File(path) => {
                let mut text = Vec::new();
                what(&mut text)?;
                replace_file(path, &text)
            }
        }
    }
}

fn stream(to: impl Write, what: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(to);
    match what(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes a row to standard error.
pub(super) fn tell(kind: &str, message: &str) {
    // Where nobody listens, there is nobody to tell.
    let _ = writeln!(io::stderr(), "{kind}: {message}");
}
