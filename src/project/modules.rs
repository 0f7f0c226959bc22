//! Which file a dotted name means: the index of the modules of a tree.
//!
//! - The **base** of a file is the folder in which its outermost package lies, or the file itself where it is in none. Names
//!   are looked up there first, as Python does with the folder of a script and with an installed package.
//! - A name that the base of the importing file does not know may be that of another base: `src/pkg` is found from `tests`,
//!   if only one file of the tree has the name.
//! - A folder without `__init__.py` is a package too: `tools.comm` is `tools/comm.py` in some folder above the importing file.
//!
//! ```text
//! src/pkg/__init__.py      base src, pkg
//! src/pkg/comm.py          base src, pkg.comm
//! tests/test_comm.py       base tests, test_comm        from pkg.comm import push → src/pkg/comm.py
//! tools/run.py             base tools, run              from helper import x      → tools/helper.py
//! ```

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::module_name::Packages;
use crate::frontend::ModuleName;

/// The modules of some files.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    names: Vec<Name>,
    by_name: HashMap<String, Vec<usize>>,
    by_path: HashMap<PathBuf, usize>,
    packages: Packages,
}

/// What a file is called.
#[derive(Clone, Debug)]
struct Name {
    path: PathBuf,
    base: PathBuf,
    module: ModuleName,
}

/// How many folders above a file are searched for a package without `__init__.py`.
const FOLDERS_UP: usize = 6;

impl Modules {
    /// The modules of files in their order.
    pub(crate) fn of<'p>(files: impl Iterator<Item = &'p Path>) -> Self {
        let mut modules = Self::default();
        files.for_each(|file| {
            modules.add(file);
        });
        modules
    }

    /// Adds a file, whose number is that of the call.
    pub(crate) fn add(&mut self, path: &Path) -> usize {
        let number = self.names.len();
        let (module, base) = self.packages.name(path);
        let name = Name { path: absolute(path), base, module };
        self.by_name.entry(name.module.dotted.clone()).or_default().push(number);
        self.by_path.insert(name.path.clone(), number);
        self.names.push(name);
        number
    }

    /// The name of a file among the modules.
    pub(crate) fn name(&self, file: usize) -> ModuleName {
        self.names.get(file).map(|name| name.module.clone()).unwrap_or_default()
    }

    /// The number of a file.
    #[cfg(test)]
    pub(crate) fn number(&self, path: &Path) -> Option<usize> {
        self.by_path.get(&absolute(path)).copied()
    }

    /// The file that a dotted name means in another file.
    pub(crate) fn module(&self, from: usize, dotted: &str) -> Option<usize> {
        let importer = self.names.get(from)?;
        let named = self.by_name.get(dotted).map(Vec::as_slice).unwrap_or_default();
        let near: Vec<usize> =
            named.iter().copied().filter(|&file| self.names[file].base == importer.base).collect();
        match (near.as_slice(), named) {
            ([one], _) | ([], [one]) => Some(*one),
            ([], []) => self.in_folder_above(importer, dotted),
            _ => None,
        }
    }

    /// The file that a dotted name begins with in another file: `pkg.comm` for `pkg.comm.push`.
    pub(crate) fn module_in(&self, from: usize, dotted: &str) -> Option<usize> {
        let ends = dotted.match_indices('.').map(|(at, _)| at).rev();
        std::iter::once(dotted.len())
            .chain(ends)
            .take(4)
            .find_map(|end| dotted.get(..end).and_then(|name| self.module(from, name)))
    }

    /// Files that are not among those of the index and that an import may mean, in the order in which they are looked for.
    pub(crate) fn candidates(&self, from: usize, dotted: &str) -> Vec<PathBuf> {
        let Some(importer) = self.names.get(from) else { return Vec::new() };
        let mut folder = importer.base.clone();
        let mut candidates = Vec::new();
        for segment in dotted.split('.').filter(|segment| !segment.is_empty()) {
            folder.push(segment);
            candidates.push(folder.join("__init__.py"));
            candidates.push(folder.with_extension("py"));
        }
        candidates
    }

    fn in_folder_above(&self, importer: &Name, dotted: &str) -> Option<usize> {
        if !dotted.contains('.') {
            return None;
        }
        let relative: PathBuf = dotted.split('.').collect();
        let (file, package) = (relative.with_extension("py"), relative.join("__init__.py"));
        importer.path.ancestors().skip(1).take(FOLDERS_UP).find_map(|folder| {
            let found = self.by_path.get(&folder.join(&file));
            found.or_else(|| self.by_path.get(&folder.join(&package))).copied()
        })
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The last names of dotted ones, hashed: enough to know whether a file is worth a second look.
pub(crate) fn last_names<'d>(dotted: impl Iterator<Item = &'d str>) -> HashSet<u64> {
    dotted.filter_map(|name| name.rsplit('.').next()).map(super::cache::hash).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 8] = [
        "src/pkg/__init__.py",
        "src/pkg/comm.py",
        "src/pkg/sub/__init__.py",
        "tests/test_comm.py",
        "tools/run.py",
        "tools/helper.py",
        "scripts/helper.py",
        "examples/deep/net.py",
    ];

    fn resolved(from: &str, dotted: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let mut modules = Modules::default();
        for file in FILES {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
        }
        FILES.iter().for_each(|file| {
            modules.add(&folder.path().join(file));
        });
        let from = modules.number(&folder.path().join(from)).unwrap();
        modules.module_in(from, dotted).map(|file| FILES[file].to_owned())
    }

    #[test]
    fn a_function_of_a_module_of_the_same_package() {
        assert_eq!(resolved("src/pkg/sub/__init__.py", "pkg.comm.push").as_deref(), Some("src/pkg/comm.py"));
        assert_eq!(resolved("src/pkg/comm.py", "pkg.push").as_deref(), Some("src/pkg/__init__.py"));
    }

    #[test]
    fn a_package_below_src_from_the_tests() {
        assert_eq!(resolved("tests/test_comm.py", "pkg.comm.push").as_deref(), Some("src/pkg/comm.py"));
    }

    #[test]
    fn a_script_beside_another() {
        assert_eq!(resolved("tools/run.py", "helper.push").as_deref(), Some("tools/helper.py"));
        assert_eq!(resolved("tests/test_comm.py", "helper.push"), None, "two files have the name");
    }

    #[test]
    fn a_folder_without_init() {
        assert_eq!(
            resolved("tests/test_comm.py", "examples.deep.net.run").as_deref(),
            Some("examples/deep/net.py")
        );
    }

    #[test]
    fn what_the_tree_does_not_have() {
        assert_eq!(resolved("src/pkg/comm.py", "torch.distributed.isend"), None);
    }
}
