//! Plain Rust loops over the lanes of 128 bits: every machine has these.

use super::{Kernel, ROOT_SEED, ROUNDING, Simd, TERM};

/// What compilers turn into one register, or into as few instructions as there are lanes.
const LANES: usize = 4;
/// The same of float64.
const DOUBLES: usize = 2;

/// The vectors of a machine that nothing is known about.
#[derive(Debug, Clone, Copy)]
pub struct Portable;

type F = [f32; LANES];
type U = [u32; LANES];
type D = [f64; DOUBLES];
type M = [bool; DOUBLES];

#[inline(always)]
fn map<A: Copy, B: Copy + Default, const N: usize>(a: [A; N], f: impl Fn(A) -> B) -> [B; N] {
    let mut out = [B::default(); N];
    for k in 0..N {
        out[k] = f(a[k]);
    }
    out
}

#[inline(always)]
fn zip<A: Copy, B: Copy + Default, const N: usize>(
    a: [A; N],
    b: [A; N],
    f: impl Fn(A, A) -> B,
) -> [B; N] {
    let mut out = [B::default(); N];
    for k in 0..N {
        out[k] = f(a[k], b[k]);
    }
    out
}

#[inline]
fn mask(condition: bool) -> u32 {
    if condition { u32::MAX } else { 0 }
}

