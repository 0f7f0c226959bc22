//! One mistake, one finding.
//!
//! - A **site** is the call that started an operation. All losses of the handle of one site are one mistake, however many
//!   paths lead to them, and so are the losses of handles that one name holds and one line starts.
//! - A loss is a **consequence** where a call that cannot do what it says stands behind it: `h.wait` without parentheses
//!   also leaves `h` pending, but only the first is what the user did wrong.
//!
//! ```text
//! reqs = dist.batch_isend_irecv(ops)     Lost (unwaited-handle)   consequence of the next line: not told
//! reqs.wait()                            WaitOnList               told
//! ```

use std::collections::BTreeSet;

use super::{Context, Finding, Law, Severity};
use crate::flow::{Event, Handle, What};
use crate::source::Span;

/// A finding with what is needed to tell whether another one tells the same mistake.
pub(super) struct Told<'a> {
    /// The place of its rule in the list: of two findings of one mistake the smaller rank explains it better.
    pub(super) rank: usize,
    pub(super) law: Law,
    pub(super) event: &'a Event,
    pub(super) finding: Finding,
}

/// Keeps the best finding of each mistake, in the order of the file.
pub(super) fn one_finding_each(mut told: Vec<Told<'_>>, context: &Context<'_>) -> Vec<Finding> {
    let causes: BTreeSet<Span> =
        told.iter().filter(|told| is_a_cause(told)).flat_map(spans_of_cause).collect();
    told.retain(|told| told.law == Law::Api || !is_consequence(site(told), &causes));
    told.sort_by_key(order);

    let mut known = BTreeSet::new();
    let mut kept: Vec<Told<'_>> = Vec::new();
    for next in told {
        let signs = signs_of(&next, context);
        if signs.is_disjoint(&known) || is_second_half(&next, &kept, context) {
            known.extend(signs);
            kept.push(next);
        }
    }
    kept.sort_by_key(|told| (told.finding.primary.span, told.rank));
    kept.into_iter().map(|told| told.finding).collect()
}

/// Whether a finding can explain others: a call that fails does, advice on one does not.
fn is_a_cause(told: &Told<'_>) -> bool {
    told.law == Law::Api && told.finding.severity > Severity::Advice
}

/// Which finding of a mistake explains it better: by rule, then by the shortest story. Of several touches of one buffer in
/// flight the first explains the others, whatever its rule.
fn order(told: &Told<'_>) -> (Law, usize, usize, Span) {
    let at = told.finding.primary.span;
    match told.law {
        Law::Reach | Law::Overlap | Law::Progress | Law::Api => {
            (told.law, told.rank, told.event.path.len(), at)
        }
        Law::Quiet => (told.law, 0, at.start as usize, at),
    }
}

/// The call that started what the finding is about.
fn site(told: &Told<'_>) -> Span {
    handle_of(&told.event.what).map_or(told.finding.primary.span, |handle| handle.started)
}

/// The starts whose loss an API mistake explains: its handle's, and the call itself where that starts something.
fn spans_of_cause(told: &Told<'_>) -> [Span; 2] {
    [site(told), told.finding.primary.span]
}

fn is_consequence(site: Span, causes: &BTreeSet<Span>) -> bool {
    causes.contains(&site)
}

/// What two findings of one mistake have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    /// One rule at one place.
    Call(usize, Span),
    /// The handle of one start.
    Site(Span),
    /// Handles that one name holds and one line starts, by where the line begins.
    Holder(String, usize),
}

fn signs_of(told: &Told<'_>, context: &Context<'_>) -> BTreeSet<Sign> {
    if matches!(told.law, Law::Overlap | Law::Progress | Law::Api) {
        return BTreeSet::from([Sign::Call(told.rank, told.finding.primary.span)]);
    }
    let site = site(told);
    let holder = handle_of(&told.event.what).and_then(|handle| handle.holder.clone());
    let line = holder.map(|name| Sign::Holder(name, line_start(site, context.text)));
    std::iter::once(Sign::Site(site)).chain(line).collect()
}

/// `b = b * 2` reads too early and also loses the name of the buffer: waiting before the read alone would not do.
fn is_second_half(next: &Told<'_>, kept: &[Told<'_>], context: &Context<'_>) -> bool {
    let line = |told: &Told<'_>| line_start(told.finding.primary.span, context.text);
    let read_there = |told: &&Told<'_>| told.law == Law::Quiet && line(told) == line(next);
    let rebinds = |told: &Told<'_>| matches!(told.event.what, What::ReboundBuffer { .. });
    let other = kept.iter().find(read_there);
    next.law == Law::Quiet && other.is_some_and(|other| rebinds(next) != rebinds(other))
}

fn line_start(span: Span, text: &str) -> usize {
    let mut before = text.as_bytes().iter().take(span.start as usize);
    before.rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1)
}

/// The handle that something happened to, where it is known.
fn handle_of(what: &What) -> Option<&Handle> {
    match what {
        What::Lost { handle, .. }
        | What::PartlyWaited { handle, .. }
        | What::Kept { handle, .. }
        | What::WaitOnList { handle, .. }
        | What::HandleAsList { handle, .. }
        | What::NoSuchMethod { handle, .. }
        | What::WaitedTwice { handle, .. }
        | What::WaitedAtOnce { handle, .. }
        | What::SerialLoop { handle, .. }
        | What::MessageDiscarded { handle, .. } => Some(handle),
        What::WaitNeverRuns { handle, .. } | What::BusyPoll { handle, .. } => handle.as_ref(),
        What::Touched { handle, .. } | What::ReboundBuffer { handle, .. } => Some(handle),
        What::SharedBuffer { with, .. } => with.as_ref(),
        What::Unlaunched { .. }
        | What::BadTimeout { .. }
        | What::BatchMisuse { .. }
        | What::WaitCycle { .. }
        | What::DivergentCollective { .. }
        | What::UnmatchedMessage { .. }
        | What::CollectiveByHand { .. }
        | What::OwnerDropped { .. }
        | What::SmallRoom { .. }
        | What::Temporary { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::hand_built::{Story, found};
    use crate::flow::{Idle, Loss, What};

    #[test]
    fn a_handle_that_is_lost_on_two_paths() {
        let story = Story::new("h = dist.isend(t, 1)\nif a: h = None\n");
        let events = [
            story.lost("dist.isend(t, 1)", Loss::ScopeEnd, "if a"),
            story.lost("dist.isend(t, 1)", Loss::Rebound, "h = None"),
        ];
        assert_eq!(found(&story, &events), ["1: overwritten-handle"]);
    }

    #[test]
    fn two_handles_of_one_list_on_one_line() {
        let story = Story::new("hs = [dist.isend(a, 1), dist.irecv(b, 1)]\n");
        let events = [
            story.lost_by("hs", "dist.isend(a, 1)", Loss::ScopeEnd, "hs"),
            story.lost_by("hs", "dist.irecv(b, 1)", Loss::ScopeEnd, "hs"),
        ];
        assert_eq!(found(&story, &events), ["1: unwaited-handle"]);
    }

    #[test]
    fn a_loss_that_a_wait_without_parentheses_explains() {
        let story = Story::new("h = dist.isend(t, 1)\nh.wait\n");
        let never = What::WaitNeverRuns {
            handle: Some(story.handle("dist.isend(t, 1)")),
            why: Idle::NotCalled,
            at: story.span("h.wait"),
        };
        let events = [story.lost("dist.isend(t, 1)", Loss::ScopeEnd, "h.wait"), story.event(never)];
        assert_eq!(found(&story, &events), ["2: wait-never-runs"]);
    }
}
