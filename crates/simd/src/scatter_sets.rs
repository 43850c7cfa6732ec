//! Counters, and sums of the products of several sets of weights, or of both words of them: a pair finds its slot once for all of them.
//!
//! Entry: [`ScatterSets`].

use super::histogram::{Factors, Histogram, ROWS, Totals};
use super::scatter::TERM_BITS;
use super::{MOST_LANES, Simd};
use crate::fixed_point::{FLUSH_TERMS, FRACTION_BITS, rest_as_term};

/// The scaled weights of both samples in the order of their slots, a set after the other.
pub type SetFactors<'a> = [[&'a [f64]; 2]];

/// What is summed of the products of a set of weights.
#[derive(Debug, Clone, Copy)]
pub struct ProductWord<'a> {
    /// The scaled weights of both samples in the order of their slots.
    pub factors: [&'a [f64]; 2],
    /// Whether that is what the first word leaves of them.
    pub is_rest: bool,
}

/// Rows of a block, and room up to the last that a byte numbers.
const BLOCK_ROWS: usize = 256;

/// Pairs of four rows.
const QUAD: usize = ROWS * MOST_LANES;

/// Counters of a slot: neighbouring lanes, which often fall into the same slot, need not wait for each other.
const COPIES: usize = 2;

/// What a term holds besides its product: as [`Simd::terms`] makes them.
const LIFT: u64 = (1 << TERM_BITS) + (1 << FRACTION_BITS);

/// Words of an entry of the number of pairs and so many sums: up to four are one register.
const fn words_of(sums: usize) -> usize {
    if sums < 4 { 4 } else { 1 + sums }
}

/// Any number of slots: each holds the number of its pairs and, for every word, the sum of their terms, side by side.
pub struct ScatterSets<'a> {
    of: &'a [ProductWord<'a>],
    /// Rows of a block, as they were taken in last.
    block: usize,
    n_rows: usize,
    rows: Vec<[f64; BLOCK_ROWS]>,
    /// The slot of the first lane that is met.
    lane: usize,
    /// Four rows that wait: no slot is read straight after it was written.
    slots: [u32; QUAD],
    terms: Vec<[u64; QUAD]>,
    waiting: usize,
    n_slots: usize,
    /// The entries for what is out of range, a lane each.
    out_of_range: [u32; MOST_LANES],
    /// Entries of [`words_of`] the sums.
    words: Vec<u64>,
}

impl<'a> ScatterSets<'a> {
    /// Slots that can be numbered, for any number of sets.
    #[inline]
    pub fn holds(n_slots: usize, sets: usize) -> bool {
        let words = (n_slots + MOST_LANES).checked_mul(COPIES * words_of(sets));
        words.is_some_and(|words| words < 1 << 27)
    }

    /// No pair, in so many slots; blocks are of `n_rows` rows.
    #[inline]
    pub fn new(of: &'a [ProductWord<'a>], n_slots: usize, n_rows: usize) -> Self {
        Self {
            of,
            block: usize::MAX,
            n_rows,
            rows: vec![[0.0; BLOCK_ROWS]; of.len()],
            lane: 0,
            slots: [n_slots as u32; QUAD],
            terms: vec![[0; QUAD]; of.len()],
            waiting: 0,
            n_slots,
            out_of_range: std::array::from_fn(|lane| (n_slots + lane) as u32),
            words: vec![0; (n_slots + MOST_LANES) * COPIES * words_of(of.len())],
        }
    }

    /// Counts what waits.
    #[inline(always)]
    fn scatter(&mut self) {
        match self.of.len() {
            2 => self.scatter_of::<2, 4>(),
            3 => self.scatter_of::<3, 4>(),
            4 => self.scatter_of::<4, 5>(),
            _ => self.scatter_any(),
        }
        self.waiting = 0;
    }

    /// As [`Self::scatter_any`], of entries whose width is known: four words are loaded, added to and stored at once.
    #[inline(always)]
    fn scatter_of<const N: usize, const WORDS: usize>(&mut self) {
        let Some(terms) = self.terms.first_chunk::<N>() else {
            return;
        };
        let (entries, _) = self.words.as_chunks_mut::<WORDS>();
        for (lane, &slot) in self.slots.iter().enumerate().take(self.waiting) {
            let mut added = [0; WORDS];
            added[0] = 1;
            for (word, terms) in added[1..].iter_mut().zip(terms) {
                *word = terms[lane];
            }
            let entry = &mut entries[slot as usize * COPIES + lane % COPIES];
            *entry = std::array::from_fn(|at| entry[at].wrapping_add(added[at]));
        }
    }

    #[inline]
    fn scatter_any(&mut self) {
        let wide = words_of(self.of.len());
        for (lane, &slot) in self.slots.iter().enumerate().take(self.waiting) {
            let at = (slot as usize * COPIES + lane % COPIES) * wide;
            let entry = &mut self.words[at..at + wide];
            entry[0] += 1;
            for (word, terms) in entry[1..].iter_mut().zip(&self.terms) {
                *word = word.wrapping_add(terms[lane]);
            }
        }
    }

    /// Takes the factors of another block of rows.
    #[inline(never)]
    fn load_rows(&mut self, first: usize) {
        self.block = first;
        let one = (1u64 << FRACTION_BITS) as f64;
        for (rows, word) in self.rows.iter_mut().zip(self.of) {
            let [factors, _] = word.factors;
            let factors = factors.get(first..first + self.n_rows).unwrap_or_default();
            for (row, factor) in rows.iter_mut().zip(factors) {
                *row = factor * one;
            }
        }
    }
}

