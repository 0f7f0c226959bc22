//! From the ends of plays to what is told of them.
//!
//! A play that hangs is told only if nothing else explains it:
//!
//! - a condition of which nothing is known may be another one on each rank; if a mixture of its ways completes, and one way
//!   alone does not, it is what tells the ranks apart;
//! - a call of which nothing is known may bring the other side, if not all ranks make it;
//! - a program for two ranks hangs with three: what completes with some number of ranks is right.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::choice::Choices;
use super::script::{Act, Peer, Post, Script, Turn};
use super::stage::{self, At, End, Misfit, Stuck, Unknown, post_at, site_at};
use super::value::{Group, Site};
use crate::flow::{Cause, Difference, LaneStep, Standstill, Unmatched, What};
use crate::ir::FunctionId;
use crate::source::Span;

/// One way through a function, with what each rank does on it.
pub(super) struct Way {
    pub(super) choices: Choices,
    pub(super) scripts: Vec<Script>,
    pub(super) end: End,
}

impl Way {
    fn scripts(&self) -> Vec<&Script> {
        self.scripts.iter().collect()
    }

    /// Whether it comes to its end, and something was exchanged.
    fn succeeds(&self) -> bool {
        matches!(self.end, End::Completes)
            && self.scripts.iter().any(|script| script.posts().next().is_some())
    }

    /// Whether ranks exchange messages, or may differ by their nature.
    pub(super) fn depends_on_ranks(&self) -> bool {
        let unordered = |script: &Script| script.turns.iter().any(|turn| turn.local.is_some());
        self.has_messages() || self.choices.has_local() || self.scripts.iter().any(unordered)
    }

    fn has_messages(&self) -> bool {
        self.posts().any(|post| !matches!(post.act, Act::Collective(_)))
    }

    fn posts(&self) -> impl Iterator<Item = &Post> {
        self.scripts.iter().flat_map(Script::posts).map(|(_, post)| post)
    }
}

/// What is told, and in which function.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) function: FunctionId,
    pub(super) what: What,
    /// The ranks that take part in a collective that others do not come to, and its name.
    pub(super) alone: Option<(BTreeSet<usize>, usize, String)>,
    /// A message without another side: whether it is sent.
    pub(super) lacks: Option<Lacking>,
}

/// The side of a message that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lacking {
    Receive,
    Send,
}

/// All ways of a function with some number of ranks.
pub(super) struct Study {
    pub(super) ways: Vec<Way>,
}

/// Judges the ways of a function, by the number of ranks.
pub(super) fn judge(studies: &[Study]) -> Vec<Told> {
    let mut told = Vec::new();
    for study in studies {
        for way in &study.ways {
            told.extend(judge_way(way, study, studies));
        }
    }
    told
}

fn judge_way(way: &Way, study: &Study, studies: &[Study]) -> Option<Told> {
    if way.choices.has_number() && study.ways.iter().any(|other| completes_too(way, other)) {
        return None;
    }
    match &way.end {
        End::Completes => another_order(way, study),
        End::Invalid => None,
        End::Clash { kind: Misfit::Collective, taken } => divergent_order(way, *taken),
        End::Hangs { stuck, .. } if stuck.iter().all(|it| is_collective(&way.scripts(), it.post)) => {
            divergent(way, stuck, (study, studies))
        }
        _ if !same_mysteries(way) => None,
        End::Clash { taken, kind } => {
            let excused = is_excused(way, study, studies);
            if excused { None } else { misfit(way, *taken, *kind) }
        }
        End::Hangs { stuck, cycle } => {
            if is_excused(way, study, studies) {
                return None;
            }
            cyclic(way, stuck, cycle).or_else(|| missing(way, stuck, studies))
        }
    }
}

/// Whether a way that differs in chosen numbers only comes to its end.
fn completes_too(way: &Way, other: &Way) -> bool {
    matches!(other.end, End::Completes) && way.choices.agree_in_truths(&other.choices)
}

