// ranks: 2
// verdict: hangs in some schedules
//! A request is kept, but one branch returns before the wait.

use std::time::Duration;
use unwaited::runtime::{self, Buffer, Rank};

fn give(rank: &Rank, buffer: &Buffer<i32>, verbose: bool) {
    let request = rank.isend(buffer, 1); //~ unwaited-handle
    if !verbose {
        return;
    }
    request.wait();
}

fn main() {
    runtime::main(2, |rank| {
        let buffer = Buffer::from(vec![1; 10]);
        if rank.id() == 0 {
            give(rank, &buffer, false);
        } else {
            rank.compute(Duration::from_millis(500));
            rank.recv(&buffer, 0);
        }
    });
}
