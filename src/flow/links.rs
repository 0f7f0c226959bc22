//! Links: the functions and classes of other files that a file uses.
//!
//! What a file imports is looked up in its **tree**, the modules around it. For each function and class that it can reach in
//! there, it gets a **stub**: a function without blocks whose summary is known, a class whose methods are such functions. From
//! there on, a call of it is a call like any other:
//!
//! ```text
//! from pkg.comm import push        the path `pkg.comm.push` is function 7, which has no code
//! push(x)                          function 7 is called; its summary says that this gives a pending handle
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;
use std::sync::Arc;

use super::exports::{ExportedFunction, Exports, Table};
use super::program::Program;
use super::symbol::{Symbol, Term};
use super::translate::{self, Translator};
use crate::catalog::Catalog;
use crate::ir::{Class, ClassId, FunctionId, Global, TypeRef, Unit};

/// The modules around a file.
pub trait Tree: Debug {
    /// What a module exports, by the dotted name that the file calls it by; nothing where it is not in the tree.
    fn module(&self, name: &str) -> Option<Arc<Exports>>;
}

/// A file on its own.
#[derive(Clone, Copy, Debug)]
pub struct NoTree;

impl Tree for NoTree {
    fn module(&self, _: &str) -> Option<Arc<Exports>> {
        None
    }
}

/// The functions and classes of other files that a file uses.
#[derive(Debug, Default)]
pub(crate) struct Links {
    functions: Vec<Link>,
    classes: Vec<Link>,
    /// How many functions and classes are the file's own.
    own: (u32, u32),
    /// By each path that leads to them, what is linked.
    paths: BTreeMap<String, Linked>,
}

/// Where a stub comes from.
#[derive(Clone, Debug)]
struct Link {
    /// Its dotted name.
    path: String,
    /// Its qualified name in its file.
    item: String,
    of: Arc<Exports>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Linked {
    Function(FunctionId),
    Class(ClassId),
}

/// How many names may stand for one another, and how many functions lead to each other.
const LONGEST: u32 = 30;

impl Links {
    /// Adds a stub to a file for everything in its tree that it can reach.
    pub(super) fn add_to(unit: &mut Unit, tree: &dyn Tree, catalog: &Catalog) -> Self {
        let own = (unit.functions.len() as u32, unit.classes.len() as u32);
        let links = Self { own, ..Self::default() };
        let mut linker = Linker { unit, tree, catalog, links, methods: Vec::new() };
        linker.import_stars();
        linker.link_imports();
        linker.link_methods();
        linker.name_classes();
        linker.links
    }

    /// The file of a function of another file.
    pub(crate) fn file_of(&self, function: FunctionId) -> Option<Arc<str>> {
        self.function(function).map(|link| Arc::clone(&link.of.file))
    }

    pub(super) fn path_of_function(&self, function: FunctionId) -> Option<&str> {
        self.function(function).map(|link| link.path.as_str())
    }

    pub(super) fn path_of_class(&self, class: ClassId) -> Option<&str> {
        self.class(class).map(|link| link.path.as_str())
    }

    pub(super) fn is_foreign_class(&self, class: ClassId) -> bool {
        self.class(class).is_some()
    }

    /// Whether a class of another file starts, finishes or gives something.
    pub(super) fn class_matters(&self, class: ClassId) -> bool {
        self.class(class).is_some_and(|link| link.of.matters().any(|name| name == link.item))
    }

    /// Whether what a path leads to starts, finishes or gives something; nothing where it leads to no other file.
    pub(super) fn matters(&self, path: &str) -> Option<bool> {
        Some(match self.paths.get(path)? {
            Linked::Class(class) => self.class_matters(*class),
            Linked::Function(function) => self.function(*function).is_some_and(|link| {
                link.of.functions.get(&link.item).is_some_and(|exported| exported.matters())
            }),
        })
    }

    /// The last names of the functions, methods and classes of other files that matter.
    pub(super) fn names_that_matter(&self) -> BTreeSet<&str> {
        let functions = self
            .functions
            .iter()
            .filter(|link| link.of.functions.get(&link.item).is_some_and(ExportedFunction::matters));
        let classes = self.classes.iter().filter(|link| link.of.matters().any(|name| name == link.item));
        let last = |link: &'_ Link| link.item.rfind('.').map_or(0, |at| at + 1);
        functions.chain(classes).filter_map(|link| link.item.get(last(link)..)).collect()
    }

    fn function(&self, function: FunctionId) -> Option<&Link> {
        self.functions.get(function.0.checked_sub(self.own.0)? as usize)
    }

