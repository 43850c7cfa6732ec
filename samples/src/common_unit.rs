//! The unit of length that all samples of a count are brought to.
//!
//! Entry: [`CommonUnit`]. What files state is found in `stated_units`.

use std::path::{Path, PathBuf};

use crate::error::{Result, SampleError};
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
    pub(crate) fn factor(&self, path: &Path, stated: &str, h: Option<f64>) -> Result<f64> {
        let Some(unit) = &self.unit else {
            return Ok(1.0);
        };
        match &self.first {
            None => length_factor(stated, unit, h.or(self.h)).map_err(|reason| {
                let advice = "--ignore-units COLUMN,.. takes numbers as they are";
                SampleError::Input(format!(
                    "{}: lengths are in `{stated}`, which --unit does not convert into `{unit}`: {reason} ({advice})",
                    path.display()
                ))
            }),
            Some(first) => akin_factor(stated, unit).ok_or_else(|| SampleError::Input(format!(
                "positions are in different units: {unit} in {}, {stated} in {}; name the unit of all by --unit (Mpc becomes Mpc/h where h is known), or \
                 take the numbers of columns as they are by --ignore-units",
                first.display(),
                path.display()
            ))),
        }
    }
}
