//! What can go wrong between the frames of a trajectory and their particles.
//!
//! Entry: [`FrameError`].

use std::path::PathBuf;

use albireo_catalogs::in_short;
use thiserror::Error;

use crate::shown::in_short_list;

/// Why the particles of a frame could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FrameError {
    /// A header whose box is none.
    #[error("{place}: expected a box, found {reason}")]
    Box {
        /// The attribute and the file.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A trajectory without a frame in the range asked for.
    #[error("{place}, counted from 0: none is in the range of --frames")]
    NoneLeft {
        /// The first file, and how many frames there are.
        place: String,
    },
    /// Files of one trajectory whose lengths are in different units.
    #[error("{}: lengths in {found}, those of the files before it in {expected}: they are no one trajectory", path.display())]
    Units {
        /// The file.
        path: PathBuf,
        /// The unit of the files before it.
        expected: String,
        /// Its own.
        found: String,
    },
    /// A molecule whose centre of mass is nowhere.
    #[error(
        "the molecule of row {row} (from 0) has the mass {}: a centre of mass needs a positive one",
        in_short(*mass)
    )]
    MasslessMolecule {
        /// Its first row.
        row: usize,
        /// The sum of its masses.
        mass: f64,
    },
    /// Names of atoms of which no element or mass is known.
    #[error(
        "no `{column}` of the particles is known, and it is not guessed from these names, which are of no element known here: {}: a file of masses and \
         elements is given by --topology",
        in_short_list(names)
    )]
    UnknownElements {
        /// The column that is missing.
        column: &'static str,
        /// The names.
        names: Vec<String>,
    },
    /// Velocities or forces that frames do not have.
    #[error(
        "the particles have no `{column}`: expected frames with {kind}, as programs write them where they are asked to (LAMMPS dumps, TRR, H5MD, extended \
         XYZ, AMBER NetCDF, `albireo md --{kind}`); the columns are: {}",
        in_short_list(columns),
        kind = if column.starts_with('f') { "forces" } else { "velocities" }
    )]
    Unmoved {
        /// The first of them that is asked for.
        column: &'static str,
        /// Those that there are.
        columns: Vec<String>,
    },
    /// A value that is no finite number.
    #[error("`{column}`: row {row} (counting from 0) has {value}: expected finite numbers")]
    NotFinite {
        /// The column or expression.
        column: String,
        /// The particle.
        row: usize,
        /// What it has.
        value: f64,
    },
    /// A molecule that cannot be made whole.
    #[error(
        "--centres {column}: two atoms of molecule {molecule} that follow each other are {} apart, more than half the box, {}: expected atoms of one molecule \
         next to each other, as along a chain (is the box in the unit of the positions? does `{column}` number molecules?)",
        in_short(*distance), in_short(*half)
    )]
    WideMolecule {
        /// The column that numbers molecules.
        column: String,
        /// What it says of this one.
        molecule: String,
        /// How far apart the atoms are.
        distance: f64,
        /// Half the shortest length of the box.
        half: f64,
    },
}
