//! Waits that come directly after the start.
//!
//! - A **move** passes values on and does nothing: a name is bound, an attribute is read. Nothing else may stand between the
//!   start and its wait.
//! - A **message** with a blocking form is that form, written longer; a collective may have its reasons (another stream, a
//!   front that blocks), so it is told only where there is spare work.
//!
//! ```text
//! h = dist.isend(t, 1)                     told: `dist.send` says the same
//! h.wait()
//!
//! r = dist.irecv(box, 1)                   not told: the receive had to be posted first
//! dist.isend(t, 1).wait()
//! r.wait()
//! ```

use std::collections::BTreeSet;

use super::data::{Path, own};
use super::{Company, Numbered, View, Wait, is_a_test, serial};
use crate::catalog::{ApiId, Does, Kind, UsageName};
use crate::flow::event::{Exposure, Order, Spare, What};
use crate::ir::{Argument, BlockId, Callee, FunctionKind, Global, Local, Operand, Operation, Operator};

/// How many pieces of spare work are told.
const TOLD: usize = 3;

/// A start and the wait that comes at once.
pub(super) struct Pair<'v> {
    pub(super) block: BlockId,
    pub(super) start: Numbered<'v>,
    pub(super) wait: Numbered<'v>,
    pub(super) fact: &'v Wait,
}

/// What is told of the waits of a function that come at once.
pub(super) fn find(view: &View<'_>) -> Vec<What> {
    pairs(view).iter().filter_map(|pair| tell(view, pair)).collect()
}

fn tell(view: &View<'_>, pair: &Pair<'_>) -> Option<What> {
    let handle = pair.fact.handle.clone();
    let at = pair.fact.at;
    let exposed = exposure(view, pair);
    if pair.fact.company == Company::Others || is_a_test(view.unit, view.function) {
        return None;
    }
    if let Some(header) = serial::loop_of_independent_turns(view, pair)
        && exposed.is_none()
    {
        return Some(What::SerialLoop { handle, at, header });
    }
    let spare = spare_work(view, pair);
    let is_told = !spare.is_empty() || exposed.is_some() || says_a_blocking_call(view, pair);
    is_told.then_some(What::WaitedAtOnce { handle, at, spare, exposed })
}

/// Starts and waits of one handle in one block, with nothing but moves between them.
fn pairs<'v>(view: &View<'v>) -> Vec<Pair<'v>> {
    let waits = view.seen.waits.iter().filter_map(|(&number, wait)| Some((number, wait.as_ref()?)));
    waits.filter_map(|(number, fact)| pair(view, number, fact)).collect()
}

fn pair<'v>(view: &View<'v>, number: u32, fact: &'v Wait) -> Option<Pair<'v>> {
    let block = view.block_of(number)?;
    let ops = view.block(block);
    let at = ops.iter().position(|op| op.number == number)?;
    let before = ops.get(..at)?;
    let is_start = |op: &Numbered<'_>| {
        op.op.span == fact.handle.started
            && matches!(op.op.operation, Operation::Call { .. } | Operation::Start { .. })
    };
    let start = before.iter().rposition(is_start)?;
    let between = before.get(start + 1..)?;
    let is_direct = !fact.handle.several && between.iter().all(|op| is_move(view, op));
    is_direct.then(|| Pair { block, start: before[start], wait: ops[at], fact })
}

fn is_move(view: &View<'_>, op: &Numbered<'_>) -> bool {
    match &op.op.operation {
        Operation::Assign { .. }
        | Operation::Field { .. }
        | Operation::Element { .. }
        | Operation::Global { .. }
        | Operation::SetGlobal { .. }
        | Operation::Import { .. }
        | Operation::Forget { .. }
        | Operation::View { .. } => true,
        Operation::Compute { operator, .. } => !matches!(operator, Operator::Other(_)),
        Operation::Call { .. } => {
            let mut apis = view.seen.called_at(op.number).peekable();
            let passes = |api: ApiId| {
                matches!(view.catalog.function(api).does, Does::Pass | Does::Alias | Does::Guard)
            };
            apis.peek().is_some() && apis.all(passes)
        }
        _ => false,
    }
}

/// Whether the pair is nothing but the long form of a blocking send.
fn says_a_blocking_call(view: &View<'_>, pair: &Pair<'_>) -> bool {
    let entry = view.catalog.function(pair.fact.handle.api);
    let Some(blocking) = &entry.blocking else { return false };
    let sends = entry.buffers.first().is_some_and(|buffer| buffer.usage == UsageName::Sends);
    let last = |name: &str| name.rsplit('.').next().map(str::to_ascii_lowercase);
    // A function of that name is the library's own front.
    let is_front = last(&view.function.name) == last(blocking);
    entry.kind == Kind::PointToPoint
        && sends
        && pair.fact.handle.inside.is_empty()
        && !is_front
        && is_given_the_handle_only(view, pair)
}

