//! What becomes of panics: one line, and the end of all ranks.
//!
//! Entry: [`tell`] once, and [`caught`] around the work. A panic of another thread reaches the main one, which alone may call MPI; should it
//! not do so in time, the process ends by itself, and its job with it.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use albireo_measure::World;

/// Whether a panic has been reported.
static TOLD: AtomicBool = AtomicBool::new(false);
/// How long the main thread may take to hear of a panic.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a line takes to whoever reads it.
const PASSING: Duration = Duration::from_millis(200);

/// What a panic of this rank says, in a line.
fn line(origin: &str, panic: &PanicHookInfo<'_>) -> String {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let what = text.unwrap_or("of an unknown kind");
    let place = panic.location().map(|place| format!(", {place}"));
    format!(
        "error: {origin}a mistake of albireo-mpi, please report it: {}{}",
        what.replace('\n', " "),
        place.unwrap_or_default()
    )
}

/// From now on a panic says one line with its rank and node, and ends the process if the main thread does not end all ranks.
pub(crate) fn tell(world: &dyn World) {
    let origin = albireo_cli::origin(world);
    set_hook(Box::new(move |panic| {
        if TOLD.swap(true, Ordering::SeqCst) {
            return;
        }
        let _ = writeln!(std::io::stderr(), "{}", line(&origin, panic));
        let watch = std::thread::Builder::new().name("panics".to_owned());
        let _ = watch.spawn(|| {
            std::thread::sleep(PATIENCE);
            std::process::abort();
        });
    }));
}

/// What `work` comes to, if it does not panic.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    let done = catch_unwind(AssertUnwindSafe(work)).ok();
    if done.is_none() {
        // What starts ranks has to pass the line on before it ends them.
        std::thread::sleep(PASSING);
    }
    done
}
