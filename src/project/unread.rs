//! Whether anything in the tree reads the attribute that keeps a handle.
//!
//! The analysis of one file says "this handle is kept in `self.request`, and this file never reads `request`". Here the
//! other files of the tree are asked, by the simplest means that never accuses wrongly: if any of them contains the name as
//! a word, somebody may wait for the handle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;

use super::cache::Cache;
use super::check::Analysed;
use super::root::Roots;
use super::{File, Options, pool, walk};
use crate::flow::{Analysis, What};

/// The trees of the files of a run.
pub(crate) struct Trees<'r> {
    options: &'r Options,
    given: &'r [File],
    roots: Roots,
}

impl<'r> Trees<'r> {
    /// `given` are the files that are the tree where there is no root.
    pub(crate) fn new(options: &'r Options, given: &'r [File]) -> Self {
        Self { options, given, roots: Roots::new(options.resolver.discovery().clone()) }
    }

    /// Drops the events about handles that another file may read, and all of them where no tree is known.
    pub(crate) fn forget_handles_that_are_read(&mut self, analysed: &mut [Analysed]) {
        let keepers: Vec<Keeper<'_>> = analysed.iter().map(Keeper::of).collect();
        let unread = self.unread(&keepers);
        for (file, unread) in analysed.iter_mut().zip(&unread) {
            forget(file, unread);
        }
    }

    /// Of the names that each file keeps handles under, those that no other file of its tree contains; none where no tree is
    /// known.
    pub(crate) fn unread(&mut self, keepers: &[Keeper<'_>]) -> Vec<BTreeSet<String>> {
        let mut trees: BTreeMap<Tree, BTreeSet<String>> = BTreeMap::new();
        for keeper in keepers.iter().filter(|keeper| !keeper.names.is_empty()) {
            if let Some(tree) = self.tree(keeper) {
                trees.entry(tree).or_default().extend(keeper.names.iter().cloned());
            }
        }
        let search = |(tree, names): (Tree, _)| {
            let mentions = self.mentions(&tree, names)?;
            Some((tree, mentions))
        };
        let mentions: BTreeMap<Tree, Mentions> = trees.into_iter().filter_map(search).collect();
        let mut unread = Vec::new();
        for keeper in keepers {
            let known = match keeper.names.is_empty() {
                true => None,
                false => self.tree(keeper).and_then(|tree| mentions.get(&tree)),
            };
            unread.push(known.map(|mentions| mentions.unread(keeper)).unwrap_or_default());
        }
        unread
    }

    /// The tree of a file; a text that is no file has one only if its name leads to a root.
    fn tree(&mut self, keeper: &Keeper<'_>) -> Option<Tree> {
        match self.roots.of(keeper.path?) {
            Some(root) => Some(Tree::Below(root)),
            None if self.given.is_empty() => None,
            None => Some(Tree::Given),
        }
    }

    /// What the files of a tree contain; nothing is known where the settings of one of its folders cannot be used.
    fn mentions(&self, tree: &Tree, names: BTreeSet<String>) -> Option<Mentions> {
        let (root, files) = match tree {
            Tree::Below(root) => {
                (root.clone(), walk::find_files(std::slice::from_ref(root), self.options).ok()?.files)
            }
            Tree::Given => (std::env::current_dir().unwrap_or_default(), self.given.to_vec()),
        };
        let memory = Cache::tree(&root, &files, self.options);
        if let Some(files) = memory.as_ref().and_then(|memory| memory.recall(&names)) {
            return Some(Mentions { files });
        }
        let mentions = Mentions::find(names, &files, self.options.threads());
        if let Some(memory) = memory {
            memory.learn(&mentions.files);
        }
        Some(mentions)
    }
}

/// A file with the names that it keeps handles under and never reads.
pub(crate) struct Keeper<'f> {
    /// Where it is; `None` for a text that is no file.
    pub(crate) path: Option<&'f Path>,
    pub(crate) names: BTreeSet<String>,
}

