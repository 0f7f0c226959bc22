//! Builds functions block by block.
//!
//! - The **current block** takes what is emitted. A block that was ended takes nothing more: what is emitted behind a
//!   `return` goes into a new block that nothing leads to.
//! - A **temporary** is a local without a name.
//! - A loop is **open** while its body is built: every block made meanwhile belongs to it.
//!
//! ```
//! use unwaited::ir::{Callee, Forgetting, FunctionBuilder, Operand, Operation};
//! use unwaited::source::Span;
//!
//! let mut builder = FunctionBuilder::new("tell");
//! let dist = builder.global("dist", Span::default());
//! let handle = builder.method(Operand::Local(dist), "isend", vec![], Span::default());
//! builder.emit(Operation::Forget { local: handle, why: Forgetting::Statement }, Span::default());
//! let function = builder.finish(Span::default());
//! assert_eq!(function.blocks.len(), 1);
//! ```

use std::collections::{BTreeSet, HashMap};

use super::{
    Argument, Block, BlockId, Callee, DefaultValue, Flavour, Function, FunctionKind, Local, LocalInfo, Loop,
    Op, Operand, Operation, Parameter, ParameterKind, Passing, Terminator, TypeRef,
};
use crate::source::Span;

/// A function under construction.
#[derive(Debug)]
pub struct FunctionBuilder {
    function: Function,
    ended: Vec<bool>,
    current: BlockId,
    names: HashMap<String, Local>,
    open_loops: Vec<usize>,
}

impl FunctionBuilder {
    /// An empty plain function with its entry block.
    pub fn new(name: &str) -> Self {
        let function = Function {
            name: name.to_owned(),
            span: Span::default(),
            kind: FunctionKind::Plain,
            flavour: Flavour::Plain,
            class: None,
            parent: None,
            parameters: Vec::new(),
            locals: Vec::new(),
            captures: Vec::new(),
            blocks: Vec::new(),
            loops: Vec::new(),
            opaque: false,
        };
        let mut builder = Self {
            function,
            ended: Vec::new(),
            current: BlockId(0),
            names: HashMap::new(),
            open_loops: Vec::new(),
        };
        builder.block();
        builder
    }

    /// The function as far as it is built, to fill in what it is.
    pub fn function_mut(&mut self) -> &mut Function {
        &mut self.function
    }

    /// The function as far as it is built.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The finished function; whatever does not end otherwise returns `None` at `end`.
    pub fn finish(mut self, end: Span) -> Function {
        for (block, ended) in self.function.blocks.iter_mut().zip(&self.ended) {
            if !ended {
                block.end = Terminator::Return { value: Operand::Constant(super::Constant::None), span: end };
            }
        }
        self.function
    }
}

/// Locals.
impl FunctionBuilder {
    /// The local of a name, made at its first use.
    pub fn local(&mut self, name: &str) -> Local {
        if let Some(local) = self.names.get(name) {
            return *local;
        }
        let local = self.shadow(name);
        self.names.insert(name.to_owned(), local);
        local
    }

    /// A further local of a name that other code does not see: the target of a comprehension.
    pub fn shadow(&mut self, name: &str) -> Local {
        let local = Local(self.function.locals.len() as u32);
        self.function.locals.push(LocalInfo { name: name.to_owned(), reads: 0, captured: false });
        local
    }

    /// A new temporary.
    pub fn temporary(&mut self) -> Local {
        self.shadow("")
    }

    /// A new parameter without default or annotation.
    pub fn parameter(&mut self, name: &str) -> Local {
        self.parameter_of(name, ParameterKind::Plain, None, TypeRef::Unknown)
    }

    /// A new parameter.
    pub fn parameter_of(
        &mut self,
        name: &str,
        kind: ParameterKind,
        default: Option<DefaultValue>,
        annotation: TypeRef,
    ) -> Local {
        let local = self.local(name);
        self.function.parameters.push(Parameter { local, name: name.to_owned(), kind, default, annotation });
        local
    }

    /// Counts a read of a local in the source.
    pub fn count_read(&mut self, local: Local) {
        if let Some(info) = self.function.locals.get_mut(local.0 as usize) {
            info.reads += 1;
        }
    }

