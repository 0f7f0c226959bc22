// ranks: 2
// verdict: completes
//! The send is started, then comes the receive, then the wait.

use unwaited::runtime::{self, Buffer};

fn main() {
    runtime::main(2, |rank| {
        let (mine, other) = (Buffer::from(vec![1; 10]), Buffer::from(vec![0; 10]));
        let request = rank.isend(&mine, 1 - rank.id());
        rank.recv(&other, 1 - rank.id());
        request.wait();
        assert_eq!(other.get(9), 1);
    });
}
