//! The words in which rules tell what happened.
//!
//! - A **callee** is what stands before the parentheses of a call, as the user wrote it: `dist.isend`, `self._put`.
//! - The **noun** of an operation says what is in flight: send, receive, collective.
//! - A **turn** is a decision of the program that leads to the loss; the story shows the last few after the start.
//! - The **harm** is what the library does when the handle is gone, by backend, from the catalogue.

use super::{Context, Finding, Label};
use crate::catalog::{ApiId, Does, DropEffect, Kind, OnDrop, UsageName};
use crate::flow::{Event, Handle, Origin, Step, Turn};
use crate::source::Span;

/// How many turns a story shows.
const TURNS_SHOWN: usize = 3;

/// What a call calls, in backticks; the catalogue's short name where the text is too long to read.
pub(super) fn callee(call: Span, api: ApiId, context: &Context<'_>) -> String {
    callee_or(call, short_name(api, context), context)
}

/// What a call calls, in backticks, or `otherwise` where the text is too long to read.
pub(super) fn callee_or(call: Span, otherwise: &str, context: &Context<'_>) -> String {
    let text = callee_text(call.of(context.text));
    let readable = (1..=60).contains(&text.len()) && !text.contains(char::is_whitespace);
    format!("`{}`", if readable { text } else { otherwise })
}

/// The last name of an api's path: `isend`, `Isend`.
pub(super) fn short_name<'a>(api: ApiId, context: &Context<'a>) -> &'a str {
    let name = context.catalog.short_name(api);
    name.rsplit('.').next().unwrap_or(name)
}

/// What stands before the last pair of parentheses of a call.
pub(super) fn callee_text(call: &str) -> &str {
    let (mut depth, mut opened, mut quote) = (0_u32, call.len(), None);
    for (at, character) in call.char_indices() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{') => {
                if depth == 0 && character == '(' {
                    opened = at;
                }
                depth += 1;
            }
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
    }
    call.get(..opened).unwrap_or(call).trim()
}

/// What is in flight.
pub(super) fn noun(api: ApiId, context: &Context<'_>) -> &'static str {
    let function = context.catalog.function(api);
    if function.does == Does::Launch {
        return "batch";
    }
    if function.gives_message {
        return "receive";
    }
    match function.kind {
        Kind::PointToPoint => match function.buffers.first().map(|buffer| buffer.usage) {
            Some(UsageName::Sends) => "send",
            Some(UsageName::Receives) => "receive",
            Some(UsageName::Both | UsageName::AsRun) | None => "message",
        },
        Kind::Collective => "collective",
        Kind::Barrier => "barrier",
        Kind::Rpc => "remote call",
        Kind::OneSided => "transfer",
        Kind::File => "file operation",
    }
}

/// "handle" or "handles", by how many the call gives.
pub(super) fn handles(handle: &Handle) -> &'static str {
    if handle.several { "handles" } else { "handle" }
}

/// "is" or "are", to go with [`handles`].
pub(super) fn are(handle: &Handle) -> &'static str {
    if handle.several { "are" } else { "is" }
}

/// The name that held the handle, in backticks, or a word for it.
pub(super) fn holder(handle: &Handle) -> String {
    named(handle.holder.as_deref())
}

/// A name in backticks, or a word for one that is not known.
pub(super) fn named(name: Option<&str>) -> String {
    name.map_or_else(|| "the name".to_owned(), |name| format!("`{name}`"))
}

/// The start, where the finding is reported elsewhere; then the way down into a wrapper.
pub(super) fn from_the_start(handle: &Handle, context: &Context<'_>) -> Vec<Label> {
    let text = format!("the {} starts here", noun(handle.api, context));
    let mut labels = vec![Label { span: handle.started, text }];
    labels.extend(inside(handle, context));
    labels
}

/// The way down into a wrapper: each call, and the start itself.
pub(super) fn inside(handle: &Handle, context: &Context<'_>) -> Vec<Label> {
    let last = handle.inside.len().saturating_sub(1);
    let tell = |(depth, origin): (usize, &Origin)| {
        let called = callee(origin.span, handle.api, context);
        let text = if depth == last {
            format!("inside `{}` it is {called} that starts it", origin.function)
        } else {
            format!("inside `{}` it comes from {called}", origin.function)
        };
        Label { span: origin.span, text }
    };
    handle.inside.iter().enumerate().map(tell).collect()
}

