//! Many realisations of a sample: the pairs that a filter puts into bins are counted under the common bits of their points.
//!
//! Entry: [`SlotRealisations`], what a job needs for them, and [`InRealisations`], a histogram of them; where bits are on one side alone,
//! [`super::realised_rows`] has another. Which realisations a pair takes part in is said by [`crate::tally::CountSpec::by_realisation`].

#![allow(clippy::inline_always, reason = "it runs inside vector kernels")]
#![allow(
    clippy::needless_range_loop,
    reason = "closures over registers may end up as calls"
)]

use albireo_simd::fixed_point::{FLUSH_TERMS, FRACTION_BITS, rest_as_term};
use albireo_simd::{BitNumbers, BitSums, Factors, Histogram, MOST_LANES, ROWS, Simd, Totals};

use super::Run;
use crate::particles::WORD_BITS;
use crate::tally::{Realised, Sum, WeightedSum};
use crate::traversal::{BLOCK, Layout, NO_ROW};

/// Most counters of a thread.
const MOST_COUNTERS: usize = 1 << 22;

/// One in the unit of sums; factors of rows are in that unit.
const UNIT: f64 = 1.0 / (1u64 << FRACTION_BITS) as f64;

/// Pairs of a batch, so few that they stay in a processor's nearest memory; those of four rows more wait at most.
const PAIRS: usize = 256;
const ROOM: usize = PAIRS + (ROWS + 1) * MOST_LANES;

/// Up to so many slots have their bytes in copies, which pairs take in turn: none need wait for what another has just written.
const MOST_IN_COPIES: usize = 64;
/// The logarithm of their number.
const COPIES: u32 = 2;

/// The realisations of a job's particles in the order of slots, and what is summed of their pairs.
pub(super) struct SlotRealisations {
    number: usize,
    /// For each word of a particle, those of the first sample.
    pub(super) first: Vec<Vec<u64>>,
    /// None of an auto count: the first sample's.
    second: Option<Vec<Vec<u64>>>,
    /// Whether the second sample takes part in all of them.
    pub(super) of_rows: bool,
    /// For each sum of products, whether it is what the first word leaves.
    pub(super) rests: Vec<bool>,
}

impl SlotRealisations {
    /// What a filtered run needs to make `sums` of each realisation; none unless these are sums of products of one set of weights.
    pub(super) fn wanted(run: &Run<'_>, of: Realised<'_>, sums: &[Sum]) -> Option<Self> {
        let product = |sum: &Sum| {
            let of = sum.weighted()?;
            (of == (0, WeightedSum::Product)).then(|| sum.is_rest())
        };
        let rests = sums.iter().map(product).collect::<Option<_>>()?;
        let in_slots = |layout: &Layout, of_second: bool| {
            let of_slot = |slot, at| match layout.row(slot) {
                NO_ROW => 0,
                row => of.word(of_second, row as usize, at),
            };
            let slots = 0..layout.blocks.len() * BLOCK;
            let words = 0..of.words();
            words
                .map(|at| slots.clone().map(|slot| of_slot(slot, at)).collect())
                .collect()
        };
        Some(Self {
            number: of.number,
            first: in_slots(&run.first, false),
            second: run.second.as_deref().map(|second| in_slots(second, true)),
            of_rows: of.second_is_in_all(),
            rests,
        })
    }

    /// Number of realisations.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Words of a particle.
    pub(super) fn words(&self) -> usize {
        self.first.len()
    }

    /// Sums of a slot: for each realisation the number of pairs, then each of the sums.
    pub(super) fn n_sums(&self) -> usize {
        (1 + self.rests.len()) * self.number
    }

    /// Whether a thread has room for so many slots.
    pub(super) fn has_room(&self, n_slots: usize) -> bool {
        n_slots * self.n_sums() <= MOST_COUNTERS
    }

    fn second(&self) -> &[Vec<u64>] {
        self.second.as_ref().unwrap_or(&self.first)
    }

    /// What a pair of slots adds to sum number `at`.
    pub(super) fn term(&self, product: f64, [first, second]: [u32; 2], at: usize) -> f64 {
        let (of_sum, k) = (at / self.number, at % self.number);
        let (word, bit) = (k / WORD_BITS, k % WORD_BITS);
        let common = self.first[word][first as usize] & self.second()[word][second as usize];
        if common >> bit & 1 == 0 {
            return 0.0;
        }
        match of_sum.checked_sub(1) {
            None => UNIT,
            Some(sum) if self.rests[sum] => rest_as_term(product),
            Some(_) => product,
        }
    }

