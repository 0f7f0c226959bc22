//! Each setting with its value and where it comes from, as `unwaited config` shows it.

use std::collections::BTreeMap;

use toml::Value;

use super::{Backend, Given, Layer, Origin, Settings};
use crate::project::RuleName;
use crate::project::walk::shown;

/// A value of a setting and where it comes from. A key that several layers add to has a row for each of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The key.
    pub key: &'static str,
    /// The value.
    pub value: Value,
    /// The file or argument that gives it, or `built in`.
    pub origin: String,
}

impl Settings {
    /// Every setting, in the order of [`super::KEYS`].
    pub fn explained(&self) -> Vec<Explained> {
        let mut rows = vec![self.rules()];
        let kept = self.layers.iter().rposition(|layer| layer.given.select.is_some()).unwrap_or(0);
        let above = self.layers.get(kept..).unwrap_or_default();
        rows.extend(added("extend-select", above, |given| given.extend_select.as_deref().map(rules)));
        rows.extend(added("ignore", above, |given| given.ignore.as_deref().map(rules)));
        rows.extend(added("severity", &self.layers, severities));
        rows.extend(added("per-file-ignores", &self.layers, file_ignores));
        rows.extend(added("exclude", &self.layers, |given| given.exclude.clone().map(Value::from)));
        rows.push(self.decided("respect-gitignore", true, |given| given.respect_gitignore.map(Value::from)));
        let backend = |given: &Given| given.backend.map(|backend| Value::from(backend.word()));
        rows.push(self.decided("backend", Backend::Any.word(), backend));
        rows.extend(self.path("baseline", |given| given.baseline.is_some(), self.baseline()));
        rows.extend(self.path("cache-dir", |given| given.cache_dir.is_some(), self.cache_folder()));
        rows.extend(added("api", &self.layers, apis));
        rows
    }

    fn rules(&self) -> Explained {
        self.decided("select", "all", |given| given.select.as_deref().map(rules))
    }

    /// A key whose most important layer decides.
    fn decided(
        &self,
        key: &'static str,
        built_in: impl Into<Value>,
        value: impl Fn(&Given) -> Option<Value>,
    ) -> Explained {
        match self.last(value) {
            Some((layer, value)) => Explained { key, value, origin: layer.origin.words(key) },
            None => Explained { key, value: built_in.into(), origin: "built in".to_owned() },
        }
    }

    fn path(
        &self,
        key: &'static str,
        gives: impl Fn(&Given) -> bool,
        path: Option<std::path::PathBuf>,
    ) -> Option<Explained> {
        let (layer, ()) = self.last(|given| gives(given).then_some(()))?;
        Some(Explained { key, value: shown(&path?).into(), origin: layer.origin.words(key) })
    }
}

impl Origin {
    /// How the user knows it.
    fn words(&self, key: &str) -> String {
        match self {
            Self::File(path) => shown(path),
            Self::Argument("") => format!("--{key}"),
            Self::Argument(name) => (*name).to_owned(),
        }
    }
}

/// A key that every layer adds to.
fn added(key: &'static str, layers: &[Layer], value: impl Fn(&Given) -> Option<Value>) -> Vec<Explained> {
    let given = layers.iter().filter_map(|layer| {
        let value = value(&layer.given)?;
        Some(Explained { key, value, origin: layer.origin.words(key) })
    });
    given.collect()
}

fn rules(rules: &[RuleName]) -> Value {
    rules.iter().map(|rule| Value::from(rule.as_str())).collect::<Vec<_>>().into()
}

fn severities(given: &Given) -> Option<Value> {
    let entry = |(rule, level): (&RuleName, &super::given::Level)| {
        (rule.as_str().to_owned(), Value::from(level.0.word()))
    };
    given.severity.as_ref().map(|all| all.iter().map(entry).collect::<toml::Table>().into())
}

fn file_ignores(given: &Given) -> Option<Value> {
    let all: &BTreeMap<String, Vec<RuleName>> = given.per_file_ignores.as_ref()?;
    Some(all.iter().map(|(pattern, names)| (pattern.clone(), rules(names))).collect::<toml::Table>().into())
}

fn apis(given: &Given) -> Option<Value> {
    let names = given.api.as_ref()?.iter().map(|library| Value::from(library.library.as_str()));
    Some(names.collect::<Vec<_>>().into())
}