impl<'f> Keeper<'f> {
    pub(crate) fn of(file: &'f Analysed) -> Self {
        Self { path: file.path.as_deref(), names: kept_names(&file.analysis) }
    }
}

/// What a file is part of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tree {
    /// Everything below this folder.
    Below(PathBuf),
    /// The files that were given.
    Given,
}

/// Drops the events about handles under names that others may read.
pub(crate) fn forget(file: &mut Analysed, unread: &BTreeSet<String>) {
    file.analysis.events.retain(|event| match &event.what {
        What::Kept { name, .. } => unread.contains(name),
        _ => true,
    });
}

/// The names that a file keeps handles under and never reads.
pub(crate) fn kept_names(analysis: &Analysis) -> BTreeSet<String> {
    let kept = analysis.events.iter().filter_map(|event| match &event.what {
        What::Kept { name, .. } => Some(name.clone()),
        _ => None,
    });
    kept.collect()
}

fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Which files of a tree contain which names.
struct Mentions {
    files: BTreeMap<String, BTreeSet<PathBuf>>,
}

impl Mentions {
    fn find(names: BTreeSet<String>, files: &[File], threads: usize) -> Self {
        let names: Vec<String> = names.into_iter().collect();
        let mut mentions = Self { files: names.iter().map(|name| (name.clone(), BTreeSet::new())).collect() };
        let Ok(search) = AhoCorasick::new(&names) else { return mentions };
        let found = pool::map(threads, files, |file| match std::fs::read(&file.path) {
            Ok(bytes) => words(&search, &bytes),
            Err(_) => BTreeSet::new(),
        });
        for (file, indices) in files.iter().zip(found) {
            for name in indices.unwrap_or_default().iter().filter_map(|index| names.get(*index)) {
                mentions.files.entry(name.clone()).or_default().insert(identity(&file.path));
            }
        }
        mentions
    }

    /// The names of a file that no other one contains.
    fn unread(&self, keeper: &Keeper<'_>) -> BTreeSet<String> {
        let path = keeper.path.map(identity).unwrap_or_default();
        keeper.names.iter().filter(|name| !self.elsewhere(name, &path)).cloned().collect()
    }

    /// Whether a file other than `path` contains the name.
    fn elsewhere(&self, name: &str, path: &Path) -> bool {
        let files = self.files.get(name).into_iter().flatten();
        files.into_iter().any(|file| file != path)
    }
}

/// Which of the names occur as whole words.
fn words(search: &AhoCorasick, bytes: &[u8]) -> BTreeSet<usize> {
    let is_word = |at: Option<&u8>| {
        at.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii())
    };
    search
        .find_overlapping_iter(bytes)
        .filter(|found| {
            let before = found.start().checked_sub(1).and_then(|at| bytes.get(at));
            !is_word(before) && !is_word(bytes.get(found.end()))
        })
        .map(|found| found.pattern().as_usize())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elsewhere(other: &str) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own.py");
        std::fs::write(&own, "self.request = start()\n").unwrap();
        std::fs::write(folder.path().join("other.py"), other).unwrap();
        let found = walk::find_files(&[folder.path().to_owned()], &Options::default()).unwrap();
        let mentions = Mentions::find(BTreeSet::from(["request".to_owned()]), &found.files, 2);
        mentions.elsewhere("request", &identity(&own))
    }

    #[test]
    fn another_file_that_contains_the_name_may_read_it() {
        assert!(elsewhere("sender.request.wait()\n"));
        assert!(elsewhere("getattr(sender, 'request')\n"));
    }

    #[test]
    fn a_longer_word_is_another_name() {
        assert!(!elsewhere("requests = my_request = request2 = 0\n"));
    }

    #[test]
    fn names_within_each_other_are_all_found() {
        let search = AhoCorasick::new(["req", "req_list"]).unwrap();
        assert_eq!(words(&search, b"req_list req"), BTreeSet::from([0, 1]));
    }
}