/// Calls of which nothing is known are harmless where all ranks make them, as far as they come.
fn same_mysteries(way: &Way) -> bool {
    let mut all = (0..way.scripts.len()).map(|rank| mysteries(way, rank));
    let Some(first) = all.next() else { return true };
    all.all(|other| other == first)
}

/// The calls of which nothing is known that a rank comes to.
fn mysteries(way: &Way, rank: usize) -> Vec<Vec<Rc<Site>>> {
    let end = match &way.end {
        End::Hangs { stuck, .. } => stuck.iter().find(|it| it.at.rank == rank).map(|it| it.at.line),
        End::Completes | End::Clash { .. } | End::Invalid => None,
    };
    let end = end.unwrap_or(usize::MAX);
    let made = way.scripts.get(rank).into_iter().flat_map(|script| &script.mysteries);
    made.filter(|(_, before)| *before <= end).map(|(site, _)| site.chain()).collect()
}

/// What explains messages that do not meet.
fn is_excused(way: &Way, study: &Study, studies: &[Study]) -> bool {
    let other_sizes = studies.iter().filter(|it| !std::ptr::eq(*it, study)).flat_map(|it| &it.ways);
    let mut fits = other_sizes.filter(|other| way.choices.agree_in_truths(&other.choices));
    if fits.any(|other| other.succeeds() && other.has_messages()) {
        return true;
    }
    // What only some ranks ask is not the same for all.
    if way.scripts.iter().any(|script| script.asked != way.scripts[0].asked) {
        return true;
    }
    if way.choices.has_common() && study.ways.iter().any(|other| is_role(way, other)) {
        return true;
    }
    let symmetric = || {
        study
            .ways
            .iter()
            .any(|other| other.succeeds() && sends_and_receives(other) && same_messages(way, other))
    };
    way.scripts.iter().any(|script| script.unknown_peers) && !symmetric()
}

/// Whether a condition that differs between two ways tells the ranks apart: mixed they complete, and alone neither does.
fn is_role(way: &Way, other: &Way) -> bool {
    if std::ptr::eq(way, other) || other.succeeds() || matches!(other.end, End::Invalid) {
        return false;
    }
    if !way.choices.agree_in_numbers(&other.choices) {
        return false;
    }
    let size = way.scripts.len();
    let mixtures: [&dyn Fn(usize) -> bool; 4] =
        [&|rank| rank == 0, &|rank| rank + 1 == size, &|rank| rank % 2 == 1, &|rank| rank > 0];
    mixtures.iter().any(|takes| {
        let pick = |rank: usize| if takes(rank) { &other.scripts[rank] } else { &way.scripts[rank] };
        let scripts: Vec<&Script> = (0..size).map(pick).collect();
        matches!(stage::play(&scripts, Unknown::LeftOut), End::Completes)
    })
}

fn sends_and_receives(way: &Way) -> bool {
    way.scripts.iter().all(|script| {
        let sends = script.posts().any(|(_, post)| matches!(post.act, Act::Send { .. }));
        sends && script.posts().any(|(_, post)| matches!(post.act, Act::Receive { .. }))
    })
}

/// Whether two ways exchange the same messages, in whatever order.
fn same_messages(one: &Way, other: &Way) -> bool {
    let of = |way: &Way| {
        let mut messages: Vec<String> =
            way.posts().map(|post| format!("{:?} {:?}", post.act, post.group)).collect();
        messages.sort();
        messages
    };
    of(one) == of(other)
}

fn is_collective(scripts: &[&Script], at: At) -> bool {
    post_at(scripts, at).is_some_and(|post| matches!(post.act, Act::Collective(_)))
}

// --- Ranks that wait for each other

