//! Many realisations of a sample: the pairs that a filter puts into bins are counted under the common bits of their points.
//!
//! Entry: [`SlotRealisations`], what a job needs for them, and [`InRealisations`], a histogram of them. Which realisations a pair takes part in is
//! said by [`crate::tally::CountSpec::by_realisation`].

#![allow(clippy::inline_always, reason = "it runs inside vector kernels")]

use albireo_simd::fixed_point::{FRACTION_BITS, quantise, rest_as_term};
use albireo_simd::{Factors, Histogram, MOST_LANES, ROWS, Simd, Totals};

use super::Run;
use crate::tally::{Realised, Sum, WORD_BITS, WeightedSum};
use crate::traversal::{BLOCK, Layout, NO_ROW};

/// Most counters of a thread.
const MOST_COUNTERS: usize = 1 << 22;

/// The bits of each byte, a byte each.
static SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[byte] |= (byte as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    spread
};

/// One in the unit of sums; factors of rows are in that unit.
const UNIT: f64 = 1.0 / (1u64 << FRACTION_BITS) as f64;

/// Bytes of a word, each of whose bits is a counter in a byte.
const BYTES: usize = 8;

/// The realisations of a job's particles in the order of slots, and what is summed of their pairs.
pub(super) struct SlotRealisations {
    number: usize,
    /// Words of a particle.
    words: usize,
    first: Vec<u64>,
    /// None of an auto count: the first sample's.
    second: Option<Vec<u64>>,
    /// For each sum of products, whether it is what the first word leaves.
    rests: Vec<bool>,
}

impl SlotRealisations {
    /// What a filtered run needs to make `sums` of each realisation; none unless these are sums of products of one set of weights.
    pub(super) fn wanted(run: &Run<'_>, of: Realised<'_>, sums: &[Sum]) -> Option<Self> {
        let product = |sum: &Sum| {
            let of = sum.weighted()?;
            (of == (0, WeightedSum::Product)).then(|| sum.is_rest())
        };
        let rests = sums.iter().map(product).collect::<Option<_>>()?;
        let words = of.words();
        let in_slots = |layout: &Layout, of_second: bool| {
            let slots = 0..layout.blocks.len() * BLOCK;
            let all = slots.flat_map(|slot| {
                let row = layout.row(slot);
                (0..words).map(move |at| match row {
                    NO_ROW => 0,
                    row => of.word(of_second, row as usize, at),
                })
            });
            all.collect()
        };
        Some(Self {
            number: of.number,
            words,
            first: in_slots(&run.first, false),
            second: run.second.as_deref().map(|second| in_slots(second, true)),
            rests,
        })
    }

    /// Number of realisations.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Sums of a slot: for each realisation the number of pairs, then each of the sums.
    pub(super) fn n_sums(&self) -> usize {
        (1 + self.rests.len()) * self.number
    }

    /// Whether a thread has room for so many slots.
    pub(super) fn has_room(&self, n_slots: usize) -> bool {
        n_slots * self.n_sums() <= MOST_COUNTERS
    }

    fn second(&self) -> &[u64] {
        self.second.as_ref().unwrap_or(&self.first)
    }

    /// Word number `at` of the realisations of a pair of slots.
    #[inline(always)]
    fn common(&self, [first, second]: [usize; 2], at: usize) -> u64 {
        self.first[first * self.words + at] & self.second()[second * self.words + at]
    }
}

/// Counts the pairs of each realisation, and sums their weights.
pub(super) struct InRealisations<'a> {
    of: &'a SlotRealisations,
    /// The slots of the first row and of the first lane that are met.
    met: [usize; 2],
    n_slots: usize,
    /// Pairs of a slot since its bytes were emptied.
    since: Vec<u8>,
    /// For each slot and realisation a byte.
    bytes: Vec<u64>,
    /// The same, of the bytes that were emptied.
    numbers: Vec<u64>,
    /// For each slot, sum and realisation.
    sums: Vec<i64>,
}

impl<'a> InRealisations<'a> {
    /// Without a pair.
    pub(super) fn new(of: &'a SlotRealisations, n_slots: usize) -> Self {
        let counters = n_slots * of.words * WORD_BITS;
        Self {
            of,
            met: [0, 0],
            n_slots,
            since: vec![0; n_slots],
            bytes: vec![0; counters / BYTES],
            numbers: vec![0; counters],
            sums: vec![0; counters * of.rests.len()],
        }
    }

