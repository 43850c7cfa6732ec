//! Potentials of mean force, Kirkwood-Buff integrals and distances in bodies, held to systems whose answer is known.

use std::f64::consts::PI;

use albireo::{Domain, Edges};
use albireo_fluids::{
    BoxCorrection, Normalisation, Partials, Space, Species, corrected_for_box, kirkwood_buff,
    potential_of_mean_force,
};

use super::{add, assert_close, cube, gas, r_bins, species_counts};

#[test]
fn potentials_are_logarithms() {
    let u = potential_of_mean_force(&[0.0, 1.0, std::f64::consts::E, 0.5, f64::NAN]);
    assert_eq!(u[..2], [f64::INFINITY, 0.0]);
    assert!((u[2] + 1.0).abs() < 1e-15 && (u[3] - 2f64.ln()).abs() < 1e-15 && u[4].is_nan());
}

#[test]
fn kirkwood_buff_is_its_polynomial() {
    // g - 1 = 1 in one bin: the integral of r^2 u(r/L) in closed form.
    let edges = Edges::new(vec![0.0, 1.0, 2.5, 4.0]).unwrap();
    let found = kirkwood_buff(&edges, &[1.0, 2.0, 1.0]).unwrap();
    let primitive = |r: f64, l: f64| {
        let x = r / l;
        l.powi(3)
            * (x.powi(3) / 3.0 - 23.0 * x.powi(6) / 48.0
                + 3.0 * x.powi(7) / 28.0
                + 9.0 * x.powi(8) / 64.0)
    };
    assert_eq!(found[0], 0.0);
    for (bin, l) in [(1, 2.5), (2, 4.0)] {
        let expected = 4.0 * PI * (primitive(2.5, l) - primitive(1.0, l));
        assert!(
            (found[bin] / expected - 1.0).abs() < 1e-13,
            "{} {expected}",
            found[bin]
        );
    }
    assert!(kirkwood_buff(&edges, &[1.0]).is_err());
    let late = Edges::new(vec![0.5, 1.0]).unwrap();
    assert!(
        kirkwood_buff(&late, &[1.0])
            .unwrap_err()
            .to_string()
            .contains("r = 0")
    );
}

#[test]
fn finite_volumes_extrapolate_to_endless_fluids() {
    // A damped wave around 1: the integral over all r is known.
    let (decay, turn) = (2.0, 1.0);
    let edges = Edges::linear(0.0, 20.0, 4000).unwrap();
    let wave = |r: f64| (-decay * r).exp() * (turn * r).cos();
    let g: Vec<f64> = edges
        .values()
        .windows(2)
        .map(|e| 1.0 + wave(f64::midpoint(e[0], e[1])))
        .collect();
    let shells = edges
        .values()
        .windows(2)
        .map(|e| 4.0 / 3.0 * PI * (e[1].powi(3) - e[0].powi(3)));
    let endless: f64 = shells.zip(&g).map(|(shell, g)| shell * (g - 1.0)).sum();
    // 2 Re 1/(decay - i turn)^3.
    let square: f64 = decay * decay + turn * turn;
    let exact =
        4.0 * PI * 2.0 * (decay * decay * decay - 3.0 * decay * turn * turn) / square.powi(3);
    assert!((endless / exact - 1.0).abs() < 1e-2, "{endless} {exact}");
    let found = kirkwood_buff(&edges, &g).unwrap();
    let (near, far) = (found[1999] - endless, found[3999] - endless);
    assert!(far.abs() < 2e-2 * endless.abs(), "{far} of {endless}");
    // What is left falls about as the cube of the length, for the weight begins with x^3.
    assert!((near / far / 8.0 - 1.0).abs() < 0.2, "{}", near / far);
}

#[test]
fn an_ideal_gas_in_a_box_is_corrected_exactly() {
    // g of n2 is (N - 1)/N everywhere: in an endless box 1.
    let edges = Edges::linear(0.0, 0.5, 30).unwrap();
    let (n, volume) = (50.0, 1.0);
    let g = vec![(n - 1.0) / n; 30];
    let corrected = corrected_for_box(&edges, &g, n, volume, true).unwrap();
    assert_close(&corrected, &[1.0; 30], 1e-13);
    let unlike = corrected_for_box(&edges, &[1.0; 30], n, volume, false).unwrap();
    assert_close(&unlike, &[1.0; 30], 1e-15);
    for (n, volume) in [
        (0.0, 1.0),
        (1.0, f64::NAN),
        (-1.0, 1.0),
        (1.0, f64::INFINITY),
    ] {
        assert!(corrected_for_box(&edges, &g, n, volume, true).is_err());
    }
}

