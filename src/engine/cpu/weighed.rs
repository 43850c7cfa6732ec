//! Pairs whose weights are more than the product of two: those of a row that the filter puts into bins are weighed together, by their
//! bits and angles, side by side.
//!
//! Entry: [`Weighed`], a histogram of them.

#![allow(clippy::inline_always, reason = "it runs inside vector kernels")]

use albireo_simd::fixed_point::rest_as_term;
use albireo_simd::{Factors, Histogram, MOST_LANES, ROWS, Scatter, Simd, Targets, Totals};

use super::lanes::{PairWeights, RowWords};
use crate::domain::Image;
use crate::traversal::BLOCK;

/// Counts and sums of pairs in bins, each weighed by itself.
pub(super) struct Weighed<'a> {
    sums: Scatter<true>,
    /// What first words leave, where that is summed.
    rests: Option<Scatter<true>>,
    of: &'a PairWeights<'a>,
    rows: RowWords,
    /// The slot of the first lane that is met.
    lane: usize,
    n_slots: u32,
}

impl<'a> Weighed<'a> {
    /// In a box, so that what is large stays where it is.
    pub(super) fn new(of: &'a PairWeights<'a>, n_slots: usize, rests: bool) -> Box<Self> {
        Box::new(Self {
            sums: Scatter::new(n_slots),
            rests: rests.then(|| Scatter::new(n_slots)),
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

    type Open<S: Simd> = ((usize, Targets), Option<(usize, Targets)>);

    #[inline(always)]
    fn open<S: Simd>(&mut self, simd: S, met: [usize; 2]) -> Self::Open<S> {
        self.of.read_rows(&mut self.rows, met[0]);
        self.lane = met[1];
        let rests = self.rests.as_mut();
        (
            self.sums.open(simd, met),
            rests.map(|rests| rests.open(simd, met)),
        )
    }

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        (open, open_rests): &mut Self::Open<S>,
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        factors: Factors<'_>,
    ) {
        if self.rests.is_none()
            && let Some(common) = self.of.common(&self.rows, self.lane)
        {
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
                let weights = &weights[..S::LANES];
                self.sums.take_weighed(simd, open, slots, weights);
                if let (Some(rests), Some(open)) = (&mut self.rests, open_rests.as_mut()) {
                    let mut terms = [0.0; MOST_LANES];
                    for at in (0..S::LANES).step_by(S::DOUBLES) {
                        let rest = simd.rest(simd.load_d(&weights[at..]));
                        simd.store_d(rest, &mut terms[at..]);
                    }
                    rests.take_weighed(simd, open, slots, &terms[..S::LANES]);
                }
            }
        }
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, simd: S, open: Self::Open<S>, factors: Factors<'_>) {
        self.sums.close(simd, open.0, factors);
        if let (Some(rests), Some(open)) = (&mut self.rests, open.1) {
            rests.close(simd, open, factors);
        }
    }

    fn product(&self, product: f64, pair: [u32; 2], _: Image, at: usize) -> f64 {
        let weight = self.of.of_pair(product, pair.map(|slot| slot as usize));
        if at == 0 {
            weight
        } else {
            rest_as_term(weight)
        }
    }

    fn flush(&mut self, totals: &mut Totals) {
        self.sums.flush(totals);
        if let Some(rests) = &mut self.rests {
            let n = totals.pairs.len();
            // They have counted the same pairs.
            let mut own = Totals {
                pairs: vec![0; n],
                products: vec![0; n],
            };
            rests.flush(&mut own);
            let sums = totals.products[n..].iter_mut();
            sums.zip(own.products).for_each(|(sum, own)| *sum += own);
        }
    }
}
