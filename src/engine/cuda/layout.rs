//! What kernels are told: the twins of `kernels/job.cuh` and `kernels/sort.cu`, field by field.
//!
//! The sources assert these sizes at compile time. Nothing here computes.

/// Types without padding or pointers of the host, which kernels take as bytes.
///
/// # Safety
/// Every bit pattern of the type is initialised: no padding.
pub(super) unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty),*) => { $(
        // SAFETY: numbers, or arrays of them.
        unsafe impl Plain for $type {}
    )* };
}
plain!(u32, u64, f64, [u32; 2], [i32; 4], [u32; 4]);

macro_rules! argument {
    ($($type:ty),*) => { $(
        // SAFETY: repr(C), numbers only, and no gap between them (asserted by the sums of sizes below).
        unsafe impl Plain for $type {}
        // SAFETY: the same layout as its twin in the sources, which assert the size.
        unsafe impl cudarc::driver::DeviceRepr for $type {}
    )* };
}
argument!(Job, Unit, Firsts, Sort);

/// A sample in device memory: addresses, zero where there is nothing.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sample {
    pub(super) x: u64,
    pub(super) y: u64,
    pub(super) z: u64,
    pub(super) weight: u64,
    pub(super) fixed: u64,
    pub(super) start: u64,
    pub(super) rows: u64,
}

/// Bins along one coordinate.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Axis {
    pub(super) values: u64,
    pub(super) squares: u64,
    pub(super) table: u64,
    pub(super) guess_scale: f64,
    pub(super) guess_offset: f64,
    pub(super) bins: u32,
    pub(super) closed_low: u32,
    pub(super) closed_high: u32,
    pub(super) shift: u32,
    pub(super) mask: u32,
    pub(super) doubt: u32,
    pub(super) key_shift: u32,
    pub(super) key_low: u32,
    pub(super) key_high: u32,
    pub(super) scale: f32,
    pub(super) magic: f32,
    pub(super) low: f32,
    pub(super) high: f32,
    pub(super) skip: u32,
}

/// A counting job.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Job {
    pub(super) first: Sample,
    pub(super) second: Sample,
    pub(super) across: Axis,
    pub(super) along: Axis,
    pub(super) length: [f64; 3],
    pub(super) half: [f64; 3],
    pub(super) translations: u64,
    pub(super) nearest2: f64,
    pub(super) beyond2: f64,
    pub(super) origin: [f64; 3],
    pub(super) basis: [f64; 9],
    pub(super) unit: f64,
    pub(super) rows: u64,
    pub(super) tiles: u64,
    pub(super) counts: u64,
    pub(super) sums: u64,
    pub(super) coordinates: u64,
    pub(super) coordinate_scale: f64,
    pub(super) ticket: u64,
    pub(super) flush_pairs: u64,
    pub(super) cells: [u32; 3],
    pub(super) periodic: [u32; 3],
    pub(super) order: u32,
    pub(super) n_rows: u32,
    pub(super) row_parts: u32,
    pub(super) bins: u32,
    pub(super) matrix: [f32; 9],
    pub(super) floor2: f32,
    pub(super) doubt_by_inverse: f32,
    pub(super) doubt_least: f32,
    pub(super) sight_floor2: f32,
    pub(super) reach2: f32,
    pub(super) pad: f32,
    pub(super) sight_of_first: f32,
    pub(super) sight_of_second: f32,
    pub(super) sight: u32,
    pub(super) sign_kept: u32,
    pub(super) coordinate: u32,
    pub(super) own: u32,
    pub(super) slots: u32,
    pub(super) first_place: u32,
    pub(super) flushed: u32,
    pub(super) stride: u32,
    pub(super) bias: u32,
    pub(super) zero: u32,
    /// Nothing: the size is a multiple of 8 without a hidden gap.
    pub(super) gap: u32,
}

/// The part of a job that one launch does.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unit {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) chunk: u64,
}

/// First points in the constant memory of a launch.
pub(super) const FIRSTS: usize = 96;

/// What one launch of the kernel `constant` does. With the job it fits in the 4096 bytes that the arguments of a launch may have.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(super) struct Firsts {
    pub(super) begin: u64,
    pub(super) number: u64,
    pub(super) columns: [[f64; FIRSTS]; 4],
}

/// Sorting one sample into cells.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sort {
    pub(super) x: u64,
    pub(super) y: u64,
    pub(super) z: u64,
    pub(super) weight: u64,
    pub(super) sorted_x: u64,
    pub(super) sorted_y: u64,
    pub(super) sorted_z: u64,
    pub(super) sorted_weight: u64,
    pub(super) sorted_fixed: u64,
    pub(super) start: u64,
    pub(super) cell: u64,
    pub(super) rank: u64,
    pub(super) rows: u64,
    pub(super) origin: [f64; 3],
    pub(super) inverse: [f64; 9],
    pub(super) cells: [u32; 3],
    pub(super) number: u32,
}

const _: () = {
    assert!(size_of::<Sample>() == 7 * 8);
    assert!(size_of::<Axis>() == 5 * 8 + 14 * 4);
    assert!(size_of::<Job>() == 2 * 56 + 2 * 96 + 30 * 8 + 38 * 4);
    assert!(size_of::<Firsts>() == 16 + 4 * 8 * FIRSTS);
    assert!(size_of::<Job>() + size_of::<Firsts>() <= 4096);
    assert!(size_of::<Sort>() == 25 * 8 + 4 * 4);
};

/// The macros by which the sources check these sizes.
pub(super) fn size_macros() -> Vec<String> {
    vec![
        format!("ALBIREO_JOB_BYTES={}", size_of::<Job>()),
        format!("ALBIREO_SORT_BYTES={}", size_of::<Sort>()),
    ]
}
