//! Calls: of functions of the file, which are run as part of their caller, and of functions of libraries.

use std::cell::RefCell;
use std::rc::Rc;

use super::frame::Frame;
use super::machine::{DEPTH, Flow, Machine, Manner, Stop};
use super::value::{Closure, Instance, Locals, Nature, Shape, Site, Value};
use crate::catalog::{ApiId, Does, Plays};
use crate::ir::{
    Argument, ClassId, Constant, ContainerKind, DefaultValue, Flavour, FunctionId, FunctionKind, Meaning,
    ParameterKind, Passing,
};
use crate::source::Span;

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    pub(super) positional: Vec<Value>,
    pub(super) named: Vec<(String, Value)>,
    /// Some are spread from something that is not known.
    pub(super) spread: bool,
}

impl Arguments {
    fn of(positional: Vec<Value>) -> Self {
        Arguments { positional, ..Arguments::default() }
    }

    /// The argument that reaches a parameter of a list of them.
    pub(super) fn get(&self, parameters: &[String], name: &str) -> Option<Value> {
        if let Some((_, value)) = self.named.iter().find(|(own, _)| own == name) {
            return Some(value.clone());
        }
        let index = parameters
            .iter()
            .take_while(|it| *it != "*")
            .position(|it| it.trim_start_matches('*') == name)?;
        self.positional.get(index).cloned()
    }

    fn all(&self) -> impl Iterator<Item = &Value> {
        self.positional.iter().chain(self.named.iter().map(|(_, value)| value))
    }
}

impl Machine<'_, '_> {
    pub(super) fn arguments(&mut self, frame: &Frame, arguments: &[Argument]) -> Arguments {
        let mut given = Arguments::default();
        for argument in arguments {
            let value = self.operand(frame, &argument.value);
            match &argument.passing {
                Passing::Positional => given.positional.push(value),
                Passing::Named(name) => given.named.push((name.clone(), value)),
                Passing::Spread => match &value {
                    Value::Container(container) if !container.borrow().open => {
                        given.positional.extend(container.borrow().items.iter().map(|(_, it)| it.clone()));
                    }
                    _ => given.spread = true,
                },
                Passing::SpreadNamed => match &value {
                    Value::Container(container) if !container.borrow().open => {
                        for (key, value) in &container.borrow().items {
                            if let Some(Constant::Str(name)) = key {
                                given.named.push((name.clone(), value.clone()));
                            }
                        }
                    }
                    _ => given.spread = true,
                },
            }
        }
        given
    }

    pub(super) fn plain_function(function: FunctionId) -> Value {
        Value::Function(Rc::new(Closure { function, around: None, bound: Vec::new() }))
    }

    pub(super) fn call(
        &mut self,
        frame: &Frame,
        callee: &Value,
        arguments: Arguments,
        span: Span,
    ) -> Result<Value, Stop> {
        match callee {
            Value::Function(closure) => {
                let mut arguments = arguments;
                arguments.positional.splice(0..0, closure.bound.iter().cloned());
                self.call_with(frame, (closure.function, closure.around.clone()), arguments, span)
            }
            Value::Class(class) => self.construct(frame, *class, arguments, span),
            Value::Path(path) => self.call_path(frame, path, arguments, span),
            Value::Method { receiver, name } => {
                self.call_method(frame, receiver, (name, None), arguments, span)
            }
            Value::Instance(instance) => {
                match instance.class.and_then(|class| self.method_of(class, "__call__")) {
                    Some(method) => {
                        let mut arguments = arguments;
                        arguments.positional.insert(0, callee.clone());
                        self.call_with(frame, (method, None), arguments, span)
                    }
                    None => self.mystery(frame, &arguments, span, Nature::default()),
                }
            }
            Value::Unknown(term) => {
                let quiet = self.terms.nature(*term).quiet;
                self.unknown_call(frame, quiet, &[], &arguments, span)
            }
            _ => self.unknown_call(frame, false, &[], &arguments, span),
        }
    }

