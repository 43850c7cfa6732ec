//! The fluid of `albireo md`: flags of its species, and the potential between them.
//!
//! Entry: [`FluidFlags`].

use albireo_dynamics::{LennardJones, PairParameters, Truncation};
use albireo_samples::BoxSpec;
use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::SEED;
use crate::group;
use crate::usage::usage;

/// What is simulated.
#[derive(Debug, Args)]
#[command(next_help_heading = group::FLUID)]
pub(super) struct FluidFlags {
    /// Number of atoms of a face-centred cubic lattice to start from, e.g. 32000
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        conflicts_with = "start",
        requires = "density"
    )]
    pub(super) atoms: Option<usize>,
    /// Number density of the lattice, e.g. 0.8442
    #[arg(
        long,
        value_name = "RHO",
        allow_hyphen_values = true,
        conflicts_with = "start",
        requires = "atoms"
    )]
    pub(super) density: Option<f64>,
    /// Box of the positions of START: L, or Lx,Ly,Lz [default: the file's]
    #[arg(
        long = "box",
        value_name = "BOX",
        allow_hyphen_values = true,
        requires = "start"
    )]
    pub(super) space: Option<BoxSpec>,
    /// How the Lennard-Jones potential ends
    #[arg(long, value_name = "NAME", default_value = "cut")]
    potential: PotentialName,
    /// Distance where the potential ends, in the sigma of each pair [default: 2.5]
    #[arg(long, value_name = "RC", allow_hyphen_values = true)]
    cutoff: Option<f64>,
    /// Species with their masses, e.g. A:1,B:2.5 [default: one species A of mass 1]
    ///
    /// Those of a lattice also with their numbers, which are mixed at random, e.g. A:1:800,B:1:200.
    #[arg(long, value_name = "NAME:MASS[:N],..", value_delimiter = ',')]
    species: Vec<SpeciesSpec>,
    /// Epsilon and sigma of two species, e.g. A-B:1.5,0.8; can be given again [default: 1,1]
    #[arg(long, value_name = "A-B:EPSILON,SIGMA")]
    pair: Vec<PairSpec>,
    /// Temperature of random velocities at the start, and of a thermostat [default: the file's, else 0]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(super) temperature: Option<f64>,
    /// Seed of velocities, species and noise
    #[arg(long, value_name = "SEED", default_value_t = SEED.into())]
    pub(super) seed: u64,
}

/// Potentials, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
enum PotentialName {
    /// V below the cutoff.
    Cut,
    /// V - V(rc).
    Shifted,
    /// V - V(rc) - (r - rc) V'(rc): the force has no jump.
    ForceShifted,
    /// The repulsive part, V + epsilon below 2^(1/6).
    Wca,
}

/// A species: name, mass, number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct SpeciesSpec {
    pub(super) name: String,
    pub(super) mass: f64,
    pub(super) number: Option<usize>,
}

impl std::str::FromStr for SpeciesSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || format!("expected NAME:MASS or NAME:MASS:N, e.g. A:1 or A:1:800, found `{text}`");
        let mut parts = text.split(':');
        let name = parts
            .next()
            .filter(|name| plain(name))
            .ok_or_else(expected)?;
        let mass = parts.next().and_then(|mass| mass.parse().ok());
        let number = parts
            .next()
            .map(str::parse)
            .transpose()
            .map_err(|_| expected())?;
        match parts.next() {
            None => Ok(Self {
                name: name.to_owned(),
                mass: mass.ok_or_else(expected)?,
                number,
            }),
            Some(_) => Err(expected()),
        }
    }
}

/// Whether a species may be called so: a word without the signs that names stand between.
fn plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_+".contains(c))
}

/// Two species with their parameters.
#[derive(Debug, Clone, PartialEq)]
struct PairSpec {
    species: [String; 2],
    parameters: PairParameters,
}

impl std::str::FromStr for PairSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = || {
            let (names, numbers) = text.split_once(':')?;
            let (a, b) = names.split_once('-')?;
            let (epsilon, sigma) = numbers.split_once(',')?;
            Some(Self {
                species: [a, b].map(str::to_owned),
                parameters: PairParameters {
                    epsilon: epsilon.parse().ok()?,
                    sigma: sigma.parse().ok()?,
                },
            })
        };
        parts()
            .ok_or_else(|| format!("expected A-B:EPSILON,SIGMA, e.g. A-B:1.5,0.8, found `{text}`"))
    }
}

/// The cutoff where none is given.
const CUTOFF: f64 = 2.5;

impl FluidFlags {
    /// What fluids are the same by.
    pub(super) fn settings(&self) -> Vec<(&'static str, Value)> {
        let pairs = self.pair.iter().map(|pair| {
            let PairParameters { epsilon, sigma } = pair.parameters;
            json!([pair.species, epsilon, sigma])
        });
        vec![
            ("atoms", json!(self.atoms)),
            ("density", json!(self.density)),
            ("box", json!(self.space)),
            ("potential", json!(self.potential)),
            ("cutoff", json!(self.cutoff)),
            ("species", json!(self.species)),
            ("pair", pairs.collect()),
            ("temperature", json!(self.temperature)),
            ("seed", json!(self.seed)),
        ]
    }

    /// The species: one where none is named.
    pub(super) fn species(&self) -> Vec<SpeciesSpec> {
        if self.species.is_empty() {
            let (name, mass) = ("A".to_owned(), 1.0);
            return vec![SpeciesSpec {
                name,
                mass,
                number: self.atoms,
            }];
        }
        self.species.clone()
    }

    /// The potential.
    pub(super) fn potential(&self) -> Result<LennardJones> {
        let cutoff = self.cutoff.unwrap_or(CUTOFF);
        let truncation = match self.potential {
            PotentialName::Cut => Truncation::Cut(cutoff),
            PotentialName::Shifted => Truncation::Shifted(cutoff),
            PotentialName::ForceShifted => Truncation::ForceShifted(cutoff),
            PotentialName::Wca if self.cutoff.is_some() => {
                return Err(usage("--cutoff: wca ends at 2^(1/6) sigma"));
            }
            PotentialName::Wca => Truncation::Wca,
        };
        let species = self.species();
        for (k, one) in species.iter().enumerate() {
            if species[..k].iter().any(|other| other.name == one.name) {
                return Err(usage(format!("--species: {} is named twice", one.name)));
            }
        }
        let place = |name: &String| {
            let found = species.iter().position(|one| one.name == *name);
            found.ok_or_else(|| {
                let names: Vec<_> = species.iter().map(|one| one.name.as_str()).collect();
                usage(format!(
                    "--pair: there is no species {name}: they are {}",
                    names.join(", ")
                ))
            })
        };
        let unit = PairParameters {
            epsilon: 1.0,
            sigma: 1.0,
        };
        let mut pairs = vec![vec![unit; species.len()]; species.len()];
        for pair in &self.pair {
            let [a, b] = &pair.species;
            let (a, b) = (place(a)?, place(b)?);
            pairs[a][b] = pair.parameters;
            pairs[b][a] = pair.parameters;
        }
        let masses: Vec<f64> = species.iter().map(|one| one.mass).collect();
        LennardJones::mixture(truncation, &masses, &pairs).map_err(|error| usage(error.to_string()))
    }
}
