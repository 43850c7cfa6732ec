//! What can go wrong between a job and a device.

use thiserror::Error as ThisError;

/// A device, driver or compiler that is missing or failed.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum CudaError {
    /// No driver on this machine.
    #[error("no NVIDIA driver was found (libcuda.so.1): install one, or use the cpu engine")]
    NoDriver,
    /// A driver without a device.
    #[error("the NVIDIA driver found no device")]
    NoDevice,
    /// A device number that does not exist.
    #[error("there is no CUDA device {wanted}: this machine has {available}, numbered from 0")]
    Ordinal {
        /// The number asked for.
        wanted: usize,
        /// How many there are.
        available: usize,
    },
    /// A device number given twice.
    #[error("CUDA device {0} is named twice")]
    Repeated(usize),
    /// The child of a fork whose parent uses the driver.
    #[error(
        "process {child} is the child of a fork of process {parent}, which has used the GPUs, and the NVIDIA driver does not work in such a child: \
         start processes by spawn or forkserver, fork before the first count on a GPU, or use the cpu engine here"
    )]
    Forked {
        /// The process that has used the driver.
        parent: u32,
        /// The one that asks for it.
        child: u32,
    },
    /// The threads that drive devices could not be started.
    #[error("could not start a thread for each CUDA device: {0}")]
    Threads(String),
    /// Bins that no kernel knows.
    #[error(
        "GPUs count in the library's own bins alone and have no kernel for {0}: use the cpu engine"
    )]
    Binning(&'static str),
    /// No run-time compiler.
    #[error(
        "NVRTC, the CUDA run-time compiler, was not found (looked in {looked}); install the CUDA toolkit or `pip install nvidia-cuda-nvrtc-cu12`, \
         or point ALBIREO_NVRTC to libnvrtc.so"
    )]
    NoCompiler {
        /// Where it was looked for, comma separated.
        looked: String,
    },
    /// The compiler refused a kernel.
    #[error("NVRTC {version} could not compile {source_name} for sm_{arch}: {log}")]
    Compile {
        /// NVRTC version.
        version: String,
        /// The source file.
        source_name: String,
        /// Compute capability, such as 90.
        arch: u32,
        /// What the compiler said.
        log: String,
    },
    /// A compiler older than the device, or too new for it.
    #[error(
        "NVRTC {version} does not compile for compute capability {arch}: install another version of it, or point ALBIREO_NVRTC to one"
    )]
    Architecture {
        /// NVRTC version.
        version: String,
        /// Compute capability, such as 90.
        arch: u32,
    },
    /// A driver call failed.
    #[error("CUDA device {device}: {call} failed: {reason}")]
    Driver {
        /// The device.
        device: usize,
        /// What was tried.
        call: &'static str,
        /// What the driver said.
        reason: String,
    },
    /// Not enough device memory.
    #[error(
        "CUDA device {device} has {free} bytes of memory free; the smallest piece of the job needs {needed}: free some, leave the device out, or use \
         the cpu engine"
    )]
    Memory {
        /// The device.
        device: usize,
        /// Bytes needed.
        needed: u64,
        /// Bytes free.
        free: u64,
    },
    /// Something to count that has no device kernel.
    #[error("there is no CUDA kernel for {0}: use the cpu engine for this job")]
    Unsupported(&'static str),
}
