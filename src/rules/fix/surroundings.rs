//! The text around a start: the function it is in, names that are free there, and where a wait can stand.
//!
//! - The **scope** is the function around a line, or the whole file.
//! - A **touch** is a later line of the block that may see or change what is in flight, by its text: for a receive or an
//!   in-place collective any line that mentions the buffer, for a send one that seems to write it.
//! - The **last moment** for a wait is before the first touch, or before the first line that may leave the block, or at the
//!   end of the block.
//!
//! ```text
//! handle = dist.irecv(box, 1)
//! work()
//! if ready:             # the last moment is here, because the block of the `if` mentions the box
//!     print(box)
//! ```

use super::super::Context;
use super::super::story;
use crate::catalog::UsageName;
use crate::flow::Handle;
use crate::source::{Edit, Layout, Line, Span, mentions, words};

/// What calls write into an argument, by how their names go on.
const WRITERS: &[&str] = &["recv(", "Recv(", "copyto(", "reduce(", "broadcast(", "Bcast(", "fill("];

/// The text around a line.
pub(super) struct Surroundings<'c, 't> {
    context: &'c Context<'t>,
    pub(super) layout: Layout<'t>,
    pub(super) line: Line,
    first: Line,
    pub(super) last: Line,
}

impl<'c, 't> Surroundings<'c, 't> {
    /// The surroundings of the line on which something starts.
    pub(super) fn of(span: Span, context: &'c Context<'t>) -> Option<Self> {
        let layout = context.layout();
        let line = layout.line_at(span.start)?;
        let (first, last) = scope(line, &layout);
        Some(Self { context, layout, line, first, last })
    }

    pub(super) fn code(&self) -> &'t str {
        self.layout.code(self.line)
    }

    pub(super) fn span(&self) -> Span {
        self.layout.span(self.line)
    }

    /// The lines of the scope.
    pub(super) fn lines(&self) -> std::ops::RangeInclusive<Line> {
        self.first..=self.last
    }

    /// Whether a line of the scope before this one has exactly this code.
    pub(super) fn has_before(&self, code: &str) -> bool {
        self.lines().take_while(|line| *line < self.line).any(|line| self.layout.code(line) == code)
    }

    /// Whether one line stands directly in the block of another.
    pub(super) fn are_siblings(&self, one: Line, other: Line) -> bool {
        let (first, second) = (one.min(other), one.max(other));
        self.layout.indentation(one) == self.layout.indentation(other)
            && second <= self.layout.block_end(first)
    }

    /// The header of the loop directly around the line.
    pub(super) fn looping(&self) -> Option<Line> {
        let opener = self.layout.opener(self.line)?;
        let code = self.layout.code(opener);
        (code.starts_with("for ") || code.starts_with("while ")).then_some(opener)
    }

    /// `name`, or `name_2`, `name_3`, … where it is taken in the code of the scope.
    pub(super) fn free(&self, name: &str) -> String {
        let codes = self.lines().map(|line| self.layout.code(line));
        let codes: Vec<&str> = codes.filter(|code| !code.starts_with(['"', '\''])).collect();
        let is_taken = |name: &String| codes.iter().any(|code| mentions(code, name));
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        names.find(|name| !is_taken(name)).unwrap_or_else(|| name.to_owned())
    }

    /// The rows that wait for what a name holds.
    pub(super) fn wait_rows(&self, name: &str, holds: Holds, handle: &Handle) -> String {
        let (wait, level) = (story::wait(handle, self.context), self.layout.level());
        match holds {
            Holds::One => format!("{name}.{wait}()"),
            Holds::OneOrNone => format!("if {name} is not None:\n{level}{name}.{wait}()"),
            Holds::Several => {
                let each = self.free("handle");
                format!("for {each} in {name}:\n{level}{each}.{wait}()")
            }
            Holds::SeveralByName => {
                let each = self.free("handle");
                format!("for {each} in {name}.values():\n{level}{each}.{wait}()")
            }
        }
    }

    /// Puts rows at the last moment for a wait behind the line.
    pub(super) fn at_the_last_moment(&self, handle: &Handle, rows: &str) -> Option<(Edit, &'static str)> {
        let layout = &self.layout;
        let end = layout.block_end(self.line);
        let buffers = buffers(handle, self.context);
        let touches = |line: &Line| buffers.iter().any(|buffer| buffer.is_touched_by(layout.code(*line)));
        let stops = |line: &Line| touches(line) || may_leave(layout.code(*line));
        if let Some(stop) = (self.line + 1..=end).find(stops) {
            let before = layout.outermost(stop, self.line)?;
            let when = if touches(&stop) { "before its buffer is used" } else { "before the block is left" };
            return Some((layout.insert_before(before, rows), when));
        }
        Some((layout.insert_after(end, self.line, rows), "at the end of the block"))
    }
}

/// What a name holds.
#[derive(Clone, Copy)]
pub(super) enum Holds {
    One,
    OneOrNone,
    Several,
    /// A dictionary of handles.
    SeveralByName,
}

