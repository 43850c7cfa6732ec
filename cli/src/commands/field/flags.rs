//! The flags of `albireo field`, and the term and the unit that they name.

use std::path::{Path, PathBuf};

use albireo::field::{Cutoff, Term};
use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::args::{DataFlags, FormatName, OutputFlags, SpaceFlags};
use crate::catalogs::Files;
use crate::usage::usage;

/// Arguments of `field`.
#[derive(Debug, Args)]
pub(crate) struct Field {
    /// The sources: a catalogue whose --weight is the charge or mass, a PQR file, or with --topology the first frame of a trajectory or PDB
    pub(super) file: PathBuf,
    /// Charges from a topology (PSF) for the positions of FILE
    #[arg(long, value_name = "PSF")]
    pub(super) topology: Option<PathBuf>,
    #[command(flatten)]
    pub(super) kernel: KernelFlags,
    #[command(flatten)]
    pub(super) grid: GridFlags,
    /// Values at the positions of a catalogue (columns x, y, z) instead of on a grid, as a table
    #[arg(long, value_name = "FILE", conflicts_with_all = ["spacing", "origin", "size", "grid_of", "padding"])]
    pub(super) at: Option<Files>,
    #[command(flatten)]
    pub(super) columns: DataFlags,
    #[command(flatten)]
    pub(super) space: SpaceFlags,
    /// Who sums
    #[arg(
        long,
        default_value = "cpu",
        help_heading = "Running (never changes a value)"
    )]
    pub(super) engine: EngineName,
    /// Number of threads of the cpu engine, at most four for each core [default: all cores]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Running (never changes a value)"
    )]
    pub(super) threads: Option<std::num::NonZeroUsize>,
    /// Instruction set of the cpu engine, e.g. portable, avx2, avx512, neon [default: the widest here]
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Running (never changes a value)"
    )]
    pub(super) isa: Option<String>,
    /// Write the map, by extension: .dx .cube (lengths taken as Angstrom) .npy (with FILE.npy.json beside it, which says where it lies);
    /// values --at points: .csv .ecsv .fits .json .parquet, or `-`
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: PathBuf,
    /// Format of `-o -` [default: csv]
    #[arg(long, help_heading = "Output", requires = "at")]
    pub(super) format: Option<FormatName>,
}

/// What a source adds.
#[derive(Debug, Args)]
#[command(next_help_heading = "Kernel")]
pub(super) struct KernelFlags {
    /// What a source adds at the distance r
    #[arg(long, value_name = "NAME", default_value = "coulomb")]
    kernel: KernelName,
    /// Where coulomb and gravity end, in the unit of the positions, e.g. 12; `none` sums over all sources, in open space
    #[arg(long, value_name = "RC", value_parser = cutoff)]
    cutoff: Option<Ends>,
    /// How they end
    #[arg(long, value_name = "NAME", default_value = "smooth")]
    ending: EndingName,
    /// The radius of top-hat and spline
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    radius: Option<f64>,
    /// Below this distance coulomb and gravity keep the value that they have there; such pairs are reported [default: 0.1]
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    r_min: Option<f64>,
    /// Unit of a coulomb potential, lengths being Angstrom and charges elementary: e/A is q/r itself
    #[arg(long, value_name = "UNIT")]
    units: Option<UnitName>,
    /// Temperature of kT, in kelvin [default: 300]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    temperature: Option<f64>,
}

/// Where the values are.
#[derive(Debug, Args)]
#[command(next_help_heading = "Grid (default: round the sources, or the periodic box)")]
pub(super) struct GridFlags {
    /// Distance of the points, or along each axis, e.g. 0.5 or 0.5,0.5,1; of a periodic box as near to it as fits
    #[arg(
        long,
        value_name = "H",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub(super) spacing: Vec<f64>,
    /// Space round the sources, on open axes [default: 0]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub(super) padding: Option<f64>,
    /// The first point
    #[arg(
        long,
        value_name = "X,Y,Z",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "size"
    )]
    pub(super) origin: Vec<f64>,
    /// Number of points along each axis
    #[arg(
        long,
        value_name = "NX,NY,NZ",
        value_delimiter = ',',
        requires = "origin"
    )]
    pub(super) size: Vec<usize>,
    /// The grid of an `OpenDX` file
    #[arg(long, value_name = "FILE.dx", conflicts_with_all = ["spacing", "origin", "size", "padding"])]
    pub(super) grid_of: Option<PathBuf>,
}

/// Kernels, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum KernelName {
    /// The potential q s(r)/r of charges.
    Coulomb,
    /// The potential -m s(r)/r of masses, G = 1.
    Gravity,
    /// The mean density in spheres of --radius.
    TopHat,
    /// The density by the cubic spline of SPH that ends at --radius.
    Spline,
}

/// How potentials end, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EndingName {
    /// s(r) = (1 - r^2/rc^2)^2.
    Smooth,
    /// s(r) = 1 below the cutoff.
    Sharp,
}

/// Units of a potential, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnitName {
    /// Elementary charges over Angstrom.
    #[value(name = "e/A")]
    ChargePerLength,
    /// kT over the elementary charge.
    #[value(name = "kT/e")]
    Thermal,
    /// Volts.
    #[value(name = "V")]
    Volt,
    /// kcal/mol over the elementary charge.
    #[value(name = "kcal/mol/e")]
    Kilocalorie,
}

