//! What is known of a variable of a `NetCDF` file, whatever the file is made of.
//!
//! Entry: [`Variable`], [`Store`].

use std::path::Path;

use crate::error::CatalogError;

/// A variable of reals.
pub(super) struct Variable {
    pub(super) name: String,
    /// Lengths of its dimensions, without that of frames.
    pub(super) shape: Vec<u64>,
    /// Whether it has one value, or one array of them, a frame.
    pub(super) framed: bool,
    /// What its values are to be multiplied by.
    pub(super) scale: Option<f64>,
    pub(super) unit: Option<String>,
}

impl Variable {
    /// Number of vectors in a frame.
    ///
    /// # Errors
    /// It has another shape than (frame, vectors, width), or than these without frames.
    pub(super) fn vectors_of(&self, width: u64) -> Result<usize, String> {
        match self.shape[..] {
            [vectors, found] if found == width => Ok(vectors as usize),
            _ => Err(self.misshaped(&format!("(frame, atom, {width})"))),
        }
    }

    /// That it has one vector a frame.
    pub(super) fn one_vector_of(&self, width: u64) -> Result<(), String> {
        if self.shape == [width] {
            return Ok(());
        }
        Err(self.misshaped(&format!("(frame, {width})")))
    }

    fn misshaped(&self, expected: &str) -> String {
        let frames = if self.framed { "frame, " } else { "" };
        let lengths: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        let found = lengths.join(", ");
        format!(
            "`{}` has the shape ({frames}{found}), expected {expected}",
            self.name
        )
    }

    /// Values in a frame.
    #[cfg(feature = "hdf5")]
    pub(super) fn len(&self) -> Option<u64> {
        self.shape
            .iter()
            .try_fold(1, |all: u64, &length| all.checked_mul(length))
    }

    /// Values as they are meant.
    pub(super) fn scaled(&self, mut values: Vec<f64>) -> Vec<f64> {
        if let Some(scale) = self.scale.filter(|&scale| scale != 1.0) {
            for value in &mut values {
                *value *= scale;
            }
        }
        values
    }
}

/// A file that holds variables.
pub(super) trait Store: Send {
    fn path(&self) -> &Path;

    /// The global attribute `Conventions`.
    fn convention(&self) -> Option<String>;

    /// Number of frames.
    fn frames(&self) -> u64;

    /// The variable of this name, if there is one.
    ///
    /// # Errors
    /// It does not hold reals.
    fn variable(&mut self, name: &str) -> Result<Option<Variable>, CatalogError>;

    /// Its values in one frame.
    ///
    /// # Errors
    /// The file ends before them.
    fn read(&mut self, variable: &Variable, frame: u64) -> Result<Vec<f64>, CatalogError>;
}
