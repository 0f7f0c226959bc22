//! From the files of the catalogue to its look-up tables.
//!
//! Classes are declared first, then functions and values, so that entries can refer to each other across files. What an entry
//! refers to must exist: a reference that leads nowhere is an error that names the file, the entry and the near miss.

use std::collections::{BTreeSet, HashMap};

use super::data::DataTables;
use super::parameters::RECEIVER;
use super::part::{Part, Parts};
use super::schema::{Class, Does, Function, Library, OnDrop};
use super::words::Words;
use super::work::WorkTables;
use super::{ApiId, Catalog, CatalogError, TypeId, pattern};
use crate::source::Language;

/// A function or method, resolved.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) function: Function,
    pub(super) path: String,
    pub(super) owner: Option<TypeId>,
    pub(super) gives: Option<TypeId>,
    /// An index into the libraries.
    pub(super) library: usize,
    /// The library whose drop entries apply.
    pub(super) drops_of: usize,
}

/// A class, resolved.
#[derive(Debug)]
pub(super) struct Type {
    pub(super) class: Class,
    pub(super) path: String,
    pub(super) extends: Option<TypeId>,
    pub(super) methods: HashMap<String, ApiId>,
    pub(super) library: usize,
}

/// What is kept of a library beside its entries.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) name: String,
    pub(super) drops: Vec<OnDrop>,
    pub(super) sends_block: Option<String>,
    pub(super) busy_waits: bool,
    evidence: Vec<String>,
    /// Whether source and destination of one operation must be different buffers.
    pub(super) apart: bool,
}

impl Facts {
    /// Whether one of the imported paths is evidence for the library.
    pub(super) fn is_imported(&self, imports: &BTreeSet<String>) -> bool {
        let fits = |path: &str| self.evidence.iter().any(|module| pattern::matches(module, path));
        imports.iter().any(|import| prefixes(import).any(fits))
    }
}

impl Library {
    /// Reads one file of the catalogue; errors call it `file`.
    pub fn parse(file: &str, text: &str) -> Result<Self, CatalogError> {
        toml::from_str(text).map_err(|error| CatalogError::malformed(file, text, &error))
    }
}

/// Builds the catalogue of a language. The built-in files must not repeat a path; an addition replaces what has its path.
pub(super) fn load(
    language: Language,
    built_in: &[(&str, Library)],
    additions: &[Library],
) -> Result<Catalog, CatalogError> {
    let built_in = built_in.iter().map(|(name, library)| File { name, library, origin: Origin::BuiltIn });
    let additions =
        additions.iter().map(|library| File { name: &library.library, library, origin: Origin::Added });
    let files: Vec<_> = built_in.chain(additions).collect();
    files.iter().try_for_each(check_header)?;
    let files: Vec<_> = files.into_iter().filter(|file| file.library.language == language.name()).collect();

    let mut loader = Loader { catalog: empty(&files) };
    for (index, file) in files.iter().enumerate() {
        loader.declare_classes(file, index)?;
    }
    files.iter().try_for_each(|file| loader.link_classes(file))?;
    for (index, file) in files.iter().enumerate() {
        loader.declare_functions(file, index)?;
    }
    files.iter().try_for_each(|file| loader.check_operations(file))?;
    files.iter().try_for_each(|file| loader.declare_parts(file, &files))?;
    let seen = |library: &Library| library.parts.iter().any(|part| part.plays.is_seen());
    let evidence =
        files.iter().filter(|file| seen(file.library)).flat_map(|file| &file.library.evidence_imports);
    loader.catalog.parts.prepare(evidence.filter(|module| !module.starts_with('*')).cloned().collect());
    files.iter().for_each(|file| loader.note_blocking(file));
    loader.note_by_name();
    Ok(loader.catalog)
}

/// A file on its way into the catalogue.
struct File<'a> {
    name: &'a str,
    library: &'a Library,
    origin: Origin,
}

/// Where a file comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    BuiltIn,
    Added,
}

