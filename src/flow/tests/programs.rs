//! Random programs: a small tree of statements, written as IR and as Python.
//!
//! A program has three variables for handles (`h0` to `h2`), a loop variable (`r`), two lists (`l0`, `l1`), conditions that the
//! caller decides (`c0` to `c2`), a number (`n`), a sequence (`xs`) and conditions of `while` loops (`w0`, `w1`).
//!
//! ```text
//! If(Given(0), [Start(0)], [])        if c0: h0 = dist.isend(x, 1)
//! WaitEach(1)                         for r in l1: r.wait()
//! ```

use std::fmt::{self, Debug, Formatter};

use proptest::prelude::*;
use proptest::strategy::Union;

use super::text;
use crate::ir::{Access, Usage};

/// A program; it is shown as Python.
#[derive(Clone)]
pub(super) struct Program(pub(super) Vec<Statement>);

impl Debug for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", text::body(&self.0))
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    /// `h = dist.isend(x, 1)`.
    Start(u8),
    /// `dist.isend(x, 1)`.
    Discard,
    /// `h.wait()`.
    Wait(u8),
    /// `h = None`.
    Clear(u8),
    /// `to = from`.
    Alias(u8, u8),
    /// `del h`, and then `h = None`, so that the name is bound.
    Delete(u8),
    /// `if condition: … else: …`.
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// `l = [h, dist.isend(x, 1)]`, or a tuple.
    Collect(u8, Display, Vec<Part>),
    /// `l.append(h)`.
    Push(u8, Part),
    /// `h = l.pop()`.
    Take(u8, u8),
    /// `l.pop().wait()`.
    TakeAndWait(u8),
    /// `h = l[0]`, `h = l[-1]`.
    At(u8, u8, i8),
    /// `l[0].wait()`.
    WaitAt(u8, i8),
    /// `h = l[n]`.
    AtVariable(u8, u8),
    /// `l[0] = h`.
    Set(u8, i8, Part),
    /// `for r in l: r.wait()`.
    WaitEach(u8),
    /// `for r in l: …`.
    For(u8, Vec<Statement>),
    /// `for v in xs: …`.
    ForGiven(Vec<Statement>),
    /// `while w: …`.
    While(u8, Vec<Statement>),
    /// `break`, in a loop.
    Break,
    /// `continue`, in a loop.
    Continue,
    /// `return`.
    Return,
    /// `return h`.
    ReturnHandle(u8),
    /// `return l`.
    ReturnList(u8),
    /// `keep(h)`, a function of which nothing is known.
    Escape(u8),
    /// `keep(l)`.
    EscapeList(u8),
    /// `try: … finally: …`.
    Try(Vec<Statement>, Vec<Statement>),
    /// `finish(h)`.
    FinishByCall(u8),
    /// `h = start(x)`.
    StartByCall(u8),
    /// `h = maybe(x, c)`.
    MaybeByCall(u8, u8),
    /// `finish_all(l)`.
    FinishAllByCall(u8),
    /// `l = several(x)`.
    SeveralByCall(u8),
    /// `h = dist.isend(b, 1)`, or a function that receives or does both.
    StartOn(u8, u8, Usage),
    /// `b.sum()`, `b.zero_()`.
    Touch(u8, Access),
    /// `b = torch.empty(4)`.
    New(u8),
    /// `to = from.view(-1)`.
    View(u8, u8),
}

/// What is put into a container.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Name(u8),
    New,
}

/// How a container is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Display {
    List,
    Tuple,
}

/// A condition.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// `c`.
    Given(u8),
    /// `not c`.
    NotGiven(u8),
    /// `n > k`.
    Above(i8),
    /// `c and d`.
    Both(u8, u8),
    /// `c or d`.
    Either(u8, u8),
    /// `not (c and d)`.
    NotBoth(u8, u8),
    /// `h is None`.
    IsNone(u8),
    /// `h is not None`.
    IsSome(u8),
    /// `h`.
    Truth(u8),
    /// `h.is_completed()`.
    Polled(u8),
    /// `l`.
    Filled(u8),
}

