//! From stored numbers to the values meant: the cards TSCAL and TZERO of FITS, `scale_factor` and `add_offset` of `NetCDF`.
//!
//! Entry: [`Scaling::of`]. FITS Standard 4.0, sections 7.2.2 and 7.3.2; CF Conventions 1.11, section 8.1.

#![allow(
    clippy::cast_possible_truncation,
    reason = "only floats that are whole and small enough become integers"
)]

use crate::block::Numbers;
use crate::error::Result;

/// How a stored number becomes the value meant.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum Scaling {
    #[default]
    None,
    /// The scale is 1 and the zero an integer, as for unsigned integers in FITS.
    Shift(i128),
    Linear {
        scale: f64,
        zero: f64,
    },
}

impl Scaling {
    pub(crate) fn of(scale: Option<f64>, zero: Option<f64>) -> Self {
        let (scale, zero) = (scale.unwrap_or(1.0), zero.unwrap_or(0.0));
        // 2^63, the shift of uint64, is the largest that occurs and exact in float64.
        let whole = zero.fract() == 0.0 && zero.abs() <= 9_223_372_036_854_775_808.0;
        match (scale, zero) {
            (1.0, 0.0) => Self::None,
            (1.0, _) if whole => Self::Shift(zero as i128),
            _ => Self::Linear { scale, zero },
        }
    }

    /// Appends the value of a stored integer.
    pub(crate) fn integer(self, numbers: &mut Numbers<'_>, stored: i128) -> Result<()> {
        match self {
            Self::None => numbers.integer(stored),
            Self::Shift(zero) => numbers.integer(stored.saturating_add(zero)),
            Self::Linear { scale, zero } => numbers.float(stored as f64 * scale + zero),
        }
    }

    /// The value of a stored float.
    pub(crate) fn float(self, stored: f64) -> f64 {
        match self {
            Self::None => stored,
            Self::Shift(zero) => stored + zero as f64,
            Self::Linear { scale, zero } => stored * scale + zero,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsigned_integers_are_a_shift_and_all_else_is_linear() {
        let shift = |zero| Scaling::of(None, Some(zero));
        assert_eq!(shift(32768.0), Scaling::Shift(32768));
        assert_eq!(shift(9_223_372_036_854_775_808.0), Scaling::Shift(1 << 63));
        assert_eq!(
            shift(0.5),
            Scaling::Linear {
                scale: 1.0,
                zero: 0.5
            }
        );
        assert_eq!(
            Scaling::of(Some(0.1), None),
            Scaling::Linear {
                scale: 0.1,
                zero: 0.0
            }
        );
        assert_eq!(Scaling::of(None, None), Scaling::None);
    }
}
