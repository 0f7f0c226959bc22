//! A panic while one file is analysed is a finding of that file, not the end of the run.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

use super::pool::WORKER;

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What a panic said, and where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Crash(pub(crate) String);

/// Makes panics of workers silent: they are reported as findings. Others are printed as before.
pub fn keep_crashes_quiet() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().name() == Some(WORKER) {
            LAST.set(Some(describe(info)));
        } else {
            before(info);
        }
    }));
}

/// Does some work, and gives a crash if it panics.
pub(crate) fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, Crash> {
    LAST.take();
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|payload| Crash(LAST.take().unwrap_or_else(|| said(payload.as_ref()).to_owned())))
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    match info.location() {
        Some(place) => format!("{} ({}:{})", said(info.payload()), place.file(), place.line()),
        None => said(info.payload()).to_owned(),
    }
}

fn said(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
