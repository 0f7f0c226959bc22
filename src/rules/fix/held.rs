//! A handle in a name of its own: where the name is bound, what it holds, and which lines wait for it.

use super::super::Context;
use super::surroundings::{Holds, Surroundings};
use crate::flow::Handle;
use crate::source::{Layout, Line, Span, mentions};

/// A handle that one name holds.
pub(super) struct Held<'c, 't> {
    pub(super) handle: &'c Handle,
    pub(super) name: String,
    pub(super) around: Surroundings<'c, 't>,
    /// The line that binds the name to the handle, or to the container of it.
    pub(super) bound: Line,
    holds: Holds,
}

impl<'c, 't> Held<'c, 't> {
    /// The handle's name, where the text shows what it holds.
    pub(super) fn of(handle: &'c Handle, context: &'c Context<'t>) -> Option<Self> {
        let around = Surroundings::of(handle.started, context)?;
        let name = handle.holder.as_deref().or_else(|| target(around.code()))?.to_owned();
        if !is_name(&name) {
            return None;
        }
        let (bound, holds) = binding(&name, handle, &around, context)?;
        Some(Self { handle, name, around, bound, holds })
    }

    /// The rows that wait for it.
    pub(super) fn wait_rows(&self) -> String {
        self.around.wait_rows(&self.name, self.holds, self.handle)
    }

    /// The rows that wait for it where it is certainly there.
    pub(super) fn wait_rows_here(&self) -> String {
        let holds = match self.holds {
            Holds::OneOrNone if self.handle.conditional.is_none() => Holds::One,
            holds => holds,
        };
        self.around.wait_rows(&self.name, holds, self.handle)
    }

    pub(super) fn may_be_none(&self) -> bool {
        match self.holds {
            Holds::OneOrNone => true,
            Holds::One | Holds::Several | Holds::SeveralByName => false,
        }
    }

    /// The first line of the scope behind another that seems to wait for it.
    pub(super) fn first_wait_behind(&self, line: Line) -> Option<Line> {
        self.around.lines().filter(|at| *at > line).find(|at| self.is_waited_at(*at))
    }

    /// Whether a line seems to wait for what the name holds.
    pub(super) fn is_waited_at(&self, line: Line) -> bool {
        let code = self.around.layout.code(line);
        mentions(code, &self.name)
            && (code.contains("wait") || code.contains("Wait") || code.starts_with("for "))
    }

    /// Whether a turn of the loop around it waits for the handle of the turn before.
    pub(super) fn is_carried_by_a_loop(&self) -> bool {
        let looping = self.around.looping();
        looping.is_some_and(|header| (header..self.bound).any(|line| self.is_waited_at(line)))
    }

    /// The lines directly in the block of `like` and behind `line` that wait for it and do nothing else: the call, or
    /// the loop or condition around it.
    pub(super) fn plain_wait(&self, line: Line, like: Line) -> Option<Vec<Line>> {
        let layout = &self.around.layout;
        let behind = line + 1..=layout.block_end(like);
        let mut siblings = behind.filter(|at| self.around.are_siblings(*at, like));
        siblings.find_map(|at| {
            let code = layout.code(at);
            if is_wait(code, &self.name) {
                return Some(vec![at]);
            }
            let header = code.strip_suffix(':')?;
            let element = header.strip_prefix("for ").and_then(|it| it.split_once(" in "));
            let waited = match element {
                Some((element, container)) if container == self.name => element,
                Some(_) => return None,
                None if header.starts_with("if ") && mentions(header, &self.name) => &self.name,
                None => return None,
            };
            let is_alone = layout.block_end(at + 1) == at + 1 && is_wait(layout.code(at + 1), waited);
            let goes_on = at + 2 < layout.count() && layout.continues(at + 2);
            (is_alone && !goes_on).then(|| vec![at, at + 1])
        })
    }
}

/// What a line binds, or adds to: `handle` in `handle = start()`, `handles` in `handles.append(start())`.
fn target(code: &str) -> Option<&str> {
    let added = code.split_once(".append(").or_else(|| code.split_once(".extend("));
    let name = added.or_else(|| code.split_once('=')).map(|(name, _)| name.trim())?;
    is_name(name).then_some(name)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

/// Whether a line is the wait for a name and nothing else.
fn is_wait(code: &str, name: &str) -> bool {
    let call = code.strip_prefix(name).and_then(|call| call.strip_suffix(')'));
    call.is_some_and(|call| {
        let argument = call.strip_prefix(".wait(").or_else(|| call.strip_prefix(".Wait("));
        argument.is_some_and(|argument| !argument.contains(['(', ')']))
    })
}

/// The line that binds the name which holds the handle, and what the name holds then.
fn binding(
    name: &str,
    handle: &Handle,
    around: &Surroundings<'_, '_>,
    context: &Context<'_>,
) -> Option<(Line, Holds)> {
    let target = Span { start: around.span().start, end: handle.started.start }.of(context.text);
    let is_bound = target.trim_end().strip_suffix('=').is_some_and(|target| target.trim() == name);
    if is_bound && around.span().end == handle.started.end {
        let may_be_none = handle.conditional.is_some() || around.has_before(&format!("{name} = None"));
        let one = if may_be_none { Holds::OneOrNone } else { Holds::One };
        return Some((around.line, if handle.several { Holds::Several } else { one }));
    }
    let lines = around.lines().take_while(|line| *line <= around.line);
    let bindings = lines.filter_map(|line| Some((line, value_of(name, line, &around.layout)?)));
    let (line, value) = bindings.last()?;
    let is_dictionary = value.starts_with('{') || value.starts_with("dict(");
    let is_list = value.starts_with(['[', '(']) || value.starts_with("deque(") || value.starts_with("list(");
    if is_dictionary {
        Some((line, Holds::SeveralByName))
    } else {
        (is_list || handle.several).then_some((line, Holds::Several))
    }
}

/// What a line binds a name to: `[]` for both names of `sends, receives = [], []`.
fn value_of<'t>(name: &str, line: Line, layout: &Layout<'t>) -> Option<&'t str> {
    let (target, value) = layout.code(line).split_once('=')?;
    let target = target.split(':').next().unwrap_or_default().trim();
    if target == name {
        return Some(value.trim()).filter(|_| !value.starts_with('='));
    }
    let names: Vec<&str> = target.split(',').map(str::trim).collect();
    let values: Vec<&str> = value.split(',').map(str::trim).collect();
    let at = names.iter().position(|it| *it == name)?;
    values.get(at).copied().filter(|_| names.len() == values.len())
}
