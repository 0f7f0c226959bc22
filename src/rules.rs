//! The rules: each turns events of the analysis into findings.
mod finding;
pub use finding::{Finding, Label, Severity};

use crate::catalog::Catalog;
use crate::flow::Event;

/// One rule.
pub struct Rule {
    /// Its name, which reads after "allow".
    pub name: &'static str,
    /// How much its findings weigh unless the user says otherwise.
    pub severity: Severity,
    /// The law that it guards.
    pub law: Law,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// Its page, `rules/<name>.md`.
    pub page: &'static str,
    /// Turns an event into a finding, if it is this rule's.
    pub check: fn(&Event, &Context<'_>) -> Option<Finding>,
}

/// The law that a rule guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// A pending handle stays reachable until it is finished.
    Reach,
    /// A call can do what it says.
    Api,
}

/// What a rule may look at beside the event.
pub struct Context<'a> {
    /// The knowledge of libraries.
    pub catalog: &'a Catalog,
    /// The text of the file.
    pub text: &'a str,
    /// The backend in force, where it is known.
    pub backend: Option<&'a str>,
}

/// Every rule.
pub const RULES: &[Rule] = &[];

/// Turns the events of a file into findings.
pub fn check(events: &[Event], context: &Context<'_>) -> Vec<Finding> {
    events.iter().flat_map(|event| RULES.iter().filter_map(|rule| (rule.check)(event, context))).collect()
}
