//! Bits that a row and 16 points have in common, by an instruction that counts bits and that not every machine with AVX-512 has.

use std::arch::x86_64::{
    __m512d, __m512i, _CMP_EQ_OQ, _mm512_add_epi64, _mm512_add_pd, _mm512_and_si512,
    _mm512_cmp_pd_mask, _mm512_cvtepi64_pd, _mm512_div_pd, _mm512_fmadd_pd, _mm512_fnmadd_pd,
    _mm512_loadu_pd, _mm512_loadu_si512, _mm512_mask_mov_pd, _mm512_mul_pd, _mm512_popcnt_epi64,
    _mm512_rcp14_pd, _mm512_set1_epi64, _mm512_set1_pd, _mm512_setzero_pd, _mm512_setzero_si512,
    _mm512_storeu_pd, _mm512_storeu_si512,
};

use super::WordRows;

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

/// Numerators and denominators of [`quotient`]: far from where anything underflows, and 2^28.
const NUMERATORS: std::ops::Range<f64> = 1e-270..1e270;
const MOST: f64 = (1u32 << 28) as f64;

/// `n / h` of one of [`NUMERATORS`] and whole numbers from 1 to twice [`MOST`], rounded once: in fewer cycles than a division takes.
///
/// The estimate y is off by e = 1 - h y, at most 2^-14 of it, and y (1 + e + e^2) by e^3: with roundings less than 2^-41.9. So is
/// q = n y, and what corrects it, r y with r = n - h q, is known to 2^-41.8 of itself: the sum is off by less than 2^-83 before it is
/// rounded. It is n / h that is rounded so, for that lies no nearer to the middle m of two numbers than 2^-54 / h of itself: n - h m
/// is a multiple of the last place of m, and not 0, since m has 54 bits and n, a multiple of m then, 53.
#[target_feature(enable = "avx512f")]
#[inline]
fn quotient(n: __m512d, h: __m512d) -> __m512d {
    let estimate = _mm512_rcp14_pd(h);
    let e = _mm512_fnmadd_pd(h, estimate, _mm512_set1_pd(1.0));
    let y = _mm512_fmadd_pd(estimate, _mm512_fmadd_pd(e, e, e), estimate);
    let q = _mm512_mul_pd(n, y);
    _mm512_fmadd_pd(_mm512_fnmadd_pd(h, q, n), y, q)
}

/// As [`Simd::divide_by_common`].
#[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
#[inline]
pub(super) fn divide_by_common<const ROWS: usize>(
    (words, rows): (WordRows<'_>, &[u8; ROWS]),
    points: &[u64],
    &[n, o, z]: &[f64; 3],
    weights: &mut [[f64; LANES]; ROWS],
) {
    let near = NUMERATORS.contains(&n) && (0.0..MOST).contains(&o) && points.len() < 1 << 20;
    let (n, offset) = (_mm512_set1_pd(n), _mm512_set1_pd(o));
    for (&row, weights) in rows.iter().zip(weights) {
        let words = words.row(row);
        // The usual numbers of words are known when the loop over them is compiled.
        let common = if let Ok(one) = <&[u64; 1]>::try_from(words) {
            count_common(one, points)
        } else if let Ok(two) = <&[u64; 2]>::try_from(words) {
            count_common(two, points)
        } else {
            count_common(words, points)
        };
        for (half, common) in common.into_iter().enumerate() {
            let held = _mm512_add_pd(offset, _mm512_cvtepi64_pd(common));
            let mut inverse = if near {
                quotient(n, held)
            } else {
                _mm512_div_pd(n, held)
            };
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[target_feature(enable = "avx512f")]
    fn assert_divides(n: f64, h: [f64; DOUBLES]) {
        let mut found = [0.0; DOUBLES];
        // SAFETY: the load and the store are of 8 numbers.
        unsafe {
            let quotients = quotient(_mm512_set1_pd(n), _mm512_loadu_pd(h.as_ptr()));
            _mm512_storeu_pd(found.as_mut_ptr(), quotients);
        }
        for (found, h) in found.into_iter().zip(h) {
            assert_eq!(found.to_bits(), (n / h).to_bits(), "{n} / {h}");
        }
    }

    #[test]
    fn quotients_are_those_of_a_division() {
        if !is_x86_feature_detected!("avx512f") {
            return;
        }
        let mut state = 20_261_123_u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state ^ (state >> 29)
        };
        for turn in 0..400_000_u32 {
            let most = 1 << (1 + next() % 29);
            let h: [f64; DOUBLES] = std::array::from_fn(|k| match turn {
                0..4000 => f64::from(turn * DOUBLES as u32 + k as u32 + 1),
                _ => (1 + next() % most) as f64,
            });
            let mantissa = f64::from_bits(next() >> 12 | 1.0_f64.to_bits());
            let n = match next() % 4 {
                0 => mantissa,
                1 => (1 + next() % 4096) as f64,
                // As near as there is to the middle of two quotients, or a unit beside that.
                2 => {
                    let middle = u128::from(next() >> 10 | 1 << 53 | 1) * h[0] as u128;
                    f64::from_bits((middle as f64).to_bits() ^ (next() & 1))
                }
                _ => mantissa * [1.0001e-270, 0.9999e270 / 2.0][(next() & 1) as usize],
            };
            // SAFETY: the instructions have been detected.
            unsafe { assert_divides(n, h) };
        }
    }
}
