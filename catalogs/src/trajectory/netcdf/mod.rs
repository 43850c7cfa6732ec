//! `NetCDF` by the AMBER convention: trajectories and restart files, of `NetCDF`-3 (all three kinds) and `NetCDF`-4.
//!
//! Entry: [`open`]. LAMMPS and ASE add the corner of the box and whole numbers of each atom. <https://ambermd.org/netcdf/nctraj.xhtml>. Values are multiplied by `scale_factor` where there is one; the unit of length is what
//! the file says, Angstrom if it says nothing. Velocities and forces are read where they are asked for, in Angstrom/ps and kcal/mol/Angstrom.

mod classic;
#[cfg(feature = "hdf5")]
mod hdf5;
mod variable;
mod vectors;

use std::sync::Arc;

use super::bytes::Bytes;
use super::column::share;
use super::format::{TrajectoryFormat, TrajectoryRequest};
use super::head::Head;
use super::numbered::{ByNumber, Numbered};
use super::{Atoms, Attribute, Cell, Frame, Trajectory};
use crate::error::{CatalogError, Result};
use variable::{Store, Variable};
use vectors::Vectors;

/// Whole numbers of each atom: their names in the file and here.
const COLUMNS: [(&str, &str); 4] = [
    ("id", "id"),
    ("type", "type"),
    ("atom_types", "type"),
    ("mol", "molecule"),
];

pub(super) fn matches(head: &Head<'_>) -> bool {
    let classic =
        head.bytes.starts_with(b"CDF") && head.bytes.get(3).is_some_and(|kind| *kind < 16);
    #[cfg(feature = "hdf5")]
    let classic = classic || hdf5::matches(head);
    classic
}

pub(super) fn open(head: &Head<'_>, request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let mut amber = Amber::of(store(head)?)?;
    if request.velocities {
        amber.vectors = vectors::find(amber.store.as_mut(), &amber.coordinates)?;
    }
    Ok(ByNumber::open(head, amber))
}

fn store(head: &Head<'_>) -> Result<Box<dyn Store>> {
    #[cfg(feature = "hdf5")]
    if hdf5::matches(head) {
        return Ok(Box::new(hdf5::Hdf5::open(head)?));
    }
    let bytes = Bytes::open(head, TrajectoryFormat::AmberNetCdf)?;
    Ok(Box::new(classic::Classic::read(bytes)?))
}

/// A trajectory by the AMBER convention.
struct Amber {
    store: Box<dyn Store>,
    coordinates: Variable,
    /// Lengths and angles.
    cell: Option<[Variable; 2]>,
    /// Where the box begins.
    corner: Option<Variable>,
    time: Option<Variable>,
    columns: Vec<(Variable, &'static str)>,
    /// Velocities and forces, where they are asked for.
    vectors: Vec<Vectors>,
    unit: String,
    frames: u64,
    /// Those of the frame read last.
    atoms: Arc<Atoms>,
}

impl Amber {
    fn of(mut store: Box<dyn Store>) -> Result<Self> {
        let path = store.path().to_owned();
        let corrupt = |detail: String| CatalogError::corrupt(&path, format!("header: {detail}"));
        let unsupported =
            |what: String, advice: &str| CatalogError::unsupported(&path, what, advice);
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
        let corner = store.variable("cell_origin")?;
        let corner = corner.filter(|corner| corner.one_vector_of(3).is_ok());
        if let Some([lengths, angles]) = &cell {
            let named = angles.unit.as_deref().unwrap_or("degree");
            if !named.starts_with("deg") {
                return Err(unsupported(
                    format!("angles in `{named}`"),
                    "AMBER's are in degrees",
                ));
            }
            let unit = length_unit(coordinates.unit.as_deref());
            let corner = corner.as_ref().filter(|corner| corner.unit.is_some());
            for of_box in [Some(lengths), corner].into_iter().flatten() {
                let of_box = length_unit(of_box.unit.as_deref());
                if of_box != unit {
                    let what = format!("a box in {of_box} around positions in {unit}");
                    return Err(unsupported(what, "write both in one unit"));
                }
            }
        }
        let mut optional = |name: &str| store.variable(name).ok().flatten();
        let columns = COLUMNS.into_iter().filter_map(|(name, column)| {
            let numbers = optional(name).filter(|numbers| numbers.whole);
            let numbers = numbers.filter(|numbers| numbers.shape == [atoms as u64]);
            Some((numbers?, column))
        });
        let columns = columns.collect();
        let frames = if coordinates.framed {
            store.frames()
        } else {
            1
        };
        Ok(Self {
            unit: length_unit(coordinates.unit.as_deref()),
            time: store.variable("time")?,
            atoms: Arc::new(Atoms::new(atoms)),
            store,
            coordinates,
            cell,
            corner,
            columns,
            vectors: Vec::new(),
            frames,
        })
    }

