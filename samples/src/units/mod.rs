//! The units that files and callers state: one table, and the factors between what can be converted.
//!
//! Entry: [`Unit`], read from its text by `parse`. It reads no file and knows no columns.

mod lengths;
mod names;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use thiserror::Error;

pub(crate) use self::lengths::{akin_factor, length_factor};

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// A plain number.
    Number,
    /// A length, comoving ones in units of 1/h among them.
    Length,
    /// An angle.
    Angle,
    /// A velocity.
    Velocity,
    /// A time.
    Time,
    /// A mass.
    Mass,
    /// A temperature.
    Temperature,
    /// Lengths of a model, such as the diameter of its particles.
    Reduced,
    /// Anything else.
    Other,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "a plain number",
            Self::Length => "a length",
            Self::Angle => "an angle",
            Self::Velocity => "a velocity",
            Self::Time => "a time",
            Self::Mass => "a mass",
            Self::Temperature => "a temperature",
            Self::Reduced => "a reduced length",
            Self::Other => "neither a length nor an angle",
        })
    }
}

/// The lengths that occur together in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
enum Family {
    /// No length.
    None,
    /// pc, kpc, Mpc, Gpc.
    Cosmic,
    /// nm, Angstrom, Bohr, pm.
    Molecular,
    /// m, cm, AU, lyr.
    Everyday,
}

/// Powers of length, time, mass, temperature, angle, reduced length, logarithm of a ratio and pixels in a unit, in this order.
type Powers = [i8; 8];

const NUMBER: Powers = [0; 8];
const LENGTH: Powers = [1, 0, 0, 0, 0, 0, 0, 0];
const VELOCITY: Powers = [1, -1, 0, 0, 0, 0, 0, 0];
const TIME: Powers = [0, 1, 0, 0, 0, 0, 0, 0];
const MASS: Powers = [0, 0, 1, 0, 0, 0, 0, 0];
const TEMPERATURE: Powers = [0, 0, 0, 1, 0, 0, 0, 0];
const ANGLE: Powers = [0, 0, 0, 0, 1, 0, 0, 0];
const REDUCED: Powers = [0, 0, 0, 0, 0, 1, 0, 0];
const RATIO: Powers = [0, 0, 0, 0, 0, 0, 1, 0];
const PIXEL: Powers = [0, 0, 0, 0, 0, 0, 0, 1];

/// A unit. Two of one meaning are equal under any name; its text is its usual name.
///
/// ```
/// use albireo_samples::Unit;
/// let unit = |text: &str| text.parse::<Unit>();
/// assert_eq!(unit("km s-1")?, unit("km.s**-1")?);
/// assert_eq!(unit("Mpc / littleh")?.to_string(), "Mpc/h");
/// assert_eq!(unit("kpc/h")?.factor_to(&unit("Mpc/h")?, None), Ok(0.001));
/// assert_eq!(unit("kpc")?.factor_to(&unit("Mpc/h")?, Some(0.7)), Ok(0.0007));
/// assert_eq!(unit("rad")?.factor_to(&unit("deg")?, None), Ok(57.29577951308232));
/// assert!(unit("km/s")?.factor_to(&unit("deg")?, None).is_err());
/// # Ok::<(), albireo_samples::ParseUnitError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Unit {
    /// The unit is `mantissa * 10^exponent` of metres, seconds, kilograms, kelvins, degrees.
    mantissa: f64,
    exponent: i32,
    powers: Powers,
    /// The power of the Hubble constant over 100 km/s/Mpc.
    h: i8,
    family: Family,
}

/// A text that names no unit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected a unit such as Mpc/h, kpc, nm, Angstrom, deg or rad, found `{0}`")]
pub struct ParseUnitError(String);

/// Why one unit is not converted into another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnitError {
    /// They measure different things.
    #[error("{0} is not {1}")]
    Different(Quantity, Quantity),
    /// One is in units of 1/h.
    #[error("one of them counts in 1/h, and no h is known")]
    NeedsH,
}

impl FromStr for Unit {
    type Err = ParseUnitError;

    fn from_str(text: &str) -> Result<Self, ParseUnitError> {
        names::read(text).ok_or_else(|| ParseUnitError(text.trim().to_owned()))
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        names::write(self, f)
    }
}

impl Unit {
    /// Megaparsecs over h, in which cosmologies give distances.
    pub const MPC_H: Self = Self {
        h: -1,
        ..Self::length(names::PARSEC, 22, Family::Cosmic)
    };
    /// Angstrom.
    pub const ANGSTROM: Self = Self::length(1.0, -10, Family::Molecular);
    /// Degrees.
    pub const DEGREE: Self = Self::new(1.0, 0, ANGLE);

    const fn new(mantissa: f64, exponent: i32, powers: Powers) -> Self {
        Self {
            mantissa,
            exponent,
            powers,
            h: 0,
            family: Family::None,
        }
    }

