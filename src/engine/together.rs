//! CPU and GPUs on one job, each with as much of it as it does in the same time.
//!
//! Entry: [`Together`]. The job is cut into its units: the GPU counts a long run of them, brought together as a part is, and both take the
//! short runs that are left. It is worth it where the GPU is not much faster than the processor.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::auto::relative_rates;
use super::cuda::{Cuda, CudaError};
use super::groups::tally_arranged;
use super::{Cpu, Engine, Exactness, PreparedJob, Progress, Report, Sorted, Units};
use crate::domain::Domain;
use crate::error::EngineError;
use crate::particles::Particles;
use crate::progress::OfPiece;
use crate::tally::{Classes, CountSpec, Merge, Tally};

/// The CPU and the GPUs at the same time.
#[derive(Debug, Clone)]
pub struct Together {
    cpu: Cpu,
    cuda: Cuda,
}

/// Runs of units, which cost about the same, that a job is cut into: the last one then keeps no engine waiting for long.
const RUNS: u32 = 64;

/// Engines that share a job.
struct Sharers<'a> {
    fast: &'a (dyn Engine + Sync),
    /// The engine whose prepared samples the job has.
    slow: &'a dyn Engine,
    /// What the slow one does of all pairs in the same time.
    share: f64,
}

impl Sharers<'_> {
    /// Counts `what` over the units of a job: a long run of them on the fast engine, those that are left on both.
    fn count(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        units: &Units,
        progress: &dyn Progress,
    ) -> Result<Tally, EngineError> {
        let long = ((1.0 - self.share) * f64::from(RUNS)).round() as u32;
        let of = |runs: Range<u32>| {
            let bound = |run: u32| {
                if run == RUNS {
                    units.len()
                } else {
                    units.part(run, RUNS).start
                }
            };
            bound(runs.start)..bound(runs.end)
        };
        let left = Mutex::new(long..RUNS);
        let left = || left.lock().unwrap_or_else(PoisonError::into_inner);
        let progress = &OfPiece(progress);
        let groups = units.groups(job.job(), &(0..units.len()))?;
        let on_fast = || {
            let mut tally = what.zero(job.job().pairs())?;
            let mut next = Some(0..long);
            while let Some(runs) = next {
                let run = of(runs);
                if !run.is_empty() {
                    let run = (groups, run);
                    tally.merge(tally_arranged(self.fast, job.job(), what, run, progress)?);
                }
                next = left().next().map(|run| run..run + 1);
            }
            Ok::<_, EngineError>(tally)
        };
        let on_slow = || {
            let mut tally = what.zero(job.job().pairs())?;
            loop {
                // No lock is held while a run is counted.
                let next = left().next_back();
                let Some(run) = next else {
                    return Ok::<_, EngineError>(tally);
                };
                let run = (units, of(run..run + 1));
                tally.merge(self.slow.tally_units(job, what, run, progress)?.0);
            }
        };
        let (fast, slow) = std::thread::scope(|scope| {
            let fast = scope.spawn(on_fast);
            let slow = on_slow();
            let fast = fast.join();
            let fast = fast.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (fast, slow)
        });
        let mut tally = fast?;
        tally.merge(slow?);
        Ok(tally)
    }
}

impl Together {
    /// The two of them.
    pub fn parts(&self) -> (&Cpu, &Cuda) {
        (&self.cpu, &self.cuda)
    }

    /// Both engines.
    pub fn new(cpu: Cpu, cuda: Cuda) -> Self {
        Self { cpu, cuda }
    }
}

impl Engine for Together {
    fn sort(
        &self,
        sample: &Particles,
        domain: &Domain,
        progress: &dyn Progress,
    ) -> Result<Sorted, EngineError> {
        self.cpu.sort(sample, domain, progress)
    }

    fn tally(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        let pairs = job.job();
        what.admit(pairs)?;
        if what.reaches_beyond(pairs.domain()) {
            let (tally, _) = self.cpu.tally(job, what, progress)?;
            return Ok((tally, Report::by_processor(&self.cpu.description())));
        }
        // Rows that are brought together have no classes.
        if what.classes() != Classes::One {
            let shared = "classes of pairs shared out with the processor";
            return Err(CudaError::Unsupported(shared).into());
        }
        let units = self.cpu.units(job, what, progress)?;
        progress.begin(units.pairs(0..units.len()));
        let [cpu, cuda] = relative_rates(&self.cpu, &self.cuda);
        let sharers = Sharers {
            fast: &self.cuda,
            slow: &self.cpu,
            share: cpu / (cpu + cuda),
        };
        let tally = sharers.count(job, what, &units, progress)?;
        Ok((tally, Report::default()))
    }

    fn description(&self) -> String {
        format!("{} and {}", self.cuda.description(), self.cpu.description())
    }

    fn exactness(&self) -> Exactness {
        self.cuda.exactness()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binning::{Edges, LineOfSight, RBins, SMuBins, SignedEdges};
    use crate::engine::{Naive, Silent};
    use crate::particles::Points;
    use crate::tally::{Cut, Sum};

    fn sample(n: usize, seed: usize) -> Particles {
        let column = |k: usize| -> Vec<f64> {
            (0..n)
                .map(|i| ((i * k + seed) % 9973) as f64 / 9973.0)
                .collect()
        };
        let points = Points::new(column(17), column(391), column(4801)).unwrap();
        Particles::weighted(points, column(77).iter().map(|w| w - 0.25).collect()).unwrap()
    }

    /// Not by the CPU's engine: all its kernels would be compiled for this alone, and tests of engines count with them.
    fn agrees(first: &Particles, second: Option<&Particles>, what: &CountSpec) {
        let prepare = |sample: &Particles| Naive.prepare(sample.clone(), &Domain::Open, &Silent);
        let (first, second) = (prepare(first).unwrap(), second.map(prepare));
        let second = second.transpose().unwrap();
        let job = PreparedJob::new(&first, second.as_ref()).unwrap();
        let whole = Naive.tally(&job, what, &Silent).unwrap().0;
        let units = Naive.units(&job, what, &Silent).unwrap();
        for share in [0.0, 0.3, 0.9, 1.0] {
            let sharers = Sharers {
                fast: &Naive,
                slow: &Naive,
                share,
            };
            let shared = sharers.count(&job, what, &units, &Silent).unwrap();
            assert!(shared == whole, "{share}");
        }
    }

    #[test]
    fn shared_out_counts_are_those_of_the_whole() {
        let (a, b) = (sample(1300, 3), sample(1200, 4));
        let s = Edges::linear(0.0, 0.3, 12).unwrap();
        let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
        for second in [None, Some(&b)] {
            let bins = SMuBins::new(s.clone(), mu.clone(), LineOfSight::First).unwrap();
            agrees(&a, second, &CountSpec::new(bins).with_sum(Sum::Product));
            let what = CountSpec::new(RBins::new(s.clone())).with_sum(Sum::Product);
            let what = what.with_sum(Sum::Separation);
            agrees(&a, second, &what);
            let listed = Cut::listed((0..1000).map(|row| [row, row + 1]));
            agrees(&a, second, &what.with_cut(listed));
        }
    }
}
