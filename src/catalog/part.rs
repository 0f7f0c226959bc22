//! The parts that functions play between ranks: who sends, who receives, who takes part, and which values say which rank
//! this is.
//!
//! ```toml
//! [[part]]
//! name = "send"
//! plays = "send"
//! peer = "dst"
//! tag = "tag"
//! group = "group"
//! buffer = "tensor"
//! ```
//!
//! says of `torch.distributed.send(tensor, dst, …)` that it sends a message to rank `dst`. Whether a call blocks, and what
//! its parameters are, is said by the function of the same name, where there is one.

use std::collections::{BTreeSet, HashMap};

use aho_corasick::AhoCorasick;
use serde::Deserialize;

use super::load::Type;
use super::{ApiId, Catalog, TypeId};

/// The part of a function, attribute or value.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Part {
    /// The function, method, attribute or value.
    pub name: String,
    /// What it does.
    pub plays: Plays,
    /// The parameters in order, where no function of the catalogue has this name.
    #[serde(default)]
    pub parameters: Vec<String>,
    /// The argument that names the other rank, or the root of a collective.
    #[serde(default)]
    pub peer: Option<String>,
    /// The argument that is the tag.
    #[serde(default)]
    pub tag: Option<String>,
    /// The argument that is the group, `self` for the receiver.
    #[serde(default)]
    pub group: Option<String>,
    /// The argument that is the buffer.
    #[serde(default)]
    pub buffer: Option<String>,
    /// For an exchange: the argument that names the rank it receives from.
    #[serde(default)]
    pub source: Option<String>,
    /// For an exchange: the argument that is the tag of what it receives.
    #[serde(default)]
    pub source_tag: Option<String>,
    /// For a group: the argument that lists its members.
    #[serde(default)]
    pub members: Option<String>,
    /// Which collective it is.
    #[serde(default)]
    pub collective: Option<CollectiveName>,
    /// Where the facts come from.
    #[serde(default)]
    pub from: String,
    /// The function of this name, which knows whether it blocks.
    #[serde(skip)]
    pub api: Option<ApiId>,
}

/// What a function, attribute or value does between ranks.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Plays {
    /// Sends a message.
    Send,
    /// Sends a message, and is complete only when the receiver takes it.
    SynchronousSend,
    /// Sends a message that is copied at once.
    BufferedSend,
    /// Receives a message.
    Receive,
    /// Sends and receives at once.
    Exchange,
    /// Takes part in a collective.
    Collective,
    /// Builds an operation for a batch.
    Operation,
    /// Starts a batch.
    Batch,
    /// Makes a group of some ranks; all ranks take part.
    Group,
    /// Divides a group; all its ranks take part.
    Split,
    /// Is the number of this rank.
    Rank,
    /// Is how many ranks there are.
    Size,
    /// Is the group of all ranks.
    World,
    /// Stands for any rank, or any tag.
    Any,
    /// Stands for no rank: a message to it is none.
    Nobody,
    /// Is true wherever there are several ranks.
    True,
    /// Gives back one of its arguments, the `peer`: a rank under another number.
    Same,
    /// Makes a buffer: the `buffer` argument is its size, the `tag` argument the type of its elements.
    Array,
    /// Never communicates: everything in a module.
    Quiet,
    /// May communicate: everything else in a module.
    Loud,
    /// Communicates in a way that is not followed.
    Unfollowed,
}

/// A collective, by what its ranks bring and get.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum CollectiveName {
    Barrier,
    Broadcast,
    Reduce,
    AllReduce,
    Gather,
    AllGather,
    Scatter,
    ReduceScatter,
    AllToAll,
}

impl Plays {
    /// Whether other ranks see it.
    pub fn is_seen(self) -> bool {
        match self {
            Self::Send
            | Self::SynchronousSend
            | Self::BufferedSend
            | Self::Receive
            | Self::Exchange
            | Self::Collective
            | Self::Operation
            | Self::Batch
            | Self::Group
            | Self::Split
            | Self::Unfollowed => true,
            Self::Rank
            | Self::Size
            | Self::World
            | Self::Any
            | Self::Nobody
            | Self::True
            | Self::Same
            | Self::Array
            | Self::Quiet
            | Self::Loud => false,
        }
    }
}

