//! Programs as IR, in its primitive operations.

use std::collections::{BTreeMap, BTreeSet};

use super::programs::{Condition, Display, Part, Program, Statement};
use super::text::handle;
use crate::ir::{
    BlockId, Constant, ContainerKind, Forgetting, Function, FunctionBuilder, Item, Key, Local, Operand,
    Operation, Operator, Terminator, Unit, Which,
};
use crate::source::{Language, Span};

/// A unit with an empty top level and the program as a function called `f`.
pub(super) fn unit(program: &Program) -> Unit {
    let top_level = FunctionBuilder::new("<module>").finish(Span::default());
    Unit {
        language: Language::Python,
        functions: vec![top_level, function(program)],
        classes: Vec::new(),
        globals: BTreeMap::new(),
        imports: BTreeSet::new(),
        names_read: BTreeSet::new(),
    }
}

fn function(program: &Program) -> Function {
    let mut builder = FunctionBuilder::new("f");
    for name in ["c0", "c1", "c2", "n", "xs", "w0", "w1", "b0", "b1", "b2"] {
        builder.parameter(name);
    }
    let mut writer = Writer { builder, at: 0, loops: Vec::new(), iterators: Vec::new() };
    for name in ["h0", "h1", "h2", "r"] {
        writer.assign(name, Operand::Constant(Constant::None));
    }
    for list in 0..2 {
        writer.collect(list, Display::List, &[]);
    }
    writer.body(&program.0);
    let end = writer.span();
    writer.builder.finish(end)
}

struct Writer {
    builder: FunctionBuilder,
    at: u32,
    /// For each open loop: where another turn begins, and what comes behind it.
    loops: Vec<(BlockId, BlockId)>,
    iterators: Vec<Local>,
}

impl Writer {
    fn span(&mut self) -> Span {
        self.at += 2;
        Span::new(self.at, self.at + 1)
    }

    fn emit(&mut self, operation: Operation) {
        let span = self.span();
        self.builder.emit(operation, span);
    }

    fn local(&mut self, name: &str) -> Local {
        self.builder.local(name)
    }

    fn handle(&mut self, number: u8) -> Operand {
        Operand::Local(self.local(&handle(number)))
    }

    fn list(&mut self, number: u8) -> Operand {
        Operand::Local(self.local(&format!("l{number}")))
    }

    fn buffer(&mut self, number: u8) -> Operand {
        Operand::Local(self.local(&format!("b{number}")))
    }

    fn assign(&mut self, name: &str, from: Operand) {
        let to = self.local(name);
        self.emit(Operation::Assign { to, from });
    }

    fn start(&mut self, to: Local) {
        let api = "torch.distributed.isend".to_owned();
        self.emit(Operation::Start { to, api, buffers: Vec::new() });
    }

    fn forget(&mut self, local: Local, why: Forgetting) {
        self.emit(Operation::Forget { local, why });
    }

    fn finish(&mut self, target: Operand, which: Which) {
        self.emit(Operation::Finish { target, which });
    }

