//! What is known of some rows against the points of a leaf, pair by pair: each step reads what the one before has written.

use albireo_simd::Simd;

use crate::traversal::{LEAF, Slots};

/// Rows taken together: more than a processor looks ahead, so that nothing is read straight after it was written.
pub(super) const ROWS: usize = 16;

/// Pairs of a full batch; pair k is row `k / LEAF` with lane `k % LEAF`.
pub(super) const PAIRS: usize = ROWS * LEAF;

/// A number a pair.
pub(super) type Column = [f64; PAIRS];

/// The pairs of some rows with the points of a leaf.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Batch {
    /// The difference vectors, where a line of sight needs them.
    pub(super) d: [Column; 3],
    /// r2, or rp2 in its place; infinite where there is no pair to count.
    pub(super) across: Column,
    /// The root of the square across, where it is needed.
    pub(super) root: Column,
    /// `(d.l)*(d.l)` or pi2: what is compared with squared edges along the line of sight.
    pub(super) along: Column,
    /// What the squared edges of mu are multiplied by.
    pub(super) scale: Column,
    /// `d.l`, for its sign.
    pub(super) dl: Column,
    /// The weights of pairs, where they are more than the product of two; any number where a row has no pair in a bin.
    pub(super) weights: Column,
    /// What the keys along the line of sight are made of.
    pub(super) sought: Column,
    /// Keys of cells, across and along.
    pub(super) keys: [[i64; PAIRS]; 2],
    /// Where the pairs are counted.
    pub(super) slots: [i64; PAIRS],
    /// The rows of the first block, and how many of them are in use.
    pub(super) rows: [u8; ROWS],
    pub(super) n_rows: usize,
}

impl Batch {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            d: [[0.0; PAIRS]; 3],
            across: [0.0; PAIRS],
            root: [0.0; PAIRS],
            along: [0.0; PAIRS],
            scale: [0.0; PAIRS],
            dl: [0.0; PAIRS],
            weights: [0.0; PAIRS],
            sought: [0.0; PAIRS],
            keys: [[0; PAIRS]; 2],
            slots: [0; PAIRS],
            rows: [0; ROWS],
            n_rows: 0,
        })
    }

    /// Pairs in use.
    #[inline(always)]
    pub(super) fn n_pairs(&self) -> usize {
        (self.n_rows * LEAF).min(PAIRS)
    }

    /// The row of the first block and the lane of the leaf that pair `k` is made of.
    #[inline(always)]
    pub(super) fn pair(&self, k: usize) -> [usize; 2] {
        [self.rows[k / LEAF] as usize, k % LEAF]
    }

    /// Takes out what is no pair where a block meets itself: of a leaf's own rows, the point itself and, where each pair is met once, the
    /// lanes before.
    #[inline(always)]
    pub(super) fn leave_out(&mut self, slots: Slots, leaf: usize) {
        if slots == Slots::All {
            return;
        }
        for (k, &row) in self.rows[..self.n_rows].iter().enumerate() {
            let row = row as usize;
            if row / LEAF != leaf {
                continue;
            }
            let own = row % LEAF;
            let from = if slots == Slots::Later { 0 } else { own };
            self.across[k * LEAF + from..=k * LEAF + own].fill(f64::INFINITY);
        }
    }
}

/// Three registers of vectors' components.
pub(super) type Vectors<S> = [<S as Simd>::D; 3];

/// `(ax*bx + ay*by) + az*bz`.
#[inline(always)]
pub(super) fn dot<S: Simd>(simd: S, a: Vectors<S>, b: Vectors<S>) -> S::D {
    let xy = simd.add_d(simd.mul_d(a[0], b[0]), simd.mul_d(a[1], b[1]));
    simd.add_d(xy, simd.mul_d(a[2], b[2]))
}
