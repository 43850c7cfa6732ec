//! What is computed from the pair counts of frames, held to definitions written out again and to systems whose answer is known.

mod blocks;
mod images;
mod one_frame;
mod partials;
mod scattering;
mod thermodynamics;
mod van_hove;
mod walls;
mod weights;

use albireo::counts::{count_pairs, count_prepared};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::random::Stream;
use albireo::tally::Classes;
use albireo::{
    Bins, CountSpec, Counts, Domain, Edges, Engine, Labels, PairJob, Pairs, Particles, PeriodicBox,
    Points, RBins,
};
use albireo_fluids::{Frame, Partials, Space};

pub(crate) fn r_bins(lo: f64, hi: f64, n: usize) -> RBins {
    RBins::new(Edges::linear(lo, hi, n).unwrap())
}

pub(crate) fn cube(length: f64) -> Domain {
    Domain::Periodic(PeriodicBox::cubic(length).unwrap())
}

/// Rows of uniform points in a box of these sides.
pub(crate) fn gas(n: usize, seed: u64, sides: [f64; 3]) -> Vec<[f64; 3]> {
    let stream = Stream::new(seed);
    let at = |k: usize, axis: usize| sides[axis] * stream.uniform((3 * k + axis) as u64);
    (0..n).map(|k| [0, 1, 2].map(|axis| at(k, axis))).collect()
}

/// The pairs of all species of one frame, whose first particles are of the first species and so on.
pub(crate) fn species_counts(
    rows: &[[f64; 3]],
    numbers: &[u64],
    domain: &Domain,
    bins: impl Into<Bins>,
) -> Vec<Counts> {
    let bins = &bins.into();
    let labels = numbers.iter().enumerate();
    let labels = labels.flat_map(|(species, &n)| vec![species as u32; n as usize]);
    let labels = Labels::new(labels.collect(), numbers.len() as u32).unwrap();
    let points = Particles::new(Points::from_rows(rows).unwrap());
    let engine = Cpu::new();
    let points = points.labelled(labels).unwrap();
    let points = engine.prepare(points, domain, &Silent).unwrap();
    let job = PreparedJob::auto(&points);
    let what = CountSpec::new(bins).with_classes(Classes::Species);
    let counted = count_prepared(&engine, &job, what, &Silent);
    counted.unwrap().0.by_class()
}

pub(crate) fn counts(rows: &[[f64; 3]], domain: &Domain, bins: impl Into<Bins>) -> Counts {
    let bins = &bins.into();
    let points = Particles::new(Points::from_rows(rows).unwrap());
    let job = PairJob::new(Pairs::Auto(&points), domain).unwrap();
    count_pairs(&Cpu::new(), &job, bins, &Silent).unwrap()
}

/// Adds a frame of weight 1 without excluded pairs.
pub(crate) fn add(partials: &mut Partials, counts: &[Counts], particles: &[u64], space: &Space) {
    let frame = Frame {
        counts,
        particles,
        excluded: &[],
        space,
        weight: 1.0,
    };
    partials.add_frame(&frame).unwrap();
}

pub(crate) fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        let off = (a - b).abs();
        assert!(off <= tolerance * b.abs().max(1.0), "{k}: {a} is not {b}");
    }
}
