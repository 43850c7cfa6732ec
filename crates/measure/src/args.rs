//! Flags that several subcommands share, each defined once.
//!
//! Entry: [`DataFlags`] and its relatives (which columns of a file), [`SpaceFlags`] (box and line of sight), [`RunFlags`], [`OutputFlags`]. Nothing
//! here opens a file.

mod run;

use std::path::Path;

use albireo::cosmology::Cosmology;
use albireo::error::SkyError;
use albireo::{Axis, LineOfSight, Outside};
use albireo_catalogs::TableFormat;
use albireo_samples::{GivenBox, RowRange, Selection};
use anyhow::Result;
use clap::builder::{
    MapValueParser, PossibleValue, PossibleValuesParser, TypedValueParser, ValueParserFactory,
};
use clap::{Args, ValueEnum};

use crate::edges::EdgeSpec;
use crate::group;
use crate::join_spec::{AbsentName, JoinSpec};
use crate::paths::WrittenFile;
use crate::usage::usage;

pub(crate) use self::run::{ComputeFlags, EngineName, RunFlags};
#[cfg(feature = "cuda")]
pub(crate) use self::run::{KernelName, PrecisionName};

/// A weight: a column or an expression, but no list of columns.
fn one_weight(text: &str) -> Result<String, String> {
    let is_list = text.contains(',') && !text.contains(['(', '`', '"', '\'']);
    if is_list {
        let product = text.split(',').map(str::trim).collect::<Vec<_>>().join("*");
        return Err(format!(
            "expected one weight, found `{text}`: a product of columns is written {product}"
        ));
    }
    Ok(text.to_owned())
}

/// What names of flags stand for: variants of the library, by the same names or by those behind `=`.
macro_rules! mirrors {
    ($from:ident => $to:ident { $($name:ident $(= $of:ident)?),+ }) => {
        impl From<$from> for $to {
            fn from(name: $from) -> Self {
                match name {
                    $($from::$name => crate::args::mirrors!(@of $name $($of)?)),+
                }
            }
        }
    };
    (@of $name:ident) => { Self::$name };
    (@of $name:ident $of:ident) => { Self::$of };
}
pub(crate) use mirrors;

