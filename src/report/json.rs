//! One array with an element for each finding, or one row for each.
//!
//! Rows and columns count from 1, columns in characters. A finding about a file that could not be read stands at 1:1.

use std::io::{self, Write};

use serde::Serialize;

use super::page_address;
use super::place::Place;
use crate::project::{FileReport, Outcome};
use crate::rules::{Finding, Fix, Label};
use crate::source::{Edit, Position, Span};

pub(super) fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let elements: Vec<Element<'_>> =
        outcome.findings().map(|(report, finding)| element(report, finding)).collect();
    write_value(&elements, out)
}

/// Writes any value as indented JSON with a line end.
pub(super) fn write_value(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

pub(super) fn write_rows(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    outcome.findings().try_for_each(|(report, finding)| write_row(&element(report, finding), out))
}

/// Writes any value as JSON in one row.
pub(super) fn write_row(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Element<'o> {
    rule: &'o str,
    severity: &'o str,
    message: &'o str,
    filename: &'o str,
    location: Location,
    end_location: Location,
    labels: Vec<JsonLabel<'o>>,
    help: Option<&'o str>,
    url: Option<String>,
    fix: Option<JsonFix<'o>>,
}

#[derive(Serialize)]
struct JsonFix<'o> {
    applicability: &'o str,
    message: &'o str,
    edits: Vec<JsonEdit<'o>>,
}

#[derive(Serialize)]
struct JsonEdit<'o> {
    content: &'o str,
    location: Location,
    end_location: Location,
}

#[derive(Serialize)]
struct JsonLabel<'o> {
    message: &'o str,
    location: Location,
    end_location: Location,
}

#[derive(Serialize)]
struct Location {
    /// The cell, in a notebook.
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<u32>,
    row: u32,
    column: u32,
}

fn element<'o>(report: &'o FileReport, finding: &'o Finding) -> Element<'o> {
    let (location, end_location) = locations(report, finding.primary.span);
    let told =
        std::iter::once(&finding.primary).chain(&finding.labels).filter(|label| !label.text.is_empty());
    Element {
        rule: finding.rule,
        severity: finding.severity.word(),
        message: &finding.message,
        filename: &report.name,
        location,
        end_location,
        labels: told.map(|label| json_label(report, label)).collect(),
        help: Some(finding.help.as_str()).filter(|help| !help.is_empty()),
        url: page_address(finding.rule),
        fix: finding.fix.as_ref().map(|fix| json_fix(report, fix)),
    }
}

fn json_fix<'o>(report: &FileReport, fix: &'o Fix) -> JsonFix<'o> {
    let edit = |edit: &'o Edit| {
        let (location, end_location) = locations(report, edit.span);
        JsonEdit { content: &edit.text, location, end_location }
    };
    JsonFix {
        applicability: fix.applicability.word(),
        message: &fix.message,
        edits: fix.edits.iter().map(edit).collect(),
    }
}

fn json_label<'o>(report: &FileReport, label: &'o Label) -> JsonLabel<'o> {
    let (location, end_location) = locations(report, label.span);
    JsonLabel { message: &label.text, location, end_location }
}

fn locations(report: &FileReport, span: Span) -> (Location, Location) {
    let cell = |offset| report.source.as_ref().and_then(|source| source.cell(offset));
    let location = |position: Position, offset| Location {
        cell: cell(offset),
        row: position.row,
        column: position.column,
    };
    let Place { start, end } = Place::of(report, span);
    (location(start, span.start), location(end, span.end))
}
