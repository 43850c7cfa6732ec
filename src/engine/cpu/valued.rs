//! Sums of expressions and of Legendre polynomials over the pairs that a filter puts into bins: these wait in a batch until it is full, so that each operation runs over
//! many of them.
//!
//! Entry: [`SlotValues`], what a job needs for them, and [`Valued`], a histogram of them. A term is defined by [`crate::tally::Terms`].

#![allow(clippy::inline_always, reason = "it runs inside vector kernels")]
#![allow(
    clippy::needless_range_loop,
    reason = "closures over registers may end up as calls"
)]

use albireo_simd::fixed_point::{FLUSH_TERMS, FRACTION_BITS, rest_as_term};
use albireo_simd::{Factors, Histogram, MOST_LANES, ROWS, Simd, Totals};

use super::Run;
use super::columns::leaves;
use super::lanes::{Brought, Columns, Shape, Values, Words};
use super::separations::is_nearest;
use crate::binning::Formed;
use crate::domain::{Domain, Image};
use crate::separation::Separation;
use crate::tally::{End, Sum, Tally, WeightedSum};
use crate::traversal::{BLOCK, LEAF, Positions, vector};

/// Pairs of a batch, so few that all their columns stay in a processor's nearest memory; those of four rows more wait at most.
const PAIRS: usize = 128;

/// Where the pairs of a register begin at most, a power of two, and room for those that follow.
const FULL: usize = (PAIRS + ROWS * MOST_LANES).next_power_of_two();
const ROOM: usize = FULL + MOST_LANES;

/// Registers of float64 lanes in one of slots.
const PARTS: usize = 2;

/// What a pair adds to a sum.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Summand {
    Product,
    /// A value times the weight.
    Value(usize),
    /// A value alone.
    Bare(usize),
    /// Whether there is no value.
    Beyond(usize),
}

/// The columns and positions of a job's particles in the order of slots, and what is summed.
pub(super) struct SlotValues<'a> {
    columns: &'a Columns<'a>,
    domain: &'a Domain,
    first: Positions<'a>,
    second: Positions<'a>,
    /// The positions of each leaf of the second sample, axis by axis.
    leaves: Vec<[[f64; LEAF]; 3]>,
    /// What is summed, and whether it is what the first word leaves.
    sums: Vec<(Summand, bool)>,
    /// The numbers of the sums that every pair adds to, then of those that pairs without a value add to, which are few.
    order: Vec<usize>,
    n_of_all: usize,
    /// What is summed, and its numbers in that order: of the sum, and of what its first word leaves.
    words: Vec<(Summand, [Option<usize>; 2])>,
}

impl<'a> SlotValues<'a> {
    /// What a filtered run needs to make `sums`; none unless these are of values and of products by one set of weights.
    pub(super) fn wanted(
        run: &'a Run<'_>,
        formed: &Formed<'_>,
        sums: &[Sum],
        columns: &'a Columns<'a>,
    ) -> Option<Self> {
        let summand = |sum: &Sum| {
            let evaluated = columns.evaluated;
            let of = match (sum.weighted(), evaluated.of_sum(sum)) {
                (Some((1.., _)), _) => return None,
                (Some((_, WeightedSum::Product)), _) => Summand::Product,
                (_, Some((k, true))) => Summand::Value(k),
                (_, Some((k, false))) => Summand::Bare(k),
                _ => Summand::Beyond(evaluated.unbounded(sum)?),
            };
            Some((of, sum.is_rest()))
        };
        let sums: Vec<_> = sums.iter().map(summand).collect::<Option<_>>()?;
        if !is_nearest(run, formed) {
            return None;
        }
        let is_rare = |&at: &usize| matches!(sums[at].0, Summand::Beyond(_));
        let (rare, mut order): (Vec<_>, Vec<_>) = (0..sums.len()).partition(is_rare);
        let n_of_all = order.len();
        order.extend(rare);
        let mut words: Vec<(Summand, [Option<usize>; 2])> = vec![];
        for (word, &at) in order.iter().enumerate() {
            let (of, is_rest) = sums[at];
            let known = words.iter().position(|(other, _)| *other == of);
            let known = known.unwrap_or_else(|| {
                words.push((of, [None; 2]));
                words.len() - 1
            });
            words[known].1[usize::from(is_rest)] = Some(word);
        }
        let [first, second] = run.positions();
        Some(Self {
            columns,
            domain: run.job.domain(),
            first,
            second,
            leaves: leaves(run.second(), |x| x),
            sums,
            order,
            n_of_all,
            words,
        })
    }

    /// Number of sums.
    pub(super) fn n_sums(&self) -> usize {
        self.sums.len()
    }

