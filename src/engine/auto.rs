//! Which engine: the one that should be done first, by measured rates.
//!
//! Entry: [`Auto::choose`]. It counts nothing, and looks for a GPU only where one could pay.

#[cfg(feature = "cuda")]
use std::sync::OnceLock;

#[cfg(feature = "cuda")]
use super::cuda::{Cuda, CudaError, CudaOptions};
use super::{AnyEngine, Cpu, Isa, PairJob};
use crate::binning::{Binning, PairOrder, Reach};
use crate::counts::Sums;
use crate::domain::Domain;
use crate::particles::Particles;

/// Chooses among the engines of this machine.
#[derive(Debug)]
pub struct Auto {
    cpu: Cpu,
    #[cfg(feature = "cuda")]
    cuda: OnceLock<Result<Cuda, CudaError>>,
}

/// An engine, and why this one.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The engine.
    pub engine: AnyEngine,
    /// The times that were weighed, in a line.
    pub reason: String,
}

/// Particles in the blocks or cells that are in reach or not as a whole.
const LEAF: f64 = 16.0;
/// Two coordinates or a sum of weights, against counts in r, in time a pair.
const TWO_COORDINATES: f64 = 2.0;
const WEIGHTED: f64 = 1.7;
/// Sums of separations, of which every pair takes float64, on the CPU and on GPUs.
const SEPARATIONS: [f64; 2] = [100.0, 9.0];
/// Seconds the CPU takes for a particle besides its pairs, on one thread and on all of them together.
const CPU_PARTICLE: f64 = 3e-8;
const CPU_SORT: f64 = 1.5e-7;

/// Pairs a thread tests in a second: measured, but for NEON, which has half the register width of AVX2.
fn cpu_rate(isa: Isa) -> f64 {
    match isa {
        Isa::Portable => 0.25e9,
        Isa::Avx2 => 1.0e9,
        Isa::Avx512 => 1.8e9,
        Isa::Neon => 0.5e9,
    }
}

/// Pairs a second that the two test, all threads and all devices.
#[cfg(feature = "cuda")]
pub(super) fn relative_rates(cpu: &Cpu, cuda: &Cuda) -> [f64; 2] {
    [
        cpu_rate(cpu.isa()) * cpu.threads() as f64,
        gpu::RATE * f64::from(cuda.multiprocessors()),
    ]
}

/// Rates and overheads of GPUs, measured on an H200.
#[cfg(feature = "cuda")]
mod gpu {
    /// Pairs a multiprocessor tests in a second, counts in r by the exact filter.
    pub(super) const RATE: f64 = 6.5e9;
    /// Multiprocessors to reckon with before one has been seen.
    pub(super) const MULTIPROCESSORS: u32 = 132;
    /// Seconds to find the driver, open a device and load the first kernels.
    pub(super) const START: f64 = 0.35;
    /// Seconds of a run besides its pairs and particles: plan, launches, download.
    pub(super) const RUN: f64 = 0.003;
    /// Seconds to bring a particle to the device and sort it there.
    pub(super) const PARTICLE: f64 = 1e-8;
}

/// The volume that particles are in: of the domain, or of their bounding box where it is open.
fn volume(job: &PairJob<'_>) -> f64 {
    let lengths = match job.domain() {
        Domain::Triclinic(lattice) => return lattice.volume(),
        Domain::Periodic(cell) => cell.lengths(),
        Domain::Open => [None; 3],
    };
    let (first, second) = job.pairs().samples();
    let extent = |axis: usize| {
        let columns = [Some(first), second].into_iter().flatten();
        let values = columns.flat_map(|sample: &Particles| sample.points().columns()[axis]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| {
            (low.min(x), high.max(x))
        });
        (high - low).max(0.0)
    };
    (0..3)
        .map(|axis| lengths[axis].unwrap_or_else(|| extent(axis)))
        .product()
}

