//! Samples on a device: uploaded, and stored as the plan wants them, in the order given or sorted into cells.
//!
//! Entry: [`place`]. It counts nothing.

use std::sync::Arc;

use albireo_gpu::{CudaError, Device, LaunchShape, put};
use albireo_kernels::Arithmetic;
use albireo_kernels::Kernel;
use albireo_kernels::structs::{Address, DeviceSample, SortJob, Unit};
use bytemuck::Pod;

use super::frame::Arrangement;
use super::kept::{Arranged, Column, Columns, Kept, ScaledWeights};
use super::labelled::LabelCells;
use super::laid::{Laying, Words, lay, sort_shape};
use super::plan::LaunchPlan;
use super::timings::CudaTimings;
use crate::particles::{self, Bits, Particles};

const TOTAL_THREADS: u32 = 1024;

/// A sample on its way to a device: its particles, scaled weights and which these are, and what devices keep of it.
pub(super) struct Given<'a, M> {
    pub(super) particles: &'a Particles,
    pub(super) weight: Option<(&'a [f64], ScaledWeights)>,
    /// Labels, where cells are to be of one label each.
    pub(super) labels: Option<&'a [u32]>,
    /// Bits, where these weigh pairs.
    pub(super) bits: Option<&'a Bits>,
    /// Columns that expressions take.
    pub(super) columns: &'a [particles::Column],
    /// Whether angles weigh pairs.
    pub(super) directions: bool,
    pub(super) kept: Option<&'a Kept<M>>,
}

/// A column of a sample, from what the device keeps or from the host.
fn put_column<D: Device, T: Pod>(
    device: &D,
    given: &Given<'_, D::Memory>,
    what: Column,
    column: &[T],
) -> Result<Arc<D::Memory>, CudaError> {
    match given.kept {
        Some(kept) => kept.column(device.number(), what, || put(device, column)),
        None => put(device, column).map(Arc::new),
    }
}

fn upload<D: Device>(
    device: &D,
    given: &Given<'_, D::Memory>,
) -> Result<Columns<D::Memory>, CudaError> {
    // A column that lies between others is copied out, one at a time.
    let coordinates = given.particles.points().columns().into_iter().enumerate();
    let coordinates =
        coordinates.map(|(axis, column)| (Column::Coordinate(axis), column.contiguous()));
    let weight = given.weight;
    let weight = weight.map(|(column, which)| (Column::Weight(which), column.into()));
    let memory = coordinates
        .chain(weight)
        .map(|(what, column)| put_column(device, given, what, &column))
        .collect::<Result<Vec<_>, _>>()?;
    let address = |k: usize| Address::from(memory.get(k).map_or(0, |m| device.address(m)));
    let sample = DeviceSample {
        x: address(0),
        y: address(1),
        z: address(2),
        weight: address(3),
        rows: given.particles.len() as u64,
        ..DeviceSample::default()
    };
    Ok(Columns {
        memory,
        start: None,
        sample,
    })
}

/// The bits and columns of a sample as they were given, uploaded; they live as long as the memories.
#[allow(
    clippy::type_complexity,
    reason = "what is laid out, and where it lies"
)]
fn upload_words<D: Device>(
    device: &D,
    given: &Given<'_, D::Memory>,
) -> Result<(Laying, Vec<Arc<D::Memory>>), CudaError> {
    let mut memory = Vec::new();
    let mut put = |what: Column, words: &[u64], number: usize| {
        let column = put_column(device, given, what, words)?;
        let at = device.address(&column);
        memory.push(column);
        Ok::<_, CudaError>(Words {
            at,
            number: number as u64,
        })
    };
    let mut laying = Laying {
        bits: Words::default(),
        values: Words::default(),
        directions: given.directions,
    };
    if let Some(bits) = given.bits {
        laying.bits = put(Column::Bits, bits.words(), bits.per_row())?;
    }
    if let number @ 1.. = given.columns.len() {
        let columns: Vec<_> = given.columns.iter().map(particles::Column::view).collect();
        let rows = 0..given.particles.len();
        let of_row = |row: usize| columns.iter().map(move |column| column.at(row).to_bits());
        let words: Vec<u64> = rows.flat_map(of_row).collect();
        laying.values = put(Column::Values(number), &words, number)?;
    }
    Ok((laying, memory))
}

