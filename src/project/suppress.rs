//! Applies the suppressions of a file to its findings, and reports those that suppress nothing.

use std::collections::BTreeSet;

use super::outcome::{Silence, Silenced, plain_finding};
use super::{RuleName, Selection, UNUSED_IGNORE};
use crate::rules::{Applicability, Finding, Fix, Severity};
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
        let all = self.suppressions.iter();
        let names =
            all.flat_map(|suppression| suppression.rules.iter().map(move |named| (suppression, named)));
        let unused = names.filter(|(_, named)| !self.used.contains(&named.span.start));
        unused.filter_map(|(suppression, named)| self.complaint(suppression, named, selection)).collect()
    }

    fn complaint(&self, suppression: &Suppression, named: &Named, selection: &Selection) -> Option<Finding> {
        let mut finding = complaint(named, selection)?;
        let is_known = RuleName::parse(&named.name).is_ok();
        finding.fix = is_known.then(|| Fix {
            applicability: Applicability::Safe,
            message: finding.help.clone(),
            edits: vec![suppression.without(named, &self.source.text, &self.source.lines)],
        });
        Some(finding)
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
