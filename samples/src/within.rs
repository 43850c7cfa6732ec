//! Where an error arose.
//!
//! Entry: [`Within`].

use crate::error::{Result, SampleError};

/// Says where an error arose.
pub(crate) trait Within<T> {
    /// The error under the name of a place.
    fn within(self, place: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<SampleError>> Within<T> for Result<T, E> {
    fn within(self, place: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| SampleError::At {
            place: place(),
            source: Box::new(error.into()),
        })
    }
}