    /// Adds what a slot has of each realisation to sum number `of_sum`, and leaves none of it.
    pub(super) fn empty(
        &self,
        (totals, of_sum): (&mut Totals, usize),
        slot: usize,
        own: &mut [BitSums],
    ) {
        let n_slots = totals.pairs.len();
        let sums = totals.products[of_sum * self.number * n_slots..].iter_mut();
        let of_slot = sums.skip(slot).step_by(n_slots);
        let own = own.iter_mut().flat_map(|own| &mut own.0);
        for (sum, own) in of_slot.zip(own).take(self.number) {
            *sum += i128::from(std::mem::take(own));
        }
    }
}

/// Pairs that wait to be counted.
struct Waiting {
    n: usize,
    slots: [u32; ROOM],
    /// The realisations of each, word by word.
    sets: [[u64; ROOM]; 2],
    /// Products of weights, in units of a sum.
    products: [f64; ROOM],
}

/// Counts the pairs of each realisation, and sums their weights.
pub(super) struct InRealisations<'a> {
    of: &'a SlotRealisations,
    /// The slots of the first row and of the first lane that are met.
    met: [usize; 2],
    waiting: Waiting,
    n_slots: usize,
    /// The logarithm of the number of copies.
    copies: u32,
    /// For each slot and copy, how many pairs its bytes can still take.
    left: Vec<u8>,
    /// For each slot, copy and word.
    bytes: Vec<BitNumbers>,
    /// For each slot and word, of the bytes that were emptied.
    numbers: Vec<BitSums>,
    /// For each slot, sum and word.
    sums: Vec<BitSums>,
}

impl<'a> InRealisations<'a> {
    /// In a box, so that what is large stays where it is.
    pub(super) fn new(of: &'a SlotRealisations, n_slots: usize) -> Box<Self> {
        let copies = if n_slots <= MOST_IN_COPIES { COPIES } else { 0 };
        let words = n_slots * of.words();
        Box::new(Self {
            of,
            met: [0, 0],
            waiting: Waiting {
                n: 0,
                slots: [0; ROOM],
                sets: [[0; ROOM]; 2],
                products: [0.0; ROOM],
            },
            n_slots,
            copies,
            left: vec![u8::MAX; n_slots << copies],
            bytes: vec![BitNumbers::NONE; words << copies],
            numbers: vec![BitSums::NONE; words],
            sums: vec![BitSums::NONE; words * of.rests.len()],
        })
    }

    /// The pairs of rows with those lanes join that bits say are in bins, and that are in a realisation together.
    #[inline(always)]
    fn join<S: Simd, const WORDS: usize>(
        &mut self,
        simd: S,
        (slots, mut bits): ([S::U; ROWS], [u32; ROWS]),
        rows: [u8; ROWS],
        factors: Factors<'_>,
    ) {
        let [row_slot, lane_slot] = self.met;
        let (of_rows, of_lanes) = (&self.of.first, self.of.second());
        // Rows that pad lists have no pair: any row stands for them.
        let row: [usize; ROWS] = std::array::from_fn(|k| usize::from(rows[k]) % BLOCK);
        let mut sharing = [0; ROWS];
        for word in 0..WORDS {
            let own = &of_rows[word][row_slot..][..BLOCK];
            let lanes = &of_lanes[word][lane_slot..][..S::LANES];
            for k in 0..ROWS {
                sharing[k] |= simd.sharing(own[row[k]], lanes);
            }
        }
        let (waiting, mut from) = (&mut self.waiting, [0; ROWS]);
        for k in 0..ROWS {
            from[k] = waiting.n;
            bits[k] &= sharing[k];
            waiting.n += simd.store_some_u(slots[k], bits[k], &mut waiting.slots[from[k]..]);
        }
        for word in 0..WORDS {
            let own = &of_rows[word][row_slot..][..BLOCK];
            let lanes = &of_lanes[word][lane_slot..][..S::LANES];
            for k in 0..ROWS {
                let to = &mut waiting.sets[word][from[k]..];
                simd.store_shared(own[row[k]], lanes, bits[k], to);
            }
        }
        if self.of.rests.is_empty() {
            return;
        }
        for k in 0..ROWS {
            let factor = simd.splat_d(factors.rows[row[k]]);
            let mut to = from[k];
            for at in (0..S::LANES).step_by(S::DOUBLES) {
                let some = bits[k] >> at & ((1 << S::DOUBLES) - 1);
                let products = simd.mul_d(factor, simd.load_d(&factors.lanes[at..]));
                to += simd.store_some_d(products, some, &mut waiting.products[to..]);
            }
        }
    }

