//! The terminal that a program was started in: draws how far its work is, and hears the signals that ask for a stop.
//!
//! Entry: [`Terminal`], then [`Terminal::listen`] once. Nothing is drawn in the first second or off a terminal.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "signals are small numbers"
)]

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use albireo_measure::{Loss, Steps, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a piece of work stays silent.
const PATIENCE: Duration = Duration::from_secs(1);

/// A terminal and the signals of its process.
#[derive(Default)]
pub(crate) struct Terminal {
    /// The exit code of a program ended by the signal that asked to stop (128 + its number); 0 until one has.
    stop: AtomicU8,
    /// How often a stop loses nothing, and how often counts.
    nothing: AtomicUsize,
    counts: AtomicUsize,
    /// Whether this process is one of several, of which one says what goes wrong.
    of_several: AtomicBool,
    /// What is worked on.
    line: RwLock<Option<Line>>,
}

/// The progress bar of a piece of work, which appears when it takes long.
struct Line {
    bar: ProgressBar,
    start: Instant,
    shown: AtomicBool,
}

impl Line {
    fn new(what: &str, steps: Steps) -> Self {
        let template = match steps {
            Steps::Pairs(_) => "{prefix} [{bar:32}] {percent:>3}%  ETA {eta}",
            Steps::Frames(Some(_)) => "[{bar:32}] {pos}/{len} frames  {rate}  ETA {eta}",
            Steps::Frames(None) => "{spinner} {pos} frames  {rate}  {elapsed}",
        };
        let bar = ProgressBar::with_draw_target(steps.number(), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &indicatif::ProgressState, to: &mut dyn std::fmt::Write| {
                let _ = write!(to, "{:.1} frames/s", state.per_sec());
            };
            bar.set_style(style.with_key("rate", rate).progress_chars("=> "));
        }
        bar.set_prefix(what.to_owned());
        Self {
            bar,
            start: Instant::now(),
            shown: AtomicBool::new(false),
        }
    }

    fn advance(&self, steps: u64) {
        self.bar.inc(steps);
        if self.start.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Watch for Terminal {
    fn begin(&self, what: &str, steps: Steps) {
        let mut line = self.line.write().unwrap_or_else(PoisonError::into_inner);
        match (&*line, steps) {
            // Another pass of the same work.
            (Some(line), Steps::Pairs(pairs)) => {
                line.bar.set_length(pairs);
                line.bar.reset();
            }
            _ => *line = Some(Line::new(what, steps)),
        }
    }

    fn advance(&self, steps: u64) {
        let line = self.line.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = &*line {
            line.advance(steps);
        }
    }

    fn end(&self) {
        let mut line = self.line.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = line.take() {
            line.bar.finish_and_clear();
        }
    }

    fn stop_requested(&self) -> bool {
        self.exit_code().is_some()
    }

    fn exit_code(&self) -> Option<u8> {
        match self.stop.load(Ordering::SeqCst) {
            0 => None,
            code => Some(code),
        }
    }

    fn enter(&self, loss: Loss) {
        self.times(loss).fetch_add(1, Ordering::SeqCst);
    }

    fn leave(&self, loss: Loss) {
        self.times(loss).fetch_sub(1, Ordering::SeqCst);
    }
}

impl Terminal {
    fn times(&self, loss: Loss) -> &AtomicUsize {
        match loss {
            Loss::Nothing => &self.nothing,
            Loss::Counts => &self.counts,
        }
    }

    /// Whether the program may end at any moment.
    fn is_abandonable(&self) -> bool {
        self.nothing.load(Ordering::SeqCst) > 0 && self.counts.load(Ordering::SeqCst) == 0
    }

    /// From now on this process ends without a word where a signal ends it: when one rank fails, all others are sent one.
    pub(crate) fn leave_signals_unsaid(&self) {
        self.of_several.store(true, Ordering::SeqCst);
    }

    /// From now on Ctrl-C, SIGTERM and SIGUSR1 ask for a stop; a second one ends the program at once. Queues send SIGUSR1 when time runs out.
    #[cfg(unix)]
    pub(crate) fn listen(self: &Arc<Self>) -> io::Result<()> {
        use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1, SIGXFSZ};
        // A file beyond the limit for files is then an error of whoever writes it, as on a disk that is full.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGUSR1])?;
        let terminal = Arc::clone(self);
        let thread = std::thread::Builder::new().name("signals".to_owned());
        thread.spawn(move || terminal.wait_for_signals(signals))?;
        Ok(())
    }

    /// Passes the first signal on; ends the program where nothing hears of it in time, or a second one comes.
    #[cfg(unix)]
    fn wait_for_signals(&self, mut signals: signal_hook::iterator::Signals) {
        use std::io::Write;
        /// How long the program may take to end by itself.
        const GRACE: Duration = Duration::from_millis(250);
        let Some(signal) = signals.forever().next() else {
            return;
        };
        let code = 128 + signal as u8;
        self.stop.store(code, Ordering::SeqCst);
        let asked = Instant::now();
        loop {
            std::thread::sleep(Duration::from_millis(10));
            let insists = signals.pending().next().is_some();
            if insists || (self.is_abandonable() && asked.elapsed() > GRACE) {
                if !self.of_several.load(Ordering::SeqCst) {
                    let _ = writeln!(std::io::stderr(), "error: stopped by a signal");
                }
                signal_hook::low_level::exit(i32::from(code));
            }
        }
    }

    /// From now on Ctrl-C asks for a stop; a second one ends the program at once.
    #[cfg(not(unix))]
    pub(crate) fn listen(self: &Arc<Self>) -> io::Result<()> {
        /// 128 + SIGINT, as shells have it.
        const INTERRUPTED: u8 = 130;
        let terminal = Arc::clone(self);
        ctrlc::set_handler(move || {
            let asked_before = terminal.stop.swap(INTERRUPTED, Ordering::SeqCst) != 0;
            if asked_before || terminal.is_abandonable() {
                #[allow(clippy::exit, reason = "nothing is being written, or the user insists")]
                std::process::exit(i32::from(INTERRUPTED));
            }
        })?;
        Ok(())
    }
}
