//! What is remembered of nodes: which of them need no analysis, because neither they nor what they import has changed.
//!
//! The **closure** of a node is a hash of its own content and of that of every node that it imports, directly or not. A
//! remembered node whose closure is that of before is not analysed, unless a stale node imports it: exports are not
//! remembered.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Linking;
use crate::project::cache::{Cache, hash};
use crate::project::pool;
use crate::project::survey::{self, Surveyed};

impl Linking<'_, '_> {
    /// Makes nodes to be analysed of the remembered ones that have to be.
    pub(super) fn wake(&mut self) {
        let closures = self.closures();
        let mut stack: Vec<usize> = (0..self.members.len())
            .filter(|&number| match &self.members[number].state {
                Surveyed::Remembered(stored) => Some(&stored.closure()) != closures.get(&number),
                Surveyed::Node(_) => true,
                Surveyed::Unread | Surveyed::Idle(_) | Surveyed::Failed(_) => false,
            })
            .collect();
        let mut awake: BTreeSet<usize> = BTreeSet::new();
        while let Some(number) = stack.pop() {
            if awake.insert(number) {
                stack.extend(&self.members[number].imports);
            }
        }
        let asleep: Vec<usize> = awake
            .into_iter()
            .filter(|&number| matches!(self.members[number].state, Surveyed::Remembered(_)))
            .collect();
        let woken = pool::map(self.threads, &asleep, |&number| self.woken(number));
        for (&number, woken) in asleep.iter().zip(woken) {
            if let Ok(Some(state)) = woken {
                self.members[number].state = state;
            }
        }
    }

    fn woken(&self, number: usize) -> Option<Surveyed> {
        let task = self.tasks.get(number)?;
        let Surveyed::Remembered(stored) = &self.members.get(number)?.state else { return None };
        let bytes = std::fs::read(&task.file.path).ok()?;
        let remember = task.slot.clone().map(|slot| (slot, (**stored).clone()));
        Some(survey::node(task, bytes, remember, survey::extent_of(task, stored)))
    }

    /// The closures of all nodes.
    fn closures(&self) -> HashMap<usize, u64> {
        let mut closures: HashMap<usize, u64> = HashMap::new();
        for knot in self.layers().into_iter().flatten() {
            let own: Vec<(String, Option<u64>)> = knot
                .iter()
                .map(|&number| (self.linked.modules.name(number).dotted, self.content(number)))
                .collect();
            let imports = knot.iter().flat_map(|&number| &self.members[number].imports);
            let below: BTreeSet<u64> =
                imports.filter(|of| !knot.contains(of)).filter_map(|of| closures.get(of).copied()).collect();
            let closure = hash(&(own, below));
            closures.extend(knot.iter().map(|&number| (number, closure)));
        }
        closures
    }

    /// The hash of the content of a node.
    fn content(&self, number: usize) -> Option<u64> {
        match &self.members[number].state {
            Surveyed::Node(text) => text.remember.as_ref().and_then(|(_, stored)| stored.content()),
            Surveyed::Remembered(stored) => stored.content(),
            Surveyed::Unread | Surveyed::Idle(_) | Surveyed::Failed(_) => None,
        }
    }

    /// Completes what is to be remembered of the nodes that were analysed, and remembers the idle files.
    pub(super) fn complete_memories(&mut self, cache: &Cache) {
        let closures = self.closures();
        for number in 0..self.members.len() {
            let imports: Vec<String> = match &self.members[number].state {
                Surveyed::Node(text) => {
                    let known = |name: &&String| self.linked.imported(number, name).is_some();
                    text.imports.iter().filter(known).cloned().collect()
                }
                Surveyed::Idle(idle) => {
                    if let Some((slot, stored)) = &idle.remember {
                        cache.learn(slot, stored.clone());
                    }
                    continue;
                }
                Surveyed::Unread | Surveyed::Remembered(_) | Surveyed::Failed(_) => continue,
            };
            let exports = self.linked.exports[number].exports.clone();
            let matters: Vec<String> =
                exports.iter().flat_map(|exports| exports.matters().map(str::to_owned)).collect();
            let closure = closures.get(&number).copied().unwrap_or_default();
            if let Some(Ok(analysed)) = &mut self.members[number].analysed
                && let Some((_, stored)) = &mut analysed.remember
            {
                *stored = stored.linked(imports, matters, closure);
            }
        }
    }

    /// Reads the idle files that were not read, if names matter now of which nothing was known when they were read last.
    pub(super) fn read_unread(&mut self, wanted: &HashSet<u64>, cache: &Cache) {
        let known: HashSet<u64> = self
            .tasks
            .iter()
            .filter_map(|task| cache.stored(task))
            .flat_map(|stored| stored.wanted())
            .collect();
        if wanted.is_subset(&known) {
            return;
        }
        let unread: Vec<usize> = (0..self.members.len())
            .filter(|&number| matches!(self.members[number].state, Surveyed::Unread))
            .collect();
        let read = pool::map(self.threads, &unread, |&number| {
            let task = self.tasks.get(number)?;
            let bytes = std::fs::read(&task.file.path).ok()?;
            Some(survey::survey_bytes(task, bytes, None))
        });
        for (&number, read) in unread.iter().zip(read) {
            if let Ok(Some(Surveyed::Idle(idle))) = read {
                self.members[number].state = Surveyed::Idle(idle);
            }
        }
    }
}
