//! docs/normalisations.md: which normalisation of g(r) is that of which program, held to values that these programs gave (`tests/data/make_liquids.py`).

use std::f64::consts::PI;
use std::path::Path;

use albireo_catalogs::Table;

use crate::folder::{Folder, floats, integers};

const FRAMES: f64 = 4.0;
const SIDES: [f64; 4] = [10.0, 10.5, 11.0, 10.25];
const PAIRS: [(&str, f64, f64); 3] = [
    ("A-A", 20.0, 20.0),
    ("A-B", 20.0, 30.0),
    ("B-B", 30.0, 30.0),
];
const BINS: usize = 16;
/// GROMACS writes three decimals.
const GROMACS: f64 = 5.5e-4;
/// freud divides in float32.
const FREUD: f64 = 5e-7;
/// LAMMPS writes six digits.
const LAMMPS: f64 = 3e-6;

fn data(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
    folder.join(name).display().to_string()
}

/// What a program has for a pair, by r.
fn golden(peer: &str, quantity: &str, pair: &str) -> Vec<(f64, f64)> {
    let text = std::fs::read_to_string(data("golden_liquids.csv")).unwrap();
    let start = format!("{peer},{quantity},{pair},");
    let rows = text.lines().filter_map(|line| line.strip_prefix(&start));
    let number = |field: Option<&str>| field.unwrap().parse::<f64>().unwrap();
    let row = |row: &str| {
        let mut fields = row.split(',');
        (number(fields.next()), number(fields.next()))
    };
    let rows: Vec<_> = rows.map(row).collect();
    assert!(rows.len() >= BINS - 1, "{start}: {}", rows.len());
    rows
}

/// Compares bin by bin, from bin `from` on.
fn same(peer: &str, quantity: &str, pair: &str, (from, tolerance): (usize, f64), expected: &[f64]) {
    let found = golden(peer, quantity, pair);
    assert!(expected.iter().filter(|value| **value > 0.0).count() >= BINS - 4);
    for (k, ((r, found), expected)) in found.iter().zip(expected).enumerate().skip(from) {
        assert!(
            (found - expected).abs() <= tolerance * expected.abs().max(1.0),
            "{peer} {quantity} {pair} at {r}, bin {k}: {found}, albireo {expected}"
        );
    }
}

struct Fluid {
    folder: Folder,
}

impl Fluid {
    fn run(options: &str) -> Self {
        let folder = Folder::new();
        let call = format!(
            "rdf {} {options} -o g.csv --block-counts each.csv",
            data("golden_liquids_frames.csv")
        );
        folder.good(&call);
        Self { folder }
    }

    fn table(&self) -> Table {
        self.folder.table("g.csv")
    }

    fn g(&self, pair: &str) -> Vec<f64> {
        floats(&self.table(), &format!("g_{pair}"))
    }

    fn npairs(&self, pair: &str) -> Vec<f64> {
        let pairs = integers(&self.table(), &format!("npairs_{pair}"));
        pairs.into_iter().map(|p| p as f64).collect()
    }

    /// The volumes of the bins.
    fn shells(&self) -> Vec<f64> {
        let (lo, hi) = (floats(&self.table(), "lo"), floats(&self.table(), "hi"));
        let shell = |(lo, hi): (&f64, &f64)| 4.0 / 3.0 * PI * (hi.powi(3) - lo.powi(3));
        lo.iter().zip(&hi).map(shell).collect()
    }
}

/// How often a pair is met by programs that go through all particles around each.
fn orders(pair: &str) -> f64 {
    if pair == "A-B" { 1.0 } else { 2.0 }
}

#[test]
fn mdtraj_divides_by_pairs() {
    let fluid = Fluid::run("--bins lin:0:4:16");
    for (pair, ..) in PAIRS {
        same("mdtraj", "rdf", pair, (0, 1e-7), &fluid.g(pair));
    }
}

#[test]
fn mdanalysis_divides_by_the_mean_volume_and_counts_particles_with_themselves() {
    let fluid = Fluid::run("--bins lin:0:4:16 --norm mean-density");
    for (pair, na, _) in PAIRS {
        // The first bin of like species holds every particle with itself.
        let from = usize::from(pair != "A-B");
        same("mdanalysis", "rdf", pair, (from, 1e-7), &fluid.g(pair));
        let per_frame = |p: f64| orders(pair) * p / FRAMES;
        let mut none: Vec<f64> = fluid.npairs(pair).into_iter().map(per_frame).collect();
        let shells = fluid.shells();
        let density: Vec<f64> = none
            .iter()
            .zip(&shells)
            .map(|(p, shell)| p / shell)
            .collect();
        same("mdanalysis", "density", pair, (from, 1e-7), &density);
        none[0] += if from == 1 { na } else { 0.0 };
        same("mdanalysis", "none", pair, (0, 1e-9), &none);
    }
}

