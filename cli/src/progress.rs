//! How far a count is, on a terminal, and whether the program was asked to stop.
//!
//! Entry: [`listen_for_signals`] once, then a [`Bar`] for each count. Nothing is drawn in the first second or off a terminal.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "signals are small numbers"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use albireo::Progress;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::caller::{self, Watch};

/// The exit code of a program ended by the signal that asked to stop (128 + its number); 0 until one has.
static STOP: AtomicU8 = AtomicU8::new(0);

/// How many [`NothingToKeep`] there are.
static ABANDONABLE: AtomicUsize = AtomicUsize::new(0);

/// Whether this process is one of several, of which one tells what goes wrong.
static OF_SEVERAL: AtomicBool = AtomicBool::new(false);

/// From now on this process ends without a word where a signal ends it: when one rank fails, all others are sent one.
pub(crate) fn leave_signals_untold() {
    OF_SEVERAL.store(true, Ordering::SeqCst);
}

/// While it lives nothing is being written, so that a stop need not wait for whatever is slow to hear of it: a file being read, points
/// being sorted, a GPU being started.
#[derive(Debug)]
pub(crate) struct NothingToKeep(());

impl NothingToKeep {
    pub(crate) fn begin() -> Self {
        ABANDONABLE.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for NothingToKeep {
    fn drop(&mut self) {
        ABANDONABLE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// How many [`SomethingToKeep`] there are.
static KEEPING: AtomicUsize = AtomicUsize::new(0);

/// While it lives a stop is waited for, whatever there is of [`NothingToKeep`]: what was counted is to be saved.
#[derive(Debug)]
pub(crate) struct SomethingToKeep(());

impl SomethingToKeep {
    pub(crate) fn begin() -> Self {
        KEEPING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for SomethingToKeep {
    fn drop(&mut self) {
        KEEPING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether the program may end at any moment.
fn is_abandonable() -> bool {
    ABANDONABLE.load(Ordering::SeqCst) > 0 && KEEPING.load(Ordering::SeqCst) == 0
}

/// From now on Ctrl-C, SIGTERM and SIGUSR1 ask for a stop; a second one ends the program at once. Queues send SIGUSR1 when time runs out.
#[cfg(unix)]
pub(crate) fn listen_for_signals() -> Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1, SIGXFSZ};
    // A file beyond the limit for files is then an error of whoever writes it, as on a disk that is full.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGUSR1])?;
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(|| wait_for_signals(signals))?;
    Ok(())
}

/// Passes the first signal on; ends the program where nothing hears of it in time, or a second one comes.
#[cfg(unix)]
fn wait_for_signals(mut signals: signal_hook::iterator::Signals) {
    use std::io::Write;
    /// How long the program may take to end by itself.
    const GRACE: Duration = Duration::from_millis(250);
    let Some(signal) = signals.forever().next() else {
        return;
    };
    let code = 128 + signal as u8;
    STOP.store(code, Ordering::SeqCst);
    let asked = Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(10));
        let insists = signals.pending().next().is_some();
        if insists || (is_abandonable() && asked.elapsed() > GRACE) {
            if !OF_SEVERAL.load(Ordering::SeqCst) {
                let _ = writeln!(std::io::stderr(), "error: stopped by a signal");
            }
            signal_hook::low_level::exit(i32::from(code));
        }
    }
}

/// From now on Ctrl-C asks for a stop; a second one ends the program at once.
#[cfg(not(unix))]
pub(crate) fn listen_for_signals() -> Result<()> {
    /// 128 + SIGINT, as shells have it.
    const INTERRUPTED: u8 = 130;
    ctrlc::set_handler(|| {
        let asked_before = STOP.swap(INTERRUPTED, Ordering::SeqCst) != 0;
        if asked_before || is_abandonable() {
            #[allow(clippy::exit, reason = "nothing is being written, or the user insists")]
            std::process::exit(i32::from(INTERRUPTED));
        }
    })?;
    Ok(())
}

/// Whether a signal or the caller asked for a stop.
pub(crate) fn stopped() -> bool {
    exit_code().is_some() || caller::watch().is_some_and(|watch| watch.stop_requested())
}

/// The exit code that goes with the signal that asked for a stop, if one has.
pub(crate) fn exit_code() -> Option<u8> {
    match STOP.load(Ordering::SeqCst) {
        0 => None,
        code => Some(code),
    }
}

/// What asks the readers of catalogs to stop.
pub(crate) fn stop_reading() -> albireo_catalogs::Stop {
    // Readers ask from threads of their own.
    match caller::watch() {
        None => albireo_catalogs::Stop::when(stopped),
        Some(watch) => albireo_catalogs::Stop::when(move || watch.stop_requested()),
    }
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

/// A progress bar that appears when a count takes long. That of pairs shows no rate: how many of those passed over are in bins is not known yet.
pub(crate) struct Bar {
    /// What is counted.
    name: String,
    /// The caller, if that is no terminal.
    watch: Option<Arc<dyn Watch>>,
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
        let bar = Self::styled(None, "{prefix} [{bar:32}] {percent:>3}%  ETA {eta}");
        bar.line.set_prefix(name.to_owned());
        Self {
            name: name.to_owned(),
            ..bar
        }
    }

    /// A bar of so many frames, where their number is known, with their rate.
    pub(crate) fn of_frames(frames: Option<u64>) -> Self {
        let template = match frames {
            Some(_) => "[{bar:32}] {pos}/{len} frames  {rate}  ETA {eta}",
            None => "{spinner} {pos} frames  {rate}  {elapsed}",
        };
        let bar = Self {
            name: "frames".to_owned(),
            ..Self::styled(frames, template)
        };
        if let Some(watch) = &bar.watch {
            watch.begin(&bar.name, frames);
        }
        bar
    }

    fn styled(length: Option<u64>, template: &str) -> Self {
        let line = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &indicatif::ProgressState, to: &mut dyn std::fmt::Write| {
                let _ = write!(to, "{:.1} frames/s", state.per_sec());
            };
            line.set_style(style.with_key("rate", rate).progress_chars("=> "));
        }
        Self {
            name: String::new(),
            watch: caller::watch(),
            line,
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
        if let Some(watch) = &self.watch {
            return watch.begin(&self.name, Some(pairs));
        }
        self.line.set_length(pairs);
        self.line.reset();
    }

    fn advance(&self, pairs: u64) {
        if let Some(watch) = &self.watch {
            return watch.advance(pairs);
        }
        self.line.inc(pairs);
        if self.start.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            self.line.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    fn stop_requested(&self) -> bool {
        let asked = self.watch.as_ref().is_some_and(|w| w.stop_requested());
        asked || exit_code().is_some()
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
