//! Pairs whose weights are more than the product of two: those that the filter puts into a bin wait, and are weighed some at a time.
//!
//! Entry: [`Weighed`], a histogram of them. What a pair's weight is, is told by [`crate::tally::Terms`]; what is here repeats it operation
//! by operation.

use rayon::prelude::*;

use crate::domain::Domain;
use crate::fixed_point::{FLUSH_TERMS, quantise};
use crate::particles::Bits;
use crate::separation::direction;
use crate::simd::{Factors, Histogram, MOST_LANES, ROWS, Simd, Totals};
use crate::tally::{AngularWeight, InverseProbability, PairFactor};
use crate::traversal::{BLOCK, Layout, NO_ROW};

/// What the weights of a job's pairs are made of, slot by slot.
pub(super) struct SlotWeights<'a> {
    /// The scaled weights of both samples, a set after the other.
    factors: &'a [[&'a [f64]; 2]],
    inverse: Option<(&'a InverseProbability, Sides<BitSlots>)>,
    angular: Option<(&'a AngularWeight, Sides<Vec<[f64; 3]>>)>,
}

/// What there is of the first sample and, of a cross count, of the second.
struct Sides<T> {
    first: T,
    second: Option<T>,
}

impl<T> Sides<T> {
    #[inline(always)]
    fn both(&self) -> [&T; 2] {
        [&self.first, self.second.as_ref().unwrap_or(&self.first)]
    }
}

/// Bits in slot order.
struct BitSlots {
    per_row: usize,
    words: Vec<u64>,
    /// How many bits are set beyond the fewest there can be, where the counter asks for it.
    set: Vec<u32>,
}

/// The row in each slot, none where there is no point.
fn rows(layout: &Layout) -> impl IndexedParallelIterator<Item = Option<usize>> + '_ {
    let slots = (0..layout.blocks.len() * BLOCK).into_par_iter();
    slots.with_min_len(1024).map(|slot| {
        let row = layout.row(slot);
        (row != NO_ROW).then_some(row as usize)
    })
}

impl BitSlots {
    fn new(bits: &Bits, layout: &Layout, inverse: &InverseProbability) -> Self {
        let per_row = bits.per_row();
        let mut words = vec![0; layout.blocks.len() * BLOCK * per_row];
        let slots = words.par_chunks_exact_mut(per_row).zip(rows(layout));
        slots.for_each(|(words, row)| {
            if let Some(row) = row {
                words.copy_from_slice(bits.row(row));
            }
        });
        let set = inverse.counter().map_or_else(Vec::new, |counter| {
            let set = |row: Option<usize>| row.map_or(0, |row| bits.set_in(row) - counter.lo);
            rows(layout).map(set).collect()
        });
        Self {
            per_row,
            words,
            set,
        }
    }

    #[inline(always)]
    fn of_slot(&self, slot: u32) -> &[u64] {
        &self.words[slot as usize * self.per_row..][..self.per_row]
    }
}

/// The directions of the points in slots.
fn directions(layout: &Layout) -> Vec<[f64; 3]> {
    let at = rows(layout).enumerate().map(|(slot, row)| {
        let of_point = row.map(|_| direction(layout.position(slot)));
        of_point.unwrap_or_default()
    });
    at.collect()
}

impl<'a> SlotWeights<'a> {
    /// The weights of pairs between two layouts, or within the first.
    pub(super) fn new(
        factor: PairFactor<'a>,
        factors: &'a [[&'a [f64]; 2]],
        first: &Layout,
        second: Option<&Layout>,
    ) -> Self {
        Self {
            factors,
            inverse: factor.inverse().map(|(of, [one, other])| {
                let first = BitSlots::new(one, first, of);
                let second = second.map(|layout| BitSlots::new(other, layout, of));
                (of, Sides { first, second })
            }),
            angular: factor.angular().map(|of| {
                let (first, second) = (directions(first), second.map(directions));
                (of, Sides { first, second })
            }),
        }
    }

    /// Number of sets of weights.
    pub(super) fn sets(&self) -> usize {
        self.factors.len()
    }

    /// The weights of the pairs of slots by a set of weights, one for each.
    #[inline(always)]
    fn weigh(&self, set: usize, pairs: &[Waiting], weights: &mut [f64]) {
        let [first, second] = self.factors[set];
        for (weight, at) in weights.iter_mut().zip(pairs) {
            *weight = first[at.first as usize] * second[at.second as usize];
        }
        if let Some((of, sides)) = &self.inverse {
            let both = sides.both();
            match both[0].per_row {
                1 => by_bits(of, both, pairs, weights, common::<1>),
                2 => by_bits(of, both, pairs, weights, common::<2>),
                _ => by_bits(of, both, pairs, weights, common_of_all),
            }
        }
        if let Some((of, sides)) = &self.angular {
            let [first, second] = sides.both();
            let ([lo, hi], outside) = (of.range(), of.outside());
            for (weight, at) in weights.iter_mut().zip(pairs) {
                let [n1, n2] = [first[at.first as usize], second[at.second as usize]];
                let square = Domain::Open.separation(n1, n2).r2;
                let inside = square >= lo && square < hi;
                *weight *= if inside {
                    of.of_square(square)
                } else {
                    outside
                };
            }
        }
    }
}

