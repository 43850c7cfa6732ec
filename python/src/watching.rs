//! A command on a thread of its own, watched from the one that called.
//!
//! Entry: [`carry_out`]. The caller's thread waits without the interpreter's lock, wakes to hear signals, and tells progress and the log.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use albireo_measure::{CallError, Called, Outcome, Steps, Watch};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use tracing::Level;

/// How often signals are looked for.
const STEP: Duration = Duration::from_millis(40);
/// How long a command may take to hear of a stop before it is left to end by itself.
const GRACE: Duration = Duration::from_millis(200);
/// As much stack as main threads have.
const STACK: usize = 8 << 20;

/// What the command has reported.
#[derive(Default)]
struct Heard {
    stop: AtomicBool,
    done: AtomicU64,
    now: Mutex<(String, Option<u64>)>,
    said: Mutex<Vec<(u8, String)>>,
}

impl Watch for Heard {
    fn begin(&self, what: &str, steps: Steps) {
        self.done.store(0, Ordering::Relaxed);
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = (what.to_owned(), steps.number());
    }

    fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    fn say(&self, level: Level, text: &str) {
        let level = match level {
            Level::ERROR => 40,
            Level::WARN => 30,
            Level::INFO => 20,
            _ => 10,
        };
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.push((level, text.to_owned()));
    }

    fn stop_requested(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Heard {
    /// Passes on what was said since the last time.
    fn log(&self, log: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let said = std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(log) = log else { return Ok(()) };
        for (level, text) in said {
            log.call1((level, text))?;
        }
        Ok(())
    }

    /// Tells how far it is.
    fn tell(&self, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(progress) = progress else {
            return Ok(());
        };
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let (what, of) = now.clone();
        drop(now);
        if !what.is_empty() {
            let done = self.done.load(Ordering::Relaxed);
            let done = of.map_or(done, |of| done.min(of));
            progress.call1((what, done, of))?;
        }
        Ok(())
    }
}

/// What a command ends with.
type Done = Result<Outcome, CallError>;

/// What a panic says: it is a mistake of ours.
fn internal(panic: &(dyn std::any::Any + Send)) -> CallError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("no reason is known");
    CallError::Failed(format!(
        "internal error of albireo, please report it: {text}"
    ))
}

/// Waits so long for the command.
fn heard_of(done: &Mutex<Receiver<Done>>, time: Duration) -> Result<Done, RecvTimeoutError> {
    // Only this thread has it: the lock is what lets it wait without the interpreter.
    let done = done.lock().unwrap_or_else(PoisonError::into_inner);
    done.recv_timeout(time)
}

/// Waits for the command until it is done or something is raised here.
fn wait(
    py: Python<'_>,
    done: &Mutex<Receiver<Done>>,
    heard: &Heard,
    [log, progress]: [Option<&Bound<'_, PyAny>>; 2],
) -> PyResult<Done> {
    loop {
        let received = py.detach(|| heard_of(done, STEP));
        heard.log(log)?;
        heard.tell(progress)?;
        match received {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "the thread of the command has ended",
                ));
            }
        }
    }
}

/// Carries out a command; raises what is raised while it works, by a signal or by `log` and `progress`, once it has stopped.
pub(crate) fn carry_out(
    py: Python<'_>,
    called: Called,
    log: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Outcome> {
    let heard = Arc::new(Heard::default());
    let (tell, done) = channel::<Done>();
    let done = Mutex::new(done);
    let thread = std::thread::Builder::new().name("albireo".to_owned());
    let watch: Arc<dyn Watch> = heard.clone();
    let command = move || {
        let made = catch_unwind(AssertUnwindSafe(|| albireo_measure::call(called, &watch)));
        // Nobody listens where the caller has given up.
        let _ = tell.send(made.unwrap_or_else(|panic| Err(internal(&*panic))));
    };
    thread.stack_size(STACK).spawn(command)?;
    match wait(py, &done, &heard, [log, progress]) {
        Ok(Ok(outcome)) => Ok(outcome),
        Ok(Err(CallError::Interrupted)) => Err(PyKeyboardInterrupt::new_err(())),
        Ok(Err(error)) => Err(PyValueError::new_err(error.to_string())),
        Err(raised) => {
            heard.stop.store(true, Ordering::Relaxed);
            let _ = py.detach(|| heard_of(&done, GRACE));
            Err(raised)
        }
    }
}
