//! The CUDA engine: the same integers from NVIDIA devices, one or several.
//!
//! Entry: [`Cuda`]. Kernels come from the crate `albireo-kernels` and are compiled by NVRTC for the device at hand on first use;
//! driver and compiler are found at run time, so nothing CUDA is needed to build. It estimates nothing and reads no file but its cache.

mod beyond;
mod carried;
mod choices;
mod filter;
mod frame;
mod kept;
mod labelled;
mod laid;
mod lines;
mod measured;
mod meetings;
mod options;
mod parts;
mod placing;
mod plan;
mod rand48;
mod run;
mod samples;
mod shape;
mod slots;
mod spread;
mod summed;
mod sums;
mod tensor;
mod terms;
mod timings;
mod units;
mod windows;
mod written;

#[cfg(test)]
mod suite;

pub use albireo_gpu::{
    CompilerDescription, CudaError, DeviceDescription, compiler, device_count, devices,
};
#[doc(hidden)]
pub use beyond::count;
#[doc(hidden)]
pub use kept::Kept;
pub use options::{CudaOptions, KernelChoice, Precision, Tuning};
#[doc(hidden)]
pub use parts::{tally_units, units};
#[doc(hidden)]
pub use rand48::fill;
#[doc(hidden)]
pub use spread::Share;
#[doc(hidden)]
pub use summed::statements;
pub use timings::CudaTimings;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use albireo_gpu::{GpuMemory, Gpus, Opening};

use super::held::without_held;
use super::mirrored::in_one_order;
use super::units::tally_as_jobs;
use super::{Cpu, Engine, Exactness, PairJob, PreparedJob, Progress, Report, Sorted, Units};
use crate::domain::Domain;
use crate::error::EngineError;
use crate::particles::Particles;
use crate::tally::{CountSpec, Tally};

/// NVIDIA devices as an engine: each has its own thread, stream, kernels and buffers, kept for the next run.
///
/// Clones share the devices.
#[derive(Clone)]
pub struct Cuda {
    options: CudaOptions,
    gpus: Arc<Opening>,
    last: Arc<Mutex<(CudaTimings, String)>>,
}

impl Cuda {
    /// Opens the devices.
    ///
    /// # Errors
    /// No driver, no device, or a number that does not exist or is named twice.
    pub fn new(options: CudaOptions) -> Result<Self, CudaError> {
        let engine = Self::begin(options)?;
        engine.gpus.gpus()?;
        Ok(engine)
    }

    /// Begins to open the devices, on a thread of its own: whoever uses them first waits for them, and hears of a device that there is not.
    ///
    /// # Errors
    /// No driver.
    pub fn begin(options: CudaOptions) -> Result<Self, CudaError> {
        Ok(Self {
            gpus: Arc::new(Opening::begin(&options.devices)?),
            options,
            last: Arc::default(),
        })
    }

    /// These devices, unless the process that this one is a fork of has opened them.
    pub(crate) fn of_this_process(&self) -> Result<&Self, CudaError> {
        self.gpus.gpus().map(|_| self)
    }

    /// Engines of one device each, `copies` for each device in use: work of one device at the same time goes to different ones.
    ///
    /// # Errors
    /// As [`Cuda::new`].
    pub fn one_by_one(&self, copies: usize) -> Result<Vec<Self>, CudaError> {
        let numbers = self.gpus.gpus()?.numbers();
        let all = (0..copies).flat_map(|_| numbers.iter());
        let alone = all.map(|&number| {
            Self::new(CudaOptions {
                devices: vec![number],
                ..self.options.clone()
            })
        });
        alone.collect()
    }

    /// The devices that clones share.
    ///
    /// # Errors
    /// As [`Cuda::new`], or devices that the parent of this fork has opened.
    pub fn shared_devices(&self) -> Result<Arc<Gpus>, CudaError> {
        self.gpus.gpus().map(Arc::clone)
    }

    /// The devices in use.
    ///
    /// # Errors
    /// A device that does not answer.
    pub fn describe_devices(&self) -> Result<Vec<DeviceDescription>, CudaError> {
        self.gpus.gpus()?.describe()
    }

    /// Multiprocessors of all devices in use; 0 where they cannot be used.
    pub fn multiprocessors(&self) -> u32 {
        self.gpus.gpus().map_or(0, |gpus| gpus.multiprocessors())
    }

    /// Float64 operations that all devices in use begin in a cycle; 0 where they cannot be used.
    pub fn float64_lanes(&self) -> u32 {
        self.gpus.gpus().map_or(0, |gpus| gpus.float64_lanes())
    }

