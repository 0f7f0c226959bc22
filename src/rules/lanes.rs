//! The lanes of ranks: what each has done when nobody can go on, drawn as text.
//!
//! ```text
//! rank 0 │ send to rank 1 (line 7) ▒▒▒ waits for ever
//! rank 1 │ send to rank 0 (line 7) ▒▒▒ waits for ever
//! ```
//!
//! The colours and marks of `unwaited run --timeline` say the same: `●` starts, `▒` waits for ever.

use std::fmt::Write as _;

use super::{Context, Label};
use crate::flow::{LaneStep, Standstill};
use crate::source::Span;

/// Steps of a lane that are shown, the last ones.
const SHOWN: usize = 4;

/// One line a rank.
pub(super) fn draw(standstill: &Standstill, context: &Context<'_>) -> String {
    let mut text = String::new();
    for (rank, lane) in standstill.lanes.iter().enumerate() {
        let hidden = lane.len().saturating_sub(SHOWN);
        let mut steps: Vec<String> = lane.iter().skip(hidden).map(|step| tell(step, context)).collect();
        if hidden > 0 {
            steps.insert(0, "…".to_owned());
        }
        if !lane.iter().any(|step| step.stuck) {
            steps.push("■ ends".to_owned());
        }
        // Writing into a string does not fail.
        let _ = write!(text, "\nrank {rank} │ {}", steps.join("  "));
    }
    text
}

fn tell(step: &LaneStep, context: &Context<'_>) -> String {
    let line = line_of(step.at, context);
    match step.stuck {
        true => format!("● {} (line {line}) ▒▒▒ waits for ever", step.text),
        false => format!("● {} (line {line})", step.text),
    }
}

fn line_of(span: Span, context: &Context<'_>) -> usize {
    context.text.bytes().take(span.start as usize).filter(|byte| *byte == b'\n').count() + 1
}

/// Where each rank is stuck, one label a place.
pub(super) fn labels(standstill: &Standstill) -> Vec<Label> {
    let mut labels: Vec<(Span, String)> = Vec::new();
    for (rank, lane) in standstill.lanes.iter().enumerate() {
        for step in lane.iter().filter(|step| step.stuck) {
            let text = format!("rank {rank} waits here for its {}", step.text);
            match labels.iter_mut().find(|(span, _)| *span == step.at) {
                Some((_, known)) if known.contains(" and rank") => {}
                Some((_, known)) => {
                    let _ = write!(known, ", and rank {rank} for its {}", step.text);
                }
                None => labels.push((step.at, text)),
            }
        }
    }
    labels.into_iter().map(|(span, text)| Label { span, text }).collect()
}
