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

use super::{Context, Finding, Law};
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
        told.iter().filter(|told| told.law == Law::Api).flat_map(spans_of_cause).collect();
    told.retain(|told| told.law == Law::Api || !is_consequence(site(told), &causes));
    told.sort_by_key(|told| (told.rank, told.event.path.len(), told.finding.primary.span));

    let mut known = BTreeSet::new();
    let mut kept: Vec<Told<'_>> = Vec::new();
    for next in told {
        let signs = signs_of(&next, context);
        if signs.is_disjoint(&known) {
            known.extend(signs);
            kept.push(next);
        }
    }
    kept.sort_by_key(|told| (told.finding.primary.span, told.rank));
    kept.into_iter().map(|told| told.finding).collect()
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
    if matches!(told.law, Law::Api | Law::Progress) {
        return BTreeSet::from([Sign::Call(told.rank, told.finding.primary.span)]);
    }
    let site = site(told);
    let holder = handle_of(&told.event.what).and_then(|handle| handle.holder.clone());
    let line = holder.map(|name| Sign::Holder(name, line_start(site, context.text)));
    std::iter::once(Sign::Site(site)).chain(line).collect()
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
        | What::WaitedTwice { handle, .. } => Some(handle),
        What::WaitNeverRuns { handle, .. } => handle.as_ref(),
        What::Unlaunched { .. }
        | What::BadTimeout { .. }
        | What::BatchMisuse { .. }
        | What::WaitCycle { .. }
        | What::DivergentCollective { .. }
        | What::UnmatchedMessage { .. } => None,
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
