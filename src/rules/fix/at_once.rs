//! A wait that comes at once becomes the blocking call, or moves behind the work that it could overlap with.
//!
//! ```text
//! dist.isend(t, 1).wait()                  dist.send(t, 1)
//!
//! handle = dist.isend(t, 1)                dist.send(t, 1)
//! handle.wait()
//!
//! dist.all_reduce(x, async_op=True).wait() dist.all_reduce(x)
//!
//! handle = dist.irecv(box, 1)              handle = dist.irecv(box, 1)
//! handle.wait()                            work()
//! work()                                   handle.wait()
//! use(box)                                 use(box)
//! ```

use super::super::{Applicability, Context, Fix, story};
use super::surroundings::{Holds, Surroundings};
use super::wait::unsafe_fix;
use crate::flow::Handle;
use crate::source::{Edit, Line, Span, mentions};

/// Calls the blocking form.
pub(in super::super) fn block(handle: &Handle, at: Span, context: &Context<'_>) -> Option<Fix> {
    let around = Surroundings::of(handle.started, context)?;
    let (blocks, written) = blocking_form(handle, context)?;
    let mut edits = match form(handle, at, &around, context)? {
        Form::OneStatement => vec![Edit::delete(Span::new(handle.started.end, at.end))],
        Form::TwoStatements { target, wait, name } => {
            let is_other = |line: &Line| *line != around.line && *line != wait;
            let is_used = |line: Line| mentions(around.layout.code(line), &name);
            if around.lines().filter(is_other).any(is_used) {
                return None;
            }
            vec![Edit::delete(target), around.layout.remove(wait)]
        }
    };
    edits.push(blocks);
    let message = format!("call the blocking {written}");
    Some(Fix { applicability: Applicability::Safe, message, edits })
}

/// Waits later: at the last moment.
pub(in super::super) fn wait_later(handle: &Handle, at: Span, context: &Context<'_>) -> Option<Fix> {
    let around = Surroundings::of(handle.started, context)?;
    let (name, mut edits, first) = match form(handle, at, &around, context)? {
        Form::OneStatement => {
            let name = around.free("handle");
            let bind = Edit::insert(handle.started.start, format!("{name} = "));
            let unwait = Edit::delete(Span::new(handle.started.end, at.end));
            (name, vec![bind, unwait], around.line + 1)
        }
        Form::TwoStatements { wait, name, .. } => (name, vec![around.layout.remove(wait)], wait + 1),
    };
    let (wait, when) = around.at_the_last_moment(handle, &around.wait_rows(&name, Holds::One, handle))?;
    if first < around.layout.count()
        && wait == around.layout.insert_before(first, &around.wait_rows(&name, Holds::One, handle))
    {
        return None;
    }
    edits.push(wait);
    Some(unsafe_fix(format!("wait {when}"), edits))
}

/// How the start and its wait are written.
enum Form {
    /// `start().wait()`
    OneStatement,
    /// `name = start()`, and on the next line `name.wait()`.
    TwoStatements { target: Span, wait: Line, name: String },
}

fn form(handle: &Handle, at: Span, around: &Surroundings<'_, '_>, context: &Context<'_>) -> Option<Form> {
    let statement = around.span();
    if statement == at && at.start == handle.started.start {
        let wait = Span { start: handle.started.end, end: at.end }.of(context.text);
        return matches!(wait, ".wait()" | ".Wait()").then_some(Form::OneStatement);
    }
    let target = Span { start: statement.start, end: handle.started.start };
    let name = target.of(context.text).trim_end().strip_suffix('=')?.trim_end();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let wait = around.line + 1;
    let is_wait = around.layout.span(wait) == at
        && at.of(context.text).strip_prefix(name).is_some_and(|call| matches!(call, ".wait()" | ".Wait()"))
        && around.are_siblings(around.line, wait);
    let is_plain = is_name && is_wait && statement.end == handle.started.end;
    is_plain.then(|| Form::TwoStatements { target, wait, name: name.to_owned() })
}

