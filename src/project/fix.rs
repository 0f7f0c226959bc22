//! Makes the fixes of a file, round by round, until nothing is left that can be fixed.
//!
//! - In each **round** the file is checked anew and the fixes are made that **agree**; unsafe ones one in each function,
//!   because each is made for the function as it was found.
//! - A round is **taken back** where there is something new to say about the file, or as much as before; that it does not
//!   parse any more would be new. Then its fixes are tried one by one.
//!
//! ```text
//! round 1   handle.wait → handle.wait()         3 findings become 2
//! round 2   no fix, or none that helps: the file stays as it is
//! ```
//!
//! Laws: with every round there are fewer errors and warnings, or as many and less advice, so that the rounds end; and a second
//! run changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::rules::{Applicability, Finding, Fix, Severity};
use crate::source::{Edit, SourceFile, agree};

/// How often a file is changed and checked again. It only ends what has no end.
const ROUNDS: usize = 100;

/// A file after its fixes.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    pub(crate) source: SourceFile,
    /// What is still found in it.
    pub(crate) findings: Vec<Finding>,
    /// How many findings of which rule are gone.
    pub(crate) rules: BTreeMap<&'static str, usize>,
}

/// Fixes a file in which `findings` were found. `check` says what is found in another version of it.
pub(crate) fn fix(
    source: &SourceFile,
    findings: Vec<Finding>,
    allowed: Applicability,
    check: &dyn Fn(&SourceFile) -> Vec<Finding>,
) -> Fixed {
    let before = findings.clone();
    let mut state = Fixed { source: source.clone(), findings, rules: BTreeMap::new() };
    for _ in 0..ROUNDS {
        let chosen = choose(&state.findings, allowed);
        let one_by_one = || every(&state.findings, allowed).find_map(|fix| attempt(&state, &[fix], check));
        let next = attempt(&state, &chosen, check).or_else(one_by_one);
        let Some(next) = next else { break };
        state = next;
    }
    state.rules = gone(&before, &state.findings);
    let is_allowed = |fix: &Fix| fix.applicability <= allowed;
    for finding in &mut state.findings {
        finding.fix = finding.fix.take().filter(|fix| !is_allowed(fix));
    }
    state
}

/// Whether a file is better for a change: there is less to say about it, and nothing new that weighs anything. For fewer
/// errors and warnings, new advice is no price.
pub fn helps(before: &[Finding], after: &[Finding]) -> bool {
    let is_serious = |finding: &&Finding| finding.severity > Severity::Advice;
    let count = |findings: &[Finding]| (findings.iter().filter(is_serious).count(), findings.len());
    let mut left: Vec<_> = before.iter().map(said).collect();
    let is_known = |finding: &Finding| {
        let at = left.iter().position(|known| *known == said(finding));
        at.map(|at| left.swap_remove(at)).is_some()
    };
    count(after) < count(before) && after.iter().filter(is_serious).all(is_known)
}

/// What a finding says, apart from its place.
fn said(finding: &Finding) -> (&'static str, &str, &str) {
    (finding.rule, &finding.function, &finding.message)
}

fn every(findings: &[Finding], allowed: Applicability) -> impl Iterator<Item = &Fix> {
    findings.iter().filter_map(|finding| finding.fix.as_ref()).filter(move |fix| fix.applicability <= allowed)
}

/// Fixes that can be made together, earlier ones first.
fn choose(findings: &[Finding], allowed: Applicability) -> Vec<&Fix> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut changed = BTreeSet::new();
    let mut chosen = Vec::new();
    for finding in findings {
        let Some(fix) = finding.fix.as_ref().filter(|fix| fix.applicability <= allowed) else { continue };
        let is_alone = match fix.applicability {
            Applicability::Safe => true,
            Applicability::Unsafe => changed.insert(&finding.function),
        };
        if is_alone && agree(&fix.edits, &edits) {
            edits.extend(fix.edits.iter().cloned());
            chosen.push(fix);
        }
    }
    chosen
}

/// The file with these fixes, if it is better for them.
fn attempt(state: &Fixed, fixes: &[&Fix], check: &dyn Fn(&SourceFile) -> Vec<Finding>) -> Option<Fixed> {
    if fixes.is_empty() {
        return None;
    }
    let edits: Vec<Edit> = fixes.iter().flat_map(|fix| fix.edits.iter().cloned()).collect();
    let source = state.source.edited(&edits)?;
    let findings = check(&source);
    if !helps(&state.findings, &findings) {
        return None;
    }
    Some(Fixed { source, findings, rules: BTreeMap::new() })
}

/// How many findings of each rule are gone.
fn gone(before: &[Finding], after: &[Finding]) -> BTreeMap<&'static str, usize> {
    let count = |findings: &[Finding], rule| findings.iter().filter(|it| it.rule == rule).count();
    let rules: BTreeSet<&'static str> = before.iter().map(|finding| finding.rule).collect();
    let fewer = rules.into_iter().map(|rule| (rule, count(before, rule).saturating_sub(count(after, rule))));
    fewer.filter(|(_, fewer)| *fewer > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::super::outcome::plain_finding;
    use super::*;
    use crate::source::{Span, words};

    /// Each `bad` is a finding; its fix writes something else there.
    fn found(text: &str, written: &'static str, applicability: Applicability) -> Vec<Finding> {
        let finding = |at: usize| {
            let span = Span::new(at as u32, at as u32 + 3);
            let mut finding = plain_finding("unused-ignore", Severity::Warning, "", span);
            let edits = vec![Edit::replace(span, written)];
            finding.fix = Some(Fix { applicability, message: String::new(), edits });
            finding
        };
        words(text, "bad").map(finding).collect()
    }

    fn fixed(
        text: &str,
        written: &'static str,
        applicability: Applicability,
        allowed: Applicability,
    ) -> Fixed {
        let check = |source: &SourceFile| found(&source.text, written, applicability);
        let source = SourceFile::new("a.py", text);
        fix(&source, check(&source), allowed, &check)
    }

    #[test]
    fn everything_is_fixed_and_counted() {
        let result = fixed("bad x bad", "ok", Applicability::Safe, Applicability::Safe);
        assert_eq!(result.source.text, "ok x ok");
        assert_eq!(result.rules, BTreeMap::from([("unused-ignore", 2)]));
    }

    #[test]
    fn unsafe_fixes_are_made_where_they_are_asked_for() {
        let left = fixed("bad", "ok", Applicability::Unsafe, Applicability::Safe);
        assert_eq!((left.source.text.as_str(), left.findings.len()), ("bad", 1));
        assert!(left.findings[0].fix.is_some());
        assert_eq!(fixed("bad bad", "ok", Applicability::Unsafe, Applicability::Unsafe).source.text, "ok ok");
    }

    #[test]
    fn a_fix_that_does_not_help_is_taken_back_and_not_offered_any_more() {
        let result = fixed("bad", "bad bad", Applicability::Safe, Applicability::Safe);
        assert_eq!((result.source.text.as_str(), result.findings.len()), ("bad", 1));
        assert!(result.findings[0].fix.is_none());
    }
}
