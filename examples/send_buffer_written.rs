// ranks: 2
// verdict: wrong data in some schedules
//! The send buffer is written before the wait.

use std::time::Duration;
use unwaited::runtime::{self, Buffer};

fn main() {
    runtime::main(2, |rank| {
        let buffer = Buffer::from(vec![3.0_f32; 10]);
        if rank.id() == 0 {
            let request = rank.isend(&buffer, 1);
            buffer.fill(0.0); //~ buffer-written
            request.wait();
        } else {
            rank.compute(Duration::from_millis(500));
            rank.recv(&buffer, 0);
        }
    });
}
