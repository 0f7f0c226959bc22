//! What each operation does to the locals of a rank.

use std::cell::RefCell;
use std::rc::Rc;

use super::frame::Frame;
use super::machine::{Flow, Machine, Stop};
use super::value::{Atom, Closure, Container, Nature, Remaining, Shape, Value};
use crate::catalog::Plays;
use crate::ir::{
    Callee, Constant, ContainerKind, FunctionId, FunctionKind, Item, Key, Local, Operation, Operator, Place,
};
use crate::source::Span;

/// Elements of a range that are gone through one by one.
const RANGE: i64 = 64;

impl Machine<'_, '_> {
    pub(super) fn operation(
        &mut self,
        frame: &mut Frame,
        operation: &Operation,
        span: Span,
    ) -> Result<(), Stop> {
        match operation {
            Operation::Assign { to, from } => {
                let value = self.operand(frame, from);
                self.set(frame, *to, value);
            }
            Operation::Compute { to, operator, operands } => {
                let values: Vec<Value> = operands.iter().map(|it| self.operand(frame, it)).collect();
                let value = self.compute(operator, &values);
                self.set(frame, *to, value);
            }
            Operation::Field { to, of, name } => {
                let of = self.operand(frame, of);
                let value = self.field(frame, &of, name, span)?;
                self.set(frame, *to, value);
            }
            Operation::Element { to, of, key } => {
                let of = self.operand(frame, of);
                let value = self.element(frame, &of, key, span);
                self.set(frame, *to, value);
            }
            Operation::SetField { of, name, value } => {
                let value = self.operand(frame, value);
                if let Value::Instance(instance) = self.operand(frame, of) {
                    instance.fields.borrow_mut().insert(name.clone(), value);
                }
            }
            Operation::SetElement { of, key, value } => self.set_element(frame, of, key, value),
            Operation::Update { place, operator, value } => self.update(frame, place, operator, value),
            Operation::Collect { to, kind, items } => {
                let value = self.collect(frame, *kind, items, span);
                self.set(frame, *to, value);
            }
            Operation::Unpack { to, star, from } => self.unpack(frame, to, *star, from),
            Operation::Closure { to, function } => {
                let value = Value::Function(Rc::new(Closure {
                    function: *function,
                    around: Some(Rc::clone(&frame.locals)),
                    bound: Vec::new(),
                }));
                self.set(frame, *to, value);
            }
            Operation::Global { to, name } => {
                let value = self.global(name);
                self.set(frame, *to, value);
            }
            Operation::Import { to, path } => self.set(frame, *to, Value::Path(path.as_str().into())),
            Operation::SetGlobal { name, value } => {
                let value = self.operand(frame, value);
                self.globals.insert(name.as_str().into(), value);
            }
            Operation::Call { to, callee, arguments } => {
                let arguments = self.arguments(frame, arguments);
                let value = match callee {
                    Callee::Value(callee) => {
                        let callee = self.operand(frame, callee);
                        self.call(frame, &callee, arguments, span)?
                    }
                    Callee::Method { receiver, name, meaning } => {
                        let receiver = self.operand(frame, receiver);
                        self.call_method(frame, &receiver, (name, *meaning), arguments, span)?
                    }
                };
                self.set(frame, *to, value);
            }
            Operation::Iterate { to, over } => {
                let over = self.operand(frame, over);
                let value = self.iterate(&over);
                self.set(frame, *to, value);
            }
            Operation::Enter { to, manager } => {
                let value = self.operand(frame, manager);
                let value = self.enter(frame, value, span)?;
                self.set(frame, *to, value);
            }
            Operation::Leave { manager } => {
                let value = self.operand(frame, manager);
                self.leave(frame, &value, span)?;
            }
            Operation::Await { to, value } => {
                let value = self.operand(frame, value);
                self.set(frame, *to, value);
            }
            Operation::Push { container, value } => {
                let value = self.operand(frame, value);
                let container = self.operand(frame, container);
                self.push(&container, value);
            }
            Operation::DropElement { of, .. } => {
                if let Value::Container(container) = self.operand(frame, of) {
                    container.borrow_mut().open = true;
                }
            }
            Operation::Yield { .. }
            | Operation::DropField { .. }
            | Operation::Forget { .. }
            | Operation::Unconsumed { .. }
            | Operation::Escape { .. }
            | Operation::Start { .. }
            | Operation::Finish { .. }
            | Operation::Poll { .. }
            | Operation::Take { .. }
            | Operation::View { .. }
            | Operation::Fresh { .. }
            | Operation::Touch { .. } => {}
        }
        Ok(())
    }

