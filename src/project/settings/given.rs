//! What a configuration file can say.
//!
//! ```toml
//! select = ["discarded-handle"]         # unwaited.toml; in pyproject.toml below [tool.unwaited]
//!
//! [severity]
//! discarded-handle = "warning"
//!
//! [[api]]                               # a file of the catalogue, `rules/apis/README.md`
//! library = "ours"
//! language = "python"
//! modules = ["ours.comm"]
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, de};

use super::SettingsError;
use crate::catalog::{Library, nearest};
use crate::project::RuleName;
use crate::rules::Severity;

/// All keys, with what they say.
pub const KEYS: &[(&str, &str)] = &[
    ("extend", "another configuration file, whose values hold where this one has none"),
    ("select", "the rules to check; without it, all of them"),
    ("extend-select", "rules to check beside the selected ones"),
    ("ignore", "rules not to check"),
    ("severity", "how much findings of a rule weigh: `advice`, `warning` or `error`"),
    ("per-file-ignores", "rules not to check in files that match a pattern"),
    ("exclude", "patterns of files and folders to leave out, in the form of `.gitignore`"),
    ("respect-gitignore", "whether files that `.gitignore` and `.ignore` exclude are left out"),
    ("backend", "the backend that the programs run on: `nccl`, `gloo`, `mpi` or `any`"),
    ("baseline", "the file of findings that are known and not reported again"),
    ("cache-dir", "the folder of the cache"),
    ("api", "functions and classes of the project, in the form of a file of the catalogue"),
];

/// The values that one layer gives.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table of settings")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Given {
    /// Another configuration file, whose values hold where this one has none.
    pub extend: Option<PathBuf>,
    /// The rules to check; without it, all of them.
    pub select: Option<Vec<RuleName>>,
    /// Rules to check beside the selected ones.
    pub extend_select: Option<Vec<RuleName>>,
    /// Rules not to check.
    pub ignore: Option<Vec<RuleName>>,
    /// How much findings of a rule weigh.
    pub severity: Option<BTreeMap<RuleName, Level>>,
    /// Rules not to check in files that match a pattern.
    pub per_file_ignores: Option<BTreeMap<String, Vec<RuleName>>>,
    /// Patterns of files and folders to leave out, in the form of `.gitignore`.
    pub exclude: Option<Vec<String>>,
    /// Whether files that `.gitignore` and `.ignore` exclude are left out.
    pub respect_gitignore: Option<bool>,
    /// The backend that the programs run on.
    pub backend: Option<Backend>,
    /// The file of findings that are known and not reported again.
    pub baseline: Option<PathBuf>,
    /// The folder of the cache.
    pub cache_dir: Option<PathBuf>,
    /// Functions and classes of the project, in the form of a file of the catalogue.
    pub api: Option<Vec<Library>>,
}

impl Given {
    /// Reads a text in the form of `unwaited.toml`; errors call it `place`.
    pub fn parse(place: &str, text: &str) -> Result<Self, SettingsError> {
        toml::from_str(text).map_err(|error| SettingsError::malformed(place, text, &error))
    }

    /// Reads the table `[tool.unwaited]` of a `pyproject.toml`, where it has one.
    pub fn parse_pyproject(place: &str, text: &str) -> Result<Option<Self>, SettingsError> {
        #[derive(Deserialize)]
        struct Pyproject {
            tool: Option<Tools>,
        }
        #[derive(Deserialize)]
        struct Tools {
            unwaited: Option<Given>,
        }
        let read: Result<Pyproject, _> = toml::from_str(text);
        let read = read.map_err(|error| SettingsError::malformed(place, text, &error))?;
        Ok(read.tool.and_then(|tools| tools.unwaited))
    }
}

/// How much findings of a rule weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(pub Severity);

impl Level {
    /// Finds the level of a word.
    pub fn parse(word: &str) -> Result<Self, String> {
        let severities = [Severity::Advice, Severity::Warning, Severity::Error];
        let known = severities.into_iter().find(|severity| severity.word() == word.trim());
        known.map(Self).ok_or_else(|| format!("`{word}` is no level: advice, warning and error are"))
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for RuleName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// The backend that the programs run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// NVIDIA's collectives, on GPUs.
    Nccl,
    /// torch's backend for CPUs.
    Gloo,
    /// MPI.
    Mpi,
    /// Not known: what fails on some backend is reported.
    Any,
}

impl Backend {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Nccl, Self::Gloo, Self::Mpi, Self::Any];

