//! What the analysis knows of a whole file while it goes through its functions.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::backends::Named;
use super::facts::Facts;
use super::flight::Origin;
use super::summary::Summary;
use super::symbol::{Site, Symbol, Symbols, Term};
use super::value::{Handle, ObjectId, Partial};
use super::variables::Variables;
use crate::catalog::{ApiId, Catalog, Does, TypeId};
use crate::ir::{
    BlockId, Callee, ClassId, Constant, FunctionId, FunctionKind, Global, Local, Operand, Operation,
    Operator, TypeRef, Unit,
};
use crate::source::Span;

/// A file under analysis.
pub(crate) struct Program<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) catalog: &'a Catalog,
    pub(crate) symbols: Symbols,
    /// The backends that the program names.
    pub(crate) backends: Named,
    /// How many states a block keeps apart in a function of ordinary size.
    pub(crate) apart: usize,
    /// What each function does for its callers, as far as it is known yet.
    pub(crate) summaries: Vec<Option<Arc<Summary>>>,
    /// What names that are bound once at the top level hold.
    pub(crate) globals: BTreeMap<String, Symbol>,
    /// Functions with arguments bound that names of the top level hold.
    pub(crate) partials: BTreeMap<String, Partial>,
    parts: HashMap<(FunctionId, Made), u32>,
    /// What the methods of each class put into its attributes.
    pub(crate) attributes: HashMap<(ClassId, Arc<str>), Attribute>,
    /// How values of this function were made that nothing else is known of.
    pub(crate) origins: HashMap<Symbol, Origin>,
    /// Where calls and operators that give something new were executed last.
    pub(crate) made_at: HashMap<Symbol, u32>,
    /// Those that look alike at several places, and give something else at each.
    pub(crate) alike: HashSet<Symbol>,
    types: HashMap<Symbol, Type>,
    types_at: HashMap<(BlockId, Local), BTreeSet<ClassId>>,
    methods: HashMap<&'a str, Vec<FunctionId>>,
    overridden: BTreeSet<(ClassId, &'a str)>,
    changing: BTreeSet<&'a str>,
    sentinels: BTreeSet<&'a str>,
    finishing: HashMap<&'a str, ApiId>,
    /// The names of functions that synchronise a device.
    completing: BTreeSet<&'a str>,
    /// The functions that synchronise a device, and where.
    fences: BTreeMap<FunctionId, Span>,
}

/// Something that a callee makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Made {
    Object(ObjectId),
    Symbol(Site),
}

/// Parts of a site from here on are for what a callee makes.
const FIRST_PART: u32 = 100;

/// What is known of the type of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// An instance of a catalogued class.
    Catalogued(TypeId),
    /// An instance of one of these classes of the file.
    Own(Vec<ClassId>),
}

/// What is known of an attribute of a class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attribute {
    /// The types of what is stored in it; `None` among them where one is not known.
    pub(crate) types: Vec<Option<Type>>,
    /// A list of handles that is stored in it, or in an element of it.
    pub(crate) lists: Vec<(Depth, Handle)>,
    /// Handles in it whose operations use buffers of the same object.
    pub(crate) held: Vec<Handle>,
}

/// Whether something is stored in an attribute itself or under a key of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    Itself,
    Element,
}

impl<'a> Program<'a> {
    pub(crate) fn new(unit: &'a Unit, catalog: &'a Catalog) -> Self {
        let mut program = Self {
            unit,
            catalog,
            symbols: Symbols::new(),
            backends: Named::default(),
            apart: super::run::APART,
            summaries: vec![None; unit.functions.len()],
            globals: BTreeMap::new(),
            partials: BTreeMap::new(),
            parts: HashMap::new(),
            attributes: HashMap::new(),
            origins: HashMap::new(),
            made_at: HashMap::new(),
            alike: HashSet::new(),
            types: HashMap::new(),
            types_at: HashMap::new(),
            methods: HashMap::new(),
            overridden: BTreeSet::new(),
            changing: BTreeSet::new(),
            sentinels: BTreeSet::new(),
            finishing: finishing_methods(catalog),
            completing: BTreeSet::new(),
            fences: BTreeMap::new(),
        };
        program.index_classes();
        program.index_changes();
        program.index_fences();
        program
    }

