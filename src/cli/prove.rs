//! `unwaited prove`: the companion runtime beside the linter.

use std::path::Path;
use std::process::ExitCode;

use crate::project::{self, Input, Options, Silent};
use crate::rules::{self, Severity};
use crate::runtime::prove::{self, Finding, Linter, ProveArgs, Weight};
use crate::source::Language;

pub(super) fn run(arguments: &ProveArgs) -> ExitCode {
    prove::run(arguments, &Check)
}

/// What `unwaited check` finds in one file.
struct Check;

impl Linter for Check {
    fn has_rule(&self, name: &str) -> bool {
        rules::rule(name).is_some()
    }

    fn findings(&self, path: &Path) -> Result<Option<Vec<Finding>>, String> {
        if Language::of(path).is_none() {
            return Ok(None);
        }
        let input = Input::Paths(vec![path.to_owned()]);
        let outcome = project::check(input, &Options::default(), &Silent)?;
        let found = outcome.findings().map(|(_, finding)| Finding {
            rule: finding.rule.to_owned(),
            weight: match finding.severity {
                Severity::Advice => Weight::Advice,
                Severity::Warning | Severity::Error => Weight::Harm,
            },
        });
        Ok(Some(found.collect()))
    }
}