/// The argument that decides whether there is a handle at all.
pub(super) fn condition_of_start(handle: &Handle, context: &Context<'_>) -> Option<Label> {
    let span = handle.conditional?;
    let argument = span.of(context.text);
    Some(Label { span, text: format!("`{argument}` decides whether there is a handle") })
}

/// Whether the caller of the function decides about the handle: the argument stands in the call itself, not in a wrapper
/// that is asked for a handle by a constant.
pub(super) fn is_decided_by_the_caller(handle: &Handle) -> bool {
    handle.conditional.is_some_and(|argument| handle.started.contains(argument))
}

/// The last decisions between the start and the loss.
pub(super) fn turns(event: &Event, handle: &Handle, context: &Context<'_>) -> Vec<Label> {
    let steps = after_the_start(&event.path, handle.started, context.text);
    let mut shown: Vec<Step> = Vec::new();
    for step in steps.iter().rev() {
        if shown.len() < TURNS_SHOWN && shown.iter().all(|other| other.span != step.span) {
            shown.push(*step);
        }
    }
    shown.iter().rev().map(|step| Label { span: step.span, text: turn(step.turn).to_owned() }).collect()
}

/// Whether a condition behind the start decides about the loss; that loops end is no decision.
pub(super) fn is_conditional(event: &Event, handle: &Handle, context: &Context<'_>) -> bool {
    let steps = after_the_start(&event.path, handle.started, context.text);
    steps.iter().any(|step| match step.turn {
        Turn::True | Turn::False | Turn::Partly | Turn::Raised => true,
        Turn::NoTurn | Turn::Turn => false,
    })
}

/// The steps from the first one that is written behind the start; without any, the next turn of a loop around it.
fn after_the_start<'a>(path: &'a [Step], started: Span, text: &str) -> &'a [Step] {
    let rest_of_line = text.get(started.end as usize..).and_then(|rest| rest.find('\n')).unwrap_or(0);
    let line_end = started.end + u32::try_from(rest_of_line).unwrap_or(0);
    if let Some(first) = path.iter().position(|step| step.span.start > line_end) {
        return &path[first..];
    }
    match path.split_last() {
        Some((last, before)) if is_another_turn(last, before) => &path[before.len()..],
        Some(_) | None => &[],
    }
}

fn is_another_turn(last: &Step, before: &[Step]) -> bool {
    last.turn == Turn::Turn && before.iter().any(|step| step.span == last.span)
}

fn turn(turn: Turn) -> &'static str {
    match turn {
        Turn::True => "this condition is true",
        Turn::False => "this condition is false",
        Turn::NoTurn => "the loop takes no turn, or no further one",
        Turn::Turn => "the loop takes a turn",
        Turn::Partly => "this finishes only some of the handles",
        Turn::Raised => "this raises",
    }
}

/// The name, attribute or slot that is bound, deleted or filled at a place, without backticks.
pub(super) fn place<'a>(at: Span, handle: &'a Handle, context: &Context<'a>) -> Option<&'a str> {
    let text = at.of(context.text);
    let is_readable = (1..=40).contains(&text.len()) && !text.contains(['\n', '(', '=']);
    if is_readable { Some(text) } else { handle.holder.as_deref() }
}

/// The container that is emptied or bound to something else at a place: `handles` in `handles.clear()`.
pub(super) fn container<'a>(at: Span, handle: &'a Handle, context: &Context<'a>) -> Option<&'a str> {
    let emptied = at.of(context.text).strip_suffix(".clear()");
    emptied.or_else(|| place(at, handle, context))
}

/// Whether the start is the whole right-hand side of `name = …`, and gives one handle: then `name.wait()` finishes it.
pub(super) fn is_bound_directly(handle: &Handle, name: &str, context: &Context<'_>) -> bool {
    let before = context.text.get(..handle.started.start as usize).unwrap_or_default();
    let target = before.trim_end().strip_suffix('=').map(str::trim_end);
    !handle.several
        && target.is_some_and(|target| target.rsplit('\n').next().is_some_and(|line| line.trim() == name))
}

/// Keeps the first label of each place.
pub(super) fn tell_each_place_once(finding: &mut Finding) {
    let mut told = vec![finding.primary.span];
    finding.labels.retain(|label| {
        let is_new = !told.contains(&label.span);
        told.push(label.span);
        is_new
    });
}

