//! What is remembered of a tree as a whole: which of its files contain which names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::print::{Stamp, now};
use super::{hash, memory};
use crate::project::walk::File;

/// What is remembered of a tree.
pub(crate) struct TreeMemory {
    path: PathBuf,
    /// A hash of the paths and stamps of all files; `None` where one of them changed just now.
    stamp: Option<u64>,
    known: Known,
}

#[derive(Default, Serialize, Deserialize)]
struct Known {
    stamp: u64,
    names: BTreeMap<String, BTreeSet<PathBuf>>,
}

impl TreeMemory {
    pub(super) fn read(path: PathBuf, files: &[File], stamps: &[Stamp]) -> Self {
        let at = now();
        let old = stamps.iter().all(|stamp| stamp.was_old(at));
        let paths: Vec<_> = files.iter().map(|file| &file.path).collect();
        let stamp = hash(&(paths, stamps));
        let known = memory::read(&path).filter(|known: &Known| known.stamp == stamp).unwrap_or_default();
        Self { path, stamp: old.then_some(stamp), known }
    }

    /// Which files contain these names, where all of them were asked for before.
    pub(crate) fn recall(&self, names: &BTreeSet<String>) -> Option<BTreeMap<String, BTreeSet<PathBuf>>> {
        let known = |name: &String| Some((name.clone(), self.known.names.get(name)?.clone()));
        names.iter().map(known).collect()
    }

    /// Keeps which files contain which names. What cannot be written is found again.
    pub(crate) fn learn(mut self, names: &BTreeMap<String, BTreeSet<PathBuf>>) {
        let Some(stamp) = self.stamp else { return };
        self.known.stamp = stamp;
        self.known.names.extend(names.iter().map(|(name, files)| (name.clone(), files.clone())));
        let _ = memory::write(&self.path, &self.known);
    }
}
