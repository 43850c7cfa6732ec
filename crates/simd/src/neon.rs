//! NEON: eight lanes in two registers of four, so that what is done once a row serves as many pairs as with AVX2.

#[allow(clippy::wildcard_imports, reason = "all intrinsics")]
use std::arch::aarch64::*;
use std::arch::is_aarch64_feature_detected;

use super::methods::methods;
use super::{Kernel, ROUNDING, Simd, TERM};

const LANES: usize = 8;
/// The same of float64.
const DOUBLES: usize = 4;

/// Proof that the machine has NEON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neon(());

impl Neon {
    pub(crate) fn detect() -> Option<Self> {
        is_aarch64_feature_detected!("neon").then_some(Self(()))
    }
}

#[target_feature(enable = "neon")]
#[inline(never)]
fn enabled<K: Kernel>(simd: Neon, kernel: K) -> K::Output {
    kernel.run(simd)
}

/// Lanes 0 to 3 and 4 to 7.
type F = [float32x4_t; 2];
type U = [uint32x4_t; 2];
/// Lanes 0 and 1, and 2 and 3.
type D = [float64x2_t; 2];
type M = [uint64x2_t; 2];
type I = [int64x2_t; 2];

/// Binds one operation, to both halves where they are given as such; the token proves that its instructions exist.
macro_rules! bind {
    ($op:ident($operand:expr)) => {
        // SAFETY: a value of `Neon` exists only where NEON was detected; the operand is a register or a number.
        unsafe { $op($operand) }
    };
    ($op:ident[$($operand:expr),+]) => {
        // SAFETY: a value of `Neon` exists only where NEON was detected; the operands are registers.
        unsafe { [$op($($operand[0]),+), $op($($operand[1]),+)] }
    };
}

/// Loads and stores of both halves: `load, store: [Number; LANES] => Register = instruction, instruction;`.
macro_rules! memory {
    ($self:ident: $($load:ident, $store:ident: [$number:ty; $n:ident] => $lanes:ty = $from:ident, $to:ident;)+) => {$(
        #[inline(always)]
        fn $load($self, values: &[$number]) -> $lanes {
            assert!(values.len() >= $n);
            let at = values.as_ptr();
            // SAFETY: the token proves NEON; the loads of the two halves lie within the values.
            unsafe { [$from(at), $from(at.add($n / 2))] }
        }
        #[inline(always)]
        fn $store($self, lanes: $lanes, to: &mut [$number]) {
            assert!(to.len() >= $n);
            let at = to.as_mut_ptr();
            // SAFETY: the token proves NEON; the stores of the two halves lie within the slice.
            unsafe {
                $to(at, lanes[0]);
                $to(at.add($n / 2), lanes[1]);
            }
        }
    )+};
}

