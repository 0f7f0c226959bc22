//! What the user sees of a run.
//!
//! - **full**: every finding with the source it is about and one label for each step of its story.
//! - **concise**: one row for each finding, `path:row:column: severity[rule] message`.
//! - **json**: one array with an element for each finding, for programs.
//!
//! Full and concise end with a **closing line** that counts what was found.

mod closing;
mod concise;
mod excerpt;
mod full;
mod json;
mod statistics;

use std::io::{self, Write};

use crate::project::Outcome;

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
    /// How many columns there are.
    pub width: usize,
}

/// Writes the report of a run.
pub fn write(outcome: &Outcome, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    match (look.format, look.content) {
        (Format::Json, Content::Findings) => return json::write(outcome, out),
        (Format::Json, Content::Statistics) => return statistics::write_json(outcome, out),
        (_, Content::Statistics) => statistics::write(outcome, out)?,
        (Format::Full, Content::Findings) => full::write(outcome, look, out)?,
        (Format::Concise, Content::Findings) => concise::write(outcome, look, out)?,
    }
    match look.closing {
        Closing::Printed => closing::write(outcome, out),
        Closing::Omitted => Ok(()),
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