    const fn length(mantissa: f64, exponent: i32, family: Family) -> Self {
        Self {
            family,
            ..Self::new(mantissa, exponent, LENGTH)
        }
    }

    /// A length of so many centimetres, in units of 1/h or not, as simulations state it: theirs is a parsec to six digits.
    ///
    /// ```
    /// use albireo_samples::Unit;
    /// assert_eq!(Unit::of_centimetres(3.085678e21, true).to_string(), "kpc/h");
    /// assert_eq!(Unit::of_centimetres(3.08567758e24, false).to_string(), "Mpc");
    /// ```
    pub fn of_centimetres(centimetres: f64, over_h: bool) -> Self {
        let near = |unit: &Self| {
            let ratio = centimetres / 100.0 / (unit.mantissa * 10_f64.powi(unit.exponent));
            (ratio - 1.0).abs() < 2e-6
        };
        let known = [16, 19, 22, 25]
            .map(|exponent| Self::length(names::PARSEC, exponent, Family::Cosmic))
            .into_iter()
            .find(near);
        let unit = known.unwrap_or(Self::length(centimetres, -2, Family::Cosmic));
        Self {
            h: -i8::from(over_h),
            ..unit
        }
    }

    /// What it measures.
    pub fn quantity(&self) -> Quantity {
        match self.powers {
            NUMBER => Quantity::Number,
            LENGTH => Quantity::Length,
            ANGLE => Quantity::Angle,
            VELOCITY => Quantity::Velocity,
            TIME => Quantity::Time,
            MASS => Quantity::Mass,
            TEMPERATURE => Quantity::Temperature,
            REDUCED => Quantity::Reduced,
            _ => Quantity::Other,
        }
    }

    /// Whether it is 15 degrees, which right ascensions alone are stated in.
    pub fn is_hour_angle(&self) -> bool {
        self.powers == ANGLE && self.mantissa == 15.0
    }

    /// Whether numbers in it are numbers without a unit.
    pub fn is_one(&self) -> bool {
        self.powers == NUMBER && self.h == 0 && self.mantissa == 1.0 && self.exponent == 0
    }

    /// Whether lengths in both are converted without being asked to: kpc and Mpc, nm and Angstrom, but not nm and Mpc, nor Mpc and Mpc/h.
    pub fn is_akin_to(&self, other: &Self) -> bool {
        (self.powers, self.h, self.family) == (other.powers, other.h, other.family)
    }

    /// Whether both measure the same, one in units of 1/h.
    pub fn differs_by_h(&self, other: &Self) -> bool {
        self.powers == other.powers && self.h != other.h
    }

    /// The unit times itself so often, or one over it: 3 of volumes, -1 of wave numbers.
    ///
    /// ```
    /// use albireo_samples::Unit;
    /// let unit = |text: &str| text.parse::<Unit>();
    /// assert_eq!(unit("kpc3")?.factor_to(&unit("Mpc")?.power(3), None), Ok(1e-9));
    /// assert_eq!(unit("1/nm")?.factor_to(&unit("Angstrom")?.power(-1), None), Ok(0.1));
    /// # Ok::<(), albireo_samples::ParseUnitError>(())
    /// ```
    #[must_use]
    pub fn power(&self, n: i8) -> Self {
        Self {
            mantissa: self.mantissa.powi(i32::from(n)),
            exponent: self.exponent * i32::from(n),
            powers: self.powers.map(|power| power * n),
            h: self.h * n,
            family: self.family,
        }
    }