/// Words that say that a file may have ranks which depend on each other.
#[derive(Debug, Default)]
struct Signs {
    /// A module of a library whose functions play parts.
    modules: Vec<String>,
    /// The beginnings of calls that other ranks see: `send(`.
    calls: Option<AhoCorasick>,
}

/// All parts of a language, by their paths.
#[derive(Debug, Default)]
pub(super) struct Parts {
    list: Vec<Part>,
    signs: Signs,
    paths: HashMap<String, usize>,
    methods: HashMap<(TypeId, String), usize>,
    named: HashMap<String, Vec<(TypeId, usize)>>,
}

impl Parts {
    /// Enters a part under its paths, and under its class if it is one of a class.
    pub(super) fn enter(&mut self, part: Part, paths: Vec<String>, class: Option<TypeId>) {
        let index = self.list.len();
        self.paths.extend(paths.into_iter().map(|path| (path, index)));
        if let (Some(class), Some((_, name))) = (class, part.name.rsplit_once('.')) {
            self.methods.insert((class, name.to_owned()), index);
            self.named.entry(name.to_owned()).or_default().push((class, index));
        }
        self.list.push(part);
    }
}

impl Parts {
    /// Prepares the search for files that are worth looking at, once all parts are entered.
    pub(super) fn prepare(&mut self, modules: Vec<String>) {
        let seen = self.list.iter().filter(|part| part.plays.is_seen());
        let calls: BTreeSet<String> =
            seen.map(|part| format!("{}(", part.name.rsplit('.').next().unwrap_or(&part.name))).collect();
        self.signs = Signs { modules, calls: AhoCorasick::new(calls).ok() };
    }
}

impl Catalog {
    /// Whether a file with this text may have ranks that depend on each other: it names a library of which ranks see
    /// something, and calls something that they see.
    pub fn may_diverge(&self, bytes: &[u8]) -> bool {
        let signs = &self.parts.signs;
        let named =
            signs.modules.iter().any(|module| memchr::memmem::find(bytes, module.as_bytes()).is_some());
        named && signs.calls.as_ref().is_some_and(|calls| calls.is_match(bytes))
    }

    /// The part of what stands at an absolute dotted path.
    pub fn part(&self, path: &str) -> Option<&Part> {
        let index = self.resolve(path, |path| {
            let exact = self.parts.paths.get(path).copied();
            exact.or_else(|| {
                let (class, name) = path.rsplit_once('.')?;
                self.part_index(*self.type_paths.get(class)?, name)
            })
        })?;
        self.parts.list.get(index)
    }

    /// The part of a method or attribute of a class or of one that it extends.
    pub fn part_of(&self, class: TypeId, name: &str) -> Option<&Part> {
        self.parts.list.get(self.part_index(class, name)?)
    }

    /// The part of a method or attribute where nothing is known of the receiver but its name and what the file imports.
    pub fn guess_part(&self, name: &str, receiver: &str, imports: &BTreeSet<String>) -> Option<&Part> {
        let likely = |class: TypeId| {
            let ty = &self.types[class.0 as usize];
            self.is_called(class, receiver) && self.libraries[ty.library].is_imported(imports)
        };
        let mut candidates = self.parts.named.get(name)?.iter().filter(|(class, _)| likely(*class));
        self.parts.list.get(candidates.next()?.1)
    }

    /// The last names of everything that plays a part.
    pub fn part_names(&self) -> impl Iterator<Item = (&str, Plays)> {
        self.parts.list.iter().map(|it| (it.name.rsplit('.').next().unwrap_or(&it.name), it.plays))
    }

    fn part_index(&self, class: TypeId, name: &str) -> Option<usize> {
        let mut at = Some(class);
        while let Some(class) = at {
            if let Some(index) = self.parts.methods.get(&(class, name.to_owned())) {
                return Some(*index);
            }
            at = self.types.get(class.0 as usize).and_then(|ty: &Type| ty.extends);
        }
        None
    }
}
