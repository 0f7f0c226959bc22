//! Where a file stands among the modules of its tree.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::frontend::ModuleName;

/// The dotted name of a file, from the outermost folder that is a package (that has an `__init__.py`).
pub(crate) fn module_name(path: &Path) -> ModuleName {
    Packages::default().name(path).0
}

/// Which folders are packages, as far as that was asked.
#[derive(Debug, Default)]
pub(crate) struct Packages {
    known: HashMap<PathBuf, bool>,
}

impl Packages {
    /// The dotted name of a file, and the folder in which its outermost package lies.
    pub(crate) fn name(&mut self, path: &Path) -> (ModuleName, PathBuf) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let package = stem == "__init__";
        let mut segments = if package { Vec::new() } else { vec![stem] };
        let mut base = path.parent().map(Path::to_owned).unwrap_or_default();
        for folder in path.ancestors().skip(1).take_while(|folder| self.contains(folder)) {
            segments.extend(folder.file_name().map(|name| name.to_string_lossy().into_owned()));
            base = folder.parent().map(Path::to_owned).unwrap_or_default();
        }
        segments.reverse();
        (ModuleName { dotted: segments.join("."), package }, base)
    }

    fn contains(&mut self, folder: &Path) -> bool {
        if let Some(&known) = self.known.get(folder) {
            return known;
        }
        let is_package = folder.join("__init__.py").is_file();
        self.known.insert(folder.to_owned(), is_package);
        is_package
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        folder
    }

    fn name(files: &[&str], file: &str) -> (String, bool) {
        let folder = tree(files);
        let name = module_name(&folder.path().join(file));
        (name.dotted, name.package)
    }

    #[test]
    fn a_module_of_a_nested_package() {
        let files = ["src/pkg/__init__.py", "src/pkg/sub/__init__.py", "src/pkg/sub/send.py"];
        assert_eq!(name(&files, "src/pkg/sub/send.py"), ("pkg.sub.send".to_owned(), false));
        assert_eq!(name(&files, "src/pkg/sub/__init__.py"), ("pkg.sub".to_owned(), true));
    }

    #[test]
    fn a_script_outside_any_package() {
        assert_eq!(name(&["bin/send.py"], "bin/send.py"), ("send".to_owned(), false));
    }
}
