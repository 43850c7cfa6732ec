//! Structure factors and intensities, held to the sum of waves |sum f exp(ikr)|^2 over the particles themselves.

use std::f64::consts::{PI, TAU};

use albireo::random::Stream;
use albireo::{Domain, Edges, RBins};
use albireo_fluids::{
    DebyeSums, Normalisation, Partials, Space, Species, StructureFactors, Window, displacing,
};

use super::{add, assert_close, cube, gas, r_bins, species_counts};

/// `sum exp(i k r)` over some particles: its real and its imaginary part.
fn wave(rows: &[[f64; 3]], k: [f64; 3]) -> [f64; 2] {
    let phases = rows.iter().map(|r| k[0] * r[0] + k[1] * r[1] + k[2] * r[2]);
    phases.fold([0.0; 2], |[re, im], phase| {
        [re + phase.cos(), im + phase.sin()]
    })
}

/// Balls of two sizes in a unit box that do not overlap, put in one after the other wherever there is room.
fn balls(seed: u64, numbers: [usize; 2], diameters: [f64; 2]) -> Vec<[f64; 3]> {
    let stream = Stream::new(seed);
    let mut rows: Vec<[f64; 3]> = vec![];
    let size = |k: usize| diameters[usize::from(k >= numbers[0])];
    let mut index = 0;
    while rows.len() < numbers[0] + numbers[1] {
        let trial = [0, 1, 2].map(|axis| stream.uniform(3 * index + axis));
        index += 1;
        let apart = |(k, row): (usize, &[f64; 3])| {
            let d = |axis: usize| ((row[axis] - trial[axis]).abs() - 0.5).abs() - 0.5;
            let touching = f64::midpoint(size(k), size(rows.len()));
            (0..3).map(|axis| d(axis) * d(axis)).sum::<f64>() >= touching * touching
        };
        if rows.iter().enumerate().all(apart) {
            rows.push(trial);
        }
    }
    rows
}

const PAIRS: [[usize; 2]; 3] = [[0, 0], [0, 1], [1, 1]];
const NUMBERS: [u64; 2] = [35, 85];

fn binary_fluid(frames: u64, bins: &RBins) -> (Vec<Vec<[f64; 3]>>, Partials) {
    let mut partials = Partials::new(bins, Species::within(2)).unwrap();
    let frames: Vec<_> = (0..frames)
        .map(|seed| balls(seed, [35, 85], [0.17, 0.11]))
        .collect();
    for rows in &frames {
        let counts = species_counts(rows, &NUMBERS, &cube(1.0), bins);
        add(
            &mut partials,
            &counts,
            &NUMBERS,
            &Space::of_volume(1.0).unwrap(),
        );
    }
    (frames, partials)
}

/// Half of the lattice vectors n with this square.
fn star(square: i32) -> Vec<[f64; 3]> {
    let span = -8..=8i32;
    let all = span.clone().flat_map(|x| span.clone().map(move |y| (x, y)));
    let all = all.flat_map(|(x, y)| (-8..=8i32).map(move |z| [x, y, z]));
    let half = all.filter(|n| n.iter().map(|k| k * k).sum::<i32>() == square && *n > [0; 3]);
    half.map(|n| n.map(|k| TAU * f64::from(k))).collect()
}

#[test]
fn a_fluid_scatters_as_its_waves_do() {
    let (frames, partials) = binary_fluid(24, &r_bins(0.0, 0.5, 100));
    let squares = [5, 6, 9, 14, 17, 21, 26, 35, 41];
    let q = squares.map(|n| TAU * f64::from(n).sqrt());
    for norm in [
        Normalisation::Pairs,
        Normalisation::Squares,
        Normalisation::GrandCanonical,
    ] {
        let s = partials.structure_factors(&q, Window::None, norm).unwrap();
        let mut largest: f64 = 0.0;
        for (at, square) in squares.into_iter().enumerate() {
            let mut direct = [0.0; 3];
            let star = star(square);
            for rows in &frames {
                let (a, b) = rows.split_at(35);
                for k in &star {
                    let waves = [wave(a, *k), wave(b, *k)];
                    for (sum, [i, j]) in direct.iter_mut().zip(PAIRS) {
                        let product = waves[i][0] * waves[j][0] + waves[i][1] * waves[j][1];
                        *sum += product / ((NUMBERS[i] * NUMBERS[j]) as f64).sqrt();
                    }
                }
            }
            for (direct, pair) in direct.into_iter().zip(PAIRS) {
                let direct = direct / (frames.len() * star.len()) as f64;
                let found = s.ashcroft_langreth(pair).unwrap()[at];
                let own = f64::from(u8::from(pair[0] == pair[1]));
                largest = largest.max((direct - own).abs());
                // Both are of the same particles; what is left is what the corners of the box tell the waves alone.
                assert!(
                    (found - direct).abs() < 0.09,
                    "{square} {pair:?}: {found} {direct}"
                );
            }
        }
        assert!(largest > 0.35, "there is structure to be found: {largest}");
    }
}

