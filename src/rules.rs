//! The rules: each turns events of the analysis into findings.
//!
//! - An **event** says what happened to a handle ([`crate::flow::Event`]); a **finding** says it to a person.
//! - A **rule** is one file with one function, and a row of [`RULES`], the list that everybody can see. It never looks at
//!   a syntax tree: the event carries the story, and the text of a span gives the user's own names.
//! - A **mistake** is reported once. Events of one mistake arrive from many paths, and an API mistake has consequences that
//!   the analysis sees as well; [`check`] keeps one finding of each mistake.
//!
//! ```text
//! handle = dist.isend(a, 1)      Lost { started: here, how: Renewed, … }  → overwritten-handle, here
//! handle = dist.isend(b, 1)      Lost { started: here, how: ScopeEnd, … } → unwaited-handle, here
//! ```

mod bad_timeout;
mod batch_misuse;
mod buffer_read;
mod buffer_rebound;
mod buffer_shared;
mod buffer_written;
mod busy_poll;
mod discarded_handle;
mod divergent_collective;
mod finding;
mod fix;
#[cfg(test)]
mod hand_built;
mod immediate_wait;
mod lanes;
mod message_discarded;
mod mistake;
mod overwritten_handle;
mod partly_waited;
mod prefer_collective;
mod serialized_loop;
mod small_receive_room;
mod story;
mod temporary_buffer;
mod universe_dropped;
mod unlaunched_operation;
mod unmatched_message;
mod unread_handle;
mod unwaited_handle;
mod wait_cycle;
mod wait_never_runs;
mod wait_on_list;
mod waited_twice;

pub use finding::{Applicability, Elsewhere, Finding, Fix, Label, Row, Severity};

use std::cell::OnceCell;

use crate::catalog::Catalog;
use crate::flow::Event;
use crate::source::{Language, Layout, StatementLines};

/// All rules, by law, and in each law the one that explains a mistake best first.
pub const RULES: &[Rule] = &[
    discarded_handle::RULE,
    partly_waited::RULE,
    overwritten_handle::RULE,
    unwaited_handle::RULE,
    unread_handle::RULE,
    unlaunched_operation::RULE,
    buffer_written::RULE,
    buffer_read::RULE,
    buffer_shared::RULE,
    buffer_rebound::RULE,
    temporary_buffer::RULE,
    serialized_loop::RULE,
    immediate_wait::RULE,
    busy_poll::RULE,
    prefer_collective::RULE,
    wait_cycle::RULE,
    divergent_collective::RULE,
    unmatched_message::RULE,
    batch_misuse::RULE,
    wait_on_list::RULE,
    wait_never_runs::RULE,
    waited_twice::RULE,
    bad_timeout::RULE,
    universe_dropped::RULE,
    message_discarded::RULE,
    small_receive_room::RULE,
];

/// What the tool says about its own work: (name, page). No event leads to these, so they have no check.
pub const DIAGNOSTICS: &[(&str, &str)] = &[
    ("syntax-error", include_str!("../rules/syntax-error.md")),
    ("unreadable-file", include_str!("../rules/unreadable-file.md")),
    ("unused-ignore", include_str!("../rules/unused-ignore.md")),
    ("internal-error", include_str!("../rules/internal-error.md")),
];

/// One rule.
#[derive(Debug)]
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
    /// A buffer in flight is not touched.
    Quiet,
    /// Between start and wait there is work to overlap with.
    Overlap,
    /// No rank waits for what a peer can only start after a wait of its own.
    Progress,
    /// A call can do what it says.
    Api,
}

impl Law {
    /// Its name and what it says, for pages and lists.
    pub fn words(self) -> &'static str {
        match self {
            Self::Reach => "Reach: a pending handle stays reachable until it is finished",
            Self::Quiet => "Quiet: a buffer in flight is not touched",
            Self::Overlap => "Overlap: between start and wait there is work",
            Self::Progress => {
                "Progress: no rank waits for what a peer can only start after a wait of its own"
            }
            Self::Api => "API: a call can do what it says",
        }
    }
}

/// What a rule may look at beside the event.
#[derive(Debug)]
pub struct Context<'a> {
    /// The knowledge of libraries.
    pub catalog: &'a Catalog,
    /// The text of the file.
    pub text: &'a str,
    /// The backend in force, where it is known.
    pub backend: Option<&'a str>,
    /// What the file is written in, and what fixes are written in.
    pub language: Language,
    lines: OnceCell<StatementLines>,
}

impl<'a> Context<'a> {
    /// What is known of a Python file.
    pub fn new(catalog: &'a Catalog, text: &'a str, backend: Option<&'a str>) -> Self {
        Self { catalog, text, backend, language: Language::Python, lines: OnceCell::new() }
    }

    /// The same for a file in another language.
    pub fn in_language(self, language: Language) -> Self {
        Self { language, ..self }
    }

    /// How the text is laid out, for fixes.
    fn layout(&self) -> Layout<'a> {
        let lines = self.lines.get_or_init(|| StatementLines::of_python(self.text));
        Layout::new(self.text, lines.clone())
    }
}

/// Runs every rule over every event: one finding a mistake, in the order of the file.
pub fn check(events: &[Event], context: &Context<'_>) -> Vec<Finding> {
    let mut told = Vec::new();
    for event in events {
        for (rank, rule) in RULES.iter().enumerate() {
            if let Some(mut finding) = (rule.check)(event, context) {
                finding.elsewhere = story::elsewhere(&event.what, context);
                if context.language == Language::Rust {
                    finding.fix = fix::in_rust(event, context);
                }
                story::tell_each_place_once(&mut finding);
                told.push(mistake::Told { rank, law: rule.law, event, finding });
            }
        }
    }
    mistake::one_finding_each(told, context)
}

/// The rule of a name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

/// The page of a rule or of one of the tool's own diagnostics.
pub fn page(name: &str) -> Option<&'static str> {
    let diagnostic = || DIAGNOSTICS.iter().find(|(own, _)| *own == name).map(|(_, page)| *page);
    rule(name).map(|rule| rule.page).or_else(diagnostic)
}
