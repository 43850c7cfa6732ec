//! Histograms fed a register of slots at a time: bit-sliced counters for few bins, a lagged scatter for many.
//!
//! Entry: [`Histogram`]. Partial sums are held in narrow integers; [`Histogram::flush`] widens them, and the caller flushes before
//! [`Histogram::FLUSH_PAIRS`] pairs.

use super::{Kernel, MOST_LANES, ROUNDING, Simd};

/// Rows handed over together.
pub(crate) const ROWS: usize = 4;

/// Totals that partial sums are flushed into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Pairs in each slot, modulo 2^64: moves between slots may pass through "negative" numbers.
    pub(crate) pairs: Vec<u64>,
    /// Fixed-point products in each slot; empty where none are summed.
    pub(crate) products: Vec<i128>,
}

/// The factors of a tile: those of its rows, scaled by 2^36, and those of its lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factors<'a> {
    pub(crate) rows: &'a [f64; 256],
    pub(crate) lanes: &'a [f64],
}

/// Counts slots; slots from `n_slots` up are out of range.
pub(crate) trait Histogram {
    /// Pairs that may be taken in between two flushes.
    const FLUSH_PAIRS: u64;

    /// Counters that stay in registers from quad to quad of rows.
    type Open<S: Simd>: Copy;

    /// Brings counters into registers.
    fn open<S: Simd>(&mut self, simd: S) -> Self::Open<S>;

    /// Takes in four rows of slots; `rows` numbers them for their factors.
    fn take<S: Simd>(
        &mut self,
        simd: S,
        open: &mut Self::Open<S>,
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        factors: Factors<'_>,
    );

    /// Puts the counters back.
    fn close<S: Simd>(&mut self, simd: S, open: Self::Open<S>);

    /// Adds the partial sums to `totals` and clears them.
    fn flush(&mut self, totals: &mut Totals);
}

/// Up to 32 slots: each lane is a word with one bit set, and words are added bit by bit in carry-save form.
///
/// The cost of a pair depends neither on the number of slots nor on which of them it falls into. Registers narrower than
/// [`MOST_LANES`] use the first lanes only.
#[derive(Debug)]
pub(crate) struct BitSliced {
    /// Planes of weight 1, 2, 4, ...
    planes: [[u32; MOST_LANES]; PLANES],
    /// Words of weight 4 waiting to be added.
    waiting: [[u32; MOST_LANES]; WAITING],
    n_waiting: usize,
}

/// Enough for as many rows as pairs are taken in between two flushes.
const PLANES: usize = 35;
const _: () = assert!(BitSliced::FLUSH_PAIRS < 1 << PLANES);

/// Words that wait before they are added together.
const WAITING: usize = 1 << WAITING_LEVELS;

/// Halvings that leave one word.
const WAITING_LEVELS: usize = 6;

impl BitSliced {
    /// Slots that fit.
    pub(crate) const MOST_SLOTS: usize = 32;

    pub(crate) fn new() -> Self {
        Self {
            planes: [[0; MOST_LANES]; PLANES],
            waiting: [[0; MOST_LANES]; WAITING],
            n_waiting: 0,
        }
    }
}

/// Adds all waiting words, two by two and level by level; absent ones count as zero.
struct AddWaiting<'a>(&'a mut BitSliced);

impl Kernel for AddWaiting<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let BitSliced {
            planes,
            waiting,
            n_waiting,
        } = self.0;
        waiting[*n_waiting..].fill([0; MOST_LANES]);
        *n_waiting = 0;
        for level in 0..WAITING_LEVELS {
            let mut sum = simd.load_u(&planes[2 + level]);
            for k in 0..WAITING >> (level + 1) {
                let (a, b) = (
                    simd.load_u(&waiting[2 * k]),
                    simd.load_u(&waiting[2 * k + 1]),
                );
                let (ones, carry) = simd.carry_save(sum, a, b);
                sum = ones;
                simd.store_u(carry, &mut waiting[k]);
            }
            simd.store_u(sum, &mut planes[2 + level]);
        }
        let mut carry = simd.load_u(&waiting[0]);
        for plane in &mut planes[2 + WAITING_LEVELS..] {
            let sum = simd.load_u(plane);
            simd.store_u(simd.xor(sum, carry), plane);
            carry = simd.and(sum, carry);
            if simd.mask_bits(simd.equal_u(carry, simd.splat_u(0))) == (1 << S::LANES) - 1 {
                return;
            }
        }
    }
}

impl Histogram for BitSliced {
    const FLUSH_PAIRS: u64 = 1 << 34;

    type Open<S: Simd> = (S::U, S::U);