/// How many bits two rows of N words have in common.
#[inline(always)]
fn common<const N: usize>(a: &[u64], b: &[u64]) -> u32 {
    match (a.first_chunk::<N>(), b.first_chunk::<N>()) {
        (Some(a), Some(b)) => common_of_all(a, b),
        _ => 0,
    }
}

/// How many bits two rows have in common.
#[inline(always)]
fn common_of_all(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

/// Multiplies weights by the inverse probabilities of their pairs.
#[inline(always)]
fn by_bits(
    inverse: &InverseProbability,
    [first, second]: [&BitSlots; 2],
    pairs: &[Waiting],
    weights: &mut [f64],
    common: impl Fn(&[u64], &[u64]) -> u32,
) {
    let table = inverse.table();
    let of_pair =
        |at: &Waiting| table[common(first.of_slot(at.first), second.of_slot(at.second)) as usize];
    let weighed = weights.iter_mut().zip(pairs);
    match inverse.counter() {
        None => weighed.for_each(|(weight, at)| *weight *= of_pair(at)),
        Some(counter) => weighed.for_each(|(weight, at)| {
            let [a, b] = [first.set[at.first as usize], second.set[at.second as usize]];
            *weight *= of_pair(at) * counter.table[a as usize * counter.width + b as usize];
        }),
    }
}

/// Pairs that wait, at most.
const WAITING: usize = 1024;

/// Counters of a slot.
const COPIES: usize = 2;

/// A pair of slots, and the slot of the histogram that it is counted in.
#[derive(Debug, Clone, Copy, Default)]
struct Waiting {
    first: u32,
    second: u32,
    to: u32,
}

/// Counts and sums of pairs in bins, each weighed by itself.
pub(super) struct Weighed<'a> {
    of: &'a SlotWeights<'a>,
    /// The set of weights.
    set: usize,
    waiting: Box<[Waiting; WAITING]>,
    n: usize,
    /// The slots of the first row and of the first lane that are met.
    met: [u32; 2],
    n_slots: u32,
    /// Numbers and sums, in copies: pairs that wait side by side, often of one bin, need not wait for each other.
    sums: Vec<[(u64, i64); COPIES]>,
}

impl<'a> Weighed<'a> {
    /// No pair, in so many slots, by a set of weights.
    pub(super) fn new(of: &'a SlotWeights<'a>, set: usize, n_slots: usize) -> Self {
        Self {
            of,
            set,
            waiting: Box::new([Waiting::default(); WAITING]),
            n: 0,
            met: [0; 2],
            n_slots: n_slots as u32,
            sums: vec![[(0, 0); COPIES]; n_slots],
        }
    }

    /// Weighs the pairs that wait.
    #[inline(always)]
    fn weigh(&mut self) {
        let pairs = &self.waiting[..self.n];
        let mut weights = [0.0; WAITING];
        self.of.weigh(self.set, pairs, &mut weights);
        for (k, (at, &weight)) in pairs.iter().zip(&weights).enumerate() {
            let (pairs, sum) = &mut self.sums[at.to as usize][k % COPIES];
            *pairs += 1;
            *sum += quantise(weight);
        }
        self.n = 0;
    }
}

/// Room for the pairs of four rows.
const QUAD: usize = ROWS * MOST_LANES;

impl Histogram for Weighed<'_> {
    const SIFTS: bool = true;

    const FLUSH_PAIRS: u64 = FLUSH_TERMS / 2;

    type Open<S: Simd> = ();

    #[inline(always)]
    fn open<S: Simd>(&mut self, _: S, met: [usize; 2]) {
        self.met = met.map(|slot| slot as u32);
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
        if self.n + QUAD > WAITING {
            self.weigh();
        }
        let last = simd.splat_u(self.n_slots - 1);
        for (slots, row) in slots.into_iter().zip(rows) {
            let mut inside = simd.mask_bits(simd.at_most_u(slots, last));
            if inside == 0 {
                continue;
            }
            let mut to = [0; MOST_LANES];
            simd.store_u(slots, &mut to);
            while inside != 0 {
                let lane = inside.trailing_zeros();
                inside &= inside - 1;
                self.waiting[self.n % WAITING] = Waiting {
                    first: self.met[0] + u32::from(row),
                    second: self.met[1] + lane,
                    to: to[lane as usize % MOST_LANES],
                };
                self.n += 1;
            }
        }
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, _: S, (): ()) {}

    fn product(&self, _: f64, [first, second]: [u32; 2], _: usize) -> f64 {
        let mut weight = [0.0];
        let pair = Waiting {
            first,
            second,
            to: 0,
        };
        self.of.weigh(self.set, &[pair], &mut weight);
        weight[0]
    }

    fn flush(&mut self, totals: &mut Totals) {
        self.weigh();
        let slots = totals.pairs.iter_mut().zip(&mut totals.products);
        for ((pairs, sum), own) in slots.zip(&mut self.sums) {
            for (more, product) in std::mem::take(own) {
                *pairs = pairs.wrapping_add(more);
                *sum += i128::from(product);
            }
        }
    }
}
