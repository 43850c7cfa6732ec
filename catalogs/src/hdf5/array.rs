//! Whole arrays and runs of their first axis, for files that are no tables of columns.
//!
//! Entry: [`Store`], [`Array`]. Shapes that the file cannot hold are refused before memory is reserved for them.

use std::path::{Path, PathBuf};

use hdf5_reader::group::Group;
use hdf5_reader::{Dataset, Hdf5File, SliceInfo, SliceInfoElem};

use super::attribute;
use super::element::{self, Element};
use super::failure::failure;
use super::files::opened;
use super::meaning::Meaning;
use super::{LARGEST_RATIO, read};
use crate::error::{CatalogError, Result};
use crate::numbers::Values;
use crate::reader::Kind;
use crate::scaling::Scaling;
use crate::value::{Attributes, Value};

/// Decoded chunks kept, so that frames that share a chunk decode it once.
const CHUNK_CACHE_BYTES: usize = 256 << 20;
const CHUNK_CACHE_SLOTS: usize = 1 << 14;

/// A file of groups and arrays.
pub(crate) struct Store {
    path: PathBuf,
    file: Hdf5File,
    bytes: u64,
}

/// An array of numbers or texts.
pub(crate) struct Array {
    name: String,
    dataset: Dataset,
    element: Element,
    meaning: Meaning,
}

/// The values of an array, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Elements {
    Reals(Vec<f64>),
    Integers(Vec<i64>),
    Texts(Vec<String>),
}

