//! Plain Rust loops over the lanes of 128 bits: every machine has these.

use super::methods::methods;
use super::{Kernel, ROUNDING, Simd, TERM};

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
type I = [i64; DOUBLES];

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

/// Loads and stores: `load, store: [Number; LANES] => Lanes;`.
macro_rules! memory {
    ($self:ident: $($load:ident, $store:ident: [$number:ty; $n:ident] => $lanes:ty;)+) => {$(
        #[inline(always)]
        fn $load($self, values: &[$number]) -> $lanes {
            let mut lanes = [<$number>::default(); $n];
            lanes.copy_from_slice(&values[..$n]);
            lanes
        }
        #[inline(always)]
        fn $store($self, lanes: $lanes, to: &mut [$number]) {
            to[..$n].copy_from_slice(&lanes);
        }
    )+};
}

impl Simd for Portable {
    type F = F;
    type U = U;
    type D = D;
    type M = M;
    type I = I;
    const DOUBLES: usize = DOUBLES;
    const LANES: usize = LANES;
    const ROOT_FACTORS: [f32; 2] = [1.0; 2];
    const RSQRT_FACTOR: f32 = 1.0;

    // As with instructions that have to be enabled: a kernel is compiled once, and not into every caller.
    #[inline(never)]
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    methods!(self:
        splat(value: f32) -> F = [value; LANES];
        splat_u(value: u32) -> U = [value; LANES];
        add(a: F, b: F) -> F = zip(a, b, |a, b| a + b);
        sub(a: F, b: F) -> F = zip(a, b, |a, b| a - b);
        mul(a: F, b: F) -> F = zip(a, b, |a, b| a * b);
        div(a: F, b: F) -> F = zip(a, b, |a, b| a / b);
        sqrt(a: F) -> F = map(a, f32::sqrt);
        // Not fused: without hardware support a fused one is a slow library call.
        mul_add(a: F, b: F, c: F) -> F = zip(self.mul(a, b), c, |product, c| product + c);
        fused(a: F, b: F, c: F) -> F = std::array::from_fn(|k| a[k].mul_add(b[k], c[k]));
        max(a: F, b: F) -> F = zip(a, b, |a, b| if a > b { a } else { b });
        abs(a: F) -> F = map(a, f32::abs);
        root(a: F, _row: usize) -> F = map(a, f32::sqrt);
        rsqrt(a: F) -> F = map(a, |a| 1.0 / a.sqrt());
        less(a: F, b: F) -> U = zip(a, b, |a, b| mask(a < b));
        bits(a: F) -> U = map(a, f32::to_bits);
        floats(a: U) -> F = map(a, f32::from_bits);
        to_float(a: U) -> F = map(a, |a| a.cast_signed() as f32);
        truncate(a: F) -> U = map(a, |a| a as i32 as u32);
        // The low bits of a number near 1.5 * 2^52 are an integer's.
        round(a: F) -> U = map(a, |a| (f64::from(a) + ROUNDING).to_bits() as u32);
        add_u(a: U, b: U) -> U = zip(a, b, u32::wrapping_add);
        sub_u(a: U, b: U) -> U = zip(a, b, u32::wrapping_sub);
        mul_u(a: U, b: U) -> U = zip(a, b, u32::wrapping_mul);
        min_u(a: U, b: U) -> U = zip(a, b, u32::min);
        and(a: U, b: U) -> U = zip(a, b, |a, b| a & b);
        or(a: U, b: U) -> U = zip(a, b, |a, b| a | b);
        xor(a: U, b: U) -> U = zip(a, b, |a, b| a ^ b);
        equal_u(a: U, b: U) -> U = zip(a, b, |a, b| mask(a == b));
        shift_left(a: U, bits: u32) -> U = map(a, |a| a << bits);
        shift_right(a: U, bits: u32) -> U = map(a, |a| a >> bits);
        upper_half(a: U) -> U = map(a, |a| (a.cast_signed() >> 16).cast_unsigned());
        one_hot(a: U) -> U = map(a, |a| 1u32.checked_shl(a).unwrap_or(0));
        gather(table: &[u32], index: U) -> U = map(index, |k| table[k as usize]);
        splat_d(value: f64) -> D = [value; DOUBLES];
        add_d(a: D, b: D) -> D = zip(a, b, |a, b| a + b);
        sub_d(a: D, b: D) -> D = zip(a, b, |a, b| a - b);
        mul_d(a: D, b: D) -> D = zip(a, b, |a, b| a * b);
        fused_d(a: D, b: D, c: D) -> D = std::array::from_fn(|k| a[k].mul_add(b[k], c[k]));
        div_d(a: D, b: D) -> D = zip(a, b, |a, b| a / b);
        sqrt_d(a: D) -> D = map(a, f64::sqrt);
        min_d(a: D, b: D) -> D = zip(a, b, |a, b| if a < b { a } else { b });
        max_d(a: D, b: D) -> D = zip(a, b, |a, b| if a > b { a } else { b });
        less_d(a: D, b: D) -> M = zip(a, b, |a, b| a < b);
        at_most_d(a: D, b: D) -> M = zip(a, b, |a, b| a <= b);
        both(a: M, b: M) -> M = zip(a, b, |a, b| a & b);
        either(a: M, b: M) -> M = zip(a, b, |a, b| a | b);
        splat_i(value: i64) -> I = [value; DOUBLES];
        add_i(a: I, b: I) -> I = zip(a, b, i64::wrapping_add);
        sub_i(a: I, b: I) -> I = zip(a, b, i64::wrapping_sub);
        bits_d(a: D) -> I = map(a, |a| a.to_bits().cast_signed());
        doubles(a: I) -> D = map(a, |a| f64::from_bits(a.cast_unsigned()));
        shift_right_i(a: I, bits: u32) -> I = map(a, |a| (a.cast_unsigned() >> bits).cast_signed());
        to_double(a: I) -> D = map(a, |a| a as f64);
    );

    memory!(self:
        load, store: [f32; LANES] => F;
        load_u, store_u: [u32; LANES] => U;
        load_d, store_d: [f64; DOUBLES] => D;
        load_i, store_i: [i64; DOUBLES] => I;
    );

    #[inline(always)]
    fn mask_bits(self, mask: U) -> u32 {
        let mut bits = 0;
        for (k, lane) in mask.into_iter().enumerate() {
            bits |= (lane >> 31) << k;
        }
        bits
    }
    #[inline(always)]
    fn select_d(self, mask: M, mut a: D, b: D) -> D {
        for k in 0..DOUBLES {
            a[k] = if mask[k] { a[k] } else { b[k] };
        }
        a
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
