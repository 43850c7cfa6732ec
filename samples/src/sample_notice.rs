//! What looks wrong about the objects of samples: beside their box, and beside one another.
//!
//! Entry: [`SampleNotice`], a part of [`Notice`](crate::Notice); all of it are suspicions.

use std::path::PathBuf;

use albireo::Axis;
use albireo_catalogs::in_short;
use thiserror::Error;

use crate::shown::four_digits;

/// A suspicion about the objects of samples.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SampleNotice {
    /// Samples with the same positions row by row, under any names.
    #[error(
        "{} and {} are the same rows ({}, {}): {}",
        roles[0], roles[1], paths[0].display(), paths[1].display(),
        if *randoms { "such an estimate means nothing" } else { "each point is also paired with itself" }
    )]
    SameRows {
        /// What they are to the command.
        roles: [String; 2],
        /// Their files.
        paths: [PathBuf; 2],
        /// Whether the second are the randoms of the first.
        randoms: bool,
    },
    /// Rows that lie exactly where others do.
    #[error(
        "{role} ({}): about {} % of the rows lie exactly where another row does, and make pairs with their copies: are objects there twice?",
        path.display(), (100.0 * share).round()
    )]
    Repeated {
        /// What the sample is to the command.
        role: String,
        /// The file.
        path: PathBuf,
        /// The share of rows that are copies of others.
        share: f64,
    },
    /// A sample that looks like a simulation, seen from the origin.
    #[error(
        "{role} ({}): positions fill a cube from {} to {} along each axis, as those of a simulation do, and the line of sight comes from the origin: \
         --box L or --los z for a simulation, --los midpoint where the observer is there",
        path.display(), in_short(four_digits(cube[0])), in_short(four_digits(cube[1]))
    )]
    SeenFromOrigin {
        /// What the sample is to the command.
        role: String,
        /// The file.
        path: PathBuf,
        /// Where the cube begins and ends.
        cube: [f64; 2],
    },
    /// An axis as the line of sight of positions on the sky.
    #[error(
        "--los {}: positions are on the sky, and pairs are seen along one axis, {}: --los midpoint, or no --los, is from the observer",
        .0.name(), meaning(*.0)
    )]
    AxisOfSky(Axis),
    /// Fewer randoms than the data they belong to.
    #[error(
        "{}: {} rows, fewer than the {} of {}: are the two swapped? Randoms should be many times as many",
        roles[1], rows[1], rows[0], roles[0]
    )]
    FewRandoms {
        /// What the data and their randoms are to the command.
        roles: [String; 2],
        /// How many each of them holds.
        rows: [usize; 2],
    },
    /// Data and randoms that do not cover the same volume.
    #[error(
        "{}: do both cover the same sky and the same distances, after the same cuts (--where, --randoms-where)?",
        alone(roles, *shares)
    )]
    Apart {
        /// What the data and their randoms are to the command.
        roles: [String; 2],
        /// The share of each that lies where the other have nothing.
        shares: [f64; 2],
    },
    /// Weights of which a few are negative, as marks of missing ones are.
    #[error(
        "{role} ({}): {rows} of {of} weights are negative, down to {}, and their pairs are subtracted: marks of missing weights are left out by --where",
        path.display(), in_short(*least)
    )]
    NegativeWeights {
        /// What the sample is to the command.
        role: String,
        /// The file.
        path: PathBuf,
        /// How many are negative.
        rows: usize,
        /// Of how many.
        of: usize,
        /// The least of them.
        least: f64,
    },
    /// A sample that leaves a part of the box empty, whose random pairs are computed as if it did not.
    #[error(
        "{role} ({}): no position lies {} of the box, and RR is that of the whole box: give --randoms in the part that is filled, or its --box",
        path.display(), along(gaps)
    )]
    Gaps {
        /// What the sample is to the command.
        role: String,
        /// The file.
        path: PathBuf,
        /// The axes with where a gap begins and ends: beyond the box where it goes around.
        gaps: Vec<(Axis, [f64; 2])>,
    },
}

/// Where gaps lie.
fn along(gaps: &[(Axis, [f64; 2])]) -> String {
    let each = gaps.iter().map(|(axis, gap)| {
        let [from, to] = gap.map(|end| in_short(four_digits(end)));
        format!("from {from} to {to} along {}", axis.name())
    });
    each.collect::<Vec<_>>().join(", ")
}

/// How much of two samples lies where the other has nothing.
fn alone(roles: &[String; 2], shares: [f64; 2]) -> String {
    let [data, randoms] = roles;
    let each = [(data, randoms, shares[0]), (randoms, data, shares[1])];
    let each = each.iter().filter(|(.., share)| *share > 0.0);
    let each = each.map(|(of, other, share)| {
        let percent = (100.0 * share).round().max(1.0);
        format!("about {percent} % of the {of} lie where there are no {other}")
    });
    each.collect::<Vec<_>>().join(", ")
}

/// What an axis is on the sky.
fn meaning(axis: Axis) -> &'static str {
    match axis {
        Axis::X => "that to RA 0, Dec 0",
        Axis::Y => "that to RA 90, Dec 0",
        Axis::Z => "that to the pole, Dec 90",
    }
}
