//! Histograms fed sixteen slots at a time: bit-sliced counters for few bins, a lagged scatter for many.
//!
//! Entry: [`Histogram`]. Partial sums are held in narrow integers; [`Histogram::flush`] widens them, and the caller flushes before
//! [`Histogram::FLUSH_PAIRS`] pairs.

use super::{LANES, ROUNDING, Simd};

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
    pub(crate) lanes: &'a [f64; LANES],
}

/// Counts slots; slots from `n_slots` up are out of range.
pub(crate) trait Histogram {
    /// Pairs that may be taken in between two flushes.
    const FLUSH_PAIRS: u64;

    /// Takes in four rows of slots; `rows` numbers them for their factors.
    fn take<S: Simd>(
        &mut self,
        simd: S,
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        factors: Factors<'_>,
    );

    /// Adds the partial sums to `totals` and clears them.
    fn flush(&mut self, totals: &mut Totals);
}

/// Up to 32 slots: each lane is a word with one bit set, and words are added bit by bit in carry-save form.
///
/// The cost of a pair depends neither on the number of slots nor on which of them it falls into.
#[derive(Debug)]
pub(crate) struct BitSliced {
    /// Planes of weight 1 and 2.
    low: [[u32; LANES]; 2],
    /// Words of weight 4 waiting to be added.
    waiting: Vec<[u32; LANES]>,
    /// Planes of weight 4, 8, 16, ...
    high: [[u32; LANES]; HIGH_PLANES],
}

/// Enough for 2^34 rows.
const HIGH_PLANES: usize = 33;

/// Words that wait before they are added together; a power of two.
const WAITING: usize = 64;

impl BitSliced {
    /// Slots that fit.
    pub(crate) const MOST_SLOTS: usize = 32;

    pub(crate) fn new() -> Self {
        Self {
            low: [[0; LANES]; 2],
            waiting: Vec::with_capacity(WAITING),
            high: [[0; LANES]; HIGH_PLANES],
        }
    }

    /// Adds the waiting words in pairs, level by level.
    fn reduce(&mut self) {
        let mut n = self.waiting.len();
        let mut plane = 0;
        while n > 1 {
            let odd = n % 2 == 1;
            for k in 0..n / 2 {
                let (a, b) = (self.waiting[2 * k], self.waiting[2 * k + 1]);
                let sum = &mut self.high[plane];
                let mut carry = [0; LANES];
                for lane in 0..LANES {
                    let half = a[lane] ^ b[lane];
                    carry[lane] = (a[lane] & b[lane]) | (half & sum[lane]);
                    sum[lane] ^= half;
                }
                self.waiting[k] = carry;
            }
            if odd {
                let last = self.waiting[n - 1];
                self.ripple(plane, last);
            }
            n /= 2;
            plane += 1;
        }
        if n == 1 {
            self.ripple(plane, self.waiting[0]);
        }
        self.waiting.clear();
    }

    /// Adds one word of the weight of plane `plane`.
    fn ripple(&mut self, plane: usize, mut carry: [u32; LANES]) {
        for sum in &mut self.high[plane..] {
            for lane in 0..LANES {
                let next = sum[lane] & carry[lane];
                sum[lane] ^= carry[lane];
                carry[lane] = next;
            }
            if carry == [0; LANES] {
                return;
            }
        }
    }
}

impl Histogram for BitSliced {
    const FLUSH_PAIRS: u64 = 1 << 34;

    #[inline(always)]
    fn take<S: Simd>(&mut self, simd: S, slots: [S::U; ROWS], _: [u8; ROWS], _: Factors<'_>) {
        let (ones, carry_a) = simd.carry_save(
            simd.load_u(&self.low[0]),
            simd.one_hot(slots[0]),
            simd.one_hot(slots[1]),
        );
        let (ones, carry_b) = simd.carry_save(ones, simd.one_hot(slots[2]), simd.one_hot(slots[3]));
        let (twos, fours) = simd.carry_save(simd.load_u(&self.low[1]), carry_a, carry_b);
        simd.store_u(ones, &mut self.low[0]);
        simd.store_u(twos, &mut self.low[1]);
        let mut waiting = [0; LANES];
        simd.store_u(fours, &mut waiting);
        self.waiting.push(waiting);
        if self.waiting.len() == WAITING {
            self.reduce();
        }
    }

    fn flush(&mut self, totals: &mut Totals) {
        self.reduce();
        let planes = self.low.iter().chain(&self.high);
        for (weight, plane) in planes.enumerate() {
            for lane in plane {
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
    slots: [[u32; LANES]; RING],
    products: [[u64; LANES]; RING],
    /// Where the next row goes.
    at: usize,
    out: u32,
    /// Copies of the counters, used by different lanes; one entry more than there are slots for what is out of range.
    pairs: Vec<u32>,
    copies: usize,
    /// Sums of `product + ROUNDING` as bits, modulo 2^64.
    sums: Vec<u64>,
}

/// Rows that wait.
const RING: usize = 16;

/// Counters that may be copied: the copies should stay in the first-level cache.
const COPIED_SLOTS: usize = 1024;

impl<const PRODUCTS: bool> Scatter<PRODUCTS> {
    pub(crate) fn new(n_slots: usize) -> Self {
        let copies = if n_slots <= COPIED_SLOTS { 4 } else { 1 };
        Self {
            slots: [[n_slots as u32; LANES]; RING],
            products: [[0; LANES]; RING],
            at: 0,
            out: n_slots as u32,
            pairs: vec![0; copies * (n_slots + 1)],
            copies,
            sums: vec![0; if PRODUCTS { n_slots + 1 } else { 0 }],
        }
    }

    /// Counts the row that has waited longest.
    #[inline(always)]
    fn scatter(&mut self) {
        let at = self.at;
        let stride = if self.copies == 1 {
            0
        } else {
            self.out as usize + 1
        };
        for lane in 0..LANES {
            let slot = self.slots[at][lane] as usize;
            // SAFETY: rows enter the ring only through `take` and `new`, which keep every slot at or below `out`; copy
            // `lane % 4` begins at `(lane % 4) * (out + 1)` when there are four copies, and `stride` is 0 when there is one.
            unsafe {
                *self.pairs.get_unchecked_mut((lane % 4) * stride + slot) += 1;
            }
            if PRODUCTS {
                let product = self.products[at][lane];
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

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        factors: Factors<'_>,
    ) {
        let out = simd.splat_u(self.out);
        for k in 0..ROWS {
            self.scatter();
            simd.store_u(simd.min_u(slots[k], out), &mut self.slots[self.at]);
            if PRODUCTS {
                let factor = factors.rows[rows[k] as usize];
                simd.rounded_products(factor, factors.lanes, &mut self.products[self.at]);
            }
            self.at = (self.at + 1) % RING;
        }
    }

    fn flush(&mut self, totals: &mut Totals) {
        for _ in 0..RING {
            self.scatter();
            self.slots[self.at] = [self.out; LANES];
            self.at = (self.at + 1) % RING;
        }
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