    /// A method of a value.
    pub(super) fn call_method(
        &mut self,
        frame: &Frame,
        receiver: &Value,
        (name, meaning): (&str, Option<Meaning>),
        arguments: Arguments,
        span: Span,
    ) -> Result<Value, Stop> {
        if let Value::Path(path) = receiver
            && self.program.catalog.value(path).is_none()
        {
            return self.call_path(frame, &format!("{path}.{name}").into(), arguments, span);
        }
        if let Some(part) = self.part_of_value(receiver, name) {
            return self.play(frame, &part, Some(receiver), arguments, span);
        }
        match receiver {
            Value::Instance(instance) => {
                let own = instance.class.and_then(|class| self.method_of(class, name));
                let field = instance.fields.borrow().get(name).cloned();
                match (field, own) {
                    (Some(field), _) => self.call(frame, &field, arguments, span),
                    (None, Some(method)) => {
                        let mut arguments = arguments;
                        if self.program.unit.function(method).kind != FunctionKind::Static {
                            arguments.positional.insert(0, receiver.clone());
                        }
                        self.call_with(frame, (method, None), arguments, span)
                    }
                    (None, None) => self.unknown_call(
                        frame,
                        is_quiet_name(name),
                        std::slice::from_ref(receiver),
                        &arguments,
                        span,
                    ),
                }
            }
            Value::Class(class) => match self.method_of(*class, name) {
                Some(method) => {
                    let mut arguments = arguments;
                    if self.program.unit.function(method).kind == FunctionKind::ClassMethod {
                        arguments.positional.insert(0, receiver.clone());
                    }
                    self.call_with(frame, (method, None), arguments, span)
                }
                None => self.unknown_call(frame, false, &[], &arguments, span),
            },
            Value::Container(_) => {
                let site = self.site(frame, span);
                Ok(self.call_container(receiver, meaning, &arguments, &site))
            }
            Value::Handle { posts, class } => {
                let api = class.and_then(|class| self.program.catalog.method(class, name));
                match api.map(|api| self.program.catalog.function(api).does) {
                    Some(Does::Finish) => {
                        self.wait(frame, Rc::clone(posts), false, span);
                        let site = self.site(frame, span);
                        Ok(self.result(&site, Nature::default()))
                    }
                    Some(Does::Poll) => Err(Stop::Undecided),
                    Some(Does::Alias) => Ok(receiver.clone()),
                    _ => {
                        let site = self.site(frame, span);
                        Ok(self.result(&site, Nature { quiet: true, ..Nature::default() }))
                    }
                }
            }
            Value::Unknown(term) => {
                let quiet = self.terms.nature(*term).quiet || is_quiet_name(name);
                let value =
                    self.unknown_call(frame, quiet, std::slice::from_ref(receiver), &arguments, span)?;
                self.note_nature(&value, name, span);
                Ok(value)
            }
            Value::Tensor { .. } | Value::Constant(_) | Value::Ranked(_) => {
                let value =
                    self.unknown_call(frame, true, std::slice::from_ref(receiver), &arguments, span)?;
                self.note_nature(&value, name, span);
                Ok(value)
            }
            _ => self.unknown_call(
                frame,
                is_quiet_name(name),
                std::slice::from_ref(receiver),
                &arguments,
                span,
            ),
        }
    }

    /// Some functions give something whose size depends on the data, which each rank has its own of.
    fn note_nature(&mut self, value: &Value, name: &str, span: Span) {
        if let (Value::Unknown(term), true) = (value, SELECTING.contains(&name)) {
            self.terms.make_local(*term, span);
        }
    }

