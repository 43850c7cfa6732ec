//! HDF5 as `MDTraj` lays it out: arrays of all frames in nm and ps, the atoms as JSON.
//!
//! Entry: [`open`]. <https://mdtraj.org/latest/hdf5_format.html>. Velocities are read where they are asked for.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;

use super::column::{Column, share};
use super::h5md::{axes_of, is_hdf5};
use super::head::Head;
use super::layout::unit_of;
use super::numbered::{ByNumber, Numbered};
use super::{Atoms, Attribute, Cell, Frame, Trajectory, TrajectoryFormat, TrajectoryRequest};
use crate::error::{CatalogError, Result};
use crate::hdf5::array::{Array, Elements, Store};
use crate::value::Value;

/// The word of the attribute `conventions`, and the array of positions.
const CONVENTION: &str = "Pande";
const POSITIONS: &str = "coordinates";

/// Whether it is HDF5 of this convention.
pub(super) fn matches(head: &Head<'_>) -> bool {
    let follows = |store: &Store| {
        let conventions = store.attributes("/").get("conventions").cloned();
        let named = |text: &String| text.contains(CONVENTION);
        match conventions {
            Some(Value::Text(text)) => named(&text),
            Some(Value::Texts(texts)) => texts.iter().any(named),
            _ => false,
        }
    };
    is_hdf5(head) && Store::open(head.path).is_ok_and(|store| follows(&store))
}

/// Opens a file and reads its atoms.
pub(super) fn open(head: &Head<'_>, request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let path = head.path;
    let store = Store::open(path)?;
    let missing = || CatalogError::corrupt(path, format!("no array `{POSITIONS}`"));
    let positions = store.array(POSITIONS).ok_or_else(missing)?;
    let &[frames, particles, 3] = positions.shape() else {
        let found = format!(
            "an array of frames times particles times 3, found shape {:?}",
            positions.shape()
        );
        return Err(store.refuse(&positions, &found));
    };
    let each = |name: &str, shape: &[u64]| match store.array(name) {
        Some(array) if array.shape() != shape => {
            let found = format!("shape {shape:?}, found {:?}", array.shape());
            Err(store.refuse(&array, &found))
        }
        found => Ok(found),
    };
    let lengths = each("cell_lengths", &[frames, 3])?;
    let angles = each("cell_angles", &[frames, 3])?;
    let times = each("time", &[frames])?;
    let velocities = each("velocities", &[frames, particles, 3])?;
    let cell = match (lengths, angles) {
        (Some(lengths), Some(angles)) => Some([lengths, angles]),
        (None, None) => None,
        _ => {
            let detail = "one of `cell_lengths` and `cell_angles` is missing";
            return Err(CatalogError::corrupt(path, detail));
        }
    };
    let unit = positions.unit().map(|unit| unit_of(&unit));
    check_units(path, unit.as_deref(), cell.as_ref())?;
    let trajectory = MdTraj {
        atoms: Arc::new(atoms(&store, particles)?),
        unit: unit.unwrap_or_else(|| "nm".to_owned()),
        times,
        velocities: velocities.filter(|_| request.velocities),
        store,
        positions,
        cell,
        frames,
    };
    Ok(ByNumber::open(head, trajectory))
}

/// Refuses a box in another unit than the positions, and angles in any but degrees.
fn check_units(path: &Path, unit: Option<&str>, cell: Option<&[Array; 2]>) -> Result<()> {
    let Some([lengths, angles]) = cell else {
        return Ok(());
    };
    let of_box = lengths.unit().map(|unit| unit_of(&unit));
    let of_angles = angles.unit();
    let what = if of_box.is_some() && of_box.as_deref() != unit {
        let named = |unit: Option<&str>| unit.unwrap_or("nm").to_owned();
        format!(
            "a box in {} around positions in {}",
            named(of_box.as_deref()),
            named(unit)
        )
    } else if of_angles
        .as_ref()
        .is_some_and(|unit| !unit.starts_with("deg"))
    {
        format!("angles in `{}`", of_angles.unwrap_or_default())
    } else {
        return Ok(());
    };
    Err(CatalogError::unsupported(
        path,
        what,
        "write lengths in one unit and angles in degrees",
    ))
}

/// What the JSON of `topology` says of the atoms; nothing where there is none.
fn atoms(store: &Store, particles: u64) -> Result<Atoms> {
    let bare = Atoms::new(particles as usize);
    let Some(array) = store.array("topology") else {
        return Ok(bare);
    };
    let refuse = |found: &str| store.refuse(&array, &format!("atoms as JSON, found {found}"));
    let text = match store.elements(&array, None)? {
        Elements::Texts(texts) => texts.concat(),
        _ => return Err(refuse("numbers")),
    };
    let json: Json = serde_json::from_str(&text).map_err(|error| refuse(&error.to_string()))?;
    let rows = Rows::of(&json).ok_or_else(|| refuse("no `chains` of `residues` of `atoms`"))?;
    if rows.resids.len() as u64 != particles {
        let found = format!("{} of {particles} particles", rows.resids.len());
        return Err(refuse(&found));
    }
    let bonds = bonds(&json, particles).ok_or_else(|| refuse("a bond of no two atoms"))?;
    Ok(rows.finish(bare).bonded(bonds))
}