    fn index_classes(&mut self) {
        for class in &self.unit.classes {
            for (name, &function) in &class.methods {
                self.methods.entry(name).or_default().push(function);
            }
            let mut bases: Vec<ClassId> = own_bases(&class.bases).collect();
            let mut seen = BTreeSet::new();
            while let Some(base) = bases.pop() {
                if seen.insert(base) {
                    self.overridden.extend(class.methods.keys().map(|name| (base, name.as_str())));
                    bases.extend(own_bases(&self.unit.class(base).bases));
                }
            }
        }
    }

    /// Attributes that something other than a constructor stores may change while a function runs.
    fn index_changes(&mut self) {
        for function in &self.unit.functions {
            let constructs = function.class.is_some() && function.name.ends_with("__init__");
            for op in function.blocks.iter().flat_map(|block| &block.ops) {
                if let Operation::SetField { name, value: Operand::Constant(Constant::None), .. } =
                    &op.operation
                {
                    self.sentinels.insert(name);
                }
                match &op.operation {
                    Operation::SetField { name, .. } if !constructs => {
                        self.changing.insert(name);
                    }
                    Operation::Update { place: crate::ir::Place::Field(_, name), .. } => {
                        self.changing.insert(name);
                    }
                    _ => {}
                }
            }
        }
    }

    /// A call without arguments that has the name of a function which synchronises a device, on whatever stands for it.
    fn index_fences(&mut self) {
        let catalog = self.catalog;
        let names: BTreeSet<&str> = catalog
            .apis()
            .filter(|&api| catalog.function(api).does == Does::Fence)
            .map(|api| catalog.short_name(api))
            .collect();
        self.completing = names.clone();
        for id in self.unit.function_ids() {
            let ops = self.unit.function(id).blocks.iter().flat_map(|block| &block.ops);
            let fence = ops.into_iter().find(|op| match &op.operation {
                Operation::Call { callee: Callee::Method { name, .. }, arguments, .. } => {
                    arguments.is_empty() && names.contains(name.as_str())
                }
                _ => false,
            });
            if let Some(op) = fence {
                self.fences.insert(id, op.span);
            }
        }
    }

    /// Where a function, its class or a function that it calls synchronises the device.
    pub(crate) fn fence_near(&self, id: FunctionId) -> Option<Span> {
        let own = self.fences.get(&id);
        let class = self.unit.function(id).class;
        let in_class = || {
            let mut fences = self.fences.iter();
            fences.find(|(other, _)| class.is_some() && self.unit.function(**other).class == class)
        };
        own.or_else(|| in_class().map(|(_, span)| span)).or_else(|| self.called_fence(id)).copied()
    }

    fn called_fence(&self, id: FunctionId) -> Option<&Span> {
        let mut ops = self.unit.function(id).blocks.iter().flat_map(|block| &block.ops);
        ops.find_map(|op| match &op.operation {
            Operation::Global { name, .. } => match self.unit.globals.get(name) {
                Some(Global::Function(called)) => self.fences.get(called),
                _ => None,
            },
            _ => None,
        })
    }

    /// Whether a method of this name waits for a device or a stream of it.
    pub(crate) fn completes(&self, name: &str) -> bool {
        self.completing.contains(name)
    }

    /// Whether anything in the file synchronises a device.
    pub(crate) fn has_fence(&self) -> bool {
        !self.fences.is_empty()
    }

    /// Forgets what holds in one function only.
    pub(crate) fn start_function(&mut self) {
        self.types.clear();
        self.origins.clear();
        self.made_at.clear();
        self.alike.clear();
        self.types_at.clear();
    }

    /// Remembers of which classes the values are that arrive at a block in a variable.
    pub(crate) fn note_types_at(&mut self, block: BlockId, locals: &Variables) {
        if !self.types.values().any(|of| matches!(of, Type::Own(_))) {
            return;
        }
        for (local, symbol) in locals.plain() {
            if let Some(Type::Own(classes)) = self.types.get(&symbol) {
                let known = self.types_at.entry((block, local)).or_default();
                known.extend(classes.iter().copied());
            }
        }
    }

    /// The method of some handle, whatever its class, that finishes or polls: `wait` on a value of which nothing is known.
    pub(crate) fn finishing(&self, name: &str) -> Option<ApiId> {
        self.finishing.get(name).copied()
    }

    /// Whether a name of the top level is bound exactly once.
    pub(crate) fn is_bound_once(&self, name: &str) -> bool {
        self.unit.globals.get(name) == Some(&Global::Once)
    }

