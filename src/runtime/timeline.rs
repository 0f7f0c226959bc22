//! The timeline: the ranks as lanes over virtual time, as an SVG picture.
//!
//! The horizontal axis keeps both order and duration: every event that is drawn moves it by a step, and the time that
//! passes stretches it in proportion. So what happens at one instant can still be told apart, and a second is longer
//! than a millisecond.
//!
//! ```text
//!            0 s                         500 ms
//! rank 0  ●╳═══ computes ══════════════════════════
//!          ╲ isend, whose handle is lost
//! rank 1  ═ computes ═══════════●▒▒▒▒ waits for ever
//! ```
//!
//! The colours suit light and dark pages; what a mark means is also in its tooltip.

use super::trace::{Event, What};
use super::verdict::Verdict;
use super::{Handle, Run, Time, report};
use std::collections::HashMap;
use std::fmt::Write as _;

mod marks;

const LEFT: f64 = 90.0;
const TOP: f64 = 92.0;
const LANE: f64 = 72.0;
const BAR: f64 = 16.0;
/// The title and the legend need so much.
const NARROWEST: f64 = 720.0;
/// Room for the cycle's arrows, right of the lanes.
const RIGHT: f64 = 110.0;
/// How much of the width stands for time.
const STRETCH: f64 = 560.0;
/// The widest that the steps together may be.
const STEPS: f64 = 3000.0;
/// With more marks than this they are not labelled.
const LABELLED: usize = 60;

