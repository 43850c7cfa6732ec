//! NVIDIA devices: what the driver answers to [`Device`].
//!
//! Entry: [`Gpu`]. All `unsafe` of this crate is here and in `staging.rs` and `nvrtc.rs`. It plans nothing.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use albireo_kernels::Kernel;
use bytemuck::{Pod, TransparentWrapper, cast_slice, cast_slice_mut};
use cudarc::driver::sys::{
    CUdevice_attribute as Attribute, CUevent_flags, CUfunction_attribute, CUresult,
};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr,
    DriverError, LaunchConfig, PushKernelArg,
};

use super::device::{Device, LaunchShape};
use super::kernel_cache;
use super::process;
use super::staging::Staging;
use crate::error::CudaError;

/// A struct of `albireo_kernels::structs` as the argument of a launch.
#[repr(transparent)]
#[derive(TransparentWrapper)]
struct Argument<T>(T);

// SAFETY: the bytes of the struct as the kernel's source declares it, which asserts size and offsets; `Pod` leaves none undefined.
unsafe impl<T: Pod> DeviceRepr for Argument<T> {}

/// One NVIDIA device: its context, its stream, its loaded kernels and the memory it has used before.
pub struct Gpu {
    number: usize,
    stream: Arc<CudaStream>,
    arch: u32,
    multiprocessors: u32,
    shared_limit: usize,
    kernels: Mutex<HashMap<Kernel, CudaFunction>>,
    spare: Arc<Mutex<Vec<CudaSlice<u8>>>>,
    staging: Mutex<Staging>,
    tensors: OnceLock<bool>,
}

/// Device memory that goes back to its device's spares.
pub struct GpuMemory {
    slice: Option<CudaSlice<u8>>,
    spare: Arc<Mutex<Vec<CudaSlice<u8>>>>,
}

/// A lock that a panic elsewhere does not close: what it guards is valid after every statement.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for GpuMemory {
    fn drop(&mut self) {
        if let Some(slice) = self.slice.take() {
            lock(&self.spare).push(slice);
        }
    }
}

/// Memory left to the driver, which hands it out in pieces of 32 MiB and loads kernels into it.
const RESERVE: u64 = 64 << 20;

/// Whether there is a driver to ask, looked for once. It is not asked.
pub fn has_driver() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: looks for a shared library by name and loads it; the driver's has no load-time effect on this process.
    let present = || catch_unwind(|| unsafe { cudarc::driver::sys::is_culib_present() });
    *PRESENT.get_or_init(|| present().unwrap_or(false))
}

/// Number of devices that the driver shows.
///
/// # Errors
/// No driver, one that fails, or one that the parent of this fork has used.
pub fn device_count() -> Result<usize, CudaError> {
    process::check()?;
    // cudarc panics where the driver's library, or a function of it, is missing (stub libraries lack most).
    let count = catch_unwind(|| has_driver().then(CudaContext::device_count));
    match count {
        Ok(Some(Ok(count))) => {
            process::admit()?;
            Ok(count.max(0) as usize)
        }
        Ok(Some(Err(error))) => {
            // A driver without a device refuses to start.
            if error.0 == CUresult::CUDA_ERROR_NO_DEVICE {
                return Ok(0);
            }
            Err(failed(0, "cuInit")(error))
        }
        Ok(None) | Err(_) => Err(CudaError::NoDriver),
    }
}

fn failed(device: usize, call: &'static str) -> impl Fn(DriverError) -> CudaError {
    move |error| CudaError::Driver {
        device,
        call,
        reason: error.error_string().map_or_else(
            |_| format!("{error:?}"),
            |text| text.to_string_lossy().into_owned(),
        ),
    }
}

/// What there is to know about a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceDescription {
    /// Its number.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Compute capability, such as 90 for 9.0.
    pub arch: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes free now.
    pub free: u64,
    /// Newest CUDA version that the driver knows, such as 12.9.
    pub driver: String,
}

/// Float64 operations that a multiprocessor of a compute capability begins in a cycle (CUDA C++ Programming Guide, arithmetic
/// instructions): many where they are made for computing, next to none elsewhere.
pub(crate) fn float64_lanes(arch: u32) -> u32 {
    match arch {
        60 | 70 | 80 => 32,
        90 | 100 => 64,
        _ => 2,
    }
}

impl Gpu {
    /// Opens device `number`.
    pub(crate) fn open(number: usize) -> Result<Self, CudaError> {
        let available = device_count()?;
        if available == 0 {
            return Err(CudaError::NoDevice);
        }
        if number >= available {
            return Err(CudaError::Ordinal {
                wanted: number,
                available,
            });
        }
        catch_unwind(AssertUnwindSafe(|| Self::connect(number))).unwrap_or(Err(CudaError::NoDriver))
    }

