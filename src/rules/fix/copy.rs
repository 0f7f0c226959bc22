//! A receive into a copy becomes one into what was copied.
//!
//! ```text
//! dist.irecv(box.clone(), 1)              dist.irecv(box, 1)
//! ```

use super::super::{Context, Fix};
use super::wait::unsafe_fix;
use crate::source::{Edit, Span};

/// Calls that give a copy of what they are called on.
const COPIES: &[&str] = &[".clone()", ".copy()"];

pub(in super::super) fn without_the_copy(argument: Span, context: &Context<'_>) -> Option<Fix> {
    let text = argument.of(context.text);
    let original = COPIES.iter().find_map(|call| text.strip_suffix(call))?;
    let end = argument.start + original.len() as u32;
    let message = format!("receive into `{original}` itself");
    Some(unsafe_fix(message, vec![Edit::delete(Span::new(end, argument.end))]))
}

#[cfg(test)]
mod tests {
    use super::super::super::hand_built::{Story, fixed};
    use crate::flow::{Standing, What};

    #[test]
    fn a_clone_and_a_new_tensor() {
        let received = |argument: &str| {
            let call = format!("dist.irecv({argument}, 1)");
            let story = Story::new(&format!("h = {call}\n"));
            let (api, at) = (story.api("torch.distributed.irecv"), story.span(&call));
            let (argument, standing) = (story.span(argument), Standing::Certain);
            fixed(&story, &[story.event(What::Temporary { api, argument, standing, at })])
        };
        insta::assert_snapshot!(received("box[1:].clone()"), @r"
        unsafe: receive into `box[1:]` itself
        h = dist.irecv(box[1:], 1)
        ");
        assert_eq!(received("torch.empty(3)"), "no fix");
    }
}
