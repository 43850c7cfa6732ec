//! Bins beyond half of a box on devices, against the double loop: ties of images, species, samples shared out.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::engine::{PreparedJob, Silent};
use albireo::tally::{Classes, Sum};
use albireo::{
    Axis, CountSpec, Domain, Edges, Engine, Labels, Lattice, LineOfSight, Naive, Outside, Pairs,
    Particles, PeriodicBox, Points, RBins, RpPiBins, SignedEdges,
};

use super::suite::Random;

/// A brick, a slab, a crystal whose images tie, and a cell so skewed that the vectors given are no shortest ones.
fn domains() -> Vec<Domain> {
    let lattice = |vectors| Domain::Triclinic(Lattice::new(vectors).unwrap());
    let periodic = |lengths| Domain::Periodic(PeriodicBox::new(lengths).unwrap());
    vec![
        periodic([Some(1.0), Some(1.5), Some(0.75)]),
        periodic([Some(1.0), None, Some(1.25)]),
        lattice([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]),
        lattice([[1.0, 0.0, 0.0], [2.75, 1.25, 0.0], [-1.5, 0.875, 1.5]]),
    ]
}

/// Points at random or, so that images tie and edges are met, on sites of a grid; labels of three species, of which one may be nowhere.
fn particles(random: &mut Random, n: usize, domain: &Domain, sites: bool) -> Particles {
    let vectors = match domain {
        Domain::Triclinic(lattice) => lattice.basis(),
        Domain::Periodic(cell) => {
            let [x, y, z] = cell.lengths().map(|length| length.unwrap_or(1.0));
            [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]
        }
        Domain::Open => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    };
    let mut place = || {
        let s = [0; 3].map(|_| random.next());
        let s = s.map(|s| if sites { (s * 4.0).floor() / 4.0 } else { s });
        [0, 1, 2].map(|k| s[0] * vectors[0][k] + s[1] * vectors[1][k] + s[2] * vectors[2][k])
    };
    let rows: Vec<[f64; 3]> = (0..n).map(|_| place()).collect();
    let points = Points::from_rows(&rows).unwrap();
    let weights = (0..n).map(|_| random.next() - 0.25).collect();
    let species = if sites { 2.0 } else { 3.0 };
    let labels = (0..n).map(|_| (random.next() * species) as u32).collect();
    let labels = Labels::new(labels, 3).unwrap();
    let sample = Particles::weighted(points, weights).unwrap();
    let sample = sample.labelled(labels).unwrap();
    domain.place(sample, Outside::Wrap).unwrap()
}

/// The count of `what` by `engine`, prepared and not, which must be that of the double loop.
fn same(engine: &dyn Engine, (pairs, domain): (Pairs<'_>, &Domain), what: &CountSpec) -> u64 {
    let (first, second) = pairs.samples();
    let prepared = |sample: &Particles| engine.prepare(sample.clone(), domain, &Silent).unwrap();
    let (first, second) = (prepared(first), second.map(prepared));
    let job = PreparedJob::new(&first, second.as_ref()).unwrap();
    let expected = Naive.run(job.job(), what, &Silent).unwrap();
    let told = || format!("{}: {what:?} in {domain:?}", engine.description());
    let unprepared = engine.run(job.job(), what, &Silent).unwrap();
    assert!(unprepared == expected, "{}", told());
    let (tally, _) = engine.tally(&job, what, &Silent).unwrap();
    assert!(tally == expected, "{}, prepared", told());
    expected.pairs().iter().sum()
}

/// Everything that devices count beyond half of a box.
pub(crate) fn are_nearest(engine: &dyn Engine, n: usize) {
    let mut random = Random::new(14);
    let mut beyond = 0;
    for domain in domains() {
        for sites in [false, true] {
            let a = particles(&mut random, n, &domain, sites);
            let b = particles(&mut random, n / 2 + 1, &domain, sites);
            let even = Edges::linear(0.0, 2.0, 16).unwrap();
            // Separations of sites are edges.
            let of_sites = (0..12).map(|k| (f64::from(k) / 16.0).sqrt() * 1.25);
            let uneven = Edges::new(of_sites.collect()).unwrap();
            for edges in [even.clone(), uneven] {
                let what = CountSpec::new(RBins::new(edges)).beyond_half();
                let species = what.clone().with_classes(Classes::Species);
                for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
                    let all = same(engine, (pairs, &domain), &what);
                    assert_eq!(all, same(engine, (pairs, &domain), &species));
                    beyond += all;
                }
            }
            let pi = SignedEdges::linear(-2.0, 2.0, 8).unwrap();
            let bins = RpPiBins::new(even, pi, LineOfSight::Fixed(Axis::Y)).unwrap();
            let what = CountSpec::new(bins).beyond_half().with_sum(Sum::Product);
            same(engine, (Pairs::Auto(&a), &domain), &what);
        }
    }
    assert!(beyond > 16 * n as u64, "{beyond}");
}