    fn class(&self, class: ClassId) -> Option<&Link> {
        self.classes.get(class.0.checked_sub(self.own.1)? as usize)
    }
}

/// Adds stubs to a file.
struct Linker<'t> {
    unit: &'t mut Unit,
    tree: &'t dyn Tree,
    catalog: &'t Catalog,
    links: Links,
    /// The methods of classes that were linked: the class, the name of the method, and its name in its file.
    methods: Vec<(ClassId, String, FunctionId)>,
}

impl Linker<'_> {
    /// `from module import *`: the names of the module that the file does not bind itself.
    fn import_stars(&mut self) {
        for module in self.unit.stars.clone() {
            let Some(exports) = self.tree.module(&module) else { continue };
            let functions = exports.functions.keys().filter(|name| !name.contains('.'));
            let names = functions.chain(exports.classes.keys()).chain(exports.aliases.keys());
            for name in names.filter(|name| !name.starts_with('_')) {
                let path = format!("{module}.{name}");
                self.unit.globals.entry(name.clone()).or_insert(Global::Import(path));
            }
        }
    }

    fn link_imports(&mut self) {
        let imported = self.unit.globals.values().filter_map(|global| match global {
            Global::Import(path) => Some(path.clone()),
            _ => None,
        });
        let all: BTreeSet<String> = imported.chain(self.unit.imports.iter().cloned()).collect();
        for path in all {
            match self.tree.module(&path) {
                Some(exports) => self.link_module(&path, &exports),
                None => {
                    self.link(&path, 0);
                }
            }
        }
    }

    /// `import module`: whatever the file reads of it.
    fn link_module(&mut self, path: &str, exports: &Exports) {
        let functions = exports.functions.keys().filter(|name| !name.contains('.'));
        let names = functions.chain(exports.classes.keys()).chain(exports.aliases.keys());
        let read: Vec<String> = names.filter(|name| self.unit.names_read.contains(*name)).cloned().collect();
        for name in read {
            self.link(&format!("{path}.{name}"), 0);
        }
    }

    /// Links what a path leads to.
    fn link(&mut self, path: &str, depth: u32) -> Option<Linked> {
        if let Some(&known) = self.links.paths.get(path) {
            return Some(known);
        }
        let catalogued = self.catalog.api(path).is_some()
            || self.catalog.class(path).is_some()
            || self.catalog.value(path).is_some();
        if depth > LONGEST || catalogued {
            return None;
        }
        let (exports, item) = self.find(path)?;
        let linked = if let Some(alias) = exports.aliases.get(&item) {
            self.link(&alias.clone(), depth + 1)?
        } else if exports.classes.contains_key(&item) {
            Linked::Class(self.link_class(path, item, &exports, depth))
        } else if exports.functions.contains_key(&item) {
            Linked::Function(self.link_function(path, item, &exports, depth))
        } else {
            return None;
        };
        self.links.paths.insert(path.to_owned(), linked);
        Some(linked)
    }

    /// The module that a path begins with, and what the rest of it names there.
    fn find(&self, path: &str) -> Option<(Arc<Exports>, String)> {
        let dots = path.match_indices('.').map(|(at, _)| at).rev();
        for at in dots.take(3) {
            let (module, item) = (path.get(..at)?, path.get(at + 1..)?);
            if let Some(exports) = self.tree.module(module) {
                return exports.is_aware_of(item).then(|| (exports, item.to_owned()));
            }
        }
        None
    }

    fn link_function(&mut self, path: &str, item: String, of: &Arc<Exports>, depth: u32) -> FunctionId {
        let id = FunctionId(self.unit.functions.len() as u32);
        if let Some(exported) = of.functions.get(&item) {
            self.unit.functions.push(exported.stub.clone());
            self.links.functions.push(Link { path: path.to_owned(), item, of: Arc::clone(of) });
            self.links.paths.insert(path.to_owned(), Linked::Function(id));
            self.link_mentioned(&exported.table, depth);
        }
        id
    }

    /// The functions and classes that an export mentions.
    fn link_mentioned(&mut self, table: &Table, depth: u32) {
        for path in table.classes.iter().chain(&table.functions) {
            self.link(path, depth + 1);
        }
    }

    fn link_class(&mut self, path: &str, item: String, of: &Arc<Exports>, depth: u32) -> ClassId {
        let id = ClassId(self.unit.classes.len() as u32);
        let Some(exported) = of.classes.get(&item) else { return id };
        let mut class = exported.class.clone();
        let methods = std::mem::take(&mut class.methods);
        self.unit.classes.push(class);
        self.links.classes.push(Link { path: path.to_owned(), item: item.clone(), of: Arc::clone(of) });
        self.links.paths.insert(path.to_owned(), Linked::Class(id));
        for name in methods.into_keys() {
            let is_read = self.unit.names_read.contains(&name) || name.starts_with("__");
            let (method, own) = (format!("{item}.{name}"), format!("{path}.{name}"));
            if is_read && of.functions.contains_key(&method) {
                let function = self.link_function(&own, method, of, depth);
                self.methods.push((id, name, function));
            }
        }
        let bases = exported.class.bases.iter().filter_map(|base| match base {
            TypeRef::Path(base) => Some(base.clone()),
            TypeRef::Class(_) | TypeRef::Unknown => None,
        });
        for base in bases {
            self.link(&base, depth + 1);
        }
        self.link_mentioned(&exported.table, depth);
        id
    }

    fn link_methods(&mut self) {
        for (class, name, function) in std::mem::take(&mut self.methods) {
            if let Some(of) = self.unit.functions.get_mut(function.0 as usize) {
                of.class = Some(class);
            }
            if let Some(class) = self.unit.classes.get_mut(class.0 as usize) {
                class.methods.insert(name, function);
            }
        }
    }

    /// Where the file names a class of another file as a base or in an annotation, it names the stub.
    fn name_classes(&mut self) {
        let paths: HashMap<&str, ClassId> = self
            .links
            .paths
            .iter()
            .filter_map(|(path, linked)| match linked {
                Linked::Class(class) => Some((path.as_str(), *class)),
                Linked::Function(_) => None,
            })
            .collect();
        let name = |named: &mut TypeRef| {
            if let TypeRef::Path(path) = named
                && let Some(&class) = paths.get(path.as_str())
            {
                *named = TypeRef::Class(class);
            }
        };
        self.unit.classes.iter_mut().flat_map(|class: &mut Class| &mut class.bases).for_each(name);
        let parameters = self.unit.functions.iter_mut().flat_map(|function| &mut function.parameters);
        parameters.for_each(|parameter| name(&mut parameter.annotation));
    }
}

