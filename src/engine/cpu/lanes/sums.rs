//! Sums that are made in lanes: the terms of a batch, and 64-bit partial sums of them, a few words a bin side by side.
//!
//! Entry: [`Words`]. A term is defined by [`crate::tally::Terms`]; what is here repeats it operation by operation.

use albireo_simd::Simd;
use albireo_simd::fixed_point::{FLUSH_TERMS, FRACTION_BITS};

use super::batch::{Batch, PAIRS};
use super::values::{Summed, Values};
use crate::engine::cpu::evaluated::Evaluated;
use crate::tally::{Sum, Tally, WeightedSum};
use crate::traversal::LEAF;

/// A term that lanes can make.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LaneTerm {
    Product,
    /// The root of the square across.
    Root,
    WeightedRoot,
    /// The weight times a value.
    Value(usize),
    /// A value alone.
    Bare(usize),
    /// Whether a value is not within its bound.
    Beyond(usize),
    /// By the rule, pair by pair.
    Rule,
}

impl LaneTerm {
    /// Whether it is made of the root of the square across.
    pub(super) fn needs_root(self) -> bool {
        matches!(self, Self::Root | Self::WeightedRoot)
    }

    /// How `sum` is made, apart from whether it is a second word, and by which set of weights; `root` says whether the coordinate is the root of the square across, `of_pairs`
    /// whether batches hold the weights of pairs, which are those of the first set.
    pub(super) fn of(
        sum: &Sum,
        evaluated: &Evaluated,
        root: bool,
        of_pairs: bool,
    ) -> (Self, usize) {
        let value = evaluated.of_sum(sum);
        let Some((set, weighted)) = sum.weighted() else {
            let beyond = evaluated.unbounded(sum);
            let term = match (sum, value, beyond) {
                (Sum::Separation, ..) if root => Self::Root,
                (_, Some((k, _)), _) => Self::Bare(k),
                (_, _, Some(k)) => Self::Beyond(k),
                _ => Self::Rule,
            };
            return (term, 0);
        };
        let term = match (weighted, value) {
            _ if of_pairs && set > 0 => Self::Rule,
            (WeightedSum::Product, _) => Self::Product,
            (WeightedSum::Separation, _) if root => Self::WeightedRoot,
            (_, Some((k, _))) => Self::Value(k),
            _ => Self::Rule,
        };
        (term, set)
    }
}

/// 2^36: one, in units of a sum.
pub(in crate::engine::cpu) const ONE: f64 = (1u64 << FRACTION_BITS) as f64;

/// The factors of a batch's pairs.
#[derive(Debug)]
pub(super) struct Factors<'a> {
    pub(super) rows: [f64; super::batch::ROWS],
    pub(super) lanes: &'a [f64],
    /// Whether the batch holds the weights of pairs, which are more than the product of two.
    pub(super) of_pairs: bool,
    /// What coordinates are multiplied by: a power of two.
    pub(super) coordinate: f64,
    /// The values of expressions.
    pub(super) values: Option<&'a Values<PAIRS>>,
}

impl<'a> Factors<'a> {
    /// The same with the values of a batch.
    #[inline(always)]
    pub(super) fn with<'b>(&self, values: Option<&'b Values<PAIRS>>) -> Factors<'b>
    where
        'a: 'b,
    {
        Factors { values, ..*self }
    }
}