impl Store {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let (file, bytes) = opened(path, (CHUNK_CACHE_BYTES, CHUNK_CACHE_SLOTS))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            bytes,
        })
    }

    /// The names of the groups and arrays of a group, `/` for the root; nothing if it is not there.
    pub(crate) fn members(&self, group: &str) -> Option<(Vec<String>, Vec<String>)> {
        self.group(group)?.member_names().ok()
    }

    pub(crate) fn has_group(&self, group: &str) -> bool {
        self.group(group).is_some()
    }

    /// The attributes of a group.
    pub(crate) fn attributes(&self, group: &str) -> Attributes {
        let mut all = Attributes::new();
        if let Some(group) = self.group(group) {
            attribute::add_group(&group, "", &mut all);
        }
        all
    }

    fn group(&self, name: &str) -> Option<Group> {
        match name.trim_matches('/') {
            "" => self.file.root_group().ok(),
            name => self.file.group(name).ok(),
        }
    }

    /// The array of that path; nothing if there is none.
    pub(crate) fn array(&self, name: &str) -> Option<Array> {
        let dataset = self.file.dataset(name).ok()?;
        let (element, meaning) = Meaning::of(&dataset, Element::of(&dataset));
        Some(Array {
            name: name.to_owned(),
            element,
            meaning,
            dataset,
        })
    }

    /// All values of an array, or the rows `from..to` along its first axis.
    pub(crate) fn elements(&self, array: &Array, rows: Option<(u64, u64)>) -> Result<Elements> {
        let failure = |error| failure(&self.path, &error);
        let (dataset, meaning) = (&array.dataset, &array.meaning);
        let shape = array.shape();
        let mut selections: Vec<SliceInfoElem> = shape.iter().map(|&end| span(0, end)).collect();
        if let (Some((from, to)), Some(first)) = (rows, selections.first_mut()) {
            *first = span(from, to);
        }
        let slice = SliceInfo { selections };
        self.check_size(array)?;
        match &array.element {
            Element::Float { .. } => {
                let values = read::<element::Float>(dataset, &slice).map_err(failure)?;
                if values.iter().any(|one| meaning.lacks_float(one.0)) {
                    return Err(self.lacking(array));
                }
                let values = values.into_iter().map(|one| meaning.scaling.float(one.0));
                Ok(Elements::Reals(values.collect()))
            }
            Element::Integer { .. } => {
                let values = read::<element::Integer>(dataset, &slice).map_err(failure)?;
                if values.iter().any(|one| meaning.lacks_integer(one.0)) {
                    return Err(self.lacking(array));
                }
                if meaning.scaling != Scaling::None {
                    let value = |one: element::Integer| meaning.scaling.float(one.0 as f64);
                    return Ok(Elements::Reals(values.into_iter().map(value).collect()));
                }
                let labels = element::labels(dataset.dtype());
                if !labels.is_empty() {
                    let label = |value: &element::Integer| {
                        let mut labels = labels.iter();
                        let found = labels.find(|(labelled, _)| *labelled == value.0 as f64);
                        found.map_or_else(|| value.0.to_string(), |(_, label)| label.clone())
                    };
                    return Ok(Elements::Texts(values.iter().map(label).collect()));
                }
                let whole = |value: element::Integer| {
                    i64::try_from(value.0)
                        .map_err(|_| self.refuse(array, &format!("int64, found {}", value.0)))
                };
                Ok(Elements::Integers(
                    values.into_iter().map(whole).collect::<Result<_, _>>()?,
                ))
            }
            Element::FixedText { .. } | Element::VariableText => {
                let values = read::<element::Raw>(dataset, &slice).map_err(failure)?;
                let text =
                    |raw: &element::Raw| array.element.text(dataset, &raw.0).map_err(failure);
                Ok(Elements::Texts(
                    values.iter().map(text).collect::<Result<_, _>>()?,
                ))
            }
            Element::Other { name } => {
                Err(self.refuse(array, &format!("numbers or texts, found {name}")))
            }
        }
    }

    /// As [`Store::elements`], as float64: integers exactly or not at all.
    pub(crate) fn reals(&self, array: &Array, rows: Option<(u64, u64)>) -> Result<Vec<f64>> {
        match self.elements(array, rows)? {
            Elements::Reals(values) => Ok(values),
            Elements::Integers(values) => {
                let exact = |value: i64| {
                    let nearest = value as f64;
                    let exact = nearest as i128 == i128::from(value);
                    exact.then_some(nearest).ok_or_else(|| {
                        self.refuse(
                            array,
                            &format!("a number with an exact float64, found {value}"),
                        )
                    })
                };
                values.into_iter().map(exact).collect()
            }
            Elements::Texts(_) => Err(self.refuse(array, "numbers, found texts")),
        }
    }

    /// The values of a column of float64 or uint64; nothing if it is none.
    pub(crate) fn column(&self, array: &Array) -> Result<Option<Values>> {
        let [rows] = *array.shape() else {
            return Ok(None);
        };
        let slice = SliceInfo {
            selections: vec![span(0, rows)],
        };
        let failure = |error| failure(&self.path, &error);
        self.check_size(array)?;
        Ok(match array.element.dtype().as_str() {
            "float64" => {
                let values = read::<element::Float>(&array.dataset, &slice).map_err(failure)?;
                let values = values.into_iter().map(|value| value.0);
                Some(Values::Floats(values.collect()))
            }
            "uint64" => {
                let values = read::<element::Integer>(&array.dataset, &slice).map_err(failure)?;
                let values = values.into_iter().map(|value| u64::try_from(value.0));
                values.collect::<Result<_, _>>().ok().map(Values::Integers)
            }
            _ => None,
        })
    }

    fn lacking(&self, array: &Array) -> CatalogError {
        let found = "a value each, found one that is missing (its `_FillValue` or `missing_value`)";
        self.refuse(array, found)
    }

    /// The error of an array that is not what is expected.
    pub(crate) fn refuse(&self, array: &Array, expected_and_found: &str) -> CatalogError {
        let detail = format!("`{}`: expected {expected_and_found}", array.name);
        CatalogError::corrupt(&self.path, detail)
    }

    fn check_size(&self, array: &Array) -> Result<()> {
        let elements = array.dataset.num_elements();
        let elements = elements.map_err(|error| failure(&self.path, &error))?;
        let bytes = elements.saturating_mul(array.element.bytes());
        if bytes / LARGEST_RATIO > self.bytes {
            let detail = format!(
                "`{}` claims {bytes} bytes, the file has {}",
                array.name, self.bytes
            );
            return Err(CatalogError::corrupt(&self.path, detail));
        }
        Ok(())
    }
}

fn span(start: u64, end: u64) -> SliceInfoElem {
    SliceInfoElem::Slice {
        start,
        end,
        step: 1,
    }
}

impl Array {
    pub(crate) fn shape(&self) -> &[u64] {
        self.dataset.shape()
    }

    /// Whether its values are numbers or texts.
    pub(crate) fn is_readable(&self) -> bool {
        self.element.kind() != Kind::Other
    }

    /// Its attribute `unit` or `units`.
    pub(crate) fn unit(&self) -> Option<String> {
        attribute::unit(&self.dataset)
    }

    /// One of its attributes.
    pub(crate) fn attribute(&self, name: &str) -> Option<Value> {
        let mut all = Attributes::new();
        attribute::add(self.dataset.attributes(), "", &mut all);
        all.get(name).cloned()
    }
}
