//! Who makes sums per target: [`Naive`], whose double loop is the definition, and [`Cpu`], by cells of sources.
//!
//! Entry: [`FieldEngine`]. What a term is, modules beside this one say; every engine gives the same integers.

mod choice;
mod columns;
#[cfg(feature = "cuda")]
pub mod devices;
mod float32;
mod ions;
mod naive;
mod planes;
mod scattered;
mod tiles;
mod variants;

pub use choice::choose_engine;
pub use float32::{Float32Sum, field_in_float32};
pub use ions::{IonDistances, PlacedIon, place_ions};
pub use variants::field_by_variant;
#[cfg(feature = "cuda")]
pub(crate) use variants::{Found, by_plan};

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use albireo::engine::{Cpu, Naive, Progress};
use albireo::error::EngineError;
use albireo::progress::Lasting;
use rayon::prelude::*;

use crate::error::{FieldError, Result};
use crate::{
    DistanceTests, FieldJob, FieldSums, FieldVariant, ForProfile, Number, Precision, Profile,
};

/// Makes sums per target.
pub trait FieldEngine {
    /// The sums of some planes of a job (all of them: `job.targets().planes()`); `progress` hears of targets. Planes made apart are those made
    /// together, bit for bit.
    ///
    /// # Errors
    /// Planes that the job does not have, a stop asked for through `progress`, threads or memory that cannot be had.
    fn field(
        &self,
        job: &FieldJob,
        planes: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<FieldSums>;

    /// The sums of some planes of a job in one of the ways of Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277), bit for bit those of
    /// [`FieldEngine::field`], and the tests of distances that it made ([`field_by_variant`]).
    ///
    /// # Errors
    /// As [`FieldEngine::field`]; engines other than cpu and cuda, and what the variant has no meaning for.
    fn field_by_variant(
        &self,
        _: FieldVariant,
        _: &FieldJob,
        _: Range<usize>,
        _: &dyn Progress,
    ) -> Result<(FieldSums, DistanceTests)> {
        let needs = "the cpu or the cuda engine";
        Err(FieldError::Variant { needs })
    }
}

/// As many zeros.
pub(crate) fn zeros(n: usize) -> Result<Vec<i64>> {
    let mut sums = Vec::new();
    let room = sums.try_reserve_exact(n);
    room.map_err(|_| FieldError::Memory { targets: n })?;
    sums.resize(n, 0);
    Ok(sums)
}

/// The numbers of the targets of some planes.
pub(crate) fn numbers(job: &FieldJob, planes: &Range<usize>) -> Result<Range<usize>> {
    let all = job.targets().planes();
    if planes.start > planes.end || planes.end > all.end {
        return Err(FieldError::Planes {
            start: planes.start,
            end: planes.end,
            planes: all.end,
        });
    }
    let len = job.targets().plane_len();
    Ok(planes.start * len..planes.end * len)
}

impl FieldEngine for Naive {
    fn field(
        &self,
        job: &FieldJob,
        planes: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<FieldSums> {
        let numbers = numbers(job, &planes)?;
        progress.begin(numbers.len() as u64);
        let mut sums = zeros(numbers.len())?;
        let mut close = 0;
        for (sum, number) in sums.iter_mut().zip(numbers) {
            if progress.stop_requested() {
                return Err(EngineError::Interrupted.into());
            }
            close += match job.scale().precision {
                Precision::Double => job.term().with_profile(naive::Target {
                    job,
                    number,
                    sum,
                    numbers: PhantomData::<f64>,
                }),
                Precision::Single => job.term().with_profile(naive::Target {
                    job,
                    number,
                    sum,
                    numbers: PhantomData::<f32>,
                }),
            };
            progress.advance(1);
        }
        Ok(FieldSums::new(job, planes, sums, close))
    }
}

impl FieldEngine for Cpu {
    fn field(
        &self,
        job: &FieldJob,
        planes: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<FieldSums> {
        let numbers = numbers(job, &planes)?;
        progress.begin(numbers.len() as u64);
        let mut sums = zeros(numbers.len())?;
        let progress = Lasting::new(progress);
        let close = AtomicU64::new(0);
        let work = OnThreads {
            engine: self,
            job,
            first: numbers.start,
            planes: planes.clone(),
            sums: &mut sums,
            progress: &progress,
            close: &close,
        };
        self.pool()?.install(|| job.term().with_profile(work));
        if progress.stop_requested() {
            return Err(EngineError::Interrupted.into());
        }
        Ok(FieldSums::new(job, planes, sums, close.into_inner()))
    }

    fn field_by_variant(
        &self,
        variant: FieldVariant,
        job: &FieldJob,
        planes: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<(FieldSums, DistanceTests)> {
        field_by_variant(self, variant, job, planes, progress)
    }
}

/// What the threads of a [`Cpu`] share.
struct OnThreads<'a> {
    engine: &'a Cpu,
    job: &'a FieldJob,
    /// The number of the first target.
    first: usize,
    planes: Range<usize>,
    sums: &'a mut [i64],
    progress: &'a Lasting<'a>,
    close: &'a AtomicU64,
}

/// Scattered targets that a thread takes at a time.
const STRETCH: usize = 64;

impl ForProfile for OnThreads<'_> {
    type Output = ();

    fn with<P: Profile>(self, profile: P) {
        match self.job.scale().precision {
            Precision::Double => self.sum::<P, f64>(profile),
            Precision::Single => self.sum::<P, f32>(profile),
        }
    }
}

/// Hands stretches of the sums, each with its number, to the threads of the pool: compiled once, and not for each kind of terms.
fn each_stretch(sums: &mut [i64], length: usize, make: &(dyn Fn(usize, &mut [i64]) + Sync)) {
    let stretches = sums.par_chunks_mut(length).enumerate();
    stretches.for_each(|(number, sums)| make(number, sums));
}

impl OnThreads<'_> {
    fn sum<P: Profile, N: Number>(self, profile: P) {
        let (job, isa) = (self.job, self.engine.isa());
        let lattice = tiles::Lattice::<P, N>::new(job, profile, isa);
        let done = |targets: usize, close: u64| {
            self.close.fetch_add(close, Ordering::Relaxed);
            self.progress.advance(targets as u64);
        };
        if let Some(lattice) = lattice {
            each_stretch(self.sums, lattice.slab_len(), &|k, sums| {
                let first = self.planes.start + k * columns::DEPTH;
                let go_on = || !self.progress.stop_requested();
                lattice.slab(job.cells(), first, sums, &go_on, &done);
            });
            return;
        }
        each_stretch(self.sums, STRETCH, &|k, sums| {
            if !self.progress.stop_requested() {
                let first = self.first + k * STRETCH;
                let close = scattered::stretch::<N, P>(job, profile, isa, first, sums);
                done(sums.len(), close);
            }
        });
    }
}
