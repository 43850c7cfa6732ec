//! Pairs at the very end of the reach: no bound that rows or pairs are left out by may leave these out. Every instruction set against the
//! naive reference, with `==`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod random;

use albireo::counts::{Sums, count_pairs};
use albireo::engine::{Cpu, Isa};
use albireo::{
    Axis, Binning, Domain, Edges, LineOfSight, Naive, PairCounts, PairJob, Pairs, Particles,
    Points, RBins, RpPiBins, SignedEdges, Silent,
};
use random::Random;

fn sample(rows: &[[f64; 3]]) -> Particles {
    Particles::new(Points::from_rows(rows).unwrap())
}

/// The counts of the reference, which every instruction set must give too.
fn counted<B: Binning>(pairs: Pairs<'_>, domain: &Domain, bins: &B) -> PairCounts<B> {
    let job = PairJob::new(pairs, domain).unwrap();
    let expected = count_pairs(&Naive, &job, bins, Sums::default(), &Silent).unwrap();
    for isa in Isa::available() {
        let engine = Cpu::new().with_isa(isa).unwrap();
        let found = count_pairs(&engine, &job, bins, Sums::default(), &Silent).unwrap();
        assert!(found == expected, "{isa:?} {bins:?}");
    }
    expected
}

fn lin(lo: f64, hi: f64, n: usize) -> Edges {
    Edges::linear(lo, hi, n).unwrap()
}

fn signed(lo: f64, hi: f64, n: usize) -> SignedEdges {
    SignedEdges::linear(lo, hi, n).unwrap()
}

/// Pairs just within reach of blocks much larger than it: float32 offsets are off by a large part of the reach.
#[test]
fn pairs_at_the_end_of_the_reach_of_large_blocks() {
    let mut random = Random(31);
    for trial in 0..600 {
        let size = 2f64.powi(trial % 12);
        let axis = trial as usize % 3;
        let mut second = random.points(12, size);
        for x in &mut second {
            x[axis] -= size;
        }
        let face = [(); 3].map(|()| random.unit() * size * 0.25);
        let mut first = random.points(12, size);
        let within = 1.0 - 2f64.powf(-20.0 - 33.0 * random.unit());
        for (side, x) in [(1.0, &mut first[0]), (0.0, &mut second[0])] {
            *x = face;
            x[axis] = side * within;
        }
        for x in &mut first[1..] {
            x[axis] += 1.0;
        }
        let (first, second) = (sample(&first), sample(&second));
        let pairs = Pairs::Cross(&first, &second);
        for n in [4, 100] {
            let r = RBins::new(lin(0.0, 1.0, n));
            let counts = counted(pairs, &Domain::Open, &r);
            assert!(counts.npairs().iter().sum::<u64>() > 0);
            let los =
                LineOfSight::Fixed([Axis::X, Axis::Y, Axis::Z][(axis + trial as usize / 3) % 3]);
            let bins = RpPiBins::new(lin(0.0, 1.0, n), signed(0.0, 1.0, n), los).unwrap();
            counted(pairs, &Domain::Open, &bins);
        }
    }
}