fn scope(line: Line, layout: &Layout<'_>) -> (Line, Line) {
    let mut inner = line;
    while let Some(opener) = layout.opener(inner) {
        let code = layout.code(opener);
        if code.starts_with("def ") || code.starts_with("async def ") {
            return (opener, layout.block_end(inner));
        }
        inner = opener;
    }
    (0, layout.count().saturating_sub(1))
}

/// Whether a line leaves a function, a loop or a turn of it.
fn may_leave(code: &str) -> bool {
    ["return", "break", "continue"].iter().any(|word| words(code, word).next().is_some())
}

/// A buffer of an operation, by the name that it has in the call.
struct Buffer {
    name: String,
    /// Whether the operation writes it.
    is_received: bool,
}

impl Buffer {
    fn is_touched_by(&self, code: &str) -> bool {
        let mut places = words(code, &self.name);
        if self.is_received {
            places.next().is_some()
        } else {
            places.any(|at| is_written(code, at, &self.name))
        }
    }
}

/// Whether a name at a place of a line looks written: assigned in part or in place, filled by a method, or given to a call
/// that writes its argument.
fn is_written(code: &str, at: usize, name: &str) -> bool {
    let (before, behind) =
        (code.get(..at).unwrap_or_default(), code.get(at + name.len()..).unwrap_or_default());
    let method = behind.strip_prefix('.').map(|it| it.split('(').next().unwrap_or_default());
    let in_place = method.is_some_and(|name| name.ends_with('_') || matches!(name, "fill" | "data" | "sort"));
    let subscript = behind.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(_, rest)| rest);
    let behind = subscript.unwrap_or(behind).trim_start();
    let augmented = ["+=", "-=", "*=", "/=", "@=", "|=", "&=", "^=", "%=", "//=", "**="];
    let assigned = subscript.is_some() && behind.starts_with('=') && !behind.starts_with("==");
    let is_output = before.trim_end().ends_with("out=");
    let given = WRITERS.iter().any(|writer| before.contains(writer));
    in_place || assigned || is_output || given || augmented.iter().any(|sign| behind.starts_with(sign))
}

/// The buffers of the call that started an operation. A wrapper may receive into any of its arguments.
fn buffers(handle: &Handle, context: &Context<'_>) -> Vec<Buffer> {
    let arguments = arguments(handle.started.of(context.text));
    if !handle.inside.is_empty() {
        let named = arguments.iter().filter_map(|argument| base(argument));
        return named.map(|name| Buffer { name: name.to_owned(), is_received: true }).collect();
    }
    let function = context.catalog.function(handle.api);
    let of = |buffer: &crate::catalog::Buffer| {
        let prefix = format!("{}=", buffer.argument);
        let by_name = arguments.iter().find_map(|it| it.strip_prefix(prefix.as_str()));
        let by_position = || arguments.get(function.position(&buffer.argument)?).copied();
        let name = base(by_name.or_else(by_position)?)?.to_owned();
        let is_received = match buffer.usage {
            UsageName::Sends => false,
            UsageName::Receives | UsageName::Both | UsageName::AsRun => true,
        };
        (!buffer.copied).then_some(Buffer { name, is_received })
    };
    function.buffers.iter().filter_map(of).collect()
}

/// The arguments of a call as they are written.
fn arguments(call: &str) -> Vec<&str> {
    let Some(inside) = call.strip_suffix(')').and_then(|call| {
        let callee = story::callee_text(call);
        call.get(callee.len()..)?.trim_start().strip_prefix('(')
    }) else {
        return Vec::new();
    };
    let (mut depth, mut start, mut parts) = (0_i32, 0, Vec::new());
    for (at, character) in inside.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(inside.get(start..at).unwrap_or_default().trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(inside.get(start..).unwrap_or_default().trim());
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

/// The name that an argument starts with: `box` of `box[1:]`, `local` of `[local, MPI.DOUBLE]`.
fn base(argument: &str) -> Option<&str> {
    let argument = argument.trim_start_matches(['[', '(']).trim_start();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let length = argument.find(|c| !is_part(c)).unwrap_or(argument.len());
    let name = argument.get(..length)?.trim_end_matches('.');
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (is_name && !argument.get(length..)?.starts_with('(')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_the_names_in_them() {
        assert_eq!(arguments("f(a, b[1, 2], c=(d, e))"), ["a", "b[1, 2]", "c=(d, e)"]);
        assert_eq!(arguments("f(g(x), y)"), ["g(x)", "y"]);
        assert_eq!(arguments("f()"), [""; 0]);
        let bases = ["box", "box[1:]", "self.out", "[local, MPI.DOUBLE]", "x.clone()", "3"].map(base);
        assert_eq!(bases, [Some("box"), Some("box"), Some("self.out"), Some("local"), None, None]);
    }

    #[test]
    fn lines_that_write_a_buffer() {
        let is_touched = |code: &str| Buffer { name: "t".to_owned(), is_received: false }.is_touched_by(code);
        for code in ["t += 1", "t[0] = 1", "t.zero_()", "f(x, out=t)", "dist.recv(t, 1)", "t[:2] *= 3"] {
            assert!(is_touched(code), "{code}");
        }
        for code in ["y = t + 1", "print(t[0])", "if t[0] == 1:", "y = t.clone()", "total += 1"] {
            assert!(!is_touched(code), "{code}");
        }
    }
}