    /// What numbers in this unit are multiplied by to be numbers in another, `h` being the Hubble constant over 100 km/s/Mpc where it is known.
    ///
    /// # Errors
    /// [`UnitError::Different`] of quantities, [`UnitError::NeedsH`] where one alone is in units of 1/h and h is not known.
    pub fn factor_to(&self, to: &Self, h: Option<f64>) -> Result<f64, UnitError> {
        if self.powers != to.powers {
            return Err(UnitError::Different(self.quantity(), to.quantity()));
        }
        let ratio = self.mantissa / to.mantissa;
        // Powers of ten up to 22 are exact: then kpc to Mpc is the float64 nearest to 0.001.
        let exponent = self.exponent - to.exponent;
        let power = 10_f64.powi(exponent.abs());
        let factor = if exponent < 0 {
            ratio / power
        } else {
            ratio * power
        };
        match self.h - to.h {
            0 => Ok(factor),
            more => {
                let h = h.ok_or(UnitError::NeedsH)?;
                let scale = h.powi(i32::from(more).abs());
                Ok(if more > 0 {
                    factor * scale
                } else {
                    factor / scale
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(text: &str) -> Unit {
        text.parse().unwrap()
    }

    #[test]
    fn units_of_one_meaning_are_one() {
        let same = [
            &[
                "km s-1",
                "km/s",
                "km.s**-1",
                "KM / S",
                "km s^-1",
                "km*s^{-1}",
            ][..],
            &[
                "Mpc/h",
                "Mpc / littleh",
                "h-1 Mpc",
                "h^-1 Mpc",
                "h^{-1}Mpc",
                "littleh-1 Mpc",
                "1/h Mpc",
                "cMpc/h",
                "Mpc h^-1",
                "Mpc.h-1",
                "[Mpc/h]",
                "h-1Mpc",
                "Mpc/(h)",
            ],
            &[
                "Angstrom",
                "Å",
                "\u{212b}",
                "A",
                "angstroms",
                "0.1 nm",
                "1e-10 m",
                "Ang",
            ],
            &["deg", "degree", "Degrees", "°"],
            &["hourangle", "hour angle"],
            &["nm", "nanometer", "nanometre", "10 Angstrom"],
            &["kpc", "10**3 pc", "1e3 pc", "ckpc"],
            &["Bohr", "bohrradius", "a0"],
            &["arcsec", "arcseconds", "arc sec"],
            &["", "1", "redshift", "dimensionless", " "],
            &["mag", "magnitudes", "mag(AB)", "ABmag"],
            &["dex"],
            &["dB"],
            &["pixel", "pix", "Pixels"],
        ];
        for texts in same {
            for text in texts {
                assert_eq!(unit(text), unit(texts[0]), "{text}");
            }
        }
        for (k, texts) in same.iter().enumerate() {
            for other in &same[k + 1..] {
                assert_ne!(unit(texts[0]), unit(other[0]));
            }
        }
    }

    #[test]
    fn usual_names_are_written() {
        let names = [
            ("megaparsec", "Mpc"),
            ("h^-1 kpc", "kpc/h"),
            ("0.1 nm", "Angstrom"),
            ("km s**-1", "km/s"),
            ("degrees", "deg"),
            ("radians", "rad"),
            ("sigma", "sigma"),
            ("1", "1"),
            ("magnitude", "mag"),
            ("pix", "pixel"),
            ("3 Mpc", "3 Mpc"),
            ("10 kpc/h", "10 kpc/h"),
        ];
        for (text, name) in names {
            assert_eq!(unit(text).to_string(), name, "{text}");
            assert_eq!(unit(name), unit(text), "{text}");
        }
    }

    #[test]
    fn factors_are_rounded_once() {
        let factor = |from: &str, to: &str| unit(from).factor_to(&unit(to), None).unwrap();
        assert_eq!(factor("kpc", "Mpc"), 0.001);
        assert_eq!(factor("Mpc", "kpc"), 1000.0);
        assert_eq!(factor("Angstrom", "nm"), 0.1);
        assert_eq!(factor("nm", "Angstrom"), 10.0);
        assert_eq!(factor("Bohr", "Angstrom"), 0.529_177_210_903);
        assert_eq!(factor("hourangle", "deg"), 15.0);
        assert_eq!(factor("arcmin", "deg"), 1.0 / 60.0);
        assert_eq!(factor("mas", "deg"), 1.0 / 3_600_000.0);
        assert_eq!(factor("pm", "nm"), 0.001);
        let h = |from: &str, to: &str| unit(from).factor_to(&unit(to), Some(0.5));
        assert_eq!(h("Mpc", "Mpc/h"), Ok(0.5));
        assert_eq!(h("Mpc/h", "Mpc"), Ok(2.0));
        let unknown = unit("Mpc").factor_to(&unit("Mpc/h"), None);
        assert_eq!(unknown, Err(UnitError::NeedsH));
    }

    #[test]
    fn what_is_no_unit_is_refused() {
        for text in [
            "furlong",
            "Mpc/q",
            "h:m:s",
            "km//s",
            "Mpc^",
            "km/(s Mpc)",
            "/",
            "hms",
        ] {
            assert!(text.parse::<Unit>().is_err(), "{text}");
        }
    }

    #[test]
    fn families_are_told_apart() {
        assert!(unit("kpc").is_akin_to(&unit("Gpc")));
        assert!(unit("nm").is_akin_to(&unit("Bohr")));
        assert!(!unit("nm").is_akin_to(&unit("Mpc")));
        assert!(!unit("Mpc").is_akin_to(&unit("Mpc/h")));
        assert!(unit("Mpc").differs_by_h(&unit("kpc/h")));
        assert_eq!(unit("km/h").quantity(), Quantity::Velocity);
        assert_eq!(unit("h").quantity(), Quantity::Time);
        for text in ["mag", "dex", "pixel", "mag/arcsec2", "arcsec/pixel"] {
            assert_eq!(unit(text).quantity(), Quantity::Other, "{text}");
        }
    }
}