    /// The value of a name of the top level or of the language.
    pub(crate) fn global(&mut self, name: &str) -> Symbol {
        match self.unit.globals.get(name) {
            Some(Global::Import(path)) => self.symbols.intern(Term::Path(path.as_str().into())),
            Some(Global::Function(id)) => self.symbols.intern(Term::Function(*id)),
            Some(Global::Class(id)) => self.symbols.intern(Term::Class(*id)),
            Some(Global::Once) => match self.globals.get(name) {
                Some(&symbol) => symbol,
                None => self.symbols.intern(Term::Global(name.into())),
            },
            Some(Global::Several) => self.symbols.intern(Term::Global(name.into())),
            None => {
                let path = format!("builtins.{name}");
                self.symbols.intern(Term::Path(path.into()))
            }
        }
    }

    /// Keeps what names of the top level hold, as far as it means the same everywhere in the file.
    pub(crate) fn keep_globals(&mut self, globals: BTreeMap<String, Symbol>) {
        let lasting = |symbol: Symbol| {
            !self.symbols.any_part(symbol, &|term| {
                matches!(
                    term,
                    Term::Result(_) | Term::Merged(..) | Term::Item(_) | Term::Unknown | Term::Parameter(_)
                )
            })
        };
        self.globals = globals.into_iter().filter(|(_, symbol)| lasting(*symbol)).collect();
    }

    /// The part of a call's site that stands for something its callee makes: the same one each time.
    pub(crate) fn part(&mut self, function: FunctionId, made: Made) -> u32 {
        let next = FIRST_PART + self.parts.len() as u32;
        *self.parts.entry((function, made)).or_insert(next)
    }

    /// Says what the type of a symbol is.
    pub(crate) fn declare(&mut self, symbol: Symbol, of: Type) {
        if symbol != Symbol::UNKNOWN {
            self.types.insert(symbol, of);
        }
    }

    /// The type named in an annotation.
    pub(crate) fn named_type(&self, named: &TypeRef) -> Option<Type> {
        match named {
            TypeRef::Class(class) => Some(Type::Own(vec![*class])),
            TypeRef::Path(path) => self.catalog.class(path).map(Type::Catalogued),
            TypeRef::Unknown => None,
        }
    }

    /// What is known of the type of a symbol.
    pub(crate) fn type_of(&self, symbol: Symbol) -> Option<Type> {
        if let Some(known) = self.types.get(&symbol) {
            return Some(known.clone());
        }
        match self.symbols.term(symbol) {
            Term::Path(path) => self.catalog.value(path).map(Type::Catalogued),
            // One class on some way says nothing of the other ways; two say that it is one of them.
            Term::Merged(block, local) => match self.types_at.get(&(*block, Local(*local))) {
                Some(classes) if classes.len() > 1 => Some(Type::Own(classes.iter().copied().collect())),
                _ => None,
            },
            Term::Field(of, name) => {
                let Some(Type::Own(classes)) = self.type_of(*of) else { return None };
                classes.iter().find_map(|&class| self.attribute_type(class, name))
            }
            _ => None,
        }
    }

    fn attribute_type(&self, class: ClassId, name: &Arc<str>) -> Option<Type> {
        let attribute = self.attributes.get(&(class, name.clone()));
        if let Some(attribute) = attribute {
            let mut classes = Vec::new();
            for of in &attribute.types {
                match of {
                    Some(Type::Own(more)) => classes.extend(more.iter().copied()),
                    Some(Type::Catalogued(_)) => return of.clone(),
                    None => return None,
                }
            }
            classes.sort_unstable();
            classes.dedup();
            if !classes.is_empty() {
                return Some(Type::Own(classes));
            }
        }
        own_bases(&self.unit.class(class).bases).find_map(|base| self.attribute_type(base, name))
    }

    /// The attribute of a class that a place lies in, and how deep: `self.open[k]` is an element of `open`.
    pub(crate) fn attribute_of(&self, place: Symbol) -> Option<(ClassId, Arc<str>, Depth)> {
        let (field, depth) = match self.symbols.term(place) {
            Term::Element([of, _]) => (*of, Depth::Element),
            _ => (place, Depth::Itself),
        };
        let Term::Field(of, name) = self.symbols.term(field) else { return None };
        match self.type_of(*of) {
            Some(Type::Own(classes)) => Some((*classes.first()?, name.clone(), depth)),
            Some(Type::Catalogued(_)) | None => None,
        }
    }

