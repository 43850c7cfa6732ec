//! What a reader of samples says besides its result: what was chosen for the user, and what looks wrong but may be meant.
//!
//! Entry: [`Notice`], whose text is stated as those of errors are. What looks wrong is found in `suspicion`.

use std::path::PathBuf;

use albireo::Axis;
use albireo::cosmology::Cosmology;
use albireo_catalogs::in_short;
use thiserror::Error;

use crate::frame_notice::FrameNotice;
use crate::sample_notice::SampleNotice;
use crate::shown::four_digits;

/// Something worth saying that is no error. Its text is one line.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Notice {
    /// Sky coordinates that would all be allowed in radians; each with its least and largest value.
    #[error(
        "{}: `{}` from {} to {} and `{}` from {} to {} look like radians; they are taken as degrees",
        path.display(), ra.0, in_short(ra.1[0]), in_short(ra.1[1]), dec.0, in_short(dec.1[0]),
        in_short(dec.1[1])
    )]
    Radians {
        /// The file.
        path: PathBuf,
        /// Right ascension.
        ra: (String, [f64; 2]),
        /// Declination.
        dec: (String, [f64; 2]),
    },
    /// Right ascensions of all hours of the day; each coordinate with its least and largest value.
    #[error(
        "{}: `{}` from {} to {}, where `{}` is from {} to {}, looks like hours; it is taken as degrees: --sky '15*{},{}' if it is",
        path.display(), ra.0, in_short(ra.1[0]), in_short(ra.1[1]), dec.0, in_short(dec.1[0]),
        in_short(dec.1[1]), ra.0, dec.0
    )]
    Hours {
        /// The file.
        path: PathBuf,
        /// Right ascension.
        ra: (String, [f64; 2]),
        /// Declination.
        dec: (String, [f64; 2]),
    },
    /// Redshifts that are velocities, or marks of missing ones.
    #[error(
        "{}: column `{column}` reaches {}, far beyond any galaxy's redshift: is it cz in km/s? It is taken as z",
        path.display(), in_short(*largest)
    )]
    Velocities {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The largest redshift.
        largest: f64,
    },
    /// A column in a unit that its role is not counted in.
    #[error("{}: column `{column}` is in {from}: multiplied by {} to {to}", path.display(), in_short(*factor))]
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
    #[error("{}: lengths in {from}: multiplied by {} to {to}", path.display(), in_short(*factor))]
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
    #[error(
        "{} states no unit of length, and such files are usually in {usual}: its numbers are taken for {unit}, not converted",
        path.display()
    )]
    OtherUnit {
        /// The first file.
        path: PathBuf,
        /// The unit that they are taken for.
        unit: String,
        /// The unit that programs usually write in such a file.
        usual: String,
    },
    /// A box in place of the one that the first frame states, and which differs from it.
    #[error(
        "--box {given} is used, but the first frame of {} states {stated}{}{}",
        path.display(), if unit.is_some() { " " } else { "" }, unit.as_deref().unwrap_or_default()
    )]
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
    /// One box for frames whose own boxes change.
    #[error(
        "{frame}: the box that frames state changes, from {first} in the first to {found} here, and --box is one for all of them: leave it out where theirs are right"
    )]
    ChangingBox {
        /// The first frame that states another box, with its file.
        frame: String,
        /// The box that the first frame states.
        first: String,
        /// The one that this frame states.
        found: String,
    },
    /// Positions that lie in a small part of the box.
    #[error(
        "{particles} fill {} of the box: are both in one unit?",
        parts_of(spans, lengths)
    )]
    SmallPart {
        /// Whose they are: the particles of the first frame of a file, or the rows of one.
        particles: String,
        /// The range of the positions along each axis.
        spans: [f64; 3],
        /// The length of the box along each axis, where it is closed.
        lengths: [Option<f64>; 3],
    },
    /// A universe that nobody lives in.
    #[error(
        "--cosmology: om = {} leaves a negative dark energy density, ol = {}",
        in_short(.0.omega_m()), in_short(.0.omega_lambda())
    )]
    NegativeLambda(Cosmology),
    /// Objects in the place of the observer.
    #[error(
        "{}: column `{column}` is 0 in {rows} of {of} rows, which puts them at the observer: marks of missing values are left out by --where",
        path.display()
    )]
    AtObserver {
        /// The file.
        path: PathBuf,
        /// The column of redshifts or distances.
        column: String,
        /// How many.
        rows: usize,
        /// Of how many.
        of: usize,
    },
    /// Positions that span more than the box along all of its axes.
    #[error(
        "{particles} span {} of the box, into which they are wrapped: is it their box, in their unit?",
        parts_of(spans, lengths)
    )]
    WidePart {
        /// Whose they are, as of [`Notice::SmallPart`].
        particles: String,
        /// The range of the positions along each axis.
        spans: [f64; 3],
        /// The length of the box along each axis.
        lengths: [Option<f64>; 3],
    },
    /// Distances as small as redshifts.
    #[error(
        "{}: column `{column}`, the distances, reaches {} only: are these redshifts? --redshift {column} and --cosmology would make distances of \
         them",
        path.display(), in_short(*largest)
    )]
    SmallDistances {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The largest distance.
        largest: f64,
    },
    /// Columns chosen by their names.
    #[error("{}: positions from the columns {} ({meaning})", path.display(), columns.join(", "))]
    Guessed {
        /// The file.
        path: PathBuf,
        /// The columns.
        columns: Vec<String>,
        /// What they are.
        meaning: &'static str,
    },
    /// A depth that angles have no use for.
    #[error("{}: angles need positions on the sky only: column `{column}` is not used", path.display())]
    UnusedDepth {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A column of classes that is not there.
    #[error("{}: there is no column `{column}`: its objects are of one class", path.display())]
    NoClasses {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A column that is called as weights are.
    #[error("{}: column `{column}` looks like a weight and is not used: --weight {column} uses it", path.display())]
    UnusedWeight {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// Columns of weights of a survey, and what its papers make of them.
    #[error("{}: its columns of weights are not used; those of {survey} would be --weight '{weight}'", path.display())]
    OfferedWeight {
        /// The file.
        path: PathBuf,
        /// The survey.
        survey: &'static str,
        /// The expression.
        weight: &'static str,
    },
    /// A cosmology that angles have no use for.
    #[error("angles need positions on the sky only: --cosmology is not used")]
    UnusedCosmology,
    /// A stated box that positions on the sky have no use for.
    #[error("the box is not used ({place}): positions on the sky lie around the observer")]
    UnusedBox {
        /// Where it is stated.
        place: String,
    },
    /// A box that is given, beside another that a file states.
    #[error("--box is {given}, but the file states {stated} ({place}): are both in one unit?")]
    DifferentBox {
        /// The box given, in a few words.
        given: String,
        /// The box stated.
        stated: String,
        /// Where it is stated.
        place: String,
    },
    /// A box taken from a file.
    #[error("box: {space}, from {place}; --box none for open space")]
    StatedBox {
        /// The box in a few words.
        space: String,
        /// Where it is stated.
        place: String,
    },
    /// A snapshot whose header states no unit of length.
    #[error(
        "{}: its header states no unit of length (UnitLength_in_cm): positions and box are as in the file, and --unit names their unit, such as \
         kpc/h",
        path.display()
    )]
    NoUnit {
        /// The file.
        path: PathBuf,
    },
    /// Positions that are brought to redshift space.
    #[error(
        "{}: in redshift space along {}: {factor} times `{column}` is added (redshift {redshift})",
        path.display(), axis.name()
    )]
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
    #[error(
        "{}: {rows} rows of {} classes that column `{column}` does not have ({}) got {value}",
        path.display(), keys.len(), first_of(keys)
    )]
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
    #[error("{role}: {kept} of {read} rows of {}", path.display())]
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
    #[error(
        "{}: {format}, {} of {}; species {}{}; {space}; {}{}",
        path.display(), number_of(*frames), atoms(*particles), species.join(", "),
        column.as_ref().map(|column| format!(" by column `{column}`")).unwrap_or_default(),
        unit.as_deref().unwrap_or("no unit"),
        topology.as_ref().map(|topology| format!("; topology {}", topology.display())).unwrap_or_default()
    )]
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
    #[error(transparent)]
    OfFrames(FrameNotice),
    /// What is said of the objects of samples.
    #[error(transparent)]
    OfSamples(#[from] SampleNotice),
    /// Positions that were wrapped into the box.
    #[error("{role}: {wrapped} of {of} positions were outside the box and are wrapped into it")]
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
                | Self::Hours { .. }
                | Self::Velocities { .. }
                | Self::NegativeLambda(_)
                | Self::OfSamples(_)
                | Self::AtObserver { .. }
                | Self::WidePart { .. }
                | Self::Absent { .. }
                | Self::SmallDistances { .. }
                | Self::OtherUnit { .. }
                | Self::DifferentBox { .. }
                | Self::OtherBox { .. }
                | Self::ChangingBox { .. }
                | Self::SmallPart { .. }
        )
    }
}

/// How much of each axis of the box positions fill.
fn parts_of(spans: &[f64; 3], lengths: &[Option<f64>; 3]) -> String {
    let axes = ["x", "y", "z"].iter().zip(spans).zip(lengths);
    let each = axes.filter_map(|((axis, span), length)| {
        let (span, length) = (in_short(four_digits(*span)), in_short((*length)?));
        Some(format!("{span} of {length} along {axis}"))
    });
    each.collect::<Vec<_>>().join(", ")
}

/// The first of some numbers.
fn first_of(keys: &[i128]) -> String {
    let some: Vec<String> = keys.iter().take(3).map(i128::to_string).collect();
    let more = if keys.len() > some.len() { ", .." } else { "" };
    some.join(", ") + more
}

fn number_of(frames: Option<u64>) -> String {
    match frames {
        Some(1) => "1 frame".to_owned(),
        Some(frames) => format!("{frames} frames"),
        None => "frames".to_owned(),
    }
}

/// All particles, and those that are counted where these are others.
fn atoms([all, counted]: [usize; 2]) -> String {
    let counted = (counted != all).then(|| format!(" ({counted} counted)"));
    format!("{all} atoms{}", counted.unwrap_or_default())
}
