//! The ways of Rodrigues et al. 2008 on devices: slices of sources in constant memory, and small bins whose overfull ones are the
//! processor's at the same time.
//!
//! Entry: [`field_by_variant`].

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use albireo::engine::cuda::CudaTimings;
use albireo::engine::{Cpu, Progress};
use albireo::error::EngineError;
use albireo::progress::OfPiece;
use albireo_gpu::{CudaError, Device, Devices, LaunchShape};
use albireo_kernels::structs::{AxisTile, DeviceField, FIELD_SLICE, FieldSlice, Unit};
use albireo_kernels::{FieldKernel, FieldTargets, Kernel};

use super::{ROOM, TARGETS, Tiled, UNITS, Uploaded, bytes_of, kept, written};
use crate::engine::{Found, by_plan, numbers, zeros};
use crate::error::{FieldError, Result};
use crate::{
    Cells, DistanceTests, FieldJob, FieldSums, FieldVariant, Precision, VariantPlan, WrittenTerm,
    candidate2,
};

/// Some planes, and their sums in the making.
struct Part<'a> {
    planes: Range<usize>,
    sums: Mutex<&'a mut [i64]>,
}

/// Hears of a stop, and tells of nothing.
struct Beside<'a>(&'a dyn Progress);

impl Progress for Beside<'_> {
    fn begin(&self, _: u64) {}

    fn advance(&self, _: u64) {}

    fn stop_requested(&self) -> bool {
        self.0.stop_requested()
    }
}

/// A call, cut into parts.
struct Work<'a> {
    plan: &'a VariantPlan<'a>,
    kernel: FieldKernel,
    written: WrittenTerm,
    planes: Range<usize>,
    tiled: Tiled,
    parts: Vec<Part<'a>>,
    /// Targets of the largest part.
    most: usize,
    next: AtomicUsize,
}

/// The planes of each part: of one layer of blocks, or, where `whole`, of layers that are complete.
fn parts_of(
    plan: &VariantPlan<'_>,
    planes: &Range<usize>,
    most: usize,
    whole: bool,
) -> Vec<Range<usize>> {
    let mut parts = vec![];
    let mut first = planes.start;
    while first < planes.end {
        let mut end = plan.block_of(first) + plan.block[0];
        if whole {
            while end + plan.block[0] <= first + most {
                end += plan.block[0];
            }
        } else {
            end = end.min(first + most);
        }
        let end = end.min(planes.end);
        parts.push(first..end);
        first = end;
    }
    parts
}

/// The grid of some planes, with tiles where sources are in small bins.
fn tiled(plan: &VariantPlan<'_>, planes: &Range<usize>) -> Tiled {
    let points = [0, 1, 2].map(|axis| match axis {
        0 => planes.clone(),
        _ => 0..plan.grid.along(axis).len(),
    });
    let along = [0, 1, 2].map(|axis| plan.grid.along(axis)[points[axis].clone()].to_vec());
    let (mut tiles, mut gaps): ([Vec<AxisTile>; 3], [Vec<f64>; 3]) = Default::default();
    if let Some(bins) = &plan.bins {
        let reach = plan.job.term().reach();
        for axis in 0..3 {
            let (range, side) = (&points[axis], plan.block[axis]);
            let begin = range.start - range.start % side;
            for first in (begin..range.end).step_by(side) {
                let block = plan.block_along(axis, first);
                let (bin, near) = bins.gaps(axis, block, reach);
                let own = first.max(range.start)..(first + side).min(range.end);
                tiles[axis].push(AxisTile {
                    centre: block.centre,
                    half: block.half,
                    cells: [bin as u32, near.len() as u32],
                    points: own.len() as u32,
                    gap: gaps[axis].len() as u32,
                });
                gaps[axis].extend(near.iter().map(|gap| gap * gap));
            }
        }
    }
    Tiled { along, tiles, gaps }
}

