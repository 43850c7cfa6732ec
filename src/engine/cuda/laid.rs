//! What weighs pairs besides the weights of their points, laid out on a device as kernels read it: bits and directions.
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

/// Adds to a sample the bits of `sort`, if it has any, and with `directions` those.
pub(super) fn lay<D: Device>(
    device: &D,
    sort: &SortJob,
    directions: bool,
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
    if sort.words > 0 {
        let (bits, set) = (keep(8 * sort.words * rows)?, keep(4 * rows)?);
        let job = SortJob {
            sorted_bits: bits.into(),
            sorted_set: set.into(),
            ..*sort
        };
        launch("albireo_lay_bits", &job)?;
        columns.sample = DeviceSample {
            bits: bits.into(),
            set: set.into(),
            ..columns.sample
        };
    }
    if directions {
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
