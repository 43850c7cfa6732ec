//! Counters of few slots, bit by bit.

use super::histogram::{Factors, Histogram, ROWS, Totals};
use super::{Kernel, MOST_LANES, Simd};

/// Up to 32 slots: each lane is a word with one bit set, and words are added bit by bit in carry-save form.
///
/// The cost of a pair depends neither on the number of slots nor on which of them it falls into. Registers narrower than
/// [`MOST_LANES`] use the first lanes only.
#[derive(Debug)]
#[repr(C, align(64))] // Planes and words come first, so that none straddles two cache lines.
pub struct BitSliced {
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
    pub const MOST_SLOTS: usize = 32;
}

impl Default for BitSliced {
    /// No pair.
    #[inline]
    fn default() -> Self {
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
    const SIFTS: bool = false;

    const COUNTS: bool = true;

    const FLUSH_PAIRS: u64 = 1 << 34;

    type Open<S: Simd> = (S::U, S::U);

    #[inline(always)]
    fn open<S: Simd>(&mut self, simd: S, _: [usize; 2]) -> Self::Open<S> {
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
    fn close<S: Simd>(&mut self, simd: S, (ones, twos): Self::Open<S>, _: Factors<'_>) {
        simd.store_u(ones, &mut self.planes[0]);
        simd.store_u(twos, &mut self.planes[1]);
    }

    #[inline]
    fn flush(&mut self, totals: &mut Totals) {
        let waiting = self.waiting[..self.n_waiting].iter().map(|word| (2, word));
        for (weight, word) in self.planes.iter().enumerate().chain(waiting) {
            for lane in word {
                for (slot, total) in totals.pairs.iter_mut().enumerate().take(Self::MOST_SLOTS) {
                    *total = total.wrapping_add(u64::from((lane >> slot) & 1) << weight);
                }
            }
        }
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;

    #[test]
    fn bit_sliced_counters_hold_what_comes_between_two_flushes() {
        for isa in Isa::available() {
            let mut counters = BitSliced::default();
            for plane in &mut counters.planes[..PLANES - 1] {
                plane[0] = u32::MAX;
            }
            for word in &mut counters.waiting {
                word[0] = u32::MAX;
            }
            counters.n_waiting = WAITING;
            isa.dispatch(AddWaiting(&mut counters));
            let mut totals = Totals {
                pairs: vec![0; BitSliced::MOST_SLOTS],
                products: vec![],
            };
            counters.flush(&mut totals);
            let rows = (1u64 << (PLANES - 1)) - 1 + 4 * WAITING as u64;
            assert!(rows > BitSliced::FLUSH_PAIRS);
            assert_eq!(totals.pairs, [rows; BitSliced::MOST_SLOTS]);
        }
    }
}
