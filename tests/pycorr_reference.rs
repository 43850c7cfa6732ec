//! Counts with bits, individual weights and angular weights against the tables that pycorr's own tests compare with, where these are at
//! hand: the environment variable `ALBIREO_TEST_DATA` names a folder whose folder `pycorr` is pycorr's `pycorr/tests/reference`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::fs;
use std::path::{Path, PathBuf};

use albireo::counts::{PairKind, count_pairs};
use albireo::engine::{Cpu, Silent};
use albireo::estimators::angular_upweights;
use albireo::particles::Bits;
use albireo::tally::{
    AngularWeight, InverseProbability, PairNormalisation, PairWeight, Realisations,
};
use albireo::{
    Bins, CountSpec, Counts, Domain, Edges, LineOfSight, PairJob, Pairs, Particles, Points, RBins,
    RpPiBins, SMuBins, SignedEdges, ThetaBins,
};

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("ALBIREO_TEST_DATA").map(|at| PathBuf::from(at).join("pycorr"));
    let folder = folder.filter(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!("skipped: ALBIREO_TEST_DATA names no folder with a folder `pycorr`");
    }
    folder
}

/// The rows of a table of numbers, and what follows `#norm =`.
fn table(path: &Path) -> (Vec<Vec<f64>>, f64) {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let norm = text
        .lines()
        .find_map(|line| line.strip_prefix("#norm = ")?.parse().ok());
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let numbers = |line: &str| {
        let words = line.split_whitespace();
        words.map(|word| word.parse().unwrap()).collect()
    };
    (rows.map(numbers).collect(), norm.unwrap_or(f64::NAN))
}

/// Which weights a table has.
#[derive(Clone, Copy, PartialEq)]
enum Weighted {
    Bits,
    BitsAndWeights,
    Angles,
}

impl Weighted {
    const ALL: [(Self, &str); 3] = [
        (Self::Bits, "bitwise_weights"),
        (Self::BitsAndWeights, "individual_bitwise_weights"),
        (Self::Angles, "individual_bitwise_angular_upweights"),
    ];
}

struct Samples {
    data: [Particles; 2],
    randoms: [Particles; 2],
    pair_weight: PairWeight,
}

impl Samples {
    fn read(folder: &Path, weighted: Weighted, unit: bool) -> Self {
        let sample = |name: &str, number: usize| {
            let (rows, _) = table(&folder.join(format!("catalogs/{name}_{number}.txt")));
            let points: Vec<[f64; 3]> = rows.iter().map(|row| [row[0], row[1], row[2]]).collect();
            let points = Points::from_rows(&points).unwrap();
            let particles = if weighted == Weighted::Bits {
                Particles::new(points)
            } else {
                Particles::weighted(points, rows.iter().map(|row| row[row.len() - 1]).collect())
                    .unwrap()
            };
            let particles = if unit {
                particles.directions().unwrap()
            } else {
                particles
            };
            if name == "randoms" {
                return particles;
            }
            // Two columns of 32 bits are one word.
            let words = rows.iter().map(|row| row[3] as u64 | (row[4] as u64) << 32);
            let bits = Bits::new(words.collect(), 1).unwrap();
            particles.with_bits(bits).unwrap()
        };
        let truncated = Realisations::zero_truncated(64);
        let inverse = InverseProbability::new(1, truncated, PairNormalisation::default()).unwrap();
        let mut pair_weight = PairWeight::from(inverse);
        if weighted == Weighted::Angles {
            let (rows, _) = table(&folder.join("custom_angular_upweights.txt"));
            let column = |k: usize| rows.iter().map(|row| row[k]).collect();
            let angular = AngularWeight::new(column(0), column(1)).unwrap();
            pair_weight = pair_weight.with_angular(angular);
        }
        Self {
            data: [1, 2].map(|number| sample("data", number)),
            randoms: [1, 2].map(|number| sample("randoms", number)),
            pair_weight,
        }
    }

    /// The pairs of a table, by its name.
    fn pairs(&self, name: &str) -> Pairs<'_> {
        let [d, r] = [&self.data, &self.randoms];
        match name {
            "D1D1" => Pairs::Auto(&d[0]),
            "D1D2" => Pairs::Cross(&d[0], &d[1]),
            "D1R1" => Pairs::Cross(&d[0], &r[0]),
            "D1R2" => Pairs::Cross(&d[0], &r[1]),
            "R1D2" => Pairs::Cross(&r[0], &d[1]),
            _ => panic!("{name}"),
        }
    }
}

