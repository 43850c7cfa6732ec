//! AVX2 with FMA: a vector of sixteen lanes is two registers.

use std::arch::x86_64::{
    __m256, __m256i, _CMP_LT_OQ, _mm_cvtsi32_si128, _mm256_add_epi32, _mm256_add_pd, _mm256_add_ps,
    _mm256_and_ps, _mm256_and_si256, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmp_ps,
    _mm256_cmpeq_epi32, _mm256_cvttps_epi32, _mm256_fmadd_ps, _mm256_fnmadd_ps,
    _mm256_i32gather_epi32, _mm256_loadu_pd, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_max_ps,
    _mm256_min_epu32, _mm256_movemask_ps, _mm256_mul_pd, _mm256_mul_ps, _mm256_mullo_epi32,
    _mm256_or_si256, _mm256_rsqrt_ps, _mm256_set1_epi32, _mm256_set1_pd, _mm256_set1_ps,
    _mm256_sllv_epi32, _mm256_sqrt_ps, _mm256_srl_epi32, _mm256_storeu_pd, _mm256_storeu_si256,
    _mm256_sub_epi32, _mm256_sub_ps, _mm256_xor_si256,
};

use super::{Kernel, LANES, ROUNDING, Simd};

/// Proof that the machine has AVX2 and FMA.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }
}

#[target_feature(enable = "avx2,fma")]
fn enabled<K: Kernel>(simd: Avx2, kernel: K) -> K::Output {
    kernel.run(simd)
}

/// Binds one operation on two registers; the token proves that its instructions exist.
macro_rules! both {
    ($op:ident($($operand:expr),+)) => {
        // SAFETY: a value of `Avx2` exists only where AVX2 and FMA were detected; the operands are registers.
        unsafe { [$op($($operand[0]),+), $op($($operand[1]),+)] }
    };
}

