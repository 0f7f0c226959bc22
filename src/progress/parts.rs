//! What functions of libraries do between ranks, as lines of a script.

use std::rc::Rc;

use super::calls::Arguments;
use super::frame::Frame;
use super::machine::{Machine, Manner as Following, Stop};
use super::script::{Act, Line, Manner, Peer, Post};
use super::value::{Built, Extent, Group, Nature, Value};
use crate::catalog::{CollectiveName, Does, Part, Plays, TypeId};
use crate::ir::{Constant, ContainerKind};
use crate::runtime::{Collective, Element, Reduction};
use crate::source::Span;

/// Whether a call waits for what it starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Blocking,
    Asynchronous(Option<TypeId>),
}

impl Machine<'_, '_> {
    /// The part that a method or attribute of a value plays.
    pub(super) fn part_of_value(&mut self, receiver: &Value, name: &str) -> Option<Part> {
        let catalog = self.program.catalog;
        match receiver {
            Value::Path(path) => catalog.value(path).and_then(|class| catalog.part_of(class, name)).cloned(),
            Value::Group(_) | Value::Unknown(_) => {
                let called = match receiver {
                    Value::Unknown(term) => Rc::clone(&self.terms.nature(*term).name),
                    _ => "comm".into(),
                };
                catalog.guess_part(name, &called, &self.program.unit.imports).cloned()
            }
            _ => None,
        }
    }

    pub(super) fn group_of_receiver(&mut self, receiver: &Value) -> Group {
        self.group(Some(receiver))
    }

    /// The group that a value stands for; none means all ranks.
    fn group(&mut self, value: Option<&Value>) -> Group {
        match value {
            None | Some(Value::Constant(Constant::None)) => Group::World,
            Some(Value::Group(group)) => match group {
                Group::Unknown(term) if self.primary == Some(*term) => Group::World,
                other => other.clone(),
            },
            Some(Value::Path(path)) => match self.program.catalog.part(path) {
                Some(part) if part.plays == Plays::World => Group::World,
                _ => self.unknown_group(&Value::Path(Rc::clone(path))),
            },
            Some(other) => self.unknown_group(other),
        }
    }

    fn unknown_group(&mut self, value: &Value) -> Group {
        let term = self.term_of(value);
        if self.primary == Some(term) {
            return Group::World;
        }
        Group::Unknown(term)
    }

    pub(super) fn rank_or_size(&mut self, plays: Plays, group: &Group) -> Value {
        let members: Option<Vec<usize>> = match group {
            Group::World => {
                self.world = true;
                Some((0..self.size).collect())
            }
            Group::Some(members) => Some(members.to_vec()),
            Group::Unknown(term) => {
                self.groups.insert(*term);
                None
            }
        };
        let Some(members) = members else {
            let Group::Unknown(term) = group else { return Value::NONE };
            let name = if plays == Plays::Rank { "rank in" } else { "size of" };
            let shape = super::value::Shape::Apply(name.into(), vec![super::value::Atom::Term(*term)]);
            let nature = Nature { varies: plays == Plays::Rank, quiet: true, ..Nature::default() };
            return Value::Unknown(self.terms.intern(shape, nature));
        };
        match plays {
            Plays::Rank => {
                let own = members.iter().position(|it| *it == self.rank);
                Value::Ranked(own.map_or(-1, |it| it as i64))
            }
            _ => Value::int(members.len() as i64),
        }
    }

    /// A value of a library that stands for something between ranks.
    pub(super) fn value_of_path(&mut self, path: &str) -> Option<Value> {
        let part = self.program.catalog.part(path)?;
        match part.plays {
            Plays::True => None,
            Plays::Nobody => Some(Value::Path("nobody".into())),
            Plays::Any => Some(Value::Path("any".into())),
            _ => None,
        }
    }

