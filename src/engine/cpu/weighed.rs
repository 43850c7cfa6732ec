//! Pairs whose weights are more than the product of two: those of a row that the filter puts into bins are weighed together, by their
//! bits and angles, side by side.
//!
//! Entry: [`Weighed`], a histogram of them.

use super::lanes::{PairWeights, RowWords};
use crate::domain::Image;
use crate::simd::{Factors, Histogram, Kernel, MOST_LANES, ROWS, Scatter, Simd, Targets, Totals};

/// Counts and sums of pairs in bins, each weighed by itself.
#[repr(C, align(64))] // No register of slots straddles two cache lines.
pub(super) struct Weighed<'a> {
    /// The slots of four rows.
    slots: [[u32; MOST_LANES]; ROWS],
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
            slots: [[0; MOST_LANES]; ROWS],
            sums: Scatter::new(n_slots),
            of,
            rows: of.row_words(),
            lane: 0,
            n_slots: n_slots as u32,
        })
    }
}

/// Four rows, weighed: a function of its own, the same for all filters.
struct WeighRows<'a, 'b, 'c> {
    weighed: &'a mut Weighed<'b>,
    open: &'a mut (usize, Targets),
    rows: [u8; ROWS],
    factors: Factors<'c>,
}

impl Kernel for WeighRows<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { weighed, open, .. } = self;
        let last = simd.splat_u(weighed.n_slots - 1);
        for (k, row) in self.rows.into_iter().enumerate() {
            let slots = simd.load_u(&weighed.slots[k]);
            let inside = simd.mask_bits(simd.at_most_u(slots, last));
            if inside == 0 {
                continue;
            }
            let mut weights = [0.0; MOST_LANES];
            let weights = &mut weights[..S::LANES];
            let factor = self.factors.rows[row as usize];
            for (weight, &other) in weights.iter_mut().zip(self.factors.lanes) {
                *weight = factor * other;
            }
            let row = (&weighed.rows, row as usize);
            (weighed.of).weigh_row(simd, weights, row, weighed.lane, inside);
            weighed.sums.take_weighed(simd, open, slots, weights);
        }
    }
}

impl Histogram for Box<Weighed<'_>> {
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
        let [a, b, c, d] = slots;
        simd.store_u(a, &mut self.slots[0]);
        simd.store_u(b, &mut self.slots[1]);
        simd.store_u(c, &mut self.slots[2]);
        simd.store_u(d, &mut self.slots[3]);
        simd.vectorize(WeighRows {
            weighed: self,
            open,
            rows,
            factors,
        });
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, simd: S, open: Self::Open<S>) {
        self.sums.close(simd, open);
    }

    fn product(&self, product: f64, pair: [u32; 2], _: Image, _: usize) -> f64 {
        self.of.of_pair(product, pair.map(|slot| slot as usize))
    }

    fn flush(&mut self, totals: &mut Totals) {
        self.sums.flush(totals);
    }
}
