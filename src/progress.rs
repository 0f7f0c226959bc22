//! Progress: ranks that wait for each other.
//!
//! A function is run for a few ranks at once, each with its own number: conditions on the rank decide, peers are numbers, and
//! what is not known is assumed in every way that there is. What each rank does becomes a **script**; the scripts are played
//! through the fabric of the companion runtime, and what hangs there hangs in reality.
//!
//! ```text
//! rank = dist.get_rank()                       rank 0                    rank 1
//! dist.send(x, (rank + 1) % 2)                 send to 1                 send to 0
//! dist.recv(y, (rank + 1) % 2)                 receive from 1            receive from 0
//!                                              the fabric: hangs, rank 0 waits for rank 1, rank 1 waits for rank 0
//! ```
//!
//! [`relevance`] says what of a file matters, [`machine`] runs one rank ([`operations`], [`arithmetic`], [`calls`] and
//! [`parts`] say what each operation does to it), [`choice`] goes through what is not known, [`stage`] plays the scripts and
//! [`judge`] says what is told of how they end.

mod arithmetic;
mod calls;
mod choice;
mod frame;
mod judge;
mod machine;
mod operations;
mod parts;
mod relevance;
mod script;
mod stage;
#[cfg(test)]
mod tests;
mod value;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{Catalog, Plays};
use crate::flow::{Event, What};
use crate::ir::{Callee, FunctionId, Operation, Unit};
use choice::Choices;
use judge::{Lacking, Study, Told, Way};
use machine::{Machine, Program};
use relevance::Relevance;
use script::Script;
use stage::{End, Unknown};
use value::{Term, Terms};

/// The numbers of ranks that are tried.
const SIZES: [usize; 3] = [2, 3, 4];
/// Ways through a function that are tried with each number of ranks.
const WAYS: usize = 12;
/// Ways of which the end is not known, after which no more are tried.
const LOST: usize = 4;
/// Operations that the ranks of all ways of a function run through together, with each number of ranks.
const STEPS: u32 = 4_000;

/// Finds ranks that wait for each other, collectives that not all come to, and messages without another side.
pub fn analyse(unit: &Unit, catalog: &Catalog) -> Vec<Event> {
    let relevance = Relevance::of(unit, catalog);
    if !relevance.is_any() {
        return Vec::new();
    }
    let program = Program {
        unit,
        catalog,
        relevance: &relevance,
        globals: RefCell::default(),
        attributes: RefCell::default(),
    };
    let mut terms = Terms::default();
    let mut seen = BTreeSet::new();
    let mut told: Vec<(FunctionId, BTreeSet<FunctionId>, Told)> = Vec::new();
    for root in roots(unit, &relevance) {
        if seen.contains(&root) {
            continue;
        }
        let (mut found, visited) = study(&program, &mut terms, root);
        if visited.iter().any(|it| relevance.expecting.contains(it)) {
            found.clear();
        }
        seen.extend(visited.iter().copied());
        told.extend(found.into_iter().map(|it| (root, visited.clone(), it)));
    }
    let kept = told.iter().filter(|(root, visited, it)| {
        !is_half(*root, it, &told) && !is_elsewhere(&program, *root, visited, it)
    });
    in_order(unit, kept.map(|(_, _, it)| it))
}

/// Functions that nobody in the file calls, then those that are only named.
fn roots(unit: &Unit, relevance: &Relevance) -> Vec<FunctionId> {
    let (named, free): (Vec<_>, Vec<_>) = unit
        .function_ids()
        .filter(|it| relevance.is_worth_it(*it) && is_outer(unit, *it))
        .partition(|it| relevance.referenced.contains(it));
    free.into_iter().chain(named).collect()
}

/// Goes all ways of a function, with all numbers of ranks.
fn study(program: &Program<'_>, terms: &mut Terms, root: FunctionId) -> (Vec<Told>, BTreeSet<FunctionId>) {
    let mut visited = BTreeSet::new();
    let mut primary = None;
    loop {
        let mut studies = Vec::new();
        let mut groups = BTreeSet::new();
        let mut world = false;
        for size in SIZES {
            let mut steps = 0;
            let mut ways = Vec::new();
            let mut depends = false;
            let mut lost = 0;
            let mut next = Some(Choices::default());
            while let Some(choices) = next.take() {
                let run = run(program, terms, (root, size, primary), choices);
                steps += run.steps;
                groups.extend(run.groups);
                world |= run.world;
                depends |= run.ranked || run.way.depends_on_ranks();
                visited.extend(run.visited);
                lost += usize::from(!run.whole);
                ways.push(run.way);
                let is_worth_it = lost < LOST || lost < ways.len();
                if ways.len() < WAYS && steps < STEPS && is_worth_it {
                    next = ways.last().and_then(|way| way.choices.next());
                }
            }
            depends &= lost < ways.len();
            studies.push(Study { ways });
            // What is the same on all ranks is so with any number of them, and what is lost stays so.
            if !depends {
                break;
            }
        }
        let alone = groups.first().copied().filter(|_| groups.len() == 1 && !world && primary.is_none());
        match alone {
            Some(group) => primary = Some(group),
            None => return (judge::judge(&studies), visited),
        }
    }
}

