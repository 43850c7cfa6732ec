//! Counters and sums of any number of slots, in memory.

use std::sync::Arc;

use super::histogram::{Factors, Histogram, ROWS, Totals};
use super::slot_classes::{MetClasses, SlotClasses};
use super::{Common, MOST_LANES, Simd};

/// Any number of slots: rows wait in a ring before they are scattered, so that no row is read straight after it was written.
#[derive(Debug)]
#[repr(C, align(64))] // What registers are stored in or loaded from comes first, so that none straddles two cache lines.
pub struct Scatter<const PRODUCTS: bool> {
    /// Slots or, where products are summed, where their sums lie, in bytes.
    slots: [u32; RING],
    /// What [`Simd::terms`] makes of products.
    terms: [u64; RING],
    /// The entries for what is out of range, a lane each.
    out_of_range: [u32; MOST_LANES],
    /// Where the next slots go.
    at: usize,
    out: u32,
    /// Counters where there are no products, [`COPIES`] side by side for different lanes. After the slots lies an entry a lane for
    /// what is out of range: one for all would be a chain of additions that wait for each other.
    pairs: Vec<[u32; COPIES]>,
    /// Sums of terms in copies and with extra entries too.
    sums: Vec<[u64; COPIES]>,
    /// Where the sums lie, in bytes, that have wrapped.
    wrapped: [u32; MOST_WRAPPED],
    n_wrapped: usize,
    /// What the sums that wrapped held, for each slot and copy.
    unloaded: Vec<[Unloaded; COPIES]>,
    /// Classes that are counted apart.
    classes: Option<Box<(Arc<SlotClasses>, MetClasses)>>,
}

/// Tells the compiler that it is seldom called, and so what comes after it.
#[cold]
#[inline]
fn rarely() {}

/// Terms and products that have left a sum of terms.
#[derive(Debug, Clone, Copy, Default)]
struct Unloaded {
    terms: u64,
    products: i128,
}

impl Unloaded {
    /// Adds what `sum`, of fewer than [`MOST_TERMS`] terms, holds.
    #[inline]
    fn add(&mut self, sum: u128) {
        let terms = (sum >> TERM_BITS) as u64;
        let products = sum as i128 & ((1 << TERM_BITS) - 1);
        self.terms += terms;
        self.products += products - (i128::from(terms) << crate::fixed_point::FRACTION_BITS);
    }
}

/// Bits below the number of terms in a sum of terms.
pub(crate) const TERM_BITS: u32 = 51;

/// Fewer terms than this keep the sum of their products, each at most 2^37 as it stands in a term, below the number of terms.
const MOST_TERMS: u64 = 1 << (TERM_BITS - 37);

/// Slots that wait; every register width divides it.
const RING: usize = 256;

/// Counters of a slot: neighbouring lanes, which often fall into the same slot, need not wait for each other.
const COPIES: usize = 2;

/// Pairs taken in at most while the counters are open, with those that wait.
const MOST_WRAPPED: usize = 2048;

// A sum wraps with its term number 2^13, and may go on until the counters are closed.
const _: () = assert!((1 << (64 - TERM_BITS)) + (MOST_WRAPPED as u64) < MOST_TERMS);

impl<const PRODUCTS: bool> Scatter<PRODUCTS> {
    /// Log2 of what slots are multiplied by as they enter the ring: the bytes of the sums of a slot. Instructions that count multiply by the
    /// bytes of its counters themselves.
    const SHIFT: u32 = if PRODUCTS { (COPIES * 8).ilog2() } else { 0 };

    /// Slots that can be numbered.
    pub const MOST_SLOTS: usize = (u32::MAX >> Self::SHIFT) as usize - MOST_LANES;

