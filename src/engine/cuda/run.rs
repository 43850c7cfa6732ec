//! One job on one device: upload, sort, launch unit after unit, download.
//!
//! Entry: [`run`]; several devices share a [`Queue`].

use super::device::{Device, Kernel, Shape};
use super::error::CudaError;
use super::layout::{FIRSTS, Firsts, Job, Unit};
use super::plan::{Carried, Layout, Plan};
use super::samples::{place, put};
use super::sums::{Sums, Totals};
use super::units::{Queue, launch_shape, work};
use crate::engine::{PairJob, Progress};
use crate::error::EngineError;
use crate::particles::Column;

/// Where the time of a run went, seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CudaTimings {
    /// Copying positions and weights to the device.
    pub upload: f64,
    /// Sorting them into cells, and cutting tiles.
    pub sort: f64,
    /// Counting kernels, by the device's own clock.
    pub kernels: f64,
}

impl CudaTimings {
    /// Takes the longer of each: devices work at the same time.
    pub(super) fn beside(&mut self, other: Self) {
        self.upload = self.upload.max(other.upload);
        self.sort = self.sort.max(other.sort);
        self.kernels = self.kernels.max(other.kernels);
    }

    /// Adds: pieces of a job come one after the other.
    pub(super) fn then(&mut self, other: Self) {
        self.upload += other.upload;
        self.sort += other.sort;
        self.kernels += other.kernels;
    }
}

/// Uploads what the plan holds and fills the addresses of its job; the memories live as long as the job is used.
fn fill_job<D: Device>(
    device: &D,
    plan: &Plan,
    job: &mut Job,
) -> Result<Vec<D::Memory>, CudaError> {
    let mut memory = Vec::new();
    let mut keep = |m: D::Memory| {
        let address = device.address(&m);
        memory.push(m);
        address
    };
    job.across.values = keep(put(device, &plan.across[0])?);
    job.across.squares = keep(put(device, &plan.across[1])?);
    job.along.values = keep(put(device, &plan.along[0])?);
    job.along.squares = keep(put(device, &plan.along[1])?);
    job.across.table = keep(put(device, &plan.table)?);
    job.translations = keep(put(device, &plan.translations)?);
    job.rows = keep(put(device, &plan.rows)?);
    Ok(memory)
}

/// Memory for rounding the size of each buffer, and for a ticket a unit.
const ROOM: u64 = 1 << 13;

/// Bytes of device memory that a run of `plan` takes at its peak, samples of so many rows given.
pub(super) fn bytes_needed(plan: &Plan, rows: [u64; 2], carried: Carried) -> u64 {
    let [first, second] = rows;
    let weight = if carried.weighted { 8 } else { 0 };
    // Positions, their fractions, weights; while a sample is sorted it is there twice, with its cells and ranks.
    let row = 24 + weight + 16;
    let (sorting, cells) = match &plan.layout {
        Layout::AsGiven(_) => (0, 0),
        Layout::Sorted(grid) => (24 + weight + 8, u64::from(grid.number())),
    };
    let neighbours = size_of_val(&plan.rows[..]) as u64;
    let tiles = cells + first / u64::from(plan.variant.shape.tile);
    let wide = u64::from(carried.weighted) + u64::from(carried.coordinate.is_some());
    let sums = u64::from(plan.job.bins) * (8 + 16 * wide);
    let edges: usize = [&plan.across, &plan.along]
        .into_iter()
        .flatten()
        .map(Vec::len)
        .sum();
    let axes = 8 * (edges + plan.table.len() + plan.translations.len()) as u64 + neighbours;
    row * (first + second)
        + sorting * first.max(second)
        + 8 * (cells + 1)
        + 16 * tiles
        + sums
        + axes
        + ROOM
}

/// The first points of a unit as the kernel `constant` takes them.
fn firsts_of<'a>(
    job: &'a PairJob<'_>,
    weights: Option<[&'a [f64]; 2]>,
    unit: &Unit,
) -> impl Iterator<Item = Firsts> + 'a {
    let positions = job.pairs().both().0.points().columns().map(Column::view);
    let weights = weights.map(|w| w[0]);
    let end = unit.end as usize;
    (unit.begin as usize..end)
        .step_by(FIRSTS)
        .map(move |begin| {
            let number = FIRSTS.min(end - begin);
            let mut firsts = Firsts {
                begin: begin as u64,
                number: number as u64,
                columns: [[0.0; FIRSTS]; 4],
            };
            for (to, from) in firsts.columns.iter_mut().zip(positions) {
                for (k, x) in to[..number].iter_mut().enumerate() {
                    *x = from.at(begin + k);
                }
            }
            if let Some(weights) = weights {
                firsts.columns[3][..number].copy_from_slice(&weights[begin..begin + number]);
            }
            firsts
        })
}

/// Runs the units of `queue` that this device gets; `pairs` is what they are worth together.
///
/// # Errors
/// A device that fails, or a stop asked for through `progress`.
pub(super) fn run<D: Device>(
    device: &D,
    plan: &Plan,
    (pair_job, pairs): (&PairJob<'_>, u64),
    (weights, carried): (Option<[&[f64]; 2]>, Carried),
    (queue, devices): (&Queue, usize),
    progress: &dyn Progress,
) -> Result<(Sums, CudaTimings), EngineError> {
    let mut timings = CudaTimings::default();
    let placed = place(device, plan, pair_job.pairs(), weights, &mut timings)?;
    let mut job = plan.job;
    job.first = placed.columns[0].sample;
    job.second = placed
        .columns
        .last()
        .map_or(job.first, |columns| columns.sample);
    let _kept = fill_job(device, plan, &mut job)?;

    let work = work(device, plan, &job, &placed.start, devices)?;
    let totals = Totals::clear(device, plan.job.bins as usize, carried)?;
    totals.address(device, &mut job);
    let mut tickets = device.allocate(4 * work.units.len())?;
    device.clear(&mut tickets)?;
    let tile_memory = put(device, &work.tiles)?;
    job.tiles = device.address(&tile_memory);

    let pairs_a_unit = pairs / work.units.len().max(1) as u64;
    while let Some(k) = queue.next(&work.units) {
        let (unit, window) = &work.units[k];
        let mut job = plan.in_window(&job, *window);
        job.ticket = device.address(&tickets) + 4 * k as u64;
        let shape = launch_shape(plan, &job, unit, work.resident);
        let begin = device.mark()?;
        if plan.variant.traversal == albireo_kernels::Traversal::Constant {
            let row_of_blocks = Shape {
                grid: [shape.grid[0], 1],
                ..shape
            };
            for firsts in firsts_of(pair_job, weights, unit) {
                device.launch(Kernel::Count(plan.variant), row_of_blocks, &job, &firsts)?;
            }
        } else {
            device.launch(Kernel::Count(plan.variant), shape, &job, unit)?;
        }
        let end = device.mark()?;
        timings.kernels += device.seconds(&begin, &end)?;
        progress.advance(pairs_a_unit);
        if progress.stop_requested() {
            return Err(EngineError::Interrupted);
        }
    }
    Ok((totals.read(device)?, timings))
}
