// ranks: 3
// verdict: wrong data
//! Two messages are received into one buffer.

use unwaited::runtime::{self, Buffer, wait_all};

fn main() {
    runtime::main(3, |rank| {
        let buffer = Buffer::from(vec![rank.id() as i64; 4]);
        if rank.id() == 0 {
            let first = rank.irecv(&buffer, 1);
            let second = rank.irecv(&buffer, 2); //~ buffer-shared
            wait_all(&[first, second]);
        } else {
            rank.send(&buffer, 0);
        }
    });
}