    /// Adds the bytes of a slot to its numbers.
    #[cold]
    #[inline(never)]
    fn empty(&mut self, slot: usize) {
        let n = self.of.words * BYTES;
        let bytes = &mut self.bytes[slot * n..][..n];
        let numbers = self.numbers[slot * n * BYTES..].chunks_exact_mut(BYTES);
        for (bytes, numbers) in bytes.iter_mut().zip(numbers) {
            for (number, byte) in numbers.iter_mut().zip(bytes.to_le_bytes()) {
                *number += u64::from(byte);
            }
            *bytes = 0;
        }
        self.since[slot] = 0;
    }

    /// Takes in the pair of two slots of the samples.
    #[inline(always)]
    fn add(&mut self, slot: usize, pair: [usize; 2], product: f64) {
        let of = self.of;
        let words = of.words;
        for at in 0..words {
            let word = of.common(pair, at);
            let bytes = &mut self.bytes[(slot * words + at) * BYTES..][..BYTES];
            for (counters, byte) in bytes.iter_mut().zip(word.to_le_bytes()) {
                *counters += SPREAD[usize::from(byte)];
            }
            for (k, &is_rest) in of.rests.iter().enumerate() {
                let term = if is_rest {
                    rest_as_term(product)
                } else {
                    product
                };
                let term = quantise(term);
                let from = ((slot * of.rests.len() + k) * words + at) * WORD_BITS;
                let sums = &mut self.sums[from..][..WORD_BITS];
                for (bit, sum) in sums.iter_mut().enumerate() {
                    *sum += term & ((word >> bit) & 1).wrapping_neg().cast_signed();
                }
            }
        }
        self.since[slot] += 1;
        if self.since[slot] == u8::MAX {
            self.empty(slot);
        }
    }
}

impl Histogram for InRealisations<'_> {
    const SIFTS: bool = true;

    /// Sums of 2^26 terms of up to 2^36 are within 64 bits.
    const FLUSH_PAIRS: u64 = albireo_simd::fixed_point::FLUSH_TERMS / 2;

    type Open<S: Simd> = ();

    #[inline(always)]
    fn open<S: Simd>(&mut self, _: S, met: [usize; 2]) {
        self.met = met;
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
        let last = simd.splat_u(self.n_slots as u32 - 1);
        for (slots, row) in slots.into_iter().zip(rows) {
            let inside = simd.mask_bits(simd.at_most_u(slots, last));
            if inside == 0 {
                continue;
            }
            let mut places = [0; MOST_LANES];
            simd.store_u(slots, &mut places);
            let mut lanes = [0; MOST_LANES];
            let n = simd.store_lanes(inside, 0, &mut lanes);
            let first = self.met[0] + usize::from(row);
            let factor = factors.rows[usize::from(row)];
            for &lane in &lanes[..n] {
                let lane = lane as usize;
                let product = factor * factors.lanes[lane] * UNIT;
                self.add(places[lane] as usize, [first, self.met[1] + lane], product);
            }
        }
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, _: S, (): (), _: Factors<'_>) {}

    fn product(&self, product: f64, pair: [u32; 2], _: [i8; 3], at: usize) -> f64 {
        let of = self.of;
        let (of_sum, k) = (at / of.number, at % of.number);
        let word = of.common(pair.map(|slot| slot as usize), k / WORD_BITS);
        if word >> (k % WORD_BITS) & 1 == 0 {
            return 0.0;
        }
        match of_sum.checked_sub(1) {
            None => UNIT,
            Some(sum) if of.rests[sum] => rest_as_term(product),
            Some(_) => product,
        }
    }

    fn flush(&mut self, totals: &mut Totals) {
        let (of, n) = (self.of, self.n_slots);
        let (sums, counters) = (of.rests.len(), of.words * WORD_BITS);
        for slot in 0..n {
            self.empty(slot);
            for k in 0..of.number {
                let number = &mut self.numbers[slot * counters + k];
                totals.products[k * n + slot] += i128::from(std::mem::take(number));
                for sum in 0..sums {
                    let own = &mut self.sums[(slot * sums + sum) * counters + k];
                    let total = &mut totals.products[((1 + sum) * of.number + k) * n + slot];
                    *total += i128::from(std::mem::take(own));
                }
            }
        }
    }
}
