//! Sums per target on devices: the sources by cells are uploaded once, then the targets are shared out in units.
//!
//! Entry: [`field`]; [`field_by_variant`] for the ways of Rodrigues et al. 2008. Grids along the axes of their frame go tile by tile, other targets one by one; the term is text of its definition.

mod variants;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use albireo::engine::cuda::{Cuda, CudaTimings};
use albireo::engine::{Cpu, Progress};
use albireo::error::EngineError;
use albireo::pool;
use albireo_gpu::{CudaError, Device, Devices, LaunchShape, put};
use albireo_kernels::structs::{Address, AxisTile, DeviceField, FIELD_CONSTANTS, FIELD_TILE, Unit};
use albireo_kernels::{FieldKernel, FieldTargets, Kernel, kept};

use crate::engine::{FieldEngine, numbers, zeros};
use crate::error::Result;
use crate::{
    AlignedGrid, Cells, DistanceTests, Element, FieldJob, FieldSums, FieldVariant, Fractions,
    Precision, SkewedImages, Term, WrittenTerm,
};

pub use variants::field_by_variant;

/// Pairs that a launch is worth at most, but for a plane of tiles: a tenth of a second.
const PAIRS: u64 = 1 << 36;

/// Targets of a launch at most, but for a plane of tiles; and of those that are met one by one, which have to be uploaded.
const TARGETS: u64 = 1 << 23;
const POINTS: u64 = 1 << 20;

/// Units for each device where there are several, so that none waits long for another.
const UNITS: usize = 4;

/// Memory for rounding the size of each buffer.
const ROOM: u64 = 1 << 13;

/// The kernels that a term may be summed by.
pub fn field_kernels(term: &Term, precision: Precision) -> Vec<Kernel> {
    let written = WrittenTerm::of(term, precision);
    let (product, _) = term.product();
    let text = kept(written.statements);
    let single = precision == Precision::Single;
    let mut targets = vec![FieldTargets::Lattice, FieldTargets::Points];
    if product == 0 {
        targets.extend([
            FieldTargets::Skewed,
            FieldTargets::Direct,
            FieldTargets::LargeBins,
            FieldTargets::SmallBins,
        ]);
    }
    let kernel = |targets| FieldKernel {
        targets,
        term: text,
        single,
        product,
    };
    let kernels = targets.into_iter().map(kernel);
    kernels.map(Kernel::Field).collect()
}

/// More than the roundings of a squared separation, relative to it.
fn slack(job: &FieldJob) -> f64 {
    match job.scale().precision {
        Precision::Double => f64::SLACK,
        Precision::Single => f32::SLACK,
    }
}

/// A grid in tiles: the points along each axis, and the tiles.
struct Tiled {
    along: [Vec<u64>; 3],
    tiles: [Vec<AxisTile>; 3],
    /// Where sources are in small bins: their squared distances from tiles.
    gaps: [Vec<f64>; 3],
}

impl Tiled {
    /// The grid of some planes of a job, if its axes are those of the frame.
    fn of(job: &FieldJob, planes: &Range<usize>) -> Option<Self> {
        let grid = AlignedGrid::of(job)?;
        let points = [0, 1, 2].map(|axis| match axis {
            0 => planes.clone(),
            _ => 0..grid.along(axis).len(),
        });
        let tile = |axis: usize, first: usize| {
            let end = points[axis].end.min(first + FIELD_TILE[axis] as usize);
            let stretch = grid.stretch(axis, first..end);
            let reach = (job.term().reach() + stretch.half) * (1.0 + slack(job));
            AxisTile {
                centre: stretch.centre,
                half: stretch.half,
                cells: job.cells().along(axis, stretch.centre, reach),
                points: (end - first) as u32,
                gap: 0,
            }
        };
        let tiles = |axis: usize| {
            let firsts = points[axis].clone().step_by(FIELD_TILE[axis] as usize);
            firsts.map(|first| tile(axis, first)).collect()
        };
        Some(Self {
            along: [0, 1, 2].map(|axis| grid.along(axis)[points[axis].clone()].to_vec()),
            tiles: [0, 1, 2].map(tiles),
            gaps: Default::default(),
        })
    }

