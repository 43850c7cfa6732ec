//! How far a count is, on a terminal, and whether Ctrl-C was pressed.
//!
//! Entry: [`listen_for_interrupt`] once, then a [`Bar`] for each count. Nothing is drawn in the first second or off a terminal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use albireo::Progress;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// The exit code of a program ended by Ctrl-C (128 + SIGINT).
pub(crate) const INTERRUPTED: u8 = 130;

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C asks the running count to stop; a second one ends the program at once.
pub(crate) fn listen_for_interrupt() -> Result<()> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            #[allow(
                clippy::exit,
                reason = "the user insists; no result is half written, because results are renamed into place"
            )]
            std::process::exit(i32::from(INTERRUPTED));
        }
    })?;
    Ok(())
}

/// Whether Ctrl-C was pressed.
pub(crate) fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Stops between two steps of a command.
pub(crate) fn check_stop() -> Result<()> {
    if stopped() {
        return Err(albireo::EngineError::Interrupted.into());
    }
    Ok(())
}

/// How long a count stays silent.
const PATIENCE: Duration = Duration::from_secs(1);

/// A progress bar in pairs per second that appears when a count takes long.
pub(crate) struct Bar {
    line: ProgressBar,
    start: Instant,
    shown: AtomicBool,
}

/// A number with a decimal prefix: `1.25 G`.
pub(crate) fn with_prefix(value: f64) -> String {
    const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    PREFIXES
        .iter()
        .find(|(unit, _)| value >= *unit)
        .map_or_else(
            || format!("{value:.0} "),
            |(unit, prefix)| format!("{:.2} {prefix}", value / unit),
        )
}

impl Bar {
    /// A bar named after what is counted, such as `DD`.
    pub(crate) fn new(name: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style =
            ProgressStyle::with_template("{prefix} [{bar:32}] {percent:>3}%  {rate}  ETA {eta}");
        if let Ok(style) = style {
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{}pairs/s", with_prefix(state.per_sec()));
            };
            bar.set_style(style.with_key("rate", rate).progress_chars("=> "));
        }
        bar.set_prefix(name.to_owned());
        Self {
            line: bar,
            start: Instant::now(),
            shown: AtomicBool::new(false),
        }
    }

    /// Takes the bar off the screen.
    pub(crate) fn clear(&self) {
        self.line.finish_and_clear();
    }
}

impl Progress for Bar {
    fn begin(&self, pairs: u64) {
        self.line.set_length(pairs);
        self.line.reset();
    }

    fn advance(&self, pairs: u64) {
        self.line.inc(pairs);
        if self.start.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            self.line.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    fn stop_requested(&self) -> bool {
        stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::with_prefix;

    #[test]
    fn prefixes() {
        assert_eq!(with_prefix(12.0), "12 ");
        assert_eq!(with_prefix(1_250_000.0), "1.25 M");
        assert_eq!(with_prefix(3.2e13), "32.00 T");
    }
}
