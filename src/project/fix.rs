//! Makes the fixes of a file, round by round, until nothing is left that can be fixed; and says which fixes are worth to be
//! offered.
//!
//! - A fix is **offered** where it was made on a copy and the copy is better for it.
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
/// How many bytes are checked again at most to find out which fixes of a file are offered, and how often at least. Behind that
/// no more are offered: a person did not write so many mistakes into one function.
const TRIED: usize = 1 << 18;
const TRIED_AT_LEAST: usize = 8;

/// A file after its fixes.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    pub(crate) source: SourceFile,
    /// What is still found in it.
    pub(crate) findings: Vec<Finding>,
    /// How many findings of which rule are gone.
    pub(crate) rules: BTreeMap<&'static str, usize>,
    /// What was found before.
    pub(crate) found: Vec<Finding>,
}

impl Fixed {
    /// A file that nothing was fixed in.
    pub(crate) fn unchanged(source: SourceFile, findings: Vec<Finding>) -> Self {
        Self { source, findings, rules: BTreeMap::new(), found: Vec::new() }
    }
}

/// Fixes a file in which `findings` were found. `check` says what is found in another version of it.
pub(crate) fn fix(
    source: &SourceFile,
    findings: Vec<Finding>,
    allowed: Applicability,
    check: &dyn Fn(&SourceFile) -> Vec<Finding>,
) -> Fixed {
    let found = findings.clone();
    let mut state = Fixed::unchanged(source.clone(), findings);
    for _ in 0..ROUNDS {
        let chosen = choose(&state.findings, allowed);
        let one_by_one = || every(&state.findings, allowed).find_map(|fix| attempt(&state, &[fix], check));
        let next = attempt(&state, &chosen, check).or_else(one_by_one);
        let Some(next) = next else { break };
        state = next;
    }
    state.rules = gone(&found, &state.findings);
    state.found = found;
    let is_allowed = |fix: &Fix| fix.applicability <= allowed;
    for finding in &mut state.findings {
        finding.fix = finding.fix.take().filter(|fix| !is_allowed(fix));
    }
    state.findings = offered(&state.source, state.findings, check);
    state
}

/// The findings of a file with those fixes only that make it better. Fixes of different functions are tried together, and
/// one by one where that does not tell enough.
pub(crate) fn offered(
    source: &SourceFile,
    mut findings: Vec<Finding>,
    check: &dyn Fn(&SourceFile) -> Vec<Finding>,
) -> Vec<Finding> {
    let mut trial = Trial {
        source,
        findings: &findings,
        check,
        left: (TRIED / source.text.len().max(1)).max(TRIED_AT_LEAST),
    };
    let mut open: Vec<usize> = (0..findings.len()).filter(|at| trial.fix(*at).is_some()).collect();
    let mut good = BTreeSet::new();
    while !open.is_empty() {
        let batch = trial.batch(&open);
        open.retain(|at| !batch.contains(at));
        match trial.all_help(&batch) {
            true => good.extend(batch),
            false if batch.len() == 1 => {}
            false => good.extend(batch.into_iter().filter(|at| trial.all_help(&[*at]))),
        }
    }
    let refused = findings.iter_mut().enumerate().filter(|(at, _)| !good.contains(at));
    refused.for_each(|(_, finding)| finding.fix = None);
    findings
}

/// Fixes that are tried on copies of a file.
struct Trial<'f> {
    source: &'f SourceFile,
    findings: &'f [Finding],
    check: &'f dyn Fn(&SourceFile) -> Vec<Finding>,
    /// How often the file may still be checked.
    left: usize,
}

impl<'f> Trial<'f> {
    fn fix(&self, at: usize) -> Option<&'f Fix> {
        self.findings.get(at)?.fix.as_ref()
    }

    fn function(&self, at: usize) -> &'f str {
        self.findings.get(at).map_or("", |finding| finding.function.as_str())
    }

    /// Some of the open fixes, one of each function, that can be made together.
    fn batch(&self, open: &[usize]) -> Vec<usize> {
        let (mut edits, mut functions, mut batch) = (Vec::new(), BTreeSet::new(), Vec::new());
        for at in open {
            let Some(fix) = self.fix(*at) else { continue };
            let is_first = batch.is_empty();
            if is_first || !functions.contains(self.function(*at)) && agree(&fix.edits, &edits) {
                functions.insert(self.function(*at));
                edits.extend(fix.edits.iter().cloned());
                batch.push(*at);
            }
        }
        batch
    }

    /// Whether the file, and each function with one of these fixes, is better for them.
    fn all_help(&mut self, batch: &[usize]) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let edits: Vec<Edit> =
            batch.iter().filter_map(|at| self.fix(*at)).flat_map(|fix| fix.edits.iter().cloned()).collect();
        let Some(after) = self.source.edited(&edits).map(|changed| (self.check)(&changed)) else {
            return false;
        };
        let (before, now) = (by_function(self.findings), by_function(&after));
        let is_better = |at: &usize| {
            let of = |all: &'_ BTreeMap<&str, Vec<Finding>>| all.get(self.function(*at)).cloned();
            helps(&of(&before).unwrap_or_default(), &of(&now).unwrap_or_default())
        };
        helps(self.findings, &after) && (batch.len() == 1 || batch.iter().all(is_better))
    }
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
    Some(Fixed::unchanged(source, findings))
}

fn by_function(findings: &[Finding]) -> BTreeMap<&str, Vec<Finding>> {
    let mut all: BTreeMap<&str, Vec<Finding>> = BTreeMap::new();
    for finding in findings {
        all.entry(finding.function.as_str()).or_default().push(finding.clone());
    }
    all
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
    fn a_fix_that_does_not_help_is_not_offered() {
        let source = SourceFile::new("a.py", "bad poor bad");
        let with = |written| move |source: &SourceFile| found(&source.text, written, Applicability::Unsafe);
        let count = |written: &'static str| {
            let check = with(written);
            let findings = offered(&source, check(&source), &check);
            findings.iter().filter(|finding| finding.fix.is_some()).count()
        };
        assert_eq!((count("ok"), count("bad bad")), (2, 0));
    }

    #[test]
    fn only_the_good_ones_of_a_batch_are_offered() {
        let source = SourceFile::new("a.py", "bad.1 bad.2 bad.3");
        let check = |source: &SourceFile| {
            let mut findings = found(&source.text, "bad", Applicability::Unsafe);
            for finding in &mut findings {
                let behind = &source.text[finding.primary.span.end as usize..];
                finding.function = behind.chars().take(2).collect();
                let text = if behind.starts_with(".2") { "bad.2 bad" } else { "ok" };
                finding.fix.as_mut().unwrap().edits = vec![Edit::replace(finding.primary.span, text)];
            }
            findings
        };
        let findings = offered(&source, check(&source), &check);
        let is_offered: Vec<bool> = findings.iter().map(|finding| finding.fix.is_some()).collect();
        assert_eq!(is_offered, [true, false, true]);
    }

    #[test]
    fn a_fix_that_does_not_help_is_taken_back_and_not_offered_any_more() {
        let result = fixed("bad", "bad bad", Applicability::Safe, Applicability::Safe);
        assert_eq!((result.source.text.as_str(), result.findings.len()), ("bad", 1));
        assert!(result.findings[0].fix.is_none());
    }
}
