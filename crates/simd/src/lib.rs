//! Registers of lanes: one small vector trait and its bindings, the only `unsafe` behind the CPU engine.
//!
//! Entry: [`Isa::dispatch`], which runs a [`Kernel`] with the instructions of one instruction set enabled. Algorithms are written
//! once over [`Simd`]; the files below it only bind. A binding may fuse the multiply-adds of float32, which decide no bin on their
//! own; all others round as IEEE says and are fused only where they say so, so that lanes hold the bits of the exact rule.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "lanes hold bits: each operation says what becomes of them"
)]
#![allow(
    clippy::inline_always,
    reason = "an intrinsic that is not inlined into a function with its instruction set enabled becomes a call"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_bits;
mod bit_sets;
mod bit_sliced;
mod common;
pub mod fixed_point;
mod histogram;
mod isa;
mod methods;
#[cfg(target_arch = "aarch64")]
mod neon;
mod numbers;
mod portable;
mod precision;
mod records;
mod scatter;
mod scatter_sets;
mod slot_classes;

pub use bit_sets::{BitNumbers, BitSets, BitSums};
pub use bit_sliced::BitSliced;
pub use common::{Common, Quotient, WordRows};
use common::{divide_one_by_one, terms_by_weights};
pub use histogram::{Factors, Histogram, ROWS, Totals};
pub use isa::{Isa, Vectors};
pub use numbers::{Choices, Lanes, Lanes32, Numbers, Operations, Registers, Scalar, Scalar32};
pub use portable::Portable;
pub use precision::Precision;
pub use records::{RECORDS, Record, ShortRecord};
pub use scatter::{Scatter, Targets};
pub use scatter_sets::{ProductWord, ScatterSets, SetFactors};
pub use slot_classes::SlotClasses;

/// The lanes of the widest register; every width divides it.
pub const MOST_LANES: usize = 16;

/// The bits of `1.5 * 2^52`: adding it to |x| < 2^51 rounds x to an integer, ties to even, and leaves that integer in the low bits.
pub const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// What a second word is multiplied by: its bits lie below those of the first.
const REST_ONE: f64 = (1u64 << crate::fixed_point::REST_BITS) as f64;

/// What the seed of an inverse square root is made of (Lomont 2003), for float64.
pub const ROOT_SEED: u64 = 0x5fe6_eb50_c7b5_37a9;

/// What is added to the bits of a rounded product to make it a term: one in the number of terms, and no product negative.
const TERM: u64 = (1u64 << scatter::TERM_BITS)
    .wrapping_add(1 << crate::fixed_point::FRACTION_BITS)
    .wrapping_sub(ROUNDING.to_bits());

/// Registers of [`Simd::LANES`] float32 or u32 numbers; a value of the type is proof that the machine has the instructions.
///
/// Loads and stores take the first numbers of a slice and panic where it holds too few.
pub trait Simd: BitSets {
    /// Float32 lanes.
    type F: Copy;
    /// 32-bit integer lanes; also masks, all ones where true.
    type U: Copy;
    /// Float64 lanes.
    type D: Copy;
    /// Masks of float64 lanes.
    type M: Copy;
    /// 64-bit integer lanes, as many as of float64.
    type I: Copy;
    /// Lanes of a register.
    const LANES: usize;
    /// Float64 lanes of a register; they divide [`Simd::LANES`].
    const DOUBLES: usize;
    /// What [`Simd::root`] multiplies the square root by in even and in odd rows: powers of two.
    const ROOT_FACTORS: [f32; 2];
    /// What [`Simd::fine_root`] multiplies the square root by: a power of two.
    const FINE_ROOT_FACTOR: f32 = 1.0;
    /// What [`Simd::rsqrt`] multiplies the inverse square root by: a power of two.
    const RSQRT_FACTOR: f32;

    /// Runs `kernel` with the instructions enabled.
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output;

