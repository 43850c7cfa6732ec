//! Weights of pairs in lanes: the bits and directions of the points in slot order, and what a row against a leaf makes of them.
//!
//! Entry: [`PairWeights`]. What a pair's weight is, is told by [`crate::tally::Terms`]; what is here repeats it operation by operation.

use rayon::prelude::*;

use super::batch::Batch;
use super::sums::Factors;
use crate::particles::{Bits, MAX_BIT_WORDS};
use crate::separation::direction;
use crate::simd::Simd;
use crate::tally::{AngularWeight, InverseProbability, PairFactor};
use crate::traversal::{BLOCK, LEAF, Layout, NO_ROW};

/// The factors of the pairs of a job besides the product of two weights.
pub(in crate::engine::cpu) struct PairWeights<'a> {
    inverse: Option<Inverse<'a>>,
    angular: Option<Angular<'a>>,
}

/// Inverse probabilities, and the bits of the first sample and, of a cross count, of the second.
struct Inverse<'a> {
    of: &'a InverseProbability,
    first: BitLanes,
    second: Option<BitLanes>,
}

/// Bits in slot order.
struct BitLanes {
    per_row: usize,
    /// Leaf by leaf, word by word, those of all its points side by side.
    words: Vec<u64>,
    /// How many bits are set in each slot beyond the fewest there can be, where the counter asks for it.
    set: Vec<u32>,
}

/// Factors by the angle, and the directions of the first sample and, of a cross count, of the second.
struct Angular<'a> {
    of: &'a AngularWeight,
    first: Vec<Directions>,
    second: Option<Vec<Directions>>,
}

/// The directions of a leaf's points, axis by axis.
type Directions = [[f64; LEAF]; 3];

/// The rows of the slots of leaf number `leaf`; none where there is no point.
fn rows(layout: &Layout, leaf: usize) -> [Option<usize>; LEAF] {
    std::array::from_fn(|lane| {
        let row = layout.row(leaf * LEAF + lane);
        (row != NO_ROW).then_some(row as usize)
    })
}

fn n_leaves(layout: &Layout) -> usize {
    layout.blocks.len() * (BLOCK / LEAF)
}

impl BitLanes {
    fn new(bits: &Bits, layout: &Layout, inverse: &InverseProbability, at_once: usize) -> Self {
        let per_row = bits.per_row();
        let mut words = vec![0; n_leaves(layout) * per_row * LEAF];
        let leaves = words.par_chunks_mut(per_row * LEAF).enumerate();
        leaves.with_min_len(at_once).for_each(|(leaf, words)| {
            for (lane, row) in rows(layout, leaf).into_iter().enumerate() {
                for (word, &bits) in row.into_iter().flat_map(|row| bits.row(row)).enumerate() {
                    words[word * LEAF + lane] = bits;
                }
            }
        });
        let set = inverse.counter().map_or_else(Vec::new, |counter| {
            let set = |leaf: usize| {
                let row = |row: Option<usize>| row.map_or(0, |row| bits.set_in(row) - counter.lo);
                rows(layout, leaf).map(row)
            };
            let leaves = (0..n_leaves(layout)).into_par_iter();
            let leaves = leaves.with_min_len(at_once);
            leaves.flat_map_iter(set).collect()
        });
        Self {
            per_row,
            words,
            set,
        }
    }

    /// The words of the points of leaf number `leaf`.
    #[inline(always)]
    fn leaf(&self, leaf: usize) -> &[u64] {
        &self.words[leaf * self.per_row * LEAF..][..self.per_row * LEAF]
    }

    /// The words in a slot.
    #[inline(always)]
    fn slot<'w>(&self, slot: usize, to: &'w mut [u64; MAX_BIT_WORDS]) -> &'w [u64] {
        let leaf = self.leaf(slot / LEAF);
        for (to, words) in to.iter_mut().zip(leaf.chunks_exact(LEAF)) {
            *to = words[slot % LEAF];
        }
        &to[..self.per_row]
    }
}

