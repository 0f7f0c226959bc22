//! Which rules apply, and how much their findings weigh.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{INTERNAL_ERROR, SYNTAX_ERROR, UNREADABLE_FILE};
use crate::catalog::nearest;
use crate::rules::{self, Law, RULES, Severity};

/// The name under which suppressions without effect are reported.
pub const UNUSED_IGNORE: &str = "unused-ignore";

/// Something that a finding can be called.
#[derive(Clone, Copy, Debug)]
pub struct KnownRule {
    /// Its name.
    pub name: &'static str,
    /// How much its findings weigh unless the user says otherwise.
    pub severity: Severity,
    /// What it is about.
    pub subject: Subject,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// Its page.
    pub page: &'static str,
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The program: it breaks a law.
    Law(Law),
    /// Comments that suppress findings.
    Comments,
    /// Files that could not be checked. These rules cannot be chosen or suppressed.
    Failures,
}

/// What the tool says about its own work, beside [`RULES`].
const OWN: &[(&str, Severity, Subject, &str)] = &[
    (
        UNUSED_IGNORE,
        Severity::Warning,
        Subject::Comments,
        "a suppression comment suppresses nothing, or cannot be understood",
    ),
    (SYNTAX_ERROR, Severity::Error, Subject::Failures, "a file, or a part of it, cannot be parsed"),
    (UNREADABLE_FILE, Severity::Error, Subject::Failures, "a file cannot be read or decoded"),
    (INTERNAL_ERROR, Severity::Error, Subject::Failures, "a defect in unwaited kept it from checking a file"),
];

/// Everything that a finding can be called, in the order of the lists.
pub fn known_rules() -> impl Iterator<Item = KnownRule> {
    let of_laws = RULES.iter().map(|rule| KnownRule {
        name: rule.name,
        severity: rule.severity,
        subject: Subject::Law(rule.law),
        summary: rule.summary,
        page: rule.page,
    });
    of_laws.chain(OWN.iter().map(|&(name, severity, subject, summary)| KnownRule {
        name,
        severity,
        subject,
        summary,
        page: rules::page(name).unwrap_or_default(),
    }))
}

/// The name of a rule that can be chosen and suppressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleName(&'static str);

impl RuleName {
    /// Finds the rule of this name.
    pub fn parse(name: &str) -> Result<Self, BadRuleName> {
        let rule = known_rule(name)?;
        match rule.subject {
            Subject::Law(_) | Subject::Comments => Ok(Self(rule.name)),
            Subject::Failures => Err(BadRuleName::Fixed(rule.name)),
        }
    }

    /// The name.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

/// What is known under a name.
pub fn known_rule(name: &str) -> Result<KnownRule, BadRuleName> {
    let name = name.trim();
    known_rules().find(|rule| rule.name == name).ok_or_else(|| BadRuleName::Unknown {
        name: name.to_owned(),
        near: nearest(name, known_rules().map(|rule| rule.name)),
    })
}

/// A name that cannot stand where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadRuleName {
    /// No rule has it.
    Unknown {
        /// The name.
        name: String,
        /// The rule that was probably meant.
        near: Option<&'static str>,
    },
    /// It says that a file could not be checked, which nobody can choose.
    Fixed(&'static str),
}

impl BadRuleName {
    /// What is wrong.
    pub fn what(&self) -> String {
        match self {
            Self::Unknown { name, near: Some(near) } => {
                format!("no rule is called `{name}`: did you mean `{near}`?")
            }
            Self::Unknown { name, near: None } => format!("no rule is called `{name}`"),
            Self::Fixed(name) => format!("`{name}` is always reported: leave the file out instead"),
        }
    }
}

impl std::fmt::Display for BadRuleName {
    /// What is wrong, and what to do.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what())?;
        match self {
            Self::Unknown { near: None, .. } => f.write_str("; `unwaited rule` lists them"),
            Self::Unknown { near: Some(_), .. } | Self::Fixed(_) => Ok(()),
        }
    }
}

impl std::error::Error for BadRuleName {}

/// Which rules apply, and how much their findings weigh. Copies share what they hold: there is one for each file of a tree.
#[derive(Clone, Debug)]
pub struct Selection {
    rules: Arc<BTreeSet<&'static str>>,
    severities: Arc<BTreeMap<&'static str, Severity>>,
}

impl Default for Selection {
    fn default() -> Self {
        Self { rules: Arc::new(known_rules().map(|rule| rule.name).collect()), severities: Arc::default() }
    }
}

impl Selection {
    /// Only these rules.
    pub fn only(rules: impl IntoIterator<Item = RuleName>) -> Self {
        let rules = rules.into_iter().map(RuleName::as_str).collect();
        Self { rules: Arc::new(rules), severities: Arc::default() }
    }

    /// Only these rules, which weigh what they did.
    pub fn restricted_to(self, rules: impl IntoIterator<Item = RuleName>) -> Self {
        Self { severities: self.severities, ..Self::only(rules) }
    }

    /// These rules too.
    pub fn with(mut self, rules: impl IntoIterator<Item = RuleName>) -> Self {
        for rule in rules {
            Arc::make_mut(&mut self.rules).insert(rule.as_str());
        }
        self
    }

    /// All but these rules.
    pub fn without(mut self, rules: impl IntoIterator<Item = RuleName>) -> Self {
        for rule in rules {
            Arc::make_mut(&mut self.rules).remove(rule.as_str());
        }
        self
    }

    /// Findings of this rule weigh so much.
    pub fn weighing(mut self, rule: RuleName, severity: Severity) -> Self {
        Arc::make_mut(&mut self.severities).insert(rule.as_str(), severity);
        self
    }

    /// Whether a rule applies.
    pub fn selects(&self, rule: &str) -> bool {
        self.rules.contains(rule)
    }

    /// Whether any rule of a law applies.
    pub(crate) fn selects_law(&self, law: Law) -> bool {
        RULES.iter().any(|rule| rule.law == law && self.selects(rule.name))
    }

    /// How much the user wants a rule's findings to weigh.
    pub fn severity_of(&self, rule: &str) -> Option<Severity> {
        self.severities.get(rule).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_rule_is_told_what_was_probably_meant() {
        let wrong = RuleName::parse("unusd-ignore").unwrap_err();
        insta::assert_snapshot!(wrong, @"no rule is called `unusd-ignore`: did you mean `unused-ignore`?");
        insta::assert_snapshot!(RuleName::parse("E501").unwrap_err(), @"no rule is called `E501`; `unwaited rule` lists them");
        insta::assert_snapshot!(RuleName::parse("syntax-error").unwrap_err(), @"`syntax-error` is always reported: leave the file out instead");
    }

    #[test]
    fn ignoring_wins_over_selecting() {
        let rule = RuleName::parse(UNUSED_IGNORE).unwrap();
        assert!(Selection::default().selects(UNUSED_IGNORE));
        assert!(!Selection::only([]).selects(UNUSED_IGNORE));
        assert!(Selection::only([]).with([rule]).selects(UNUSED_IGNORE));
        assert!(!Selection::only([rule]).without([rule]).selects(UNUSED_IGNORE));
    }
}
