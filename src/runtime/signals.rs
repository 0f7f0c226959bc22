//! Ctrl-C and its kin: noted here, and seen to by whoever waits.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static WATCH: Once = Once::new();
static RECEIVED: AtomicBool = AtomicBool::new(false);

/// Notes signals from now on instead of dying of them.
pub(super) fn watch() {
    WATCH.call_once(|| {
        // Where no handler can be set, a signal ends this process as it always did.
        let _ = ctrlc::set_handler(|| RECEIVED.store(true, Ordering::SeqCst));
    });
}

/// Whether a signal asked to end, in words.
pub(super) fn received() -> Option<&'static str> {
    RECEIVED.load(Ordering::SeqCst).then_some("interrupted")
}