/// What a stuck rank needs, and where the peer would start it: behind its own wait.
fn comes_later(scripts: &[&Script], stuck: &Stuck, peer: At) -> Option<At> {
    let wanted = post_at(scripts, stuck.post)?;
    let later = scripts.get(peer.rank)?.posts().filter(|(line, _)| *line > peer.line);
    let mut fitting = later.filter(|(_, post)| fits(wanted, stuck.at.rank, post, peer.rank, scripts.len()));
    fitting.next().map(|(line, _)| At { rank: peer.rank, line })
}

fn fits(wanted: &Post, mine: usize, other: &Post, theirs: usize, size: usize) -> bool {
    let is = |peer: Peer, from: usize, rank: usize| match peer {
        Peer::Rank(number) => number == rank as i64,
        Peer::Any => true,
        Peer::Unknown(_) => size == 2 && from != rank,
    };
    match (&wanted.act, &other.act) {
        (Act::Send { to, tag, .. }, Act::Receive { from, tag: wanted }) => {
            is(*to, mine, theirs) && is(*from, theirs, mine) && wanted.is_none_or(|it| Some(it) == *tag)
        }
        (Act::Receive { from, tag }, Act::Send { to, tag: sent, .. }) => {
            is(*from, mine, theirs) && is(*to, theirs, mine) && tag.is_none_or(|it| Some(it) == *sent)
        }
        (Act::Collective(one), Act::Collective(two)) => one == two && wanted.group == other.group,
        _ => false,
    }
}

fn cyclic(way: &Way, stuck: &[Stuck], cycle: &[usize]) -> Option<Told> {
    let scripts = way.scripts();
    let in_cycle: Vec<&Stuck> = stuck.iter().filter(|it| cycle.contains(&it.at.rank)).collect();
    let mut needed = Vec::new();
    for (index, rank) in cycle.iter().enumerate() {
        let own = in_cycle.iter().find(|it| it.at.rank == *rank)?;
        let next = cycle.get((index + 1) % cycle.len())?;
        let peer = in_cycle.iter().find(|it| it.at.rank == *next)?;
        needed.push(comes_later(&scripts, own, peer.at)?);
    }
    let first = in_cycle.iter().min_by_key(|it| it.at.rank)?;
    // What the rank that waits for the first one needs: the first one starts it behind its wait.
    let own = needed.iter().find(|it| it.rank == first.at.rank)?;
    let waits = site_at(&scripts, first.at)?;
    let later = site_at(&scripts, *own)?;
    let (function, at) = meeting(&waits, &later)?;
    let standstill = standstill(&scripts, stuck, function);
    Some(Told { function, what: What::WaitCycle { at, standstill }, alone: None, lacks: None })
}

// --- Messages without another side

fn missing(way: &Way, stuck: &[Stuck], studies: &[Study]) -> Option<Told> {
    let scripts = way.scripts();
    tests_rank(&scripts)?;
    // With fewer ranks it says more.
    let mut fewer =
        studies.iter().flat_map(|it| &it.ways).filter(|other| other.scripts.len() < scripts.len());
    if fewer.any(|other| !matches!(other.end, End::Invalid) && other.has_messages()) {
        return None;
    }
    let messages = || stuck.iter().filter(|it| !is_collective(&scripts, it.post));
    let sent =
        messages().find(|it| matches!(post_at(&scripts, it.post).map(|it| &it.act), Some(Act::Send { .. })));
    let blamed = sent.or_else(|| messages().next())?;
    unmatched(&scripts, blamed.post, stuck)
}

/// Whether ranks go different ways: without that, functions are pieces of a program whose other pieces are elsewhere.
fn tests_rank(scripts: &[&Script]) -> Option<()> {
    let turns =
        |script: &&Script| script.turns.iter().map(|it| (Rc::clone(&it.site), it.way)).collect::<Vec<_>>();
    let first = scripts.first().map(turns)?;
    scripts.iter().any(|it| turns(it) != first).then_some(())
}