    /// Counts the pairs that wait, of so many words each.
    #[inline(always)]
    fn settle<S: Simd, const WORDS: usize>(&mut self, simd: S) {
        let n = std::mem::take(&mut self.waiting.n);
        let copies = self.copies;
        let last_copy = (1 << copies) - 1;
        let (left, numbers) = (&mut self.left[..], &mut self.numbers[..]);
        let bytes = self.bytes.as_chunks_mut::<WORDS>().0;
        let [sets, further] = &self.waiting.sets;
        let waiting = self.waiting.slots[..n].iter().zip(sets).zip(further);
        for (at, ((&slot, &set), &further)) in waiting.enumerate() {
            let copy = (slot as usize) << copies | at & last_copy;
            let bytes = &mut bytes[copy];
            simd.count_members(set, &mut bytes[0]);
            if WORDS > 1 {
                simd.count_members(further, &mut bytes[WORDS - 1]);
            }
            let left = &mut left[copy];
            *left -= 1;
            if *left == 0 {
                empty(bytes, &mut numbers[slot as usize * WORDS..]);
                *left = u8::MAX;
            }
        }
        let sums = self.of.rests.len();
        for k in 0..sums {
            let mut terms = [0; ROOM];
            for at in (0..n).step_by(S::DOUBLES) {
                let mut term = simd.load_d(&self.waiting.products[at..]);
                if self.of.rests[k] {
                    term = simd.rest(term);
                }
                simd.store_rounded(term, 0, &mut terms[at..]);
            }
            for at in 0..n {
                let slot = self.waiting.slots[at] as usize;
                let own = &mut self.sums[(slot * sums + k) * WORDS..][..WORDS];
                for word in 0..WORDS {
                    simd.add_to_members(self.waiting.sets[word][at], terms[at], &mut own[word]);
                }
            }
        }
    }

    #[inline(always)]
    fn settle_all<S: Simd>(&mut self, simd: S) {
        if self.of.words() == 1 {
            self.settle::<S, 1>(simd);
        } else {
            self.settle::<S, 2>(simd);
        }
    }
}

/// Adds the bytes of a slot's copy to its numbers.
#[cold]
#[inline(never)]
fn empty(bytes: &mut [BitNumbers], numbers: &mut [BitSums]) {
    for (bytes, numbers) in bytes.iter_mut().zip(numbers) {
        for (number, byte) in numbers.0.iter_mut().zip(&mut bytes.0) {
            *number += i64::from(std::mem::take(byte));
        }
    }
}

impl Histogram for InRealisations<'_> {
    const SIFTS: bool = true;

    /// Sums of 2^26 terms of up to 2^36 are within 64 bits.
    const FLUSH_PAIRS: u64 = FLUSH_TERMS / 2;

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
        let mut bits = [0; ROWS];
        // By number: an iterator over registers is moved through memory.
        for k in 0..ROWS {
            bits[k] = simd.mask_bits(simd.at_most_u(slots[k], last));
        }
        if bits == [0; ROWS] {
            return;
        }
        if self.of.words() == 1 {
            self.join::<S, 1>(simd, (slots, bits), rows, factors);
        } else {
            self.join::<S, 2>(simd, (slots, bits), rows, factors);
        }
        if self.waiting.n >= PAIRS {
            self.settle_all(simd);
        }
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, _: S, (): (), _: Factors<'_>) {}

    fn product(&self, product: f64, pair: [u32; 2], _: [i8; 3], at: usize) -> f64 {
        self.of.term(product, pair, at)
    }

    fn flush(&mut self, totals: &mut Totals) {
        // A few pairs, by the operations of any processor.
        self.settle_all(albireo_simd::Portable);
        let words = self.of.words();
        for (copy, bytes) in self.bytes.chunks_exact_mut(words).enumerate() {
            if self.left[copy] < u8::MAX {
                empty(bytes, &mut self.numbers[(copy >> self.copies) * words..]);
                self.left[copy] = u8::MAX;
            }
        }
        for (slot, own) in self.numbers.chunks_exact_mut(words).enumerate() {
            self.of.empty((totals, 0), slot, own);
        }
        let n_sums = self.of.rests.len();
        for (at, own) in self.sums.chunks_exact_mut(words).enumerate() {
            let (slot, sum) = (at / n_sums, at % n_sums);
            self.of.empty((totals, 1 + sum), slot, own);
        }
    }
}