impl Inverse<'_> {
    /// Multiplies the weights of the point in slot `row` with those of leaf number `leaf` by their inverse probabilities.
    #[inline(always)]
    fn weigh<S: Simd>(&self, simd: S, weights: &mut [f64; LEAF], row: usize, leaf: usize) {
        let second = self.second.as_ref().unwrap_or(&self.first);
        let mut words = [0; MAX_BIT_WORDS];
        let mut common = [0; LEAF];
        let words = self.first.slot(row, &mut words);
        simd.common_bits(words, second.leaf(leaf), &mut common);
        let table = self.of.table();
        let Some(counter) = self.of.counter() else {
            for (weight, &common) in weights.iter_mut().zip(&common) {
                *weight *= table[common as usize];
            }
            return;
        };
        let of_row = &counter.table[self.first.set[row] as usize * counter.width..];
        let set = &second.set[leaf * LEAF..][..LEAF];
        for (lane, weight) in weights.iter_mut().enumerate() {
            *weight *= table[common[lane] as usize] * of_row[set[lane] as usize];
        }
    }
}

impl Angular<'_> {
    /// Multiplies the weights of the point in slot `row` with those of leaf number `leaf` by their angular factors.
    #[inline(always)]
    fn weigh(&self, weights: &mut [f64; LEAF], row: usize, leaf: usize) {
        let n1 = self.first[row / LEAF].map(|axis| axis[row % LEAF]);
        let n2 = &self.second.as_ref().unwrap_or(&self.first)[leaf];
        let mut squares = [0.0; LEAF];
        for (lane, square) in squares.iter_mut().enumerate() {
            let d: [f64; 3] = std::array::from_fn(|axis| n1[axis] - n2[axis][lane]);
            *square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        }
        let ([lo, hi], outside) = (self.of.range(), self.of.outside());
        for (weight, &square) in weights.iter_mut().zip(&squares) {
            let inside = square >= lo && square < hi;
            *weight *= if inside {
                self.of.of_square(square)
            } else {
                outside
            };
        }
    }
}

/// The directions of the points in slots.
fn directions(layout: &Layout, at_once: usize) -> Vec<Directions> {
    let of_leaf = |leaf: usize| {
        let mut directions = [[0.0; LEAF]; 3];
        for (lane, row) in rows(layout, leaf).into_iter().enumerate() {
            if row.is_some() {
                let n = direction(layout.position(leaf * LEAF + lane));
                for (axis, n) in directions.iter_mut().zip(n) {
                    axis[lane] = n;
                }
            }
        }
        directions
    };
    let leaves = (0..n_leaves(layout)).into_par_iter();
    leaves.with_min_len(at_once).map(of_leaf).collect()
}

/// Who prepares.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine::cpu) enum Threads {
    /// All threads of the pool.
    All,
    /// The one at hand alone: it must not wait for others that may wait for it.
    This,
}

impl<'a> PairWeights<'a> {
    /// The factors of pairs between two layouts, or within the first.
    pub(in crate::engine::cpu) fn new(
        factor: PairFactor<'a>,
        first: &Layout,
        second: Option<&Layout>,
        threads: Threads,
    ) -> Self {
        let at_once = match threads {
            Threads::All => 64,
            Threads::This => usize::MAX,
        };
        Self {
            inverse: factor.inverse().map(|(of, [one, other])| Inverse {
                of,
                first: BitLanes::new(one, first, of, at_once),
                second: second.map(|layout| BitLanes::new(other, layout, of, at_once)),
            }),
            angular: factor.angular().map(|of| Angular {
                of,
                first: directions(first, at_once),
                second: second.map(|layout| directions(layout, at_once)),
            }),
        }
    }

    /// Makes the weights of a batch: of the rows in the slots from `first` on with leaf number `leaf`, where any of their pairs lies in a
    /// slot below `nowhere`.
    #[inline(always)]
    pub(super) fn weigh<S: Simd>(
        &self,
        simd: S,
        batch: &mut Batch,
        factors: &Factors<'_>,
        nowhere: i64,
        (first, leaf): (usize, usize),
    ) {
        for k in 0..batch.n_rows {
            let of_row = k * LEAF..(k + 1) * LEAF;
            if batch.slots[of_row.clone()]
                .iter()
                .all(|&slot| slot >= nowhere)
            {
                continue;
            }
            let row = first + batch.rows[k] as usize;
            let mut weights = [0.0; LEAF];
            for (weight, &other) in weights.iter_mut().zip(factors.lanes) {
                *weight = factors.rows[k] * other;
            }
            if let Some(inverse) = &self.inverse {
                inverse.weigh(simd, &mut weights, row, leaf);
            }
            if let Some(angular) = &self.angular {
                angular.weigh(&mut weights, row, leaf);
            }
            batch.weights[of_row].copy_from_slice(&weights);
        }
    }
}