    /// The same number in every lane.
    fn splat(self, value: f32) -> Self::F;
    /// The same integer in every lane.
    fn splat_u(self, value: u32) -> Self::U;
    /// Consecutive numbers.
    fn load(self, values: &[f32]) -> Self::F;
    /// Consecutive integers.
    fn load_u(self, values: &[u32]) -> Self::U;
    /// Writes the numbers.
    fn store(self, lanes: Self::F, to: &mut [f32]);
    /// Writes the lanes.
    fn store_u(self, lanes: Self::U, to: &mut [u32]);
    /// `a + b`, rounded once.
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a - b`.
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b`.
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a / b`, rounded once.
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// The square root, rounded once.
    fn sqrt(self, a: Self::F) -> Self::F;
    /// `a * b + c`, fused or not.
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// `a * b + c`, rounded once.
    fn fused(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// The larger of both.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// |a|.
    fn abs(self, a: Self::F) -> Self::F;
    /// `ROOT_FACTORS[row % 2] * sqrt(a)` for normal `a`, within [`ROOT_ERROR`].
    ///
    /// Even and odd rows may go different ways, so that they share the units of a processor.
    fn root(self, a: Self::F, row: usize) -> Self::F;
    /// `FINE_ROOT_FACTOR * sqrt(a)` for `a` from 2^-100 to 2^126, within [`FINE_ROOT_ERROR`].
    #[inline(always)]
    fn fine_root(self, a: Self::F) -> Self::F {
        self.sqrt(a)
    }
    /// `RSQRT_FACTOR / sqrt(a)` for normal `a`, within [`ROOT_ERROR`].
    fn rsqrt(self, a: Self::F) -> Self::F;
    /// Where `a < b`.
    fn less(self, a: Self::F, b: Self::F) -> Self::U;
    /// The bit patterns of floats.
    fn bits(self, a: Self::F) -> Self::U;
    /// The floats with these bit patterns.
    fn floats(self, a: Self::U) -> Self::F;
    /// The nearest floats to integers below 2^31.
    fn to_float(self, a: Self::U) -> Self::F;
    /// The nearest floats to integers in two's complement.
    #[inline(always)]
    fn signed_to_float(self, a: Self::U) -> Self::F {
        self.to_float(a)
    }
    /// Truncation towards zero of floats in [0, 2^31).
    fn truncate(self, a: Self::F) -> Self::U;
    /// The nearest integers, ties to even, of floats of magnitude below 2^31, in two's complement.
    fn round(self, a: Self::F) -> Self::U;
    /// `a + b`, wrapping.
    fn add_u(self, a: Self::U, b: Self::U) -> Self::U;
    /// `a - b`, wrapping.
    fn sub_u(self, a: Self::U, b: Self::U) -> Self::U;
    /// `a * b`, low 32 bits.
    fn mul_u(self, a: Self::U, b: Self::U) -> Self::U;
    /// The smaller of both, unsigned.
    fn min_u(self, a: Self::U, b: Self::U) -> Self::U;
    /// Bitwise and.
    fn and(self, a: Self::U, b: Self::U) -> Self::U;
    /// Bitwise or.
    fn or(self, a: Self::U, b: Self::U) -> Self::U;
    /// Bitwise exclusive or.
    fn xor(self, a: Self::U, b: Self::U) -> Self::U;
    /// Where `a <= b`, unsigned.
    #[inline(always)]
    fn at_most_u(self, a: Self::U, b: Self::U) -> Self::U {
        self.equal_u(self.min_u(a, b), a)
    }
    /// Where `a == b`.
    fn equal_u(self, a: Self::U, b: Self::U) -> Self::U;
    /// Logical shift left of every lane.
    fn shift_left(self, a: Self::U, bits: u32) -> Self::U;
    /// Logical shift right of every lane.
    fn shift_right(self, a: Self::U, bits: u32) -> Self::U;
    /// Arithmetic shift right of every lane by 16.
    fn upper_half(self, a: Self::U) -> Self::U;
    /// `1 << a`, and 0 where `a` is 32 or more.
    fn one_hot(self, a: Self::U) -> Self::U;
    /// `table[index]`, index below the length of the table in every lane.
    fn gather(self, table: &[u32], index: Self::U) -> Self::U;
    /// Sum and carry of three one-bit numbers in every bit: `a ^ b ^ c` and their majority.
    #[inline(always)]
    fn carry_save(self, a: Self::U, b: Self::U, c: Self::U) -> (Self::U, Self::U) {
        let half = self.xor(a, b);
        let carry = self.or(self.and(a, b), self.and(half, c));
        (self.xor(half, c), carry)
    }
    /// One bit a lane: its top bit.
    fn mask_bits(self, mask: Self::U) -> u32;
    /// Writes `first` plus the number of each lane whose bit is set, in their order, and maybe more behind them; how many these are.
    #[inline(always)]
    fn store_lanes(self, bits: u32, first: u32, to: &mut [u32; MOST_LANES]) -> usize {
        let (mut left, mut count) = (bits, 0);
        while left != 0 {
            to[count % MOST_LANES] = first + left.trailing_zeros();
            left &= left - 1;
            count += 1;
        }
        count
    }

    /// The same float64 number in every lane.
    fn splat_d(self, value: f64) -> Self::D;
    /// Consecutive float64 numbers.
    fn load_d(self, values: &[f64]) -> Self::D;
    /// Writes the numbers.
    fn store_d(self, lanes: Self::D, to: &mut [f64]);
    /// Writes the numbers whose bit is set, the lowest lane first, and says how many these are. What follows them in `to`, up to
    /// [`Self::DOUBLES`] in all, may be anything.
    #[inline(always)]
    fn store_some_d(self, lanes: Self::D, bits: u32, to: &mut [f64]) -> usize {
        let mut all = [0.0; MOST_LANES];
        self.store_d(lanes, &mut all);
        let to = &mut to[..Self::DOUBLES];
        let mut count = 0;
        for (lane, &value) in all[..Self::DOUBLES].iter().enumerate() {
            to[count] = value;
            count += (bits >> lane & 1) as usize;
        }
        count
    }
    /// The same of slots, up to [`Self::LANES`] in all.
    #[inline(always)]
    fn store_some_u(self, lanes: Self::U, bits: u32, to: &mut [u32]) -> usize {
        let mut all = [0; MOST_LANES];
        self.store_u(lanes, &mut all);
        let to = &mut to[..Self::LANES];
        let mut count = 0;
        for (lane, &value) in all[..Self::LANES].iter().enumerate() {
            to[count] = value;
            count += (bits >> lane & 1) as usize;
        }
        count
    }
    /// `a + b`, rounded once.
    fn add_d(self, a: Self::D, b: Self::D) -> Self::D;
    /// `a - b`, rounded once.
    fn sub_d(self, a: Self::D, b: Self::D) -> Self::D;
    /// `a * b`, rounded once.
    fn mul_d(self, a: Self::D, b: Self::D) -> Self::D;
    /// `a * b + c`, rounded once.
    fn fused_d(self, a: Self::D, b: Self::D, c: Self::D) -> Self::D;
    /// `a / b`, rounded once.
    fn div_d(self, a: Self::D, b: Self::D) -> Self::D;
    /// The square root, rounded once.
    fn sqrt_d(self, a: Self::D) -> Self::D;
    /// The lesser of both; `b` where one is no number.
    fn min_d(self, a: Self::D, b: Self::D) -> Self::D;
    /// The greater of both; `b` where one is no number.
    fn max_d(self, a: Self::D, b: Self::D) -> Self::D;
    /// Where `a < b`.
    fn less_d(self, a: Self::D, b: Self::D) -> Self::M;
    /// Where `a <= b`.
    fn at_most_d(self, a: Self::D, b: Self::D) -> Self::M;
    /// Where both hold.
    fn both(self, a: Self::M, b: Self::M) -> Self::M;
    /// Where at least one holds.
    fn either(self, a: Self::M, b: Self::M) -> Self::M;
    /// `a` where the mask holds, else `b`.
    fn select_d(self, mask: Self::M, a: Self::D, b: Self::D) -> Self::D;
    /// The bit patterns of numbers without a sign, without their last `bits` bits.
    #[inline(always)]
    fn store_keys(self, a: Self::D, bits: u32, to: &mut [i64]) {
        self.store_i(self.shift_right_i(self.bits_d(a), bits), to);
    }
    /// Numbers of magnitude below 2^51, rounded to integers, ties to even, plus `bias`.
    #[inline(always)]
    fn store_rounded(self, a: Self::D, bias: i64, to: &mut [i64]) {
        let rounded = self.bits_d(self.add_d(a, self.splat_d(ROUNDING)));
        let bias = self.splat_i(bias - ROUNDING.to_bits().cast_signed());
        self.store_i(self.add_i(rounded, bias), to);
    }

    /// What rounding `t`, of magnitude below 2^51, to an integer leaves of it, times 2^28: as [`crate::fixed_point::rest`].
    #[inline(always)]
    fn rest(self, t: Self::D) -> Self::D {
        let rounding = self.splat_d(ROUNDING);
        let whole = self.sub_d(self.add_d(t, rounding), rounding);
        self.mul_d(self.sub_d(t, whole), self.splat_d(REST_ONE))
    }

    /// A first guess at `1 / sqrt(a)` of normal `a`, within 3.5 %: [`ROOT_SEED`] less half of the bit pattern.
    #[inline(always)]
    fn inverse_root_seed(self, a: Self::D) -> Self::D {
        let half = self.shift_right_i(self.bits_d(a), 1);
        self.doubles(self.sub_i(self.splat_i(ROOT_SEED.cast_signed()), half))
    }
    /// Consecutive 64-bit integers.
    fn load_i(self, values: &[i64]) -> Self::I;
    /// Writes the integers.
    fn store_i(self, lanes: Self::I, to: &mut [i64]);
    /// `sums + a`, `a` of magnitude at most 2^50 rounded to an integer, ties to even.
    #[inline(always)]
    fn add_rounded(self, sums: Self::I, a: Self::D) -> Self::I {
        let rounded = self.bits_d(self.add_d(a, self.splat_d(ROUNDING)));
        let rounding = self.splat_i(ROUNDING.to_bits().cast_signed());
        self.add_i(sums, self.sub_i(rounded, rounding))
    }
    /// The same 64-bit integer in every lane.
    fn splat_i(self, value: i64) -> Self::I;
    /// `a + b`, wrapping.
    fn add_i(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a - b`, wrapping.
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I;
    /// Shifts each integer right by `bits` below 64, zeros come in.
    fn shift_right_i(self, a: Self::I, bits: u32) -> Self::I;
    /// The bit patterns of numbers.
    fn bits_d(self, a: Self::D) -> Self::I;
    /// The numbers of bit patterns.
    fn doubles(self, a: Self::I) -> Self::D;
    /// The nearest float64 numbers, ties to even.
    fn to_double(self, a: Self::I) -> Self::D;
    /// The first three numbers of the records with these indices, number by number.
    #[inline(always)]
    fn load_records(self, from: &[Record], index: &[u32]) -> [Self::I; 3] {
        let mut columns = [[0; RECORDS]; 3];
        for (lane, &row) in index[..Self::DOUBLES].iter().enumerate() {
            for (column, value) in columns.iter_mut().zip(from[row as usize]) {
                column[lane] = value;
            }
        }
        columns.map(|column| self.load_i(&column))
    }
    /// The numbers of the short records with these indices, number by number.
    #[inline(always)]
    fn load_short_records(self, from: &[ShortRecord], index: &[u32]) -> [Self::U; 4] {
        let mut columns = [[0; MOST_LANES]; 4];
        for (lane, &row) in index[..Self::LANES].iter().enumerate() {
            for (column, value) in columns.iter_mut().zip(from[row as usize]) {
                column[lane] = value;
            }
        }
        columns.map(|column| self.load_u(&column))
    }
    /// Takes `columns` off the first three numbers of the records with these indices, wrapping, one after the other.
    #[inline(always)]
    fn take_off_records(self, columns: [Self::I; 3], to: &mut [Record], index: &[u32]) {
        let mut values = [[0; RECORDS]; 3];
        for (values, lanes) in values.iter_mut().zip(columns) {
            self.store_i(lanes, values);
        }
        for (lane, &row) in index[..Self::DOUBLES].iter().enumerate() {
            for (to, values) in to[row as usize].iter_mut().zip(&values) {
                *to = to.wrapping_sub(values[lane]);
            }
        }
    }