    fn body(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        use Statement as S;
        match statement {
            S::Start(h) | S::StartByCall(h) | S::MaybeByCall(h, _) => {
                let to = self.local(&handle(*h));
                self.start(to);
            }
            S::Discard => {
                let to = self.builder.temporary();
                self.start(to);
                self.forget(to, Forgetting::Statement);
            }
            S::Wait(h) | S::FinishByCall(h) => {
                let target = self.handle(*h);
                self.finish(target, Which::One);
            }
            S::Clear(h) => self.assign(&handle(*h), Operand::Constant(Constant::None)),
            S::Alias(to, from) => {
                let from = self.handle(*from);
                self.assign(&handle(*to), from);
            }
            S::Delete(h) => {
                let local = self.local(&handle(*h));
                self.forget(local, Forgetting::Delete);
                self.assign(&handle(*h), Operand::Constant(Constant::None));
            }
            S::If(condition, yes, no) => self.choice(condition, yes, no),
            S::Collect(l, display, parts) => self.collect(*l, *display, parts),
            S::Push(l, part) => {
                let container = self.list(*l);
                self.with_part(part, |value| Operation::Push { container, value });
            }
            S::Take(h, l) => {
                let (to, container) = (self.local(&handle(*h)), self.list(*l));
                self.emit(Operation::Take { to, container });
            }
            S::TakeAndWait(l) => {
                let (to, container) = (self.builder.temporary(), self.list(*l));
                self.emit(Operation::Take { to, container });
                self.finish(Operand::Local(to), Which::One);
                self.forget(to, Forgetting::Statement);
            }
            S::At(h, l, key) => {
                let key = Operand::Constant(Constant::Int((*key).into()));
                self.element(&handle(*h), *l, key);
            }
            S::AtVariable(h, l) => {
                let key = Operand::Local(self.local("n"));
                self.element(&handle(*h), *l, key);
            }
            S::WaitAt(l, key) => {
                let (to, of) = (self.builder.temporary(), self.list(*l));
                let key = Key::At(Operand::Constant(Constant::Int((*key).into())));
                self.emit(Operation::Element { to, of, key });
                self.finish(Operand::Local(to), Which::One);
                self.forget(to, Forgetting::Statement);
            }
            S::Set(l, key, part) => {
                let of = self.list(*l);
                let key = Key::At(Operand::Constant(Constant::Int((*key).into())));
                self.with_part(part, |value| Operation::SetElement { of, key, value });
            }
            S::WaitEach(l) => {
                let over = self.list(*l);
                self.iterate("r", over, &[S::Wait(3)]);
            }
            S::For(l, body) => {
                let over = self.list(*l);
                self.iterate("r", over, body);
            }
            S::ForGiven(body) => {
                let over = Operand::Local(self.local("xs"));
                self.iterate("v", over, body);
            }
            S::While(w, body) => self.repeat(*w, body),
            S::Break => {
                if let Some(&(_, behind)) = self.loops.last() {
                    self.builder.goto(behind);
                }
            }
            S::Continue => {
                if let Some(&(head, _)) = self.loops.last() {
                    self.builder.goto(head);
                }
            }
            S::Return => self.leave(Operand::Constant(Constant::None)),
            S::ReturnHandle(h) => {
                let value = self.handle(*h);
                self.leave(value);
            }
            S::ReturnList(l) => {
                let value = self.list(*l);
                self.leave(value);
            }
            S::Escape(h) => {
                let value = self.handle(*h);
                self.emit(Operation::Escape { value });
            }
            S::EscapeList(l) => {
                let value = self.list(*l);
                self.emit(Operation::Escape { value });
            }
            S::Try(body, last) => {
                self.body(body);
                self.body(last);
            }
            S::FinishAllByCall(l) => {
                let target = self.list(*l);
                self.finish(target, Which::All);
            }
            S::StartOn(h, b, usage) => {
                let (to, buffer) = (self.local(&handle(*h)), self.buffer(*b));
                let api = "torch.distributed.isend".to_owned();
                self.emit(Operation::Start { to, api, buffers: vec![(buffer, *usage)] });
            }
            S::Touch(b, access) => {
                let buffer = self.buffer(*b);
                self.emit(Operation::Touch { buffer, access: *access });
            }
            S::New(b) => {
                let to = self.local(&format!("b{b}"));
                self.emit(Operation::Fresh { to });
            }
            S::View(to, from) => {
                let (to, of) = (self.local(&format!("b{to}")), self.buffer(*from));
                self.emit(Operation::View { to, of });
            }
            S::SeveralByCall(l) => self.collect(*l, Display::List, &[Part::New, Part::New]),
        }
    }

    fn with_part(&mut self, part: &Part, operation: impl FnOnce(Operand) -> Operation) {
        match part {
            Part::Name(h) => {
                let value = self.handle(*h);
                self.emit(operation(value));
            }
            Part::New => {
                let to = self.builder.temporary();
                self.start(to);
                self.emit(operation(Operand::Local(to)));
                self.forget(to, Forgetting::Statement);
            }
        }
    }

    fn element(&mut self, to: &str, list: u8, key: Operand) {
        let (to, of) = (self.local(to), self.list(list));
        self.emit(Operation::Element { to, of, key: Key::At(key) });
    }

    fn collect(&mut self, list: u8, display: Display, parts: &[Part]) {
        let mut temporaries = Vec::new();
        let mut items = Vec::new();
        for part in parts {
            items.push(Item::One(match part {
                Part::Name(h) => self.handle(*h),
                Part::New => {
                    let to = self.builder.temporary();
                    self.start(to);
                    temporaries.push(to);
                    Operand::Local(to)
                }
            }));
        }
        let kind = match display {
            Display::List => ContainerKind::List,
            Display::Tuple => ContainerKind::Tuple,
        };
        let to = self.local(&format!("l{list}"));
        self.emit(Operation::Collect { to, kind, items });
        temporaries.into_iter().for_each(|local| self.forget(local, Forgetting::Statement));
    }

    fn leave(&mut self, value: Operand) {
        let span = self.span();
        for iterator in self.iterators.clone().into_iter().rev() {
            self.builder.emit(Operation::Forget { local: iterator, why: Forgetting::Statement }, span);
        }
        self.builder.end(Terminator::Return { value, span });
        let behind = self.builder.block();
        self.builder.switch_to(behind);
    }
}

