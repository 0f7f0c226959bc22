//! One pass over the whole tree before anything is lowered: which names each function binds, and what the file reads.
//!
//! - A function **binds** a name by any form of assignment in its own body (`for`, `with`, `import`, `except`, `:=`, `del`,
//!   a nested `def`, a capture of `match` …); such a name is local to it unless it is declared `global` or `nonlocal`.
//!   The target of a comprehension is local to the comprehension.
//! - A **family** is an outermost function with all functions inside it: a name that is bound in a family and that nothing in
//!   the family reads is never read.
//!
//! The pass also measures how deep the tree is nested, since it is the only code that must survive any depth.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    Comprehension, ExceptHandler, Expr, ExprContext, Identifier, Parameters, Pattern, Stmt,
};
use ruff_text_size::{Ranged, TextRange};

use super::{CHAIN_LIMIT, DEPTH_LIMIT};

/// What one function binds.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    /// The names that are local to it.
    pub(super) bound: HashSet<&'a str>,
    /// The names that it declares `global`.
    pub(super) global: HashSet<&'a str>,
    /// Whether its own body contains a `yield`.
    pub(super) yields: bool,
    nonlocal: HashSet<&'a str>,
    family: usize,
}

/// What the pass found.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    functions: HashMap<TextRange, Names<'a>>,
    /// The names that each family reads; the first family is the whole file.
    families: Vec<HashSet<&'a str>>,
    /// Every attribute that is read, by its name.
    pub(super) attributes_read: HashSet<&'a str>,
    /// Every name that some function declares `global`.
    pub(super) declared_global: HashSet<&'a str>,
    /// Whether the tree is nested so deep that not even dropping it is safe.
    pub(super) too_deep: bool,
}

impl<'a> Scan<'a> {
    /// Looks at a whole file.
    pub(super) fn of(body: &'a [Stmt]) -> Self {
        let mut scanner = Scanner {
            scan: Scan {
                functions: HashMap::new(),
                families: vec![HashSet::new()],
                attributes_read: HashSet::new(),
                declared_global: HashSet::new(),
                too_deep: false,
            },
            open: vec![Names::default()],
            targets: 0,
            classes: 0,
            depth: 0,
        };
        scanner.visit_body(body);
        scanner.scan
    }

    /// The names of the function whose definition spans `range`.
    pub(super) fn take_names(&mut self, range: TextRange) -> Names<'a> {
        self.functions.remove(&range).unwrap_or_default()
    }

    /// Whether anything in the family of a function reads a name.
    pub(super) fn is_read(&self, names: &Names<'a>, name: &str) -> bool {
        self.families.get(names.family).is_none_or(|it| it.contains(name))
    }
}

struct Scanner<'a> {
    scan: Scan<'a>,
    /// The functions and classes around the current node; the first is the top level.
    open: Vec<Names<'a>>,
    /// How many comprehension targets are around the current node.
    targets: u32,
    /// How many classes are directly open: their names are not the function's.
    classes: u32,
    depth: u32,
}

impl<'a> Scanner<'a> {
    fn bind(&mut self, name: &'a str) {
        if let (Some(names), 0) = (self.open.last_mut(), self.classes) {
            names.bound.insert(name);
        }
    }

    fn bind_optional(&mut self, name: &'a Option<Identifier>) {
        if let Some(name) = name {
            self.bind(name.as_str());
        }
    }

    fn read(&mut self, name: &'a str) {
        let family = self.open.last().map_or(0, |it| it.family);
        for index in [0, family] {
            if let Some(names) = self.scan.families.get_mut(index) {
                names.insert(name);
            }
        }
    }

    fn deeper(&mut self, walk: impl FnOnce(&mut Self)) {
        if self.depth >= DEPTH_LIMIT {
            self.scan.too_deep = true;
            return;
        }
        self.depth += 1;
        walk(self);
        self.depth -= 1;
    }

    fn function(
        &mut self,
        range: TextRange,
        parameters: Option<&'a Parameters>,
        walk: impl FnOnce(&mut Self),
    ) {
        let family = match self.open.as_slice() {
            [_] => {
                self.scan.families.push(HashSet::new());
                self.scan.families.len() - 1
            }
            [.., around] => around.family,
            [] => 0,
        };
        self.open.push(Names { family, ..Names::default() });
        let (targets, classes) = (self.targets, self.classes);
        (self.targets, self.classes) = (0, 0);
        for parameter in parameters.into_iter().flat_map(|it| it.iter()) {
            self.bind(parameter.name().as_str());
        }
        walk(self);
        (self.targets, self.classes) = (targets, classes);
        if let Some(mut names) = self.open.pop() {
            names.bound.retain(|it| !names.global.contains(it) && !names.nonlocal.contains(it));
            self.scan.functions.insert(range, names);
        }
    }

