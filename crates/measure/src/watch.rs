//! Who follows the work of a session: is shown how far it is, and may ask it to stop.
//!
//! Entry: [`Watch`], implemented by the terminal and by callers; inside, its methods: a [`Bar`] for each piece of work, the stop of readers.

use std::sync::Arc;

use albireo::engine::Progress;
use albireo::error::EngineError;
use albireo_catalogs::Stop;
use anyhow::Result;
use tracing::Level;

/// The steps of a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// Pairs to pass over. Their rate says little: how many of them are in bins is not known yet.
    Pairs(u64),
    /// Frames, where their number is known.
    Frames(Option<u64>),
}

impl Steps {
    /// Their number, where it is known.
    pub fn number(self) -> Option<u64> {
        match self {
            Self::Pairs(pairs) => Some(pairs),
            Self::Frames(frames) => frames,
        }
    }
}

/// What a stop of the work means for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Nothing is being written: the process may end at once, though a file is being read, points are sorted or a GPU starts, which are slow to hear
    /// of a stop.
    Nothing,
    /// What was counted is to be saved in any case: a stop waits for it.
    Counts,
}

/// Who follows what a session works on, from any of its threads.
pub trait Watch: Send + Sync {
    /// A piece of work begins, or begins again: its name and its steps.
    fn begin(&self, what: &str, steps: Steps);

    /// So many steps more are done.
    fn advance(&self, steps: u64);

    /// The piece of work is over.
    fn end(&self) {}

    /// What was chosen, what looks wrong; unheard where a log has it.
    fn say(&self, _level: Level, _text: &str) {}

    /// Whether to give up.
    fn stop_requested(&self) -> bool;

    /// The exit code that goes with the signal that asked for a stop, if one has.
    fn exit_code(&self) -> Option<u8> {
        None
    }

    /// From now on a stop loses this, until it is [left](Watch::leave) as often as it was entered.
    fn enter(&self, _loss: Loss) {}

    /// The end of what was [entered](Watch::enter).
    fn leave(&self, _loss: Loss) {}
}

impl dyn Watch {
    /// The progress of what has this name, such as `DD`.
    pub(crate) fn bar(self: &Arc<Self>, name: &str) -> Bar {
        Bar {
            name: name.to_owned(),
            watch: Arc::clone(self),
        }
    }

    /// The progress of so many frames, where their number is known.
    pub(crate) fn bar_of_frames(self: &Arc<Self>, frames: Option<u64>) -> Bar {
        self.begin(FRAMES, Steps::Frames(frames));
        self.bar(FRAMES)
    }

    /// While it lives a stop means this.
    pub(crate) fn during(self: &Arc<Self>, loss: Loss) -> During {
        self.enter(loss);
        During {
            loss,
            watch: Arc::clone(self),
        }
    }

    /// What asks the readers of catalogues to stop, from threads of their own.
    pub(crate) fn stop(self: &Arc<Self>) -> Stop {
        let watch = Arc::clone(self);
        Stop::when(move || watch.stop_requested())
    }

    /// Stops between two steps of a command.
    pub(crate) fn check_stop(&self) -> Result<()> {
        if self.stop_requested() {
            return Err(EngineError::Interrupted.into());
        }
        Ok(())
    }
}

/// The name of work on frames.
const FRAMES: &str = "frames";

/// The progress of a piece of work; it ends with it.
pub(crate) struct Bar {
    name: String,
    watch: Arc<dyn Watch>,
}

impl Progress for Bar {
    fn begin(&self, pairs: u64) {
        self.watch.begin(&self.name, Steps::Pairs(pairs));
    }

    fn advance(&self, pairs: u64) {
        self.watch.advance(pairs);
    }

    fn stop_requested(&self) -> bool {
        self.watch.stop_requested()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.watch.end();
    }
}

/// A time in which a stop has a certain meaning.
pub(crate) struct During {
    loss: Loss,
    watch: Arc<dyn Watch>,
}

impl Drop for During {
    fn drop(&mut self) {
        self.watch.leave(self.loss);
    }
}
