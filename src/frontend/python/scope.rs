//! Scopes: the functions under construction, and what a name means in the innermost of them.
//!
//! A name means, in this order: the target of a comprehension around it, a name of the class body around it, a local of
//! the function, a local of an enclosing function (a **capture**: every function in between captures it too), a global.
//! Functions inside a class body do not see the names of the class.

use std::collections::{HashMap, HashSet};

use super::exits::Frame;
use super::scan::Names;
use super::{Lowering, NESTING_LIMIT};
use crate::ir::{
    BlockId, ClassId, Constant, Forgetting, FunctionBuilder, FunctionId, Local, Operand, Operation, Operator,
    Terminator,
};
use crate::source::Span;

/// A function under construction.
pub(super) struct Scope<'a> {
    pub(super) id: FunctionId,
    pub(super) builder: FunctionBuilder,
    pub(super) names: Names<'a>,
    /// Comprehensions and class bodies around the current statement, outer before inner.
    pub(super) layers: Vec<Layer<'a>>,
    /// What an exit has to pass, outer before inner.
    pub(super) frames: Vec<Frame<'a>>,
    /// The temporaries that the current statement has to forget, with the source of each.
    pub(super) temporaries: Vec<(Local, Span)>,
    /// Imports inside the function, for annotations.
    pub(super) imports: HashMap<&'a str, String>,
    /// Where the value of a `return` waits while a `finally` runs.
    pub(super) result: Option<Local>,
    /// Whether the current way out returns what waits there.
    pub(super) returning: bool,
    captured: HashMap<&'a str, Local>,
    top_level: bool,
}

/// Names that live inside a part of a function only.
pub(super) enum Layer<'a> {
    /// The targets of a comprehension.
    Comprehension(HashMap<&'a str, Local>),
    /// The names of a class body.
    Class(ClassLayer<'a>),
}

/// The names of a class body.
pub(super) struct ClassLayer<'a> {
    pub(super) id: ClassId,
    pub(super) name: String,
    pub(super) locals: HashMap<&'a str, Local>,
    /// The names of its methods, and those of them that are defined twice.
    pub(super) methods: HashSet<&'a str>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(id: FunctionId, name: &str, names: Names<'a>, top_level: bool) -> Self {
        Self {
            id,
            builder: FunctionBuilder::new(name),
            names,
            layers: Vec::new(),
            frames: Vec::new(),
            temporaries: Vec::new(),
            imports: HashMap::new(),
            result: None,
            returning: false,
            captured: HashMap::new(),
            top_level,
        }
    }

    /// A local of the function itself or of a comprehension in it, as an inner function sees it.
    fn seen_from_inside(&mut self, name: &'a str) -> Option<Local> {
        let comprehension = self.layers.iter().rev().find_map(|layer| match layer {
            Layer::Comprehension(locals) => locals.get(name).copied(),
            Layer::Class(_) => None,
        });
        if comprehension.is_some() {
            return comprehension;
        }
        self.names.bound.contains(name).then(|| self.builder.local(name))
    }
}

/// Names.
impl<'a> Lowering<'a> {
    pub(super) fn scope(&mut self) -> &mut Scope<'a> {
        // The top level is pushed before anything else and popped last.
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    pub(super) fn builder(&mut self) -> &mut FunctionBuilder {
        &mut self.scope().builder
    }

    /// Whether names that are bound here are names of the top level.
    pub(super) fn at_top_level(&mut self) -> bool {
        let scope = self.scope();
        scope.top_level && !scope.layers.iter().any(|it| matches!(it, Layer::Class(_)))
    }

    /// The local that a name means where it is read; `None` for a global.
    fn meaning(&mut self, name: &'a str) -> Option<Local> {
        let scope = self.scope();
        for layer in scope.layers.iter_mut().rev() {
            let known = match layer {
                Layer::Comprehension(locals) => locals.get(name).copied(),
                Layer::Class(class) if class.methods.contains(name) => {
                    Some(*class.locals.entry(name).or_insert_with(|| scope.builder.shadow(name)))
                }
                Layer::Class(class) => class.locals.get(name).copied(),
            };
            if known.is_some() {
                return known;
            }
        }
        self.function_local(name)
    }

    /// The local that a name means in the function itself, captures included.
    fn function_local(&mut self, name: &'a str) -> Option<Local> {
        let scope = self.scope();
        if scope.names.global.contains(name) {
            return None;
        }
        if scope.names.bound.contains(name) {
            return Some(scope.builder.local(name));
        }
        if let Some(local) = scope.captured.get(name) {
            return Some(*local);
        }
        self.capture(name)
    }

    /// Looks for a name in the enclosing functions, and makes every function in between capture it.
    fn capture(&mut self, name: &'a str) -> Option<Local> {
        let innermost = self.scopes.len() - 1;
        let mut found = None;
        for level in (0..innermost).rev() {
            let scope = &mut self.scopes[level];
            if scope.names.global.contains(name) {
                return None;
            }
            let local = scope.seen_from_inside(name).or_else(|| scope.captured.get(name).copied());
            if let Some(local) = local {
                found = Some((level, local));
                break;
            }
        }
        let (level, mut there) = found?;
        for inner in level + 1..=innermost {
            self.scopes[inner - 1].builder.mark_captured(there);
            let scope = &mut self.scopes[inner];
            let here = scope.builder.shadow(name);
            scope.builder.function_mut().captures.push((here, there));
            scope.captured.insert(name, here);
            there = here;
        }
        Some(there)
    }

