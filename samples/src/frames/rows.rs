//! Whether the rows of frames are the same particles, which is what pairs between frames are found by.
//!
//! Entry: [`SameRows`]; [`alike`] and [`AskedAgain`] of conditions that are asked once for frames of the same particles.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use albireo_catalogs::{Atoms, Attribute, Frame, TrajectoryFormat};

use super::chosen::USUAL;
use super::columns::MOVING;
use super::{FrameReading, NumberedFrame, Species, at};
use crate::error::{Result, SampleError};
use crate::notice::Notice;

/// The column that says which particle a row is.
const ID: &str = "id";

/// Looks at frames one after the other.
#[derive(Debug, Default)]
pub struct SameRows {
    first: Option<Arc<Atoms>>,
}

impl SameRows {
    /// What is to be said before frames of this format, of which this is the first, are compared.
    pub fn doubt(format: &str, first: &NumberedFrame) -> Option<Notice> {
        let is_dump = format == TrajectoryFormat::LammpsDump.to_string();
        let is_bare = is_dump && first.frame.atoms.get(ID).is_none();
        is_bare.then(|| {
            Notice::warning(format!(
                "{}: particles have no column `id`, and LAMMPS writes them in any order: --lags takes the rows of all frames for the same particles, \
                 which is right after `dump_modify sort` alone",
                first.path.display()
            ))
        })
    }

    /// Refuses a frame of whose rows one is another particle than in the first: by their ids, else by their names.
    ///
    /// # Errors
    /// [`SampleError::Input`] with the column, the row and both values.
    pub fn check(&mut self, frame: &NumberedFrame) -> Result<()> {
        let now = &frame.frame.atoms;
        let first = self.first.get_or_insert_with(|| Arc::clone(now));
        // Frames of other numbers are refused where they are compared.
        if Arc::ptr_eq(first, now) || first.len() != now.len() {
            return Ok(());
        }
        let columns = if now.get(ID).is_some() {
            &[ID][..]
        } else {
            &USUAL[..]
        };
        for column in columns {
            let both = (first.get(column), now.get(column));
            if let (Some(before), Some(after)) = both
                && let Some(row) = first_other(before, after)
            {
                let [before, after] = [before, after].map(|of| value(of, row));
                return Err(SampleError::Input(format!(
                    "{}: row {row} (from 0) has `{column}` {after}, and {before} in the first frame: --lags takes the rows of all frames for the same \
                     particles, so these must stand in the same order in each",
                    at(frame)
                )));
            }
        }
        Ok(())
    }
}

/// The first row whose values differ.
fn first_other(before: &Attribute, after: &Attribute) -> Option<usize> {
    if before == after {
        return None;
    }
    (0..before.len()).find(|&row| value(before, row) != value(after, row))
}

fn value(attribute: &Attribute, row: usize) -> String {
    match attribute {
        Attribute::Texts { texts, codes } => texts[codes[row] as usize].clone(),
        Attribute::Integers(values) => values[row].to_string(),
        Attribute::Numbers(values) => values[row].to_string(),
        _ => String::new(),
    }
}

/// Whether particles are those of another frame.
pub(super) fn same(one: &Arc<Atoms>, other: &Arc<Atoms>) -> bool {
    Arc::ptr_eq(one, other) || **one == **other
}

/// The same but for their velocities and forces.
pub(super) fn alike(one: &Arc<Atoms>, other: &Arc<Atoms>) -> bool {
    let lasting = |atoms: &Arc<Atoms>| {
        let names = atoms.names().filter(|name| !MOVING.contains(name));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let alike = || {
        let names = lasting(one);
        let each = || names.iter().all(|name| one.get(name) == other.get(name));
        one.len() == other.len()
            && one.bonds() == other.bonds()
            && names == lasting(other)
            && each()
    };
    Arc::ptr_eq(one, other) || alike()
}

/// A frame behind the first in which conditions were asked though nobody asked for that, its particles being others.
#[derive(Debug, Default)]
pub(super) struct AskedAgain(OnceLock<Notice>);

impl AskedAgain {
    /// Notes that the conditions of `reading`, where it has any, are asked in this frame.
    pub(super) fn pass(&self, reading: &FrameReading, frame: &Frame, path: &Path) {
        let named = matches!(reading.species, Species::Conditions(_));
        if reading.update || !(named || reading.filter.is_some()) {
            return;
        }
        self.0.get_or_init(|| {
            Notice::note(format!(
                "{}: frame {}: the particles or their columns differ from those of the frame before, so conditions are asked in every such frame, \
                 not in the first alone",
                path.display(),
                frame.number
            ))
        });
    }

    pub(super) fn notice(&self) -> Option<&Notice> {
        self.0.get()
    }
}