/// How a sample, the first or the second, is sorted.
fn sort_job(sample: &DeviceSample, plan: &LaunchPlan, which: usize) -> SortJob {
    let frame = plan.arrangement.frame();
    let cells = plan.arrangement.grid().map_or([1; 3], |grid| grid.cells);
    SortJob {
        x: sample.x,
        y: sample.y,
        z: sample.z,
        weight: sample.weight,
        rows: sample.rows,
        origin: frame.origin,
        inverse: std::array::from_fn(|at| frame.inverse[at / 3][at % 3]),
        cells,
        number: plan.n_cells(which),
        ..SortJob::default()
    }
}

/// What is done to a sample that keeps its order, and in which frame.
fn fix_job(sample: &DeviceSample, plan: &LaunchPlan) -> (&'static str, SortJob) {
    let sort = sort_job(sample, plan, 0);
    if plan.variant.wraps() {
        return ("albireo_fix", sort);
    }
    // Offsets from the frame's centre, scaled.
    let grid = &plan.job.grid;
    let sort = SortJob {
        origin: std::array::from_fn(|axis| grid.origin[axis] + 0.5 * grid.basis[4 * axis]),
        inverse: std::array::from_fn(|at| if at % 4 == 0 { grid.unit } else { 0.0 }),
        ..sort
    };
    ("albireo_centre", sort)
}

