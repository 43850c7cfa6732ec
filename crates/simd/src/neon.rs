//! NEON: eight lanes in two registers of four, so that what is done once a row serves as many pairs as with AVX2.

use std::arch::aarch64::{
    float32x4_t, float64x2_t, int64x2_t, uint32x4_t, uint64x2_t, vabsq_f32, vaddq_f32, vaddq_f64,
    vaddq_s64, vaddq_u32, vaddq_u64, vaddvq_u32, vandq_u32, vandq_u64, vbslq_f64, vbslq_u32,
    vceqq_u32, vcleq_f64, vcleq_u32, vcltq_f32, vcltq_f64, vcvtnq_s32_f32, vcvtq_f32_s32,
    vcvtq_f32_u32, vcvtq_f64_s64, vcvtq_s32_f32, vdivq_f32, vdivq_f64, vdupq_n_f32, vdupq_n_f64,
    vdupq_n_s32, vdupq_n_s64, vdupq_n_u32, vdupq_n_u64, veorq_u32, vfmaq_f32, vfmaq_f64, vld1q_f32,
    vld1q_f64, vld1q_s64, vld1q_u32, vmaxq_f32, vminq_u32, vmulq_f32, vmulq_f64, vmulq_u32,
    vorrq_u32, vorrq_u64, vreinterpretq_f32_u32, vreinterpretq_f64_u64, vreinterpretq_s32_u32,
    vreinterpretq_s64_f64, vreinterpretq_s64_u64, vreinterpretq_u32_f32, vreinterpretq_u32_s32,
    vreinterpretq_u64_f64, vrsqrteq_f32, vrsqrtsq_f32, vshlq_s32, vshlq_u32, vshlq_u64,
    vshrq_n_u64, vsqrtq_f32, vsqrtq_f64, vst1q_f32, vst1q_f64, vst1q_s64, vst1q_u32, vst1q_u64,
    vsubq_f32, vsubq_f64, vsubq_s64, vsubq_u32, vsubq_u64,
};
use std::arch::is_aarch64_feature_detected;

use super::{Kernel, ROOT_SEED, ROUNDING, Simd, TERM};

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

