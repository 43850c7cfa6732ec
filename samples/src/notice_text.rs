//! The lines that notices are printed as.
//!
//! Entry: what [`Notice`] displays.

use std::fmt;

use albireo_catalogs::in_short;

use crate::notice::Notice;

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
    /// The text of how many rows were kept, or had no value in a table.
    fn write_rows(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows {
                role,
                kept,
                read,
                path,
            } => write!(f, "{role}: {kept} of {read} rows of {}", path.display()),
            Self::Absent {
                path,
                column,
                keys,
                rows,
                value,
            } => {
                let some: Vec<String> = keys.iter().take(3).map(i128::to_string).collect();
                let more = if keys.len() > some.len() { ", .." } else { "" };
                write!(
                    f,
                    "{}: {rows} rows of {} classes that column `{column}` does not have ({}{more}) got {value}",
                    path.display(),
                    keys.len(),
                    some.join(", ")
                )
            }
            _ => Ok(()),
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
                    let four_digits = format!("{span:.3e}").parse().unwrap_or(*span);
                    let (span, length) = (in_short(four_digits), in_short((*length)?));
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
            Self::NoClasses { path, column } => write!(
                f,
                "{}: there is no column `{column}`: its objects are of one class",
                path.display()
            ),
            Self::UnusedWeight { path, column } => write!(
                f,
                "{}: column `{column}` looks like a weight and is not used: --weight {column} uses it",
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
            Self::Rows { .. } | Self::Absent { .. } => self.write_rows(f),
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
