//! Bits that a row and 16 points have in common, by an instruction that counts bits and that not every machine with AVX-512 has.

use std::arch::x86_64::{
    __m512i, _CMP_EQ_OQ, _mm512_add_epi64, _mm512_add_pd, _mm512_and_si512, _mm512_cmp_pd_mask,
    _mm512_cvtepi64_pd, _mm512_div_pd, _mm512_loadu_pd, _mm512_loadu_si512, _mm512_mask_mov_pd,
    _mm512_mul_pd, _mm512_popcnt_epi64, _mm512_set1_epi64, _mm512_set1_pd, _mm512_setzero_pd,
    _mm512_setzero_si512, _mm512_storeu_pd, _mm512_storeu_si512,
};

/// Points side by side.
const LANES: usize = 16;
/// Half of them: float64 in a register.
const DOUBLES: usize = 8;

/// The bits that words have in common with the points beside one another, of the lower and of the upper half of them.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn count_common(words: &[u64], points: &[u64]) -> [__m512i; 2] {
    let [mut low, mut high] = [_mm512_setzero_si512(); 2];
    for (&word, points) in words.iter().zip(points.as_chunks::<LANES>().0) {
        let word = _mm512_set1_epi64(word.cast_signed());
        // SAFETY: the two loads of 8 lie within 16 numbers.
        let [a, b] = unsafe {
            let at = points.as_ptr();
            [
                _mm512_loadu_si512(at.cast()),
                _mm512_loadu_si512(at.add(DOUBLES).cast()),
            ]
        };
        low = _mm512_add_epi64(low, _mm512_popcnt_epi64(_mm512_and_si512(word, a)));
        high = _mm512_add_epi64(high, _mm512_popcnt_epi64(_mm512_and_si512(word, b)));
    }
    [low, high]
}

/// As [`Simd::common_bits`].
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
pub(super) fn common_bits(words: &[u64], points: &[u64], to: &mut [u64; LANES]) {
    let [low, high] = count_common(words, points);
    // SAFETY: the two stores of 8 lie within 16 numbers.
    unsafe {
        let at = to.as_mut_ptr();
        _mm512_storeu_si512(at.cast(), low);
        _mm512_storeu_si512(at.add(DOUBLES).cast(), high);
    }
}

/// As [`Simd::divide_by_common`].
#[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
#[inline]
pub(super) fn divide_by_common(
    words: &[u64],
    points: &[u64],
    &[n, o, z]: &[f64; 3],
    weights: &mut [f64; LANES],
) {
    let common = count_common(words, points);
    let (n, offset) = (_mm512_set1_pd(n), _mm512_set1_pd(o));
    for (half, common) in common.into_iter().enumerate() {
        let held = _mm512_add_pd(offset, _mm512_cvtepi64_pd(common));
        let mut inverse = _mm512_div_pd(n, held);
        if o == 0.0 {
            let none = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(held, _mm512_setzero_pd());
            inverse = _mm512_mask_mov_pd(inverse, none, _mm512_set1_pd(z));
        }
        // SAFETY: the load and the store of 8 lie within 16 numbers.
        unsafe {
            let at = weights.as_mut_ptr().add(half * DOUBLES);
            _mm512_storeu_pd(at, _mm512_mul_pd(_mm512_loadu_pd(at), inverse));
        }
    }
}
