//! Exports: what other files can know of a file.
//!
//! An **export** is a function of the top level, a class or a method, with its signature and its summary, in terms of a
//! table of its own: the numbers of symbols, functions and classes mean nothing outside a file, dotted names do.
//!
//! ```text
//! # pkg/comm.py                          exports of pkg.comm
//! import torch.distributed as dist
//!
//! def push(x):                           push: gives a pending handle
//!     return dist.isend(x, 1)
//!
//! class Sender:                          Sender.flush: finishes self.open
//!     def flush(self): …
//!
//! from .low import start                 start: another name for pkg.low.start
//! ```
//!
//! An export **matters** if it gives a handle or finishes one: only then is it worth looking for files that use it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::program::{Attribute, Program};
use super::state::Effect;
use super::summary::Summary;
use super::symbol::{Symbol, Symbols, Term};
use super::translate::{self, Translator};
use super::value::Object;
use crate::ir::{Class, ClassId, Function, FunctionId, FunctionKind, Global, TypeRef};

/// What other files can know of a file.
#[derive(Debug, Default)]
pub struct Exports {
    /// The dotted name of the module.
    pub(super) module: String,
    /// The file, as reports name it.
    pub(super) file: Arc<str>,
    /// Functions and methods, by their qualified names.
    pub(super) functions: BTreeMap<String, ExportedFunction>,
    pub(super) classes: BTreeMap<String, ExportedClass>,
    /// Names of the top level for what other modules export, and the paths of that.
    pub(super) aliases: BTreeMap<String, String>,
    /// The names of the top level that matter.
    matters: BTreeSet<String>,
}

/// What the numbers in an export stand for.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) symbols: Symbols,
    /// The dotted names of functions.
    pub(super) functions: Vec<String>,
    /// The dotted names of classes.
    pub(super) classes: Vec<String>,
}

/// A function or method without its code.
#[derive(Debug)]
pub(super) struct ExportedFunction {
    /// Its signature: a function without blocks, and without the class that it belongs to.
    pub(super) stub: Function,
    pub(super) summary: Summary,
    pub(super) table: Table,
}

/// A class without the code of its methods.
#[derive(Debug)]
pub(super) struct ExportedClass {
    /// The class, with bases by their paths, and the methods that are exported.
    pub(super) class: Class,
    /// What its methods put into its attributes.
    pub(super) attributes: BTreeMap<String, Attribute>,
    pub(super) table: Table,
}

impl Exports {
    /// The names of the top level that matter.
    pub fn matters(&self) -> impl Iterator<Item = &str> {
        self.matters.iter().map(String::as_str)
    }

    /// Whether nothing of it matters.
    pub fn is_idle(&self) -> bool {
        self.matters.is_empty()
    }

    /// A hash of what it says of each name that matters.
    pub fn fingerprints(&self) -> BTreeMap<String, u64> {
        self.matters.iter().map(|name| (name.clone(), self.fingerprint(name))).collect()
    }

    /// Equal exports are made by equal steps, so that even their tables have the same order.
    fn fingerprint(&self, name: &str) -> u64 {
        let mut hasher = Written(std::hash::DefaultHasher::new());
        let _ = write!(hasher, "{:?}", self.aliases.get(name));
        let mut functions: Vec<&ExportedFunction> = self.functions.get(name).into_iter().collect();
        if let Some(ExportedClass { class, attributes, table }) = self.classes.get(name) {
            let _ = write!(hasher, "{class:?}{attributes:?}{:?}{:?}", table.symbols.terms(), table.classes);
            let method = |method: &String| self.functions.get(&format!("{name}.{method}"));
            functions.extend(class.methods.keys().filter_map(method));
        }
        for ExportedFunction { stub, summary, table: Table { symbols, functions, classes } } in functions {
            let terms = symbols.terms();
            let _ = write!(hasher, "{stub:?}{summary:?}{terms:?}{functions:?}{classes:?}");
        }
        hasher.0.finish()
    }

    pub(super) fn is_aware_of(&self, item: &str) -> bool {
        self.functions.contains_key(item)
            || self.classes.contains_key(item)
            || self.aliases.contains_key(item)
    }
}

/// Hashes what is written.
struct Written(std::hash::DefaultHasher);

impl std::fmt::Write for Written {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        text.hash(&mut self.0);
        Ok(())
    }
}