    pub(super) fn play(
        &mut self,
        frame: &Frame,
        part: &Part,
        receiver: Option<&Value>,
        arguments: Arguments,
        span: Span,
    ) -> Result<Value, Stop> {
        let site = self.site(frame, span);
        let given =
            |key: &Option<String>| key.as_deref().and_then(|key| arguments.get(&part.parameters, key));
        let group = match part.group.as_deref() {
            Some("self") => self.group(receiver),
            _ => self.group(given(&part.group).as_ref()),
        };
        let (peer, tag) = (given(&part.peer), given(&part.tag));
        match part.plays {
            Plays::Rank | Plays::Size => return Ok(self.rank_or_size(part.plays, &group)),
            Plays::True => return Ok(Value::bool(true)),
            Plays::Same => {
                return Ok(peer.or_else(|| arguments.positional.last().cloned()).unwrap_or(Value::NONE));
            }
            Plays::World => return Ok(Value::Group(Group::World)),
            Plays::Quiet | Plays::Loud | Plays::Any | Plays::Nobody => {
                return Ok(self.result(&site, Nature { quiet: true, ..Nature::default() }));
            }
            Plays::Array => return Ok(self.array(part, &arguments, &site)),
            Plays::Unfollowed => return Err(Stop::Undecided),
            Plays::Operation => {
                let sends = match arguments.get(&part.parameters, "op") {
                    Some(Value::Path(path)) => {
                        self.program.catalog.part(&path).map(|it| it.plays == Plays::Send)
                    }
                    _ => None,
                };
                let Some(sends) = sends else { return Err(Stop::Undecided) };
                let (peer, tag) = (peer.unwrap_or(Value::NONE), tag.unwrap_or(Value::NONE));
                let extent = given(&part.buffer).and_then(|it| extent(&it));
                self.unlaunched += 1;
                return Ok(Value::Built(Rc::new(Built { sends, peer, tag, group, extent })));
            }
            Plays::Batch => return self.batch(frame, part, &arguments, span),
            Plays::Group | Plays::Split => return self.make_group(frame, part, &arguments, (group, span)),
            Plays::Send
            | Plays::SynchronousSend
            | Plays::BufferedSend
            | Plays::Receive
            | Plays::Exchange
            | Plays::Collective => {}
        }
        if arguments.spread {
            return Err(Stop::Undecided);
        }
        let style = self.style(part, &arguments)?;
        let extent = given(&part.buffer).and_then(|it| extent(&it));
        let posts = match part.plays {
            Plays::Exchange => {
                let (source, source_tag) = (given(&part.source), given(&part.source_tag));
                let mut posts = self.message(
                    frame,
                    part,
                    (peer.as_ref(), tag.as_ref()),
                    (&group, extent),
                    (Manner::Standard, span),
                )?;
                let receive = (source.as_ref(), source_tag.as_ref());
                posts.extend(self.receive(frame, part, receive, (&group, None), span)?);
                posts
            }
            Plays::Send => self.message(
                frame,
                part,
                (peer.as_ref(), tag.as_ref()),
                (&group, extent),
                (Manner::Standard, span),
            )?,
            Plays::SynchronousSend => self.message(
                frame,
                part,
                (peer.as_ref(), tag.as_ref()),
                (&group, extent),
                (Manner::Synchronous, span),
            )?,
            Plays::BufferedSend => self.message(
                frame,
                part,
                (peer.as_ref(), tag.as_ref()),
                (&group, extent),
                (Manner::Buffered, span),
            )?,
            Plays::Receive => {
                self.receive(frame, part, (peer.as_ref(), tag.as_ref()), (&group, extent), span)?
            }
            _ => {
                let buffer = given(&part.buffer).or_else(|| arguments.positional.first().cloned());
                self.collective(frame, part, (peer.as_ref(), buffer.as_ref()), (&group, extent), span)?
            }
        };
        self.ended(frame, (style, span), posts)
    }

    fn ended(
        &mut self,
        frame: &Frame,
        (style, span): (Style, Span),
        posts: Vec<usize>,
    ) -> Result<Value, Stop> {
        match style {
            Style::Asynchronous(class) => Ok(Value::Handle { posts: posts.into(), class }),
            Style::Blocking => {
                for post in &posts {
                    if let Some(Line::Post(post)) = self.script.lines.get_mut(*post) {
                        post.blocking = true;
                    }
                }
                self.wait(frame, posts.into(), false, span);
                let site = self.site(frame, span);
                Ok(self.result(&site, Nature { quiet: true, ..Nature::default() }))
            }
        }
    }