/// Pairs that an engine has to look at, if the particles fill their volume evenly.
fn tested<B: Binning>(job: &PairJob<'_>, binning: &B) -> f64 {
    let pi = std::f64::consts::PI;
    let (first, second) = job.pairs().both();
    let densest = first.len().max(second.len()) as f64;
    // The share of the volume, or of the sphere, in reach; how many leaves the reach is long.
    let (in_reach, leaves) = if binning.on_sphere() {
        let share = (binning.reach().radius() / 2.0).powi(2);
        (share, (4.0 * densest * share / LEAF).sqrt())
    } else {
        let reach = match binning.reach() {
            Reach::Sphere(radius) => 4.0 / 3.0 * pi * radius.powi(3),
            Reach::Cylinder { across, along, .. } => pi * across * across * 2.0 * along,
        };
        let share = reach / volume(job);
        let leaves = (densest * share / (4.0 / 3.0 * pi) / LEAF).cbrt();
        (share, leaves)
    };
    // What is in reach of a leaf is a leaf longer than what is in reach of a particle.
    let share = (in_reach * (1.0 + 1.0 / leaves).powi(3)).min(1.0);
    // Nothing in an empty volume: every pair.
    let share = if share.is_nan() { 1.0 } else { share };
    let orders = match binning.order() {
        PairOrder::Unordered => 1.0,
        PairOrder::Ordered => 2.0,
    };
    job.n_pairs() as f64 * share * orders
}

/// Seconds as a person reads them.
fn seconds(value: f64) -> String {
    if value < 0.1 {
        format!("{:.1} ms", value * 1e3)
    } else {
        format!("{value:.1} s")
    }
}

impl Auto {
    /// A choice between `cpu` and the GPUs there are.
    pub fn new(cpu: Cpu) -> Self {
        Self {
            cpu,
            #[cfg(feature = "cuda")]
            cuda: OnceLock::new(),
        }
    }

