//! The flags of `albireo field`.

use clap::builder::StyledStr;
use clap::{Arg, Args, ValueEnum};

use crate::args::{
    ComputeFlags, DataFlags, EngineName, FormatName, OutputFlags, RunFlags, SpaceFlags,
};
use crate::catalogs::Files;
use crate::group;
use crate::paths::{ReadFile, WrittenFile};

use super::ions::IonFlags;
use super::kernel::KernelFlags;
use super::saved::SavedMap;

/// Arguments of `field`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::INPUT)]
pub(crate) struct Field {
    /// Sources: a catalogue, a PQR file, or a frame of any structure or trajectory that `rdf` reads
    ///
    /// The --weight of a catalogue is the charge or mass.
    pub(super) file: ReadFile,
    /// Topology (PSF, ..) with further columns of the atoms of FILE, such as their charges
    #[arg(long, value_name = "PSF")]
    pub(super) topology: Option<ReadFile>,
    /// Frame of a trajectory, counted from 0, also of tables and H5MD files [default: the first]
    #[arg(long, value_name = "N")]
    pub(super) frame: Option<u64>,
    #[command(flatten)]
    pub(super) kernel: KernelFlags,
    #[command(flatten)]
    pub(super) grid: GridFlags,
    #[command(flatten)]
    pub(super) ions: IonFlags,
    /// Compute values at the positions of a catalogue (columns x, y, z) instead of on a grid, as a table
    #[arg(long, value_name = "FILE", conflicts_with_all = ["spacing", "origin", "size", "grid_of", "padding", "checkpoint"], help_heading = group::GRID)]
    pub(super) at: Option<Files>,
    #[command(flatten)]
    pub(super) columns: DataFlags,
    #[command(flatten)]
    pub(super) space: SpaceFlags,
    #[command(flatten)]
    pub(super) compute: ComputeFlags,
    /// Precision of the terms: float64, or float32, which is faster
    ///
    /// Each gives the same bits with any engine, threads and instructions.
    #[arg(long, value_name = "NAME", default_value = "double", help_heading = group::RUNNING)]
    pub(super) precision: PrecisionName,
    #[command(flatten)]
    pub(super) variant: super::variant::VariantFlags,
    /// Write the map here, by extension: .dx .cube .npy .h5; values --at points as tables, or `-`
    ///
    /// Lengths in .cube are assumed to be Angstrom; .npy has FILE.npy.json beside it, which states where the grid lies. Values --at points: .csv
    /// .ecsv .fits .h5 .json .parquet.
    #[arg(short, long, value_name = "FILE", help_heading = group::OUTPUT)]
    pub(super) output: WrittenFile,
    #[command(flatten)]
    pub(super) saved: SavedMap,
    #[cfg(feature = "plot")]
    #[command(flatten)]
    pub(super) slice: super::slice::SliceFlags,
    /// Format of `-o -` [default: csv]
    #[arg(long, help_heading = group::OUTPUT, requires = "at")]
    pub(super) format: Option<FormatName>,
}

/// The help of --box, which has another default here than elsewhere: molecules lie in open space.
pub(crate) fn with_own_default(of_box: Arg) -> Arg {
    let own = |text: Option<&StyledStr>| {
        let text = text.map(ToString::to_string).unwrap_or_default();
        text.replace("the file's, else none", "a catalogue's own, none of frames")
    };
    let (short, long) = (own(of_box.get_help()), own(of_box.get_long_help()));
    of_box.help(short).long_help(long)
}

/// Where the values are.
#[derive(Debug, Args)]
#[command(next_help_heading = group::GRID)]
pub(super) struct GridFlags {
    /// Distance of the grid points, or along each axis, e.g. 0.5 or 0.5,0.5,1
    ///
    /// In a periodic box the nearest distance that fits.
    #[arg(
        long,
        value_name = "H",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub(super) spacing: Vec<f64>,
    /// Space around the sources, on open axes [default: 0]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub(super) padding: Option<f64>,
    /// First grid point
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
    /// Use the grid of an `OpenDX` file
    #[arg(long, value_name = "FILE.dx", conflicts_with_all = ["spacing", "origin", "size", "padding"])]
    pub(super) grid_of: Option<ReadFile>,
}

/// Precisions, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PrecisionName {
    /// Float64 terms.
    Double,
    /// Float32 terms.
    Single,
}

impl Field {
    /// The flags of whoever sums.
    pub(super) fn run_flags(&self) -> RunFlags {
        let engine = match self.compute.engine {
            EngineName::Auto if self.variant.is_given() => EngineName::Cpu,
            engine => engine,
        };
        RunFlags {
            engine,
            ..self.compute.run_flags()
        }
    }

    /// The flags of tables.
    pub(super) fn output_flags(&self) -> OutputFlags {
        OutputFlags::table(&self.output, self.format)
    }
}
