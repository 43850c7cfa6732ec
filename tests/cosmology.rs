//! Distances against astropy, and the way from a sky catalog to positions.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::cosmology::{Cosmology, NAMED};
use albireo::sky::{Column, positions};

const GOLDEN: &str = include_str!("data/comoving_distances.csv");

/// Cosmology, whether radiation is in it, redshift, distance in Mpc/h.
fn golden() -> impl Iterator<Item = (Cosmology, bool, f64, f64)> {
    let rows = GOLDEN.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| {
        let fields: Vec<&str> = line.split(';').collect();
        let number = |k: usize| fields[k].parse().unwrap();
        (
            fields[0].parse().unwrap(),
            fields[1] == "1",
            number(2),
            number(3),
        )
    })
}

#[test]
fn distances_agree_with_astropy() {
    let mut compared = 0;
    for (cosmology, _, z, expected) in golden().filter(|row| !row.1) {
        let found = cosmology.distance(z).unwrap();
        assert!(
            (found / expected - 1.0).abs() < 1e-10,
            "{cosmology} z = {z}: {found} against {expected}"
        );
        compared += 1;
    }
    assert_eq!(compared, 13 * 14);
}

/// What the documentation of [`Cosmology`] says of the photons and neutrinos that it leaves out.
#[test]
fn radiation_shortens_distances_by_what_is_said() {
    let mut compared = 0;
    for (cosmology, _, z, expected) in golden().filter(|row| row.1) {
        let excess = cosmology.distance(z).unwrap() / expected - 1.0;
        let limit = if z <= 1.0 { 1e-3 } else { 2.5e-3 };
        assert!(
            excess > 0.0 && excess < limit,
            "{cosmology} z = {z}: {excess}"
        );
        compared += 1;
    }
    assert_eq!(compared, NAMED.len() * 14);
}

#[test]
fn columns_and_single_redshifts_agree_to_the_bit() {
    let cosmology: Cosmology = "om=0.31,w0=-0.9,wa=0.2".parse().unwrap();
    let z: Vec<f64> = (0..500).map(|k| f64::from(k) * 0.0061).collect();
    let column = cosmology.distances(Column::new("Z", &z)).unwrap();
    for (&z, distance) in z.iter().zip(column) {
        assert_eq!(cosmology.distance(z).unwrap().to_bits(), distance.to_bits());
    }
}

#[test]
fn a_catalog_of_redshifts_becomes_positions() {
    let (ra, dec, z) = ([10.0, -170.0], [0.0, 30.0], [0.5, 0.0]);
    let distance = "Planck18"
        .parse::<Cosmology>()
        .unwrap()
        .distances(Column::new("Z", &z))
        .unwrap();
    let placed = positions(
        Column::new("RA", &ra),
        Column::new("DEC", &dec),
        Column::new("Z", &distance),
    )
    .unwrap();
    let [x, y, w] = placed.at(0);
    assert!(((x * x + y * y + w * w).sqrt() / distance[0] - 1.0).abs() < 1e-15);
    assert!(placed.at(1).iter().all(|&c| c == 0.0));
}

#[test]
fn a_blueshift_is_refused_where_it_would_be_a_position() {
    let distance = Cosmology::flat(0.3)
        .unwrap()
        .distances(Column::new("Z", &[0.1, -0.001]))
        .unwrap();
    let error = positions(
        Column::new("RA", &[0.0; 2]),
        Column::new("DEC", &[0.0; 2]),
        Column::new("Z", &distance),
    )
    .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("Z, row 1 (counting from 0): expected a distance")
    );
}
