//! What can be wrong with the classes of objects.
//!
//! Entry: [`ClassError`]. Options are named as the command line spells them.

use std::path::PathBuf;

use albireo_catalogs::in_short;
use thiserror::Error;

/// Why the objects of samples have no classes.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClassError {
    /// More values than classes are counted.
    #[error("{}: column `{column}` has {found} different values, and at most {limit} classes are counted: cut numbers by --quantiles N or --class-edges A,B,..", path.display())]
    TooMany {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// How many it has.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A number that names no class.
    #[error("{}: column `{column}`: expected classes as whole numbers below 2^53 by magnitude, or texts, found {} in {row}: cut other numbers by --quantiles N or --class-edges A,B,..", path.display(), in_short(*found))]
    NoClass {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What stands there.
        found: f64,
        /// The row, and how it is counted.
        row: String,
    },
    /// Texts where numbers are cut.
    #[error("{}: column `{column}` holds texts, and {option} cuts numbers: leave {option} out, its values are the classes", path.display())]
    Texts {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What cuts.
        option: &'static str,
    },
    /// Fewer values than quantiles.
    #[error("{}: column `{column}` has {found} different values, --quantiles {asked} needs as many as that at least", path.display())]
    FewValues {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// How many it has.
        found: usize,
        /// How many classes there are to be.
        asked: u32,
    },
    /// A class that has nothing to be counted.
    #[error("{}: no object of the {role} is in class {class} of column `{column}`{}", path.display(), if *quantiles { ": too many share one value, take fewer --quantiles" } else { "" })]
    Empty {
        /// The file.
        path: PathBuf,
        /// What the sample is.
        role: String,
        /// The column.
        column: String,
        /// The class.
        class: String,
        /// Whether classes are quantiles of these objects.
        quantiles: bool,
    },
    /// Texts in one file, numbers in another.
    #[error("column `{column}`: expected classes of one type, found texts in {} and numbers in {}", texts.display(), numbers.display())]
    Mixed {
        /// The column.
        column: String,
        /// The file with texts.
        texts: PathBuf,
        /// The file with numbers.
        numbers: PathBuf,
    },
    /// A class of randoms that no object of the data is in.
    #[error("{}: column `{column}` has the class {found}, which no object of {} is in: its classes are {known}; --randoms-classes none pairs all randoms with every class", path.display(), of.display())]
    Unknown {
        /// The file of the randoms.
        path: PathBuf,
        /// The column.
        column: String,
        /// The class.
        found: String,
        /// The file of the data.
        of: PathBuf,
        /// The classes there.
        known: String,
    },
    /// A column that some files of a sample lack.
    #[error("{}: there is no column `{column}` of classes, which other files of the {role} have", path.display())]
    Partly {
        /// The file without it.
        path: PathBuf,
        /// What the sample is.
        role: String,
        /// The column.
        column: String,
    },
}
