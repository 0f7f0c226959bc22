//! Finds the files around those that were given one by one: what they import of their own project.
//!
//! A hook or an editor gives single files. Whether a call in one of them gives a handle is said in another, so the files that
//! they import are looked at too, and what these import. Nothing of them is reported. Where a folder is given, its files are
//! the tree, and nothing outside of it is read.
//!
//! What belongs to the project is what lies in the same package or beside the file; a folder of installed packages is none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::File;
use super::modules::Modules;
use crate::frontend;
use crate::source::{self, Language};

/// How many files are looked at in all.
const MOST: usize = 5_000;

/// Folders that hold packages of others.
const INSTALLED: [&str; 2] = ["site-packages", "dist-packages"];

/// The files that named files import, directly or not, and that are not among the files.
pub(crate) fn imported_files(files: &[File]) -> Vec<File> {
    let named: Vec<&File> = files.iter().filter(|file| file.named).collect();
    if named.is_empty() {
        return Vec::new();
    }
    let mut search = Search::new(files);
    for file in named {
        if let Ok(bytes) = std::fs::read(&file.path) {
            search.look_at(&file.path, &bytes);
        }
    }
    search.finish()
}

/// The files that a text imports.
pub(crate) fn imported_by(file: &File, bytes: &[u8]) -> Vec<File> {
    let mut search = Search::new(std::slice::from_ref(file));
    search.look_at(&file.path, bytes);
    search.finish()
}

struct Search {
    modules: Modules,
    seen: BTreeSet<PathBuf>,
    waiting: Vec<PathBuf>,
    found: Vec<File>,
}

impl Search {
    fn new(files: &[File]) -> Self {
        let seen = files.iter().map(|file| absolute(&file.path)).collect();
        Self { modules: Modules::default(), seen, waiting: Vec::new(), found: Vec::new() }
    }

    /// Finds what a file imports.
    fn look_at(&mut self, path: &Path, bytes: &[u8]) {
        if Language::of(path) == Some(Language::Rust) || source::is_notebook(path) {
            return;
        }
        let number = self.modules.add(path);
        let module = self.modules.name(number);
        for import in frontend::python::imports(bytes, &module) {
            let is_same_package = import.split('.').next() == module.dotted.split('.').next();
            for candidate in self.modules.candidates(number, &import) {
                let is_of_project = is_same_package || !is_installed(&candidate);
                if is_of_project && !self.seen.contains(&candidate) && self.found.len() < MOST {
                    let is_file = candidate.is_file();
                    self.seen.insert(candidate.clone());
                    if is_file {
                        self.waiting.push(candidate);
                    }
                }
            }
        }
    }

    fn finish(mut self) -> Vec<File> {
        while let Some(path) = self.waiting.pop() {
            if let Ok(bytes) = std::fs::read(&path)
                && self.found.len() < MOST
            {
                self.look_at(&path, &bytes);
                self.found.push(File { path, named: false });
            }
        }
        self.found.sort();
        self.found
    }
}

fn is_installed(path: &Path) -> bool {
    path.ancestors().skip(1).any(|folder| {
        folder.file_name().is_some_and(|name| INSTALLED.iter().any(|installed| name == *installed))
    })
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
