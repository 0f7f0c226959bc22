//! Names of files as services want them that show a repository: from its root, wherever in it the run was started.
//!
//! ```text
//! repository /p, run in /p/src       send.py       src/send.py
//!                                    ../a.py       a.py
//! no repository                      send.py       send.py
//! ```

use std::path::{Component, Path, PathBuf};

use super::outcome::Outcome;
use super::root::is_under_version_control;
use super::walk::STANDARD_INPUT;

impl Outcome {
    /// The same with every file named from the root of the repository that the run was started in, if there is one.
    pub fn named_from_the_repository(&self) -> Self {
        let here = std::env::current_dir().unwrap_or_default();
        let root = here.ancestors().find(|folder| is_under_version_control(folder)).map(Path::to_owned);
        let mut outcome = self.clone();
        let reports = outcome.reports.iter_mut().filter(|_| root.is_some());
        reports.for_each(|report| report.name = name(&report.name, &here, root.as_deref().unwrap_or(&here)));
        outcome
    }
}

/// The name from the root, if the file lies below it.
fn name(name: &str, here: &Path, root: &Path) -> String {
    if name == STANDARD_INPUT {
        return name.to_owned();
    }
    let path = plain(&here.join(name));
    path.strip_prefix(root).map_or_else(|_| name.to_owned(), |path| path.to_string_lossy().into_owned())
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_beside_and_outside() {
        let name = |text: &str| name(text, Path::new("/p/src"), Path::new("/p"));
        let names = ["send.py", "../a.py", "/p/b.py", "../../other/c.py", "/q/d.py", "<stdin>"].map(name);
        assert_eq!(names, ["src/send.py", "a.py", "b.py", "../../other/c.py", "/q/d.py", "<stdin>"]);
    }
}