#[test]
fn partials_integrate_their_own_g() {
    let bins = r_bins(0.0, 0.5, 20);
    let numbers = [40, 60];
    let mut partials = Partials::new(&bins, Species::within(2)).unwrap();
    for seed in 0..4 {
        let counts = species_counts(&gas(100, seed, [1.0; 3]), &numbers, &cube(1.0), &bins);
        add(
            &mut partials,
            &counts,
            &numbers,
            &Space::of_volume(1.0).unwrap(),
        );
    }
    let edges = bins.edges();
    for pair in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        let g = partials.g(pair, Normalisation::Squares).unwrap();
        let plain = partials.kirkwood_buff(pair, BoxCorrection::None).unwrap();
        assert_eq!(plain, kirkwood_buff(edges, &g).unwrap());
        let number = numbers[pair[1]] as f64;
        let g = corrected_for_box(edges, &g, number, 1.0, pair[0] == pair[1]).unwrap();
        let corrected = partials
            .kirkwood_buff(pair, BoxCorrection::GangulyVanDerVegt)
            .unwrap();
        assert_close(&corrected, &kirkwood_buff(edges, &g).unwrap(), 1e-12);
        assert!(plain != corrected);
    }
    let flat = Partials::in_plane(&bins, Species::within(1));
    assert!(flat.kirkwood_buff([0, 0], BoxCorrection::None).is_err());
    assert!(partials.kirkwood_buff([0, 2], BoxCorrection::None).is_err());
}

#[test]
fn distances_in_a_ball_are_those_of_geometry() {
    // Points in a ball of radius 1/2: P(r) = 12 x^2 (2 - 3x + x^3), x the distance over the diameter; Rg^2 = 3/5 R^2.
    let rows: Vec<[f64; 3]> = gas(1500, 7, [1.0; 3])
        .into_iter()
        .filter(|row| row.iter().map(|x| (x - 0.5) * (x - 0.5)).sum::<f64>() < 0.25)
        .collect();
    let n = [
        rows.len() as u64 / 3,
        rows.len() as u64 - rows.len() as u64 / 3,
    ];
    let bins = r_bins(0.0, 1.2, 48);
    let mut partials = Partials::new(&bins, Species::within(2)).unwrap();
    let counts = species_counts(&rows, &n, &Domain::Open, &bins);
    add(&mut partials, &counts, &n, &Space::of_volume(1.0).unwrap());
    let found = partials.distance_distribution(&[2.0, 1.0]).unwrap();
    let total: f64 = found.p.iter().map(|p| p * 0.025).sum();
    assert!((total - 1.0).abs() < 1e-12);
    for (k, p) in found.p.iter().enumerate() {
        let x = (k as f64 + 0.5) * 0.025;
        let expected = if x < 1.0 {
            12.0 * x * x * (2.0 - 3.0 * x + x * x * x)
        } else {
            0.0
        };
        assert!((p - expected).abs() < 0.12, "{x}: {p} {expected}");
    }
    assert!(
        found.largest > 0.95 && found.largest <= 1.0 + 1e-12,
        "{}",
        found.largest
    );
    assert!((found.radius_of_gyration / 0.15f64.sqrt() - 1.0).abs() < 0.02);
    // By the positions themselves.
    let f = |k: usize| if (k as u64) < n[0] { 2.0 } else { 1.0 };
    let all: f64 = (0..rows.len()).map(f).sum();
    let centre = [0, 1, 2].map(|a| {
        rows.iter()
            .enumerate()
            .map(|(k, r)| f(k) * r[a])
            .sum::<f64>()
            / all
    });
    let spread: f64 = rows
        .iter()
        .enumerate()
        .map(|(k, r)| f(k) * (0..3).map(|a| (r[a] - centre[a]).powi(2)).sum::<f64>())
        .sum();
    let gyration = (spread / all).sqrt();
    assert!((found.radius_of_gyration / gyration - 1.0).abs() < 2e-3);
    let weight: f64 = all * all - (4.0 * n[0] as f64 + n[1] as f64);
    assert!((found.weight / weight - 1.0).abs() < 1e-12);
    assert!(partials.distance_distribution(&[1.0]).is_err());
    assert!(partials.distance_distribution(&[0.0, 0.0]).is_err());
    assert!(
        partials
            .emptied()
            .distance_distribution(&[1.0, 1.0])
            .is_err()
    );
}
