//! The workers that count frames, and how many frames they take at a time.
//!
//! Entry: [`FrameWorkers`].

use albireo::engine::{AnyEngine, Exactness};
use albireo::error::EngineError;

/// Engines that count a frame each, at the same time.
#[derive(Debug, Clone)]
pub struct FrameWorkers {
    engines: Vec<AnyEngine>,
    description: String,
    exactness: Exactness,
}

/// Frames at the same time on each device, at least and at most: while the kernels of one run, the other uploads, and small ones leave most of a
/// device to others.
const ON_A_DEVICE: [usize; 2] = [2, 8];
/// Particles that keep a device busy.
const FULL_DEVICE: usize = 1 << 17;

impl FrameWorkers {
    /// A worker for each thread of `engine` and two for each of its devices, each with a frame of its own: for frames that many of fit into memory.
    ///
    /// # Errors
    /// Threads that cannot be started, or a device that does not answer.
    pub fn each_alone(engine: &AnyEngine) -> Result<Self, EngineError> {
        Self::sharing_devices(engine, ON_A_DEVICE[0])
    }

    /// How many frames of so many particles each device should have at a time ([`FrameWorkers::sharing_devices`]).
    ///
    /// ```
    /// use albireo_fluids::frames::FrameWorkers;
    /// assert_eq!([1_000, 30_000, 1_000_000].map(FrameWorkers::worth_sharing), [8, 4, 2]);
    /// ```
    pub fn worth_sharing(particles: usize) -> usize {
        let [least, most] = ON_A_DEVICE;
        (FULL_DEVICE / particles.max(1)).clamp(least, most)
    }

    /// As [`FrameWorkers::each_alone`], with so many frames at a time on each device: their kernels run side by side.
    ///
    /// # Errors
    /// As [`FrameWorkers::each_alone`].
    pub fn sharing_devices(engine: &AnyEngine, on_a_device: usize) -> Result<Self, EngineError> {
        #[cfg(not(feature = "cuda"))]
        let _ = on_a_device;
        let mut engines = Vec::new();
        match engine {
            AnyEngine::Naive(naive) => engines.push(AnyEngine::Naive(*naive)),
            AnyEngine::Cpu(cpu) => {
                for _ in 0..cpu.threads() {
                    engines.push(AnyEngine::Cpu(cpu.clone().with_own_thread()?));
                }
            }
            #[cfg(feature = "cuda")]
            AnyEngine::Cuda(cuda) => engines.extend(on_devices(cuda, on_a_device)?),
            #[cfg(feature = "cuda")]
            AnyEngine::Together(together) => {
                let (cpu, cuda) = together.parts();
                engines.extend(on_devices(cuda, on_a_device)?);
                // One core serves the devices.
                for _ in 1..cpu.threads() {
                    engines.push(AnyEngine::Cpu(cpu.clone().with_own_thread()?));
                }
            }
            // Another crate may ask for engines that this one was built without.
            #[cfg(not(feature = "cuda"))]
            #[allow(unreachable_patterns, reason = "where no crate asks for them")]
            other => engines.push(other.clone()),
        }
        Ok(Self::of(engine, engines))
    }

    /// One worker, with all threads and devices of `engine`, on one frame after the other: for frames too large to have many of them at once, or few of them.
    pub fn all_on_each(engine: &AnyEngine) -> Self {
        Self::of(engine, vec![engine.clone()])
    }

    fn of(engine: &AnyEngine, engines: Vec<AnyEngine>) -> Self {
        Self {
            engines,
            description: engine.description(),
            exactness: engine.exactness(),
        }
    }

    /// The workers.
    pub(super) fn engines(&self) -> &[AnyEngine] {
        &self.engines
    }

    /// Frames that are counted at the same time.
    pub fn frames_at_once(&self) -> usize {
        self.engines.len()
    }

    /// What ran, for the record.
    pub fn description(&self) -> String {
        let frames = self.engines.len();
        let plural = if frames == 1 { "" } else { "s" };
        format!("{}, {frames} frame{plural} at a time", self.description)
    }

    /// Whether the counts are the integers of the contract.
    pub fn exactness(&self) -> Exactness {
        self.exactness
    }
}

#[cfg(feature = "cuda")]
fn on_devices(
    cuda: &albireo::engine::cuda::Cuda,
    on_a_device: usize,
) -> Result<impl Iterator<Item = AnyEngine>, EngineError> {
    let engines = cuda.one_by_one(on_a_device.max(1))?;
    Ok(engines.into_iter().map(AnyEngine::Cuda))
}
