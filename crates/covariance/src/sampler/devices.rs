//! Rounds on devices: the processor draws them, devices count the tiles.
//!
//! Entry: [`rounds`]. Devices take rounds in turn, and while one counts the next is drawn; each keeps its sums until all are done.

use std::ops::Range;

use albireo::engine::cuda::Cuda;
use albireo::engine::{Cpu, Progress, Together};
use albireo::error::EngineError;
use albireo::progress::Lasting;
use albireo_gpu::{CudaError, Device, Devices, LaunchShape, put};
use albireo_kernels::structs::{Address, DeviceTiles, Unit};
use albireo_kernels::{CovarianceTuples, Kernel};

use super::constants::pairs_of;
use super::points::RoundPoints;
use super::rounds::Drawn;
use super::visits::Kept;
use super::{C3Term, C4Term, RoundSums, SampleJob, SamplerError, SamplingEngine, each_round};

/// Threads of a block, and shared memory of each of its warps: members of two clouds.
const THREADS: u32 = 128;
const OF_WARP: usize = 2 * 32 * 16;

/// Pairs of a block at most, and quads, which counters of 32 bits hold.
const PIECE: usize = 4096;
const MOST_QUADS: u64 = i32::MAX as u64;

/// Memory for rounding the size of each buffer.
const ROOM: u64 = 512;

/// Blocks of a launch at most.
const BLOCKS: usize = 1 << 20;

impl From<CudaError> for SamplerError {
    fn from(error: CudaError) -> Self {
        Self::Engine(error.into())
    }
}

/// Memory of a device, and where it is.
struct Buffers<'a, D: Device> {
    device: &'a D,
    kept: Vec<D::Memory>,
}

impl<D: Device> Buffers<'_, D> {
    fn put<T: bytemuck::Pod>(&mut self, values: &[T]) -> Result<u64, CudaError> {
        // No buffer is empty.
        let memory = match values {
            [] => put(self.device, &[0u64])?,
            _ => put(self.device, values)?,
        };
        let address = self.device.address(&memory);
        self.kept.push(memory);
        Ok(address)
    }
}

/// A device with the sums of its rounds.
struct OnDevice<'a, D: Device> {
    device: &'a D,
    /// Sums over quads, over triples, and the number of quads.
    c4: Vec<D::Memory>,
    c3: Vec<D::Memory>,
    quads: D::Memory,
}

fn cleared<D: Device>(device: &D, numbers: usize) -> Result<D::Memory, CudaError> {
    let mut memory = device.allocate(8 * numbers)?;
    device.clear(&mut memory)?;
    Ok(memory)
}

/// What a round takes of a device: points and clouds of every kind, and pairs.
fn bytes_of(drawn: &Drawn, pieces: usize) -> u64 {
    let points: usize = drawn.points.iter().map(|points| 16 * points.len()).sum();
    let clouds = drawn.clouds.iter().flatten();
    let clouds: usize = clouds
        .map(|clouds| 4 * clouds.on_device().0.len() + 4 * clouds.on_device().1.len())
        .sum();
    let pairs: usize = drawn.kept.iter().map(|pairs| 8 * pairs.len()).sum();
    (points + clouds + pairs + 16 * pieces) as u64 + 32 * ROOM
}

/// The pairs of each block: their first, their end and their bin.
fn pieces(drawn: &Drawn, (first, second): (usize, usize), kept: &[Kept]) -> Vec<[u32; 4]> {
    let size = |owner: usize, point: u32| -> u64 {
        let of_owner = drawn.clouds[owner]
            .iter()
            .map(|clouds| clouds.of(point).1 as u64);
        of_owner.max().unwrap_or(0)
    };
    let (mut pieces, mut quads): (Vec<[u32; 4]>, u64) = (vec![], 0);
    for (at, pair) in kept.iter().enumerate() {
        let (at, of_pair) = (at as u32, size(first, pair.i) * size(second, pair.j));
        match pieces.last_mut() {
            Some([begin, end, bin, _])
                if *bin == pair.bin
                    && ((at - *begin) as usize) < PIECE
                    && quads + of_pair <= MOST_QUADS =>
            {
                *end = at + 1;
                quads += of_pair;
            }
            _ => {
                pieces.push([at, at + 1, pair.bin, 0]);
                quads = of_pair;
            }
        }
    }
    pieces
}

