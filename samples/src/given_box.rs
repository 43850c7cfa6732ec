//! A box as callers give it: with the unit of its lengths, or without.
//!
//! Entry: [`GivenBox`]. Where files state a box, and what becomes of either, is `space`.

use std::str::FromStr;

use crate::error::{Result, SampleError};
use crate::space::{BoxSpec, ParseBoxError};
use crate::units::{Quantity, Unit, length_factor};
use serde::Serialize;

/// A box that is given or asked for. Its text is that of [`BoxSpec`], with a unit of length behind it or without.
///
/// ```
/// use albireo_samples::{BoxSpec, GivenBox};
/// let given: GivenBox = "50 Mpc".parse()?;
/// assert_eq!(given.in_unit(Some("kpc"), None)?, BoxSpec::Lengths([Some(50000.0); 3]));
/// let given: GivenBox = "10,20,none".parse()?;
/// assert_eq!(given.in_unit(None, None)?, BoxSpec::Lengths([Some(10.0), Some(20.0), None]));
/// assert!("50 deg".parse::<GivenBox>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GivenBox {
    /// The box.
    pub spec: BoxSpec,
    /// The unit of its lengths; without it that of the positions.
    pub unit: Option<Unit>,
}

impl From<BoxSpec> for GivenBox {
    fn from(spec: BoxSpec) -> Self {
        Self { spec, unit: None }
    }
}

impl FromStr for GivenBox {
    type Err = ParseBoxError;

    fn from_str(text: &str) -> Result<Self, ParseBoxError> {
        let refused = match text.parse::<BoxSpec>() {
            Ok(spec) => return Ok(spec.into()),
            Err(refused) => refused,
        };
        // The longest numbers with a name behind them: `1e3 Mpc` is not 1 of `e3 Mpc`.
        let parts = text.char_indices().rev().map(|(end, _)| text.split_at(end));
        let mut parts = parts.filter_map(|(numbers, unit)| {
            let unit = unit.trim();
            let spec = numbers.parse::<BoxSpec>().ok()?;
            let has_lengths = !matches!(spec, BoxSpec::Open | BoxSpec::File);
            (has_lengths && unit.starts_with(char::is_alphabetic)).then_some((spec, unit))
        });
        let Some((spec, unit)) = parts.next() else {
            return Err(refused);
        };
        let read: Unit = unit
            .parse()
            .map_err(|error| ParseBoxError(format!("{error}, as the unit of the box")))?;
        match read.quantity() {
            Quantity::Length | Quantity::Reduced => Ok(Self {
                spec,
                unit: Some(read),
            }),
            other => Err(ParseBoxError(format!(
                "expected a length as the unit of the box, found `{unit}`, {other}"
            ))),
        }
    }
}

impl GivenBox {
    /// The box with lengths in the unit of the positions; `h` where it is known.
    ///
    /// # Errors
    /// [`SampleError::Input`] of a unit that is not converted into that of the positions, or beside positions of an unknown one.
    pub fn in_unit(self, positions: Option<&str>, h: Option<f64>) -> Result<BoxSpec> {
        let Some(unit) = self.unit else {
            return Ok(self.spec);
        };
        let unit = unit.to_string();
        let factor = match positions {
            None => Err("the unit of the positions is not known: name it by --unit".to_owned()),
            Some(positions) => length_factor(&unit, positions, h)
                .map_err(|reason| format!("positions are in {positions}: {reason}")),
        };
        match factor {
            Ok(factor) => Ok(self.spec.times(factor)),
            Err(reason) => Err(SampleError::Input(format!("--box in {unit}: {reason}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> Result<GivenBox, ParseBoxError> {
        text.parse()
    }

    #[test]
    fn boxes_have_a_unit_or_none() {
        let read = |text: &str, unit: &str| given(text).unwrap().in_unit(Some(unit), Some(0.5));
        let of = |text: &str, unit: &str| read(text, unit).unwrap();
        let cube = |length: f64| BoxSpec::Lengths([Some(length); 3]);
        assert_eq!(of("50 Mpc", "Mpc"), cube(50.0));
        assert_eq!(of(" 50 h-1 Mpc ", "kpc/h"), cube(50_000.0));
        assert_eq!(of("50 Mpc", "Mpc/h"), cube(25.0));
        assert_eq!(of("5e1Mpc", "Mpc"), cube(50.0));
        assert_eq!(of("50", "furlong"), cube(50.0));
        let slab = BoxSpec::Lengths([Some(100.0), Some(200.0), None]);
        assert_eq!(of("10, 20, none nm", "Angstrom"), slab);
        assert_eq!(given("none").unwrap(), BoxSpec::Open.into());
        assert!(read("5 nm", "Mpc").is_err());
        assert!(given("50 Mpc").unwrap().in_unit(None, None).is_err());
        for (text, says) in [
            ("50 furlong", "found `furlong`, as the unit of the box"),
            ("50 deg", "found `deg`, an angle"),
            ("none Mpc", "found `none Mpc`"),
            ("1,2 nm", "found `2 nm`"),
        ] {
            let error = given(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
