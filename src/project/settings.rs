//! The settings in force for a file, and where each of them comes from.
//!
//! - A **key** is a name of the configuration: `select`, `backend`. [`KEYS`] lists them.
//! - A **layer** is one place that gives values to some keys: a configuration file, `--config KEY=VALUE`, the flags of a
//!   command. Paths and patterns in it start from its folder.
//! - The **settings** of a file are what its layers say together. The files that the nearest configuration file extends come
//!   first, then that file, then what the command line says; a later layer wins.
//!
//! ```text
//! base.toml         ignore = ["busy-poll"]       backend = "gloo"
//! unwaited.toml     extend = "base.toml"         backend = "nccl"
//! command line      --extend-select busy-poll
//! together          busy-poll is checked         backend = "nccl", from unwaited.toml
//! ```
//!
//! Nothing here belongs to the process: the editor's server asks a [`Resolver`] of its own.

mod discover;
mod error;
mod explain;
mod given;
mod patterns;
mod resolver;
#[cfg(test)]
mod schema;

pub use discover::Discovery;
pub(crate) use discover::file_in;
pub use error::SettingsError;
pub use explain::Explained;
pub use given::{Backend, Given, KEYS, Level};
pub use resolver::Resolver;

use std::fmt;
use std::path::{Path, PathBuf};

use super::{RuleName, Selection};
use crate::catalog::{Catalog, Library};
use crate::source::Language;
use patterns::{Pattern, Patterns};

/// The JSON schema of a configuration file; a test holds it against [`Given`].
pub const SCHEMA: &str = include_str!("../../docs/unwaited.schema.json");

/// Where a layer comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A configuration file.
    File(PathBuf),
    /// An argument, as the user knows it: `--config`. An empty one stands for the flag that is called like the key.
    Argument(&'static str),
}

/// One place that gives values to some keys.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Which place.
    pub origin: Origin,
    /// The folder from which its paths and patterns start.
    pub folder: PathBuf,
    /// The values.
    pub given: Given,
}

/// The settings in force for some files: those that have the same nearest configuration file.
pub struct Settings {
    layers: Vec<Layer>,
    selection: Selection,
    /// The rules that do not apply to files of a pattern.
    file_ignores: Vec<(Pattern, Vec<RuleName>)>,
    excluded: Patterns,
    python: Catalog,
    rust: Catalog,
}

impl Settings {
    /// What some layers say together, the most important one last.
    pub fn of(layers: Vec<Layer>) -> Result<Self, SettingsError> {
        layers.iter().try_for_each(check_paths)?;
        let additions: Vec<Library> =
            layers.iter().flat_map(|layer| layer.given.api.iter().flatten().cloned()).collect();
        let catalog =
            |language| Catalog::new(language, &additions).map_err(|error| error::in_apis(&layers, &error));
        Ok(Self {
            selection: selection(&layers),
            file_ignores: file_ignores(&layers)?,
            excluded: excluded(&layers)?,
            python: catalog(Language::Python)?,
            rust: catalog(Language::Rust)?,
            layers,
        })
    }