impl File<'_> {
    fn home(&self) -> &str {
        self.modules().next().unwrap_or_default()
    }

    /// The package that a file names which uses the library; a project's own may be reached by relative imports.
    fn package(&self) -> Option<&str> {
        match self.origin {
            Origin::BuiltIn => self.home().split('.').next(),
            Origin::Added => None,
        }
    }

    /// The modules with a path of their own.
    fn modules(&self) -> impl Iterator<Item = &str> {
        self.library.modules.iter().map(String::as_str).filter(|module| !module.starts_with("*."))
    }

    /// The modules that any project may re-export, as `.MPI.`, with the canonical one.
    fn moved(&self) -> impl Iterator<Item = (String, String)> {
        let below = self.library.modules.iter().filter_map(|module| module.strip_prefix('*'));
        below.map(|module| (format!("{module}."), format!("{}.", self.home())))
    }

    /// The paths of a name, the canonical one first.
    fn paths(&self, module: Option<&str>, name: &str) -> Vec<String> {
        match module {
            Some(module) => vec![format!("{module}.{name}")],
            None => self.modules().map(|module| format!("{module}.{name}")).collect(),
        }
    }

    fn error(&self, key: String, message: &str) -> CatalogError {
        CatalogError::new(self.name, key, message.to_owned())
    }

    /// Checks that a path which is taken may be replaced.
    fn check_free(&self, taken: Option<&str>, path: &str, key: &str) -> Result<(), CatalogError> {
        match (taken, self.origin) {
            (Some(_), Origin::BuiltIn) => {
                Err(self.error(key.to_owned(), &format!("`{path}` is there twice")))
            }
            (Some(_), Origin::Added) | (None, _) => Ok(()),
        }
    }
}

fn check_header(file: &File<'_>) -> Result<(), CatalogError> {
    let languages = ["python", "rust"];
    let language = file.library.language.as_str();
    if !languages.contains(&language) {
        let key = "language".to_owned();
        return Err(CatalogError::unknown(file.name, key, language, languages.into_iter()));
    }
    match file.home() {
        "" => Err(file.error("modules".to_owned(), "no module is named")),
        _ => Ok(()),
    }
}

