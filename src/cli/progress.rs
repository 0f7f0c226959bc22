//! A progress bar on standard error, for runs that take longer than a person likes to wait without a sign.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::project::Progress;

/// How long a run may take before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar that appears on a terminal when a run takes long.
pub(super) struct Bar {
    bar: ProgressBar,
    started: Instant,
    /// Set once it was decided whether it appears.
    shown: OnceLock<()>,
}

impl Bar {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::hidden();
        if let Ok(style) = ProgressStyle::with_template("checking {bar:40} {pos}/{len} files") {
            bar.set_style(style);
        }
        Self { bar, started: Instant::now(), shown: OnceLock::new() }
    }

    /// Takes the bar off the terminal.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn starts(&self, files: usize) {
        self.bar.set_length(files as u64);
    }

    fn advances(&self) {
        self.bar.inc(1);
        if self.shown.get().is_none() && self.started.elapsed() > PATIENCE {
            self.shown.get_or_init(|| {
                if io::stderr().is_terminal() {
                    self.bar.set_draw_target(ProgressDrawTarget::stderr());
                }
            });
        }
    }
}
