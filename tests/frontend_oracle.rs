//! An oracle for the Python front end: what another parser of the language accepts, ours lowers without a problem.
//!
//! The programs are the standard library of the Python that is installed, if one is.

use std::path::{Path, PathBuf};
use std::process::Command;

use rustpython_parser::{Mode, parse};
use unwaited::frontend::{ModuleName, python::lower};

/// The folder of the standard library, as the installed Python says.
fn standard_library() -> Option<PathBuf> {
    let question = "import sysconfig; print(sysconfig.get_path('stdlib'))";
    let answer = Command::new("python3").args(["-c", question]).output().ok()?;
    let folder = PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim());
    folder.is_dir().then_some(folder)
}

fn python_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|it| it.path()) {
        if path.is_dir() && !path.is_symlink() {
            python_files(&path, found);
        } else if path.extension().is_some_and(|it| it == "py") {
            found.push(path);
        }
    }
}

#[test]
fn the_standard_library_is_lowered_wherever_the_oracle_accepts_it() {
    let Some(folder) = standard_library() else {
        println!("skipped: there is no python3 here that names its standard library");
        return;
    };
    let mut files = Vec::new();
    python_files(&folder, &mut files);
    // Other packages may be installed inside the folder; they are no part of the library.
    files.retain(|it| {
        !it.components().any(|it| matches!(it.as_os_str().to_str(), Some("site-packages" | "dist-packages")))
    });
    files.sort();
    let mut accepted = 0;
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        if parse(&text, Mode::Module, "<file>").is_err() {
            continue;
        }
        accepted += 1;
        let found = lower(&text, &ModuleName::default());
        assert!(found.problems.is_empty(), "{}: {:?}", path.display(), found.problems);
        let faults = found.unit.faults();
        assert!(faults.is_empty(), "{}: {faults:?}", path.display());
    }
    assert!(
        accepted > 100,
        "the oracle accepts only {accepted} of {} files in {}",
        files.len(),
        folder.display()
    );
}
