//! How an engine tells how far it is and hears that it should stop.

/// Receives progress and may ask to stop; shared by all threads of a run.
pub trait Progress: Sync {
    /// A run of `pairs` candidate pairs begins.
    fn begin(&self, pairs: u64);

    /// `pairs` more of them are done.
    fn advance(&self, pairs: u64);

    /// Whether to give up; engines look at it many times a second, from all their threads.
    fn stop_requested(&self) -> bool {
        false
    }
}

/// Shows nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: u64) {}

    fn advance(&self, _: u64) {}
}