impl Simd for Portable {
    type F = F;
    type U = U;
    type D = D;
    type M = M;
    type I = [i64; DOUBLES];
    const DOUBLES: usize = DOUBLES;
    const LANES: usize = LANES;
    const ROOT_FACTORS: [f32; 2] = [1.0; 2];
    const RSQRT_FACTOR: f32 = 1.0;

    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    #[inline(always)]
    fn splat(self, value: f32) -> F {
        [value; LANES]
    }
    #[inline(always)]
    fn splat_u(self, value: u32) -> U {
        [value; LANES]
    }
    #[inline(always)]
    fn load(self, values: &[f32]) -> F {
        let mut lanes = [0.0; LANES];
        lanes.copy_from_slice(&values[..LANES]);
        lanes
    }
    #[inline(always)]
    fn load_u(self, values: &[u32]) -> U {
        let mut lanes = [0; LANES];
        lanes.copy_from_slice(&values[..LANES]);
        lanes
    }
    #[inline(always)]
    fn store(self, lanes: F, to: &mut [f32]) {
        to[..LANES].copy_from_slice(&lanes);
    }
    #[inline(always)]
    fn store_u(self, lanes: U, to: &mut [u32]) {
        to[..LANES].copy_from_slice(&lanes);
    }
    #[inline(always)]
    fn add(self, a: F, b: F) -> F {
        zip(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: F, b: F) -> F {
        zip(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: F, b: F) -> F {
        zip(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: F, b: F) -> F {
        zip(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn sqrt(self, a: F) -> F {
        map(a, f32::sqrt)
    }
    #[inline(always)]
    fn mul_add(self, a: F, b: F, c: F) -> F {
        // Not fused: without hardware support a fused one is a slow library call.
        zip(self.mul(a, b), c, |product, c| product + c)
    }
    #[inline(always)]
    fn fused(self, a: F, b: F, c: F) -> F {
        std::array::from_fn(|k| a[k].mul_add(b[k], c[k]))
    }
    #[inline(always)]
    fn max(self, a: F, b: F) -> F {
        zip(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn abs(self, a: F) -> F {
        map(a, f32::abs)
    }
    #[inline(always)]
    fn root(self, a: F, _: usize) -> F {
        map(a, f32::sqrt)
    }
    #[inline(always)]
    fn rsqrt(self, a: F) -> F {
        map(a, |a| 1.0 / a.sqrt())
    }
    #[inline(always)]
    fn less(self, a: F, b: F) -> U {
        zip(a, b, |a, b| mask(a < b))
    }
    #[inline(always)]
    fn bits(self, a: F) -> U {
        map(a, f32::to_bits)
    }
    #[inline(always)]
    fn floats(self, a: U) -> F {
        map(a, f32::from_bits)
    }
    #[inline(always)]
    fn to_float(self, a: U) -> F {
        map(a, |a| a.cast_signed() as f32)
    }
    #[inline(always)]
    fn truncate(self, a: F) -> U {
        map(a, |a| a as i32 as u32)
    }
    #[inline(always)]
    fn round(self, a: F) -> U {
        // The low bits of a number near 1.5 * 2^52 are an integer's.
        map(a, |a| (f64::from(a) + ROUNDING).to_bits() as u32)
    }
    #[inline(always)]
    fn add_u(self, a: U, b: U) -> U {
        zip(a, b, u32::wrapping_add)
    }
    #[inline(always)]
    fn sub_u(self, a: U, b: U) -> U {
        zip(a, b, u32::wrapping_sub)
    }
    #[inline(always)]
    fn mul_u(self, a: U, b: U) -> U {
        zip(a, b, u32::wrapping_mul)
    }
    #[inline(always)]
    fn min_u(self, a: U, b: U) -> U {
        zip(a, b, u32::min)
    }
    #[inline(always)]
    fn and(self, a: U, b: U) -> U {
        zip(a, b, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, a: U, b: U) -> U {
        zip(a, b, |a, b| a | b)
    }
    #[inline(always)]
    fn xor(self, a: U, b: U) -> U {
        zip(a, b, |a, b| a ^ b)
    }
    #[inline(always)]
    fn equal_u(self, a: U, b: U) -> U {
        zip(a, b, |a, b| mask(a == b))
    }
    #[inline(always)]
    fn shift_left(self, a: U, bits: u32) -> U {
        map(a, |a| a << bits)
    }
    #[inline(always)]
    fn shift_right(self, a: U, bits: u32) -> U {
        map(a, |a| a >> bits)
    }
    #[inline(always)]
    fn upper_half(self, a: U) -> U {
        map(a, |a| (a.cast_signed() >> 16).cast_unsigned())
    }
    #[inline(always)]
    fn one_hot(self, a: U) -> U {
        map(a, |a| 1u32.checked_shl(a).unwrap_or(0))
    }
    #[inline(always)]
    fn gather(self, table: &[u32], index: U) -> U {
        map(index, |k| table[k as usize])
    }
    #[inline(always)]
    fn mask_bits(self, mask: U) -> u32 {
        let mut bits = 0;
        for (k, lane) in mask.into_iter().enumerate() {
            bits |= (lane >> 31) << k;
        }
        bits
    }
    #[inline(always)]
    fn splat_d(self, value: f64) -> D {
        [value; DOUBLES]
    }
    #[inline(always)]
    fn load_d(self, values: &[f64]) -> D {
        let mut lanes = [0.0; DOUBLES];
        lanes.copy_from_slice(&values[..DOUBLES]);
        lanes
    }
    #[inline(always)]
    fn store_d(self, lanes: D, to: &mut [f64]) {
        to[..DOUBLES].copy_from_slice(&lanes);
    }
    #[inline(always)]
    fn add_d(self, a: D, b: D) -> D {
        zip(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub_d(self, a: D, b: D) -> D {
        zip(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul_d(self, a: D, b: D) -> D {
        zip(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn fused_d(self, a: D, b: D, c: D) -> D {
        std::array::from_fn(|k| a[k].mul_add(b[k], c[k]))
    }
    #[inline(always)]
    fn div_d(self, a: D, b: D) -> D {
        zip(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn sqrt_d(self, a: D) -> D {
        map(a, f64::sqrt)
    }
    #[inline(always)]
    fn min_d(self, a: D, b: D) -> D {
        zip(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max_d(self, a: D, b: D) -> D {
        zip(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn less_d(self, a: D, b: D) -> M {
        zip(a, b, |a, b| a < b)
    }
    #[inline(always)]
    fn at_most_d(self, a: D, b: D) -> M {
        zip(a, b, |a, b| a <= b)
    }
    #[inline(always)]
    fn both(self, a: M, b: M) -> M {
        zip(a, b, |a, b| a & b)
    }
    #[inline(always)]
    fn either(self, a: M, b: M) -> M {
        zip(a, b, |a, b| a | b)
    }
    #[inline(always)]
    fn select_d(self, mask: M, mut a: D, b: D) -> D {
        for k in 0..DOUBLES {
            a[k] = if mask[k] { a[k] } else { b[k] };
        }
        a
    }
    #[inline(always)]
    fn store_keys(self, a: D, bits: u32, to: &mut [i64]) {
        let keys = map(a, |a| (a.to_bits() >> bits).cast_signed());
        to[..DOUBLES].copy_from_slice(&keys);
    }
    #[inline(always)]
    fn store_rounded(self, a: D, bias: i64, to: &mut [i64]) {
        let rounded = map(a, |a| (a + ROUNDING).to_bits().cast_signed());
        let bias = bias - ROUNDING.to_bits().cast_signed();
        to[..DOUBLES].copy_from_slice(&map(rounded, |a| a.wrapping_add(bias)));
    }
    #[inline(always)]
    fn inverse_root_seed(self, a: D) -> D {
        map(a, |a| f64::from_bits(ROOT_SEED - (a.to_bits() >> 1)))
    }
    #[inline(always)]
    fn load_i(self, values: &[i64]) -> Self::I {
        let mut lanes = [0; DOUBLES];
        lanes.copy_from_slice(&values[..DOUBLES]);
        lanes
    }
    #[inline(always)]
    fn store_i(self, lanes: Self::I, to: &mut [i64]) {
        to[..DOUBLES].copy_from_slice(&lanes);
    }
    #[inline(always)]
    fn add_rounded(self, sums: Self::I, a: D) -> Self::I {
        let bits = map(a, |a| (a + ROUNDING).to_bits().cast_signed());
        let rounded = map(bits, |a| a.wrapping_sub(ROUNDING.to_bits().cast_signed()));
        zip(sums, rounded, i64::wrapping_add)
    }
    #[inline(always)]
    fn splat_i(self, value: i64) -> Self::I {
        [value; DOUBLES]
    }
    #[inline(always)]
    fn add_i(self, a: Self::I, b: Self::I) -> Self::I {
        zip(a, b, i64::wrapping_add)
    }
    #[inline(always)]
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I {
        zip(a, b, i64::wrapping_sub)
    }
    #[inline(always)]
    fn to_double(self, a: Self::I) -> D {
        map(a, |a| a as f64)
    }
    #[inline(always)]
    fn terms(self, factor: f64, factors: &[f64], to: &mut [u64]) {
        for k in 0..LANES {
            to[k] = (factor * factors[k] + ROUNDING)
                .to_bits()
                .wrapping_add(TERM);
        }
    }
}
