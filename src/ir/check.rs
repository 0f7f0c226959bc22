//! Checks what a front end promises of its units, for tests over many programs.
//!
//! - Every index (of a local, a block, a function, a class) exists.
//! - A loop holds its head, and is entered through it only.
//! - A temporary is used only where it holds something, is forgotten on every way to the end of the function unless it is what is
//!   returned, and is not filled again while it holds something ([`Operation::Assign`] excepted).

use std::collections::BTreeSet;

use super::{
    Argument, BlockId, Callee, Function, FunctionId, Item, Key, Local, Operand, Operation, Place, Terminator,
    Unit,
};

impl Unit {
    /// What is wrong with the unit, in words; nothing for what a front end should give.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for function in &self.functions {
            let mut checker = Checker { unit: self, function, faults: &mut faults };
            checker.check();
        }
        let methods = self.classes.iter().flat_map(|it| it.methods.values());
        for id in methods.filter(|it| it.0 as usize >= self.functions.len()) {
            faults.push(format!("no function {} for a method", id.0));
        }
        faults
    }
}

impl Terminator {
    /// The blocks that it may go on with.
    pub fn targets(&self) -> Vec<BlockId> {
        match self {
            Terminator::Goto(to) => vec![*to],
            Terminator::Branch { yes, no, .. } => vec![*yes, *no],
            Terminator::Next { body, done, .. } => vec![*body, *done],
            Terminator::Choose(to) => to.clone(),
            Terminator::Return { .. } | Terminator::Raise => Vec::new(),
        }
    }
}

impl Operation {
    /// The locals that it uses, and those that it fills; a place that it updates or forgets counts as used.
    pub(crate) fn effects(&self) -> (Vec<Local>, Vec<Local>) {
        effects(self)
    }
}

impl Operand {
    /// The local, where it is one.
    pub(crate) fn local(&self) -> Option<Local> {
        local(self)
    }
}

struct Checker<'a> {
    unit: &'a Unit,
    function: &'a Function,
    faults: &'a mut Vec<String>,
}

impl Checker<'_> {
    fn check(&mut self) {
        let before = self.faults.len();
        if self.function.blocks.is_empty() {
            self.fault("no block");
        }
        self.check_indices();
        if self.faults.len() == before {
            self.check_loops();
            self.check_temporaries();
        }
    }

    fn fault(&mut self, what: &str) {
        self.faults.push(format!("{}: {what}", self.function.name));
    }

    fn check_indices(&mut self) {
        let function = self.function;
        let locals = function.locals.len() as u32;
        let blocks = function.blocks.len() as u32;
        for block in &function.blocks {
            for op in &block.ops {
                let (mut used, made) = effects(&op.operation);
                used.extend(made);
                if used.iter().any(|it| it.0 >= locals) {
                    self.fault("a local that does not exist");
                }
                if let Operation::Closure { function: id, .. } | Operation::Unconsumed { function: id } =
                    &op.operation
                {
                    self.check_function(*id);
                }
            }
            if used_at_end(&block.end).iter().any(|it| it.0 >= locals) {
                self.fault("a local that does not exist");
            }
            if block.end.targets().iter().any(|it| it.0 >= blocks) {
                self.fault("a block that does not exist");
            }
        }
        for (here, _) in &function.captures {
            if here.0 >= locals {
                self.fault("a captured local that does not exist");
            }
        }
    }

    fn check_function(&mut self, id: FunctionId) {
        if id.0 as usize >= self.unit.functions.len() {
            self.fault("a function that does not exist");
        }
    }

    fn check_loops(&mut self) {
        let blocks = &self.function.blocks;
        for inside in &self.function.loops {
            if !inside.blocks.contains(&inside.head)
                || inside.blocks.iter().any(|it| it.0 as usize >= blocks.len())
            {
                self.fault("a loop with wrong blocks");
                continue;
            }
            for (index, block) in blocks.iter().enumerate() {
                let from = BlockId(index as u32);
                let entered = |to: &BlockId| *to != inside.head && inside.blocks.contains(to);
                if !inside.blocks.contains(&from) && block.end.targets().iter().any(entered) {
                    self.fault(&format!("b{index} enters the loop of b{} beside its head", inside.head.0));
                }
            }
        }
    }

    /// Follows which temporaries may hold something.
    fn check_temporaries(&mut self) {
        let count = self.function.blocks.len();
        let mut entry: Vec<Option<BTreeSet<Local>>> = vec![None; count];
        entry[0] = Some(BTreeSet::new());
        let mut pending = BTreeSet::from([0usize]);
        while let Some(index) = pending.pop_first() {
            let Some(mut held) = entry[index].clone() else { continue };
            let block = &self.function.blocks[index];
            for op in &block.ops {
                self.step(index, &op.operation, &mut held);
            }
            self.step_end(index, &block.end, &mut held);
            for to in block.end.targets() {
                let mut held = held.clone();
                if let Terminator::Next { item, body, .. } = &block.end
                    && *body == to
                    && self.is_temporary(*item)
                    && !held.insert(*item)
                {
                    self.fault(&format!("b{index} fills temporary {} again", item.0));
                }
                let known = &mut entry[to.0 as usize];
                let grown = match known {
                    None => {
                        *known = Some(held.clone());
                        true
                    }
                    Some(known) => {
                        let size = known.len();
                        known.extend(&held);
                        known.len() > size
                    }
                };
                if grown {
                    pending.insert(to.0 as usize);
                }
            }
        }
        self.faults.dedup();
    }

    fn is_temporary(&self, local: Local) -> bool {
        self.function.locals.get(local.0 as usize).is_some_and(|it| it.name.is_empty())
    }

    fn step(&mut self, block: usize, operation: &Operation, held: &mut BTreeSet<Local>) {
        if let Operation::Forget { local, .. } = operation {
            held.remove(local);
            return;
        }
        let (used, made) = effects(operation);
        for local in used {
            if self.is_temporary(local) && !held.contains(&local) {
                self.fault(&format!("b{block} uses temporary {} that holds nothing", local.0));
            }
        }
        for local in made {
            let fresh = !self.is_temporary(local) || held.insert(local);
            if !fresh && !matches!(operation, Operation::Assign { .. }) {
                self.fault(&format!("b{block} fills temporary {} again", local.0));
            }
        }
    }

    fn step_end(&mut self, block: usize, end: &Terminator, held: &mut BTreeSet<Local>) {
        let used = match end {
            Terminator::Next { iterator, .. } => vec![*iterator],
            _ => used_at_end(end),
        };
        for local in used {
            if self.is_temporary(local) && !held.contains(&local) {
                self.fault(&format!("b{block} ends with temporary {} that holds nothing", local.0));
            }
        }
        if let Terminator::Return { value, .. } = end {
            held.retain(|it| *value != Operand::Local(*it));
            if let Some(left) = held.first() {
                self.fault(&format!("b{block} returns with temporary {} not forgotten", left.0));
            }
        }
    }
}