    /// Words whose upper halves hold `high`, in which `terms`, two registers of numbers of magnitude below 2^51, are added, rounded to
    /// integers, ties to even, and with the bits of [`ROUNDING`].
    #[inline(always)]
    fn store_packed(self, high: Self::U, terms: [Self::D; 2], to: &mut [u64]) {
        let (mut upper, mut rounded) = ([0; MOST_LANES], [0.0; MOST_LANES]);
        self.store_u(high, &mut upper);
        let rounding = self.splat_d(ROUNDING);
        self.store_d(self.add_d(terms[0], rounding), &mut rounded);
        self.store_d(
            self.add_d(terms[1], rounding),
            &mut rounded[Self::DOUBLES..],
        );
        for (to, (upper, rounded)) in to[..Self::LANES].iter_mut().zip(upper.iter().zip(&rounded)) {
            *to = (u64::from(*upper) << 32).wrapping_add(rounded.to_bits());
        }
    }

    /// How many bits a row has in common with each of [`Simd::LANES`] points, whose words stand side by side: `words[w]` and
    /// `points[w * MOST_LANES + lane]`, for all words w.
    #[inline(always)]
    fn common_bits(self, words: &[u64], points: &[u64], to: &mut [u64; MOST_LANES]) {
        to[..Self::LANES].fill(0);
        for (word, points) in words.iter().zip(points.chunks(MOST_LANES)) {
            for (to, point) in to.iter_mut().zip(&points[..Self::LANES]) {
                *to += u64::from((word & point).count_ones());
            }
        }
    }

