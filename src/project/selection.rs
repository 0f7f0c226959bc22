//! Which rules apply, and how much their findings weigh.

use std::collections::{BTreeMap, BTreeSet};

use crate::rules::{Law, RULES, Severity};

/// The name under which suppressions without effect are reported.
pub const UNUSED_IGNORE: &str = "unused-ignore";

/// A rule that can be named on the command line and in suppressions.
#[derive(Clone, Copy, Debug)]
pub struct KnownRule {
    /// Its name.
    pub name: &'static str,
    /// How much its findings weigh unless the user says otherwise.
    pub severity: Severity,
    /// The law that it guards; `None` for the rule about suppressions.
    pub law: Option<Law>,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// Its page.
    pub page: &'static str,
}

/// All rules, in the order of the list.
pub fn known_rules() -> impl Iterator<Item = KnownRule> {
    let rules = RULES.iter().map(|rule| KnownRule {
        name: rule.name,
        severity: rule.severity,
        law: Some(rule.law),
        summary: rule.summary,
        page: rule.page,
    });
    let own = KnownRule {
        name: UNUSED_IGNORE,
        severity: Severity::Warning,
        law: None,
        summary: "a suppression comment that suppresses nothing, or that cannot be understood",
        page: include_str!("../../rules/unused-ignore.md"),
    };
    rules.chain(std::iter::once(own))
}

/// The name of a rule that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleName(&'static str);

impl RuleName {
    /// Finds the rule of this name.
    pub fn parse(name: &str) -> Result<Self, UnknownRule> {
        let name = name.trim();
        let found = known_rules().find(|rule| rule.name == name);
        found.map(|rule| Self(rule.name)).ok_or_else(|| UnknownRule {
            name: name.to_owned(),
            near: nearest(name, known_rules().map(|rule| rule.name)),
        })
    }

    /// The name.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

/// A name that no rule has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule {
    /// The name.
    pub name: String,
    /// The rule that was probably meant.
    pub near: Option<&'static str>,
}

impl std::fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no rule is called `{}`", self.name)?;
        match self.near {
            Some(near) => write!(f, ": did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownRule {}

/// The candidate that is most like a misspelt name, if any is.
pub fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    candidates
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, candidate)| candidate)
}

/// Which rules apply, and how much their findings weigh.
#[derive(Clone, Debug)]
pub struct Selection {
    rules: BTreeSet<&'static str>,
    severities: BTreeMap<&'static str, Severity>,
}

impl Default for Selection {
    fn default() -> Self {
        let rules = known_rules().map(|rule| rule.name).collect();
        Self { rules, severities: BTreeMap::new() }
    }
}

impl Selection {
    /// Only these rules.
    pub fn only(rules: impl IntoIterator<Item = RuleName>) -> Self {
        let rules = rules.into_iter().map(RuleName::as_str).collect();
        Self { rules, severities: BTreeMap::new() }
    }

    /// These rules too.
    pub fn with(mut self, rules: impl IntoIterator<Item = RuleName>) -> Self {
        self.rules.extend(rules.into_iter().map(RuleName::as_str));
        self
    }

    /// All but these rules.
    pub fn without(mut self, rules: impl IntoIterator<Item = RuleName>) -> Self {
        for rule in rules {
            self.rules.remove(rule.as_str());
        }
        self
    }

    /// Findings of this rule weigh so much.
    pub fn weighing(mut self, rule: RuleName, severity: Severity) -> Self {
        self.severities.insert(rule.as_str(), severity);
        self
    }

    /// Whether a rule applies.
    pub fn selects(&self, rule: &str) -> bool {
        self.rules.contains(rule)
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
        insta::assert_snapshot!(RuleName::parse("E501").unwrap_err(), @"no rule is called `E501`");
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
