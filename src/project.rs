//! From paths to findings: finds the files, reads and analyses them in parallel, and decides what is shown.
//!
//! - The **given paths** select the files that are **checked**: their findings are shown.
//! - The **tree** of a file is the project it belongs to, from its **root** down: the nearest folder upward with a
//!   configuration file or version control. Without a root the given paths are the tree.
//! - A file is **skipped** when it contains none of the words that communication needs; then nothing of it is parsed. A file
//!   that is named on the command line is never skipped.
//! - A file that cannot be read, decoded, parsed or analysed has a finding that says so; the others are checked all the same.
//!
//! ```text
//! unwaited check src/send.py
//!   checked:  src/send.py                 the attribute `self.request` keeps a handle that send.py never reads
//!   tree:     everything under .git's folder   is `request` a word of any other file? then somebody may wait for it
//! ```

mod baseline;
mod cache;
mod check;
mod crash;
mod fingerprint;
mod fix;
mod module_name;
mod outcome;
mod pool;
mod replace;
mod root;
mod selection;
pub mod settings;
mod suppress;
mod unread;
mod walk;
mod write;

pub use baseline::{BASELINE, Baseline, BaselineUse, baseline_of};
pub use cache::CacheUse;
pub use check::check;
pub use crash::keep_crashes_quiet;
pub use fingerprint::{Fingerprint, Names};
pub use fix::helps;
pub use outcome::{
    FileReport, INTERNAL_ERROR, Outcome, SYNTAX_ERROR, Silence, Silenced, UNREADABLE_FILE, is_failure,
};
pub use replace::replace_file;
pub use root::Roots;
pub use selection::{
    BadRuleName, KnownRule, RuleName, Selection, Subject, UNUSED_IGNORE, known_rule, known_rules,
};
pub use walk::{File, Files, find_files};
pub(crate) use walk::{reason, shown};
pub use write::Change;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use settings::Resolver;

use crate::rules::Applicability;

/// What is to be checked.
#[derive(Clone, Debug)]
pub enum Input {
    /// Files, and folders with all that is in them.
    Paths(Vec<PathBuf>),
    /// A text that is not read from a file.
    Text {
        /// The bytes.
        bytes: Vec<u8>,
        /// The file that it would be.
        name: Option<PathBuf>,
    },
}

/// How it is to be checked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Knows the settings of each file.
    pub resolver: Arc<Resolver>,
    /// Whether exclusions apply to paths that are given.
    pub given_paths: GivenPaths,
    /// What is done with the baseline.
    pub baseline: BaselineUse,
    /// Whether what is found is remembered for the next run.
    pub cache: CacheUse,
    /// How many threads; as many as there are processors where this is absent.
    pub jobs: Option<NonZeroUsize>,
    /// Which findings are fixed; the changed texts are among the outcome, and no file is written.
    pub fix: Option<Applicability>,
}

impl Options {
    pub(crate) fn threads(&self) -> usize {
        let available = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.jobs.map_or_else(available, NonZeroUsize::get)
    }
}

/// Whether exclusions apply to paths that are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GivenPaths {
    /// They are read.
    #[default]
    Read,
    /// They are left out like those that are found: for tools that give all files that have changed.
    LeftOutToo,
}

/// Is told how a run gets on.
pub trait Progress: Sync {
    /// So many files are going to be read.
    fn starts(&self, files: usize);
    /// One of them is done.
    fn advances(&self);
}

/// Tells nobody.
pub struct Silent;

impl Progress for Silent {
    fn starts(&self, _files: usize) {}
    fn advances(&self) {}
}
