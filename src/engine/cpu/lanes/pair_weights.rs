//! Weights of pairs in lanes: the bits and directions of the points in slot order, and what a row against a leaf makes of them.
//!
//! Entry: [`PairWeights`]. A pair's weight is defined by [`crate::tally::Terms`]; what is here repeats it operation by operation.

use albireo_simd::{Common, MOST_LANES, Quotient, Simd, WordRows};
use rayon::prelude::*;

use super::batch::Batch;
use super::sums::Factors;
use crate::particles::Bits;
use crate::separation::direction;
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
    /// What its table is made by, where a division does for it.
    quotient: Option<Quotient>,
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

/// Leaves that a thread prepares at once, at least.
const AT_ONCE: usize = 64;

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
    fn new(bits: &Bits, layout: &Layout, inverse: &InverseProbability) -> Self {
        let per_row = bits.per_row();
        let mut words = vec![0; n_leaves(layout) * per_row * LEAF];
        let leaves = words.par_chunks_mut(per_row * LEAF).enumerate();
        leaves.with_min_len(AT_ONCE).for_each(|(leaf, words)| {
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
            let leaves = leaves.with_min_len(AT_ONCE);
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

    /// The words of the points in the slots from `lane` on, of the same leaf.
    #[inline(always)]
    fn register(&self, lane: usize) -> &[u64] {
        &self.leaf(lane / LEAF)[lane % LEAF..]
    }

    /// Word after word of the point in a slot.
    #[inline(always)]
    fn slot(&self, slot: usize) -> impl Iterator<Item = u64> {
        let leaf = self.leaf(slot / LEAF).chunks_exact(LEAF);
        leaf.map(move |words| words[slot % LEAF])
    }
}

impl Inverse<'_> {
    #[inline(always)]
    fn second(&self) -> &BitLanes {
        self.second.as_ref().unwrap_or(&self.first)
    }

    #[inline(always)]
    fn of_rows<'b>(&self, words: &'b RowWords) -> WordRows<'b> {
        WordRows {
            words: &words.words,
            per_row: self.first.per_row,
        }
    }

    #[inline(always)]
    fn common<'b>(
        &'b self,
        quotient: &'b Quotient,
        words: &'b RowWords,
        lane: usize,
    ) -> Common<'b> {
        Common {
            rows: self.of_rows(words),
            points: self.second().register(lane),
            quotient,
        }
    }

    /// Multiplies the weights of rows of a block with the points in the slots from `lane` on by their inverse probabilities.
    #[inline(always)]
    fn weigh<S: Simd, const N: usize>(
        &self,
        simd: S,
        weights: &mut [[f64; MOST_LANES]; N],
        (words, rows): (&RowWords, &[u8; N]),
        lane: usize,
    ) {
        if let Some(quotient) = &self.quotient {
            let common = self.common(quotient, words, lane);
            return simd.divide_by_common(common, rows, weights);
        }
        let second = self.second();
        let (of_rows, points) = (self.of_rows(words), second.register(lane));
        let table = self.of.table();
        for (weights, &row) in weights.iter_mut().zip(rows) {
            let mut common = [0; MOST_LANES];
            simd.common_bits(of_rows.row(row), points, &mut common);
            let weights = weights[..S::LANES].iter_mut().zip(&common);
            let Some(counter) = self.of.counter() else {
                for (weight, &common) in weights {
                    *weight *= table[common as usize];
                }
                continue;
            };
            let of_row = &counter.table
                [self.first.set[words.first + row as usize] as usize * counter.width..];
            let set = &second.set[lane..][..S::LANES];
            for ((weight, &common), &set) in weights.zip(set) {
                *weight *= table[common as usize] * of_row[set as usize];
            }
        }
    }

    /// The same of one pair.
    fn of_pair(&self, [row, other]: [usize; 2]) -> f64 {
        let second = self.second();
        let words = self.first.slot(row).zip(second.slot(other));
        let common: u32 = words.map(|(a, b)| (a & b).count_ones()).sum();
        let inverse = self.of.table()[common as usize];
        self.of.counter().map_or(inverse, |counter| {
            let [a, b] = [self.first.set[row], second.set[other]].map(|set| set as usize);
            inverse * counter.table[a * counter.width + b]
        })
    }
}

