//! Realisations of the first sample alone: a histogram for each of its rows, whose numbers are added to the realisations of the row when
//! the walk leaves its block, so that a pair costs what it does in a count of one.
//!
//! Entry: [`InRows`], a histogram of them.

#![allow(clippy::inline_always, reason = "it runs inside vector kernels")]

use albireo_simd::fixed_point::FLUSH_TERMS;
use albireo_simd::{BitSums, Factors, Histogram, Kernel, Portable, ROWS, Scatter, Simd, Totals};

use super::realised::SlotRealisations;
use crate::traversal::{BLOCK, GROUP_BLOCKS};

/// More bins than this are left to [`super::realised`]: histograms of rows would not stay near the processor.
const MOST_SLOTS: usize = 128;

/// The histograms of a block's rows.
struct Rows<const PRODUCTS: bool> {
    /// Its number; [`NONE`] where nothing is counted.
    block: usize,
    counters: Scatter<PRODUCTS>,
}

const NONE: usize = usize::MAX;

/// Counts the pairs of each row, and sums their weights.
pub(super) struct InRows<'a, const PRODUCTS: bool> {
    of: &'a SlotRealisations,
    n_slots: usize,
    /// Those of the blocks of a group, which the walk meets in turn.
    blocks: Vec<Rows<PRODUCTS>>,
    /// Which of them is met.
    met: usize,
    /// What rows are emptied into.
    emptied: Totals,
    /// For each slot and word.
    numbers: Vec<BitSums>,
    sums: Vec<BitSums>,
}

impl<'a, const PRODUCTS: bool> InRows<'a, PRODUCTS> {
    /// None where bits are not on the rows alone, or where there are other sums or too many slots.
    pub(super) fn wanted(of: &'a SlotRealisations, n_slots: usize) -> Option<Self> {
        let sums: &[bool] = if PRODUCTS { &[false] } else { &[] };
        if !of.of_rows || of.rests != sums || n_slots > MOST_SLOTS {
            return None;
        }
        let (words, counters) = (n_slots * of.words(), n_slots * BLOCK);
        let rows = || Rows {
            block: NONE,
            counters: Scatter::new(counters),
        };
        Some(Self {
            of,
            n_slots,
            blocks: (0..GROUP_BLOCKS).map(|_| rows()).collect(),
            met: 0,
            emptied: Totals {
                pairs: vec![0; counters],
                products: vec![0; if PRODUCTS { counters } else { 0 }],
            },
            numbers: vec![BitSums::NONE; words],
            sums: vec![BitSums::NONE; words * sums.len()],
        })
    }

    /// Adds what the rows of block number `at` have counted to their realisations.
    #[inline(always)]
    fn leave<S: Simd>(&mut self, simd: S, at: usize) {
        let Rows { block, counters } = &mut self.blocks[at];
        let block = std::mem::replace(block, NONE);
        if block == NONE {
            return;
        }
        counters.flush(&mut self.emptied);
        let (words, n_slots) = (self.of.words(), self.n_slots);
        // By number: closures over registers may end up as calls.
        for row in 0..BLOCK {
            for slot in 0..n_slots {
                let pairs = &mut self.emptied.pairs[row * n_slots + slot];
                if *pairs == 0 {
                    continue;
                }
                let pairs = std::mem::take(pairs).cast_signed();
                for word in 0..words {
                    let set = self.of.first[word][block * BLOCK + row];
                    let own = slot * words + word;
                    simd.add_to_members(set, pairs, &mut self.numbers[own]);
                    if PRODUCTS {
                        // Of fewer terms than are flushed.
                        let sum = self.emptied.products[row * n_slots + slot] as i64;
                        simd.add_to_members(set, sum, &mut self.sums[own]);
                    }
                }
            }
        }
        self.emptied.products.fill(0);
    }
}

/// Leaves a block.
struct Leave<'a, 'b, const PRODUCTS: bool>(&'a mut InRows<'b, PRODUCTS>, usize);

impl<const PRODUCTS: bool> Kernel for Leave<'_, '_, PRODUCTS> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.0.leave(simd, self.1);
    }
}

impl<const PRODUCTS: bool> Histogram for InRows<'_, PRODUCTS> {
    const SIFTS: bool = true;

    /// Sums of 2^26 terms of up to 2^36 are within 64 bits.
    const FLUSH_PAIRS: u64 = FLUSH_TERMS / 2;

    type Open<S: Simd> = <Scatter<PRODUCTS> as Histogram>::Open<S>;

    #[inline(always)]
    fn open<S: Simd>(&mut self, simd: S, met: [usize; 2]) -> Self::Open<S> {
        let block = met[0] / BLOCK;
        self.met = block % GROUP_BLOCKS;
        if self.blocks[self.met].block != block {
            simd.vectorize(Leave(self, self.met));
            self.blocks[self.met].block = block;
        }
        self.blocks[self.met].counters.open(simd, met)
    }

    #[inline(always)]
    fn make_room<S: Simd>(&mut self, simd: S, open: &Self::Open<S>, k: usize) {
        self.blocks[self.met].counters.make_room(simd, open, k);
    }

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        open: &mut Self::Open<S>,
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        factors: Factors<'_>,
    ) {
        let n_slots = self.n_slots as u32;
        let (last, nowhere) = (simd.splat_u(n_slots - 1), simd.splat_u(u32::MAX));
        let mut of_rows = slots;
        for at in 0..ROWS {
            let outside = simd.xor(simd.at_most_u(slots[at], last), nowhere);
            let first = simd.splat_u(u32::from(rows[at]) * n_slots);
            of_rows[at] = simd.or(simd.add_u(slots[at], first), outside);
        }
        let counters = &mut self.blocks[self.met].counters;
        counters.take(simd, open, of_rows, rows, factors);
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, simd: S, open: Self::Open<S>, factors: Factors<'_>) {
        self.blocks[self.met].counters.close(simd, open, factors);
    }

    fn product(&self, product: f64, pair: [u32; 2], _: [i8; 3], at: usize) -> f64 {
        self.of.term(product, pair, at)
    }

    fn flush(&mut self, totals: &mut Totals) {
        for at in 0..self.blocks.len() {
            // Now and then, by the operations of any processor.
            self.leave(Portable, at);
        }
        let words = self.of.words();
        for (of_sum, sums) in [&mut self.numbers, &mut self.sums].into_iter().enumerate() {
            for (slot, own) in sums.chunks_exact_mut(words).enumerate() {
                self.of.empty((totals, of_sum), slot, own);
            }
        }
    }
}
