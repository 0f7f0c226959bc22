//! Blocks and statements.
//!
//! The value of a block moves out before its variables are forgotten:
//!
//! ```text
//! let r = { let x = pack(); send(&x) };      %2 = %1, forget %1 (statement), forget x (scope)
//! ```

use syn::{Block, Expr, Item, Local as Let, Stmt};

use super::scope::Bound;
use super::{Lowering, unit_value};
use crate::ir::{Forgetting, Operand, Operation};
use crate::source::Span;

impl Lowering<'_> {
    /// A block with its own names; gives its value.
    pub(super) fn block_value(&mut self, block: &Block) -> Operand {
        self.push_layer();
        let end = self.span_of_end(block.brace_token.span);
        let value = self.statements(&block.stmts);
        self.close_block(value, end)
    }

    /// Ends a block that has a value: it moves out of reach of the block's variables.
    pub(super) fn close_block(&mut self, value: Tail, end: Span) -> Operand {
        if !self.has_locals() || self.builder().is_ended() {
            self.pop_layer(end);
            return value.operand;
        }
        let inside = self.take_since(value.mark);
        let moved = match value.operand {
            Operand::Constant(_) => value.operand,
            Operand::Local(_) => {
                let to = self.temporary(value.span);
                self.emit(Operation::Assign { to, from: value.operand }, value.span);
                Operand::Local(to)
            }
        };
        self.forget(&inside);
        self.pop_layer(end);
        moved
    }

    /// The statements of a block in order; gives the value of the last.
    pub(super) fn statements(&mut self, statements: &[Stmt]) -> Tail {
        self.declare_items(statements);
        let mut tail = Tail { operand: unit_value(), mark: self.mark(), span: Span::default() };
        for (index, statement) in statements.iter().enumerate() {
            let is_last = index + 1 == statements.len();
            match statement {
                Stmt::Expr(value, None) if is_last => {
                    let span = self.span_of(value);
                    tail = self.tail(attributes(value), span, |it| it.expression(value));
                }
                Stmt::Macro(it) if is_last && it.semi_token.is_none() => {
                    let span = self.span_of_macro(&it.mac);
                    tail = self.tail(&it.attrs, span, |lowering| lowering.macro_value(&it.mac));
                }
                _ => {
                    let mark = self.mark();
                    let at = self.begin_of(statement);
                    let _ = self.deeper(at, |it| it.statement(statement));
                    self.forget_since(mark);
                }
            }
        }
        tail
    }

    fn tail(
        &mut self,
        attributes: &[syn::Attribute],
        span: Span,
        value: impl FnOnce(&mut Self) -> Operand,
    ) -> Tail {
        let mark = self.mark();
        if !attributes.iter().any(super::attribute::is_condition) {
            return Tail { operand: value(self), mark, span };
        }
        let result = self.temporary(span);
        self.emit(Operation::Assign { to: result, from: unit_value() }, span);
        self.configured(attributes, |it| {
            let mark = it.mark();
            let value = value(it);
            it.arm(result, value, mark, span);
        });
        Tail { operand: Operand::Local(result), mark, span }
    }

    fn begin_of(&self, statement: &Stmt) -> Span {
        match statement {
            Stmt::Local(it) => self.span_between(it.let_token.span, it.let_token.span),
            Stmt::Expr(it, _) => self.span_of(it),
            Stmt::Macro(it) => self.span_of_macro(&it.mac),
            Stmt::Item(_) => Span::default(),
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Local(it) => self.let_statement(it),
            Stmt::Expr(it, _) => {
                self.configured(attributes(it), |lowering| lowering.expression_statement(it))
            }
            Stmt::Macro(it) => self.configured(&it.attrs, |lowering| _ = lowering.macro_value(&it.mac)),
            // Lowered where the block begins.
            Stmt::Item(_) => {}
        }
    }

    fn expression_statement(&mut self, expression: &Expr) {
        if self.unconsumed_chain(expression) {
            return;
        }
        let value = self.expression(expression);
        if let (Expr::Path(_), Operand::Local(local)) = (expression, &value)
            && self.is_named(&value)
        {
            // `request;` moves it out and drops it.
            self.emit(Operation::Forget { local: *local, why: Forgetting::Delete }, self.span_of(expression));
        }
    }

    fn let_statement(&mut self, it: &Let) {
        if it.attrs.iter().any(super::attribute::is_condition) {
            self.note_twins(&it.pat);
        }
        self.configured(&it.attrs, |lowering| lowering.let_value(it));
    }

    fn let_value(&mut self, it: &Let) {
        let Some(init) = &it.init else { return self.declare_names(&it.pat) };
        if matches!(it.pat, syn::Pat::Wild(_)) && self.unconsumed_chain(&init.expr) {
            return;
        }
        let value = self.initial_value(it, &init.expr);
        match &init.diverge {
            None => self.bind_pattern(&it.pat, value),
            Some((_, otherwise)) => {
                let (failed, matched) = (self.block(), self.block());
                self.pattern(&it.pat, &value, Some(failed));
                self.goto(matched);
                self.switch_to(failed);
                let mark = self.mark();
                self.expression(otherwise);
                self.forget_since(mark);
                // It never goes on behind it.
                self.panic();
                self.switch_to(matched);
            }
        }
    }

    /// What a `let` binds: `.into()` becomes the conversion into the annotated type.
    fn initial_value(&mut self, it: &Let, init: &Expr) -> Operand {
        if let (syn::Pat::Type(typed), Expr::MethodCall(call)) = (&it.pat, init)
            && call.method == "into"
            && let crate::ir::TypeRef::Path(path) = self.type_ref(&typed.ty)
            && self.catalog.api(&format!("{path}.from")).is_some()
        {
            let value = self.expression(&call.receiver);
            let at = self.span_of(init);
            return self.call_path(&format!("{path}.from"), vec![(value, at)], at);
        }
        self.expression(init)
    }

    /// The items of a block are known in all of it.
    fn declare_items(&mut self, statements: &[Stmt]) {
        let items: Vec<&Item> = statements
            .iter()
            .filter_map(|it| match it {
                Stmt::Item(item) => Some(item),
                _ => None,
            })
            .collect();
        for item in &items {
            self.declare_inner_item(item);
        }
        for item in items {
            self.inner_item(item);
        }
    }
}

