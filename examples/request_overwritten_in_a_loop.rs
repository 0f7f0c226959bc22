// ranks: 2
// verdict: hangs in some schedules
//! Each turn replaces the request before; only the last is waited for.

use std::time::Duration;
use unwaited::runtime::{self, Buffer};

fn main() {
    runtime::main(2, |rank| {
        let buffers: Vec<_> = (0..3).map(|turn| Buffer::from(vec![turn; 4])).collect();
        if rank.id() == 0 {
            let mut last = None;
            for buffer in &buffers {
                last = Some(rank.isend(buffer, 1)); //~ overwritten-handle
            }
            if let Some(request) = last {
                request.wait();
            }
        } else {
            rank.compute(Duration::from_millis(500));
            buffers.iter().for_each(|buffer| rank.recv(buffer, 0));
        }
    });
}