    /// Bytes of device memory.
    fn bytes(&self) -> usize {
        let of = |lists: &[Vec<f64>; 3]| 8 * lists.iter().map(Vec::len).sum::<usize>();
        let points: usize = self.along.iter().map(Vec::len).sum();
        let tiles: usize = self.tiles.iter().map(Vec::len).sum();
        8 * points + size_of::<AxisTile>() * tiles + of(&self.gaps)
    }
}

/// A call, cut into units.
struct Work<'a> {
    job: &'a FieldJob,
    kernel: FieldKernel,
    written: WrittenTerm,
    tiled: Option<Tiled>,
    /// The number of the first target.
    first: usize,
    /// The sums of each unit.
    units: Vec<Mutex<&'a mut [i64]>>,
    /// Targets of a unit, but for the last, which may have fewer.
    targets: usize,
    /// Targets of the largest unit.
    most: usize,
    next: AtomicUsize,
}

/// Targets of a unit, of which a grid has `plane` in a plane of tiles.
fn targets_of_a_unit(job: &FieldJob, all: usize, plane: usize, devices: usize) -> usize {
    let by_pairs = PAIRS / job.scale().most_terms;
    let limit = if plane > 1 { TARGETS } else { POINTS };
    let mut most = by_pairs.min(limit) as usize;
    if devices > 1 {
        most = most.min(all.div_ceil(UNITS * devices));
    }
    (most / plane).max(1).saturating_mul(plane)
}

/// The term of a job as devices carry it out.
fn written(job: &FieldJob) -> Result<WrittenTerm, CudaError> {
    let written = WrittenTerm::of(job.term(), job.scale().precision);
    if written.constants.len() > FIELD_CONSTANTS {
        return Err(CudaError::Unsupported("terms of so many constants"));
    }
    Ok(written)
}

/// Bytes of device memory that sources in cells and a term take.
fn bytes_of(cells: &Cells, written: &WrittenTerm) -> usize {
    40 * cells.sources().fractions.len() + 4 * cells.starts().len() + 8 * written.table.len()
}

impl<'a> Work<'a> {
    fn new(
        job: &'a FieldJob,
        planes: &Range<usize>,
        sums: &'a mut [i64],
        devices: usize,
    ) -> Result<Self, CudaError> {
        let written = written(job)?;
        let tiled = Tiled::of(job, planes);
        let plane = match tiled {
            Some(_) => FIELD_TILE[0] as usize * job.targets().plane_len(),
            None => 1,
        };
        let targets = targets_of_a_unit(job, sums.len(), plane, devices);
        let most = targets.min(sums.len());
        Ok(Self {
            kernel: FieldKernel {
                targets: match (&tiled, job.frame().aligned()) {
                    (Some(_), _) => FieldTargets::Lattice,
                    (None, Some(_)) => FieldTargets::Points,
                    (None, None) => FieldTargets::Skewed,
                },
                term: kept(written.statements.clone()),
                single: job.scale().precision == Precision::Single,
                product: job.term().product().0,
            },
            job,
            written,
            tiled,
            first: planes.start * job.targets().plane_len(),
            units: sums.chunks_mut(targets).map(Mutex::new).collect(),
            targets,
            most,
            next: AtomicUsize::new(0),
        })
    }

    /// Bytes of device memory that it takes at its peak.
    fn bytes(&self) -> u64 {
        let sources = bytes_of(self.job.cells(), &self.written);
        let tiled = self.tiled.as_ref();
        let tiled = tiled.map_or(48 * self.most, Tiled::bytes);
        (sources + tiled + 8 * self.most + 8) as u64 + ROOM
    }
}

/// Positions axis by axis.
fn columns(positions: &[Fractions]) -> [Vec<u64>; 3] {
    [0, 1, 2].map(|axis| positions.iter().map(|position| position[axis]).collect())
}

/// A job on one device, and the memory that it points to.
struct Uploaded<D: Device> {
    job: DeviceField,
    memory: Vec<D::Memory>,
    close: D::Memory,
}