/// As [`Simd::terms`], of what the first word leaves.
#[inline(always)]
fn rests<S: Simd>(simd: S, factor: f64, factors: &[f64], to: &mut [u64]) {
    let mut rests = [0.0; MOST_LANES];
    let factor = simd.splat_d(factor);
    for at in (0..S::LANES).step_by(S::DOUBLES) {
        let product = simd.mul_d(factor, simd.load_d(&factors[at..]));
        simd.store_d(simd.rest(product), &mut rests[at..]);
    }
    simd.terms(1.0, &rests[..S::LANES], to);
}

impl Histogram for ScatterSets<'_> {
    const SIFTS: bool = true;

    /// The sum of so many products is within 64 bits.
    const FLUSH_PAIRS: u64 = FLUSH_TERMS / 2;

    type Open<S: Simd> = ();

    #[inline(always)]
    fn open<S: Simd>(&mut self, _: S, [row, lane]: [usize; 2]) {
        if self.block != row {
            self.load_rows(row);
        }
        self.lane = lane;
    }

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        (): &mut (),
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        _: Factors<'_>,
    ) {
        self.scatter();
        let out_of_range = simd.load_u(&self.out_of_range);
        for (k, slots) in slots.into_iter().enumerate() {
            let slots = simd.min_u(slots, out_of_range);
            simd.store_u(slots, &mut self.slots[k * S::LANES..(k + 1) * S::LANES]);
        }
        let sets = self.terms.iter_mut().zip(&self.rows).zip(self.of);
        for ((terms, factors), word) in sets {
            let lanes = &word.factors[1][self.lane..self.lane + S::LANES];
            for (k, row) in rows.into_iter().enumerate() {
                let to = &mut terms[k * S::LANES..(k + 1) * S::LANES];
                if word.is_rest {
                    rests(simd, factors[row as usize], lanes, to);
                } else {
                    simd.terms(factors[row as usize], lanes, to);
                }
            }
        }
        self.waiting = ROWS * S::LANES;
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, _: S, (): (), _: Factors<'_>) {}

    #[inline]
    fn product(&self, _: f64, [first, second]: [u32; 2], _: [i8; 3], set: usize) -> f64 {
        let ProductWord { factors, is_rest } = self.of[set];
        let product = factors[0][first as usize] * factors[1][second as usize];
        if is_rest {
            rest_as_term(product)
        } else {
            product
        }
    }

    #[inline]
    fn flush(&mut self, totals: &mut Totals) {
        self.scatter();
        let wide = words_of(self.of.len());
        for (at, entry) in self.words.chunks_exact(wide).enumerate() {
            let (slot, pairs) = (at / COPIES, entry[0]);
            if pairs == 0 || slot >= self.n_slots {
                continue;
            }
            totals.pairs[slot] = totals.pairs[slot].wrapping_add(pairs);
            for (at, &word) in entry[1..=self.of.len()].iter().enumerate() {
                let sum = word.wrapping_sub(pairs.wrapping_mul(LIFT)).cast_signed();
                totals.products[at * self.n_slots + slot] += i128::from(sum);
            }
        }
        self.words.fill(0);
    }
}
