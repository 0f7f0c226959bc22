//! `unwaited server`.

use std::sync::Arc;

use super::arguments::ServerArguments;
use super::output::tell;
use super::{Exit, settings};
use crate::lsp;
use crate::project::Options;

/// Serves an editor until it says goodbye. The protocol asks for 1 where it leaves without that.
pub(super) fn run(arguments: &ServerArguments) -> Exit {
    let load = || {
        let resolver = Arc::new(settings::resolver(&arguments.settings)?);
        Ok(Options { resolver, ..Options::default() })
    };
    match lsp::serve_stdio(&load) {
        Ok(()) => Exit::Clean,
        Err(message) => {
            tell("error", &message);
            Exit::Found
        }
    }
}