    /// The same choice with these GPUs, which are open already.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn with_cuda(self, cuda: Cuda) -> Self {
        Self {
            cuda: OnceLock::from(Ok(cuda)),
            ..self
        }
    }

    fn cpu_seconds(&self, job: &PairJob<'_>, work: f64) -> f64 {
        let threads = self.cpu.threads().max(1) as f64;
        let (first, second) = job.pairs().samples();
        let particles = first.len() + second.map_or(0, Particles::len);
        let shared = particles as f64 * CPU_SORT + work / cpu_rate(self.cpu.isa());
        particles as f64 * CPU_PARTICLE + shared / threads
    }

    /// The engine for counting the pairs of `job` in the bins of `binning`.
    pub fn choose<B: Binning>(&self, job: &PairJob<'_>, binning: &B, sums: Sums) -> Choice {
        let two = if binning.axes().len() > 1 {
            TWO_COORDINATES
        } else {
            1.0
        };
        let work = tested(job, binning) * two * if sums.weights { WEIGHTED } else { 1.0 };
        let work_of = |engine: usize| {
            if sums.separations {
                SEPARATIONS[engine] * work
            } else {
                work
            }
        };
        let cpu = self.cpu_seconds(job, work_of(0));
        let stay = |reason: String| Choice {
            engine: AnyEngine::Cpu(self.cpu.clone()),
            reason,
        };
        #[cfg(not(feature = "cuda"))]
        return stay(format!(
            "cpu, {} expected: this program is built without the cuda engine",
            seconds(cpu)
        ));
        #[cfg(feature = "cuda")]
        {
            self.weigh(job, work_of(1), cpu, stay)
        }
    }

    /// Looks for GPUs, if the fastest one known would pay.
    #[cfg(feature = "cuda")]
    fn weigh(
        &self,
        job: &PairJob<'_>,
        work: f64,
        cpu: f64,
        stay: impl Fn(String) -> Choice,
    ) -> Choice {
        let (first, second) = job.pairs().samples();
        let particles = first.len() + second.map_or(0, Particles::len);
        let gpu_seconds = |multiprocessors: u32| {
            gpu::RUN
                + particles as f64 * gpu::PARTICLE
                + work / (gpu::RATE * f64::from(multiprocessors))
        };
        let start = if self.cuda.get().is_none() {
            gpu::START
        } else {
            0.0
        };
        let hoped = start + gpu_seconds(gpu::MULTIPROCESSORS);
        if cpu <= hoped {
            return stay(format!(
                "cpu, {} expected: a GPU would take {} with its start",
                seconds(cpu),
                seconds(hoped)
            ));
        }
        match self.cuda.get_or_init(|| Cuda::new(CudaOptions::default())) {
            Err(error) => stay(format!(
                "cpu, {} expected: no GPU to use ({error})",
                seconds(cpu)
            )),
            Ok(cuda) => {
                let gpu = gpu_seconds(cuda.multiprocessors());
                if cpu <= gpu {
                    return stay(format!(
                        "cpu, {} expected: the GPU would take {}",
                        seconds(cpu),
                        seconds(gpu)
                    ));
                }
                Choice {
                    engine: AnyEngine::Cuda(cuda.clone()),
                    reason: format!(
                        "cuda, {} expected: the cpu would take {}",
                        seconds(gpu),
                        seconds(cpu)
                    ),
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use crate::binning::{Edges, RBins, ThetaBins};
    use crate::domain::PeriodicBox;
    use crate::engine::Pairs;
    use crate::particles::Points;

    fn cube(n: usize) -> Particles {
        let column = |k: usize| (0..n).map(|i| ((i * k) % n) as f64 / n as f64).collect();
        Particles::new(Points::new(column(1), column(7), column(31)).unwrap())
    }

    #[test]
    fn pairs_to_test_follow_the_volume_in_reach() {
        let sample = cube(1000);
        let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
        let all = 1000.0 * 999.0 / 2.0;
        let count = |domain: &Domain, reach: f64| {
            let job = PairJob::new(Pairs::Auto(&sample), domain).unwrap();
            tested(&job, &RBins::new(Edges::linear(0.0, reach, 4).unwrap()))
        };
        let sphere = 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
        // Sixteen particles to a leaf, which is then 0.252 long.
        let longer = (1.0f64 + 2.52).powi(3);
        assert!((count(&domain, 0.1) / (all * sphere * longer) - 1.0).abs() < 1e-3);
        assert_eq!(count(&domain, 0.5), all);
        let open = count(&Domain::Open, 0.1) / count(&domain, 0.1);
        assert!((1.0..1.01).contains(&open), "{open}");
        // All particles in one place: every pair.
        let one = Particles::new(Points::from_rows(&[[0.5; 3]; 10]).unwrap());
        let job = PairJob::new(Pairs::Auto(&one), &Domain::Open).unwrap();
        assert_eq!(
            tested(&job, &RBins::new(Edges::linear(0.0, 1.0, 4).unwrap())),
            45.0
        );
        let sky = Particles::new(Points::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).unwrap());
        let job = PairJob::new(Pairs::Auto(&sky), &Domain::Open).unwrap();
        let bins = ThetaBins::new(Edges::linear(0.0, 180.0, 4).unwrap()).unwrap();
        assert_eq!(tested(&job, &bins), 1.0);
    }

    #[test]
    fn short_jobs_stay_on_the_cpu_without_looking_for_a_gpu() {
        let sample = cube(1000);
        let auto = Auto::new(Cpu::new());
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let bins = RBins::new(Edges::linear(0.0, 0.5, 4).unwrap());
        let choice = auto.choose(&job, &bins, Sums::default());
        assert!(matches!(choice.engine, AnyEngine::Cpu(_)));
        assert!(choice.reason.starts_with("cpu, "), "{}", choice.reason);
        #[cfg(feature = "cuda")]
        assert!(auto.cuda.get().is_none());
    }

    #[test]
    fn long_jobs_go_to_a_gpu_where_there_is_one() {
        let sample = cube(400_000);
        let auto = Auto::new(Cpu::new().with_threads(1).unwrap());
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let bins = RBins::new(Edges::linear(0.0, 2.0, 4).unwrap());
        let choice = auto.choose(&job, &bins, Sums::default());
        #[cfg(feature = "cuda")]
        match auto.cuda.get() {
            Some(Ok(_)) => assert!(matches!(choice.engine, AnyEngine::Cuda(_))),
            Some(Err(_)) => assert!(choice.reason.contains("no GPU to use"), "{}", choice.reason),
            None => panic!("{}", choice.reason),
        }
        #[cfg(not(feature = "cuda"))]
        assert!(matches!(choice.engine, AnyEngine::Cpu(_)));
    }
}