    /// Multiplies the first [`Simd::LANES`] weights of each row by what the quotient is of the bits that a row and a point have in common.
    #[inline(always)]
    fn divide_by_common<const ROWS: usize>(
        self,
        common: Common<'_>,
        rows: &[u8; ROWS],
        weights: &mut [[f64; MOST_LANES]; ROWS],
    ) {
        divide_one_by_one(self, common, rows, weights);
    }

    /// As [`Simd::terms`] of row after row, each product multiplied by what the quotient is of the bits that the row and the point have in
    /// common.
    #[inline(always)]
    fn common_terms(
        self,
        common: Common<'_>,
        rows: [u8; ROWS],
        factors: Factors<'_>,
        to: &mut [u64],
    ) {
        terms_by_weights(self, common, rows, factors, to);
    }

    /// The terms `2^51 + 2^36 + product`, the products `factor * factors[k]`, of at most 2^36, rounded to integers, ties to even.
    fn terms(self, factor: f64, factors: &[f64], to: &mut [u64]);
}

/// Relative error of [`Simd::root`] and [`Simd::rsqrt`]: one Newton step on an estimate e good to 1.5 * 2^-12.
///
/// With s = a e, c = 3 - s e, the step gives s c = 2 sqrt(a) or e c = 2 / sqrt(a), up to 1.5 times the square of the error of e
/// (3.4 half units), half the rounding of s and the roundings of c and of the product.
pub const ROOT_ERROR: f64 = 6.0 * HALF_ULP;

