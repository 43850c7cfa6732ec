//! THE definition of a separation and of its rounding order; every fast kernel is a filter in front of it.
//!
//! Entry: [`Separation`], made by [`crate::Domain::separation`]. All arithmetic is IEEE float64 in the order written,
//! without fused multiply-add.

use albireo_simd::fixed_point::power_of_two;

/// 2^440: the largest coordinate, box length and edge; squares of sums of these, and of the smallest edges, are normal numbers.
pub const LARGEST: f64 = power_of_two(440);

/// 2^-440: the smallest edge but 0.
pub const SMALLEST_EDGE: f64 = power_of_two(-440);

/// 2^240 and 2^-240: the same limits where a line of sight from an observer multiplies squares.
pub const SIGHT_RANGE: [f64; 2] = [power_of_two(-240), power_of_two(240)];

/// One pair as the bins see it: `d = x1 - x2` (nearest image in a periodic domain) and what lines of sight need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// Difference vector, length units of the input.
    pub d: [f64; 3],
    /// `(dx*dx + dy*dy) + dz*dz`.
    pub r2: f64,
    /// Position of the first particle.
    pub x1: [f64; 3],
    /// Position of the second particle.
    pub x2: [f64; 3],
}

impl Separation {
    /// The separation whose difference vector is `d`.
    #[inline]
    pub fn new(d: [f64; 3], x1: [f64; 3], x2: [f64; 3]) -> Self {
        Self {
            d,
            r2: norm2(d),
            x1,
            x2,
        }
    }
}

/// `(ax*bx + ay*by) + az*bz`.
#[inline]
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

/// `(dx*dx + dy*dy) + dz*dz`.
#[inline]
pub fn norm2(d: [f64; 3]) -> f64 {
    dot(d, d)
}

/// The direction of a position from the origin: each coordinate divided by the norm.
#[inline]
pub fn direction(x: [f64; 3]) -> [f64; 3] {
    let norm = norm2(x).sqrt();
    x.map(|coordinate| coordinate / norm)
}

/// `x1 - x2` per component.
#[inline]
pub fn difference(x1: [f64; 3], x2: [f64; 3]) -> [f64; 3] {
    [x1[0] - x2[0], x1[1] - x2[1], x1[2] - x2[2]]
}

/// `x1 + x2` per component: twice the midpoint, the default line of sight of surveys.
#[inline]
pub fn sum(x1: [f64; 3], x2: [f64; 3]) -> [f64; 3] {
    [x1[0] + x2[0], x1[1] + x2[1], x1[2] + x2[2]]
}