#[test]
fn freud_divides_by_squares_in_the_box_of_the_last_frame() {
    let fluid = Fluid::run("--bins lin:0:4:16 --norm n2");
    for (pair, na, nb) in PAIRS {
        let last = |pairs: f64| {
            let bins = fluid.npairs(pair).into_iter().zip(fluid.shells());
            let ideal = FRAMES * pairs / SIDES[3].powi(3);
            bins.map(|(p, shell)| p / (ideal * shell))
                .collect::<Vec<_>>()
        };
        same(
            "freud",
            "exact",
            pair,
            (0, FREUD),
            &last(na * nb / orders(pair)),
        );
        if pair != "A-B" {
            same(
                "freud",
                "finite_size",
                pair,
                (0, FREUD),
                &last(na * (na - 1.0) / 2.0),
            );
        }
        // Where the box does not change, these are n2 and pairs.
        let inverse: f64 = SIDES.iter().map(|side| side.powi(-3)).sum::<f64>() / FRAMES;
        let turned = inverse * SIDES[3].powi(3);
        let expected: Vec<f64> = last(na * nb / orders(pair))
            .iter()
            .map(|g| g / turned)
            .collect();
        for (a, b) in fluid.g(pair).iter().zip(expected) {
            assert!((a - b).abs() <= 1e-12 * b);
        }
        let n = floats(&fluid.table(), &format!("n_{pair}"));
        same("freud", "n_r", pair, (0, FREUD), &n);
    }
}

#[test]
fn lammps_divides_by_pairs_in_each_frame() {
    let fluid = Fluid::run("--bins lin:0:4:16");
    for (pair, ..) in PAIRS {
        // The mean of g over the frames, not of pairs over the mean of ideal ones.
        let each = floats(&fluid.folder.table("each.csv"), &format!("g_{pair}"));
        assert_eq!(each.len(), BINS * SIDES.len());
        let mean = |bin: usize| each.iter().skip(bin).step_by(BINS).sum::<f64>() / FRAMES;
        let mean: Vec<f64> = (0..BINS).map(mean).collect();
        same("lammps", "rdf", pair, (0, LAMMPS), &mean);
        let n = floats(&fluid.table(), &format!("n_{pair}"));
        same("lammps", "coord", pair, (0, LAMMPS), &n);
        assert!(
            mean.iter()
                .zip(fluid.g(pair))
                .any(|(a, b)| (a - b).abs() > 1e-3)
        );
    }
}

#[test]
fn gromacs_divides_by_squares_and_centres_its_bins() {
    let centred: Vec<String> = (0..BINS)
        .map(|k| format!("{}", 0.25 * k as f64 + 0.125))
        .collect();
    let fluid = Fluid::run(&format!("--bins edges:0,{} --norm n2", centred.join(",")));
    let whole = Fluid::run("--bins lin:0:4:16");
    for (pair, na, _) in PAIRS {
        let g = fluid.g(pair);
        same("gromacs", "rdf", pair, (0, GROMACS), &g[..BINS - 1]);
        // Partners of a particle over volume and over width; numbers are those of nm.
        let ends = orders(pair) / (FRAMES * na);
        let npairs = fluid.npairs(pair);
        let none: Vec<f64> = npairs.iter().map(|p| ends * p / 0.025).collect();
        same("gromacs", "none", pair, (0, GROMACS), &none[..BINS - 1]);
        let density: Vec<f64> = npairs
            .iter()
            .zip(fluid.shells())
            .map(|(p, s)| 1000.0 * ends * p / s)
            .collect();
        same(
            "gromacs",
            "number_density",
            pair,
            (0, GROMACS),
            &density[..BINS - 1],
        );
        // -cn has whole bins.
        let n = floats(&whole.table(), &format!("n_{pair}"));
        let found = golden("gromacs", "cn", pair);
        for (k, ((r, found), expected)) in found.iter().zip(&n).enumerate() {
            assert!((r - 0.25 * (k + 1) as f64).abs() < 1e-9);
            assert!(
                (found - expected).abs() <= GROMACS,
                "{pair} {r}: {found} {expected}"
            );
        }
    }
}