/// The edit that makes the call block, and how it is called then.
fn blocking_form(handle: &Handle, context: &Context<'_>) -> Option<(Edit, String)> {
    let call = handle.started.of(context.text);
    let callee = story::callee_text(call);
    let short = story::short_name(handle.api, context);
    let function = context.catalog.function(handle.api);
    if !handle.inside.is_empty() || handle.several {
        return None;
    }
    if let Some(when) = &function.when {
        let argument = format!(", {}=True", when.argument);
        let at = call.find(&argument).filter(|_| call.matches(&argument).count() == 1)?;
        let start = handle.started.start + at as u32;
        let edit = Edit::delete(Span::new(start, start + argument.len() as u32));
        return Some((edit, format!("`{callee}`, without `{}`", when.argument)));
    }
    let blocking = function.blocking.as_deref()?;
    let blocking = blocking.rsplit('.').next().unwrap_or(blocking);
    let before = callee.strip_suffix(short).filter(|before| before.ends_with('.'))?;
    let start = handle.started.start + before.len() as u32;
    let edit = Edit::replace(Span::new(start, start + short.len() as u32), blocking);
    Some((edit, format!("`{before}{blocking}`")))
}

#[cfg(test)]
mod tests {
    use super::super::super::hand_built::{Story, fixed};
    use crate::flow::{Order, Spare, What};

    fn at_once(text: &str, call: &str, at: &str, spare: Option<&str>) -> String {
        let story = Story::new(text);
        let spare = spare.map(|spare| Spare { span: story.span(spare), order: Order::After });
        let (handle, at) = (story.handle(call), story.span(at));
        let what = What::WaitedAtOnce { handle, at, spare: spare.into_iter().collect(), exposed: None };
        fixed(&story, &[story.event(what)])
    }

    #[test]
    fn a_send_in_one_breath() {
        let text = "dist.isend(t, 1).wait()  # now\n";
        insta::assert_snapshot!(at_once(text, "dist.isend(t, 1)", "dist.isend(t, 1).wait()", None), @r"
        safe: call the blocking `dist.send`
        dist.send(t, 1)  # now
        ");
    }

    #[test]
    fn a_send_in_two_statements() {
        let text = "if a:\n    h = dist.isend(t, 1)\n    h.wait()\nend()\n";
        insta::assert_snapshot!(at_once(text, "dist.isend(t, 1)", "h.wait()", None), @r"
        safe: call the blocking `dist.send`
        if a:
            dist.send(t, 1)
        end()
        ");
        let used = "h = dist.isend(t, 1)\nh.wait()\nprint(h)\n";
        assert_eq!(at_once(used, "dist.isend(t, 1)", "h.wait()", None), "no fix");
    }

    #[test]
    fn a_collective_in_one_breath() {
        let text = "dist.all_reduce(t, group=g, async_op=True).wait()\n";
        let call = "dist.all_reduce(t, group=g, async_op=True)";
        insta::assert_snapshot!(at_once(text, call, text.trim(), None), @r"
        safe: call the blocking `dist.all_reduce`, without `async_op`
        dist.all_reduce(t, group=g)
        ");
    }

    #[test]
    fn work_that_the_wait_moves_behind() {
        let text = "h = dist.irecv(b, 1)\nh.wait()\ny = w @ x\nprint(b)\n";
        insta::assert_snapshot!(at_once(text, "dist.irecv(b, 1)", "h.wait()", Some("w @ x")), @r"
        unsafe: wait before its buffer is used
        h = dist.irecv(b, 1)
        y = w @ x
        h.wait()
        print(b)
        ");
        let text = "dist.irecv(b, 1).wait()\nprint(b, w @ x)\n";
        assert_eq!(at_once(text, "dist.irecv(b, 1)", "dist.irecv(b, 1).wait()", Some("w @ x")), "no fix");
    }

    #[test]
    fn a_name_that_may_not_be_imported() {
        assert_eq!(at_once("isend(t, 1).wait()\n", "isend(t, 1)", "isend(t, 1).wait()", None), "no fix");
    }
}