/// What one run of all ranks has shown.
struct Run {
    way: Way,
    steps: u32,
    groups: BTreeSet<Term>,
    world: bool,
    ranked: bool,
    /// Whether every rank came to its end.
    whole: bool,
    visited: BTreeSet<FunctionId>,
}

fn run(
    program: &Program<'_>,
    terms: &mut Terms,
    (root, size, primary): (FunctionId, usize, Option<Term>),
    mut choices: Choices,
) -> Run {
    let (mut scripts, mut steps, mut world, mut ranked) = (Vec::new(), 0, false, false);
    let (mut groups, mut visited) = (BTreeSet::new(), BTreeSet::new());
    let mut whole = true;
    for rank in 0..size {
        let mut machine = Machine::new(program, terms, &mut choices, (rank, size), primary);
        let end = machine.run_root(root);
        steps += machine.steps;
        groups.append(&mut machine.groups);
        visited.append(&mut machine.visited);
        world |= machine.world;
        ranked |= machine.ranked;
        scripts.push(std::mem::take(&mut machine.script));
        if end.is_err() {
            whole = false;
            break;
        }
    }
    let end = match whole {
        true => stage::play(&scripts.iter().collect::<Vec<&Script>>(), Unknown::LeftOut),
        false => End::Invalid,
    };
    Run { way: Way { choices, scripts, end }, steps, groups, world, ranked, whole, visited }
}

/// Whether another function of the file takes the other ranks to the same collective: two halves of one step.
fn is_half(root: FunctionId, one: &Told, all: &[(FunctionId, BTreeSet<FunctionId>, Told)]) -> bool {
    let Some((_, _, name)) = &one.alone else { return false };
    let of = |wanted: FunctionId| {
        all.iter().filter(move |(other, ..)| *other == wanted).filter_map(|(.., told)| told.alone.as_ref())
    };
    let complete = |(ranks, size, own): &(BTreeSet<usize>, usize, String), others: FunctionId| {
        of(others).any(|(missing, of, same)| {
            own == same && size == of && ranks.is_disjoint(missing) && ranks.len() + missing.len() == *size
        })
    };
    let others = all.iter().map(|(other, ..)| *other).filter(|other| *other != root);
    let mut halves =
        others.flat_map(|other| of(root).filter(move |it| it.2 == *name).map(move |own| (own, other)));
    halves.any(|(own, other)| complete(own, other))
}

/// Whether another function of the file may bring the other side of a message.
fn is_elsewhere(
    program: &Program<'_>,
    root: FunctionId,
    visited: &BTreeSet<FunctionId>,
    told: &Told,
) -> bool {
    let Some(lacks) = told.lacks else { return false };
    // Nobody in the file runs it as a whole: the other side may be anywhere.
    if root != FunctionId(0) {
        return true;
    }
    let plays: BTreeMap<&str, Plays> = program.catalog.part_names().collect();
    let brings = |name: &str| {
        matches!(
            (plays.get(name), lacks),
            (Some(Plays::Receive), Lacking::Receive)
                | (Some(Plays::Send | Plays::SynchronousSend | Plays::BufferedSend), Lacking::Send)
                | (Some(Plays::Exchange | Plays::Operation | Plays::Batch), _)
        )
    };
    let others = program.unit.function_ids().filter(|it| !visited.contains(it));
    others.flat_map(|it| &program.unit.function(it).blocks).flat_map(|it| &it.ops).any(|op| {
        match &op.operation {
            Operation::Call { callee: Callee::Method { name, .. }, .. } | Operation::Global { name, .. } => {
                brings(name)
            }
            _ => false,
        }
    })
}

fn in_order<'t>(unit: &Unit, told: impl Iterator<Item = &'t Told>) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for it in told {
        let event = Event {
            function: unit.function(it.function).name.clone(),
            what: it.what.clone(),
            path: Vec::new(),
        };
        if !events.iter().any(|other| is_same_mistake(&other.what, &event.what)) {
            events.push(event);
        }
    }
    events.sort_by_key(|event| event.what.place());
    events
}

/// One place is told once.
fn is_same_mistake(one: &What, other: &What) -> bool {
    one.place() == other.place()
}

/// Whether a function stands at the top level or in a class there; others run where the one around them does.
fn is_outer(unit: &Unit, function: FunctionId) -> bool {
    matches!(unit.function(function).parent, None | Some(FunctionId(0)))
}