impl Angular<'_> {
    /// Multiplies the weights of the point in slot `row` with those in the slots from `lane` on by their angular factors, where a bit of
    /// `asked` says so.
    #[inline(always)]
    fn weigh(&self, weights: &mut [f64], [row, lane]: [usize; 2], asked: u32) {
        let n1 = self.first[row / LEAF].map(|axis| axis[row % LEAF]);
        let n2 = &self.second.as_ref().unwrap_or(&self.first)[lane / LEAF];
        let from = lane % LEAF;
        let mut squares = [0.0; LEAF];
        for (lane, square) in squares.iter_mut().enumerate().take(weights.len()) {
            let d: [f64; 3] = std::array::from_fn(|axis| n1[axis] - n2[axis][from + lane]);
            *square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        }
        let ([lo, hi], outside) = (self.of.range(), self.of.outside());
        for (lane, (weight, &square)) in weights.iter_mut().zip(&squares).enumerate() {
            if asked >> lane & 1 == 0 {
                continue;
            }
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
fn directions(layout: &Layout) -> Vec<Directions> {
    let positions = layout.positions();
    let of_leaf = |leaf: usize| {
        let mut directions = [[0.0; LEAF]; 3];
        for (lane, row) in rows(layout, leaf).into_iter().enumerate() {
            if row.is_some() {
                let n = direction(positions.at(leaf * LEAF + lane));
                for (axis, n) in directions.iter_mut().zip(n) {
                    axis[lane] = n;
                }
            }
        }
        directions
    };
    let leaves = (0..n_leaves(layout)).into_par_iter();
    leaves.with_min_len(AT_ONCE).map(of_leaf).collect()
}

/// The bits of a block's rows, word after word of each.
#[derive(Debug)]
pub(in crate::engine::cpu) struct RowWords {
    /// The slot of the first row.
    first: usize,
    words: Vec<u64>,
}

impl<'a> PairWeights<'a> {
    /// The factors of pairs between two layouts, or within the first.
    pub(in crate::engine::cpu) fn new(
        factor: PairFactor<'a>,
        first: &Layout,
        second: Option<&Layout>,
    ) -> Self {
        Self {
            inverse: factor.inverse().map(|(of, [one, other])| {
                let quotient = of.quotient().filter(|_| of.counter().is_none());
                Inverse {
                    of,
                    quotient: quotient.map(|(n, o, z)| Quotient::new(n, o, z, one.per_row())),
                    first: BitLanes::new(one, first, of),
                    second: second.map(|layout| BitLanes::new(other, layout, of)),
                }
            }),
            angular: factor.angular().map(|of| Angular {
                of,
                first: directions(first),
                second: second.map(directions),
            }),
        }
    }

    /// Room for the bits of rows, none read yet.
    pub(in crate::engine::cpu) fn row_words(&self) -> RowWords {
        let per_row = self.inverse.as_ref().map_or(0, |of| of.first.per_row);
        RowWords {
            first: usize::MAX,
            words: vec![0; BLOCK * per_row],
        }
    }

    /// Reads the bits of the rows in the slots from `first` on.
    #[inline(always)]
    pub(in crate::engine::cpu) fn read_rows(&self, rows: &mut RowWords, first: usize) {
        if rows.first == first {
            return;
        }
        rows.first = first;
        if let Some(inverse) = &self.inverse {
            let rows = rows.words.chunks_exact_mut(inverse.first.per_row);
            for (row, words) in rows.enumerate() {
                for (to, word) in words.iter_mut().zip(inverse.first.slot(first + row)) {
                    *to = word;
                }
            }
        }
    }

    /// Multiplies the products of weights of rows and the register of points in the slots from `lane` on by all that there is, at least
    /// where a bit of `asked` is set.
    #[inline(always)]
    pub(in crate::engine::cpu) fn weigh_rows<S: Simd, const N: usize>(
        &self,
        simd: S,
        weights: &mut [[f64; MOST_LANES]; N],
        (words, mut rows): (&RowWords, [u8; N]),
        lane: usize,
        asked: [u32; N],
    ) {
        // What pads rows lies in no bin: whose weights it gets does not matter.
        for row in &mut rows {
            *row %= BLOCK as u8;
        }
        if let Some(inverse) = &self.inverse {
            inverse.weigh(simd, weights, (words, &rows), lane);
        }
        if let Some(angular) = &self.angular {
            for ((weights, row), asked) in weights.iter_mut().zip(rows).zip(asked) {
                let pair = [words.first + row as usize, lane];
                angular.weigh(&mut weights[..S::LANES], pair, asked);
            }
        }
    }

    /// The bits that rows have in common with the points in the slots from `lane` on, where what a quotient makes of them is all there is
    /// besides the weights of rows and points.
    #[inline(always)]
    pub(in crate::engine::cpu) fn common<'b>(
        &'b self,
        rows: &'b RowWords,
        lane: usize,
    ) -> Option<Common<'b>> {
        let inverse = self.inverse.as_ref().filter(|_| self.angular.is_none())?;
        let quotient = inverse.quotient.as_ref()?;
        Some(inverse.common(quotient, rows, lane))
    }

    /// The weight of the pair of two slots, whose weights have this product.
    pub(in crate::engine::cpu) fn of_pair(&self, product: f64, pair: [usize; 2]) -> f64 {
        let mut weight = [product];
        if let Some(inverse) = &self.inverse {
            weight[0] *= inverse.of_pair(pair);
        }
        if let Some(angular) = &self.angular {
            angular.weigh(&mut weight, pair, 1);
        }
        weight[0]
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
        (rows, leaf): (&RowWords, usize),
    ) {
        for k in 0..batch.n_rows {
            let of_row = k * LEAF..(k + 1) * LEAF;
            if batch.slots[of_row.clone()]
                .iter()
                .all(|&slot| slot >= nowhere)
            {
                continue;
            }
            let mut weights = [0.0; LEAF];
            for (weight, &other) in weights.iter_mut().zip(factors.lanes) {
                *weight = factors.rows[k] * other;
            }
            for (part, weights) in weights.chunks_exact_mut(S::LANES).enumerate() {
                let lane = leaf * LEAF + part * S::LANES;
                let mut register = [[0.0; MOST_LANES]];
                register[0][..S::LANES].copy_from_slice(weights);
                self.weigh_rows(
                    simd,
                    &mut register,
                    (rows, [batch.rows[k]]),
                    lane,
                    [u32::MAX],
                );
                weights.copy_from_slice(&register[0][..S::LANES]);
            }
            batch.weights[of_row].copy_from_slice(&weights);
        }
    }
}
