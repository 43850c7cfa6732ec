//! The CUDA engine: the same integers from NVIDIA devices, one or several.
//!
//! Entry: [`Cuda`]. Kernels come from the crate `albireo-kernels` and are compiled by NVRTC for the device at hand on first use;
//! driver and compiler are found at run time, so nothing CUDA is needed to build. It estimates nothing and reads no file but its cache.

mod device;
mod error;
mod filter;
mod frame;
mod kernel_cache;
mod layout;
mod nvrtc;
mod plan;
mod run;

#[cfg(test)]
mod emulated;
#[cfg(test)]
mod suite;

pub use device::DeviceDescription;
pub use error::CudaError;
pub use nvrtc::locate as nvrtc_version;
pub use run::CudaTimings;

use std::sync::{Mutex, PoisonError};

use super::{Engine, PairJob, Progress};
use crate::binning::Binning;
use crate::error::EngineError;
use crate::ops::{BinSums, PairOp, Payload};
use device::{Device, Gpu};
use plan::Plan;
use run::{Queue, Sums};

/// The arithmetic that decides pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// A float32 filter with a proven error bound; doubtful pairs again in float64. Exact, and the fastest exact way.
    #[default]
    Exact,
    /// Float64 for every pair. Exact.
    Float64,
    /// The float32 filter alone. Approximate: pairs near an edge may land in the neighbouring bin.
    Float32,
}

/// Which kernel visits pairs; every choice gives the same integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelChoice {
    /// The fastest for the job, by a measured rule.
    #[default]
    Auto,
    /// Every pair, a thread a second point, sums in global memory: the shortest to read.
    Simple,
    /// Every pair, first points in constant memory, sums in shared memory.
    Constant,
    /// Every pair, first points in shared memory, several second points in a thread's registers.
    Shared,
}

/// Sizes that change the time and never the integers; what is 0 the engine chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tuning {
    /// Threads a block: 64, 128, 256, 512 or 1024.
    pub threads: u32,
    /// Second points a thread, at most 32.
    pub points: u32,
    /// First points a tile.
    pub tile: u32,
    /// Particles that a cell should hold.
    pub cell_particles: u32,
}

/// What to run on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CudaOptions {
    /// Device numbers; all devices when empty.
    pub devices: Vec<usize>,
    /// The arithmetic.
    pub precision: Precision,
    /// The kernel.
    pub kernel: KernelChoice,
    /// Sizes of the kernels and cells.
    pub tuning: Tuning,
}

/// NVIDIA devices as an engine.
pub struct Cuda {
    options: CudaOptions,
    devices: Vec<Gpu>,
    last: Mutex<(CudaTimings, String)>,
}

/// The devices of this machine.
///
/// # Errors
/// No driver, or a device that does not answer.
pub fn devices() -> Result<Vec<DeviceDescription>, CudaError> {
    (0..device::device_count()?)
        .map(|number| Gpu::open(number)?.describe())
        .collect()
}

impl Cuda {
    /// Opens the devices.
    ///
    /// # Errors
    /// No driver, no device, or a number that does not exist.
    pub fn new(options: CudaOptions) -> Result<Self, CudaError> {
        let numbers = if options.devices.is_empty() {
            (0..device::device_count()?).collect()
        } else {
            options.devices.clone()
        };
        if numbers.is_empty() {
            return Err(CudaError::NoDevice);
        }
        let devices = numbers
            .into_iter()
            .map(Gpu::open)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            options,
            devices,
            last: Mutex::default(),
        })
    }

    /// The devices in use.
    ///
    /// # Errors
    /// A device that does not answer.
    pub fn describe_devices(&self) -> Result<Vec<DeviceDescription>, CudaError> {
        self.devices.iter().map(Gpu::describe).collect()
    }

    /// Where the time of the last run went (of several devices, the longest of each part), and how it was planned.
    pub fn last_run(&self) -> (CudaTimings, String) {
        self.last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Runs the plan on every device at once.
    fn spread(
        &self,
        plan: &Plan,
        job: &PairJob<'_>,
        weights: Option<[&[f64]; 2]>,
        progress: &dyn Progress,
    ) -> Result<Sums, EngineError> {
        let queue = Queue::default();
        let work = (&queue, self.devices.len());
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .devices
                .iter()
                .map(|device| {
                    scope.spawn(move || run::run(device, plan, job, weights, work, progress))
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or(Err(EngineError::Interrupted)))
                .collect()
        });
        let mut sums = Sums::default();
        let mut timings = CudaTimings::default();
        for result in results {
            let (part, times) = result?;
            sums.add(&part);
            timings.upload = timings.upload.max(times.upload);
            timings.sort = timings.sort.max(times.sort);
            timings.kernels = timings.kernels.max(times.kernels);
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (timings, plan.describe());
        Ok(sums)
    }
}

/// The weights that the kernels must carry.
fn weights_of(payload: Payload<'_>) -> Result<Option<[&[f64]; 2]>, CudaError> {
    match payload {
        Payload::Count => Ok(None),
        Payload::Products(first, second) => Ok(Some([first, second])),
        Payload::Separation => Err(CudaError::Unsupported("separations")),
    }
}

impl Engine for Cuda {
    fn run<O: PairOp>(
        &self,
        job: &PairJob<'_>,
        op: &O,
        progress: &dyn Progress,
    ) -> Result<O::Output, EngineError> {
        op.admit(job)?;
        let weights = weights_of(op.payload())?;
        match self.options.kernel {
            KernelChoice::Auto | KernelChoice::Shared => {}
            KernelChoice::Simple => {
                return Err(CudaError::Unsupported("by the kernel simple").into());
            }
            KernelChoice::Constant => {
                return Err(CudaError::Unsupported("by the kernel constant").into());
            }
        }
        let mut output = op.empty();
        let (first, second) = job.pairs().both();
        progress.begin(job.n_pairs());
        if first.is_empty() || second.is_empty() || op.binning().n_bins() == 0 {
            return Ok(output);
        }
        let shared_limit = self
            .devices
            .iter()
            .map(Device::shared_limit)
            .min()
            .unwrap_or(48 << 10);
        let plan = Plan::new(
            job,
            op.binning(),
            weights.is_some(),
            &self.options,
            shared_limit,
        );
        let sums = self.spread(&plan, job, weights, progress)?;
        op.add_sums(
            &mut output,
            BinSums {
                npairs: &sums.npairs,
                products: &sums.products,
            },
        );
        Ok(output)
    }

    fn description(&self) -> String {
        let names: Vec<String> = self
            .devices
            .iter()
            .flat_map(Gpu::describe)
            .map(|d| format!("{} {}", d.number, d.name))
            .collect();
        let arithmetic = match self.options.precision {
            Precision::Exact => "exact: float32 filter, float64 recheck",
            Precision::Float64 => "exact: float64",
            Precision::Float32 => "approximate: float32",
        };
        format!("cuda ({}; {arithmetic})", names.join(", "))
    }
}
