//! What each species scatters: lengths that are given, those of neutrons, or form factors for X-rays.
//!
//! Entry: [`Given`] as the command line spells it, [`Scatterers`] of the species at hand.

use std::f64::consts::PI;
use std::str::FromStr;

use albireo::estimators::fluid::{Gaussians, neutron_scattering_length};
use anyhow::Result;

use crate::usage::usage;

/// One word of --scattering.
#[derive(Debug, Clone)]
pub(super) enum Given {
    /// Those of neutrons, of all species.
    Neutron,
    /// Form factors of free atoms and ions, of all species.
    XRay,
    /// The length of one species.
    Of(String, f64),
}

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "neutron" => return Ok(Self::Neutron),
            "x-ray" => return Ok(Self::XRay),
            _ => {}
        }
        let wrong = || {
            format!(
                "expected SPECIES=LENGTH, such as O=5.803, `neutron` or `x-ray`, found `{text}`"
            )
        };
        let (species, value) = text.rsplit_once('=').ok_or_else(wrong)?;
        let value = value.trim().parse().ok();
        let value = value.filter(|value: &f64| value.is_finite());
        Ok(Self::Of(
            species.trim().to_owned(),
            value.ok_or_else(wrong)?,
        ))
    }
}

/// The largest q, per Angstrom, that form factors hold for (Waasmaier & Kirfel 1995).
const LARGEST: f64 = 24.0 * PI;

/// What each species scatters.
#[derive(Debug, Clone)]
pub(super) enum Scatterers {
    /// The same at every q.
    Lengths(Vec<f64>),
    /// Form factors, and the unit of length in Angstrom.
    Atoms(Vec<Gaussians>, f64),
}

impl Scatterers {
    /// Those that are asked for of the species of these names; none where nothing is.
    pub(super) fn of(
        given: &[Given],
        names: &[String],
        unit: Option<&str>,
    ) -> Result<Option<Self>> {
        Ok(Some(match given {
            [] => return Ok(None),
            [Given::Neutron] => {
                let of = |name: &String| {
                    neutron_scattering_length(name).ok_or_else(|| {
                        usage(format!(
                            "--scattering neutron: `{name}` is no element whose length is known here: give it as {name}=LENGTH"
                        ))
                    })
                };
                Self::Lengths(names.iter().map(of).collect::<Result<_>>()?)
            }
            [Given::XRay] => {
                let of = |name: &String| {
                    Gaussians::of(name).ok_or_else(|| {
                        usage(format!(
                            "--scattering x-ray: `{name}` is no atom or ion whose form factor is known here: give its electrons as {name}=NUMBER"
                        ))
                    })
                };
                let angstroms = match unit {
                    Some("nm") => 10.0,
                    Some("Angstrom" | "angstrom" | "A") => 1.0,
                    other => {
                        return Err(usage(format!(
                            "--scattering x-ray needs to know q in 1/Angstrom: --unit Angstrom or nm, found {}",
                            other.map_or("none stated".to_owned(), |unit| format!("`{unit}`"))
                        )));
                    }
                };
                Self::Atoms(names.iter().map(of).collect::<Result<_>>()?, angstroms)
            }
            given => Self::Lengths(lengths(given, names)?),
        }))
    }

    /// Refuses q that form factors do not hold for.
    pub(super) fn check(&self, largest: f64) -> Result<()> {
        match self {
            Self::Atoms(_, angstroms) if largest / angstroms > LARGEST => Err(usage(format!(
                "--scattering x-ray: form factors are known up to q = 24 pi per Angstrom, found {} of {largest}",
                largest / angstroms
            ))),
            _ => Ok(()),
        }
    }

    /// What a species scatters at q, in the unit of the positions.
    pub(super) fn at(&self, species: usize, q: f64) -> f64 {
        match self {
            Self::Lengths(lengths) => lengths[species],
            Self::Atoms(atoms, angstroms) => atoms[species].at(q / angstroms),
        }
    }

    /// What each species scatters at q = 0.
    pub(super) fn at_zero(&self) -> Vec<f64> {
        let number = match self {
            Self::Lengths(lengths) => lengths.len(),
            Self::Atoms(atoms, _) => atoms.len(),
        };
        (0..number).map(|species| self.at(species, 0.0)).collect()
    }

    /// What they are, for records.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Lengths(_) => "lengths",
            Self::Atoms(..) => "x-ray form factors, Waasmaier & Kirfel (1995)",
        }
    }
}

/// The lengths of all species, each of which is given.
fn lengths(given: &[Given], names: &[String]) -> Result<Vec<f64>> {
    let mut known = Vec::new();
    for one in given {
        let Given::Of(species, value) = one else {
            return Err(usage(
                "--scattering: `neutron` and `x-ray` are of all species, and stand alone",
            ));
        };
        if !names.contains(species) {
            let names = names.join(", ");
            return Err(usage(format!(
                "--scattering: there is no species `{species}`; the species are: {names}"
            )));
        }
        known.push((species, *value));
    }
    let of = |name: &String| {
        let found = known.iter().find(|(species, _)| *species == name);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| usage(format!("--scattering: the length of `{name}` is missing")))
    };
    names.iter().map(of).collect()
}
