//! One job on one device: upload, sort, launch unit after unit, download.
//!
//! Entry: [`run`]; several devices share a [`Queue`]. The units are the same on every device, whatever the order within a cell.

use std::sync::atomic::{AtomicU64, Ordering};

use super::device::{Device, Kernel, Shape};
use super::error::CudaError;
use super::frame::{Grid, Order, Tile, tiles};
use super::layout::{Job, Sample, Sort, Unit};
use super::plan::{Layout, Plan};
use crate::engine::{PairJob, Pairs, Progress};
use crate::error::EngineError;
use crate::particles::Particles;

/// Units handed out, over all devices of a run.
#[derive(Debug, Default)]
pub(super) struct Queue(AtomicU64);

impl Queue {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// Integers per bin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sums {
    pub(super) npairs: Vec<u64>,
    pub(super) products: Vec<i128>,
}

impl Sums {
    pub(super) fn add(&mut self, other: &Self) {
        if self.npairs.is_empty() {
            self.clone_from(other);
            return;
        }
        self.npairs
            .iter_mut()
            .zip(&other.npairs)
            .for_each(|(a, b)| *a += b);
        self.products
            .iter_mut()
            .zip(&other.products)
            .for_each(|(a, b)| *a += b);
    }
}

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

/// Threads of the sort's kernels.
const SORT_THREADS: u32 = 256;
const TOTAL_THREADS: u32 = 1024;
/// Candidate pairs in one unit: long enough to fill a device, short enough to be stopped.
const UNIT_PAIRS: f64 = 1e11;
/// Units each device should get at least, so that none waits long for the last.
const UNITS_A_DEVICE: f64 = 16.0;
/// Blocks in a launch for each block that runs at a time.
const ROUNDS: u64 = 16;

/// The columns of a sample in device memory.
struct Columns<M> {
    memory: Vec<M>,
    sample: Sample,
}

fn put<D: Device, T: super::layout::Plain>(
    device: &D,
    values: &[T],
) -> Result<D::Memory, CudaError> {
    let mut memory = device.allocate(size_of_val(values))?;
    device.upload(&mut memory, values)?;
    Ok(memory)
}

fn upload<D: Device>(
    device: &D,
    particles: &Particles,
    weight: Option<&[f64]>,
) -> Result<Columns<D::Memory>, CudaError> {
    let [x, y, z] = particles.points().columns();
    let memory = [Some(x), Some(y), Some(z), weight]
        .into_iter()
        .flatten()
        .map(|column| put(device, column))
        .collect::<Result<Vec<_>, _>>()?;
    let address = |k: usize| memory.get(k).map_or(0, |m| device.address(m));
    let sample = Sample {
        x: address(0),
        y: address(1),
        z: address(2),
        weight: address(3),
        rows: particles.len() as u64,
        ..Sample::default()
    };
    Ok(Columns { memory, sample })
}

fn sort_job(sample: &Sample, plan: &Plan) -> Sort {
    let (frame, cells, number) = match &plan.layout {
        Layout::AsGiven(frame) => (frame, [1; 3], 1),
        Layout::Sorted(grid) => (&grid.frame, grid.cells, grid.number()),
    };
    Sort {
        x: sample.x,
        y: sample.y,
        z: sample.z,
        weight: sample.weight,
        rows: sample.rows,
        origin: frame.origin,
        inverse: std::array::from_fn(|at| frame.inverse[at / 3][at % 3]),
        cells,
        number,
        ..Sort::default()
    }
}

fn sort_shape(rows: u64) -> Shape {
    let blocks = rows.div_ceil(u64::from(SORT_THREADS)).clamp(1, 8192) as u32;
    Shape {
        grid: [blocks, 1],
        threads: SORT_THREADS,
        shared: 0,
    }
}

