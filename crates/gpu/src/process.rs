//! Which process may ask the driver: the first that did. The child of its fork has a copy of what the driver keeps, without the driver's
//! threads or its contexts: calls fail there, or wait for a thread that is not.
//!
//! Entry: [`admit`] for the first call, [`check`] for what an earlier one has opened. Nothing here asks the driver.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::CudaError;

/// The number of the process that uses the driver; 0 before any does.
struct Owner(AtomicU32);

static DRIVER: Owner = Owner(AtomicU32::new(0));

impl Owner {
    /// Refuses a process other than the one that came first.
    fn check(&self, process: u32) -> Result<(), CudaError> {
        match self.0.load(Ordering::Relaxed) {
            0 => Ok(()),
            owner if owner == process => Ok(()),
            owner => Err(CudaError::Forked {
                parent: owner,
                child: process,
            }),
        }
    }

    /// As `check`; the first to come is remembered.
    fn admit(&self, process: u32) -> Result<(), CudaError> {
        let first = Ordering::Relaxed;
        let _ = self.0.compare_exchange(0, process, first, first);
        self.check(process)
    }
}

/// That this process may go on using the driver.
///
/// # Errors
/// [`CudaError::Forked`].
pub(crate) fn check() -> Result<(), CudaError> {
    DRIVER.check(std::process::id())
}

/// That this process uses the driver from now on.
///
/// # Errors
/// [`CudaError::Forked`].
pub(crate) fn admit() -> Result<(), CudaError> {
    DRIVER.admit(std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_child_of_a_process_that_uses_the_driver_is_refused() {
        let driver = Owner(AtomicU32::new(0));
        // Nobody has used it: a child may be the first.
        driver.check(7).unwrap();
        driver.admit(8).unwrap();
        driver.admit(8).unwrap();
        driver.check(8).unwrap();
        for refused in [driver.check(9), driver.admit(9), driver.check(7)] {
            let text = refused.unwrap_err().to_string();
            assert!(
                text.contains("process 8") && text.contains("spawn"),
                "{text}"
            );
        }
        driver.check(8).unwrap();
    }
}
