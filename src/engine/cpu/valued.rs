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

/// Pairs of a batch; those of a register more wait at most.
const PAIRS: usize = 512;
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
        let [first, second] = run.positions();
        Some(Self {
            columns,
            domain: run.job.domain(),
            first,
            second,
            leaves: leaves(run.second(), |x| x),
            sums,
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
    slots: [i64; ROOM],
    /// Products of weights, in units of a sum.
    products: [f64; ROOM],
    d: [[f64; ROOM]; 3],
    /// Of the first and the second object.
    columns: [Vec<[f64; ROOM]>; 2],
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

impl<'a> Valued<'a> {
    /// In a box, so that what is large stays where it is; none for more slots than can be numbered.
    pub(super) fn new(of: &'a SlotValues<'a>, n_slots: usize) -> Option<Box<Self>> {
        let shape = Shape::new(n_slots, of.n_sums())?;
        let columns = |columns: &[&[f64]]| vec![[0.0; ROOM]; columns.len()];
        Some(Box::new(Self {
            of,
            moved: [0.0; 3],
            met: [0, 0],
            waiting: Waiting {
                n: 0,
                slots: [shape.slot(None); ROOM],
                products: [0.0; ROOM],
                d: [[0.0; ROOM]; 3],
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
        let mut places = [0; MOST_LANES];
        simd.store_u(slots, &mut places);
        let mut lanes = [0; MOST_LANES];
        let n = simd.store_lanes(bits, 0, &mut lanes);
        let lanes = &lanes[..n];
        let (row_slot, [_, lane_slot]) = (self.met[0] + usize::from(row), self.met);
        let waiting = &mut self.waiting;
        let from = waiting.n;
        waiting.n += n;
        let leaf = &self.of.leaves[lane_slot / LEAF];
        let x1 = self.of.first.at(row_slot);
        for (axis, leaf) in leaf.iter().enumerate() {
            let mut d = [0.0; MOST_LANES];
            let (x1, t) = (simd.splat_d(x1[axis]), simd.splat_d(self.moved[axis]));
            for at in (0..S::LANES).step_by(S::DOUBLES) {
                let x2 = simd.load_d(&leaf[lane_slot % LEAF + at..]);
                simd.store_d(simd.add_d(simd.sub_d(x1, x2), t), &mut d[at..]);
            }
            gather(lanes, &d, &mut waiting.d[axis][from..]);
        }
        let factor = factors.rows[usize::from(row)];
        for (k, &lane) in lanes.iter().enumerate() {
            waiting.slots[from + k] = self.shape.unit() as i64 * i64::from(places[lane as usize]);
            waiting.products[from + k] = factor * factors.lanes[lane as usize];
        }
        let [first, second] = &mut waiting.columns;
        for (to, column) in first.iter_mut().zip(&self.of.columns.first) {
            to[from..from + n].fill(column[row_slot]);
        }
        for (to, column) in second.iter_mut().zip(&self.of.columns.second) {
            gather(lanes, &column[lane_slot..], &mut to[from..]);
        }
    }

    /// Makes the values of the pairs that wait, and adds them.
    #[inline(always)]
    fn settle<S: Simd>(&mut self, simd: S) {
        // What pads the batch lies in no slot.
        let n = self.waiting.n.next_multiple_of(MOST_LANES);
        self.waiting.slots[self.waiting.n..n].fill(self.words.nowhere());
        let waiting = &self.waiting;
        (self.values).make(simd, self.of.columns.program, n, |of, to| {
            let from = match of {
                Operation::Difference(axis) => &waiting.d[usize::from(axis)],
                Operation::Column(End::First, at) => &waiting.columns[0][usize::from(at)],
                Operation::Column(End::Second, at) => &waiting.columns[1][usize::from(at)],
                _ => return,
            };
            to.copy_from_slice(&from[..to.len()]);
        });
        let (values, products) = (&self.values, &waiting.products);
        for (at, &(of, is_rest)) in self.of.sums.iter().enumerate() {
            let take = (at, n, is_rest);
            match of {
                Summand::Product => {
                    (self.words).take(simd, take, |at| simd.load_d(&products[at..]));
                }
                Summand::Value(k) => (self.words).take(simd, take, |at| {
                    let term = simd.load_d(&values.terms[k][at..]);
                    simd.mul_d(simd.load_d(&products[at..]), term)
                }),
                Summand::Beyond(k) => {
                    (self.words).take(simd, take, |at| simd.load_d(&values.beyond[k][at..]));
                }
            }
        }
        self.words.add(&waiting.slots[..n], &mut self.tally);
        self.waiting.n = 0;
    }
}

/// The numbers of some lanes, one after the other.
#[inline(always)]
fn gather(lanes: &[u32], from: &[f64], to: &mut [f64]) {
    for (to, &lane) in to.iter_mut().zip(lanes) {
        *to = from[lane as usize];
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
        for (slots, row) in slots.into_iter().zip(rows) {
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
        for at in 0..self.of.n_sums() {
            let sums = totals.products[at * n..].iter_mut();
            sums.zip(self.tally.sum(at))
                .for_each(|(sum, own)| *sum += own);
        }
        self.tally = Tally::zero(n, 1, self.of.n_sums());
    }
}