    fn connect(number: usize) -> Result<Self, CudaError> {
        let context = CudaContext::new(number).map_err(failed(number, "opening the device"))?;
        let (major, minor) = context
            .compute_capability()
            .map_err(failed(number, "cuDeviceGetAttribute"))?;
        let attribute = |attribute| {
            context
                .attribute(attribute)
                .map_err(failed(number, "cuDeviceGetAttribute"))
        };
        let shared = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        // Those who share a device work at the same time only in streams of their own.
        let stream = context
            .new_stream()
            .map_err(failed(number, "cuStreamCreate"))?;
        Ok(Self {
            number,
            stream,
            arch: (major * 10 + minor) as u32,
            multiprocessors: multiprocessors.max(1) as u32,
            shared_limit: shared as usize,
            kernels: Mutex::default(),
            spare: Arc::default(),
            staging: Mutex::default(),
            tensors: OnceLock::new(),
        })
    }

    /// Bytes of memory that nobody uses, less what the driver may need for itself.
    fn free(&self) -> Result<u64, CudaError> {
        let context = self.stream.context();
        let (free, _) = context
            .mem_get_info()
            .map_err(failed(self.number, "cuMemGetInfo"))?;
        Ok((free as u64).saturating_sub(RESERVE))
    }

    /// Frees the spares where the driver has less than so many bytes.
    fn find_room(&self, bytes: u64) -> Result<(), CudaError> {
        if self.free()? < bytes {
            lock(&self.spare).clear();
            self.stream
                .synchronize()
                .map_err(failed(self.number, "cuStreamSynchronize"))?;
            let free = self.free()?;
            if free < bytes {
                return Err(CudaError::Memory {
                    device: self.number,
                    needed: bytes,
                    free,
                });
            }
        }
        Ok(())
    }

    /// What this device is.
    pub(crate) fn describe(&self) -> Result<DeviceDescription, CudaError> {
        let context = self.stream.context();
        let (free, memory) = context
            .mem_get_info()
            .map_err(failed(self.number, "cuMemGetInfo"))?;
        let mut version = 0;
        // SAFETY: writes one integer.
        let status = unsafe { cudarc::driver::sys::cuDriverGetVersion(&raw mut version) };
        status
            .result()
            .map_err(failed(self.number, "cuDriverGetVersion"))?;
        Ok(DeviceDescription {
            number: self.number,
            name: context
                .name()
                .map_err(failed(self.number, "cuDeviceGetName"))?,
            arch: self.arch,
            multiprocessors: self.multiprocessors,
            memory: memory as u64,
            free: free as u64,
            driver: format!("{}.{}", version / 1000, version % 1000 / 10),
        })
    }

    pub(crate) fn arch(&self) -> u32 {
        self.arch
    }

    pub(crate) fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// The loaded kernel, compiled first if neither memory nor disk holds it.
    fn function(&self, kernel: Kernel) -> Result<CudaFunction, CudaError> {
        if let Some(function) = lock(&self.kernels).get(&kernel) {
            return Ok(function.clone());
        }
        let cubin = kernel_cache::cubin(kernel, self.arch)?;
        let module = self
            .stream
            .context()
            .load_module(cudarc::nvrtc::Ptx::from_binary(cubin.to_vec()))
            .map_err(failed(self.number, "loading a kernel"))?;
        let function = module
            .load_function(kernel.source().1)
            .map_err(failed(self.number, "finding a kernel"))?;
        lock(&self.kernels).insert(kernel, function.clone());
        Ok(function)
    }

    fn prepared(&self, kernel: Kernel, shape: LaunchShape) -> Result<CudaFunction, CudaError> {
        self.stream
            .context()
            .bind_to_thread()
            .map_err(failed(self.number, "cuCtxSetCurrent"))?;
        let function = self.function(kernel)?;
        if shape.shared > 48 << 10 {
            function
                .set_attribute(
                    CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    shape.shared as i32,
                )
                .map_err(failed(self.number, "asking for shared memory"))?;
        }
        Ok(function)
    }
}

impl GpuMemory {
    fn slice(&self) -> Option<&CudaSlice<u8>> {
        self.slice.as_ref()
    }
}

impl Device for Gpu {
    type Memory = GpuMemory;
    type Mark = CudaEvent;

    fn number(&self) -> usize {
        self.number
    }

    fn make_room(&self, bytes: u64) -> Result<(), CudaError> {
        // Of frames like the last one everything lies there: the driver, which takes long to answer, is not asked.
        let spares: usize = lock(&self.spare).iter().map(CudaSlice::len).sum();
        if spares as u64 >= bytes {
            return Ok(());
        }
        self.find_room(bytes)
    }