    /// Remembers how a run on these devices went.
    pub fn set_last_run(&self, timings: CudaTimings, plan: String) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (timings, plan);
    }

    /// Where the time of the last run went (of several devices, the longest of each part), and how it was planned.
    pub fn last_run(&self) -> (CudaTimings, String) {
        self.last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cuda")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// A sample for devices: uploaded with the first count that it takes part in, and sorted with the first over the same cells.
#[derive(Default)]
struct CudaSorted(Kept<GpuMemory>);

impl fmt::Debug for CudaSorted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaSorted").finish_non_exhaustive()
    }
}

impl Cuda {
    /// Counts, and remembers how it went.
    fn count(
        &self,
        (job, kept): (&PairJob<'_>, Option<[&Kept<GpuMemory>; 2]>),
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        let mut told = None;
        let count = |all: &CountSpec| {
            let (tally, timings, plan) = beyond::count(
                &**self.gpus.gpus()?,
                &self.options,
                (job, kept, None),
                all,
                progress,
            )?;
            told = Some((timings, plan));
            Ok(tally)
        };
        what.admit(job)?;
        if what.reaches_beyond(job.domain()) && !beyond::serves(what, job.domain()) {
            let cpu = Cpu::new();
            let tally = cpu.run(job, what, progress)?;
            return Ok((tally, Report::by_processor(&cpu.description())));
        }
        let tally = without_held(job, what, None, progress, count)?;
        let tally = tally.ok_or(CudaError::Unsupported("these cuts"))?;
        let (timings, description) = told.unwrap_or_default();
        Ok((tally, self.reported(timings, description)))
    }

    /// Remembers how a run went, and reports it.
    fn reported(&self, timings: CudaTimings, plan: String) -> Report {
        let CudaTimings {
            upload,
            sort,
            kernels,
        } = timings;
        let report = Report {
            stages: vec![("upload", upload), ("sort", sort), ("kernels", kernels)],
            plan: plan.clone(),
        };
        self.set_last_run(timings, plan);
        report
    }
}

impl Engine for Cuda {
    fn sort(&self, _: &Particles, _: &Domain, _: &dyn Progress) -> Result<Sorted, EngineError> {
        Ok(Sorted::new(CudaSorted::default()))
    }

    fn tally(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        let (first, second) = job.sorted::<CudaSorted>("cuda")?;
        let kept = [first, second.unwrap_or(first)].map(|sorted| &sorted.0);
        let count = |once: &CountSpec| self.count((job.job(), Some(kept)), once, progress);
        in_one_order(job.job(), what, self.exactness(), count)
    }

    fn units(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<Units, EngineError> {
        let devices = (&**self.gpus.gpus()?, &self.options);
        parts::units(devices, job.job(), what, self.exactness(), progress)
    }

    fn tally_units(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        (units, run): (&Units, Range<usize>),
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        let (first, second) = job.sorted::<CudaSorted>("cuda")?;
        let kept = [first, second.unwrap_or(first)].map(|sorted| &sorted.0);
        let devices = (&**self.gpus.gpus()?, &self.options);
        let asked = (job.job(), kept, (units, run.clone()));
        match parts::tally_units(devices, asked, what, progress)? {
            Some((tally, timings, plan)) => Ok((tally, self.reported(timings, plan))),
            None => tally_as_jobs(self, job, what, (units, run), progress),
        }
    }

    /// What serves this count alone is not kept: its memory is free as soon as it is sorted.
    fn run(
        &self,
        job: &PairJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<Tally, EngineError> {
        let count = |once: &CountSpec| self.count((job, None), once, progress);
        in_one_order(job, what, self.exactness(), count).map(|(tally, _)| tally)
    }

    fn description(&self) -> String {
        let names: Vec<String> = self
            .describe_devices()
            .unwrap_or_default()
            .iter()
            .map(|d| format!("{} {}", d.number, d.name))
            .collect();
        let arithmetic = match self.options.precision {
            Precision::Exact => "exact: float32 filter, float64 recheck",
            Precision::Float64 => "exact: float64",
            Precision::Float32 => "approximate: float32",
        };
        format!("cuda ({}; {arithmetic})", names.join(", "))
    }

    fn exactness(&self) -> Exactness {
        match self.options.precision {
            Precision::Exact | Precision::Float64 => Exactness::Exact,
            Precision::Float32 => Exactness::Approximate,
        }
    }
}