/// Defines the flags of one file under a prefix, in a group and with weights in another, with the conversion to a [`Selection`].
macro_rules! column_flags {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $group:expr, $weights:expr, $of:literal, $rows:literal, $bits:literal, [$($alias:literal),*]) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, Args)]
        pub(crate) struct $name {
            #[arg(id = concat!($prefix, "positions"), long = concat!($prefix, "positions"), $(alias = concat!($alias, "positions"),)*
                value_name = "X,Y,Z", value_delimiter = ',', help_heading = $group,
                help = concat!("Cartesian position columns", $of, ": three names, or one (N,3) column, e.g. x,y,z"),
                long_help = concat!("Cartesian position columns", $of, ": three names, or one (N,3) column, e.g. x,y,z", "\n\n", "All columns are guessed from usual names where they are not given. In text without names they are numbered from 1, e.g. 1,2,3. They can be expressions."))]
            positions: Option<Vec<String>>,
            #[arg(id = concat!($prefix, "sky"), long = concat!($prefix, "sky"), $(alias = concat!($alias, "sky"),)*
                value_name = "RA,DEC", value_delimiter = ',', conflicts_with = concat!($prefix, "positions"), help_heading = $group,
                help = concat!("Sky position columns", $of, " in degrees, e.g. RA,DEC"))]
            sky: Option<Vec<String>>,
            #[arg(id = concat!($prefix, "distance"), long = concat!($prefix, "distance"), $(alias = concat!($alias, "distance"),)*
                value_name = "COLUMN", help_heading = $group,
                help = concat!("Comoving distance column", $of, ", in the unit of the bins, e.g. DIST"))]
            distance: Option<String>,
            #[arg(id = concat!($prefix, "redshift"), long = concat!($prefix, "redshift"), $(alias = concat!($alias, "redshift"),)*
                value_name = "COLUMN", conflicts_with = concat!($prefix, "distance"), help_heading = $group,
                help = concat!("Redshift column", $of, ", turned into Mpc/h by --cosmology, e.g. Z"))]
            redshift: Option<String>,
            #[arg(id = concat!($prefix, "weight"), long = concat!($prefix, "weight"), $(alias = concat!($alias, "weight"),)*
                value_name = "COLUMN", value_parser = one_weight, help_heading = $weights,
                help = concat!("Weight column", $of, " or expression, e.g. WEIGHT*WEIGHT_FKP; `none`: unit weights"),
                long_help = concat!("Weight column", $of, " or expression, e.g. WEIGHT*WEIGHT_FKP; `none`: unit weights", "\n\n", "It is never guessed."))]
            weight: Option<String>,
            #[arg(id = concat!($prefix, "bits"), long = concat!($prefix, "bits"), $(alias = concat!($alias, "bits"),)*
                value_name = "COLUMN,..", value_delimiter = ',', help_heading = $weights,
                help = concat!("Bit columns", $of, ": in which realisations each row was observed, e.g. BITWEIGHT0,BITWEIGHT1"),
                long_help = concat!("Bit columns", $of, ": in which realisations each row was observed, e.g. BITWEIGHT0,BITWEIGHT1", "\n\n", "Columns of whole numbers, or one (N,k) column", $bits, "."))]
            bits: Option<Vec<String>>,
            #[arg(id = concat!($prefix, "where"), long = concat!($prefix, "where"), $(alias = concat!($alias, "where"),)*
                value_name = "CONDITION", help_heading = $group,
                help = concat!("Rows to keep", $of, ", e.g. 'Z > 0.4 and not BAD and FLAG & 4 == 0'"),
                long_help = concat!("Rows to keep", $of, ", e.g. 'Z > 0.4 and not BAD and FLAG & 4 == 0'", "\n\n", "Texts are in double quotes, e.g. 'species == \"O\" && frame == 0'."))]
            filter: Option<String>,
            #[arg(id = concat!($prefix, "table"), long = concat!($prefix, "table"), $(alias = concat!($alias, "table"),)*
                value_name = "TABLE", help_heading = $group,
                help = concat!("Table", $of, ": FITS extension, HDF5 group or compound data set, e.g. 1 or particles/all"),
                long_help = concat!("Table", $of, ": FITS extension, HDF5 group or compound data set, e.g. 1 or particles/all", "\n\n", "FITS extensions are given by number, the primary being 0, or by name."))]
            table: Option<String>,
            #[arg(id = concat!($prefix, "rows"), long = concat!($prefix, "rows"), $(alias = concat!($alias, "rows"),)*
                value_name = "A:B", help_heading = $group,
                help = concat!("Use rows A to B-1 of each file (0-based)", $rows, ", before --where, e.g. 0:100000"))]
            rows: Option<RowRange>,
            #[arg(id = concat!($prefix, "every"), long = concat!($prefix, "every"), $(alias = concat!($alias, "every"),)*
                value_name = "N", help_heading = $group,
                help = concat!("Use every N-th row only", $rows, ", before --where, e.g. 10"))]
            every: Option<std::num::NonZeroU64>,
            #[arg(id = concat!($prefix, "join"), long = concat!($prefix, "join"), $(alias = concat!($alias, "join"),)*
                value_name = "FILE:KEY=COLUMN,..", help_heading = $group,
                help = concat!("Add columns of another file", $rows, ", by equal whole numbers in the column KEY"),
                long_help = concat!("Add columns of another file", $rows, ", by equal whole numbers in the column KEY", "\n\n", "E.g. full.fits:TARGETID=BITWEIGHTS; where KEY has another name in FILE, both, e.g. '*_clustering.dat.fits:TARGETID_DATA=TARGETID=Z'. FILE may be a pattern. Conditions and expressions can name these columns. Can be given again."))]
            join: Vec<JoinSpec>,
            #[arg(id = concat!($prefix, "join-missing"), long = concat!($prefix, "join-missing"), $(alias = concat!($alias, "join-missing"),)*
                value_name = "WHAT", requires = concat!($prefix, "join"), help_heading = $group,
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
    DataFlags, "", group::INPUT, group::WEIGHTS, "", ", of the first sample alone", "; used for all samples but randoms", []
);
column_flags!(
    /// Columns of the second of two files.
    SecondFlags, "cross-", group::COPIES, group::COPIES, " of the second sample", ", of the second sample [default: all]", "; `none` where there are none, as for randoms", ["second-", "randoms-"]
);
column_flags!(
    /// Columns of the random catalogues.
    RandomsFlags, "randoms-", group::COPIES, group::COPIES, " of the randoms", ", of the randoms [default: all]", " [default: none]", []
);
column_flags!(
    /// Columns of the catalogue that is cross-correlated.
    CrossFlags, "cross-", group::COPIES, group::COPIES, " of the second sample", ", of the second sample [default: all]", "; `none` where there are none", []
);

