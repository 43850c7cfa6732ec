//! The flags of `albireo md`, and the potential, thermostat and engine that they name.

use std::path::{Path, PathBuf};

use albireo::dynamics::{
    ForceEngine, LennardJones, PairParameters, Precision, Thermostat, Truncation,
};
use albireo_samples::BoxSpec;
use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::args::{FormatName, OutputFlags};
use crate::edges::EdgeSpec;
use crate::usage::usage;

/// Arguments of `md`.
#[derive(Debug, Args)]
pub(crate) struct Md {
    /// Positions to start from: the last frame of a trajectory (XYZ, GRO, LAMMPS, ..) with its box, species, and velocities where it has vx,
    /// vy and vz; without it a face-centred cubic lattice of --atoms at --density
    pub(super) start: Option<PathBuf>,
    #[command(flatten)]
    pub(super) fluid: FluidFlags,
    #[command(flatten)]
    pub(super) steps: StepFlags,
    #[command(flatten)]
    pub(super) written: WrittenFlags,
    #[command(flatten)]
    pub(super) run: EngineFlags,
}

/// What is simulated.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fluid (lengths in sigma, energies in epsilon, masses in m)")]
pub(super) struct FluidFlags {
    /// Number of atoms of the lattice, e.g. 32000
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        conflicts_with = "start",
        requires = "density"
    )]
    pub(super) atoms: Option<usize>,
    /// Their number density, e.g. 0.8442
    #[arg(
        long,
        value_name = "RHO",
        allow_hyphen_values = true,
        conflicts_with = "start",
        requires = "atoms"
    )]
    pub(super) density: Option<f64>,
    /// Box of the file's positions: L, or Lx,Ly,Lz [default: the file's]
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
    /// Where it ends, in the sigma of each pair [default: 2.5]
    #[arg(long, value_name = "RC", allow_hyphen_values = true)]
    cutoff: Option<f64>,
    /// Species with their masses, e.g. A:1,B:2.5; the lattice's with their numbers too, which are mixed at random, e.g. A:1:800,B:1:200
    /// [default: one species A of mass 1]
    #[arg(long, value_name = "NAME:MASS[:N],..", value_delimiter = ',')]
    species: Vec<SpeciesSpec>,
    /// Epsilon and sigma of two species, e.g. A-B:1.5,0.8, as often as needed [default: 1,1]
    #[arg(long, value_name = "A-B:EPSILON,SIGMA")]
    pair: Vec<PairSpec>,
    /// Temperature of random velocities at the start, and of a thermostat [default: the file's velocities, else 0]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(super) temperature: Option<f64>,
    /// Seed of velocities, species and noise
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(super) seed: u64,
}

/// The steps.
#[derive(Debug, Args)]
#[command(next_help_heading = "Steps")]
pub(super) struct StepFlags {
    /// Number of steps
    #[arg(long, value_name = "N")]
    pub(super) steps: u64,
    /// Time of a step
    #[arg(
        long,
        value_name = "DT",
        default_value_t = 0.005,
        allow_hyphen_values = true
    )]
    pub(super) dt: f64,
    /// Impulses of pairs in float64, or in float32, which is faster: each is the same bits with any engine, threads and instructions
    #[arg(long, value_name = "NAME", default_value = "double")]
    precision: PrecisionName,
    /// What holds the temperature
    #[arg(long, value_name = "NAME", default_value = "none")]
    thermostat: ThermostatName,
    /// Friction of langevin, an inverse time [default: 1]
    #[arg(long, value_name = "GAMMA", allow_hyphen_values = true)]
    friction: Option<f64>,
    /// Steps from one rescaling to the next [default: 10]
    #[arg(long, value_name = "N")]
    rescale_every: Option<u64>,
    /// Go the same steps back with negated momenta, and fail unless every word of the start is back
    #[arg(long, conflicts_with = "checkpoint")]
    pub(super) and_back: bool,
}