/// Engines, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineName {
    /// All cores, vector instructions, cells of sources.
    Cpu,
    /// The plain double loop: slow, the reference.
    Naive,
}

/// Where potentials end.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ends {
    Never,
    At(f64),
}

fn cutoff(text: &str) -> Result<Ends, String> {
    if text == "none" {
        return Ok(Ends::Never);
    }
    let expected = || format!("expected a positive length or `none`, found `{text}`");
    let length = text
        .parse()
        .ok()
        .filter(|length: &f64| *length > 0.0 && length.is_finite());
    length.map(Ends::At).ok_or_else(expected)
}

/// Coulomb's constant in volts times Angstrom over the elementary charge (CODATA 2018).
const VOLTS: f64 = 14.399_645_48;
/// The same in kcal times Angstrom over mol and the elementary charge squared.
const KILOCALORIES: f64 = 332.063_71;
/// Boltzmann's constant in electronvolts a kelvin (CODATA 2018).
const BOLTZMANN: f64 = 8.617_333_262e-5;
/// The default temperature, kelvin.
const TEMPERATURE: f64 = 300.0;
/// The default least distance.
const R_MIN: f64 = 0.1;

/// What values are multiplied by on output, and the name of what they are then.
pub(super) struct Unit {
    pub(super) name: String,
    pub(super) factor: f64,
}

impl Field {
    /// The files that are read.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Path> {
        let named = [
            Some(&self.file),
            self.topology.as_ref(),
            self.grid.grid_of.as_ref(),
        ];
        let named = named.into_iter().flatten().map(PathBuf::as_path);
        named.chain(self.at.iter().flat_map(Files::iter))
    }

    /// Whether sources need charges.
    pub(super) fn needs_charges(&self) -> bool {
        self.kernel.kernel == KernelName::Coulomb
    }

    /// The term.
    pub(super) fn term(&self) -> Result<Term> {
        let flags = &self.kernel;
        let potential = matches!(flags.kernel, KernelName::Coulomb | KernelName::Gravity);
        if potential {
            if flags.radius.is_some() {
                return Err(usage(
                    "--radius is for top-hat and spline: potentials end at --cutoff",
                ));
            }
            let r_min = flags.r_min.unwrap_or(R_MIN);
            let ends = flags.cutoff.ok_or_else(|| {
                usage("--cutoff: coulomb and gravity need one, e.g. 12, or `none` for all sources")
            })?;
            let cutoff = match (ends, flags.ending) {
                (Ends::Never, _) => Cutoff::None,
                (Ends::At(rc), EndingName::Smooth) => Cutoff::Smooth(rc),
                (Ends::At(rc), EndingName::Sharp) => Cutoff::Sharp(rc),
            };
            return Term::coulomb(cutoff, r_min)
                .map_err(|error| usage(format!("--cutoff, --r-min: {error}")));
        }
        if flags.cutoff.is_some() || flags.r_min.is_some() {
            return Err(usage(
                "--cutoff and --r-min are for potentials: densities end at --radius",
            ));
        }
        let radius = flags
            .radius
            .ok_or_else(|| usage("--radius: top-hat and spline need one"))?;
        let term = match flags.kernel {
            KernelName::Spline => Term::spline(radius),
            _ => Term::top_hat(radius),
        };
        term.map_err(|error| usage(format!("--radius: {error}")))
    }

    /// The unit of the values.
    pub(super) fn unit(&self, length: Option<&str>) -> Result<Unit> {
        let flags = &self.kernel;
        let length = length.unwrap_or("length");
        let named = |name: String, factor| Unit { name, factor };
        if flags.kernel != KernelName::Coulomb
            && (flags.units.is_some() || flags.temperature.is_some())
        {
            return Err(usage(
                "--units and --temperature are for coulomb potentials",
            ));
        }
        if flags.temperature.is_some() && flags.units != Some(UnitName::Thermal) {
            return Err(usage("--temperature is for --units kT/e"));
        }
        Ok(match flags.kernel {
            KernelName::Gravity => named(format!("G*mass/{length}"), -1.0),
            KernelName::TopHat | KernelName::Spline => named(format!("weight/{length}^3"), 1.0),
            KernelName::Coulomb => match flags.units.unwrap_or(UnitName::ChargePerLength) {
                UnitName::ChargePerLength => named("e/A".to_owned(), 1.0),
                UnitName::Volt => named("V".to_owned(), VOLTS),
                UnitName::Kilocalorie => named("kcal/mol/e".to_owned(), KILOCALORIES),
                UnitName::Thermal => {
                    let t = flags.temperature.unwrap_or(TEMPERATURE);
                    if !(t > 0.0 && t.is_finite()) {
                        return Err(usage(format!("--temperature must be positive, found {t}")));
                    }
                    named(format!("kT/e at {t} K"), VOLTS / (BOLTZMANN * t))
                }
            },
        })
    }

    /// The flags of tables.
    pub(super) fn output_flags(&self) -> OutputFlags {
        OutputFlags::table(&self.output, self.format)
    }
}
