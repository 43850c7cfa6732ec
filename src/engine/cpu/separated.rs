//! Sums of separations: of each pair that the filter places, the exact separation, in lanes, is added to its bin.
//!
//! Entry: [`Separated`], a histogram of pairs and their separations. A term is told by [`crate::tally::Terms`]; what is here repeats it
//! operation by operation.

use rayon::prelude::*;

use super::Run;
use crate::binning::{Form, Formed};
use crate::domain::{Domain, Image};
use crate::fixed_point::FRACTION_BITS;
use crate::simd::{Factors, Histogram, MOST_LANES, ROUNDING, ROWS, Simd, Totals};
use crate::tally::Sum;
use crate::traversal::{BLOCK, LEAF, Layout, Positions, vector};

/// The positions of a job's points in the order of slots, and the unit of their separations.
pub(super) struct SlotSeparations<'a> {
    domain: &'a Domain,
    first: Positions<'a>,
    second: Positions<'a>,
    /// The positions of each leaf of the second sample, axis by axis.
    leaves: Vec<[[f64; LEAF]; 3]>,
    /// What coordinates are multiplied by: a power of two.
    coordinate: f64,
}

impl<'a> SlotSeparations<'a> {
    /// What a filtered run needs to make `sums`; none unless they are that of the separations alone, in bins of them.
    ///
    /// The image that brings two points into the bins must be their nearest, but for pairs so close to the last edge that the filter
    /// leaves them in doubt. `coordinate` is what separations are multiplied by.
    pub(super) fn wanted(
        run: &'a Run<'_>,
        formed: &Formed<'_>,
        sums: &[Sum],
        coordinate: f64,
    ) -> Option<Self> {
        let domain = run.job.domain();
        let is_nearest = match domain {
            Domain::Triclinic(lattice) => {
                let radius = run.region.per_axis().into_iter().fold(0.0, f64::max);
                radius * radius * (1.0 + BEYOND) < lattice.sole_image2()
            }
            Domain::Open | Domain::Periodic(_) => true,
        };
        let few = matches!(formed.form, Form::Radial { r } if r.n_bins() <= MOST_SLOTS);
        let wanted = matches!(sums, [Sum::Separation]) && !formed.on_sphere && few && is_nearest;
        wanted.then(|| Self::new(domain, [&run.first, run.second()], coordinate))
    }

    fn new(domain: &'a Domain, [first, second]: [&'a Layout; 2], coordinate: f64) -> Self {
        let positions = second.positions();
        let of_leaf = |leaf: usize| {
            let mut columns = [[0.0; LEAF]; 3];
            for lane in 0..LEAF {
                let x = positions.at(leaf * LEAF + lane);
                for (axis, x) in columns.iter_mut().zip(x) {
                    axis[lane] = x;
                }
            }
            columns
        };
        let leaves = (0..second.blocks.len() * (BLOCK / LEAF)).into_par_iter();
        Self {
            domain,
            first: first.positions(),
            second: positions,
            leaves: leaves.with_min_len(256).map(of_leaf).collect(),
            coordinate,
        }
    }

    /// The scaled separation of two slots under `image`.
    fn of_pair(&self, [first, second]: [u32; 2], image: Image) -> f64 {
        let x1 = self.first.at(first as usize);
        let x2 = self.second.at(second as usize);
        let t = vector(self.domain, image);
        let d: [f64; 3] = std::array::from_fn(|k| x1[k] - x2[k] + t[k]);
        let r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        r2.sqrt() * self.coordinate
    }
}

/// More bins than this are left to the float64 lanes.
pub(super) const MOST_SLOTS: usize = 255;

/// Relative slack of the reach: far above the roundings of squares.
const BEYOND: f64 = 1e-9;

/// Bits of a word that hold the sum of its terms.
const TERM_BITS: u32 = 50;

/// Bits of the number of terms that can be told: a number of up to this many bits, whatever lies above it.
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
    /// What is added to differences.
    moved: [f64; 3],
    /// The slot of the first row, and the leaf and its first lane.
    row: usize,
    lanes: [usize; 2],
    n_slots: u32,
    /// Terms that one word may hold by now.
    held: usize,
    totals: Vec<(u64, i128)>,
}

impl<'a, const SLOTS: usize> Separated<'a, SLOTS> {
    /// What a slot is shifted by to stand above all else in the upper half of a word.
    const SHIFT: u32 = 32 - SLOTS.ilog2();

    /// One in the number of terms, and what the bits of a rounded term have beside it, in the upper half of a word.
    const ONE: u32 = (1u32 << (TERM_BITS - 32)).wrapping_sub((ROUNDING.to_bits() >> 32) as u32);

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
            moved: [0.0; 3],
            row: 0,
            lanes: [0; 2],
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
        let slots = simd.add_u(simd.shift_left(slots, Self::SHIFT), simd.splat_u(Self::ONE));
        let of = self.of;
        // Padding has no position; whose it is given does not matter.
        let x1 = of.first.at(self.row + row as usize % BLOCK);
        let [leaf, part] = self.lanes;
        let leaf = &of.leaves[leaf];
        let unit = simd.splat_d(of.coordinate * (1u64 << FRACTION_BITS) as f64);
        // No more than a term may be: pairs that lie in no slot may be anywhere.
        let most = simd.splat_d((1u64 << (FRACTION_BITS + 1)) as f64);
        let low = square(simd, x1, leaf, part, self.moved);
        let high = square(simd, x1, leaf, part + S::DOUBLES, self.moved);
        let terms = [
            simd.min_d(simd.mul_d(simd.sqrt_d(low), unit), most),
            simd.min_d(simd.mul_d(simd.sqrt_d(high), unit), most),
        ];
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

/// The squared separations of a row and the points of a leaf from number `lane` on.
#[inline(always)]
fn square<S: Simd>(
    simd: S,
    x1: [f64; 3],
    leaf: &[[f64; LEAF]; 3],
    lane: usize,
    moved: [f64; 3],
) -> S::D {
    let x = simd.sub_d(simd.splat_d(x1[0]), simd.load_d(&leaf[0][lane..]));
    let y = simd.sub_d(simd.splat_d(x1[1]), simd.load_d(&leaf[1][lane..]));
    let z = simd.sub_d(simd.splat_d(x1[2]), simd.load_d(&leaf[2][lane..]));
    let x = simd.add_d(x, simd.splat_d(moved[0]));
    let y = simd.add_d(y, simd.splat_d(moved[1]));
    let z = simd.add_d(z, simd.splat_d(moved[2]));
    let xy = simd.add_d(simd.mul_d(x, x), simd.mul_d(y, y));
    simd.add_d(xy, simd.mul_d(z, z))
}

impl<const SLOTS: usize> Histogram for Box<Separated<'_, SLOTS>> {
    const SIFTS: bool = true;

    const FLUSH_PAIRS: u64 = u64::MAX;

    type Open<S: Simd> = usize;

    fn move_by(&mut self, vector: [f64; 3]) {
        self.moved = vector;
    }

    #[inline(always)]
    fn open<S: Simd>(&mut self, _: S, [first, second]: [usize; 2]) -> usize {
        if self.held + MOST_OPEN / COPIES > MOST_TERMS - RING / COPIES {
            self.empty();
        }
        self.held += MOST_OPEN / COPIES;
        self.row = first;
        self.lanes = [second / LEAF, second % LEAF];
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

    fn product(&self, _: f64, pair: [u32; 2], image: Image, _: usize) -> f64 {
        self.of.of_pair(pair, image)
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
