//! A wait for one of several handles becomes a wait for each.
//!
//! ```text
//! handles[-1].wait()              for handle in handles:
//!                                     handle.wait()
//! MPI.Request.Waitany(requests)   MPI.Request.Waitall(requests)
//! handles.wait()                  for handle in handles:
//!                                     handle.wait()
//! ```

use super::super::{Applicability, Context, Fix};
use super::surroundings::Surroundings;
use crate::flow::Selection;
use crate::source::{Edit, Span};

pub(in super::super) fn wait_for_all(how: Selection, at: Span, context: &Context<'_>) -> Option<Fix> {
    match how {
        Selection::Index | Selection::Taken => {
            let (waited, call) = split_wait(at.of(context.text))?;
            each(container(waited)?, call, at, context)
        }
        Selection::Any => any_to_all(at, context),
        Selection::Zip => None,
    }
}

/// For a wait that is called on the container itself.
pub(in super::super) fn wait_on_each(at: Span, context: &Context<'_>) -> Option<Fix> {
    let (container, call) = split_wait(at.of(context.text))?;
    each(container, call, at, context)
}

fn each(container: &str, call: &str, at: Span, context: &Context<'_>) -> Option<Fix> {
    let around = Surroundings::of(at, context)?;
    if around.span() != at || container.contains('\n') {
        return None;
    }
    let (name, layout) = (around.free("handle"), &around.layout);
    let inner = format!("{}{}{name}{call}", layout.indentation(around.line), layout.level());
    let text = format!("for {name} in {container}:{}{inner}", layout.ending());
    Some(Fix {
        applicability: Applicability::Unsafe,
        message: format!("wait for each of `{container}`"),
        edits: vec![Edit::replace(at, text)],
    })
}

/// `handles[-1]` and `.wait()`.
fn split_wait(text: &str) -> Option<(&str, &str)> {
    let at = text.rfind(".wait(").or_else(|| text.rfind(".Wait("))?;
    text.ends_with(')').then_some(text.split_at(at))
}

/// What an element was taken from.
fn container(element: &str) -> Option<&str> {
    let taken =
        [".pop()", ".popleft()", ".pop(0)", ".pop(-1)"].iter().find_map(|end| element.strip_suffix(end));
    taken.or_else(|| {
        let inside = element.strip_suffix(']')?;
        let open = inside.rfind('[')?;
        (!inside.get(open..)?.contains(']')).then_some(element.get(..open)?)
    })
}

/// The index that a wait for any gives is not there any more: only a wait whose result is not used can be changed.
fn any_to_all(at: Span, context: &Context<'_>) -> Option<Fix> {
    let around = Surroundings::of(at, context)?;
    let text = at.of(context.text);
    let pairs = [("Waitany(", "Waitall("), ("waitany(", "waitall(")];
    let (any, all, start) = pairs.iter().find_map(|(any, all)| Some((any, all, text.find(any)?)))?;
    let start = at.start + start as u32;
    (around.span() == at).then(|| Fix {
        applicability: Applicability::Unsafe,
        message: "wait for all of them".to_owned(),
        edits: vec![Edit::replace(Span::new(start, start + any.len() as u32), *all)],
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::hand_built::{Story, fixed};
    use crate::flow::{Selection, What};

    fn partly(text: &str, how: Selection, at: &str) -> String {
        let story = Story::new(text);
        let handle = story.handle("dist.batch_isend_irecv(ops)");
        fixed(&story, &[story.event(What::PartlyWaited { handle, how, at: story.span(at) })])
    }

    #[test]
    fn the_last_of_a_list() {
        let text = "handles = dist.batch_isend_irecv(ops)\nhandles[-1].wait()  # all\n";
        insta::assert_snapshot!(partly(text, Selection::Index, "handles[-1].wait()"), @r"
        unsafe: wait for each of `handles`
        handles = dist.batch_isend_irecv(ops)
        for handle in handles:
            handle.wait()  # all
        ");
    }

    #[test]
    fn one_taken_out_of_a_batch() {
        let text = "if a:\r\n  dist.batch_isend_irecv(ops).pop().wait()\r\n";
        let fixed = partly(text, Selection::Taken, "dist.batch_isend_irecv(ops).pop().wait()");
        assert!(
            fixed.ends_with("  for handle in dist.batch_isend_irecv(ops):\r\n    handle.wait()\r\n"),
            "{fixed}"
        );
    }

    #[test]
    fn whichever_comes_first() {
        let text = "r = dist.batch_isend_irecv(ops)\nMPI.Request.Waitany(r)\n";
        assert!(
            partly(text, Selection::Any, "MPI.Request.Waitany(r)").ends_with("\nMPI.Request.Waitall(r)\n")
        );
        let used = "r = dist.batch_isend_irecv(ops)\ni = MPI.Request.Waitany(r)\n";
        assert_eq!(partly(used, Selection::Any, "MPI.Request.Waitany(r)"), "no fix");
    }
}