    /// Whether a name of an instance of a class of the file is an attribute that the body of the class sets, and no method.
    pub(crate) fn is_defined_by_class(&self, receiver: Symbol, name: &str) -> bool {
        let Some(Type::Own(classes)) = self.type_of(receiver) else { return false };
        classes.iter().all(|&class| self.unit.class(class).members.contains(name))
            && !self.keeps(receiver, name)
            && !self.changing.contains(name)
    }

    /// Whether a name of an instance of a class of the file is an attribute that some method stores.
    pub(crate) fn keeps(&self, receiver: Symbol, name: &str) -> bool {
        let Some(Type::Own(classes)) = self.type_of(receiver) else { return false };
        classes.iter().all(|&class| self.attributes.contains_key(&(class, name.into())))
    }

    /// The method that a call on an instance of a class runs, if that is certain.
    pub(crate) fn method(&self, class: ClassId, name: &str) -> Option<FunctionId> {
        if self.overridden.contains(&(class, name)) {
            return None;
        }
        self.inherited(class, name, 0)
    }

    fn inherited(&self, class: ClassId, name: &str, depth: u32) -> Option<FunctionId> {
        let entry = self.unit.class(class);
        if let Some(&function) = entry.methods.get(name) {
            return Some(function);
        }
        if depth > 20 || entry.members.contains(name) {
            return None;
        }
        own_bases(&entry.bases).find_map(|base| self.inherited(base, name, depth + 1))
    }

    /// The method that `super()` gives.
    pub(crate) fn inherited_from_bases(&self, class: ClassId, name: &str) -> Option<FunctionId> {
        own_bases(&self.unit.class(class).bases).find_map(|base| self.inherited(base, name, 0))
    }

    /// The constructor of a class, if it is in the file.
    pub(crate) fn constructor(&self, class: ClassId) -> Option<FunctionId> {
        self.inherited(class, "__init__", 0)
    }

