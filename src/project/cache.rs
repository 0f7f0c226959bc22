//! Remembers what was found in files, so that a run over a tree that has not changed reads none of it.
//!
//! - A **stamp** is what the file system says of a file without reading it: its size and when it changed.
//! - A **print** is what a file is recognised by: its stamp, a hash of its content, and its name among the modules. A file whose
//!   stamp is that of before is not read; one whose stamp has changed and whose content has not is read, and not analysed.
//! - A **memory** is a file of the cache: what was found in the files of one tree under the same settings by the same binary.
//!
//! ```text
//! .unwaited_cache/0.1.0/5f1c…  a.py   size, times, hash   not worth parsing
//!                              b.py   size, times, hash   one finding
//! second run                   a.py   same stamp          nothing is read
//!                              b.py   same stamp          read, to show the line
//! ```
//!
//! A stamp is believed only if the file was older than the clock of the file system can hide when it was read; else a second
//! change in the same instant would not be seen. Memories are written beside the old ones and take their places, so that two
//! runs can share them; one that is damaged counts as empty, and where none can be written the user is told.

mod memory;
mod print;
mod stored;
mod tree;

pub(crate) use print::Print;
pub(crate) use stored::{Found, Stored, Worth};

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::check::Task;
use super::root::Roots;
use super::settings::Settings;
use super::walk::{File, shown};
use super::{Options, pool};
use memory::Memory;
use print::{Modules, Stamp};
pub(crate) use tree::TreeMemory;

/// The folder of the cache in the root of a tree.
const FOLDER: &str = ".unwaited_cache";

/// Whether a run remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheUse {
    /// It does.
    Remembers,
    /// It reads everything, and writes nothing.
    #[default]
    Forgets,
}

/// What is remembered of the files of a run.
#[derive(Default)]
pub(crate) struct Cache {
    memories: Vec<Shelf>,
    modules: Modules,
}

/// A memory on its way through a run.
struct Shelf {
    path: PathBuf,
    old: Memory,
    new: Mutex<BTreeMap<String, Stored>>,
}

/// Where in the cache a file belongs.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    shelf: usize,
    file: String,
}

impl Cache {
    /// Opens the memories of some files, and tells each file where it belongs.
    pub(crate) fn open(tasks: &mut [Task<'_>], options: &Options) -> Self {
        let mut cache = Self::default();
        if options.cache == CacheUse::Forgets {
            return cache;
        }
        let mut roots = Roots::new(options.resolver.discovery().clone());
        let mut shelves: BTreeMap<PathBuf, usize> = BTreeMap::new();
        let mut names: BTreeMap<*const Settings, String> = BTreeMap::new();
        for task in tasks {
            let Some(folder) = folder_of(&task.file.path, &task.settings, &mut roots) else { continue };
            let name = names
                .entry(std::sync::Arc::as_ptr(&task.settings))
                .or_insert_with(|| format!("{:016x}.json", hash_of_settings(&task.settings)));
            let path = folder.join(env!("CARGO_PKG_VERSION")).join(name);
            let shelf = *shelves.entry(path).or_insert_with_key(|path| {
                let (path, old) = (path.clone(), Memory::read(path));
                cache.memories.push(Shelf { path, old, new: Mutex::default() });
                cache.memories.len() - 1
            });
            task.slot = Some(Slot { shelf, file: task.path.to_string_lossy().into_owned() });
        }
        cache
    }

    /// The print of a file as it is before it is read.
    pub(crate) fn print(&self, task: &Task<'_>) -> Option<Print> {
        task.slot.as_ref()?;
        Print::before_reading(&task.file.path, &self.modules)
    }

    /// What is remembered of a file whose stamp is that of before.
    pub(crate) fn recall(&self, task: &Task<'_>, print: &Print) -> Option<&Stored> {
        self.stored(task).filter(|stored| print.is_believed(&stored.print))
    }

    /// What is remembered of a file with this content, which from now on is remembered under its new stamp.
    pub(crate) fn recognise(&self, task: &Task<'_>, print: &Print) -> Option<Stored> {
        let stored = self.stored(task).filter(|stored| print.is_same_content(&stored.print))?;
        let is_fresh = print.is_believed(&stored.print) && stored.print.is_younger_than_a_day(print);
        let renewed = stored.under(print.clone());
        if let Some(slot) = task.slot.as_ref().filter(|_| !is_fresh) {
            self.learn(slot, renewed.clone());
        }
        Some(renewed)
    }

    /// What was remembered of a file before this run, whatever has become of it.
    pub(crate) fn stored(&self, task: &Task<'_>) -> Option<&Stored> {
        let slot = task.slot.as_ref()?;
        let stored = self.memories.get(slot.shelf)?.old.files.get(&slot.file)?;
        // Of a file that is named, more is to be known.
        Some(stored).filter(|stored| !(task.file.named && stored.worth == Worth::Ranks))
    }

    /// Keeps what is known of a file.
    pub(crate) fn learn(&self, slot: &Slot, stored: Stored) {
        if let Some(shelf) = self.memories.get(slot.shelf) {
            lock(&shelf.new).insert(slot.file.clone(), stored);
        }
    }

    /// Writes what is new. What cannot be written is told in sentences for the user.
    pub(crate) fn close(self) -> Vec<String> {
        let mut failures: Vec<String> = Vec::new();
        for Shelf { path, old, new } in self.memories {
            let new = new.into_inner().unwrap_or_else(PoisonError::into_inner);
            if let Err(why) = old.write(&path, new) {
                let folder = path.ancestors().nth(2).unwrap_or(&path);
                failures.push(format!(
                    "the cache `{}` cannot be written: {why}; `--no-cache` does without it, `--cache-dir` puts it elsewhere",
                    shown(folder)
                ));
            }
        }
        failures.dedup();
        failures
    }

    /// What is remembered of a tree as a whole.
    pub(crate) fn tree(root: &Path, files: &[File], options: &Options) -> Option<TreeMemory> {
        if options.cache == CacheUse::Forgets {
            return None;
        }
        let settings = options.resolver.of_folder(root).ok()?;
        let folder = settings.cache_folder().unwrap_or_else(|| root.join(FOLDER));
        let stamps = pool::map(options.threads(), files, |file| Stamp::of(&file.path));
        let stamps: Option<Vec<Stamp>> = stamps.into_iter().map(|stamp| stamp.unwrap_or_default()).collect();
        let path = folder.join(env!("CARGO_PKG_VERSION")).join(format!("{:016x}-tree.json", hash(root)));
        Some(TreeMemory::read(path, files, &stamps?))
    }
}

/// The folder of the cache for a file: the one that is set, or one in the root of its tree.
fn folder_of(file: &Path, settings: &Settings, roots: &mut Roots) -> Option<PathBuf> {
    if let Some(folder) = settings.cache_folder() {
        return Some(folder);
    }
    let root = roots.of(file).or_else(|| std::env::current_dir().ok())?;
    Some(root.join(FOLDER))
}

/// A hash of everything that decides what is found, beside the files: the settings and the binary.
fn hash_of_settings(settings: &Settings) -> u64 {
    hash(&(format!("{settings:?}"), binary()))
}

/// What tells this binary from one that was built later from the same version.
fn binary() -> Option<Stamp> {
    std::env::current_exe().ok().and_then(|path| Stamp::of(&path))
}

/// A hash that is the same in every run.
pub(crate) fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
