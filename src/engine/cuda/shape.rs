//! The sizes of a kernel: threads, points, how doubtful pairs are decided, and what it all takes in shared memory.
//!
//! Rules measured on an H200; they change the time and never the integers.

use albireo_kernels::structs::{DeviceAxis, FIRSTS};
use albireo_kernels::{
    Across, Arithmetic, Bins, Doubt, Histogram, Shape, Summed, Traversal as Visits, Variant,
};

use super::carried::Carried;
use super::options::{Tuning, chosen};

/// Shares of doubtful pairs up to which it pays to decide them at once (of cells, where that takes a search), and from which to take
/// them in fast.
const RARE: f64 = 5e-5;
const COMMON: f64 = 6e-4;

/// Bytes of sums up to which lanes have their own, and for pairs that are taken in one by one, which need the room themselves.
const LANES: [usize; 2] = [48 << 10, 24 << 10];

/// What a block keeps in shared memory, in any shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockMemory {
    /// Sums, those of no bin included.
    pub(super) slots: u32,
    /// What a sum consists of.
    pub(super) carried: Carried,
    /// Of cells: neighbour rows, and the stretches that one of them can fall into.
    pub(super) stretches: Option<[u32; 2]>,
    /// Entries of the table of edges.
    pub(super) entries: usize,
}

impl BlockMemory {
    /// What `Arena` and the cells kernel lay out, in bytes, with the sums in shared memory.
    pub(super) fn bytes(&self, variant: &Variant) -> usize {
        if variant.arithmetic == Arithmetic::Tensor {
            return self.tensor_bytes(variant.shape);
        }
        // With weights every lane has a place for pairs of no bin.
        let aside = if products(variant) { 32 } else { 0 };
        let slots = self.slots as usize;
        let words = if variant.histogram == Histogram::Lanes {
            self.lane_words(variant)
        } else if variant.realised_rows {
            let tile = variant.shape.tile.next_multiple_of(32) as usize;
            let (slots, number) = (slots.next_multiple_of(4), self.carried.realisations);
            let sums = self.carried.words_a_sum() * (slots * (tile + number) + aside);
            sums + tile * number.div_ceil(32)
        } else {
            self.carried.words_a_place() * (slots + aside)
        };
        self.beside_sums(variant) + 4 * words
    }

    /// Words of all copies of the sums that lanes share out.
    fn lane_words(&self, variant: &Variant) -> usize {
        variant.copies() as usize * self.carried.words_a_place() * (self.slots as usize + 1)
    }

    /// What `Shared` and the kernel lay out that is of tensor cores.
    fn tensor_bytes(&self, shape: Shape) -> usize {
        let (tile, warps) = (shape.tile as usize, shape.threads as usize / 32);
        // Counters begin at a multiple of 256 bytes.
        let counters = 256 * (self.slots as usize + 1);
        let firsts = 40 * tile + 32 * (tile / 8);
        let seconds = warps * (64 * 32 + 64 * 40);
        let [rows, parts] = self.stretches.unwrap_or_default().map(|n| n as usize);
        counters + firsts + seconds + 4 * (3 * (rows * parts + 1) + warps + 1)
    }

    /// The same without the sums.
    pub(super) fn beside_sums(&self, variant: &Variant) -> usize {
        let held = if variant.arithmetic == Arithmetic::Float64 {
            32
        } else {
            16
        };
        let tile = variant.shape.tile as usize * (held + if products(variant) { 8 } else { 0 });
        // Threads may grow after this is asked: the most there are.
        let stretches = self.stretches.map_or(0, |[rows, parts]| {
            4 * (3 * rows as usize * parts as usize + 1024 + 1)
        });
        let waiting = match (variant.summed, variant.doubt) {
            (summed, Doubt::ByPair) if summed.in_terms() => 1 + variant.shape.points,
            (_, doubt) => doubt as u32,
        };
        let queues = 16 * waiting as usize * variant.shape.threads as usize;
        // The sums begin at a multiple of 16 bytes.
        (tile + 8 * self.entries + queues).next_multiple_of(16) + stretches
    }
}

/// Whether a kernel sums products of weights.
fn products(variant: &Variant) -> bool {
    variant.summed == Summed::Products
}