    /// The layers, the most important one last.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The configuration files among them, the nearest one last.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.layers.iter().filter_map(|layer| match &layer.origin {
            Origin::File(path) => Some(path.as_path()),
            Origin::Argument(_) => None,
        })
    }

    /// Which rules apply to a file, by its absolute path.
    pub fn selection_for(&self, path: &Path) -> Selection {
        let matching = self.file_ignores.iter().filter(|(pattern, _)| pattern.matches(path));
        let ignored = matching.flat_map(|(_, rules)| rules.iter().copied());
        self.selection.clone().without(ignored)
    }

    /// Which rules apply where nothing is known of the file.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The knowledge of libraries of a language, with the project's own.
    pub fn catalog(&self, language: Language) -> &Catalog {
        match language {
            Language::Python => &self.python,
            Language::Rust => &self.rust,
        }
    }

    /// The backend that the programs run on, where it is known.
    pub fn backend(&self) -> Option<&'static str> {
        self.last(|given| given.backend).and_then(|(_, backend)| backend.name())
    }

    /// The file of findings that are known and not reported again, where one is set.
    pub fn baseline(&self) -> Option<PathBuf> {
        self.last(|given| given.baseline.clone()).map(|(layer, path)| layer.folder.join(path))
    }

    /// The folder of the cache, where one is set.
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.last(|given| given.cache_dir.clone()).map(|(layer, path)| layer.folder.join(path))
    }

    /// Whether `.gitignore` and its kin count.
    pub fn respects_gitignore(&self) -> bool {
        self.last(|given| given.respect_gitignore).is_none_or(|(_, respected)| respected)
    }

    /// Whether a folder is left out that was found in one that is not, by its absolute path.
    pub fn excludes_folder(&self, path: &Path) -> bool {
        self.excluded.exclude_folder(path)
    }

    /// Whether a file is left out that was found in a folder that is not, by its absolute path.
    pub fn excludes_file(&self, path: &Path) -> bool {
        self.excluded.exclude_file(path)
    }

    /// Whether a file or one of the folders above it is left out, by its absolute path.
    pub fn excludes_anywhere(&self, path: &Path) -> bool {
        self.excluded.exclude_anywhere(path)
    }

    /// The most important layer that gives a value, with the value.
    fn last<T>(&self, value: impl Fn(&Given) -> Option<T>) -> Option<(&Layer, T)> {
        self.layers.iter().rev().find_map(|layer| Some((layer, value(&layer.given)?)))
    }
}

impl fmt::Debug for Settings {
    /// What was said; the catalogue that follows from it fills screens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("layers", &self.layers).finish_non_exhaustive()
    }
}

/// A path that leads nowhere is a mistake, not the folder of the file.
fn check_paths(layer: &Layer) -> Result<(), SettingsError> {
    let Given { extend, baseline, cache_dir, .. } = &layer.given;
    let paths = [("extend", extend), ("baseline", baseline), ("cache-dir", cache_dir)];
    let is_empty =
        |(_, path): &&(&str, &Option<PathBuf>)| path.as_ref().is_some_and(|path| path.as_os_str().is_empty());
    match paths.iter().find(is_empty) {
        Some((key, _)) => Err(SettingsError::in_value(layer, key, "the path is empty".to_owned())),
        None => Ok(()),
    }
}

/// A layer that selects starts anew; others add to what is below them, and take away from it.
fn selection(layers: &[Layer]) -> Selection {
    layers.iter().fold(Selection::default(), |below, Layer { given, .. }| {
        let weights = given.severity.iter().flatten();
        let weigh = |selection: Selection, (rule, severity): (&RuleName, &Level)| {
            selection.weighing(*rule, severity.0)
        };
        let selected = match &given.select {
            Some(rules) => below.restricted_to(rules.iter().copied()),
            None => below,
        };
        let more = given.extend_select.iter().flatten().copied();
        let fewer = given.ignore.iter().flatten().copied();
        weights.fold(selected.with(more).without(fewer), weigh)
    })
}

fn file_ignores(layers: &[Layer]) -> Result<Vec<(Pattern, Vec<RuleName>)>, SettingsError> {
    let given = layers.iter().flat_map(|layer| {
        let entries = layer.given.per_file_ignores.iter().flatten();
        entries.map(move |(pattern, rules)| (layer, pattern, rules))
    });
    let compile = |(layer, pattern, rules): (&Layer, &String, &Vec<RuleName>)| {
        let compiled = Pattern::new(&layer.folder, pattern);
        let wrong = |why| SettingsError::in_value(layer, "per-file-ignores", why);
        Ok((compiled.map_err(wrong)?, rules.clone()))
    };
    given.map(compile).collect()
}

