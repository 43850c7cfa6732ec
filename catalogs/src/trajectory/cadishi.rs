//! HDF5 as CADISHI lays it out: a group a frame, `<number>/coordinates/<species>`, and `<number>/dimensions` for a box.
//!
//! Entry: [`open`]. Reuter & Köfinger 2019, CPC 236, 274, <https://doi.org/10.1016/j.cpc.2018.10.018>.

use std::path::PathBuf;
use std::sync::Arc;

use super::column::share;
use super::h5md::{axes_of, is_hdf5};
use super::head::Head;
use super::numbered::{ByNumber, Numbered};
use super::{Atoms, Attribute, Cell, Frame, Trajectory, TrajectoryFormat, TrajectoryRequest};
use crate::error::{CatalogError, Result};
use crate::hdf5::array::Store;

/// What may lie among the species and is none.
const NO_SPECIES: &str = "radii";

/// Whether it is HDF5 with a numbered group that has coordinates.
pub(super) fn matches(head: &Head<'_>) -> bool {
    let frames = |store: &Store| {
        let (groups, _) = store.members("/")?;
        let first = groups.iter().find(|name| name.parse::<u64>().is_ok())?;
        Some(store.has_group(&format!("{first}/coordinates")))
    };
    is_hdf5(head) && Store::open(head.path).is_ok_and(|store| frames(&store) == Some(true))
}

/// Opens a file of frames, which come in the order of their numbers.
pub(super) fn open(head: &Head<'_>, _request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let store = Store::open(head.path)?;
    let (groups, _) = store.members("/").unwrap_or_default();
    let numbered = groups
        .into_iter()
        .filter_map(|name| Some((name.parse::<u64>().ok()?, name)));
    let mut frames: Vec<(u64, String)> = numbered.collect();
    frames.sort_unstable();
    let cadishi = Cadishi {
        path: head.path.to_owned(),
        store,
        frames: frames.into_iter().map(|(_, name)| name).collect(),
        atoms: Arc::default(),
    };
    Ok(ByNumber::open(head, cadishi))
}

struct Cadishi {
    path: PathBuf,
    store: Store,
    /// The names of the groups of the frames.
    frames: Vec<String>,
    atoms: Arc<Atoms>,
}

impl Cadishi {
    /// Positions and species of a frame, species after species by their names.
    fn particles(&self, frame: &str) -> Result<([Vec<f64>; 3], Atoms)> {
        let group = format!("{frame}/coordinates");
        let mut names = self
            .store
            .members(&group)
            .map(|(_, arrays)| arrays)
            .ok_or_else(|| {
                CatalogError::corrupt(
                    &self.path,
                    format!("expected the group `{group}`, found none"),
                )
            })?;
        names.retain(|name| name != NO_SPECIES);
        names.sort_unstable();
        let mut positions: [Vec<f64>; 3] = Default::default();
        let mut codes: Vec<u32> = Vec::new();
        let mut species = Vec::new();
        for name in names {
            let place = format!("{group}/{name}");
            let array = self.store.array(&place);
            let array = array.ok_or_else(|| {
                CatalogError::corrupt(
                    &self.path,
                    format!("expected the array `{place}`, found none"),
                )
            })?;
            if !matches!(array.shape(), [_, 3]) {
                let found = format!(
                    "an array of particles times 3, found shape {:?}",
                    array.shape()
                );
                return Err(self.store.refuse(&array, &found));
            }
            let values = self.store.reals(&array, None)?;
            for (to, from) in positions.iter_mut().zip(axes_of(&values, 3)) {
                to.extend(from);
            }
            if codes.len() < positions[0].len() {
                codes.resize(positions[0].len(), species.len() as u32);
                species.push(name);
            }
        }
        let texts = Attribute::Texts {
            texts: species,
            codes,
        };
        let atoms = Atoms::new(positions[0].len()).with("species", texts);
        Ok((positions, atoms))
    }

    /// Lengths and angles in degrees; nothing, an empty array and zeros stand for no box.
    fn cell(&self, frame: &str) -> Result<Option<Cell>> {
        let Some(array) = self.store.array(&format!("{frame}/dimensions")) else {
            return Ok(None);
        };
        let values = self.store.reals(&array, None)?;
        let cell = match values.as_slice() {
            values if values.iter().all(|&value| value == 0.0) => return Ok(None),
            &[a, b, c] => Cell::orthorhombic([a, b, c]),
            &[a, b, c, alpha, beta, gamma] => {
                Cell::from_lengths_and_angles([a, b, c], [alpha, beta, gamma])
            }
            others => Err(format!("{} numbers", others.len())),
        };
        let refuse = |found: String| {
            self.store.refuse(
                &array,
                &format!("3 lengths and 3 angles of a box, found {found}"),
            )
        };
        cell.map(Some).map_err(refuse)
    }
}

impl Numbered for Cadishi {
    const FORMAT: TrajectoryFormat = TrajectoryFormat::Cadishi;

    fn unit(&self) -> Option<&str> {
        None
    }

    fn frames(&self) -> u64 {
        self.frames.len() as u64
    }

    fn frame(&mut self, number: u64) -> Result<Frame> {
        let frame = &self.frames[number as usize];
        let (positions, atoms) = self.particles(frame)?;
        Ok(Frame {
            number,
            step: None,
            time: None,
            cell: self.cell(frame)?,
            positions,
            atoms: share(&mut self.atoms, Some(atoms)),
        })
    }
}