    fn style(&mut self, part: &Part, arguments: &Arguments) -> Result<Style, Stop> {
        let Some(api) = part.api else { return Ok(Style::Blocking) };
        let function = self.program.catalog.function(api);
        let gives = self.program.catalog.gives(api);
        match (function.does, &function.when) {
            (Does::Start, None) => Ok(Style::Asynchronous(gives)),
            (Does::Start, Some(when)) => {
                let truth = match arguments.get(&function.parameters, &when.argument) {
                    None => when.default,
                    Some(value) => match self.truth(&value) {
                        Some(truth) => truth,
                        None => {
                            let term = self.term_of(&value);
                            self.decide(term, 0)?
                        }
                    },
                };
                Ok(if truth == when.is { Style::Asynchronous(gives) } else { Style::Blocking })
            }
            _ => Ok(Style::Blocking),
        }
    }

    fn message(
        &mut self,
        frame: &Frame,
        part: &Part,
        (peer, tag): (Option<&Value>, Option<&Value>),
        (group, extent): (&Group, Option<Extent>),
        (manner, span): (Manner, Span),
    ) -> Result<Vec<usize>, Stop> {
        let Some(to) = self.peer(peer)? else { return Ok(Vec::new()) };
        let tag = self.tag(tag, Some(0))?;
        Ok(self.post(frame, part, Act::Send { to, tag, manner }, (group, extent), span))
    }

    fn receive(
        &mut self,
        frame: &Frame,
        part: &Part,
        (peer, tag): (Option<&Value>, Option<&Value>),
        (group, extent): (&Group, Option<Extent>),
        span: Span,
    ) -> Result<Vec<usize>, Stop> {
        let from = match peer {
            None | Some(Value::Constant(Constant::None)) => Peer::Any,
            Some(Value::Path(path)) if &**path == "any" => Peer::Any,
            other => match self.peer(other)? {
                Some(peer) => peer,
                None => return Ok(Vec::new()),
            },
        };
        let by_default = if part.group.as_deref() == Some("self") { None } else { Some(0) };
        let tag = self.tag(tag, by_default)?;
        Ok(self.post(frame, part, Act::Receive { from, tag }, (group, extent), span))
    }

    fn peer(&mut self, value: Option<&Value>) -> Result<Option<Peer>, Stop> {
        let Some(value) = value else { return Err(Stop::Undecided) };
        if matches!(value, Value::Path(path) if &**path == "nobody") {
            return Ok(None);
        }
        if let Some(number) = self.number(value) {
            return Ok(Some(Peer::Rank(number)));
        }
        let Value::Unknown(term) = value else { return Err(Stop::Undecided) };
        self.script.unknown_peers = true;
        Ok(Some(Peer::Unknown(*term)))
    }

    fn tag(&mut self, value: Option<&Value>, by_default: Option<i64>) -> Result<Option<i64>, Stop> {
        match value {
            None | Some(Value::Constant(Constant::None)) => Ok(by_default),
            Some(Value::Path(path)) if &**path == "any" => Ok(None),
            Some(value) => match self.number(value) {
                Some(number) => Ok(Some(number)),
                None => match value {
                    Value::Unknown(term) if !self.terms.nature(*term).varies => {
                        Ok(Some(i64::from(term.0) + 1_000_000))
                    }
                    _ => Err(Stop::Undecided),
                },
            },
        }
    }

    fn collective(
        &mut self,
        frame: &Frame,
        part: &Part,
        (root, buffer): (Option<&Value>, Option<&Value>),
        (group, extent): (&Group, Option<Extent>),
        span: Span,
    ) -> Result<Vec<usize>, Stop> {
        let root = match root {
            None | Some(Value::Constant(Constant::None)) => 0,
            Some(value) => self.number(value).unwrap_or(0),
        };
        let root = usize::try_from(root).map_err(|_| Stop::Undecided)?;
        let Some(name) = part.collective else { return Err(Stop::Undecided) };
        if let Some(buffer) = buffer {
            self.made_alike(buffer);
        }
        Ok(self.collective_post(frame, part, collective(name, root), (group, extent, buffer), span))
    }

