//! How an engine tells how far it is and hears that it should stop.

use std::sync::atomic::{AtomicBool, Ordering};

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

/// A progress whose request to stop, once heard, is not taken back: what was left out must not be missed in silence.
pub struct Lasting<'a> {
    progress: &'a dyn Progress,
    stopped: AtomicBool,
}

impl<'a> Lasting<'a> {
    /// Of a progress that may take its request back.
    pub fn new(progress: &'a dyn Progress) -> Self {
        Self {
            progress,
            stopped: AtomicBool::new(false),
        }
    }
}

impl Progress for Lasting<'_> {
    fn begin(&self, pairs: u64) {
        self.progress.begin(pairs);
    }

    fn advance(&self, pairs: u64) {
        self.progress.advance(pairs);
    }

    fn stop_requested(&self) -> bool {
        if self.progress.stop_requested() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }
}

/// The progress of a job whose pieces are counted one by one: they begin nothing.
pub struct OfPiece<'a>(pub &'a dyn Progress);

impl Progress for OfPiece<'_> {
    fn begin(&self, _: u64) {}

    fn advance(&self, pairs: u64) {
        self.0.advance(pairs);
    }

    fn stop_requested(&self) -> bool {
        self.0.stop_requested()
    }
}

/// Shows nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: u64) {}

    fn advance(&self, _: u64) {}
}
