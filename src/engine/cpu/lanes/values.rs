//! Values of expressions in lanes: each step over all pairs of a batch, before the next.
//!
//! Entry: [`Values`], made anew for each batch. What an operation is, is defined by [`Operation::apply`], for one number and for lanes alike.

use albireo_simd::{Lanes, MOST_LANES, Registers as _, Simd};

use super::batch::Batch;
use super::steps::{Brought, Steps, Work};
use crate::engine::cpu::evaluated::{Evaluated, Evaluation};
use crate::tally::{Operation, Value};
use crate::traversal::LEAF;

/// What sums take of the particles of a job: columns in the order of slots, and what is made of them.
#[derive(Debug)]
pub(in crate::engine::cpu) struct Columns<'a> {
    pub(in crate::engine::cpu) evaluated: &'a Evaluated,
    pub(in crate::engine::cpu) first: Vec<&'a [f64]>,
    pub(in crate::engine::cpu) second: Vec<&'a [f64]>,
}

impl Columns<'_> {
    /// Writes what the pairs of a batch bring, whose rows and lanes begin at these slots.
    #[inline(always)]
    pub(super) fn bring(&self, brought: Brought, batch: &Batch, slots: [usize; 2], to: &mut [f64]) {
        let rows = |at: usize| &self.first[at][slots[0]..];
        let lanes = |at: usize| &self.second[at][slots[1]..][..LEAF];
        let both = |[i, j]: [usize; 2]| (rows(i), lanes(j));
        match brought {
            Brought::Difference(axis) => to.copy_from_slice(&batch.d[axis][..to.len()]),
            Brought::First(at) => {
                let column = rows(at);
                each_row(batch, to, |row, to| to.fill(column[row]));
            }
            Brought::Second(at) => {
                let column = lanes(at);
                each_row(batch, to, |_, to| to.copy_from_slice(column));
            }
            Brought::Sum(of) => of_both(batch, to, both(of), |a, b| a + b),
            Brought::Less(of) => of_both(batch, to, both(of), |a, b| a - b),
            Brought::Product(of) => of_both(batch, to, both(of), |a, b| a * b),
        }
    }
}

/// Writes the numbers of each row of a batch.
#[inline(always)]
fn each_row(batch: &Batch, to: &mut [f64], write: impl Fn(usize, &mut [f64; LEAF])) {
    let rows = to.as_chunks_mut::<LEAF>().0.iter_mut().zip(&batch.rows);
    rows.for_each(|(to, &row)| write(row.into(), to));
}

/// What is made of a column of the rows of a batch and of one of its lanes.
#[inline(always)]
fn of_both(
    batch: &Batch,
    to: &mut [f64],
    (rows, lanes): (&[f64], &[f64]),
    made: impl Fn(f64, f64) -> f64,
) {
    each_row(batch, to, |row, to| {
        let own = rows[row];
        to.iter_mut()
            .zip(lanes)
            .for_each(|(to, &lane)| *to = made(own, lane));
    });
}

/// A number a pair of a batch.
type Register<const N: usize> = Box<[f64; N]>;

/// Registers, each with a number a pair of a batch of `N`.
#[derive(Debug)]
pub(in crate::engine::cpu) struct Values<const N: usize> {
    steps: Steps,
    registers: Vec<Register<N>>,
    /// Where a step writes, before it takes the place of its register: what is read does not change meanwhile.
    made: Register<N>,
    /// For each value that is kept its scale, a power of two, and its bound.
    bounds: Vec<[f64; 2]>,
}

/// Values that a sum is made of.
#[derive(Clone, Copy)]
pub(in crate::engine::cpu) struct Summed<'a> {
    values: &'a [f64],
    scale: f64,
    bound: f64,
}

impl Summed<'_> {
    /// Where values are numbers within the bound: lanes hold pairs in no bin too, of which nothing is proved.
    #[inline(always)]
    fn within<S: Simd>(self, simd: S, value: S::D) -> S::M {
        let [low, high] = [-self.bound, self.bound];
        let above = simd.at_most_d(simd.splat_d(low), value);
        simd.both(above, simd.at_most_d(value, simd.splat_d(high)))
    }

    /// The values from pair number `at` on over the power of two above their bound; 0 where there is none within it.
    #[inline(always)]
    pub(in crate::engine::cpu) fn term<S: Simd>(self, simd: S, at: usize) -> S::D {
        let value = simd.load_d(&self.values[at..]);
        let term = simd.mul_d(value, simd.splat_d(self.scale));
        simd.select_d(self.within(simd, value), term, simd.splat_d(0.0))
    }

    /// 1 where there is none.
    #[inline(always)]
    pub(super) fn beyond<S: Simd>(self, simd: S, at: usize) -> S::D {
        let value = simd.load_d(&self.values[at..]);
        let [zero, one] = [simd.splat_d(0.0), simd.splat_d(1.0)];
        simd.select_d(self.within(simd, value), zero, one)
    }

    /// Calls `pair` for those of the first `n` pairs that have none.
    #[inline(always)]
    pub(in crate::engine::cpu) fn each_beyond<S: Simd>(
        self,
        simd: S,
        n: usize,
        mut pair: impl FnMut(usize),
    ) {
        let mut any = simd.splat_d(0.0);
        for at in (0..n).step_by(S::DOUBLES) {
            any = simd.add_d(any, self.beyond(simd, at));
        }
        let mut lanes = [0.0; LEAF];
        simd.store_d(any, &mut lanes);
        if lanes == [0.0; LEAF] {
            return;
        }
        for (k, value) in self.values[..n].iter().enumerate() {
            if !(-self.bound..=self.bound).contains(value) {
                pair(k);
            }
        }
    }
}

