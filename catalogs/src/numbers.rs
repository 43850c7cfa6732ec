//! The numbers of a result's column.
//!
//! Entry: [`Values`]. They keep every bit, as text too. [`in_short`] is a number in a message, [`whole_number`] an integer that was read as a float,
//! [`whole_of_text`] one that was typed.

/// A number for a message, without the hundreds of digits that the largest and the smallest have.
///
/// ```
/// use albireo_catalogs::in_short;
/// assert_eq!([2.5, 1e300, -1e-300].map(in_short), ["2.5", "1e300", "-1e-300"]);
/// ```
#[must_use]
pub fn in_short(value: f64) -> String {
    if value == 0.0 || (1e-5..1e16).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// The integer that a float is, if it is one; beyond 2^53 not every integer is a float, so that two could be one.
///
/// ```
/// use albireo_catalogs::whole_number;
/// assert_eq!([3.0, -0.0, 2.5, 9_007_199_254_740_992.0].map(whole_number), [Some(3), Some(0), None, None]);
/// ```
#[must_use]
pub fn whole_number(value: f64) -> Option<i128> {
    const BEYOND: f64 = (1_u64 << 53) as f64;
    #[allow(clippy::cast_possible_truncation, reason = "whole and in range")]
    (value.trunc() == value && value.abs() < BEYOND).then_some(value as i128)
}

/// The whole number that a person typed: 1000000, `1_000_000` or 1e6.
///
/// ```
/// use albireo_catalogs::whole_of_text;
/// assert_eq!(["7", "1_000", " 2.5e1", "1.5", "-1"].map(whole_of_text), [Some(7), Some(1000), Some(25), None, None]);
/// ```
#[must_use]
pub fn whole_of_text(text: &str) -> Option<u64> {
    let plain = text.trim().replace('_', "");
    let of_float = || u64::try_from(whole_number(plain.parse().ok()?)?).ok();
    plain.parse().ok().or_else(of_float)
}

/// The values of a column.
#[derive(Debug, Clone)]
pub enum Values {
    /// Counts.
    Integers(Vec<u64>),
    /// Floats; NaN stands for what is not defined.
    Floats(Vec<f64>),
}

impl Values {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Floats(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type's name in files: `uint64` or `float64`.
    pub fn dtype(&self) -> &'static str {
        match self {
            Self::Integers(_) => "uint64",
            Self::Floats(_) => "float64",
        }
    }

    /// Value `row` as text: the shortest decimal that reads back to the same bits.
    pub(crate) fn text(&self, row: usize) -> String {
        match self {
            Self::Integers(values) => values[row].to_string(),
            Self::Floats(values) if values[row].is_nan() => "nan".to_owned(),
            Self::Floats(values) => format!("{:?}", values[row]),
        }
    }

    pub(crate) fn empty(dtype: &str) -> Option<Self> {
        match dtype {
            "uint64" => Some(Self::Integers(Vec::new())),
            "float64" => Some(Self::Floats(Vec::new())),
            _ => None,
        }
    }

    /// Appends a value given as text; false if it is none.
    pub(crate) fn push_text(&mut self, text: &str) -> bool {
        match self {
            Self::Integers(values) => text.parse().map(|value| values.push(value)).is_ok(),
            Self::Floats(values) => text.parse().map(|value| values.push(value)).is_ok(),
        }
    }
}

/// Bit by bit, but any NaN equals any NaN: no format but Parquet keeps the payload.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        match (self, other) {
            (Self::Integers(a), Self::Integers(b)) => a == b,
            (Self::Floats(a), Self::Floats(b)) => a.len() == b.len() && a.iter().zip(b).all(same),
            _ => false,
        }
    }
}
