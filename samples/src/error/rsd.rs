//! Why positions are not brought to redshift space.
//!
//! Entry: [`RsdError`].

use std::path::PathBuf;

use albireo::Axis;
use thiserror::Error;

/// Why positions are not brought to redshift space.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RsdError {
    /// Positions whose velocities nobody states.
    #[error("{}: --rsd: expected positions of a snapshot (Coordinates, SubhaloPos, GroupPos, x_L2com, pos) with a header of GADGET, AREPO, SWIFT or Abacus, found {columns}; of other files give s = x + v (1+z)/H(z) as an expression in --positions", path.display())]
    NoSnapshot {
        /// The file.
        path: PathBuf,
        /// The columns of the positions.
        columns: String,
    },
    /// A snapshot without velocities.
    #[error("{}: --rsd: expected velocities of three components in the column `{column}`, found none", path.display())]
    NoVelocities {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// Velocities that are no peculiar ones.
    #[error("{}: --rsd: expected peculiar velocities in `{column}` (U_L U_t^-1), found {unit}", path.display())]
    Velocities {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The unit that it states.
        unit: String,
    },
    /// A header that lacks what the shift is made of.
    #[error("{}: --rsd: {missing}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is missing, and how it is given.
        missing: String,
    },
    /// Another universe than that of the snapshot.
    #[error("{}: --cosmology has {given}, the header states {stated}: leave --cosmology out", path.display())]
    Cosmology {
        /// The file.
        path: PathBuf,
        /// The parameters given.
        given: String,
        /// Those stated.
        stated: String,
    },
    /// Positions in a unit that the shift is not converted into.
    #[error("{}: --rsd moves positions by Mpc/h, which are not converted into {unit}: {reason}", path.display())]
    Unit {
        /// The file.
        path: PathBuf,
        /// The unit of the positions.
        unit: String,
        /// Why not.
        reason: String,
    },
    /// An axis along which space does not close.
    #[error("--rsd {}: expected a box that is periodic along this axis, found open space (--box)", .0.name())]
    Open(Axis),
    /// Directions alone.
    #[error("--rsd has no meaning for angles: it moves positions of a box along an axis")]
    Angles,
}
