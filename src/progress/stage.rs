//! The stage: scripts of some ranks, played through the fabric of the companion runtime.
//!
//! The fabric matches, moves and decides; this only hands it line after line and says which line of which rank the verdict
//! is about.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::script::{Act, Line, Manner, Peer, Post, Script};
use super::value::{Extent, Group};
use crate::runtime::verdict::{HarmKind, Outcome, Verdict};
use crate::runtime::{
    Effect, Element, Fabric, GroupId, Handle, Place, Posting, Settings, Start, Step, Style, Wait, Which,
};

/// A line of a rank's script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct At {
    pub(super) rank: usize,
    pub(super) line: usize,
}

/// How a play ends.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// Every rank comes to its end.
    Completes,
    /// Nobody can go on.
    Hangs { stuck: Vec<Stuck>, cycle: Vec<usize> },
    /// Two sides do not fit together.
    Clash { taken: At, kind: Misfit },
    /// The scripts ask for what no library does.
    Invalid,
}

/// A rank that cannot go on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stuck {
    /// The wait.
    pub(super) at: At,
    /// What it waits for.
    pub(super) post: At,
}

/// How two sides do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// The message is larger than the buffer.
    TooLarge,
    /// The message is smaller than the buffer.
    TooSmall,
    /// The elements are of another type.
    OtherType,
    /// The parts of a collective differ.
    Collective,
}

/// Groups of which nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// What happens in them is left out.
    LeftOut,
    /// All ranks are members, and a device works them off in one order.
    InOneOrder,
}

/// Plays scripts, one a rank.
pub(super) fn play(scripts: &[&Script], unknown: Unknown) -> End {
    let mut stage = Stage {
        fabric: Fabric::new(scripts.len(), Settings::default()),
        scripts,
        unknown,
        next: vec![0; scripts.len()],
        going: vec![true; scripts.len()],
        handles: HashMap::new(),
        lines: HashMap::new(),
        waited: BTreeSet::new(),
        waits: vec![None; scripts.len()],
    };
    match stage.run() {
        Some(()) => stage.end(),
        None => End::Invalid,
    }
}

struct Stage<'s> {
    fabric: Fabric,
    scripts: &'s [&'s Script],
    unknown: Unknown,
    next: Vec<usize>,
    going: Vec<bool>,
    handles: HashMap<At, Handle>,
    lines: HashMap<Handle, At>,
    waited: BTreeSet<At>,
    /// The wait that each rank is in.
    waits: Vec<Option<usize>>,
}

