//! Works through a list on several threads with large stacks, and gives the results in the order of the list.
//!
//! Deeply nested programs make parsers and analyses recurse, so each worker has a stack of [`STACK`] bytes; the system
//! provides memory only for what is used of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, scope};

use super::crash::{Crash, guarded};

/// The name of a worker thread.
pub(crate) const WORKER: &str = "unwaited-worker";

/// The stack of a worker.
const STACK: usize = 64 << 20;

/// Applies `work` to every item. An item whose work panics gives a [`Crash`].
pub(crate) fn map<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<Result<R, Crash>> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some((index, item)) = take(items, &next) {
            done.push((index, guarded(|| work(item))));
        }
        done
    };
    let mut results = scope(|scope| {
        let spawn = |_| Builder::new().name(WORKER.to_owned()).stack_size(STACK).spawn_scoped(scope, worker);
        let workers: Vec<_> = (0..threads.min(items.len())).map_while(|index| spawn(index).ok()).collect();
        let mut results: Vec<_> =
            workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect();
        // Where the system gives no thread at all, the work is done here.
        results.extend(worker());
        results
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn take<'t, T>(items: &'t [T], next: &AtomicUsize) -> Option<(usize, &'t T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    items.get(index).map(|item| (index, item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..500).collect();
        let doubled = map(4, &items, |item| item * 2);
        assert!(doubled.iter().enumerate().all(|(index, result)| *result == Ok(index * 2)));
    }

    #[test]
    fn an_item_that_panics_does_not_take_the_others_down() {
        let results = map(2, &[1, 0, 2], |item| 10 / item);
        assert_eq!(results.first(), Some(&Ok(10)));
        assert!(matches!(results.get(1), Some(Err(Crash(said))) if said.contains("divide by zero")));
        assert_eq!(results.get(2), Some(&Ok(5)));
    }

    #[test]
    fn work_that_needs_a_deep_stack_has_it() {
        fn depth(left: u32) -> u32 {
            let pad = std::hint::black_box([left; 64]);
            if left == 0 { 0 } else { 1 + depth(left - 1) + pad[0] - left }
        }
        assert_eq!(map(1, &[50_000], |levels| depth(*levels)), [Ok(50_000)]);
    }
}