/// The columns of the atoms as they grow.
struct Rows {
    texts: [(&'static str, Column); 4],
    resids: Vec<i64>,
    chains: Vec<i64>,
}

impl Rows {
    fn of(json: &Json) -> Option<Self> {
        let mut rows = Self {
            texts: ["name", "element", "resname", "segment"].map(|name| (name, Column::texts())),
            resids: Vec::new(),
            chains: Vec::new(),
        };
        for (chain, of_chain) in json["chains"].as_array()?.iter().enumerate() {
            for residue in of_chain["residues"].as_array()? {
                for atom in residue["atoms"].as_array()? {
                    let of_atom = [
                        &atom["name"],
                        &atom["element"],
                        &residue["name"],
                        &residue["segmentID"],
                    ];
                    for ((_, column), text) in rows.texts.iter_mut().zip(of_atom) {
                        let _ = column.push(text.as_str().unwrap_or_default().as_bytes());
                    }
                    let resid = residue["resSeq"].as_i64().or(residue["index"].as_i64());
                    rows.resids.push(resid.unwrap_or_default());
                    rows.chains.push(chain as i64);
                }
            }
        }
        Some(rows)
    }

    fn finish(self, mut atoms: Atoms) -> Atoms {
        for (name, column) in self.texts {
            let texts = column.finish();
            // Fields that no atom uses are no columns.
            let used = matches!(&texts, Attribute::Texts { texts, .. } if texts.iter().any(|text| !text.is_empty()));
            if used {
                atoms = atoms.with(name, texts);
            }
        }
        atoms
            .with("resid", Attribute::Integers(self.resids))
            .with("chain", Attribute::Integers(self.chains))
    }
}

/// Pairs of atoms; nothing where one is none.
fn bonds(json: &Json, particles: u64) -> Option<Vec<[u32; 2]>> {
    let listed = json["bonds"].as_array();
    let pairs = listed.into_iter().flatten().map(|bond| {
        let row = |k: usize| {
            let row = bond[k].as_u64().filter(|&row| row < particles)?;
            u32::try_from(row).ok()
        };
        Some([row(0)?, row(1)?])
    });
    pairs.collect()
}

struct MdTraj {
    store: Store,
    unit: String,
    positions: Array,
    /// Lengths and angles.
    cell: Option<[Array; 2]>,
    times: Option<Array>,
    velocities: Option<Array>,
    atoms: Arc<Atoms>,
    frames: u64,
}

impl MdTraj {
    /// The box of a frame; zeros and NaN stand for none.
    fn cell(&self, number: u64) -> Result<Option<Cell>> {
        let Some([lengths, angles]) = &self.cell else {
            return Ok(None);
        };
        let three = |array: &Array| -> Result<[f64; 3]> {
            let values = self.store.reals(array, Some((number, number + 1)))?;
            Ok(<[f64; 3]>::try_from(values).unwrap_or([f64::NAN; 3]))
        };
        let (of_lengths, of_angles) = (three(lengths)?, three(angles)?);
        if of_lengths == [0.0; 3] || of_lengths.iter().all(|length| length.is_nan()) {
            return Ok(None);
        }
        let cell = Cell::from_lengths_and_angles(of_lengths, of_angles);
        cell.map(Some).map_err(|found| {
            let found = format!("the box of frame {number}, found {found}");
            self.store.refuse(lengths, &found)
        })
    }

    /// The atoms, with their velocities where these are asked for.
    fn atoms(&mut self, rows: Option<(u64, u64)>) -> Result<Arc<Atoms>> {
        let Some(velocities) = &self.velocities else {
            return Ok(Arc::clone(&self.atoms));
        };
        let values = self.store.reals(velocities, rows)?;
        let atoms = Atoms::clone(&self.atoms);
        let atoms = atoms.with_vectors(["vx", "vy", "vz"], axes_of(&values, 3));
        Ok(share(&mut self.atoms, Some(atoms)))
    }
}

impl Numbered for MdTraj {
    const FORMAT: TrajectoryFormat = TrajectoryFormat::MdTraj;

    fn unit(&self) -> Option<&str> {
        Some(&self.unit)
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn frame(&mut self, number: u64) -> Result<Frame> {
        let rows = Some((number, number + 1));
        let positions = axes_of(&self.store.reals(&self.positions, rows)?, 3);
        let time = match &self.times {
            Some(times) => self.store.reals(times, rows)?.first().copied(),
            None => None,
        };
        Ok(Frame {
            number,
            step: None,
            time,
            cell: self.cell(number)?,
            positions,
            atoms: self.atoms(rows)?,
        })
    }
}
