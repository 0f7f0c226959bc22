// ranks: 2
// verdict: hangs in some schedules
//! In Rust `let _ =` drops at once, unlike Python's `_`.

use std::time::Duration;
use unwaited::runtime::{self, Buffer};

fn main() {
    runtime::main(2, |rank| {
        let buffer = Buffer::from(vec![1.0_f64; 10]);
        if rank.id() == 0 {
            let _ = rank.isend(&buffer, 1); //~ discarded-handle
        } else {
            rank.compute(Duration::from_millis(500));
            rank.recv(&buffer, 0);
        }
    });
}
