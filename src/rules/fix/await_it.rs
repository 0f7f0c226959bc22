//! A coroutine that is made and left becomes one that is awaited.
//!
//! ```text
//! async def push_all(tensors):            async def push_all(tensors):
//!     for t in tensors:                       for t in tensors:
//!         push(t)                                 await push(t)
//! ```

use super::super::{Context, Fix};
use super::surroundings::Surroundings;
use super::wait::unsafe_fix;
use crate::source::{Edit, Span};

/// Awaits a call that is a whole statement of an asynchronous function.
pub(in super::super) fn await_it(built: Span, context: &Context<'_>) -> Option<Fix> {
    let around = Surroundings::of(built, context)?;
    let is_asynchronous = around.layout.code(*around.lines().start()).starts_with("async def ");
    (is_asynchronous && around.span() == built)
        .then(|| unsafe_fix("await it".to_owned(), vec![Edit::insert(built.start, "await ")]))
}

#[cfg(test)]
mod tests {
    use super::super::super::hand_built::{Story, fixed};
    use crate::flow::What;

    fn called(text: &str) -> String {
        let story = Story::new(text);
        let built = story.span("push(t)");
        fixed(&story, &[story.event(What::Unlaunched { api: None, built, at: built })])
    }

    #[test]
    fn a_statement_of_an_asynchronous_function() {
        insta::assert_snapshot!(called("async def f(t):\n    push(t)\n"), @r"
        unsafe: await it
        async def f(t):
            await push(t)
        ");
    }

    #[test]
    fn elsewhere_it_cannot_be_awaited() {
        assert_eq!(called("def f(t):\n    push(t)\n"), "no fix");
        assert_eq!(called("async def f(t):\n    x = push(t)\n"), "no fix");
    }
}
