//! A verdict as the user reads it: what happened, at which lines, and why.
//!
//! The labels sit in the source lines of all ranks involved: where a handle was started and lost, where each rank
//! waits, where a buffer was touched. Below them every blocked rank says why it can never go on.

use super::verdict::{Blocked, Failure, Harm, Lost, Outcome, Verdict, Why};
use super::{Place, Time};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal;

/// Blocked ranks that are told one by one.
const TOLD: usize = 8;

/// Whether a report has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Plain text.
    Plain,
    /// With the escape sequences of a terminal.
    Colored,
}

impl Paint {
    /// What standard error takes, where verdicts are told: colours on a terminal, unless the user wants none.
    #[must_use]
    pub fn of_stderr() -> Paint {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        if wanted && std::io::stderr().is_terminal() { Paint::Colored } else { Paint::Plain }
    }
}

/// The verdict as text.
#[must_use]
pub fn render(verdict: &Verdict, paint: Paint) -> String {
    let mut text = String::new();
    if matches!(verdict.outcome, Outcome::Completes | Outcome::Slow) {
        let _ = writeln!(text, "{}", headline(verdict));
    } else {
        let theme = match paint {
            Paint::Colored => GraphicalTheme::unicode(),
            Paint::Plain => GraphicalTheme::unicode_nocolor(),
        };
        let handler = GraphicalReportHandler::new_themed(theme).with_width(110);
        for report in reports(verdict) {
            // Writing into a string does not fail.
            let _ = handler.render_report(&mut text, report.as_ref());
        }
    }
    for line in remarks(verdict) {
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// The first line.
#[must_use]
pub fn headline(verdict: &Verdict) -> String {
    let Verdict { outcome, makespan, .. } = verdict;
    match outcome {
        Outcome::Completes | Outcome::Slow => format!("{outcome} in {makespan} of virtual time"),
        Outcome::Hangs if !verdict.blame.is_empty() => tell_blame(verdict),
        Outcome::Hangs if !verdict.cycle.is_empty() => format!("hangs: {}", tell_cycle(&verdict.cycle)),
        Outcome::Hangs | Outcome::PollsForever => {
            let ranks = listed(verdict.blocked.iter().map(|blocked| blocked.rank));
            format!("{outcome}: {ranks} can never go on")
        }
        Outcome::WrongData => match verdict.harms.first() {
            Some(harm) => format!("wrong data: {harm}"),
            None => "wrong data".into(),
        },
        Outcome::Fails => match verdict.failures.first() {
            Some(Failure { rank, message, place: Some(place) }) if place.line > 0 => {
                format!("fails: rank {rank}: {message}")
            }
            Some(failure) => format!("fails: rank {} {}", failure.rank, failure.message),
            None => "fails".into(),
        },
        Outcome::PendingAtExit => {
            format!("pending at exit: {} never finished", listed_operations(verdict.open.len()))
        }
        Outcome::Unfinished => match verdict.notes.first() {
            Some(why) => format!("unfinished: {why}"),
            None => "unfinished".into(),
        },
    }
}

fn tell_blame(verdict: &Verdict) -> String {
    let ranks = listed(verdict.blocked.iter().map(|blocked| blocked.rank));
    match &verdict.blame[..] {
        [one] => {
            let Lost { rank, operation, .. } = one;
            format!("hangs: the {operation} of rank {rank} went with its handle, and {ranks} can never go on")
        }
        many => {
            format!("hangs: {} operations went with their handles, and {ranks} can never go on", many.len())
        }
    }
}

fn listed_operations(count: usize) -> String {
    match count {
        1 => "1 operation was".into(),
        count => format!("{count} operations were"),
    }
}

fn tell_cycle(cycle: &[usize]) -> String {
    let next = cycle.iter().cycle().skip(1);
    let waits: Vec<String> =
        cycle.iter().zip(next).map(|(rank, next)| format!("rank {rank} waits for rank {next}")).collect();
    match waits.len() {
        ..=4 => waits.join(", "),
        many => format!("{}, … and so on around {many} ranks", waits[..2].join(", ")),
    }
}

fn listed(ranks: impl Iterator<Item = usize>) -> String {
    let ranks: Vec<usize> = ranks.collect();
    match &ranks[..] {
        [] => "nobody".into(),
        [one] => format!("rank {one}"),
        [first, .., last] if ranks.len() > 4 && last - first + 1 == ranks.len() => {
            format!("ranks {first} to {last}")
        }
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(usize::to_string).collect();
            format!("ranks {} and {last}", others.join(", "))
        }
    }
}

/// One report a file: the first has the headline.
fn reports(verdict: &Verdict) -> Vec<Report> {
    let mut files: BTreeMap<&str, Vec<(u32, String)>> = BTreeMap::new();
    let labels = labels(verdict);
    for (place, text) in &labels {
        files.entry(&place.file).or_default().push((place.line, text.clone()));
    }
    let main = labels.first().map(|(place, _)| &*place.file);
    let mut order: Vec<&str> = files.keys().copied().collect();
    order.sort_by_key(|file| Some(*file) != main);
    let mut reports: Vec<Report> = Vec::new();
    for file in order {
        let message = if reports.is_empty() { headline(verdict) } else { "and in this file".into() };
        let source = std::fs::read_to_string(file).unwrap_or_default();
        let spans = files[file].iter().filter_map(|(line, text)| span(&source, *line, text));
        let mut diagnostic = MietteDiagnostic::new(message).with_labels(spans);
        if let (true, Some(help)) = (reports.is_empty(), help(verdict)) {
            diagnostic = diagnostic.with_help(help);
        }
        reports.push(Report::new(diagnostic).with_source_code(NamedSource::new(file, source)));
    }
    if reports.is_empty() {
        reports.push(Report::new(MietteDiagnostic::new(headline(verdict))));
    }
    reports
}

/// The line without its indentation and without a fixture's marker.
fn span(source: &str, line: u32, text: &str) -> Option<LabeledSpan> {
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    let start: usize = source.split_inclusive('\n').take(index).map(str::len).sum();
    let whole = source.split_inclusive('\n').nth(index)?;
    let code = whole.split("#~").next().unwrap_or(whole).split("//~").next().unwrap_or(whole).trim();
    let indent = whole.len() - whole.trim_start().len();
    Some(LabeledSpan::at(start + indent..start + indent + code.len(), text))
}

/// What happened where, one label a line, in the order of events.
fn labels(verdict: &Verdict) -> Vec<(Place, String)> {
    let mut labels: Vec<(Place, Vec<String>)> = Vec::new();
    let mut add = |place: &Place, text: String| match labels.iter_mut().find(|(known, _)| known == place) {
        Some((_, texts)) if texts.contains(&text) => {}
        Some((_, texts)) => texts.push(text),
        None => labels.push((place.clone(), vec![text])),
    };
    for lost in &verdict.blame {
        match lost.started == lost.lost {
            true => add(
                &lost.started,
                format!("rank {} starts {} and loses its handle here", lost.rank, lost.operation),
            ),
            false => {
                add(&lost.started, format!("rank {} starts {}", lost.rank, lost.operation));
                add(&lost.lost, format!("its handle is lost here by rank {}", lost.rank));
            }
        }
    }
    for harm in &verdict.harms {
        label_harm(harm, &mut add);
    }
    for blocked in blocked(verdict) {
        label_blocked(blocked, &mut add);
    }
    let unfinished = verdict.open.iter().filter(|_| verdict.outcome == Outcome::PendingAtExit);
    for open in unfinished {
        add(&open.started, format!("rank {} starts {}", open.rank, open.operation));
    }
    for failure in &verdict.failures {
        if let Some(place) = &failure.place {
            add(place, format!("rank {} fails here", failure.rank));
        }
    }
    labels.into_iter().map(|(place, texts)| (place, shortened(&texts))).collect()
}

/// The blocked ranks, where they are the matter; a rank that fails leaves others blocked as a matter of course.
fn blocked(verdict: &Verdict) -> &[Blocked] {
    match verdict.outcome {
        Outcome::Hangs | Outcome::PollsForever | Outcome::Unfinished => &verdict.blocked,
        _ => &[],
    }
}

fn label_harm(harm: &Harm, add: &mut impl FnMut(&Place, String)) {
    let Harm { rank, operation, started, place, .. } = harm;
    let Some(place) = place.as_ref().filter(|place| *place != started) else {
        return add(started, format!("rank {rank}: {operation}"));
    };
    add(started, format!("rank {rank} starts {operation}"));
    add(place, format!("rank {rank} {}", harm.kind.at_place()));
}

fn label_blocked(blocked: &Blocked, add: &mut impl FnMut(&Place, String)) {
    let Blocked { rank, operation, place, started, polls, .. } = blocked;
    let verb = if *polls { "polls" } else { "waits" };
    if place != started {
        add(started, format!("rank {rank} starts {operation}"));
    }
    add(place, format!("rank {rank} {verb} here for {operation}"));
}

fn shortened(texts: &[String]) -> String {
    match texts.len() {
        ..=3 => texts.join("; "),
        many => format!("{}; and {} more like it", texts[..2].join("; "), many - 2),
    }
}

fn help(verdict: &Verdict) -> Option<String> {
    let advice = match verdict.outcome {
        Outcome::Hangs if !verdict.blame.is_empty() => {
            "keep the handle, and wait for it before it goes out of scope"
        }
        Outcome::Hangs => help_hang(verdict)?,
        Outcome::PollsForever => "wait for the handle instead of asking for it",
        Outcome::PendingAtExit => "wait for the operation before the rank ends",
        _ => return None,
    };
    Some(advice.into())
}

fn help_hang(verdict: &Verdict) -> Option<&'static str> {
    let has = |wanted: fn(&Why) -> bool| verdict.blocked.iter().flat_map(|blocked| &blocked.why).any(wanted);
    if has(|why| matches!(why, Why::Differs { .. })) {
        return Some(
            "make both sides agree: the same collectives in the same order, the same peers and tags",
        );
    }
    if has(|why| matches!(why, Why::WaitedTwice { .. })) {
        return Some("wait for the handle of a message once");
    }
    if !verdict.cycle.is_empty() {
        return Some("post the receive before the send on every rank, or let one side receive first");
    }
    has(|why| matches!(why, Why::Left { .. })).then_some("let every rank do its part before it ends")
}

