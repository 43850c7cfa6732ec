//! The kernels themselves on the host: g++ compiles them against `kernels/emulator`, and the whole engine runs on that.
//!
//! Entry: the tests at the end. Without g++ they say so and pass.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failed unwrap is a failed test; a skipped test says so"
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

use cudarc::driver::DeviceRepr;
use libloading::Library;

use super::attack::campaign::{Campaign, verdict};
use super::attack::case::Bins;
use super::attack::draw::Limits;
use super::device::{Device, Kernel, Shape};
use super::error::CudaError;
use super::layout::Plain;
use super::spread::{Devices, count};
use super::suite::Scope;
use super::{CudaOptions, KernelChoice, Precision, Tuning, suite};
use crate::binning::{Binning, Edges, LineOfSight, RBins, SMuBins, SignedEdges};
use crate::domain::{Domain, PeriodicBox};
use crate::engine::{
    Engine, Naive, PairJob, Pairs, PreparedJob, Progress, Report, Silent, Traversal,
};
use crate::error::EngineError;
use crate::particles::{Particles, Points};
use crate::tally::{Sum, Tallied, Tally};

type Launch = unsafe extern "C" fn(*const u32, u32, u32, *mut *const c_void);

/// A device that is this process, with as much memory as it is given.
struct Emulator {
    shared_limit: usize,
    memory: u64,
    /// What it says that it has.
    claimed: u64,
}

impl Emulator {
    fn new(shared_limit: usize, memory: u64) -> Self {
        Self {
            shared_limit,
            memory,
            claimed: memory,
        }
    }
}

thread_local! {
    /// Bytes in use by the run of this thread, and what it said that it would need.
    static USED: Cell<u64> = const { Cell::new(0) };
    static PROMISED: Cell<u64> = const { Cell::new(0) };
}

/// Host memory with the alignment of device memory.
struct Memory {
    words: UnsafeCell<Vec<[u64; 4]>>,
    size: u64,
}

