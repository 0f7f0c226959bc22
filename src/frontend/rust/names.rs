//! Names of the file: what `use` declarations and items bind, module by module.
//!
//! A **qualified name** is the way from the file to an item: `exchange` at its top, `tests::exchange` in a module of the file. A **dotted
//! path** is what a name from elsewhere stands for: `mpi::request::scope` is `mpi.request.scope`. Of `use mpi::traits::*` it is not
//! known what it binds; where a name is found nowhere else, the catalogue is asked about each such module.
//!
//! ```text
//! use mpi::request::{self, WaitGuard as Guard};     request → mpi.request, Guard → mpi.request.WaitGuard
//! mod inner { use super::*; fn f() {} }              inner::f is a function; what `super` has is seen in it
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use syn::{Item, Type, UseTree};

use super::Lowering;
use crate::ir::{Class, ClassId, FunctionId, Global, TypeRef};
use crate::source::Span;

/// The paths that were looked up on the way, each in its module.
type Seen = HashSet<(String, String)>;

/// How many of them are followed for one name.
const LOOK_UPS: usize = 50;

/// One binding of a name.
#[derive(Clone, Debug, PartialEq)]
enum Binding {
    Import(String),
    Function,
    Class(ClassId),
    Module,
    Constant,
    Other,
}

/// What a path stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    /// A function, class, constant or static of the file, by its qualified name.
    Own(String),
    /// An associated item of a class of the file.
    Associated(ClassId, String),
    /// Something from elsewhere.
    Path(String),
}

/// The names of a file.
#[derive(Debug, Default)]
pub(super) struct Names {
    bindings: BTreeMap<String, Vec<Binding>>,
    /// The modules that are imported as a whole, by the module that does so.
    globs: HashMap<String, Vec<Vec<String>>>,
    modules: HashSet<String>,
    imported: BTreeSet<String>,
    classes: Vec<Class>,
}

impl Names {
    /// Looks at the items of a file and of its modules.
    pub(super) fn of(items: &[Item]) -> Self {
        let mut names = Self::default();
        names.modules.insert(String::new());
        names.items(&[], items, 0);
        names
    }

    fn items(&mut self, module: &[String], items: &[Item], depth: u32) {
        for item in items {
            self.item(module, item, depth);
        }
    }