    /// The one method of the file that has this name, for receivers whose type is not known.
    pub(crate) fn only_method(&self, name: &str) -> Option<FunctionId> {
        match self.methods.get(name)?.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    /// Whether a fact about a symbol may be another in the next turn of a loop that disturbs some symbols: by calling them
    /// again, by handing them to functions that nobody knows, or by storing into their attributes.
    pub(crate) fn is_volatile(&self, symbol: Symbol, disturbed: &[Symbol]) -> bool {
        disturbed.iter().any(|&changed| {
            self.symbols.mentions(symbol, changed)
                && self.symbols.any_part(symbol, &|term| match term {
                    Term::Call(parts) => !parts.first().is_some_and(|&callee| self.is_catalogued(callee)),
                    Term::Field(_, name) => self.changing.contains(&**name),
                    _ => false,
                })
        })
    }

    /// Whether a symbol is a catalogued function that starts something, or the blocking form of one.
    pub(crate) fn starts_something(&self, symbol: Symbol) -> bool {
        let api = self.symbols.path_of(symbol).and_then(|path| self.catalog.api(&path));
        api.is_some_and(|api| {
            matches!(self.catalog.function(api).does, Does::Start | Does::Launch | Does::Nothing)
        })
    }

    /// Whether a symbol is a function of the catalogue, which gives the same for the same arguments.
    fn is_catalogued(&self, callee: Symbol) -> bool {
        self.symbols.path_of(callee).is_some_and(|path| self.catalog.api(&path).is_some())
    }

    /// A symbol is set where a sentinel could stand: it is not `None`, or not negative.
    pub(crate) fn learn_set(&mut self, facts: &mut Facts, symbol: Symbol, sentinel: &Constant) {
        let constant = self.symbols.constant(sentinel);
        let condition = match sentinel {
            Constant::Int(_) => self.symbols.apply(&Operator::LessEqual, vec![symbol, constant]),
            _ => self.symbols.apply(&Operator::Is, vec![symbol, constant]),
        };
        if let Some(known) = facts.assume(&mut self.symbols, condition, false).pop() {
            *facts = known;
        }
    }

    /// Whether a symbol is the result of something done here: then whoever binds it knows that it is something. What is
    /// copied from another variable, or comes from a caller, may be nothing itself.
    pub(crate) fn is_made_here(&self, symbol: Symbol) -> bool {
        matches!(
            self.symbols.term(symbol),
            Term::Result(_)
                | Term::Number(_)
                | Term::Item(_)
                | Term::Element(_)
                | Term::Call(_)
                | Term::Apply(..)
        )
    }

    /// Whether an attribute is set to `None` somewhere in the file.
    pub(crate) fn is_sentinel_attribute(&self, place: Symbol) -> bool {
        matches!(self.symbols.term(place), Term::Field(_, name) if self.sentinels.contains(&**name))
    }

    /// Whether a caller knows what a symbol stands for.
    pub(crate) fn is_visible(&self, symbol: Symbol) -> bool {
        !self.symbols.any_part(symbol, &|term| {
            matches!(
                term,
                Term::Result(_) | Term::Number(_) | Term::Merged(..) | Term::Item(_) | Term::Unknown
            )
        })
    }

    /// Whether something done to a symbol is done to something of the caller.
    pub(crate) fn is_reachable_by_caller(&self, symbol: Symbol) -> bool {
        let local = |term: &Term| matches!(term, Term::Result(_) | Term::Number(_) | Term::Merged(..));
        let foreign = |term: &Term| matches!(term, Term::Parameter(_) | Term::Captured(_) | Term::Global(_));
        self.symbols.any_part(symbol, &foreign)
            && !matches!(self.symbols.term(self.owner(symbol)), term if local(term))
    }

    /// What a place belongs to: `self` for `self.open[k]`.
    pub(crate) fn owner(&self, place: Symbol) -> Symbol {
        match self.symbols.term(place) {
            Term::Field(of, _) | Term::Item(of) | Term::Element([of, _]) => self.owner(*of),
            _ => place,
        }
    }

    /// How a symbol is written in the source of a function.
    pub(crate) fn written(&self, function: FunctionId, symbol: Symbol) -> Option<String> {
        match self.symbols.term(symbol) {
            Term::Parameter(n) => {
                Some(self.unit.function(function).parameters.get(*n as usize)?.name.clone())
            }
            Term::Captured(local) => {
                let parent = self.unit.function(function).parent?;
                self.local_name(parent, *local)
            }
            Term::Merged(_, local) => self.local_name(function, Local(*local)),
            Term::Global(name) => Some(name.to_string()),
            Term::Path(path) => path.rsplit('.').next().map(str::to_owned),
            Term::Field(of, name) => Some(format!("{}.{name}", self.written(function, *of)?)),
            Term::Element([of, key]) => {
                let key = self.written(function, *key).unwrap_or_else(|| "…".to_owned());
                Some(format!("{}[{key}]", self.written(function, *of)?))
            }
            Term::Constant(Constant::Int(value)) => Some(value.to_string()),
            Term::Constant(Constant::Str(value)) => Some(format!("{value:?}")),
            _ => None,
        }
    }

    fn local_name(&self, function: FunctionId, local: Local) -> Option<String> {
        let info = self.unit.function(function).locals.get(local.0 as usize)?;
        (!info.name.is_empty()).then(|| info.name.clone())
    }

    /// Whether a function is called with the receiver in front.
    pub(crate) fn takes_receiver(&self, function: FunctionId) -> bool {
        match self.unit.function(function).kind {
            FunctionKind::Method | FunctionKind::ClassMethod | FunctionKind::Property => true,
            FunctionKind::TopLevel | FunctionKind::Plain | FunctionKind::Static | FunctionKind::Lambda => {
                false
            }
        }
    }
}

fn own_bases(bases: &[TypeRef]) -> impl Iterator<Item = ClassId> + '_ {
    bases.iter().filter_map(|base| match base {
        TypeRef::Class(class) => Some(*class),
        TypeRef::Path(_) | TypeRef::Unknown => None,
    })
}

/// The methods of handles that finish or poll, by their name.
fn finishing_methods(catalog: &Catalog) -> HashMap<&str, ApiId> {
    let mut methods = HashMap::new();
    for api in catalog.apis() {
        let is_method = catalog.owner(api).is_some_and(|class| catalog.class_entry(class).handle);
        let entry = catalog.function(api);
        let on_itself = entry.on.as_deref().is_none_or(|on| on == "self");
        if is_method && on_itself && matches!(entry.does, Does::Finish | Does::Poll) {
            let name = catalog.short_name(api);
            methods.entry(name.rsplit('.').next().unwrap_or(name)).or_insert(api);
        }
    }
    methods
}
