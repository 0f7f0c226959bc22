//! What import statements bind, as absolute dotted paths.

use ruff_python_ast::{Alias, Identifier, Stmt, StmtImportFrom};

use super::{Lowering, span_of};
use crate::frontend::ModuleName;
use crate::ir::{Operand, Operation};
use crate::source::Span;

/// `import a.b` binds `a` to `a`; `import a.b as c` binds `c` to `a.b`.
pub(super) fn plain(alias: &Alias) -> (&str, &str) {
    let whole = alias.name.as_str();
    match &alias.asname {
        Some(name) => (name.as_str(), whole),
        None => {
            let first = whole.split('.').next().unwrap_or(whole);
            (first, first)
        }
    }
}

/// `from a import b as c` binds `c` to `a.b`, where `base` is `a`.
pub(super) fn from<'a>(alias: &'a Alias, base: &str) -> (&'a str, String) {
    let name = alias.name.as_str();
    let path = if base.is_empty() { name.to_owned() } else { format!("{base}.{name}") };
    (alias.asname.as_ref().unwrap_or(&alias.name).as_str(), path)
}

/// The absolute dotted module that `from … import` names: `..comm` in `pkg.sub.mod` is `pkg.comm`. What lies above
/// the known tree begins with a dot, so that it is not taken for a package of the same name.
pub(super) fn base(statement: &StmtImportFrom, module: &ModuleName) -> String {
    let named = statement.module.as_ref().map(Identifier::as_str).unwrap_or_default();
    absolute(statement.level as usize, named, module)
}

/// The absolute dotted name of what `level` dots and a name mean in a module.
pub(super) fn absolute(level: usize, named: &str, module: &ModuleName) -> String {
    if level == 0 {
        return named.to_owned();
    }
    let up = level.saturating_sub(usize::from(module.package));
    let parts: Vec<&str> = module.dotted.split('.').filter(|it| !it.is_empty()).collect();
    let kept = parts.get(..parts.len().saturating_sub(up)).unwrap_or_default();
    let named = Some(named).filter(|it| !it.is_empty());
    let path = kept.iter().copied().chain(named).collect::<Vec<_>>().join(".");
    if up > parts.len() { format!(".{path}") } else { path }
}

impl<'a> Lowering<'a> {
    /// An import: at the top level the table of globals knows it, elsewhere it binds a local.
    pub(super) fn import(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    let (name, path) = plain(alias);
                    self.imports.insert(alias.name.as_str().to_owned());
                    self.bind_import(name, path.to_owned(), span_of(alias));
                }
            }
            Stmt::ImportFrom(import) => {
                let base = base(import, self.module);
                self.imports.insert(base.clone());
                if import.names.iter().any(|it| it.name.as_str() == "*") {
                    self.stars.insert(base.clone());
                }
                for alias in import.names.iter().filter(|it| it.name.as_str() != "*") {
                    let (name, path) = from(alias, &base);
                    self.imports.insert(path.clone());
                    self.bind_import(name, path, span_of(alias));
                }
            }
            _ => {}
        }
    }

    fn bind_import(&mut self, name: &'a str, path: String, span: Span) {
        if self.at_top_level() && self.globals.is_static(name) {
            return;
        }
        self.scope().imports.insert(name, path.clone());
        if let Some(to) = self.slot_of(name) {
            self.emit(Operation::Import { to, path }, span);
            return;
        }
        let to = self.temporary(span);
        self.emit(Operation::Import { to, path }, span);
        self.bind_name(name, Operand::Local(to), span);
    }
}
