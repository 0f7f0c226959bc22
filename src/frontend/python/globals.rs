//! What the names of a file's top level stand for, found before anything is lowered.
//!
//! Every binding at the top level counts, also under `if`, `try`, `with` and loops, but not those inside functions
//! and classes. A name whose bindings are all imports stands for the first of them; `x = None` beside an import, and whatever
//! a handler binds in its place, is the stub of an optional dependency and does not count:
//!
//! ```text
//! try:
//!     import horovod.torch as hvd      hvd → Import("horovod.torch")
//! except ImportError:
//!     hvd = None
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ruff_python_ast::{ExceptHandler, Expr, Pattern, Stmt, StmtImport, StmtImportFrom};
use ruff_text_size::{Ranged, TextRange};

use super::decorator::is_overload;
use super::{DEPTH_LIMIT, import, span_of};
use crate::frontend::ModuleName;
use crate::ir::{Class, ClassId, FunctionId, Global};

/// One binding of a name.
#[derive(Clone, Debug, PartialEq)]
enum Binding {
    Import(String),
    Stub,
    Function(TextRange),
    Class(TextRange),
    Value,
    Other,
}

/// The names of the top level.
#[derive(Debug)]
pub(super) struct Globals<'a> {
    bindings: BTreeMap<&'a str, Vec<Binding>>,
    classes: HashMap<TextRange, (ClassId, &'a str, crate::source::Span)>,
    imported: BTreeSet<String>,
    declared_global: HashSet<&'a str>,
}

impl<'a> Globals<'a> {
    /// Looks at the statements of the top level.
    pub(super) fn of(body: &'a [Stmt], module: &ModuleName, declared_global: &HashSet<&'a str>) -> Self {
        let globals = Self {
            bindings: BTreeMap::new(),
            classes: HashMap::new(),
            imported: BTreeSet::new(),
            declared_global: declared_global.clone(),
        };
        let mut collector = Collector { globals, module, depth: 0, repeated: false, fallback: false };
        collector.statements(body);
        collector.globals
    }

    /// What a name stands for, except that a function or class is only known by its place.
    fn only(&self, name: &str) -> Option<&Binding> {
        let bindings = self.bindings.get(name)?;
        if self.declared_global.contains(name) && !bindings.iter().any(|it| matches!(it, Binding::Import(_)))
        {
            return None;
        }
        match bindings.as_slice() {
            [only] => Some(only),
            several => {
                let import = several.iter().find(|it| matches!(it, Binding::Import(_)))?;
                let imports = |it: &Binding| matches!(it, Binding::Import(_) | Binding::Stub);
                several.iter().all(imports).then_some(import)
            }
        }
    }

    /// The dotted path that an imported name stands for.
    pub(super) fn path(&self, name: &str) -> Option<&str> {
        match self.only(name)? {
            Binding::Import(path) => Some(path),
            _ => None,
        }
    }

    /// The class that a name stands for.
    pub(super) fn class(&self, name: &str) -> Option<ClassId> {
        match self.only(name)? {
            Binding::Class(range) => self.class_at(*range),
            _ => None,
        }
    }

    /// The class that is defined at a place of the top level.
    pub(super) fn class_at(&self, range: TextRange) -> Option<ClassId> {
        self.classes.get(&range).map(|(id, _, _)| *id)
    }

    /// Whether a name is known without running the top level: an import, a function or a class.
    pub(super) fn is_static(&self, name: &str) -> bool {
        matches!(self.only(name), Some(Binding::Import(_) | Binding::Function(_) | Binding::Class(_)))
    }

    /// Empty records for the classes of the top level, in the order of their ids.
    pub(super) fn reserved_classes(&self) -> Vec<Class> {
        let mut reserved: Vec<_> = self.classes.values().copied().collect();
        reserved.sort_by_key(|(id, _, _)| *id);
        let record = |(_, name, span): (ClassId, &str, _)| super::class::blank(name, span);
        reserved.into_iter().map(record).collect()
    }

    /// The absolute dotted names that the top level imports.
    pub(super) fn imported(&self) -> impl Iterator<Item = &str> {
        self.imported.iter().map(String::as_str)
    }

    /// The table of a unit.
    pub(super) fn resolved(&self, functions: &HashMap<TextRange, FunctionId>) -> BTreeMap<String, Global> {
        let resolve = |name: &str| match self.only(name) {
            Some(Binding::Import(path)) => Global::Import(path.clone()),
            Some(Binding::Function(range)) => {
                functions.get(range).map_or(Global::Several, |it| Global::Function(*it))
            }
            Some(Binding::Class(range)) => self.class_at(*range).map_or(Global::Several, Global::Class),
            Some(Binding::Value | Binding::Stub) => Global::Once,
            Some(Binding::Other) | None => Global::Several,
        };
        let names = self.bindings.keys().chain(&self.declared_global);
        names.map(|name| ((*name).to_owned(), resolve(name))).collect()
    }
}

struct Collector<'a, 'm> {
    globals: Globals<'a>,
    module: &'m ModuleName,
    depth: u32,
    /// Whether the statement stands in a loop: what it binds is bound more than once.
    repeated: bool,
    /// Whether the statement stands in a handler: what it binds stands in for an import that failed.
    fallback: bool,
}

