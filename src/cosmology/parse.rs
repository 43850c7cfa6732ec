//! Cosmologies as text: a name, or `key=value` pairs.

use std::fmt;
use std::str::FromStr;

use super::{Cosmology, NAMED};
use crate::error::CosmologyError;

const KEYS: [&str; 6] = ["om", "ol", "ok", "w0", "wa", "h"];

fn syntax(found: &str) -> CosmologyError {
    let names: Vec<_> = NAMED.iter().map(|named| named.name).collect();
    CosmologyError::Syntax {
        found: found.to_owned(),
        names: names.join(", "),
    }
}

/// The values of the keys, in the order of [`KEYS`].
fn read_pairs(text: &str) -> Result<[Option<f64>; 6], CosmologyError> {
    let mut values = [None; 6];
    for pair in text.split(',') {
        let (key, value) = pair.split_once('=').ok_or_else(|| syntax(pair.trim()))?;
        let key = key.trim();
        let index = KEYS.iter().position(|known| *known == key.to_lowercase());
        let index = index.ok_or_else(|| CosmologyError::UnknownKey(key.to_owned()))?;
        let value = value.trim();
        let number: f64 = value.parse().map_err(|_| CosmologyError::NotANumber {
            key: KEYS[index],
            found: value.to_owned(),
        })?;
        if values[index].replace(number).is_some() {
            return Err(CosmologyError::Conflict(format!(
                "{} is given twice",
                KEYS[index]
            )));
        }
    }
    Ok(values)
}

impl FromStr for Cosmology {
    type Err = CosmologyError;

    /// Reads a name of [`NAMED`] in any case of letters, or `om=0.3,ol=0.7,w0=-1,wa=0,h=0.7`.
    ///
    /// `om` is needed. `ol` or `ok` gives the curvature; without both the universe is flat. `w0` is -1 and `wa` is 0 unless given.
    fn from_str(text: &str) -> Result<Self, CosmologyError> {
        let text = text.trim();
        if !text.contains('=') {
            let named = NAMED
                .iter()
                .find(|named| named.name.eq_ignore_ascii_case(text));
            return named
                .map(super::Named::cosmology)
                .ok_or_else(|| syntax(text));
        }
        let [om, ol, ok, w0, wa, h] = read_pairs(text)?;
        let om = om.ok_or(CosmologyError::Missing("om"))?;
        let ol = match (ol, ok) {
            (Some(_), Some(_)) => {
                let conflict = "give ol or ok, not both: om + ol + ok = 1";
                return Err(CosmologyError::Conflict(conflict.to_owned()));
            }
            (Some(ol), None) => ol,
            (None, Some(ok)) => (1.0 - om) - ok,
            (None, None) => 1.0 - om,
        };
        let cosmology =
            Self::new(om, ol)?.with_dark_energy(w0.unwrap_or(-1.0), wa.unwrap_or(0.0))?;
        match h {
            Some(h) => cosmology.with_h(h),
            None => Ok(cosmology),
        }
    }
}

/// `om=...,ol=...,w0=...,wa=...[,h=...]`, which reads back as the same bits.
impl fmt::Display for Cosmology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (w0, wa) = self.dark_energy();
        write!(
            f,
            "om={},ol={},w0={w0},wa={wa}",
            self.omega_m(),
            self.omega_lambda()
        )?;
        match self.h() {
            Some(h) => write!(f, ",h={h}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Cosmology, CosmologyError> {
        text.parse()
    }

    fn refusal(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn names_and_pairs() {
        assert_eq!(read("planck18").unwrap().omega_m(), 0.30966);
        assert_eq!(read(" Planck15 ").unwrap().h(), Some(0.6774));
        assert_eq!(read("om=0.3").unwrap(), Cosmology::flat(0.3).unwrap());
        let full = read("OM=0.3, ol=0.6, w0=-0.9, wa=0.1, h=0.7").unwrap();
        let made = Cosmology::new(0.3, 0.6).unwrap();
        let made = made.with_dark_energy(-0.9, 0.1).unwrap().with_h(0.7);
        assert_eq!(full, made.unwrap());
        assert!((read("om=0.3,ok=0.1").unwrap().omega_k() - 0.1).abs() < 1e-15);
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in [
            "Planck18",
            "om=0.1,ok=0.7",
            "om=0.3,ol=0.65,w0=-0.123456789,wa=0.3,h=0.7",
        ] {
            let cosmology = read(text).unwrap();
            assert_eq!(read(&cosmology.to_string()).unwrap(), cosmology);
        }
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        assert_eq!(
            refusal("planck"),
            "a cosmology is a name (Planck18, Planck15, Planck13, WMAP9, WMAP7, WMAP5) or key=value,... with the keys om, ol, ok, w0, wa, h: found 'planck'"
        );
        assert_eq!(
            refusal("om=0.3,H0=70"),
            "unknown cosmology key 'H0': expected om, ol, ok, w0, wa or h"
        );
        assert_eq!(
            refusal("om=x"),
            "cosmology key om needs a number, found 'x'"
        );
        assert_eq!(refusal("ol=0.7"), "a cosmology needs om");
        assert!(refusal("om=0.3,om=0.3").contains("twice"));
        assert!(refusal("om=0.3,ol=0.7,ok=0").contains("not both"));
        assert!(refusal("om=0.3,flat").contains("flat"));
        assert!(read("om=nan").is_err());
        assert!(read("").is_err());
    }
}
