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
    registers: Vec<[f64; N]>,
    /// Values over the power of two above their bound, sum by sum; 0 where there is none within it.
    pub(in crate::engine::cpu) terms: Vec<[f64; N]>,
    /// 1 where there is none.
    pub(in crate::engine::cpu) beyond: Vec<[f64; N]>,
}

impl<const N: usize> Values<N> {
    pub(in crate::engine::cpu) fn new(program: &PairProgram) -> Self {
        let mut registers = vec![[0.0; N]; program.registers().number()];
        for (operation, &to) in program.operations().iter().zip(program.registers().all()) {
            if let Operation::Constant(bits) = *operation {
                registers[usize::from(to)] = [f64::from_bits(bits); N];
            }
        }
        let n_sums = program.sums().len();
        Self {
            registers,
            terms: vec![[0.0; N]; n_sums],
            beyond: vec![[0.0; N]; n_sums],
        }
    }

    /// Makes the values of `n` pairs; `bring` writes what they bring to an operation: columns and differences.
    #[inline(always)]
    pub(in crate::engine::cpu) fn make<S: Simd>(
        &mut self,
        simd: S,
        program: &PairProgram,
        n: usize,
        bring: impl Fn(Operation, &mut [f64]),
    ) {
        for (operation, &to) in program.operations().iter().zip(program.registers().all()) {
            let to = usize::from(to);
            match *operation {
                Operation::Constant(_) => {}
                brought @ (Operation::Difference(_) | Operation::Column(..)) => {
                    bring(brought, &mut self.registers[to][..n]);
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
        // Each operation has a loop of its own, in which it is known.
        macro_rules! in_loops {
            ($($name:ident($($of:ident),+)),+ $(,)?) => {
                match operation {
                    $($name($($of),+) => {
                        self.over_pairs(simd, program, (to, n), $name($($of),+));
                    })+
                    _ => {}
                }
            };
        }
        in_loops!(
            Add(a, b),
            Subtract(a, b),
            Multiply(a, b),
            Divide(a, b),
            Root(a),
            Minimum(a, b),
            Maximum(a, b),
            Less(a, b),
            AtMost(a, b),
            Where(c, a, b),
        );
    }

    #[inline(always)]
    fn over_pairs<S: Simd>(
        &mut self,
        simd: S,
        program: &PairProgram,
        (to, n): (usize, usize),
        operation: Operation,
    ) {
        let lanes = Lanes(simd);
        for at in (0..n).step_by(S::DOUBLES) {
            let value =
                |value: Value| lanes.load(&self.registers[program.registers().at(value)][at..]);
            if let Some(made) = operation.apply(lanes, value) {
                lanes.store(made, &mut self.registers[to][at..]);
            }
        }
    }

    /// Brings the values of the sums below 1, and tells those that are beyond their bounds.
    #[inline(always)]
    fn scale<S: Simd>(&mut self, simd: S, program: &PairProgram, n: usize) {
        let (zero, one) = (simd.splat_d(0.0), simd.splat_d(1.0));
        for (k, sum) in program.sums().iter().enumerate() {
            let register = &self.registers[program.registers().at(sum.value)];
            // A power of two, and normal.
            let scale = simd.splat_d(albireo_simd::fixed_point::scaled(1.0, sum.exponent()));
            let [low, high] = [-sum.bound, sum.bound].map(|end| simd.splat_d(end));
            for at in (0..n).step_by(S::DOUBLES) {
                let value = simd.load_d(&register[at..]);
                let term = simd.mul_d(value, scale);
                // Lanes hold pairs in no bin too, of which nothing is proved.
                let within = simd.both(simd.at_most_d(low, value), simd.at_most_d(value, high));
                simd.store_d(simd.select_d(within, term, zero), &mut self.terms[k][at..]);
                simd.store_d(simd.select_d(within, zero, one), &mut self.beyond[k][at..]);
            }
        }
    }
}