/// Rows of this parity get the root from the unit for it, rounded once, where there are two ways.
#[cfg(target_arch = "x86_64")]
const MOST_EXACT_ROW: usize = 1;

/// Relative error of [`Simd::fine_root`]: a root rounded once, or a Newton step with an exact residual.
///
/// On an estimate e = (1 + d) / sqrt(a), |d| <= 2^-14, let g = a e rounded, sqrt(a) (1 + c) with |c| <= |d| + u, u being half a unit. A
/// multiply-add finds a - g^2 = -a (2 c + c^2) with one rounding relative to itself, a second one rounds 2 g + (a - g^2) e =
/// 2 sqrt(a) (1 - c^2 / 2 - c d - ..) once: what is left out is at most 1.5 * 2^-28 and 2^-36 beside it, less than 0.1 u.
pub const FINE_ROOT_ERROR: f64 = 1.1 * HALF_ULP;

/// Half a unit in the last place of 1 in float32: the relative error of one rounding.
pub const HALF_ULP: f64 = 1.0 / (1u64 << 24) as f64;

/// Code to run with an instruction set enabled; `run` must be `#[inline(always)]`.
pub trait Kernel {
    /// What comes out.
    type Output;
    /// Whether it counts common bits: it is then compiled once more, for machines with an instruction for that.
    const COUNTS_BITS: bool = false;
    /// The code, over any vector type.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

#[cfg(test)]
mod tests;