/// The value of the last expression of a block.
pub(super) struct Tail {
    pub(super) operand: Operand,
    /// How many temporaries there were before it.
    pub(super) mark: usize,
    pub(super) span: Span,
}

/// The attributes of an expression that stands as a statement.
fn attributes(expression: &Expr) -> &[syn::Attribute] {
    match expression {
        Expr::Block(it) => &it.attrs,
        Expr::Call(it) => &it.attrs,
        Expr::MethodCall(it) => &it.attrs,
        Expr::If(it) => &it.attrs,
        Expr::ForLoop(it) => &it.attrs,
        Expr::While(it) => &it.attrs,
        Expr::Loop(it) => &it.attrs,
        Expr::Match(it) => &it.attrs,
        Expr::Unsafe(it) => &it.attrs,
        Expr::Assign(it) => &it.attrs,
        Expr::Return(it) => &it.attrs,
        _ => &[],
    }
}

/// An item of a block.
impl Lowering<'_> {
    fn declare_inner_item(&mut self, item: &Item) {
        match item {
            Item::Fn(it) => {
                let id = self.reserve();
                self.bind_item(&super::names::plain(&it.sig.ident), Bound::Function(id));
            }
            Item::Struct(it) => self.declare_class(&it.ident, super::names::record_fields(&it.fields)),
            Item::Enum(it) => self.declare_class(&it.ident, None),
            Item::Trait(it) => self.declare_class(&it.ident, None),
            Item::Use(it) => self.inner_use(&it.tree, Vec::new()),
            _ => {}
        }
    }

    fn declare_class(&mut self, ident: &syn::Ident, fields: Option<Vec<String>>) {
        let name = super::names::plain(ident);
        let id = crate::ir::ClassId(self.classes.len() as u32);
        self.classes.push(super::names::blank(&name, fields));
        self.bind_item(&name, Bound::Class(id));
    }

    fn inner_use(&mut self, tree: &syn::UseTree, mut path: Vec<String>) {
        let plain = super::names::plain;
        match tree {
            syn::UseTree::Path(it) => {
                path.push(plain(&it.ident));
                self.inner_use(&it.tree, path);
            }
            syn::UseTree::Name(it) => {
                if it.ident != "self" {
                    path.push(plain(&it.ident));
                }
                let Some(name) = path.last().cloned() else { return };
                self.bind_inner_use(&name, path);
            }
            syn::UseTree::Rename(it) => {
                if it.ident != "self" {
                    path.push(plain(&it.ident));
                }
                self.bind_inner_use(&plain(&it.rename), path);
            }
            syn::UseTree::Group(it) => it.items.iter().for_each(|it| self.inner_use(it, path.clone())),
            _ => {}
        }
    }

    fn bind_inner_use(&mut self, name: &str, path: Vec<String>) {
        let joined = path.join(".");
        self.names.note_inner_import(&joined);
        self.bind_item(name, Bound::Path(joined));
    }
}
