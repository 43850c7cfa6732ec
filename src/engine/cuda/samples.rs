//! Samples on a device: uploaded, and stored as the plan wants them, in the order given or sorted into cells.
//!
//! Entry: [`place`]. It counts nothing.

use albireo_kernels::Arithmetic;

use super::device::{Device, Kernel, Shape};
use super::error::CudaError;
use super::frame::Grid;
use super::layout::{Plain, Sample, Sort, Unit};
use super::plan::{Layout, Plan};
use super::run::CudaTimings;
use crate::engine::Pairs;
use crate::particles::Particles;

/// Where a sorted sample keeps the first row of each cell.
const STARTS: usize = 5;
/// Threads of the sort's kernels.
const SORT_THREADS: u32 = 256;
const TOTAL_THREADS: u32 = 1024;
/// The columns of a sample in device memory.
pub(super) struct Columns<M> {
    memory: Vec<M>,
    pub(super) sample: Sample,
}

/// Memory that holds `values`.
pub(super) fn put<D: Device, T: Plain>(device: &D, values: &[T]) -> Result<D::Memory, CudaError> {
    let mut memory = device.allocate(size_of_val(values))?;
    device.upload(&mut memory, values)?;
    Ok(memory)
}

fn upload<D: Device>(
    device: &D,
    particles: &Particles,
    weight: Option<&[f64]>,
) -> Result<Columns<D::Memory>, CudaError> {
    // A column that lies between others is copied out, one at a time.
    let positions = particles.points().columns().into_iter();
    let positions = positions.map(|column| put(device, &column.contiguous()));
    let memory = positions
        .chain(weight.map(|weight| put(device, weight)))
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
    let entry = if plan.variant.wraps() {
        "albireo_fix"
    } else {
        // Offsets from the frame's centre, scaled.
        sort.origin =
            std::array::from_fn(|axis| plan.job.origin[axis] + 0.5 * plan.job.basis[4 * axis]);
        sort.inverse = std::array::from_fn(|at| if at % 4 == 0 { plan.unit } else { 0.0 });
        "albireo_centre"
    };
    device.launch(
        Kernel::Sort(entry),
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
    device.clear(&mut memory[STARTS])?;
    let address: Vec<u64> = memory.iter().map(|m| device.address(m)).collect();
    let sort = Sort {
        sorted_x: address[0],
        sorted_y: address[1],
        sorted_z: address[2],
        sorted_weight: address[3],
        sorted_fixed: address[4],
        start: address[STARTS],
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
        start: address[STARTS],
        rows,
    };
    Ok(Columns { memory, sample })
}

/// Samples on the device as the plan wants them, and the first row of each cell of the first sample.
pub(super) struct Placed<M> {
    pub(super) columns: Vec<Columns<M>>,
    pub(super) start: Vec<u32>,
}

/// Uploads the samples of `pairs`, one after the other, so that the unsorted one makes room for the next.
pub(super) fn place<D: Device>(
    device: &D,
    plan: &Plan,
    pairs: Pairs<'_>,
    weights: Option<[&[f64]; 2]>,
    timings: &mut CudaTimings,
) -> Result<Placed<D::Memory>, CudaError> {
    let (first, second) = pairs.samples();
    let mut columns = Vec::new();
    for (k, sample) in [Some(first), second].into_iter().flatten().enumerate() {
        let begin = device.mark()?;
        let mut given = upload(device, sample, weights.map(|w| w[k]))?;
        let uploaded = device.mark()?;
        columns.push(match &plan.layout {
            Layout::Sorted(grid) => sort(device, plan, grid, &given)?,
            Layout::AsGiven(_) if plan.variant.arithmetic == Arithmetic::Float64 => given,
            Layout::AsGiven(_) => {
                fix(device, plan, &mut given)?;
                given
            }
        });
        let sorted = device.mark()?;
        timings.upload += device.seconds(&begin, &uploaded)?;
        timings.sort += device.seconds(&uploaded, &sorted)?;
    }
    let mut start = Vec::new();
    if let Layout::Sorted(grid) = &plan.layout {
        start = vec![0; grid.number() as usize + 1];
        device.download(&columns[0].memory[STARTS], &mut start)?;
    }
    Ok(Placed { columns, start })
}
