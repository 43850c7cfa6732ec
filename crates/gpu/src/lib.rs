//! NVIDIA devices: driver, run-time compiler, kept machine code, memory and launches; what kernels compute is no concern of this crate.
//!
//! Entry: [`Opening`] of [`Gpus`], devices that work at the same time, and [`Device`], what callers need of one; tests have devices of their own. Kernels come
//! from `albireo-kernels` and are compiled by NVRTC for the device at hand on first use; driver and compiler are found at run time, so nothing
//! CUDA is needed to build. It reads no file but its cache.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "what the driver tells of devices is small and not negative; names and options of a compilation are few"
)]

mod device;
mod error;
mod gpu;
mod gpus;
mod kernel_cache;
mod nvrtc;
mod nvrtc_places;
mod process;
mod staging;

pub use device::{Device, Devices, LaunchShape, put};
pub use error::CudaError;
pub use gpu::{DeviceDescription, GpuMemory, device_count, has_driver};
pub use gpus::{Gpus, Opening, devices};
pub use kernel_cache::name as kernel_name;
pub use nvrtc::{CompilerDescription, check, compile, compiler};
