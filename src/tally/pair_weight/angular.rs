//! Factors of pairs by the angle between their points.
//!
//! Entry: [`AngularWeight`].

use std::fmt;

use albireo_simd::fixed_point::{exponent, scaled};

use crate::binning::{Edges, ThetaBins, chord};
use crate::domain::Domain;
use crate::error::PairWeightError;
use crate::separation::direction;

/// A factor of each pair by the angle between its directions from the observer at the origin: angular upweights for pairs that a
/// selection loses by their angle, such as fibre collisions (Percival & Bianchi 2017, DOI 10.48550/arXiv.1703.02071).
///
/// Linear in the cosine of the angle between the angles given, from the first up to but without the last (180 degrees are included), and 1
/// elsewhere. Computed from the squared chord between directions as `g_k + (chord2 - h_k)*s_k`.
///
/// ```
/// use albireo::tally::AngularWeight;
/// let upweights = AngularWeight::new(vec![0.0, 0.1, 1.0], vec![2.0, 1.5, 1.0])?;
/// assert_eq!(upweights.between([1.0, 0.0, 0.0], [2.0, 0.0, 0.0]), 2.0);
/// assert_eq!(upweights.between([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), 1.0);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct AngularWeight {
    degrees: Vec<f64>,
    factors: Vec<f64>,
    /// Squared chords of the angles; the last one is beyond any where it is that of 180 degrees.
    squares: Vec<f64>,
    /// The factor at each angle but the last, and its change with the squared chord; times `2^-exponent`.
    pieces: Vec<[f64; 2]>,
    /// 1 in the same unit.
    outside: f64,
    exponent: i32,
}

/// A square of a chord longer than any between two computed unit vectors.
const BEYOND_ANY_SQUARE: f64 = 6.25;

impl AngularWeight {
    /// These factors at these angles, degrees.
    ///
    /// # Errors
    /// Fewer than two angles, angles that do not rise within [0, 180], as many factors as angles, or factors that are not finite.
    pub fn new(degrees: Vec<f64>, factors: Vec<f64>) -> Result<Self, PairWeightError> {
        if degrees.len() != factors.len() {
            return Err(PairWeightError::Factors {
                angles: degrees.len(),
                factors: factors.len(),
            });
        }
        // Angles are held to what edges of bins are held to, their chords too.
        ThetaBins::new(Edges::new(degrees.clone())?)?;
        let mut squares: Vec<f64> = (degrees.iter())
            .map(|&angle| chord(angle) * chord(angle))
            .collect();
        let largest = factors.iter().fold(1.0, |most: f64, g| g.abs().max(most));
        let exponent = exponent(largest);
        let of = |(h, g): (&[f64], &[f64])| {
            [
                scaled(g[0], exponent),
                scaled((g[1] - g[0]) / (h[1] - h[0]), exponent),
            ]
        };
        let pieces: Vec<[f64; 2]> = squares.windows(2).zip(factors.windows(2)).map(of).collect();
        let steep = || pieces.iter().position(|[_, slope]| !slope.is_finite());
        let infinite = factors.iter().position(|g| !g.is_finite());
        if let Some(index) = infinite.or_else(steep) {
            let value = factors[index];
            return Err(PairWeightError::NotFinite { index, value });
        }
        if degrees.last() == Some(&180.0)
            && let Some(last) = squares.last_mut()
        {
            *last = BEYOND_ANY_SQUARE;
        }
        Ok(Self {
            degrees,
            factors,
            squares,
            pieces,
            outside: scaled(1.0, exponent),
            exponent,
        })
    }

    /// The angles, degrees.
    pub fn degrees(&self) -> &[f64] {
        &self.degrees
    }

    /// The factors at the angles.
    pub fn factors(&self) -> &[f64] {
        &self.factors
    }

    /// The factor of a pair of positions.
    pub fn between(&self, x1: [f64; 3], x2: [f64; 3]) -> f64 {
        scaled(self.of_positions(x1, x2), -self.exponent)
    }

    /// The exponent of what factors are scaled by.
    pub(crate) fn exponent(&self) -> i32 {
        self.exponent
    }

