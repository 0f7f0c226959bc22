//! Scopes: the functions under construction, their layers of names, and what a name means in the innermost of them.
//!
//! Each `let` makes a variable of its own, so that shadowing hides a name and what it held lives on until its block ends. A closure
//! sees the variables of the functions around it (a **capture**: every function in between captures it too); a nested function does not.

use std::collections::{HashMap, HashSet};

use super::Lowering;
use super::exits::Frame;
use crate::catalog::TypeId;
use crate::ir::{
    BlockId, ClassId, Forgetting, FunctionBuilder, FunctionId, Local, Operand, Operation, Operator,
    Terminator,
};
use crate::source::Span;

/// A function under construction.
pub(super) struct Scope {
    pub(super) id: FunctionId,
    pub(super) builder: FunctionBuilder,
    /// The blocks around the current statement, outer before inner.
    pub(super) layers: Vec<Layer>,
    /// What an exit has to leave, outer before inner.
    pub(super) frames: Vec<Frame>,
    /// The temporaries that the current statements have to forget, with the source of each.
    pub(super) temporaries: Vec<(Local, Span)>,
    /// Variables that hold a map: their elements are pairs.
    pub(super) maps: HashSet<Local>,
    /// Variables that hold a container of a library.
    pub(super) collections: HashMap<Local, TypeId>,
    pub(super) sees: Sees,
    captured: HashMap<String, Local>,
}

/// Whether a function sees the variables of those around it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sees {
    Around,
    ItselfOnly,
}

/// The names of a block.
#[derive(Default)]
pub(super) struct Layer {
    names: HashMap<String, Bound>,
    /// Its variables, in the order of their declaration.
    locals: Vec<(Local, Span)>,
    /// Names that a statement declares which the configuration may leave out: a twin declares them again.
    pub(super) twins: HashSet<String>,
}

/// What a name of a block stands for.
#[derive(Clone)]
pub(super) enum Bound {
    Local(Local),
    Function(FunctionId),
    Class(ClassId),
    Path(String),
}

impl Scope {
    pub(super) fn new(id: FunctionId, name: &str, sees: Sees) -> Self {
        Self {
            id,
            builder: FunctionBuilder::new(name),
            layers: vec![Layer::default()],
            frames: Vec::new(),
            temporaries: Vec::new(),
            maps: HashSet::new(),
            collections: HashMap::new(),
            sees,
            captured: HashMap::new(),
        }
    }

    fn bound(&self, name: &str) -> Option<Bound> {
        self.layers.iter().rev().find_map(|layer| layer.names.get(name).cloned())
    }
}

