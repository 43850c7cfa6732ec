//! Values of expressions in lanes: each operation of a program over all pairs of a batch, before the next.
//!
//! Entry: [`Values`], made anew for each batch. What an operation is, is defined by [`Operation::apply`], for one number and for lanes alike.

use albireo_simd::{Lanes, Registers as _, Simd};

use super::batch::Batch;
use crate::tally::{End, Operation, PairProgram, Value};
use crate::traversal::LEAF;

/// What a program takes of the particles of a job: its columns in the order of slots.
#[derive(Debug)]
pub(in crate::engine::cpu) struct Columns<'a> {
    pub(in crate::engine::cpu) program: &'a PairProgram,
    pub(in crate::engine::cpu) first: Vec<&'a [f64]>,
    pub(in crate::engine::cpu) second: Vec<&'a [f64]>,
}

impl Columns<'_> {
    /// Writes what a pair brings to an operation, of the pairs of a batch whose rows and lanes begin at these slots.
    #[inline(always)]
    pub(super) fn bring(
        &self,
        operation: Operation,
        batch: &Batch,
        slots: [usize; 2],
        to: &mut [f64],
    ) {
        match operation {
            Operation::Difference(axis) => {
                to.copy_from_slice(&batch.d[usize::from(axis)][..to.len()]);
            }
            Operation::Column(End::First, at) => {
                let column = &self.first[usize::from(at)][slots[0]..];
                for (lanes, &row) in to.as_chunks_mut::<LEAF>().0.iter_mut().zip(&batch.rows) {
                    *lanes = [column[usize::from(row)]; LEAF];
                }
            }
            Operation::Column(End::Second, at) => {
                let column = &self.second[usize::from(at)][slots[1]..][..LEAF];
                for lanes in to.as_chunks_mut::<LEAF>().0 {
                    lanes.copy_from_slice(column);
                }
            }
            _ => {}
        }
    }
}

/// The registers of a program, each with a number a pair of a batch of `N`.
#[derive(Debug)]
pub(in crate::engine::cpu) struct Values<const N: usize> {
    registers: Vec<Box<[f64; N]>>,
    /// Where an operation writes, before it takes the place of its register: what is read does not change meanwhile.
    made: Box<[f64; N]>,
    /// Values over the power of two above their bound, sum by sum; 0 where there is none within it.
    pub(in crate::engine::cpu) terms: Vec<[f64; N]>,
    /// 1 where there is none.
    pub(in crate::engine::cpu) beyond: Vec<[f64; N]>,
    /// Whether there is none somewhere.
    pub(in crate::engine::cpu) any_beyond: Vec<bool>,
}

impl<const N: usize> Values<N> {
    pub(in crate::engine::cpu) fn new(program: &PairProgram) -> Self {
        let mut registers = vec![Box::new([0.0; N]); program.registers().number()];
        for (operation, &to) in program.operations().iter().zip(program.registers().all()) {
            if let Operation::Constant(bits) = *operation {
                *registers[usize::from(to)] = [f64::from_bits(bits); N];
            }
        }
        let n_sums = program.sums().len();
        Self {
            registers,
            made: Box::new([0.0; N]),
            terms: vec![[0.0; N]; n_sums],
            beyond: vec![[0.0; N]; n_sums],
            any_beyond: vec![false; n_sums],
        }
    }

    /// Makes the values of `n` pairs; `bring` writes what they bring to an operation, columns and differences, or puts it into the place.
    #[inline(always)]
    pub(in crate::engine::cpu) fn make<S: Simd>(
        &mut self,
        simd: S,
        program: &PairProgram,
        n: usize,
        mut bring: impl FnMut(Operation, &mut Box<[f64; N]>),
    ) {
        for (operation, &to) in program.operations().iter().zip(program.registers().all()) {
            let to = usize::from(to);
            match *operation {
                Operation::Constant(_) => {}
                brought @ (Operation::Difference(_) | Operation::Column(..)) => {
                    bring(brought, &mut self.registers[to]);
                }
                made => self.apply(simd, made, program, (to, n)),
            }
        }
        self.scale(simd, program, n);
    }

    /// Makes the value of an operation for `n` pairs in register `to`.
    #[inline(always)]
    fn apply<S: Simd>(
        &mut self,
        simd: S,
        operation: Operation,
        program: &PairProgram,
        (to, n): (usize, usize),
    ) {
        use Operation::{
            Add, AtMost, Divide, Less, Maximum, Minimum, Multiply, Root, Subtract, Where,
        };
        let mut operands = operation.operands();
        let Some(first) = operands.next() else {
            return;
        };
        let second = operands.next().unwrap_or(first);
        let third = operands.next().unwrap_or(first);
        let Self {
            registers, made, ..
        } = self;
        // Found before the loop, in which nothing but numbers is read.
        let register = |value| &registers[program.registers().at(value)][..n];
        let columns = [first, second, third].map(register);
        let to_made = &mut made[..n];
        // Each operation has a loop of its own, in which it is known, and what it is made of by its place.
        macro_rules! in_loops {
            ($($name:ident($($place:literal),+)),+ $(,)?) => {
                match operation {
                    $($name(..) => {
                        let operation = $name($(Value::of_index($place)),+);
                        over_pairs(simd, operation, columns, to_made);
                    })+
                    _ => {}
                }
            };
        }
        in_loops!(
            Add(0, 1),
            Subtract(0, 1),
            Multiply(0, 1),
            Divide(0, 1),
            Root(0),
            Minimum(0, 1),
            Maximum(0, 1),
            Less(0, 1),
            AtMost(0, 1),
            Where(0, 1, 2),
        );
        std::mem::swap(made, &mut registers[to]);
    }

    /// Brings the values of the sums below 1, and tells those that are beyond their bounds.
    #[inline(always)]
    fn scale<S: Simd>(&mut self, simd: S, program: &PairProgram, n: usize) {
        let (zero, one) = (simd.splat_d(0.0), simd.splat_d(1.0));
        for (k, sum) in program.sums().iter().enumerate() {
            let values = &self.registers[program.registers().at(sum.value)][..n];
            let (terms, all_beyond) = (&mut self.terms[k][..n], &mut self.beyond[k][..n]);
            // A power of two, and normal.
            let scale = simd.splat_d(albireo_simd::fixed_point::scaled(1.0, sum.exponent()));
            let [low, high] = [-sum.bound, sum.bound].map(|end| simd.splat_d(end));
            let mut any = zero;
            for at in (0..n).step_by(S::DOUBLES) {
                let value = simd.load_d(&values[at..]);
                let term = simd.mul_d(value, scale);
                // Lanes hold pairs in no bin too, of which nothing is proved.
                let within = simd.both(simd.at_most_d(low, value), simd.at_most_d(value, high));
                simd.store_d(simd.select_d(within, term, zero), &mut terms[at..]);
                let beyond = simd.select_d(within, zero, one);
                simd.store_d(beyond, &mut all_beyond[at..]);
                any = simd.add_d(any, beyond);
            }
            let mut lanes = [0.0; LEAF];
            simd.store_d(any, &mut lanes);
            self.any_beyond[k] = lanes != [0.0; LEAF];
        }
    }
}

/// What an operation makes of columns, which its operands are by their numbers.
#[inline(always)]
fn over_pairs<S: Simd>(simd: S, operation: Operation, columns: [&[f64]; 3], to: &mut [f64]) {
    let lanes = Lanes(simd);
    let [x, y, z] = columns.map(|column| &column[..to.len()]);
    for at in (0..to.len()).step_by(S::DOUBLES) {
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
