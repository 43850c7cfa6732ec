//! NetCDF-4: the same variables as data sets of HDF5.
//!
//! Entry: [`Hdf5`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hdf5_reader::{
    DEFAULT_CHUNK_CACHE_SLOTS, Dataset, Datatype, Hdf5File, SliceInfo, SliceInfoElem,
};

use super::variable::{Store, Variable};
use crate::error::{CatalogError, Result};
use crate::hdf5::{self, failure};
use crate::stop::Stop;
use crate::trajectory::head::Head;

/// Decoded chunks kept, so that variables of which several frames share a chunk decode it once.
const CHUNK_CACHE_BYTES: usize = 16 << 20;
/// No filter shrinks data more than about a thousandfold (deflate: 1032:1).
const LARGEST_RATIO: u64 = 2048;

fn opened(path: &Path) -> Result<(Hdf5File, u64)> {
    hdf5::opened(path, (CHUNK_CACHE_BYTES, DEFAULT_CHUNK_CACHE_SLOTS))
}

fn convention(file: &Hdf5File) -> Option<String> {
    let attribute = file.root_group().ok()?.attribute("Conventions").ok()?;
    attribute.read_string().ok()
}

/// Whether the file is HDF5 and speaks of AMBER.
pub(super) fn matches(head: &Head<'_>) -> bool {
    head.bytes.starts_with(b"\x89HDF\r\n\x1a\n")
        && !head.gzipped
        && opened(head.path)
            .is_ok_and(|(file, _)| convention(&file).is_some_and(|name| name.contains("AMBER")))
}

/// A file of data sets.
pub(super) struct Hdf5 {
    path: PathBuf,
    file: Hdf5File,
    /// Those of the variables asked for.
    datasets: HashMap<String, Dataset>,
    bytes: u64,
    stop: Stop,
}

impl Hdf5 {
    pub(super) fn open(head: &Head<'_>) -> Result<Self> {
        let path = head.path;
        let (file, bytes) = opened(path)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            datasets: HashMap::new(),
            bytes,
            stop: head.stop.clone(),
        })
    }

    fn dataset(&self, name: &str) -> Result<Option<Dataset>> {
        let failure = |error| failure(&self.path, &error);
        let root = self.file.root_group().map_err(failure)?;
        let (_, names) = root.member_names().map_err(failure)?;
        if !names.iter().any(|other| other == name) {
            return Ok(None);
        }
        root.dataset(name).map(Some).map_err(failure)
    }

    fn corrupt(&self, detail: String) -> CatalogError {
        CatalogError::corrupt(&self.path, detail)
    }
}

/// Bytes of a number and whether it is whole, of the types that are read.
fn number(dataset: &Dataset) -> Option<(u8, bool)> {
    match *dataset.dtype() {
        Datatype::FloatingPoint { size, .. } => Some((size, false)),
        Datatype::FixedPoint {
            size, signed: true, ..
        } => Some((size, true)),
        _ => None,
    }
    .filter(|(size, _)| [4, 8].contains(size))
}

impl Store for Hdf5 {
    fn path(&self) -> &Path {
        &self.path
    }

    fn convention(&self) -> Option<String> {
        convention(&self.file)
    }

    fn frames(&self) -> u64 {
        let coordinates = self.datasets.get("coordinates");
        let frames = coordinates.and_then(|dataset| dataset.shape().first().copied());
        frames.unwrap_or(0)
    }

    fn variable(&mut self, name: &str) -> Result<Option<Variable>> {
        let Some(dataset) = self.dataset(name)? else {
            return Ok(None);
        };
        let corrupt = |detail: &str| self.corrupt(format!("header: `{name}` {detail}"));
        let number = number(&dataset);
        let (width, whole) = number.ok_or_else(|| corrupt("holds no numbers of 32 or 64 bits"))?;
        let elements = dataset
            .num_elements()
            .map_err(|error| failure(&self.path, &error))?;
        let claimed = elements.saturating_mul(width.into());
        if claimed / LARGEST_RATIO > self.bytes {
            let held = self.bytes;
            return Err(corrupt(&format!(
                "claims {claimed} bytes, the file has {held}"
            )));
        }
        let text = |name: &str| dataset.attribute(name).ok()?.read_string().ok();
        let scale = dataset.attribute("scale_factor").ok();
        let mut shape = dataset.shape().to_vec();
        // A restart file has no frames: one dimension less.
        let dimensions = match name {
            "coordinates" | "velocities" | "forces" => 3,
            "time" => 1,
            _ => 2,
        };
        let framed = shape.len() == dimensions;
        if framed {
            shape.remove(0);
        }
        let variable = Variable {
            name: name.to_owned(),
            shape,
            framed,
            whole,
            scale: None,
            unit: text("units"),
        };
        // What is no number is refused.
        let scale = scale.map(|scale| scale.read_as_f64().unwrap_or(f64::NAN));
        let scaled = variable.with_scale(scale);
        let variable = scaled.map_err(|wrong| self.corrupt(format!("header: {wrong}")))?;
        self.datasets.insert(name.to_owned(), dataset);
        Ok(Some(variable))
    }

    fn read(&mut self, variable: &Variable, frame: u64) -> Result<Vec<f64>> {
        self.stop.check(&self.path)?;
        let name = &variable.name;
        let corrupt = |detail: &str| self.corrupt(format!("frame {frame}: `{name}`: {detail}"));
        let dataset = self.datasets.get(name);
        let dataset = dataset.ok_or_else(|| corrupt("it is missing"))?;
        if variable.framed
            && dataset
                .shape()
                .first()
                .is_none_or(|&frames| frame >= frames)
        {
            return Err(corrupt("it ends before this frame"));
        }
        let frames = variable.framed.then_some(SliceInfoElem::Index(frame));
        let all = variable.shape.iter().map(|&end| SliceInfoElem::Slice {
            start: 0,
            end,
            step: 1,
        });
        let slice = SliceInfo {
            selections: frames.into_iter().chain(all).collect(),
        };
        let values = hdf5::numbers(dataset, &slice, variable.whole);
        let values = values.map_err(|error| match failure(&self.path, &error) {
            CatalogError::Corrupt { detail, .. } => corrupt(&detail),
            other => other,
        })?;
        if variable.len() != Some(values.len() as u64) {
            return Err(corrupt("it is short"));
        }
        Ok(variable.scaled(values))
    }
}
