//! Applies the suppressions of a file to its findings, and reports those that suppress nothing.

use std::collections::BTreeSet;

use super::outcome::{Silence, Silenced, plain_finding};
use super::{RuleName, Selection, UNUSED_IGNORE};
use crate::rules::{Finding, Severity};
use crate::source::{Named, SourceFile, Suppression, Suppressions};

/// The findings that remain, and those that are suppressed. A name whose rule applies and that suppresses nothing is a finding of its own, unless the
/// file could not be read wholly: then nobody knows what it would have suppressed.
pub(crate) fn suppress(
    findings: Vec<Finding>,
    source: &SourceFile,
    suppressions: &Suppressions,
    selection: &Selection,
    readable: bool,
) -> (Vec<Finding>, Vec<Silenced>) {
    let mut tally = Tally { source, suppressions: &suppressions.all, used: BTreeSet::new() };
    let (mut left, mut silenced) = (Vec::new(), Vec::new());
    tally.divide(findings, &mut left, &mut silenced);
    if readable && selection.selects(UNUSED_IGNORE) {
        let unused = tally.unused(selection);
        tally.divide(unused, &mut left, &mut silenced);
        left.extend(suppressions.misspelt.iter().map(|wrong| {
            let mut finding =
                plain_finding(UNUSED_IGNORE, Severity::Warning, wrong.message.clone(), wrong.span);
            finding.help = "write `# unwaited: ignore[rule] reason`".to_owned();
            finding
        }));
    }
    (left, silenced)
}

struct Tally<'f> {
    source: &'f SourceFile,
    suppressions: &'f [Suppression],
    /// Where the names stand that have suppressed something.
    used: BTreeSet<u32>,
}

impl Tally<'_> {
    fn divide(&mut self, findings: Vec<Finding>, left: &mut Vec<Finding>, silenced: &mut Vec<Silenced>) {
        for finding in findings {
            match self.reason(&finding) {
                Some(reason) => silenced.push(Silenced { finding, why: Silence::Comment(reason) }),
                None => left.push(finding),
            }
        }
    }

    /// The reason that the first suppression gives which covers a finding; all that do are used.
    fn reason(&mut self, finding: &Finding) -> Option<String> {
        let row = self.source.lines.row(finding.primary.span.start);
        let covering = self.suppressions.iter().filter(|suppression| suppression.reach.covers(row));
        let mut reason = None;
        for suppression in covering {
            let named = suppression.rules.iter().filter(|named| named.name == finding.rule);
            for named in named {
                self.used.insert(named.span.start);
                reason.get_or_insert_with(|| suppression.reason.clone());
            }
        }
        reason
    }

    fn unused(&self, selection: &Selection) -> Vec<Finding> {
        let names = self.suppressions.iter().flat_map(|suppression| &suppression.rules);
        let unused = names.filter(|named| !self.used.contains(&named.span.start));
        unused.filter_map(|named| complaint(named, selection)).collect()
    }
}

fn complaint(named: &Named, selection: &Selection) -> Option<Finding> {
    let (message, help) = match RuleName::parse(&named.name) {
        Ok(rule) if rule.as_str() == UNUSED_IGNORE || !selection.selects(rule.as_str()) => return None,
        Ok(rule) => {
            let rule = rule.as_str();
            (
                format!("this suppression of `{rule}` suppresses nothing"),
                format!("remove `{rule}` from the comment"),
            )
        }
        Err(wrong) => (wrong.to_string(), "`unwaited rule` lists the names".to_owned()),
    };
    let mut finding = plain_finding(UNUSED_IGNORE, Severity::Warning, message, named.span);
    finding.help = help;
    Some(finding)
}