fn empty(files: &[File<'_>]) -> Catalog {
    let functions = files.iter().flat_map(|file| {
        let package = file.package();
        file.library.functions.iter().map(move |function| (function, package))
    });
    let asked_for = files.iter().flat_map(|file| &file.library.words);
    Catalog {
        apis: Vec::new(),
        types: Vec::new(),
        libraries: files.iter().map(|file| facts(file.library)).collect(),
        api_paths: HashMap::new(),
        type_paths: HashMap::new(),
        value_paths: HashMap::new(),
        moved: files.iter().flat_map(File::moved).collect(),
        blocking: BTreeSet::new(),
        named: HashMap::new(),
        finishing: HashMap::new(),
        fences: BTreeSet::new(),
        buffer_first: BTreeSet::new(),
        data: DataTables::new(files.iter().map(|file| file.library)),
        work: WorkTables::new(files.iter().map(|file| file.library)),
        words: Words::new(functions, asked_for),
        parts: Parts::default(),
    }
}

fn facts(library: &Library) -> Facts {
    let first_segment = |module: &String| module.split('.').next().unwrap_or_default().to_owned();
    let evidence = match library.evidence_imports.as_slice() {
        [] => library.modules.iter().map(first_segment).collect(),
        given => given.to_vec(),
    };
    Facts {
        name: library.library.clone(),
        drops: library.drops.clone(),
        sends_block: library.sends_block.clone(),
        busy_waits: library.busy_waits,
        evidence,
        apart: library.apart,
    }
}

/// The catalogue while it grows.
struct Loader {
    catalog: Catalog,
}

impl Loader {
    fn declare_classes(&mut self, file: &File<'_>, library: usize) -> Result<(), CatalogError> {
        for class in &file.library.classes {
            let id = TypeId(self.catalog.types.len() as u32);
            let paths = file.paths(None, &class.name);
            for path in &paths {
                file.check_free(self.catalog.class(path).map(|_| "class"), path, &class.name)?;
                self.catalog.type_paths.insert(path.clone(), id);
            }
            self.catalog.types.push(Type {
                class: class.clone(),
                path: paths.into_iter().next().unwrap_or_default(),
                extends: None,
                methods: HashMap::new(),
                library,
            });
        }
        Ok(())
    }

    fn link_classes(&mut self, file: &File<'_>) -> Result<(), CatalogError> {
        for class in &file.library.classes {
            let Some(base) = &class.extends else { continue };
            let key = format!("{}.extends", class.name);
            let base = self.class_named(file, base, &key)?;
            let own = self.class_named(file, &class.name, &key)?;
            let mut above = Some(base);
            while let Some(ty) = above {
                if ty == own {
                    return Err(file.error(key, "the class would extend itself"));
                }
                above = self.catalog.types[ty.0 as usize].extends;
            }
            self.catalog.types[own.0 as usize].extends = Some(base);
        }
        Ok(())
    }

    fn declare_functions(&mut self, file: &File<'_>, library: usize) -> Result<(), CatalogError> {
        for function in &file.library.functions {
            check_arguments(file, function)?;
            let owner = self.owner(file, function)?;
            let gives = match &function.gives {
                Some(class) => Some(self.class_named(file, class, &format!("{}.gives", function.name))?),
                None => None,
            };
            let id = ApiId(self.catalog.apis.len() as u32);
            let path = self.register(file, function, id)?;
            if let Some(class) = owner {
                self.register_method(function, class, id);
            }
            let drops_of = self.drops_of(file, library, function, gives)?;
            let name = function.name.rsplit('.').next().unwrap_or_default();
            if takes_buffer_first(function) {
                self.catalog.buffer_first.insert(name.to_owned());
            }
            self.catalog.apis.push(Api { function: function.clone(), path, owner, gives, library, drops_of });
        }
        for value in &file.library.values {
            let class = self.class_named(file, &value.class, &format!("{}.class", value.name))?;
            for path in file.paths(None, &value.name) {
                file.check_free(self.catalog.value(&path).map(|_| "value"), &path, &value.name)?;
                self.catalog.value_paths.insert(path, class);
            }
        }
        Ok(())
    }

    /// Enters all paths of a function and gives the canonical one.
    fn register(&mut self, file: &File<'_>, function: &Function, id: ApiId) -> Result<String, CatalogError> {
        let paths = file.paths(function.module.as_deref(), &function.name);
        for path in &paths {
            let taken = self.catalog.api_paths.get(path).map(|_| "function");
            file.check_free(taken, path, &function.name)?;
            self.catalog.api_paths.insert(path.clone(), id);
        }
        Ok(paths.into_iter().next().unwrap_or_default())
    }

    fn register_method(&mut self, function: &Function, class: TypeId, id: ApiId) {
        let Some((_, name)) = function.name.rsplit_once('.') else { return };
        let replaced = self.catalog.types[class.0 as usize].methods.insert(name.to_owned(), id);
        let named = self.catalog.named.entry(name.to_owned()).or_default();
        named.retain(|other| Some(*other) != replaced);
        named.push(id);
    }

    /// The class of a method, `None` for a function.
    fn owner(&self, file: &File<'_>, function: &Function) -> Result<Option<TypeId>, CatalogError> {
        match function.name.rsplit_once('.') {
            Some((class, _)) => self.class_named(file, class, &format!("{}.name", function.name)).map(Some),
            None => Ok(None),
        }
    }

    /// The library that knows what a drop does: the function's own, the one that it names, or that of the handle's class.
    fn drops_of(
        &self,
        file: &File<'_>,
        own: usize,
        function: &Function,
        gives: Option<TypeId>,
    ) -> Result<usize, CatalogError> {
        let named = match &file.library.drops_of {
            Some(name) => Some(self.library_named(file, name)?),
            None => None,
        };
        let of_class = gives.map(|class| self.catalog.types[class.0 as usize].library);
        let knows = |library: usize| {
            let drops = &self.catalog.libraries[library].drops;
            drops.iter().any(|drop| drop.kind == function.kind)
        };
        let known = [Some(own), named, of_class].into_iter().flatten().find(|library| knows(*library));
        Ok(known.unwrap_or(own))
    }

    /// The library of a name; where several files make it up, the one with its drop entries.
    fn library_named(&self, file: &File<'_>, name: &str) -> Result<usize, CatalogError> {
        let all = &self.catalog.libraries;
        let fits = |library: &Facts| library.name == name;
        let with_drops = all.iter().position(|library| fits(library) && !library.drops.is_empty());
        with_drops.or_else(|| all.iter().position(fits)).ok_or_else(|| {
            let known = all.iter().map(|library| library.name.as_str());
            CatalogError::unknown(file.name, "drops-of".to_owned(), name, known)
        })
    }

    fn class_named(&self, file: &File<'_>, name: &str, key: &str) -> Result<TypeId, CatalogError> {
        let near = self.catalog.class(&format!("{}.{name}", file.home()));
        near.or_else(|| self.catalog.class(name)).ok_or_else(|| {
            let own = file.library.classes.iter().map(|class| class.name.as_str());
            let all = self.catalog.type_paths.keys().map(String::as_str);
            CatalogError::unknown(file.name, key.to_owned(), name, own.chain(all))
        })
    }

    fn declare_parts(&mut self, file: &File<'_>, files: &[File<'_>]) -> Result<(), CatalogError> {
        for part in &file.library.parts {
            let class = part.name.rsplit_once('.').and_then(|(class, _)| {
                let near = self.catalog.class(&format!("{}.{class}", file.home()));
                near.or_else(|| self.catalog.class(class))
            });
            let paths = file.paths(None, &part.name);
            let mut part = part.clone();
            if let Some(api) = paths.iter().find_map(|path| self.catalog.api(path)) {
                // Whoever replaces a function knows what it does.
                let home = files.get(self.catalog.api_entry(api).library);
                if file.origin == Origin::BuiltIn && home.is_some_and(|it| it.origin == Origin::Added) {
                    continue;
                }
                part.parameters = self.catalog.function(api).parameters.clone();
                part.api = Some(api);
            }
            check_part(file, &part)?;
            self.catalog.parts.enter(part, paths, class);
        }
        Ok(())
    }

    /// Notes what is the blocking form of something, where it has an entry of its own.
    fn note_blocking(&mut self, file: &File<'_>) {
        for name in file.library.functions.iter().filter_map(|function| function.blocking.as_ref()) {
            let near = self.catalog.api(&format!("{}.{name}", file.home()));
            self.catalog.blocking.extend(near.or_else(|| self.catalog.api(name)));
        }
    }

    /// Enters what is asked for by a name alone.
    fn note_by_name(&mut self) {
        let Catalog { apis, types, finishing, fences, .. } = &mut self.catalog;
        for (index, api) in apis.iter().enumerate() {
            let name = api.function.name.rsplit('.').next().unwrap_or_default();
            let is_of_handle = api.owner.is_some_and(|class| types[class.0 as usize].class.handle);
            let on_itself = api.function.on.as_deref().is_none_or(|on| on == RECEIVER);
            let finishes = matches!(api.function.does, Does::Finish | Does::Poll);
            if is_of_handle && on_itself && finishes {
                finishing.entry(name.to_owned()).or_insert(ApiId(index as u32));
            }
            if api.function.does == Does::Fence {
                fences.insert(api.function.name.clone());
            }
        }
    }

    /// Checks that an operation object may run only functions that exist.
    fn check_operations(&self, file: &File<'_>) -> Result<(), CatalogError> {
        for function in &file.library.functions {
            for name in function.runs.iter().flat_map(|runs| &runs.allowed) {
                let near = self.catalog.api(&format!("{}.{name}", file.home()));
                if near.or_else(|| self.catalog.api(name)).is_none() {
                    let key = format!("{}.runs.allowed", function.name);
                    let known = file.library.functions.iter().map(|it| it.name.as_str());
                    return Err(CatalogError::unknown(file.name, key, name, known));
                }
            }
        }
        Ok(())
    }
}

