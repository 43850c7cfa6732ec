//! A device that is this process: g++ compiles the kernels against `kernels/emulator`, and the engine runs on that.
//!
//! Entry: [`Emulator`]; [`Emulators`] are several. Not for speed.

#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a failed unwrap is a failed test; a test binary uses it"
)]

use std::cell::{Cell, UnsafeCell};
use std::collections::HashMap;
use std::ffi::c_void;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use albireo::engine::cuda::CudaError;
use albireo_gpu::{Device, Devices, LaunchShape};
use albireo_kernels::Kernel;
use bytemuck::Pod;
use libloading::Library;

type Launch = unsafe extern "C" fn(*const u32, u32, u32, *mut *const c_void);

/// A device that is this process, with as much memory as it is given.
pub struct Emulator {
    pub shared_limit: usize,
    pub memory: u64,
    /// What it says that it has.
    pub claimed: u64,
    /// Float64 operations that it claims to begin in a cycle.
    pub float64_lanes: u32,
    /// Whether its tensor cores, if it is to have any, keep their bound.
    pub tensor_cores: Option<OnceLock<bool>>,
}

impl Emulator {
    /// With so many bytes of shared memory a block, and of memory.
    pub fn new(shared_limit: usize, memory: u64) -> Self {
        Self {
            shared_limit,
            memory,
            claimed: memory,
            float64_lanes: 64,
            tensor_cores: None,
        }
    }
}

thread_local! {
    /// Bytes in use by the run of this thread, and what it said that it would need.
    static USED: Cell<u64> = const { Cell::new(0) };
    static PROMISED: Cell<u64> = const { Cell::new(0) };
}

/// Host memory with the alignment of device memory.
pub struct Memory {
    words: UnsafeCell<Vec<[u64; 4]>>,
    size: u64,
}

impl Memory {
    fn bytes(&self) -> *mut u8 {
        // SAFETY: only the address of the buffer is taken; the vector is never resized.
        unsafe { (*self.words.get()).as_mut_ptr().cast() }
    }
}

// SAFETY: as on a device, calls that read or write a memory are ordered by whoever holds it.
unsafe impl Sync for Memory {}

impl Drop for Memory {
    fn drop(&mut self) {
        USED.set(USED.get() - self.size);
    }
}

/// What stands in for the CUDA language.
const LANGUAGE: (&str, &str) = (
    "emulator/emulator.hpp",
    include_str!("../../kernels/emulator/emulator.hpp"),
);

/// The sources of every kernel as files, in a folder named by what is in them.
fn sources() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let mut files = vec![LANGUAGE];
        files.extend(albireo_kernels::every_source());
        files.extend(albireo_kernels::headers());
        let mut hash = DefaultHasher::new();
        files.hash(&mut hash);
        let folder = std::env::temp_dir().join("albireo-emulated");
        let made = folder.join(format!("{:016x}", hash.finish()));
        let partial = folder.join(format!("{}.partial", std::process::id()));
        for (name, text) in files {
            let file = partial.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        if std::fs::rename(&partial, &made).is_err() {
            // Another process has made the same.
            std::fs::remove_dir_all(&partial).unwrap();
        }
        made
    })
}

fn compiled(kernel: Kernel) -> PathBuf {
    let ((file, _), _) = kernel.source();
    let mut hash = DefaultHasher::new();
    (file, kernel.macros()).hash(&mut hash);
    let library = sources().join(format!("{:016x}.so", hash.finish()));
    if !library.exists() {
        // Kernels of one source share a library, which several threads may be making.
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let partial = library.with_extension(format!("{}.{made}.partial", std::process::id()));
        let output = Command::new("g++")
            .args([
                "-std=c++17",
                "-O1",
                "-ffp-contract=off",
                "-Wno-unknown-pragmas",
                "-shared",
                "-fPIC",
                "-fno-gnu-unique",
                "-U_FORTIFY_SOURCE",
                "-DALBIREO_HOST",
            ])
            .args(kernel.macros().iter().map(|name| format!("-D{name}")))
            .arg("-I")
            .arg(sources())
            .args(["-x", "c++"])
            .arg(sources().join(file))
            .arg("-o")
            .arg(&partial)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        std::fs::rename(partial, &library).unwrap();
    }
    library
}

