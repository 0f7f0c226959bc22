//! The knowledge of libraries, compiled from `rules/apis/*.toml` into look-up tables.
//!
//! - A **library** is one file of the catalogue; [`Library`] is its form.
//! - An **api** is a function, a method or the constructor of a class, known by its dotted path: `torch.distributed.isend`,
//!   `mpi4py.MPI.Request.Waitall`, `torch.distributed.P2POp`. Modules that re-export a library's names lead to the same api.
//! - A **type** is a class, known by its dotted path too.
//! - A **word** is a piece of text that a file must contain to start anything; it decides which files are parsed at all.
//!
//! What stands before `.Isend(buffer)` has a type when the file says so (`MPI.COMM_WORLD`, `comm: MPI.Comm`). Otherwise the
//! catalogue **guesses**: a distinctive name is enough, any other needs a receiver that is called like one (`comm`), in a
//! file that imports the library.

mod built_in;
mod data;
mod error;
mod files;
mod load;
mod parameters;
mod part;
mod pattern;
mod schema;
mod words;
mod work;

pub use data::{Data, DataUse, Form, Gives, Sort, Touches};
pub use error::CatalogError;
pub(crate) use error::nearest;
pub use files::FILES;
pub use part::{CollectiveName, Part, Plays};
pub use schema::*;
pub use work::Work;

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use crate::source::Language;
use load::{Api, Facts, Type};

/// A function or method of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApiId(pub u32);

/// A class of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// Everything that is known of the libraries of one language.
///
/// Ids come from the catalogue that they are asked of; it has an answer for each that it has given out.
#[derive(Debug, Default)]
pub struct Catalog {
    apis: Vec<Api>,
    types: Vec<Type>,
    libraries: Vec<Facts>,
    api_paths: HashMap<String, ApiId>,
    type_paths: HashMap<String, TypeId>,
    value_paths: HashMap<String, TypeId>,
    /// Modules that any project may re-export under its own path, as `.MPI.`, with the canonical module, as `mpi4py.MPI.`.
    moved: Vec<(String, String)>,
    /// The blocking forms of what starts something.
    blocking: BTreeSet<ApiId>,
    /// All methods of a name, of all classes.
    named: HashMap<String, Vec<ApiId>>,
    data: data::DataTables,
    /// The methods of handles, whatever their class, that finish or poll, by their name: the first of each.
    finishing: HashMap<String, ApiId>,
    /// The names of functions that synchronise a device.
    fences: BTreeSet<String>,
    /// Names of functions and methods that use their first argument as a buffer.
    buffer_first: BTreeSet<String>,
    work: work::WorkTables,
    words: words::Words,
    parts: part::Parts,
}

impl Catalog {
    /// The built-in catalogue for a language, plus a project's additions. An addition replaces what has its path.
    pub fn new(language: Language, additions: &[Library]) -> Result<Self, CatalogError> {
        let built_in = built_in::libraries(language).as_ref().map_err(CatalogError::clone)?;
        load::load(language, built_in, additions)
    }

