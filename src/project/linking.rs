//! Analyses the nodes of a run, each after the files that it imports.
//!
//! - The **exports** of a file are what it says to files that import it ([`crate::flow::Exports`]).
//! - The nodes and their imports are a graph. Those that import one another, directly or not, are a **knot**; between knots
//!   there is an order, and its **layers** are analysed one after the other, each in parallel.
//! - A node is **stale** if it was not analysed yet, or with other exports of what it imports than there are now. The nodes of
//!   a knot are analysed until none is stale, or [`ROUNDS`] times.
//! - A file that is idle **joins** when it imports a node and uses a name of it that matters; then there may be more to join.
//!
//! ```text
//! pkg/low.py     def start(x): return dist.isend(x, 1)           layer 0      contains the word
//! pkg/comm.py    def push(x): return start(x)                    layer 1      joins because of `start`
//! train.py       push(t)                                         layer 2      joins because of `push`: a handle is discarded
//! ```
//!
//! The result depends on neither the order of the files nor the number of threads: a layer sees what the layers below have
//! exported, and within a knot each round sees what the round before has.

mod recall;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use memchr::memmem;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::analysed::{Analysed, Applied, Stand, analysed};
use super::cache::{Cache, hash};
use super::check::Task;
use super::crash::Crash;
use super::modules::{Modules, last_names};
use super::pool;
use super::survey::{self, Surveyed, language_of};
use crate::flow::{Event, Exports, Extent, Tree};
use crate::source::{Language, SourceFile};

/// How often the nodes of a knot are analysed.
const ROUNDS: usize = 4;

/// The files of a run on their way through the analysis.
pub(crate) struct Linking<'t, 'f> {
    tasks: &'t [Task<'f>],
    threads: usize,
    pub(crate) members: Vec<Member>,
    pub(crate) linked: Linked<'t>,
}

/// One file.
pub(crate) struct Member {
    pub(crate) state: Surveyed,
    pub(crate) analysed: Option<Result<Box<Analysed>, Crash>>,
    /// Of the nodes that it imports, hashes of what it used of them when it was analysed last.
    seen: Option<Vec<u64>>,
    imports: Vec<usize>,
}

impl Member {
    fn is_node(&self) -> bool {
        matches!(self.state, Surveyed::Node(_) | Surveyed::Remembered(_))
    }
}

/// What the files of a run know of each other.
pub(crate) struct Linked<'t> {
    modules: &'t Modules,
    exports: Vec<Exported>,
    /// Which settings and language each file has: only files with the same ones know one another.
    kinds: Vec<(usize, Language)>,
}

/// What a file exports.
#[derive(Clone, Debug, Default)]
struct Exported {
    exports: Option<Arc<Exports>>,
    /// A hash of what it says of each name that matters.
    fingerprints: BTreeMap<String, u64>,
}

/// The modules around one file.
pub(crate) struct View<'v> {
    linked: &'v Linked<'v>,
    from: usize,
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("View").field("from", &self.from).finish_non_exhaustive()
    }
}

impl Tree for View<'_> {
    fn module(&self, name: &str) -> Option<Arc<Exports>> {
        let of = self.linked.modules.module(self.from, name)?;
        let is_known = of != self.from && self.linked.kinds.get(of) == self.linked.kinds.get(self.from);
        is_known.then(|| self.linked.exports.get(of)?.exports.clone()).flatten()
    }
}

impl<'t> Linked<'t> {
    /// Analyses the text of a file, as it stands in its tree.
    pub(crate) fn analyse(
        &self,
        number: usize,
        path: Option<&Path>,
        source: SourceFile,
        rules: Applied,
        extent: Extent,
        ranks: Option<Arc<[Event]>>,
    ) -> Analysed {
        let module = path.filter(|path| !crate::source::is_notebook(path)).map(|_| self.modules.name(number));
        let tree = View { linked: self, from: number };
        let stand = Stand { number, path, module: module.unwrap_or_default(), tree: &tree, extent, ranks };
        analysed(source, &stand, rules)
    }

    /// The node that an import of a file means.
    fn imported(&self, from: usize, dotted: &str) -> Option<usize> {
        let file = self.modules.module_in(from, dotted)?;
        (file != from && self.kinds.get(file) == self.kinds.get(from)).then_some(file)
    }
}