    /// What the pair of two slots adds to sum number `at`; `product` is that of their weights.
    fn term(&self, at: usize, product: f64, [first, second]: [u32; 2], image: Image) -> f64 {
        let (i, j) = (first as usize, second as usize);
        let (x1, x2) = (self.first.at(i), self.second.at(j));
        let t = vector(self.domain, image);
        let sep = Separation::new(std::array::from_fn(|k| x1[k] - x2[k] + t[k]), x1, x2);
        let value = |k| {
            let column = |end, column: usize| match end {
                End::First => self.columns.first[column][i],
                End::Second => self.columns.second[column][j],
            };
            self.columns.evaluated.term(k, &sep, column)
        };
        let (of, is_rest) = self.sums[at];
        let term = match of {
            Summand::Product => product,
            Summand::Value(k) => product * value(k).unwrap_or(0.0),
            Summand::Bare(k) => value(k).unwrap_or(0.0),
            Summand::Beyond(k) if value(k).is_some() => 0.0,
            // One in the unit of sums.
            Summand::Beyond(_) => 1.0 / (1u64 << FRACTION_BITS) as f64,
        };
        if is_rest { rest_as_term(term) } else { term }
    }
}

/// Pairs that wait for their values.
struct Waiting {
    n: usize,
    slots: [u32; ROOM],
    /// Products of weights, in units of a sum.
    products: [f64; ROOM],
}

/// Pairs of a row with a register of lanes that join those that wait.
#[derive(Clone, Copy, Default)]
struct Part {
    at: usize,
    bits: u32,
}

/// Counts pairs, and sums their weights and values.
pub(super) struct Valued<'a> {
    of: &'a SlotValues<'a>,
    /// What is added to differences.
    moved: [f64; 3],
    /// The slots of the first row and of the first lane that are met.
    met: [usize; 2],
    waiting: Waiting,
    values: Values<ROOM>,
    words: Words<ROOM>,
    shape: Shape,
    tally: Tally,
    n_slots: u32,
}

/// Brings the lanes of each part side by side; a closure over registers may end up as a call.
macro_rules! each_part {
    ($simd:ident, $parts:ident, $to:expr, |$row:ident, $half:ident| $lanes:expr) => {
        for $row in 0..ROWS {
            for $half in 0..PARTS {
                let part: Part = $parts[$row][$half];
                $simd.store_some_d($lanes, part.bits, &mut $to[part.at..]);
            }
        }
    };
}

impl<'a> Valued<'a> {
    /// In a box, so that what is large stays where it is; none for more slots than can be numbered.
    pub(super) fn new(of: &'a SlotValues<'a>, n_slots: usize) -> Option<Box<Self>> {
        let shape = Shape::new(n_slots, of.n_of_all)?;
        Some(Box::new(Self {
            of,
            moved: [0.0; 3],
            met: [0, 0],
            waiting: Waiting {
                n: 0,
                slots: [0; ROOM],
                products: [0.0; ROOM],
            },
            values: Values::new(of.columns.evaluated),
            words: Words::new(&shape),
            shape,
            tally: Tally::zero(n_slots, 1, of.n_sums()),
            n_slots: n_slots as u32,
        }))
    }

    /// The slots of rows join those that wait, of the lanes that bits say; where each part of their pairs has its place.
    #[inline(always)]
    fn parts<S: Simd>(
        &mut self,
        simd: S,
        (slots, bits): ([S::U; ROWS], [u32; ROWS]),
    ) -> [[Part; PARTS]; ROWS] {
        const { assert!(S::LANES == PARTS * S::DOUBLES) }
        let waiting = &mut self.waiting;
        let mut parts = [[Part::default(); PARTS]; ROWS];
        for k in 0..ROWS {
            simd.store_some_u(slots[k], bits[k], &mut waiting.slots[waiting.n % FULL..]);
            for half in 0..PARTS {
                let some = bits[k] >> (half * S::DOUBLES) & ((1 << S::DOUBLES) - 1);
                // A power of two: that parts lie within their columns shows in the bits.
                parts[k][half] = Part {
                    at: waiting.n % FULL,
                    bits: some,
                };
                waiting.n += some.count_ones() as usize;
            }
        }
        parts
    }

