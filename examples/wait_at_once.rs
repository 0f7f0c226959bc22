// ranks: 2
// verdict: slow
//! A wait directly after the start, although the computation could hide the message.

use std::time::Duration;
use unwaited::runtime::{self, Buffer};

fn main() {
    runtime::main(2, |rank| {
        let buffer = Buffer::from(vec![1.0_f32; 1000]);
        if rank.id() == 0 {
            rank.isend(&buffer, 1).wait(); //~ immediate-wait
            rank.compute(Duration::from_millis(1));
        } else {
            rank.recv(&buffer, 0);
            rank.compute(Duration::from_millis(1));
        }
    });
}
