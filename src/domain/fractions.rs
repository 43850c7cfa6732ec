//! Coordinates as 64-bit fractions of a period, whose differences wrap as the nearest image does.
//!
//! Entry: [`fraction_of`].

/// 2^64.
pub const TURN: f64 = 18_446_744_073_709_551_616.0;

/// The farthest image of a periodic box that a position may lie in.
pub const FARTHEST_IMAGE: f64 = (1u64 << 40) as f64;

/// A fraction of a period, to the nearest of the multiples of 2^-64 and their neighbours: the quotient is taken in two parts. `None` beyond
/// [`FARTHEST_IMAGE`].
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole periods are below 2^40, and fractions wrap"
)]
#[inline]
pub fn fraction_of(x: f64, period: f64) -> Option<u64> {
    let whole = x / period;
    if whole.abs() > FARTHEST_IMAGE {
        return None;
    }
    let rest = whole.mul_add(-period, x) / period;
    let part = |share: f64| (share * TURN).round_ties_even() as i128;
    Some((part(whole) + part(rest)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_a_period_are_the_nearest() {
        // Thirds: 2^64 / 3 = 6148914691236517205 + 1/3.
        assert_eq!(fraction_of(1.0, 3.0), Some(6_148_914_691_236_517_205));
        assert_eq!(fraction_of(2.0, 3.0), Some(12_297_829_382_473_034_411));
        assert_eq!(fraction_of(-1.0, 3.0), Some(12_297_829_382_473_034_411));
        assert_eq!(fraction_of(7.0, 3.0), Some(6_148_914_691_236_517_205));
        assert_eq!(fraction_of(3.0, 3.0), Some(0));
        assert_eq!(fraction_of(1e300, 3.0), None);
    }
}
