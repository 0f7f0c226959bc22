//! `unwaited check --watch`: checks again whenever a source or a setting changes.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecursiveMode, Watcher};

use super::arguments::CheckArguments;
use super::output::tell;
use super::{Exit, fail, settings};
use crate::project::BASELINE;
use crate::source::Language;

/// How long it must be quiet before it is checked again: editors and version control change much at once.
const QUIET: Duration = Duration::from_millis(100);

/// Names of files that decide what is found, beside sources.
const SETTINGS: &[&str] =
    &["pyproject.toml", "unwaited.toml", ".unwaited.toml", ".gitignore", ".ignore", BASELINE];

/// Checks, and checks again, until somebody ends it.
pub(super) fn run(arguments: &CheckArguments, check: impl Fn() -> Exit) -> Exit {
    let (sender, changes) = channel();
    let mut watcher = match notify::recommended_watcher(sender) {
        Ok(watcher) => watcher,
        Err(error) => return fail(&format!("files cannot be watched: {}", in_words(&error))),
    };
    for (path, mode) in watched(arguments) {
        if let Err(error) = watcher.watch(&path, mode) {
            return fail(&format!("`{}` cannot be watched: {}", path.display(), in_words(&error)));
        }
    }
    loop {
        clear();
        check();
        if !arguments.quiet {
            tell("note", "waiting for changes");
        }
        if !wait(&changes) {
            return fail("files are not watched any more");
        }
    }
}

/// What is watched: given folders with all that is in them, the folders of given files, and those of configuration files.
fn watched(arguments: &CheckArguments) -> Vec<(PathBuf, RecursiveMode)> {
    let folder_of = |path: &Path| match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut watched: Vec<(PathBuf, RecursiveMode)> = Vec::new();
    for path in &arguments.paths {
        match path.is_dir() {
            true => watched.push((path.clone(), RecursiveMode::Recursive)),
            false => watched.push((folder_of(path), RecursiveMode::NonRecursive)),
        }
    }
    if let Ok(resolver) = settings::resolver(&arguments.settings) {
        for path in &arguments.paths {
            let settings = match path.is_dir() {
                true => resolver.of_folder(path),
                false => resolver.of_file(path).map(|(settings, _)| settings),
            };
            let files: Vec<PathBuf> = settings.iter().flat_map(|it| it.files()).map(folder_of).collect();
            watched.extend(files.into_iter().map(|folder| (folder, RecursiveMode::NonRecursive)));
        }
    }
    // The same folder is watched once, with all that is in it if anybody wants that.
    watched.sort_by(|left, right| left.0.cmp(&right.0).then(deep(right.1).cmp(&deep(left.1))));
    watched.dedup_by(|later, earlier| later.0 == earlier.0);
    watched
}

fn deep(mode: RecursiveMode) -> u8 {
    match mode {
        RecursiveMode::Recursive => 1,
        RecursiveMode::NonRecursive => 0,
    }
}

/// Waits for a change that matters, and then until it is quiet. Whether there can be another one.
fn wait(changes: &Receiver<notify::Result<Event>>) -> bool {
    loop {
        match changes.recv() {
            Ok(Ok(event)) if matters(&event) => break,
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tell("warning", &in_words(&error)),
            Err(_) => return false,
        }
    }
    while changes.recv_timeout(QUIET).is_ok() {}
    true
}

fn matters(event: &Event) -> bool {
    let is_change = match event.kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    };
    is_change && (event.need_rescan() || event.paths.iter().any(|path| is_of_interest(path)))
}

fn is_of_interest(path: &Path) -> bool {
    let named = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| SETTINGS.contains(&name));
    // A folder that came or went may hold anything.
    named || Language::of(path).is_some() || path.extension().is_none()
}

fn in_words(error: &notify::Error) -> String {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => {
            "the system watches no more files; on Linux `fs.inotify.max_user_watches` says how many"
                .to_owned()
        }
        notify::ErrorKind::Io(error) => crate::project::reason(error),
        notify::ErrorKind::PathNotFound => "no such file or directory".to_owned(),
        _ => error.to_string(),
    }
}

/// Clears a terminal, so that only the last report is seen.
fn clear() {
    if io::stdout().is_terminal() {
        // Where nobody listens, there is nobody to tell.
        let _ = io::stdout().write_all(b"\x1b[2J\x1b[H");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{CreateKind, ModifyKind};

    fn matters_that(kind: EventKind, path: &str) -> bool {
        matters(&Event::new(kind).add_path(path.into()))
    }

    #[test]
    fn sources_settings_and_folders_matter() {
        for path in ["/p/a.py", "/p/pyproject.toml", "/p/.gitignore", "/p/pkg", "/p/unwaited-baseline.json"] {
            assert!(matters_that(EventKind::Create(CreateKind::Any), path), "{path}");
        }
        for path in ["/p/a.pyc", "/p/report.json", "/p/a.py~"] {
            assert!(!matters_that(EventKind::Modify(ModifyKind::Any), path), "{path}");
        }
    }

    #[test]
    fn reading_a_file_does_not_matter() {
        assert!(!matters_that(EventKind::Access(AccessKind::Read), "/p/a.py"));
        assert!(matters_that(EventKind::Access(AccessKind::Close(AccessMode::Write)), "/p/a.py"));
    }
}
