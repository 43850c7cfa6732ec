//! Counts of all units of a job or of some, and which thread takes which unit next.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::{Cpu, Run};
use crate::engine::{PreparedJob, Progress, Report, Units};
use crate::error::EngineError;
use crate::pool;
use crate::progress::Lasting;
use crate::tally::{CountSpec, Tally};
use crate::traversal::Walk;

impl Cpu {
    /// Counts the pairs of some units, or of all.
    pub(super) fn tally_part(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        part: Option<(&Units, Range<usize>)>,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        let pairs = job.job();
        what.admit(pairs)?;
        let part = match part {
            None => {
                progress.begin(pairs.n_pairs());
                None
            }
            Some((units, run)) => {
                let groups = units.groups(pairs, &run)?;
                progress.begin(units.pairs(run.clone()));
                Some((groups, run))
            }
        };
        let pool = self.pool()?;
        let progress = &Lasting::new(progress);
        let start = Instant::now();
        let (tally, laid_out) = pool::install(&pool, || {
            let run = Run::new(self.isa, job, what, part, progress)?;
            let laid_out = start.elapsed();
            let tally = run.without_cuts(what, progress)?;
            Ok::<_, EngineError>((tally, laid_out))
        })?;
        let counted = start.elapsed().saturating_sub(laid_out);
        let report = Report {
            stages: vec![
                ("layout", laid_out.as_secs_f64()),
                ("count", counted.as_secs_f64()),
            ],
            plan: String::new(),
        };
        Ok((tally, report))
    }
}

/// Lets every thread take units from a common counter until none is left or a stop is asked for.
///
/// A unit can take seconds: `work` asks its second argument from time to time, and once that says true may leave out what is left.
pub(super) fn share_units<T: Send>(
    walk: &Walk<'_>,
    progress: &Lasting<'_>,
    work: impl Fn(&mut dyn Iterator<Item = usize>, &dyn Fn() -> bool) -> T + Sync,
) -> Result<Vec<T>, EngineError> {
    let outputs = Mutex::new(Vec::new());
    share(walk, progress, &|units, stop| {
        let output = work(units, stop);
        let mut outputs = outputs.lock().unwrap_or_else(PoisonError::into_inner);
        outputs.push(output);
    })?;
    Ok(outputs.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// What is done with units, as long as no stop is asked for.
type Work<'a> = dyn Fn(&mut dyn Iterator<Item = usize>, &dyn Fn() -> bool) + Sync + 'a;

/// [`share_units`] of any work, compiled once.
fn share(walk: &Walk<'_>, progress: &Lasting<'_>, work: &Work<'_>) -> Result<(), EngineError> {
    let units = walk.units();
    let next = AtomicUsize::new(units.start);
    let stop = || progress.stop_requested();
    rayon::broadcast(|_| {
        let mut done = None;
        let mut taken = std::iter::from_fn(|| {
            if let Some(unit) = done.take() {
                progress.advance(walk.n_pairs(unit));
            }
            if stop() {
                return None;
            }
            let unit = next.fetch_add(1, Ordering::Relaxed);
            done = (unit < units.end).then_some(unit);
            done
        });
        work(&mut taken, &stop);
    });
    if stop() {
        return Err(EngineError::Interrupted);
    }
    Ok(())
}
