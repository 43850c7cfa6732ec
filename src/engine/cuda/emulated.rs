//! The kernels themselves on the host: g++ compiles them against `kernels/emulator`, and the whole engine runs on that.
//!
//! Entry: the tests at the end. Without g++ they say so and pass.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failed unwrap is a failed test; a skipped test says so"
)]

use std::collections::HashMap;
use std::ffi::c_void;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use cudarc::driver::DeviceRepr;
use libloading::Library;

use super::device::{Device, Kernel, Shape};
use super::error::CudaError;
use super::layout::{Plain, Unit};
use super::plan::Plan;
use super::run::{Queue, run};
use super::suite::Scope;
use super::{CudaOptions, Precision, suite, weights_of};
use crate::engine::{Engine, PairJob, Progress};
use crate::error::EngineError;
use crate::ops::{BinSums, PairOp};

type Launch = unsafe extern "C" fn(*const u32, u32, u32, *mut *const c_void);

/// A device that is this process.
struct Emulator {
    shared_limit: usize,
}

/// Host memory with the alignment of device memory.
struct Memory(std::cell::UnsafeCell<Vec<[u64; 4]>>);

impl Memory {
    fn bytes(&self) -> *mut u8 {
        // SAFETY: only the address of the buffer is taken; the vector is never resized.
        unsafe { (*self.0.get()).as_mut_ptr().cast() }
    }
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

fn compiled(kernel: Kernel) -> PathBuf {
    let ((file, text), _) = kernel.source();
    let mut hash = DefaultHasher::new();
    (file, text, kernel.macros(), albireo_kernels::HEADERS).hash(&mut hash);
    std::fs::read(sources().join("emulator/emulator.hpp"))
        .unwrap()
        .hash(&mut hash);
    let folder = std::env::temp_dir().join("albireo-emulated");
    std::fs::create_dir_all(&folder).unwrap();
    let library = folder.join(format!("{:016x}.so", hash.finish()));
    if !library.exists() {
        let partial = library.with_extension(format!("{}.partial", std::process::id()));
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
    static LOADED: Mutex<Option<HashMap<Kernel, Launch>>> = Mutex::new(None);
    let mut loaded = LOADED.lock().unwrap();
    *loaded
        .get_or_insert_default()
        .entry(kernel)
        .or_insert_with(|| {
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

    fn allocate(&self, bytes: usize) -> Result<Memory, CudaError> {
        // Rubbish, as on a device.
        Ok(Memory(
            vec![[0xdead_beef_dead_beef; 4]; bytes / 32 + 1].into(),
        ))
    }

    fn address(&self, memory: &Memory) -> u64 {
        memory.bytes() as u64
    }

    fn upload<T: Plain>(&self, memory: &mut Memory, values: &[T]) -> Result<(), CudaError> {
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

    fn download<T: Plain>(&self, memory: &Memory, values: &mut [T]) -> Result<(), CudaError> {
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
        memory.0.get_mut().fill([0; 4]);
        Ok(())
    }

    fn shared_limit(&self) -> usize {
        self.shared_limit
    }

    fn resident(&self, _: Kernel, _: Shape) -> Result<u32, CudaError> {
        Ok(3)
    }

    fn launch<J: Plain + DeviceRepr>(
        &self,
        kernel: Kernel,
        shape: Shape,
        job: &J,
        unit: &Unit,
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

/// The engine on emulated devices.
struct Emulated {
    options: CudaOptions,
    shared_limit: usize,
    devices: usize,
}

impl Emulated {
    fn new(precision: Precision) -> Self {
        let options = CudaOptions {
            precision,
            ..CudaOptions::default()
        };
        Self {
            options,
            shared_limit: 200 << 10,
            devices: 1,
        }
    }
}

impl Engine for Emulated {
    fn run<O: PairOp>(
        &self,
        job: &PairJob<'_>,
        op: &O,
        progress: &dyn Progress,
    ) -> Result<O::Output, EngineError> {
        op.admit(job)?;
        let weights = weights_of(op.payload())?;
        let plan = Plan::new(
            job,
            op.binning(),
            weights.is_some(),
            &self.options,
            self.shared_limit,
        );
        let mut output = op.empty();
        let queue = Queue::default();
        // One device after another: the first takes some units, the last all that are left.
        for _ in 0..self.devices {
            let device = Emulator {
                shared_limit: self.shared_limit,
            };
            let (sums, _) = run(
                &device,
                &plan,
                job,
                weights,
                (&queue, self.devices),
                progress,
            )?;
            op.add_sums(
                &mut output,
                BinSums {
                    npairs: &sums.npairs,
                    products: &sums.products,
                },
            );
        }
        Ok(output)
    }

    fn description(&self) -> String {
        format!("emulated cuda, {:?}", self.options.precision)
    }
}

/// Whether the tests of this module can run.
fn ready() -> bool {
    let found = Command::new("g++")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: no g++");
    }
    found
}

/// `ALBIREO_TEST_FULL=1` goes through the whole matrix.
fn scope() -> Scope {
    if std::env::var_os("ALBIREO_TEST_FULL").is_some() {
        Scope::Full
    } else {
        Scope::Quick
    }
}

#[test]
fn filtered_counts_are_those_of_the_double_loop() {
    if ready() {
        suite::every_case(&Emulated::new(Precision::Exact), 130, scope());
    }
}

#[test]
fn float64_counts_are_those_of_the_double_loop() {
    if ready() {
        suite::every_case(&Emulated::new(Precision::Float64), 70, scope());
    }
}

#[test]
fn more_bins_than_shared_memory_holds() {
    if ready() {
        let engine = Emulated {
            shared_limit: 16 << 10,
            ..Emulated::new(Precision::Exact)
        };
        suite::many_bins(&engine, 200, 3000);
    }
}

#[test]
fn devices_share_the_units_of_a_job() {
    if ready() {
        let engine = Emulated {
            devices: 3,
            ..Emulated::new(Precision::Exact)
        };
        suite::clustered(&engine, 300);
    }
}