    fn call_container(
        &mut self,
        receiver: &Value,
        meaning: Option<Meaning>,
        arguments: &Arguments,
        site: &Rc<Site>,
    ) -> Value {
        let Value::Container(container) = receiver else { return Value::NONE };
        let unknown = |it: &mut Self| it.result(site, Nature { quiet: true, ..Nature::default() });
        match meaning {
            Some(Meaning::Push) => {
                if let Some(value) = arguments.positional.last() {
                    container.borrow_mut().items.push((None, value.clone()));
                }
                Value::NONE
            }
            Some(Meaning::Extend) => {
                match arguments.positional.first() {
                    Some(Value::Container(more)) => {
                        let (items, open) = (more.borrow().items.clone(), more.borrow().open);
                        container.borrow_mut().items.extend(items);
                        container.borrow_mut().open |= open;
                    }
                    Some(Value::Iterator(_)) | Some(_) => container.borrow_mut().open = true,
                    None => {}
                }
                Value::NONE
            }
            Some(Meaning::Take) if !container.borrow().open => {
                let taken = container.borrow_mut().items.pop();
                taken.map_or_else(|| unknown(self), |(_, value)| value)
            }
            Some(Meaning::TakeKey | Meaning::Get | Meaning::SetDefault) => {
                let key = match arguments.positional.first() {
                    Some(Value::Constant(constant)) => Some(constant.clone()),
                    Some(other) => self.number(other).map(Constant::Int),
                    None => None,
                };
                if meaning != Some(Meaning::Get) {
                    container.borrow_mut().open = true;
                }
                let known = container.borrow();
                let is_dict = known.kind == ContainerKind::Dict;
                let found = known.items.iter().find(|(own, _)| is_dict && own.is_some() && *own == key);
                let found = found.map(|(_, value)| value.clone());
                drop(known);
                found.unwrap_or_else(|| unknown(self))
            }
            Some(Meaning::Clear) => {
                container.borrow_mut().items.clear();
                Value::NONE
            }
            Some(Meaning::Elements | Meaning::Reorder) => {
                let known = container.borrow();
                let items = known.items.iter().map(|(_, value)| (None, value.clone())).collect();
                let (open, unordered) = (known.open, known.unordered);
                drop(known);
                let copy = self.container(ContainerKind::List, items, open, site);
                if let Value::Container(copy) = &copy {
                    copy.borrow_mut().unordered = unordered;
                }
                copy
            }
            Some(Meaning::Pairs) => {
                let items = container.borrow().items.clone();
                let open = container.borrow().open;
                let mut pairs = Vec::new();
                for (key, value) in items {
                    let key = key.map_or(Value::NONE, Value::Constant);
                    let pair = vec![(None, key), (None, value)];
                    pairs.push((None, self.container(ContainerKind::Tuple, pair, false, site)));
                }
                self.container(ContainerKind::List, pairs, open, site)
            }
            Some(Meaning::Take | Meaning::Remove) => {
                container.borrow_mut().open = true;
                unknown(self)
            }
            Some(Meaning::Measure) | None => unknown(self),
        }
    }

    // --- Functions of the file

    /// Calls a function of the file with its arguments in order.
    pub(super) fn call_own(
        &mut self,
        frame: &Frame,
        function: (FunctionId, Option<Locals>),
        arguments: Vec<Value>,
        span: Span,
    ) -> Result<Value, Stop> {
        self.call_with(frame, function, Arguments::of(arguments), span)
    }

    fn call_with(
        &mut self,
        frame: &Frame,
        (function, around): (FunctionId, Option<Locals>),
        arguments: Arguments,
        span: Span,
    ) -> Result<Value, Stop> {
        let unit = self.program.unit;
        let entry = unit.function(function);
        let communicates = self.program.relevance.communicates(function);
        if frame.depth >= DEPTH {
            return if communicates { Err(Stop::Undecided) } else { self.quiet_result(frame, span) };
        }
        if entry.opaque {
            return match communicates {
                true => Err(Stop::Undecided),
                false => self.unknown_call(frame, false, &[], &arguments, span),
            };
        }
        let site = self.site(frame, span);
        let mut locals = vec![Value::NONE; entry.locals.len()];
        self.bind(function, &arguments, &mut locals, &site);
        let around = around.filter(|_| entry.parent == Some(frame.function) || entry.parent.is_some());
        match &around {
            Some(around) => {
                for (here, there) in &entry.captures {
                    let value = around.borrow().get(there.0 as usize).cloned().unwrap_or(Value::NONE);
                    if let Some(slot) = locals.get_mut(here.0 as usize) {
                        *slot = value;
                    }
                }
            }
            None => self.captures_unknown(function, &mut locals),
        }
        let mut inner = Frame::new(function, locals, Some(site), frame.depth + 1);
        inner.around = around.clone();
        self.visited.insert(function);
        if matches!(entry.flavour, Flavour::Generator | Flavour::Manager) {
            return Ok(Value::Generator(Rc::new(RefCell::new(inner))));
        }
        let value = self.finish(&mut inner);
        if let Some(around) = &around {
            for (here, there) in &entry.captures {
                let value = inner.locals.borrow().get(here.0 as usize).cloned();
                if let (Some(value), Some(slot)) = (value, around.borrow_mut().get_mut(there.0 as usize)) {
                    *slot = value;
                }
            }
        }
        value
    }