/// The real number that `term` adds for the pairs from number `at` on.
#[inline(always)]
fn real<S: Simd>(simd: S, batch: &Batch, factors: &Factors<'_>, term: LaneTerm, at: usize) -> S::D {
    let row = simd.splat_d(factors.rows[at / LEAF]);
    let product = match term {
        LaneTerm::Product | LaneTerm::WeightedRoot | LaneTerm::Value(_) if factors.of_pairs => {
            simd.load_d(&batch.weights[at..])
        }
        LaneTerm::Product | LaneTerm::WeightedRoot | LaneTerm::Value(_) => {
            simd.mul_d(row, simd.load_d(&factors.lanes[at % LEAF..]))
        }
        _ => row,
    };
    match term {
        LaneTerm::Product | LaneTerm::Rule | LaneTerm::Beyond(_) => product,
        LaneTerm::Value(k) | LaneTerm::Bare(k) => match factors.values {
            Some(values) if term == LaneTerm::Bare(k) => values.summed(k).term(simd, at),
            Some(values) => simd.mul_d(product, values.summed(k).term(simd, at)),
            None => product,
        },
        LaneTerm::Root | LaneTerm::WeightedRoot => {
            let root = simd.load_d(&batch.root[at..]);
            let root = simd.mul_d(root, simd.splat_d(factors.coordinate));
            if term == LaneTerm::Root {
                return root;
            }
            simd.mul_d(product, root)
        }
    }
}

/// Bits below the number of pairs in a word that holds a sum too.
const SHARED_BITS: u32 = 50;

/// What makes a term of a shared word positive.
const LIFT: i64 = 1 << FRACTION_BITS;

/// Fewer pairs than this keep the sum of their terms, each at most 2^37 with [`LIFT`], below the number of pairs.
const SHARED_PAIRS: u64 = 1 << (SHARED_BITS - 37);

/// More bins than this are not emptied so often.
const SHARED_BINS: usize = 1024;

/// Words of all bins that stay in a processor's nearest memory.
const NEAR_WORDS: usize = 2048;

/// Partial sums in 64 bits: for each bin [`Words::copies`] entries of a few words, the last entry for what lies in no bin.
///
/// Neighbouring lanes, which often fall into the same bin, add to different copies, so that they need not wait for each other. In
/// few bins the number of pairs and the first sum share a word.
#[derive(Debug)]
pub(in crate::engine::cpu) struct Words<const N: usize> {
    entries: Vec<i64>,
    /// What each pair of a batch adds, word by word.
    terms: Vec<[i64; N]>,
    copies: usize,
    n_bins: usize,
    shared: bool,
    /// Pairs that one word may hold by now.
    held: u64,
    tables: [Option<usize>; 2],
}

/// How partial sums lie in memory: what slots are numbers of.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine::cpu) struct Shape {
    pub(super) n_bins: usize,
    n_sums: usize,
    copies: usize,
    shared: bool,
}

impl Shape {
    pub(in crate::engine::cpu) fn new(n_bins: usize, n_sums: usize) -> Option<Self> {
        let shared = n_sums > 0 && n_bins <= SHARED_BINS;
        let mut shape = Self {
            n_bins,
            n_sums,
            copies: 4,
            shared,
        };
        while shape.copies > 1 && (n_bins + 1) * shape.unit() > NEAR_WORDS {
            shape.copies /= 2;
        }
        // Two slots are added before they are found to be in no bin; `ASK` is none.
        let last = (n_bins + 1).checked_mul(shape.unit())?;
        (last < u32::MAX as usize / 2).then_some(shape)
    }

    fn n_words(&self) -> usize {
        self.n_sums + usize::from(!self.shared)
    }

    /// Words from one bin to the next.
    pub(in crate::engine::cpu) fn unit(&self) -> usize {
        self.copies * self.n_words()
    }

    /// The slot of a bin.
    pub(in crate::engine::cpu) fn slot(&self, bin: Option<usize>) -> i64 {
        (bin.unwrap_or(self.n_bins) * self.unit()) as i64
    }
}

impl<const N: usize> Words<N> {
    pub(in crate::engine::cpu) fn new(shape: &Shape) -> Self {
        let mut terms = vec![[0; N]; shape.n_words()];
        if !shape.shared {
            terms[0] = [1; N];
        }
        Self {
            entries: vec![0; (shape.n_bins + 1) * shape.unit()],
            terms,
            copies: shape.copies,
            n_bins: shape.n_bins,
            shared: shape.shared,
            held: 0,
            tables: [Some(0), None],
        }
    }