    fn field(&mut self, frame: &Frame, of: &Value, name: &str, span: Span) -> Result<Value, Stop> {
        if let Some(part) = self.part_of_value(of, name)
            && matches!(part.plays, Plays::Rank | Plays::Size)
        {
            let group = self.group_of_receiver(of);
            return Ok(self.rank_or_size(part.plays, &group));
        }
        match of {
            Value::Path(path) => {
                let path: Rc<str> = format!("{path}.{name}").into();
                Ok(self.value_of_path(&path).unwrap_or(Value::Path(path)))
            }
            Value::Instance(instance) => {
                let known = instance.fields.borrow().get(name).cloned();
                if let Some(value) = known {
                    return Ok(value);
                }
                if let Some(method) = instance.class.and_then(|class| self.method_of(class, name)) {
                    let bound = vec![of.clone()];
                    if self.program.unit.function(method).kind == FunctionKind::Property {
                        return self.call_own(frame, (method, None), bound, span);
                    }
                    return Ok(Value::Function(Rc::new(Closure { function: method, around: None, bound })));
                }
                if let Some(value) = self.by_name(name) {
                    return Ok(value);
                }
                Ok(Value::Unknown(self.field_term(instance.term, name)))
            }
            Value::Unknown(term) => match self.by_name(name) {
                Some(value) => Ok(value),
                None => Ok(Value::Unknown(self.field_term(*term, name))),
            },
            Value::Group(_) => Ok(Value::Method { receiver: Box::new(of.clone()), name: name.into() }),
            other => {
                let term = self.term_of(other);
                Ok(Value::Unknown(self.field_term(term, name)))
            }
        }
    }

    fn element(&mut self, frame: &Frame, of: &Value, key: &Key, span: Span) -> Value {
        match key {
            Key::At(key) => {
                let key = self.operand(frame, key);
                self.element_at(of, &key, span)
            }
            Key::Range(from, to) => {
                let bound = |it: &Option<crate::ir::Operand>| it.as_ref().map(|it| self.operand(frame, it));
                let (from, to) = (bound(from), bound(to));
                self.slice(of, from.as_ref(), to.as_ref())
            }
        }
    }

    fn element_at(&mut self, of: &Value, key: &Value, span: Span) -> Value {
        if let Value::Path(path) = of
            && let Value::Constant(Constant::Str(name)) = key
            && &**path == "os.environ"
            && let Some(value) = self.by_name(name)
        {
            return value;
        }
        if let Value::Container(container) = of
            && let Some(value) = self.item_under(&container.borrow(), key)
        {
            return value;
        }
        let is_mask = match key {
            Value::Unknown(term) => is_comparison(self.terms.shape(*term)),
            _ => false,
        };
        let atoms = vec![self.atom(of), self.atom(key)];
        let term = self.apply("[]", atoms);
        if is_mask {
            self.terms.make_local(term, span);
        }
        Value::Unknown(term)
    }

    /// The element under a number or a constant key.
    fn item_under(&self, container: &Container, key: &Value) -> Option<Value> {
        if container.kind == ContainerKind::Dict {
            let key = match key {
                Value::Constant(constant) => constant.clone(),
                other => Constant::Int(self.number(other)?),
            };
            return container
                .items
                .iter()
                .rev()
                .find(|(own, _)| own.as_ref() == Some(&key))
                .map(|(_, it)| it.clone());
        }
        let index = self.number(key)?;
        if container.open && index < 0 {
            return None;
        }
        let index = if index < 0 { index + container.items.len() as i64 } else { index };
        container.items.get(usize::try_from(index).ok()?).map(|(_, value)| value.clone())
    }

