//! Pairs whose weights are more than the product of two: those of a row that the filter puts into bins are weighed together, by their
//! bits and angles, side by side.
//!
//! Entry: [`Weighed`], a histogram of them.

#![allow(clippy::inline_always, reason = "it runs inside vector kernels")]

use super::lanes::{PairWeights, RowWords};
use crate::domain::Image;
use crate::simd::{Factors, Histogram, MOST_LANES, ROWS, Scatter, Simd, Targets, Totals};
use crate::traversal::BLOCK;

/// Counts and sums of pairs in bins, each weighed by itself.
pub(super) struct Weighed<'a> {
    sums: Scatter<true>,
    of: &'a PairWeights<'a>,
    rows: RowWords,
    /// The slot of the first lane that is met.
    lane: usize,
    n_slots: u32,
}

impl<'a> Weighed<'a> {
    /// In a box, so that what is large stays where it is.
    pub(super) fn new(of: &'a PairWeights<'a>, n_slots: usize) -> Box<Self> {
        Box::new(Self {
            sums: Scatter::new(n_slots),
            of,
            rows: of.row_words(),
            lane: 0,
            n_slots: n_slots as u32,
        })
    }
}

impl Histogram for Weighed<'_> {
    const SIFTS: bool = true;

    const FLUSH_PAIRS: u64 = Scatter::<true>::FLUSH_PAIRS;

    type Open<S: Simd> = (usize, Targets);

    #[inline(always)]
    fn open<S: Simd>(&mut self, simd: S, met: [usize; 2]) -> Self::Open<S> {
        self.of.read_rows(&mut self.rows, met[0]);
        self.lane = met[1];
        self.sums.open(simd, met)
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
        if let Some(common) = self.of.common(&self.rows, self.lane) {
            // What pads rows lies in no bin: whose weights it gets does not matter.
            let rows = rows.map(|row| row % BLOCK as u8);
            return (self.sums).take_common(simd, open, (slots, rows), factors, common);
        }
        let last = simd.splat_u(self.n_slots - 1);
        let mut inside = [0; ROWS];
        for (inside, slots) in inside.iter_mut().zip(slots) {
            *inside = simd.mask_bits(simd.at_most_u(slots, last));
        }
        if inside == [0; ROWS] {
            return;
        }
        let mut weights = [[0.0; MOST_LANES]; ROWS];
        for (weights, row) in weights.iter_mut().zip(rows) {
            let factor = factors.rows[row as usize];
            for (weight, &other) in weights[..S::LANES].iter_mut().zip(factors.lanes) {
                *weight = factor * other;
            }
        }
        (self.of).weigh_rows(simd, &mut weights, (&self.rows, rows), self.lane, inside);
        for ((slots, weights), inside) in slots.into_iter().zip(&weights).zip(inside) {
            if inside != 0 {
                self.sums
                    .take_weighed(simd, open, slots, &weights[..S::LANES]);
            }
        }
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, simd: S, open: Self::Open<S>, factors: Factors<'_>) {
        self.sums.close(simd, open, factors);
    }

    fn product(&self, product: f64, pair: [u32; 2], _: Image, _: usize) -> f64 {
        self.of.of_pair(product, pair.map(|slot| slot as usize))
    }

    fn flush(&mut self, totals: &mut Totals) {
        self.sums.flush(totals);
    }
}
