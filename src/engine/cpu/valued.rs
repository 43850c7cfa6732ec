//! Sums of expressions over the pairs that a filter puts into bins: these wait in a batch until it is full, so that each operation runs over
//! many of them.
//!
//! Entry: [`SlotValues`], what a job needs for them, and [`Valued`], a histogram of them. A term is defined by [`crate::tally::Terms`].

#![allow(clippy::inline_always, reason = "it runs inside vector kernels")]

use albireo_simd::fixed_point::{FLUSH_TERMS, FRACTION_BITS, rest_as_term};
use albireo_simd::{Factors, Histogram, MOST_LANES, ROWS, Simd, Totals};

use super::Run;
use super::columns::leaves;
use super::lanes::{Columns, Shape, Values, Words};
use super::separations::is_nearest;
use crate::binning::Formed;
use crate::domain::{Domain, Image};
use crate::separation::Separation;
use crate::tally::{End, Operation, Sum, Tally, WeightedSum};
use crate::traversal::{LEAF, Positions, vector};

/// Pairs of a batch, so few that all their columns stay in a processor's nearest memory; those of a register more wait at most.
const PAIRS: usize = 128;
const ROOM: usize = PAIRS + MOST_LANES;

/// What a pair adds to a sum.
#[derive(Debug, Clone, Copy)]
enum Summand {
    Product,
    Value(usize),
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
    /// Whether the program takes differences of positions.
    takes_differences: bool,
}

impl<'a> SlotValues<'a> {
    /// What a filtered run needs to make `sums`; none unless these are sums of expressions and of products by one set of weights.
    pub(super) fn wanted(
        run: &'a Run<'_>,
        formed: &Formed<'_>,
        sums: &[Sum],
        columns: &'a Columns<'a>,
    ) -> Option<Self> {
        let summand = |sum: &Sum| {
            let of = match (sum, sum.weighted()) {
                (_, Some((0, WeightedSum::Product))) => Summand::Product,
                (_, Some((0, WeightedSum::Expression(k)))) => Summand::Value(k),
                (Sum::Unbounded(k), _) => Summand::Beyond(*k),
                _ => return None,
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
            takes_differences: (columns.program.operations().iter())
                .any(|of| matches!(of, Operation::Difference(_))),
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
            self.columns.program.term(k, &sep, column)
        };
        let (of, is_rest) = self.sums[at];
        let term = match of {
            Summand::Product => product,
            Summand::Value(k) => product * value(k).unwrap_or(0.0),
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
    d: [Column; 3],
    /// Of the first and the second object.
    columns: [Vec<Column>; 2],
}

/// A number a pair, which changes places with a register.
type Column = Box<[f64; ROOM]>;

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

impl<'a> Valued<'a> {
    /// In a box, so that what is large stays where it is; none for more slots than can be numbered.
    pub(super) fn new(of: &'a SlotValues<'a>, n_slots: usize) -> Option<Box<Self>> {
        let shape = Shape::new(n_slots, of.n_of_all)?;
        let column = || Box::new([0.0; ROOM]);
        let columns = |columns: &[&[f64]]| columns.iter().map(|_| column()).collect();
        Some(Box::new(Self {
            of,
            moved: [0.0; 3],
            met: [0, 0],
            waiting: Waiting {
                n: 0,
                slots: [0; ROOM],
                products: [0.0; ROOM],
                d: [column(), column(), column()],
                columns: [columns(&of.columns.first), columns(&of.columns.second)],
            },
            values: Values::new(of.columns.program),
            words: Words::new(&shape),
            shape,
            tally: Tally::zero(n_slots, 1, of.n_sums()),
            n_slots: n_slots as u32,
        }))
    }

    /// The pairs of a row with the lanes that `bits` says join those that wait.
    #[inline(always)]
    fn join<S: Simd>(
        &mut self,
        simd: S,
        slots: S::U,
        (row, bits): (u8, u32),
        factors: Factors<'_>,
    ) {
        let (row_slot, [_, lane_slot]) = (self.met[0] + usize::from(row), self.met);
        let from = self.waiting.n;
        let waiting = &mut self.waiting;
        waiting.n += simd.store_some_u(slots, bits, &mut waiting.slots[from..]);
        let leaf = &self.of.leaves[lane_slot / LEAF];
        let x1 = self.of.first.at(row_slot);
        let factor = simd.splat_d(factors.rows[usize::from(row)]);
        let [first, second] = &mut waiting.columns;
        let mut to = from;
        for at in (0..S::LANES).step_by(S::DOUBLES) {
            let some = bits >> at & ((1 << S::DOUBLES) - 1);
            let axes = if self.of.takes_differences { 3 } else { 0 };
            for (axis, d) in waiting.d[..axes].iter_mut().enumerate() {
                let x2 = simd.load_d(&leaf[axis][lane_slot % LEAF + at..]);
                let difference = simd.sub_d(simd.splat_d(x1[axis]), x2);
                let moved = simd.add_d(difference, simd.splat_d(self.moved[axis]));
                simd.store_some_d(moved, some, &mut d[to..]);
            }
            for (column, of) in second.iter_mut().zip(&self.of.columns.second) {
                let lanes = simd.load_d(&of[lane_slot + at..]);
                simd.store_some_d(lanes, some, &mut column[to..]);
            }
            let products = simd.mul_d(factor, simd.load_d(&factors.lanes[at..]));
            to += simd.store_some_d(products, some, &mut waiting.products[to..]);
        }
        for (to, column) in first.iter_mut().zip(&self.of.columns.first) {
            to[from..][..MOST_LANES].fill(column[row_slot]);
        }
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
        let waiting = &mut self.waiting;
        (self.values).make(simd, self.of.columns.program, n, |of, register| {
            let column = match of {
                Operation::Difference(axis) => &mut waiting.d[usize::from(axis)],
                Operation::Column(End::First, at) => &mut waiting.columns[0][usize::from(at)],
                Operation::Column(End::Second, at) => &mut waiting.columns[1][usize::from(at)],
                _ => return,
            };
            std::mem::swap(column, register);
        });
        let (values, products) = (&self.values, &waiting.products);
        for (word, &at) in self.of.order.iter().enumerate() {
            let (of, is_rest) = self.of.sums[at];
            let take = (word, n, is_rest);
            match of {
                Summand::Product => {
                    (self.words).take(simd, take, |at| simd.load_d(&products[at..]));
                }
                Summand::Value(k) => {
                    let terms = &values.terms[k];
                    (self.words).take(simd, take, |at| {
                        let term = simd.load_d(&terms[at..]);
                        simd.mul_d(simd.load_d(&products[at..]), term)
                    });
                }
                Summand::Beyond(k) if !values.any_beyond[k] => {}
                Summand::Beyond(k) => {
                    let pairs = waiting.slots[..waiting.n].iter().zip(&values.beyond[k]);
                    for (&slot, _) in pairs.filter(|(_, beyond)| **beyond > 0.0) {
                        self.tally.add_to_sum(word, 0, slot as usize, 1);
                    }
                }
            }
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
        // By number: an iterator over registers is moved through memory.
        for at in 0..ROWS {
            let (slots, row) = (slots[at], rows[at]);
            let inside = simd.mask_bits(simd.at_most_u(slots, last));
            if inside == 0 {
                continue;
            }
            self.join(simd, slots, (row, inside), factors);
            if self.waiting.n >= PAIRS {
                self.settle(simd);
            }
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