    /// Lets what is added from now on go to other tables of `tally`.
    #[inline(always)]
    pub(super) fn turn_to(&mut self, tally: &mut Tally, tables: [Option<usize>; 2]) {
        if self.tables != tables {
            self.flush(tally);
            self.tables = tables;
        }
    }

    /// Takes the terms of `n` pairs for the sums of these numbers: as they are, and what their first words leave. They are the products times
    /// the values, or those of them that there are. Not by a closure over registers, which may end up as a call for each
    /// operation.
    #[inline(always)]
    pub(in crate::engine::cpu) fn take_words<S: Simd>(
        &mut self,
        simd: S,
        ([whole, rest], n): ([Option<usize>; 2], usize),
        products: Option<&[f64; N]>,
        values: Option<Summed<'_>>,
    ) {
        let first = usize::from(!self.shared);
        let bias = self.bias(whole.unwrap_or(1));
        let (mut to_whole, mut to_rest) = (None, None);
        for (at, terms) in self.terms.iter_mut().skip(first).enumerate() {
            if Some(at) == whole {
                to_whole = Some(terms);
            } else if Some(at) == rest {
                to_rest = Some(terms);
            }
        }
        for at in (0..n).step_by(S::DOUBLES) {
            let product = match products {
                Some(products) => simd.load_d(&products[at..]),
                None => simd.splat_d(ONE),
            };
            let term = match values {
                Some(values) => simd.mul_d(product, values.term(simd, at)),
                None => product,
            };
            if let Some(to) = &mut to_whole {
                simd.store_rounded(term, bias, &mut to[at..]);
            }
            if let Some(to) = &mut to_rest {
                simd.store_rounded(simd.rest(term), 0, &mut to[at..]);
            }
        }
    }

    /// What is added to the terms of sum number `at`.
    #[inline(always)]
    fn bias(&self, at: usize) -> i64 {
        if self.shared && at == 0 {
            LIFT + (1 << SHARED_BITS)
        } else {
            0
        }
    }

    /// The slot of what lies in no bin.
    #[inline(always)]
    pub(in crate::engine::cpu) fn nowhere(&self) -> i64 {
        (self.n_bins * self.copies * self.terms.len()) as i64
    }

    /// Adds the terms of a batch where its slots say, a multiple of four.
    #[inline(always)]
    pub(in crate::engine::cpu) fn add(&mut self, slots: &[i64], tally: &mut Tally) {
        let most = if self.shared {
            SHARED_PAIRS
        } else {
            FLUSH_TERMS
        };
        // The lanes of a batch are shared out among the copies.
        let new = (slots.len() / self.copies) as u64;
        if self.held + new >= most {
            self.flush(tally);
        }
        self.held += new;
        match self.terms.len() {
            1 => self.add_words::<1>(slots),
            2 => self.add_words::<2>(slots),
            3 => self.add_words::<3>(slots),
            4 => self.add_words::<4>(slots),
            5 => self.add_words::<5>(slots),
            6 => self.add_words::<6>(slots),
            7 => self.add_words::<7>(slots),
            8 => self.add_words::<8>(slots),
            _ => self.add_any(slots),
        }
    }

    /// Adds pairs to a bin, where nothing but pairs is counted.
    #[inline(always)]
    pub(super) fn add_pairs(&mut self, bin: usize, pairs: u64) {
        let entry = &mut self.entries[bin * self.copies * self.terms.len()];
        *entry = entry.wrapping_add(pairs.cast_signed());
    }

    #[inline(always)]
    fn add_words<const W: usize>(&mut self, slots: &[i64]) {
        let Some(terms) = self.terms.first_chunk::<W>() else {
            return;
        };
        let words = &mut self.entries[..];
        let step = if self.copies == 1 { 0 } else { W };
        let wide = if self.copies == 4 { 2 * W } else { 0 };
        let copies = [0, step, wide, wide + step];
        let fours = slots.as_chunks::<4>().0;
        for (at, slots) in fours.iter().enumerate() {
            for k in 0..4 {
                let entry = &mut words[slots[k] as usize + copies[k]..][..W];
                for n in 0..W {
                    entry[n] = entry[n].wrapping_add(terms[n][4 * at + k]);
                }
            }
        }
    }

