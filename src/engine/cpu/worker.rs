//! What stays the same for a job, what a worker carries through it, and the tiles that it takes: the words of [`super::tile`], which counts
//! them, and of [`super::doubt`], which looks at some pairs again.

use albireo_simd::{Histogram, Totals};

use super::measures::{Measures, Rows};
use super::quads::{MOST_QUADS, Quads};
use super::reach::Reach;
use super::whole::{Small, WholeRows};
use crate::binning::filter::Rounding;
use crate::domain::Image;
use crate::traversal::{BLOCK, BlockPair, LEAF, Layout, Offsets};

/// One side of a job, as the kernels see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) layout: &'a Layout,
    /// Those of `layout`, which takes time to find where other processes hold them, too.
    pub(super) offsets: &'a [Offsets],
    /// One factor a slot, or nothing.
    pub(super) factors: &'a [f64],
}

impl<'a> Side<'a> {
    pub(super) fn new(layout: &'a Layout, factors: &'a [f64]) -> Self {
        Self {
            layout,
            offsets: &layout.offsets,
            factors,
        }
    }
}

/// Decides pairs by the contract: finds the histogram slot of each under its translation.
pub(super) type ExactRule<'a> = dyn Fn(&mut [Doubt]) + Sync + 'a;

/// How the points of a pair make its line of sight: `first * x1 + second * x2`.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineWeights {
    pub(super) first: f64,
    pub(super) second: f64,
}

/// Everything that stays the same for a job.
#[derive(Clone, Copy)]
pub(super) struct Job<'a, F> {
    pub(super) filter: F,
    pub(super) first: Side<'a>,
    pub(super) second: Side<'a>,
    pub(super) reach: Reach,
    pub(super) line: LineWeights,
    /// The order of the axes in which the fixed line of sight, if any, comes last.
    pub(super) axes: [usize; 3],
    pub(super) exact: &'a ExactRule<'a>,
    pub(super) n_slots: usize,
    pub(super) rounding: Rounding,
    /// Whether it pays to narrow the filter's bounds down to any pair of blocks.
    pub(super) often_doubtful: bool,
    /// Leaves whose rows may lie in one bin as a whole.
    pub(super) small: Small,
    /// Whether it pays for blocks that are small, because pairs near each other are doubtful.
    pub(super) near_doubtful: bool,
}

/// What one worker carries from tile to tile.
pub(super) struct Worker<H> {
    pub(super) histogram: H,
    /// Where rows are counted whole; apart, so that it moves nothing that the inner loops use.
    pub(super) whole: Option<Box<WholeRows<H>>>,
    pub(super) totals: Totals,
    /// Sets of weights whose products are summed.
    pub(super) sets: usize,
    pub(super) rows: Box<Rows>,
    pub(super) measured: Box<Measures>,
    /// Rows that are placed once more.
    pub(super) again: Again,
    /// Pairs waiting for the exact rule.
    pub(super) doubts: Vec<Doubt>,
    pub(super) since_flush: u64,
    /// Pairs tested, and how many of them were doubtful.
    pub(super) tested: u64,
    pub(super) doubtful: u64,
}

impl<H: Histogram> Worker<H> {
    pub(super) fn new(histogram: H, n_slots: usize, sets: usize) -> Self {
        Self {
            histogram,
            whole: None,
            totals: Totals {
                pairs: vec![0; n_slots],
                products: vec![0; n_slots * sets],
            },
            sets,
            rows: Rows::new(),
            measured: Measures::new(),
            again: Again::new(),
            doubts: Vec::with_capacity(DOUBTS),
            since_flush: 0,
            tested: 0,
            doubtful: 0,
        }
    }

    pub(super) fn flush(&mut self) {
        self.histogram.flush(&mut self.totals);
        if let Some(rows) = &mut self.whole {
            rows.flush(&mut self.totals);
        }
        self.since_flush = 0;
    }
}

/// Rows as the filter places them, and where it is in doubt.
pub(super) struct Again {
    pub(super) quads: Box<Quads>,
    /// One bit for each doubtful lane, [`MOST_LANES`] a row.
    pub(super) doubtful: [u64; MOST_QUADS],
}

impl Again {
    fn new() -> Self {
        Self {
            quads: Quads::new(),
            doubtful: [0; _],
        }
    }
}

/// A leaf of the second block against the first block.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub(super) pair: BlockPair,
    pub(super) leaf: usize,
    /// `(centre1 - centre2) + translation` of the blocks, scaled.
    pub(super) apart: [f32; 3],
    /// The line of sight of their centres, scaled; 0 where none is needed.
    pub(super) line: [f32; 3],
    /// Whether some of its pairs may be beyond reach, and are to be left out where placing them is dear.
    pub(super) sifts: bool,
}

impl Tile {
    /// The slots of the first row and of the leaf's point number `part`.
    #[inline(always)]
    pub(super) fn met(&self, part: usize) -> [usize; 2] {
        let second = self.pair.second * BLOCK + self.leaf * LEAF + part;
        [self.pair.first * BLOCK, second]
    }
}

/// A pair of slots that was counted where it may not belong.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doubt {
    pub(super) pair: [u32; 2],
    pub(super) image: Image,
    /// Where it was counted; from the number of slots up, nowhere.
    pub(super) from: u32,
    /// Where it belongs, once the exact rule has said so.
    pub(super) to: u32,
}

/// Doubts that wait until they are decided together: one by one, each would wait for the last.
pub(super) const DOUBTS: usize = 1024;
