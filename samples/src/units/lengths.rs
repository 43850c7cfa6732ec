//! From the unit that lengths are stated in to the one that is wanted: one rule for tables, frames and boxes.
//!
//! Entry: [`length_factor`] where a unit is asked for, [`akin_factor`] where none is.

use super::{Family, Unit};

/// What lengths in one unit are multiplied by to be in another one that is asked for, or why they are not; `h` where it is known.
pub(crate) fn length_factor(from: &str, to: &str, h: Option<f64>) -> Result<f64, String> {
    if from == to {
        return Ok(1.0);
    }
    let read = |text: &str| text.parse::<Unit>().map_err(|error| error.to_string());
    let (from, to) = (read(from)?, read(to)?);
    let families = [from.family, to.family];
    // Nobody has galaxies nanometres apart: one of the two is a mistake.
    if families.contains(&Family::Cosmic) && families.contains(&Family::Molecular) {
        return Err("one is a length between galaxies, the other one between atoms".to_owned());
    }
    from.factor_to(&to, h).map_err(|error| error.to_string())
}

/// What lengths in one unit are multiplied by to be in another of its kind, as kpc and Mpc are, but not Mpc and Mpc/h.
pub(crate) fn akin_factor(from: &str, to: &str) -> Option<f64> {
    if from == to {
        return Some(1.0);
    }
    let (from, to): (Unit, Unit) = (from.parse().ok()?, to.parse().ok()?);
    if from == to {
        return Some(1.0);
    }
    from.is_akin_to(&to)
        .then(|| from.factor_to(&to, None).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_galaxies_are_none_of_atoms() {
        assert_eq!(length_factor("kpc/h", "Mpc/h", None), Ok(0.001));
        assert_eq!(length_factor("Mpc", "Mpc/h", Some(0.5)), Ok(0.5));
        assert_eq!(length_factor("m", "nm", None), Ok(1e9));
        assert_eq!(length_factor("furlong", "furlong", None), Ok(1.0));
        for (from, to) in [("nm", "Mpc"), ("Mpc", "Mpc/h"), ("furlong", "m")] {
            assert!(length_factor(from, to, None).is_err(), "{from} {to}");
        }
        assert_eq!(akin_factor("kpc", "Mpc"), Some(0.001));
        assert_eq!(akin_factor("h-1 Mpc", "Mpc/h"), Some(1.0));
        assert_eq!(akin_factor("Mpc", "Mpc/h"), None);
        assert_eq!(akin_factor("m", "nm"), None);
    }
}