/// The seed of all that draws random numbers, where none is given.
pub(crate) const SEED: u32 = 1;

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
#[command(next_help_heading = group::INPUT)]
pub(crate) struct ColumnUnits {
    /// Columns whose numbers are used as they are: the unit that the file states is ignored
    #[arg(long, value_name = "COLUMN,..", value_delimiter = ',')]
    pub(crate) ignore_units: Vec<String>,
    /// Unit of redshifts: 1 accepts values above 20 in a column without a unit
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
pub(crate) fn cosmology(text: &str) -> Result<String, SkyError> {
    text.parse::<Cosmology>().map(|_| text.to_owned())
}

/// How columns become distances: the same for all files.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = group::INPUT)]
pub(crate) struct SpaceFlags {
    /// Periodic box: L or Lx,Ly,Lz [default: the file's, else none]
    ///
    /// Or three vectors ax,ay,az,bx,..,cz. `none` for an axis is an open axis, `file` is the box that the file states. The unit is that of the
    /// positions, or one of its own, e.g. 420, 100,100,none or '50 Mpc'.
    #[arg(long = "box", value_name = "BOX", allow_hyphen_values = true)]
    pub(crate) space: Option<GivenBox>,
    /// Wrap positions outside the box into it instead of refusing them
    #[arg(long)]
    pub(crate) wrap: bool,
    /// Accept some of the files of a snapshot or group catalogue whose headers name more
    #[arg(long)]
    pub(crate) partial_set: bool,
    /// Cosmology that turns redshifts into Mpc/h, e.g. Planck18
    ///
    /// One of Planck18, Planck15, Planck13, WMAP9, WMAP7, WMAP5 (as in astropy) or DESI; or parameters, e.g. om=0.31,ol=0.69,w0=-1,wa=0 (no
    /// radiation), and for radiation h=0.68,tcmb=2.7255,neff=3.046,mnu=0:0:0.06.
    #[arg(long, value_name = "NAME|KEY=VALUE,..", value_parser = cosmology)]
    pub(crate) cosmology: Option<String>,
    #[command(flatten)]
    pub(crate) columns: ColumnUnits,
    /// Unit of length [default: Mpc/h for redshifts, else that of the first file]
    ///
    /// Files that state another one are converted, boxes too; files that state none are assumed to be in it.
    #[arg(long, value_name = "UNIT")]
    pub(crate) unit: Option<String>,
}

impl SpaceFlags {
    /// What becomes of positions outside the box.
    pub(crate) fn outside(&self) -> Outside {
        if self.wrap {
            Outside::Wrap
        } else {
            Outside::Refuse
        }
    }
}

/// The line of sight of (s,mu) and (rp,pi).
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = group::INPUT)]
pub(crate) struct LosFlags {
    /// Line of sight of mu and pi [default: z in a box, midpoint otherwise]
    #[arg(long, help_heading = group::BINS)]
    pub(crate) los: Option<LosName>,
    /// Move the positions of snapshots in a box to redshift space along this axis
    ///
    /// s = x + v (1+z)/H(z), from the velocities, the redshift and the cosmology that the files state. Random points stay where they are.
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

mirrors!(AxisName => Axis { X, Y, Z });

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
#[command(next_help_heading = group::BINS)]
pub(crate) struct BinFlags {
    /// Bins: lin:LO:HI:N, log:LO:HI:N, edges:A,B,.. or @FILE, e.g. log:0.1:25:20
    ///
    /// In r, s or rp (unit of the positions) or theta (degrees). @FILE has rows `lo hi` or one edge a line; @FILE.npz:NAME is an array.
    #[arg(long, value_name = "SPEC")]
    pub(crate) bins: EdgeSpec,
    /// Bins in mu, from 0 (both signs together) or -1 to 1, e.g. lin:0:1:20 [default: lin:0:1:100]
    ///
    /// lin:-1:1:200 where multipoles of odd degree or wedges below 0 are made of them.
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) mu_bins: Option<EdgeSpec>,
    /// Bins in pi (unit of the positions), from 0 for both signs together, e.g. lin:0:80:40 [default: lin:0:40:40]
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) pi_bins: Option<EdgeSpec>,
    /// Bins in the value of an expression of the separation, e.g. 'max(abs(d[0]), abs(d[1]))', instead of --statistic; needs --reach
    ///
    /// --bins are those of its values, each from its lower edge, included, to its upper edge, without unit. The words are those of --pair-sum
    /// that need no object: d, r2, r, rhat, and along the line of sight los, dlos, rp, mu. Engine cpu counts them.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with_all = ["statistic", "mu_bins", "pi_bins"], requires = "reach")]
    pub(crate) bins_of: Option<String>,
    /// A second axis for --bins-of: another expression
    #[arg(
        long,
        value_name = "EXPR",
        allow_hyphen_values = true,
        requires = "bins_of",
        requires = "second_bins"
    )]
    pub(crate) second_bins_of: Option<String>,
    /// Bins in the values of --second-bins-of
    #[arg(
        long,
        value_name = "SPEC",
        allow_hyphen_values = true,
        requires = "second_bins_of"
    )]
    pub(crate) second_bins: Option<EdgeSpec>,
    /// Pairs in --bins-of are closer than this, in the unit of the positions; in a box at most half of it
    #[arg(long, value_name = "R", requires = "bins_of")]
    pub(crate) reach: Option<f64>,
}

