//! The unit of length that all samples of a count are brought to.
//!
//! Entry: [`CommonUnit`]. What files state is found in `stated_units`.

use std::path::{Path, PathBuf};

use crate::error::StatedUnitError;
use crate::units::{akin_factor, length_factor};

/// The unit of length of all samples: the one asked for, else that of the first sample that states one.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommonUnit {
    unit: Option<String>,
    /// The file whose unit it is; none where it is asked for.
    first: Option<PathBuf>,
    /// The Hubble constant over 100 km/s/Mpc of the cosmology that is given.
    h: Option<f64>,
}

impl CommonUnit {
    /// The one asked for, if any.
    pub(crate) fn asked(unit: Option<&str>, h: Option<f64>) -> Self {
        Self {
            unit: unit.map(str::to_owned),
            first: None,
            h,
        }
    }

    /// The unit, where one is known by now.
    pub(crate) fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// The Hubble constant over 100 km/s/Mpc, where the cosmology that is given has one.
    pub(crate) fn h(&self) -> Option<f64> {
        self.h
    }

    /// The unit of a file becomes the common one where there is none.
    pub(crate) fn or_of(mut self, path: &Path, stated: &str) -> Self {
        if self.unit.is_none() {
            self.unit = Some(stated.to_owned());
            self.first = Some(path.to_owned());
        }
        self
    }

    /// What the lengths of a file are multiplied by; `h` is that of the file, where it states one.
    pub(crate) fn factor(
        &self,
        path: &Path,
        stated: &str,
        h: Option<f64>,
    ) -> Result<f64, StatedUnitError> {
        let Some(unit) = &self.unit else {
            return Ok(1.0);
        };
        match &self.first {
            None => length_factor(stated, unit, h.or(self.h)).map_err(|reason| {
                let advice = "--ignore-units COLUMN,.. takes numbers as they are";
                StatedUnitError::Lengths {
                    path: path.to_owned(),
                    stated: stated.to_owned(),
                    wanted: unit.clone(),
                    reason: format!("{reason} ({advice})"),
                }
            }),
            Some(first) => akin_factor(stated, unit).ok_or_else(|| StatedUnitError::Samples {
                first: (unit.clone(), first.clone()),
                second: (stated.to_owned(), path.to_owned()),
            }),
        }
    }
}
