//! The lattice translations under which two samples can come within reach of each other.

use super::Bounds;
use crate::domain::{Axis, Domain, Image};

/// A lattice translation: `d + vector` is the separation of an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Translation {
    pub(crate) image: Image,
    pub(crate) vector: [f64; 3],
}

impl Translation {
    /// Whether this is the first of the pair (n, -n): the one that an auto count visits.
    pub(crate) fn is_positive(&self) -> bool {
        self.image > [0; 3]
    }

    /// Whether nothing is moved.
    pub(crate) fn is_identity(&self) -> bool {
        self.image == [0; 3]
    }
}

/// Every translation that brings a point of `second` within `reach` (per axis) of one of `first`, the identity first.
pub(crate) fn translations(
    domain: &Domain,
    first: &Bounds,
    second: &Bounds,
    reach: [f64; 3],
) -> Vec<Translation> {
    let span: [i8; 3] = match domain {
        Domain::Open => [0; 3],
        Domain::Periodic(cell) => Axis::ALL.map(|axis| i8::from(cell.length(axis).is_some())),
        // The contract's own set: 125 images of the reduced cell.
        Domain::Triclinic(_) => [2; 3],
    };
    let mut found = vec![];
    for n1 in -span[0]..=span[0] {
        for n2 in -span[1]..=span[1] {
            for n3 in -span[2]..=span[2] {
                let image = [n1, n2, n3];
                let vector = vector(domain, image);
                let gaps = first.gaps(second, vector);
                if image == [0; 3] || (0..3).all(|k| gaps[k] <= reach[k]) {
                    found.push(Translation { image, vector });
                }
            }
        }
    }
    found.sort_by_key(|t| (!t.is_identity(), t.image));
    found
}

/// What the translation by `image` adds to differences.
pub(crate) fn vector(domain: &Domain, image: Image) -> [f64; 3] {
    match domain {
        Domain::Open => [0.0; 3],
        Domain::Periodic(cell) => {
            std::array::from_fn(|k| f64::from(image[k]) * cell.lengths()[k].unwrap_or(0.0))
        }
        Domain::Triclinic(lattice) => lattice.translation(image),
    }
}

/// Bound on what float64 rounds away in one component of a difference, by the contract or by a filter, in length units.
///
/// Each takes at most three operations on numbers no larger than the distance between two points plus one translation.
pub(crate) fn roundings(domain: &Domain, first: &Bounds, second: &Bounds) -> f64 {
    let span = (0..3)
        .map(|k| (first.centre[k] - second.centre[k]).abs() + first.half[k] + second.half[k])
        .fold(0.0, f64::max);
    let translation = match domain {
        Domain::Open => 0.0,
        Domain::Periodic(cell) => cell.lengths().into_iter().flatten().fold(0.0, f64::max),
        Domain::Triclinic(lattice) => {
            let components = lattice.basis();
            let components = components.as_flattened().iter();
            6.0 * components.fold(0.0f64, |most, v| most.max(v.abs()))
        }
    };
    8.0 * f64::EPSILON * (span + translation)
}
