//! Prints units as text, for snapshots and for looking at what a front end made of a file.
//!
//! ```text
//! function tell(x, peer=None)
//! b0:
//!     %0 = global dist
//!     %1 = call %0.isend(x, dst=peer)
//!     forget %0 (statement)
//!     forget %1 (statement)
//!     return None
//! ```
//!
//! A named local is printed by its name, and with its number behind a `'` where an earlier local has the same name;
//! a temporary is `%` and its number among the temporaries.

use std::collections::HashSet;
use std::fmt::{self, Display, Formatter, Write};

use super::{
    Argument, BlockId, Callee, Constant, ContainerKind, DefaultValue, Forgetting, Function, Item, Key, Local,
    Operand, Operation, Operator, Parameter, ParameterKind, Passing, Place, Terminator, Unit,
};

impl Display for Unit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, function) in self.functions.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{function}")?;
        }
        Ok(())
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let printer = Printer::new(self);
        writeln!(f, "{}", printer.header())?;
        for (index, block) in self.blocks.iter().enumerate() {
            let heads = self.loops.iter().filter(|inside| inside.head.0 as usize == index);
            let loops =
                heads.map(|inside| format!(" loop of {}", blocks(&inside.blocks))).collect::<String>();
            writeln!(f, "b{index}:{loops}")?;
            for op in &block.ops {
                writeln!(f, "    {}", printer.operation(&op.operation))?;
            }
            writeln!(f, "    {}", printer.terminator(&block.end))?;
        }
        Ok(())
    }
}

struct Printer<'a> {
    function: &'a Function,
    names: Vec<String>,
}

impl<'a> Printer<'a> {
    fn new(function: &'a Function) -> Self {
        let mut seen = HashSet::new();
        let mut temporaries = 0;
        let mut names = Vec::with_capacity(function.locals.len());
        for (index, info) in function.locals.iter().enumerate() {
            if info.name.is_empty() {
                names.push(format!("%{temporaries}"));
                temporaries += 1;
            } else if seen.insert(&info.name) {
                names.push(info.name.clone());
            } else {
                names.push(format!("{}'{index}", info.name));
            }
        }
        Self { function, names }
    }

    fn header(&self) -> String {
        let function = self.function;
        let parameters =
            function.parameters.iter().map(|it| self.parameter(it)).collect::<Vec<_>>().join(", ");
        let mut header = format!("function {}({parameters})", function.name);
        if function.kind != super::FunctionKind::Plain {
            let _ = write!(header, " {:?}", function.kind);
        }
        if function.flavour != super::Flavour::Plain {
            let _ = write!(header, " as {:?}", function.flavour);
        }
        if function.opaque {
            header.push_str(" opaque");
        }
        for (here, there) in &function.captures {
            let _ = write!(header, " captures {}={}", self.local(*here), there.0);
        }
        header
    }

    fn parameter(&self, parameter: &Parameter) -> String {
        let stars = match parameter.kind {
            ParameterKind::Plain | ParameterKind::KeywordOnly => "",
            ParameterKind::RestPositional => "*",
            ParameterKind::RestKeyword => "**",
        };
        let default = match &parameter.default {
            None => String::new(),
            Some(DefaultValue::Constant(constant)) => format!("={}", text(constant)),
            Some(DefaultValue::Computed) => "=?".to_owned(),
        };
        format!("{stars}{}{default}", parameter.name)
    }

    fn local(&self, local: Local) -> &str {
        self.names.get(local.0 as usize).map_or("%invalid", String::as_str)
    }