/// Branches and loops.
impl Writer {
    fn choice(&mut self, condition: &Condition, yes: &[Statement], no: &[Statement]) {
        let on = self.test(condition);
        let [first, second, behind] = [(); 3].map(|()| self.builder.block());
        let span = self.span();
        let temporary = on.1;
        self.builder.end(Terminator::Branch { on: on.0, yes: first, no: second, span, repeats: false });
        for (block, body) in [(first, yes), (second, no)] {
            self.builder.switch_to(block);
            temporary.into_iter().for_each(|local| self.forget(local, Forgetting::Statement));
            self.body(body);
            self.builder.goto(behind);
        }
        self.builder.switch_to(behind);
    }

    fn iterate(&mut self, item: &str, over: Operand, body: &[Statement]) {
        let (iterator, item) = (self.builder.temporary(), self.local(item));
        self.emit(Operation::Iterate { to: iterator, over });
        let [head, behind] = [(); 2].map(|()| self.builder.block());
        let span = self.span();
        self.builder.goto(head);
        self.builder.open_loop(head, span);
        let first = self.builder.block();
        self.builder.switch_to(head);
        self.builder.end(Terminator::Next { iterator, item, body: first, done: behind, span });
        self.iterators.push(iterator);
        self.turns(first, head, behind, body);
        self.iterators.pop();
        self.forget(iterator, Forgetting::Statement);
    }

    fn repeat(&mut self, condition: u8, body: &[Statement]) {
        let on = Operand::Local(self.local(&format!("w{condition}")));
        let [head, behind] = [(); 2].map(|()| self.builder.block());
        let span = self.span();
        self.builder.goto(head);
        self.builder.open_loop(head, span);
        let first = self.builder.block();
        self.builder.switch_to(head);
        self.builder.end(Terminator::Branch { on, yes: first, no: behind, span, repeats: true });
        self.turns(first, head, behind, body);
    }

    fn turns(&mut self, first: BlockId, head: BlockId, behind: BlockId, body: &[Statement]) {
        self.builder.switch_to(first);
        self.loops.push((head, behind));
        self.body(body);
        self.loops.pop();
        self.builder.goto(head);
        self.builder.close_loop();
        self.builder.switch_to(behind);
    }

    /// The operand to branch on, and the temporary that holds it.
    fn test(&mut self, condition: &Condition) -> (Operand, Option<Local>) {
        let c = |this: &mut Self, number: u8| Operand::Local(this.local(&format!("c{number}")));
        let none = Operand::Constant(Constant::None);
        match condition {
            Condition::Given(number) => (c(self, *number), None),
            Condition::NotGiven(number) => {
                let one = c(self, *number);
                self.computed(Operator::Not, vec![one])
            }
            Condition::Above(bound) => {
                let number = Operand::Local(self.local("n"));
                let bound = Operand::Constant(Constant::Int((*bound).into()));
                self.computed(Operator::Greater, vec![number, bound])
            }
            Condition::Both(one, other) => {
                let both = vec![c(self, *one), c(self, *other)];
                self.computed(Operator::And, both)
            }
            Condition::Either(one, other) => {
                let both = vec![c(self, *one), c(self, *other)];
                self.computed(Operator::Or, both)
            }
            Condition::NotBoth(one, other) => {
                let both = vec![c(self, *one), c(self, *other)];
                let (both, temporary) = self.computed(Operator::And, both);
                let negated = self.computed(Operator::Not, vec![both]);
                temporary.into_iter().for_each(|local| self.forget(local, Forgetting::Statement));
                negated
            }
            Condition::IsNone(h) => {
                let one = self.handle(*h);
                self.computed(Operator::Is, vec![one, none])
            }
            Condition::IsSome(h) => {
                let one = self.handle(*h);
                self.computed(Operator::IsNot, vec![one, none])
            }
            Condition::Truth(h) => (self.handle(*h), None),
            Condition::Polled(h) => {
                let (to, target) = (self.builder.temporary(), self.handle(*h));
                self.emit(Operation::Poll { to, target, which: Which::One });
                (Operand::Local(to), Some(to))
            }
            Condition::Filled(l) => (self.list(*l), None),
        }
    }

    fn computed(&mut self, operator: Operator, operands: Vec<Operand>) -> (Operand, Option<Local>) {
        let to = self.builder.temporary();
        self.emit(Operation::Compute { to, operator, operands });
        (Operand::Local(to), Some(to))
    }
}
