//! Patterns of files, in the form of `.gitignore`.
//!
//! `generated` names a file or folder anywhere below the pattern's folder, `src/generated` one in its place, `build/` a
//! folder; `*`, `**`, `?` and `[…]` stand for other letters, and `!build` takes in again what an earlier pattern leaves out.

use std::path::{Component, Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Names of folders that are not walked into unless they are given.
const LEFT_OUT: &[&str] = &[
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".unwaited_cache",
    ".venv",
    ".vscode",
    "__pypackages__",
    "_build",
    "buck-out",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
];

/// Patterns of what is left out, those of the most important layer last.
#[derive(Debug)]
pub(super) struct Patterns(Vec<Group>);

impl Patterns {
    /// What is left out unless somebody says otherwise.
    pub(super) fn built_in() -> Self {
        let mut builder = GitignoreBuilder::new("");
        for name in LEFT_OUT {
            // They are plain names: none of them can be wrong.
            let _ = builder.add_line(None, &format!("{name}/"));
        }
        Self(builder.build().map(|matcher| Group { folder: PathBuf::new(), matcher }).into_iter().collect())
    }

    /// Leaves out more.
    pub(super) fn add(&mut self, folder: &Path, patterns: &[String]) -> Result<(), String> {
        if !patterns.is_empty() {
            self.0.push(Group::new(folder, patterns)?);
        }
        Ok(())
    }

    pub(super) fn exclude_folder(&self, path: &Path) -> bool {
        self.decide(|group| group.matcher.matched(group.relative(path), true))
    }

    pub(super) fn exclude_file(&self, path: &Path) -> bool {
        self.decide(|group| group.matcher.matched(group.relative(path), false))
    }

    pub(super) fn exclude_anywhere(&self, path: &Path) -> bool {
        let folders = path.ancestors().skip(1).filter(|folder| folder.file_name().is_some());
        self.exclude_file(path) || folders.into_iter().any(|folder| self.exclude_folder(folder))
    }

    /// The last group that has something to say decides.
    fn decide<'p>(&'p self, matched: impl Fn(&'p Group) -> Match<&'p ignore::gitignore::Glob>) -> bool {
        let said = self.0.iter().rev().map(matched).find(|said| !said.is_none());
        said.is_some_and(|said| said.is_ignore())
    }
}

/// One pattern of files to which something applies.
#[derive(Debug)]
pub(super) struct Pattern(Group);

impl Pattern {
    pub(super) fn new(folder: &Path, pattern: &String) -> Result<Self, String> {
        Group::new(folder, std::slice::from_ref(pattern)).map(Self)
    }

    /// Whether it matches a file or a folder above it.
    pub(super) fn matches(&self, path: &Path) -> bool {
        let Self(group) = self;
        group.matcher.matched_path_or_any_parents(group.relative(path), false).is_ignore()
    }
}

/// The patterns of one layer.
#[derive(Debug)]
struct Group {
    folder: PathBuf,
    matcher: Gitignore,
}

impl Group {
    fn new(folder: &Path, patterns: &[String]) -> Result<Self, String> {
        let mut builder = GitignoreBuilder::new("");
        builder.allow_unclosed_class(false);
        for pattern in patterns {
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            builder.add_line(None, pattern).map_err(|error| describe(pattern, &error))?;
        }
        let matcher = builder.build().map_err(|error| describe(&patterns.join(", "), &error))?;
        Ok(Self { folder: folder.to_owned(), matcher })
    }

    /// A path as the patterns see it: from their folder, or without its root where it lies elsewhere.
    fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.folder).unwrap_or_else(|_| without_root(path))
    }
}

fn without_root(path: &Path) -> &Path {
    let mut parts = path.components();
    while let Some(Component::RootDir | Component::Prefix(_)) = parts.clone().next() {
        parts.next();
    }
    parts.as_path()
}

fn describe(pattern: &str, error: &ignore::Error) -> String {
    let why = match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    };
    format!("`{pattern}` is no pattern for files: {why}")
}
