//! Vector instructions pay: where the compiler turns them into calls, kernels run many times slower than plain loops, and counts stay right.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(clippy::print_stdout, reason = "the ratios are worth reading")]

use std::time::{Duration, Instant};

use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Isa, Silent};
use albireo::{
    Axis, Bins, Domain, Edges, LineOfSight, PairJob, Pairs, Particles, PeriodicBox, RBins, SMuBins,
    SignedEdges, random,
};

const SIDE: f64 = 100.0;

/// The shortest of five counts on one thread.
fn time(isa: Isa, sample: &Particles, bins: impl Into<Bins>) -> Duration {
    let bins = &bins.into();
    let domain = Domain::Periodic(PeriodicBox::cubic(SIDE).unwrap());
    let job = PairJob::new(Pairs::Auto(sample), &domain).unwrap();
    let engine = Cpu::new().with_threads(1).unwrap().with_isa(isa).unwrap();
    let count = || {
        let begin = Instant::now();
        count_pairs(&engine, &job, bins, &Silent).unwrap();
        begin.elapsed()
    };
    (0..5).map(|_| count()).min().unwrap()
}

fn compare(name: &str, bins: impl Into<Bins>) {
    let bins = &bins.into();
    let sample = Particles::new(random::in_box(30_000, 5, [SIDE; 3]).unwrap());
    let plain = time(Isa::Portable, &sample, bins);
    for isa in Isa::available() {
        let vector = time(isa, &sample, bins);
        println!(
            "{name}, {}: {:.2} times portable",
            isa.name(),
            plain.as_secs_f64() / vector.as_secs_f64()
        );
        // Every 64-bit ARM compiler uses NEON for plain loops too.
        assert!(
            matches!(isa, Isa::Portable | Isa::Neon) || vector < plain,
            "{name}: {vector:?} with {}, {plain:?} with plain loops",
            isa.name()
        );
    }
}

#[test]
fn wider_registers_are_faster() {
    compare(
        "linear r",
        RBins::new(Edges::linear(0.0, 25.0, 30).unwrap()),
    );
    compare(
        "logarithmic r",
        RBins::new(Edges::logarithmic(0.1, 25.0, 20).unwrap()),
    );
    let s = Edges::linear(0.0, 25.0, 40).unwrap();
    let mu = SignedEdges::linear(0.0, 1.0, 100).unwrap();
    let los = LineOfSight::Fixed(Axis::Z);
    compare("(s, mu)", SMuBins::new(s, mu, los).unwrap());
}