    fn finish(&mut self, frame: &mut Frame) -> Result<Value, Stop> {
        match self.run(frame)? {
            Flow::Returned(value) => Ok(value),
            Flow::Yielded(_) => Err(Stop::Undecided),
        }
    }

    fn bind(&mut self, function: FunctionId, arguments: &Arguments, locals: &mut [Value], site: &Rc<Site>) {
        let entry = self.program.unit.function(function);
        let mut positional = arguments.positional.iter();
        for parameter in &entry.parameters {
            let named =
                || arguments.named.iter().find(|(name, _)| *name == parameter.name).map(|(_, it)| it.clone());
            let value = match parameter.kind {
                ParameterKind::Plain => positional.next().cloned().or_else(named),
                ParameterKind::KeywordOnly => named(),
                ParameterKind::RestPositional => {
                    let items = positional.by_ref().map(|it| (None, it.clone())).collect();
                    Some(self.container(ContainerKind::Tuple, items, arguments.spread, site))
                }
                ParameterKind::RestKeyword => {
                    let own = |name: &str| entry.parameters.iter().any(|it| it.name == name);
                    let rest = arguments.named.iter().filter(|(name, _)| !own(name));
                    let items =
                        rest.map(|(name, it)| (Some(Constant::Str(name.clone())), it.clone())).collect();
                    Some(self.container(ContainerKind::Dict, items, arguments.spread, site))
                }
            };
            let value = match (value, &parameter.default) {
                (Some(value), _) => value,
                (None, Some(DefaultValue::Constant(constant))) if !arguments.spread => {
                    Value::Constant(constant.clone())
                }
                (None, _) => {
                    let shape = Shape::Apply(
                        format!("parameter {}", function.0).into(),
                        vec![super::value::Atom::Path(parameter.name.as_str().into())],
                    );
                    let nature = Nature { name: parameter.name.as_str().into(), ..Nature::default() };
                    Value::Unknown(self.terms.intern(shape, nature))
                }
            };
            if let Some(slot) = locals.get_mut(parameter.local.0 as usize) {
                *slot = value;
            }
        }
    }

    fn construct(
        &mut self,
        frame: &Frame,
        class: ClassId,
        arguments: Arguments,
        span: Span,
    ) -> Result<Value, Stop> {
        let site = self.site(frame, span);
        let count = self.occurrence(&site);
        let term = self.terms.intern(Shape::Result(site, count), Nature::default());
        let object =
            Value::Instance(Rc::new(Instance { class: Some(class), fields: RefCell::default(), term }));
        if let Value::Instance(instance) = &object
            && let Some(fields) = &self.program.unit.class(class).record_fields
        {
            for (index, name) in fields.iter().enumerate() {
                let named = || arguments.named.iter().find(|(own, _)| own == name).map(|(_, it)| it.clone());
                if let Some(value) = arguments.positional.get(index).cloned().or_else(named) {
                    instance.fields.borrow_mut().insert(name.clone(), value);
                }
            }
        }
        if let Some(constructor) = self.method_of(class, "__init__") {
            let mut arguments = arguments;
            arguments.positional.insert(0, object.clone());
            self.call_with(frame, (constructor, None), arguments, span)?;
        }
        Ok(object)
    }

    // --- Functions of libraries

    fn call_path(
        &mut self,
        frame: &Frame,
        path: &Rc<str>,
        arguments: Arguments,
        span: Span,
    ) -> Result<Value, Stop> {
        if let Some(part) = self.program.catalog.part(path) {
            let part = part.clone();
            return self.play(frame, &part, None, arguments, span);
        }
        if let Some(value) = self.call_of_language(frame, path, &arguments, span)? {
            return Ok(value);
        }
        let quiet = self.is_quiet_path(path);
        let value = self.unknown_call(frame, quiet, &[], &arguments, span)?;
        let name = path.rsplit('.').next().unwrap_or_default();
        self.note_nature(&value, name, span);
        if let (Value::Unknown(term), true) = (&value, quiet && SELECTING_FUNCTIONS.contains(&name)) {
            self.terms.make_local(*term, span);
        }
        Ok(value)
    }

