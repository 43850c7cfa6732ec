//! The fixed point that holds every sum of a job: its unit, and how far off a sum may be.
//!
//! Entry: [`FixedScale`], made of [`Extremes`] by a [`Precision`].

use albireo_simd::fixed_point::exponent;

use super::frame::Frame;
use super::term::Term;
use crate::error::{FieldError, Result};
pub use albireo_simd::Precision;

/// Exponents of the fixed point: the scaled strengths and what sums stand for are normal numbers.
const EXPONENTS: std::ops::RangeInclusive<i32> = -900..=900;

/// Bits of the largest sum: a margin of one below the sign.
const SUM_BITS: u32 = 62;

/// The lengths whose squares and inverses float32 holds with room.
const SINGLE_LENGTHS: std::ops::RangeInclusive<f64> = 1e-5..=1e5;

/// (sigma / `r_min`)^12 that float32 holds with room.
const SINGLE_POWERS: std::ops::RangeInclusive<f64> = 0.0..=1e25;

/// Bits of the largest term: below what lanes can round.
fn most_bits(precision: Precision) -> u32 {
    match precision {
        Precision::Double => 50,
        Precision::Single => 30,
    }
}

/// More than the roundings of a term, relative to the largest.
fn slack(precision: Precision) -> f64 {
    match precision {
        Precision::Double => 1e-9,
        Precision::Single => 1e-4,
    }
}

/// How sums are held: multiples of 2^exponent in 64 bits, the same for the whole job and for each part of it.
///
/// The exponent is the least for which the largest term has at most 50 bits (single precision: 30) and the most terms that a target can have,
/// together, 62; so no sum can overflow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixedScale {
    /// What terms are made in.
    pub precision: Precision,
    /// What a unit of a sum stands for is 2 to this power.
    pub exponent: i32,
    /// No target has more terms than this: sources within reach of any point.
    pub most_terms: u64,
    /// No term is larger: that of the strongest source at `r_min`.
    pub largest_term: f64,
    /// No sum is farther from that of the same terms of real numbers, at the positions of the fractions; pairs at a sharp end of their term,
    /// as near to it as their separation is rounded, may lie on its other side.
    pub error_bound: f64,
    /// No position is farther, along an axis, from where it was given.
    pub position_error: f64,
}

/// What the unit of a job depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extremes {
    /// The largest magnitude of a strength.
    pub(super) strongest: f64,
    /// The largest size, or 1.
    pub(super) size: f64,
    /// The most sources within reach of a point.
    pub(super) most_terms: u64,
}

impl FixedScale {
    /// The fixed point of a job.
    ///
    /// Each of at most `most_terms` terms is off by half a unit, and by its own roundings; what these make of the squared separation's is in
    /// the term's bound, and what is more than the 8 half units that it takes for granted is passed on with the steepest slope of a term, 5
    /// largest terms a length of its resolution.
    pub(super) fn new(
        frame: &Frame,
        extremes: Extremes,
        term: &Term,
        precision: Precision,
    ) -> Result<Self> {
        if precision == Precision::Single {
            single(term, extremes)?;
        }
        let largest_term = extremes.strongest * term.largest(extremes.size, slack(precision));
        let most_terms = extremes.most_terms.max(1);
        let count_bits = u64::BITS - (most_terms - 1).leading_zeros();
        let bits = most_bits(precision).min(SUM_BITS - count_bits);
        let exponent = exponent(largest_term) - bits as i32;
        if !(largest_term.is_normal() && EXPONENTS.contains(&exponent)) {
            return Err(FieldError::Range { largest_term });
        }
        // Separations of skewed cells are float64 until they are squared and added.
        let further = frame.roundings(term.resolution()) - 8.0;
        let roundings = term.roundings(precision.half_unit()) * precision.half_unit()
            + 5.0 * further * Precision::Double.half_unit()
            + term.looked_up();
        let unit = libm::scalbn(1.0, exponent);
        Ok(Self {
            precision,
            exponent,
            most_terms,
            largest_term,
            error_bound: most_terms as f64 * (0.5 * unit + roundings * largest_term),
            position_error: frame.position_error(),
        })
    }
}

/// Refuses what float32 does not hold.
fn single(term: &Term, extremes: Extremes) -> Result<()> {
    let refuse = |what, range: std::ops::RangeInclusive<f64>, found| {
        let (least, most) = range.into_inner();
        Err(FieldError::Single {
            what,
            least,
            most,
            found,
        })
    };
    for length in term.lengths() {
        if !SINGLE_LENGTHS.contains(&length) {
            return refuse("lengths", SINGLE_LENGTHS, length);
        }
    }
    let [r_min, reach] = [term.r_min(), term.reach()];
    if r_min > 0.0 && (r_min * r_min) as f32 >= (reach * reach) as f32 {
        return Err(FieldError::SingleOrder { r_min, reach });
    }
    if term.has_sizes() {
        let power = (extremes.size / (term.r_min() * term.r_min())).powi(6);
        if !SINGLE_POWERS.contains(&power) {
            return refuse("(sigma / r_min)^12", SINGLE_POWERS, power);
        }
    }
    Ok(())
}