/// What programs may have beside starts, waits, assignments and conditions that are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// Conditions of two parts.
    Compound,
    /// Tests of handles.
    Tests,
    /// Loops over what is given, and `while`.
    Loops,
    /// `break`, `continue`, `return`.
    Exits,
    /// Displays, constant keys, `append`.
    Lists,
    /// `pop`.
    Pops,
    /// Loops over lists, and variable keys.
    ListLoops,
    /// `keep(h)`.
    Escapes,
    /// `finally`, and calls of functions of the file.
    Python,
    /// Buffers, and who touches them.
    Buffers,
    /// Other names for buffers, and new ones.
    BufferNames,
}

const HANDLES: u8 = 4;
const LISTS: u8 = 2;
const CONDITIONS: u8 = 3;
const BUFFERS: u8 = 3;

/// Random programs with these features.
pub(super) fn programs(features: &'static [Feature]) -> BoxedStrategy<Program> {
    let simple = simple(features);
    let nested = simple.clone().prop_recursive(3, 14, 4, move |inner| {
        let body = || prop::collection::vec(inner.clone(), 1..4);
        let rest = || prop::collection::vec(inner.clone(), 0..3);
        let mut ways = vec![
            (6, inner.clone()),
            (3, (condition(features), body(), rest()).prop_map(|(c, a, b)| Statement::If(c, a, b)).boxed()),
        ];
        if features.contains(&Feature::Loops) {
            ways.push((1, body().prop_map(Statement::ForGiven).boxed()));
            ways.push((1, (0..2_u8, body()).prop_map(|(w, a)| Statement::While(w, a)).boxed()));
        }
        if features.contains(&Feature::ListLoops) {
            ways.push((1, (0..LISTS, body()).prop_map(|(l, a)| Statement::For(l, a)).boxed()));
        }
        if features.contains(&Feature::Python) {
            ways.push((1, (body(), body()).prop_map(|(a, b)| Statement::Try(a, b)).boxed()));
        }
        Union::new_weighted(ways)
    });
    prop::collection::vec(nested, 1..8).prop_map(Program).boxed()
}

fn simple(features: &[Feature]) -> BoxedStrategy<Statement> {
    let (h, l) = (|| 0..HANDLES, || 0..LISTS);
    let mut ways = vec![
        (6, h().prop_map(Statement::Start).boxed()),
        (1, Just(Statement::Discard).boxed()),
        (5, h().prop_map(Statement::Wait).boxed()),
        (1, h().prop_map(Statement::Clear).boxed()),
        (2, (h(), h()).prop_map(|(to, from)| Statement::Alias(to, from)).boxed()),
        (1, h().prop_map(Statement::Delete).boxed()),
    ];
    if features.contains(&Feature::Exits) {
        ways.extend([
            (1, Just(Statement::Return).boxed()),
            (1, Just(Statement::Break).boxed()),
            (1, Just(Statement::Continue).boxed()),
            (1, h().prop_map(Statement::ReturnHandle).boxed()),
        ]);
    }
    if features.contains(&Feature::Escapes) {
        ways.push((1, h().prop_map(Statement::Escape).boxed()));
    }
    if features.contains(&Feature::Lists) {
        ways.extend(with_lists(h, l));
    }
    if features.contains(&Feature::Pops) {
        ways.push((1, (h(), l()).prop_map(|(h, l)| Statement::Take(h, l)).boxed()));
        ways.push((1, l().prop_map(Statement::TakeAndWait).boxed()));
    }
    if features.contains(&Feature::ListLoops) {
        ways.push((3, l().prop_map(Statement::WaitEach).boxed()));
        ways.push((1, (h(), l()).prop_map(|(h, l)| Statement::AtVariable(h, l)).boxed()));
        ways.push((1, l().prop_map(Statement::ReturnList).boxed()));
        ways.push((1, l().prop_map(Statement::EscapeList).boxed()));
    }
    if features.contains(&Feature::Python) {
        ways.extend([
            (2, h().prop_map(Statement::FinishByCall).boxed()),
            (2, h().prop_map(Statement::StartByCall).boxed()),
            (1, (h(), 0..CONDITIONS).prop_map(|(h, c)| Statement::MaybeByCall(h, c)).boxed()),
            (1, l().prop_map(Statement::FinishAllByCall).boxed()),
            (1, l().prop_map(Statement::SeveralByCall).boxed()),
        ]);
    }
    if features.contains(&Feature::Buffers) {
        ways.extend(with_buffers(h));
    }
    if features.contains(&Feature::BufferNames) {
        let b = || 0..BUFFERS;
        ways.push((2, b().prop_map(Statement::New).boxed()));
        ways.push((2, (b(), b()).prop_map(|(to, from)| Statement::View(to, from)).boxed()));
    }
    Union::new_weighted(ways).boxed()
}

