//! What a pair expression takes of each object by itself.
//!
//! Entry: [`ObjectColumn`], and [`Objects`], which have them.

use std::fmt;

use albireo::particles::Column;
use albireo::separation::dot;
use albireo::{Particles, Weights};

/// A number of each object.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObjectColumn {
    /// What this text is in the language of conditions and expressions (`--where`), without prefixes.
    Read(String),
    /// Numbers that are equal where the values of this text are: numbers as they are, whole numbers beyond 2^53 and texts numbered alike over
    /// all columns of this kind, in both samples.
    Identity(String),
    /// A Cartesian coordinate, as counted.
    Position(u8),
    /// A component of the position over its norm.
    Direction(u8),
    /// A component of the unit vector that points east on the sky.
    East(u8),
    /// A component of the unit vector that points north on the sky.
    North(u8),
    /// The weight as given.
    Weight,
}

/// A sample of particles with the columns that stand in it.
#[derive(Debug, Clone, Copy)]
pub struct Objects<'a> {
    /// The particles; column number k of [`Particles::columns`] holds `columns[k]`.
    pub particles: &'a Particles,
    /// What these columns are: all that the sums take of this sample, in any order. Of an auto count what they take of both ends.
    pub columns: &'a [ObjectColumn],
}

/// 2^-900: directions are made of vectors whose squares sum to this or more, else they are 0.
pub(crate) const LEAST_SQUARES: f64 = f64::from_bits((1023 - 900) << 52);

/// `a_k / sqrt(a.a)` each, or 0.
fn unit(a: [f64; 3]) -> [f64; 3] {
    let squares = dot(a, a);
    if squares < LEAST_SQUARES {
        return [0.0; 3];
    }
    a.map(|component| component / squares.sqrt())
}

/// East at a position: across the axis z, `(-y, x, 0)` over its norm.
fn east([x, y, _]: [f64; 3]) -> [f64; 3] {
    unit([-y, x, 0.0])
}

/// North at a position: the position's direction times east.
fn north(x: [f64; 3]) -> [f64; 3] {
    let (n, e) = (unit(x), east(x));
    [
        n[1] * e[2] - n[2] * e[1],
        n[2] * e[0] - n[0] * e[2],
        n[0] * e[1] - n[1] * e[0],
    ]
}

impl fmt::Display for ObjectColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let components = ["x", "y", "z"];
        let component = |k: u8| components.get(usize::from(k)).copied().unwrap_or_default();
        match self {
            Self::Read(text) | Self::Identity(text) => f.write_str(text),
            Self::Position(k) => write!(f, "the coordinate {}", component(*k)),
            Self::Direction(k) => write!(f, "the direction ({})", component(*k)),
            Self::East(k) => write!(f, "the direction east ({})", component(*k)),
            Self::North(k) => write!(f, "the direction north ({})", component(*k)),
            Self::Weight => f.write_str("the weight"),
        }
    }
}

impl ObjectColumn {
    /// The values of what follows from positions and weights; none of what is read.
    pub fn of_points(&self, particles: &Particles) -> Option<Column> {
        let points = particles.points();
        let made = |of: fn([f64; 3]) -> [f64; 3], k: u8| {
            let rows = (0..points.len()).map(|row| of(points.at(row))[usize::from(k)]);
            Some(Column::from(rows.collect::<Vec<f64>>()))
        };
        match *self {
            Self::Read(_) | Self::Identity(_) => None,
            Self::Position(k) => Some(points.columns()[usize::from(k)].clone()),
            Self::Direction(k) => made(unit, k),
            Self::East(k) => made(east, k),
            Self::North(k) => made(north, k),
            Self::Weight => Some(match particles.weights() {
                Weights::Unit => Column::from(vec![1.0; points.len()]),
                Weights::PerParticle(weights) => weights.clone(),
            }),
        }
    }
}
