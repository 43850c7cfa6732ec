//! Panics of the parquet crate as errors.
//!
//! Entry: [`guarded`]. That crate panics on some damaged files where it should return an error, for example when a page
//! refers to a dictionary page that is not there ("Decoder for dict should have been set"). Nothing else is caught.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::errors::ParquetError;

/// Runs a step of the parquet crate; whatever the step borrowed is dropped after an error.
pub(crate) fn guarded<T>(
    step: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|panic| {
        let reason = panic
            .downcast_ref::<&str>()
            .map(|reason| (*reason).to_owned());
        let reason = reason
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(ParquetError::General(format!(
            "the Parquet decoder gave up: {reason}"
        )))
    })
}
