//! Finds the files to read.
//!
//! Folders are walked in parallel. Ignore files count, hidden files are read, and folders that hold no code of the project
//! are left out ([`super::settings`]), all as ruff does. A path that is given is always read. Links to folders are not followed,
//! so that no loop and no folder is walked twice; a link to a file is read unless the file itself is found too.

use std::collections::BTreeSet;
use std::fs::{self, FileType};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::settings::{Resolver, SettingsError};
use super::{GivenPaths, Options};
use crate::source::Language;

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
        shown(&self.path)
    }
}

/// A path as the user reads it: relative to the working directory where it lies in it.
pub(crate) fn shown(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path);
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(here).unwrap_or(path).to_string_lossy();
    if path.is_empty() { ".".to_owned() } else { path.into_owned() }
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

/// Finds the files that the given paths lead to. An error is about the settings of one of the folders.
pub fn find_files(paths: &[PathBuf], options: &Options) -> Result<Files, SettingsError> {
    let mut found = Files { ambiguous: paths.len() > 1, ..Files::default() };
    let mut folders = Vec::new();
    for path in paths {
        match fs::metadata(path) {
            Ok(_) if is_left_out(path, options)? => {}
            Ok(data) if data.is_dir() => folders.push(path),
            Ok(data) => found.add_named(path, data.file_type()),
            Err(error) => found.unreadable.push((path.clone(), reason(&error))),
        }
    }
    let (mut respecting, mut others) = (Vec::new(), Vec::new());
    for folder in folders {
        let settings = options.resolver.of_folder(folder)?;
        if settings.respects_gitignore() { respecting.push(folder) } else { others.push(folder) }
    }
    found.walk(&respecting, Gitignore::Respected, options)?;
    found.walk(&others, Gitignore::NotRespected, options)?;
    found.in_order();
    Ok(found)
}

/// Whether a path that is given is left out all the same.
fn is_left_out(path: &Path, options: &Options) -> Result<bool, SettingsError> {
    match options.given_paths {
        GivenPaths::Read => Ok(false),
        GivenPaths::LeftOutToo => {
            let (settings, path) = options.resolver.of_file(path)?;
            Ok(settings.excludes_anywhere(&path))
        }
    }
}

/// Whether ignore files count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gitignore {
    Respected,
    NotRespected,
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

    fn walk(
        &mut self,
        folders: &[&PathBuf],
        gitignore: Gitignore,
        options: &Options,
    ) -> Result<(), SettingsError> {
        let Some((first, rest)) = folders.split_first() else { return Ok(()) };
        let mut walk = WalkBuilder::new(first);
        for folder in rest {
            walk.add(folder);
        }
        let sieve = Sieve { resolver: Arc::clone(&options.resolver), wrong: Arc::default() };
        let wrong = Arc::clone(&sieve.wrong);
        walk.standard_filters(gitignore == Gitignore::Respected)
            .hidden(false)
            .follow_links(false)
            .threads(options.threads())
            .filter_entry(move |entry| entry.depth() == 0 || sieve.passes(entry));
        let found = Mutex::new(Files::default());
        walk.build_parallel().run(|| {
            Box::new(|entry| {
                lock(&found).add_found(entry);
                WalkState::Continue
            })
        });
        if let Some(wrong) = lock(&wrong).take() {
            return Err(wrong);
        }
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

/// Holds back what the settings leave out.
struct Sieve {
    resolver: Arc<Resolver>,
    /// The first settings that could not be used.
    wrong: Arc<Mutex<Option<SettingsError>>>,
}

impl Sieve {
    fn passes(&self, entry: &DirEntry) -> bool {
        let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if !folder && Language::of(entry.path()).is_none() {
            return true;
        }
        if folder && entry.file_name() == "target" && is_beside_manifest(entry.path()) {
            return false;
        }
        match self.resolver.of_file(entry.path()) {
            Ok((settings, path)) if folder => !settings.excludes_folder(&path),
            Ok((settings, path)) => !settings.excludes_file(&path),
            Err(error) => {
                lock(&self.wrong).get_or_insert(error);
                false
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