    /// Functions of the language and those of the catalogue through which values pass.
    fn call_of_language(
        &mut self,
        frame: &Frame,
        path: &str,
        arguments: &Arguments,
        span: Span,
    ) -> Result<Option<Value>, Stop> {
        let site = self.site(frame, span);
        let first = arguments.positional.first();
        match (path.strip_prefix("builtins."), first) {
            (Some("int" | "abs"), Some(value)) if self.number(value).is_some() => {
                return Ok(Some(value.clone()));
            }
            (Some("str" | "repr" | "hash" | "type"), Some(_)) => {
                let value = self.unknown_call(frame, true, &[], arguments, span)?;
                if let Value::Unknown(term) = &value {
                    self.terms.make_text(*term);
                }
                return Ok(Some(value));
            }
            (Some("bool"), Some(value)) => {
                return Ok(self.truth(value).map(Value::bool).or(Some(value.clone())));
            }
            (Some("len"), Some(Value::Container(container))) if !container.borrow().open => {
                return Ok(Some(Value::int(container.borrow().items.len() as i64)));
            }
            (Some("min" | "max"), Some(_)) if arguments.positional.len() > 1 => {
                let numbers: Option<Vec<i64>> =
                    arguments.positional.iter().map(|it| self.number(it)).collect();
                if let Some(numbers) = numbers {
                    let ranked = arguments.positional.iter().any(|it| matches!(it, Value::Ranked(_)));
                    let number = match path {
                        "builtins.min" => numbers.iter().min(),
                        _ => numbers.iter().max(),
                    };
                    let number = number.copied().unwrap_or_default();
                    return Ok(Some(if ranked { Value::Ranked(number) } else { Value::int(number) }));
                }
            }
            (Some("set" | "frozenset"), Some(Value::Container(container))) => {
                let (items, open) = (container.borrow().items.clone(), container.borrow().open);
                return Ok(Some(self.container(ContainerKind::Set, items, open, &site)));
            }
            (Some("set" | "list" | "dict"), None) => {
                let kind = match path {
                    "builtins.set" => ContainerKind::Set,
                    "builtins.dict" => ContainerKind::Dict,
                    _ => ContainerKind::List,
                };
                return Ok(Some(self.container(kind, Vec::new(), false, &site)));
            }
            (Some("sorted"), Some(value)) => return Ok(Some(self.collected(value, &site, false))),
            (Some("next"), Some(Value::Iterator(_))) => {
                return Ok(Some(self.result(&site, Nature { quiet: true, ..Nature::default() })));
            }
            _ => {}
        }
        if let ("os.environ.get" | "os.getenv", Some(Value::Constant(Constant::Str(name)))) = (path, first)
            && let Some(value) = self.by_name(name)
        {
            return Ok(Some(value));
        }
        let Some(api) = self.program.catalog.api(path) else { return Ok(None) };
        self.call_api(frame, api, arguments, span)
    }

