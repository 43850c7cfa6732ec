//! From stored numbers to the values meant: the cards TSCAL and TZERO.
//!
//! Entry: [`Scaling::of`]. FITS Standard 4.0, sections 7.2.2 and 7.3.2.

use crate::block::Numbers;
use crate::error::Result;
use crate::value::Value;

/// How a stored number becomes the value meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scaling {
    None,
    /// TSCAL is 1 and TZERO an integer, as for unsigned integers.
    Shift(i128),
    Linear {
        scale: f64,
        zero: f64,
    },
}

impl Scaling {
    pub(super) fn of(scale: Option<&Value>, zero: Option<&Value>) -> Self {
        let number =
            |value: Option<&Value>, default| value.and_then(Value::as_f64).unwrap_or(default);
        let (scale, zero) = (number(scale, 1.0), number(zero, 0.0));
        // 2^63, the shift of uint64, is the largest that occurs and exact in float64.
        let whole = zero.fract() == 0.0 && zero.abs() <= 9_223_372_036_854_775_808.0;
        match (scale, zero) {
            (1.0, 0.0) => Self::None,
            (1.0, _) if whole => Self::Shift(zero as i128),
            _ => Self::Linear { scale, zero },
        }
    }

    /// Appends the value of a stored integer.
    pub(super) fn integer(self, numbers: &mut Numbers<'_>, stored: i128) -> Result<()> {
        match self {
            Self::None => numbers.integer(stored),
            Self::Shift(zero) => numbers.integer(stored.saturating_add(zero)),
            Self::Linear { scale, zero } => numbers.float(stored as f64 * scale + zero),
        }
    }

    /// The value of a stored float.
    pub(super) fn float(self, stored: f64) -> f64 {
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
        let shift = |zero| Scaling::of(None, Some(&Value::Float(zero)));
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
            Scaling::of(Some(&Value::Float(0.1)), None),
            Scaling::Linear {
                scale: 0.1,
                zero: 0.0
            }
        );
        assert_eq!(Scaling::of(None, None), Scaling::None);
    }
}
