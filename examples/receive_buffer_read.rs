// ranks: 2
// verdict: wrong data
//! The receive buffer is read before the wait.

use std::time::Duration;
use unwaited::runtime::{self, Buffer};

fn main() {
    runtime::main(2, |rank| {
        let buffer = Buffer::from(vec![rank.id() as f32; 10]);
        if rank.id() == 0 {
            rank.compute(Duration::from_millis(500));
            rank.send(&buffer, 1);
        } else {
            let request = rank.irecv(&buffer, 0);
            let early: f32 = buffer.to_vec().iter().sum(); //~ buffer-read
            request.wait();
            assert!(early > 0.0, "whatever it is, it is not what was sent");
        }
    });
}
