//! Why the units that files and boxes have make no positions.
//!
//! Entry: [`StatedUnitError`].

use std::path::PathBuf;

use thiserror::Error;

/// Why units of columns and boxes make no positions.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StatedUnitError {
    /// Neither an angle nor a plain number.
    #[error("{}: `{column}`: expected {expected}, found a column in {unit} (--ignore-units {column} takes its numbers as degrees)", path.display())]
    Sky {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What the role takes.
        expected: &'static str,
        /// As the file has it.
        unit: String,
    },
    /// A redshift with a unit.
    #[error("{}: {column}: column in {unit}: {advice}", path.display())]
    Redshift {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// As the file has it.
        unit: String,
        /// What to do.
        advice: String,
    },
    /// Columns of the sky in the place of lengths.
    #[error(
        "--positions {}: `{}` and `{}` are called as angles on the sky are: --sky {},{} with --redshift or --distance takes them; if they are lengths, \
         write {}+0",
        .0.join(","), .0[0], .0[1], .0[0], .0[1], .0[0]
    )]
    SkyAsLengths(Vec<String>),
    /// Redshifts beyond all galaxies, in a column without a unit.
    #[error("{}: column `{column}` reaches {largest}, far beyond any galaxy's redshift, and states no unit: write --redshift '{column}/299792.458' if it is c z in km/s, --redshift-unit 1 if these are redshifts", path.display())]
    Far {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The largest value.
        largest: String,
    },
    /// Distances that are redshifts by their name and their values, in a column without a unit.
    #[error("{}: column `{column}`: expected comoving distances, found values up to {largest} in a column that is called as redshifts are: write --redshift {column} and --cosmology if these are redshifts, --ignore-units {column} if they are distances", path.display())]
    Near {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The largest value.
        largest: String,
    },
    /// Positions in units that are not converted into each other.
    #[error("{}: positions in {units} ({columns}): expected lengths in one unit, or in units of one kind such as kpc and Mpc (--ignore-units COLUMN takes numbers as they are)", path.display())]
    Positions {
        /// The file.
        path: PathBuf,
        /// The units.
        units: String,
        /// The columns.
        columns: String,
    },
    /// Samples in units that are not converted into each other unless that is asked for.
    #[error(
        "positions are in different units: {} in {}, {} in {}; name the unit of all by --unit (Mpc becomes Mpc/h where h is known), or take the numbers of columns as they are by --ignore-units",
        first.0, first.1.display(), second.0, second.1.display()
    )]
    Samples {
        /// A unit and its file.
        first: (String, PathBuf),
        /// Another.
        second: (String, PathBuf),
    },
    /// Lengths in a unit that is not converted into the one asked for.
    #[error("{}: lengths are in `{stated}`, which --unit does not convert into `{wanted}`: {reason}", path.display())]
    Lengths {
        /// The file.
        path: PathBuf,
        /// The unit that it states.
        stated: String,
        /// The unit asked for.
        wanted: String,
        /// Why not.
        reason: String,
    },
    /// A box in a unit that is not converted into that of the positions.
    #[error("--box in {unit}: {reason}")]
    Box {
        /// The unit of the box.
        unit: String,
        /// Why not.
        reason: String,
    },
}