impl Stage<'_> {
    fn run(&mut self) -> Option<()> {
        loop {
            for rank in 0..self.scripts.len() {
                while self.going[rank] {
                    self.advance(rank)?;
                    self.resume();
                }
            }
            match self.fabric.step(None) {
                Step::Ended => return Some(()),
                Step::Moved | Step::CallsFirst => self.resume(),
            }
        }
    }

    fn resume(&mut self) {
        for effect in self.fabric.take_effects() {
            if let Effect::Resume { rank, .. } = effect {
                self.going[rank] = true;
                self.waits[rank] = None;
            }
        }
    }

    /// Serves the next line of a rank; `None` if no library would.
    fn advance(&mut self, rank: usize) -> Option<()> {
        let line = self.next[rank];
        self.next[rank] = (line + 1).min(self.scripts[rank].lines.len());
        let at = At { rank, line };
        let scripts = self.scripts;
        match scripts[rank].lines.get(line) {
            // What nobody has waited for ends with the rank; that is the matter of other rules.
            None => {
                let posts: Vec<usize> = scripts[rank].posts().map(|(line, _)| line).collect();
                self.wait(at, &posts, Which::All);
                if self.going[rank] {
                    self.going[rank] = false;
                    self.fabric.leave(rank);
                }
            }
            Some(Line::Post(post)) => {
                if let Some(posting) = self.posting(rank, post)? {
                    let style = if post.blocking { Style::Blocking } else { Style::Asynchronous };
                    let handle = self.fabric.start(rank, posting, style, place(at)).ok()?;
                    self.handles.insert(at, handle);
                    self.lines.insert(handle, at);
                    if self.unknown == Unknown::InOneOrder && matches!(post.act, Act::Collective(_)) {
                        self.wait(at, &[line], Which::All);
                    }
                }
            }
            Some(Line::Wait { posts, any, .. }) => {
                let which = if *any { Which::Any } else { Which::All };
                self.wait(at, posts, which);
            }
        }
        Some(())
    }

    fn wait(&mut self, at: At, posts: &[usize], which: Which) {
        let rank = at.rank;
        let mut handles = Vec::new();
        for &line in posts {
            let post = At { rank, line };
            let Some(handle) = self.handles.get(&post) else { continue };
            let buffered = match self.scripts[rank].lines.get(line) {
                Some(Line::Post(post)) => matches!(post.act, Act::Send { manner: Manner::Buffered, .. }),
                _ => false,
            };
            if !buffered && (which == Which::Any || self.waited.insert(post)) {
                handles.push(*handle);
            }
        }
        if handles.is_empty() {
            return;
        }
        self.going[rank] = false;
        self.waits[rank] = Some(at.line);
        self.fabric.wait(rank, Wait { handles, which, limit: None }, place(at));
    }

    /// What is told to the fabric: nothing for ranks outside the group; `None` where it cannot be told.
    fn posting(&mut self, rank: usize, post: &Post) -> Option<Option<Posting>> {
        let size = self.scripts.len();
        let group = match (&post.group, self.unknown) {
            (Group::World, _) => GroupId::WORLD,
            (Group::Some(members), _) => {
                if !members.contains(&rank) {
                    return Some(None);
                }
                self.fabric.group("", members)
            }
            (Group::Unknown(_), Unknown::LeftOut) => return Some(None),
            (Group::Unknown(term), Unknown::InOneOrder) => {
                let all: Vec<usize> = (0..size).collect();
                self.fabric.group(&format!("group {}", term.0), &all)
            }
        };
        let rank_of = |peer: Peer| match peer {
            Peer::Rank(number) => usize::try_from(number).ok().filter(|it| *it < size).map(Some),
            Peer::Any => Some(None),
            Peer::Unknown(_) => (size == 2).then_some(Some(1 - rank)),
        };
        let start = match &post.act {
            Act::Send { to, tag, manner } => Start::Send {
                to: rank_of(*to)??,
                tag: tag.unwrap_or(0),
                synchronous: *manner == Manner::Synchronous,
            },
            Act::Receive { from, tag } => Start::Receive { from: rank_of(*from)?, tag: *tag },
            Act::Collective(kind) => Start::Collective(*kind),
        };
        let (bytes, element) = size_of(post);
        Some(Some(Posting { start, group, bytes, element, api: Arc::from(&*post.api) }))
    }

    fn end(&self) -> End {
        let Some(verdict) = self.fabric.verdict() else { return End::Invalid };
        if !verdict.choices.is_empty() && verdict.outcome != Outcome::Completes {
            return End::Invalid;
        }
        match verdict.outcome {
            // All that is waited for has come; what a buffered send has left behind was copied.
            Outcome::Completes | Outcome::PendingAtExit => End::Completes,
            Outcome::Hangs => self.hang(verdict),
            Outcome::Fails => self.failure(verdict),
            Outcome::WrongData => self.harm(verdict),
            Outcome::Unfinished | Outcome::PollsForever | Outcome::Slow => End::Invalid,
        }
    }

    fn hang(&self, verdict: &Verdict) -> End {
        let mut stuck = Vec::new();
        for blocked in &verdict.blocked {
            let (Some(wait), Some(post)) = (self.waits[blocked.rank], at(&blocked.started)) else {
                return End::Invalid;
            };
            stuck.push(Stuck { at: At { rank: blocked.rank, line: wait }, post });
        }
        End::Hangs { stuck, cycle: verdict.cycle.clone() }
    }

    fn failure(&self, verdict: &Verdict) -> End {
        let Some(taken) = verdict.failures.first().and_then(|it| it.place.as_ref()).and_then(at) else {
            return End::Invalid;
        };
        let kind = match self.scripts[taken.rank].lines.get(taken.line) {
            Some(Line::Post(post)) if matches!(post.act, Act::Collective(_)) => Misfit::Collective,
            _ => Misfit::TooLarge,
        };
        End::Clash { taken, kind }
    }

    fn harm(&self, verdict: &Verdict) -> End {
        let Some(harm) = verdict.harms.first() else { return End::Invalid };
        let kind = match harm.kind {
            HarmKind::Short => Misfit::TooSmall,
            HarmKind::Reinterpreted => Misfit::OtherType,
            _ => return End::Invalid,
        };
        at(&harm.started).map_or(End::Invalid, |taken| End::Clash { taken, kind })
    }
}

/// The bytes of a post. Elements of an iteration in no certain order have sizes of their own.
fn size_of(post: &Post) -> (Option<u64>, Element) {
    match (post.element, post.extent) {
        (Some(element), _) => (Some(1 << 40 | element), Element::Bytes),
        (None, Some(Extent { elements, element })) => (Some(elements * width(element)), element),
        (None, None) => (None, Element::Bytes),
    }
}

fn width(element: Element) -> u64 {
    match element {
        Element::I8 | Element::U8 | Element::Bool | Element::Bytes => 1,
        Element::I16 | Element::U16 => 2,
        Element::F32 | Element::I32 | Element::U32 => 4,
        Element::F64 | Element::I64 | Element::U64 => 8,
    }
}

/// Lines of ranks as places of a program.
const RANKS: u32 = 1 << 24;

fn place(at: At) -> Place {
    Place::new("", at.rank as u32 * RANKS + at.line as u32 + 1)
}

fn at(place: &Place) -> Option<At> {
    let number = place.line.checked_sub(1)?;
    Some(At { rank: (number / RANKS) as usize, line: (number % RANKS) as usize })
}

/// The post at a line.
pub(super) fn post_at<'s>(scripts: &[&'s Script], at: At) -> Option<&'s Post> {
    match scripts.get(at.rank)?.lines.get(at.line)? {
        Line::Post(post) => Some(post),
        Line::Wait { .. } => None,
    }
}

/// The place of a line.
pub(super) fn site_at(scripts: &[&Script], at: At) -> Option<Rc<super::value::Site>> {
    match scripts.get(at.rank)?.lines.get(at.line)? {
        Line::Post(post) => Some(Rc::clone(&post.site)),
        Line::Wait { site, .. } => Some(Rc::clone(site)),
    }
}