/// What is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct WrittenFlags {
    /// Write energies, temperature, pressure and momentum, by extension: .csv .ecsv .fits .h5 .json .parquet; `-` prints them
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// Format of `-o -` [default: csv]
    #[arg(long)]
    pub(super) format: Option<FormatName>,
    /// Steps from one row to the next
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) every: u64,
    /// Write frames as extended XYZ, which `albireo rdf` reads
    #[arg(long, value_name = "FILE.xyz")]
    pub(super) trajectory: Option<PathBuf>,
    /// Steps from one frame to the next
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) trajectory_every: u64,
    /// Write velocities beside the positions
    #[arg(long, requires = "trajectory")]
    pub(super) velocities: bool,
    /// Write g(r) of all atoms, summed while the steps are made
    #[arg(long, value_name = "FILE")]
    pub(super) rdf: Option<PathBuf>,
    /// Bins of g(r): lin:LO:HI:N, log:LO:HI:N, edges:A,B,.. [default: 100 to half the box or 5]
    #[arg(long, value_name = "SPEC", requires = "rdf")]
    pub(super) rdf_bins: Option<EdgeSpec>,
    /// Steps from one count to the next
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) rdf_every: u64,
    /// Save all integers here now and then, and go on from there where the file exists; removed at the end
    #[arg(long, value_name = "FILE")]
    pub(super) checkpoint: Option<PathBuf>,
    /// Steps from one save to the next
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) checkpoint_every: u64,
}

/// Who makes the forces.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running (never changes a bit)")]
pub(super) struct EngineFlags {
    /// Who makes the forces
    #[arg(long, default_value = "cpu")]
    engine: EngineName,
    /// How pairs are found: lists from cells, or every pair, for a few thousand atoms
    #[arg(long, value_name = "NAME", default_value = "cells")]
    traversal: TraversalName,
    /// Lists hold pairs up to this beyond the cutoff; no atom may move farther in a step along an axis [default: 0.3, at most an eighth of the box]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub(super) skin: Option<f64>,
    /// Which GPU of the cuda engine makes the steps [default: the first]
    #[cfg(feature = "cuda")]
    #[arg(long, value_name = "N")]
    device: Option<usize>,
    /// Number of threads of the cpu engine, at most four for each core [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,
    /// Instruction set of the cpu engine, e.g. portable, avx2, avx512, neon [default: the widest here]
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
}

/// Potentials, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
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

/// Precisions, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PrecisionName {
    /// Float64 impulses.
    Double,
    /// Float32 impulses; energies are float64's.
    Single,
}

/// Thermostats, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ThermostatName {
    /// Constant energy.
    None,
    /// Friction and noise.
    Langevin,
    /// Velocities multiplied to the temperature.
    Rescale,
}

/// Engines, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// All cores, vector instructions.
    Cpu,
    /// Lists, forces and steps on an NVIDIA GPU.
    #[cfg(feature = "cuda")]
    Cuda,
    /// The plain double loop: slow, the reference.
    Naive,
}

/// Ways to find pairs, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TraversalName {
    /// Lists of neighbours from cells.
    Cells,
    /// Every pair.
    AllPairs,
}

/// A species: name, mass, number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SpeciesSpec {
    pub(super) name: String,
    mass: f64,
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
/// The skin where none is given, and the most of it in boxes.
const SKIN: f64 = 0.3;
const SKINS_IN_BOX: f64 = 8.0;

