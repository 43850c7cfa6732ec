//! The child of a fork counts: it has none of its parent's threads, and waits for none.
//!
//! Unsafe, as nothing in the standard library forks: the calls of `fork`, `waitpid`, `kill` and `_exit` below, each on its own
//! arguments. Alone in its program, so that no other test's thread holds a lock at the fork.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::time::{Duration, Instant};

use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Silent};
use albireo::{Domain, Edges, Outside, PairJob, Pairs, Particles, PeriodicBox, RBins, random};

/// Enough particles to be checked, wrapped and sorted by several threads.
const N: usize = 150_000;

/// Pairs on all threads and on two, of points that are made, placed and sorted here.
fn counts(engines: &[Cpu; 2]) -> [Vec<u64>; 2] {
    let domain = Domain::Periodic(PeriodicBox::cubic(0.9).unwrap());
    let points = random::in_box(N, 3, [1.0; 3]).unwrap();
    let sample = domain.place(Particles::new(points), Outside::Wrap).unwrap();
    let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 0.02, 4).unwrap());
    engines.each_ref().map(|engine| {
        let counts = count_pairs(engine, &job, &bins, &Silent);
        counts.unwrap().npairs().to_vec()
    })
}

/// The exit status of a child of this process that runs `work`; none if it has not come to an end in time.
fn in_a_child(work: impl FnOnce() -> bool) -> Option<i32> {
    // SAFETY: the child calls nothing that needs another thread of its parent, which is what is tested here.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "no child");
    if child == 0 {
        let right = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // SAFETY: ends the child at once, without running what is the parent's to run.
        unsafe { libc::_exit(i32::from(!right.unwrap_or(false))) }
    }
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(120) {
        let mut status = 0;
        // SAFETY: the child is ours, and `status` lives.
        if unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == child {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: the child is ours and has not been waited for.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
    None
}

#[test]
fn the_child_of_a_fork_counts() {
    let engines = [Cpu::new(), Cpu::new().with_threads(2).unwrap()];
    let expected = counts(&engines);
    assert_eq!(expected[0], expected[1]);
    // A child of a child too; and twice, for the pools that the first has made.
    let again = || counts(&engines) == expected && counts(&engines) == expected;
    let status = in_a_child(|| again() && in_a_child(again) == Some(0));
    assert_eq!(status, Some(0), "the child's exit status");
    assert_eq!(counts(&engines), expected);
}
