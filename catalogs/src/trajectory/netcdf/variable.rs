//! What is known of a variable of a `NetCDF` file, in files of any layout.
//!
//! Entry: [`Variable`], [`Store`].

use std::path::Path;

use crate::error::Result;

/// What libraries write where no value was given, of float32 and float64 alike.
const FILL: f64 = 9.969_209_968_386_869e36;

/// A variable of reals or of whole numbers.
pub(super) struct Variable {
    pub(super) name: String,
    /// Lengths of its dimensions, without that of frames.
    pub(super) shape: Vec<u64>,
    /// Whether it has one value, or one array of them, a frame.
    pub(super) framed: bool,
    /// Whether its type is one of whole numbers.
    pub(super) whole: bool,
    /// What its values are to be multiplied by.
    pub(super) scale: Option<f64>,
    pub(super) unit: Option<String>,
}

impl Variable {
    /// Number of vectors in a frame.
    ///
    /// # Errors
    /// It does not hold reals, or has another shape than (frame, vectors, width), or than these without frames.
    pub(super) fn vectors_of(&self, width: u64) -> Result<usize, String> {
        match self.shape[..] {
            _ if self.whole => Err(format!("`{}` does not hold reals", self.name)),
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

    /// That it has a vector to each of those of another variable.
    pub(super) fn same_vectors_as(&self, other: &Self) -> Result<(), String> {
        if self.whole {
            return Err(format!("`{}` does not hold reals", self.name));
        }
        if (&self.shape, self.framed) == (&other.shape, other.framed) {
            return Ok(());
        }
        Err(self.misshaped(&format!("{} as `{}`", other.shown_shape(), other.name)))
    }

    /// The factor that its attribute states.
    pub(super) fn with_scale(mut self, stated: Option<f64>) -> Result<Self, String> {
        if stated.is_some_and(|scale| !scale.is_finite() || scale == 0.0) {
            return Err(format!(
                "`{}` has a scale_factor that is not one number other than 0",
                self.name
            ));
        }
        self.scale = stated;
        Ok(self)
    }

    fn misshaped(&self, expected: &str) -> String {
        format!(
            "`{}` has the shape {}, expected {expected}",
            self.name,
            self.shown_shape()
        )
    }

    fn shown_shape(&self) -> String {
        let frames = if self.framed { "frame, " } else { "" };
        let lengths: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        format!("({frames}{})", lengths.join(", "))
    }

    /// Values in a frame.
    #[cfg(feature = "hdf5")]
    pub(super) fn len(&self) -> Option<u64> {
        self.shape
            .iter()
            .try_fold(1, |all: u64, &length| all.checked_mul(length))
    }

    /// Three values each as x, y and z; none where no value of a frame was ever written.
    ///
    /// # Errors
    /// Some values that were never written.
    pub(super) fn axes(&self, values: &[f64]) -> Result<Option<[Vec<f64>; 3]>, String> {
        let fill = FILL * self.scale.unwrap_or(1.0);
        let unwritten = values.iter().filter(|&&value| value == fill).count();
        if unwritten > 0 && unwritten == values.len() {
            return Ok(None);
        }
        if let Some(place) = values.iter().position(|&value| value == fill) {
            let atom = place / 3;
            return Err(format!(
                "`{}` was not written for atom {atom} (from 0)",
                self.name
            ));
        }
        let axis = |k: usize| values.iter().skip(k).step_by(3).copied().collect();
        Ok(Some([axis(0), axis(1), axis(2)]))
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
    /// It does not hold numbers of 32 or 64 bits.
    fn variable(&mut self, name: &str) -> Result<Option<Variable>>;

    /// Its values in one frame.
    ///
    /// # Errors
    /// The file ends before them.
    fn read(&mut self, variable: &Variable, frame: u64) -> Result<Vec<f64>>;
}
