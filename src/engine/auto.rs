//! Which engine: the one that should be done first, by measured rates.
//!
//! Entry: [`Auto::choose_for`]. It counts nothing but a few pairs to see how many are in reach, and looks for a GPU only where one
//! could pay.

mod in_reach;

#[cfg(feature = "cuda")]
use std::sync::{Arc, OnceLock};

#[cfg(feature = "cuda")]
use albireo_gpu::{CudaError, has_driver};

use super::costs::CPU_COSTS;
#[cfg(feature = "cuda")]
use super::costs::GPU_COSTS;
#[cfg(feature = "cuda")]
use super::cuda::{Cuda, CudaOptions};
use super::{AnyEngine, Cpu, Isa, PairJob};
use crate::particles::Particles;
use crate::tally::CountSpec;
use in_reach::{even_share, orders, tested, tried_share};

/// Chooses among the engines of this machine. Clones share the GPUs, which are opened once.
#[derive(Debug, Clone)]
pub struct Auto {
    cpu: Cpu,
    #[cfg(feature = "cuda")]
    cuda: Arc<OnceLock<Result<Cuda, CudaError>>>,
}

/// An engine, and why this one.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The engine.
    pub engine: AnyEngine,
    /// The times that were weighed, in a line.
    pub reason: String,
}

/// Seconds the CPU takes for a particle besides its pairs, on one thread and on all of them together.
const CPU_PARTICLE: f64 = 3e-8;
const CPU_SORT: f64 = 1.5e-7;

