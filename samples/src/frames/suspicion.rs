//! What looks wrong about the first frame of a trajectory: boxes that it does not suit, as of another unit, and numbers of molecules.
//!
//! Entry: [`FrameChoice::suspicions`].

use albireo_catalogs::Cell;

use super::centres::Molecules;
use super::molecules::Numbering;
use super::{Exclusion, FrameChoice, NumberedFrame};
use crate::frame_notice::FrameNotice;
use crate::notice::Notice;
use crate::space::{BoxSpec, Rows, differ};

/// Particles that fill less than this part of the box along an axis, but lie in no plane.
const THIN: f64 = 0.01;
/// The same along all axes: between nm and Angstrom is a tenth.
const SMALL: f64 = 0.11;

/// Columns that number molecules and residues, whose atoms are near each other.
const NUMBERED: [&str; 2] = ["molecule", "resid"];

impl FrameChoice {
    /// What looks wrong about the first frame and the box that it is counted in.
    pub fn suspicions(&self, first: &NumberedFrame, unit: Option<&str>) -> Vec<Notice> {
        let mut found: Vec<Notice> = self.used_again(first).into_iter().collect();
        found.extend(self.wide_groups(first));
        found.extend(self.unused_topology(first));
        let guessed = self.guesses.iter().map(|guess| {
            Notice::OfFrames(FrameNotice::MadeOfNames {
                path: first.path.clone(),
                column: guess.column,
                of_names: guess.of_names.clone(),
            })
        });
        found.extend(guessed);
        let given = self.reading.space.and_then(rows);
        let stated = first.frame.cell.as_ref().map(Cell::vectors);
        if let (Some(given), Some(stated)) = (given, stated)
            && differ(&given, &stated.map(Some))
        {
            found.push(Notice::OtherBox {
                path: first.path.clone(),
                given: text(&given),
                stated: text(&stated.map(Some)),
                unit: unit.map(str::to_owned),
            });
        }
        let of_cell = || {
            let cell = first.frame.cell.as_ref()?;
            let vectors = cell.vectors();
            Some([0, 1, 2].map(|k| cell.periodic()[k].then_some(vectors[k])))
        };
        let file = matches!(self.reading.space, None | Some(BoxSpec::File));
        let rows = given.or_else(|| of_cell().filter(|_| file));
        found.extend(rows.and_then(|rows| self.small_part(first, &rows)));
        found
    }

    /// Numbers of molecules that begin again.
    fn used_again(&self, first: &NumberedFrame) -> Option<Notice> {
        let Numbering::UsedAgain {
            numbers,
            molecules,
            molecule,
            distance,
            half,
        } = &self.numbering
        else {
            return None;
        };
        Some(Notice::OfFrames(FrameNotice::NumbersUsedAgain {
            path: first.path.clone(),
            column: self.reading.centres.clone()?,
            numbers: *numbers,
            molecules: *molecules,
            molecule: molecule.clone(),
            distance: *distance,
            half: *half,
        }))
    }

    /// Molecules whose pairs are left out, and which seem to be several of one number.
    fn wide_groups(&self, first: &NumberedFrame) -> Option<Notice> {
        let reading = &self.reading;
        let columns = reading
            .excluded
            .iter()
            .filter_map(|excluded| match excluded {
                Exclusion::Within(column) => Some(column),
                _ => None,
            });
        let mut columns = columns.filter(|column| NUMBERED.contains(&column.as_str()));
        let column = columns.next().filter(|_| reading.centres.is_none())?;
        // What is wrong with the column or the box is an error where particles are chosen.
        let atoms = self.merged(&first.frame).ok()?;
        let domain = reading.domain(first.frame.cell.as_ref()).ok()?;
        let molecules = Molecules::of(&first.frame.positions, &atoms, column, &domain).ok()?;
        let Numbering::UsedAgain {
            molecule,
            distance,
            half,
            ..
        } = molecules.numbering()
        else {
            return None;
        };
        Some(Notice::OfFrames(FrameNotice::WideGroup {
            path: first.path.clone(),
            column: column.clone(),
            molecule,
            distance,
            half,
        }))
    }

    /// A topology that tells nothing that frames do not.
    fn unused_topology(&self, first: &NumberedFrame) -> Option<Notice> {
        let topology = self.reading.topology.as_ref()?;
        let own = &first.frame.atoms;
        let is_new = |name: &str| own.get(name).is_none();
        if !topology.bonds().is_empty() || topology.names().any(is_new) {
            return None;
        }
        Some(Notice::OfFrames(FrameNotice::UnusedTopology {
            path: first.path.clone(),
            columns: topology.names().map(str::to_owned).collect(),
        }))
    }

    /// Particles that lie in a small part of the box.
    fn small_part(&self, first: &NumberedFrame, rows: &Rows) -> Option<Notice> {
        if first.frame.len() < 2 {
            return None;
        }
        let flat = self.reading.flat.map(albireo::Axis::index);
        let length = |axis: usize| {
            let along: f64 = rows.iter().flatten().map(|row| row[axis].abs()).sum();
            (along > 0.0 && flat != Some(axis)).then_some(along)
        };
        let lengths = [0, 1, 2].map(length);
        let spans = first.frame.positions.each_ref().map(|axis| {
            let least = axis.iter().copied().fold(f64::INFINITY, f64::min);
            axis.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least
        });
        let parts = spans.iter().zip(&lengths);
        let parts = parts.filter_map(|(span, length)| Some(span / (*length)?));
        // All in one plane, or in one place, is meant.
        let parts: Vec<f64> = parts.filter(|part| *part > 0.0).collect();
        let thin = parts.iter().any(|&part| part < THIN);
        let small = parts.len() == 3 && parts.iter().all(|&part| part < SMALL);
        (thin || small).then(|| Notice::SmallPart {
            path: first.path.clone(),
            spans,
            lengths,
        })
    }
}

/// The vectors of a box that is given; `None` along open axes.
fn rows(space: BoxSpec) -> Option<Rows> {
    match space {
        BoxSpec::Lengths(lengths) => Some([0, 1, 2].map(|k| {
            let mut row = [0.0; 3];
            row[k] = lengths[k]?;
            Some(row)
        })),
        BoxSpec::Vectors(vectors) => Some(vectors.map(Some)),
        BoxSpec::Open | BoxSpec::File => None,
    }
}

/// As --box takes it.
fn text(rows: &Rows) -> String {
    let number = |value: f64| format!("{}", (value * 1e6).round() / 1e6);
    let is_rectangular =
        (0..3).all(|k| rows[k].is_none_or(|row| (0..3).all(|j| j == k || row[j] == 0.0)));
    let numbers: Vec<String> = if is_rectangular {
        let length = |k: usize| rows[k].map_or("none".to_owned(), |row| number(row[k]));
        (0..3).map(length).collect()
    } else {
        rows.iter()
            .flatten()
            .flatten()
            .map(|&v| number(v))
            .collect()
    };
    numbers.join(",")
}
