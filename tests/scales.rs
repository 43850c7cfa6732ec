//! Lengths of very different sizes in one job: boxes many million times as large as their bins, blocks much larger than those that they
//! meet, lines of sight whose squares are beyond float32. Every instruction set against the naive reference, with `==`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::made::{self, lin, sample, signed};
use crate::random;

use albireo::{
    Axis, Bins, Domain, Edges, Lattice, LineOfSight, Outside, Pairs, PeriodicBox, RBins, RpPiBins,
    SMuBins, SignedEdges,
};
use random::Random;

/// The number of pairs that the reference counts, whose counts every instruction set must give too.
fn counted(pairs: Pairs<'_>, domain: &Domain, bins: impl Into<Bins>) -> u64 {
    made::counted(pairs, domain, bins).npairs().iter().sum()
}

fn log(lo: f64, hi: f64, n: usize) -> Edges {
    Edges::logarithmic(lo, hi, n).unwrap()
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
        assert!(counted(pairs, domain, RBins::new(across.clone())) > 0);
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
            pairs += counted(both, &domain, RBins::new(lin(0.0, 1.0, 4)));
            let los = LineOfSight::Fixed(Axis::X);
            let bins = RpPiBins::new(lin(0.0, 1.0, 4), signed(0.0, 1.0, 4), los).unwrap();
            pairs += counted(both, &domain, &bins);
        }
    }
    assert!(pairs > 0);
}

/// The difference of two blocks' centres is rounded up, out of reach, and that of two of their points down, into it.
#[test]
fn blocks_that_rounding_takes_out_of_reach() {
    for exponent in [30, 36, 40, 44] {
        let size = 2f64.powi(exponent);
        let domain = Domain::Periodic(PeriodicBox::cubic(size).unwrap());
        // Of coordinates just below the size.
        let digit = size * f64::EPSILON / 2.0;
        let first = sample(&[0.45, 0.75].map(|part| [part * digit, 0.5, 0.5]));
        let second = sample(&[[size - 1.0, 0.5, 0.5]]);
        let bins = RBins::new(lin(0.0, 1.0 + 0.05 * digit, 4));
        assert_eq!(counted(Pairs::Cross(&first, &second), &domain, &bins), 1);
        assert_eq!(counted(Pairs::Cross(&second, &first), &domain, &bins), 1);
    }
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

/// Blocks of one sample alone are large, and points of the other are about one of its points: many of them beside edges.
#[test]
fn a_small_cloud_in_a_block_many_times_its_size() {
    let mut random = Random(42);
    let sparse = random.points(64, 250.0);
    let cloud: Vec<_> = (random.points(1500, 1.6).into_iter())
        .map(|x| std::array::from_fn(|k| sparse[7][k] + x[k] - 0.8))
        .collect();
    let (sparse, cloud) = (sample(&sparse), sample(&cloud));
    let bins = RBins::new(lin(0.0, 1.0, 1000));
    for pairs in [Pairs::Cross(&cloud, &sparse), Pairs::Cross(&sparse, &cloud)] {
        assert!(counted(pairs, &Domain::Open, &bins) > 500);
    }
}

/// Along the line of sight their distance across it is below the rounding of what it is a difference of, and often computed below 0.
#[test]
fn pairs_along_the_line_of_sight() {
    let mut random = Random(44);
    let rows: Vec<[f64; 3]> = (0..150)
        .map(|_| {
            let aside = 10f64.powf(-2.0 - 10.0 * random.unit());
            let away = 3.0 + random.unit();
            [0.48, -0.6, 0.64].map(|c| away * c + aside * (random.unit() - 0.5))
        })
        .collect();
    let points = sample(&rows);
    for los in [LineOfSight::Midpoint, LineOfSight::First, LineOfSight::End] {
        for rp in [lin(0.0, 0.5, 4), log(1e-5, 0.5, 8)] {
            let bins = RpPiBins::new(rp, signed(-1.0, 1.0, 9), los).unwrap();
            assert!(counted(Pairs::Auto(&points), &Domain::Open, &bins) > 1000);
        }
    }
}

/// Within one block lines of sight are a thousandth of it long, and as long as it is.
#[test]
fn lines_of_sight_much_shorter_than_their_block() {
    let mut random = Random(45);
    let nowhere = 1e-6;
    let mut near: Vec<_> = (0..30)
        .map(|_| [0; 3].map(|_| nowhere + 1e-3 * random.unit()))
        .collect();
    near.extend([[nowhere; 3], [1.0; 3]]);
    let mut far = random.points(60, 1.0);
    for x in &mut far {
        *x = x.map(|c| c + nowhere);
    }
    let (near, far) = (sample(&near), sample(&far));
    let s = lin(0.0, 1.5, 3);
    let bins = |los| SMuBins::new(s.clone(), signed(-1.0, 1.0, 100), los).unwrap();
    let pairs = Pairs::Cross(&near, &far);
    assert!(counted(pairs, &Domain::Open, bins(LineOfSight::First)) > 1000);
    let pairs = Pairs::Cross(&far, &near);
    assert!(counted(pairs, &Domain::Open, bins(LineOfSight::End)) > 1000);
}

/// The square of a projection is a small number without all its digits: by the rule cosines are then coarse, and by a filter not.
#[test]
fn projections_whose_squares_lose_digits() {
    let mut random = Random(46);
    let unit = 2f64.powi(-239);
    // A short line of sight, and a pair nearly across it at a small part of the reach.
    let (line, apart, cosine) = (1.1e-7 * unit, 4e-9 * unit, 0.0034);
    let mut clump = |x: [f64; 3], size: f64| -> Vec<[f64; 3]> {
        (0..64)
            .map(|_| x.map(|c| c + size * (random.unit() - 0.5)))
            .collect()
    };
    let small = 2f64.powi(-46) * unit;
    let mut first = clump([line, 0.0, 0.0], small);
    let second = clump([line - cosine * apart, apart, 0.0], small);
    // Large blocks, beside which bounds of the others are narrowed down.
    let large = 2f64.powi(-25) * unit;
    first.extend(clump([line + large, 0.0, 0.0], large));
    let (first, second) = (sample(&first), sample(&second));
    let s = Edges::new([0.0, 1.0, 1.3].map(|e| e * 0.5 * unit).to_vec()).unwrap();
    let mu = SignedEdges::new(vec![0.0, 0.004, 0.02]).unwrap();
    let bins = SMuBins::new(s, mu, LineOfSight::First).unwrap();
    let pairs = Pairs::Cross(&first, &second);
    assert!(counted(pairs, &Domain::Open, &bins) > 0);
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
