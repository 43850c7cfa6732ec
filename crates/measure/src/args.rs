//! Flags that several subcommands share, each defined once.
//!
//! Entry: [`DataFlags`] and its relatives (which columns of a file), [`SpaceFlags`] (box and line of sight), [`RunFlags`], [`OutputFlags`]. Nothing
//! here opens a file.

use std::path::Path;

use albireo::cosmology::Cosmology;
use albireo::error::CosmologyError;
use albireo::{Axis, LineOfSight};
use albireo_catalogs::TableFormat;
use albireo_samples::{GivenBox, RowRange, Selection};
use anyhow::Result;
use clap::builder::{
    MapValueParser, PossibleValue, PossibleValuesParser, TypedValueParser, ValueParserFactory,
};
use clap::{Args, ValueEnum};

use crate::edges::EdgeSpec;
use crate::join_spec::{AbsentName, JoinSpec};
use crate::paths::WrittenFile;
use crate::shard::PieceFlags;
use crate::usage::usage;

/// Defines the flags of one file under a prefix, with the conversion to a [`Selection`].
macro_rules! column_flags {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $heading:literal, $of:literal, $rows:literal, $bits:literal, [$($alias:literal)?]) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, Args)]
        #[command(next_help_heading = $heading)]
        pub(crate) struct $name {
            #[arg(id = concat!($prefix, "positions"), long = concat!($prefix, "positions"), $(alias = concat!($alias, "positions"),)?
                value_name = "X,Y,Z", value_delimiter = ',',
                help = concat!("Cartesian position columns", $of, ": three names, or one (N,3) column, e.g. x,y,z or Coordinates; numbers from 1 in text without names, e.g. 1,2,3"))]
            positions: Option<Vec<String>>,
            #[arg(id = concat!($prefix, "sky"), long = concat!($prefix, "sky"), $(alias = concat!($alias, "sky"),)?
                value_name = "RA,DEC", value_delimiter = ',', conflicts_with = concat!($prefix, "positions"),
                help = concat!("Sky position columns", $of, " in degrees, e.g. RA,DEC"))]
            sky: Option<Vec<String>>,
            #[arg(id = concat!($prefix, "distance"), long = concat!($prefix, "distance"), $(alias = concat!($alias, "distance"),)?
                value_name = "COLUMN",
                help = concat!("Comoving distance column", $of, ", in the unit of the bins, e.g. DIST"))]
            distance: Option<String>,
            #[arg(id = concat!($prefix, "redshift"), long = concat!($prefix, "redshift"), $(alias = concat!($alias, "redshift"),)?
                value_name = "COLUMN", conflicts_with = concat!($prefix, "distance"),
                help = concat!("Redshift column", $of, ", turned into Mpc/h by --cosmology, e.g. Z"))]
            redshift: Option<String>,
            #[arg(id = concat!($prefix, "weight"), long = concat!($prefix, "weight"), $(alias = concat!($alias, "weight"),)?
                value_name = "COLUMN",
                help = concat!("Weight column", $of, ", or an expression such as WEIGHT*WEIGHT_FKP (so can all columns be); never guessed, `none` for unit weights"))]
            weight: Option<String>,
            #[arg(id = concat!($prefix, "bits"), long = concat!($prefix, "bits"), $(alias = concat!($alias, "bits"),)?
                value_name = "COLUMN,..", value_delimiter = ',',
                help = concat!("Bit columns", $of, ": whole numbers, or one (N,k) column, whose bits tell in which realizations each row was observed, e.g. BITWEIGHT0,BITWEIGHT1", $bits))]
            bits: Option<Vec<String>>,
            #[arg(id = concat!($prefix, "where"), long = concat!($prefix, "where"), $(alias = concat!($alias, "where"),)?
                value_name = "CONDITION",
                help = concat!("Rows to keep", $of, ", e.g. 'species == \"O\" && frame == 0' or 'Z > 0.4 and not BAD and FLAG & 4 == 0'"))]
            filter: Option<String>,
            #[arg(id = concat!($prefix, "table"), long = concat!($prefix, "table"), $(alias = concat!($alias, "table"),)?
                value_name = "TABLE",
                help = concat!("Table", $of, ": FITS extension (number, the primary being 0, or name), HDF5 group or compound data set, e.g. 1 or particles/all"))]
            table: Option<String>,
            #[arg(id = concat!($prefix, "rows"), long = concat!($prefix, "rows"), $(alias = concat!($alias, "rows"),)?
                value_name = "A:B",
                help = concat!("Rows to look at", $rows, ", counting from 0 in each file, from A to below B, before the condition, e.g. 0:100000"))]
            rows: Option<RowRange>,
            #[arg(id = concat!($prefix, "every"), long = concat!($prefix, "every"), $(alias = concat!($alias, "every"),)?
                value_name = "N",
                help = concat!("Every N-th row only", $rows, ", before the condition, e.g. 10"))]
            every: Option<std::num::NonZeroU64>,
            #[arg(id = concat!($prefix, "join"), long = concat!($prefix, "join"), $(alias = concat!($alias, "join"),)?
                value_name = "FILE:KEY=COLUMN,..",
                help = concat!("Columns of another file, or of all that a pattern matches", $rows, ", by exact whole numbers in the column KEY of both, e.g. full.fits:TARGETID=BITWEIGHTS; where KEY has another name in FILE, both, e.g. '*_clustering.dat.fits:TARGETID_DATA=TARGETID=Z'. Conditions and expressions may name them. Repeat it for several"))]
            join: Vec<JoinSpec>,
            #[arg(id = concat!($prefix, "join-missing"), long = concat!($prefix, "join-missing"), $(alias = concat!($alias, "join-missing"),)?
                value_name = "WHAT", requires = concat!($prefix, "join"),
                help = concat!("Rows", $of, " whose key the joined file does not have [default: refuse]"))]
            join_missing: Option<AbsentName>,
        }

        impl $name {
            /// Whether bits are named.
            #[allow(dead_code, reason = "asked of some files only")]
            pub(crate) fn has_bits(&self) -> bool {
                self.bits.is_some()
            }
        }

        impl From<$name> for Selection {
            fn from(flags: $name) -> Self {
                let $name { positions, sky, distance, redshift, weight, bits, filter, table, rows, every, join, join_missing } = flags;
                let absent = join_missing.unwrap_or_default();
                let joins = join.into_iter().map(|join| join.join(absent)).collect();
                let rows = rows.unwrap_or_default();
                let rows = RowRange { every: every.unwrap_or(rows.every), ..rows };
                Self { positions, sky, distance, redshift, weight, bits, filter, table, rows, joins, ..Self::default() }
            }
        }
    };
}