/// Stores the fractions of a sample that keeps its order.
fn fix<D: Device>(
    device: &D,
    (entry, sort): (&'static str, SortJob),
    columns: Columns<D::Memory>,
) -> Result<Columns<D::Memory>, CudaError> {
    let rows = columns.sample.rows;
    let fixed = device.allocate(16 * rows as usize)?;
    let sort = SortJob {
        sorted_fixed: device.address(&fixed).into(),
        ..sort
    };
    let all = Unit {
        begin: 0,
        end: rows,
        chunk: 0,
    };
    device.launch(Kernel::Sort(entry), sort_shape(rows), &sort, &all)?;
    let sample = DeviceSample {
        fixed: device.address(&fixed).into(),
        ..columns.sample
    };
    let mut memory = columns.memory;
    memory.push(Arc::new(fixed));
    Ok(Columns {
        memory,
        start: None,
        sample,
    })
}

/// Sorts a sample into cells, and lays out the rest of it likewise.
fn sort<D: Device>(
    device: &D,
    (job, laying): (SortJob, Laying),
    columns: &Columns<D::Memory>,
) -> Result<Columns<D::Memory>, CudaError> {
    let rows = columns.sample.rows;
    let (n, cells) = (rows as usize, job.number as usize);
    let weighted = !columns.sample.weight.is_nowhere();
    let sizes = [
        8 * n,
        8 * n,
        8 * n,
        if weighted { 8 * n } else { 0 },
        16 * n,
    ];
    let memory = sizes
        .iter()
        .map(|&bytes| device.allocate(bytes).map(Arc::new))
        .collect::<Result<Vec<_>, _>>()?;
    let scratch = [device.allocate(4 * n)?, device.allocate(4 * n)?];
    let mut start = device.allocate(4 * (cells + 1))?;
    device.clear(&mut start)?;
    let address: Vec<u64> = memory.iter().map(|m| device.address(m)).collect();
    let sort = SortJob {
        sorted_x: address[0].into(),
        sorted_y: address[1].into(),
        sorted_z: address[2].into(),
        sorted_weight: address[3].into(),
        sorted_fixed: address[4].into(),
        start: device.address(&start).into(),
        cell: device.address(&scratch[0]).into(),
        rank: device.address(&scratch[1]).into(),
        ..job
    };
    let all = Unit {
        begin: 0,
        end: rows,
        chunk: 0,
    };
    let total = LaunchShape {
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
    let sample = DeviceSample {
        x: address[0].into(),
        y: address[1].into(),
        z: address[2].into(),
        weight: if weighted { address[3] } else { 0 }.into(),
        fixed: address[4].into(),
        start: device.address(&start).into(),
        boxes: job.boxes,
        rows,
        ..DeviceSample::default()
    };
    let columns = Columns {
        memory,
        start: Some(Arc::new(start)),
        sample,
    };
    lay(device, &sort, laying, columns)
}

/// Samples on the device as the plan wants them, and the first row of each cell: of the first sample, with labels of each.
pub(super) struct Placed<M> {
    columns: Vec<Arc<Columns<M>>>,
    pub(super) start: Vec<Vec<u32>>,
}

impl<M> Placed<M> {
    /// The first and the second sample, which may be one.
    pub(super) fn samples(&self) -> [DeviceSample; 2] {
        let sample = |columns: Option<&Arc<Columns<M>>>| {
            columns.map_or_else(DeviceSample::default, |columns| columns.sample)
        };
        [sample(self.columns.first()), sample(self.columns.last())]
    }
}

/// A sample as the plan wants it, from what the device keeps or from the host.
fn arrange<D: Device>(
    device: &D,
    plan: &LaunchPlan,
    (which, given): (usize, &Given<'_, D::Memory>),
    timings: &mut CudaTimings,
) -> Result<Arc<Columns<D::Memory>>, CudaError> {
    let nowhere = DeviceSample {
        rows: given.particles.len() as u64,
        ..DeviceSample::default()
    };
    let (entry, sort_only) = match &plan.arrangement {
        Arrangement::Sorted(_) => ("albireo_sort_move", sort_job(&nowhere, plan, which)),
        Arrangement::AsGiven(_) => fix_job(&nowhere, plan),
    };
    let mut make = || {
        let begin = device.mark()?;
        let columns = upload(device, given)?;
        // Freed once they are laid out, unless they are kept.
        let (laying, _words) = upload_words(device, given)?;
        let uploaded = device.mark()?;
        let columns = match &plan.arrangement {
            Arrangement::Sorted(_) => {
                let column = given
                    .labels
                    .map(|column| put_column(device, given, Column::Label, column));
                let column = column.transpose()?;
                let boxes: Vec<_> = plan.boxes[which]
                    .iter()
                    .flat_map(LabelCells::words)
                    .collect();
                let boxes = Arc::new(put(device, &boxes)?);
                let address = column.as_ref().map_or(0, |column| device.address(column));
                let job = SortJob {
                    labels: address.into(),
                    boxes: device.address(&boxes).into(),
                    ..sort_job(&columns.sample, plan, which)
                };
                let mut columns = sort(device, (job, laying), &columns)?;
                columns.memory.push(boxes);
                columns
            }
            Arrangement::AsGiven(_) => {
                let as_it_lies = SortJob {
                    rows: columns.sample.rows,
                    ..SortJob::default()
                };
                let columns = if plan.variant.arithmetic == Arithmetic::Float64 {
                    columns
                } else {
                    fix(device, fix_job(&columns.sample, plan), columns)?
                };
                lay(device, &as_it_lies, laying, columns)?
            }
        };
        let sorted = device.mark()?;
        timings.upload += device.seconds(&begin, &uploaded)?;
        timings.sort += device.seconds(&uploaded, &sorted)?;
        Ok(columns)
    };
    // Columns in float64 as they were given are kept as columns.
    let as_given =
        plan.arrangement.grid().is_none() && plan.variant.arithmetic == Arithmetic::Float64;
    match given.kept.filter(|_| !as_given) {
        None => make().map(Arc::new),
        Some(kept) => {
            let how = Arranged {
                entry,
                sort: sort_only,
                weight: given.weight.map(|(_, which)| which),
                words: given.bits.map_or(0, Bits::per_row),
                columns: given.columns.len(),
                directions: given.directions,
            };
            kept.arranged(device.number(), &how, make)
        }
    }
}

/// Puts samples where kernels find them, one after the other, so that an unsorted one that is not kept makes room for the next.
pub(super) fn place<D: Device>(
    device: &D,
    plan: &LaunchPlan,
    samples: &[Given<'_, D::Memory>],
    timings: &mut CudaTimings,
) -> Result<Placed<D::Memory>, CudaError> {
    let columns = samples
        .iter()
        .enumerate()
        .map(|given| arrange(device, plan, given, timings))
        .collect::<Result<Vec<_>, _>>()?;
    let labelled = samples.iter().any(|given| given.labels.is_some());
    let of_second = |k: usize| k == 0 || labelled;
    let mut start = Vec::new();
    for (k, columns) in columns.iter().enumerate() {
        if let Some(memory) = columns.start.as_ref().filter(|_| of_second(k)) {
            let mut of_sample = vec![0; plan.n_cells(k) as usize + 1];
            device.download(memory, &mut of_sample)?;
            start.push(of_sample);
        }
    }
    Ok(Placed { columns, start })
}
