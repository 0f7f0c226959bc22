//! `unwaited server`.

use super::Exit;
use super::output::tell;
use crate::lsp;
use crate::project::Options;

/// Serves an editor until it says goodbye. The protocol asks for 1 where it leaves without that.
pub(super) fn run() -> Exit {
    match lsp::serve_stdio(&|| Ok(Options::default())) {
        Ok(()) => Exit::Clean,
        Err(message) => {
            tell("error", &message);
            Exit::Found
        }
    }
}