    fn locals(&self, locals: &[Local]) -> String {
        locals.iter().map(|it| self.local(*it)).collect::<Vec<_>>().join(", ")
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Local(local) => self.local(*local).to_owned(),
            Operand::Constant(constant) => text(constant),
        }
    }

    fn operands(&self, operands: &[Operand]) -> String {
        operands.iter().map(|it| self.operand(it)).collect::<Vec<_>>().join(", ")
    }

    fn key(&self, key: &Key) -> String {
        let bound = |it: &Option<Operand>| it.as_ref().map(|it| self.operand(it)).unwrap_or_default();
        match key {
            Key::At(key) => self.operand(key),
            Key::Range(from, to) => format!("{}:{}", bound(from), bound(to)),
        }
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Local(local) => self.local(*local).to_owned(),
            Place::Global(name) => format!("global {name}"),
            Place::Field(of, name) => format!("{}.{name}", self.operand(of)),
            Place::Element(of, key) => format!("{}[{}]", self.operand(of), self.key(key)),
        }
    }

    fn item(&self, item: &Item) -> String {
        match item {
            Item::One(value) => self.operand(value),
            Item::Keyed(key, value) => format!("{}: {}", self.operand(key), self.operand(value)),
            Item::Spread(value) => format!("*{}", self.operand(value)),
        }
    }

    fn argument(&self, argument: &Argument) -> String {
        let value = self.operand(&argument.value);
        match &argument.passing {
            Passing::Positional => value,
            Passing::Named(name) => format!("{name}={value}"),
            Passing::Spread => format!("*{value}"),
            Passing::SpreadNamed => format!("**{value}"),
        }
    }

    fn collected(&self, kind: ContainerKind, items: &[Item]) -> String {
        let items = items.iter().map(|it| self.item(it)).collect::<Vec<_>>().join(", ");
        match kind {
            ContainerKind::List => format!("list [{items}]"),
            ContainerKind::Tuple => format!("tuple ({items})"),
            ContainerKind::Set => format!("set {{{items}}}"),
            ContainerKind::Dict => format!("dict {{{items}}}"),
        }
    }

    fn call(&self, callee: &Callee, arguments: &[Argument]) -> String {
        let arguments = arguments.iter().map(|it| self.argument(it)).collect::<Vec<_>>().join(", ");
        match callee {
            Callee::Value(value) => format!("call {}({arguments})", self.operand(value)),
            Callee::Method { receiver, name, meaning } => {
                let meaning = meaning.map(|it| format!(" as {it:?}")).unwrap_or_default();
                format!("call {}.{name}({arguments}){meaning}", self.operand(receiver))
            }
        }
    }

    fn operation(&self, operation: &Operation) -> String {
        match operation {
            Operation::Assign { to, from } => self.set(*to, &self.operand(from)),
            Operation::Compute { to, operator, operands } => {
                self.set(*to, &format!("{} ({})", self::operator(operator), self.operands(operands)))
            }
            Operation::Field { to, of, name } => self.set(*to, &format!("field {}.{name}", self.operand(of))),
            Operation::Element { to, of, key } => {
                self.set(*to, &format!("element {}[{}]", self.operand(of), self.key(key)))
            }
            Operation::SetField { of, name, value } => {
                format!("{}.{name} = {}", self.operand(of), self.operand(value))
            }
            Operation::SetElement { of, key, value } => {
                format!("{}[{}] = {}", self.operand(of), self.key(key), self.operand(value))
            }
            Operation::DropField { of, name } => format!("drop {}.{name}", self.operand(of)),
            Operation::DropElement { of, key } => format!("drop {}[{}]", self.operand(of), self.key(key)),
            Operation::Update { place, operator, value } => {
                format!("update {} {operator}= {}", self.place(place), self.operand(value))
            }
            Operation::Collect { to, kind, items } => self.set(*to, &self.collected(*kind, items)),
            Operation::Unpack { to, star, from } => {
                let star = star.map(|it| format!(" (star {it})")).unwrap_or_default();
                format!("unpack {}{star} = {}", self.locals(to), self.operand(from))
            }
            Operation::Closure { to, function } => self.set(*to, &format!("closure f{}", function.0)),
            Operation::Global { to, name } => self.set(*to, &format!("global {name}")),
            Operation::Import { to, path } => self.set(*to, &format!("import {path}")),
            Operation::SetGlobal { name, value } => format!("global {name} = {}", self.operand(value)),
            Operation::Call { to, callee, arguments } => self.set(*to, &self.call(callee, arguments)),
            Operation::Iterate { to, over } => self.set(*to, &format!("iterate {}", self.operand(over))),
            Operation::Enter { to, manager } => self.set(*to, &format!("enter {}", self.operand(manager))),
            Operation::Leave { manager } => format!("leave {}", self.operand(manager)),
            Operation::Yield { to, value } => self.set(*to, &format!("yield {}", self.operand(value))),
            Operation::Await { to, value } => self.set(*to, &format!("await {}", self.operand(value))),
            Operation::Forget { local, why } => format!("forget {} ({})", self.local(*local), reason(*why)),
            Operation::Unconsumed { function } => format!("unconsumed f{}", function.0),
            Operation::Escape { value } => format!("escape {}", self.operand(value)),
            primitive => self.primitive(primitive),
        }
    }

    /// The operations that only the analysis makes, and comprehensions' `push`.
    fn primitive(&self, operation: &Operation) -> String {
        match operation {
            Operation::Start { to, api, buffers } => {
                let buffers = buffers.iter().map(|(it, usage)| format!("{} {usage:?}", self.operand(it)));
                self.set(*to, &format!("start {api}({})", buffers.collect::<Vec<_>>().join(", ")))
            }
            Operation::Finish { target, which } => format!("finish {} ({which:?})", self.operand(target)),
            Operation::Poll { to, target, which } => {
                self.set(*to, &format!("poll {} ({which:?})", self.operand(target)))
            }
            Operation::Push { container, value } => {
                format!("push {} <- {}", self.operand(container), self.operand(value))
            }
            Operation::Take { to, container } => self.set(*to, &format!("take {}", self.operand(container))),
            Operation::View { to, of } => self.set(*to, &format!("view {}", self.operand(of))),
            Operation::Fresh { to } => self.set(*to, "fresh"),
            Operation::Touch { buffer, access } => format!("touch {} ({access:?})", self.operand(buffer)),
            _ => String::new(),
        }
    }

    fn set(&self, to: Local, value: &str) -> String {
        format!("{} = {value}", self.local(to))
    }

    fn terminator(&self, terminator: &Terminator) -> String {
        match terminator {
            Terminator::Goto(to) => format!("goto b{}", to.0),
            Terminator::Branch { on, yes, no, repeats, .. } => {
                let word = if *repeats { "while" } else { "if" };
                format!("{word} {} then b{} else b{}", self.operand(on), yes.0, no.0)
            }
            Terminator::Next { iterator, item, body, done, .. } => {
                let (item, iterator) = (self.local(*item), self.local(*iterator));
                format!("next {item} of {iterator} then b{} else b{}", body.0, done.0)
            }
            Terminator::Choose(to) => format!("choose {}", blocks(to)),
            Terminator::Return { value, .. } => format!("return {}", self.operand(value)),
            Terminator::Raise => "raise".to_owned(),
        }
    }
}

fn blocks<'a>(blocks: impl IntoIterator<Item = &'a BlockId>) -> String {
    blocks.into_iter().map(|it| format!("b{}", it.0)).collect::<Vec<_>>().join(" ")
}

fn text(constant: &Constant) -> String {
    match constant {
        Constant::None => "None".to_owned(),
        Constant::Bool(true) => "True".to_owned(),
        Constant::Bool(false) => "False".to_owned(),
        Constant::Int(value) => value.to_string(),
        Constant::Str(value) => format!("{value:?}"),
        Constant::Other(text) => text.clone(),
    }
}

fn operator(operator: &Operator) -> &'static str {
    match operator {
        Operator::Not => "not",
        Operator::And => "and",
        Operator::Or => "or",
        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        Operator::Less => "<",
        Operator::LessEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterEqual => ">=",
        Operator::Is => "is",
        Operator::IsNot => "is not",
        Operator::In => "in",
        Operator::NotIn => "not in",
        Operator::Other(text) => text,
    }
}

fn reason(why: Forgetting) -> &'static str {
    match why {
        Forgetting::Statement => "statement",
        Forgetting::Delete => "delete",
        Forgetting::Scope => "scope",
    }
}