    fn slice(&mut self, of: &Value, from: Option<&Value>, to: Option<&Value>) -> Value {
        let Value::Container(container) = of else {
            let atoms = vec![
                self.atom(of),
                from.map_or(Atom::Other, |it| self.atom(it)),
                to.map_or(Atom::Other, |it| self.atom(it)),
            ];
            return Value::Unknown(self.apply("[:]", atoms));
        };
        let known = container.borrow();
        let length = known.items.len() as i64;
        let at = |it: Option<&Value>, otherwise: i64| match it {
            None | Some(Value::Constant(Constant::None)) => Some(otherwise),
            Some(value) => {
                let number = self.number(value)?;
                Some((if number < 0 { number + length } else { number }).clamp(0, length))
            }
        };
        let (items, open) = match (at(from, 0), at(to, length)) {
            (Some(from), Some(to)) => {
                let count = (to - from).max(0) as usize;
                (known.items.iter().skip(from as usize).take(count).cloned().collect(), known.open)
            }
            _ => (known.items.clone(), true),
        };
        let (kind, unordered, term) = (known.kind, known.unordered, known.term);
        drop(known);
        Value::Container(Rc::new(RefCell::new(Container { kind, items, open, unordered, term })))
    }

    fn set_element(&mut self, frame: &Frame, of: &crate::ir::Operand, key: &Key, value: &crate::ir::Operand) {
        let Value::Container(container) = self.operand(frame, of) else { return };
        let value = self.operand(frame, value);
        let Key::At(key) = key else {
            container.borrow_mut().open = true;
            return;
        };
        let key = self.operand(frame, key);
        let mut container = container.borrow_mut();
        let constant = match &key {
            Value::Constant(constant) => Some(constant.clone()),
            other => self.number(other).map(Constant::Int),
        };
        match (container.kind, constant) {
            (ContainerKind::Dict, Some(key)) => {
                container.items.retain(|(own, _)| own.as_ref() != Some(&key));
                container.items.push((Some(key), value));
            }
            (ContainerKind::Dict, None) => container.items.push((None, value)),
            (_, Some(Constant::Int(index))) => {
                let length = container.items.len() as i64;
                let index = if index < 0 { index + length } else { index };
                match usize::try_from(index).ok().and_then(|index| container.items.get_mut(index)) {
                    Some(slot) => slot.1 = value,
                    None => container.open = true,
                }
            }
            (_, _) => container.open = true,
        }
    }

    fn update(&mut self, frame: &Frame, place: &Place, operator: &'static str, value: &crate::ir::Operand) {
        let value = self.operand(frame, value);
        match place {
            Place::Local(local) => {
                let old = self.get(frame, *local);
                if let (Value::Container(container), Value::Container(more)) = (&old, &value) {
                    let (items, open) = (more.borrow().items.clone(), more.borrow().open);
                    let mut container = container.borrow_mut();
                    container.items.extend(items);
                    container.open |= open;
                    return;
                }
                let new = self.compute(&Operator::Other(operator), &[old, value]);
                self.set(frame, *local, new);
            }
            Place::Field(of, name) => {
                if let Value::Instance(instance) = self.operand(frame, of) {
                    let old = instance.fields.borrow().get(name).cloned();
                    let old = match old {
                        Some(old) => old,
                        None => Value::Unknown(self.field_term(instance.term, name)),
                    };
                    let new = self.compute(&Operator::Other(operator), &[old, value]);
                    instance.fields.borrow_mut().insert(name.clone(), new);
                }
            }
            Place::Element(of, _) => {
                if let Value::Container(container) = self.operand(frame, of) {
                    container.borrow_mut().open = true;
                }
            }
            Place::Global(name) => drop(self.globals.remove(name.as_str())),
        }
    }

    fn collect(&mut self, frame: &Frame, kind: ContainerKind, items: &[Item], span: Span) -> Value {
        let mut known = Vec::new();
        let mut open = false;
        for item in items {
            match item {
                Item::One(value) => known.push((None, self.operand(frame, value))),
                Item::Keyed(key, value) => {
                    let key = match self.operand(frame, key) {
                        Value::Constant(constant) => Some(constant),
                        other => self.number(&other).map(Constant::Int),
                    };
                    known.push((key, self.operand(frame, value)));
                }
                Item::Spread(value) => match self.operand(frame, value) {
                    Value::Container(more) => {
                        open |= more.borrow().open;
                        known.extend(more.borrow().items.iter().cloned());
                    }
                    _ => open = true,
                },
            }
        }
        let site = self.site(frame, span);
        self.container(kind, known, open, &site)
    }

