//! CPU and GPUs on the planes of one sum per target, and engines chosen at run time for it.
//!
//! Entry: [`FieldEngine`] of [`Together`] and [`AnyEngine`]. Which engine takes which planes changes no sum.

use std::ops::Range;
#[cfg(feature = "cuda")]
use std::sync::{Mutex, PoisonError};

#[cfg(feature = "cuda")]
use albireo::engine::Together;
use albireo::engine::{AnyEngine, Progress};
#[cfg(feature = "cuda")]
use albireo::progress::OfPiece;

use super::FieldEngine;
#[cfg(feature = "cuda")]
use super::choice::field_rates;
use crate::error::Result;
use crate::{DistanceTests, FieldJob, FieldSums, FieldVariant};

/// Planes of a tile of any engine: whole tiles cost less.
#[cfg(feature = "cuda")]
const DEPTH: usize = 4;

/// Targets that are worth being handed out.
#[cfg(feature = "cuda")]
const FEWEST: usize = 1 << 14;

/// Planes that nobody has taken yet: one engine takes them from the front, the other from the end.
#[cfg(feature = "cuda")]
struct Left {
    planes: Mutex<Range<usize>>,
    least: usize,
}

#[cfg(feature = "cuda")]
impl Left {
    /// The next planes for an engine that does `share` of all work: half of its share of what is left, so that both are done together. The
    /// slow one gets none where even the fewest would keep the fast one waiting.
    fn take(&self, share: f64, from_the_end: bool) -> Option<Range<usize>> {
        let mut left = self.planes.lock().unwrap_or_else(PoisonError::into_inner);
        let own = (left.len() as f64 * share / 2.0) as usize;
        let number = own.max(self.least).next_multiple_of(DEPTH).min(left.len());
        if from_the_end && (left.len() as f64 * share) < number as f64 / 2.0 {
            return None;
        }
        let taken = if from_the_end {
            left.end -= number;
            left.end..left.end + number
        } else {
            left.start += number;
            left.start - number..left.start
        };
        (!taken.is_empty()).then_some(taken)
    }

    /// Nobody is to take any more.
    fn close(&self) {
        let mut left = self.planes.lock().unwrap_or_else(PoisonError::into_inner);
        *left = 0..0;
    }
}

/// What one engine makes of the planes that it takes.
#[cfg(feature = "cuda")]
fn take_planes(
    engine: &impl FieldEngine,
    job: &FieldJob,
    left: &Left,
    (share, from_the_end): (f64, bool),
    progress: &dyn Progress,
) -> Result<Vec<FieldSums>> {
    let mut parts = vec![];
    while let Some(planes) = left.take(share, from_the_end) {
        let part = engine.field(job, planes, &OfPiece(progress));
        parts.push(part.inspect_err(|_| left.close())?);
    }
    Ok(parts)
}

/// Makes the sums of some planes on two engines at once; `rates` are their speeds.
#[cfg(feature = "cuda")]
fn share_planes<F: FieldEngine + Sync, S: FieldEngine>(
    (fast, slow): (&F, &S),
    rates: [f64; 2],
    job: &FieldJob,
    planes: Range<usize>,
    progress: &dyn Progress,
) -> Result<FieldSums> {
    let share = rates[0] / (rates[0] + rates[1]);
    let left = Left {
        least: FEWEST.div_ceil(job.targets().plane_len()),
        planes: Mutex::new(planes.clone()),
    };
    progress.begin((planes.len() * job.targets().plane_len()) as u64);
    let (of_fast, of_slow) = std::thread::scope(|scope| {
        let fast = scope.spawn(|| take_planes(fast, job, &left, (share, false), progress));
        let slow = take_planes(slow, job, &left, (1.0 - share, true), progress);
        let fast = fast.join();
        (
            fast.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            slow,
        )
    });
    let mut parts = of_fast?;
    parts.extend(of_slow?);
    parts.sort_by_key(|part| part.planes().start);
    let mut parts = parts.into_iter();
    let Some(mut sums) = parts.next() else {
        return slow.field(job, planes, progress);
    };
    for part in parts {
        sums = sums.followed_by(&part)?;
    }
    Ok(sums)
}

