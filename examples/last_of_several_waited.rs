// ranks: 2
// verdict: hangs in some schedules
//! Of several requests in a vector only the last is waited for, and the vector dies.

use std::time::Duration;
use unwaited::runtime::{self, Buffer};

fn main() {
    runtime::main(2, |rank| {
        let buffers: Vec<_> = (0..3).map(|turn| Buffer::from(vec![turn; 4])).collect();
        if rank.id() == 0 {
            {
                let mut requests: Vec<_> =
                    buffers.iter().map(|buffer| rank.isend_with_tag(buffer, 1, 0)).collect();
                requests.reverse();
                if let Some(request) = requests.pop() {
                    request.wait(); //~ partly-waited
                }
            }
            rank.compute(Duration::from_secs(1));
        } else {
            buffers.iter().for_each(|buffer| {
                rank.compute(Duration::from_millis(500));
                rank.recv(buffer, 0);
            });
        }
    });
}
