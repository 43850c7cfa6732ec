//! Panics of the parquet crate as errors.
//!
//! Entry: [`guarded`]; [`quiet_decoder_panics`] keeps what they print from the terminal. That crate panics on some damaged files where it should return an error, for example when a page
//! refers to a dictionary page that is not there ("Decoder for dict should have been set"). Nothing else is caught.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use parquet::errors::ParquetError;

thread_local! {
    /// Whether this thread is in a step whose panics become errors.
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// Has the process print nothing about panics that a damaged Parquet file causes and that become errors; all others go to
/// the hook that is set when this is called.
///
/// The panic hook belongs to the whole process, so a program asks for this once, before it starts threads or sets a hook of
/// its own; no reader does. A second call changes nothing.
pub fn quiet_decoder_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // A thread whose local storage is gone is in no step.
            if !WITHIN.try_with(Cell::get).unwrap_or(false) {
                others(panic);
            }
        }));
    });
}

/// Runs a step of the parquet crate; all that the step borrowed is dropped after an error.
pub(crate) fn guarded<T>(
    step: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    let outside = WITHIN.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(step));
    WITHIN.set(outside);
    outcome.unwrap_or_else(|panic| {
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