impl<'a, D: Device> OnDevice<'a, D> {
    fn new(device: &'a D, job: &SampleJob) -> Result<Self, CudaError> {
        let constants = job.constants();
        let (bins, terms) = (
            constants.bins.0,
            (constants.c4_terms(), constants.c3_terms()),
        );
        let matrices = terms.0.len() + terms.1.len();
        let shared = THREADS as usize / 32 * OF_WARP + 4 * bins;
        if shared > device.shared_limit() {
            return Err(CudaError::Unsupported("covariances of so many bins"));
        }
        device.make_room(
            (8 * bins * bins) as u64 * matrices as u64 + 8 + ROOM * (matrices as u64 + 1),
        )?;
        let matrix = |_| cleared(device, bins * bins);
        Ok(Self {
            c4: (0..terms.0.len()).map(matrix).collect::<Result<_, _>>()?,
            c3: (0..terms.1.len()).map(matrix).collect::<Result<_, _>>()?,
            quads: cleared(device, 1)?,
            device,
        })
    }

    /// Counts a round, whose buffers are given back once it is done.
    fn count(&self, job: &SampleJob, drawn: &Drawn) -> Result<(), CudaError> {
        let n = drawn.points.len();
        let pairs = pairs_of(n);
        let of_pairs = pairs.iter().zip(&drawn.kept);
        let pieces: Vec<_> = of_pairs
            .map(|(pair, kept)| pieces(drawn, *pair, kept))
            .collect();
        self.device
            .make_room(bytes_of(drawn, pieces.iter().map(Vec::len).sum()))?;
        let mut buffers = Buffers {
            device: self.device,
            kept: vec![],
        };
        let ([first, second], mut tiles) = job.rule.on_device();
        for (axis, to) in [(first, &mut tiles.first), (second, &mut tiles.second)] {
            let (edges, axis) = axis.on_device();
            *to = axis;
            to.edges = buffers.put(edges)?.into();
        }
        tiles.bins = job.constants().bins.0 as u32;
        tiles.quads = self.device.address(&self.quads).into();
        let points = drawn.points.iter().map(|points| buffers.put(&points.short));
        let points = points.collect::<Result<Vec<_>, _>>()?;
        let mut clouds = vec![];
        for of_member in drawn.clouds.iter().flatten() {
            let (starts, members) = of_member.on_device();
            clouds.push((buffers.put(&starts)?, buffers.put(members)?));
        }
        let (c4, c3) = (job.constants().c4_terms(), job.constants().c3_terms());
        for ((kept, pieces), pair) in drawn.kept.iter().zip(&pieces).zip(pairs) {
            let ends: Vec<[u32; 2]> = kept.iter().map(|kept| [kept.i, kept.j]).collect();
            tiles.pairs = buffers.put(&ends)?.into();
            tiles.pieces = buffers.put(pieces)?.into();
            for (sums, term) in self
                .c4
                .iter()
                .zip(&c4)
                .filter(|(_, term)| term.pair == pair)
            {
                tiles.sums = self.device.address(sums).into();
                let quads = quads_of(tiles, *term, n, (&points, &clouds));
                self.launch(CovarianceTuples::Quads, &quads, pieces.len())?;
            }
            for (sums, term) in self.c3.iter().zip(&c3) {
                tiles.sums = self.device.address(sums).into();
                for arm_is_second in [false, true] {
                    let ends = if arm_is_second {
                        (pair.1, pair.0)
                    } else {
                        pair
                    };
                    if (term.arms.0, term.vertex) == ends {
                        let triples =
                            triples_of(tiles, *term, n, (&points, &clouds), arm_is_second);
                        self.launch(CovarianceTuples::Triples, &triples, pieces.len())?;
                    }
                }
            }
        }
        Ok(())
    }

    fn launch(
        &self,
        tuples: CovarianceTuples,
        job: &DeviceTiles,
        pieces: usize,
    ) -> Result<(), CudaError> {
        let shared = match tuples {
            CovarianceTuples::Quads => THREADS as usize / 32 * OF_WARP + 4 * job.bins as usize,
            CovarianceTuples::Triples => 0,
        };
        for begin in (0..pieces).step_by(BLOCKS) {
            let end = pieces.min(begin + BLOCKS);
            let unit = Unit {
                begin: begin as u64,
                end: end as u64,
                chunk: 0,
            };
            let shape = LaunchShape {
                grid: [(end - begin) as u32, 1],
                threads: THREADS,
                shared,
            };
            self.device
                .launch(Kernel::Covariance(tuples), shape, job, &unit)?;
        }
        Ok(())
    }

