//! What can go wrong between a file and its particles.
//!
//! Entry: [`SampleError`]; `within` says where it arose. Options are named as the command line spells them.

mod classes;
mod frames;
mod identities;
mod rsd;
mod units;

use std::path::PathBuf;

use albireo::Axis;
use albireo::error::{DomainError, JobError, ParticlesError, RegionsError, SkyError};
use albireo_catalogs::{Atoms, CatalogError, ExpressionError, did_you_mean, in_short};
use thiserror::Error;

pub use classes::ClassError;
pub use frames::FrameError;
pub use identities::RoundedIdentity;
pub use rsd::RsdError;
pub use units::StatedUnitError;

/// What readers of samples hand back.
pub type Result<T, E = SampleError> = std::result::Result<T, E>;

/// Why a sample could not be read or placed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// What the error below it is about: a file, a column, an option.
    #[error("{place}")]
    At {
        /// The place.
        place: String,
        /// What is wrong there.
        source: Box<SampleError>,
    },
    /// A whole number stands in two rows of a table that is asked by it.
    #[error("{}: {key} stands in column `{column}` a second time in row {row} (counting from 0): a row is looked up by it, so that it must be there once", path.display())]
    SameKey {
        /// The table.
        path: PathBuf,
        /// Its column of keys.
        column: String,
        /// The number.
        key: i128,
        /// The second row.
        row: usize,
    },
    /// A value that cannot be compared for equality.
    #[error(transparent)]
    Identity(#[from] RoundedIdentity),
    /// A column is named more than once.
    #[error("{option} {}: the column `{name}` is named {times} times", names.join(","))]
    Repeated {
        /// The option that names them.
        option: &'static str,
        /// All names.
        names: Vec<String>,
        /// The one.
        name: String,
        /// How often.
        times: usize,
    },
    /// Units that columns state, and that make no positions.
    #[error(transparent)]
    Units(#[from] StatedUnitError),
    /// Objects without a class.
    #[error(transparent)]
    Classes(Box<ClassError>),
    /// Positions that are not brought to redshift space.
    #[error(transparent)]
    Rsd(#[from] RsdError),
    /// Sky positions of more or fewer than two columns.
    #[error("--sky takes two columns, RA,DEC; found {0}")]
    SkyColumns(usize),
    /// Cartesian positions of neither three columns nor one.
    #[error("--positions takes three columns, or one of three components; found {0}")]
    PositionColumns(usize),
    /// No column has a usual name.
    #[error(
        "no positions found: name them by --positions X,Y,Z or --sky RA,DEC; the columns are: {columns}"
    )]
    NoPositions {
        /// The columns there are.
        columns: String,
    },
    /// Usual names of both kinds of positions.
    #[error(
        "both Cartesian and sky positions are there: choose by --positions or --sky; the columns are: {columns}"
    )]
    BothPositions {
        /// The columns there are.
        columns: String,
    },
    /// Directions without distances.
    #[error(
        "`{ra}`, `{dec}` need a depth: name it by --distance or --redshift; the columns are: {columns}"
    )]
    NoDepth {
        /// Right ascension.
        ra: String,
        /// Declination.
        dec: String,
        /// The columns there are.
        columns: String,
    },
    /// A NaN or an infinity.
    #[error("{}: column `{column}` must be finite: found {found} in {row}", path.display(), found = in_short(*found))]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What stands there.
        found: f64,
        /// The row, and how it is counted.
        row: String,
    },
    /// What numbers no group.
    #[error("{}: column `{column}`: expected groups as integers below 2^53 by magnitude, found {} in {row}", path.display(), in_short(*found))]
    NoGroup {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What stands there.
        found: f64,
        /// The row, and how it is counted.
        row: String,
    },
    /// A redshift of what comes towards us, which has no distance.
    #[error("{}: column `{column}`: expected redshifts of 0 or more, found {} in {row}", path.display(), in_short(*found))]
    Approaching {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What stands there.
        found: f64,
        /// The row, and how it is counted.
        row: String,
    },
    /// Particles that were not there at once.
    #[error(
        "{}: particles of several frames (column `{column}`, {least} to {most}) would be counted as if they were there at once: choose one, {choice}",
        path.display(), least = in_short(*least), most = in_short(*most)
    )]
    SeveralFrames {
        /// The file.
        path: PathBuf,
        /// The column that counts frames.
        column: String,
        /// The first frame.
        least: f64,
        /// The last.
        most: f64,
        /// How one of them is chosen.
        choice: String,
    },
    /// Redshifts without a cosmology.
    #[error("redshifts (column `{0}`) need --cosmology, such as --cosmology Planck18")]
    NoCosmology(String),
    /// A cosmology without redshifts.
    #[error(
        "--cosmology has no use: it turns redshifts into distances, and the positions come from {columns}; name the redshifts by --redshift, or leave it out"
    )]
    UnusedCosmology {
        /// What the positions come from.
        columns: String,
    },
    /// Files of a set that are not all of it.
    #[error(
        "{}: {table}: {rows} of {total} rows: the set has {files} files, found {found}; give all of them, '{pattern}', or --partial-set to go on with these",
        path.display(), total = in_short(*total), files = in_short(*files)
    )]
    PartOfSet {
        /// The first file.
        path: PathBuf,
        /// The kind of particles or halos.
        table: String,
        /// Rows in the files that were given.
        rows: u64,
        /// Rows of the whole set, as the header says.
        total: f64,
        /// Files of the whole set.
        files: f64,
        /// The names of the files that were given.
        found: Box<str>,
        /// A pattern for all files.
        pattern: Box<str>,
    },
    /// Rows that are copies of those of another folder, or none of objects.
    #[error(
        "{}: it lies in a HATS folder of dataproduct_type={kind}, whose rows are no objects of their own: give the folder of the catalogue, or a pattern without {}",
        path.display(), folder.display()
    )]
    NoObjects {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
        /// What it says that it holds.
        kind: String,
    },
    /// A HATS folder without what it needs.
    #[error("{}: expected the partitions of a HATS catalogue: {reason}", path.display())]
    BrokenFolder {
        /// The list of its partitions.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A HATS folder with other rows than it says.
    #[error("{}: {found} rows in its partitions, its properties say {expected}", path.display())]
    RowsOfFolder {
        /// The first partition.
        path: PathBuf,
        /// Rows found.
        found: u64,
        /// Rows stated.
        expected: u64,
    },
    /// A file that a sample names twice.
    #[error("{role}: {} is named twice, so that each of its rows would be there twice: name it once", path.display())]
    NamedTwice {
        /// What the sample is to the command.
        role: String,
        /// The file.
        path: PathBuf,
    },
    /// Rows of a file that are given as their own randoms.
    #[error("{} and {} hold the same rows of {}: name other randoms, or another part of the file by --randoms-where or --randoms-rows", roles[0], roles[1], path.display())]
    OwnRandoms {
        /// What they are to the command.
        roles: [String; 2],
        /// The file.
        path: PathBuf,
    },
    /// A sample of no files.
    #[error("the sample `{0}` has no file")]
    NoFile(String),
    /// Files of one sample with bits of different numbers.
    #[error(
        "bits of one sample differ in number: {} in {}, {} in {}",
        first.0, first.1.display(), second.0, second.1.display()
    )]
    DifferentBits {
        /// A number and its file.
        first: (u32, PathBuf),
        /// Another.
        second: (u32, PathBuf),
    },
    /// Files of one sample with positions of different kinds.
    #[error(
        "positions of one sample are of different kinds: {} in {}, {} in {}; name the columns that all files have, by --positions or --sky",
        first.0, first.1.display(), second.0, second.1.display()
    )]
    DifferentCoordinates {
        /// A kind and its file.
        first: (String, PathBuf),
        /// Another.
        second: (String, PathBuf),
    },
    /// A trajectory in the place of a catalogue.
    #[error("{}: expected a catalogue, found a trajectory ({format}): `albireo rdf` counts the pairs of its frames (of several files, as a pattern in quotes), `albireo field` takes one of them (--frame N)", path.display())]
    Trajectory {
        /// The file.
        path: PathBuf,
        /// What it is.
        format: albireo_catalogs::TrajectoryFormat,
    },
    /// No row is left.
    #[error("{}: the sample is empty: {rows_read} rows were read and none kept", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// Rows read.
        rows_read: u64,
    },
    /// Directions of one sample beside Cartesian positions of another.
    #[error(
        "{0} is on the sky, {1} has Cartesian positions: samples lie in one space: name --sky and --redshift (--randoms-sky..), or --positions, of all of them"
    )]
    MixedPlaces(String, String),
    /// A box for positions around the observer.
    #[error(
        "--box has no meaning for positions on the sky ({columns} of {}): they lie around the observer, not in a periodic box; leave it out",
        path.display()
    )]
    BoxOnSky {
        /// The sky columns.
        columns: String,
        /// Their file.
        path: PathBuf,
    },
    /// A box for directions.
    #[error("--box has no meaning for angles: --statistic theta sees directions only")]
    BoxForAngles,
    /// Files that disagree about their box.
    #[error("the files state different boxes: {first} and {second}; choose by --box")]
    DifferentBoxes {
        /// Where one stands.
        first: String,
        /// Where another does.
        second: String,
    },
    /// A box was asked for that the files do not state.
    #[error("--box file: the file states no box (no attribute such as BoxSize or box/edges)")]
    NoStatedBox,
    /// A region in which a sample has no particle.
    #[error(
        "{}: every region must hold particles of every sample: {region}, one of {of}, holds no {role}; take fewer, larger regions",
        path.display()
    )]
    EmptyRegion {
        /// The file.
        path: PathBuf,
        /// What its sample is to the count.
        role: String,
        /// The first such region.
        region: String,
        /// Number of regions.
        of: u32,
    },
    /// Cartesian positions where directions on the sky are needed.
    #[error(
        "{}: expected positions on the sky, found {columns}: name them by --sky RA,DEC", path.display()
    )]
    NotOnSky {
        /// The file.
        path: PathBuf,
        /// The columns chosen.
        columns: String,
    },
    /// No redshifts where they are needed.
    #[error(
        "{}: expected a column of redshifts, found none of a usual name: name it by --redshift, or `--redshift none` to go without", path.display()
    )]
    NoRedshift {
        /// The file.
        path: PathBuf,
    },
    /// Particles of which something is not known.
    #[error("no `{column}` of the particles is known{} (columns: {}): a file of names, masses and bonds is given by --topology", did_you_mean(column, available), if available.is_empty() { "none".to_owned() } else { available.join(", ") })]
    NoAttribute {
        /// What is asked for.
        column: String,
        /// What is known.
        available: Vec<String>,
    },
    /// Frames whose particles cannot be made.
    #[error(transparent)]
    Frames(#[from] FrameError),
    /// Exclusions along bonds of particles without bonds.
    #[error(
        "no bonds are known: give them by --exclude-pairs FILE, or by a --topology that has them (PSF, PDB with CONECT, GSD)"
    )]
    NoBonds,
    /// A listed pair of particles that there are not.
    #[error("the listed pair {} {} is beyond the {particles} particles of the frame (rows count from 0)", pair[0], pair[1])]
    PairBeyond {
        /// The pair.
        pair: [u32; 2],
        /// Particles of the frame.
        particles: usize,
    },
    /// A topology of other particles.
    #[error("the topology has {topology} particles, the frame has {frame}")]
    OtherTopology {
        /// Particles of the topology.
        topology: usize,
        /// Particles of the frame.
        frame: usize,
    },
    /// A column with too many values to be species.
    #[error(
        "the column `{column}` has {found} values, and at most {most} are species: name another one by --species, or parts by --select"
    )]
    TooManySpecies {
        /// The column.
        column: String,
        /// Its values.
        found: usize,
        /// The most.
        most: usize,
    },
    /// A species that the first frame has not.
    #[error("`{found}` in column `{column}` is no species of the first frame: name it in --pairs")]
    NewSpecies {
        /// The column.
        column: String,
        /// The value.
        found: String,
    },
    /// A box without a plane normal to an axis.
    #[error("a plane normal to {} needs a box with two vectors in it and the third normal to it", .0.name())]
    NoPlane(Axis),
    /// A box that is neither rectangular nor periodic along all its vectors.
    #[error(
        "the box is not rectangular, and open along some of its vectors: such boxes are not counted in; name another one by --box"
    )]
    OpenTriclinic,
    /// A sample that is not there.
    #[error("this needs the sample `{0}`")]
    Missing(String),
    /// The caller asked to stop.
    #[error("the count was interrupted before its end; nothing was kept")]
    Interrupted,
    /// Columns in memory of different lengths.
    #[error("columns of one sample must be equally long: `{}` has {} rows, `{}` has {}", first.0, first.1, second.0, second.1)]
    UnequalColumns {
        /// A column and its rows.
        first: (String, usize),
        /// Another one.
        second: (String, usize),
    },
    /// Two columns in memory of one name.
    #[error("there are two columns `{0}`")]
    SameName(String),
    /// No column in memory at all.
    #[error("a sample in memory needs columns, found none")]
    NoColumns,
    /// Something asked of columns in memory that only files can do.
    #[error("{option} is for files, and {} lies in memory: choose rows and columns before", path.display())]
    ForFiles {
        /// What is asked.
        option: &'static str,
        /// The name of the sample.
        path: PathBuf,
    },
    /// A condition on rows that cannot be read.
    #[error(transparent)]
    Filter(#[from] ExpressionError),
    /// A file that cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// Values that make no particles, or no place for them.
    #[error(transparent)]
    Library(#[from] albireo::Error),
}

impl SampleError {
    /// A column that particles lack.
    pub(crate) fn no_attribute(column: &str, atoms: &Atoms) -> Self {
        Self::NoAttribute {
            column: column.to_owned(),
            available: atoms.names().map(str::to_owned).collect(),
        }
    }

    /// Whether the caller asked for something that has no meaning, or names a thing more than once: the call must change, not the file.
    pub fn is_wrong_call(&self) -> bool {
        match self {
            Self::At { source, .. } => source.is_wrong_call(),
            Self::Repeated { .. }
            | Self::SkyColumns(_)
            | Self::PositionColumns(_)
            | Self::UnusedCosmology { .. }
            | Self::NamedTwice { .. }
            | Self::Units(StatedUnitError::SkyAsLengths(_))
            | Self::OwnRandoms { .. }
            | Self::BoxOnSky { .. }
            | Self::NoBonds
            | Self::ForFiles { .. }
            | Self::Rsd(RsdError::Angles)
            | Self::BoxForAngles => true,
            _ => false,
        }
    }
}

impl From<ClassError> for SampleError {
    fn from(error: ClassError) -> Self {
        Self::Classes(Box::new(error))
    }
}

/// Errors of a stage of the library.
macro_rules! of_the_library {
    ($($error:ty),+) => {
        $(impl From<$error> for SampleError {
            fn from(error: $error) -> Self {
                Self::Library(error.into())
            }
        })+
    };
}

of_the_library!(
    ParticlesError,
    DomainError,
    SkyError,
    RegionsError,
    JobError
);