    /// No pair, in so many slots.
    pub fn new(n_slots: usize) -> Self {
        let n_counters = n_slots + MOST_LANES;
        let (n_pairs, n_sums) = if PRODUCTS {
            (0, n_counters)
        } else {
            (n_counters, 0)
        };
        Self {
            slots: [(n_slots as u32) << Self::SHIFT; RING],
            terms: [0; RING],
            out_of_range: std::array::from_fn(|lane| (n_slots + lane) as u32),
            at: 0,
            out: n_slots as u32,
            pairs: vec![[0; COPIES]; n_pairs],
            sums: vec![[0; COPIES]; n_sums],
            wrapped: [0; MOST_WRAPPED],
            n_wrapped: 0,
            unloaded: vec![[Unloaded::default(); COPIES]; n_sums],
            classes: None,
        }
    }

    /// No pair, in the slots of each class.
    pub fn of_classes(classes: &Arc<SlotClasses>) -> Self {
        Self {
            classes: Some(Box::new((Arc::clone(classes), MetClasses::NONE))),
            ..Self::new(classes.number * classes.n_slots)
        }
    }

    /// Where the counters lie.
    #[inline(always)]
    fn targets(&mut self) -> Targets {
        Targets {
            pairs: self.pairs.as_mut_ptr().cast(),
            sums: self.sums.as_mut_ptr().cast(),
        }
    }

    /// Counts the `lanes` slots from `at` on, both even.
    #[inline(always)]
    fn scatter(&mut self, targets: Targets, at: usize, lanes: usize) {
        if PRODUCTS {
            self.add_terms(targets, at, lanes);
            return;
        }
        for (lane, &slot) in self.slots[at..at + lanes].iter().enumerate() {
            // SAFETY: slots enter the ring only through `take`, `new` and `flush`, which keep every one below `out + MOST_LANES`; as
            // many entries of `COPIES` have the counters where there are no products, and nothing else refers to them.
            unsafe { *targets.pairs.add(slot as usize * COPIES + lane % COPIES) += 1 };
        }
    }

    /// The same with terms.
    #[inline(always)]
    fn add_terms(&mut self, targets: Targets, at: usize, lanes: usize) {
        let waited = &self.slots[at..at + lanes];
        let terms = &self.terms[at..at + lanes];
        for lane in (0..lanes).step_by(2) {
            // One load for two slots: loads are what a scatter of terms has most of.
            // SAFETY: both halves of the word read lie within `waited`.
            let both = unsafe { waited.as_ptr().add(lane).cast::<u64>().read_unaligned() };
            let both = if cfg!(target_endian = "big") {
                both.rotate_left(32)
            } else {
                both
            };
            for (lane, slot) in [(lane, both & 0xffff_ffff), (lane + 1, both >> 32)] {
                let (slot, copy) = (slot as usize, lane % COPIES);
                // SAFETY: slots enter the ring only through `take`, `new` and `flush`, which keep every one below
                // `out + MOST_LANES` and scale it to bytes; the sums, where products are summed, have that many entries of
                // `COPIES`, and nothing else refers to them.
                let wraps = unsafe {
                    let sum = targets.sums.byte_add(slot).add(copy);
                    let (wrapped, wraps) = (*sum).overflowing_add(terms[lane]);
                    *sum = wrapped;
                    wraps
                };
                if wraps {
                    rarely();
                    let at = slot + copy * size_of::<u64>();
                    self.wrapped[self.n_wrapped % MOST_WRAPPED] = at as u32;
                    self.n_wrapped += 1;
                }
            }
        }
    }

    /// Empties the sums that have wrapped.
    #[cold]
    #[inline(never)]
    fn unload(&mut self) {
        for at in &self.wrapped[..self.n_wrapped] {
            let at = *at as usize / size_of::<u64>();
            let sum = &mut self.sums.as_flattened_mut()[at];
            self.unloaded.as_flattened_mut()[at].add((1 << 64) + u128::from(*sum));
            *sum = 0;
        }
        self.n_wrapped = 0;
    }

    /// Lets one row of slots wait where the oldest did, which has been counted.
    #[inline(always)]
    fn take_slots<S: Simd>(&mut self, simd: S, at: usize, slots: S::U) {
        let slots = simd.min_u(slots, simd.load_u(&self.out_of_range));
        let slots = if PRODUCTS {
            simd.shift_left(slots, Self::SHIFT)
        } else {
            slots
        };
        simd.store_u(slots, &mut self.slots[at..at + S::LANES]);
    }

