//! g(r) of all pairs of species over frames.

use std::f64::consts::PI;

use albireo::random::Stream;
use albireo::{
    Axis, Counts, Domain, Edges, LineOfSight, PeriodicBox, RBins, RpPiBins, SignedEdges,
};
use albireo_fluids::{Frame, Normalisation, Partials, Space, Species};

use super::{add, assert_close, counts, cube, gas, r_bins, species_counts};

/// What one frame of a reactive, barostatted gas adds.
struct Shot {
    counts: Vec<Counts>,
    particles: [u64; 2],
    space: Space,
    volume: f64,
    weight: f64,
}

fn shots(bins: &RBins) -> Vec<Shot> {
    let one = |seed: u64| {
        let length = 1.0 + 0.3 * Stream::new(8).uniform(seed);
        let particles = [40 + 3 * seed, 90 - 5 * seed];
        let rows = gas((particles[0] + particles[1]) as usize, seed, [length; 3]);
        let volume = length * length * length;
        Shot {
            counts: species_counts(&rows, &particles, &cube(length), bins),
            particles,
            space: Space::of_volume(volume).unwrap(),
            volume,
            weight: [1.0, 0.25, 3.7][seed as usize % 3],
        }
    };
    (0..9).map(one).collect()
}

fn frame(shot: &Shot, weight: f64) -> Frame<'_> {
    Frame {
        counts: &shot.counts,
        particles: &shot.particles,
        excluded: &[],
        space: &shot.space,
        weight,
    }
}

const PAIRS: [[usize; 2]; 3] = [[0, 0], [0, 1], [1, 1]];

#[test]
fn every_normalisation_is_its_formula() {
    let bins = r_bins(0.1, 0.5, 6);
    let shots = shots(&bins);
    let mut partials = Partials::new(&bins, Species::within(2)).unwrap();
    for shot in &shots {
        partials.add_frame(&frame(shot, shot.weight)).unwrap();
    }
    let sum = |term: &dyn Fn(&Shot) -> f64| shots.iter().map(|s| s.weight * term(s)).sum::<f64>();
    let rho = [0, 1].map(|a| sum(&|s| s.particles[a] as f64) / sum(&|s| s.volume));
    for (class, [a, b]) in PAIRS.into_iter().enumerate() {
        let of = |norm| partials.g([a, b], norm).unwrap();
        let half = if a == b { 0.5 } else { 1.0 };
        for (k, edges) in bins.edges().values().windows(2).enumerate() {
            let shell = 4.0 / 3.0 * PI * (edges[1].powi(3) - edges[0].powi(3));
            let pairs = sum(&|s| s.counts[class].npairs()[k] as f64);
            let n = |s: &Shot, of: usize| s.particles[of] as f64;
            let same = f64::from(u8::from(a == b));
            let ideal = sum(&|s| half * n(s, a) * (n(s, b) - same) / s.volume) * shell;
            let squares = sum(&|s| half * n(s, a) * n(s, b) / s.volume) * shell;
            let open = half * rho[a] * rho[b] * sum(&|s| s.volume) * shell;
            let expected = [
                pairs / ideal,
                pairs / squares,
                pairs / open,
                rho[b] * pairs / ideal,
                pairs,
            ];
            for (norm, expected) in Normalisation::ALL.into_iter().zip(expected) {
                let found = of(norm)[k];
                assert!(
                    (found / expected - 1.0).abs() < 1e-13,
                    "{} {k}",
                    norm.name()
                );
            }
        }
        let around = partials.coordination([a, b]).unwrap();
        let pairs = sum(&|s| s.counts[class].npairs().iter().sum::<u64>() as f64);
        let references = sum(&|s| s.particles[a] as f64);
        assert!((around[5] - pairs / half / references).abs() < 1e-12);
    }
    let there = partials.coordination([0, 1]).unwrap()[5] * rho[0];
    let back = partials.coordination([1, 0]).unwrap()[5] * rho[1];
    assert!((there / back - 1.0).abs() < 1e-13);
    let density = partials.g([1, 0], Normalisation::Density).unwrap();
    let g = partials.g([0, 1], Normalisation::Pairs).unwrap();
    assert_close(
        &density,
        &g.iter().map(|g| rho[0] * g).collect::<Vec<_>>(),
        1e-14,
    );
}

