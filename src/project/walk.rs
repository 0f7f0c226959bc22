//! Finds the files to read.
//!
//! Folders are walked in parallel. Ignore files count, hidden files are read, and folders that hold no code of the project
//! ([`LEFT_OUT`]) are left out, all as ruff does. A path that is given is always read. Links to folders are not followed,
//! so that no loop and no folder is walked twice; a link to a file is read unless the file itself is found too.

use std::collections::BTreeSet;
use std::fs::{self, FileType};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::WalkOptions;
use crate::source::Language;

/// Names of folders that are not walked into unless they are given.
const LEFT_OUT: &[&str] = &[
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pypackages__",
    "_build",
    "buck-out",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
];

/// Whether ignore files count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gitignore {
    /// `.gitignore`, `.ignore` and git's own exclude files are respected.
    #[default]
    Respected,
    /// They are not looked at.
    NotRespected,
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    /// Its path, as it is reached from the working directory.
    pub path: PathBuf,
    /// Whether the user named it, or it was found in a folder.
    pub named: bool,
}

impl File {
    /// The path as reports show it: relative to the working directory where it lies in it.
    pub fn name(&self) -> String {
        let path = self.path.strip_prefix(".").unwrap_or(&self.path);
        let here = std::env::current_dir().unwrap_or_default();
        path.strip_prefix(here).unwrap_or(path).to_string_lossy().into_owned()
    }
}

/// The files that paths lead to.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The files, in the order of their paths.
    pub files: Vec<File>,
    /// Paths that could not be read, with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
    /// What the user should know: paths that were given and are no source files.
    pub notes: Vec<String>,
    /// Whether a file may have been reached in two ways.
    ambiguous: bool,
}

/// A pattern of files to leave out that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    pattern: String,
    why: String,
}

impl BadPattern {
    fn new(pattern: &str, error: &ignore::Error) -> Self {
        let why = match error {
            ignore::Error::Glob { err, .. } => err.clone(),
            other => other.to_string(),
        };
        Self { pattern: pattern.to_owned(), why }
    }
}

impl std::fmt::Display for BadPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is no pattern for files: {}", self.pattern, self.why)
    }
}

impl std::error::Error for BadPattern {}

/// Finds the files that the given paths lead to.
pub fn find_files(paths: &[PathBuf], options: &WalkOptions) -> Result<Files, BadPattern> {
    let mut found = Files { ambiguous: paths.len() > 1, ..Files::default() };
    let mut folders = Vec::new();
    for path in paths {
        match fs::metadata(path) {
            Ok(data) if data.is_dir() => folders.push(path),
            Ok(data) => found.add_named(path, data.file_type()),
            Err(error) => found.unreadable.push((path.clone(), reason(&error))),
        }
    }
    found.walk(&folders, options)?;
    found.in_order();
    Ok(found)
}

impl Files {
    fn add_named(&mut self, path: &Path, kind: FileType) {
        if !kind.is_file() {
            self.unreadable.push((path.to_owned(), "it is not a regular file".to_owned()));
        } else if Language::of(path).is_some() || (path.extension().is_none() && is_script(path)) {
            self.files.push(File { path: path.to_owned(), named: true });
        } else if path.extension().is_none_or(|ending| ending != "pyi") {
            self.notes.push(format!("skipped `{}`: it is not a Python or Rust file", path.display()));
        }
    }

    fn walk(&mut self, folders: &[&PathBuf], options: &WalkOptions) -> Result<(), BadPattern> {
        let exclusions = exclusions(&options.exclude)?;
        let Some((first, rest)) = folders.split_first() else { return Ok(()) };
        let mut walk = WalkBuilder::new(first);
        for folder in rest {
            walk.add(folder);
        }
        walk.standard_filters(options.gitignore == Gitignore::Respected)
            .hidden(false)
            .follow_links(false)
            .threads(options.threads())
            .overrides(exclusions)
            .filter_entry(|entry| entry.depth() == 0 || !is_left_out(entry));
        let found = Mutex::new(Files::default());
        walk.build_parallel().run(|| {
            Box::new(|entry| {
                found.lock().unwrap_or_else(PoisonError::into_inner).add_found(entry);
                WalkState::Continue
            })
        });
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.files.extend(found.files);
        self.unreadable.extend(found.unreadable);
        self.ambiguous |= found.ambiguous;
        Ok(())
    }

    fn add_found(&mut self, entry: Result<DirEntry, ignore::Error>) {
        match entry {
            Ok(entry) if is_source(&entry) => {
                self.ambiguous |= entry.path_is_symlink();
                self.files.push(File { path: entry.into_path(), named: false });
            }
            Ok(_) => {}
            Err(error) => {
                let why = error.io_error().map_or_else(|| error.to_string(), reason);
                self.unreadable.push((path_of(&error).map(Path::to_owned).unwrap_or_default(), why));
            }
        }
    }

    /// Sorts, and drops what was reached twice.
    fn in_order(&mut self) {
        if self.ambiguous {
            self.drop_copies();
        }
        self.files.sort_by(|left, right| left.path.cmp(&right.path));
        self.unreadable.sort();
    }

    /// Keeps one of several paths to the same file: a named one if there is one, else the file itself before links to it.
    fn drop_copies(&mut self) {
        self.files.sort_by_key(|file| (!file.named, is_link(&file.path)));
        let mut known = BTreeSet::new();
        let identity = |file: &File| file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
        self.files.retain(|file| known.insert(identity(file)));
    }
}

/// The reason of an error without the number that the standard library adds.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

fn exclusions(patterns: &[String]) -> Result<Override, BadPattern> {
    let mut builder = OverrideBuilder::new(std::env::current_dir().unwrap_or_default());
    for pattern in patterns {
        builder.add(&format!("!{pattern}")).map_err(|error| BadPattern::new(pattern, &error))?;
    }
    builder.build().map_err(|error| BadPattern::new(&patterns.join(","), &error))
}

fn is_left_out(entry: &DirEntry) -> bool {
    let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let name = entry.file_name().to_str().unwrap_or_default();
    folder && (LEFT_OUT.contains(&name) || (name == "target" && is_beside_manifest(entry.path())))
}

/// Whether a folder lies beside the manifest of a Rust package: then `target` holds what was built.
fn is_beside_manifest(folder: &Path) -> bool {
    folder.parent().is_some_and(|parent| parent.join("Cargo.toml").is_file())
}

fn is_source(entry: &DirEntry) -> bool {
    Language::of(entry.path()).is_some()
        && entry.file_type().is_some_and(|kind| {
            kind.is_file()
                || (kind.is_symlink() && fs::metadata(entry.path()).is_ok_and(|data| data.is_file()))
        })
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink())
}

fn is_script(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(256).read_to_end(&mut start));
    read.is_ok() && Language::of_script(&start).is_some()
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}
