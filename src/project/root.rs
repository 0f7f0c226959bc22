//! Finds the root of the tree that a file belongs to.
//!
//! The nearest folder upward counts that holds a configuration file or version control.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::settings::{Discovery, file_in};

/// The roots that were found so far.
#[derive(Debug)]
pub struct Roots {
    discovery: Discovery,
    known: HashMap<PathBuf, Option<PathBuf>>,
}

impl Roots {
    /// Nothing is known yet.
    pub fn new(discovery: Discovery) -> Self {
        Self { discovery, known: HashMap::new() }
    }

    /// The root above a file.
    pub fn of(&mut self, file: &Path) -> Option<PathBuf> {
        let absolute = std::path::absolute(file).ok()?;
        let folder = absolute.parent()?;
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        if let Some(root) = self.known.get(&folder) {
            return root.clone();
        }
        let root = folder.ancestors().find(|folder| self.is_root(folder)).map(Path::to_owned);
        self.known.insert(folder, root.clone());
        root
    }

    fn is_root(&self, folder: &Path) -> bool {
        let configured = match self.discovery {
            Discovery::Nearest | Discovery::File(_) => file_in(folder).is_some(),
            Discovery::Isolated => false,
        };
        configured || [".git", ".hg"].iter().any(|name| folder.join(name).exists())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn root(files: &[(&str, &str)], discovery: Discovery) -> Option<String> {
        let folder = tree(files);
        let root = Roots::new(discovery).of(&folder.path().join("a/b/c.py"))?;
        let base = folder.path().canonicalize().unwrap();
        Some(root.strip_prefix(base).ok()?.display().to_string())
    }

    #[test]
    fn the_nearest_of_configuration_and_version_control() {
        let files = [("a/unwaited.toml", ""), (".git/HEAD", ""), ("a/b/c.py", "")];
        assert_eq!(root(&files, Discovery::Nearest).as_deref(), Some("a"));
        assert_eq!(root(&files, Discovery::Isolated).as_deref(), Some(""));
    }

    #[test]
    fn a_pyproject_counts_with_our_table_only() {
        let ours = [("a/pyproject.toml", "[tool.unwaited]\n"), (".git/HEAD", ""), ("a/b/c.py", "")];
        assert_eq!(root(&ours, Discovery::Nearest).as_deref(), Some("a"));
        let other = [("a/pyproject.toml", "[tool.other]\n"), (".git/HEAD", ""), ("a/b/c.py", "")];
        assert_eq!(root(&other, Discovery::Nearest).as_deref(), Some(""));
    }
}
