// ranks: 2
// verdict: hangs in some schedules
//! A request is thrown away, and the receiver is late: the message is never sent.
#![allow(unused_must_use, reason = "that is the mistake")]

use std::time::Duration;
use unwaited::runtime::{self, Buffer};

fn main() {
    runtime::main(2, |rank| {
        let buffer = Buffer::from(vec![1.0_f64; 10]);
        if rank.id() == 0 {
            rank.isend(&buffer, 1); //~ discarded-handle
        } else {
            rank.compute(Duration::from_millis(500));
            rank.irecv(&buffer, 0).wait();
        }
    });
}
