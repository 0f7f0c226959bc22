//! One row for each finding: `path:row:column: severity[rule] message`; in a notebook `path:cell N:row:column`.

use std::io::{self, Write};

use super::{Colour, Look, page_address, printable};
use crate::project::{FileReport, Outcome};
use crate::rules::{Finding, Severity};

pub(super) fn write(outcome: &Outcome, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    for (report, finding) in outcome.findings() {
        let severity = coloured(finding.severity, look.colour);
        let message = printable(&finding.message);
        let rule = look.links.link(finding.rule, page_address(finding.rule).as_deref());
        writeln!(out, "{}: {severity}[{rule}] {message}", place(report, finding))?;
    }
    Ok(())
}

fn place(report: &FileReport, finding: &Finding) -> String {
    let name = printable(&report.name);
    match &report.source {
        Some(source) => {
            let start = finding.primary.span.start;
            let position = source.position(start);
            let cell = source.cell(start).map(|cell| format!("cell {cell}:")).unwrap_or_default();
            format!("{name}:{cell}{}:{}", position.row, position.column)
        }
        None => name,
    }
}

fn coloured(severity: Severity, colour: Colour) -> String {
    let code = match severity {
        Severity::Error => 31,
        Severity::Warning => 33,
        Severity::Advice => 36,
    };
    match colour {
        Colour::Coloured => format!("\u{1b}[{code}m{}\u{1b}[0m", severity.word()),
        Colour::Plain => severity.word().to_owned(),
    }
}
