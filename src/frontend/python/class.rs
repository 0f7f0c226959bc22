//! Classes. The body runs as part of the function around it; what it binds are locals named `Class.name`, which escape at its end,
//! since every user of the class can read them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ruff_python_ast::{Expr, Stmt, StmtAnnAssign, StmtClassDef};
use ruff_text_size::Ranged;

use super::annotation::dotted;
use super::scope::{ClassLayer, Layer};
use super::{Lowering, span_of};
use crate::ir::{Class, ClassId, FunctionId, Operand, Operation};
use crate::source::Span;

/// A class of which only the name is known.
pub(super) fn blank(name: &str, span: Span) -> Class {
    Class {
        name: name.to_owned(),
        span,
        bases: Vec::new(),
        methods: BTreeMap::new(),
        members: BTreeSet::new(),
        record_fields: None,
    }
}

impl<'a> Lowering<'a> {
    /// `class Name(Base): …`.
    pub(super) fn define_class(&mut self, def: &'a StmtClassDef) {
        let at = span_of(&def.name);
        let mark = self.mark();
        self.wrappers(&def.decorator_list);
        let bases: &'a [Expr] = def.arguments.as_deref().map(|it| it.args.as_ref()).unwrap_or_default();
        let keywords = def.arguments.iter().flat_map(|it| it.keywords.iter().map(|it| &it.value));
        for value in bases.iter().chain(keywords) {
            self.expression(value);
        }
        self.forget_since(mark);
        let id = self.class_id(def);
        let types = bases.iter().map(|it| self.annotation(Some(it))).collect();
        if let Some(class) = self.classes.get_mut(id.0 as usize) {
            class.bases = types;
            class.record_fields = is_record(def).then(|| record_fields(&def.body));
        }
        self.class_body(def, id);
        let name = def.name.as_str();
        if self.at_top_level() && self.globals.is_static(name) {
            return;
        }
        let value = self.unknown("class", Vec::new(), at);
        self.bind_name(name, value, at);
    }

    fn class_id(&mut self, def: &StmtClassDef) -> ClassId {
        let known =
            self.globals.class_at(def.range()).or_else(|| self.inner_classes.get(&def.range()).copied());
        known.unwrap_or_else(|| {
            let id = ClassId(self.classes.len() as u32);
            self.classes.push(blank(def.name.as_str(), span_of(&def.name)));
            self.inner_classes.insert(def.range(), id);
            id
        })
    }

    fn class_body(&mut self, def: &'a StmtClassDef, id: ClassId) {
        let name = self.qualified(def.name.as_str());
        let layer = ClassLayer { id, name, locals: HashMap::new(), methods: HashSet::new() };
        self.scope().layers.push(Layer::Class(layer));
        self.statements(&def.body);
        let Some(Layer::Class(layer)) = self.scope().layers.pop() else { return };
        let mut locals: Vec<_> =
            layer.locals.iter().filter(|(name, _)| !layer.methods.contains(*name)).collect();
        locals.sort_by_key(|(_, local)| **local);
        for (name, local) in locals {
            self.emit(Operation::Escape { value: Operand::Local(*local) }, span_of(&def.name));
            if let Some(class) = self.classes.get_mut(id.0 as usize) {
                class.members.insert((*name).to_owned());
                class.methods.remove(*name);
            }
        }
        if let Some(class) = self.classes.get_mut(id.0 as usize) {
            class.members.extend(declared(&def.body).map(str::to_owned));
        }
    }

    /// Enters a method in the class around it. An accessor (`@name.setter`) leaves the property as it is.
    pub(super) fn add_method(&mut self, name: &'a str, function: FunctionId, accessor: bool) {
        let Some(Layer::Class(layer)) = self.scope().layers.last_mut() else { return };
        let (id, first) = (layer.id, layer.methods.insert(name));
        let Some(class) = self.classes.get_mut(id.0 as usize) else { return };
        class.members.insert(name.to_owned());
        if accessor {
            return;
        }
        if first {
            class.methods.insert(name.to_owned(), function);
        } else if class.methods.get(name) != Some(&function) {
            class.methods.remove(name);
        }
    }
}

/// Whether a class gets its constructor from the fields of its body.
fn is_record(def: &StmtClassDef) -> bool {
    let last = |it: &Expr| {
        let name = match it {
            Expr::Call(call) => dotted(&call.func),
            other => dotted(other),
        };
        name.and_then(|it| it.rsplit('.').next().map(str::to_owned)).unwrap_or_default()
    };
    let decorated = def.decorator_list.iter().map(|it| last(&it.expression));
    let based = def.arguments.iter().flat_map(|it| it.args.iter().map(&last));
    decorated.into_iter().any(|it| matches!(it.as_str(), "dataclass" | "define" | "frozen" | "attrs"))
        || based.into_iter().any(|it| matches!(it.as_str(), "NamedTuple" | "BaseModel" | "Struct"))
}

fn record_fields(body: &[Stmt]) -> Vec<String> {
    let fields = body.iter().filter_map(|it| match it {
        Stmt::AnnAssign(field) if is_field(field) => Some(field.target.as_ref()),
        _ => None,
    });
    fields.filter_map(|it| it.as_name_expr().map(|it| it.id.as_str().to_owned())).collect()
}

/// Class variables and fields with `init=False` are not parameters of the constructor.
fn is_field(field: &StmtAnnAssign) -> bool {
    let annotation = match field.annotation.as_ref() {
        Expr::Subscript(it) => dotted(&it.value),
        other => dotted(other),
    };
    let marker = annotation.is_some_and(|it| matches!(it.rsplit('.').next(), Some("ClassVar" | "KW_ONLY")));
    let hidden = match field.value.as_deref() {
        Some(Expr::Call(call)) => call.arguments.keywords.iter().any(|it| {
            it.arg.as_ref().is_some_and(|it| it.as_str() == "init")
                && matches!(&it.value, Expr::BooleanLiteral(it) if !it.value)
        }),
        _ => false,
    };
    !marker && !hidden
}

/// The names that a body only declares: `x: int`.
fn declared(body: &[Stmt]) -> impl Iterator<Item = &str> {
    body.iter().filter_map(|it| match it {
        Stmt::AnnAssign(field) => field.target.as_name_expr().map(|it| it.id.as_str()),
        _ => None,
    })
}
