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
    fn open<S: Simd>(&self, simd: S) -> Self::Open<S>;

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

/// Enough for 2^34 rows.
const PLANES: usize = 35;

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
                let (a, b) = (simd.load_u(&waiting[2 * k]), simd.load_u(&waiting[2 * k + 1]));
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
    fn open<S: Simd>(&self, simd: S) -> Self::Open<S> {
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
        let (sum, carry_a) =
            simd.carry_save(*ones, simd.one_hot(slots[0]), simd.one_hot(slots[1]));
        let (sum, carry_b) = simd.carry_save(sum, simd.one_hot(slots[2]), simd.one_hot(slots[3]));
        *ones = sum;
        let (sum, fours) = simd.carry_save(*twos, carry_a, carry_b);
        *twos = sum;
        simd.store_u(fours, &mut self.waiting[self.n_waiting]);
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
    products: [u64; RING],
    /// Where the next slots go.
    at: usize,
    out: u32,
    /// Copies of the counters, used by different lanes; one entry more than there are slots for what is out of range.
    pairs: Vec<u32>,
    copies: usize,
    /// Sums of `product + ROUNDING` as bits, modulo 2^64.
    sums: Vec<u64>,
}

/// Slots that wait; every register width divides it.
const RING: usize = 256;

/// Counters that may be copied: the copies should stay in the first-level cache.
const COPIED_SLOTS: usize = 1024;

impl<const PRODUCTS: bool> Scatter<PRODUCTS> {
    pub(crate) fn new(n_slots: usize) -> Self {
        let copies = if n_slots <= COPIED_SLOTS { 4 } else { 1 };
        Self {
            slots: [n_slots as u32; RING],
            products: [0; RING],
            at: 0,
            out: n_slots as u32,
            pairs: vec![0; copies * (n_slots + 1)],
            copies,
            sums: vec![0; if PRODUCTS { n_slots + 1 } else { 0 }],
        }
    }

    /// Counts the `lanes` slots that have waited longest.
    #[inline(always)]
    fn scatter(&mut self, lanes: usize) {
        let stride = if self.copies == 1 {
            0
        } else {
            self.out as usize + 1
        };
        let waited = &self.slots[self.at..self.at + lanes];
        let products = &self.products[self.at..self.at + lanes];
        for (lane, (&slot, &product)) in waited.iter().zip(products).enumerate() {
            let slot = slot as usize;
            // SAFETY: slots enter the ring only through `take` and `new`, which keep every one at or below `out`; copy
            // `lane % 4` begins at `(lane % 4) * (out + 1)` when there are four copies, and `stride` is 0 when there is one.
            unsafe {
                *self.pairs.get_unchecked_mut((lane % 4) * stride + slot) += 1;
            }
            if PRODUCTS {
                // SAFETY: `sums` has `out + 1` entries where products are summed.
                let sum = unsafe { self.sums.get_unchecked_mut(slot) };
                *sum = sum.wrapping_add(product);
            }
        }
    }
}

impl<const PRODUCTS: bool> Histogram for Scatter<PRODUCTS> {
    /// Counters are 32-bit, and so few products keep their 64-bit sum from overflowing.
    const FLUSH_PAIRS: u64 = if PRODUCTS {
        crate::fixed_point::FLUSH_TERMS - (1 << 14)
    } else {
        1 << 31
    };

    type Open<S: Simd> = ();

    #[inline(always)]
    fn open<S: Simd>(&self, _: S) {}

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        (): &mut (),
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        factors: Factors<'_>,
    ) {
        let out = simd.splat_u(self.out);
        for k in 0..ROWS {
            self.scatter(S::LANES);
            simd.store_u(simd.min_u(slots[k], out), &mut self.slots[self.at..]);
            if PRODUCTS {
                let factor = factors.rows[rows[k] as usize];
                simd.rounded_products(factor, factors.lanes, &mut self.products[self.at..]);
            }
            self.at = (self.at + S::LANES) % RING;
        }
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, _: S, (): ()) {}

    fn flush(&mut self, totals: &mut Totals) {
        // Slots wait where the ring begins or ends: no register width leaves any in between.
        self.at = 0;
        self.scatter(RING);
        self.slots.fill(self.out);
        let stride = self.out as usize + 1;
        let n_copies = if self.copies == 1 { 1 } else { 4 };
        for slot in 0..self.out as usize {
            let pairs: u64 = (0..n_copies)
                .map(|copy| u64::from(self.pairs[copy * stride + slot]))
                .sum();
            totals.pairs[slot] = totals.pairs[slot].wrapping_add(pairs);
            if PRODUCTS {
                let rounding = pairs.wrapping_mul(ROUNDING.to_bits());
                totals.products[slot] +=
                    i128::from(self.sums[slot].wrapping_sub(rounding).cast_signed());
            }
        }
        self.pairs.fill(0);
        self.sums.fill(0);
    }
}