    /// The same with what is added.
    #[inline(always)]
    fn take_row<S: Simd>(
        &mut self,
        simd: S,
        at: usize,
        slots: S::U,
        factors: Factors<'_>,
        row: u8,
    ) {
        self.take_slots(simd, at, slots);
        if PRODUCTS {
            let factor = factors.rows[row as usize];
            simd.terms(factor, factors.lanes, &mut self.terms[at..at + S::LANES]);
        }
    }
}

impl Scatter<true> {
    /// Takes in four rows of slots and makes room for them; what their pairs add depends on their common bits too.
    #[inline(always)]
    pub fn take_common<S: Simd>(
        &mut self,
        simd: S,
        (at, targets): &mut (usize, Targets),
        (slots, rows): ([S::U; ROWS], [u8; ROWS]),
        factors: Factors<'_>,
        common: Common<'_>,
    ) {
        for (k, slots) in slots.into_iter().enumerate() {
            self.scatter(*targets, of_quad::<S>(*at, k), S::LANES);
            self.take_slots(simd, of_quad::<S>(*at, k), slots);
        }
        let terms = &mut self.terms[of_quad::<S>(*at, 0)..][..ROWS * S::LANES];
        simd.common_terms(common, rows, factors, terms);
        *at = of_quad::<S>(*at, ROWS);
    }

    /// Takes in one row of slots; `weights` are what its pairs add, scaled by 2^36.
    #[inline(always)]
    pub fn take_weighed<S: Simd>(
        &mut self,
        simd: S,
        (at, targets): &mut (usize, Targets),
        slots: S::U,
        weights: &[f64],
    ) {
        // A power of two: that the row lies within the ring shows in the bits.
        let first = *at & (RING - S::LANES);
        let factors = Factors {
            rows: &ONES,
            lanes: weights,
        };
        self.scatter(*targets, first, S::LANES);
        self.take_row(simd, first, slots, factors, 0);
        *at = first + S::LANES;
    }
}

/// Where row `k` of four lies, the first of them at `at`. A power of two: that they lie within the ring shows in the bits.
#[inline(always)]
fn of_quad<S: Simd>(at: usize, k: usize) -> usize {
    (at & (RING - ROWS * S::LANES)) + k * S::LANES
}

/// The factors of rows that are in the weights already.
static ONES: [f64; 256] = [1.0; 256];

const _: () = assert!(Scatter::<false>::FLUSH_PAIRS <= u32::MAX as u64);

/// Where a scatter goes.
#[derive(Debug, Clone, Copy)]
pub struct Targets {
    pairs: *mut u32,
    sums: *mut u64,
}

impl<const PRODUCTS: bool> Histogram for Scatter<PRODUCTS> {
    const SIFTS: bool = true;

    const COUNTS: bool = !PRODUCTS;

    /// Counters are 32-bit; sums are unloaded when they wrap.
    const FLUSH_PAIRS: u64 = if PRODUCTS { u64::MAX } else { 1 << 31 };

    type Open<S: Simd> = (usize, Targets);

    #[inline(always)]
    fn open<S: Simd>(&mut self, _: S, met: [usize; 2]) -> Self::Open<S> {
        if let Some(classes) = &mut self.classes {
            let (of, at_hand) = &mut **classes;
            at_hand.meet(of, met);
        }
        (self.at, self.targets())
    }

