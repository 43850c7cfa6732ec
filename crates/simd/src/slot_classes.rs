//! Classes of pairs in the slots of one histogram: each begins with a slot of its own, which is found by the points of the pair.
//!
//! Entry: [`SlotClasses`], those of all points, and [`MetClasses`], those at hand.

use super::histogram::ROWS;
use super::{MOST_LANES, Simd};

/// Where the classes of pairs begin. Point i of the first sample and point j of the second are of the class that begins with slot
/// `min(rows[0][i] + lanes[0][j], rows[1][i] + lanes[1][j])`: the second sum is the first one, or that of the points in the other order.
#[derive(Debug)]
pub struct SlotClasses {
    /// Of the points of the first sample, in the order of their slots.
    pub rows: [Vec<u32>; 2],
    /// Of the points of the second.
    pub lanes: [Vec<u32>; 2],
    /// Slots of each class.
    pub n_slots: usize,
    /// Number of classes.
    pub number: usize,
}

impl SlotClasses {
    /// Where the class of a pair begins.
    #[inline]
    pub fn begin(&self, [i, j]: [u32; 2]) -> u32 {
        let sum = |k: usize| self.rows[k][i as usize] + self.lanes[k][j as usize];
        sum(0).min(sum(1))
    }
}

/// The classes of a block of rows and of a register of lanes.
#[derive(Debug)]
#[repr(C, align(64))] // So that no register of lanes straddles two cache lines.
pub(crate) struct MetClasses {
    lanes: [[u32; MOST_LANES]; 2],
    rows: [[u32; 256]; 2],
    block: usize,
}

/// Rows of a block at most.
const BLOCK_ROWS: usize = 4 * MOST_LANES;

impl MetClasses {
    pub(crate) const NONE: Self = Self {
        lanes: [[0; _]; 2],
        rows: [[0; _]; 2],
        block: usize::MAX,
    };

    /// Meets other rows, or other lanes.
    #[inline]
    pub(crate) fn meet(&mut self, of: &SlotClasses, [row, lane]: [usize; 2]) {
        for k in 0..2 {
            if self.block != row {
                let rows = &of.rows[k][row..];
                let n = rows.len().min(BLOCK_ROWS);
                self.rows[k][..n].copy_from_slice(&rows[..n]);
            }
            let lanes = &of.lanes[k][lane..];
            let n = lanes.len().min(MOST_LANES);
            self.lanes[k][..n].copy_from_slice(&lanes[..n]);
        }
        self.block = row;
    }

    /// The slots of four rows, of which those from `n_slots` up are in none, in their classes.
    #[inline(always)]
    pub(crate) fn placed<S: Simd>(
        &self,
        simd: S,
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        n_slots: u32,
    ) -> [S::U; ROWS] {
        let (last, nowhere) = (simd.splat_u(n_slots - 1), simd.splat_u(u32::MAX));
        let lanes = [simd.load_u(&self.lanes[0]), simd.load_u(&self.lanes[1])];
        let mut placed = slots;
        // By number: closures over registers may end up as calls.
        for at in 0..ROWS {
            let row = usize::from(rows[at]);
            let one = simd.add_u(simd.splat_u(self.rows[0][row]), lanes[0]);
            let other = simd.add_u(simd.splat_u(self.rows[1][row]), lanes[1]);
            let outside = simd.xor(simd.at_most_u(slots[at], last), nowhere);
            placed[at] = simd.or(simd.add_u(slots[at], simd.min_u(one, other)), outside);
        }
        placed
    }
}
