//! What is drawn over the lanes: messages, collectives, starts, lost handles, the cycle.

use super::super::Handle;
use super::super::trace::What;
use super::{BAR, LABELLED, LANE, Picture, RIGHT, escaped, is_collective};
use std::fmt::Write as _;

impl Picture<'_> {
    pub(super) fn draw_messages(&self, svg: &mut String) {
        for event in self.trace {
            let What::Matched { send, receive } = event.what else { continue };
            let Some(&from) = self.posted.get(&send) else { continue };
            let Some(&to) = self.completed.get(&receive) else {
                self.draw_undelivered(from, receive, svg);
                continue;
            };
            let (x1, y1) = (self.x[from], self.y(self.trace[from].rank));
            let (x2, y2) = (self.x[to].max(x1 + 4.0), self.y(self.trace[to].rank));
            let inset = if y2 > y1 { BAR / 2.0 } else { -BAR / 2.0 };
            let _ = writeln!(
                svg,
                "<path class=\"message\" marker-end=\"url(#message)\" d=\"M{x1:.1} {:.1}L{x2:.1} {:.1}\">\
                 <title>{}</title></path>",
                y1 + inset,
                y2 - inset,
                escaped(&self.tell(from))
            );
        }
        self.draw_collectives(svg);
    }

    /// A message whose receive is there, and which never moves.
    fn draw_undelivered(&self, from: usize, receive: Handle, svg: &mut String) {
        let Some(&to) = self.posted.get(&receive) else { return };
        let (x1, y1) = (self.x[from], self.y(self.trace[from].rank));
        let (x2, y2) = (self.x[to], self.y(self.trace[to].rank));
        let title = escaped(&self.tell(from));
        let _ = writeln!(
            svg,
            "<path class=\"never\" d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\"><title>never delivered: {title}</title></path>"
        );
    }

    /// Completions of one instant that belong to one collective, as a line through the lanes.
    fn draw_collectives(&self, svg: &mut String) {
        let mut index = 0;
        while index < self.trace.len() {
            let group = self.trace[index..].iter().take_while(|event| {
                let What::Completed { handle } = event.what else {
                    return matches!(event.what, What::Resumed { .. });
                };
                self.posted.get(&handle).is_some_and(|posted| is_collective(&self.trace[*posted].what))
            });
            let ranks: Vec<usize> = group
                .clone()
                .filter(|event| matches!(event.what, What::Completed { .. }))
                .map(|event| event.rank)
                .collect();
            let count = group.count();
            if let (Some(first), Some(last)) = (ranks.iter().min(), ranks.iter().max()) {
                let (x, above, below) = (self.x[index], self.y(*first) - BAR, self.y(*last) + BAR);
                let _ = writeln!(svg, "<path class=\"group\" d=\"M{x:.1} {above:.1}V{below:.1}\"/>");
            }
            index += count.max(1);
        }
    }

    fn tell(&self, index: usize) -> String {
        match &self.trace[index].what {
            What::Posted { operation, place, .. } => {
                format!("rank {}: {operation}, {place}", self.trace[index].rank)
            }
            _ => String::new(),
        }
    }

    pub(super) fn draw_marks(&self, svg: &mut String) {
        let labelled = self.posted.len() <= LABELLED;
        for (index, event) in self.trace.iter().enumerate() {
            let (x, y) = (self.x[index], self.y(event.rank));
            match &event.what {
                What::Posted { operation, .. } => {
                    let title = escaped(&self.tell(index));
                    let _ = write!(
                        svg,
                        "<circle class=\"post\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{title}</title></circle>"
                    );
                    if labelled {
                        let up = y - BAR - 10.0 * (self.row(index) as f64) + 4.0;
                        let _ = write!(
                            svg,
                            "<text class=\"soft\" x=\"{x:.1}\" y=\"{up:.1}\">{}</text>",
                            escaped(operation)
                        );
                    }
                    svg.push('\n');
                }
                What::Lost { place, cancelled, .. } => {
                    let fate = if *cancelled { "cancelled" } else { "left alone" };
                    let _ = writeln!(
                        svg,
                        "<path class=\"lost\" d=\"M{:.1} {:.1}l12 12m0 -12l-12 12\"><title>handle lost at {}, {fate}\
                         </title></path>",
                        x - 6.0,
                        y - 6.0,
                        escaped(&place.to_string())
                    );
                }
                _ => {}
            }
        }
    }

    /// Labels that would run into each other are put into rows.
    fn row(&self, index: usize) -> usize {
        let rank = self.trace[index].rank;
        let near = (0..index).rev().take_while(|other| self.x[index] - self.x[*other] < 110.0);
        let near = near.filter(|other| {
            self.trace[*other].rank == rank && matches!(self.trace[*other].what, What::Posted { .. })
        });
        near.count() % 3
    }

    pub(super) fn draw_cycle(&self, svg: &mut String) {
        let cycle = &self.verdict.cycle;
        for (rank, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            let (from, to) = (self.y(*rank), self.y(*next));
            let bulge = 24.0 + 12.0 * (to - from).abs() / LANE;
            let x = self.end + if to > from { 2.0 } else { 8.0 };
            let bend = self.end + bulge.min(RIGHT - 16.0);
            let shift = if to > from { 3.0 } else { -3.0 };
            let _ = writeln!(
                svg,
                "<path class=\"cycle\" marker-end=\"url(#cycle)\" d=\"M{x:.1} {:.1}C{bend:.1} {:.1} {bend:.1} {:.1} \
                 {x:.1} {:.1}\"><title>rank {rank} waits for rank {next}</title></path>",
                from + shift,
                from + shift,
                to - shift,
                to - shift
            );
        }
    }
}
