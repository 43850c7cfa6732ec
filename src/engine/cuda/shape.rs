//! The sizes of a kernel: threads, points, how doubtful pairs are decided, and what it all takes in shared memory.
//!
//! Rules measured on an H200; they change the time and never the integers.

use albireo_kernels::{Across, Arithmetic, Bins, Doubt, Shape, Traversal as Visits, Variant};

use super::Tuning;
use super::layout::FIRSTS;
use super::plan::{Layout, Plan};

/// Shares of doubtful pairs up to which it pays to decide them at once (of cells, where that takes a search), and from which to take
/// them in fast.
const RARE: f64 = 5e-5;
const COMMON: f64 = 6e-4;

/// What was asked for, or else the engine's choice.
pub(super) fn chosen(asked: u32, own: u32) -> u32 {
    if asked == 0 { own } else { asked }
}

impl Plan {
    /// Threads, points and place of the sums: as many threads as the histogram leaves room for.
    pub(super) fn shaped(&self, tuning: Tuning, shared_limit: usize) -> Variant {
        let mut variant = self.variant;
        if matches!(variant.traversal, Visits::Simple | Visits::Constant) {
            variant.shape = Shape {
                threads: threads(tuning, 256),
                points: 1,
                tile: FIRSTS as u32,
            };
            variant.global_sums =
                variant.traversal == Visits::Simple || self.shared_bytes(&variant) > shared_limit;
            return variant;
        }
        let sorted = matches!(self.layout, Layout::Sorted(_));
        // In cells a cosine is never sure enough for its doubt to be rare, and bins are many where slots do not reach all separations.
        let many = sorted && variant.bins == Bins::R && variant.across == Across::Clamped;
        let never_rare = variant.bins == Bins::SMu;
        variant.doubt = match self.doubtful_share() {
            _ if variant.arithmetic != Arithmetic::Filtered => Doubt::AtOnce,
            share if many || share > COMMON => Doubt::BySweep,
            share if sorted && (never_rare || share > RARE) => Doubt::ByPair,
            _ => Doubt::AtOnce,
        };
        // What the sums would take in shared memory, wherever they end up.
        let shared = self.shared_bytes(&variant) >> 10;
        let plain = variant.bins == Bins::R && !variant.weighted;
        let (own_threads, points) = match (variant.arithmetic, sorted, plain) {
            (Arithmetic::Float64, ..) if shared > 48 => (512, 2),
            (Arithmetic::Float64, ..) => (128, 2),
            (Arithmetic::Float32, false, true) if shared <= 6 => (128, 12),
            (_, false, true) if shared <= 48 => (256, 8),
            // Cells with few neighbours, with more, and with very many.
            (_, true, true) if shared <= 24 && variant.shape.tile <= 32 => (32, 8),
            (_, true, false) if shared <= 64 && variant.shape.tile <= 32 => (64, 4),
            (_, true, true) if shared <= 24 && variant.shape.tile <= 64 => (64, 8),
            (Arithmetic::Float32, true, true) if (25..=64).contains(&shared) => (256, 16),
            (_, true, true) if shared <= 64 => (256, 8),
            (_, _, true) if shared > 112 && variant.doubt != Doubt::AtOnce => (1024, 4),
            (_, _, true) if shared > 112 => (1024, 8),
            (_, _, true) => (512, 8),
            (_, true, false) if shared <= 64 => (128, 5),
            _ if shared <= 112 => (256, 4),
            _ => (512, 4),
        };
        variant.shape.points = chosen(tuning.points, points).min(32);
        variant.shape.threads = threads(tuning, own_threads);
        variant.global_sums = self.shared_bytes(&variant) > shared_limit;
        variant
    }

    /// The share of pairs that the filter is expected to leave to float64, by equally wide bins.
    fn doubtful_share(&self) -> f64 {
        [self.job.across, self.job.along]
            .iter()
            .map(|axis| f64::from(axis.doubt) / f64::from(1u32 << axis.shift))
            .filter(|&share| share < 1.0)
            .sum()
    }

    /// Words of shared memory that one sum takes.
    pub(super) fn words(&self, weighted: bool) -> usize {
        1 + if weighted { 2 } else { 0 } + if self.job.coordinate == 0 { 0 } else { 2 }
    }

    /// What `Arena` and the cells kernel lay out, in bytes, with the sums in shared memory.
    pub(super) fn shared_bytes(&self, variant: &Variant) -> usize {
        // With weights every lane has a place for pairs of no bin.
        let slots = self.job.slots as usize + if variant.weighted { 32 } else { 0 };
        let sums = 4 * self.words(variant.weighted) * slots;
        self.bytes_beside_sums(variant, self.job.n_rows as usize) + sums
    }

    /// The same without the sums, for so many neighbour rows.
    pub(super) fn bytes_beside_sums(&self, variant: &Variant, n_rows: usize) -> usize {
        let held = if variant.arithmetic == Arithmetic::Float64 {
            32
        } else {
            16
        };
        let tile = variant.shape.tile as usize * (held + if variant.weighted { 8 } else { 0 });
        let stretches = match &self.layout {
            Layout::AsGiven(_) => 0,
            // Threads may grow after this is asked: the most there are.
            Layout::Sorted(grid) => 4 * (3 * n_rows * grid.row_parts as usize + 1024 + 1),
        };
        let queues = 16 * variant.doubt as usize * variant.shape.threads as usize;
        tile + 8 * self.table.len() + queues + stretches
    }
}

/// A power of two of threads.
fn threads(tuning: Tuning, own: u32) -> u32 {
    chosen(tuning.threads, own)
        .next_power_of_two()
        .clamp(32, 1024)
}