/// Stores the fractions of a sample that keeps its order.
fn fix<D: Device>(
    device: &D,
    plan: &Plan,
    columns: &mut Columns<D::Memory>,
) -> Result<(), CudaError> {
    let rows = columns.sample.rows;
    let fixed = device.allocate(16 * rows as usize)?;
    let mut sort = sort_job(&columns.sample, plan);
    sort.sorted_fixed = device.address(&fixed);
    device.launch(
        Kernel::Sort("albireo_fix"),
        sort_shape(rows),
        &sort,
        &Unit {
            begin: 0,
            end: rows,
            chunk: 0,
        },
    )?;
    columns.sample.fixed = sort.sorted_fixed;
    columns.memory.push(fixed);
    Ok(())
}

/// Sorts a sample into cells.
fn sort<D: Device>(
    device: &D,
    plan: &Plan,
    grid: &Grid,
    columns: &Columns<D::Memory>,
) -> Result<Columns<D::Memory>, CudaError> {
    let rows = columns.sample.rows;
    let (n, cells) = (rows as usize, grid.number() as usize);
    let weighted = columns.sample.weight != 0;
    let sizes = [
        8 * n,
        8 * n,
        8 * n,
        if weighted { 8 * n } else { 0 },
        16 * n,
        4 * (cells + 1),
    ];
    let mut memory = sizes
        .iter()
        .map(|&bytes| device.allocate(bytes))
        .collect::<Result<Vec<_>, _>>()?;
    let scratch = [device.allocate(4 * n)?, device.allocate(4 * n)?];
    device.clear(&mut memory[5])?;
    let address: Vec<u64> = memory.iter().map(|m| device.address(m)).collect();
    let sort = Sort {
        sorted_x: address[0],
        sorted_y: address[1],
        sorted_z: address[2],
        sorted_weight: address[3],
        sorted_fixed: address[4],
        start: address[5],
        cell: device.address(&scratch[0]),
        rank: device.address(&scratch[1]),
        ..sort_job(&columns.sample, plan)
    };
    let all = Unit {
        begin: 0,
        end: rows,
        chunk: 0,
    };
    let total = Shape {
        grid: [1, 1],
        threads: TOTAL_THREADS,
        shared: 4 * TOTAL_THREADS as usize,
    };
    device.launch(
        Kernel::Sort("albireo_sort_count"),
        sort_shape(rows),
        &sort,
        &all,
    )?;
    device.launch(Kernel::Sort("albireo_sort_total"), total, &sort, &all)?;
    device.launch(
        Kernel::Sort("albireo_sort_move"),
        sort_shape(rows),
        &sort,
        &all,
    )?;
    let sample = Sample {
        x: address[0],
        y: address[1],
        z: address[2],
        weight: if weighted { address[3] } else { 0 },
        fixed: address[4],
        start: address[5],
        rows,
    };
    Ok(Columns { memory, sample })
}

/// Cuts at most `wanted` units from the tiles, never within a run of cells: on every device a unit holds the same pairs.
fn tile_units(tiles: &[Tile], wanted: u64) -> Vec<Unit> {
    let each = (tiles.len() as u64).div_ceil(wanted.max(1)).max(1);
    let mut units = Vec::new();
    let mut begin = 0;
    while begin < tiles.len() {
        let mut end = (begin + each as usize).min(tiles.len());
        while end < tiles.len() && tiles[end][0] == tiles[end - 1][0] {
            end += 1;
        }
        units.push(Unit {
            begin: begin as u64,
            end: end as u64,
            chunk: 0,
        });
        begin = end;
    }
    units
}

/// Cuts first rows into units of whole chunks.
fn row_units(rows: u64, chunk: u64, wanted: u64) -> Vec<Unit> {
    let each = rows
        .div_ceil(wanted.max(1))
        .next_multiple_of(chunk)
        .min(chunk * 65_535);
    (0..rows)
        .step_by(each as usize)
        .map(|begin| Unit {
            begin,
            end: rows.min(begin + each),
            chunk,
        })
        .collect()
}

