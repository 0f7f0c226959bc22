//! How many findings there are of each rule, the most frequent first.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::json::write_value;
use crate::project::Outcome;

pub(super) fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    for row in rows(outcome) {
        writeln!(out, "{:>6}  {:<7}  {}", row.count, row.severity, row.rule)?;
    }
    Ok(())
}

pub(super) fn write_json(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    write_value(&rows(outcome), out)
}

#[derive(Serialize)]
struct Row {
    rule: &'static str,
    severity: &'static str,
    count: usize,
}

fn rows(outcome: &Outcome) -> Vec<Row> {
    let mut counts = BTreeMap::new();
    for (_, finding) in outcome.findings() {
        *counts.entry((finding.rule, finding.severity)).or_insert(0) += 1;
    }
    let row = |((rule, severity), count): ((&'static str, crate::rules::Severity), usize)| Row {
        rule,
        severity: severity.word(),
        count,
    };
    let mut rows: Vec<Row> = counts.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    rows
}