column_flags!(
    /// Columns of the first file, and of the others unless they have their own.
    DataFlags, "", "Columns (guessed from the usual names where not given; hold for every file)", "", " of the first sample alone, others having such flags of their own", "; hold for all but randoms", []
);
column_flags!(
    /// Columns of the second of two files.
    SecondFlags, "second-", "Columns of the second file, where they differ", " of the second file", " of the second file [default: all]", "; `none` where it has none, such as randoms", ["randoms-"]
);
column_flags!(
    /// Columns of the random catalogs.
    RandomsFlags, "randoms-", "Columns of the randoms, where they differ", " of the randoms", " of the randoms [default: all]", " [default: none]", []
);
column_flags!(
    /// Columns of the catalog that is cross-correlated.
    CrossFlags, "cross-", "Columns of the cross catalog, where they differ", " of the cross catalog", " of the cross catalog [default: all]", "; `none` where it has none", []
);

/// The line of sight, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LosName {
    /// The x axis (plane-parallel).
    X,
    /// The y axis.
    Y,
    /// The z axis.
    Z,
    /// From the origin to the middle of the pair.
    Midpoint,
    /// From the origin to the first point.
    First,
    /// From the origin to the second point.
    End,
}

impl From<LosName> for LineOfSight {
    fn from(name: LosName) -> Self {
        match name {
            LosName::X => Self::Fixed(Axis::X),
            LosName::Y => Self::Fixed(Axis::Y),
            LosName::Z => Self::Fixed(Axis::Z),
            LosName::Midpoint => Self::Midpoint,
            LosName::First => Self::First,
            LosName::End => Self::End,
        }
    }
}

/// What the units of columns are where the files do not say what is meant.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Space")]
pub(crate) struct ColumnUnits {
    /// Columns whose numbers are taken as they are, whatever unit the file states
    #[arg(long, value_name = "COLUMN,..", value_delimiter = ',')]
    pub(crate) ignore_units: Vec<String>,
    /// Unit of redshifts: 1 says that values above 20, in a column without a unit, are redshifts
    #[arg(long, value_name = "1", value_parser = ["1"])]
    pub(crate) redshift_unit: Option<String>,
}

impl ColumnUnits {
    /// Whether anything is said of them.
    pub(crate) fn any(&self) -> bool {
        !self.ignore_units.is_empty() || self.redshift_unit.is_some()
    }
}

/// The name or the parameters of a cosmology, as they are spelled: refused here where there is none, a job whole before it begins.
pub(crate) fn cosmology(text: &str) -> Result<String, CosmologyError> {
    text.parse::<Cosmology>().map(|_| text.to_owned())
}