impl Simd for Avx2 {
    type F = [__m256; 2];
    type U = [__m256i; 2];

    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: a value of `Avx2` exists only where AVX2 and FMA were detected.
        unsafe { enabled(self, kernel) }
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Self::F {
        // SAFETY: the token proves AVX2.
        unsafe { [_mm256_set1_ps(value); 2] }
    }
    #[inline(always)]
    fn splat_u(self, value: u32) -> Self::U {
        // SAFETY: the token proves AVX2.
        unsafe { [_mm256_set1_epi32(value.cast_signed()); 2] }
    }
    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> Self::F {
        let at = values.as_ptr();
        // SAFETY: the token proves AVX2; both loads of 8 lie within the 16 values.
        unsafe { [_mm256_loadu_ps(at), _mm256_loadu_ps(at.add(8))] }
    }
    #[inline(always)]
    fn load_u(self, values: &[u32; LANES]) -> Self::U {
        let at = values.as_ptr();
        // SAFETY: the token proves AVX2; both unaligned loads of 8 lie within the 16 values.
        unsafe {
            [
                _mm256_loadu_si256(at.cast()),
                _mm256_loadu_si256(at.add(8).cast()),
            ]
        }
    }
    #[inline(always)]
    fn store_u(self, lanes: Self::U, to: &mut [u32; LANES]) {
        let at = to.as_mut_ptr();
        // SAFETY: the token proves AVX2; both unaligned stores of 8 lie within the 16 values.
        unsafe {
            _mm256_storeu_si256(at.cast(), lanes[0]);
            _mm256_storeu_si256(at.add(8).cast(), lanes[1]);
        }
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        both!(_mm256_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        both!(_mm256_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        both!(_mm256_mul_ps(a, b))
    }
    #[inline(always)]
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        both!(_mm256_fmadd_ps(a, b, c))
    }
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        both!(_mm256_max_ps(a, b))
    }
    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        // SAFETY: the token proves AVX2.
        let sign_off = unsafe { [_mm256_castsi256_ps(_mm256_set1_epi32(i32::MAX)); 2] };
        both!(_mm256_and_ps(a, sign_off))
    }
    #[inline(always)]
    fn sqrt(self, a: Self::F) -> Self::F {
        both!(_mm256_sqrt_ps(a))
    }
    #[inline(always)]
    fn rsqrt(self, a: Self::F) -> Self::F {
        let estimate = both!(_mm256_rsqrt_ps(a));
        let (scaled, three) = (self.mul(a, estimate), self.splat(3.0));
        let correction = both!(_mm256_fnmadd_ps(scaled, estimate, three));
        self.mul(self.mul(estimate, self.splat(0.5)), correction)
    }
    #[inline(always)]
    fn less(self, a: Self::F, b: Self::F) -> Self::U {
        // SAFETY: the token proves AVX2.
        unsafe {
            [
                _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a[0], b[0])),
                _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a[1], b[1])),
            ]
        }
    }
    #[inline(always)]
    fn bits(self, a: Self::F) -> Self::U {
        both!(_mm256_castps_si256(a))
    }
    #[inline(always)]
    fn truncate(self, a: Self::F) -> Self::U {
        both!(_mm256_cvttps_epi32(a))
    }
    #[inline(always)]
    fn add_u(self, a: Self::U, b: Self::U) -> Self::U {
        both!(_mm256_add_epi32(a, b))
    }
    #[inline(always)]
    fn sub_u(self, a: Self::U, b: Self::U) -> Self::U {
        both!(_mm256_sub_epi32(a, b))
    }
    #[inline(always)]
    fn mul_u(self, a: Self::U, b: Self::U) -> Self::U {
        both!(_mm256_mullo_epi32(a, b))
    }
    #[inline(always)]
    fn min_u(self, a: Self::U, b: Self::U) -> Self::U {
        both!(_mm256_min_epu32(a, b))
    }
    #[inline(always)]
    fn and(self, a: Self::U, b: Self::U) -> Self::U {
        both!(_mm256_and_si256(a, b))
    }
    #[inline(always)]
    fn or(self, a: Self::U, b: Self::U) -> Self::U {
        both!(_mm256_or_si256(a, b))
    }
    #[inline(always)]
    fn xor(self, a: Self::U, b: Self::U) -> Self::U {
        both!(_mm256_xor_si256(a, b))
    }
    #[inline(always)]
    fn equal_u(self, a: Self::U, b: Self::U) -> Self::U {
        both!(_mm256_cmpeq_epi32(a, b))
    }
    #[inline(always)]
    fn shift_right(self, a: Self::U, bits: u32) -> Self::U {
        // SAFETY: the token proves AVX2.
        let count = unsafe { [_mm_cvtsi32_si128(bits.cast_signed()); 2] };
        both!(_mm256_srl_epi32(a, count))
    }
    #[inline(always)]
    fn one_hot(self, a: Self::U) -> Self::U {
        let one = self.splat_u(1);
        both!(_mm256_sllv_epi32(one, a))
    }
    #[inline(always)]
    fn gather(self, table: &[u32], index: Self::U) -> Self::U {
        let at = table.as_ptr().cast::<i32>();
        // SAFETY: the token proves AVX2; the caller keeps every index below the length of the table.
        unsafe {
            [
                _mm256_i32gather_epi32::<4>(at, index[0]),
                _mm256_i32gather_epi32::<4>(at, index[1]),
            ]
        }
    }
    #[inline(always)]
    fn mask_bits(self, mask: Self::U) -> u32 {
        // SAFETY: the token proves AVX2.
        let [low, high] = unsafe {
            [
                _mm256_movemask_ps(_mm256_castsi256_ps(mask[0])),
                _mm256_movemask_ps(_mm256_castsi256_ps(mask[1])),
            ]
        };
        (low | (high << 8)).cast_unsigned()
    }
    #[inline(always)]
    fn rounded_products(self, factor: f64, factors: &[f64; LANES], to: &mut [u64; LANES]) {
        // SAFETY: the token proves AVX2; the four loads and stores of 4 lie within the 16 values.
        unsafe {
            let (factor, rounding) = (_mm256_set1_pd(factor), _mm256_set1_pd(ROUNDING));
            for quarter in 0..4 {
                let product =
                    _mm256_mul_pd(factor, _mm256_loadu_pd(factors.as_ptr().add(4 * quarter)));
                let at = to.as_mut_ptr().cast::<f64>().add(4 * quarter);
                _mm256_storeu_pd(at, _mm256_add_pd(product, rounding));
            }
        }
    }
}
