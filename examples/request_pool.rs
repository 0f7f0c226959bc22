// ranks: 4
// verdict: completes
//! A pool of requests is filled over a round and waited for at its end.

use unwaited::runtime::{self, Buffer, wait_all};

fn main() {
    runtime::main(4, |rank| {
        let mine = Buffer::from(vec![rank.id() as u64; 8]);
        let peers: Vec<usize> = (0..rank.size()).filter(|peer| *peer != rank.id()).collect();
        let received: Vec<_> = peers.iter().map(|_| Buffer::from(vec![0_u64; 8])).collect();
        let mut pool = Vec::new();
        for (peer, buffer) in peers.iter().zip(&received) {
            pool.push(rank.irecv(buffer, *peer));
            pool.push(rank.isend(&mine, *peer));
        }
        wait_all(&pool);
        for (peer, buffer) in peers.iter().zip(&received) {
            assert_eq!(buffer.get(0), *peer as u64);
        }
    });
}
