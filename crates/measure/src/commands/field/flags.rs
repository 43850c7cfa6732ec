//! The flags of `albireo field`.

use clap::{Args, ValueEnum};

#[cfg(feature = "cuda")]
use crate::args::CudaFlags;
use crate::args::{DataFlags, EngineName, FormatName, OutputFlags, RunFlags, SpaceFlags};
use crate::catalogs::Files;
use crate::paths::{ReadFile, WrittenFile};
use crate::shard::PieceFlags;

use super::ions::IonFlags;
use super::kernel::KernelFlags;
use super::saved::SavedMap;

/// Arguments of `field`.
#[derive(Debug, Args)]
pub(crate) struct Field {
    /// The sources: a catalogue whose --weight is the charge or mass, a PQR file, or a frame of any structure or trajectory that `rdf` reads
    pub(super) file: ReadFile,
    /// What a topology (PSF, ..) says of the atoms of FILE, such as their charges
    #[arg(long, value_name = "PSF")]
    pub(super) topology: Option<ReadFile>,
    /// The frame of a trajectory, from 0, a table or H5MD file of frames included [default: the first]
    #[arg(long, value_name = "N")]
    pub(super) frame: Option<u64>,
    #[command(flatten)]
    pub(super) kernel: KernelFlags,
    #[command(flatten)]
    pub(super) grid: GridFlags,
    #[command(flatten)]
    pub(super) ions: IonFlags,
    /// Values at the positions of a catalogue (columns x, y, z) instead of on a grid, as a table
    #[arg(long, value_name = "FILE", conflicts_with_all = ["spacing", "origin", "size", "grid_of", "padding", "checkpoint"])]
    pub(super) at: Option<Files>,
    #[command(flatten)]
    pub(super) columns: DataFlags,
    #[command(flatten)]
    pub(super) space: SpaceFlags,
    /// Who sums
    #[arg(
        long,
        default_value = "auto",
        help_heading = "Running (never changes a value)"
    )]
    pub(super) engine: EngineName,
    /// GPUs to use, by their numbers in `albireo devices`, e.g. 0,1 [default: all]
    #[cfg(feature = "cuda")]
    #[arg(
        long,
        value_name = "N,..",
        value_delimiter = ',',
        help_heading = "Running (never changes a value)"
    )]
    pub(super) devices: Option<Vec<usize>>,
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
    /// Terms in float64 or in float32, which is faster: each is the same bits with any engine, threads and instructions
    #[arg(long, value_name = "NAME", default_value = "double")]
    pub(super) precision: PrecisionName,
    #[command(flatten)]
    pub(super) variant: super::variant::VariantFlags,
    /// Write the map, by extension: .dx .cube (lengths taken as Angstrom) .npy (with FILE.npy.json beside it, which says where it lies) .h5;
    /// values --at points: .csv .ecsv .fits .h5 .json .parquet, or `-`
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: WrittenFile,
    #[command(flatten)]
    pub(super) saved: SavedMap,
    #[cfg(feature = "plot")]
    #[command(flatten)]
    pub(super) slice: super::slice::SliceFlags,
    /// Format of `-o -` [default: csv]
    #[arg(long, help_heading = "Output", requires = "at")]
    pub(super) format: Option<FormatName>,
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
        let engine = match self.engine {
            EngineName::Auto if self.variant.is_given() => EngineName::Cpu,
            engine => engine,
        };
        RunFlags {
            engine,
            threads: self.threads,
            isa: self.isa.clone(),
            #[cfg(feature = "cuda")]
            cuda: CudaFlags {
                devices: self.devices.clone(),
                precision: None,
                kernel: None,
            },
            pieces: PieceFlags::default(),
        }
    }

    /// The flags of tables.
    pub(super) fn output_flags(&self) -> OutputFlags {
        OutputFlags::table(&self.output, self.format)
    }
}
