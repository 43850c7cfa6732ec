//! Distances against astropy, and the way from a sky catalogue to positions.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::cosmology::{Cosmology, NAMED};
use albireo::sky::{Column, positions};

const GOLDEN: &str = include_str!("data/comoving_distances.csv");
const DESI: &str = include_str!("data/desi_distances.csv");

/// The rows of a table, without its head.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| line.split(';').collect())
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

/// Cosmology, redshift, distance in Mpc/h.
fn golden() -> impl Iterator<Item = (Cosmology, f64, f64)> {
    rows(GOLDEN).map(|row| (row[0].parse().unwrap(), number(row[1]), number(row[2])))
}

/// Without radiation, with it, massless and massive neutrinos of both kinds, flat and curved, and all names.
#[test]
fn distances_agree_with_astropy_and_mpmath() {
    let mut compared = 0;
    for (cosmology, z, expected) in golden() {
        let found = cosmology.distance(z).unwrap();
        assert!(
            (found / expected - 1.0).abs() < 1e-10,
            "{cosmology} z = {z}: {found} against {expected}"
        );
        compared += 1;
    }
    assert_eq!(compared, 13 * 14 + 12 * 16);
    let texts: Vec<&str> = rows(GOLDEN).map(|row| row[0]).collect();
    assert!(NAMED.iter().all(|named| texts.contains(&named.name)));
}

/// What the documentation of [`Cosmology`] says of universes that are given by their om alone.
#[test]
fn radiation_shortens_distances_by_what_is_said() {
    for named in NAMED {
        let (full, plain) = (named.cosmology(), Cosmology::flat(named.omega_m).unwrap());
        for z in [1e-3, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0] {
            let excess = plain.distance(z).unwrap() / full.distance(z).unwrap() - 1.0;
            let limit = if z <= 1.0 { 1e-3 } else { 2.5e-3 };
            assert!(excess > 0.0 && excess < limit, "{full} z = {z}: {excess}");
        }
    }
}

/// The two differ by their constants of nature (G by 3e-6, which makes 2e-8 of H at z = 100), and by what the table's own accuracy is.
#[test]
fn desi_agrees_with_the_table_of_its_own_code() {
    let desi: Cosmology = "desi".parse().unwrap();
    let mut compared = 0;
    for row in rows(DESI) {
        let [z, e, distance] = [0, 1, 2].map(|k| number(row[k]));
        let (found_e, found) = (desi.e(z).unwrap(), desi.distance(z).unwrap());
        assert!(
            (found / distance - 1.0).abs() < 3e-8,
            "z = {z}: {found} against {distance}"
        );
        assert!(
            (found_e / e - 1.0).abs() < 3e-8,
            "z = {z}: {found_e} against {e}"
        );
        compared += 1;
    }
    assert_eq!(compared, 37);
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
