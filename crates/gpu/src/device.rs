//! What callers ask of a place that kernels run in: memory, launches and marks in the order of calls.
//!
//! Entry: [`Device`], and [`Devices`] for several that work at the same time. NVIDIA's answer is in `gpu.rs`; tests have one of their own.

use std::sync::OnceLock;

use albireo_kernels::Kernel;
use bytemuck::Pod;

use crate::error::CudaError;

/// The shape of a launch.
#[derive(Debug, Clone, Copy)]
pub struct LaunchShape {
    /// Blocks along x and y.
    pub grid: [u32; 2],
    /// Threads a block.
    pub threads: u32,
    /// Bytes of shared memory a block.
    pub shared: usize,
}

/// A place that kernels run in. Calls on one device are ordered.
///
/// # Errors
/// Every call that can fail tells what failed.
#[allow(clippy::missing_errors_doc, reason = "said once, above")]
pub trait Device: Sync {
    /// Device memory, freed or reused when dropped.
    type Memory: Send + Sync;
    /// A point in the order of calls.
    type Mark;

    /// Its number: of devices with one number, each finds what is in the memory of the other.
    fn number(&self) -> usize;
    /// Refuses a run that needs more than so many bytes at its peak.
    fn make_room(&self, bytes: u64) -> Result<(), CudaError>;
    /// Memory of unknown content.
    fn allocate(&self, bytes: usize) -> Result<Self::Memory, CudaError>;
    /// Where kernels find it.
    fn address(&self, memory: &Self::Memory) -> u64;
    /// Copies to the start of `memory`.
    fn upload<T: Pod>(&self, memory: &mut Self::Memory, values: &[T]) -> Result<(), CudaError>;
    /// Copies from the start of `memory` once everything before is done.
    fn download<T: Pod>(&self, memory: &Self::Memory, values: &mut [T]) -> Result<(), CudaError>;
    /// Fills with zeros.
    fn clear(&self, memory: &mut Self::Memory) -> Result<(), CudaError>;
    /// Most bytes of shared memory a block can have.
    fn shared_limit(&self) -> usize;
    /// Float64 operations that a multiprocessor begins in a cycle.
    fn float64_lanes(&self) -> u32;
    /// Where it has tensor cores that sum products of halves in float32: whether their sums were found to keep their bound.
    fn tensor_cores(&self) -> Option<&OnceLock<bool>>;
    /// Blocks of `kernel` that the whole device runs at a time.
    fn resident(&self, kernel: Kernel, shape: LaunchShape) -> Result<u32, CudaError>;
    /// Runs `kernel` after everything before.
    fn launch<J: Pod, U: Pod>(
        &self,
        kernel: Kernel,
        shape: LaunchShape,
        job: &J,
        unit: &U,
    ) -> Result<(), CudaError>;
    /// Marks now.
    fn mark(&self) -> Result<Self::Mark, CudaError>;
    /// Waits for `end` and returns the seconds between.
    fn seconds(&self, begin: &Self::Mark, end: &Self::Mark) -> Result<f64, CudaError>;
}

/// Devices that work at the same time.
pub trait Devices {
    /// One of them.
    type Device: Device;

    /// All of them.
    fn all(&self) -> &[Self::Device];

    /// What `work` returns for each device, run on all at once.
    fn on_each<T: Send>(&self, work: impl Fn(&Self::Device) -> T + Sync) -> Vec<T>;
}

/// Memory that holds `values`.
///
/// # Errors
/// No such memory, or a device that fails.
pub fn put<D: Device, T: Pod>(device: &D, values: &[T]) -> Result<D::Memory, CudaError> {
    let mut memory = device.allocate(size_of_val(values))?;
    device.upload(&mut memory, values)?;
    Ok(memory)
}
