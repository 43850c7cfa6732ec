//! Pairs that bits and angles weigh, by several sets of weights: the filter places them once.
//!
//! Entry: [`WeighedSets`], a histogram of them.

use super::weighed::{SlotWeights, Weighed};
use crate::simd::{Factors, Histogram, ROWS, Simd, Totals};

/// Counts and sums of pairs in bins by each set of weights.
pub(super) struct WeighedSets<'a> {
    sets: Vec<Weighed<'a>>,
    n_slots: usize,
}

impl<'a> WeighedSets<'a> {
    /// No pair, in so many slots.
    pub(super) fn new(of: &'a SlotWeights<'a>, n_slots: usize) -> Self {
        let sets = (0..of.sets()).map(|set| Weighed::new(of, set, n_slots));
        Self {
            sets: sets.collect(),
            n_slots,
        }
    }
}

impl Histogram for WeighedSets<'_> {
    const SIFTS: bool = true;

    const FLUSH_PAIRS: u64 = Weighed::FLUSH_PAIRS;

    type Open<S: Simd> = ();

    #[inline(always)]
    fn open<S: Simd>(&mut self, simd: S, met: [usize; 2]) {
        self.sets.iter_mut().for_each(|set| set.open(simd, met));
    }

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        (): &mut (),
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        factors: Factors<'_>,
    ) {
        for set in &mut self.sets {
            set.take(simd, &mut (), slots, rows, factors);
        }
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, _: S, (): ()) {}

    fn product(&self, product: f64, pair: [u32; 2], set: usize) -> f64 {
        self.sets[set].product(product, pair, set)
    }

    fn flush(&mut self, totals: &mut Totals) {
        for (at, set) in self.sets.iter_mut().enumerate() {
            let mut own = Totals {
                pairs: vec![0; self.n_slots],
                products: vec![0; self.n_slots],
            };
            set.flush(&mut own);
            let slots = totals.products[at * self.n_slots..].iter_mut();
            slots
                .zip(own.products)
                .for_each(|(total, sum)| *total += sum);
            // Every set has the same pairs.
            if at == 0 {
                for (total, pairs) in totals.pairs.iter_mut().zip(own.pairs) {
                    *total = total.wrapping_add(pairs);
                }
            }
        }
    }
}