    #[inline(always)]
    fn make_room<S: Simd>(&mut self, _: S, (at, targets): &Self::Open<S>, k: usize) {
        self.scatter(*targets, of_quad::<S>(*at, k), S::LANES);
    }

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        (at, _): &mut Self::Open<S>,
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        factors: Factors<'_>,
    ) {
        let [a, b, c, d] = match &self.classes {
            None => slots,
            Some(classes) => {
                let (of, at_hand) = &**classes;
                at_hand.placed(simd, slots, rows, of.n_slots as u32)
            }
        };
        self.take_row(simd, of_quad::<S>(*at, 0), a, factors, rows[0]);
        self.take_row(simd, of_quad::<S>(*at, 1), b, factors, rows[1]);
        self.take_row(simd, of_quad::<S>(*at, 2), c, factors, rows[2]);
        self.take_row(simd, of_quad::<S>(*at, 3), d, factors, rows[3]);
        *at = of_quad::<S>(*at, ROWS);
    }

    #[inline]
    fn class_begins(&self, pair: [u32; 2]) -> u32 {
        (self.classes.as_ref()).map_or(0, |classes| classes.0.begin(pair))
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, _: S, (at, _): Self::Open<S>, _: Factors<'_>) {
        self.at = at;
        if PRODUCTS && self.n_wrapped > 0 {
            self.unload();
        }
    }

    fn flush(&mut self, totals: &mut Totals) {
        let targets = self.targets();
        self.scatter(targets, 0, RING);
        self.unload();
        self.slots.fill(self.out << Self::SHIFT);
        for slot in 0..self.out as usize {
            if PRODUCTS {
                for (sum, mut unloaded) in self.sums[slot].into_iter().zip(self.unloaded[slot]) {
                    unloaded.add(u128::from(sum));
                    totals.products[slot] += unloaded.products;
                    totals.pairs[slot] = totals.pairs[slot].wrapping_add(unloaded.terms);
                }
            } else {
                let pairs = self.pairs[slot].into_iter().map(u64::from).sum();
                totals.pairs[slot] = totals.pairs[slot].wrapping_add(pairs);
            }
        }
        self.pairs.fill([0; COPIES]);
        self.sums.fill([0; COPIES]);
        self.unloaded.fill([Unloaded::default(); COPIES]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_point::{FRACTION_BITS, power_of_two};
    use crate::{Isa, Kernel};

    fn no_totals(n_slots: usize) -> Totals {
        Totals {
            pairs: vec![0; n_slots],
            products: vec![0; n_slots],
        }
    }

    #[test]
    fn scattered_counters_are_flushed_full() {
        let mut counters = Scatter::<false>::new(40);
        counters.pairs.fill([u32::MAX - RING as u32; COPIES]);
        let mut totals = no_totals(40);
        counters.flush(&mut totals);
        let each = COPIES as u64 * u64::from(u32::MAX - RING as u32);
        assert_eq!(totals.pairs, [each; 40]);
        counters.flush(&mut totals);
        assert_eq!(totals.pairs, [each; 40], "a flush leaves nothing");
    }

    /// Takes quads of rows, all pairs in one slot and of one product.
    struct TakeOneSlot<'a> {
        counters: &'a mut Scatter<true>,
        slot: u32,
        product: f64,
        quads: usize,
    }

    impl Kernel for TakeOneSlot<'_> {
        type Output = u64;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> u64 {
            let factors = Factors {
                rows: &[self.product; 256],
                lanes: &[1.0; MOST_LANES],
            };
            let slots = [simd.splat_u(self.slot); ROWS];
            for _ in 0..self.quads.div_ceil(17) {
                let mut open = self.counters.open(simd, [0; 2]);
                for _ in 0..17 {
                    self.counters
                        .take_placed(simd, &mut open, slots, [0; ROWS], factors);
                }
                self.counters.close(simd, open, factors);
            }
            (self.quads.next_multiple_of(17) * ROWS * S::LANES) as u64
        }
    }

    #[test]
    fn sums_that_wrap_lose_nothing() {
        let one = power_of_two(FRACTION_BITS);
        for isa in Isa::available() {
            for product in [one, 0.75 * one, 0.0, -one] {
                let mut counters = Scatter::<true>::new(5000);
                let mut totals = no_totals(5000);
                let mut expected = 0;
                for quads in [1, 30, 3000] {
                    expected += isa.dispatch(TakeOneSlot {
                        counters: &mut counters,
                        slot: 17,
                        product,
                        quads,
                    });
                    counters.flush(&mut totals);
                    assert_eq!(totals.pairs[17], expected);
                    let products = i128::from(expected) * (product as i128);
                    assert_eq!(totals.products[17], products);
                }
                assert_eq!(totals.pairs.iter().sum::<u64>(), expected);
            }
        }
    }
}
