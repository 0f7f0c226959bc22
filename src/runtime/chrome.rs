//! The trace in Chrome's format, which Perfetto opens: a thread a rank, slices for computing and waiting, arrows for
//! messages, instants for lost handles. Times are microseconds of virtual time.

use super::trace::{Event, What};
use super::{Handle, Run, Time};
use serde_json::{Value, json};
use std::collections::HashMap;

/// A run as a JSON document.
#[must_use]
pub fn json(run: &Run) -> Value {
    let ranks = run.trace.iter().map(|event| event.rank + 1).max().unwrap_or(0);
    let mut events: Vec<Value> = (0..ranks).map(named).collect();
    let mut open = Open { posted: HashMap::new(), since: vec![None; ranks] };
    for event in &run.trace {
        open.add(event, &mut events);
    }
    let end = run.verdict.makespan;
    for (rank, since) in open.since.iter().enumerate() {
        if let Some((from, name)) = since {
            events.push(slice(rank, &format!("{name} for ever"), *from, end));
        }
    }
    json!({ "displayTimeUnit": "ns", "traceEvents": events, "otherData": {
        "outcome": run.verdict.outcome.to_string(),
        "schedule": run.verdict.schedule.to_string(),
    } })
}

struct Open<'run> {
    /// Where each operation was posted, and what it is.
    posted: HashMap<Handle, (usize, Time, &'run str)>,
    /// Since when a rank waits, and where.
    since: Vec<Option<(Time, String)>>,
}

impl<'run> Open<'run> {
    fn add(&mut self, event: &'run Event, events: &mut Vec<Value>) {
        let Event { at, rank, what } = event;
        match what {
            What::Posted { handle, operation, place, .. } => {
                self.posted.insert(*handle, (*rank, *at, operation));
                events.push(instant(*rank, operation, *at, &place.to_string()));
            }
            What::Matched { send, receive } => self.flow(*send, *receive, *at, events),
            What::Waits { place, .. } => self.since[*rank] = Some((*at, format!("waits at {place}"))),
            What::Resumed { .. } => {
                if let Some((from, name)) = self.since[*rank].take() {
                    events.push(slice(*rank, &name, from, *at));
                }
            }
            What::Computed { until } => events.push(slice(*rank, "computes", *at, *until)),
            What::Lost { place, .. } => events.push(instant(*rank, "handle lost", *at, &place.to_string())),
            What::Failed { message } => events.push(instant(*rank, "fails", *at, message)),
            What::Left => events.push(instant(*rank, "leaves", *at, "")),
            What::Took { .. } | What::Completed { .. } | What::Polled { .. } | What::Touched { .. } => {}
        }
    }

    fn flow(&self, send: Handle, receive: Handle, at: Time, events: &mut Vec<Value>) {
        let (Some((from, posted, name)), Some((to, ..))) =
            (self.posted.get(&send), self.posted.get(&receive))
        else {
            return;
        };
        let base = |phase: &str, rank: usize, time: Time| json!({ "name": name, "cat": "message", "ph": phase, "id": send, "pid": 0, "tid": rank, "ts": micros(time) });
        events.push(base("s", *from, *posted));
        let mut end = base("f", *to, at);
        end["bp"] = json!("e");
        events.push(end);
    }
}

fn named(rank: usize) -> Value {
    json!({ "name": "thread_name", "ph": "M", "pid": 0, "tid": rank, "args": { "name": format!("rank {rank}") } })
}

fn slice(rank: usize, name: &str, from: Time, to: Time) -> Value {
    let duration = micros(to) - micros(from);
    json!({ "name": name, "ph": "X", "pid": 0, "tid": rank, "ts": micros(from), "dur": duration })
}

fn instant(rank: usize, name: &str, at: Time, detail: &str) -> Value {
    json!({ "name": name, "ph": "i", "s": "t", "pid": 0, "tid": rank, "ts": micros(at), "args": { "at": detail } })
}

fn micros(time: Time) -> f64 {
    time.as_seconds() * 1e6
}