    fn call_api(
        &mut self,
        frame: &Frame,
        api: ApiId,
        arguments: &Arguments,
        span: Span,
    ) -> Result<Option<Value>, Stop> {
        let site = self.site(frame, span);
        let function = self.program.catalog.function(api);
        let parameters = function.parameters.clone();
        let on = function.on.clone().and_then(|on| arguments.get(&parameters, &on));
        let on = on.or_else(|| arguments.positional.first().cloned());
        match function.does {
            Does::Finish => {
                let any =
                    matches!(function.which, crate::catalog::WhichOf::Any | crate::catalog::WhichOf::Several);
                let posts = on.map(|it| self.handles_in(&it)).unwrap_or_default();
                self.wait(frame, posts.into(), any, span);
                Ok(Some(self.result(&site, Nature::default())))
            }
            Does::Poll => match on.map(|it| self.handles_in(&it)).unwrap_or_default().is_empty() {
                true => Ok(Some(self.result(&site, Nature::default()))),
                false => Err(Stop::Undecided),
            },
            Does::Count => Ok(Some(self.range(&arguments.positional, &site))),
            Does::Collect => {
                Ok(arguments.positional.first().map(|it| self.collected(&it.clone(), &site, true)))
            }
            Does::Pass => Ok(on),
            Does::Zip => Ok(Some(self.zipped(&arguments.positional, &site))),
            Does::Enumerate => {
                let numbers = match arguments.positional.first() {
                    Some(Value::Container(container)) => (0..container.borrow().items.len() as i64).collect(),
                    _ => Vec::new(),
                };
                let numbers = numbers.into_iter().map(|it| (None, Value::int(it))).collect();
                let numbers = self.container(ContainerKind::List, numbers, false, &site);
                let items = arguments.positional.first().cloned().unwrap_or(Value::NONE);
                Ok(Some(self.zipped(&[numbers, items], &site)))
            }
            Does::Exit => Err(Stop::Raised),
            Does::Bind => match arguments.positional.split_first() {
                Some((Value::Function(closure), bound)) if arguments.named.is_empty() => {
                    let mut all = closure.bound.clone();
                    all.extend(bound.iter().cloned());
                    let bound =
                        Closure { function: closure.function, around: closure.around.clone(), bound: all };
                    Ok(Some(Value::Function(Rc::new(bound))))
                }
                _ => Ok(None),
            },
            Does::Read | Does::Consume | Does::Backend | Does::Fence | Does::Pause => {
                self.unknown_call(frame, true, &[], arguments, span).map(Some)
            }
            Does::Coalesce | Does::Prepare | Does::Restart | Does::Map | Does::Filter => Err(Stop::Undecided),
            Does::Start | Does::Launch | Does::Build => Err(Stop::Undecided),
            Does::Inline | Does::Guard | Does::Keep | Does::Acquire => Err(Stop::Undecided),
            Does::Alias | Does::Release | Does::ExpectError | Does::Instance | Does::Nothing => {
                self.unknown_call(frame, true, &[], arguments, span).map(Some)
            }
        }
    }

    /// The elements of a value in a new list.
    fn collected(&mut self, value: &Value, site: &Rc<Site>, keeps_order: bool) -> Value {
        match value {
            Value::Container(container) => {
                let known = container.borrow();
                let (items, open, is_set) =
                    (known.items.clone(), known.open, known.kind == ContainerKind::Set);
                let unordered = known.unordered;
                drop(known);
                let copy = self.container(ContainerKind::List, items, open, site);
                if let (Value::Container(copy), true) = (&copy, keeps_order) {
                    let texts = |value: &Value| match value {
                        Value::Constant(Constant::Str(_)) => true,
                        Value::Unknown(term) => self.terms.nature(*term).text,
                        _ => false,
                    };
                    let is_text = copy.borrow().items.iter().any(|(_, it)| texts(it));
                    copy.borrow_mut().unordered = unordered || (is_set && is_text);
                }
                copy
            }
            other => {
                let term = self.term_of(other);
                let list = self.container(ContainerKind::List, Vec::new(), true, site);
                if let Value::Container(list) = &list {
                    list.borrow_mut().term = term;
                }
                list
            }
        }
    }

    fn zipped(&mut self, values: &[Value], site: &Rc<Site>) -> Value {
        let known: Option<Vec<Vec<Value>>> = values
            .iter()
            .map(|value| match value {
                Value::Container(container) if !container.borrow().open => {
                    Some(container.borrow().items.iter().map(|(_, it)| it.clone()).collect())
                }
                _ => None,
            })
            .collect();
        let Some(known) = known else {
            let atoms = values.iter().map(|it| self.atom(it)).collect();
            let term = self.apply("zip", atoms);
            return Value::Unknown(term);
        };
        let count = known.iter().map(Vec::len).min().unwrap_or(0);
        let mut rows = Vec::new();
        for index in 0..count {
            let row = known.iter().filter_map(|it| it.get(index)).map(|it| (None, it.clone())).collect();
            rows.push((None, self.container(ContainerKind::Tuple, row, false, site)));
        }
        self.container(ContainerKind::List, rows, false, site)
    }

