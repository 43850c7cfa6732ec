//! g of open volumes, whose random pairs stand for the walls.

use std::f64::consts::PI;

use albireo::estimators::AnalyticRr;
use albireo::random::Stream;
use albireo::{
    Axis, Bins, Domain, Edges, Lattice, LineOfSight, PeriodicBox, Points, RBins, RpPiBins,
    SignedEdges,
};
use albireo_fluids::{Normalisation, Partials, Space, Species, Walls};

use super::{add, assert_close, counts, cube, gas, r_bins};

#[test]
fn randoms_stand_for_walls() {
    let bins = r_bins(0.0, 0.5, 5);
    let rr = AnalyticRr::new(&bins, &cube(1.0)).unwrap();
    let space = Space::of_randoms(&bins, &rr, 1.0).unwrap();
    let kept = space.kept().unwrap();
    assert_close(kept, &[1.0; 5], 1e-14);
    // A gas in an open square: rings are cut by its walls, for randoms as for the gas.
    let wide = r_bins(0.0, 1.2, 6);
    let flat = |n: usize, seed: u64| {
        let rows = gas(n, seed, [1.0, 1.0, 0.0]);
        counts(&rows, &Domain::Open, &wide)
    };
    let randoms = flat(2500, 1);
    let space = Space::of_randoms_in_plane(&wide, &randoms, 1.0).unwrap();
    assert!(space.kept().unwrap()[4] < 0.5, "far pairs are rare");
    let mut g = Partials::in_plane(&wide, Species::within(1));
    (0..10).for_each(|seed| add(&mut g, &[flat(200, 10 + seed)], &[200], &space));
    let values = g.g([0, 0], Normalisation::Pairs).unwrap();
    // Far pairs share the few particles in corners, whose number is what is uncertain.
    for (g, off) in values.iter().zip([0.02, 0.02, 0.02, 0.02, 0.05, 0.15]) {
        assert!((g - 1.0).abs() < off, "{values:?}");
    }
    // Another area changes densities alone.
    let other = Space::of_randoms_in_plane(&wide, &randoms, 7.0).unwrap();
    let mut scaled = g.emptied();
    (0..10).for_each(|seed| add(&mut scaled, &[flat(200, 10 + seed)], &[200], &other));
    assert_close(
        &scaled.g([0, 0], Normalisation::Pairs).unwrap(),
        &values,
        1e-13,
    );
    let densities = [&g, &scaled].map(|g| g.densities_of_species()[0]);
    assert!((densities[0] / densities[1] - 7.0).abs() < 1e-12);
    assert!(Space::of_randoms(&wide, &rr, 1.0).is_err(), "other bins");
    assert!(Space::of_randoms(&bins, &rr, f64::NAN).is_err());
}

/// The share of random pairs in each bin, from what walls leave of bins of these volumes.
fn shares(space: &Space, volumes: &[f64]) -> Vec<f64> {
    let kept = space.kept().unwrap().iter().zip(volumes);
    kept.map(|(kept, bin)| kept * bin / space.volume())
        .collect()
}

fn shells(bins: &RBins) -> Vec<f64> {
    let ball = |r: f64| 4.0 / 3.0 * PI * r * r * r;
    let edges = bins.edges().values().windows(2);
    edges.map(|e| ball(e[1]) - ball(e[0])).collect()
}

fn rings(bins: &RBins) -> Vec<f64> {
    let edges = bins.edges().values().windows(2);
    edges.map(|e| PI * (e[1] * e[1] - e[0] * e[0])).collect()
}

/// Points at random in a cube, of which those between the walls are kept.
fn between(walls: &Walls, domain: &Domain, low: f64, side: f64, seed: u64) -> Vec<[f64; 3]> {
    let stream = Stream::new(seed);
    let lengths = match domain {
        Domain::Periodic(cell) => cell.lengths(),
        _ => [None; 3],
    };
    let rows = (0..100_000u64).map(|k| {
        [0, 1, 2].map(|axis: usize| {
            let u = stream.uniform(3 * k + axis as u64);
            lengths[axis].map_or(low + side * u, |length| length * u)
        })
    });
    let holds = |x: &[f64; 3]| {
        let point = Points::from_rows(&[*x]).unwrap();
        walls.first_outside(&point, domain).is_none()
    };
    rows.filter(holds).collect()
}

/// Holds the shares of random pairs to those of points two and two.
fn as_drawn(bins: impl Into<Bins>, walls: &Walls, domain: &Domain, volumes: &[f64], seed: u64) {
    let bins = &bins.into();
    let space = Space::between_walls(bins, walls, domain).unwrap();
    let rows = between(walls, domain, -0.6, 2.4, seed);
    let mut counts = vec![0u32; volumes.len()];
    for pair in rows.chunks_exact(2) {
        if let Some(bin) = bins.bin(&domain.separation(pair[0], pair[1])) {
            counts[bin] += 1;
        }
    }
    let n = (rows.len() / 2) as f64;
    assert!(n > 1500.0, "{n}");
    for (k, (share, count)) in shares(&space, volumes).iter().zip(counts).enumerate() {
        let error = (n * share * (1.0 - share)).max(1.0).sqrt();
        let off = f64::from(count) - n * share;
        assert!(
            off.abs() < 4.5 * error,
            "{walls:?} {k}: {count} of {}",
            n * share
        );
    }
}

