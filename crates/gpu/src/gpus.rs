//! Devices that work at the same time, each on a thread of its own.
//!
//! Entry: [`Opening`] for those that are to work, which are then [`Gpus`]; [`devices`] for what there is.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::device::{Device, Devices};
use crate::error::CudaError;
use crate::gpu::{DeviceDescription, Gpu, device_count, float64_lanes, has_driver};
use crate::process;

/// Devices that a thread of its own opens, while others read and sort what these are to work on: a driver takes tenths of a second.
pub struct Opening {
    begun: Mutex<Option<JoinHandle<Result<Gpus, CudaError>>>>,
    opened: OnceLock<Result<Arc<Gpus>, CudaError>>,
}

impl Opening {
    /// Begins to open devices by their numbers; all there are where none is named.
    ///
    /// # Errors
    /// No driver, or one that the parent of this fork uses.
    pub fn begin(devices: &[usize]) -> Result<Self, CudaError> {
        if !has_driver() {
            return Err(CudaError::NoDriver);
        }
        process::admit()?;
        let devices = devices.to_vec();
        let thread = Builder::new().name("albireo-cuda".to_owned());
        let begun = thread.spawn(move || Gpus::open(&devices));
        let begun = begun.map_err(|error| CudaError::Threads(error.to_string()))?;
        Ok(Self {
            begun: Mutex::new(Some(begun)),
            opened: OnceLock::new(),
        })
    }

    /// The devices, which are waited for.
    ///
    /// # Errors
    /// No device, or a number that does not exist or is named twice; [`CudaError::Forked`].
    pub fn gpus(&self) -> Result<&Arc<Gpus>, CudaError> {
        process::check()?;
        let opened = self.opened.get_or_init(|| self.joined().map(Arc::new));
        opened.as_ref().map_err(Clone::clone)
    }

    fn joined(&self) -> Result<Gpus, CudaError> {
        let begun = self
            .begun
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let opened = begun.and_then(|begun| begun.join().ok());
        opened.unwrap_or(Err(CudaError::NoDriver))
    }
}

impl Drop for Opening {
    /// A process does not end while the driver begins.
    fn drop(&mut self) {
        if process::check().is_ok() {
            drop(self.joined());
        }
    }
}

/// Open devices, each with a thread, a stream, kernels and buffers of its own.
pub struct Gpus {
    threads: ThreadPool,
    gpus: Vec<Gpu>,
}

impl Gpus {
    fn open(devices: &[usize]) -> Result<Self, CudaError> {
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