    /// Notes that a nested function uses a local.
    pub fn mark_captured(&mut self, local: Local) {
        if let Some(info) = self.function.locals.get_mut(local.0 as usize) {
            info.captured = true;
        }
    }
}

/// Blocks and loops.
impl FunctionBuilder {
    /// A new block, part of every open loop; it does not become the current one.
    pub fn block(&mut self) -> BlockId {
        let id = BlockId(self.function.blocks.len() as u32);
        self.function.blocks.push(Block { ops: Vec::new(), end: Terminator::Raise });
        self.ended.push(false);
        for open in &self.open_loops {
            if let Some(open) = self.function.loops.get_mut(*open) {
                open.blocks.insert(id);
            }
        }
        id
    }

    /// The block that takes what is emitted.
    pub fn current(&self) -> BlockId {
        self.current
    }

    /// Whether the current block was ended, so that nothing leads to what is emitted next.
    pub fn is_ended(&self) -> bool {
        self.ended.get(self.current.0 as usize).copied().unwrap_or(true)
    }

    /// Makes a block the current one.
    pub fn switch_to(&mut self, block: BlockId) {
        self.current = block;
    }

    /// Appends an operation to the current block.
    pub fn emit(&mut self, operation: Operation, span: Span) {
        if self.is_ended() {
            self.current = self.block();
        }
        if let Some(block) = self.function.blocks.get_mut(self.current.0 as usize) {
            block.ops.push(Op { operation, span });
        }
    }

    /// Ends the current block, if it was not ended yet.
    pub fn end(&mut self, terminator: Terminator) {
        let index = self.current.0 as usize;
        if self.is_ended() {
            return;
        }
        if let (Some(block), Some(ended)) = (self.function.blocks.get_mut(index), self.ended.get_mut(index)) {
            block.end = terminator;
            *ended = true;
        }
    }

    /// Ends the current block with a jump.
    pub fn goto(&mut self, block: BlockId) {
        self.end(Terminator::Goto(block));
    }

    /// Opens a loop: the blocks made until [`close_loop`](Self::close_loop) belong to it.
    pub fn open_loop(&mut self, head: BlockId, span: Span) {
        self.open_loops.push(self.function.loops.len());
        self.function.loops.push(Loop { head, blocks: BTreeSet::from([head]), span });
    }

    /// Closes the innermost open loop.
    pub fn close_loop(&mut self) {
        self.open_loops.pop();
    }

    /// How many loops are open.
    pub fn open_loops(&self) -> usize {
        self.open_loops.len()
    }

    /// Closes the innermost open loop for a while: code on a way out of it is built. Gives what reopens it.
    pub fn pause_loop(&mut self) -> Option<PausedLoop> {
        self.open_loops.pop().map(PausedLoop)
    }

    /// Opens a paused loop again.
    pub fn resume_loop(&mut self, paused: PausedLoop) {
        self.open_loops.push(paused.0);
    }
}

/// A loop that was closed for a while.
#[derive(Debug)]
pub struct PausedLoop(usize);

/// Shorthands for the most common operations; each gives the temporary with the result.
impl FunctionBuilder {
    /// `temporary = name`.
    pub fn global(&mut self, name: &str, span: Span) -> Local {
        let to = self.temporary();
        self.emit(Operation::Global { to, name: name.to_owned() }, span);
        to
    }

    /// `temporary = of.name`.
    pub fn field(&mut self, of: Operand, name: &str, span: Span) -> Local {
        let to = self.temporary();
        self.emit(Operation::Field { to, of, name: name.to_owned() }, span);
        to
    }

    /// `temporary = callee(values)`.
    pub fn call(&mut self, callee: Operand, values: Vec<Operand>, span: Span) -> Local {
        self.call_of(Callee::Value(callee), values, span)
    }

    /// `temporary = receiver.name(values)`.
    pub fn method(&mut self, receiver: Operand, name: &str, values: Vec<Operand>, span: Span) -> Local {
        self.call_of(Callee::Method { receiver, name: name.to_owned(), meaning: None }, values, span)
    }

    fn call_of(&mut self, callee: Callee, values: Vec<Operand>, span: Span) -> Local {
        let to = self.temporary();
        let argument = |value| Argument { passing: Passing::Positional, value, span };
        let arguments = values.into_iter().map(argument).collect();
        self.emit(Operation::Call { to, callee, arguments }, span);
        to
    }
}