fn brick(lengths: [Option<f64>; 3]) -> Domain {
    Domain::Periodic(PeriodicBox::new(lengths).unwrap())
}

/// Walls of all kinds with domains that suit bins up to 1.
fn kinds() -> Vec<(Walls, Domain)> {
    let (x, z) = (Some([-0.5, 0.3]), Some([0.1, 1.3]));
    vec![
        (
            Walls::block([x, Some([0.0, 1.0]), z]).unwrap(),
            Domain::Open,
        ),
        (
            Walls::block([None, None, z]).unwrap(),
            brick([Some(2.0), Some(2.5), None]),
        ),
        (
            Walls::block([x, None, z]).unwrap(),
            brick([None, Some(2.0), None]),
        ),
        (
            Walls::block([None, z, None]).unwrap(),
            brick([Some(2.0), Some(2.2), Some(3.0)]),
        ),
        (
            Walls::cylinder(Axis::Z, [0.2, 0.3], 0.6, z).unwrap(),
            Domain::Open,
        ),
        (
            Walls::cylinder(Axis::X, [1.5, 0.2], 0.4, None).unwrap(),
            brick([Some(2.0), Some(2.0), Some(2.1)]),
        ),
        (Walls::sphere([0.1, 0.2, 1.0], 0.7).unwrap(), Domain::Open),
        (
            Walls::sphere([0.1, 0.2, 1.0], 0.45).unwrap(),
            brick([Some(2.0), None, Some(2.1)]),
        ),
    ]
}

#[test]
fn random_pairs_between_walls_are_as_drawn() {
    let bins = r_bins(0.0, 1.0, 10);
    for (seed, (walls, domain)) in kinds().into_iter().enumerate() {
        as_drawn(&bins, &walls, &domain, &shells(&bins), seed as u64);
    }
}

#[test]
fn random_pairs_across_and_along_an_axis_are_as_drawn() {
    for (seed, (walls, domain)) in kinds().into_iter().enumerate() {
        // The cylinder along x has its own axis alone.
        let axis = if seed == 5 {
            Axis::X
        } else {
            Axis::ALL[2 - seed % 2 * 2]
        };
        let axis = if seed == 4 { Axis::Z } else { axis };
        for lowest in [0.0, -0.9] {
            let bins = RpPiBins::new(
                Edges::linear(0.0, 0.9, 4).unwrap(),
                SignedEdges::linear(lowest, 0.9, 4).unwrap(),
                LineOfSight::Fixed(axis),
            );
            let bins = bins.unwrap();
            let both = if lowest == 0.0 { 2.0 } else { 1.0 };
            let height = both * (0.9 - lowest) / 4.0;
            let ring = |k: usize| PI * 0.225 * 0.225 * (2 * k + 1) as f64;
            let volumes: Vec<f64> = (0..16).map(|k| ring(k / 4) * height).collect();
            as_drawn(&bins, &walls, &domain, &volumes, 100 + seed as u64);
        }
    }
    let tube = Walls::cylinder(Axis::X, [0.0; 2], 1.0, Some([0.0, 1.0])).unwrap();
    let bins = RpPiBins::new(
        Edges::linear(0.0, 1.0, 2).unwrap(),
        SignedEdges::linear(0.0, 1.0, 2).unwrap(),
        LineOfSight::Fixed(Axis::Z),
    );
    assert!(Space::between_walls(bins.unwrap(), &tube, &Domain::Open).is_err());
}