impl FluidFlags {
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

impl Md {
    /// What holds the temperature.
    pub(super) fn thermostat(&self) -> Result<Thermostat> {
        let flags = &self.steps;
        if flags.friction.is_some() && flags.thermostat != ThermostatName::Langevin {
            return Err(usage("--friction is for --thermostat langevin"));
        }
        if flags.rescale_every.is_some() && flags.thermostat != ThermostatName::Rescale {
            return Err(usage("--rescale-every is for --thermostat rescale"));
        }
        if flags.thermostat == ThermostatName::None {
            return Ok(Thermostat::None);
        }
        if flags.and_back {
            return Err(usage(
                "--and-back: steps with a thermostat cannot be undone",
            ));
        }
        let none = || usage("--temperature: a thermostat needs one");
        let temperature = self.fluid.temperature.ok_or_else(none)?;
        Ok(match flags.thermostat {
            ThermostatName::Rescale => Thermostat::Rescale {
                temperature,
                every: flags.rescale_every.unwrap_or(10),
            },
            _ => Thermostat::Langevin {
                temperature,
                friction: flags.friction.unwrap_or(1.0),
                seed: self.fluid.seed,
            },
        })
    }

    /// What impulses are made in.
    pub(super) fn precision(&self) -> Precision {
        match self.steps.precision {
            PrecisionName::Double => Precision::Double,
            PrecisionName::Single => Precision::Single,
        }
    }

    /// Who makes the forces.
    pub(super) fn engine(&self) -> Result<ForceEngine> {
        let flags = &self.run;
        if flags.engine == EngineName::Naive {
            if flags.threads.is_some() || flags.isa.is_some() {
                return Err(usage(
                    "--engine naive runs one thread without vector instructions: leave out --threads and --isa",
                ));
            }
            return Ok(ForceEngine::Naive);
        }
        #[cfg(feature = "cuda")]
        if flags.engine == EngineName::Cuda {
            return self.device();
        }
        #[cfg(feature = "cuda")]
        if flags.device.is_some() {
            return Err(usage("--device needs --engine cuda"));
        }
        let cpu = crate::engine::cpu_of(flags.threads, flags.isa.as_deref())?;
        Ok(match flags.traversal {
            TraversalName::Cells => ForceEngine::Cells(cpu),
            TraversalName::AllPairs => ForceEngine::AllPairs(cpu),
        })
    }

    /// The GPU that makes lists, forces and steps.
    #[cfg(feature = "cuda")]
    fn device(&self) -> Result<ForceEngine> {
        let flags = &self.run;
        if flags.threads.is_some() || flags.isa.is_some() {
            return Err(usage(
                "--threads and --isa are for the cpu engine: leave them out with --engine cuda",
            ));
        }
        if flags.traversal == TraversalName::AllPairs {
            return Err(usage(
                "--traversal all-pairs is for the cpu engine: leave it out with --engine cuda",
            ));
        }
        let cuda = crate::engine::cuda_of(Some(&[flags.device.unwrap_or(0)]))?;
        Ok(ForceEngine::cuda(&cuda))
    }

    /// The skin in a box of these lengths.
    pub(super) fn skin(&self, lengths: [f64; 3]) -> f64 {
        let most = |skin: f64, length: f64| skin.min(length / SKINS_IN_BOX);
        let usual = lengths.into_iter().fold(SKIN, most);
        self.run.skin.unwrap_or(usual)
    }

    /// The flags of the table of energies.
    pub(super) fn output_flags(&self) -> OutputFlags {
        OutputFlags {
            brief: self.written.output.as_path() != Path::new("-"),
            ..OutputFlags::table(&self.written.output, self.written.format)
        }
    }

    /// What a run is the same by, whoever makes its forces and however many steps it has.
    pub(super) fn settings(&self) -> String {
        let Self {
            fluid,
            steps,
            written,
            ..
        } = self;
        format!(
            "{fluid:?} {} {:?} {:?} {:?} {:?} {} {:?} {} {} {:?} {}",
            steps.dt,
            steps.precision,
            steps.thermostat,
            steps.friction,
            steps.rescale_every,
            written.every,
            written
                .trajectory
                .as_ref()
                .map(|_| written.trajectory_every),
            written.velocities,
            written.rdf.is_some(),
            written.rdf_bins,
            written.rdf_every,
        )
    }
}