    pub(super) fn container(
        &mut self,
        kind: ContainerKind,
        items: Vec<(Option<Constant>, Value)>,
        open: bool,
        site: &Rc<super::value::Site>,
    ) -> Value {
        let count = self.occurrence(site);
        let term = self
            .terms
            .intern(Shape::Result(Rc::clone(site), count), Nature { quiet: true, ..Nature::default() });
        if let Some(element) = self.element {
            self.born.insert(term, element);
        }
        Value::Container(Rc::new(RefCell::new(Container { kind, items, open, unordered: false, term })))
    }

    fn unpack(&mut self, frame: &Frame, to: &[Local], star: Option<usize>, from: &crate::ir::Operand) {
        let from = self.operand(frame, from);
        if let (Value::Container(container), None) = (&from, star) {
            let container = container.borrow();
            if container.items.len() == to.len() && !container.open {
                for (local, (_, value)) in to.iter().zip(&container.items) {
                    self.set(frame, *local, value.clone());
                }
                return;
            }
        }
        let of = self.term_of(&from);
        for (index, local) in to.iter().enumerate() {
            let name = self
                .program
                .unit
                .function(frame.function)
                .locals
                .get(local.0 as usize)
                .map(|it| it.name.clone());
            let atoms = vec![Atom::Term(of), Atom::Constant(Constant::Int(index as i64))];
            let term = self.apply("part", atoms);
            let value = name.and_then(|name| self.by_name(&name)).unwrap_or(Value::Unknown(term));
            self.set(frame, *local, value);
        }
    }

    pub(super) fn iterate(&mut self, over: &Value) -> Value {
        let mut remaining = Remaining {
            items: std::collections::VecDeque::new(),
            more: None,
            turns: 0,
            unordered: false,
            generator: None,
        };
        match over {
            Value::Container(container) => {
                let container = container.borrow();
                let is_dict = container.kind == ContainerKind::Dict;
                remaining.items = container
                    .items
                    .iter()
                    .map(|(key, value)| match (is_dict, key) {
                        (true, Some(key)) => Value::Constant(key.clone()),
                        (true, None) | (false, _) => value.clone(),
                    })
                    .collect();
                remaining.more = container.open.then_some(container.term);
                let unordered = container.unordered || self.is_unordered(&container);
                drop(container);
                if unordered {
                    self.disorder(&mut remaining);
                }
            }
            Value::Iterator(known) => return Value::Iterator(Rc::clone(known)),
            Value::Generator(generator) => remaining.generator = Some(Rc::clone(generator)),
            other => remaining.more = Some(self.term_of(other)),
        }
        Value::Iterator(Rc::new(RefCell::new(remaining)))
    }

    /// Whether the order of a set differs between processes: texts are hashed differently in each.
    fn is_unordered(&self, container: &Container) -> bool {
        let is_text = |value: &Value| match value {
            Value::Constant(Constant::Str(_)) => true,
            Value::Unknown(term) => self.terms.nature(*term).text,
            _ => false,
        };
        container.kind == ContainerKind::Set
            && container.items.iter().any(|(_, value)| is_text(value))
            && (container.open || container.items.len() > 1)
    }

    /// Two elements, which odd ranks meet in the other order.
    fn disorder(&mut self, remaining: &mut Remaining) {
        let term = remaining.more.take();
        if let (Some(term), true) = (term, remaining.items.len() < 2) {
            for index in 0..2 {
                let element =
                    self.apply("element", vec![Atom::Term(term), Atom::Constant(Constant::Int(index))]);
                remaining.items.push_back(Value::Unknown(element));
            }
            remaining.items = remaining.items.split_off(remaining.items.len() - 2);
        }
        if self.rank % 2 == 1 {
            remaining.items = remaining.items.drain(..).rev().collect();
        }
        remaining.unordered = true;
    }