    fn allocate(&self, bytes: usize) -> Result<GpuMemory, CudaError> {
        let bytes = bytes.next_multiple_of(256).max(256);
        let spare = Arc::clone(&self.spare);
        let mut spares = lock(&self.spare);
        let fitting = (0..spares.len())
            .filter(|&k| (bytes..=2 * bytes).contains(&spares[k].len()))
            .min_by_key(|&k| spares[k].len());
        if let Some(k) = fitting {
            return Ok(GpuMemory {
                slice: Some(spares.swap_remove(k)),
                spare,
            });
        }
        drop(spares);
        self.find_room(bytes as u64)?;
        // SAFETY: the content is unknown until written; every reader writes or clears first.
        let slice = unsafe { self.stream.alloc::<u8>(bytes) }.map_err(|error| {
            // Others take memory too, and the driver hands it out in large pieces.
            if error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
                return CudaError::Memory {
                    device: self.number,
                    needed: bytes as u64,
                    free: self.free().unwrap_or(0),
                };
            }
            failed(self.number, "cuMemAlloc")(error)
        })?;
        Ok(GpuMemory {
            slice: Some(slice),
            spare,
        })
    }

    fn address(&self, memory: &GpuMemory) -> u64 {
        memory
            .slice()
            .map_or(0, |slice| slice.device_ptr(&self.stream).0)
    }

    fn upload<T: Pod>(&self, memory: &mut GpuMemory, values: &[T]) -> Result<(), CudaError> {
        let bytes: &[u8] = cast_slice(values);
        let Some(slice) = memory.slice.as_mut().filter(|_| !bytes.is_empty()) else {
            return Ok(());
        };
        lock(&self.staging)
            .send(&self.stream, bytes, slice)
            .map_err(failed(self.number, "copying to the device"))
    }

    fn download<T: Pod>(&self, memory: &GpuMemory, values: &mut [T]) -> Result<(), CudaError> {
        let bytes: &mut [u8] = cast_slice_mut(values);
        let Some(slice) = memory.slice().filter(|_| !bytes.is_empty()) else {
            return Ok(());
        };
        let source = slice.slice(..bytes.len());
        self.stream
            .memcpy_dtoh(&source, bytes)
            .map_err(failed(self.number, "copying from the device"))?;
        self.stream
            .synchronize()
            .map_err(failed(self.number, "running kernels"))
    }

    fn clear(&self, memory: &mut GpuMemory) -> Result<(), CudaError> {
        let Some(slice) = memory.slice.as_mut() else {
            return Ok(());
        };
        self.stream
            .memset_zeros(slice)
            .map_err(failed(self.number, "cuMemset"))
    }

    fn shared_limit(&self) -> usize {
        self.shared_limit
    }

    fn float64_lanes(&self) -> u32 {
        float64_lanes(self.arch())
    }

    fn tensor_cores(&self) -> Option<&OnceLock<bool>> {
        (self.arch >= albireo_kernels::TENSOR_ARCH).then_some(&self.tensors)
    }

    fn resident(&self, kernel: Kernel, shape: LaunchShape) -> Result<u32, CudaError> {
        let blocks = self
            .prepared(kernel, shape)?
            .occupancy_max_active_blocks_per_multiprocessor(shape.threads, shape.shared, None)
            .map_err(failed(self.number, "cuOccupancyMaxActiveBlocks"))?;
        Ok(blocks.max(1) * self.multiprocessors)
    }

    fn launch<J: Pod, U: Pod>(
        &self,
        kernel: Kernel,
        shape: LaunchShape,
        job: &J,
        unit: &U,
    ) -> Result<(), CudaError> {
        let function = self.prepared(kernel, shape)?;
        let mut launch = self.stream.launch_builder(&function);
        launch
            .arg(Argument::wrap_ref(job))
            .arg(Argument::wrap_ref(unit));
        let config = LaunchConfig {
            grid_dim: (shape.grid[0], shape.grid[1], 1),
            block_dim: (shape.threads, 1, 1),
            shared_mem_bytes: shape.shared as u32,
        };
        // SAFETY: the kernel takes these two structs, whose layout its source asserts; the run keeps every memory that they point to
        // alive and large enough until the stream is synchronised.
        unsafe { launch.launch(config) }
            .map(|_| ())
            .map_err(failed(self.number, "launching a kernel"))
    }

    fn mark(&self) -> Result<CudaEvent, CudaError> {
        self.stream
            .record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))
            .map_err(failed(self.number, "cuEventRecord"))
    }

    fn seconds(&self, begin: &CudaEvent, end: &CudaEvent) -> Result<f64, CudaError> {
        let elapsed = begin
            .elapsed_ms(end)
            .map_err(failed(self.number, "running kernels"))?;
        Ok(f64::from(elapsed) / 1000.0)
    }
}