    /// The built-in catalogue for a language, made when it is first asked for.
    pub fn built_in(language: Language) -> &'static Self {
        static PYTHON: LazyLock<Catalog> = LazyLock::new(|| Catalog::of_built_in(Language::Python));
        static RUST: LazyLock<Catalog> = LazyLock::new(|| Catalog::of_built_in(Language::Rust));
        match language {
            Language::Python => &PYTHON,
            Language::Rust => &RUST,
        }
    }

    /// Tests read every file of the catalogue: it cannot be wrong in a binary.
    fn of_built_in(language: Language) -> Self {
        Self::new(language, &[]).unwrap_or_default()
    }

    /// The api at an absolute dotted path: a function, a method in class form (`mpi4py.MPI.Request.Waitall`, inherited ones
    /// included), or the constructor of a class.
    pub fn api(&self, path: &str) -> Option<ApiId> {
        self.resolve(path, |path| {
            let exact = self.api_paths.get(path).copied();
            exact.or_else(|| {
                let (class, method) = path.rsplit_once('.')?;
                self.method(*self.type_paths.get(class)?, method)
            })
        })
    }

    /// The class at an absolute dotted path.
    pub fn class(&self, path: &str) -> Option<TypeId> {
        self.resolve(path, |path| self.type_paths.get(path).copied())
    }

    /// The class of the value at an absolute dotted path: `mpi4py.MPI.COMM_WORLD`.
    pub fn value(&self, path: &str) -> Option<TypeId> {
        self.resolve(path, |path| self.value_paths.get(path).copied())
    }

    /// Looks a path up as it is, then below the modules that a project may re-export: `ours.parallel.MPI.COMM_WORLD` as
    /// `mpi4py.MPI.COMM_WORLD`.
    fn resolve<T>(&self, path: &str, look_up: impl Fn(&str) -> Option<T>) -> Option<T> {
        look_up(path).or_else(|| {
            self.moved.iter().find_map(|(below, home)| {
                let (_, name) = path.split_once(below)?;
                look_up(&format!("{home}{name}"))
            })
        })
    }

    /// A method of a class or of one that it extends.
    pub fn method(&self, class: TypeId, name: &str) -> Option<ApiId> {
        self.lineage(class).find_map(|ty| ty.methods.get(name).copied())
    }

    /// The method that is probably meant where nothing is known of the receiver but `receiver`, the last name of its
    /// expression (`comm` for `self.comm`), and what the file imports. Where several are possible there is no answer.
    pub fn guess(&self, method: &str, receiver: &str, imports: &BTreeSet<String>) -> Option<ApiId> {
        let candidates = self.named.get(method)?;
        let mut likely = candidates.iter().copied().filter(|api| self.is_likely(*api, receiver, imports));
        let first = likely.next()?;
        likely.all(|other| self.api_entry(other).library == self.api_entry(first).library).then_some(first)
    }

    fn is_likely(&self, api: ApiId, receiver: &str, imports: &BTreeSet<String>) -> bool {
        let entry = self.api_entry(api);
        if entry.function.distinctive {
            return true;
        }
        let named_so = entry.owner.is_some_and(|class| self.is_called(class, receiver));
        named_so && self.library(entry).is_imported(imports)
    }

    fn is_called(&self, class: TypeId, receiver: &str) -> bool {
        let mut patterns = self.lineage(class).flat_map(|ty| &ty.class.receivers);
        patterns.any(|pattern| pattern::matches(pattern, receiver))
    }

    /// What the catalogue says of an api.
    pub fn function(&self, api: ApiId) -> &Function {
        &self.api_entry(api).function
    }

    /// Its canonical dotted path.
    pub fn path(&self, api: ApiId) -> &str {
        &self.api_entry(api).path
    }

    /// What a message calls it: `isend`, `Request.Waitall`.
    pub fn short_name(&self, api: ApiId) -> &str {
        &self.api_entry(api).function.name
    }

    /// The name of its library.
    pub fn library_name(&self, api: ApiId) -> &str {
        &self.library(self.api_entry(api)).name
    }

    /// The class whose method it is.
    pub fn owner(&self, api: ApiId) -> Option<TypeId> {
        self.api_entry(api).owner
    }

    /// The class of what it gives.
    pub fn gives(&self, api: ApiId) -> Option<TypeId> {
        self.api_entry(api).gives
    }

    /// All apis, in the order of the files.
    pub fn apis(&self) -> impl Iterator<Item = ApiId> + use<> {
        (0..self.apis.len() as u32).map(ApiId)
    }

    /// What the catalogue says of a class.
    pub fn class_entry(&self, class: TypeId) -> &Class {
        &self.types[class.0 as usize].class
    }

    /// The canonical dotted path of a class.
    pub fn class_path(&self, class: TypeId) -> &str {
        &self.types[class.0 as usize].path
    }

    /// Whether instances of a class have an attribute; `None` where the list of them is not complete.
    pub fn has_attribute(&self, class: TypeId, name: &str) -> Option<bool> {
        let known =
            |ty: &Type| ty.methods.contains_key(name) || ty.class.attributes.iter().any(|it| it == name);
        if self.lineage(class).any(known) {
            return Some(true);
        }
        self.lineage(class).all(|ty| !ty.class.attributes.is_empty()).then_some(false)
    }

    /// What happens when the last reference to a pending handle of this api goes: the entries of its library for its kind,
    /// or those of the library whose handle it gives.
    pub fn drops(&self, api: ApiId) -> impl Iterator<Item = &OnDrop> {
        let entry = self.api_entry(api);
        let kind = entry.function.kind;
        self.libraries[entry.drops_of].drops.iter().filter(move |drop| drop.kind == kind)
    }

    /// The method of some handle, whatever its class, that finishes or polls.
    pub fn finishing(&self, name: &str) -> Option<ApiId> {
        self.finishing.get(name).copied()
    }

    /// Whether a function of this name synchronises a device.
    pub fn is_fence(&self, name: &str) -> bool {
        self.fences.contains(name)
    }

    /// Whether some function or method of this name uses its first argument as a buffer.
    pub fn takes_buffer_first(&self, name: &str) -> bool {
        self.buffer_first.contains(name)
    }

    /// Whether any library says something of a backend of this name.
    pub fn knows_backend(&self, name: &str) -> bool {
        self.libraries.iter().flat_map(|library| &library.drops).any(|drop| drop.backend == name)
    }

    /// Whether an attribute of this name is the number of ranks, on an instance of some class.
    pub fn counts_ranks(&self, attribute: &str) -> bool {
        self.types.iter().flat_map(|ty| &ty.class.counts_ranks).any(|name| name == attribute)
    }

    /// Whether a function is the blocking form of one that starts something.
    pub fn is_blocking(&self, api: ApiId) -> bool {
        self.blocking.contains(&api)
    }

    /// Whether the waits of an api's library keep a processor busy.
    pub fn busy_waits(&self, api: ApiId) -> bool {
        self.library(self.api_entry(api)).busy_waits
    }

    /// When a send that is waited for at once blocks both ranks head to head, where the library says so.
    pub fn sends_block(&self, api: ApiId) -> Option<&str> {
        self.library(self.api_entry(api)).sends_block.as_deref()
    }

    /// Whether source and destination of one operation of an api must be different buffers.
    pub fn keeps_buffers_apart(&self, api: ApiId) -> bool {
        self.library(self.api_entry(api)).apart
    }

    /// The words of which a file must contain one to start anything, sorted. A file may also start something through a
    /// condition that it passes by position; [`Catalog::may_communicate`] knows that too.
    pub fn words(&self) -> &[String] {
        self.words.list()
    }

    /// The functions that start something where a flag is passed by position, sorted, with that position counted from 0. A
    /// call of one of them counts like a word if it has so many positional arguments.
    pub fn calls_with_flag(&self) -> impl Iterator<Item = (&str, usize)> {
        self.words.flags()
    }

    /// Whether a file with this text can start anything that the catalogue knows.
    pub fn may_communicate(&self, bytes: &[u8]) -> bool {
        self.words.are_in(bytes)
    }

    fn api_entry(&self, api: ApiId) -> &Api {
        &self.apis[api.0 as usize]
    }

    fn library(&self, api: &Api) -> &Facts {
        &self.libraries[api.library]
    }

    /// A class, then those that it extends.
    fn lineage(&self, class: TypeId) -> impl Iterator<Item = &Type> {
        let first = self.types.get(class.0 as usize);
        std::iter::successors(first, |ty| self.types.get(ty.extends?.0 as usize))
    }
}