const STYLE: &str = "
svg { background: #fff; font: 12px system-ui, sans-serif; --ink: #1f2328; --soft: #6e7781; --lane: #d0d7de;
  --compute: #54aeff; --wait: #d4a72c; --stuck: #cf222e; --message: #1a7f37; --group: #8250df; }
@media (prefers-color-scheme: dark) { svg { background: #0d1117; --ink: #e6edf3; --soft: #8d96a0; --lane: #30363d;
  --compute: #388bfd; --wait: #bb8009; --stuck: #f85149; --message: #3fb950; --group: #a371f7; } }
text { fill: #1f2328; fill: var(--ink); } .soft { fill: #6e7781; fill: var(--soft); font-size: 10px; }
.title { font-size: 15px; font-weight: 600; } .lane { stroke: #d0d7de; stroke: var(--lane); }
.compute { fill: #54aeff; fill: var(--compute); } .wait { fill: #d4a72c; fill: var(--wait); }
.stuck { fill: #cf222e; fill: var(--stuck); } .post { fill: #1f2328; fill: var(--ink); }
.message { stroke: #1a7f37; stroke: var(--message); fill: none; stroke-width: 1.5; }
.message-head { fill: #1a7f37; fill: var(--message); }
.group { stroke: #8250df; stroke: var(--group); stroke-width: 2; }
.lost { stroke: #cf222e; stroke: var(--stuck); stroke-width: 2.5; fill: none; }
.never { stroke: #cf222e; stroke: var(--stuck); fill: none; stroke-width: 1.5; stroke-dasharray: 5 4; }
.cycle { stroke: #cf222e; stroke: var(--stuck); stroke-width: 2; fill: none; }
.cycle-head { fill: #cf222e; fill: var(--stuck); }";

/// Draws a run.
#[must_use]
pub fn svg(run: &Run) -> String {
    let picture = Picture::of(run);
    let (width, height) = ((picture.end + RIGHT).max(NARROWEST), TOP + LANE * picture.ranks as f64 + 40.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\">\n<style>{STYLE}</style>\n<defs>{}{}</defs>\n",
        arrow_head("message"),
        arrow_head("cycle"),
    );
    let title = escaped(&report::headline(&run.verdict));
    let _ = writeln!(svg, "<title>{title}</title>\n<text class=\"title\" x=\"14\" y=\"26\">{title}</text>");
    svg.push_str(&legend());
    picture.draw_axis(&mut svg);
    picture.draw_lanes(&mut svg);
    picture.draw_bars(&mut svg);
    picture.draw_messages(&mut svg);
    picture.draw_marks(&mut svg);
    picture.draw_cycle(&mut svg);
    svg.push_str("</svg>\n");
    svg
}

fn arrow_head(of: &str) -> String {
    format!(
        "<marker id=\"{of}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path class=\"{of}-head\" d=\"M0 0L8 4L0 8z\"/></marker>"
    )
}

fn legend() -> String {
    let mut x = 14.0;
    let mut svg = String::new();
    for (class, text) in
        [("compute", "computes"), ("wait", "waits"), ("stuck", "waits for ever"), ("post", "starts")]
    {
        let _ = write!(
            svg,
            "<rect class=\"{class}\" x=\"{x}\" y=\"38\" width=\"12\" height=\"12\" rx=\"2\"/>\
             <text x=\"{}\" y=\"48\">{text}</text>",
            x + 17.0
        );
        x += 36.0 + 7.0 * text.len() as f64;
    }
    let _ = writeln!(
        svg,
        "<path class=\"message\" marker-end=\"url(#message)\" d=\"M{x} 44h22\"/><text x=\"{}\" y=\"48\">message</text>\
         <path class=\"lost\" d=\"M{} 39l10 10m0 -10l-10 10\"/><text x=\"{}\" y=\"48\">handle lost</text>\
         <path class=\"group\" d=\"M{} 38v12\"/><text x=\"{}\" y=\"48\">collective</text>",
        x + 28.0,
        x + 96.0,
        x + 112.0,
        x + 196.0,
        x + 206.0
    );
    svg
}

struct Picture<'run> {
    trace: &'run [Event],
    verdict: &'run Verdict,
    ranks: usize,
    /// Where each event of the trace is drawn.
    x: Vec<f64>,
    end: f64,
    /// What each operation is, and where it was posted and completed: indices of events.
    posted: HashMap<Handle, usize>,
    completed: HashMap<Handle, usize>,
}

impl<'run> Picture<'run> {
    fn of(run: &'run Run) -> Picture<'run> {
        let trace = &run.trace[..];
        let drawn = trace.iter().filter(|event| is_drawn(&event.what)).count();
        let step = (STEPS / drawn.max(1) as f64).min(18.0);
        let last = trace.last().map_or(Time::START, |event| event.at);
        let scale = if last == Time::START { 0.0 } else { STRETCH / last.as_seconds() };
        let (mut at, mut x, mut before) = (LEFT + 12.0, Vec::with_capacity(trace.len()), Time::START);
        for event in trace {
            at += (event.at - before).as_secs_f64() * scale;
            before = event.at;
            x.push(at);
            at += if is_drawn(&event.what) { step } else { 0.0 };
        }
        let mut picture = Picture {
            trace,
            verdict: &run.verdict,
            ranks: trace.iter().map(|event| event.rank + 1).max().unwrap_or(0),
            x,
            end: at + 40.0,
            posted: HashMap::new(),
            completed: HashMap::new(),
        };
        for (index, event) in trace.iter().enumerate() {
            match event.what {
                What::Posted { handle, .. } => drop(picture.posted.insert(handle, index)),
                What::Completed { handle } => drop(picture.completed.insert(handle, index)),
                _ => {}
            }
        }
        picture
    }

    fn y(&self, rank: usize) -> f64 {
        TOP + LANE * rank as f64 + LANE / 2.0
    }

    fn draw_axis(&self, svg: &mut String) {
        let mut free = 0.0;
        let bottom = TOP + LANE * self.ranks as f64;
        let mut before = None;
        for (event, x) in self.trace.iter().zip(&self.x) {
            if before == Some(event.at) || *x < free {
                continue;
            }
            before = Some(event.at);
            free = x + 70.0;
            let _ = writeln!(
                svg,
                "<path class=\"lane\" stroke-dasharray=\"2 4\" d=\"M{x:.1} {:.1}V{bottom:.1}\"/>\
                 <text class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                TOP - 4.0,
                TOP - 10.0,
                event.at
            );
        }
    }

    fn draw_lanes(&self, svg: &mut String) {
        for rank in 0..self.ranks {
            let y = self.y(rank);
            let end = self.trace.iter().rposition(|event| event.rank == rank && event.what == What::Left);
            let end = end.map_or(self.end, |index| self.x[index]);
            let _ = writeln!(
                svg,
                "<text x=\"14\" y=\"{:.1}\">rank {rank}</text><path class=\"lane\" d=\"M{LEFT} {y:.1}H{end:.1}\"/>",
                y + 4.0
            );
        }
    }

    /// What a rank does until its next event.
    fn draw_bars(&self, svg: &mut String) {
        for (index, event) in self.trace.iter().enumerate() {
            let ends = |what: &What| match event.what {
                What::Waits { .. } => matches!(what, What::Resumed { .. }),
                _ => is_own(what),
            };
            let next = self.trace.iter().enumerate().skip(index + 1);
            let next = next
                .filter(|(_, other)| other.rank == event.rank && ends(&other.what))
                .map(|(at, _)| at)
                .next();
            let (class, text) = match (&event.what, next) {
                (What::Computed { until }, _) => ("compute", format!("computes until {until}")),
                (What::Waits { place, .. }, Some(_)) => ("wait", format!("waits at {place}")),
                (What::Waits { place, .. }, None) => ("stuck", format!("waits for ever at {place}")),
                _ => continue,
            };
            let (from, to) = (self.x[index], next.map_or(self.end, |next| self.x[next]));
            let _ = writeln!(
                svg,
                "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"3\">\
                 <title>rank {} {}</title></rect>",
                self.y(event.rank) - BAR / 2.0,
                (to - from).max(2.0),
                event.rank,
                escaped(&text)
            );
        }
    }
}

fn is_drawn(what: &What) -> bool {
    !matches!(what, What::Matched { .. } | What::Took { .. } | What::Polled { .. })
}

/// What a rank does itself, as opposed to what happens to its operations.
fn is_own(what: &What) -> bool {
    !matches!(what, What::Matched { .. } | What::Took { .. } | What::Completed { .. })
}

fn is_collective(what: &What) -> bool {
    matches!(what, What::Posted { operation, .. } if !operation.contains(" to rank ") && !operation.contains(" from "))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