#[test]
fn debye_and_fourier_are_the_same_sum() {
    let (_, partials) = binary_fluid(3, &r_bins(0.0, 0.5, 60));
    let q = [0.001, 1.0, 7.0, 33.0, 150.0];
    for norm in [Normalisation::Squares, Normalisation::GrandCanonical] {
        let debye = partials.debye(&q, Some(norm)).unwrap();
        assert!(!debye.in_vacuum());
        let debye = debye.structure_factors().unwrap();
        let fourier = partials.structure_factors(&q, Window::None, norm).unwrap();
        for pair in PAIRS {
            assert_close(
                debye.faber_ziman(pair).unwrap(),
                fourier.faber_ziman(pair).unwrap(),
                1e-12,
            );
        }
    }
    let lorch = partials
        .structure_factors(&q, Window::Lorch, Normalisation::Squares)
        .unwrap();
    let plain = partials
        .structure_factors(&q, Window::None, Normalisation::Squares)
        .unwrap();
    assert!(
        (lorch.faber_ziman([0, 0]).unwrap()[2] - plain.faber_ziman([0, 0]).unwrap()[2]).abs()
            > 1e-3
    );
}

/// The mean of |sum f exp(iqr)|^2 over all directions of q, by a product rule over the sphere.
fn powder(groups: &[(f64, &[[f64; 3]])], q: f64) -> f64 {
    let (heights, turns) = (48u32, 96u32);
    let (mut sum, mut weights) = (0.0, 0.0);
    for h in 0..heights {
        // Fejer's rule in cos(theta).
        let theta = PI * (f64::from(h) + 0.5) / f64::from(heights);
        let terms = (1..=heights / 2).map(|j| {
            let j = f64::from(j);
            (2.0 * j * theta).cos() / (4.0 * j * j - 1.0)
        });
        let weight = 2.0 / f64::from(heights) * (1.0 - 2.0 * terms.sum::<f64>());
        for t in 0..turns {
            let phi = TAU * f64::from(t) / f64::from(turns);
            let k = [
                theta.sin() * phi.cos(),
                theta.sin() * phi.sin(),
                theta.cos(),
            ]
            .map(|x| q * x);
            let total = groups.iter().fold([0.0; 2], |sum, (f, rows)| {
                let w = wave(rows, k);
                [sum[0] + f * w[0], sum[1] + f * w[1]]
            });
            sum += weight * (total[0] * total[0] + total[1] * total[1]);
            weights += weight;
        }
    }
    sum / weights
}

fn debye_in_vacuum(rows: &[[f64; 3]], numbers: [u64; 2], reach: f64, q: &[f64]) -> DebyeSums {
    let bins = r_bins(0.0, reach, 30_000);
    let counts = species_counts(rows, &numbers, &Domain::Open, &bins);
    let mut partials = Partials::new(&bins, Species::within(2)).unwrap();
    add(
        &mut partials,
        &counts,
        &numbers,
        &Space::of_volume(1.0).unwrap(),
    );
    partials.debye(q, None).unwrap()
}

#[test]
fn clusters_scatter_as_their_waves_do() {
    // A piece of a caesium chloride crystal, and a cloud.
    let corners: Vec<_> = (0..27)
        .map(|k: i32| [k % 3, k / 3 % 3, k / 9].map(f64::from))
        .collect();
    let middles = (0..8).map(|k: i32| [k % 2, k / 2 % 2, k / 4].map(|x| f64::from(x) + 0.5));
    let crystal: Vec<_> = corners.into_iter().chain(middles).collect();
    let cloud = gas(40, 3, [2.0; 3]);
    for (rows, numbers) in [(crystal, [27, 8]), (cloud, [15, 25])] {
        let q = [0.3, 2.0, TAU, 8.9, 10.0];
        let debye = debye_in_vacuum(&rows, numbers, 3.6, &q);
        assert!(debye.in_vacuum());
        let heavy = |q: f64| 3.0 / (1.0 + q);
        let found = debye.intensity(&[&heavy, &|_| -1.2]).unwrap();
        let (a, b) = rows.split_at(numbers[0] as usize);
        for (q, found) in q.into_iter().zip(found) {
            let expected = powder(&[(heavy(q), a), (-1.2, b)], q);
            let all = heavy(q) * numbers[0] as f64 + 1.2 * numbers[1] as f64;
            assert!(
                (found - expected).abs() < 1e-5 * all * all,
                "{q}: {found} {expected}"
            );
        }
    }
}