    fn collective_post(
        &mut self,
        frame: &Frame,
        part: &Part,
        kind: Collective,
        (group, extent, buffer): (&Group, Option<Extent>, Option<&Value>),
        span: Span,
    ) -> Vec<usize> {
        let posts = self.post(frame, part, Act::Collective(kind), (group, extent), span);
        let element = buffer.and_then(|it| match it {
            Value::Unknown(term) | Value::Tensor { term, .. } => self.born.get(term).copied(),
            Value::Container(container) => self.born.get(&container.borrow().term).copied(),
            _ => None,
        });
        if let Some(Line::Post(post)) = posts.first().and_then(|at| self.script.lines.get_mut(*at)) {
            post.element = element;
        }
        posts
    }

    /// What a collective has worked on is the same on all ranks.
    fn made_alike(&mut self, buffer: &Value) {
        let mut term = match buffer {
            Value::Unknown(term) | Value::Tensor { term, .. } => *term,
            Value::Container(container) => container.borrow().term,
            _ => return,
        };
        self.synced.insert(term);
        while let super::value::Shape::Apply(operator, atoms) = self.terms.shape(term)
            && let ("[]" | "[:]", Some(super::value::Atom::Term(of))) = (&**operator, atoms.first())
        {
            term = *of;
            self.synced.insert(term);
        }
    }

    fn post(
        &mut self,
        frame: &Frame,
        part: &Part,
        act: Act,
        (group, extent): (&Group, Option<Extent>),
        span: Span,
    ) -> Vec<usize> {
        match group {
            Group::World => self.world = true,
            Group::Unknown(term) => drop(self.groups.insert(*term)),
            Group::Some(_) => {}
        }
        if self.manner == Following::Skimmed {
            return Vec::new();
        }
        let api = part.name.rsplit('.').next().unwrap_or(&part.name).into();
        let site = self.site(frame, span);
        let post = Post { act, group: group.clone(), extent, element: None, api, blocking: false, site };
        self.script.lines.push(Line::Post(post));
        vec![self.script.lines.len() - 1]
    }

    pub(super) fn wait(&mut self, frame: &Frame, posts: Rc<[usize]>, any: bool, span: Span) {
        if posts.is_empty() || self.manner == Following::Skimmed {
            return;
        }
        let site = self.site(frame, span);
        self.script.lines.push(Line::Wait { posts, any, site });
    }

