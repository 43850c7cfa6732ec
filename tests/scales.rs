//! Lengths of very different sizes in one job: boxes many million times as large as their bins, blocks much larger than those that they
//! meet, lines of sight whose squares are beyond float32. Every instruction set against the naive reference, with `==`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod random;

use albireo::counts::{Sums, count_pairs};
use albireo::engine::{Cpu, Isa};
use albireo::{
    Axis, Binning, Domain, Edges, Lattice, LineOfSight, Naive, Outside, PairJob, Pairs, Particles,
    PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges, Silent,
};
use random::Random;

fn sample(rows: &[[f64; 3]]) -> Particles {
    Particles::new(Points::from_rows(rows).unwrap())
}

/// The number of pairs that the reference counts, whose counts every instruction set must give too.
fn counted<B: Binning>(pairs: Pairs<'_>, domain: &Domain, bins: &B) -> u64 {
    let job = PairJob::new(pairs, domain).unwrap();
    let expected = count_pairs(&Naive, &job, bins, Sums::default(), &Silent).unwrap();
    for isa in Isa::available() {
        let engine = Cpu::new().with_isa(isa).unwrap();
        let found = count_pairs(&engine, &job, bins, Sums::default(), &Silent).unwrap();
        assert!(found == expected, "{isa:?} {bins:?} {domain:?}");
    }
    expected.npairs().iter().sum()
}

fn lin(lo: f64, hi: f64, n: usize) -> Edges {
    Edges::linear(lo, hi, n).unwrap()
}

fn log(lo: f64, hi: f64, n: usize) -> Edges {
    Edges::logarithmic(lo, hi, n).unwrap()
}

fn signed(lo: f64, hi: f64, n: usize) -> SignedEdges {
    SignedEdges::linear(lo, hi, n).unwrap()
}

/// Counts in bins of every kind up to 1, with these lines of sight.
fn in_all_bins(pairs: Pairs<'_>, domain: &Domain, sights: &[LineOfSight]) {
    let uneven = Edges::new(vec![0.0, 0.1, 0.13, 0.4, 0.41, 0.8, 1.0]).unwrap();
    for across in [
        lin(0.0, 1.0, 8),
        lin(0.0, 1.0, 1000),
        log(1e-3, 1.0, 30),
        uneven,
    ] {
        assert!(counted(pairs, domain, &RBins::new(across.clone())) > 0);
        for &los in sights {
            let mu = SignedEdges::new(vec![-1.0, -0.3, 0.0, 0.2, 0.7, 1.0]).unwrap();
            let pi = if across.n_bins() == 1000 {
                mu.clone()
            } else {
                signed(-1.0, 1.0, 50)
            };
            let rp_pi = RpPiBins::new(across.clone(), pi, los).unwrap();
            assert!(counted(pairs, domain, &rp_pi) > 0);
            let mu = if matches!(across.n_bins(), 8 | 30) {
                signed(0.0, 1.0, 40)
            } else {
                mu
            };
            let s_mu = SMuBins::new(across.clone(), mu, los).unwrap();
            assert!(counted(pairs, domain, &s_mu) > 0);
        }
    }
}

/// Differences across a face lose the digits that the size of the box takes: by the rule and by a filter not in the same place.
#[test]
fn pairs_across_the_faces_of_boxes_many_million_times_their_bins() {
    for exponent in [30, 40] {
        let size = 1.37 * 2f64.powi(exponent);
        let vectors = [
            [size, 0.0, 0.0],
            [0.4 * size, size, 0.0],
            [-0.3 * size, 0.45 * size, size],
        ];
        let lengths = [Some(size), None, Some(1.7 * size)];
        for (domain, n) in [
            (Domain::Periodic(PeriodicBox::cubic(size).unwrap()), 90),
            (Domain::Periodic(PeriodicBox::new(lengths).unwrap()), 90),
            (Domain::Triclinic(Lattice::new(vectors).unwrap()), 50),
        ] {
            let mut random = Random(exponent as u64);
            let rows: Vec<_> = (random.points(n, 0.8).into_iter())
                .map(|x| x.map(|c| c - 0.4))
                .collect();
            let points = domain.place(sample(&rows), Outside::Wrap).unwrap();
            let sights = [LineOfSight::Fixed(Axis::Z)];
            in_all_bins(Pairs::Auto(&points), &domain, &sights);
        }
    }
}

/// The same for what blocks are left out by: all pairs of two blocks are as far apart as the bins reach, within the last digit.
#[test]
fn pairs_at_the_end_of_the_reach_across_a_face() {
    let mut pairs = 0;
    for exponent in [30, 36, 40, 44] {
        let size = 2f64.powi(exponent);
        let domain = Domain::Periodic(PeriodicBox::cubic(size).unwrap());
        let digit = size * f64::EPSILON;
        let mut random = Random(exponent as u64);
        for _ in 0..25 {
            let near = |random: &mut Random| (random.unit() - 0.5) * 4.0 * digit;
            let first = [near(&mut random).abs(), 0.5, 0.5];
            let second = [size - 1.0 + near(&mut random), 0.5, 0.5];
            let mut rows = |x: [f64; 3]| -> Vec<[f64; 3]> {
                (0..12)
                    .map(|_| [x[0] + near(&mut random).abs() * 0.25, x[1], x[2]])
                    .collect()
            };
            let (first, second) = (sample(&rows(first)), sample(&rows(second)));
            let both = Pairs::Cross(&first, &second);
            pairs += counted(both, &domain, &RBins::new(lin(0.0, 1.0, 4)));
            let los = LineOfSight::Fixed(Axis::X);
            let bins = RpPiBins::new(lin(0.0, 1.0, 4), signed(0.0, 1.0, 4), los).unwrap();
            pairs += counted(both, &domain, &bins);
        }
    }
    assert!(pairs > 0);
}

/// Points alone in blocks many times the reach, each within a cloud of points in small blocks.
#[test]
fn small_blocks_that_meet_large_ones() {
    let mut random = Random(41);
    let sparse = random.points(256, 250.0);
    let dense: Vec<[f64; 3]> = (0..512)
        .map(|k| {
            let u = [0; 3].map(|_| random.unit() - 0.5);
            let norm = u.iter().map(|c| c * c).sum::<f64>().sqrt();
            // Every decade of distances alike.
            let r = 10f64.powf(-3.0 * random.unit());
            std::array::from_fn(|axis| sparse[k % 8 * 30][axis] + r * u[axis] / norm)
        })
        .collect();
    let (sparse, dense) = (sample(&sparse), sample(&dense));
    let sights = [LineOfSight::Fixed(Axis::Z), LineOfSight::Midpoint];
    in_all_bins(Pairs::Cross(&dense, &sparse), &Domain::Open, &sights);
    in_all_bins(Pairs::Cross(&sparse, &dense), &Domain::Open, &sights);
}

/// The square of a line of sight is beyond float32 where all separations along it are none.
#[test]
fn lines_of_sight_whose_squares_are_beyond_float32() {
    let mut random = Random(43);
    for (away, axis) in [(1e14, 0), (1e19, 1), (1e20, 2), (1e30, 0), (1e39, 1)] {
        let mut rows = random.points(30, 1.0);
        for x in &mut rows {
            x[axis] = away;
        }
        let points = sample(&rows);
        in_all_bins(
            Pairs::Auto(&points),
            &Domain::Open,
            &[LineOfSight::Midpoint],
        );
    }
}