/// Whether a wait takes nothing but the handle: no time-out, no status.
fn is_given_the_handle_only(view: &View<'_>, pair: &Pair<'_>) -> bool {
    let Operation::Call { arguments, .. } = &pair.wait.op.operation else { return true };
    let handle: BTreeSet<Path> = view.data.written(&pair.start.op.operation).into_iter().map(own).collect();
    let is_handle =
        |argument: &Argument| argument.value.local().is_some_and(|it| view.data.shares(it, &handle));
    arguments.iter().all(is_handle)
}

/// How the wait can block two ranks that do the same, where the library's sends may block.
fn exposure(view: &View<'_>, pair: &Pair<'_>) -> Option<Exposure> {
    let api = pair.fact.handle.api;
    view.catalog.sends_block(api)?;
    let usage = |api: ApiId| {
        let entry = view.catalog.function(api);
        let first = entry.buffers.first().map(|buffer| buffer.usage);
        first.filter(|_| entry.kind == Kind::PointToPoint)
    };
    let own = usage(api)?;
    let sends = |api: ApiId| usage(api) == Some(UsageName::Sends) || is_named(view, api, "send");
    let receives = |api: ApiId| usage(api) == Some(UsageName::Receives) || is_named(view, api, "receive");
    let follows = |api: ApiId| sends(api) || (own == UsageName::Sends && receives(api));
    let later = super::numbered(view.function).find(|(number, op)| {
        op.span != pair.start.op.span
            && view.seen.called_at(*number).any(follows)
            && view.leads_to(pair.wait.number, *number)
    });
    let header = view.loop_around(pair.block).map(|of| of.span);
    match (own, header, later) {
        (UsageName::Sends, Some(header), _) => Some(Exposure::Repeated(header)),
        (_, _, Some((_, op))) => Some(Exposure::Followed(op.span)),
        (_, _, None) => None,
    }
}

/// Whether a blocking function is the blocking form of something that sends or receives, by its name.
fn is_named(view: &View<'_>, api: ApiId, what: &str) -> bool {
    view.catalog.is_blocking(api) && view.catalog.short_name(api).to_ascii_lowercase().contains(what)
}

/// Computations of the block that could have stood between start and wait.
fn spare_work(view: &View<'_>, pair: &Pair<'_>) -> Vec<Spare> {
    let ops = view.block(pair.block);
    let buffers = buffers(view, pair);
    let behind: Vec<Numbered<'_>> = ops
        .iter()
        .copied()
        .filter(|op| op.number > pair.wait.number)
        .take_while(|op| !ends_search(view, op))
        .collect();
    let ahead: Vec<Numbered<'_>> = ops
        .iter()
        .rev()
        .copied()
        .filter(|op| op.number < pair.start.number)
        .take_while(|op| !ends_search(view, op))
        .collect();
    let after = work_behind(view, &behind, &buffers, pair);
    let before = if after.is_empty() { work_ahead(view, &ahead, &buffers, pair) } else { Vec::new() };
    after.into_iter().chain(before).take(TOLD).collect()
}

/// What the operation uses until it is finished.
fn buffers(view: &View<'_>, pair: &Pair<'_>) -> BTreeSet<Path> {
    let locals = buffer_locals(view, pair);
    locals.into_iter().flat_map(|local| view.data.origins(local)).collect()
}

/// The arguments that are its buffers; all arguments of a wrapper.
pub(super) fn buffer_locals(view: &View<'_>, pair: &Pair<'_>) -> Vec<Local> {
    let entry = view.catalog.function(pair.fact.handle.api);
    match &pair.start.op.operation {
        Operation::Call { callee, arguments, .. } => {
            let is_known = !entry.buffers.is_empty() || entry.gives_message;
            let is_direct = pair.fact.handle.inside.is_empty() && is_known;
            let named = arguments.iter().enumerate().filter(|(at, argument)| {
                !is_direct
                    || entry.buffers.iter().any(|buffer| is_for(argument, *at, &buffer.argument, entry))
            });
            let mut locals: Vec<Local> = named.filter_map(|(_, argument)| argument.value.local()).collect();
            if !is_direct && let Callee::Method { receiver, .. } = callee {
                locals.extend(receiver.local());
            }
            locals
        }
        other => view.data.read(other),
    }
}

/// Whether an argument is for a parameter; one that is not known may be.
fn is_for(argument: &Argument, at: usize, name: &str, entry: &crate::catalog::Function) -> bool {
    match &argument.passing {
        crate::ir::Passing::Positional => entry.position(name) == Some(at),
        crate::ir::Passing::Named(given) => given == name,
        crate::ir::Passing::Spread | crate::ir::Passing::SpreadNamed => true,
    }
}