/// Pairs in a few bins in r that a thread tests in a second: AVX2 and AVX-512 measured, the others by the width of their registers.
pub fn cpu_rate(isa: Isa) -> f64 {
    match isa {
        Isa::Portable => 0.4e9,
        Isa::Avx2 => 1.9e9,
        Isa::Avx512 => 2.8e9,
        Isa::Neon => 0.9e9,
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
    /// Pairs a multiprocessor tests in a second, counts in a few bins in r by the exact filter.
    pub(super) const RATE: f64 = 9.4e9;
    /// Multiprocessors to reckon with before one has been seen.
    pub(super) const MULTIPROCESSORS: u32 = 132;
    /// Seconds to find the driver, open a device and load the first kernels.
    pub(super) const START: f64 = 0.35;
    /// Seconds of a run besides its pairs and particles: plan, launches, download.
    pub(super) const RUN: f64 = 0.003;
    /// Seconds to bring a particle to the device and sort it there.
    pub(super) const PARTICLE: f64 = 1e-8;
}

/// How many sets of weights the pairs of a job have.
fn sets(job: &PairJob<'_>) -> usize {
    job.pairs().weight_sets().unwrap_or(1)
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
            cuda: Arc::default(),
        }
    }

    /// The same choice with these GPUs, which are open already.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn with_cuda(self, cuda: Cuda) -> Self {
        Self {
            cuda: Arc::new(OnceLock::from(Ok(cuda))),
            ..self
        }
    }

    /// The processor.
    pub fn cpu(&self) -> &Cpu {
        &self.cpu
    }

    /// The engine for other work than pairs, which takes the processor `cpu` seconds, and GPUs so many as `gpu` makes of the float64 operations
    /// that all of them begin in a cycle. They are looked for if it takes less time to find them than to do without.
    pub fn choose_by(&self, cpu: f64, gpu: impl Fn(f64) -> f64) -> Choice {
        #[cfg(not(feature = "cuda"))]
        let _ = gpu;
        #[cfg(feature = "cuda")]
        if self.cuda.get().is_some() || cpu > gpu::START {
            let seconds = |cuda: &Cuda| gpu::RUN + gpu(f64::from(cuda.float64_lanes()));
            return self.against(cpu, seconds);
        }
        self.stay(cpu, "")
    }

    fn cpu_seconds(&self, particles: f64, work: f64) -> f64 {
        let threads = self.cpu.threads().max(1) as f64;
        let shared = particles * CPU_SORT + work / cpu_rate(self.cpu.isa());
        particles * CPU_PARTICLE + shared / threads
    }

    /// Seconds on GPUs with this many multiprocessors in all.
    #[cfg(feature = "cuda")]
    fn gpu_seconds(jobs: &[Weighed], multiprocessors: u32) -> f64 {
        let seconds = jobs.iter().map(|job| {
            let pairs = job.gpu_work / (gpu::RATE * f64::from(multiprocessors));
            gpu::RUN + job.particles * gpu::PARTICLE + pairs
        });
        seconds.sum()
    }

    /// The engine for counting `what` of the pairs of `job`.
    pub fn choose(&self, job: &PairJob<'_>, what: impl Into<CountSpec>) -> Choice {
        self.choose_for(&[(*job, what.into())])
    }

    /// The one engine for all `jobs` and what is counted of them, such as DD, DR and RR: a GPU has to be started only once for them.
    pub fn choose_for(&self, jobs: &[(PairJob<'_>, CountSpec)]) -> Choice {
        let beyond = |(job, what): &(PairJob<'_>, CountSpec)| what.reaches_beyond(job.domain());
        if jobs.iter().any(beyond) {
            return Choice {
                engine: AnyEngine::Cpu(self.cpu.clone()),
                reason: "cpu: bins reach beyond half the box".to_owned(),
            };
        }
        // Where it is soon done even if every pair is tested, or by nobody else, it is not worth to find out how many are in reach.
        let soon: f64 = jobs
            .iter()
            .map(|(job, what)| {
                let work = job.n_pairs() as f64 * orders(job, what);
                self.cpu_seconds(0.0, work * CPU_COSTS.of(what, sets(job)))
            })
            .sum();
        let try_some = soon >= SOON && self.may_have_gpus();
        let weighed: Vec<Weighed> = jobs
            .iter()
            .map(|(job, what)| {
                let bins = what.bins();
                let share = if try_some {
                    tried_share(job, bins)
                } else {
                    even_share(job, bins)
                };
                Weighed::new(job, what, tested(job, what, share))
            })
            .collect();
        let seconds = |job: &Weighed| self.cpu_seconds(job.particles, job.cpu_work);
        let cpu = weighed.iter().map(seconds).sum();
        #[cfg(not(feature = "cuda"))]
        return self.stay(cpu, "");
        #[cfg(feature = "cuda")]
        if jobs.iter().any(|(_, what)| what.bins().form().is_none()) {
            self.stay(cpu, ": GPUs have no kernel for these bins")
        } else {
            self.weigh(&weighed, cpu)
        }
    }

    /// Whether there may be a GPU, as far as can be seen without starting one.
    #[cfg(feature = "cuda")]
    fn may_have_gpus(&self) -> bool {
        self.cuda.get().map_or_else(has_driver, Result::is_ok)
    }

    #[cfg(not(feature = "cuda"))]
    #[allow(clippy::unused_self, reason = "as with GPUs")]
    fn may_have_gpus(&self) -> bool {
        false
    }

    fn stay(&self, cpu: f64, because: &str) -> Choice {
        Choice {
            engine: AnyEngine::Cpu(self.cpu.clone()),
            reason: format!("cpu, {} expected{because}", seconds(cpu)),
        }
    }

    /// Looks for GPUs, if the fastest one known would pay.
    #[cfg(feature = "cuda")]
    fn weigh(&self, jobs: &[Weighed], cpu: f64) -> Choice {
        let start = if self.cuda.get().is_none() {
            gpu::START
        } else {
            0.0
        };
        if cpu <= start + Self::gpu_seconds(jobs, gpu::MULTIPROCESSORS) {
            return self.stay(cpu, "");
        }
        self.against(cpu, |cuda| Self::gpu_seconds(jobs, cuda.multiprocessors()))
    }

    /// The GPUs if they are faster than `cpu` seconds; opened once, and those of a fork's parent are left alone.
    #[cfg(feature = "cuda")]
    fn against(&self, cpu: f64, gpu: impl Fn(&Cuda) -> f64) -> Choice {
        let opened = self.cuda.get_or_init(|| Cuda::new(CudaOptions::default()));
        let opened = opened.as_ref().map_err(Clone::clone);
        match opened.and_then(Cuda::of_this_process) {
            // Nobody asked for what is not there.
            Err(CudaError::NoDriver | CudaError::NoDevice) => self.stay(cpu, ""),
            Err(error) => self.stay(cpu, &format!(": the GPU cannot be used ({error})")),
            Ok(cuda) => {
                let gpu = gpu(cuda);
                let (there, here) = (seconds(gpu), seconds(cpu));
                if cpu <= gpu {
                    return self.stay(cpu, &format!(": the GPU would take {there}"));
                }
                Choice {
                    engine: AnyEngine::Cuda(cuda.clone()),
                    reason: format!("cuda, {there} expected: the cpu would take {here}"),
                }
            }
        }
    }
}

/// Seconds below which no more thought is given to a choice: less than a GPU takes to start.
const SOON: f64 = 0.2;

/// What a job asks of an engine.
struct Weighed {
    particles: f64,
    /// Pairs to test, in those that count in a few bins in r.
    cpu_work: f64,
    #[cfg(feature = "cuda")]
    gpu_work: f64,
}

impl Weighed {
    fn new(job: &PairJob<'_>, what: &CountSpec, tested: f64) -> Self {
        let (first, second) = job.pairs().samples();
        Self {
            particles: (first.len() + second.map_or(0, Particles::len)) as f64,
            cpu_work: tested * CPU_COSTS.of(what, sets(job)),
            #[cfg(feature = "cuda")]
            gpu_work: tested * GPU_COSTS.of(what, sets(job)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binning::{Bins, Edges, RBins, ThetaBins};
    use crate::domain::{Domain, PeriodicBox};
    use crate::pairs::Pairs;
    use crate::particles::Points;

    fn cube(n: usize) -> Particles {
        let column = |k: usize| (0..n).map(|i| ((i * k) % n) as f64 / n as f64).collect();
        Particles::new(Points::new(column(1), column(7), column(31)).unwrap())
    }

    fn evenly(job: &PairJob<'_>, bins: &Bins) -> f64 {
        tested(job, &CountSpec::new(bins), even_share(job, bins))
    }

    #[test]
    fn pairs_to_test_follow_the_volume_in_reach() {
        let sample = cube(1000);
        let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
        let all = 1000.0 * 999.0 / 2.0;
        let count = |domain: &Domain, reach: f64| {
            let job = PairJob::new(Pairs::Auto(&sample), domain).unwrap();
            evenly(
                &job,
                &RBins::new(Edges::linear(0.0, reach, 4).unwrap()).into(),
            )
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
            evenly(
                &job,
                &RBins::new(Edges::linear(0.0, 1.0, 4).unwrap()).into()
            ),
            45.0
        );
        let sky = Particles::new(Points::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).unwrap());
        let job = PairJob::new(Pairs::Auto(&sky), &Domain::Open).unwrap();
        let bins = ThetaBins::new(Edges::linear(0.0, 180.0, 4).unwrap()).unwrap();
        assert_eq!(evenly(&job, &Bins::from(&bins)), 1.0);
    }

    #[test]
    fn short_jobs_stay_on_the_cpu_without_looking_for_a_gpu() {
        let sample = cube(1000);
        let auto = Auto::new(Cpu::new());
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let bins = RBins::new(Edges::linear(0.0, 0.5, 4).unwrap());
        let choice = auto.choose(&job, &bins);
        assert!(matches!(choice.engine, AnyEngine::Cpu(_)));
        assert!(choice.reason.starts_with("cpu, "), "{}", choice.reason);
        #[cfg(feature = "cuda")]
        assert!(auto.cuda.get().is_none());
    }

    #[test]
    fn clumps_are_seen() {
        // Half of the particles in a thousandth of the volume, in reach of one another.
        let cube = cube(20_000);
        let mut columns = cube
            .points()
            .columns()
            .map(|column| column.contiguous().into_owned());
        for column in &mut columns {
            column.iter_mut().step_by(2).for_each(|x| *x *= 0.1);
        }
        let [x, y, z] = columns;
        let clumped = Particles::new(Points::new(x, y, z).unwrap());
        let bins = RBins::new(Edges::linear(0.0, 0.1, 4).unwrap());
        let job = PairJob::new(Pairs::Auto(&clumped), &Domain::Open).unwrap();
        let inside = |i: usize, j: usize| {
            let (a, b) = (clumped.points().at(i), clumped.points().at(j));
            Domain::Open.separation(a, b).r2 < 0.01
        };
        let found = (0..20_000).step_by(7).map(|i| {
            let others = (0..20_000).step_by(3).filter(|&j| j != i);
            others.filter(|&j| inside(i, j)).count()
        });
        let share = found.sum::<usize>() as f64 / (20_000.0 / 7.0) / (20_000.0 / 3.0);
        let tried = tried_share(&job, &Bins::from(&bins));
        // Of the rows tried, how many are in the clump is known to 7 %.
        assert!((tried / share - 1.0).abs() < 0.3, "{tried} {share}");
        assert!(tried > 10.0 * even_share(&job, &Bins::from(&bins)));
    }

    #[test]
    fn jobs_are_weighed_together() {
        let auto = Auto::new(Cpu::new().with_threads(1).unwrap());
        let sample = cube(10_000);
        let bins = RBins::new(Edges::linear(0.0, 2.0, 4).unwrap());
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        auto.choose(&job, &bins);
        #[cfg(feature = "cuda")]
        assert!(auto.cuda.get().is_none(), "one is not worth a GPU's start");
        auto.choose_for(&vec![(job, bins.into()); 100]);
        #[cfg(feature = "cuda")]
        assert!(auto.cuda.get().is_some(), "a hundred are");
    }

    #[test]
    fn long_jobs_go_to_a_gpu_where_there_is_one() {
        let sample = cube(400_000);
        let auto = Auto::new(Cpu::new().with_threads(1).unwrap());
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let bins = RBins::new(Edges::linear(0.0, 2.0, 4).unwrap());
        let choice = auto.choose(&job, &bins);
        #[cfg(feature = "cuda")] // Where there is none, not a word about one.
        if let Some(Err(CudaError::NoDriver | CudaError::NoDevice)) = auto.cuda.get() {
            assert!(!choice.reason.contains("GPU"), "{}", choice.reason);
        }
        #[cfg(feature = "cuda")]
        match auto.cuda.get() {
            Some(Ok(_)) => assert!(matches!(choice.engine, AnyEngine::Cuda(_))),
            Some(Err(_)) => assert!(matches!(choice.engine, AnyEngine::Cpu(_))),
            None => panic!("{}", choice.reason),
        }
        #[cfg(not(feature = "cuda"))]
        assert!(matches!(choice.engine, AnyEngine::Cpu(_)));
    }
}
