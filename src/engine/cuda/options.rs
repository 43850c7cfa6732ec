//! What a caller may choose: devices, arithmetic, kernel and sizes.
//!
//! Entry: [`CudaOptions`]. Nothing here is checked against a device.

/// The arithmetic that decides pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// A float32 filter with a proven error bound; doubtful pairs again in float64. Exact, and the fastest exact way.
    #[default]
    Exact,
    /// Float64 for every pair. Exact.
    Float64,
    /// The float32 filter alone. Approximate: pairs near an edge may land in the neighbouring bin.
    Float32,
}

/// Which kernel visits pairs; every choice gives the same integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelChoice {
    /// The fastest for the job, by a measured rule.
    #[default]
    Auto,
    /// Every pair in float64, a thread a second point, sums in global memory: the shortest to read.
    Simple,
    /// Every pair in float64, first points in constant memory, sums in shared memory.
    Constant,
    /// Every pair, first points in shared memory, several second points in a thread's registers.
    Shared,
}

/// Sizes that change the time and never the integers; what is 0 the engine chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tuning {
    /// Threads a block: 64, 128, 256, 512 or 1024.
    pub threads: u32,
    /// Second points a thread, at most 32.
    pub points: u32,
    /// First points a tile.
    pub tile: u32,
    /// Particles that a cell should hold.
    pub cell_particles: u32,
}

/// What to run on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CudaOptions {
    /// Device numbers; all devices when empty.
    pub devices: Vec<usize>,
    /// The arithmetic.
    pub precision: Precision,
    /// The kernel.
    pub kernel: KernelChoice,
    /// Sizes of the kernels and cells.
    pub tuning: Tuning,
}

/// What was asked for, or else the engine's choice.
pub(super) fn chosen(asked: u32, own: u32) -> u32 {
    if asked == 0 { own } else { asked }
}