#[test]
fn neither_order_nor_parts_change_a_bit() {
    let bins = r_bins(0.0, 0.5, 6);
    let mut shots = shots(&bins);
    for (k, shot) in shots.iter_mut().enumerate().skip(4) {
        // Some frames are cut, each in its own way.
        let kept = (0..6).map(|bin| 1.0 / (1.0 + (k * bin) as f64)).collect();
        let randoms = KnownShares {
            kept,
            volume: shot.volume,
            bins: bins.clone(),
        };
        shot.space = randoms.space();
    }
    let pool = |order: &[usize]| {
        let mut sum = Partials::new(&bins, Species::within(2)).unwrap();
        for &k in order {
            sum.add_frame(&frame(&shots[k], shots[k].weight)).unwrap();
        }
        sum
    };
    let forward = pool(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let mut parts = pool(&[8, 3, 5]);
    parts.merge(&pool(&[])).unwrap();
    parts.merge(&pool(&[0])).unwrap();
    parts.merge(&pool(&[2, 7, 1, 6, 4])).unwrap();
    for norm in Normalisation::ALL {
        for pair in PAIRS {
            assert_eq!(forward.g(pair, norm).unwrap(), parts.g(pair, norm).unwrap());
            let ideal = forward.ideal_pairs(pair, norm).unwrap();
            assert_eq!(ideal, parts.ideal_pairs(pair, norm).unwrap());
        }
        assert_eq!(forward.total(norm), parts.total(norm));
    }
    for pair in PAIRS {
        assert_eq!(forward.npairs(pair).unwrap(), parts.npairs(pair).unwrap());
        assert_eq!(
            forward.coordination(pair).unwrap(),
            parts.coordination(pair).unwrap()
        );
    }
    assert_eq!((forward.frames(), parts.frames()), (9, 9));
    assert_eq!(forward.mean_particles(), parts.mean_particles());
    assert_eq!(forward.mean_volume(), parts.mean_volume());
}

/// Random pairs whose shares of the bins are made up.
struct KnownShares {
    kept: Vec<f64>,
    volume: f64,
    bins: RBins,
}

impl KnownShares {
    fn space(&self) -> Space {
        use albireo::counts::{JobId, PairKind};
        let total = 1u64 << 40;
        let shells = self.bins.edges().values().windows(2);
        let shells = shells.map(|e| 4.0 / 3.0 * PI * (e[1].powi(3) - e[0].powi(3)));
        let pairs = shells
            .zip(&self.kept)
            .map(|(v, kept)| (v * kept / self.volume * total as f64) as u64);
        let total = albireo::counts::PairTotal::unweighted(PairKind::AutoUnordered, total);
        let pairs = pairs.collect();
        let rr = Counts::from_parts(self.bins.clone(), pairs, None, total, JobId(1)).unwrap();
        Space::of_randoms(&self.bins, &rr, self.volume).unwrap()
    }
}

#[test]
fn weights_count_frames_as_often() {
    let bins = r_bins(0.0, 0.5, 6);
    let shots = shots(&bins);
    let pool = |repeats: [u32; 2], weights: [f64; 2]| {
        let mut sum = Partials::new(&bins, Species::within(2)).unwrap();
        for ((shot, repeats), weight) in shots.iter().zip(repeats).zip(weights) {
            (0..repeats).for_each(|_| sum.add_frame(&frame(shot, weight)).unwrap());
        }
        sum
    };
    let (repeated, weighted) = (pool([3, 1], [1.0; 2]), pool([1, 1], [3.0, 1.0]));
    for pair in PAIRS {
        for norm in Normalisation::ALL {
            let expected = repeated.g(pair, norm).unwrap();
            assert_close(&weighted.g(pair, norm).unwrap(), &expected, 1e-15);
        }
        let expected = repeated.coordination(pair).unwrap();
        assert_close(&weighted.coordination(pair).unwrap(), &expected, 1e-15);
    }
    assert_eq!((repeated.frames(), weighted.frames()), (4, 2));
    assert_eq!(repeated.weight(), weighted.weight());
}

#[test]
fn totals_are_those_of_unlabelled_particles() {
    let bins = r_bins(0.0, 0.5, 8);
    let rows = gas(150, 4, [1.0; 3]);
    let space = Space::of_volume(1.0).unwrap();
    let mut partials = Partials::new(&bins, Species::within(3)).unwrap();
    add(
        &mut partials,
        &species_counts(&rows, &[20, 50, 80], &cube(1.0), &bins),
        &[20, 50, 80],
        &space,
    );
    let mut all = Partials::new(&bins, Species::within(1)).unwrap();
    add(
        &mut all,
        &[counts(&rows, &cube(1.0), &bins)],
        &[150],
        &space,
    );
    for norm in Normalisation::ALL {
        assert_close(&partials.total(norm), &all.g([0, 0], norm).unwrap(), 1e-13);
    }
    // Particles that scatter alike: the weighted total of `n2` is the total.
    let weighted = partials
        .weighted_total(&[2.5; 3], Normalisation::Squares)
        .unwrap();
    assert_close(
        &weighted,
        &all.g([0, 0], Normalisation::Squares).unwrap(),
        1e-13,
    );
    let alone = partials
        .weighted_total(&[0.0, 1.0, 0.0], Normalisation::Pairs)
        .unwrap();
    assert_close(
        &alone,
        &partials.g([1, 1], Normalisation::Pairs).unwrap(),
        1e-13,
    );
    assert!(
        partials
            .weighted_total(&[-5.0, 2.0, 0.0], Normalisation::Pairs)
            .is_err()
    );
    assert!(
        partials
            .weighted_total(&[1.0; 2], Normalisation::Pairs)
            .is_err()
    );
}

#[test]
fn an_ideal_gas_has_g_of_one_in_planes_and_cylinders() {
    let (seeds, sides) = (0..30u64, [1.0, 1.5, 2.0]);
    let cell = Domain::Periodic(PeriodicBox::new(sides.map(Some)).unwrap());
    let flat = Domain::Periodic(PeriodicBox::new([Some(1.0), Some(1.5), None]).unwrap());
    let rings = r_bins(0.0, 0.5, 8);
    let mut plane = Partials::in_plane(&rings, Species::within(1));
    let (rho, z) = (
        Edges::linear(0.0, 0.5, 4).unwrap(),
        SignedEdges::linear(0.0, 1.0, 4).unwrap(),
    );
    let cylinders = RpPiBins::new(rho, z, LineOfSight::Fixed(Axis::Z)).unwrap();
    let mut tubes = Partials::new(&cylinders, Species::within(1)).unwrap();
    for seed in seeds {
        let rows = gas(120, seed, sides);
        let heights = counts(&rows, &cell, &cylinders);
        add(
            &mut tubes,
            &[heights],
            &[120],
            &Space::of_volume(3.0).unwrap(),
        );
        let floor: Vec<_> = rows.iter().map(|row| [row[0], row[1], 0.0]).collect();
        let circles = counts(&floor, &flat, &rings);
        add(
            &mut plane,
            &[circles],
            &[120],
            &Space::of_volume(1.5).unwrap(),
        );
    }
    let rho = plane.densities_of_species()[0];
    assert!((rho - 80.0).abs() < 1e-12, "per area: {rho}");
    for (g, error) in [
        (
            plane.g([0, 0], Normalisation::Pairs),
            plane.poisson_error([0, 0]),
        ),
        (
            tubes.g([0, 0], Normalisation::Pairs),
            tubes.poisson_error([0, 0]),
        ),
    ] {
        let bins: Vec<(f64, f64)> = g.unwrap().into_iter().zip(error.unwrap()).collect();
        assert!(
            bins.iter()
                .all(|(g, e)| (g - 1.0).abs() < 4.0 * e && *e < 0.2),
            "{bins:?}"
        );
    }
}

#[test]
fn excluded_pairs_are_no_candidates() {
    let bins = r_bins(0.0, 0.5, 4);
    let rows = gas(40, 2, [1.0; 3]);
    let counts = species_counts(&rows, &[10, 30], &cube(1.0), &bins);
    let space = Space::of_volume(1.0).unwrap();
    let g = |excluded: &[u64], norm| {
        let mut partials = Partials::new(&bins, Species::within(2)).unwrap();
        let frame = Frame {
            counts: &counts,
            particles: &[10, 30],
            excluded,
            space: &space,
            weight: 1.0,
        };
        partials.add_frame(&frame).unwrap();
        partials.g([0, 1], norm).unwrap()
    };
    let scaled: Vec<f64> = g(&[], Normalisation::Pairs)
        .iter()
        .map(|g| g * 300.0 / 270.0)
        .collect();
    assert_close(&g(&[0, 30, 5], Normalisation::Pairs), &scaled, 1e-14);
    assert_eq!(
        g(&[0, 30, 5], Normalisation::Squares),
        g(&[], Normalisation::Squares)
    );
    assert!(
        g(&[0, 300, 5], Normalisation::Pairs)
            .iter()
            .all(|g| g.is_nan())
    );
}

#[test]
fn frames_that_do_not_fit_are_refused() {
    let bins = r_bins(0.0, 0.5, 4);
    let counts = species_counts(&gas(40, 2, [1.0; 3]), &[10, 30], &cube(1.0), &bins);
    let space = Space::of_volume(1.0).unwrap();
    let good = Frame {
        counts: &counts,
        particles: &[10, 30],
        excluded: &[],
        space: &space,
        weight: 1.0,
    };
    let mut partials = Partials::new(&bins, Species::within(2)).unwrap();
    let tiny = Space::of_volume(1e-308).unwrap();
    for (frame, message) in [
        (
            Frame {
                particles: &[10],
                ..good
            },
            "one for each of 2 species",
        ),
        (
            Frame {
                particles: &[11, 30],
                ..good
            },
            "do not have 45 auto",
        ),
        (
            Frame {
                particles: &[u64::MAX, 30],
                ..good
            },
            "do not have",
        ),
        (
            Frame {
                counts: &counts[..2],
                ..good
            },
            "3 pairs of species, found 2",
        ),
        (
            Frame {
                excluded: &[1],
                ..good
            },
            "one number for each of 3",
        ),
        (
            Frame {
                excluded: &[46, 0, 0],
                ..good
            },
            "46 cannot be excluded",
        ),
        (
            Frame {
                weight: 0.0,
                ..good
            },
            "positive and finite, found 0",
        ),
        (
            Frame {
                weight: f64::NAN,
                ..good
            },
            "found NaN",
        ),
        (
            Frame {
                space: &tiny,
                ..good
            },
            "range of float64",
        ),
    ] {
        let error = partials.add_frame(&frame).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    assert_eq!((partials.frames(), partials.weight()), (0, 0.0));
    let g = partials.g([0, 0], Normalisation::Pairs).unwrap();
    assert!(g.iter().all(|g| g.is_nan()));
    partials.add_frame(&good).unwrap();
    assert!(partials.g([0, 2], Normalisation::Pairs).is_err());
    for volume in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Space::of_volume(volume).is_err());
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let bins = r_bins(0.0, 0.5, 4);
    let mut partials = Partials::new(&bins, Species::within(2)).unwrap();
    let other = Partials::new(r_bins(0.0, 0.4, 4), Species::within(2)).unwrap();
    assert!(
        partials
            .merge(&other)
            .unwrap_err()
            .to_string()
            .contains("the bins")
    );
    let flat = Partials::in_plane(&bins, Species::within(2));
    assert!(partials.merge(&flat).is_err(), "areas are no volumes");
    let three = Partials::new(&bins, Species::within(3)).unwrap();
    assert!(
        partials
            .merge(&three)
            .unwrap_err()
            .to_string()
            .contains("the species")
    );
}
