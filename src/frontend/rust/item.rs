//! Items: functions, methods, traits and modules.
//!
//! All functions have their ids before any body is lowered, so that a body finds those that come later. A method of an `impl` for a
//! type of the file belongs to its class; so does a default method of a trait to the trait.

use syn::{Block, File, FnArg, ImplItem, Item, ItemImpl, ItemTrait, Pat, Signature, TraitItem};

use super::Lowering;
use super::names::{blank, plain, qualified};
use super::scope::{Bound, Scope, Sees};
use crate::ir::{
    ClassId, Constant, Flavour, FunctionId, FunctionKind, Operand, Operation, ParameterKind, TypeRef,
};
use crate::source::Span;

/// A function whose body is still to be lowered.
pub(super) struct Waiting<'f> {
    id: FunctionId,
    name: String,
    signature: &'f Signature,
    body: &'f Block,
    class: Option<ClassId>,
    module: Vec<String>,
}

impl Lowering<'_> {
    /// The items of the file.
    pub(super) fn file(&mut self, file: &File) {
        let top_level = self.reserve();
        let mut scope = Scope::new(top_level, "<module>", Sees::ItselfOnly);
        scope.builder.function_mut().kind = FunctionKind::TopLevel;
        self.scopes.push(scope);
        let mut waiting = Vec::new();
        self.declare_functions(&file.items, &mut waiting);
        for function in waiting {
            self.module.clone_from(&function.module);
            self.function(function);
        }
        self.module.clear();
        let end = self.text.len() as u32;
        self.close_scope(Span::new(end, end));
    }

    /// Gives every function of some items its id, and evaluates constants.
    fn declare_functions<'f>(&mut self, items: &'f [Item], waiting: &mut Vec<Waiting<'f>>) {
        for item in items {
            match item {
                Item::Fn(it) => {
                    let name = qualified(&self.module, &plain(&it.sig.ident));
                    let id = self.reserve();
                    self.defined.insert(name.clone(), id);
                    let module = self.module.clone();
                    waiting.push(Waiting {
                        id,
                        name,
                        signature: &it.sig,
                        body: &it.block,
                        class: None,
                        module,
                    });
                }
                Item::Impl(it) => self.declare_impl(it, waiting),
                Item::Trait(it) => self.declare_trait(it, waiting),
                Item::Mod(it) => {
                    if let Some((_, items)) = &it.content
                        && self.module.len() < 100
                    {
                        self.module.push(plain(&it.ident));
                        self.declare_functions(items, waiting);
                        self.module.pop();
                    }
                }
                Item::Const(it) => {
                    if let Some(value) = constant(&it.expr) {
                        let name = qualified(&self.module, &plain(&it.ident));
                        let at = self.span_of(&it.expr);
                        self.emit(Operation::SetGlobal { name, value }, at);
                    }
                }
                _ => {}
            }
        }
    }

    fn declare_impl<'f>(&mut self, it: &'f ItemImpl, waiting: &mut Vec<Waiting<'f>>) {
        let class = self.own_class(&it.self_ty).unwrap_or_else(|| {
            let name = self.span_of_node(&it.self_ty).of(self.text).to_owned();
            let id = ClassId(self.classes.len() as u32);
            self.classes.push(blank(&name, None));
            id
        });
        for item in &it.items {
            if let ImplItem::Fn(method) = item {
                self.declare_method(class, &method.sig, &method.block, waiting);
            }
        }
    }

    fn declare_trait<'f>(&mut self, it: &'f ItemTrait, waiting: &mut Vec<Waiting<'f>>) {
        let path =
            syn::Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path: it.ident.clone().into() });
        let Some(class) = self.own_class(&path) else { return };
        for item in &it.items {
            if let TraitItem::Fn(method) = item
                && let Some(body) = &method.default
            {
                self.declare_method(class, &method.sig, body, waiting);
            }
        }
    }

    fn declare_method<'f>(
        &mut self,
        class: ClassId,
        signature: &'f Signature,
        body: &'f Block,
        waiting: &mut Vec<Waiting<'f>>,
    ) {
        let id = self.reserve();
        let method = plain(&signature.ident);
        let Some(entry) = self.classes.get_mut(class.0 as usize) else { return };
        let name = format!("{}::{method}", entry.name);
        // A name that two traits define may mean either.
        if entry.members.insert(method.clone()) {
            entry.methods.insert(method, id);
        } else {
            entry.methods.remove(&method);
        }
        let module = self.module.clone();
        waiting.push(Waiting { id, name, signature, body, class: Some(class), module });
    }

    /// The items of a block, whose names are bound already.
    pub(super) fn inner_item(&mut self, item: &Item) {
        match item {
            Item::Fn(it) => {
                let Some(Bound::Function(id)) = self.bound(&plain(&it.sig.ident)) else { return };
                let name = plain(&it.sig.ident);
                let (class, module) = (None, self.module.clone());
                self.function(Waiting { id, name, signature: &it.sig, body: &it.block, class, module });
            }
            Item::Impl(it) => {
                let mut waiting = Vec::new();
                self.declare_inner_impl(it, &mut waiting);
                waiting.into_iter().for_each(|it| self.function(it));
            }
            _ => {}
        }
    }

    fn declare_inner_impl<'f>(&mut self, it: &'f ItemImpl, waiting: &mut Vec<Waiting<'f>>) {
        let own = match it.self_ty.as_ref() {
            syn::Type::Path(path) => path.path.get_ident().map(plain),
            _ => None,
        };
        let bound = own.and_then(|name| self.bound(&name));
        let Some(Bound::Class(class)) = bound else { return self.declare_impl(it, waiting) };
        for item in &it.items {
            if let ImplItem::Fn(method) = item {
                self.declare_method(class, &method.sig, &method.block, waiting);
            }
        }
    }

    /// Lowers a function, which sees no variables of the one around it.
    fn function(&mut self, it: Waiting<'_>) {
        if self.scopes.len() > super::NESTING_LIMIT {
            return self.problem(self.span_of_node(&it.signature.ident), "too many nested functions");
        }
        let class = std::mem::replace(&mut self.class, it.class);
        let mut scope = Scope::new(it.id, &it.name, Sees::ItselfOnly);
        let receiver = it.signature.receiver().is_some();
        let function = scope.builder.function_mut();
        function.kind = match (it.class, receiver) {
            (Some(_), true) => FunctionKind::Method,
            (Some(_), false) => FunctionKind::Static,
            (None, _) => FunctionKind::Plain,
        };
        function.class = it.class;
        function.parent = None;
        function.flavour = if it.signature.asyncness.is_some() { Flavour::Coroutine } else { Flavour::Plain };
        self.scopes.push(scope);
        self.builder().function_mut().span = self.span_of_node(&it.signature.ident);
        self.parameters(it.signature);
        let end = self.span_of_end(it.body.brace_token.span);
        let tail = self.statements(&it.body.stmts);
        let at = if tail.span == Span::default() { end } else { tail.span };
        self.return_tail(tail.operand, at);
        self.close_scope(end);
        self.class = class;
    }

    fn parameters(&mut self, signature: &Signature) {
        let mut later: Vec<(&Pat, crate::ir::Local)> = Vec::new();
        for (index, input) in signature.inputs.iter().enumerate() {
            match input {
                FnArg::Receiver(_) => {
                    let annotation = self.class.map_or(TypeRef::Unknown, TypeRef::Class);
                    let local = self.builder().parameter_of("self", ParameterKind::Plain, None, annotation);
                    self.declare_as("self", local, Span::default());
                }
                FnArg::Typed(typed) => {
                    let annotation = self.type_ref(&typed.ty);
                    let apart = self.parameter(index, &typed.pat, annotation);
                    later.extend(apart.map(|local| (typed.pat.as_ref(), local)));
                }
            }
        }
        for (pattern, local) in later {
            self.bind_pattern(pattern, Operand::Local(local));
        }
        self.forget_since(0);
    }
}

/// The value of a constant that is written down.
fn constant(expression: &syn::Expr) -> Option<Operand> {
    let syn::Expr::Lit(literal) = expression else { return None };
    Some(Operand::Constant(match &literal.lit {
        syn::Lit::Int(it) => Constant::Int(it.base10_parse().ok()?),
        syn::Lit::Bool(it) => Constant::Bool(it.value),
        syn::Lit::Str(it) => Constant::Str(it.value()),
        _ => return None,
    }))
}