/// Writes down what other files can know of a file that was analysed.
pub(super) fn exports(program: &Program<'_>, module: &str, file: &str) -> Exports {
    let mut writer = Writer {
        program,
        exports: Exports { module: module.to_owned(), file: file.into(), ..Exports::default() },
        table: Table::default(),
        known: HashMap::new(),
    };
    for (name, global) in &program.unit.globals {
        match global {
            Global::Function(id) => writer.function(*id),
            Global::Class(id) => writer.class(*id),
            Global::Import(path) => writer.alias(name, path),
            Global::Once | Global::Several => {}
        }
    }
    writer.exports
}

struct Writer<'p, 'a> {
    program: &'p Program<'a>,
    exports: Exports,
    /// What the numbers stand for in the export that is written.
    table: Table,
    known: HashMap<Symbol, Symbol>,
}

impl Writer<'_, '_> {
    fn function(&mut self, id: FunctionId) {
        if let Some(exported) = self.exported(id) {
            let name = self.program.unit.function(id).name.clone();
            if exported.matters() {
                self.exports.matters.insert(name.clone());
            }
            self.exports.functions.insert(name, exported);
        }
    }

    fn exported(&mut self, id: FunctionId) -> Option<ExportedFunction> {
        let function = self.program.unit.function(id);
        let summary = self.program.summaries.get(id.0 as usize)?.clone()?;
        let is_own = self.program.links.file_of(id).is_none();
        if !is_own || function.opaque || is_nested(function) || summary.is_too_rich() {
            return None;
        }
        let summary = translate::summary(&summary.condensed(), self);
        let table = self.take_table();
        Some(ExportedFunction { stub: signature(function), summary: summary?, table })
    }

    fn take_table(&mut self) -> Table {
        self.known.clear();
        std::mem::take(&mut self.table)
    }

    fn class(&mut self, id: ClassId) {
        if self.program.links.is_foreign_class(id) {
            return;
        }
        let class = self.program.unit.class(id);
        let mut stub = class.clone();
        let mut is_of_use = stub.record_fields.is_some();
        stub.methods.clear();
        stub.bases = class.bases.iter().map(|base| self.base(base)).collect();
        for (name, &method) in &class.methods {
            let Some(exported) = self.exported(method) else { continue };
            let qualified = format!("{}.{name}", class.name);
            if exported.matters() {
                is_of_use = true;
                self.exports.matters.insert(class.name.clone());
            }
            // The number is that of the file; whoever imports the class looks the method up by its name.
            stub.methods.insert(name.clone(), method);
            self.exports.functions.insert(qualified, exported);
        }
        let attributes = self.program.attributes.iter().filter(|((of, _), _)| *of == id);
        let attributes: BTreeMap<String, Attribute> = attributes
            .map(|((_, name), attribute)| (name.to_string(), translate::attribute(attribute, self)))
            .collect();
        let table = self.take_table();
        is_of_use |= attributes.values().any(|attribute| !attribute.lists.is_empty());
        let inherits = stub.bases.iter().any(|base| matches!(base, TypeRef::Path(_)));
        if is_of_use || inherits {
            let name = class.name.clone();
            let base_matters = class.bases.iter().any(|base| match base {
                TypeRef::Class(base) => self.program.links.class_matters(*base),
                TypeRef::Path(_) | TypeRef::Unknown => false,
            });
            if base_matters {
                self.exports.matters.insert(name.clone());
            }
            self.exports.classes.insert(name, ExportedClass { class: stub, attributes, table });
        }
    }

    fn base(&self, base: &TypeRef) -> TypeRef {
        match base {
            TypeRef::Class(class) => self.class_path(*class).map_or(TypeRef::Unknown, TypeRef::Path),
            TypeRef::Path(path) => TypeRef::Path(path.clone()),
            TypeRef::Unknown => TypeRef::Unknown,
        }
    }

    fn alias(&mut self, name: &str, path: &str) {
        if let Some(matters) = self.program.links.matters(path) {
            self.exports.aliases.insert(name.to_owned(), path.to_owned());
            if matters {
                self.exports.matters.insert(name.to_owned());
            }
        }
    }

    /// The dotted name under which others know a function.
    fn function_path(&self, id: FunctionId) -> Option<String> {
        if let Some(path) = self.program.links.path_of_function(id) {
            return Some(path.to_owned());
        }
        let function = self.program.unit.function(id);
        (!is_nested(function)).then(|| format!("{}.{}", self.exports.module, function.name))
    }