impl<'a> Work<'a> {
    fn new(
        plan: &'a VariantPlan<'a>,
        planes: &Range<usize>,
        mut sums: &'a mut [i64],
        devices: usize,
    ) -> Result<Self> {
        let targets = match plan.variant {
            FieldVariant::Direct => FieldTargets::Direct,
            FieldVariant::LargeBins { .. } => FieldTargets::LargeBins,
            FieldVariant::SmallBins { .. } => FieldTargets::SmallBins,
            FieldVariant::Cylinder => {
                let needs = "the cpu engine for cylinders";
                return Err(FieldError::Variant { needs });
            }
        };
        let plane = plan.job.targets().plane_len();
        let mut most = (TARGETS as usize / plane).max(1);
        if devices > 1 {
            most = most.min(planes.len().div_ceil(UNITS * devices));
        }
        let mut parts = vec![];
        for planes in parts_of(plan, planes, most, plan.bins.is_some()) {
            let (own, others) = sums.split_at_mut(planes.len() * plane);
            let sums_of = Mutex::new(own);
            parts.push(Part {
                planes,
                sums: sums_of,
            });
            sums = others;
        }
        let written = written(plan.job)?;
        let longest = parts.iter().map(|part| part.planes.len()).max();
        Ok(Self {
            kernel: FieldKernel {
                targets,
                term: kept(written.statements.clone()),
                single: plan.job.scale().precision == Precision::Single,
                product: 0,
            },
            plan,
            written,
            planes: planes.clone(),
            tiled: tiled(plan, planes),
            parts,
            most: longest.unwrap_or(0) * plane,
            next: AtomicUsize::new(0),
        })
    }

    /// The sources of blocks, by cells or by bins.
    fn cells(&self) -> &Cells {
        match &self.plan.bins {
            Some(bins) => bins.cells(),
            None => self.plan.job.cells(),
        }
    }

    /// Bytes of device memory that it takes at its peak.
    fn bytes(&self) -> u64 {
        let sources = bytes_of(self.cells(), &self.written);
        (sources + self.tiled.bytes() + 8 * self.most + 24) as u64 + ROOM
    }

    /// A launch of so many blocks.
    fn launch(&self, blocks: u64) -> LaunchShape {
        LaunchShape {
            grid: [blocks as u32, 1],
            threads: self.kernel.threads(),
            shared: self.kernel.shared(),
        }
    }

    /// Meets the blocks of a part with their sources, slice by slice.
    fn by_slices<D: Device>(
        &self,
        device: &D,
        job: &DeviceField,
        planes: &Range<usize>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let plan = self.plan;
        let [m, n] = [1, 2].map(|axis| plan.grid.along(axis).len());
        let [_, height, width] = plan.block;
        let sources = self.cells().sources();
        let [points, along, beside] = self.kernel.lanes().map(u64::from);
        let behind = 32 / (along * beside);
        let mut rows = vec![];
        for j in (0..m).step_by(height) {
            for k in (0..n).step_by(width) {
                plan.gather([plan.block_of(planes.start), j, k], &mut rows);
                let plane = (planes.start - self.planes.start) as u64;
                let shape = [planes.len(), height.min(m - j), width.min(n - k)].map(|n| n as u64);
                let mut slice = FieldSlice {
                    plane,
                    first: [plane, j as u64, k as u64],
                    points: shape,
                    ..FieldSlice::default()
                };
                let warps = shape[0].div_ceil(behind)
                    * shape[1].div_ceil(beside)
                    * shape[2].div_ceil(along * points);
                let blocks = warps.div_ceil(u64::from(self.kernel.threads() / 32));
                for some in rows.chunks(FIELD_SLICE) {
                    slice.number = some.len() as u64;
                    for (s, &row) in some.iter().enumerate() {
                        let row = row as usize;
                        let [x, y, z] = sources.fractions[row];
                        let [strength, size] = sources.parameters(row);
                        (slice.x[s], slice.y[s], slice.z[s]) = (x, y, z);
                        (slice.strength[s], slice.size[s]) = (strength, size);
                    }
                    let kernel = Kernel::Field(self.kernel);
                    device.launch(kernel, self.launch(blocks), job, &slice)?;
                    if progress.stop_requested() {
                        return Err(EngineError::Interrupted.into());
                    }
                }
            }
        }
        Ok(())
    }

    /// Meets the blocks of a part with the bins near them.
    fn by_bins<D: Device>(
        &self,
        device: &D,
        job: &DeviceField,
        planes: &Range<usize>,
    ) -> Result<(), CudaError> {
        let side = self.plan.block[0];
        let layer = |plane: usize| (plane / side - self.planes.start / side) as u64;
        let unit = Unit {
            begin: layer(planes.start),
            end: layer(planes.end - 1) + 1,
            chunk: 0,
        };
        let across = u64::from(job.n_tiles[1]) * u64::from(job.n_tiles[2]);
        let shape = self.launch((unit.end - unit.begin) * across);
        device.launch(Kernel::Field(self.kernel), shape, job, &unit)
    }