/// Compares the tables of a mode with counts in `bins`; theirs hold auto pairs in both orders, and differences of positions the other way
/// round along `mirrored` bins.
fn compare(mode: &str, bins: impl Into<Bins>, mirrored: usize) {
    let bins = &bins.into();
    let Some(folder) = folder() else {
        return;
    };
    for (weighted, weights) in Weighted::ALL {
        let samples = Samples::read(&folder, weighted, mode == "theta");
        for name in ["D1D1", "D1D2", "D1R1", "D1R2", "R1D2"] {
            let path = folder.join(format!("twopoint_{mode}/counts_{name}_{weights}.txt"));
            let (rows, norm) = table(&path);
            let job = PairJob::new(samples.pairs(name), &Domain::Open).unwrap();
            let what = CountSpec::new(bins).weighted_by(samples.pair_weight.clone());
            let counts: Counts = count_pairs(&Cpu::new(), &job, what, &Silent).unwrap();
            let times = match counts.kind() {
                PairKind::AutoUnordered => 2.0,
                _ => 1.0,
            };
            let total = counts.total().weight * times;
            assert!(
                (total / norm - 1.0).abs() < 1e-12,
                "{name} {weights}: {total} {norm}"
            );
            let mut found = counts.weight().unwrap();
            found.chunks_mut(mirrored).for_each(<[f64]>::reverse);
            assert_eq!(found.len(), rows.len());
            for (bin, (found, row)) in found.iter().zip(&rows).enumerate() {
                let expected = row[row.len() - 1];
                // Theirs go by cosines, whose digits are few at small angles.
                let relative = if weighted == Weighted::Angles {
                    2e-7
                } else {
                    1e-9
                };
                let room = relative * expected + 1e-9;
                let off = (found * times - expected).abs();
                assert!(
                    off <= room,
                    "{mode} {name} {weights} {bin}: {found} {expected}"
                );
            }
        }
    }
}

fn logarithmic(from: f64, to: f64, n: usize) -> Edges {
    let edge = |k: usize| 10f64.powf(from + (to - from) * k as f64 / n as f64);
    Edges::new((0..=n).map(edge).collect()).unwrap()
}

fn integers() -> Edges {
    Edges::linear(1.0, 41.0, 40).unwrap()
}

#[test]
fn separations() {
    compare("s", RBins::new(logarithmic(-0.5, 1.0, 30)), 1);
}

#[test]
fn angles() {
    let theta = ThetaBins::new(logarithmic(-2.0, 0.0, 30)).unwrap();
    compare("theta", &theta, 1);
}

#[test]
fn separations_and_cosines() {
    let mu = SignedEdges::linear(-1.0, 1.0, 20).unwrap();
    let s_mu = SMuBins::new(integers(), mu, LineOfSight::Midpoint).unwrap();
    compare("smu", &s_mu, 20);
}

#[test]
fn distances_across_and_along() {
    let pi = SignedEdges::linear(-20.0, 20.0, 40).unwrap();
    let rp_pi = RpPiBins::new(integers(), pi, LineOfSight::Midpoint).unwrap();
    compare("rppi", &rp_pi, 40);
}

#[test]
fn angular_upweights_of_a_parent_sample() {
    let Some(folder) = folder() else {
        return;
    };
    let theta = ThetaBins::new(logarithmic(-2.5, 0.0, 30)).unwrap();
    let samples = Samples::read(&folder, Weighted::Bits, true);
    let parent = |number: usize| {
        let path = folder.join(format!("catalogs/parent_data_{number}.txt"));
        let points: Vec<[f64; 3]> = (table(&path).0.iter())
            .map(|row| [row[0], row[1], row[2]])
            .collect();
        let points = Points::from_rows(&points).unwrap();
        Particles::new(points).directions().unwrap()
    };
    let count = |pairs: Pairs<'_>, what: &CountSpec| {
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        count_pairs(&Cpu::new(), &job, what, &Silent).unwrap()
    };
    let means = CountSpec::new(&theta).with_mean_separation();
    let pip = CountSpec::new(&theta).weighted_by(samples.pair_weight.clone());
    let (first, second) = (parent(1), parent(2));
    for (name, other, partner) in [
        ("D1D2", &second, &samples.data[1]),
        ("D1R2", &samples.randoms[1], &samples.randoms[1]),
    ] {
        let wanted = count(Pairs::Cross(&first, other), &means);
        let found = count(Pairs::Cross(&samples.data[0], partner), &pip);
        let upweights = angular_upweights(&wanted, &found).unwrap();
        let path = folder.join(format!(
            "angular_upweights/weights_for_{name}_bitwise_weights.txt"
        ));
        let (rows, _) = table(&path);
        assert_eq!(rows.len(), 30);
        for (bin, row) in rows.iter().enumerate() {
            let (angle, factor) = (upweights.degrees()[bin], upweights.factors()[bin]);
            // Theirs are printed with 7 and 12 digits; mean angles go by cosines.
            assert!(
                (angle / row[2] - 1.0).abs() < 1e-5,
                "{name} {bin}: {angle} {row:?}"
            );
            assert!(
                (factor / row[3] - 1.0).abs() < 1e-9,
                "{name} {bin}: {factor} {row:?}"
            );
        }
    }
}