fn remarks(verdict: &Verdict) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for blocked in blocked(verdict).iter().take(TOLD) {
        let why: Vec<String> = blocked.why.iter().take(3).map(ToString::to_string).collect();
        lines.push(format!("rank {}: {}: {}", blocked.rank, blocked.operation, why.join("; ")));
    }
    if blocked(verdict).len() > TOLD {
        lines.push(format!("and {} more ranks", blocked(verdict).len() - TOLD));
    }
    let first = usize::from(verdict.outcome == Outcome::WrongData);
    lines.extend(verdict.harms.iter().skip(first).take(TOLD).map(ToString::to_string));
    lines.extend(
        verdict.notes.iter().filter(|_| verdict.outcome != Outcome::Unfinished).map(ToString::to_string),
    );
    if let Some(overlap) = overlap(verdict) {
        lines.push(overlap);
    }
    let at =
        if verdict.makespan == Time::START { String::new() } else { format!(" at {}", verdict.makespan) };
    lines.push(format!("decided{at} under schedule {}", verdict.schedule));
    lines
}

#[allow(clippy::cast_precision_loss, reason = "a mean of a few thousand shares")]
fn overlap(verdict: &Verdict) -> Option<String> {
    if verdict.outcome != Outcome::Completes || verdict.overlaps.is_empty() {
        return None;
    }
    let mean =
        verdict.overlaps.iter().map(|overlap| overlap.share).sum::<f64>() / verdict.overlaps.len() as f64;
    let count = verdict.overlaps.len();
    Some(format!(
        "{count} asynchronous operations, {:.0}% of their time hidden behind other work",
        mean * 100.0
    ))
}
