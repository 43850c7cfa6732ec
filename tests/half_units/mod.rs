//! Separations that lie so close to half a unit of the fixed point that only the rule's own roundings tell which way they are rounded,
//! along an axis and across all three, against the double loop.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::engine::{Silent, Traversal};
use albireo::tally::{CountSpec, Sum};
use albireo::{
    Bins, Domain, Edges, Engine, Naive, PairJob, Pairs, Particles, PeriodicBox, Points, RBins,
};

use super::suite::Random;

/// `value` a few float64 numbers further.
fn nudged(value: f64, random: &mut Random) -> f64 {
    let by = (random.next() * 25.0) as i64 - 12;
    f64::from_bits((value.to_bits() as i64 + by) as u64)
}

/// Offsets whose lengths are halves of a unit but for a few roundings: below 1/2, where a unit is 2^-36.
fn offsets(n: usize, random: &mut Random) -> Vec<[f64; 3]> {
    let unit = 1.0 / (1u64 << 36) as f64;
    let offset = |k: usize| {
        let length = ((random.next() * 0.49 / unit).floor() + 0.5) * unit;
        let (across, along) = if k.is_multiple_of(3) {
            ([0.0; 2], length)
        } else {
            let across = [0.5, 0.7].map(|most| most * length * random.next());
            let square = across.iter().map(|x| x * x).sum::<f64>();
            (across, (length * length - square).sqrt())
        };
        let mut offset = [nudged(along, random), across[0], across[1]];
        offset.rotate_left(k % 2);
        offset
    };
    (0..n).map(offset).collect()
}

fn check(engine: &dyn Engine, pairs: Pairs<'_>, domain: &Domain, bins: impl Into<Bins>) {
    let bins = &bins.into();
    let what = CountSpec::new(bins.clone()).with_sum(Sum::Separation);
    for traversal in [Traversal::AllPairs, Traversal::Cells] {
        let job = PairJob::new(pairs, domain).unwrap();
        let job = job.with_traversal(traversal);
        let expected = Naive.run(&job, &what, &Silent).unwrap();
        let found = engine.run(&job, &what, &Silent).unwrap();
        assert_eq!(
            found.pairs(),
            expected.pairs(),
            "{traversal:?} in {domain:?}"
        );
        assert!(
            found == expected,
            "{traversal:?} in {domain:?}: sums differ"
        );
    }
}

/// Sums of `n` separations from a corner, each of them as the rule rounds it.
pub(crate) fn are_rounded_as_by_the_rule(engine: &dyn Engine, n: usize, seed: u64) {
    let mut random = Random::new(seed);
    let rows = offsets(n, &mut random);
    let around = Particles::new(Points::from_rows(&rows).unwrap());
    let corner = Particles::new(Points::from_rows(&[[0.0; 3]]).unwrap());
    let cubic = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    // Every separation in a bin of its own, or nearly: what differs does not cancel.
    let even = RBins::new(Edges::linear(0.0, 0.5, 600).unwrap());
    let uneven = RBins::new(Edges::logarithmic(1e-3, 0.5, 12).unwrap());
    for domain in [&Domain::Open, &cubic] {
        for pairs in [
            Pairs::Cross(&around, &corner),
            Pairs::Cross(&corner, &around),
        ] {
            check(engine, pairs, domain, &even);
            check(engine, pairs, domain, &uneven);
        }
    }
}