fn bounds(of: &Evaluation) -> [f64; 2] {
    [of.scale, of.bound]
}

impl<const N: usize> Values<N> {
    pub(in crate::engine::cpu) fn new(evaluated: &Evaluated) -> Self {
        let kept: Vec<Value> = evaluated.values().iter().map(|one| one.value).collect();
        let steps = Steps::of(evaluated.operations(), &kept);
        let mut registers = vec![Box::new([0.0; N]); steps.number];
        for &(register, number) in &steps.constants {
            *registers[register.index()] = [number; N];
        }
        Self {
            bounds: evaluated.values().iter().map(bounds).collect(),
            steps,
            registers,
            made: Box::new([0.0; N]),
        }
    }

    /// What pairs bring, and where it is written.
    #[inline(always)]
    pub(in crate::engine::cpu) fn brought(
        &mut self,
    ) -> impl Iterator<Item = (Brought, &mut [f64; N])> {
        let registers = self.registers.iter_mut().map(|register| &mut **register);
        self.steps.brought.iter().copied().zip(registers)
    }

    /// Value number `k`.
    #[inline(always)]
    pub(in crate::engine::cpu) fn summed(&self, k: usize) -> Summed<'_> {
        let [scale, bound] = self.bounds[k];
        Summed {
            values: &self.registers[self.steps.kept[k].index()][..],
            scale,
            bound,
        }
    }

    /// Makes the values of the first `n` pairs, a multiple of [`MOST_LANES`], of what was brought.
    #[inline(always)]
    pub(in crate::engine::cpu) fn make<S: Simd>(&mut self, simd: S, n: usize) {
        use Operation::{
            Add, AtMost, Divide, Less, Maximum, Minimum, Multiply, Root, Subtract, Where,
        };
        let Self {
            steps,
            registers,
            made,
            ..
        } = self;
        for &(work, to) in &steps.work {
            // Found before the loop, in which nothing but numbers is read.
            macro_rules! column {
                ($value:expr) => {
                    registers[$value.index()][..n].as_chunks().0
                };
            }
            let to_made = made[..n].as_chunks_mut().0;
            // Each operation has a loop of its own, in which it is known, and what it is made of by its place.
            macro_rules! in_loops {
                ($($name:ident($($value:ident = $place:literal),+)),+ $(,)?) => {
                    match work {
                        $(Work::One($name($($value),+)) => {
                            let operation = $name($(Value::of_index($place)),+);
                            let columns = in_loops!(columns $($value),+);
                            over_pairs(simd, operation, columns, to_made);
                        })+
                        Work::One(_) => {}
                        Work::Dot([a, b, c, d, e, f]) => {
                            let vectors = [
                                [column!(a), column!(c), column!(e)],
                                [column!(b), column!(d), column!(f)],
                            ];
                            dots(simd, vectors, to_made);
                        }
                    }
                };
                (columns $a:ident) => { [column!($a); 3] };
                (columns $a:ident, $b:ident) => { [column!($a), column!($b), column!($b)] };
                (columns $a:ident, $b:ident, $c:ident) => { [column!($a), column!($b), column!($c)] };
            }
            in_loops!(
                Add(a = 0, b = 1),
                Subtract(a = 0, b = 1),
                Multiply(a = 0, b = 1),
                Divide(a = 0, b = 1),
                Root(a = 0),
                Minimum(a = 0, b = 1),
                Maximum(a = 0, b = 1),
                Less(a = 0, b = 1),
                AtMost(a = 0, b = 1),
                Where(a = 0, b = 1, c = 2),
            );
            std::mem::swap(made, &mut registers[to.index()]);
        }
    }
}

/// The numbers of some pairs, as many as the widest register has lanes.
type Wide = [f64; MOST_LANES];

/// What an operation makes of columns, which its operands are by their numbers.
#[inline(always)]
fn over_pairs<S: Simd>(simd: S, operation: Operation, columns: [&[Wide]; 3], to: &mut [Wide]) {
    let lanes = Lanes(simd);
    let [x, y, z] = columns;
    for (((to, x), y), z) in to.iter_mut().zip(x).zip(y).zip(z) {
        for at in (0..MOST_LANES).step_by(S::DOUBLES) {
            let value = |value: Value| match value.index() {
                0 => lanes.load(&x[at..]),
                1 => lanes.load(&y[at..]),
                _ => lanes.load(&z[at..]),
            };
            if let Some(made) = operation.apply(lanes, value) {
                lanes.store(made, &mut to[at..]);
            }
        }
    }
}

/// The scalar products of two vectors.
#[inline(always)]
fn dots<S: Simd>(simd: S, [a, b]: [[&[Wide]; 3]; 2], to: &mut [Wide]) {
    let ([ax, ay, az], [bx, by, bz]) = (a, b);
    let first = ax.iter().zip(ay).zip(az);
    let second = bx.iter().zip(by).zip(bz);
    for ((to, ((ax, ay), az)), ((bx, by), bz)) in to.iter_mut().zip(first).zip(second) {
        for at in (0..MOST_LANES).step_by(S::DOUBLES) {
            let x = simd.mul_d(simd.load_d(&ax[at..]), simd.load_d(&bx[at..]));
            let y = simd.mul_d(simd.load_d(&ay[at..]), simd.load_d(&by[at..]));
            let z = simd.mul_d(simd.load_d(&az[at..]), simd.load_d(&bz[at..]));
            let sum = simd.add_d(simd.add_d(x, y), z);
            simd.store_d(sum, &mut to[at..]);
        }
    }
}