    #[inline(always)]
    fn open<S: Simd>(&mut self, simd: S) -> Self::Open<S> {
        (simd.load_u(&self.planes[0]), simd.load_u(&self.planes[1]))
    }

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        (ones, twos): &mut Self::Open<S>,
        slots: [S::U; ROWS],
        _: [u8; ROWS],
        _: Factors<'_>,
    ) {
        let (sum, carry_a) = simd.carry_save(*ones, simd.one_hot(slots[0]), simd.one_hot(slots[1]));
        let (sum, carry_b) = simd.carry_save(sum, simd.one_hot(slots[2]), simd.one_hot(slots[3]));
        *ones = sum;
        let (sum, fours) = simd.carry_save(*twos, carry_a, carry_b);
        *twos = sum;
        simd.store_u(fours, &mut self.waiting[self.n_waiting % WAITING]);
        self.n_waiting += 1;
        if self.n_waiting == WAITING {
            simd.vectorize(AddWaiting(self));
        }
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, simd: S, (ones, twos): Self::Open<S>) {
        simd.store_u(ones, &mut self.planes[0]);
        simd.store_u(twos, &mut self.planes[1]);
    }

    fn flush(&mut self, totals: &mut Totals) {
        let waiting = self.waiting[..self.n_waiting].iter().map(|word| (2, word));
        for (weight, word) in self.planes.iter().enumerate().chain(waiting) {
            for lane in word {
                for (slot, total) in totals.pairs.iter_mut().enumerate().take(Self::MOST_SLOTS) {
                    *total = total.wrapping_add(u64::from((lane >> slot) & 1) << weight);
                }
            }
        }
        *self = Self::new();
    }
}

/// Any number of slots: rows wait in a ring before they are scattered, so that no row is read straight after it was written.
#[derive(Debug)]
pub(crate) struct Scatter<const PRODUCTS: bool> {
    slots: [u32; RING],
    /// Bits of `product + ROUNDING`.
    products: [u64; RING],
    /// Where the next slots go.
    at: usize,
    out: u32,
    /// The entries for what is out of range, a lane each.
    out_of_range: [u32; MOST_LANES],
    /// Counters where there are no products, [`COPIES`] side by side for different lanes. After the slots lies an entry a lane for
    /// what is out of range: one for all would be a chain of additions that wait for each other.
    pairs: Vec<[u32; COPIES]>,
    /// Sums in copies and with extra entries too.
    sums: Vec<[Sum; COPIES]>,
}

/// A sum of `product + ROUNDING` as bits, modulo 2^64, and the number of its terms.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
struct Sum {
    bits: u64,
    terms: u64,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, bits: u64) {
        self.bits = self.bits.wrapping_add(bits);
        self.terms += 1;
    }
}

/// Slots that wait; every register width divides it.
const RING: usize = 256;

/// Counters of a slot: neighbouring lanes, which often fall into the same slot, need not wait for each other.
const COPIES: usize = 2;

impl<const PRODUCTS: bool> Scatter<PRODUCTS> {
    /// Log2 of the units of [`Targets`] that belong to a slot.
    const SHIFT: u32 = (COPIES * if PRODUCTS { 2 } else { 1 }).ilog2();

    /// Slots that can be numbered.
    pub(crate) const MOST_SLOTS: usize = (u32::MAX >> Self::SHIFT) as usize - MOST_LANES;

    pub(crate) fn new(n_slots: usize) -> Self {
        let n_counters = n_slots + MOST_LANES;
        let (n_pairs, n_sums) = if PRODUCTS {
            (0, n_counters)
        } else {
            (n_counters, 0)
        };
        Self {
            slots: [(n_slots as u32) << Self::SHIFT; RING],
            products: [0; RING],
            at: 0,
            out: n_slots as u32,
            out_of_range: std::array::from_fn(|lane| (n_slots + lane) as u32),
            pairs: vec![[0; COPIES]; n_pairs],
            sums: vec![[Sum::default(); COPIES]; n_sums],
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
        let waited = &self.slots[at..at + lanes];
        let products = &self.products[at..at + lanes];
        for lane in (0..lanes).step_by(2) {
            // SAFETY: slots enter the ring only through `take`, `new` and `flush`, which keep every one below `out + MOST_LANES` and
            // scale it to the unit of `Targets`; the counters or, where products are summed, the sums have that many entries of
            // `COPIES`, and nothing else refers to them. Both halves of the word read lie within `waited`.
            unsafe {
                // One load for two slots: loads are what a scatter has most of.
                let both = waited.as_ptr().add(lane).cast::<u64>().read_unaligned();
                let both = if cfg!(target_endian = "big") {
                    both.rotate_left(32)
                } else {
                    both
                };
                let (even, odd) = ((both & 0xffff_ffff) as usize, (both >> 32) as usize);
                let copy = lane % COPIES;
                if PRODUCTS {
                    let sums = targets.sums.add(copy);
                    (*sums.byte_add(8 * even)).add(products[lane]);
                    (*sums.byte_add(8 * odd).add(1)).add(products[lane + 1]);
                } else {
                    *targets.pairs.add(even + copy) += 1;
                    *targets.pairs.add(odd + copy + 1) += 1;
                }
            }
        }
    }

    /// Lets one row of slots wait where the oldest did, which is counted.
    #[inline(always)]
    fn take_row<S: Simd>(
        &mut self,
        simd: S,
        (at, targets): (usize, Targets),
        slots: S::U,
        factors: Factors<'_>,
        row: u8,
    ) -> usize {
        self.scatter(targets, at, S::LANES);
        let slots = simd.min_u(slots, simd.load_u(&self.out_of_range));
        let slots = simd.shift_left(slots, Self::SHIFT);
        simd.store_u(slots, &mut self.slots[at..at + S::LANES]);
        if PRODUCTS {
            let factor = factors.rows[row as usize];
            let to = &mut self.products[at..at + S::LANES];
            simd.rounded_products(factor, factors.lanes, to);
        }
        (at + S::LANES) % RING
    }
}

const _: () = assert!(Scatter::<false>::FLUSH_PAIRS <= u32::MAX as u64);
// What a product of at most 2^36 can sum to, in either direction.
const _: () =
    assert!((Scatter::<true>::FLUSH_PAIRS as u128) << crate::fixed_point::FRACTION_BITS < 1 << 63);

/// Where a scatter goes. Slots in the ring count u32 counters, or words of 8 bytes of sums: what an address can scale an index by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Targets {
    pairs: *mut u32,
    sums: *mut Sum,
}

