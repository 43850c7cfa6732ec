//! What a reader of samples says besides its result: what was chosen for the user, and what looks wrong but may be meant.
//!
//! Entry: [`Notice`], whose text is for people. What looks wrong is found in `suspicion`.

use std::fmt;
use std::path::PathBuf;

use albireo::Axis;
use albireo::cosmology::Cosmology;
use albireo_catalogs::in_short;

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
    /// Samples with the same positions row by row, under whatever names.
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
                | Self::SmallDistances { .. }
                | Self::OtherUnit { .. }
                | Self::DifferentBox { .. }
                | Self::OtherBox { .. }
                | Self::SmallPart { .. }
        )
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Radians { path, ra, dec } => write!(
                f,
                "{}: `{}` from {} to {} and `{}` from {} to {} look like radians; they are taken as degrees",
                path.display(),
                ra.0,
                in_short(ra.1[0]),
                in_short(ra.1[1]),
                dec.0,
                in_short(dec.1[0]),
                in_short(dec.1[1])
            ),
            Self::Velocities {
                path,
                column,
                largest,
            } => write!(
                f,
                "{}: column `{column}` reaches {}, far beyond any galaxy's redshift: is it cz in km/s? It is taken as z",
                path.display(),
                in_short(*largest)
            ),
            Self::NegativeLambda(cosmology) => write!(
                f,
                "--cosmology: om = {} leaves a negative dark energy density, ol = {}",
                in_short(cosmology.omega_m()),
                in_short(cosmology.omega_lambda())
            ),
            Self::SmallDistances {
                path,
                column,
                largest,
            } => write!(
                f,
                "{}: column `{column}`, the distances, reaches {} only: are these redshifts? --redshift {column} and --cosmology would make distances of them",
                path.display(),
                in_short(*largest)
            ),
            of_roles @ (Self::SameRows { .. } | Self::FewRandoms { .. }) => {
                of_roles.write_of_roles(f)
            }
            Self::OfFrames(notice) => notice.fmt(f),
            of_frames @ (Self::ConvertedLengths { .. }
            | Self::OtherUnit { .. }
            | Self::OtherBox { .. }
            | Self::SmallPart { .. }) => of_frames.write_of_frames(f),
            done => done.write_done(f),
        }
    }
}

impl Notice {
    /// The text of what is about two samples.
    fn write_of_roles(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameRows {
                roles,
                paths,
                randoms,
            } => {
                let consequence = if *randoms {
                    "such an estimate means nothing"
                } else {
                    "each point is also paired with itself"
                };
                write!(
                    f,
                    "{} and {} are the same rows ({}, {}): {consequence}",
                    roles[0],
                    roles[1],
                    paths[0].display(),
                    paths[1].display()
                )
            }
            Self::FewRandoms { roles, rows } => write!(
                f,
                "{}: {} rows, fewer than the {} of {}: are the two swapped? Randoms should be many times as many",
                roles[1], rows[1], rows[0], roles[0]
            ),
            _ => Ok(()),
        }
    }
}

impl Notice {
    /// The text of what is about frames of trajectories.
    fn write_of_frames(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConvertedLengths {
                path,
                from,
                to,
                factor,
            } => write!(
                f,
                "{}: lengths in {from}: multiplied by {} to {to}",
                path.display(),
                in_short(*factor)
            ),
            Self::OtherUnit { path, unit, usual } => write!(
                f,
                "{} states no unit of length, and such files are usually in {usual}: its numbers are taken for {unit}, not converted",
                path.display()
            ),
            Self::OtherBox {
                path,
                given,
                stated,
                unit,
            } => write!(
                f,
                "--box {given} is used, but the first frame of {} states {stated}{}{}",
                path.display(),
                if unit.is_some() { " " } else { "" },
                unit.as_deref().unwrap_or_default()
            ),
            Self::SmallPart {
                particles,
                spans,
                lengths,
            } => {
                let axes = ["x", "y", "z"].iter().zip(spans).zip(lengths);
                let each = axes.filter_map(|((axis, span), length)| {
                    let (span, length) = (in_short(*span), in_short((*length)?));
                    Some(format!("{span} of {length} along {axis}"))
                });
                let each: Vec<String> = each.collect();
                write!(
                    f,
                    "{particles} fill {} of the box: are both in one unit?",
                    each.join(", ")
                )
            }
            _ => Ok(()),
        }
    }
}