fn local(operand: &Operand) -> Option<Local> {
    match operand {
        Operand::Local(local) => Some(*local),
        Operand::Constant(_) => None,
    }
}

fn used_at_end(end: &Terminator) -> Vec<Local> {
    match end {
        Terminator::Branch { on, .. } => local(on).into_iter().collect(),
        Terminator::Next { iterator, item, .. } => vec![*iterator, *item],
        Terminator::Return { value, .. } => local(value).into_iter().collect(),
        Terminator::Goto(_) | Terminator::Choose(_) | Terminator::Raise => Vec::new(),
    }
}

/// The locals that an operation uses, and those that it fills.
fn effects(operation: &Operation) -> (Vec<Local>, Vec<Local>) {
    let mut used: Vec<&Operand> = Vec::new();
    let mut places = Vec::new();
    let mut made = Vec::new();
    match operation {
        Operation::Assign { to, from: of } | Operation::Iterate { to, over: of } => {
            used.push(of);
            made.push(*to);
        }
        Operation::Field { to, of, .. }
        | Operation::View { to, of }
        | Operation::Enter { to, manager: of } => {
            used.push(of);
            made.push(*to);
        }
        Operation::Yield { to, value: of } | Operation::Await { to, value: of } => {
            used.push(of);
            made.push(*to);
        }
        Operation::Take { to, container: of } | Operation::Poll { to, target: of, .. } => {
            used.push(of);
            made.push(*to);
        }
        Operation::Compute { to, operands, .. } => {
            used.extend(operands);
            made.push(*to);
        }
        Operation::Element { to, of, key } => {
            used.push(of);
            in_key(key, &mut used);
            made.push(*to);
        }
        Operation::SetField { of, value, .. } => used.extend([of, value]),
        Operation::SetElement { of, key, value } => {
            used.extend([of, value]);
            in_key(key, &mut used);
        }
        Operation::DropField { of, .. } => used.push(of),
        Operation::DropElement { of, key } => {
            used.push(of);
            in_key(key, &mut used);
        }
        Operation::Update { place, value, .. } => {
            used.push(value);
            match place {
                Place::Local(local) => places.push(*local),
                Place::Global(_) => {}
                Place::Field(of, _) => used.push(of),
                Place::Element(of, key) => {
                    used.push(of);
                    in_key(key, &mut used);
                }
            }
        }
        Operation::Collect { to, items, .. } => {
            items.iter().for_each(|it| in_item(it, &mut used));
            made.push(*to);
        }
        Operation::Unpack { to, from, .. } => {
            used.push(from);
            made.extend(to);
        }
        Operation::Call { to, callee, arguments } => {
            let (Callee::Value(callee) | Callee::Method { receiver: callee, .. }) = callee;
            used.push(callee);
            used.extend(arguments.iter().map(|Argument { value, .. }| value));
            made.push(*to);
        }
        Operation::Start { to, buffers, .. } => {
            used.extend(buffers.iter().map(|(buffer, _)| buffer));
            made.push(*to);
        }
        Operation::Push { container, value } => used.extend([container, value]),
        Operation::SetGlobal { value, .. }
        | Operation::Escape { value }
        | Operation::Leave { manager: value } => {
            used.push(value);
        }
        Operation::Finish { target: value, .. } | Operation::Touch { buffer: value, .. } => used.push(value),
        Operation::Closure { to, .. } | Operation::Global { to, .. } => made.push(*to),
        Operation::Import { to, .. } | Operation::Fresh { to } => made.push(*to),
        Operation::Forget { local, .. } => places.push(*local),
        Operation::Unconsumed { .. } => {}
    }
    places.extend(used.into_iter().filter_map(local));
    (places, made)
}

fn in_key<'a>(key: &'a Key, used: &mut Vec<&'a Operand>) {
    match key {
        Key::At(at) => used.push(at),
        Key::Range(from, to) => used.extend(from.iter().chain(to)),
    }
}

fn in_item<'a>(item: &'a Item, used: &mut Vec<&'a Operand>) {
    match item {
        Item::One(value) | Item::Spread(value) => used.push(value),
        Item::Keyed(key, value) => used.extend([key, value]),
    }
}
