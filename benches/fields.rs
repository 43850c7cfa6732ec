//! Time of maps against volume, in the ways of Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277) and by default, and of random numbers
//! against how many they are. Exact maps of one precision must be the same integers before a time is printed.
//!
//! `cargo bench --bench fields` prints a table (CSV) of maps of 10^3 to 10^7 cubic Angstrom of water, cutoff 12, points every half Angstrom;
//! `-- 1e4 1e5` those of these volumes, `-- rand48` numbers instead; `-- cuda` and any of these, on GPUs too. `benches/field_figures.py` draws
//! them.

#![allow(clippy::unwrap_used, reason = "a bench that cannot run should stop")]
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

#[path = "../examples/water/mod.rs"]
mod water;

use std::time::Instant;

use albireo::Domain;
use albireo::engine::cuda::{Cuda, CudaOptions};
use albireo::engine::{Cpu, Silent};
use albireo::random::{Leapfrog, Rand48};
use albireo_fields::{
    Cutoff, FieldEngine, FieldJob, FieldSums, FieldVariant, Float32Sum, Precision, Term,
    field_by_variant, field_in_float32,
};
use water::{points, water};

const REACH: f64 = 12.0;
const VOLUMES: [f64; 5] = [1e3, 1e4, 1e5, 1e6, 1e7];
const NUMBERS: [usize; 5] = [10_240, 102_400, 1_024_000, 10_240_000, 40_960_000];
/// Runs of which the best is printed.
const RUNS: usize = 3;
/// Every source against every point, no farther than this.
const MOST_DIRECT: f64 = 1e11;

/// The best time, and what comes out.
fn best<T>(mut run: impl FnMut() -> T) -> (f64, T) {
    let timed = |run: &mut dyn FnMut() -> T| {
        let begin = Instant::now();
        let made = run();
        (begin.elapsed().as_secs_f64(), made)
    };
    let (mut seconds, mut made) = timed(&mut run);
    for _ in 1..RUNS {
        let (again, other) = timed(&mut run);
        (seconds, made) = (seconds.min(again), other);
    }
    (seconds, made)
}

/// The maps of one volume.
struct Maps {
    volume: f64,
    job: FieldJob,
    expected: FieldSums,
}

impl Maps {
    fn new(volume: f64, precision: Precision) -> Self {
        let side = volume.cbrt();
        let (atoms, charges) = water(side).unwrap();
        let term = Term::coulomb(Cutoff::Smooth(REACH), 0.1).unwrap();
        let targets = points(side).unwrap();
        let job = FieldJob::new(&atoms, &charges, &Domain::Open, term, targets).unwrap();
        let job = job.with_precision(precision).unwrap();
        let expected = Cpu::new()
            .field(&job, job.targets().planes(), &Silent)
            .unwrap();
        Self {
            volume,
            job,
            expected,
        }
    }

    fn print(&self, name: &str, threads: usize, seconds: f64) {
        let (volume, atoms) = (self.volume, self.job.n_sources());
        let points = self.expected.sums().len();
        let precision = self.job.scale().precision.name();
        let in_reach = 4.0 / 3.0 * std::f64::consts::PI * REACH.powi(3) * water::DENSITY;
        let rate = in_reach * points as f64 / seconds / 1e9;
        println!("{volume:e},{atoms},{points},{name},{precision},{threads},{seconds:.6},{rate:.4}");
    }

    /// Times what makes all planes.
    fn time(&self, name: &str, threads: usize, run: impl FnMut() -> FieldSums) {
        let (seconds, sums) = best(run);
        assert!(sums == self.expected, "{name}: other integers");
        self.print(name, threads, seconds);
    }

