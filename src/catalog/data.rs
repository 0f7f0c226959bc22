//! What methods, attributes and functions do to the data of tensors and arrays.
//!
//! - A **sort** of data is a library whose objects serve as buffers: torch's tensors, numpy's arrays. It says of which other
//!   libraries its objects are the buffers, so that `x.sort()` is judged as numpy's where `x` was given to `Isend`.
//! - An entry says what a name **gives** (another name for the same storage, a copy, a new buffer) and how it **touches** the
//!   data (reads it, writes it, frees it).
//!
//! ```text
//! y = x.view(-1)          gives a view: whatever happens to `y` happens to `x`
//! y = x.clone()           gives a copy, and reads `x`
//! x.fill_(0)              writes `x`
//! torch.cat([x, y])       gives a copy, and reads what it is given
//! ```

use std::collections::HashMap;

use serde::Deserialize;

use super::{ApiId, Catalog, Library};

/// An entry on data.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Data {
    /// The names that it holds for; functions are relative to the file's modules.
    pub names: Vec<String>,
    /// What they are names of.
    #[serde(rename = "as")]
    pub form: Form,
    /// What comes out.
    #[serde(default)]
    pub gives: Gives,
    /// How the data is touched: that of the receiver or the first argument is read, written or freed, all other arguments
    /// are read.
    #[serde(default)]
    pub touches: Touches,
    /// Where the facts come from.
    pub source: String,
}

/// What a name is the name of.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A method: `x.fill_(0)`.
    Method,
    /// An attribute: `x.T`. What it touches, it touches when it is set.
    Attribute,
    /// A function of a module: `torch.cat(xs)`.
    Function,
}

/// What comes out of a call or an attribute.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Gives {
    /// Nothing that shares storage: a number, a shape, `None`.
    #[default]
    Nothing,
    /// The receiver or first argument itself.
    Itself,
    /// All of the same storage, perhaps in another shape: `x.view(-1)`.
    View,
    /// All of the same storage, in an order that is not the order in memory: `x.t()`.
    Strided,
    /// A part of the same storage: `x.narrow(0, 1, 2)`.
    Part,
    /// Several parts of the same storage: `x.chunk(2)`.
    Parts,
    /// A new buffer with what was in the old one: `x.clone()`.
    Copy,
    /// A copy, or the same storage where that is possible: `x.contiguous()`, `x.to(device)`.
    PerhapsCopy,
    /// A new buffer: `torch.empty(n)`.
    New,
}

/// How data is touched.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Touches {
    /// Not at all: its shape is asked for, or it is passed on.
    #[default]
    Nothing,
    /// Its elements are read.
    Read,
    /// Its elements are written.
    Write,
    /// Its storage is freed, replaced or resized.
    Free,
}

/// What a name does to data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataUse {
    /// What comes out.
    pub gives: Gives,
    /// How the data is touched.
    pub touches: Touches,
}

/// A sort of data: a library whose objects are buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sort(u32);

/// What is known of data, as look-up tables.
#[derive(Debug, Default)]
pub(super) struct DataTables {
    functions: HashMap<String, DataUse>,
    members: HashMap<(Form, String), Vec<(Sort, DataUse)>>,
    /// The modules of each sort, with a dot behind.
    modules: Vec<String>,
    /// The sort of the buffers of a library.
    buffers: HashMap<String, Sort>,
}

impl DataTables {
    pub(super) fn new<'a>(libraries: impl Iterator<Item = &'a Library>) -> Self {
        let mut tables = Self::default();
        for (index, library) in libraries.enumerate() {
            let sort = Sort(index as u32);
            for of in &library.buffers_of {
                tables.buffers.insert(of.clone(), sort);
            }
            if !library.buffers_of.is_empty() {
                tables.modules.extend(library.modules.iter().map(|module| format!("{module}.")));
            }
            library.data.iter().for_each(|entry| tables.enter(library, sort, entry));
        }
        tables
    }

    fn enter(&mut self, library: &Library, sort: Sort, entry: &Data) {
        let used = DataUse { gives: entry.gives, touches: entry.touches };
        for name in &entry.names {
            if entry.form == Form::Function {
                let paths = library.modules.iter().map(|module| format!("{module}.{name}"));
                self.functions.extend(paths.map(|path| (path, used)));
            } else {
                self.members.entry((entry.form, name.clone())).or_default().push((sort, used));
            }
        }
    }

    /// A method or attribute of a sort of data; where the sort is not known, what all sorts that have it agree on.
    fn member(&self, form: Form, name: &str, sort: Option<Sort>) -> Option<DataUse> {
        let known = self.members.get(&(form, name.to_owned()))?;
        if let Some(sort) = sort {
            return known.iter().find(|(of, _)| *of == sort).map(|(_, used)| *used);
        }
        let (_, first) = known.first()?;
        known.iter().all(|(_, used)| used == first).then_some(*first)
    }
}

impl Catalog {
    /// What a method does to the data of its receiver.
    ///
    /// A name that ends with one underscore writes in place: that is torch's convention, for methods that nobody listed too.
    pub fn data_method(&self, name: &str, sort: Option<Sort>) -> Option<DataUse> {
        let in_place = name.ends_with('_') && !name.starts_with('_') && !name.ends_with("__");
        let by_name = in_place.then_some(DataUse { gives: Gives::Itself, touches: Touches::Write });
        self.data.member(Form::Method, name, sort).or(by_name)
    }

    /// What an attribute shares with its owner, and what setting it does.
    pub fn data_attribute(&self, name: &str, sort: Option<Sort>) -> Option<DataUse> {
        self.data.member(Form::Attribute, name, sort)
    }

    /// What a function does to the data of its arguments.
    pub fn data_function(&self, path: &str) -> Option<DataUse> {
        self.data.functions.get(path).copied()
    }

    /// Whether a function belongs to a module of some sort of data: there, `out=` names what is written.
    pub fn is_of_data(&self, path: &str) -> bool {
        self.data.modules.iter().any(|module| path.starts_with(module.as_str()))
    }

    /// The sort of the buffers that an api works on.
    pub fn sort_of_buffers(&self, api: ApiId) -> Option<Sort> {
        self.data.buffers.get(self.library_name(api)).copied()
    }
}
