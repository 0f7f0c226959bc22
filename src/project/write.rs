//! Writes fixed files: wholly or not at all.
//!
//! The new text is written beside the file and then takes its place, so that nobody ever sees half of it. It keeps the
//! encoding, the permissions and, through a link, the place of the file. A file that somebody has changed since it was read
//! is left alone.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::replace::replace_file;
use super::walk::reason;
use crate::source::{decode, encode_like};

/// A file and its text before and after its fixes.
#[derive(Clone, Debug)]
pub struct Change {
    /// Where it is; `None` for a text that is no file.
    pub path: Option<PathBuf>,
    /// Its name in reports.
    pub name: String,
    /// Its text as it was read.
    pub before: String,
    /// Its text with the fixes.
    pub after: String,
    /// How many findings the fixes have removed.
    pub fixed: usize,
}

impl Change {
    /// Writes the file. An error is a message for the user; then the file is as it was.
    pub fn write(&self) -> Result<(), String> {
        let Some(path) = &self.path else { return Ok(()) };
        let failed = |why: String| format!("the fixes of `{}` are not written: {why}", self.name);
        let told = |error: io::Error| failed(reason(&error));
        let target = fs::canonicalize(path).map_err(told)?;
        let bytes = fs::read(&target).map_err(told)?;
        if decode(bytes.clone()).as_deref() != Ok(self.before.as_str()) {
            return Err(failed("the file has changed since it was read".to_owned()));
        }
        let Some(bytes) = encode_like(&bytes, &self.after) else {
            return Err(failed("they cannot be written in the encoding of the file".to_owned()));
        };
        replace_file(&target, &bytes).map_err(told)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn change(path: &Path, before: &str, after: &str) -> Change {
        Change {
            path: Some(path.to_owned()),
            name: "a.py".to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
            fixed: 1,
        }
    }

    #[test]
    fn the_encoding_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.py");
        fs::write(&path, b"# coding: latin-1\n'\xe9'\n").unwrap();
        change(&path, "# coding: latin-1\n'é'\n", "# coding: latin-1\n'éé'\n").write().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"# coding: latin-1\n'\xe9\xe9'\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_has_changed_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.py");
        fs::write(&path, "x = 2\n").unwrap();
        let error = change(&path, "x = 1\n", "x = 3\n").write().unwrap_err();
        insta::assert_snapshot!(error, @"the fixes of `a.py` are not written: the file has changed since it was read");
        assert_eq!(fs::read_to_string(&path).unwrap(), "x = 2\n");
    }

    #[test]
    fn a_file_that_is_read_only_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.py");
        fs::write(&path, "x = 1\n").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let error = change(&path, "x = 1\n", "x = 3\n").write().unwrap_err();
        insta::assert_snapshot!(error, @"the fixes of `a.py` are not written: the file is read-only");
        assert_eq!(fs::read_to_string(&path).unwrap(), "x = 1\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.py"), folder.path().join("b.py"));
        fs::write(&path, "x = 1\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        symlink("a.py", &link).unwrap();
        change(&link, "x = 1\n", "x = 3\n").write().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "x = 3\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
    }
}