fn excluded(layers: &[Layer]) -> Result<Patterns, SettingsError> {
    let mut excluded = Patterns::built_in();
    for layer in layers {
        let patterns = layer.given.exclude.as_deref().unwrap_or_default();
        let added = excluded.add(&layer.folder, patterns);
        added.map_err(|why| SettingsError::in_value(layer, "exclude", why))?;
    }
    Ok(excluded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(text: &str) -> Layer {
        let given = Given::parse("unwaited.toml", text).unwrap();
        Layer { origin: Origin::File("/project/unwaited.toml".into()), folder: "/project".into(), given }
    }

    fn settings(layers: &[&str]) -> Settings {
        Settings::of(layers.iter().map(|text| layer(text)).collect()).unwrap()
    }

    #[test]
    fn a_layer_that_selects_forgets_what_those_below_ignore() {
        let below = "ignore = ['wait-on-list', 'unused-ignore']";
        let chosen = settings(&[below, "select = ['wait-on-list']"]);
        assert!(chosen.selection().selects("wait-on-list") && !chosen.selection().selects("unused-ignore"));
        let added = settings(&[below, "extend-select = ['wait-on-list']"]);
        assert!(added.selection().selects("wait-on-list") && !added.selection().selects("unused-ignore"));
        let both = settings(&["select = ['wait-on-list']\nignore = ['wait-on-list']"]);
        assert!(!both.selection().selects("wait-on-list"));
    }

    #[test]
    fn a_layer_that_selects_keeps_the_severities_below() {
        let chosen = settings(&["severity = { wait-on-list = 'advice' }", "select = ['wait-on-list']"]);
        assert_eq!(chosen.selection().severity_of("wait-on-list"), Some(crate::rules::Severity::Advice));
    }

    #[test]
    fn rules_that_do_not_apply_to_some_files() {
        let settings =
            settings(&["[per-file-ignores]\n'tests/**' = ['wait-on-list']\n'*_demo.py' = ['unused-ignore']"]);
        let selects = |path: &str, rule| settings.selection_for(Path::new(path)).selects(rule);
        assert!(!selects("/project/tests/deep/a.py", "wait-on-list"));
        assert!(selects("/project/tests/deep/a.py", "unused-ignore"));
        assert!(!selects("/project/src/a_demo.py", "unused-ignore"));
        assert!(selects("/elsewhere/tests.py", "wait-on-list"));
    }

    #[test]
    fn the_last_layer_that_names_a_backend_wins() {
        assert_eq!(settings(&["backend = 'gloo'", "backend = 'nccl'", ""]).backend(), Some("nccl"));
        assert_eq!(settings(&["backend = 'gloo'", "backend = 'any'"]).backend(), None);
    }

    #[test]
    fn what_is_left_out_by_itself_can_be_taken_in_again() {
        let plain = settings(&[""]);
        assert!(plain.excludes_folder(Path::new("/project/build")));
        assert!(!plain.excludes_file(Path::new("/project/build.py")));
        let other = settings(&["exclude = ['!build', 'generated', 'src/*_pb2.py']"]);
        assert!(!other.excludes_folder(Path::new("/project/build")));
        assert!(other.excludes_folder(Path::new("/project/src/generated")));
        assert!(other.excludes_file(Path::new("/project/src/a_pb2.py")));
        assert!(!other.excludes_file(Path::new("/project/a_pb2.py")));
        assert!(other.excludes_anywhere(Path::new("/project/src/generated/deep/a.py")));
    }

    #[test]
    fn a_pattern_that_cannot_be_understood() {
        let wrong = |text: &str| Settings::of(vec![layer(text)]).unwrap_err().to_string();
        insta::assert_snapshot!(wrong("exclude = ['a[b']"), @"/project/unwaited.toml: `exclude`: `a[b` is no pattern for files: unclosed character class; missing ']'");
        insta::assert_snapshot!(wrong("[per-file-ignores]\n'{a' = ['wait-on-list']"), @"/project/unwaited.toml: `per-file-ignores`: `{a` is no pattern for files: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)");
    }

    #[test]
    fn a_path_that_is_empty() {
        let wrong = |text: &str| Settings::of(vec![layer(text)]).unwrap_err().to_string();
        insta::assert_snapshot!(wrong("cache-dir = ''"), @"/project/unwaited.toml: `cache-dir`: the path is empty");
        insta::assert_snapshot!(wrong("baseline = ''"), @"/project/unwaited.toml: `baseline`: the path is empty");
    }

    #[test]
    fn an_api_of_the_project_that_leads_nowhere() {
        let text = "[[api]]\nlibrary = 'ours'\nlanguage = 'python'\nmodules = ['ours']\n\n[[api.function]]\nname = 'push'\ndoes = 'start'\ngives = 'torch.distributed.Wrk'\n";
        insta::assert_snapshot!(Settings::of(vec![layer(text)]).unwrap_err(), @"/project/unwaited.toml: `api`: ours: push.gives: `torch.distributed.Wrk` is not known; did you mean `torch.distributed.Work`?");
    }
}
