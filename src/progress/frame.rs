//! One call of a function in progress: where it stands, and what its locals hold.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::value::{Locals, Site, Value};
use crate::ir::{BlockId, FunctionId};

/// A call in progress. A generator keeps one between its values.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) function: FunctionId,
    pub(super) locals: Locals,
    pub(super) around: Option<Locals>,
    /// The call that made it.
    pub(super) caller: Option<Rc<Site>>,
    pub(super) block: BlockId,
    /// The next operation of the block.
    pub(super) next: usize,
    /// How often each loop of unknown length was entered again.
    pub(super) turns: HashMap<BlockId, u32>,
    /// The turns of loops whose order differs between ranks: the head, and which element it is.
    pub(super) unordered: Vec<(BlockId, u64)>,
    pub(super) depth: u32,
}

impl Frame {
    pub(super) fn new(
        function: FunctionId,
        locals: Vec<Value>,
        caller: Option<Rc<Site>>,
        depth: u32,
    ) -> Frame {
        Frame {
            function,
            locals: Rc::new(RefCell::new(locals)),
            around: None,
            caller,
            block: BlockId(0),
            next: 0,
            turns: HashMap::new(),
            unordered: Vec::new(),
            depth,
        }
    }
}
