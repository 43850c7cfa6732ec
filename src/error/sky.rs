//! What can be wrong between the sky and positions: coordinates, cosmologies and number densities.

use thiserror::Error as ThisError;

use super::short::in_short;

/// Sky coordinates, a cosmology that makes them positions, or a number density along the way, that cannot be.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum SkyError {
    /// A value outside the range of its column.
    #[error("{column}, row {row} (counting from 0): expected {expected}, found {value}", value = in_short(*value))]
    OutOfRange {
        /// The column's name in the catalogue.
        column: String,
        /// The first such row, from 0.
        row: usize,
        /// What stands there.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// Two columns of one sample differ in length.
    #[error(
        "columns of one sample must be equally long: {first} has {first_rows} rows, {second} has {second_rows}"
    )]
    UnequalLengths {
        /// The column that sets the length.
        first: String,
        /// Its number of rows.
        first_rows: usize,
        /// The column that differs.
        second: String,
        /// Its number of rows.
        second_rows: usize,
    },
    /// A parameter out of range.
    #[error("cosmology parameter {parameter}: expected {expected}, found {value}", value = in_short(*value))]
    Parameter {
        /// Its key.
        parameter: &'static str,
        /// The value given.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// A redshift out of range.
    #[error("a redshift must be finite and above -1, found {}", in_short(*.0))]
    Redshift(f64),
    /// Light from this redshift never was on its way.
    #[error(
        "this universe was never small enough for redshift {z}: H^2 is not positive on the way", z = in_short(*z)
    )]
    NoExpansion {
        /// The redshift.
        z: f64,
    },
    /// Neither a name nor keys with values.
    #[error(
        "a cosmology is a name ({names}) or key=value,... with the keys om, ol, ok, w0, wa, h, tcmb, neff, mnu, nur, mncdm: found '{found}'"
    )]
    Syntax {
        /// The text not understood.
        found: String,
        /// The names there are.
        names: String,
    },
    /// A key that does not exist.
    #[error(
        "unknown cosmology key '{0}': expected om, ol, ok, w0, wa, h, tcmb, neff, mnu, nur or mncdm"
    )]
    UnknownKey(String),
    /// A value that is no number.
    #[error("cosmology key {key} needs a number, found '{found}'")]
    NotANumber {
        /// The key.
        key: &'static str,
        /// The text after it.
        found: String,
    },
    /// More or fewer masses of neutrinos than there are species of them.
    #[error(
        "cosmology key {key}: expected {expected} masses in eV, one for each species, such as {key}=0:0:0.06; found {found}"
    )]
    Masses {
        /// The key.
        key: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be, at most where the number of massless ones is given.
        expected: usize,
    },
    /// A key that has to be given.
    #[error("a cosmology needs {0}")]
    Missing(&'static str),
    /// Keys that contradict one another.
    #[error("cosmology: {0}")]
    Conflict(String),
    /// Edges that are no bins in redshift.
    #[error(
        "edges in redshift must be finite, 0 or more and rising, at least two of them: edge {index} is {found}", found = in_short(*found)
    )]
    Edges {
        /// Which edge, counting from 0.
        index: usize,
        /// The edge.
        found: f64,
    },
    /// An area that no part of the sphere has.
    #[error("an area of the sky lies between 0 and 41252.96 square degrees, found {}", in_short(*.0))]
    Area(f64),
    /// Weights of another number than the redshifts.
    #[error("there must be one weight for each of the {expected} redshifts, found {found}")]
    DensityWeights {
        /// Number of redshifts.
        expected: usize,
        /// Number of weights.
        found: usize,
    },
    /// A power spectrum that no weight is made of.
    #[error(
        "the power spectrum P0 of FKP weights must be finite and 0 or more, in (Mpc/h)^3, found {}", in_short(*.0)
    )]
    Power(f64),
    /// An object whose density is not known.
    #[error(
        "row {row} (counting from 0) has the redshift {redshift}, outside the bins of n(z) from {lo} to {hi}", redshift = in_short(*redshift), lo = in_short(*lo), hi = in_short(*hi)
    )]
    Outside {
        /// Its row.
        row: usize,
        /// Its redshift.
        redshift: f64,
        /// The first edge.
        lo: f64,
        /// The last edge.
        hi: f64,
    },
    /// No object, or no weight, to take a mean over.
    #[error("n(z) is zero in all bins")]
    NoDensity,
}
