//! Histograms fed a register of slots at a time: [`super::BitSliced`] for few bins, [`super::Scatter`] for many.
//!
//! Entry: [`Histogram`]. Partial sums are held in narrow integers; [`Histogram::flush`] widens them, and the caller flushes before
//! [`Histogram::FLUSH_PAIRS`] pairs.

use super::Simd;

/// Rows handed over together.
pub const ROWS: usize = 4;

/// Totals that partial sums are flushed into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    /// Pairs in each slot, modulo 2^64: moves between slots may pass through "negative" numbers.
    pub pairs: Vec<u64>,
    /// Fixed-point products in each slot, those of one set of weights after the other; empty where none are summed.
    pub products: Vec<i128>,
}

/// The factors of a tile: those of its rows, scaled by 2^36, and those of its lanes.
#[derive(Debug, Clone, Copy)]
pub struct Factors<'a> {
    /// Those of the rows, by their numbers in the tile.
    pub rows: &'a [f64; 256],
    /// Those of the lanes.
    pub lanes: &'a [f64],
}

/// Counts slots; slots from `n_slots` up are out of range.
pub trait Histogram {
    /// Whether a register of pairs costs so much that it pays to ask whether any of them is within reach.
    const SIFTS: bool;
    /// Whether pairs wait in it to be taken: then what is beyond reach is looked for everywhere.
    const DEFERS: bool = false;

    /// Whether pairs are counted, and nothing else is: then many that share a slot can be added at once.
    const COUNTS: bool = false;

    /// Pairs that may be taken in between two flushes.
    const FLUSH_PAIRS: u64;

    /// Counters that stay in registers from quad to quad of rows.
    type Open<S: Simd>: Copy;

    /// Lets `vector` be what is added to the differences of the pairs that follow.
    #[inline(always)]
    fn move_by(&mut self, _: [f64; 3]) {}

    /// Brings counters into registers; `met` are the slots of the first row and of the first lane, in their samples.
    fn open<S: Simd>(&mut self, simd: S, met: [usize; 2]) -> Self::Open<S>;

    /// Counts what waits where row `k` of the next four will; each of them is made room for before it is taken in, and between the steps
    /// that place them, so that units for numbers and for memory are at work at the same time.
    #[inline(always)]
    fn make_room<S: Simd>(&mut self, _: S, _: &Self::Open<S>, _k: usize) {}

    /// Takes in four rows of slots, for which there is room; `rows` numbers them for their factors.
    fn take<S: Simd>(
        &mut self,
        simd: S,
        open: &mut Self::Open<S>,
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        factors: Factors<'_>,
    );

    /// Takes in four rows that were placed before.
    #[inline(always)]
    fn take_placed<S: Simd>(
        &mut self,
        simd: S,
        open: &mut Self::Open<S>,
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        factors: Factors<'_>,
    ) {
        for k in 0..ROWS {
            self.make_room(simd, open, k);
        }
        self.take(simd, open, slots, rows, factors);
    }

    /// What is added to the slot of the pair of two slots of the samples, where its class is counted apart.
    fn class_begins(&self, _: [u32; 2]) -> u32 {
        0
    }

    /// Puts the counters back; `factors` are those of the rows that were taken in.
    fn close<S: Simd>(&mut self, simd: S, open: Self::Open<S>, factors: Factors<'_>);

    /// What the pair of two slots of the samples adds under a translation by so many of each lattice vector, by set number `_set` of
    /// weights; `product` is that of their factors.
    fn product(&self, product: f64, _: [u32; 2], _: [i8; 3], _set: usize) -> f64 {
        product
    }

    /// Adds the partial sums to `totals` and clears them.
    fn flush(&mut self, totals: &mut Totals);
}