    fn cell(&mut self, number: u64) -> Result<Option<Cell>> {
        let Some([lengths, angles]) = &self.cell else {
            return Ok(None);
        };
        let three = |values: Vec<f64>| <[f64; 3]>::try_from(values).unwrap_or([f64::NAN; 3]);
        let lengths = three(self.store.read(lengths, number)?);
        let angles = three(self.store.read(angles, number)?);
        if lengths == [0.0; 3] {
            return Ok(None);
        }
        let cell = Cell::from_lengths_and_angles(lengths, angles);
        let corrupt = |wrong| {
            let detail = format!("frame {number}: no box: {wrong}");
            CatalogError::corrupt(self.store.path(), detail)
        };
        let cell = cell.map_err(corrupt)?;
        let Some(corner) = &self.corner else {
            return Ok(Some(cell));
        };
        let corner = three(self.store.read(corner, number)?);
        if !corner.iter().all(|value| value.is_finite()) {
            let detail = format!("frame {number}: the box begins at {corner:?}");
            return Err(CatalogError::corrupt(self.store.path(), detail));
        }
        Ok(Some(cell.at(corner)))
    }

    /// What is known of the atoms, shared with the frame before if nothing has changed.
    fn atoms(&mut self, number: u64) -> Result<Arc<Atoms>> {
        let mut atoms = Atoms::new(self.atoms.len());
        for (numbers, column) in &self.columns {
            let values = self.store.read(numbers, number)?;
            let values = values.iter().map(|&value| value as i64).collect();
            atoms = atoms.with(column, Attribute::Integers(values));
        }
        for Vectors { columns, variable } in &self.vectors {
            if let Some(axes) = axes(self.store.as_mut(), variable, number)? {
                atoms = atoms.with_vectors(*columns, axes);
            }
        }
        Ok(share(&mut self.atoms, Some(atoms)))
    }
}

/// The components of the vectors of a frame; none where they were never written.
fn axes(store: &mut dyn Store, variable: &Variable, frame: u64) -> Result<Option<[Vec<f64>; 3]>> {
    let values = store.read(variable, frame)?;
    let axes = variable.axes(&values);
    axes.map_err(|wrong| CatalogError::corrupt(store.path(), format!("frame {frame}: {wrong}")))
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

impl Numbered for Amber {
    const FORMAT: TrajectoryFormat = TrajectoryFormat::AmberNetCdf;

    fn unit(&self) -> Option<&str> {
        Some(&self.unit)
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn frame(&mut self, number: u64) -> Result<Frame> {
        let cell = self.cell(number)?;
        let positions = axes(self.store.as_mut(), &self.coordinates, number)?;
        let positions = positions.ok_or_else(|| {
            let wrong = format!("frame {number}: `coordinates` was not written");
            CatalogError::corrupt(self.store.path(), wrong)
        })?;
        let time = match &self.time {
            Some(time) => self.store.read(time, number)?.first().copied(),
            None => None,
        };
        Ok(Frame {
            number,
            step: None,
            time,
            cell,
            positions,
            atoms: self.atoms(number)?,
        })
    }
}
