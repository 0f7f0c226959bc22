//! What the user sees of a run.
//!
//! - **full**: every finding with the source it is about and one label for each step of its story.
//! - **concise**: one row for each finding, `path:row:column: severity[rule] message`.
//! - **json**: one array with an element for each finding, for programs; **json-lines**: one row for each.
//! - **sarif**, **github**, **gitlab**, **junit**, **lintrunner**: what these services and tools read.
//!
//! Full and concise end with a **closing line** that counts what was found.

mod closing;
mod concise;
mod excerpt;
mod full;
mod github;
mod gitlab;
mod json;
mod junit;
mod links;
mod lintrunner;
mod place;
mod sarif;
mod statistics;

pub use links::Links;

use std::io::{self, Write};

use crate::project::Outcome;
use crate::rules::Applicability;

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Full,
    /// For people in a hurry, and editors.
    Concise,
    /// For programs.
    Json,
    /// For programs that read row by row.
    JsonLines,
    /// For code scanning services.
    Sarif,
    /// For GitHub Actions.
    Github,
    /// For GitLab's code quality.
    Gitlab,
    /// For services that show tests.
    Junit,
    /// For PyTorch's lintrunner.
    Lintrunner,
}

impl Format {
    /// Whether it counts findings where that is asked for.
    pub fn has_statistics(self) -> bool {
        match self {
            Self::Full | Self::Concise | Self::Json => true,
            Self::JsonLines | Self::Sarif | Self::Github | Self::Gitlab | Self::Junit | Self::Lintrunner => {
                false
            }
        }
    }

    /// Whether it is for a service that shows a repository, and names files from its root.
    pub fn is_about_a_repository(self) -> bool {
        match self {
            Self::Sarif | Self::Github | Self::Gitlab => true,
            Self::Full | Self::Concise | Self::Json | Self::JsonLines | Self::Junit | Self::Lintrunner => {
                false
            }
        }
    }

    /// Whether a person reads it.
    pub fn is_for_people(self) -> bool {
        match self {
            Self::Full | Self::Concise => true,
            Self::Json
            | Self::JsonLines
            | Self::Sarif
            | Self::Github
            | Self::Gitlab
            | Self::Junit
            | Self::Lintrunner => false,
        }
    }
}

/// What the report tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// Every finding.
    #[default]
    Findings,
    /// How many findings there are of each rule.
    Statistics,
}

/// Whether the closing line is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Closing {
    /// It is.
    #[default]
    Printed,
    /// Only what was found is.
    Omitted,
}

/// Whether the report is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// With ANSI colours.
    Coloured,
    /// As plain text.
    #[default]
    Plain,
}

/// How a report looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Its form.
    pub format: Format,
    /// What it tells.
    pub content: Content,
    /// Whether it ends with a closing line.
    pub closing: Closing,
    /// Whether it is coloured.
    pub colour: Colour,
    /// Whether names of rules are links to their pages.
    pub links: Links,
    /// Which fixes are passed on to a tool that makes them.
    pub fixes: Applicability,
    /// How many columns there are.
    pub width: usize,
}

/// Writes the report of a run.
pub fn write(outcome: &Outcome, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    match (look.format, look.content) {
        (Format::Json, Content::Statistics) => statistics::write_json(outcome, out)?,
        (_, Content::Statistics) => statistics::write(outcome, out)?,
        (Format::Full, Content::Findings) => full::write(outcome, look, out)?,
        (Format::Concise, Content::Findings) => concise::write(outcome, look, out)?,
        (Format::Json, Content::Findings) => json::write(outcome, out)?,
        (Format::JsonLines, Content::Findings) => json::write_rows(outcome, out)?,
        (Format::Sarif, Content::Findings) => sarif::write(outcome, out)?,
        (Format::Github, Content::Findings) => github::write(outcome, out)?,
        (Format::Gitlab, Content::Findings) => gitlab::write(outcome, out)?,
        (Format::Junit, Content::Findings) => junit::write(outcome, out)?,
        (Format::Lintrunner, Content::Findings) => lintrunner::write(outcome, look.fixes, out)?,
    }
    match look.closing {
        Closing::Printed if look.format.is_for_people() => closing::write(outcome, out),
        Closing::Printed | Closing::Omitted => Ok(()),
    }
}

/// The address of a rule's page on the web, where the package has a home there.
pub fn page_address(rule: &str) -> Option<String> {
    const HOME: &str = env!("CARGO_PKG_REPOSITORY");
    let has_page = crate::project::known_rules().any(|known| known.name == rule);
    (has_page && !HOME.is_empty()).then(|| format!("{HOME}/blob/main/rules/{rule}.md"))
}

/// A text with everything replaced that a terminal might take for a command, or that would hide what is written.
fn printable(text: &str) -> String {
    text.chars().map(printable_character).collect()
}

/// The same, of a text in lines.
fn printable_lines(text: &str) -> String {
    text.lines().map(printable).collect::<Vec<_>>().join("\n")
}

fn printable_character(character: char) -> char {
    match character {
        '\t' => '\t',
        '\u{c}' => ' ',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + character as u32).unwrap_or('\u{fffd}'),
        '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            '\u{fffd}'
        }
        _ => character,
    }
}