impl<'t, 'f> Linking<'t, 'f> {
    /// The files of a run after the survey.
    pub(crate) fn new(
        tasks: &'t [Task<'f>],
        modules: &'t Modules,
        surveyed: Vec<Surveyed>,
        threads: usize,
    ) -> Self {
        let kinds = tasks
            .iter()
            .map(|task| (Arc::as_ptr(&task.settings).cast::<u8>() as usize, language_of(&task.file.path)));
        let linked =
            Linked { modules, exports: vec![Exported::default(); tasks.len()], kinds: kinds.collect() };
        let members = surveyed
            .into_iter()
            .map(|state| Member { state, analysed: None, seen: None, imports: Vec::new() })
            .collect();
        Self { tasks, threads, members, linked }
    }

    /// Analyses whatever has to be.
    pub(crate) fn analyse(&mut self, cache: &Cache) {
        loop {
            self.find_imports();
            self.wake();
            for layer in self.layers() {
                let new: Vec<usize> = layer.concat().into_iter().filter(|&node| self.is_new(node)).collect();
                self.analyse_all(&new);
            }
            if !self.join(cache) {
                break;
            }
        }
        for layer in self.layers() {
            self.settle_layer(&layer);
        }
        self.complete_memories(cache);
    }

    /// Finds out which nodes each node imports.
    fn find_imports(&mut self) {
        for number in 0..self.members.len() {
            let imports: Vec<usize> = match &self.members[number].state {
                Surveyed::Node(text) => self.nodes_among(number, text.imports.iter()),
                Surveyed::Remembered(stored) => self.nodes_among(number, stored.imports()),
                Surveyed::Unread | Surveyed::Idle(_) | Surveyed::Failed(_) => continue,
            };
            self.members[number].imports = imports;
        }
    }

    fn nodes_among<'d>(&self, from: usize, imports: impl Iterator<Item = &'d String>) -> Vec<usize> {
        let nodes = imports.filter_map(|name| self.linked.imported(from, name));
        let nodes: BTreeSet<usize> =
            nodes.filter(|&file| self.members.get(file).is_some_and(Member::is_node)).collect();
        nodes.into_iter().collect()
    }

    /// The knots of the graph of imports, in layers: those that are imported come first.
    fn layers(&self) -> Vec<Vec<Vec<usize>>> {
        let mut graph = DiGraph::<usize, ()>::new();
        let mut places: HashMap<usize, NodeIndex> = HashMap::new();
        for (number, _) in self.members.iter().enumerate().filter(|(_, member)| member.is_node()) {
            places.insert(number, graph.add_node(number));
        }
        for (number, member) in self.members.iter().enumerate() {
            let Some(&from) = places.get(&number) else { continue };
            for to in member.imports.iter().filter_map(|of| places.get(of)) {
                graph.add_edge(from, *to, ());
            }
        }
        let mut layer_of: HashMap<usize, usize> = HashMap::new();
        let mut layers: Vec<Vec<Vec<usize>>> = Vec::new();
        for knot in kosaraju_scc(&graph) {
            let mut knot: Vec<usize> =
                knot.into_iter().filter_map(|at| graph.node_weight(at).copied()).collect();
            knot.sort_unstable();
            let imports = knot.iter().flat_map(|&number| &self.members[number].imports);
            let below = imports.filter_map(|of| layer_of.get(of)).max();
            let layer = below.map_or(0, |below| below + 1);
            knot.iter().for_each(|&number| {
                layer_of.insert(number, layer);
            });
            if layers.len() <= layer {
                layers.resize(layer + 1, Vec::new());
            }
            layers[layer].push(knot);
        }
        layers
    }

    /// Analyses the nodes of a layer until none of them is stale.
    fn settle_layer(&mut self, knots: &[Vec<usize>]) {
        for round in 0..ROUNDS {
            let is_open = |knot: &&Vec<usize>| round == 0 || knot.len() > 1;
            let members = knots.iter().filter(is_open).flatten().copied();
            let stale: Vec<usize> = members.filter(|&number| self.is_stale(number)).collect();
            if stale.is_empty() {
                return;
            }
            self.analyse_all(&stale);
        }
    }

    fn analyse_all(&mut self, numbers: &[usize]) {
        let results = pool::map(self.threads, numbers, |&number| self.analyse_one(number));
        let seen: Vec<_> = numbers.iter().map(|&number| self.used(number)).collect();
        for ((&number, result), seen) in numbers.iter().zip(results).zip(seen) {
            let exports = match &result {
                Ok(Some(analysed)) => Some(Arc::clone(&analysed.analysis.exports)),
                Ok(None) | Err(_) => None,
            };
            let fingerprints = exports.as_deref().map(Exports::fingerprints).unwrap_or_default();
            self.linked.exports[number] = Exported { exports, fingerprints };
            let member = &mut self.members[number];
            member.seen = seen;
            member.analysed = match result {
                Ok(analysed) => analysed.map(Ok),
                Err(crash) => Some(Err(crash)),
            };
        }
    }

    fn analyse_one(&self, number: usize) -> Option<Box<Analysed>> {
        let task = self.tasks.get(number)?;
        let Surveyed::Node(text) = &self.members.get(number)?.state else { return None };
        let path = task.path_of_file();
        // What happens between ranks is looked at once.
        let before = self.members[number].analysed.as_ref().and_then(|analysed| analysed.as_ref().ok());
        let ranks = before.map(|analysed| Arc::clone(&analysed.ranks));
        let (source, rules) = (text.source.clone(), Applied::of(task));
        let mut analysed = self.linked.analyse(number, path, source, rules, text.extent, ranks);
        analysed.remember = text.remember.clone();
        Some(Box::new(analysed))
    }

    fn is_new(&self, number: usize) -> bool {
        let member = &self.members[number];
        member.seen.is_none() && matches!(member.state, Surveyed::Node(_))
    }

    /// Whether a node was not analysed, or without what it uses of what is exported now.
    fn is_stale(&self, number: usize) -> bool {
        let used = self.used(number);
        used.is_some() && self.members[number].seen != used
    }

    /// Hashes of what a node uses of each node that it imports.
    fn used(&self, number: usize) -> Option<Vec<u64>> {
        let member = &self.members[number];
        let Surveyed::Node(text) = &member.state else { return None };
        let text = text.source.text.as_bytes();
        let of_import = |&of: &usize| {
            let fingerprints = self.linked.exports[of].fingerprints.iter();
            let used = fingerprints.filter(|(name, _)| memmem::find(text, name.as_bytes()).is_some());
            hash(&used.collect::<Vec<_>>())
        };
        Some(member.imports.iter().map(of_import).collect())
    }

    /// Whether a text contains a name that matters of what a file exports.
    fn mentions(&self, text: &[u8], of: usize) -> bool {
        let contains = |name: &str| memmem::find(text, name.as_bytes()).is_some();
        if let Surveyed::Remembered(stored) = &self.members[of].state {
            return stored.matters().any(contains);
        }
        let exports = self.linked.exports[of].exports.as_deref();
        exports.is_some_and(|exports| exports.matters().any(contains))
    }

    /// Makes nodes of the files that use what nodes export. Whether there were any.
    fn join(&mut self, cache: &Cache) -> bool {
        let wanted = self.wanted_names();
        if wanted.is_empty() {
            return false;
        }
        self.read_unread(&wanted, cache);
        let candidates: Vec<usize> = (0..self.members.len())
            .filter(|&number| match &self.members[number].state {
                Surveyed::Idle(idle) => idle.names.iter().any(|name| wanted.contains(name)),
                Surveyed::Unread => false,
                Surveyed::Node(_) | Surveyed::Remembered(_) | Surveyed::Failed(_) => false,
            })
            .collect();
        let joining = pool::map(self.threads, &candidates, |&number| self.joining(number));
        let mut is_any = false;
        for (&number, joining) in candidates.iter().zip(joining) {
            if let Ok(Some(state)) = joining {
                self.members[number].state = state;
                is_any = true;
            }
        }
        is_any
    }

    /// Hashes of the names that matter, and of the last names of their modules.
    fn wanted_names(&self) -> HashSet<u64> {
        let mut wanted = HashSet::new();
        for (number, exported) in self.linked.exports.iter().enumerate() {
            let Some(exports) = exported.exports.as_deref().filter(|exports| !exports.is_idle()) else {
                continue;
            };
            wanted.extend(exports.matters().map(hash));
            let name = self.linked.modules.name(number).dotted;
            wanted.extend(last_names(std::iter::once(name.as_str())));
        }
        for member in &self.members {
            if let Surveyed::Remembered(stored) = &member.state {
                wanted.extend(stored.wanted());
            }
        }
        wanted
    }

    /// An idle file as a node, if it imports one and uses a name of it that matters.
    fn joining(&self, number: usize) -> Option<Surveyed> {
        let task = self.tasks.get(number)?;
        let Surveyed::Idle(idle) = &self.members.get(number)?.state else { return None };
        let bytes = std::fs::read(&task.file.path).ok()?;
        let module = self.linked.modules.name(number);
        let imports = survey::imports(task, &bytes, &module);
        let imported = self.nodes_among(number, imports.iter());
        if !imported.iter().any(|&of| self.mentions(&bytes, of)) {
            return None;
        }
        let remember = idle.remember.clone().map(|(slot, stored)| (slot, stored.joined()));
        Some(survey::node(task, bytes, remember, Extent::Users))
    }
}
