// ranks: 2
// verdict: completes
//! The request is kept and waited for.

use std::time::Duration;
use unwaited::runtime::{self, Buffer};

fn main() {
    runtime::main(2, |rank| {
        let buffer = Buffer::from(vec![1.0_f64; 10]);
        if rank.id() == 0 {
            let request = rank.isend(&buffer, 1);
            rank.compute(Duration::from_millis(500));
            request.wait();
        } else {
            rank.irecv(&buffer, 0).wait();
        }
    });
}