impl<'a> Collector<'a, '_> {
    fn bind(&mut self, name: &'a str, binding: Binding) {
        let bindings = self.globals.bindings.entry(name).or_default();
        let imported = bindings.iter().any(|it| matches!(it, Binding::Import(_)));
        let stands_in = self.fallback && imported && !matches!(binding, Binding::Import(_));
        bindings.push(if stands_in { Binding::Stub } else { binding });
    }

    fn statements(&mut self, body: &'a [Stmt]) {
        if self.depth >= DEPTH_LIMIT {
            return;
        }
        self.depth += 1;
        body.iter().for_each(|it| self.statement(it));
        self.depth -= 1;
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(def) => {
                if !is_overload(&def.decorator_list) {
                    self.bind(def.name.as_str(), Binding::Function(def.range()));
                }
            }
            Stmt::ClassDef(def) => {
                let id = ClassId(self.globals.classes.len() as u32);
                let entry = (id, def.name.as_str(), span_of(&def.name));
                self.globals.classes.insert(def.range(), entry);
                self.bind(def.name.as_str(), Binding::Class(def.range()));
            }
            Stmt::Import(it) => self.import(it),
            Stmt::ImportFrom(it) => self.import_from(it),
            Stmt::Assign(assign) => assign.targets.iter().for_each(|it| self.assign(it, &assign.value)),
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.assign(&assign.target, value);
                }
            }
            Stmt::AugAssign(assign) => self.other(&assign.target),
            Stmt::TypeAlias(alias) => self.other(&alias.name),
            Stmt::Delete(delete) => delete.targets.iter().for_each(|it| self.other(it)),
            Stmt::If(it) => {
                self.statements(&it.body);
                it.elif_else_clauses.iter().for_each(|it| self.statements(&it.body));
            }
            Stmt::Try(it) => {
                self.statements(&it.body);
                for ExceptHandler::ExceptHandler(handler) in &it.handlers {
                    if let Some(name) = &handler.name {
                        self.bind(name.as_str(), Binding::Other);
                    }
                    let fallback = std::mem::replace(&mut self.fallback, true);
                    self.statements(&handler.body);
                    self.fallback = fallback;
                }
                self.statements(&it.orelse);
                self.statements(&it.finalbody);
            }
            Stmt::With(with) => {
                let targets = with.items.iter().filter_map(|it| it.optional_vars.as_deref());
                targets.for_each(|it| self.other(it));
                self.statements(&with.body);
            }
            Stmt::For(it) => {
                self.other(&it.target);
                self.loop_body(&it.body);
                self.statements(&it.orelse);
            }
            Stmt::While(it) => {
                self.loop_body(&it.body);
                self.statements(&it.orelse);
            }
            Stmt::Match(it) => {
                for case in &it.cases {
                    self.captures(&case.pattern);
                    self.statements(&case.body);
                }
            }
            Stmt::Expr(it) => {
                if let Expr::Named(named) = it.value.as_ref() {
                    self.other(&named.target);
                }
            }
            Stmt::Return(_) | Stmt::Raise(_) | Stmt::Assert(_) | Stmt::Global(_) | Stmt::Nonlocal(_) => {}
            Stmt::Pass(_) | Stmt::Break(_) | Stmt::Continue(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    fn loop_body(&mut self, body: &'a [Stmt]) {
        let repeated = std::mem::replace(&mut self.repeated, true);
        self.statements(body);
        self.repeated = repeated;
    }

    fn assign(&mut self, target: &'a Expr, value: &Expr) {
        match target {
            Expr::Name(name) => {
                let binding = match value {
                    Expr::NoneLiteral(_) => Binding::Stub,
                    _ if self.repeated => Binding::Other,
                    _ => Binding::Value,
                };
                self.bind(name.id.as_str(), binding);
            }
            _ => self.other(target),
        }
    }

    /// A binding that is not followed.
    fn other(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(name) => self.bind(name.id.as_str(), Binding::Other),
            Expr::Starred(starred) => self.other(&starred.value),
            Expr::Tuple(tuple) if self.depth < DEPTH_LIMIT => self.others(&tuple.elts),
            Expr::List(list) if self.depth < DEPTH_LIMIT => self.others(&list.elts),
            _ => {}
        }
    }

    fn others(&mut self, targets: &'a [Expr]) {
        self.depth += 1;
        targets.iter().for_each(|it| self.other(it));
        self.depth -= 1;
    }

    fn captures(&mut self, pattern: &'a Pattern) {
        if self.depth >= DEPTH_LIMIT {
            return;
        }
        self.depth += 1;
        let name = match pattern {
            Pattern::MatchAs(it) => it.name.as_ref(),
            Pattern::MatchStar(it) => it.name.as_ref(),
            Pattern::MatchMapping(it) => it.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(name.as_str(), Binding::Other);
        }
        super::pattern::parts(pattern).for_each(|it| self.captures(it));
        self.depth -= 1;
    }

    fn import(&mut self, statement: &'a StmtImport) {
        for alias in &statement.names {
            let (name, path) = import::plain(alias);
            self.globals.imported.insert(alias.name.as_str().to_owned());
            self.bind(name, Binding::Import(path.to_owned()));
        }
    }

    fn import_from(&mut self, statement: &'a StmtImportFrom) {
        let base = import::base(statement, self.module);
        self.globals.imported.insert(base.clone());
        for alias in &statement.names {
            if alias.name.as_str() == "*" {
                continue;
            }
            let (name, path) = import::from(alias, &base);
            self.globals.imported.insert(path.clone());
            self.bind(name, Binding::Import(path));
        }
    }
}