    /// Reads a name.
    pub(super) fn read(&mut self, name: &'a str, span: Span) -> Operand {
        if name.is_empty() {
            return self.unknown("invalid", Vec::new(), span);
        }
        if let Some(local) = self.meaning(name) {
            self.builder().count_read(local);
            return Operand::Local(local);
        }
        if !self.names_read.contains(name) {
            self.names_read.insert(name.to_owned());
        }
        let to = self.temporary(span);
        self.emit(Operation::Global { to, name: name.to_owned() }, span);
        Operand::Local(to)
    }

    /// The local that an assignment to a name binds; `None` for a global.
    pub(super) fn slot_of(&mut self, name: &'a str) -> Option<Local> {
        if name.is_empty() {
            return None;
        }
        let scope = self.scope();
        for layer in scope.layers.iter_mut().rev() {
            let Layer::Class(class) = layer else { continue };
            if scope.names.global.contains(name) {
                return None;
            }
            let qualified = || format!("{}.{name}", class.name);
            let builder = &mut scope.builder;
            return Some(*class.locals.entry(name).or_insert_with(|| builder.shadow(&qualified())));
        }
        self.function_local(name)
    }

    /// The local that a loop, `with` or unpacking binds: in a comprehension its own target.
    pub(super) fn target_local(&mut self, name: &'a str) -> Option<Local> {
        if let Some(Layer::Comprehension(locals)) = self.scope().layers.last()
            && let Some(local) = locals.get(name)
        {
            return Some(*local);
        }
        self.slot_of(name)
    }

    /// Binds a name to a value.
    pub(super) fn bind_name(&mut self, name: &'a str, value: Operand, span: Span) {
        if name.is_empty() {
            // The parser has said what is missing.
        } else if let Some(to) = self.slot_of(name) {
            self.emit(Operation::Assign { to, from: value }, span);
        } else if !(value == Operand::Constant(Constant::None) && self.globals.is_static(name)) {
            self.emit(Operation::SetGlobal { name: name.to_owned(), value }, span);
        }
    }
}

/// Operations, temporaries and blocks of the innermost scope.
impl Lowering<'_> {
    pub(super) fn emit(&mut self, operation: Operation, span: Span) {
        self.builder().emit(operation, span);
    }

    /// A temporary that the current statement forgets.
    pub(super) fn temporary(&mut self, span: Span) -> Local {
        let scope = self.scope();
        let local = scope.builder.temporary();
        scope.temporaries.push((local, span));
        local
    }

    /// A temporary that whoever asks for it has to forget.
    pub(super) fn held_temporary(&mut self) -> Local {
        self.builder().temporary()
    }

    pub(super) fn compute(&mut self, operator: Operator, operands: Vec<Operand>, span: Span) -> Operand {
        let to = self.temporary(span);
        self.emit(Operation::Compute { to, operator, operands }, span);
        Operand::Local(to)
    }

    /// A value that is only known by what it is made of.
    pub(super) fn unknown(&mut self, what: &'static str, operands: Vec<Operand>, span: Span) -> Operand {
        self.compute(Operator::Other(what), operands, span)
    }

    /// How many temporaries the current statement has made so far.
    pub(super) fn mark(&mut self) -> usize {
        self.scope().temporaries.len()
    }

    /// The temporaries made since a mark; the caller forgets them.
    pub(super) fn take_since(&mut self, mark: usize) -> Vec<(Local, Span)> {
        let temporaries = &mut self.scope().temporaries;
        temporaries.split_off(mark.min(temporaries.len()))
    }

    /// Forgets the temporaries made since a mark: the end of a statement.
    pub(super) fn forget_since(&mut self, mark: usize) {
        let temporaries = self.take_since(mark);
        self.forget(&temporaries);
    }

    pub(super) fn forget(&mut self, temporaries: &[(Local, Span)]) {
        if temporaries.is_empty() || self.builder().is_ended() {
            return;
        }
        for (local, span) in temporaries {
            self.emit(Operation::Forget { local: *local, why: Forgetting::Statement }, *span);
        }
    }

    pub(super) fn block(&mut self) -> BlockId {
        self.builder().block()
    }

    pub(super) fn goto(&mut self, block: BlockId) {
        self.builder().goto(block);
    }

    pub(super) fn switch_to(&mut self, block: BlockId) {
        self.builder().switch_to(block);
    }

    pub(super) fn end(&mut self, terminator: Terminator) {
        self.builder().end(terminator);
    }

    /// Whether one more loop may be opened; notes a problem if not.
    pub(super) fn may_loop(&mut self, at: Span) -> bool {
        let allowed = self.builder().open_loops() < NESTING_LIMIT;
        if !allowed {
            self.problem(at, "too many nested loops");
        }
        allowed
    }
}
