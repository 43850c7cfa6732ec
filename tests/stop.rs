//! A stop is heard within a unit of work, on every path of every engine.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::atomic::{AtomicU64, Ordering};

use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Engine, Progress};
use albireo::error::EngineError;
use albireo::{CountSpec, Domain, Edges, Naive, PairJob, Pairs, Particles, Points, RBins};

/// Asks for a stop from the `from`th look on.
struct Stop {
    from: u64,
    looks: AtomicU64,
}

impl Progress for Stop {
    fn begin(&self, _: u64) {}

    fn advance(&self, _: u64) {}

    fn stop_requested(&self) -> bool {
        self.looks.fetch_add(1, Ordering::Relaxed) + 1 >= self.from
    }
}

/// `n` particles in one place.
fn in_one_place(n: usize) -> Particles {
    Particles::new(Points::new(vec![0.5; n], vec![0.5; n], vec![0.5; n]).unwrap())
}

/// One row of the reference, one unit of the fast engine: whoever looks only between them looks twice in all.
fn is_heard(engine: &dyn Engine, what: CountSpec) {
    let (few, many) = (in_one_place(64), in_one_place(65_537));
    let job = PairJob::new(Pairs::Cross(&few, &many), &Domain::Open).unwrap();
    let stop = Stop {
        from: 3,
        looks: AtomicU64::new(0),
    };
    let counts = count_pairs(engine, &job, what, &stop);
    assert!(
        matches!(counts, Err(EngineError::Interrupted)),
        "{}: {counts:?}",
        engine.description()
    );
}

#[test]
fn a_stop_is_heard_within_a_unit_of_work() {
    let cpu = Cpu::new().with_threads(1).unwrap();
    let bins = |n| CountSpec::new(RBins::new(Edges::linear(0.0, 1.0, n).unwrap()));
    is_heard(&cpu, bins(4));
    is_heard(&cpu, bins(10_000));
    is_heard(&cpu, bins(4).with_mean_separation());
}

#[test]
fn a_stop_is_heard_within_a_row_of_the_reference() {
    let (one, many) = (in_one_place(1), in_one_place(65_537));
    let job = PairJob::new(Pairs::Cross(&one, &many), &Domain::Open).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 1.0, 4).unwrap());
    let stop = Stop {
        from: 2,
        looks: AtomicU64::new(0),
    };
    let counts = count_pairs(&Naive, &job, &bins, &stop);
    assert!(matches!(counts, Err(EngineError::Interrupted)));
}

#[test]
fn a_stop_that_is_taken_back_is_still_a_stop() {
    /// Asks for a stop once.
    struct Once(AtomicU64);
    impl Progress for Once {
        fn begin(&self, _: u64) {}
        fn advance(&self, _: u64) {}
        fn stop_requested(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) == 2
        }
    }
    let (few, many) = (in_one_place(64), in_one_place(65_537));
    let job = PairJob::new(Pairs::Cross(&few, &many), &Domain::Open).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 1.0, 4).unwrap());
    let once = Once(AtomicU64::new(0));
    let cpu = Cpu::new().with_threads(1).unwrap();
    let counts = count_pairs(&cpu, &job, &bins, &once);
    assert!(matches!(counts, Err(EngineError::Interrupted)));
}

#[test]
fn more_threads_than_the_machine_has_use_for_are_refused() {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let most = Cpu::most_threads();
    assert!(most >= cores);
    assert_eq!(Cpu::new().with_threads(most).unwrap().threads(), most);
    for threads in [most + 1, 20_000, usize::MAX] {
        let error = Cpu::new().with_threads(threads).unwrap_err();
        assert!(
            matches!(error, EngineError::TooManyThreads { cores: c, .. } if c == cores),
            "{error}"
        );
    }
}