/// Gives the stubs of a program their meaning.
pub(super) fn give_meaning(program: &mut Program<'_>) {
    let links = Arc::clone(&program.links);
    for (path, linked) in &links.paths {
        let term = match linked {
            Linked::Function(id) => Term::Function(*id),
            Linked::Class(id) => Term::Class(*id),
        };
        program.symbols.alias(path, term);
    }
    for (index, link) in links.functions.iter().enumerate() {
        let Some(exported) = link.of.functions.get(&link.item) else { continue };
        let summary =
            translate::summary(&exported.summary, &mut Reading::of(&exported.table, program, &links));
        if let Some(kept) = program.summaries.get_mut(links.own.0 as usize + index) {
            *kept = summary.map(Arc::new);
        }
    }
    for (index, link) in links.classes.iter().enumerate() {
        let Some(exported) = link.of.classes.get(&link.item) else { continue };
        let class = ClassId(links.own.1 + index as u32);
        let mut reading = Reading::of(&exported.table, program, &links);
        let attributes: Vec<_> = exported
            .attributes
            .iter()
            .map(|(name, attribute)| (name.as_str().into(), translate::attribute(attribute, &mut reading)))
            .collect();
        for (name, attribute) in attributes {
            program.attributes.insert((class, name), attribute);
        }
    }
}

/// Reads an export.
struct Reading<'r, 'a> {
    known: HashMap<Symbol, Symbol>,
    program: &'r mut Program<'a>,
    links: &'r Links,
    table: &'r Table,
}

impl<'r, 'a> Reading<'r, 'a> {
    fn of(table: &'r Table, program: &'r mut Program<'a>, links: &'r Links) -> Self {
        Self { known: HashMap::new(), program, links, table }
    }
}

impl Translator for Reading<'_, '_> {
    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        if let Some(&known) = self.known.get(&symbol) {
            return known;
        }
        let term = self.table.symbols.term(symbol);
        let parts: Vec<Symbol> = super::symbol::parts(term).iter().map(|&part| self.symbol(part)).collect();
        let here = self.program.symbols.remade(term, parts);
        self.known.insert(symbol, here);
        here
    }

    fn function(&mut self, function: FunctionId) -> Option<FunctionId> {
        let path = self.table.functions.get(function.0 as usize)?;
        match self.links.paths.get(path)? {
            Linked::Function(id) => Some(*id),
            Linked::Class(_) => None,
        }
    }

    fn class(&mut self, class: ClassId) -> Option<ClassId> {
        let path = self.table.classes.get(class.0 as usize)?;
        match self.links.paths.get(path)? {
            Linked::Class(id) => Some(*id),
            Linked::Function(_) => None,
        }
    }
}
