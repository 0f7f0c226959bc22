//! Whether anything in the tree reads the attribute that keeps a handle.
//!
//! The analysis of one file says "this handle is kept in `self.request`, and this file never reads `request`". Here the
//! other files of the tree are asked, by the simplest means that never accuses wrongly: if any of them contains the name as
//! a word, somebody may wait for the handle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;

use super::check::Analysed;
use super::root::Roots;
use super::{File, Options, pool, walk};
use crate::flow::What;

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
        let keeping: Vec<_> = analysed.iter_mut().filter(|file| !kept_names(file).is_empty()).collect();
        let mut trees: BTreeMap<Tree, BTreeSet<String>> = BTreeMap::new();
        for file in &keeping {
            if let Some(tree) = self.tree(file) {
                trees.entry(tree).or_default().extend(kept_names(file));
            }
        }
        let search = |(tree, names): (Tree, _)| {
            let mentions = self.mentions(&tree, names)?;
            Some((tree, mentions))
        };
        let mentions: BTreeMap<Tree, Mentions> = trees.into_iter().filter_map(search).collect();
        for file in keeping {
            let mentions = self.tree(file).and_then(|tree| mentions.get(&tree));
            forget(file, mentions);
        }
    }

    /// The tree of a file; a text that is no file has one only if its name leads to a root.
    fn tree(&mut self, file: &Analysed) -> Option<Tree> {
        match self.roots.of(file.path.as_deref()?) {
            Some(root) => Some(Tree::Below(root)),
            None if self.given.is_empty() => None,
            None => Some(Tree::Given),
        }
    }

    /// What the files of a tree contain; nothing is known where the settings of one of its folders cannot be used.
    fn mentions(&self, tree: &Tree, names: BTreeSet<String>) -> Option<Mentions> {
        let files = match tree {
            Tree::Below(root) => walk::find_files(std::slice::from_ref(root), self.options).ok()?.files,
            Tree::Given => self.given.to_vec(),
        };
        Some(Mentions::find(names, &files, self.options.threads()))
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

/// Drops the events about handles that may be read elsewhere; without a tree that is any of them.
fn forget(file: &mut Analysed, mentions: Option<&Mentions>) {
    let path = file.path.as_deref().map(identity).unwrap_or_default();
    file.analysis.events.retain(|event| match &event.what {
        What::Kept { name, .. } => mentions.is_some_and(|mentions| !mentions.elsewhere(name, &path)),
        _ => true,
    });
}

fn kept_names(file: &Analysed) -> Vec<String> {
    let kept = file.analysis.events.iter().filter_map(|event| match &event.what {
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
        let mut mentions = Self { files: BTreeMap::new() };
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
