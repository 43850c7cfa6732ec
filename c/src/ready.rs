//! Samples that an engine sorts once for many counts.
//!
//! Entry: [`Ready`], [`Job::prepare`], [`Job::count_ready`].

#[cfg(feature = "cuda")]
use std::sync::OnceLock;

use albireo::counts::count_prepared;
#[cfg(feature = "cuda")]
use albireo::engine::cuda::Cuda;
use albireo::engine::{AnyEngine, Prepared, PreparedJob, Progress};

use super::counts::Counted;
use super::failure::{Failure, Result};
#[cfg(feature = "cuda")]
use super::job::CUDA;
use super::job::{Job, THETA};
use super::listening::heard;
use super::sample::Sample;

/// A sample that an engine has sorted.
#[derive(Debug)]
pub(crate) struct Ready {
    prepared: Prepared,
    engine: AnyEngine,
    /// Whether it holds directions, for angles.
    on_sky: bool,
}

impl Job {
    /// The engine of this name. GPUs are opened once for all samples that stay on them: what one count has left there, the next uses in the order of
    /// one stream.
    fn keeping_engine(&self) -> Result<AnyEngine> {
        #[cfg(feature = "cuda")]
        static GPUS: OnceLock<Cuda> = OnceLock::new();
        #[cfg(feature = "cuda")]
        if let (CUDA, Some(cuda)) = (self.0.engine, GPUS.get()) {
            return Ok(AnyEngine::Cuda(cuda.clone()));
        }
        let engine = self.engine(|_| {
            let expected =
                "expected one engine by its name: which is best depends on what is counted";
            Err(Failure::argument("engine", expected))
        })?;
        #[cfg(feature = "cuda")]
        if let AnyEngine::Cuda(cuda) = engine {
            return Ok(AnyEngine::Cuda(GPUS.get_or_init(|| cuda).clone()));
        }
        Ok(engine)
    }

    /// Sorts a sample for any number of counts in the box of this job, by its engine.
    ///
    /// # Safety
    /// As [`super::albireo_count`].
    pub(crate) unsafe fn prepare(&self, sample: &Sample) -> Result<Ready> {
        let domain = self.domain()?;
        let particles = self.placed(sample, &domain)?;
        let engine = self.keeping_engine()?;
        let prepare = |progress: &dyn Progress| engine.prepare(particles, &domain, progress);
        // A pointer of the caller is handed back to its own function, on this thread.
        // SAFETY: as this function asks.
        let prepared = unsafe { heard(self.0.progress, self.0.user, prepare) }?;
        Ok(Ready {
            prepared,
            engine,
            on_sky: self.0.statistic == THETA,
        })
    }

    /// Counts the pairs within a sample that was sorted before, or between two.
    ///
    /// # Safety
    /// As [`super::albireo_count`].
    pub(crate) unsafe fn count_ready(
        &self,
        first: &Ready,
        second: Option<&Ready>,
    ) -> Result<Counted> {
        for ready in [Some(first), second].into_iter().flatten() {
            if ready.on_sky != (self.0.statistic == THETA) {
                let expected = "expected samples that were prepared for it: angles are of directions, all else of positions";
                return Err(Failure::argument("statistic", expected));
            }
            if *ready.prepared.domain() != self.domain()? {
                let expected = "expected the box that the samples were prepared in";
                return Err(Failure::argument("box", expected));
            }
        }
        // SAFETY: as this function asks.
        let (bins, los) = unsafe { self.bins() }?;
        let has_bits = |ready: &Ready| ready.prepared.particles().bits().is_some();
        if second.is_some_and(|second| has_bits(second) != has_bits(first)) {
            let expected =
                "expected them in both samples, or in none: albireo_count takes bits of one alone";
            return Err(Failure::argument("bits", expected));
        }
        let job = PreparedJob::new(&first.prepared, second.map(|second| &second.prepared))?;
        // SAFETY: as this function asks.
        let what = unsafe { self.what(&bins, job.job().pairs(), los) }?;
        let degrees = self.degrees()?;
        let domain = first.prepared.domain();
        let count = |progress: &dyn Progress| -> Result<Counted> {
            let (counts, _) = count_prepared(&*first.engine, &job, what, progress)?;
            Ok(Counted::of(counts, degrees, Some(domain.clone())))
        };
        // A pointer of the caller is handed back to its own function, on this thread.
        // SAFETY: as this function asks.
        unsafe { heard(self.0.progress, self.0.user, count) }
    }
}
