//! A file of the cache.
//!
//! Its first row is a hash of the rest, so that damage shows; the rest is JSON.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::print::now;
use super::{Stored, hash};
use crate::project::replace_file;
use crate::project::walk::reason;

/// How long a file is remembered that no run has seen.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// By this, tools that make copies know a cache.
const TAG: &[u8] =
    b"Signature: 8a477f597d28d172789f06886806bc55\n# Made by unwaited; see https://bford.info/cachedir/\n";

/// What was found in files, by their paths.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Memory {
    pub(super) files: BTreeMap<String, Stored>,
}

impl Memory {
    /// What is written in a file; nothing where it is not there or damaged.
    pub(super) fn read(path: &Path) -> Self {
        read(path).unwrap_or_default()
    }

    /// Writes this memory with what is new, and with what another run has written meanwhile. Where nothing is new, nothing is
    /// written. An error is the reason.
    pub(super) fn write(self, path: &Path, new: BTreeMap<String, Stored>) -> Result<(), String> {
        if new.is_empty() {
            return Ok(());
        }
        let mut files = self.files;
        files.extend(Self::read(path).files);
        files.extend(new);
        let oldest = now().saturating_sub(u64::try_from(LONGEST.as_nanos()).unwrap_or(u64::MAX));
        files.retain(|_, stored| stored.print.at() > oldest);
        write(path, &Self { files })
    }
}

/// Reads a value, unless it is not there or damaged.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let text = std::fs::read_to_string(path).ok()?;
    let (sum, text) = text.split_once('\n')?;
    if sum != format!("{:016x}", hash(text)) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// Writes a value, wholly or not at all. An error is the reason.
pub(super) fn write(path: &Path, value: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string(value).map_err(|error| error.to_string())?;
    let text = format!("{:016x}\n{text}", hash(text.as_str()));
    prepare(path).and_then(|()| replace_file(path, text.as_bytes())).map_err(|error| reason(&error))
}

/// Makes the folders. A folder that is made for the cache lets other tools pass over it; one that was there is not touched.
fn prepare(path: &Path) -> io::Result<()> {
    let (Some(version), Some(folder)) = (path.parent(), path.ancestors().nth(2)) else { return Ok(()) };
    let is_new = !folder.exists();
    std::fs::create_dir_all(version)?;
    if is_new {
        replace_file(&folder.join(".gitignore"), b"# Made by unwaited.\n*\n")?;
        replace_file(&folder.join("CACHEDIR.TAG"), TAG)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_damaged_counts_as_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache/0.1.0/memory.json");
        assert!(read::<Vec<u32>>(&path).is_none());
        write(&path, &[1, 2, 3]).unwrap();
        assert_eq!(read::<Vec<u32>>(&path), Some(vec![1, 2, 3]));
        let text = std::fs::read_to_string(&path).unwrap();
        for damaged in [text.replace('2', "4"), text[..text.len() - 1].to_owned(), String::new()] {
            std::fs::write(&path, damaged).unwrap();
            assert!(read::<Vec<u32>>(&path).is_none());
        }
    }

    #[test]
    fn a_folder_that_was_there_keeps_its_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".gitignore"), "mine").unwrap();
        write(&folder.path().join("0.1.0/memory.json"), &1).unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join(".gitignore")).unwrap(), "mine");
        assert!(!folder.path().join("CACHEDIR.TAG").exists());
    }

    #[test]
    fn a_folder_that_cannot_be_made() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("cache"), "a file").unwrap();
        insta::assert_snapshot!(write(&folder.path().join("cache/0.1.0/memory.json"), &1).unwrap_err(), @"not a directory");
    }
}
