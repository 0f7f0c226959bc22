//! Computations that take time: what a transfer could hide behind.
//!
//! ```text
//! y = torch.matmul(a, b)      a function, by its dotted path
//! y = a.matmul(b)             a method, by its name on whatever it is called
//! ```

use std::collections::HashSet;

use serde::Deserialize;

use super::{Catalog, Library};

/// Computations that take time and give something new.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Work {
    /// Absolute dotted paths of functions.
    #[serde(default)]
    pub functions: Vec<String>,
    /// Names of methods that mean nothing else.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Where the facts come from.
    pub source: String,
}

/// What is known to be work, as look-up tables.
#[derive(Debug, Default)]
pub(super) struct WorkTables {
    functions: HashSet<String>,
    methods: HashSet<String>,
}

impl WorkTables {
    pub(super) fn new<'a>(libraries: impl Iterator<Item = &'a Library>) -> Self {
        let mut tables = Self::default();
        for work in libraries.flat_map(|library| &library.work) {
            tables.functions.extend(work.functions.iter().cloned());
            tables.methods.extend(work.methods.iter().cloned());
        }
        tables
    }
}

impl Catalog {
    /// Whether the function at a dotted path computes something that takes time.
    pub fn is_work(&self, path: &str) -> bool {
        self.work.functions.contains(path)
    }

    /// Whether a method of this name does.
    pub fn is_work_method(&self, name: &str) -> bool {
        self.work.methods.contains(name)
    }
}
