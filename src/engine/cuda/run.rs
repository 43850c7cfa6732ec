//! One job on one device: upload, sort, launch unit after unit, download.
//!
//! Entry: [`run`]; several devices share a [`Queue`].

use std::ops::Range;

use albireo_gpu::{CudaError, Device, LaunchShape, put};
use albireo_kernels::Kernel;
use albireo_kernels::structs::{
    Address, DeviceAxis, DeviceJob, FIRSTS, Firsts, GridTerms, ImageTerms, Unit,
};

use super::frame::Arrangement;
use super::plan::LaunchPlan;
use super::samples::{Given, Placed, place};
use super::summed::Sought;
use super::sums::{Sums, Totals};
use super::timings::CudaTimings;
use super::units::{MOST_MEETINGS, Queue, launch_shape, work};
use crate::engine::{PairJob, Progress};
use crate::error::EngineError;
use crate::particles::{Column, View};

/// The job of `plan` with its samples and what the plan holds, uploaded; the memories live as long as the job is used.
fn addressed<D: Device>(
    device: &D,
    plan: &LaunchPlan,
    placed: &Placed<D::Memory>,
) -> Result<(DeviceJob, Vec<D::Memory>), CudaError> {
    let mut memory = Vec::new();
    let mut keep = |m: D::Memory| {
        let address = device.address(&m);
        memory.push(m);
        address
    };
    let axis =
        |axis: DeviceAxis, [values, squares]: [u64; 2], table: Address<[u32; 2]>| DeviceAxis {
            values: values.into(),
            squares: squares.into(),
            table,
            ..axis
        };
    let [first, second] = placed.samples();
    let mut edges = |of: &[Vec<f64>; 2]| -> Result<[u64; 2], CudaError> {
        Ok([keep(put(device, &of[0])?), keep(put(device, &of[1])?)])
    };
    let (across, along) = (edges(&plan.across)?, edges(&plan.along)?);
    let table = Address::from(keep(put(device, &plan.table)?));
    let translations = Address::from(keep(put(device, &plan.translations)?));
    let rows = Address::from(keep(put(device, &plan.rows)?));
    let job = DeviceJob {
        first,
        second,
        across: axis(plan.job.across, across, table),
        along: axis(plan.job.along, along, Address::default()),
        images: ImageTerms {
            translations,
            ..plan.job.images
        },
        grid: GridTerms {
            rows,
            ..plan.job.grid
        },
        ..plan.job
    };
    Ok((job, memory))
}

/// Memory for rounding the size of each buffer, and for a ticket a unit.
const ROOM: u64 = 1 << 13;

/// Bytes of device memory that a run of `plan` takes at its peak, samples of so many rows given; with `keeps` what is uploaded stays.
pub(super) fn bytes_needed(
    plan: &LaunchPlan,
    rows: [u64; 2],
    sought: &Sought<'_>,
    keeps: bool,
) -> u64 {
    let [first, second] = rows;
    let carried = sought.carried;
    let (weight, words) = (carried.weight_bytes(), carried.words_bytes());
    // Positions, their fractions, weights, bits, columns and directions; while a sample is sorted it is there twice, with its cells and ranks.
    let row = 24 + weight + 16 + carried.laid_bytes();
    let labels = if carried.labels.is_some() { 4 } else { 0 };
    let (sorting, cells) = match &plan.arrangement {
        Arrangement::AsGiven(_) => (words, 0),
        Arrangement::Sorted(_) => (
            24 + weight + words + 8 + labels,
            u64::from(plan.n_cells(0).max(plan.n_cells(1))),
        ),
    };
    let neighbours = size_of_val(&plan.rows[..]) as u64;
    let tiles = cells + first / u64::from(plan.variant.shape.tile);
    let sums = plan.job.sums.all * (8 + 16 * carried.number as u64) + sought.bytes();
    let edges: usize = [&plan.across, &plan.along]
        .into_iter()
        .flatten()
        .map(Vec::len)
        .sum();
    let axes = 8 * (edges + plan.table.len() + plan.translations.len()) as u64 + neighbours;
    let unsorted = if keeps {
        24 + weight + words + labels
    } else {
        0
    };
    let tiles = match carried.labels {
        // A unit's, and whether they are of one class.
        Some(_) => 2 * (MOST_MEETINGS as u64 + first / u64::from(plan.variant.shape.tile)),
        None => tiles,
    };
    (row + unsorted) * (first + second)
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
    weight: Option<&'a [f64]>,
    unit: &Unit,
) -> impl Iterator<Item = Firsts> + 'a {
    let [x, y, z] = job.pairs().both().0.points().columns().map(Column::view);
    let end = unit.end as usize;
    (unit.begin as usize..end)
        .step_by(FIRSTS)
        .map(move |begin| {
            let rows = begin..end.min(begin + FIRSTS);
            let column = |values: &[f64]| {
                let mut column = [0.0; FIRSTS];
                column[..rows.len()].copy_from_slice(&values[rows.clone()]);
                column
            };
            let coordinate = |from: View<'_>| {
                let mut column = [0.0; FIRSTS];
                for (to, row) in column.iter_mut().zip(rows.clone()) {
                    *to = from.at(row);
                }
                column
            };
            Firsts {
                begin: begin as u64,
                number: rows.len() as u64,
                x: coordinate(x),
                y: coordinate(y),
                z: coordinate(z),
                weight: weight.map_or([0.0; FIRSTS], column),
            }
        })
}