fn with_buffers(h: fn() -> std::ops::Range<u8>) -> Vec<(u32, BoxedStrategy<Statement>)> {
    let b = || 0..BUFFERS;
    let usage = prop_oneof![Just(Usage::Sends), Just(Usage::Receives), Just(Usage::Both)];
    let access = prop_oneof![Just(Access::Read), Just(Access::Write)];
    vec![
        (8, (h(), b(), usage).prop_map(|(h, b, u)| Statement::StartOn(h, b, u)).boxed()),
        (6, (b(), access).prop_map(|(b, a)| Statement::Touch(b, a)).boxed()),
    ]
}

fn with_lists(
    h: fn() -> std::ops::Range<u8>,
    l: fn() -> std::ops::Range<u8>,
) -> Vec<(u32, BoxedStrategy<Statement>)> {
    let key = || -2..2_i8;
    let parts = prop::collection::vec(part(), 0..4);
    let display = prop_oneof![Just(Display::List), Just(Display::Tuple)];
    vec![
        (3, (l(), display, parts).prop_map(|(l, d, p)| Statement::Collect(l, d, p)).boxed()),
        (3, (l(), part()).prop_map(|(l, p)| Statement::Push(l, p)).boxed()),
        (1, (h(), l(), key()).prop_map(|(h, l, k)| Statement::At(h, l, k)).boxed()),
        (2, (l(), key()).prop_map(|(l, k)| Statement::WaitAt(l, k)).boxed()),
        (1, (l(), key(), part()).prop_map(|(l, k, p)| Statement::Set(l, k, p)).boxed()),
    ]
}

fn part() -> impl Strategy<Value = Part> + Clone {
    prop_oneof![(0..HANDLES).prop_map(Part::Name), Just(Part::New)]
}

fn condition(features: &[Feature]) -> BoxedStrategy<Condition> {
    let (h, c) = (|| 0..HANDLES, || 0..CONDITIONS);
    let mut ways = vec![
        (4, c().prop_map(Condition::Given).boxed()),
        (2, c().prop_map(Condition::NotGiven).boxed()),
        (2, (0..2_i8).prop_map(Condition::Above).boxed()),
    ];
    if features.contains(&Feature::Compound) {
        ways.extend([
            (1, (c(), c()).prop_map(|(c, d)| Condition::Both(c, d)).boxed()),
            (1, (c(), c()).prop_map(|(c, d)| Condition::Either(c, d)).boxed()),
            (1, (c(), c()).prop_map(|(c, d)| Condition::NotBoth(c, d)).boxed()),
        ]);
    }
    if features.contains(&Feature::Tests) {
        ways.extend([
            (1, h().prop_map(Condition::IsNone).boxed()),
            (2, h().prop_map(Condition::IsSome).boxed()),
            (1, h().prop_map(Condition::Truth).boxed()),
            (2, h().prop_map(Condition::Polled).boxed()),
        ]);
    }
    if features.contains(&Feature::Lists) {
        ways.push((1, (0..LISTS).prop_map(Condition::Filled).boxed()));
    }
    Union::new_weighted(ways).boxed()
}
