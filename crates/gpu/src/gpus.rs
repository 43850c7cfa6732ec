//! Devices that work at the same time, each on a thread of its own.
//!
//! Entry: [`Gpus`] for those that are to work, [`devices`] for what there is.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::device::{Device, Devices};
use crate::error::CudaError;
use crate::gpu::{DeviceDescription, Gpu, device_count, float64_lanes};
use crate::process;

/// Open devices, each with a thread, a stream, kernels and buffers of its own.
pub struct Gpus {
    threads: ThreadPool,
    gpus: Vec<Gpu>,
}

impl Gpus {
    /// Opens devices by their numbers; all there are where none is named.
    ///
    /// # Errors
    /// No driver, no device, or a number that does not exist or is named twice.
    pub fn open(devices: &[usize]) -> Result<Self, CudaError> {
        let available = device_count()?;
        let numbers = if devices.is_empty() {
            (0..available).collect()
        } else {
            devices.to_vec()
        };
        if available == 0 {
            return Err(CudaError::NoDevice);
        }
        for (k, &wanted) in numbers.iter().enumerate() {
            if wanted >= available {
                return Err(CudaError::Ordinal { wanted, available });
            }
            if numbers[..k].contains(&wanted) {
                return Err(CudaError::Repeated(wanted));
            }
        }
        let threads = ThreadPoolBuilder::new()
            .num_threads(numbers.len())
            .thread_name(|k| format!("albireo-cuda-{k}"))
            .build()
            .map_err(|error| CudaError::Threads(error.to_string()))?;
        let gpus = threads.broadcast(|thread| Gpu::open(numbers[thread.index()]));
        Ok(Self {
            gpus: gpus.into_iter().collect::<Result<_, _>>()?,
            threads,
        })
    }

    /// The devices, unless the process that this one is a fork of has opened them.
    ///
    /// # Errors
    /// [`CudaError::Forked`].
    pub fn of_this_process(&self) -> Result<&Self, CudaError> {
        process::check()?;
        Ok(self)
    }

    /// Their numbers.
    pub fn numbers(&self) -> Vec<usize> {
        self.gpus.iter().map(Gpu::number).collect()
    }

    /// What they are.
    ///
    /// # Errors
    /// A device that does not answer.
    pub fn describe(&self) -> Result<Vec<DeviceDescription>, CudaError> {
        self.gpus.iter().map(Gpu::describe).collect()
    }

    /// Multiprocessors of all of them.
    pub fn multiprocessors(&self) -> u32 {
        self.gpus.iter().map(Gpu::multiprocessors).sum()
    }

    /// Float64 operations that all of them begin in a cycle.
    pub fn float64_lanes(&self) -> u32 {
        let lanes = |gpu: &Gpu| gpu.multiprocessors() * float64_lanes(gpu.arch());
        self.gpus.iter().map(lanes).sum()
    }
}

impl Devices for Gpus {
    type Device = Gpu;

    fn all(&self) -> &[Gpu] {
        &self.gpus
    }

    fn on_each<T: Send>(&self, work: impl Fn(&Gpu) -> T + Sync) -> Vec<T> {
        self.threads
            .broadcast(|thread| work(&self.gpus[thread.index()]))
    }
}

/// The devices of this machine.
///
/// # Errors
/// No driver, or a device that does not answer.
pub fn devices() -> Result<Vec<DeviceDescription>, CudaError> {
    (0..device_count()?)
        .map(|number| Gpu::open(number)?.describe())
        .collect()
}