impl Simd for Neon {
    type F = F;
    type U = U;
    type D = D;
    type M = M;
    type I = I;
    const DOUBLES: usize = DOUBLES;
    const LANES: usize = LANES;
    const ROOT_FACTORS: [f32; 2] = [1.0; 2];
    const RSQRT_FACTOR: f32 = 1.0;

    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: a value of `Neon` exists only where NEON was detected.
        unsafe { enabled(self, kernel) }
    }

    methods!(self:
        splat(value: f32) -> F = [bind!(vdupq_n_f32(value)); 2];
        splat_u(value: u32) -> U = [bind!(vdupq_n_u32(value)); 2];
        add(a: F, b: F) -> F = bind!(vaddq_f32[a, b]);
        sub(a: F, b: F) -> F = bind!(vsubq_f32[a, b]);
        mul(a: F, b: F) -> F = bind!(vmulq_f32[a, b]);
        div(a: F, b: F) -> F = bind!(vdivq_f32[a, b]);
        sqrt(a: F) -> F = bind!(vsqrtq_f32[a]);
        mul_add(a: F, b: F, c: F) -> F = bind!(vfmaq_f32[c, a, b]);
        fused(a: F, b: F, c: F) -> F = bind!(vfmaq_f32[c, a, b]);
        max(a: F, b: F) -> F = bind!(vmaxq_f32[a, b]);
        abs(a: F) -> F = bind!(vabsq_f32[a]);
        root(a: F, _row: usize) -> F = bind!(vsqrtq_f32[a]);
        less(a: F, b: F) -> U = bind!(vcltq_f32[a, b]);
        bits(a: F) -> U = bind!(vreinterpretq_u32_f32[a]);
        floats(a: U) -> F = bind!(vreinterpretq_f32_u32[a]);
        to_float(a: U) -> F = bind!(vcvtq_f32_u32[a]);
        add_u(a: U, b: U) -> U = bind!(vaddq_u32[a, b]);
        sub_u(a: U, b: U) -> U = bind!(vsubq_u32[a, b]);
        mul_u(a: U, b: U) -> U = bind!(vmulq_u32[a, b]);
        min_u(a: U, b: U) -> U = bind!(vminq_u32[a, b]);
        and(a: U, b: U) -> U = bind!(vandq_u32[a, b]);
        or(a: U, b: U) -> U = bind!(vorrq_u32[a, b]);
        xor(a: U, b: U) -> U = bind!(veorq_u32[a, b]);
        at_most_u(a: U, b: U) -> U = bind!(vcleq_u32[a, b]);
        equal_u(a: U, b: U) -> U = bind!(vceqq_u32[a, b]);
        splat_d(value: f64) -> D = [bind!(vdupq_n_f64(value)); 2];
        add_d(a: D, b: D) -> D = bind!(vaddq_f64[a, b]);
        sub_d(a: D, b: D) -> D = bind!(vsubq_f64[a, b]);
        mul_d(a: D, b: D) -> D = bind!(vmulq_f64[a, b]);
        fused_d(a: D, b: D, c: D) -> D = bind!(vfmaq_f64[c, a, b]);
        div_d(a: D, b: D) -> D = bind!(vdivq_f64[a, b]);
        sqrt_d(a: D) -> D = bind!(vsqrtq_f64[a]);
        min_d(a: D, b: D) -> D = self.select_d(self.less_d(a, b), a, b);
        max_d(a: D, b: D) -> D = self.select_d(self.less_d(b, a), a, b);
        less_d(a: D, b: D) -> M = bind!(vcltq_f64[a, b]);
        at_most_d(a: D, b: D) -> M = bind!(vcleq_f64[a, b]);
        both(a: M, b: M) -> M = bind!(vandq_u64[a, b]);
        either(a: M, b: M) -> M = bind!(vorrq_u64[a, b]);
        select_d(mask: M, a: D, b: D) -> D = bind!(vbslq_f64[mask, a, b]);
        splat_i(value: i64) -> I = [bind!(vdupq_n_s64(value)); 2];
        add_i(a: I, b: I) -> I = bind!(vaddq_s64[a, b]);
        sub_i(a: I, b: I) -> I = bind!(vsubq_s64[a, b]);
        bits_d(a: D) -> I = bind!(vreinterpretq_s64_f64[a]);
        doubles(a: I) -> D = bind!(vreinterpretq_f64_s64[a]);
        to_double(a: I) -> D = bind!(vcvtq_f64_s64[a]);
    );

    memory!(self:
        load, store: [f32; LANES] => F = vld1q_f32, vst1q_f32;
        load_u, store_u: [u32; LANES] => U = vld1q_u32, vst1q_u32;
        load_d, store_d: [f64; DOUBLES] => D = vld1q_f64, vst1q_f64;
        load_i, store_i: [i64; DOUBLES] => I = vld1q_s64, vst1q_s64;
    );

    #[inline(always)]
    fn shift_right_i(self, a: I, bits: u32) -> I {
        let left = [bind!(vdupq_n_s64(-i64::from(bits))); 2];
        let patterns = bind!(vreinterpretq_u64_s64[a]);
        let shifted = bind!(vshlq_u64[patterns, left]);
        bind!(vreinterpretq_s64_u64[shifted])
    }
    #[inline(always)]
    fn rsqrt(self, a: F) -> F {
        // Two Newton steps: the estimate is good to 2^-8, after one step to 2^-15.
        let mut root = bind!(vrsqrteq_f32[a]);
        for _ in 0..2 {
            let scaled = self.mul(a, root);
            root = self.mul(root, bind!(vrsqrtsq_f32[scaled, root]));
        }
        root
    }
    #[inline(always)]
    fn signed_to_float(self, a: U) -> F {
        let signed = bind!(vreinterpretq_s32_u32[a]);
        bind!(vcvtq_f32_s32[signed])
    }
    #[inline(always)]
    fn truncate(self, a: F) -> U {
        let signed = bind!(vcvtq_s32_f32[a]);
        bind!(vreinterpretq_u32_s32[signed])
    }
    #[inline(always)]
    fn round(self, a: F) -> U {
        let signed = bind!(vcvtnq_s32_f32[a]);
        bind!(vreinterpretq_u32_s32[signed])
    }
    #[inline(always)]
    fn shift_left(self, a: U, bits: u32) -> U {
        let left = [bind!(vdupq_n_s32(bits.cast_signed())); 2];
        bind!(vshlq_u32[a, left])
    }
    #[inline(always)]
    fn shift_right(self, a: U, bits: u32) -> U {
        let left = [bind!(vdupq_n_s32(-bits.cast_signed())); 2];
        bind!(vshlq_u32[a, left])
    }
    #[inline(always)]
    fn upper_half(self, a: U) -> U {
        let right = [bind!(vdupq_n_s32(-16)); 2];
        let a = bind!(vreinterpretq_s32_u32[a]);
        let half = bind!(vshlq_s32[a, right]);
        bind!(vreinterpretq_u32_s32[half])
    }
    #[inline(always)]
    fn one_hot(self, a: U) -> U {
        // The instruction reads the low byte only, and as a signed number.
        let (one, places) = (self.splat_u(1), self.min_u(a, self.splat_u(32)));
        let left = bind!(vreinterpretq_s32_u32[places]);
        bind!(vshlq_u32[one, left])
    }
    #[inline(always)]
    fn gather(self, table: &[u32], index: U) -> U {
        let mut lanes = [0; LANES];
        self.store_u(index, &mut lanes);
        for lane in &mut lanes {
            *lane = table[*lane as usize];
        }
        self.load_u(&lanes)
    }
    #[inline(always)]
    fn carry_save(self, a: U, b: U, c: U) -> (U, U) {
        // Where a and b differ, c has the majority; elsewhere a has it.
        let half = self.xor(a, b);
        (self.xor(half, c), bind!(vbslq_u32[half, c, a]))
    }
    #[inline(always)]
    fn mask_bits(self, mask: U) -> u32 {
        let places = self.load_u(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let ones = self.shift_right(mask, 31);
        let places = bind!(vreinterpretq_s32_u32[places]);
        let [low, high] = bind!(vshlq_u32[ones, places]);
        // SAFETY: the token proves NEON.
        unsafe { vaddvq_u32(vaddq_u32(low, high)) }
    }
    #[inline(always)]
    fn terms(self, factor: f64, factors: &[f64], to: &mut [u64]) {
        assert!(factors.len() >= LANES && to.len() >= LANES);
        // SAFETY: the token proves NEON; the four loads and stores of 2 lie within the slices.
        unsafe {
            let (factor, rounding) = (vdupq_n_f64(factor), vdupq_n_f64(ROUNDING));
            let term = vdupq_n_u64(TERM);
            for k in (0..LANES).step_by(2) {
                let product = vmulq_f64(factor, vld1q_f64(factors.as_ptr().add(k)));
                let rounded = vreinterpretq_u64_f64(vaddq_f64(product, rounding));
                vst1q_u64(to.as_mut_ptr().add(k), vaddq_u64(rounded, term));
            }
        }
    }
}
