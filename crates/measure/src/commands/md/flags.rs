//! The flags of `albireo md`, and the thermostat and engine that they name.

use std::path::Path;

use albireo_dynamics::{ForceEngine, Precision, Thermostat};
use anyhow::Result;
use clap::{Args, ValueEnum};

use super::fluid::FluidFlags;
use crate::args::{FormatName, OutputFlags};
use crate::edges::EdgeSpec;
use serde::Serialize;
use serde_json::{Value, json};

use crate::every::SavedAt;
use crate::group;
use crate::paths::{ReadFile, WrittenFile};
use crate::usage::usage;

/// Arguments of `md`.
#[derive(Debug, Args)]
pub(crate) struct Md {
    /// Positions to start from: the last frame of a trajectory (XYZ, GRO, LAMMPS, ..)
    ///
    /// With its box, species, and velocities where it has vx, vy and vz. Without it a face-centred cubic lattice of --atoms at --density.
    pub(super) start: Option<ReadFile>,
    #[command(flatten)]
    pub(super) fluid: FluidFlags,
    #[command(flatten)]
    pub(super) steps: StepFlags,
    #[command(flatten)]
    pub(super) written: WrittenFlags,
    #[command(flatten)]
    pub(super) run: EngineFlags,
}

/// The steps.
#[derive(Debug, Args)]
#[command(next_help_heading = group::STEPS)]
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
    /// Precision of the forces: float64, or float32, which is faster
    ///
    /// Each gives the same bits with any engine, threads and instructions.
    #[arg(long, value_name = "NAME", default_value = "double", help_heading = group::RUNNING)]
    precision: PrecisionName,
    /// Thermostat
    #[arg(long, value_name = "NAME", default_value = "none")]
    thermostat: ThermostatName,
    /// Friction of langevin, an inverse time [default: 1]
    #[arg(long, value_name = "GAMMA", allow_hyphen_values = true)]
    friction: Option<f64>,
    /// Steps between rescalings of the velocities [default: 10]
    #[arg(long, value_name = "N")]
    rescale_every: Option<u64>,
    /// Run the same steps back with negated momenta, and fail unless the start is reached to the last bit
    #[arg(long, conflicts_with = "checkpoint")]
    pub(super) and_back: bool,
}

/// What is written.
#[derive(Debug, Args)]
#[command(next_help_heading = group::OUTPUT)]
pub(super) struct WrittenFlags {
    /// Write energies, temperature, pressure and momentum, by extension; `-` prints them
    ///
    /// .csv .ecsv .fits .h5 .json .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: WrittenFile,
    /// Format of `-o -` [default: csv]
    #[arg(long)]
    pub(super) format: Option<FormatName>,
    /// Steps between rows of the output
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) every: u64,
    /// Write frames that `albireo rdf` reads: .xyz .extxyz, .h5 .h5md .hdf5
    ///
    /// Extended XYZ, or H5MD 1.1 in float64.
    #[arg(long, value_name = "FILE")]
    pub(super) trajectory: Option<WrittenFile>,
    /// Steps between frames
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) trajectory_every: u64,
    /// Write velocities with the positions
    #[arg(long, requires = "trajectory")]
    pub(super) velocities: bool,
    /// Write forces with the positions, for g(r) from forces
    #[arg(long, requires = "trajectory")]
    pub(super) forces: bool,
    /// Author that H5MD files name [default: unknown]
    #[arg(long, value_name = "NAME", requires = "trajectory")]
    pub(super) author: Option<String>,
    /// Write g(r) of all atoms, computed during the run
    #[arg(long, value_name = "FILE")]
    pub(super) rdf: Option<WrittenFile>,
    /// Bins of g(r): lin:LO:HI:N, log:LO:HI:N, edges:A,B,.. [default: 100 to half the box or 5]
    #[arg(long, value_name = "SPEC", requires = "rdf")]
    pub(super) rdf_bins: Option<EdgeSpec>,
    /// Steps between counts of g(r)
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) rdf_every: u64,
    #[command(flatten)]
    pub(super) saved: SavedAt,
}

impl WrittenFlags {
    /// Whether frames are written as H5MD.
    pub(super) fn h5md(&self) -> bool {
        let path = self.trajectory.as_deref();
        let extension = path.and_then(Path::extension);
        extension.is_some_and(|e| ["h5", "h5md", "hdf5"].iter().any(|known| e == *known))
    }
}

/// Who makes the forces.
#[derive(Debug, Args)]
#[command(next_help_heading = group::RUNNING)]
pub(super) struct EngineFlags {
    /// Compute engine
    #[arg(long, default_value = "cpu")]
    engine: EngineName,
    /// How pairs are found: lists from cells, or every pair, for a few thousand atoms
    #[arg(long, value_name = "NAME", default_value = "cells", help_heading = group::TUNING)]
    traversal: TraversalName,
    /// Length by which lists exceed the cutoff [default: 0.3, at most an eighth of the box]
    ///
    /// No atom may move farther in a step along an axis.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true, help_heading = group::TUNING)]
    pub(super) skin: Option<f64>,
    /// GPU of the cuda engine [default: the first]
    #[cfg(feature = "cuda")]
    #[arg(long = "devices", alias = "device", value_name = "N")]
    device: Option<usize>,
    /// Number of threads of the cpu engine [default: all cores]
    ///
    /// At most four for each core.
    #[arg(long, value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,
    /// Instruction set of the cpu engine, e.g. portable, avx2, avx512, neon [default: the widest here]
    #[arg(long, value_name = "NAME", help_heading = group::TUNING)]
    isa: Option<String>,
}

/// Precisions, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
enum PrecisionName {
    /// Float64 impulses.
    Double,
    /// Float32 impulses; energies are float64's.
    Single,
}

/// Thermostats, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
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

/// The skin where none is given, and the most of it in boxes.
const SKIN: f64 = 0.3;
const SKINS_IN_BOX: f64 = 8.0;

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
            return Err(usage("--devices needs --engine cuda"));
        }
        let cpu = crate::compute::cpu_of(flags.threads, flags.isa.as_deref())?;
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
        let cuda = crate::compute::cuda_of(Some(&[flags.device.unwrap_or(0)]))?;
        Ok(ForceEngine::cuda(&cuda)?)
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

    /// The step of the last frame: H5MD has room for the frames up to here.
    pub(super) fn end(&self) -> u64 {
        let ways = if self.steps.and_back { 2 } else { 1 };
        self.steps.steps.saturating_mul(ways)
    }

    /// What a run is the same by, whoever makes its forces, and however many steps it has where its frames do not tell.
    pub(super) fn settings(&self) -> Vec<(&'static str, Value)> {
        let Self { steps, written, .. } = self;
        let frames = written.trajectory.as_ref();
        let h5md = written.h5md();
        let mut settings = self.fluid.settings();
        settings.extend([
            ("dt", json!(steps.dt)),
            ("precision", json!(steps.precision)),
            ("thermostat", json!(steps.thermostat)),
            ("friction", json!(steps.friction)),
            ("rescale-every", json!(steps.rescale_every)),
            ("every", json!(written.every)),
            (
                "trajectory-every",
                json!(frames.map(|_| written.trajectory_every)),
            ),
            ("velocities", json!(written.velocities)),
            ("forces", json!(written.forces)),
            ("rdf", json!(written.rdf.is_some())),
            ("rdf-bins", json!(written.rdf_bins)),
            ("rdf-every", json!(written.rdf_every)),
            ("steps", json!(h5md.then_some(steps.steps))),
            ("author", json!(written.author.as_deref().filter(|_| h5md))),
        ]);
        settings
    }
}
