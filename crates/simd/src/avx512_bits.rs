//! Bits that a row and 16 points have in common, by an instruction that counts bits and that not every machine with AVX-512 has.

#[allow(clippy::wildcard_imports, reason = "all intrinsics")]
use std::arch::x86_64::*;

use super::{Common, Factors, Quotient, ROUNDING, ROWS, TERM};

/// Points side by side.
const LANES: usize = 16;
/// Half of them: float64 in a register.
const DOUBLES: usize = 8;

/// The bits that words have in common with the points beside one another, and `more`: of the lower and of the upper half of them.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn count_common(words: &[u64], points: &[u64], more: u32) -> [__m512i; 2] {
    let mut held = [_mm512_set1_epi64(i64::from(more)); 2];
    // The usual numbers of words are known when the loop over them is compiled.
    if let Ok(one) = <&[u64; 1]>::try_from(words) {
        add_common(one, points, &mut held);
    } else if let Ok(two) = <&[u64; 2]>::try_from(words) {
        add_common(two, points, &mut held);
    } else {
        add_common(words, points, &mut held);
    }
    held
}

/// Adds the bits that words have in common with the points.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn add_common(words: &[u64], points: &[u64], [low, high]: &mut [__m512i; 2]) {
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
        *low = _mm512_add_epi64(*low, _mm512_popcnt_epi64(_mm512_and_si512(word, a)));
        *high = _mm512_add_epi64(*high, _mm512_popcnt_epi64(_mm512_and_si512(word, b)));
    }
}

/// As [`Simd::common_bits`].
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
pub(super) fn common_bits(words: &[u64], points: &[u64], to: &mut [u64; LANES]) {
    let [low, high] = count_common(words, points, 0);
    // SAFETY: the two stores of 8 lie within 16 numbers.
    unsafe {
        let at = to.as_mut_ptr();
        _mm512_storeu_si512(at.cast(), low);
        _mm512_storeu_si512(at.add(DOUBLES).cast(), high);
    }
}

/// Inverse probabilities of so many bits and the offset.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn inverses<const N: usize>(held: [__m512i; N], of: &Quotient) -> [__m512d; N] {
    let n = _mm512_set1_pd(of.n);
    let mut h = [n; N];
    for k in 0..N {
        h[k] = _mm512_cvtepi64_pd(held[k]);
    }
    let mut inverse = if of.is_near {
        quotients(n, h)
    } else {
        let mut inverse = [n; N];
        for k in 0..N {
            inverse[k] = _mm512_div_pd(n, h[k]);
        }
        inverse
    };
    if of.o == 0 {
        let (zero, z) = (_mm512_setzero_pd(), _mm512_set1_pd(of.z));
        for k in 0..N {
            let none = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(h[k], zero);
            inverse[k] = _mm512_mask_mov_pd(inverse[k], none, z);
        }
    }
    inverse
}

/// `n / h` of one of [`Quotient::NUMERATORS`] and whole numbers from 1 to [`Quotient::MOST`], rounded once: in fewer cycles than a
/// division takes.
///
/// The estimate y is off by e = 1 - h y, at most 2^-14 of it, and y (1 + e + e^2) by e^3: with roundings less than 2^-41.9. So is
/// q = n y, and what corrects it, r y with r = n - h q, is known to 2^-41.8 of itself: the sum is off by less than 2^-83 before it is
/// rounded. It is n / h that is rounded so, for that lies no nearer to the middle m of two numbers than 2^-54 / h of itself: n - h m
/// is a multiple of the last place of m, and not 0, since m has 54 bits and n, a multiple of m then, 53.
#[target_feature(enable = "avx512f")]
#[inline]
fn quotients<const N: usize>(n: __m512d, h: [__m512d; N]) -> [__m512d; N] {
    let [mut y, mut e, mut q] = [[n; N]; 3];
    let one = _mm512_set1_pd(1.0);
    for k in 0..N {
        y[k] = _mm512_rcp14_pd(h[k]);
    }
    for k in 0..N {
        e[k] = _mm512_fnmadd_pd(h[k], y[k], one);
    }
    for e in &mut e {
        *e = _mm512_fmadd_pd(*e, *e, *e);
    }
    for k in 0..N {
        y[k] = _mm512_fmadd_pd(y[k], e[k], y[k]);
    }
    for k in 0..N {
        q[k] = _mm512_mul_pd(n, y[k]);
    }
    for k in 0..N {
        e[k] = _mm512_fnmadd_pd(h[k], q[k], n);
    }
    for k in 0..N {
        q[k] = _mm512_fmadd_pd(e[k], y[k], q[k]);
    }
    q
}

/// As [`Simd::divide_by_common`].
#[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
#[inline]
pub(super) fn divide_by_common<const ROWS: usize>(
    common: Common<'_>,
    rows: &[u8; ROWS],
    weights: &mut [[f64; LANES]; ROWS],
) {
    for (&row, weights) in rows.iter().zip(weights) {
        let held = count_common(common.rows.row(row), common.points, common.quotient.o);
        for (half, inverse) in inverses(held, common.quotient).into_iter().enumerate() {
            // SAFETY: the load and the store of 8 lie within 16 numbers.
            unsafe {
                let at = weights.as_mut_ptr().add(half * DOUBLES);
                _mm512_storeu_pd(at, _mm512_mul_pd(_mm512_loadu_pd(at), inverse));
            }
        }
    }
}

/// As [`Simd::common_terms`]: the halves of all rows go side by side, for each goes through a dozen steps that wait for one another.
#[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
#[inline]
pub(super) fn common_terms(
    common: Common<'_>,
    rows: [u8; ROWS],
    factors: Factors<'_>,
    to: &mut [u64],
) {
    let of = common.quotient;
    let [a, b, c, d] = rows;
    // One by one: a loop would keep them in memory, and a closure would not be compiled into this.
    let a = count_common(common.rows.row(a), common.points, of.o);
    let b = count_common(common.rows.row(b), common.points, of.o);
    let c = count_common(common.rows.row(c), common.points, of.o);
    let d = count_common(common.rows.row(d), common.points, of.o);
    let held = [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]];
    let inverse = inverses(held, of);
    let rounding = _mm512_set1_pd(ROUNDING);
    let term = _mm512_set1_epi64(TERM.cast_signed());
    let of_lanes = &factors.lanes[..LANES];
    let to = &mut to[..ROWS * LANES];
    for k in 0..2 * ROWS {
        let factor = _mm512_set1_pd(factors.rows[rows[k / 2] as usize]);
        let half = k % 2 * DOUBLES;
        // SAFETY: the load of 8 lies within 16 numbers, the store within the numbers of all rows.
        unsafe {
            let factors = _mm512_loadu_pd(of_lanes.as_ptr().add(half));
            let product = _mm512_mul_pd(_mm512_mul_pd(factor, factors), inverse[k]);
            let rounded = _mm512_castpd_si512(_mm512_add_pd(product, rounding));
            let at = to.as_mut_ptr().add(k * DOUBLES);
            _mm512_storeu_si512(at.cast(), _mm512_add_epi64(rounded, term));
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
            let [quotients] = quotients(_mm512_set1_pd(n), [_mm512_loadu_pd(h.as_ptr())]);
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
