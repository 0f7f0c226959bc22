//! The function that an operation runs becomes the one that starts it.
//!
//! ```text
//! dist.P2POp(dist.send, t, 1)         dist.P2POp(dist.isend, t, 1)
//! ```

use super::super::{Applicability, Context, Fix};
use crate::catalog::ApiId;
use crate::source::{Edit, Span};

/// Names the function that is allowed and is called like the given one, with an `i` before it.
pub(in super::super) fn name_what_starts(given: Span, launch: ApiId, context: &Context<'_>) -> Option<Fix> {
    let text = given.of(context.text);
    let short = text.rsplit('.').next()?;
    let starts = format!("i{short}");
    let allowed = &context.catalog.function(launch).runs.as_ref()?.allowed;
    let is_allowed = allowed.iter().any(|path| path.rsplit('.').next() == Some(starts.as_str()));
    // A function that was imported by its name may have the other one not imported.
    (is_allowed && short.len() < text.len()).then(|| Fix {
        applicability: Applicability::Safe,
        message: format!("name `{}{starts}`", text.strip_suffix(short).unwrap_or_default()),
        edits: vec![Edit::insert(given.end - short.len() as u32, "i")],
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::hand_built::{Story, fixed};
    use crate::flow::{Misuse, What};

    fn given(text: &str, function: &str) -> String {
        let story = Story::new(text);
        let event = What::BatchMisuse {
            why: Misuse::WrongFunction,
            api: story.api("torch.distributed.P2POp"),
            earlier: Some(story.span(function)),
            at: story.span(text.trim()),
        };
        fixed(&story, &[story.event(event)])
    }

    #[test]
    fn a_blocking_function() {
        insta::assert_snapshot!(given("dist.P2POp(dist.send, t, 1)\n", "dist.send"), @r"
        safe: name `dist.isend`
        dist.P2POp(dist.isend, t, 1)
        ");
    }

    #[test]
    fn a_call_and_a_name_that_may_not_be_imported() {
        assert_eq!(given("dist.P2POp(dist.isend(t, 1), t, 1)\n", "dist.isend(t, 1)"), "no fix");
        assert_eq!(given("dist.P2POp(send, t, 1)\n", "send"), "no fix");
    }
}