/// How columns become distances: the same for all files.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Space")]
pub(crate) struct SpaceFlags {
    /// Periodic box: L, or Lx,Ly,Lz, or ax,ay,az,bx,..,cz (three vectors); `none` for an axis that is open; `file` for the box that
    /// the file states; in the unit of the positions or in one of its own, e.g. 420, 100,100,none or '50 Mpc' [default: the file's box, else
    /// none]
    #[arg(long = "box", value_name = "BOX", allow_hyphen_values = true)]
    pub(crate) space: Option<GivenBox>,
    /// Wrap positions outside the box into it instead of refusing them
    #[arg(long)]
    pub(crate) wrap: bool,
    /// Go on with some of the files of a snapshot or group catalogue, whose headers speak of more
    #[arg(long)]
    pub(crate) partial_set: bool,
    /// Cosmology that turns redshifts into Mpc/h: Planck18, Planck15, Planck13, WMAP9, WMAP7, WMAP5 (as in astropy) or DESI; or parameters,
    /// e.g. om=0.31,ol=0.69,w0=-1,wa=0 (no radiation), and for radiation h=0.68,tcmb=2.7255,neff=3.046,mnu=0:0:0.06
    #[arg(long, value_name = "NAME|KEY=VALUE,..", value_parser = cosmology)]
    pub(crate) cosmology: Option<String>,
    #[command(flatten)]
    pub(crate) columns: ColumnUnits,
    /// Unit of length: files that state another one are converted, boxes too; others are taken to be in it [default: Mpc/h for redshifts,
    /// else what the first file says]
    #[arg(long, value_name = "UNIT")]
    pub(crate) unit: Option<String>,
}

/// The line of sight of (s,mu) and (rp,pi).
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Space")]
pub(crate) struct LosFlags {
    /// Line of sight of mu and pi [default: z in a box, midpoint otherwise]
    #[arg(long)]
    pub(crate) los: Option<LosName>,
    /// Bring the positions of snapshots in a box to redshift space along this axis: s = x + v (1+z)/H(z), by the velocities, the redshift and
    /// the universe that the files state; random points stay where they are
    #[arg(long, value_name = "AXIS")]
    pub(crate) rsd: Option<AxisName>,
}

/// An axis, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AxisName {
    /// The first axis.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

impl From<AxisName> for Axis {
    fn from(name: AxisName) -> Self {
        match name {
            AxisName::X => Self::X,
            AxisName::Y => Self::Y,
            AxisName::Z => Self::Z,
        }
    }
}

impl LosFlags {
    /// The axis of redshift space, which no other line of sight goes with.
    pub(crate) fn rsd(self) -> Result<Option<Axis>> {
        let axis = self.rsd.map(Axis::from);
        match (axis, self.los.map(LineOfSight::from)) {
            (Some(axis), Some(los)) if los != LineOfSight::Fixed(axis) => Err(usage(format!(
                "--los {}: positions in redshift space along {axis} (--rsd) are seen along {axis}",
                los.name(),
                axis = axis.name()
            ))),
            _ => Ok(axis),
        }
    }
}

/// Bins of the statistics with a choice of coordinates.
#[derive(Debug, Clone, Args)]
#[command(
    next_help_heading = "Bins (SPEC is lin:LO:HI:N, log:LO:HI:N, edges:A,B,.., @FILE with rows `lo hi` or an edge a line, or @FILE.npz:NAME, an array)"
)]
pub(crate) struct BinFlags {
    /// Bins in r, s or rp (unit of the positions) or theta (degrees), e.g. log:0.1:25:20
    #[arg(long, value_name = "SPEC")]
    pub(crate) bins: EdgeSpec,
    /// Bins in mu, from 0 (both signs together) or from -1 to 1, e.g. lin:0:1:20
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) mu_bins: Option<EdgeSpec>,
    /// Bins in pi (unit of the positions), from 0 for both signs together, e.g. lin:0:40:40
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) pi_bins: Option<EdgeSpec>,
}

/// Who counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// Cpu or cuda, whichever should be done first; the log says which, and why.
    Auto,
    /// The plain double loop: slow, the reference.
    Naive,
    /// All cores, vector instructions, sorted cells.
    Cpu,
    /// NVIDIA GPUs (`albireo devices` lists them).
    #[cfg(feature = "cuda")]
    Cuda,
    /// Both at the same time: for GPUs not much faster than the processor.
    #[cfg(feature = "cuda")]
    #[value(name = "cuda+cpu")]
    Together,
}

/// The heading of flags that change no exact count: they are no part of what parts of a count have in common.
pub(crate) const RUNNING: &str = "Running (never changes a count, but for --precision f32)";