    /// Adds what is on the device.
    fn add_to(&self, sums: &mut RoundSums) -> Result<(), SamplerError> {
        let rounds = sums.rounds;
        let matrices = self.c4.iter().chain(&self.c3);
        for (memory, to) in matrices.zip(sums.c4.iter_mut().chain(&mut sums.c3)) {
            let mut matrix = vec![0i64; to.len()];
            self.device.download(memory, &mut matrix)?;
            for (sum, added) in to.iter_mut().zip(matrix) {
                *sum = sum
                    .checked_add(added)
                    .ok_or(SamplerError::Overflow { rounds })?;
            }
        }
        let mut quads = [0u64];
        self.device.download(&self.quads, &mut quads)?;
        sums.quads += quads[0];
        Ok(())
    }
}

/// Addresses of the points of each tracer, and of the clouds of each owner in each member.
type Placed<'a> = (&'a [u64], &'a [(u64, u64)]);

fn quads_of(
    tiles: DeviceTiles,
    term: C4Term,
    n: usize,
    (points, clouds): Placed<'_>,
) -> DeviceTiles {
    let ((first, second), (k, l)) = (term.pair, term.members);
    let (of_first, of_second) = (clouds[first * n + k], clouds[second * n + l]);
    DeviceTiles {
        k_points: points[k].into(),
        l_points: points[l].into(),
        k_starts: of_first.0.into(),
        k_members: of_first.1.into(),
        l_starts: of_second.0.into(),
        l_members: of_second.1.into(),
        k_is_second: u32::from(k == second),
        l_is_first: u32::from(l == first),
        alike: u32::from(k == l),
        ..tiles
    }
}

fn triples_of(
    tiles: DeviceTiles,
    term: C3Term,
    n: usize,
    (points, clouds): Placed<'_>,
    arm_is_second: bool,
) -> DeviceTiles {
    let of_arm = clouds[term.arms.0 * n + term.arms.1];
    DeviceTiles {
        k_points: points[term.arms.1].into(),
        l_points: points[term.vertex].into(),
        k_starts: of_arm.0.into(),
        k_members: of_arm.1.into(),
        l_starts: Address::default(),
        alike: u32::from(term.arms.1 == term.vertex),
        arm_is_second: u32::from(arm_is_second),
        ..tiles
    }
}

/// The sums of some rounds of a job: drawn on the threads of `cpu`, counted on devices.
///
/// # Errors
/// Sums by region, which the `cpu` engine makes; a device that fails or lacks memory, a stop asked for through `progress`.
pub fn rounds<N: Devices>(
    devices: &N,
    cpu: &Cpu,
    job: &SampleJob,
    rounds: Range<u64>,
    progress: &dyn Progress,
) -> Result<RoundSums, SamplerError> {
    if !job.constants().shares.is_empty() {
        return Err(CudaError::Unsupported("sums by region: use the cpu engine").into());
    }
    let progress = Lasting::new(progress);
    let on_devices = devices
        .all()
        .iter()
        .map(|device| OnDevice::new(device, job));
    let on_devices = on_devices.collect::<Result<Vec<_>, _>>()?;
    let (pool, mut next) = (cpu.pool()?, on_devices.iter().cycle());
    let mut sums = each_round(job, rounds, &progress, |points, sums| {
        let drawn = pool.install(|| Drawn::new(job, cpu.isa(), points, &progress));
        let (Some(drawn), Some(device)) = (drawn, next.next()) else {
            return Err(EngineError::Interrupted.into());
        };
        device.count(job, &drawn)?;
        drawn.add_pairs(sums);
        progress.advance(points.iter().map(RoundPoints::len).sum::<usize>() as u64);
        Ok(())
    })?;
    for device in &on_devices {
        device.add_to(&mut sums)?;
    }
    Ok(sums)
}

/// The same on all of these devices.
fn on_gpus(
    (cuda, cpu): (&Cuda, &Cpu),
    job: &SampleJob,
    rounds: Range<u64>,
    progress: &dyn Progress,
) -> Result<RoundSums, SamplerError> {
    let devices = cuda.shared_devices()?;
    self::rounds(&*devices, cpu, job, rounds, progress)
}

impl SamplingEngine for Cuda {
    fn rounds(
        &self,
        job: &SampleJob,
        rounds: Range<u64>,
        progress: &dyn Progress,
    ) -> Result<RoundSums, SamplerError> {
        on_gpus((self, &Cpu::new()), job, rounds, progress)
    }
}

/// Both work together in any case: this one names the threads.
impl SamplingEngine for Together {
    fn rounds(
        &self,
        job: &SampleJob,
        rounds: Range<u64>,
        progress: &dyn Progress,
    ) -> Result<RoundSums, SamplerError> {
        let (cpu, cuda) = self.parts();
        on_gpus((cuda, cpu), job, rounds, progress)
    }
}
