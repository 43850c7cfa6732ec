//! Sums of separations in few bins: of each pair that the filter places, the exact separation, in lanes, is added to its bin.
//!
//! Entry: [`Separated`], a histogram of pairs and their separations.

#![allow(clippy::inline_always, reason = "it runs inside vector kernels")]

use albireo_simd::fixed_point::FRACTION_BITS;
use albireo_simd::{Factors, Histogram, MOST_LANES, ROUNDING, ROWS, Simd, Totals};

use super::separations::{Near, ONE, SlotSeparations};
use crate::domain::Image;
use crate::traversal::BLOCK;

/// More bins than this are left to sums that are scattered.
pub(super) const MOST_SLOTS: usize = 255;

/// Bits of a word that hold the sum of its terms.
const TERM_BITS: u32 = 50;

/// Bits of the number of terms that can be stored: a number of up to this many bits; bits above it are ignored.
const NUMBER_BITS: u32 = 64 - TERM_BITS;

/// No word takes more terms before it is emptied: of at most 2^36 and a little each, their sum stays below [`TERM_BITS`].
const MOST_TERMS: usize = 15 << 10;

const _: () = assert!(MOST_TERMS < 1 << NUMBER_BITS);
const _: () = assert!((MOST_TERMS as u64) << (FRACTION_BITS as u32) <= 15 << (TERM_BITS - 4));

/// Words of a slot: lanes side by side, which often fall into the same slot, need not wait for each other.
const COPIES: usize = 8;

/// Pairs that wait, so that no word is read straight after it was written.
const RING: usize = 256;

/// Pairs taken in at most while the counters are open.
const MOST_OPEN: usize = (BLOCK + 2 * ROWS) * MOST_LANES;

/// Counts pairs and sums their separations in slots of fewer than `SLOTS` numbers.
///
/// A pair is one word, which is added to that of its slot: its term, one in the number of terms, and above it the slot, from which it is
/// found where to add it. What the slots add is taken off when the words are emptied, modulo 2^64.
#[repr(C, align(64))] // The ring comes first, so that no register stored in it straddles two cache lines.
pub(super) struct Separated<'a, const SLOTS: usize> {
    ring: [u64; RING],
    words: [[u64; SLOTS]; COPIES],
    /// Where the next pairs go.
    at: usize,
    of: &'a SlotSeparations<'a>,
    near: Near,
    n_slots: u32,
    /// Terms that one word may hold by now.
    held: usize,
    totals: Vec<(u64, i128)>,
}

impl<'a, const SLOTS: usize> Separated<'a, SLOTS> {
    /// What a slot is shifted by to stand above all else in the upper half of a word.
    const SHIFT: u32 = 32 - SLOTS.ilog2();

    /// One in the number of terms, and what the bits of a rounded term have beside it, in the upper half of a word.
    const COUNT: u32 = (1u32 << (TERM_BITS - 32)).wrapping_sub((ROUNDING.to_bits() >> 32) as u32);

    /// In a box, so that what is large stays where it is.
    pub(super) fn new(of: &'a SlotSeparations<'a>, n_slots: usize) -> Box<Self> {
        const {
            assert!(SLOTS.is_power_of_two() && SLOTS <= 1 << NUMBER_BITS);
        }
        Box::new(Self {
            ring: [(n_slots as u64) << (32 + Self::SHIFT); RING],
            words: [[0; SLOTS]; COPIES],
            at: 0,
            of,
            near: Near::default(),
            n_slots: n_slots as u32,
            held: 0,
            totals: vec![(0, 0); n_slots],
        })
    }

    /// Adds the words of `n` pairs from `at` on.
    #[inline(always)]
    fn add(&mut self, at: usize, n: usize) {
        for (lane, &word) in self.ring[at..at + n].iter().enumerate() {
            let slot = (word >> (32 + Self::SHIFT)) as usize % SLOTS;
            let sum = &mut self.words[lane % COPIES][slot];
            *sum = sum.wrapping_add(word);
        }
    }

    /// Lets one row of slots wait where the oldest did, which is added.
    #[inline(always)]
    fn take_row<S: Simd>(&mut self, simd: S, at: usize, slots: S::U, row: u8) {
        self.add(at, S::LANES);
        let slots = simd.min_u(slots, simd.splat_u(self.n_slots));
        let slots = simd.add_u(
            simd.shift_left(slots, Self::SHIFT),
            simd.splat_u(Self::COUNT),
        );
        let terms = self.near.separations(simd, self.of, row, ONE);
        simd.store_packed(slots, terms, &mut self.ring[at..at + S::LANES]);
    }

    /// Empties the words.
    #[inline(never)]
    fn empty(&mut self) {
        self.held = 0;
        for copy in &mut self.words {
            for (slot, (total, word)) in self.totals.iter_mut().zip(copy).enumerate() {
                // Every term has added this, and what it is in the number of terms is odd.
                let each = ((slot as u64) << (32 + Self::SHIFT)) + (1 << TERM_BITS);
                let n = (*word >> TERM_BITS).wrapping_mul(inverse(each >> TERM_BITS));
                let n = n & ((1 << NUMBER_BITS) - 1);
                total.0 = total.0.wrapping_add(n);
                total.1 += i128::from(word.wrapping_sub(n.wrapping_mul(each)));
                *word = 0;
            }
        }
        for copy in &mut self.words {
            copy.fill(0);
        }
    }
}

/// What an odd number is to be multiplied by for 1, modulo 2^16.
fn inverse(odd: u64) -> u64 {
    // Right in three bits; every step doubles them.
    let step = |x: u64| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
    step(step(step(odd)))
}

impl<const SLOTS: usize> Histogram for Box<Separated<'_, SLOTS>> {
    const SIFTS: bool = true;

    const FLUSH_PAIRS: u64 = u64::MAX;

    type Open<S: Simd> = usize;

    fn move_by(&mut self, vector: [f64; 3]) {
        self.near.move_by(self.of, vector);
    }

    #[inline(always)]
    fn open<S: Simd>(&mut self, _: S, met: [usize; 2]) -> usize {
        if self.held + MOST_OPEN / COPIES > MOST_TERMS - RING / COPIES {
            self.empty();
        }
        self.held += MOST_OPEN / COPIES;
        self.near.meet(met);
        self.at
    }

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        at: &mut usize,
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        _: Factors<'_>,
    ) {
        // A power of two: that the four rows lie within the ring shows in the bits.
        let first = *at & (RING - ROWS * S::LANES);
        let [a, b, c, d] = slots;
        self.take_row(simd, first, a, rows[0]);
        self.take_row(simd, first + S::LANES, b, rows[1]);
        self.take_row(simd, first + 2 * S::LANES, c, rows[2]);
        self.take_row(simd, first + 3 * S::LANES, d, rows[3]);
        *at = first + ROWS * S::LANES;
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, _: S, at: usize, _: Factors<'_>) {
        self.at = at;
    }

    fn product(&self, product: f64, pair: [u32; 2], image: Image, at: usize) -> f64 {
        self.of.term(at, product, pair, image)
    }

    fn flush(&mut self, totals: &mut Totals) {
        self.add(0, RING);
        self.ring
            .fill(u64::from(self.n_slots) << (32 + Separated::<SLOTS>::SHIFT));
        self.empty();
        let slots = totals.pairs.iter_mut().zip(&mut totals.products);
        for ((pairs, sum), own) in slots.zip(&mut self.totals) {
            let (more, separations) = std::mem::take(own);
            *pairs = pairs.wrapping_add(more);
            *sum += separations;
        }
    }
}