impl Memory {
    fn bytes(&self) -> *mut u8 {
        // SAFETY: only the address of the buffer is taken; the vector is never resized.
        unsafe { (*self.words.get()).as_mut_ptr().cast() }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        USED.set(USED.get() - self.size);
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

    fn make_room(&self, bytes: u64) -> Result<(), CudaError> {
        let free = self.claimed - USED.get();
        if free < bytes {
            return Err(CudaError::Memory {
                device: 0,
                needed: bytes,
                free,
            });
        }
        PROMISED.set(bytes);
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
        memory.words.get_mut().fill([0; 4]);
        Ok(())
    }

    fn shared_limit(&self) -> usize {
        self.shared_limit
    }

    fn resident(&self, _: Kernel, _: Shape) -> Result<u32, CudaError> {
        Ok(3)
    }

    fn launch<J: Plain + DeviceRepr, U: Plain + DeviceRepr>(
        &self,
        kernel: Kernel,
        shape: Shape,
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

/// The engine on emulated devices.
struct Emulated {
    options: CudaOptions,
    devices: Vec<Emulator>,
}

/// Shared memory of an emulated device, and memory that is never too little.
const SHARED: usize = 200 << 10;
const PLENTY: u64 = 1 << 40;

impl Emulated {
    fn new(precision: Precision) -> Self {
        Self::of(precision, vec![Emulator::new(SHARED, PLENTY)])
    }

    fn of(precision: Precision, devices: Vec<Emulator>) -> Self {
        let options = CudaOptions {
            precision,
            ..CudaOptions::default()
        };
        Self { options, devices }
    }
}

impl Devices for Vec<Emulator> {
    type Device = Emulator;

    fn all(&self) -> &[Emulator] {
        self
    }

    /// One device after another: the first takes all the units that are left when it begins.
    fn on_each<T: Send>(&self, work: impl Fn(&Emulator) -> T + Sync) -> Vec<T> {
        self.iter().map(work).collect()
    }
}

impl Engine for Emulated {
    type Sorted = ();

    fn sort(&self, _: &Particles, _: &Domain) -> Result<(), EngineError> {
        Ok(())
    }

    fn tally<B: Binning>(
        &self,
        job: &PreparedJob<'_, ()>,
        what: &Tallied<B>,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        let counted = count(&self.devices, &self.options, job.job(), what, progress);
        counted.map(|(tally, ..)| (tally, Report::default()))
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

/// The cases of the standing attack: see `tests/attack.rs`.
#[test]
fn random_counts_are_those_of_the_double_loop() {
    if !ready() {
        return;
    }
    let mut engine = Emulated::new(Precision::Exact);
    // One shape: each further one is a kernel more to compile.
    engine.options.tuning = Tuning {
        threads: 64,
        points: 2,
        tile: 32,
        cell_particles: 0,
    };
    let campaign = Campaign::new(Limits::SLOW, 300, 60.0);
    let report = campaign.run(&|case| {
        verdict(case, |expected| match &case.bins {
            // Only the library's binnings run on devices.
            Bins::Cut(..) => expected.counts_foreign_bins(&engine),
            _ => expected.differs(&engine),
        })
    });
    match report {
        Ok(report) => {
            eprintln!("{report}");
            assert!(report.filled > 0, "no case had a pair in a bin");
        }
        Err(told) => panic!("{told}"),
    }
}

#[test]
fn more_bins_than_shared_memory_holds() {
    if ready() {
        suite::many_bins(&small(Precision::Exact), 200, 20_000);
        for precision in [Precision::Exact, Precision::Float64] {
            suite::many_bins_in_two_coordinates(&small(precision), 30, 22_500);
        }
    }
}

/// An engine with little shared memory.
fn small(precision: Precision) -> Emulated {
    let mut engine = Emulated::of(precision, vec![Emulator::new(80 << 10, PLENTY)]);
    engine.options.tuning.threads = 64;
    engine.options.tuning.points = 2;
    engine
}

#[test]
fn bins_are_done_in_windows_where_they_do_not_fit() {
    if ready() {
        let engine = small(Precision::Exact);
        let sample = uniform(600);
        for domain in [
            Domain::Open,
            Domain::Periodic(PeriodicBox::cubic(1.0).unwrap()),
        ] {
            let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
            let what = Tallied::new(RBins::new(Edges::linear(0.0, 0.5, 20_000).unwrap()));
            let (_, _, how) =
                count(&engine.devices, &engine.options, &job, &what, &Silent).unwrap();
            assert!(how.contains("windows of the bins"), "{how}");
        }
    }
}

#[test]
fn mean_separations_are_those_of_the_double_loop() {
    if ready() {
        suite::mean_separations(&Emulated::new(Precision::Exact), 90);
    }
}

#[test]
fn devices_share_the_units_of_a_job() {
    if ready() {
        let devices = (0..3).map(|_| Emulator::new(SHARED, PLENTY)).collect();
        suite::clustered(&Emulated::of(Precision::Exact, devices), 300);
    }
}

#[test]
fn a_job_larger_than_the_memory_is_counted_in_pieces() {
    if ready() {
        let options = CudaOptions::default();
        let sample = uniform(500);
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let what = Tallied::new(RBins::new(Edges::linear(0.0, 1.0, 10).unwrap()));
        // Told before the run, or found out while it allocates.
        for (memory, claimed) in [(24 << 10, 24 << 10), (16 << 10, PLENTY)] {
            let devices = vec![Emulator {
                claimed,
                ..Emulator::new(SHARED, memory)
            }];
            let (tally, _, how) = count(&devices, &options, &job, &what, &Silent).unwrap();
            assert!(tally == Naive.run(&job, &what, &Silent).unwrap());
            assert!(how.contains(" pieces"), "{how}");
        }

        // Cells, weights of both signs, and a line of sight that makes both orders of an auto count differ.
        let devices = vec![Emulator::new(SHARED, 40 << 10)];
        let scatter = suite::Scatter::Clustered;
        let a = suite::particles(&Domain::Open, 400, scatter, 9);
        let b = suite::particles(&Domain::Open, 300, scatter, 10);
        let s = Edges::linear(0.0, 0.4, 8).unwrap();
        let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
        let bins = SMuBins::new(s, mu, LineOfSight::First).unwrap();
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            let job = PairJob::new(pairs, &Domain::Open).unwrap();
            let job = job.with_traversal(Traversal::Cells);
            let what = Tallied::new(bins.clone()).with_sum(Sum::Product);
            let (tally, _, how) = count(&devices, &options, &job, &what, &Silent).unwrap();
            assert!(tally == Naive.run(&job, &what, &Silent).unwrap());
            assert!(how.contains("pieces"), "{how}");
        }
    }
}

/// Unweighted points in the unit cube.
fn uniform(n: usize) -> Particles {
    let rows = suite::unit_cube(n, suite::Scatter::Uniform, 5);
    Particles::new(Points::from_rows(&rows).unwrap())
}

#[test]
fn too_little_memory_for_the_smallest_piece_is_told_in_bytes() {
    let engine = Emulated::of(Precision::Exact, vec![Emulator::new(SHARED, 9000)]);
    let sample = uniform(300);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let what = Tallied::new(RBins::new(Edges::linear(0.0, 1.0, 10).unwrap()));
    let error = engine.run(&job, &what, &Silent).unwrap_err();
    let EngineError::Cuda(CudaError::Memory { needed, free, .. }) = error else {
        panic!("{error}");
    };
    assert!(needed > free && free == 9000, "{needed} {free}");
    assert!(
        error.to_string().contains("9000 bytes of memory free"),
        "{error}"
    );
}

#[test]
fn every_kernel_gives_the_same_integers() {
    if ready() {
        for kernel in [
            KernelChoice::Simple,
            KernelChoice::Constant,
            KernelChoice::Shared,
        ] {
            let mut engine = Emulated::new(Precision::Exact);
            engine.options.kernel = kernel;
            suite::clustered(&engine, 110);
        }
    }
}
