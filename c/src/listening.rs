//! Progress that a caller hears on its own thread.
//!
//! Entry: [`heard`].

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use albireo::engine::{Progress, Silent};

/// The function of a job.
type Listener = unsafe extern "C" fn(*mut c_void, u64, u64) -> c_int;

/// How often it is called.
const STEP: Duration = Duration::from_millis(20);

/// How far a count is.
#[derive(Default)]
struct Far {
    done: AtomicU64,
    of: AtomicU64,
    stop: AtomicBool,
}

impl Progress for Far {
    fn begin(&self, pairs: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.of.store(pairs, Ordering::Relaxed);
    }

    fn advance(&self, pairs: u64) {
        self.done.fetch_add(pairs, Ordering::Relaxed);
    }

    fn stop_requested(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Carries out `count`, with `listener` called from this thread meanwhile, at least once.
///
/// # Safety
/// `listener` may be called with `user`.
pub(crate) unsafe fn heard<T: Send>(
    listener: Option<Listener>,
    user: *mut c_void,
    count: impl FnOnce(&dyn Progress) -> T + Send,
) -> T {
    let Some(listener) = listener else {
        return count(&Silent);
    };
    let far = Far::default();
    let call = || {
        let of = far.of.load(Ordering::Relaxed);
        let done = far.done.load(Ordering::Relaxed).min(of);
        // SAFETY: as this function asks.
        if unsafe { listener(user, done, of) } != 0 {
            far.stop.store(true, Ordering::Relaxed);
        }
    };
    let (tell, made) = channel();
    let worker = || {
        // Whoever waits is here until it hears.
        let _ = tell.send(count(&far));
    };
    std::thread::scope(|scope| {
        call();
        let worker = scope.spawn(worker);
        loop {
            match made.recv_timeout(STEP) {
                Ok(made) => {
                    call();
                    return made;
                }
                Err(RecvTimeoutError::Timeout) => call(),
                Err(RecvTimeoutError::Disconnected) => match worker.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => unreachable!("a worker that ends has reported what it made"),
                },
            }
        }
    })
}