/// How to keep the handle and finish it, and what blocks instead.
pub(super) fn keep_and_wait(handle: &Handle, context: &Context<'_>) -> String {
    let called = callee(handle.started, handle.api, context);
    let called = called.trim_matches('`');
    let keep = if handle.several {
        format!(
            "`handles = {called}(…)`, and later `for handle in handles: handle.{}()`",
            wait(handle, context)
        )
    } else {
        format!("`handle = {called}(…)`, and later `handle.{}()`", wait(handle, context))
    };
    format!("keep the {} and wait: {keep}{}", handles(handle), or_block(handle, called, context))
}

/// The method that finishes a handle: mpi4py's capital functions have a capital wait.
pub(super) fn wait(handle: &Handle, context: &Context<'_>) -> &'static str {
    let capital = short_name(handle.api, context).starts_with(char::is_uppercase);
    if capital { "Wait" } else { "wait" }
}

/// The blocking form, where the catalogue knows one and the user calls the library's function itself.
fn or_block(handle: &Handle, called: &str, context: &Context<'_>) -> String {
    if let (Some(when), true) = (&context.catalog.function(handle.api).when, is_direct(handle)) {
        return format!("; or leave `{}` out, and the call itself waits", when.argument);
    }
    blocking_form(handle, called, context)
        .map_or_else(String::new, |blocking| format!("; or call the blocking {blocking}"))
}

/// The blocking form of the call that started something, in backticks and in the user's words.
pub(super) fn blocking_call(handle: &Handle, context: &Context<'_>) -> Option<String> {
    let called = callee(handle.started, handle.api, context);
    blocking_form(handle, called.trim_matches('`'), context)
}

fn blocking_form(handle: &Handle, called: &str, context: &Context<'_>) -> Option<String> {
    let blocking = context.catalog.function(handle.api).blocking.as_ref().filter(|_| is_direct(handle))?;
    let before = called.strip_suffix(short_name(handle.api, context))?;
    let blocking = blocking.rsplit('.').next().unwrap_or(blocking);
    Some(format!("`{before}{blocking}`"))
}

/// Whether the user calls the library's function itself, for one handle.
fn is_direct(handle: &Handle) -> bool {
    handle.inside.is_empty() && !handle.several
}

/// What the loss does where it does most: `; with gloo the message is cancelled and the peer waits for ever`.
pub(super) fn harm(api: ApiId, context: &Context<'_>) -> String {
    let in_force = |backend: &str| context.backend.is_none_or(|known| backend == known || backend == "any");
    let harmful = |drop: &&OnDrop| in_force(&drop.backend) && drop.effect != DropEffect::Waits;
    let drops: Vec<&OnDrop> = context.catalog.drops(api).filter(harmful).collect();
    let Some(worst) = drops.iter().min_by_key(|drop| mildness(drop.effect)) else { return String::new() };
    if worst.backend == "any" || (drops.len() > 1 && drops.iter().all(|drop| drop.harm == worst.harm)) {
        return format!("; as it is, {}", worst.harm);
    }
    format!("; as it is, with {} {}", worst.backend, worst.harm)
}

fn mildness(effect: DropEffect) -> u8 {
    match effect {
        DropEffect::Cancels => 0,
        DropEffect::Leaks => 1,
        DropEffect::Aborts => 2,
        DropEffect::Continues => 3,
        DropEffect::Waits => 4,
    }
}

/// Whether an operation goes on in the stream of its device when its handle is gone, and the newest of one communicator
/// stands for those before it.
pub(super) fn is_stream_ordered(context: &Context<'_>) -> bool {
    context.backend == Some("nccl")
}

/// A buffer in backticks, or a word for one whose name is not known.
pub(super) fn buffer(name: Option<&str>) -> String {
    name.map_or_else(|| "a buffer".to_owned(), |name| format!("`{name}`"))
}

/// What to do for a pending operation: `call `handle.wait()``, or `wait for `isend``.
pub(super) fn wait_for(handle: &Handle, context: &Context<'_>) -> String {
    match &handle.holder {
        Some(name) if !handle.several => format!("call `{name}.{}()`", wait(handle, context)),
        Some(_) | None => format!("wait for {}", callee(handle.started, handle.api, context)),
    }
}

/// The place in a called function where a buffer is touched.
pub(super) fn touched_inside(inside: &[Origin], verb: &str) -> Vec<Label> {
    let tell = |call: &Origin| Label {
        span: call.span,
        text: format!("inside `{}` it is {verb} here", call.function),
    };
    inside.iter().map(tell).collect()
}
