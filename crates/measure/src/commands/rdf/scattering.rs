//! What each species scatters: lengths that are given, those of neutrons, or form factors for X-rays.
//!
//! Entry: [`Given`] and [`OfSolvent`] as the command line spells them, [`Scatterers`] of the species at hand.

use std::f64::consts::PI;
use std::str::FromStr;

use albireo_fluids::{Gaussians, displacing, neutron_scattering_length};
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
        let (species, value) = of_species(text).ok_or_else(wrong)?;
        Ok(Self::Of(species, value))
    }
}

/// A species and its number.
fn of_species(text: &str) -> Option<(String, f64)> {
    let (species, value) = text.rsplit_once('=')?;
    let value = value.trim().parse().ok();
    let value = value.filter(|value: &f64| value.is_finite())?;
    Some((species.trim().to_owned(), value))
}

/// One word of --solvent.
#[derive(Debug, Clone)]
pub(super) enum OfSolvent {
    /// What a cubic Angstrom of it scatters.
    Density(f64),
    /// The volume of it that a particle of a species displaces, in cubic Angstrom.
    Volume(String, f64),
}

impl FromStr for OfSolvent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((species, volume)) = of_species(text).filter(|(_, volume)| *volume >= 0.0) {
            return Ok(Self::Volume(species, volume));
        }
        let density = text.parse().ok().filter(|value: &f64| value.is_finite());
        density.map(Self::Density).ok_or_else(|| {
            format!(
                "expected what the solvent scatters per cubic Angstrom, such as 0.334, or SPECIES=VOLUME, such as O=9.13, found `{text}`"
            )
        })
    }
}

/// A solvent that particles displace, in the unit of their positions.
#[derive(Debug, Clone)]
pub(super) struct Solvent {
    density: f64,
    volumes: Vec<f64>,
}

impl Solvent {
    /// What is asked for of the species of these names; none where nothing is.
    pub(super) fn of(
        given: &[OfSolvent],
        names: &[String],
        unit: Option<&str>,
    ) -> Result<Option<Self>> {
        if given.is_empty() {
            return Ok(None);
        }
        let densities = given.iter().filter_map(|one| match one {
            OfSolvent::Density(density) => Some(*density),
            OfSolvent::Volume(..) => None,
        });
        let densities: Vec<f64> = densities.collect();
        let [density] = densities[..] else {
            return Err(usage(format!(
                "--solvent: expected one density and the volume of each species, such as 0.334,O=9.13,H=5.15, found {} densities",
                densities.len()
            )));
        };
        let volumes = given.iter().filter_map(|one| match one {
            OfSolvent::Density(_) => None,
            OfSolvent::Volume(species, volume) => Some((species.as_str(), *volume)),
        });
        let volumes = of_all("--solvent: the volume", &volumes.collect::<Vec<_>>(), names)?;
        let cube = angstroms("--solvent", unit)?.powi(3);
        Ok(Some(Self {
            density: density * cube,
            volumes: volumes.iter().map(|volume| volume / cube).collect(),
        }))
    }

    /// For records: the density, and the volumes of the species of these names, in the unit of the positions.
    pub(super) fn record(&self, names: &[String]) -> serde_json::Value {
        let volumes = names.iter().cloned().zip(self.volumes.iter().copied());
        let volumes: std::collections::BTreeMap<String, f64> = volumes.collect();
        serde_json::json!({"density": self.density, "volumes": volumes})
    }
}

/// How many Angstrom the unit of length is long, which `flag` needs to know.
fn angstroms(flag: &str, unit: Option<&str>) -> Result<f64> {
    match unit {
        Some("nm") => Ok(10.0),
        Some("Angstrom" | "angstrom" | "A") => Ok(1.0),
        other => Err(usage(format!(
            "{flag} needs to know lengths in Angstrom: --unit Angstrom or nm, found {}",
            other.map_or("none stated".to_owned(), |unit| format!("`{unit}`"))
        ))),
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
                let unit = angstroms("--scattering x-ray", unit)?;
                Self::Atoms(names.iter().map(of).collect::<Result<_>>()?, unit)
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

    /// The same less what the solvent scatters that a particle displaces, where there is one.
    pub(super) fn in_solvent(&self, solvent: Option<&Solvent>, species: usize, q: f64) -> f64 {
        let bare = |q| self.at(species, q);
        match solvent {
            None => bare(q),
            Some(solvent) => displacing(bare, solvent.volumes[species], solvent.density)(q),
        }
    }

    /// The lengths, where they are the same at every q.
    pub(super) fn lengths(&self) -> Option<&[f64]> {
        match self {
            Self::Lengths(lengths) => Some(lengths),
            Self::Atoms(..) => None,
        }
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
        known.push((species.as_str(), *value));
    }
    of_all("--scattering: the length", &known, names)
}

/// The numbers of all species, each of which is given once; `what` they are, for messages.
fn of_all(what: &str, known: &[(&str, f64)], names: &[String]) -> Result<Vec<f64>> {
    let flag = what.split(':').next().unwrap_or_default();
    for (k, (species, _)) in known.iter().enumerate() {
        if !names.iter().any(|name| name == species) {
            let names = names.join(", ");
            return Err(usage(format!(
                "{flag}: there is no species `{species}`; the species are: {names}"
            )));
        }
        if known[..k].iter().any(|(other, _)| other == species) {
            return Err(usage(format!("{what} of `{species}` is given twice")));
        }
    }
    let of = |name: &String| {
        let found = known.iter().find(|(species, _)| species == name);
        let value = found.map(|(_, value)| *value);
        value.ok_or_else(|| usage(format!("{what} of `{name}` is missing")))
    };
    names.iter().map(of).collect()
}
