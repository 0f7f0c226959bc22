//! `buffer-rebound`: the name of a receive buffer is bound to something else before the data has arrived, and is taken for the
//! data afterwards.
//!
//! ```text
//! handle = dist.irecv(box, peer)
//! box = torch.zeros(n)            # here: the data arrives in the old tensor
//! handle.wait()
//! return box                      # zeros
//! ```

use super::{Context, Finding, Label, Law, Rule, Severity, fix, story};
use crate::flow::{Event, Reread, What};

pub(super) const RULE: Rule = Rule {
    name: "buffer-rebound",
    severity: Severity::Warning,
    law: Law::Quiet,
    summary: "the name of a receive buffer is bound to something else before the data has arrived",
    page: include_str!("../../rules/buffer-rebound.md"),
    check,
};

fn check(event: &Event, context: &Context<'_>) -> Option<Finding> {
    let What::ReboundBuffer { handle, name, reread, at } = &event.what else { return None };
    let noun = story::noun(handle.api, context);
    let mut labels = story::from_the_start(handle, context);
    labels.extend(story::turns(event, handle, context));
    let text = match reread {
        Reread::AtOnce => format!("what `{name}` is bound to is computed before the {noun} is finished"),
        Reread::Freed => format!("what `{name}` held before is freed here, and the {noun} still uses it"),
        Reread::Later(read) => {
            let text = format!("`{name}` is read here, and does not hold what was received");
            labels.push(Label { span: *read, text });
            format!("the data of the {noun} arrives in what `{name}` held before")
        }
    };
    let wait = story::wait_for(handle, context);
    Some(Finding {
        rule: RULE.name,
        severity: RULE.severity,
        message: match reread {
            Reread::AtOnce | Reread::Later(_) => {
                format!("`{name}` is bound to something else while the {noun} into it is pending")
            }
            Reread::Freed => {
                format!("`{name}` is bound to something else while the {noun} uses what it held")
            }
        },
        primary: Label { span: *at, text },
        labels,
        help: format!("{wait} before this, or bind another name"),
        function: event.function.clone(),
        fix: match reread {
            Reread::AtOnce => fix::before_the_touch(handle, *at, context),
            // What it is bound to is no data, whenever the wait comes.
            Reread::Later(_) | Reread::Freed => None,
        },
    })
}
