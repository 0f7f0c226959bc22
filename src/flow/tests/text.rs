//! Programs as Python.

use std::fmt::Write;

use super::programs::{Condition, Display, Part, Program, Statement};
use crate::ir::{Access, Usage};

/// The functions that a program may call, and what stands in front of its statements.
const PROLOGUE: &str = "\
import torch
import torch.distributed as dist

def finish(h):
    h.wait()

def start(x):
    return dist.isend(x, 1)

def maybe(x, c):
    h = None
    if c:
        h = dist.isend(x, 1)
    return h

def finish_all(l):
    for r in l:
        r.wait()

def several(x):
    return [dist.isend(x, 1), dist.isend(x, 2)]

def f(x, c0, c1, c2, n, xs, w0, w1, b0, b1, b2):
    h0 = h1 = h2 = r = None
    l0 = []
    l1 = []
";

/// The text of a program; its function is called `f`.
pub(super) fn python(program: &Program) -> String {
    format!("{PROLOGUE}{}", body(&program.0))
}

/// The statements of a program.
pub(super) fn body(statements: &[Statement]) -> String {
    let mut writer = Writer { text: String::new(), depth: 1, loops: 0 };
    writer.body(statements);
    writer.text
}

struct Writer {
    text: String,
    depth: usize,
    loops: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
    }

    fn body(&mut self, statements: &[Statement]) {
        if statements.is_empty() {
            self.line("pass");
        }
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn block(&mut self, header: &str, statements: &[Statement]) {
        self.line(header);
        self.depth += 1;
        self.body(statements);
        self.depth -= 1;
    }

    fn repeated(&mut self, header: &str, statements: &[Statement]) {
        self.loops += 1;
        self.block(header, statements);
        self.loops -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        use Statement as S;
        match statement {
            S::Start(h) => self.line(&format!("{} = dist.isend(x, 1)", handle(*h))),
            S::Discard => self.line("dist.isend(x, 1)"),
            S::Wait(h) => self.line(&format!("{}.wait()", handle(*h))),
            S::Clear(h) => self.line(&format!("{} = None", handle(*h))),
            S::Alias(to, from) => self.line(&format!("{} = {}", handle(*to), handle(*from))),
            S::Delete(h) => {
                self.line(&format!("del {}", handle(*h)));
                self.line(&format!("{} = None", handle(*h)));
            }
            S::If(condition, yes, no) => {
                self.block(&format!("if {}:", test(condition)), yes);
                if !no.is_empty() {
                    self.block("else:", no);
                }
            }
            S::Collect(l, display, parts) => {
                let parts: Vec<_> = parts.iter().map(part).collect();
                let parts = parts.join(", ");
                let comma = if parts.is_empty() { "" } else { "," };
                self.line(&match display {
                    Display::List => format!("l{l} = [{parts}]"),
                    Display::Tuple => format!("l{l} = ({parts}{comma})"),
                });
            }
            S::Push(l, value) => self.line(&format!("l{l}.append({})", part(value))),
            S::Take(h, l) => self.line(&format!("{} = l{l}.pop()", handle(*h))),
            S::TakeAndWait(l) => self.line(&format!("l{l}.pop().wait()")),
            S::At(h, l, key) => self.line(&format!("{} = l{l}[{key}]", handle(*h))),
            S::WaitAt(l, key) => self.line(&format!("l{l}[{key}].wait()")),
            S::AtVariable(h, l) => self.line(&format!("{} = l{l}[n]", handle(*h))),
            S::Set(l, key, value) => self.line(&format!("l{l}[{key}] = {}", part(value))),
            S::WaitEach(l) => {
                self.line(&format!("for r in l{l}:"));
                self.line("    r.wait()");
            }
            S::For(l, body) => self.repeated(&format!("for r in l{l}:"), body),
            S::ForGiven(body) => self.repeated("for v in xs:", body),
            S::While(w, body) => self.repeated(&format!("while w{w}:"), body),
            S::Break => self.line(if self.loops > 0 { "break" } else { "pass" }),
            S::Continue => self.line(if self.loops > 0 { "continue" } else { "pass" }),
            S::Return => self.line("return"),
            S::ReturnHandle(h) => self.line(&format!("return {}", handle(*h))),
            S::ReturnList(l) => self.line(&format!("return l{l}")),
            S::Escape(h) => self.line(&format!("keep({})", handle(*h))),
            S::EscapeList(l) => self.line(&format!("keep(l{l})")),
            S::Try(body, last) => {
                self.block("try:", body);
                self.block("finally:", last);
            }
            S::FinishByCall(h) => self.line(&format!("finish({})", handle(*h))),
            S::StartByCall(h) => self.line(&format!("{} = start(x)", handle(*h))),
            S::MaybeByCall(h, c) => self.line(&format!("{} = maybe(x, c{c})", handle(*h))),
            S::FinishAllByCall(l) => self.line(&format!("finish_all(l{l})")),
            S::SeveralByCall(l) => self.line(&format!("l{l} = several(x)")),
            S::StartOn(h, b, usage) => self.line(&format!("{} = {}", handle(*h), start_on(*b, *usage))),
            S::Touch(b, Access::Read) => self.line(&format!("b{b}.sum()")),
            S::Touch(b, Access::Write | Access::Free) => self.line(&format!("b{b}.zero_()")),
            S::New(b) => self.line(&format!("b{b} = torch.empty(4)")),
            S::View(to, from) => self.line(&format!("b{to} = b{from}.view(-1)")),
        }
    }
}

pub(super) fn handle(number: u8) -> String {
    if number == 3 { "r".to_owned() } else { format!("h{number}") }
}

fn start_on(buffer: u8, usage: Usage) -> String {
    match usage {
        Usage::Sends => format!("dist.isend(b{buffer}, 1)"),
        Usage::Receives => format!("dist.irecv(b{buffer}, 1)"),
        Usage::Both => format!("dist.all_reduce(b{buffer}, async_op=True)"),
    }
}

fn part(part: &Part) -> String {
    match part {
        Part::Name(h) => handle(*h),
        Part::New => "dist.isend(x, 1)".to_owned(),
    }
}

fn test(condition: &Condition) -> String {
    match condition {
        Condition::Given(c) => format!("c{c}"),
        Condition::NotGiven(c) => format!("not c{c}"),
        Condition::Above(bound) => format!("n > {bound}"),
        Condition::Both(c, d) => format!("c{c} and c{d}"),
        Condition::Either(c, d) => format!("c{c} or c{d}"),
        Condition::NotBoth(c, d) => format!("not (c{c} and c{d})"),
        Condition::IsNone(h) => format!("{} is None", handle(*h)),
        Condition::IsSome(h) => format!("{} is not None", handle(*h)),
        Condition::Truth(h) => handle(*h),
        Condition::Polled(h) => format!("{}.is_completed()", handle(*h)),
        Condition::Filled(l) => format!("l{l}"),
    }
}