fn unmatched(scripts: &[&Script], blamed: At, stuck: &[Stuck]) -> Option<Told> {
    let post = post_at(scripts, blamed)?;
    let (peer, lacks) = match post.act {
        Act::Send { to, .. } => (to, Lacking::Receive),
        Act::Receive { from, .. } => (from, Lacking::Send),
        Act::Collective(_) => return None,
    };
    let Peer::Rank(peer) = peer else { return None };
    let peer = usize::try_from(peer).ok()?;
    // An operation of the peer that is like the missing one and does not fit.
    let nearly = scripts.get(peer)?.posts().find(|(line, other)| {
        let is_opposite = matches!(
            (&post.act, &other.act),
            (Act::Send { .. }, Act::Receive { .. }) | (Act::Receive { .. }, Act::Send { .. })
        );
        is_opposite && (stuck.is_empty() || stuck.iter().any(|it| it.post == At { rank: peer, line: *line }))
    });
    let site = Rc::clone(&post.site);
    let split = parting(scripts, blamed.rank, peer);
    let (function, at) = match &split {
        Some((turn, _)) => meeting(&site, &turn.site)?,
        None => (site.function, site.span),
    };
    let why = if nearly.is_some() { Unmatched::Differs } else { Unmatched::Missing };
    let other = nearly.and_then(|(_, other)| within(&other.site, function));
    let standstill = standstill(scripts, stuck, function);
    let what = What::UnmatchedMessage { at, api: post.api.to_string(), why, other, standstill };
    Some(Told { function, what, alone: None, lacks: nearly.is_none().then_some(lacks) })
}

/// A message and a buffer of another size or type. The message is told.
fn misfit(way: &Way, taken: At, kind: Misfit) -> Option<Told> {
    let scripts = way.scripts();
    let receive = post_at(&scripts, taken)?;
    let Act::Receive { from: Peer::Rank(from), .. } = receive.act else { return None };
    let from = usize::try_from(from).ok()?;
    let fitting = |(line, post): (usize, &Post)| {
        fits(receive, taken.rank, post, from, scripts.len())
            .then_some((At { rank: from, line }, post.clone()))
    };
    let mut sends = scripts.get(from)?.posts().filter_map(fitting);
    let (at_send, send) = match receive.extent {
        Some(room) => sends.find(|(_, post)| post.extent.is_some_and(|it| it != room))?,
        None => sends.next()?,
    };
    let why = match kind {
        Misfit::TooLarge => Unmatched::TooLarge,
        Misfit::TooSmall => Unmatched::TooSmall,
        Misfit::OtherType => Unmatched::OtherType,
        Misfit::Collective => return None,
    };
    let (function, at) = match parting(&scripts, at_send.rank, taken.rank) {
        Some((turn, _)) => meeting(&send.site, &turn.site)?,
        None => (send.site.function, send.site.span),
    };
    let other = within(&receive.site, function);
    let standstill = standstill(&scripts, &[], function);
    let what = What::UnmatchedMessage { at, api: send.api.to_string(), why, other, standstill };
    Some(Told { function, what, alone: None, lacks: None })
}

// --- Collectives that not all come to