impl<D: Device> Uploaded<D> {
    fn new(
        device: &D,
        job: &FieldJob,
        cells: &Cells,
        written: &WrittenTerm,
        tiled: Option<&Tiled>,
    ) -> Result<Self, CudaError> {
        let single = job.scale().precision == Precision::Single;
        let reach = job.term().reach();
        let mut close = device.allocate(8)?;
        device.clear(&mut close)?;
        let mut uploaded = Self {
            job: DeviceField {
                close: device.address(&close).into(),
                units: std::array::from_fn(|k| job.frame().units()[k / 3][k % 3]),
                most: SkewedImages::new(job.frame(), reach).most(),
                per_width: job.term().product().1,
                reach2: reach * reach,
                candidate2: reach * reach * (1.0 + slack(job)),
                least2: job.least2(),
                least_order: if single {
                    (job.least2() as f32).to_bits()
                } else {
                    (job.least2().to_bits() >> 32) as u32
                },
                last_piece: written.pieces.saturating_sub(1) as u32,
                n_cells: cells.shape().map(|n| n as u32),
                ..DeviceField::default()
            },
            memory: vec![],
            close,
        };
        for (k, &constant) in written.constants.iter().enumerate() {
            uploaded.job.constants[k] = constant;
            uploaded.job.constants32[k] = constant as f32;
        }
        if single {
            let table: Vec<f32> = written.table.iter().map(|&c| c as f32).collect();
            uploaded.job.table32 = uploaded.put(device, &table)?;
        } else {
            uploaded.job.table = uploaded.put(device, &written.table)?;
        }
        let sources = cells.sources();
        let starts = cells.starts().iter().map(|&start| start as u32);
        for (axis, column) in columns(&sources.fractions).iter().enumerate() {
            uploaded.job.source[axis] = uploaded.put(device, column)?;
        }
        uploaded.job.strength = uploaded.put(device, &sources.strengths)?;
        if !sources.sizes.is_empty() {
            uploaded.job.size = uploaded.put(device, &sources.sizes)?;
        }
        uploaded.job.start = uploaded.put(device, &starts.collect::<Vec<_>>())?;
        if let Some(tiled) = tiled {
            for axis in 0..3 {
                if !tiled.gaps[axis].is_empty() {
                    uploaded.job.gaps[axis] = uploaded.put(device, &tiled.gaps[axis])?;
                }
                uploaded.job.along[axis] = uploaded.put(device, &tiled.along[axis])?;
                uploaded.job.tiles[axis] = uploaded.put(device, &tiled.tiles[axis])?;
                uploaded.job.shape[axis] = tiled.along[axis].len() as u64;
                uploaded.job.n_tiles[axis] = tiled.tiles[axis].len() as u32;
            }
        }
        Ok(uploaded)
    }

    fn put<T: bytemuck::Pod>(&mut self, device: &D, values: &[T]) -> Result<Address<T>, CudaError> {
        let memory = put(device, values)?;
        let address = device.address(&memory);
        self.memory.push(memory);
        Ok(address.into())
    }

    /// What a unit of a grid in tiles is to a launch, and how many blocks it has.
    fn planes(&self, work: &Work<'_>, number: usize, targets: usize) -> (Unit, u64) {
        let plane = u64::from(FIELD_TILE[0]) * self.job.shape[1] * self.job.shape[2];
        let begin = (number * work.targets) as u64 / plane;
        let unit = Unit {
            begin,
            end: begin + (targets as u64).div_ceil(plane),
            chunk: 0,
        };
        let across = u64::from(self.job.n_tiles[1]) * u64::from(self.job.n_tiles[2]);
        (unit, (unit.end - unit.begin) * across)
    }

    /// Uploads the targets of a unit that are met one by one.
    fn points(
        &mut self,
        device: &D,
        work: &Work<'_>,
        number: usize,
        targets: usize,
    ) -> Result<(Unit, u64), CudaError> {
        let first = work.first + number * work.targets;
        let positions = pool::each(targets, |k| work.job.target(first + k));
        let (cells, reach) = (work.job.cells(), work.job.term().reach());
        for (axis, column) in columns(&positions).iter().enumerate() {
            let near = pool::each(targets, |k| cells.along(axis, column[k], reach));
            self.job.target[axis] = self.put(device, column)?;
            self.job.near[axis] = self.put(device, &near)?;
        }
        let unit = Unit {
            begin: 0,
            end: targets as u64,
            chunk: 0,
        };
        let a_block = u64::from(work.kernel.threads() / 32);
        Ok((unit, unit.end.div_ceil(a_block)))
    }
}