/// Launches the kernel of a plan for a unit.
fn launch<D: Device>(
    device: &D,
    plan: &LaunchPlan,
    (pair_job, samples): (&PairJob<'_>, &[Given<'_, D::Memory>]),
    job: &DeviceJob,
    (unit, resident): (&Unit, u32),
) -> Result<(), CudaError> {
    let shape = launch_shape(plan, job, unit, resident);
    let kernel = Kernel::Count(plan.variant);
    if plan.variant.traversal != albireo_kernels::Traversal::Constant {
        return device.launch(kernel, shape, job, unit);
    }
    let row_of_blocks = LaunchShape {
        grid: [shape.grid[0], 1],
        ..shape
    };
    let weight = samples[0].weight.map(|(weight, _)| weight);
    firsts_of(pair_job, weight, unit)
        .try_for_each(|firsts| device.launch(kernel, row_of_blocks, job, &firsts))
}

/// Runs the units of `queue`, of some lines of the plan, that this device gets; `pairs` is what they are worth together.
///
/// # Errors
/// A device that fails, or a stop asked for through `progress`.
pub(super) fn run<D: Device>(
    device: &D,
    plan: &LaunchPlan,
    (pair_job, pairs): (&PairJob<'_>, u64),
    (samples, sought): (&[Given<'_, D::Memory>], &Sought<'_>),
    (queue, devices, lines): (&Queue, usize, &Range<usize>),
    progress: &dyn Progress,
) -> Result<(Sums, CudaTimings), EngineError> {
    let mut timings = CudaTimings::default();
    let placed = place(device, plan, samples, &mut timings)?;
    let (job, _memory) = addressed(device, plan, &placed)?;
    let (sums, _tables) = sought.uploaded(device, &plan.job.sums)?;
    let labels = sought.carried.labels;
    let of = (labels, devices, lines);
    let work = work(device, plan, &job, &placed.start, of)?;
    let totals = Totals::clear(device, plan.job.sums.bins as usize, sought.carried)?;
    let mut tickets = device.allocate(4 * work.units.len())?;
    device.clear(&mut tickets)?;
    // With classes there may be very many tiles: they come a unit at a time.
    let by_unit = !work.meetings.is_empty();
    let all = if by_unit { 0 } else { work.tiles.len() };
    let all = work.uploaded(device, 0..all)?;

    let pairs_a_unit = pairs / work.units.len().max(1) as u64;
    while let Some(k) = queue.next(&work.units) {
        let (unit, window) = &work.units[k];
        let job = plan.in_window(&job, *window);
        let (unit, own) = if by_unit {
            let tiles = unit.begin as usize..unit.end as usize;
            let unit = Unit {
                begin: 0,
                end: unit.end - unit.begin,
                ..*unit
            };
            (unit, Some(work.uploaded(device, tiles)?))
        } else {
            (*unit, None)
        };
        let [tiles, meetings] = own.as_ref().unwrap_or(&all);
        let job = DeviceJob {
            sums: totals.addressed(device, sums),
            grid: GridTerms {
                tiles: device.address(tiles).into(),
                meetings: device.address(meetings).into(),
                ticket: (device.address(&tickets) + 4 * k as u64).into(),
                ..job.grid
            },
            ..job
        };
        let begin = device.mark()?;
        launch(
            device,
            plan,
            (pair_job, samples),
            &job,
            (&unit, work.resident),
        )?;
        let end = device.mark()?;
        timings.kernels += device.seconds(&begin, &end)?;
        progress.advance(pairs_a_unit);
        if progress.stop_requested() {
            return Err(EngineError::Interrupted);
        }
    }
    Ok((totals.read(device)?, timings))
}