/// How to count; never changes an exact count.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = RUNNING)]
pub(crate) struct RunFlags {
    /// Who counts
    #[arg(long, default_value = "auto")]
    pub(crate) engine: EngineName,
    /// Number of threads of the cpu engine, at most four for each core [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<std::num::NonZeroUsize>,
    /// Instruction set of the cpu engine, e.g. portable, avx2, avx512, neon [default: the widest here]
    #[arg(long, value_name = "NAME")]
    pub(crate) isa: Option<String>,
    #[cfg(feature = "cuda")]
    #[command(flatten)]
    pub(crate) cuda: CudaFlags,
    #[command(flatten)]
    pub(crate) pieces: PieceFlags,
}

/// How GPUs count.
#[cfg(feature = "cuda")]
#[derive(Debug, Clone, Args)]
pub(crate) struct CudaFlags {
    /// GPUs to use, by their numbers in `albireo devices`, e.g. 0,1 [default: all]
    #[arg(long, value_name = "N,..", value_delimiter = ',')]
    pub(crate) devices: Option<Vec<usize>>,
    /// Arithmetic of the cuda engine [default: exact]
    #[arg(long)]
    pub(crate) precision: Option<PrecisionName>,
    /// Kernel of the cuda engine; every one gives the same counts [default: auto]
    #[arg(long)]
    pub(crate) kernel: Option<KernelName>,
}

/// The arithmetic of GPUs, by name.
#[cfg(feature = "cuda")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrecisionName {
    /// Float32 where it is proven to be right, float64 elsewhere.
    Exact,
    /// Float64 for every pair: exact too, slower.
    F64,
    /// Float32 alone: faster and approximate; results are marked so.
    F32,
}

/// Kernels, by name.
#[cfg(feature = "cuda")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KernelName {
    /// The fastest for the job, by a measured rule.
    Auto,
    /// All pairs, sums in global memory: the shortest to read.
    Simple,
    /// All pairs, first points in constant memory, sums in shared memory.
    Constant,
    /// All pairs, first points in shared memory, second points in registers.
    Shared,
}

/// Where results go.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// Write the result with everything about how it was made, by extension: .csv (which has its record beside it, in FILE.json)
    /// .ecsv .fits .h5 .json .parquet, curves for GROMACS and Grace: .xvg, or, of pair counts and what is estimated of them, what pycorr
    /// saves: .npy .txt; `-` prints it, and nothing else, on standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<WrittenFile>,
    /// Format of `-o -` [default: csv]
    #[arg(long, requires = "output")]
    pub(crate) format: Option<FormatName>,
    /// Draw the result, by extension: .png .svg .pdf
    #[cfg(feature = "plot")]
    #[arg(long, value_name = "FIGURE")]
    pub(crate) plot: Option<WrittenFile>,
    /// Scale the correlation function in the figure by the separation squared (wp by rp)
    #[cfg(feature = "plot")]
    #[arg(long, requires = "plot")]
    pub(crate) r2: bool,
    /// With a file to write to: print one line about the result instead of its rows, as jobs do
    #[arg(long, requires = "output")]
    pub(crate) brief: bool,
    /// Whether jobs print one line about it, though there is no --brief.
    #[arg(skip)]
    pub(crate) brief_in_jobs: bool,
}

impl OutputFlags {
    /// Those of a table that is neither drawn nor summarised.
    pub(crate) fn table(output: &WrittenFile, format: Option<FormatName>) -> Self {
        Self {
            output: Some(output.clone()),
            format,
            #[cfg(feature = "plot")]
            plot: None,
            #[cfg(feature = "plot")]
            r2: false,
            brief: false,
            brief_in_jobs: true,
        }
    }
}

/// A format of results on standard output, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FormatName(pub(crate) TableFormat);

/// The names of the formats that may be written there.
impl ValueParserFactory for FormatName {
    type Parser = MapValueParser<PossibleValuesParser, fn(String) -> Self>;

    fn value_parser() -> Self::Parser {
        let printed = TableFormat::all().filter(|format| format.is_printed());
        let names = printed.map(|format| PossibleValue::new(format.name()).help(format.about()));
        let of_name = |name: String| Self(TableFormat::named(&name).unwrap_or_default());
        PossibleValuesParser::new(names).map(of_name)
    }
}

impl OutputFlags {
    /// Whether the result goes to standard output, as it would into a file.
    pub(crate) fn to_stdout(&self) -> bool {
        self.output.as_deref() == Some(Path::new("-"))
    }

    /// The file that the result goes to.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|_| !self.to_stdout())
    }
}