impl Notice {
    /// The text of what was done.
    fn write_done(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guessed {
                path,
                columns,
                meaning,
            } => write!(
                f,
                "{}: positions from the columns {} ({meaning})",
                path.display(),
                columns.join(", ")
            ),
            Self::UnusedDepth { path, column } => write!(
                f,
                "{}: angles need positions on the sky only: column `{column}` is not used",
                path.display()
            ),
            Self::UnusedWeight { path, column } => write!(
                f,
                "{}: column `{column}` looks like a weight and is not used; --weight {column} would",
                path.display()
            ),
            Self::OfferedWeight {
                path,
                survey,
                weight,
            } => write!(
                f,
                "{}: its columns of weights are not used; those of {survey} would be --weight '{weight}'",
                path.display()
            ),
            Self::Converted {
                path,
                column,
                from,
                to,
                factor,
            } => write!(
                f,
                "{}: column `{column}` is in {from}: multiplied by {} to {to}",
                path.display(),
                in_short(*factor)
            ),
            Self::UnusedCosmology => {
                f.write_str("angles need positions on the sky only: --cosmology is not used")
            }
            Self::UnusedBox { source } => write!(
                f,
                "the box is not used ({source}): positions on the sky lie around the observer"
            ),
            Self::DifferentBox {
                given,
                stated,
                source,
            } => write!(
                f,
                "--box is {given}, but the file states {stated} ({source}): are both in one unit?"
            ),
            Self::Moved {
                path,
                axis,
                column,
                factor,
                redshift,
            } => write!(
                f,
                "{}: in redshift space along {}: {factor} times `{column}` is added (redshift {redshift})",
                path.display(),
                axis.name()
            ),
            Self::NoUnit { path } => write!(
                f,
                "{}: its header states no unit of length (UnitLength_in_cm): positions and box are as in the file, and --unit names their unit, such as kpc/h",
                path.display()
            ),
            Self::StatedBox { space, source } => {
                write!(f, "box: {space}, from {source}; --box none for open space")
            }
            Self::Frames { .. } => self.write_frames(f),
            Self::Rows {
                role,
                kept,
                read,
                path,
            } => write!(f, "{role}: {kept} of {read} rows of {}", path.display()),
            Self::Wrapped { role, wrapped, of } => write!(
                f,
                "{role}: {wrapped} of {of} positions were outside the box and are wrapped into it"
            ),
            Self::Radians { .. }
            | Self::Velocities { .. }
            | Self::NegativeLambda(_)
            | Self::SameRows { .. }
            | Self::FewRandoms { .. }
            | Self::SmallDistances { .. }
            | Self::OfFrames(_)
            | Self::ConvertedLengths { .. }
            | Self::OtherUnit { .. }
            | Self::OtherBox { .. }
            | Self::SmallPart { .. } => Ok(()),
        }
    }
}

impl Notice {
    /// The text of what frames are.
    fn write_frames(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Frames {
            path,
            format,
            frames,
            particles: [all, counted],
            species,
            column,
            space,
            unit,
            topology,
        } = self
        else {
            return Ok(());
        };
        let frames = match frames {
            Some(1) => "1 frame".to_owned(),
            Some(frames) => format!("{frames} frames"),
            None => "frames".to_owned(),
        };
        write!(f, "{}: {format}, {frames} of {all} atoms", path.display())?;
        if counted != all {
            write!(f, " ({counted} counted)")?;
        }
        write!(f, "; species {}", species.join(", "))?;
        if let Some(column) = column {
            write!(f, " by column `{column}`")?;
        }
        write!(f, "; {space}; {}", unit.as_deref().unwrap_or("no unit"))?;
        match topology {
            Some(topology) => write!(f, "; topology {}", topology.display()),
            None => Ok(()),
        }
    }
}
