//! Finds the settings of each file, and keeps what it has found.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::discover::{Discovery, file_in, layers};
use super::{Layer, Settings, SettingsError};

/// A folder as it really is, with the settings of the files in it.
type Folder = (PathBuf, Arc<Settings>);
/// What was found, or what is wrong with it.
type Found<T> = Result<T, SettingsError>;

/// Finds the settings of each file. What is found once is kept: to see changes of configuration files, make a new one.
#[derive(Debug, Default)]
pub struct Resolver {
    discovery: Discovery,
    /// What the command line or the editor says.
    on_top: Vec<Layer>,
    folders: Mutex<HashMap<PathBuf, Found<Folder>>>,
    files: Mutex<HashMap<Option<PathBuf>, Found<Arc<Settings>>>>,
    /// The configuration file that counts in each folder.
    nearest: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
}

impl Resolver {
    /// A resolver that looks for configuration files in this way, and puts these layers on top.
    pub fn new(discovery: Discovery, on_top: Vec<Layer>) -> Self {
        Self { discovery, on_top, ..Self::default() }
    }

    /// Which configuration files count.
    pub fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// The settings of a file that may not exist, with its absolute path.
    pub fn of_file(&self, file: &Path) -> Found<(Arc<Settings>, PathBuf)> {
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let (folder, settings) = self.folder(folder)?;
        let path = file.file_name().map_or_else(|| folder.clone(), |name| folder.join(name));
        Ok((settings, path))
    }

    /// The settings of the files in a folder.
    pub fn of_folder(&self, folder: &Path) -> Found<Arc<Settings>> {
        self.folder(folder).map(|(_, settings)| settings)
    }

    fn folder(&self, folder: &Path) -> Found<Folder> {
        if let Some(known) = lock(&self.folders).get(folder) {
            return known.clone();
        }
        let real = folder.canonicalize().or_else(|_| std::path::absolute(folder));
        let real = real.unwrap_or_else(|_| folder.to_owned());
        let file = match &self.discovery {
            Discovery::Nearest => self.nearest(&real),
            Discovery::File(path) => Some(path.clone()),
            Discovery::Isolated => None,
        };
        let found = self.of_configuration(file).map(|settings| (real, settings));
        lock(&self.folders).insert(folder.to_owned(), found.clone());
        found
    }

    /// The configuration file that counts in a folder: its own, or that of the folder above.
    fn nearest(&self, folder: &Path) -> Option<PathBuf> {
        if let Some(known) = lock(&self.nearest).get(folder) {
            return known.clone();
        }
        let above = || folder.parent().and_then(|parent| self.nearest(parent));
        let found = file_in(folder).or_else(above);
        lock(&self.nearest).insert(folder.to_owned(), found.clone());
        found
    }

    fn of_configuration(&self, file: Option<PathBuf>) -> Found<Arc<Settings>> {
        if let Some(known) = lock(&self.files).get(&file) {
            return known.clone();
        }
        let found = self.assemble(file.as_deref()).map(Arc::new);
        lock(&self.files).insert(file, found.clone());
        found
    }

    fn assemble(&self, file: Option<&Path>) -> Found<Settings> {
        let mut all = file.map(layers).transpose()?.unwrap_or_default();
        all.extend(self.on_top.iter().cloned());
        Settings::of(all)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
