//! Sums of separations in any number of slots, also beside weights: each sum is scattered by itself.
//!
//! Entry: [`Scattered`], a histogram of pairs that wait for it, so that it is compiled once and not for every filter.

#![allow(clippy::inline_always, reason = "it runs inside vector kernels")]

use albireo_simd::{Factors, Histogram, MOST_LANES, ROWS, Scatter, Simd, Targets, Totals};

use super::separations::{MOST_SUMS, Measure, Near, ONE, SlotSeparations, Summand};
use crate::domain::Image;

/// Counts pairs, and sums their weights, separations and weighted separations.
pub(super) struct Scattered<'a> {
    /// One a sum, each of which counts the pairs too.
    sums: Vec<Scatter<true>>,
    of: &'a SlotSeparations<'a>,
    near: Near,
    n_slots: u32,
}

impl<'a> Scattered<'a> {
    pub(super) fn new(of: &'a SlotSeparations<'a>, n_slots: usize) -> Self {
        let sums = of.sums().iter().map(|_| Scatter::new(n_slots));
        Self {
            sums: sums.collect(),
            of,
            near: Near::default(),
            n_slots: n_slots as u32,
        }
    }

    /// What the pairs of a row add to a sum, in its units.
    #[inline(always)]
    fn terms<S: Simd>(
        simd: S,
        summand: Summand,
        separations: [S::D; 2],
        (factor, factors): (f64, &[f64]),
    ) -> [S::D; 2] {
        let [low, high] = separations;
        let terms = match summand.of {
            Measure::Product => products(simd, factor, factors),
            Measure::Separation => {
                let one = simd.splat_d(ONE);
                [simd.mul_d(low, one), simd.mul_d(high, one)]
            }
            Measure::WeightedSeparation => {
                let [of_low, of_high] = products(simd, factor, factors);
                [simd.mul_d(of_low, low), simd.mul_d(of_high, high)]
            }
        };
        if summand.is_rest {
            // By number: a closure over registers may end up as a call.
            [simd.rest(terms[0]), simd.rest(terms[1])]
        } else {
            terms
        }
    }
}

/// The products of a factor and those of a register of lanes.
#[inline(always)]
fn products<S: Simd>(simd: S, factor: f64, factors: &[f64]) -> [S::D; 2] {
    let factor = simd.splat_d(factor);
    [
        simd.mul_d(factor, simd.load_d(factors)),
        simd.mul_d(factor, simd.load_d(&factors[S::DOUBLES..])),
    ]
}

impl Histogram for Scattered<'_> {
    const SIFTS: bool = true;

    const FLUSH_PAIRS: u64 = Scatter::<true>::FLUSH_PAIRS;

    type Open<S: Simd> = [Option<(usize, Targets)>; MOST_SUMS];

    fn move_by(&mut self, vector: [f64; 3]) {
        self.near.move_by(self.of, vector);
    }

    #[inline(always)]
    fn open<S: Simd>(&mut self, simd: S, met: [usize; 2]) -> Self::Open<S> {
        self.near.meet(met);
        let mut open = [None; MOST_SUMS];
        for (open, sum) in open.iter_mut().zip(&mut self.sums) {
            *open = Some(sum.open(simd, met));
        }
        open
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
        let last = simd.splat_u(self.n_slots - 1);
        for (slots, row) in slots.into_iter().zip(rows) {
            if simd.mask_bits(simd.at_most_u(slots, last)) == 0 {
                continue;
            }
            let separations = self.near.separations(simd, self.of, row, 1.0);
            let factors = (factors.rows[row as usize], factors.lanes);
            let sums = self.sums.iter_mut().zip(self.of.sums());
            for ((sum, &summand), open) in sums.zip(open.iter_mut().flatten()) {
                let [low, high] = Self::terms(simd, summand, separations, factors);
                let mut terms = [0.0; MOST_LANES];
                simd.store_d(low, &mut terms);
                simd.store_d(high, &mut terms[S::DOUBLES..]);
                sum.take_weighed(simd, open, slots, &terms[..S::LANES]);
            }
        }
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, simd: S, open: Self::Open<S>, factors: Factors<'_>) {
        for (sum, open) in self.sums.iter_mut().zip(open.into_iter().flatten()) {
            sum.close(simd, open, factors);
        }
    }

    fn product(&self, product: f64, pair: [u32; 2], image: Image, at: usize) -> f64 {
        self.of.term(at, product, pair, image)
    }

    fn flush(&mut self, totals: &mut Totals) {
        let n = totals.pairs.len();
        for (at, sum) in self.sums.iter_mut().enumerate() {
            let mut own = Totals {
                pairs: vec![0; n],
                products: vec![0; n],
            };
            sum.flush(&mut own);
            let sums = totals.products[at * n..].iter_mut();
            sums.zip(own.products).for_each(|(sum, own)| *sum += own);
            // Every sum has counted the same pairs.
            if at == 0 {
                let pairs = totals.pairs.iter_mut().zip(own.pairs);
                pairs.for_each(|(pairs, own)| *pairs = pairs.wrapping_add(own));
            }
        }
    }
}