fn takes_buffer_first(function: &Function) -> bool {
    let first = function.parameters.first();
    function.buffers.iter().any(|buffer| Some(&buffer.argument) == first && !buffer.each && !buffer.copied)
}

/// Checks that what an entry says of its arguments names parameters.
fn check_arguments(file: &File<'_>, function: &Function) -> Result<(), CatalogError> {
    let mentioned = [
        ("on", function.on.as_ref()),
        ("when.argument", function.when.as_ref().map(|when| &when.argument)),
        ("timeout.argument", function.timeout.as_ref().map(|timeout| &timeout.argument)),
        ("runs.argument", function.runs.as_ref().map(|runs| &runs.argument)),
        ("names-backend", function.names_backend.as_ref()),
        ("out", function.out.as_ref()),
        ("room.argument", function.room.as_ref().map(|room| &room.argument)),
    ];
    let mentioned = mentioned.into_iter().filter_map(|(key, name)| Some((key, name?)));
    let buffers = function.buffers.iter().map(|buffer| ("buffers.argument", &buffer.argument));
    for (key, name) in mentioned.chain(buffers) {
        let receiver = name == RECEIVER && function.name.contains('.');
        if !receiver && function.parameter_index(name).is_none() {
            let key = format!("{}.{key}", function.name);
            return Err(CatalogError::unknown(file.name, key, name, function.parameter_names()));
        }
    }
    Ok(())
}

/// Checks that what a part says of its arguments names parameters.
fn check_part(file: &File<'_>, part: &Part) -> Result<(), CatalogError> {
    let mentioned = [
        ("peer", &part.peer),
        ("tag", &part.tag),
        ("group", &part.group),
        ("buffer", &part.buffer),
        ("source", &part.source),
        ("source-tag", &part.source_tag),
        ("members", &part.members),
    ];
    for (key, name) in mentioned {
        let Some(name) = name.as_ref().filter(|name| *name != RECEIVER) else { continue };
        let mut known = part.parameters.iter().map(|it| it.trim_start_matches('*'));
        if !known.any(|it| it == name) {
            let known = part.parameters.iter().map(String::as_str);
            return Err(CatalogError::unknown(file.name, format!("{}.{key}", part.name), name, known));
        }
    }
    Ok(())
}

/// `a`, `a.b`, `a.b.c` for `a.b.c`.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('.').map(|(dot, _)| path.get(..dot).unwrap_or_default()).chain([path])
}
