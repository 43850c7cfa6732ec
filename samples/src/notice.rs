//! What a reader of samples says besides its result: what was chosen for the user, and what looks wrong but may be meant.
//!
//! Entry: [`Notice`], whose text for people is in `notice_text`. What looks wrong is found in `suspicion`.

use std::path::PathBuf;

use albireo::Axis;
use albireo::cosmology::Cosmology;

use crate::frame_notice::FrameNotice;

/// Something worth saying that is no error. Its text is one line.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// Sky coordinates that would all be allowed in radians; each with its least and largest value.
    Radians {
        /// The file.
        path: PathBuf,
        /// Right ascension.
        ra: (String, [f64; 2]),
        /// Declination.
        dec: (String, [f64; 2]),
    },
    /// Redshifts that are velocities, or marks of missing ones.
    Velocities {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The largest redshift.
        largest: f64,
    },
    /// A column in a unit that its role is not counted in.
    Converted {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The unit that the file states.
        from: String,
        /// The unit of its numbers now.
        to: String,
        /// What they were multiplied by.
        factor: f64,
    },
    /// Positions and boxes in a unit of length other than the one asked for, or than that of the first sample.
    ConvertedLengths {
        /// The file, or the first of a trajectory.
        path: PathBuf,
        /// The unit that it states.
        from: String,
        /// The unit of all samples.
        to: String,
        /// What positions and boxes are multiplied by.
        factor: f64,
    },
    /// Frames that state no unit of length, taken for another one than usual.
    OtherUnit {
        /// The first file.
        path: PathBuf,
        /// The unit that they are taken for.
        unit: String,
        /// The unit that programs usually write in such a file.
        usual: String,
    },
    /// A box in place of the one that the first frame states, and which differs from it.
    OtherBox {
        /// The file.
        path: PathBuf,
        /// The box given, in a few words.
        given: String,
        /// The box stated.
        stated: String,
        /// The unit of the stated one.
        unit: Option<String>,
    },
    /// Positions that lie in a small part of the box.
    SmallPart {
        /// Whose they are: the particles of the first frame of a file, or the rows of one.
        particles: String,
        /// The range of the positions along each axis.
        spans: [f64; 3],
        /// The length of the box along each axis, where it is closed.
        lengths: [Option<f64>; 3],
    },
    /// A universe that nobody lives in.
    NegativeLambda(Cosmology),
    /// Samples with the same positions row by row, under any names.
    SameRows {
        /// What they are to the command.
        roles: [String; 2],
        /// Their files.
        paths: [PathBuf; 2],
        /// Whether the second are the randoms of the first.
        randoms: bool,
    },
    /// Fewer randoms than the data they belong to.
    FewRandoms {
        /// What the data and their randoms are to the command.
        roles: [String; 2],
        /// How many each of them holds.
        rows: [usize; 2],
    },
    /// Distances as small as redshifts.
    SmallDistances {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The largest distance.
        largest: f64,
    },
    /// Columns chosen by their names.
    Guessed {
        /// The file.
        path: PathBuf,
        /// The columns.
        columns: Vec<String>,
        /// What they are.
        meaning: &'static str,
    },
    /// A depth that angles have no use for.
    UnusedDepth {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A column of classes that is not there.
    NoClasses {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A column that is called as weights are.
    UnusedWeight {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// Columns of weights of a survey, and what its papers make of them.
    OfferedWeight {
        /// The file.
        path: PathBuf,
        /// The survey.
        survey: &'static str,
        /// The expression.
        weight: &'static str,
    },
    /// A cosmology that angles have no use for.
    UnusedCosmology,
    /// A stated box that positions on the sky have no use for.
    UnusedBox {
        /// Where it is stated.
        source: String,
    },
    /// A box that is given, beside another that a file states.
    DifferentBox {
        /// The box given, in a few words.
        given: String,
        /// The box stated.
        stated: String,
        /// Where it is stated.
        source: String,
    },
    /// A box taken from a file.
    StatedBox {
        /// The box in a few words.
        space: String,
        /// Where it is stated.
        source: String,
    },
    /// A snapshot whose header states no unit of length.
    NoUnit {
        /// The file.
        path: PathBuf,
    },
    /// Positions that are brought to redshift space.
    Moved {
        /// The file.
        path: PathBuf,
        /// The axis.
        axis: Axis,
        /// The velocities.
        column: String,
        /// What they are multiplied by.
        factor: f64,
        /// The redshift of the snapshot.
        redshift: f64,
    },
    /// Whole numbers that were looked up in a table which does not have them.
    Absent {
        /// The table.
        path: PathBuf,
        /// Its column of keys.
        column: String,
        /// The numbers, rising.
        keys: Vec<i128>,
        /// The rows that have them.
        rows: u64,
        /// What they got.
        value: f64,
    },
    /// How many rows make a sample.
    Rows {
        /// What it is to the command.
        role: String,
        /// Rows kept.
        kept: usize,
        /// Rows read.
        read: u64,
        /// The file.
        path: PathBuf,
    },
    /// What the frames of a trajectory are.
    Frames {
        /// The first of its files.
        path: PathBuf,
        /// Its format.
        format: String,
        /// How many frames are read, where that is known beforehand.
        frames: Option<u64>,
        /// Particles of the first of them, and how many of these (or of their centres) are counted.
        particles: [usize; 2],
        /// Names of the species or selections.
        species: Vec<String>,
        /// The column of the species.
        column: Option<String>,
        /// The box of the first frame in a few words.
        space: String,
        /// The unit of length.
        unit: Option<String>,
        /// The file of the topology.
        topology: Option<PathBuf>,
    },
    /// What is said of the particles of frames.
    OfFrames(FrameNotice),
    /// Positions that were wrapped into the box.
    Wrapped {
        /// What the sample is to the command.
        role: String,
        /// How many.
        wrapped: usize,
        /// Of how many.
        of: usize,
    },
}

impl Notice {
    /// Whether it is a suspicion, rather than word of what was done.
    pub fn is_warning(&self) -> bool {
        if let Self::OfFrames(notice) = self {
            return notice.is_warning();
        }
        matches!(
            self,
            Self::Radians { .. }
                | Self::Velocities { .. }
                | Self::NegativeLambda(_)
                | Self::SameRows { .. }
                | Self::FewRandoms { .. }
                | Self::Absent { .. }
                | Self::SmallDistances { .. }
                | Self::OtherUnit { .. }
                | Self::DifferentBox { .. }
                | Self::OtherBox { .. }
                | Self::SmallPart { .. }
        )
    }
}
