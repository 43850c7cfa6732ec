//! Ions at the extrema of a potential: what `--ions` asks for, and the file of where they are.
//!
//! Entry: [`IonFlags`]. The library places them.

use albireo_catalogs::{Pqr, write_pqr};
use albireo_fields::{IonDistances, PlacedIon};
use anyhow::{Context, Result};
use clap::Args;

use crate::group;
use crate::paths::WrittenFile;
use crate::usage::usage;

/// Ions to be placed.
#[derive(Debug, Args)]
#[command(next_help_heading = group::IONS)]
pub(super) struct IonFlags {
    /// Ions to place on the grid, e.g. Na+:30,Cl-:30 or Mg2+:4 or SO4=-2:4
    ///
    /// Names with their charge, and how many. One after the other, each where the potential with those before is most favourable; the map then
    /// holds their potential.
    #[arg(
        long,
        value_name = "NAME:N,..",
        value_delimiter = ',',
        requires = "ions_output",
        conflicts_with_all = ["at", "resumable", "checkpoint"]
    )]
    pub(super) ions: Vec<String>,
    /// Smallest distance of ions from sources [default: 6.5]
    #[arg(long, value_name = "R", requires = "ions", allow_hyphen_values = true)]
    ion_source: Option<f64>,
    /// Smallest distance of ions from each other [default: 11]
    #[arg(long, value_name = "R", requires = "ions", allow_hyphen_values = true)]
    ion_ion: Option<f64>,
    /// Write the positions of the ions, as PQR
    #[arg(long, value_name = "FILE.pqr", requires = "ions")]
    pub(super) ions_output: Option<WrittenFile>,
}

/// The defaults of cionize (VMD), Angstrom.
const ION_SOURCE: f64 = 6.5;
const ION_ION: f64 = 11.0;

/// The most ions.
const MOST: usize = 1_000_000;

/// The charge that a name ends with: a sign, after how many.
fn charge_of(name: &str) -> Option<f64> {
    let sign = match name.chars().last()? {
        '+' => 1.0,
        '-' => -1.0,
        _ => return None,
    };
    let before = &name[..name.len() - 1];
    let digits = before.trim_start_matches(|c: char| !c.is_ascii_digit());
    let size = if digits.is_empty() {
        1.0
    } else {
        digits.parse().ok()?
    };
    Some(sign * size)
}

/// The name, the charge and the number of a kind of ions, as given.
fn kind(text: &str) -> Option<(String, f64, usize)> {
    let (name, number) = text.rsplit_once(':')?;
    let number: usize = number.parse().ok().filter(|n| *n > 0)?;
    let (name, charge) = if let Some((name, charge)) = name.split_once('=') {
        (name, charge.parse::<f64>().ok()?)
    } else {
        (name, charge_of(name)?)
    };
    let plain = !name.is_empty() && !name.contains(char::is_whitespace);
    let good = plain && charge.is_finite() && charge != 0.0;
    good.then(|| (name.to_owned(), charge, number))
}

impl IonFlags {
    /// The names and charges of all ions, in order.
    pub(super) fn wanted(&self) -> Result<(Vec<String>, Vec<f64>)> {
        let (mut names, mut charges) = (Vec::new(), Vec::new());
        for text in &self.ions {
            let told = || {
                usage(format!(
                    "--ions: expected a name with a charge and how many, e.g. Na+:30, found `{text}`"
                ))
            };
            let (name, charge, number) = kind(text).ok_or_else(told)?;
            if number > MOST - charges.len() {
                return Err(usage(format!("--ions: at most {MOST} ions")));
            }
            names.extend(std::iter::repeat_n(name, number));
            charges.extend(std::iter::repeat_n(charge, number));
        }
        Ok((names, charges))
    }

    /// The distances that they keep.
    pub(super) fn distances(&self) -> Result<IonDistances> {
        let distances = IonDistances {
            to_sources: self.ion_source.unwrap_or(ION_SOURCE),
            to_ions: self.ion_ion.unwrap_or(ION_ION),
        };
        for (flag, r) in [
            ("--ion-source", distances.to_sources),
            ("--ion-ion", distances.to_ions),
        ] {
            if !(r >= 0.0 && r.is_finite()) {
                return Err(usage(format!("{flag} must not be negative, found {r}")));
            }
        }
        Ok(distances)
    }

    /// Writes where the ions are.
    pub(super) fn write(&self, names: &[String], ions: &[PlacedIon]) -> Result<()> {
        let Some(path) = &self.ions_output else {
            return Ok(());
        };
        let atoms = Pqr {
            positions: [0, 1, 2].map(|k| ions.iter().map(|ion| ion.position[k]).collect()),
            charges: ions.iter().map(|ion| ion.charge).collect(),
            radii: vec![0.0; ions.len()],
        };
        write_pqr(path, names, &atoms)
            .with_context(|| format!("cannot write {}", path.display()))?;
        tracing::info!("ions written to {}", path.display());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_stand_in_names() {
        for (text, charge) in [
            ("Na+:30", 1.0),
            ("Cl-:1", -1.0),
            ("Mg2+:4", 2.0),
            ("SO4=-2:4", -2.0),
        ] {
            assert_eq!(kind(text).map(|kind| kind.1), Some(charge), "{text}");
        }
        for bad in [
            "Na:3", "Na+", "Na+:0", "Na+:x", "+:1x", "X=0:1", "A B+:1", ":1", "",
        ] {
            assert_eq!(kind(bad), None, "{bad}");
        }
    }
}