/// The units that this device gets; how many pairs are closer than `r_min`.
fn run<D: Device>(
    device: &D,
    work: &Work<'_>,
    progress: &dyn Progress,
) -> Result<(u64, CudaTimings)> {
    let mut timings = CudaTimings::default();
    device.make_room(work.bytes())?;
    let begin = Instant::now();
    let mut uploaded = Uploaded::new(
        device,
        work.job,
        work.job.cells(),
        &work.written,
        work.tiled.as_ref(),
    )?;
    timings.upload = begin.elapsed().as_secs_f64();
    let kept = uploaded.memory.len();
    let sums = device.allocate(8 * work.most)?;
    uploaded.job.sums = device.address(&sums).into();
    loop {
        let number = work.next.fetch_add(1, Ordering::Relaxed);
        let Some(unit) = work.units.get(number) else {
            break;
        };
        let mut to = unit.lock().unwrap_or_else(PoisonError::into_inner);
        uploaded.memory.truncate(kept);
        let begin = Instant::now();
        let (unit, blocks) = match work.tiled {
            Some(_) => uploaded.planes(work, number, to.len()),
            None => uploaded.points(device, work, number, to.len())?,
        };
        timings.upload += begin.elapsed().as_secs_f64();
        let shape = LaunchShape {
            grid: [blocks as u32, 1],
            threads: work.kernel.threads(),
            shared: work.kernel.shared(),
        };
        let begin = device.mark()?;
        device.launch(Kernel::Field(work.kernel), shape, &uploaded.job, &unit)?;
        let end = device.mark()?;
        timings.kernels += device.seconds(&begin, &end)?;
        device.download(&sums, &mut to)?;
        progress.advance(to.len() as u64);
        if progress.stop_requested() {
            return Err(EngineError::Interrupted.into());
        }
    }
    let mut close = [0u64];
    device.download(&uploaded.close, &mut close)?;
    Ok((close[0], timings))
}

/// The sums of some planes of a job, made on all devices at once, and where the time went.
///
/// # Errors
/// A device that fails or lacks memory, a stop asked for through `progress`.
pub fn field<N: Devices>(
    devices: &N,
    job: &FieldJob,
    planes: Range<usize>,
    progress: &dyn Progress,
) -> Result<(FieldSums, CudaTimings)> {
    let numbers = numbers(job, &planes)?;
    progress.begin(numbers.len() as u64);
    let mut sums = zeros(numbers.len())?;
    if sums.is_empty() {
        return Ok((FieldSums::new(job, planes, sums, 0), CudaTimings::default()));
    }
    let work = Work::new(job, &planes, &mut sums, devices.all().len())?;
    let results = devices.on_each(|device| {
        let result = run(device, &work, progress);
        if result.is_err() {
            work.next.store(work.units.len(), Ordering::Relaxed);
        }
        result
    });
    let (mut close, mut timings) = (0, CudaTimings::default());
    for result in results {
        let (of_device, times) = result?;
        close += of_device;
        timings.beside(times);
    }
    drop(work);
    Ok((FieldSums::new(job, planes, sums, close), timings))
}

impl FieldEngine for Cuda {
    fn field(
        &self,
        job: &FieldJob,
        planes: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<FieldSums> {
        let devices = self.shared_devices()?;
        let (sums, timings) = field(&*devices, job, planes, progress)?;
        let cells: usize = job.cells().shape().iter().product();
        let plan = format!("{} sources in {cells} cells", job.n_sources());
        self.set_last_run(timings, plan);
        Ok(sums)
    }

    /// Sources that find no room in small bins are the processor's at the same time; cylinders are refused.
    fn field_by_variant(
        &self,
        variant: FieldVariant,
        job: &FieldJob,
        planes: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<(FieldSums, DistanceTests)> {
        let devices = self.shared_devices()?;
        let both = (&*devices, &Cpu::new());
        let (sums, tests, timings) = field_by_variant(both, variant, job, planes, progress)?;
        let plan = format!("{} sources, {}", job.n_sources(), variant.name());
        self.set_last_run(timings, plan);
        Ok((sums, tests))
    }
}