#[test]
fn a_crystal_has_its_bragg_peak() {
    // Face-centred cubic, 4^3 cells of side 1: (111) and (200) at 2 pi sqrt(3) and 2 pi 2.
    let rows = (0..256).map(|k: i32| {
        let cell = [k / 4 % 4, k / 16 % 4, k / 64].map(f64::from);
        let site = [[0.0; 3], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]][(k % 4) as usize];
        [0, 1, 2].map(|axis| cell[axis] + site[axis])
    });
    let rows: Vec<_> = rows.collect();
    let bins = r_bins(0.0, 2.0, 400);
    let mut partials = Partials::new(&bins, Species::within(1)).unwrap();
    let counts = species_counts(&rows, &[256], &cube(4.0), &bins);
    add(
        &mut partials,
        &counts,
        &[256],
        &Space::of_volume(64.0).unwrap(),
    );
    let q: Vec<f64> = (0..400).map(|k| 6.0 + 0.02 * f64::from(k)).collect();
    let s = partials
        .structure_factors(&q, Window::Lorch, Normalisation::Squares)
        .unwrap();
    let s = s.faber_ziman([0, 0]).unwrap();
    let highest = (0..400).max_by(|&a, &b| s[a].total_cmp(&s[b])).unwrap();
    assert!(
        (q[highest] / (TAU * 3f64.sqrt()) - 1.0).abs() < 0.05,
        "{}",
        q[highest]
    );
    assert!(s[highest] > 2.0, "{}", s[highest]);
}

#[test]
fn binaries_are_written_in_three_ways() {
    let q = [1.0, 2.0];
    let given = vec![vec![0.3, 1.4], vec![1.1, 0.2], vec![0.9, 1.7]];
    let c = [0.3, 0.7];
    let s = StructureFactors::from_partials(&Species::within(2), &c, &q, given.clone()).unwrap();
    let al = PAIRS.map(|pair| s.ashcroft_langreth(pair).unwrap());
    let bt = s.bhatia_thornton().unwrap();
    let root = (c[0] * c[1]).sqrt();
    for k in 0..2 {
        let [aa, ab, bb] = [0, 1, 2].map(|class| al[class][k]);
        assert!((aa - (1.0 + c[0] * (given[0][k] - 1.0))).abs() < 1e-15);
        assert!((ab - root * (given[1][k] - 1.0)).abs() < 1e-15);
        // Fluctuations of the density and of the composition in those of the species.
        let nn = c[0] * aa + c[1] * bb + 2.0 * root * ab;
        let cc = c[0] * c[1] * (c[1] * aa + c[0] * bb - 2.0 * root * ab);
        let nc = c[0] * c[1] * (aa - bb + (c[1] - c[0]) / root * ab);
        assert_close(&[bt.nn[k], bt.nc[k], bt.cc[k]], &[nn, nc, cc], 1e-14);
    }
    let one = StructureFactors::from_partials(&Species::within(1), &[1.0], &q, vec![vec![1.0; 2]])
        .unwrap();
    assert!(one.bhatia_thornton().is_err());
}

#[test]
fn totals_are_those_of_the_waves() {
    let rows = balls(5, [35, 85], [0.17, 0.11]);
    let (a, b) = rows.split_at(35);
    let k = [TAU, -2.0 * TAU, 3.0 * TAU];
    let waves = [wave(a, k), wave(b, k)];
    let c = NUMBERS.map(|n| n as f64 / 120.0);
    let product = |i: usize, j: usize| waves[i][0] * waves[j][0] + waves[i][1] * waves[j][1];
    let partials = PAIRS.map(|[i, j]| {
        let own = if i == j { c[i] } else { 0.0 };
        vec![1.0 + (product(i, j) / 120.0 - own) / (c[i] * c[j])]
    });
    let q = [TAU * 14f64.sqrt()];
    let s =
        StructureFactors::from_partials(&Species::within(2), &c, &q, partials.to_vec()).unwrap();
    let lengths = [-3.74, 6.65];
    let totals = s.neutron(&lengths).unwrap();
    let all = [0, 1].map(|part| lengths[0] * waves[0][part] + lengths[1] * waves[1][part]);
    let cross_section = (all[0] * all[0] + all[1] * all[1]) / 120.0;
    assert!((totals.f[0] + totals.own - cross_section).abs() < 1e-11 * cross_section);
    let mean = c[0] * lengths[0] + c[1] * lengths[1];
    assert!((totals.s[0] - (1.0 + totals.f[0] / (mean * mean))).abs() < 1e-14);
    let rays = s.xray(&[&|q| 8.0 / q, &|_| 2.0]).unwrap();
    let f = 8.0 / q[0];
    let all = [0, 1].map(|part| f * waves[0][part] + 2.0 * waves[1][part]);
    let intensity = (all[0] * all[0] + all[1] * all[1]) / 120.0;
    assert!((rays.f[0] + rays.own[0] - intensity).abs() < 1e-11 * intensity);
    assert!((rays.s_of_mean_square[0] - intensity / rays.own[0]).abs() < 1e-11);
    assert!(s.neutron(&[1.0]).is_err() && s.xray(&[]).is_err());
}