impl BinFlags {
    /// Bins in the coordinates of a statistic.
    pub(crate) fn of_statistic(bins: EdgeSpec, pi_bins: Option<EdgeSpec>) -> Self {
        Self {
            bins,
            mu_bins: None,
            pi_bins,
            bins_of: None,
            second_bins_of: None,
            second_bins: None,
            reach: None,
        }
    }
}

/// A power of the separation.
#[cfg(feature = "plot")]
pub(crate) fn power(text: &str) -> Result<f64, String> {
    let power = text.trim().parse().ok();
    let power = power.filter(|power: &f64| power.abs() <= 6.0);
    power.ok_or_else(|| format!("expected a power from -6 to 6, found `{text}`"))
}

/// Where results go.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::OUTPUT)]
pub(crate) struct OutputFlags {
    /// Result file: .csv .ecsv .fits .h5 .json .parquet, by extension; `-` prints it
    ///
    /// The result holds a record of how it was made; that of .csv is in FILE.json. Curves can also be .xvg (GROMACS and Grace); pair counts and
    /// estimates .npy or .txt as pycorr saves them, covariances as a square matrix. `-` prints the result, and nothing else, on standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<WrittenFile>,
    /// Format of `-o -` [default: csv]
    #[arg(long, requires = "output")]
    pub(crate) format: Option<FormatName>,
    /// Plot the result, by extension: .png .svg .pdf
    #[cfg(feature = "plot")]
    #[arg(long, value_name = "FIGURE")]
    pub(crate) plot: Option<WrittenFile>,
    /// Print one line about the result instead of its rows, as jobs do; needs a file to write to
    #[arg(long, requires = "output")]
    pub(crate) brief: bool,
    /// Whether jobs print one line about it, though there is no --brief.
    #[arg(skip)]
    pub(crate) brief_in_jobs: bool,
    /// How a correlation function is scaled in the figure.
    #[arg(skip)]
    pub(crate) scale: ScaleFlags,
}

/// How a correlation function is scaled in a figure.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = group::OUTPUT)]
pub(crate) struct ScaleFlags {
    /// Scale the correlation function in the figure by this power of the separation (wp by that of rp), e.g. 2
    #[cfg(feature = "plot")]
    #[arg(long, value_name = "POWER", requires = "plot", value_parser = power, allow_hyphen_values = true)]
    pub(crate) scale_by: Option<f64>,
    /// Scale it by the separation squared (wp by rp)
    #[cfg(feature = "plot")]
    #[arg(long, hide = true, requires = "plot", conflicts_with = "scale_by")]
    pub(crate) r2: bool,
}

/// Where correlation functions go.
#[derive(Debug, Clone, Args)]
pub(crate) struct ScaledOutputFlags {
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    scale: ScaleFlags,
}

impl ScaledOutputFlags {
    /// As flags of any output, with the scale of the figure.
    pub(crate) fn output(&self) -> OutputFlags {
        OutputFlags {
            scale: self.scale,
            ..self.output.clone()
        }
    }
}

impl OutputFlags {
    /// Those of a table that is neither drawn nor summarised.
    pub(crate) fn table(output: &WrittenFile, format: Option<FormatName>) -> Self {
        Self {
            output: Some(output.clone()),
            format,
            #[cfg(feature = "plot")]
            plot: None,
            brief: false,
            brief_in_jobs: true,
            scale: ScaleFlags::default(),
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