/// The share of pairs that the filter is expected to leave to float64, by equally wide bins.
pub(super) fn doubtful_share(axes: [&DeviceAxis; 2]) -> f64 {
    axes.iter()
        .map(|axis| f64::from(axis.doubt) / f64::from(1u32 << axis.shift))
        .filter(|&share| share < 1.0)
        .sum()
}

/// Threads, points and place of the sums: as many threads as the histogram leaves room for. Of all pairs `doubtful` are left to float64.
pub(super) fn shaped(
    mut variant: Variant,
    memory: &BlockMemory,
    doubtful: f64,
    tuning: Tuning,
    shared_limit: usize,
) -> Variant {
    if matches!(variant.traversal, Visits::Simple | Visits::Constant) {
        variant.shape = Shape {
            threads: threads(tuning, 256),
            points: 1,
            tile: FIRSTS as u32,
        };
        if variant.traversal == Visits::Simple || memory.bytes(&variant) > shared_limit {
            variant.histogram = Histogram::Global;
        }
        return variant;
    }
    if variant.arithmetic == Arithmetic::Tensor {
        variant.shape = Shape {
            threads: threads(tuning, 256).min(256),
            points: 2,
            tile: variant.shape.tile,
        };
        return variant;
    }
    let sorted = memory.stretches.is_some();
    // In cells a cosine is never sure enough for its doubt to be rare, and bins are many where slots do not reach all separations.
    let many = sorted && variant.bins == Bins::R && variant.across == Across::Clamped;
    let never_rare = variant.bins == Bins::SMu;
    let by_pair = variant.summed.one_by_one() && variant.arithmetic == Arithmetic::Filtered;
    // Sums of lanes gain more than any doubt in so few bins costs.
    let few = Variant {
        doubt: if by_pair {
            Doubt::ByPair
        } else {
            Doubt::AtOnce
        },
        histogram: Histogram::Lanes,
        ..variant
    };
    let lanes = few.has_lanes() && 4 * memory.lane_words(&few) <= LANES[usize::from(by_pair)];
    variant.doubt = match doubtful {
        _ if variant.summed == Summed::Separations || by_pair => Doubt::ByPair,
        _ if variant.arithmetic != Arithmetic::Filtered => Doubt::AtOnce,
        // Rows have sums of their own in so few bins alone that doubt is seldom common.
        share if many || (share > COMMON && !variant.realised_rows) => Doubt::BySweep,
        share if sorted && (never_rare || share > RARE) => Doubt::ByPair,
        _ => Doubt::AtOnce,
    };
    if lanes {
        variant = few;
    }
    // What the sums would take in shared memory, wherever they end up.
    let shared = memory.bytes(&variant) >> 10;
    let plain = variant.bins == Bins::R && variant.summed == Summed::Pairs;
    let (own_threads, points) = match (variant.arithmetic, sorted, plain) {
        _ if variant.summed == Summed::Separations && variant.shape.tile <= 32 => (64, 4),
        _ if variant.summed == Summed::Separations => (128, 4),
        (Arithmetic::Float64, ..) if shared > 48 => (512, 2),
        (Arithmetic::Float64, ..) => (128, 2),
        (Arithmetic::Float32, false, true) if shared <= 6 => (128, 12),
        // Few registers leave room for the blocks that decide doubtful pairs meanwhile.
        (_, _, true) if shared <= 48 && variant.doubt == Doubt::BySweep => (256, 4),
        (_, false, true) if shared <= 48 => (256, 8),
        (_, true, true) if variant.realised_rows && shared <= 64 => (128, 8),
        // Cells with few neighbours, with more, and with very many.
        (_, true, true) if shared <= 24 && variant.shape.tile <= 32 => (32, 8),
        // What waits to be taken in takes room.
        (_, true, false) if variant.summed.one_by_one() && shared <= 64 => (128, 2),
        (_, true, false) if variant.summed.one_by_one() && shared <= 112 => (256, 2),
        (_, true, false) if lanes && variant.shape.tile <= 32 => (128, 4),
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
    if memory.bytes(&variant) > shared_limit {
        variant.histogram = Histogram::Global;
    }
    variant
}

/// A power of two of threads.
fn threads(tuning: Tuning, own: u32) -> u32 {
    chosen(tuning.threads, own)
        .next_power_of_two()
        .clamp(32, 1024)
}