    /// The pairs of rows with the lanes that bits say join those that wait.
    #[inline(always)]
    fn join<S: Simd>(
        &mut self,
        simd: S,
        slots: ([S::U; ROWS], [u32; ROWS]),
        rows: [u8; ROWS],
        factors: Factors<'_>,
    ) {
        let parts = self.parts(simd, slots);
        let Self {
            of,
            moved,
            met: [row_slot, lane_slot],
            ref mut waiting,
            ref mut values,
            ..
        } = *self;
        // Rows that pad lists have no pair: any row stands for them.
        let row: [usize; ROWS] = std::array::from_fn(|k| usize::from(rows[k]) % BLOCK);
        let leaf = &of.leaves[lane_slot / LEAF];
        let x1: [[f64; 3]; ROWS] = std::array::from_fn(|k| of.first.at(row_slot + row[k]));
        for (brought, to) in values.brought() {
            macro_rules! first {
                ($at:expr) => {{
                    let rows = &of.columns.first[$at][row_slot..][..BLOCK];
                    [rows[row[0]], rows[row[1]], rows[row[2]], rows[row[3]]]
                }};
            }
            macro_rules! lanes {
                ($lanes:expr) => {{
                    let lanes = &$lanes[..S::LANES];
                    [simd.load_d(lanes), simd.load_d(&lanes[S::DOUBLES..])]
                }};
            }
            macro_rules! both {
                ($of:ident, $made:ident) => {{
                    let own = first!($of[0]);
                    let lanes = lanes!(of.columns.second[$of[1]][lane_slot..]);
                    each_part!(simd, parts, to, |k, half| simd
                        .$made(simd.splat_d(own[k]), lanes[half]));
                }};
            }
            match brought {
                Brought::Difference(axis) => {
                    let lanes = lanes!(leaf[axis][lane_slot % LEAF..]);
                    let moved = simd.splat_d(moved[axis]);
                    each_part!(simd, parts, to, |k, half| simd
                        .add_d(simd.sub_d(simd.splat_d(x1[k][axis]), lanes[half]), moved));
                }
                Brought::First(at) => {
                    let own = first!(at);
                    for k in 0..ROWS {
                        to[parts[k][0].at..][..MOST_LANES].fill(own[k]);
                    }
                }
                Brought::Second(at) => {
                    let lanes = lanes!(of.columns.second[at][lane_slot..]);
                    each_part!(simd, parts, to, |_k, half| lanes[half]);
                }
                Brought::Sum(of_both) => both!(of_both, add_d),
                Brought::Less(of_both) => both!(of_both, sub_d),
                Brought::Product(of_both) => both!(of_both, mul_d),
            }
        }
        let lanes = &factors.lanes[..S::LANES];
        let lanes = [simd.load_d(lanes), simd.load_d(&lanes[S::DOUBLES..])];
        each_part!(simd, parts, waiting.products, |k, half| {
            simd.mul_d(simd.splat_d(factors.rows[row[k]]), lanes[half])
        });
    }

    /// Makes the values of the pairs that wait, and adds them.
    #[inline(always)]
    fn settle<S: Simd>(&mut self, simd: S) {
        let n = self.waiting.n.next_multiple_of(MOST_LANES);
        let mut slots = [self.words.nowhere(); ROOM];
        let unit = self.shape.unit() as u64;
        let own = self.waiting.slots[..self.waiting.n].iter();
        for (to, &slot) in slots.iter_mut().zip(own) {
            *to = (u64::from(slot) * unit).cast_signed();
        }
        self.values.make(simd, n);
        let Self {
            values,
            waiting,
            words,
            tally,
            ..
        } = self;
        let products = Some(&waiting.products);
        for &(of, numbers) in &self.of.words {
            let (products, of_value) = match of {
                Summand::Product => (products, None),
                Summand::Value(k) => (products, Some(values.summed(k))),
                Summand::Bare(k) => (None, Some(values.summed(k))),
                Summand::Beyond(k) => {
                    let [word, _] = numbers;
                    values.summed(k).each_beyond(simd, waiting.n, |pair| {
                        let slot = waiting.slots[pair] as usize;
                        tally.add_to_sum(word.unwrap_or_default(), 0, slot, 1);
                    });
                    continue;
                }
            };
            words.take_words(simd, (numbers, n), products, of_value);
        }
        // What pads the batch lies in no slot.
        self.words.add(&slots[..n], &mut self.tally);
        self.waiting.n = 0;
    }
}

impl Histogram for Valued<'_> {
    const SIFTS: bool = true;

    const FLUSH_PAIRS: u64 = FLUSH_TERMS / 2;

    type Open<S: Simd> = ();

    fn move_by(&mut self, vector: [f64; 3]) {
        self.moved = vector;
    }

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
        let last = simd.splat_u(self.n_slots - 1);
        let mut bits = [0; ROWS];
        // By number: an iterator over registers is moved through memory.
        for k in 0..ROWS {
            bits[k] = simd.mask_bits(simd.at_most_u(slots[k], last));
        }
        if bits == [0; ROWS] {
            return;
        }
        self.join(simd, (slots, bits), rows, factors);
        if self.waiting.n >= PAIRS {
            self.settle(simd);
        }
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, _: S, (): (), _: Factors<'_>) {}

    fn product(&self, product: f64, pair: [u32; 2], image: Image, at: usize) -> f64 {
        self.of.term(at, product, pair, image)
    }

    fn flush(&mut self, totals: &mut Totals) {
        // A few pairs, by the operations of any processor.
        self.settle(albireo_simd::Portable);
        self.words.flush(&mut self.tally);
        let n = totals.pairs.len();
        for (pairs, own) in totals.pairs.iter_mut().zip(self.tally.pairs()) {
            *pairs = pairs.wrapping_add(*own);
        }
        for (word, &at) in self.of.order.iter().enumerate() {
            let sums = totals.products[at * n..].iter_mut();
            sums.zip(self.tally.sum(word))
                .for_each(|(sum, own)| *sum += own);
        }
        self.tally = Tally::zero(n, 1, self.of.n_sums());
    }
}
