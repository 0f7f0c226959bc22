//! The message that a wait gives takes the place of the request.
//!
//! ```text
//! data = comm.irecv(room, source=1)       data = comm.irecv(room, source=1)
//! data.wait()                             data = data.wait()
//! use(data)                               use(data)
//! ```

use super::super::{Context, Fix};
use super::surroundings::Surroundings;
use super::wait::unsafe_fix;
use crate::source::{Edit, Span};

/// Binds what a wait gives to the name that is used as if it were that.
pub(in super::super) fn take_the_message(at: Span, context: &Context<'_>) -> Option<Fix> {
    let around = Surroundings::of(at, context)?;
    let name = at.of(context.text).strip_suffix(".wait()")?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && around.span() == at).then(|| {
        let edit = Edit::insert(at.start, format!("{name} = "));
        unsafe_fix(format!("let `{name}` be the message"), vec![edit])
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::hand_built::{Story, fixed};
    use crate::flow::What;

    #[test]
    fn a_request_that_is_used_as_the_message() {
        let waited = |text: &str, at: &str| {
            let story = Story::new(text);
            let (handle, at) = (story.handle("dist.irecv(b, 1)"), story.span(at));
            fixed(&story, &[story.event(What::MessageDiscarded { handle, at, used: story.last("data") })])
        };
        insta::assert_snapshot!(waited("data = dist.irecv(b, 1)\ndata.wait()\nuse(data)\n", "data.wait()"), @r"
        unsafe: let `data` be the message
        data = dist.irecv(b, 1)
        data = data.wait()
        use(data)
        ");
        assert_eq!(waited("data = dist.irecv(b, 1)\ndata.Wait()\nuse(data)\n", "data.Wait()"), "no fix");
    }
}