    /// The parts of a parameter list that the enclosing function evaluates.
    fn defaults(&mut self, parameters: &'a Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = &parameter.default {
                self.visit_expr(default);
            }
        }
        for parameter in parameters.iter() {
            if let Some(annotation) = parameter.annotation() {
                self.visit_annotation(annotation);
            }
        }
    }

    fn comprehensions(&mut self, generators: &'a [Comprehension], values: &[&'a Expr]) {
        for generator in generators {
            self.visit_expr(&generator.iter);
            self.targets += 1;
            self.visit_expr(&generator.target);
            self.targets -= 1;
            generator.ifs.iter().for_each(|it| self.visit_expr(it));
        }
        values.iter().for_each(|it| self.visit_expr(it));
    }

    /// `getattr(x, "name")` and its kin read the attribute that the string names.
    fn named_by_string(&mut self, function: &'a Expr, arguments: &'a [Expr]) {
        let name = match function {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            _ => return,
        };
        if !matches!(name, "getattr" | "hasattr" | "attrgetter" | "methodcaller") {
            return;
        }
        for argument in arguments {
            if let Expr::StringLiteral(literal) = argument
                && let [part] = literal.value.as_slice()
            {
                self.scan.attributes_read.extend(part.as_str().split('.'));
            }
        }
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(def) => {
                self.bind(def.name.as_str());
                def.decorator_list.iter().for_each(|it| self.visit_expr(&it.expression));
                self.defaults(&def.parameters);
                if let Some(returns) = &def.returns {
                    self.visit_annotation(returns);
                }
                self.function(def.range(), Some(&def.parameters), |it| it.visit_body(&def.body));
            }
            Stmt::ClassDef(def) => {
                self.bind(def.name.as_str());
                def.decorator_list.iter().for_each(|it| self.visit_expr(&it.expression));
                if let Some(arguments) = &def.arguments {
                    self.visit_arguments(arguments);
                }
                self.classes += 1;
                self.visit_body(&def.body);
                self.classes -= 1;
            }
            Stmt::Global(global) => {
                let names = global.names.iter().map(Identifier::as_str);
                self.scan.declared_global.extend(names.clone());
                if let Some(open) = self.open.last_mut() {
                    open.global.extend(names);
                }
            }
            Stmt::Nonlocal(nonlocal) => {
                if let Some(open) = self.open.last_mut() {
                    open.nonlocal.extend(nonlocal.names.iter().map(Identifier::as_str));
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let whole = alias.name.as_str();
                    let first = whole.split('.').next().unwrap_or(whole);
                    self.bind(alias.asname.as_ref().map_or(first, Identifier::as_str));
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    self.bind(alias.asname.as_ref().unwrap_or(&alias.name).as_str());
                }
            }
            Stmt::AugAssign(update) => {
                match update.target.as_ref() {
                    Expr::Attribute(attribute) => {
                        self.scan.attributes_read.insert(attribute.attr.as_str());
                    }
                    Expr::Name(name) => self.read(name.id.as_str()),
                    _ => {}
                }
                visitor::walk_stmt(self, statement);
            }
            _ => visitor::walk_stmt(self, statement),
        }
    }

    fn expression(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => match name.ctx {
                ExprContext::Store | ExprContext::Del if self.targets == 0 => self.bind(name.id.as_str()),
                ExprContext::Store | ExprContext::Del => {}
                ExprContext::Load | ExprContext::Invalid => self.read(name.id.as_str()),
            },
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                let targets = std::mem::take(&mut self.targets);
                self.visit_expr(&named.target);
                self.targets = targets;
            }
            Expr::Attribute(attribute) => {
                if attribute.ctx == ExprContext::Load {
                    self.scan.attributes_read.insert(attribute.attr.as_str());
                }
                self.visit_expr(&attribute.value);
            }
            Expr::Call(call) => {
                self.named_by_string(&call.func, &call.arguments.args);
                visitor::walk_expr(self, expression);
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.defaults(parameters);
                }
                self.function(lambda.range(), lambda.parameters.as_deref(), |it| it.visit_expr(&lambda.body));
            }
            Expr::ListComp(it) => self.comprehensions(&it.generators, &[&it.elt]),
            Expr::SetComp(it) => self.comprehensions(&it.generators, &[&it.elt]),
            Expr::Generator(it) => self.comprehensions(&it.generators, &[&it.elt]),
            Expr::DictComp(it) => {
                let mut values = vec![it.value.as_ref()];
                values.extend(it.key.as_deref());
                self.comprehensions(&it.generators, &values);
            }
            Expr::Yield(_) | Expr::YieldFrom(_) => {
                if let Some(open) = self.open.last_mut() {
                    open.yields = true;
                }
                visitor::walk_expr(self, expression);
            }
            _ => visitor::walk_expr(self, expression),
        }
    }
}

impl<'a> Visitor<'a> for Scanner<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        self.deeper(|it| it.statement(statement));
    }

    /// A chain of binary operators leans to the left and can be very long: its operands are not deeper than the chain.
    fn visit_expr(&mut self, mut expression: &'a Expr) {
        let mut length = 0;
        while let Expr::BinOp(operation) = expression {
            self.deeper(|it| it.visit_expr(&operation.right));
            expression = &operation.left;
            length += 1;
        }
        self.scan.too_deep |= length > CHAIN_LIMIT;
        self.deeper(|it| it.expression(expression));
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inside) = handler;
        self.bind_optional(&inside.name);
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        match pattern {
            Pattern::MatchAs(it) => self.bind_optional(&it.name),
            Pattern::MatchStar(it) => self.bind_optional(&it.name),
            Pattern::MatchMapping(it) => self.bind_optional(&it.rest),
            Pattern::MatchClass(it) => {
                let names = it.arguments.keywords.iter().map(|it| it.attr.as_str());
                self.scan.attributes_read.extend(names);
            }
            Pattern::MatchValue(_)
            | Pattern::MatchSingleton(_)
            | Pattern::MatchSequence(_)
            | Pattern::MatchOr(_) => {}
        }
        self.deeper(|it| visitor::walk_pattern(it, pattern));
    }
}