    /// The parts that this device gets.
    fn run<D: Device>(&self, device: &D, progress: &dyn Progress) -> Result<(Found, CudaTimings)> {
        let mut timings = CudaTimings::default();
        device.make_room(self.bytes())?;
        let begin = Instant::now();
        let (job, cells) = (self.plan.job, self.cells());
        let mut uploaded = Uploaded::new(device, job, cells, &self.written, Some(&self.tiled))?;
        let mut tested = device.allocate(16)?;
        device.clear(&mut tested)?;
        let mut sums = device.allocate(8 * self.most)?;
        uploaded.job.tested = device.address(&tested).into();
        uploaded.job.sums = device.address(&sums).into();
        uploaded.job.candidate2 = candidate2(job.term().reach());
        uploaded.job.room = self.plan.bins.as_ref().map_or(0, |bins| bins.room() as u32);
        timings.upload = begin.elapsed().as_secs_f64();
        while let Some(part) = self.parts.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let mut to = part.sums.lock().unwrap_or_else(PoisonError::into_inner);
            device.clear(&mut sums)?;
            let begin = device.mark()?;
            if self.plan.bins.is_some() {
                self.by_bins(device, &uploaded.job, &part.planes)?;
            } else {
                self.by_slices(device, &uploaded.job, &part.planes, progress)?;
            }
            let end = device.mark()?;
            timings.kernels += device.seconds(&begin, &end)?;
            device.download(&sums, &mut to)?;
            progress.advance(to.len() as u64);
            if progress.stop_requested() {
                return Err(EngineError::Interrupted.into());
            }
        }
        let (mut close, mut of_tests) = ([0u64], [0u64; 2]);
        device.download(&uploaded.close, &mut close)?;
        device.download(&tested, &mut of_tests)?;
        let [made, succeeded] = of_tests;
        let tests = DistanceTests { made, succeeded };
        let close = close[0];
        Ok((Found { close, tests }, timings))
    }
}

/// What all devices found.
fn on_devices<N: Devices>(
    devices: &N,
    work: &Work<'_>,
    progress: &dyn Progress,
) -> Result<(Found, CudaTimings)> {
    let results = devices.on_each(|device| {
        let result = work.run(device, progress);
        if result.is_err() {
            work.next.store(work.parts.len(), Ordering::Relaxed);
        }
        result
    });
    let (mut found, mut timings) = (Found::default(), CudaTimings::default());
    for result in results {
        let (of_device, times) = result?;
        found = found.and(of_device);
        timings.beside(times);
    }
    Ok((found, timings))
}

/// The sums of some planes of a job in one of the ways of Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277), made on all devices at once,
/// those of sources that find no room in small bins on `cpu` at the same time; the tests of distances made, and where the time went.
///
/// # Errors
/// What the variant has no meaning for, cylinders among it, which are the processor's; a device that fails or lacks memory, a stop asked for
/// through `progress`.
pub fn field_by_variant<N: Devices + Sync>(
    (devices, cpu): (&N, &Cpu),
    variant: FieldVariant,
    job: &FieldJob,
    planes: Range<usize>,
    progress: &dyn Progress,
) -> Result<(FieldSums, DistanceTests, CudaTimings)> {
    let plan = VariantPlan::new(variant, job)?;
    let numbers = numbers(job, &planes)?;
    progress.begin(numbers.len() as u64);
    let mut sums = zeros(numbers.len())?;
    let work = Work::new(&plan, &planes, &mut sums, devices.all().len())?;
    let mut beside = vec![];
    let (found, timings) = if plan.overfull.is_some() {
        beside = zeros(numbers.len())?;
        let rest = (planes.clone(), [false, true]);
        let (on_devices, on_cpu) = std::thread::scope(|scope| {
            let others = scope.spawn(|| by_plan(cpu, &plan, rest, &mut beside, &Beside(progress)));
            let on_devices = on_devices(devices, &work, &OfPiece(progress));
            let others = others.join();
            (
                on_devices,
                others.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            )
        });
        let (found, timings) = on_devices?;
        (found.and(on_cpu?), timings)
    } else {
        on_devices(devices, &work, &OfPiece(progress))?
    };
    drop(work);
    for (sum, further) in sums.iter_mut().zip(beside) {
        *sum += further;
    }
    let sums = FieldSums::new(job, planes, sums, found.close);
    Ok((sums, found.tests, timings))
}