fn launcher(kernel: Kernel) -> Launch {
    static LOADED: Mutex<Option<HashMap<Kernel, Arc<OnceLock<Launch>>>>> = Mutex::new(None);
    // Not locked while one is compiled: other tests may need others.
    let loaded = {
        let mut all = LOADED.lock().unwrap();
        Arc::clone(all.get_or_insert_default().entry(kernel).or_default())
    };
    *loaded.get_or_init(|| {
        // SAFETY: the library is the kernel source; the symbol has this type; leaking keeps it loaded.
        unsafe {
            let library = Box::leak(Box::new(Library::new(compiled(kernel)).unwrap()));
            *library
                .get(format!("emulated_{}", kernel.source().1).as_bytes())
                .unwrap()
        }
    })
}

impl Device for Emulator {
    type Memory = Memory;
    type Mark = Instant;

    fn number(&self) -> usize {
        0
    }

    fn make_room(&self, bytes: u64) -> Result<(), CudaError> {
        let free = self.claimed - USED.get();
        if free < bytes {
            return Err(CudaError::Memory {
                device: 0,
                needed: bytes,
                free,
            });
        }
        PROMISED.set(USED.get() + bytes);
        Ok(())
    }

    fn allocate(&self, bytes: usize) -> Result<Memory, CudaError> {
        let size = bytes as u64;
        let free = self.memory - USED.get();
        if free < size {
            return Err(CudaError::Memory {
                device: 0,
                needed: size,
                free,
            });
        }
        USED.set(USED.get() + size);
        assert!(
            USED.get() <= PROMISED.get(),
            "a run takes no more memory than it said"
        );
        // Rubbish, as on a device.
        let words = vec![[0xdead_beef_dead_beef; 4]; bytes / 32 + 1].into();
        Ok(Memory { words, size })
    }

    fn address(&self, memory: &Memory) -> u64 {
        memory.bytes() as u64
    }

    fn upload<T: Pod>(&self, memory: &mut Memory, values: &[T]) -> Result<(), CudaError> {
        // SAFETY: allocated for these values.
        unsafe {
            std::ptr::copy_nonoverlapping(
                values.as_ptr().cast(),
                memory.bytes(),
                size_of_val(values),
            );
        };
        Ok(())
    }

    fn download<T: Pod>(&self, memory: &Memory, values: &mut [T]) -> Result<(), CudaError> {
        // SAFETY: allocated for these values, written by kernels of the same layout.
        unsafe {
            std::ptr::copy_nonoverlapping(
                memory.bytes(),
                values.as_mut_ptr().cast(),
                size_of_val(values),
            );
        };
        Ok(())
    }

    fn clear(&self, memory: &mut Memory) -> Result<(), CudaError> {
        memory.words.get_mut().fill([0; 4]);
        Ok(())
    }

    fn shared_limit(&self) -> usize {
        self.shared_limit
    }

    fn float64_lanes(&self) -> u32 {
        self.float64_lanes
    }

    fn tensor_cores(&self) -> Option<&OnceLock<bool>> {
        self.tensor_cores.as_ref()
    }

    fn resident(&self, _: Kernel, _: LaunchShape) -> Result<u32, CudaError> {
        Ok(3)
    }

    fn launch<J: Pod, U: Pod>(
        &self,
        kernel: Kernel,
        shape: LaunchShape,
        job: &J,
        unit: &U,
    ) -> Result<(), CudaError> {
        let mut arguments = [
            std::ptr::from_ref(job).cast(),
            std::ptr::from_ref(unit).cast(),
        ];
        // SAFETY: the kernel reads these two structs, and memory that the run keeps alive.
        unsafe {
            launcher(kernel)(
                shape.grid.as_ptr(),
                shape.threads,
                shape.shared as u32,
                arguments.as_mut_ptr(),
            );
        };
        Ok(())
    }

    fn mark(&self) -> Result<Instant, CudaError> {
        Ok(Instant::now())
    }

    fn seconds(&self, begin: &Instant, end: &Instant) -> Result<f64, CudaError> {
        Ok((*end - *begin).as_secs_f64())
    }
}

/// Several devices.
pub struct Emulators(pub Vec<Emulator>);

impl Devices for Emulators {
    type Device = Emulator;

    fn all(&self) -> &[Emulator] {
        &self.0
    }

    /// One device after another: the first takes all the units that are left when it begins.
    fn on_each<T: Send>(&self, work: impl Fn(&Emulator) -> T + Sync) -> Vec<T> {
        self.0.iter().map(work).collect()
    }
}

/// Why there is nothing to compile kernels with, if there is nothing.
pub fn missing() -> Option<&'static str> {
    let found = Command::new("g++")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    (!found).then_some("no g++")
}