fn divergent(way: &Way, stuck: &[Stuck], (study, studies): (&Study, &[Study])) -> Option<Told> {
    let scripts = way.scripts();
    let mut posts: Vec<(At, &Post)> =
        stuck.iter().filter_map(|it| Some((it.post, post_at(&scripts, it.post)?))).collect();
    posts.sort_by_key(|(at, post)| (outer_span(&post.site), at.rank));
    let (blamed, post) = *posts.first()?;
    let differs = posts.iter().any(|(_, other)| other.act != post.act);
    let members: Vec<usize> = match &post.group {
        Group::Some(members) => members.to_vec(),
        Group::World | Group::Unknown(_) => (0..scripts.len()).collect(),
    };
    // Where all do the same, the other side is in what is not known.
    let absent = members.iter().find(|rank| {
        let same = posts
            .iter()
            .any(|(at, other)| at.rank == **rank && other.act == post.act && other.group == post.group);
        !same
    })?;
    let present: BTreeSet<usize> = posts.iter().map(|(at, _)| at.rank).collect();
    // What only the absent rank calls may bring it there.
    let own = mysteries(way, blamed.rank);
    if mysteries(way, *absent).iter().any(|call| !own.contains(call)) {
        return None;
    }
    if !differs && !way.choices.has_local() && is_for_fewer(way, studies, &present) {
        return None;
    }
    let (turn, nature) = parting(&scripts, blamed.rank, *absent)?;
    let local_only = way.choices.has_local() && !matches!(nature, Difference::Data(_));
    if local_only && way.scripts.iter().any(|script| script.turns.iter().any(|it| it.local.is_some())) {
        return None;
    }
    if nature == Difference::Rank && is_decided_by_others(way, study, blamed.rank) {
        return None;
    }
    let (function, at) = meeting(&post.site, &turn.site)?;
    let cause = within(&turn.site, function).map(|at| Cause { at, nature });
    let standstill = standstill(&scripts, stuck, function);
    let what = What::DivergentCollective { at, api: post.api.to_string(), cause, standstill };
    let alone = (!differs).then(|| (present, scripts.len(), post.api.to_string()));
    Some(Told { function, what, alone, lacks: None })
}

/// Whether conditions of which nothing is known decide that the others do not come: another answer of theirs brings them, or
/// a mixture of answers does.
fn is_decided_by_others(way: &Way, study: &Study, blamed: usize) -> bool {
    let asked = way.scripts.get(blamed).map(|script| &script.asked);
    let as_blamed = |other: &Way| {
        asked.is_some_and(|asked| asked.iter().all(|it| other.choices.chosen(*it) == way.choices.chosen(*it)))
    };
    let brings = |other: &Way| matches!(other.end, End::Completes) && as_blamed(other);
    study.ways.iter().any(|other| !std::ptr::eq(way, other) && (brings(other) || is_role(way, other)))
}

/// Whether the same way completes with fewer ranks: `elif rank == 1` is a program for two.
fn is_for_fewer(way: &Way, studies: &[Study], present: &BTreeSet<usize>) -> bool {
    if present.iter().copied().ne(0..present.len()) {
        return false;
    }
    let smaller =
        studies.iter().flat_map(|it| &it.ways).filter(|other| other.scripts.len() < way.scripts.len());
    smaller.filter(|other| way.choices.agree_in_truths(&other.choices)).any(Way::succeeds)
}

/// Collectives of several groups whose order differs: a device works them off in one order.
fn another_order(way: &Way, study: &Study) -> Option<Told> {
    let scripts = way.scripts();
    let unknown = |script: &&Script| {
        let posts = script.posts().filter(|(_, post)| matches!(post.group, Group::Unknown(_)));
        posts.map(|(_, post)| (format!("{:?}", post.act), post.group.clone())).collect::<Vec<_>>()
    };
    let orders: Vec<_> = scripts.iter().map(unknown).collect();
    let first = orders.first()?;
    let sorted = |order: &Vec<(String, Group)>| {
        let mut order: Vec<String> = order.iter().map(|it| format!("{it:?}")).collect();
        order.sort();
        order
    };
    if first.len() < 2
        || orders.iter().all(|it| it == first)
        || orders.iter().any(|it| sorted(it) != sorted(first))
    {
        return None;
    }
    match stage::play(&scripts, Unknown::InOneOrder) {
        End::Hangs { stuck, .. } if stuck.iter().all(|it| is_collective(&scripts, it.post)) => {
            divergent(way, &stuck, (study, &[]))
        }
        _ => None,
    }
}