#[cfg(feature = "cuda")]
impl FieldEngine for Together {
    fn field(
        &self,
        job: &FieldJob,
        planes: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<FieldSums> {
        let (cpu, cuda) = self.parts();
        let [slow, fast] = field_rates(cpu, cuda);
        share_planes((cuda, cpu), [fast, slow], job, planes, progress)
    }
}

/// The engine that was chosen.
fn chosen(engine: &AnyEngine) -> &dyn FieldEngine {
    match engine {
        AnyEngine::Naive(engine) => engine,
        AnyEngine::Cpu(engine) => engine,
        #[cfg(feature = "cuda")]
        AnyEngine::Cuda(engine) => engine,
        #[cfg(feature = "cuda")]
        AnyEngine::Together(engine) => engine,
    }
}

impl FieldEngine for AnyEngine {
    fn field(
        &self,
        job: &FieldJob,
        planes: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<FieldSums> {
        chosen(self).field(job, planes, progress)
    }

    fn field_by_variant(
        &self,
        variant: FieldVariant,
        job: &FieldJob,
        planes: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<(FieldSums, DistanceTests)> {
        chosen(self).field_by_variant(variant, job, planes, progress)
    }
}

#[cfg(all(test, feature = "cuda"))]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use crate::{Cutoff, Grid, Targets, Term};
    use albireo::Points;
    use albireo::domain::Domain;
    use albireo::engine::Silent;
    use albireo::engine::{Cpu, Naive};
    use albireo::error::EngineError;

    #[test]
    fn every_plane_is_taken_once() {
        for (planes, least) in [(0..200, 1), (7..8, 100), (3..50, 4), (5..5, 1)] {
            let left = Left {
                planes: Mutex::new(planes.clone()),
                least,
            };
            let mut taken = vec![0; planes.end];
            while let Some(part) = left.take(0.9, false) {
                let of_slow = left.take(0.1, true).into_iter().flatten();
                part.chain(of_slow).for_each(|plane| taken[plane] += 1);
            }
            let expected = |plane: usize| i32::from(plane >= planes.start);
            assert!((0..planes.end).all(|plane| taken[plane] == expected(plane)));
        }
    }

    #[test]
    fn the_slow_engine_takes_nothing_where_it_would_be_waited_for() {
        let left = Left {
            planes: Mutex::new(0..128),
            least: 4,
        };
        assert_eq!(left.take(0.005, true), None);
        assert_eq!(left.take(0.05, true), Some(124..128));
        assert_eq!(left.take(0.005, false), Some(0..4));
    }

    #[test]
    fn planes_of_two_engines_are_those_of_one() {
        let points = Points::from_rows(&[[0.1, 0.2, 0.3], [1.0, 0.9, 0.8], [2.0; 3]]).unwrap();
        let term = Term::coulomb(Cutoff::Smooth(1.5), 0.2).unwrap();
        let grid = Grid::orthogonal([0.0; 3], [0.1, 0.2, 0.2], [90, 40, 40]).unwrap();
        let targets = Targets::Grid(grid);
        let job = FieldJob::new(&points, &[1.0, -2.0, 0.5], &Domain::Open, term, targets).unwrap();
        let expected = Naive.field(&job, 2..88, &Silent).unwrap();
        let cpu = Cpu::new().with_threads(1).unwrap();
        for rates in [[9.0, 1.0], [1.0, 1.0], [1.0, 0.0]] {
            let sums = share_planes((&cpu, &Naive), rates, &job, 2..88, &Silent).unwrap();
            assert!(sums == expected);
        }
        let none = share_planes((&cpu, &Naive), [1.0, 1.0], &job, 4..4, &Silent).unwrap();
        assert_eq!((none.planes(), none.sums().len()), (4..4, 0));
    }

    /// Stops at once.
    struct Stop;

    impl Progress for Stop {
        fn begin(&self, _: u64) {}
        fn advance(&self, _: u64) {}
        fn stop_requested(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_stop_is_heard_by_both() {
        let points = Points::from_rows(&[[0.1, 0.2, 0.3]]).unwrap();
        let grid = Grid::orthogonal([0.0; 3], [0.1; 3], [90, 90, 90]).unwrap();
        let term = Term::top_hat(1.0).unwrap();
        let targets = Targets::Grid(grid);
        let job = FieldJob::new(&points, &[1.0], &Domain::Open, term, targets).unwrap();
        let both = (&Cpu::new(), &Naive);
        let stopped = share_planes(both, [1.0, 1.0], &job, 0..90, &Stop);
        assert_eq!(stopped, Err(EngineError::Interrupted.into()));
    }
}