/// How many units a job of this many candidate pairs is worth.
fn units_wanted(pairs: f64, devices: usize) -> u64 {
    let shared = if devices > 1 {
        UNITS_A_DEVICE * devices as f64
    } else {
        1.0
    };
    (pairs / UNIT_PAIRS).max(shared).ceil() as u64
}

/// The units of a job, the shape of their launches and, where there are cells, the tiles.
struct Work {
    units: Vec<Unit>,
    resident: u32,
    tiles: Vec<Tile>,
}

fn work<D: Device>(
    device: &D,
    plan: &Plan,
    job: &Job,
    start: &[u32],
    devices: usize,
) -> Result<Work, CudaError> {
    let shape = Shape {
        grid: [1, 1],
        threads: plan.variant.threads,
        shared: plan.shared,
    };
    let resident = device.resident(Kernel::Count(plan.variant), shape)?;
    let (n1, n2) = (job.first.rows, job.second.rows);
    let pairs = n1 as f64 * n2 as f64;
    match &plan.layout {
        Layout::Sorted(grid) => {
            let tiles = tiles(grid, start, plan.variant.tile);
            let units = tile_units(&tiles, units_wanted(pairs * grid.share, devices));
            Ok(Work {
                units,
                resident,
                tiles,
            })
        }
        Layout::AsGiven(_) => {
            let share = if plan.order == Order::Unordered {
                0.5
            } else {
                1.0
            };
            let wanted = units_wanted(pairs * share, devices);
            let columns = n2.div_ceil(u64::from(plan.variant.threads * plan.variant.points));
            let blocks = u64::from(resident) * ROUNDS * wanted;
            let tile = u64::from(plan.variant.tile);
            let chunk = (n1 * columns)
                .div_ceil(blocks)
                .next_multiple_of(tile)
                .clamp(tile, 1 << 16);
            Ok(Work {
                units: row_units(n1, chunk, wanted),
                resident,
                tiles: Vec::new(),
            })
        }
    }
}