    /// The operations in flight that a value holds.
    pub(super) fn handles_in(&self, value: &Value) -> Vec<usize> {
        match value {
            Value::Handle { posts, .. } => posts.to_vec(),
            Value::Container(container) => {
                container.borrow().items.iter().flat_map(|(_, it)| self.handles_in(it)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn batch(
        &mut self,
        frame: &Frame,
        part: &Part,
        arguments: &Arguments,
        span: Span,
    ) -> Result<Value, Stop> {
        let Some(Value::Container(operations)) = arguments.positional.first().cloned() else {
            return Err(Stop::Undecided);
        };
        if operations.borrow().open {
            return Err(Stop::Undecided);
        }
        let site = self.site(frame, span);
        let class = part.api.and_then(|api| self.program.catalog.gives(api));
        let items: Vec<Value> = operations.borrow().items.iter().map(|(_, it)| it.clone()).collect();
        let mut handles = Vec::new();
        for item in items {
            let Value::Built(built) = item else { return Err(Stop::Undecided) };
            self.unlaunched -= 1;
            let Some(peer) = self.peer(Some(&built.peer))? else { continue };
            let tag = self.tag(Some(&built.tag), Some(0))?;
            let (act, api) = match built.sends {
                true => (Act::Send { to: peer, tag, manner: Manner::Standard }, "isend"),
                false => (Act::Receive { from: peer, tag }, "irecv"),
            };
            let part = Part { name: api.to_owned(), ..blank() };
            let posts = self.post(frame, &part, act, (&built.group, built.extent), span);
            handles.push((None, Value::Handle { posts: posts.into(), class }));
        }
        Ok(self.container(ContainerKind::List, handles, false, &site))
    }

    /// A new group: all ranks of the old one take part in making it.
    fn make_group(
        &mut self,
        frame: &Frame,
        part: &Part,
        arguments: &Arguments,
        (group, span): (Group, Span),
    ) -> Result<Value, Stop> {
        let alone = arguments
            .named
            .iter()
            .any(|(name, value)| name == "use_local_synchronization" && self.truth(value) != Some(false));
        if !alone {
            let posts = self.collective_post(frame, part, Collective::Barrier, (&group, None, None), span);
            self.ended(frame, (Style::Blocking, span), posts)?;
        }
        let members = part.members.as_deref().and_then(|key| arguments.get(&part.parameters, key));
        if let Some(members) = &members
            && matches!(members, Value::Constant(Constant::None))
        {
            return Ok(Value::Group(Group::World));
        }
        let known = match &members {
            Some(Value::Container(members)) if !members.borrow().open => {
                let ranks = members.borrow();
                let ranks: Option<Vec<usize>> = ranks
                    .items
                    .iter()
                    .map(|(_, it)| self.number(it).and_then(|it| usize::try_from(it).ok()))
                    .collect();
                ranks.filter(|ranks| ranks.iter().all(|it| *it < self.size))
            }
            _ => None,
        };
        let site = self.site(frame, span);
        match known {
            Some(members) => Ok(Value::Group(Group::Some(members.into()))),
            None => {
                let Value::Unknown(term) =
                    self.result(&site, Nature { name: "comm".into(), ..Nature::default() })
                else {
                    return Err(Stop::Undecided);
                };
                Ok(Value::Group(Group::Unknown(term)))
            }
        }
    }

    fn array(&mut self, part: &Part, arguments: &Arguments, site: &Rc<super::value::Site>) -> Value {
        let size = match arguments.positional.first() {
            Some(Value::Container(shape)) if !shape.borrow().open => {
                let shape = shape.borrow();
                shape.items.iter().map(|(_, it)| self.number(it)).product::<Option<i64>>()
            }
            Some(_) => self.sizes(part, arguments),
            None => None,
        };
        let value = self.result(site, Nature { quiet: true, ..Nature::default() });
        let element = match arguments.named.iter().find(|(name, _)| name == "dtype") {
            None => Some(if part.from.contains("numpy") { Element::F64 } else { Element::F32 }),
            Some((_, Value::Path(path))) => element(path.rsplit('.').next().unwrap_or_default()),
            Some(_) => None,
        };
        match (size.and_then(|it| u64::try_from(it).ok()), element, value) {
            (Some(elements), Some(element), Value::Unknown(term)) => {
                Value::Tensor { extent: Extent { elements, element }, term }
            }
            (_, _, value) => value,
        }
    }

    /// The product of sizes that are given one by one; `full` has its size first.
    fn sizes(&self, part: &Part, arguments: &Arguments) -> Option<i64> {
        let spread = part.parameters.iter().any(|it| it == "*size");
        let count = if spread { arguments.positional.len() } else { 1 };
        arguments.positional.iter().take(count).map(|it| self.number(it)).product()
    }
}

fn blank() -> Part {
    Part {
        name: String::new(),
        plays: Plays::Send,
        parameters: Vec::new(),
        peer: None,
        tag: None,
        group: None,
        buffer: None,
        source: None,
        source_tag: None,
        members: None,
        collective: None,
        from: String::new(),
        api: None,
    }
}

fn extent(value: &Value) -> Option<Extent> {
    match value {
        Value::Tensor { extent, .. } => Some(*extent),
        _ => None,
    }
}

fn element(name: &str) -> Option<Element> {
    Some(match name {
        "float32" | "float" => Element::F32,
        "float64" | "double" => Element::F64,
        "int8" => Element::I8,
        "int16" | "short" => Element::I16,
        "int32" | "int" => Element::I32,
        "int64" | "long" => Element::I64,
        "uint8" => Element::U8,
        "bool" => Element::Bool,
        _ => return None,
    })
}

fn collective(name: CollectiveName, root: usize) -> Collective {
    let by = Reduction::Sum;
    match name {
        CollectiveName::Barrier => Collective::Barrier,
        CollectiveName::Broadcast => Collective::Broadcast { root },
        CollectiveName::Reduce => Collective::Reduce { root, by },
        CollectiveName::AllReduce => Collective::AllReduce { by },
        CollectiveName::Gather => Collective::Gather { root },
        CollectiveName::AllGather => Collective::AllGather,
        CollectiveName::Scatter => Collective::Scatter { root },
        CollectiveName::ReduceScatter => Collective::ReduceScatter { by },
        CollectiveName::AllToAll => Collective::AllToAll,
    }
}