impl Simd for Neon {
    type F = F;
    type U = U;
    type D = D;
    type M = M;
    type I = [int64x2_t; 2];
    const DOUBLES: usize = DOUBLES;
    const LANES: usize = LANES;
    const ROOT_FACTORS: [f32; 2] = [1.0; 2];
    const RSQRT_FACTOR: f32 = 1.0;

    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: a value of `Neon` exists only where NEON was detected.
        unsafe { enabled(self, kernel) }
    }

    #[inline(always)]
    fn splat(self, value: f32) -> F {
        [bind!(vdupq_n_f32(value)); 2]
    }
    #[inline(always)]
    fn splat_u(self, value: u32) -> U {
        [bind!(vdupq_n_u32(value)); 2]
    }
    #[inline(always)]
    fn load(self, values: &[f32]) -> F {
        assert!(values.len() >= LANES);
        // SAFETY: the token proves NEON; the two loads of 4 lie within the values.
        unsafe {
            [
                vld1q_f32(values.as_ptr()),
                vld1q_f32(values.as_ptr().add(4)),
            ]
        }
    }
    #[inline(always)]
    fn load_u(self, values: &[u32]) -> U {
        assert!(values.len() >= LANES);
        // SAFETY: the token proves NEON; the two loads of 4 lie within the values.
        unsafe {
            [
                vld1q_u32(values.as_ptr()),
                vld1q_u32(values.as_ptr().add(4)),
            ]
        }
    }
    #[inline(always)]
    fn store(self, lanes: F, to: &mut [f32]) {
        assert!(to.len() >= LANES);
        // SAFETY: the token proves NEON; the two stores of 4 lie within the slice.
        unsafe {
            vst1q_f32(to.as_mut_ptr(), lanes[0]);
            vst1q_f32(to.as_mut_ptr().add(4), lanes[1]);
        }
    }
    #[inline(always)]
    fn store_u(self, lanes: U, to: &mut [u32]) {
        assert!(to.len() >= LANES);
        // SAFETY: the token proves NEON; the two stores of 4 lie within the slice.
        unsafe {
            vst1q_u32(to.as_mut_ptr(), lanes[0]);
            vst1q_u32(to.as_mut_ptr().add(4), lanes[1]);
        }
    }
    #[inline(always)]
    fn add(self, a: F, b: F) -> F {
        bind!(vaddq_f32[a, b])
    }
    #[inline(always)]
    fn sub(self, a: F, b: F) -> F {
        bind!(vsubq_f32[a, b])
    }
    #[inline(always)]
    fn mul(self, a: F, b: F) -> F {
        bind!(vmulq_f32[a, b])
    }
    #[inline(always)]
    fn div(self, a: F, b: F) -> F {
        bind!(vdivq_f32[a, b])
    }
    #[inline(always)]
    fn sqrt(self, a: F) -> F {
        bind!(vsqrtq_f32[a])
    }
    #[inline(always)]
    fn mul_add(self, a: F, b: F, c: F) -> F {
        bind!(vfmaq_f32[c, a, b])
    }
    #[inline(always)]
    fn fused(self, a: F, b: F, c: F) -> F {
        bind!(vfmaq_f32[c, a, b])
    }
    #[inline(always)]
    fn max(self, a: F, b: F) -> F {
        bind!(vmaxq_f32[a, b])
    }
    #[inline(always)]
    fn abs(self, a: F) -> F {
        bind!(vabsq_f32[a])
    }
    #[inline(always)]
    fn root(self, a: F, _: usize) -> F {
        bind!(vsqrtq_f32[a])
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
    fn less(self, a: F, b: F) -> U {
        bind!(vcltq_f32[a, b])
    }
    #[inline(always)]
    fn bits(self, a: F) -> U {
        bind!(vreinterpretq_u32_f32[a])
    }
    #[inline(always)]
    fn floats(self, a: U) -> F {
        bind!(vreinterpretq_f32_u32[a])
    }
    #[inline(always)]
    fn to_float(self, a: U) -> F {
        bind!(vcvtq_f32_u32[a])
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
    fn add_u(self, a: U, b: U) -> U {
        bind!(vaddq_u32[a, b])
    }
    #[inline(always)]
    fn sub_u(self, a: U, b: U) -> U {
        bind!(vsubq_u32[a, b])
    }
    #[inline(always)]
    fn mul_u(self, a: U, b: U) -> U {
        bind!(vmulq_u32[a, b])
    }
    #[inline(always)]
    fn min_u(self, a: U, b: U) -> U {
        bind!(vminq_u32[a, b])
    }
    #[inline(always)]
    fn and(self, a: U, b: U) -> U {
        bind!(vandq_u32[a, b])
    }
    #[inline(always)]
    fn or(self, a: U, b: U) -> U {
        bind!(vorrq_u32[a, b])
    }
    #[inline(always)]
    fn xor(self, a: U, b: U) -> U {
        bind!(veorq_u32[a, b])
    }
    #[inline(always)]
    fn at_most_u(self, a: U, b: U) -> U {
        bind!(vcleq_u32[a, b])
    }
    #[inline(always)]
    fn equal_u(self, a: U, b: U) -> U {
        bind!(vceqq_u32[a, b])
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
    fn splat_d(self, value: f64) -> D {
        [bind!(vdupq_n_f64(value)); 2]
    }
    #[inline(always)]
    fn load_d(self, values: &[f64]) -> D {
        assert!(values.len() >= DOUBLES);
        // SAFETY: the token proves NEON; the two loads of 2 lie within the values.
        unsafe {
            [
                vld1q_f64(values.as_ptr()),
                vld1q_f64(values.as_ptr().add(2)),
            ]
        }
    }
    #[inline(always)]
    fn store_d(self, lanes: D, to: &mut [f64]) {
        assert!(to.len() >= DOUBLES);
        // SAFETY: the token proves NEON; the two stores of 2 lie within the slice.
        unsafe {
            vst1q_f64(to.as_mut_ptr(), lanes[0]);
            vst1q_f64(to.as_mut_ptr().add(2), lanes[1]);
        }
    }
    #[inline(always)]
    fn add_d(self, a: D, b: D) -> D {
        bind!(vaddq_f64[a, b])
    }
    #[inline(always)]
    fn sub_d(self, a: D, b: D) -> D {
        bind!(vsubq_f64[a, b])
    }
    #[inline(always)]
    fn mul_d(self, a: D, b: D) -> D {
        bind!(vmulq_f64[a, b])
    }
    #[inline(always)]
    fn fused_d(self, a: D, b: D, c: D) -> D {
        bind!(vfmaq_f64[c, a, b])
    }
    #[inline(always)]
    fn div_d(self, a: D, b: D) -> D {
        bind!(vdivq_f64[a, b])
    }
    #[inline(always)]
    fn sqrt_d(self, a: D) -> D {
        bind!(vsqrtq_f64[a])
    }
    #[inline(always)]
    fn min_d(self, a: D, b: D) -> D {
        self.select_d(self.less_d(a, b), a, b)
    }
    #[inline(always)]
    fn max_d(self, a: D, b: D) -> D {
        self.select_d(self.less_d(b, a), a, b)
    }
    #[inline(always)]
    fn less_d(self, a: D, b: D) -> M {
        bind!(vcltq_f64[a, b])
    }
    #[inline(always)]
    fn at_most_d(self, a: D, b: D) -> M {
        bind!(vcleq_f64[a, b])
    }
    #[inline(always)]
    fn both(self, a: M, b: M) -> M {
        bind!(vandq_u64[a, b])
    }
    #[inline(always)]
    fn either(self, a: M, b: M) -> M {
        bind!(vorrq_u64[a, b])
    }
    #[inline(always)]
    fn select_d(self, mask: M, a: D, b: D) -> D {
        bind!(vbslq_f64[mask, a, b])
    }
    #[inline(always)]
    fn store_keys(self, a: D, bits: u32, to: &mut [i64]) {
        assert!(to.len() >= DOUBLES);
        let left = [bind!(vdupq_n_s64(-i64::from(bits))); 2];
        let patterns = bind!(vreinterpretq_u64_f64[a]);
        let keys = bind!(vshlq_u64[patterns, left]);
        let keys = bind!(vreinterpretq_s64_u64[keys]);
        // SAFETY: the token proves NEON; the two stores of 2 lie within the slice.
        unsafe {
            vst1q_s64(to.as_mut_ptr(), keys[0]);
            vst1q_s64(to.as_mut_ptr().add(2), keys[1]);
        }
    }
    #[inline(always)]
    fn inverse_root_seed(self, a: D) -> D {
        let seed = [bind!(vdupq_n_u64(ROOT_SEED)); 2];
        // SAFETY: a value of `Neon` exists only where NEON was detected; the operands are registers.
        let half = a.map(|a| unsafe { vshrq_n_u64::<1>(vreinterpretq_u64_f64(a)) });
        let bits = bind!(vsubq_u64[seed, half]);
        bind!(vreinterpretq_f64_u64[bits])
    }
    #[inline(always)]
    fn load_i(self, values: &[i64]) -> Self::I {
        assert!(values.len() >= DOUBLES);
        // SAFETY: the token proves NEON; the two loads of 2 lie within the values.
        unsafe {
            [
                vld1q_s64(values.as_ptr()),
                vld1q_s64(values.as_ptr().add(2)),
            ]
        }
    }
    #[inline(always)]
    fn store_i(self, lanes: Self::I, to: &mut [i64]) {
        assert!(to.len() >= DOUBLES);
        // SAFETY: the token proves NEON; the two stores of 2 lie within the slice.
        unsafe {
            vst1q_s64(to.as_mut_ptr(), lanes[0]);
            vst1q_s64(to.as_mut_ptr().add(2), lanes[1]);
        }
    }
    #[inline(always)]
    fn add_rounded(self, sums: Self::I, a: D) -> Self::I {
        let rounding = [bind!(vdupq_n_s64(ROUNDING.to_bits().cast_signed())); 2];
        let bits = self.add_d(a, self.splat_d(ROUNDING));
        let bits = bind!(vreinterpretq_s64_f64[bits]);
        let rounded = bind!(vsubq_s64[bits, rounding]);
        bind!(vaddq_s64[sums, rounded])
    }
    #[inline(always)]
    fn splat_i(self, value: i64) -> Self::I {
        [bind!(vdupq_n_s64(value)); 2]
    }
    #[inline(always)]
    fn add_i(self, a: Self::I, b: Self::I) -> Self::I {
        bind!(vaddq_s64[a, b])
    }
    #[inline(always)]
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I {
        bind!(vsubq_s64[a, b])
    }
    #[inline(always)]
    fn to_double(self, a: Self::I) -> D {
        bind!(vcvtq_f64_s64[a])
    }
    #[inline(always)]
    fn store_rounded(self, a: D, bias: i64, to: &mut [i64]) {
        assert!(to.len() >= DOUBLES);
        let bias = [bind!(vdupq_n_s64(bias - ROUNDING.to_bits().cast_signed())); 2];
        let rounded = self.add_d(a, self.splat_d(ROUNDING));
        let rounded = bind!(vreinterpretq_s64_f64[rounded]);
        let biased = bind!(vaddq_s64[rounded, bias]);
        // SAFETY: the token proves NEON; the two stores of 2 lie within the slice.
        unsafe {
            vst1q_s64(to.as_mut_ptr(), biased[0]);
            vst1q_s64(to.as_mut_ptr().add(2), biased[1]);
        }
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