    fn class_path(&self, id: ClassId) -> Option<String> {
        if let Some(path) = self.program.links.path_of_class(id) {
            return Some(path.to_owned());
        }
        let name = &self.program.unit.class(id).name;
        let is_of_top_level = self.program.unit.globals.get(name) == Some(&Global::Class(id));
        is_of_top_level.then(|| format!("{}.{name}", self.exports.module))
    }

    fn leaf(&mut self, term: &Term) -> Option<Symbol> {
        let path = match term {
            Term::Function(id) => self.function_path(*id),
            Term::Class(id) => self.class_path(*id),
            Term::Global(name) => Some(format!("{}.{name}", self.exports.module)),
            Term::Captured(_) | Term::Merged(..) | Term::Number(_) | Term::Unknown => None,
            Term::Constant(_) | Term::Path(_) | Term::Parameter(_) | Term::Result(_) => {
                return Some(self.table.symbols.intern(term.clone()));
            }
            Term::Item(_) | Term::Field(..) | Term::Element(_) | Term::Length(_) => return None,
            Term::Apply(..) | Term::Call(_) => return None,
        };
        Some(path.map_or(Symbol::UNKNOWN, |path| self.table.symbols.intern(Term::Path(path.into()))))
    }
}

impl Translator for Writer<'_, '_> {
    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        if let Some(&known) = self.known.get(&symbol) {
            return known;
        }
        let term = self.program.symbols.term(symbol).clone();
        let there = match self.leaf(&term) {
            Some(leaf) => leaf,
            None => {
                let parts: Vec<Symbol> =
                    super::symbol::parts(&term).iter().map(|&part| self.symbol(part)).collect();
                self.table.symbols.remade(&term, parts)
            }
        };
        self.known.insert(symbol, there);
        there
    }

    fn function(&mut self, function: FunctionId) -> Option<FunctionId> {
        let path = self.function_path(function)?;
        Some(FunctionId(place_of(path, &mut self.table.functions)))
    }

    fn class(&mut self, class: ClassId) -> Option<ClassId> {
        let path = self.class_path(class)?;
        Some(ClassId(place_of(path, &mut self.table.classes)))
    }
}

/// The place of a path in a list, where it is put if it is not there.
fn place_of(path: String, paths: &mut Vec<String>) -> u32 {
    let place = paths.iter().position(|known| *known == path).unwrap_or_else(|| {
        paths.push(path);
        paths.len() - 1
    });
    place as u32
}

impl ExportedFunction {
    /// Whether it gives or keeps a handle, or finishes one that it is given.
    ///
    /// What it finishes of its own object matters only where another method puts a handle there. That it communicates does not:
    /// a caller of a blocking function has nothing to finish.
    pub(super) fn matters(&self) -> bool {
        let symbols = &self.table.symbols;
        let hands_over = |object: &Object| matches!(object, Object::Handle(_) | Object::Operation(_));
        let is_method = matches!(self.stub.kind, FunctionKind::Method | FunctionKind::Property);
        let is_argument = |term: &Term| matches!(term, Term::Parameter(n) if !is_method || *n > 0);
        self.summary.outcomes.iter().any(|outcome| {
            let finishes = outcome.effects.iter().any(|effect| match effect {
                Effect::Finish(target, _) | Effect::Launch(target) => symbols.any_part(*target, &is_argument),
                Effect::Push(..) | Effect::Escape(_) => false,
            });
            finishes || outcome.heap.values().any(hands_over)
        })
    }
}

/// Whether a function is defined inside of another one, so that it has no dotted name.
fn is_nested(function: &Function) -> bool {
    function.parent.is_some_and(|parent| parent.0 != 0) || function.kind == FunctionKind::Lambda
}

/// A function without its code.
fn signature(function: &Function) -> Function {
    let parameters = function
        .parameters
        .iter()
        .map(|parameter| crate::ir::Parameter { annotation: TypeRef::Unknown, ..parameter.clone() });
    Function {
        name: function.name.clone(),
        span: function.span,
        kind: function.kind,
        flavour: function.flavour,
        class: None,
        parent: None,
        parameters: parameters.collect(),
        locals: Vec::new(),
        captures: Vec::new(),
        blocks: Vec::new(),
        loops: Vec::new(),
        opaque: false,
    }
}