    /// The word that configuration uses.
    pub fn word(self) -> &'static str {
        self.name().unwrap_or("any")
    }

    /// The name of a backend that is known.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Nccl => Some("nccl"),
            Self::Gloo => Some("gloo"),
            Self::Mpi => Some("mpi"),
            Self::Any => None,
        }
    }

    fn parse(word: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|backend| backend.word() == word);
        known.ok_or_else(|| {
            let near = nearest(word, Self::ALL.into_iter().map(Self::word));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("`{word}` is no backend: nccl, gloo, mpi and any are{near}")
        })
    }
}

impl<'de> Deserialize<'de> for Backend {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        Given::parse("unwaited.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn a_key_that_does_not_exist() {
        insta::assert_snapshot!(wrong("\nselct = []"), @"unwaited.toml:2:1: no key is called `selct`: did you mean `select`?");
        insta::assert_snapshot!(wrong("line-length = 100"), @"unwaited.toml:1:1: no key is called `line-length`: there are extend, select, extend-select, ignore, severity, per-file-ignores, exclude, respect-gitignore, backend, baseline, cache-dir, api");
        insta::assert_snapshot!(wrong("[[api]]\nlibary = 'ours'"), @"unwaited.toml:2:1: no key is called `libary`: did you mean `library`?");
    }

    #[test]
    fn a_value_that_does_not_exist() {
        insta::assert_snapshot!(wrong("select = [\n  'wait-on-lists',\n]"), @"unwaited.toml:1:10: no rule is called `wait-on-lists`: did you mean `wait-on-list`?");
        insta::assert_snapshot!(wrong("severity = { syntax-error = 'advice' }"), @"unwaited.toml:1:14: `syntax-error` is always reported: leave the file out instead");
        insta::assert_snapshot!(wrong("severity = { wait-on-list = 'info' }"), @"unwaited.toml:1:29: `info` is no level: advice, warning and error are");
        insta::assert_snapshot!(wrong("backend = 'ncl'"), @"unwaited.toml:1:11: `ncl` is no backend: nccl, gloo, mpi and any are; did you mean `nccl`?");
    }

    #[test]
    fn a_value_of_a_wrong_type() {
        insta::assert_snapshot!(wrong("select = 'wait-on-list'"), @r#"unwaited.toml:1:10: invalid type: string "wait-on-list", expected a list"#);
        insta::assert_snapshot!(wrong("respect-gitignore = 'no'"), @r#"unwaited.toml:1:21: invalid type: string "no", expected a boolean"#);
        insta::assert_snapshot!(wrong("severity = 'error'"), @r#"unwaited.toml:1:12: invalid type: string "error", expected a table"#);
    }

    #[test]
    fn a_text_that_is_no_toml() {
        insta::assert_snapshot!(wrong("select = [\n'wait-on-list'"), @"unwaited.toml:2:15: unclosed array, expected `]`");
    }

    #[test]
    fn a_pyproject_with_and_without_our_table() {
        let with = "[project]\nname = 'x'\n[tool.unwaited]\nbackend = 'mpi'\n";
        let given = Given::parse_pyproject("pyproject.toml", with).unwrap().unwrap();
        assert_eq!(given.backend, Some(Backend::Mpi));
        assert!(Given::parse_pyproject("pyproject.toml", "[tool.other]\n").unwrap().is_none());
        let wrong = Given::parse_pyproject("pyproject.toml", "[tool.unwaited]\nbackends = 1\n").unwrap_err();
        let other = Given::parse_pyproject("pyproject.toml", "[tool]\nunwaited = 3\n").unwrap_err();
        insta::assert_snapshot!(other, @"pyproject.toml:2:12: invalid type: integer `3`, expected a table of settings");
        insta::assert_snapshot!(wrong, @"pyproject.toml:2:1: no key is called `backends`: did you mean `backend`?");
    }

    #[test]
    fn the_list_of_keys_is_that_of_the_fields() {
        let unknown = "no-key-is-called-so = 1";
        let error = toml::from_str::<Given>(unknown).unwrap_err();
        let named: Vec<&str> = error.message().split('`').skip(3).step_by(2).collect();
        let listed: Vec<&str> = KEYS.iter().map(|(key, _)| *key).collect();
        assert_eq!(named, listed);
    }
}
