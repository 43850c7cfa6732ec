//! What a pair takes besides the positions and weights of its points, laid out on a device as kernels read it: bits and directions, and the
//! columns of expressions.
//!
//! Entry: [`lay`]. The rows lie as the sample does: sorted, or in the order given.

use std::sync::Arc;

use albireo_gpu::{CudaError, Device, LaunchShape};
use albireo_kernels::Kernel;
use albireo_kernels::structs::{DeviceSample, SortJob, Unit};

use super::kept::Columns;

/// Threads of the sort's kernels.
const SORT_THREADS: u32 = 256;

/// A thread for each row, or as many as are worth it.
pub(super) fn sort_shape(rows: u64) -> LaunchShape {
    let blocks = rows.div_ceil(u64::from(SORT_THREADS)).clamp(1, 8192) as u32;
    LaunchShape {
        grid: [blocks, 1],
        threads: SORT_THREADS,
        shared: 0,
    }
}

/// Words of the rows of a sample, row after row: where they are, and how many a row has.
#[derive(Clone, Copy, Default)]
pub(super) struct Words {
    pub(super) at: u64,
    pub(super) number: u64,
}

/// What is laid out.
#[derive(Clone, Copy)]
pub(super) struct Laying {
    pub(super) bits: Words,
    /// Columns of expressions.
    pub(super) values: Words,
    pub(super) directions: bool,
}

/// Adds to a sample what `laying` has; its rows go where `sort` puts them, or stay.
pub(super) fn lay<D: Device>(
    device: &D,
    sort: &SortJob,
    laying: Laying,
    mut columns: Columns<D::Memory>,
) -> Result<Columns<D::Memory>, CudaError> {
    let rows = columns.sample.rows;
    let all = Unit {
        begin: 0,
        end: rows,
        chunk: 0,
    };
    let launch = |entry, job: &SortJob| {
        let shape = sort_shape(rows);
        device.launch(Kernel::Sort(entry), shape, job, &all)
    };
    let mut keep = |bytes: u64| {
        let memory = device.allocate(bytes as usize)?;
        let address = device.address(&memory);
        columns.memory.push(Arc::new(memory));
        Ok(address)
    };
    let words = |words: Words, to: u64, set: u64| {
        let job = SortJob {
            bits: words.at.into(),
            words: words.number,
            sorted_bits: to.into(),
            sorted_set: set.into(),
            ..*sort
        };
        launch("albireo_lay_bits", &job)
    };
    if laying.values.number > 0 {
        let to = keep(8 * laying.values.number * rows)?;
        words(laying.values, to, 0)?;
        columns.sample.columns = to.into();
    }
    if laying.bits.number > 0 {
        let (bits, set) = (keep(8 * laying.bits.number * rows)?, keep(4 * rows)?);
        words(laying.bits, bits, set)?;
        columns.sample = DeviceSample {
            bits: bits.into(),
            set: set.into(),
            ..columns.sample
        };
    }
    if laying.directions {
        let directions = keep(24 * rows)?;
        let job = SortJob {
            x: columns.sample.x,
            y: columns.sample.y,
            z: columns.sample.z,
            rows,
            sorted_directions: directions.into(),
            ..SortJob::default()
        };
        launch("albireo_lay_directions", &job)?;
        columns.sample.directions = directions.into();
    }
    Ok(columns)
}