    fn item(&mut self, module: &[String], item: &Item, depth: u32) {
        let name = |ident: &syn::Ident| qualified(module, &plain(ident));
        match item {
            Item::Fn(it) => self.bind(name(&it.sig.ident), Binding::Function),
            Item::Struct(it) => self.class(name(&it.ident), record_fields(&it.fields)),
            Item::Enum(it) => self.class(name(&it.ident), None),
            Item::Union(it) => self.class(name(&it.ident), None),
            Item::Trait(it) => self.class(name(&it.ident), None),
            Item::Const(it) => self.bind(name(&it.ident), Binding::Constant),
            Item::Static(it) => self.bind(name(&it.ident), Binding::Other),
            Item::Use(it) => self.use_tree(module, &it.tree, Vec::new()),
            Item::ExternCrate(it) => {
                let bound = it.rename.as_ref().map_or(&it.ident, |(_, rename)| rename);
                let path = plain(&it.ident);
                self.imported.insert(path.clone());
                if path != "self" {
                    self.bind(name(bound), Binding::Import(path));
                }
            }
            Item::Mod(it) => {
                self.bind(name(&it.ident), Binding::Module);
                if let Some((_, items)) = &it.content
                    && depth < 100
                {
                    let inner: Vec<String> = module.iter().cloned().chain([plain(&it.ident)]).collect();
                    self.modules.insert(inner.join("::"));
                    self.items(&inner, items, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn bind(&mut self, name: String, binding: Binding) {
        self.bindings.entry(name).or_default().push(binding);
    }

    fn class(&mut self, name: String, fields: Option<Vec<String>>) {
        let id = ClassId(self.classes.len() as u32);
        self.classes.push(blank(&name, fields));
        self.bind(name, Binding::Class(id));
    }

    fn use_tree(&mut self, module: &[String], tree: &UseTree, mut path: Vec<String>) {
        match tree {
            UseTree::Path(it) => {
                path.push(plain(&it.ident));
                self.use_tree(module, &it.tree, path);
            }
            UseTree::Name(it) => {
                let name = plain(&it.ident);
                if name == "self" {
                    let Some(last) = path.last().cloned() else { return };
                    self.import(module, last, path);
                } else {
                    path.push(name.clone());
                    self.import(module, name, path);
                }
            }
            UseTree::Rename(it) => {
                if it.ident != "self" {
                    path.push(plain(&it.ident));
                }
                self.import(module, plain(&it.rename), path);
            }
            UseTree::Glob(_) => {
                self.note_import(&path);
                self.globs.entry(module.join("::")).or_default().push(path);
            }
            UseTree::Group(it) => it.items.iter().for_each(|it| self.use_tree(module, it, path.clone())),
        }
    }

    fn import(&mut self, module: &[String], name: String, path: Vec<String>) {
        self.note_import(&path);
        self.bind(qualified(module, &name), Binding::Import(path.join("::")));
    }

    fn note_import(&mut self, path: &[String]) {
        self.imported.insert(path.join("."));
    }

    /// A further import, of a block.
    pub(super) fn note_inner_import(&mut self, path: &str) {
        self.imported.insert(path.replace("::", "."));
    }

    /// The absolute dotted names of everything that is imported.
    pub(super) fn imported(&self) -> &BTreeSet<String> {
        &self.imported
    }

    /// Empty records for the classes of the file, in the order of their ids.
    pub(super) fn reserved_classes(&self) -> Vec<Class> {
        self.classes.clone()
    }

    fn only(&self, name: &str) -> Option<&Binding> {
        let bindings = self.bindings.get(name)?;
        match bindings.as_slice() {
            [only] => Some(only),
            several => {
                let class = several.iter().find(|it| matches!(it, Binding::Class(_)));
                let others = several.iter().filter(|it| matches!(it, Binding::Class(_))).count();
                // A type and a function, or twins of which the configuration leaves one: only what all agree on is known.
                class.filter(|_| others == 1 && several.len() == 1)
            }
        }
    }

    /// The table of a unit.
    pub(super) fn resolved(&self, functions: &HashMap<String, FunctionId>) -> BTreeMap<String, Global> {
        let resolve = |name: &String| match self.only(name) {
            Some(Binding::Import(path)) => Global::Import(path.replace("::", ".")),
            Some(Binding::Function) => {
                functions.get(name).map_or(Global::Several, |it| Global::Function(*it))
            }
            Some(Binding::Class(id)) => Global::Class(*id),
            Some(Binding::Constant) => Global::Once,
            Some(Binding::Module | Binding::Other) | None => Global::Several,
        };
        self.bindings.keys().map(|name| (name.clone(), resolve(name))).collect()
    }

    /// What a path means in a module; `None` where that is not known.
    fn meaning(&self, module: &[String], path: &[String], seen: &mut Seen) -> Option<Meaning> {
        let (first, rest) = path.split_first()?;
        // Modules may import each other as a whole.
        if seen.len() > LOOK_UPS || !seen.insert((module.join("::"), path.join("::"))) {
            return None;
        }
        match first.as_str() {
            "crate" => return self.in_module(&[], rest, seen),
            "self" => return self.in_module(module, rest, seen),
            "super" => {
                let (_, outer) = module.split_last()?;
                return self.in_module(outer, rest, seen);
            }
            _ => {}
        }
        self.in_module(module, path, seen)
    }

    fn in_module(&self, module: &[String], path: &[String], seen: &mut Seen) -> Option<Meaning> {
        let (first, rest) = path.split_first()?;
        if matches!(first.as_str(), "self" | "super") {
            return self.meaning(module, path, seen);
        }
        let name = qualified(module, first);
        match self.only(&name) {
            Some(Binding::Import(target)) => {
                let target: Vec<String> =
                    target.split("::").map(str::to_owned).chain(rest.iter().cloned()).collect();
                let inner = matches!(target.first().map(String::as_str), Some("crate" | "self" | "super"))
                    || (target.first() != Some(first) && self.is_own(module, &target));
                if inner && let Some(found) = self.meaning(module, &target, seen) {
                    return Some(found);
                }
                Some(Meaning::Path(target.join(".")))
            }
            Some(Binding::Class(id)) => match rest {
                [] => Some(Meaning::Own(name)),
                [associated] => Some(Meaning::Associated(*id, associated.clone())),
                _ => None,
            },
            Some(Binding::Function | Binding::Constant | Binding::Other) => Some(Meaning::Own(name)),
            Some(Binding::Module) => {
                let inner: Vec<String> = module.iter().cloned().chain([first.clone()]).collect();
                if self.modules.contains(&inner.join("::")) {
                    self.in_module(&inner, rest, seen)
                } else {
                    None
                }
            }
            None if self.bindings.contains_key(&name) => Some(Meaning::Own(name)),
            None => self.through_own_globs(module, path, seen),
        }
    }

    fn is_own(&self, module: &[String], path: &[String]) -> bool {
        path.first().is_some_and(|first| self.bindings.contains_key(&qualified(module, first)))
    }

    /// `use super::*` of a module of the file.
    fn through_own_globs(&self, module: &[String], path: &[String], seen: &mut Seen) -> Option<Meaning> {
        let globs = self.globs.get(&module.join("::"))?;
        globs.iter().find_map(|glob| {
            let whole: Vec<String> = glob.iter().chain(path).cloned().collect();
            let is_inner = matches!(glob.first().map(String::as_str), Some("crate" | "self" | "super"))
                || self.is_own(module, glob);
            if is_inner { self.meaning(module, &whole, seen) } else { None }
        })
    }

    /// The modules from elsewhere that are imported as a whole into a module, those of the modules that it imports among them.
    fn foreign_globs(&self, module: &[String]) -> Vec<String> {
        let mut found = Vec::new();
        let mut pending = vec![module.to_vec()];
        let mut seen = HashSet::new();
        while let Some(module) = pending.pop() {
            let Some(globs) = self.globs.get(&module.join("::")) else { continue };
            for glob in globs {
                match glob.first().map(String::as_str) {
                    Some("super") => {
                        let mut outer = module.clone();
                        glob.iter().filter(|it| *it == "super").for_each(|_| _ = outer.pop());
                        if seen.insert(outer.clone()) {
                            pending.push(outer);
                        }
                    }
                    _ => found.push(glob.join(".")),
                }
            }
        }
        found
    }
}

impl Lowering<'_> {
    /// What a path of names means here.
    pub(super) fn meaning_of(&self, path: &[String]) -> Option<Meaning> {
        if let [first, associated] = path
            && first == "Self"
        {
            return self.class.map(|class| Meaning::Associated(class, associated.clone()));
        }
        if let Some(found) = self.names.meaning(&self.module, path, &mut Seen::new()) {
            return Some(self.known_elsewhere(found));
        }
        let joined = path.join(".");
        for glob in self.names.foreign_globs(&self.module) {
            let whole = format!("{glob}.{joined}");
            if self.is_catalogued(&whole) {
                return Some(Meaning::Path(whole));
            }
        }
        let is_outside = path.len() > 1 && !matches!(path[0].as_str(), "crate" | "self" | "super" | "Self");
        (is_outside || self.is_catalogued(&joined)).then_some(Meaning::Path(joined))
    }

    fn known_elsewhere(&self, meaning: Meaning) -> Meaning {
        match meaning {
            Meaning::Path(path) => {
                Meaning::Path(path.strip_prefix("core.").map_or(path.clone(), |it| format!("std.{it}")))
            }
            other => other,
        }
    }

    fn is_catalogued(&self, path: &str) -> bool {
        self.catalog.api(path).is_some()
            || self.catalog.class(path).is_some()
            || self.catalog.value(path).is_some()
            || path.rsplit_once('.').is_some_and(|(class, _)| self.catalog.class(class).is_some())
    }

    /// The type that a type names, references and the usual wrappers taken off.
    pub(super) fn type_ref(&self, ty: &Type) -> TypeRef {
        match ty {
            Type::Reference(it) => self.type_ref(&it.elem),
            Type::Paren(it) => self.type_ref(&it.elem),
            Type::Group(it) => self.type_ref(&it.elem),
            Type::Path(it) if it.qself.is_none() => self.type_of_path(&it.path),
            _ => TypeRef::Unknown,
        }
    }

    fn type_of_path(&self, path: &syn::Path) -> TypeRef {
        let Some(last) = path.segments.last() else { return TypeRef::Unknown };
        if matches!(
            last.ident.to_string().as_str(),
            "Box" | "Rc" | "Arc" | "Option" | "RefCell" | "Mutex" | "Result"
        ) && let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
            && let Some(syn::GenericArgument::Type(inner)) = arguments.args.first()
        {
            return self.type_ref(inner);
        }
        let segments = segments(path);
        if segments == ["Self"] {
            return self.class.map_or(TypeRef::Unknown, TypeRef::Class);
        }
        match self.meaning_of(&segments) {
            Some(Meaning::Own(name)) => match self.names.only(&name) {
                Some(Binding::Class(id)) => TypeRef::Class(*id),
                _ => TypeRef::Unknown,
            },
            Some(Meaning::Path(path)) => TypeRef::Path(path),
            Some(Meaning::Associated(..)) | None => TypeRef::Unknown,
        }
    }

    /// The class that a type names, if it is one of the file.
    pub(super) fn own_class(&self, ty: &Type) -> Option<ClassId> {
        match self.type_ref(ty) {
            TypeRef::Class(id) => Some(id),
            TypeRef::Path(_) | TypeRef::Unknown => None,
        }
    }
}

/// A class of which only the name and the fields are known.
pub(super) fn blank(name: &str, record_fields: Option<Vec<String>>) -> Class {
    let members = record_fields.iter().flatten().cloned().collect();
    Class {
        name: name.to_owned(),
        span: Span::default(),
        bases: Vec::new(),
        methods: BTreeMap::new(),
        members,
        record_fields,
    }
}

pub(super) fn record_fields(fields: &syn::Fields) -> Option<Vec<String>> {
    match fields {
        syn::Fields::Named(named) => {
            Some(named.named.iter().filter_map(|it| it.ident.as_ref().map(plain)).collect())
        }
        syn::Fields::Unnamed(unnamed) => Some((0..unnamed.unnamed.len()).map(|n| n.to_string()).collect()),
        syn::Fields::Unit => Some(Vec::new()),
    }
}

/// The name of an item in a module of the file.
pub(super) fn qualified(module: &[String], name: &str) -> String {
    let mut whole = module.join("::");
    if !whole.is_empty() {
        whole.push_str("::");
    }
    whole + name
}

/// The names of a path, type arguments left out.
pub(super) fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| plain(&segment.ident)).collect()
}

/// A name without the mark of a raw identifier.
pub(super) fn plain(ident: &syn::Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}