    fn add_any(&mut self, slots: &[i64]) {
        let n_words = self.terms.len();
        for (k, &slot) in slots.iter().enumerate() {
            let at = slot as usize + k % self.copies * n_words;
            let entry = &mut self.entries[at..at + n_words];
            for (word, terms) in entry.iter_mut().zip(&self.terms) {
                *word = word.wrapping_add(terms[k]);
            }
        }
    }

    /// Adds what is held to the tables of `tally`.
    #[inline(never)]
    pub(in crate::engine::cpu) fn flush(&mut self, tally: &mut Tally) {
        self.held = 0;
        let n_words = self.terms.len();
        let n_sums = n_words - usize::from(!self.shared);
        let bins = self.entries.chunks_exact(self.copies * n_words);
        for (bin, copies) in bins.enumerate().take(self.n_bins) {
            for entry in copies.chunks_exact(n_words) {
                if entry[0] == 0 {
                    // No pair: every pair adds to the first word, whether shared or not.
                    continue;
                }
                let pairs = if self.shared {
                    entry[0] >> SHARED_BITS
                } else {
                    entry[0]
                };
                for table in self.tables.into_iter().flatten() {
                    tally.add_pairs(table, bin, pairs.cast_unsigned());
                    for at in 0..n_sums {
                        let sum = if self.shared && at == 0 {
                            (entry[0] & ((1 << SHARED_BITS) - 1)) - pairs * LIFT
                        } else {
                            entry[at + usize::from(!self.shared)]
                        };
                        tally.add_to_sum(at, table, bin, sum);
                    }
                }
            }
        }
        self.entries.fill(0);
    }
}

impl Words<PAIRS> {
    /// Makes the terms of sum number `at`, or what the first word leaves of them. Not by a closure over registers, as above.
    #[inline(always)]
    pub(super) fn make<S: Simd>(
        &mut self,
        simd: S,
        batch: &Batch,
        factors: &Factors<'_>,
        (at, term, is_rest): (usize, LaneTerm, bool),
    ) {
        let (bias, one) = (self.bias(at), simd.splat_d(ONE));
        let to = &mut self.terms[at + usize::from(!self.shared)];
        for at in (0..batch.n_pairs()).step_by(S::DOUBLES) {
            let term = simd.mul_d(real(simd, batch, factors, term, at), one);
            let term = if is_rest { simd.rest(term) } else { term };
            simd.store_rounded(term, bias, &mut to[at..]);
        }
    }

    /// Takes 1 for each of the first `n` pairs without a value.
    #[inline(always)]
    pub(super) fn take_beyond<S: Simd>(
        &mut self,
        simd: S,
        (at, n): (usize, usize),
        values: Summed<'_>,
    ) {
        let bias = self.bias(at);
        let to = &mut self.terms[at + usize::from(!self.shared)];
        for at in (0..n).step_by(S::DOUBLES) {
            simd.store_rounded(values.beyond(simd, at), bias, &mut to[at..]);
        }
    }

    /// Takes the terms of sum number `at` from `rule`, of the pairs that lie in bins.
    pub(super) fn ask(&mut self, batch: &Batch, at: usize, rule: impl Fn([usize; 2]) -> i64) {
        let (bias, nowhere) = (self.bias(at), self.nowhere());
        let to = &mut self.terms[at + usize::from(!self.shared)];
        for (k, to) in to.iter_mut().enumerate().take(batch.n_pairs()) {
            if batch.slots[k] < nowhere {
                *to = rule(batch.pair(k)) + bias;
            }
        }
    }
}