/// The parts of one collective differ: its order differs between the ranks.
fn divergent_order(way: &Way, taken: At) -> Option<Told> {
    let scripts = way.scripts();
    let post = post_at(&scripts, taken)?;
    let peer = if taken.rank == 0 { 1 } else { 0 };
    let (turn, nature) = parting(&scripts, taken.rank, peer)?;
    if nature != Difference::Order {
        return None;
    }
    let (function, at) = meeting(&post.site, &turn.site)?;
    let cause = within(&turn.site, function).map(|at| Cause { at, nature });
    let standstill = standstill(&scripts, &[], function);
    let what = What::DivergentCollective { at, api: post.api.to_string(), cause, standstill };
    Some(Told { function, what, alone: None, lacks: None })
}

// --- Places

/// The first decision at which two ranks part.
fn parting(scripts: &[&Script], one: usize, two: usize) -> Option<(Turn, Difference)> {
    let (one, two) = (scripts.get(one)?, scripts.get(two)?);
    let index = one.turns.iter().zip(&two.turns).position(|(x, y)| x.site != y.site || x.way != y.way);
    let index = index.or_else(|| {
        let shorter = one.turns.len().min(two.turns.len());
        (one.turns.len() != two.turns.len()).then(|| shorter.saturating_sub(1))
    })?;
    let turn = one.turns.get(index).or_else(|| two.turns.get(index))?.clone();
    let nature = match turn.local {
        Some(at) if at == turn.site.span && turn.way > 1 => Difference::Order,
        Some(at) => Difference::Data(at),
        None => Difference::Rank,
    };
    Some((turn, nature))
}

/// The place of `site` in the innermost call that it shares with `other`.
fn meeting(site: &Rc<Site>, other: &Rc<Site>) -> Option<(FunctionId, Span)> {
    let (chain, others) = (site.chain(), other.chain());
    let mut at = chain.first()?;
    for (index, own) in chain.iter().enumerate() {
        at = own;
        let same = others.get(index).is_some_and(|it| it.function == own.function && it.span == own.span);
        if !same {
            break;
        }
    }
    Some((at.function, at.span))
}

/// The place of a site in a function, where a call of it leads there.
fn within(site: &Rc<Site>, function: FunctionId) -> Option<Span> {
    site.chain().iter().find(|it| it.function == function).map(|it| it.span)
}

fn outer_span(site: &Rc<Site>) -> Vec<Span> {
    site.chain().iter().map(|it| it.span).collect()
}

/// What each rank has done, as the function sees it.
fn standstill(scripts: &[&Script], stuck: &[Stuck], function: FunctionId) -> Standstill {
    let lane = |(rank, script): (usize, &&Script)| {
        let end = stuck.iter().find(|it| it.at.rank == rank);
        let mut steps = Vec::new();
        for (line, post) in script.posts() {
            if end.is_some_and(|it| line > it.at.line) {
                break;
            }
            let at = within(&post.site, function).unwrap_or(post.site.span);
            let is_end = end.is_some_and(|it| it.post.line == line);
            let waits = end.map(|it| it.at).filter(|_| is_end);
            let at =
                waits.and_then(|it| site_at(scripts, it)).and_then(|it| within(&it, function)).unwrap_or(at);
            steps.push(LaneStep { at, text: tell(post), stuck: is_end });
        }
        steps
    };
    Standstill { lanes: scripts.iter().enumerate().map(lane).collect() }
}

fn tell(post: &Post) -> String {
    let peer = |peer: Peer| match peer {
        Peer::Rank(rank) => format!("rank {rank}"),
        Peer::Any => "any rank".to_owned(),
        Peer::Unknown(_) => "its peer".to_owned(),
    };
    let tagged = |tag: Option<i64>| match tag {
        Some(tag) if (1..1_000_000).contains(&tag) => format!(" (tag {tag})"),
        _ => String::new(),
    };
    match &post.act {
        Act::Send { to, tag, .. } => format!("{} to {}{}", post.api, peer(*to), tagged(*tag)),
        Act::Receive { from, tag } => format!("{} from {}{}", post.api, peer(*from), tagged(*tag)),
        Act::Collective(_) => post.api.to_string(),
    }
}