    fn enter(&mut self, frame: &Frame, manager: Value, span: Span) -> Result<Value, Stop> {
        match &manager {
            Value::Generator(generator) => {
                let Ok(mut inner) = generator.try_borrow_mut() else { return Err(Stop::Undecided) };
                match self.run(&mut inner)? {
                    Flow::Yielded(value) => Ok(value),
                    Flow::Returned(_) => Err(Stop::Undecided),
                }
            }
            Value::Instance(instance) => {
                match instance.class.and_then(|class| self.method_of(class, "__enter__")) {
                    Some(method) => self.call_own(frame, (method, None), vec![manager.clone()], span),
                    None => Ok(manager),
                }
            }
            _ => Ok(manager),
        }
    }

    fn leave(&mut self, frame: &Frame, manager: &Value, span: Span) -> Result<(), Stop> {
        match manager {
            Value::Generator(generator) => {
                let Ok(mut inner) = generator.try_borrow_mut() else { return Err(Stop::Undecided) };
                self.run(&mut inner).map(|_| ())
            }
            Value::Instance(instance) => {
                match instance.class.and_then(|class| self.method_of(class, "__exit__")) {
                    Some(method) => {
                        let arguments = vec![manager.clone(), Value::NONE, Value::NONE, Value::NONE];
                        self.call_own(frame, (method, None), arguments, span).map(|_| ())
                    }
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    pub(super) fn push(&mut self, container: &Value, value: Value) {
        if let Value::Container(container) = container {
            container.borrow_mut().items.push((None, value));
        }
    }

    /// `range(…)` as a container, where its bounds are known.
    pub(super) fn range(&mut self, bounds: &[Value], site: &Rc<super::value::Site>) -> Value {
        let numbers: Option<Vec<i64>> = bounds.iter().map(|it| self.number(it)).collect();
        let ranked = bounds.iter().any(|it| matches!(it, Value::Ranked(_)));
        self.ranked |= ranked;
        let (from, to, step) = match numbers.as_deref() {
            Some([to]) => (0, *to, 1),
            Some([from, to]) => (*from, *to, 1),
            Some([from, to, step]) if *step != 0 => (*from, *to, *step),
            _ => return self.unknown_range(bounds, site),
        };
        let count = if step > 0 {
            (to - from + step - 1).div_euclid(step)
        } else {
            (from - to - step - 1).div_euclid(-step)
        };
        let make = |number: i64| if ranked { Value::Ranked(number) } else { Value::int(number) };
        let shown = if count > RANGE { 3 } else { count.max(0) };
        let items = (0..shown).map(|turn| (None, make(from + turn * step))).collect();
        self.container(ContainerKind::List, items, false, site)
    }

    fn unknown_range(&mut self, bounds: &[Value], site: &Rc<super::value::Site>) -> Value {
        let atoms = bounds.iter().map(|it| self.atom(it)).collect();
        let term = self.apply("range", atoms);
        let value = self.container(ContainerKind::List, Vec::new(), true, site);
        if let Value::Container(container) = &value {
            container.borrow_mut().term = term;
        }
        value
    }

    pub(super) fn method_of(&self, class: crate::ir::ClassId, name: &str) -> Option<FunctionId> {
        let unit = self.program.unit;
        let mut open = vec![class];
        let mut seen = 0;
        while let Some(class) = open.pop() {
            let entry = unit.class(class);
            if let Some(method) = entry.methods.get(name) {
                return Some(*method);
            }
            seen += 1;
            if seen > 20 || entry.members.contains(name) {
                return None;
            }
            open.extend(entry.bases.iter().rev().filter_map(|base| match base {
                crate::ir::TypeRef::Class(class) => Some(*class),
                crate::ir::TypeRef::Path(_) | crate::ir::TypeRef::Unknown => None,
            }));
        }
        None
    }
}

fn is_comparison(shape: &Shape) -> bool {
    match shape {
        Shape::Apply(operator, atoms) if &**operator == "not" => atoms.len() == 1,
        Shape::Apply(operator, _) => {
            matches!(&**operator, "==" | "<" | "<=" | ">" | ">=" | "!=" | "~x" | "&" | "|")
        }
        Shape::Named(_) | Shape::Field(..) | Shape::Result(..) => false,
    }
}