    fn quiet_result(&mut self, frame: &Frame, span: Span) -> Result<Value, Stop> {
        let site = self.site(frame, span);
        Ok(self.result(&site, Nature { quiet: true, ..Nature::default() }))
    }

    /// A call of something that is not known.
    pub(super) fn unknown_call(
        &mut self,
        frame: &Frame,
        quiet: bool,
        receiver: &[Value],
        arguments: &Arguments,
        span: Span,
    ) -> Result<Value, Stop> {
        let mut nature = Nature { quiet: true, ..Nature::default() };
        for value in receiver.iter().chain(arguments.all()) {
            match value {
                Value::Function(closure) if self.program.relevance.communicates(closure.function) => {
                    return Err(Stop::Undecided);
                }
                Value::Unknown(_) | Value::Tensor { .. } | Value::Container(_) => {
                    let term = self.term_of(value);
                    nature.local = nature.local.or_else(|| self.local(term));
                    nature.varies |= self.terms.nature(term).varies;
                }
                Value::Ranked(_) => nature.varies = true,
                _ => {}
            }
        }
        if !quiet {
            return self.mystery(frame, arguments, span, Nature { quiet: false, ..nature });
        }
        let site = self.site(frame, span);
        Ok(self.result(&site, nature))
    }

    fn mystery(
        &mut self,
        frame: &Frame,
        _arguments: &Arguments,
        span: Span,
        nature: Nature,
    ) -> Result<Value, Stop> {
        let site = self.site(frame, span);
        if self.manner == Manner::Followed {
            let before = self.script.lines.len();
            self.script.mysteries.push((Rc::clone(&site), before));
        }
        Ok(self.result(&site, nature))
    }

    fn is_quiet_path(&self, path: &str) -> bool {
        let mut end = path.len();
        while let Some(dot) = path.get(..end).and_then(|it| it.rfind('.')) {
            if let Some(part) = self.program.catalog.part(&format!("{}.*", &path[..dot])) {
                return part.plays == Plays::Quiet;
            }
            end = dot;
        }
        false
    }
}

/// Functions whose result has as many elements as the data wants.
pub(super) const SELECTING: [&str; 4] = ["nonzero", "argwhere", "masked_select", "flatnonzero"];
/// The same, of a module: as methods they are others too.
const SELECTING_FUNCTIONS: [&str; 4] = ["unique", "unique_consecutive", "monotonic", "perf_counter"];

/// Methods that no library communicates in: of tensors, texts, files, loggers.
const QUIET_NAMES: [&str; 90] = [
    "append",
    "extend",
    "pop",
    "get",
    "items",
    "keys",
    "values",
    "copy",
    "update",
    "join",
    "format",
    "split",
    "strip",
    "startswith",
    "endswith",
    "lower",
    "upper",
    "replace",
    "encode",
    "decode",
    "info",
    "debug",
    "warning",
    "warn",
    "error",
    "exception",
    "log",
    "write",
    "flush",
    "close",
    "read",
    "readlines",
    "item",
    "tolist",
    "numel",
    "dim",
    "size",
    "cpu",
    "cuda",
    "to",
    "float",
    "half",
    "bfloat16",
    "long",
    "int",
    "double",
    "bool",
    "contiguous",
    "view",
    "view_as",
    "reshape",
    "flatten",
    "squeeze",
    "unsqueeze",
    "permute",
    "transpose",
    "expand",
    "clone",
    "detach",
    "fill_",
    "zero_",
    "copy_",
    "add_",
    "mul_",
    "div_",
    "sub_",
    "sum",
    "mean",
    "max",
    "min",
    "any",
    "all",
    "numpy",
    "norm",
    "abs",
    "sqrt",
    "pow",
    "chunk",
    "narrow",
    "index_select",
    "gather_",
    "record_stream",
    "new_empty",
    "new_zeros",
    "new_ones",
    "is_floating_point",
    "exists",
    "mkdir",
    "element_size",
    "data_ptr",
];

fn is_quiet_name(name: &str) -> bool {
    QUIET_NAMES.contains(&name) || SELECTING.contains(&name)
}
