//! `NetCDF` by the AMBER convention: trajectories and restart files, of `NetCDF`-3 (all three kinds) and `NetCDF`-4.
//!
//! Entry: [`open`]. <https://ambermd.org/netcdf/nctraj.xhtml>. Values are multiplied by `scale_factor` where there is one; the unit of length is what
//! the file says, Angstrom if it says nothing.

mod classic;
#[cfg(feature = "hdf5")]
mod hdf5;
mod variable;

use std::path::Path;
use std::sync::Arc;

use super::bytes::Bytes;
use super::format::{TrajectoryFormat, TrajectoryRequest};
use super::head::Head;
use super::{Atoms, Cell, Frame, Trajectory};
use crate::error::CatalogError;
use crate::stop::Stop;
use variable::{Store, Variable};

pub(super) fn matches(head: &Head<'_>) -> bool {
    let classic =
        head.bytes.starts_with(b"CDF") && head.bytes.get(3).is_some_and(|kind| *kind < 16);
    #[cfg(feature = "hdf5")]
    let classic = classic || hdf5::matches(head);
    classic
}

pub(super) fn open(
    head: &Head<'_>,
    _: &TrajectoryRequest,
    stop: Stop,
) -> Result<Box<dyn Trajectory>, CatalogError> {
    #[cfg(feature = "hdf5")]
    if hdf5::matches(head) {
        let store = hdf5::Hdf5::open(head, stop)?;
        return Ok(Box::new(Amber::of(Box::new(store))?));
    }
    let bytes = Bytes::open(head, TrajectoryFormat::AmberNetCdf, stop)?;
    let store = classic::Classic::read(bytes)?;
    Ok(Box::new(Amber::of(Box::new(store))?))
}

/// A trajectory by the AMBER convention.
struct Amber {
    store: Box<dyn Store>,
    coordinates: Variable,
    /// Lengths and angles.
    cell: Option<[Variable; 2]>,
    time: Option<Variable>,
    unit: String,
    frames: u64,
    atoms: Arc<Atoms>,
    number: u64,
}

impl Amber {
    fn of(mut store: Box<dyn Store>) -> Result<Self, CatalogError> {
        let path = store.path().to_owned();
        let corrupt = |detail: String| CatalogError::corrupt(&path, format!("header: {detail}"));
        let unsupported = |what: String, advice: &str| CatalogError::Unsupported {
            path: path.clone(),
            what,
            advice: advice.to_owned(),
        };
        let convention = store.convention().unwrap_or_default();
        let amber = |name: &str| ["AMBER", "AMBERRESTART"].contains(&name);
        if !convention.split([',', ' ']).any(amber) {
            let what = format!("NetCDF of the convention `{convention}`");
            return Err(unsupported(
                what,
                "AMBER's is read: Conventions = \"AMBER\"",
            ));
        }
        let coordinates = store.variable("coordinates")?;
        let coordinates = coordinates.ok_or_else(|| corrupt("no variable `coordinates`".into()))?;
        let atoms = coordinates.vectors_of(3).map_err(&corrupt)?;
        let [lengths, angles] = [
            store.variable("cell_lengths")?,
            store.variable("cell_angles")?,
        ];
        let cell = match (lengths, angles) {
            (Some(lengths), Some(angles)) => Some([lengths, angles]),
            (None, None) => None,
            _ => {
                return Err(corrupt(
                    "one of `cell_lengths` and `cell_angles` is missing".into(),
                ));
            }
        };
        for variable in cell.iter().flatten() {
            variable.one_vector_of(3).map_err(&corrupt)?;
        }
        if let Some([lengths, angles]) = &cell {
            let named = angles.unit.as_deref().unwrap_or("degree");
            if !named.starts_with("deg") {
                return Err(unsupported(
                    format!("angles in `{named}`"),
                    "AMBER's are in degrees",
                ));
            }
            let units =
                [lengths, &coordinates].map(|variable| length_unit(variable.unit.as_deref()));
            if units[0] != units[1] {
                let what = format!("a box in {} around positions in {}", units[0], units[1]);
                return Err(unsupported(what, "write both in one unit"));
            }
        }
        let frames = if coordinates.framed {
            store.frames()
        } else {
            1
        };
        Ok(Self {
            unit: length_unit(coordinates.unit.as_deref()),
            time: store.variable("time")?,
            atoms: Arc::new(Atoms::new(atoms)),
            number: 0,
            store,
            coordinates,
            cell,
            frames,
        })
    }

    fn cell(&mut self) -> Result<Option<Cell>, CatalogError> {
        let Some([lengths, angles]) = &self.cell else {
            return Ok(None);
        };
        let three = |values: Vec<f64>| <[f64; 3]>::try_from(values).unwrap_or([f64::NAN; 3]);
        let lengths = three(self.store.read(lengths, self.number)?);
        let angles = three(self.store.read(angles, self.number)?);
        if lengths == [0.0; 3] {
            return Ok(None);
        }
        let cell = Cell::from_lengths_and_angles(lengths, angles);
        let corrupt = |wrong| {
            let detail = format!("frame {}: no box: {wrong}", self.number);
            CatalogError::corrupt(self.store.path(), detail)
        };
        cell.map_err(corrupt).map(Some)
    }
}

/// The unit by its usual name where it has one.
fn length_unit(named: Option<&str>) -> String {
    match named.map(|name| name.trim().trim_end_matches('\0')) {
        None | Some("" | "angstrom" | "angstroms" | "Angstrom" | "Angstroms" | "A") => "Angstrom",
        Some("nm" | "nanometer" | "nanometers" | "nanometre") => "nm",
        Some(other) => other,
    }
    .to_owned()
}

impl Trajectory for Amber {
    fn format(&self) -> TrajectoryFormat {
        TrajectoryFormat::AmberNetCdf
    }

    fn path(&self) -> &Path {
        self.store.path()
    }

    fn unit(&self) -> Option<&str> {
        Some(&self.unit)
    }

    fn frames(&self) -> Option<u64> {
        Some(self.frames)
    }

    fn next_frame(&mut self) -> Result<Option<Frame>, CatalogError> {
        if self.number >= self.frames {
            return Ok(None);
        }
        let cell = self.cell()?;
        let stored = self.store.read(&self.coordinates, self.number)?;
        let time = match &self.time {
            Some(time) => self.store.read(time, self.number)?.first().copied(),
            None => None,
        };
        let axis = |k: usize| stored.iter().skip(k).step_by(3).copied().collect();
        let frame = Frame {
            number: self.number,
            step: None,
            time,
            cell,
            positions: [axis(0), axis(1), axis(2)],
            atoms: Arc::clone(&self.atoms),
        };
        self.number += 1;
        Ok(Some(frame))
    }

    fn skip(&mut self, frames: u64) -> Result<u64, CatalogError> {
        let passed = frames.min(self.frames - self.number);
        self.number += passed;
        Ok(passed)
    }
}