#[test]
fn neutron_functions_are_transforms_of_each_other() {
    let (_, partials) = binary_fluid(2, &r_bins(0.0, 0.5, 50));
    let (norm, lengths, q) = (Normalisation::Squares, [-3.74, 6.65], [5.0, 40.0]);
    let real = partials.neutron(&lengths, norm).unwrap();
    let edges = partials.binning().as_r().unwrap().edges();
    let raised: Vec<f64> = real.g.iter().map(|g| 1.0 + g).collect();
    let one = Species::within(1);
    let f =
        StructureFactors::from_g(edges, &one, &[raised], 120.0, &[1.0], &q, Window::None).unwrap();
    let s = partials
        .structure_factors(&q, Window::None, norm)
        .unwrap()
        .neutron(&lengths)
        .unwrap();
    for (a, b) in f.faber_ziman([0, 0]).unwrap().iter().zip(&s.f) {
        assert!((a - 1.0 - b).abs() < 1e-10, "{a} {b}");
    }
    // Nothing overlaps: G begins at -(sum c b)^2 and T at 0.
    let mean = (35.0 * lengths[0] + 85.0 * lengths[1]) / 120.0;
    assert!((real.g[0] + mean * mean).abs() < 1e-12);
    assert!(real.t[0].abs() < 1e-10 && real.d[0] < -1.0);
    assert!((real.d[30] - 4.0 * PI * real.r[30] * 120.0 * real.g[30]).abs() < 1e-10);
    assert_eq!(real.r[0], 0.005);
}

#[test]
fn what_has_no_structure_factor_is_refused() {
    let (_, partials) = binary_fluid(1, &r_bins(0.0, 0.5, 10));
    let norm = Normalisation::Pairs;
    for q in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            partials
                .structure_factors(&[q], Window::None, norm)
                .is_err()
        );
        assert!(partials.debye(&[q], None).is_err());
    }
    for norm in [Normalisation::Density, Normalisation::None] {
        assert!(
            partials
                .structure_factors(&[1.0], Window::None, norm)
                .is_err()
        );
        assert!(partials.debye(&[1.0], Some(norm)).is_err());
        assert!(partials.neutron(&[1.0; 2], norm).is_err());
    }
    let (_, late) = binary_fluid(1, &r_bins(0.1, 0.5, 10));
    let error = late
        .structure_factors(&[1.0], Window::None, norm)
        .unwrap_err();
    assert!(error.to_string().contains("a first edge of 0.1"));
    assert!(late.debye(&[1.0], None).is_err());
    let flat = Partials::in_plane(&r_bins(0.0, 0.5, 10), Species::within(1));
    assert!(flat.structure_factors(&[1.0], Window::None, norm).is_err());
    let two = Partials::new(r_bins(0.0, 0.5, 10), Species::between(1, 1)).unwrap();
    assert!(two.structure_factors(&[1.0], Window::None, norm).is_err());
    assert!(partials.emptied().debye(&[1.0], None).is_err());
    let edges = Edges::linear(0.0, 1.0, 2).unwrap();
    let one = Species::within(1);
    let of = |g: Vec<f64>, density: f64, c: f64| {
        StructureFactors::from_g(&edges, &one, &[g], density, &[c], &[1.0], Window::None)
    };
    assert!(of(vec![0.0, 1.0], 1.0, 1.0).is_ok());
    assert!(of(vec![0.0], 1.0, 1.0).is_err());
    assert!(of(vec![0.0, 1.0], 0.0, 1.0).is_err());
    assert!(of(vec![0.0, 1.0], 1.0, 0.9).is_err());
}

#[test]
fn a_particle_like_its_solvent_is_not_seen_at_small_angles() {
    let same = displacing(|_| 0.334 * 30.0, 30.0, 0.334);
    assert_eq!(same(0.0), 0.0);
    let expected = 10.02 - 10.02 * (-0.25 * 30f64.powf(2.0 / 3.0) / (4.0 * PI)).exp();
    assert!((same(0.5) - expected).abs() < 1e-12);
}