    fn on_cpu(&self, cpu: &Cpu) {
        let (job, planes) = (&self.job, self.job.targets().planes());
        let threads = cpu.threads();
        self.time("cpu", threads, || {
            cpu.field(job, planes.clone(), &Silent).unwrap()
        });
        for variant in self.variants() {
            let name = format!("cpu {}", variant.name());
            self.time(&name, threads, || {
                field_by_variant(cpu, variant, job, planes.clone(), &Silent)
                    .unwrap()
                    .0
            });
        }
        if job.scale().precision == Precision::Single {
            // The paper's method on the processor.
            let (sum, variant) = (Float32Sum::Plain, FieldVariant::Cylinder);
            let (seconds, _) =
                best(|| field_in_float32(cpu, sum, variant, job, planes.clone(), &Silent).unwrap());
            self.print("cpu cylinder float32 sums", threads, seconds);
        }
    }

    /// Calls, with upload and download.
    fn on_cuda(&self, cuda: &Cuda) {
        let (job, planes) = (&self.job, self.job.targets().planes());
        self.time("cuda", 0, || {
            cuda.field(job, planes.clone(), &Silent).unwrap()
        });
        for variant in self.variants() {
            if variant == FieldVariant::Cylinder {
                continue;
            }
            let name = format!("cuda {}", variant.name());
            self.time(&name, 0, || {
                cuda.field_by_variant(variant, job, planes.clone(), &Silent)
                    .unwrap()
                    .0
            });
        }
    }

    fn variants(&self) -> Vec<FieldVariant> {
        let mut variants = vec![
            FieldVariant::Cylinder,
            FieldVariant::small_bins(REACH),
            FieldVariant::large_bins(REACH),
        ];
        if self.job.n_sources() as f64 * (self.expected.sums().len() as f64) < MOST_DIRECT {
            variants.push(FieldVariant::Direct);
        }
        variants
    }
}

fn rand48(cuda: Option<&Cuda>) {
    println!("numbers,engine,function,seconds,billion_numbers_per_s");
    for n in NUMBERS {
        let mut serial = vec![0; n];
        let print = |engine: &str, seconds: f64| {
            println!(
                "{n},{engine},lrand48,{seconds:.6},{:.4}",
                n as f64 / seconds / 1e9
            );
        };
        let (seconds, ()) = best(|| {
            let mut generator = Rand48::new(1);
            for number in &mut serial {
                *number = generator.lrand48();
            }
        });
        print("serial", seconds);
        let mut numbers = vec![0; n];
        for threads in [1, Cpu::new().threads()] {
            let leapfrog = Leapfrog::default().with_threads(threads).unwrap();
            let fill = || leapfrog.lrand48(&mut Rand48::new(1), &mut numbers).unwrap();
            let (seconds, ()) = best(fill);
            assert!(numbers == serial, "other numbers");
            print(&format!("cpu {threads}"), seconds);
        }
        if let Some(cuda) = cuda {
            let leapfrog = Leapfrog::default();
            let mut kernels = f64::INFINITY;
            let (seconds, ()) = best(|| {
                cuda.lrand48(leapfrog, &mut Rand48::new(1), &mut numbers)
                    .unwrap();
                kernels = kernels.min(cuda.last_run().0.kernels);
            });
            assert!(numbers == serial, "other numbers");
            print("cuda", seconds);
            print("cuda kernel", kernels);
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| words.iter().any(|word| word == name);
    let cuda = asked("cuda").then(|| Cuda::new(CudaOptions::default()).unwrap());
    if asked("rand48") {
        return rand48(cuda.as_ref());
    }
    let given: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let volumes = if given.is_empty() {
        VOLUMES.to_vec()
    } else {
        given
    };
    println!("volume,atoms,points,method,precision,threads,seconds,billion_pairs_in_reach_per_s");
    for volume in volumes {
        for precision in [Precision::Single, Precision::Double] {
            let maps = Maps::new(volume, precision);
            for threads in [1, Cpu::new().threads()] {
                maps.on_cpu(&Cpu::new().with_threads(threads).unwrap());
            }
            if let Some(cuda) = &cuda {
                maps.on_cuda(cuda);
            }
        }
    }
}