fn launch_shape(plan: &Plan, job: &Job, unit: &Unit, resident: u32) -> Shape {
    let grid = match &plan.layout {
        Layout::Sorted(_) => [
            u64::from(resident).min(unit.end - unit.begin).max(1) as u32,
            1,
        ],
        Layout::AsGiven(_) => {
            let columns = job
                .second
                .rows
                .div_ceil(u64::from(plan.variant.threads * plan.variant.points));
            [
                columns as u32,
                (unit.end - unit.begin).div_ceil(unit.chunk) as u32,
            ]
        }
    };
    Shape {
        grid,
        threads: plan.variant.threads,
        shared: plan.shared,
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
    if let Layout::Sorted(grid) = &plan.layout {
        job.rows = keep(put(device, &grid.rows)?);
    }
    Ok(memory)
}

fn read_sums<D: Device>(
    device: &D,
    counts: &D::Memory,
    sums: &D::Memory,
    bins: usize,
    weighted: bool,
) -> Result<Sums, CudaError> {
    let mut npairs = vec![0u64; bins];
    device.download(counts, &mut npairs)?;
    let mut words = vec![[0u32; 4]; if weighted { bins } else { 0 }];
    device.download(sums, &mut words)?;
    let wide = |w: &[u32; 4]| {
        w.iter()
            .rev()
            .fold(0u128, |sum, &word| sum << 32 | u128::from(word)) as i128
    };
    Ok(Sums {
        npairs,
        products: words.iter().map(wide).collect(),
    })
}

/// Samples on the device as the plan wants them, and the first row of each cell of the first sample.
struct Placed<M> {
    columns: Vec<Columns<M>>,
    start: Vec<u32>,
}

fn place<D: Device>(
    device: &D,
    plan: &Plan,
    pairs: Pairs<'_>,
    weights: Option<[&[f64]; 2]>,
    timings: &mut CudaTimings,
) -> Result<Placed<D::Memory>, CudaError> {
    let begin = device.mark()?;
    let (first, second) = pairs.samples();
    let mut columns = vec![upload(device, first, weights.map(|w| w[0]))?];
    if let Some(second) = second {
        columns.push(upload(device, second, weights.map(|w| w[1]))?);
    }
    let uploaded = device.mark()?;
    let mut start = Vec::new();
    match &plan.layout {
        Layout::AsGiven(_) => {
            if plan.variant.arithmetic != albireo_kernels::Arithmetic::Float64 {
                columns
                    .iter_mut()
                    .try_for_each(|columns| fix(device, plan, columns))?;
            }
        }
        Layout::Sorted(grid) => {
            columns = columns
                .iter()
                .map(|columns| sort(device, plan, grid, columns))
                .collect::<Result<Vec<_>, _>>()?;
            start = vec![0; grid.number() as usize + 1];
            device.download(&columns[0].memory[5], &mut start)?;
        }
    }
    let placed = device.mark()?;
    timings.upload = device.seconds(&begin, &uploaded)?;
    timings.sort = device.seconds(&uploaded, &placed)?;
    Ok(Placed { columns, start })
}

/// Runs the units of `queue` that this device gets.
///
/// # Errors
/// A device that fails, or a stop asked for through `progress`.
pub(super) fn run<D: Device>(
    device: &D,
    plan: &Plan,
    pair_job: &PairJob<'_>,
    weights: Option<[&[f64]; 2]>,
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
    let bins = plan.job.bins as usize;
    let weighted = weights.is_some();
    let mut counts = device.allocate(8 * bins)?;
    let mut sums = device.allocate(if weighted { 16 * bins } else { 0 })?;
    let mut tickets = device.allocate(4 * work.units.len())?;
    for memory in [&mut counts, &mut sums, &mut tickets] {
        device.clear(memory)?;
    }
    let tile_memory = put(device, &work.tiles)?;
    job.tiles = device.address(&tile_memory);
    job.counts = device.address(&counts);
    job.sums = device.address(&sums);

    let pairs_a_unit = pair_job.n_pairs() / work.units.len().max(1) as u64;
    loop {
        let k = queue.next();
        let Some(unit) = usize::try_from(k).ok().and_then(|k| work.units.get(k)) else {
            break;
        };
        job.ticket = device.address(&tickets) + 4 * k;
        let shape = launch_shape(plan, &job, unit, work.resident);
        let begin = device.mark()?;
        device.launch(Kernel::Count(plan.variant), shape, &job, unit)?;
        let end = device.mark()?;
        timings.kernels += device.seconds(&begin, &end)?;
        progress.advance(pairs_a_unit);
        if progress.stop_requested() {
            return Err(EngineError::Interrupted);
        }
    }
    Ok((read_sums(device, &counts, &sums, bins, weighted)?, timings))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_cover_every_row_once_in_whole_chunks() {
        for (rows, chunk, wanted) in [
            (1, 256, 1),
            (1000, 256, 3),
            (100_000, 256, 7),
            (1 << 26, 256, 1),
        ] {
            let units = row_units(rows, chunk, wanted);
            assert_eq!(units[0].begin, 0);
            assert_eq!(units[units.len() - 1].end, rows);
            for pair in units.windows(2) {
                assert_eq!(pair[0].end, pair[1].begin);
                assert_eq!(pair[1].begin % chunk, 0);
            }
            assert!(
                units
                    .iter()
                    .all(|u| (u.end - u.begin).div_ceil(chunk) <= 65_535)
            );
        }
    }

    #[test]
    fn units_do_not_cut_a_run_of_cells() {
        // Runs of 1, 3, 1 and 2 tiles.
        let tiles: Vec<Tile> = [0, 4, 4, 4, 8, 9, 9].map(|cell| [cell, 1, 0, 0]).to_vec();
        for wanted in 1..9 {
            let units = tile_units(&tiles, wanted);
            assert_eq!((units[0].begin, units[units.len() - 1].end), (0, 7));
            for pair in units.windows(2) {
                assert_eq!(pair[0].end, pair[1].begin);
                assert!([1, 4, 5].contains(&pair[0].end));
            }
        }
    }
}