#[test]
fn random_pairs_between_walls_are_their_closed_forms() {
    let bins = r_bins(0.0, 0.6, 12);
    let of = |walls: Walls, bins: &RBins, domain: &Domain| {
        let space = Space::between_walls(bins, &walls, domain).unwrap();
        shares(&space, &shells(bins))
    };
    // A block, up to its shortest side: the mean volume in common with itself moved (Matheron).
    let [a, b, c] = [0.6, 1.0, 1.7];
    let sides = [Some([0.0, a]), Some([2.0, 2.0 + b]), Some([-c, 0.0])];
    let block = of(Walls::block(sides).unwrap(), &bins, &Domain::Open);
    let within = |r: f64| {
        let (s, e) = (a * b + b * c + c * a, a + b + c);
        let terms = a * b * c * r.powi(3) / 3.0 - s * r.powi(4) / 8.0
            + 2.0 * e * r.powi(5) / (15.0 * PI)
            - r.powi(6) / (24.0 * PI);
        4.0 * PI * terms / (a * b * c).powi(2)
    };
    let edges = bins.edges().values();
    let expected: Vec<f64> = edges
        .windows(2)
        .map(|e| within(e[1]) - within(e[0]))
        .collect();
    assert_close(&block, &expected, 1e-13);
    // A slab: of a sphere 1 - r/2h lies between the walls, beyond its thickness h/2r.
    let [length, thick] = [5.0, 0.31];
    let planes = [Some([0.0, thick]), None, None];
    let domain = brick([None, Some(length), Some(length)]);
    let slab = of(Walls::block(planes).unwrap(), &bins, &domain);
    let within = |r: f64| {
        let inner = |r: f64| r.powi(3) / 3.0 - r.powi(4) / (8.0 * thick);
        let outer = |r: f64| thick * r * r / 4.0;
        let r3 = if r < thick {
            inner(r)
        } else {
            inner(thick) + outer(r) - outer(thick)
        };
        4.0 * PI * r3 / (length * length * thick)
    };
    let expected: Vec<f64> = edges
        .windows(2)
        .map(|e| within(e[1]) - within(e[0]))
        .collect();
    assert_close(&slab, &expected, 1e-14);
    // The same slab in a skewed plane of this area, with vacuum between its images.
    let vectors = [[4.0, 0.0, 0.0], [0.0, length, 0.0], [0.0, 3.0, length]];
    let lattice = Domain::Triclinic(Lattice::new(vectors).unwrap());
    let skewed = of(Walls::block(planes).unwrap(), &bins, &lattice);
    assert_close(&skewed, &expected, 1e-14);
    // All pairs of what ends have some distance.
    let far = r_bins(0.0, 4.0, 37);
    for (walls, domain) in kinds()
        .into_iter()
        .filter(|(_, domain)| *domain == Domain::Open)
    {
        let sum: f64 = of(walls.clone(), &far, &domain).iter().sum();
        assert!((sum - 1.0).abs() < 1e-11, "{walls:?}: {sum}");
    }
}

#[test]
fn fields_of_view_are_rectangles_and_discs() {
    let bins = r_bins(0.0, 3.0, 30);
    let flat = |walls: Walls| {
        let space = Space::between_walls_in_plane(&bins, &walls, &Domain::Open, Axis::Z).unwrap();
        shares(&space, &rings(&bins))
    };
    let disc = flat(Walls::cylinder(Axis::Z, [3.0, 4.0], 1.0, None).unwrap());
    // The distribution of distances in a disc (Crofton).
    let within = |r: f64| {
        let x = (r / 2.0).min(1.0);
        let (angle, root) = (x.acos(), (1.0 - x * x).max(0.0).sqrt());
        1.0 + 2.0 / PI * ((4.0 * x * x - 1.0) * angle - x * (1.0 + 2.0 * x * x) * root)
    };
    let edges = bins.edges().values();
    let expected: Vec<f64> = edges
        .windows(2)
        .map(|e| within(e[1]) - within(e[0]))
        .collect();
    assert_close(&disc, &expected, 1e-13);
    let sides = [Some([0.0, 2.0]), Some([0.0, 1.2]), None];
    let field = flat(Walls::block(sides).unwrap());
    let sum: f64 = field.iter().sum();
    assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    // Up to the shorter side 2 pi r (1 - 2 (a + b) r / pi a b + r^2 / pi a b) / a b.
    let within = |r: f64| {
        let (p, q) = (2.0 * 1.2, 2.0 + 1.2);
        2.0 * PI / p
            * (r * r / 2.0 - 2.0 * q * r.powi(3) / (3.0 * PI * p) + r.powi(4) / (4.0 * PI * p))
    };
    for (k, e) in edges.windows(2).enumerate().take(12) {
        assert!(
            (field[k] - (within(e[1]) - within(e[0]))).abs() < 1e-14,
            "{k}"
        );
    }
    let drop = Walls::sphere([0.0; 3], 1.0).unwrap();
    assert!(Space::between_walls_in_plane(&bins, &drop, &Domain::Open, Axis::Z).is_err());
}

#[test]
fn walls_that_make_no_region_are_refused() {
    for refused in [
        Walls::block([None; 3]),
        Walls::block([Some([1.0, 1.0]), None, None]),
        Walls::block([Some([0.0, f64::INFINITY]), None, None]),
        Walls::cylinder(Axis::X, [0.0, f64::NAN], 1.0, None),
        Walls::cylinder(Axis::X, [0.0; 2], 1.0, Some([2.0, 1.0])),
        Walls::sphere([0.0; 3], 0.0),
        Walls::sphere([0.0; 3], f64::INFINITY),
    ] {
        assert!(refused.is_err(), "{refused:?}");
    }
    let bins = r_bins(0.0, 1.0, 2);
    let refused = |walls: Walls, domain: &Domain, told: &str| {
        let error = Space::between_walls(&bins, &walls, domain).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    };
    let film = || Walls::block([None, None, Some([0.0, 1.5])]).unwrap();
    refused(film(), &Domain::Open, "axis x is open");
    refused(
        film(),
        &brick([Some(1.5), Some(4.0), None]),
        "defined up to 0.75",
    );
    refused(
        film(),
        &brick([Some(4.0), Some(4.0), Some(2.4)]),
        "own images",
    );
    let leaning = Lattice::new([[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [1.0, 0.0, 4.0]]).unwrap();
    refused(film(), &Domain::Triclinic(leaning), "two across it");
    let drop = Walls::sphere([0.0; 3], 1.0).unwrap();
    refused(drop, &cube(2.5), "own images");
}