/// Names.
impl Lowering<'_> {
    pub(super) fn scope(&mut self) -> &mut Scope {
        // The top level is pushed before anything else and popped last.
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    pub(super) fn builder(&mut self) -> &mut FunctionBuilder {
        &mut self.scope().builder
    }

    /// What a name of the functions under construction stands for.
    pub(super) fn bound(&mut self, name: &str) -> Option<Bound> {
        if let Some(bound) = self.scope().bound(name) {
            return Some(bound);
        }
        if let Some(local) = self.scope().captured.get(name) {
            return Some(Bound::Local(*local));
        }
        self.capture(name)
    }

    /// Looks for a name in the enclosing functions, and makes every function in between capture it.
    fn capture(&mut self, name: &str) -> Option<Bound> {
        let innermost = self.scopes.len() - 1;
        let mut found = None;
        for level in (0..=innermost).rev() {
            let scope = &self.scopes[level];
            if level < innermost {
                let known = scope.bound(name).or_else(|| scope.captured.get(name).copied().map(Bound::Local));
                if let Some(known) = known {
                    found = Some((level, known));
                    break;
                }
            }
            if scope.sees == Sees::ItselfOnly {
                // Items are seen from a nested function all the same.
                let items = self.scopes[..level].iter().rev().find_map(|scope| scope.bound(name));
                return items.filter(|it| !matches!(it, Bound::Local(_)));
            }
        }
        let (level, known) = found?;
        let Bound::Local(mut there) = known else { return Some(known) };
        for inner in level + 1..=innermost {
            self.scopes[inner - 1].builder.mark_captured(there);
            let scope = &mut self.scopes[inner];
            let here = scope.builder.shadow(name);
            scope.builder.function_mut().captures.push((here, there));
            scope.captured.insert(name.to_owned(), here);
            there = here;
        }
        Some(Bound::Local(there))
    }

    /// The variable that a name means, without counting a read.
    pub(super) fn local_of(&mut self, name: &str) -> Option<Local> {
        match self.bound(name)? {
            Bound::Local(local) => Some(local),
            Bound::Function(_) | Bound::Class(_) | Bound::Path(_) => None,
        }
    }

    /// A new variable of the current block.
    pub(super) fn declare(&mut self, name: &str, at: Span) -> Local {
        let scope = self.scope();
        if let Some(layer) = scope.layers.last()
            && layer.twins.contains(name)
            && let Some(Bound::Local(local)) = layer.names.get(name)
        {
            return *local;
        }
        let local = scope.builder.shadow(name);
        self.declare_as(name, local, at);
        local
    }

    /// Gives a variable of the current block its name.
    pub(super) fn declare_as(&mut self, name: &str, local: Local, at: Span) {
        if let Some(layer) = self.scope().layers.last_mut() {
            layer.names.insert(name.to_owned(), Bound::Local(local));
            layer.locals.push((local, at));
        }
    }

    /// Binds an item of the current block.
    pub(super) fn bind_item(&mut self, name: &str, bound: Bound) {
        if let Some(layer) = self.scope().layers.last_mut() {
            layer.names.insert(name.to_owned(), bound);
        }
    }

    pub(super) fn push_layer(&mut self) {
        self.scope().layers.push(Layer::default());
    }

    /// Ends a block: its variables give up what they hold, the newest first.
    pub(super) fn pop_layer(&mut self, end: Span) {
        let Some(layer) = self.scope().layers.pop() else { return };
        if !self.builder().is_ended() {
            self.forget_locals(&layer.locals, end);
        }
    }

    /// Whether the innermost block has variables.
    pub(super) fn has_locals(&mut self) -> bool {
        self.scope().layers.last().is_some_and(|layer| !layer.locals.is_empty())
    }

    /// Forgets the variables of all layers but the outer `keep`, the newest first. The layers stay open.
    pub(super) fn forget_layers(&mut self, keep: usize, at: Span) {
        let layers = &self.scope().layers;
        let locals: Vec<(Local, Span)> =
            layers.iter().skip(keep).flat_map(|layer| layer.locals.clone()).collect();
        self.forget_locals(&locals, at);
    }

    fn forget_locals(&mut self, locals: &[(Local, Span)], at: Span) {
        for (local, _) in locals.iter().rev() {
            self.emit(Operation::Forget { local: *local, why: Forgetting::Scope }, at);
        }
    }
}

/// Operations, temporaries and blocks of the innermost scope.
impl Lowering<'_> {
    /// Appends an operation; behind a way out there is nothing to append to.
    pub(super) fn emit(&mut self, operation: Operation, span: Span) {
        if !self.builder().is_ended() {
            self.builder().emit(operation, span);
        }
    }

    /// A temporary that the current statement forgets.
    pub(super) fn temporary(&mut self, span: Span) -> Local {
        let scope = self.scope();
        let local = scope.builder.temporary();
        scope.temporaries.push((local, span));
        local
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

    /// Whether an operand is a temporary or a constant, and no variable.
    pub(super) fn is_named(&mut self, operand: &Operand) -> bool {
        let Operand::Local(local) = operand else { return false };
        self.builder().function().locals.get(local.0 as usize).is_some_and(|it| !it.name.is_empty())
    }

    /// Whether one more loop may be opened; notes a problem if not.
    pub(super) fn may_loop(&mut self, at: Span) -> bool {
        let allowed = self.builder().open_loops() < super::NESTING_LIMIT;
        if !allowed {
            self.problem(at, "too many nested loops");
        }
        allowed
    }
}