/// Other communication, and blocks that are entered or left, may need the order as it is.
fn ends_search(view: &View<'_>, op: &Numbered<'_>) -> bool {
    let is_border = matches!(
        op.op.operation,
        Operation::Enter { .. } | Operation::Leave { .. } | Operation::Yield { .. } | Operation::Await { .. }
    );
    is_border || view.communicates(op.number)
}

/// Work behind the wait that needs nothing of the operation.
fn work_behind(
    view: &View<'_>,
    ops: &[Numbered<'_>],
    buffers: &BTreeSet<Path>,
    pair: &Pair<'_>,
) -> Vec<Spare> {
    let mut touched = buffers.clone();
    touched.extend(
        view.data
            .written(&pair.start.op.operation)
            .into_iter()
            .chain(view.data.written(&pair.wait.op.operation))
            .map(own),
    );
    let mut spare = Vec::new();
    for op in ops {
        let depends =
            view.data.read(&op.op.operation).into_iter().any(|local| view.data.shares(local, &touched));
        if depends {
            touched.extend(view.data.written(&op.op.operation).into_iter().map(own));
            touched.extend(
                changed(view, &op.op.operation).into_iter().flat_map(|local| view.data.origins(local)),
            );
        } else if view.works.contains(&op.number) || is_step(view, op) {
            spare.push(Spare { span: op.op.span, order: Order::After });
        }
    }
    spare
}

/// Work before the start, nearest first, that the operation needs nothing of and that does not touch its buffers.
fn work_ahead(
    view: &View<'_>,
    ops: &[Numbered<'_>],
    buffers: &BTreeSet<Path>,
    pair: &Pair<'_>,
) -> Vec<Spare> {
    let mut needed: BTreeSet<Local> = view.data.read(&pair.start.op.operation).into_iter().collect();
    let mut spare = Vec::new();
    for op in ops {
        let gives = view.data.written(&op.op.operation);
        let is_needed = gives.iter().any(|local| needed.contains(local))
            || changed(view, &op.op.operation).iter().any(|local| view.data.shares(*local, buffers));
        if is_needed {
            needed.extend(view.data.read(&op.op.operation));
        } else if (view.works.contains(&op.number) || is_step(view, op))
            && !view.data.read(&op.op.operation).into_iter().any(|local| view.data.shares(local, buffers))
        {
            spare.push(Spare { span: op.op.span, order: Order::Before });
        }
    }
    spare.reverse();
    spare
}

/// What an operation may change beside what it binds.
pub(super) fn changed(view: &View<'_>, operation: &Operation) -> Vec<Local> {
    match operation {
        Operation::Call { .. }
        | Operation::SetField { .. }
        | Operation::SetElement { .. }
        | Operation::Update { .. }
        | Operation::Push { .. } => view.data.read(operation),
        _ => Vec::new(),
    }
}

/// Whether an operation is a step of the program's own, from something to something: `self.block(x)`, `criterion(y)`.
fn is_step(view: &View<'_>, op: &Numbered<'_>) -> bool {
    let Operation::Call { to, callee, arguments } = &op.op.operation else { return false };
    let is_used = super::is_read(view.function, *to);
    let takes = arguments.iter().any(|argument| argument.value.local().is_some());
    let is_known = view.seen.called_at(op.number).next().is_some();
    is_used && takes && !is_known && is_own(view, callee)
}

/// Whether what is called is a method of the own class, or a function that is no other file's: a parameter, a variable, one of
/// the file that does not communicate itself.
fn is_own(view: &View<'_>, callee: &Callee) -> bool {
    match callee {
        Callee::Method { receiver: Operand::Local(receiver), meaning: None, .. } => {
            let parameters = &view.function.parameters;
            let is_method = view.function.kind == FunctionKind::Method;
            is_method && parameters.first().is_some_and(|own| own.local == *receiver)
        }
        Callee::Method { .. } | Callee::Value(Operand::Constant(_)) => false,
        Callee::Value(Operand::Local(called)) => match named(view, *called) {
            None => view.function.locals.get(called.0 as usize).is_some_and(|info| !info.name.is_empty()),
            Some(name) => match view.unit.globals.get(name) {
                Some(Global::Function(id)) => !(view.calls)(*id),
                Some(Global::Once | Global::Several) => true,
                Some(Global::Import(_) | Global::Class(_)) | None => false,
            },
        },
    }
}

/// The name of the top level that a temporary stands for.
fn named<'v>(view: &View<'v>, local: Local) -> Option<&'v str> {
    super::numbered(view.function).find_map(|(_, op)| match &op.operation {
        Operation::Global { to, name } if *to == local => Some(name.as_str()),
        _ => None,
    })
}