impl<const PRODUCTS: bool> Histogram for Scatter<PRODUCTS> {
    /// Counters are 32-bit, and so few products keep their 64-bit sum from overflowing.
    const FLUSH_PAIRS: u64 = if PRODUCTS {
        crate::fixed_point::FLUSH_TERMS - (1 << 14)
    } else {
        1 << 31
    };

    type Open<S: Simd> = (usize, Targets);

    #[inline(always)]
    fn open<S: Simd>(&mut self, _: S) -> Self::Open<S> {
        (self.at, self.targets())
    }

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        (at, targets): &mut Self::Open<S>,
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        factors: Factors<'_>,
    ) {
        let [a, b, c, d] = slots;
        *at %= RING;
        *at = self.take_row(simd, (*at, *targets), a, factors, rows[0]);
        *at = self.take_row(simd, (*at, *targets), b, factors, rows[1]);
        *at = self.take_row(simd, (*at, *targets), c, factors, rows[2]);
        *at = self.take_row(simd, (*at, *targets), d, factors, rows[3]);
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, _: S, (at, _): Self::Open<S>) {
        self.at = at;
    }

    fn flush(&mut self, totals: &mut Totals) {
        let targets = self.targets();
        self.scatter(targets, 0, RING);
        self.slots.fill(self.out << Self::SHIFT);
        for slot in 0..self.out as usize {
            let pairs = if PRODUCTS {
                let (mut sum, mut pairs) = (0u64, 0u64);
                for Sum { bits, terms } in self.sums[slot] {
                    sum = sum.wrapping_add(bits);
                    pairs += terms;
                }
                let rounding = pairs.wrapping_mul(ROUNDING.to_bits());
                totals.products[slot] += i128::from(sum.wrapping_sub(rounding).cast_signed());
                pairs
            } else {
                self.pairs[slot].into_iter().map(u64::from).sum()
            };
            totals.pairs[slot] = totals.pairs[slot].wrapping_add(pairs);
        }
        self.pairs.fill([0; COPIES]);
        self.sums.fill([Sum::default(); COPIES]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Isa;

    fn no_totals(n_slots: usize) -> Totals {
        Totals {
            pairs: vec![0; n_slots],
            products: vec![0; n_slots],
        }
    }

    #[test]
    fn bit_sliced_counters_hold_what_comes_between_two_flushes() {
        for isa in Isa::available() {
            let mut counters = BitSliced::new();
            for plane in &mut counters.planes[..PLANES - 1] {
                plane[0] = u32::MAX;
            }
            for word in &mut counters.waiting {
                word[0] = u32::MAX;
            }
            counters.n_waiting = WAITING;
            isa.dispatch(AddWaiting(&mut counters));
            let mut totals = no_totals(BitSliced::MOST_SLOTS);
            counters.flush(&mut totals);
            let rows = (1u64 << (PLANES - 1)) - 1 + 4 * WAITING as u64;
            assert!(rows > BitSliced::FLUSH_PAIRS);
            assert_eq!(totals.pairs, [rows; BitSliced::MOST_SLOTS]);
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

    #[test]
    fn products_of_one_sign_keep_it_until_they_are_flushed() {
        for sign in [1, -1] {
            let (number, product) = (Scatter::<true>::FLUSH_PAIRS, sign * (1i64 << 36));
            let bits = ROUNDING.to_bits().wrapping_add(product.cast_unsigned());
            let mut sums = Scatter::<true>::new(5000);
            sums.sums[17][0] = Sum {
                bits: number.wrapping_mul(bits),
                terms: number,
            };
            let mut totals = no_totals(5000);
            sums.flush(&mut totals);
            assert_eq!(totals.pairs[17], number);
            let expected = i128::from(number) * i128::from(product);
            assert_eq!(totals.products[17], expected);
        }
    }
}