    /// The scaled factor of a pair of positions.
    #[inline]
    pub(crate) fn of_positions(&self, x1: [f64; 3], x2: [f64; 3]) -> f64 {
        let [n1, n2] = [x1, x2].map(direction);
        self.of_square(Domain::Open.separation(n1, n2).r2)
    }

    /// The scaled factor where directions are a chord of this square apart.
    #[inline]
    pub(crate) fn of_square(&self, chord2: f64) -> f64 {
        let before = self.squares.partition_point(|&h| h <= chord2);
        match (before.checked_sub(1)).and_then(|k| Some((k, self.pieces.get(k)?))) {
            Some((k, [g, slope])) => g + (chord2 - self.squares[k]) * slope,
            None => self.outside,
        }
    }

    /// Squared chords between which factors are not those of outside: from the first up to the last.
    #[inline]
    pub(crate) fn range(&self) -> [f64; 2] {
        [self.squares[0], self.squares[self.squares.len() - 1]]
    }

    /// Each angle as the square of its chord, the scaled factor there, and its change with the square up to the next angle.
    #[cfg(feature = "cuda")]
    pub(crate) fn table(&self) -> Vec<[f64; 3]> {
        let pieces = self.pieces.iter().copied().chain([[self.outside, 0.0]]);
        let pieces = self.squares.iter().zip(pieces);
        pieces.map(|(&h, [g, slope])| [h, g, slope]).collect()
    }

    /// The scaled factor outside.
    #[inline]
    pub(crate) fn outside(&self) -> f64 {
        self.outside
    }
}

impl fmt::Display for AngularWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, last) = (self.degrees.len(), self.degrees.len() - 1);
        let [from, to] = [self.degrees[0], self.degrees[last]];
        write!(
            f,
            "angular weights at {n} angles from {from} to {to} degrees"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_linear_in_the_cosine_and_half_open() {
        let upweights = AngularWeight::new(vec![0.5, 2.0, 3.0], vec![3.0, -1.0, 2.0]).unwrap();
        let at = |degrees: f64| {
            let chord = chord(degrees);
            scaled(upweights.of_square(chord * chord), -upweights.exponent())
        };
        assert_eq!([at(0.0), at(0.49), at(3.0), at(90.0)], [1.0; 4]);
        assert_eq!([at(0.5), at(2.0)], [3.0, -1.0]);
        let [c0, c1, c] = [0.5f64, 2.0, 1.3].map(|t| t.to_radians().cos());
        let expected = 3.0 + (c - c0) / (c1 - c0) * (-1.0 - 3.0);
        assert!((at(1.3) - expected).abs() < 1e-11);
    }

    #[test]
    fn the_last_angle_is_closed_at_180() {
        let all = AngularWeight::new(vec![90.0, 180.0], vec![1.0, 5.0]).unwrap();
        let n = [0.6, 0.64, 0.48];
        let opposite = all.between(n, n.map(|c: f64| -c));
        assert!((opposite - 5.0).abs() < 1e-14, "{opposite}");
    }

    #[test]
    fn refusals_say_what_was_expected() {
        let refused = |degrees: &[f64], factors: &[f64]| {
            let error = AngularWeight::new(degrees.to_vec(), factors.to_vec()).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            refused(&[0.0, 1.0], &[1.0]),
            "there must be one factor for each of the 2 angles, found 1"
        );
        assert_eq!(
            refused(&[0.0], &[1.0]),
            "the angles of a pair weight: bins need at least two edges, found 1"
        );
        assert_eq!(
            refused(&[0.0, 1.0, 0.5], &[1.0; 3]),
            "the angles of a pair weight: edges must increase strictly, and so must their squares: edge 2 is 0.5 after 1"
        );
        assert_eq!(
            refused(&[0.0, 181.0], &[1.0; 2]),
            "the angles of a pair weight: theta edges must lie in [0, 180]: edge 1 is 181"
        );
        assert_eq!(
            refused(&[0.0, 1.0], &[1.0, f64::NAN]),
            "factor 1 must be finite, and so must its change with the angle, found NaN"
        );
    }
}
