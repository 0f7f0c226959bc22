// ranks: 2
// verdict: hangs in some schedules
//! Both ranks send before they receive.

use unwaited::runtime::{self, Buffer};

fn main() {
    runtime::main(2, |rank| {
        let (mine, other) = (Buffer::from(vec![1; 10]), Buffer::from(vec![0; 10]));
        rank.send(&mine, 1 - rank.id()); //~ FN wait-cycle: the ranks of programs in Rust are not followed
        rank.recv(&other, 1 - rank.id());
    });
}
