//! AVX2 with FMA, and the bit instructions that come with them: registers of eight lanes.

#[allow(clippy::wildcard_imports, reason = "all intrinsics")]
use std::arch::x86_64::*;

use super::methods::{bind, memory, methods};
use super::records::{
    Record, ShortRecord, load_4, load_short_8, some_of_4, some_of_8_words, take_off_4, to_double,
};
use super::{Kernel, MOST_EXACT_ROW, MOST_LANES, ROUNDING, Simd, TERM};

const LANES: usize = 8;
/// The same of float64.
const DOUBLES: usize = 4;

/// Proof that the machine has AVX2, FMA, POPCNT, BMI1 and BMI2.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2"))
        .then_some(Self(()))
    }
}

#[target_feature(enable = "avx2,fma,popcnt,bmi1,bmi2")]
#[inline(never)]
fn enabled<K: Kernel>(simd: Avx2, kernel: K) -> K::Output {
    kernel.run(simd)
}

/// Words whose common bits are counted in bytes before they are added up: at most 8 a word and a byte.
const WORDS_IN_BYTES: usize = 31;

/// As [`Simd::common_bits`], of `HALVES` times [`LANES`] points: bits of four at once are looked up.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn common_bits<const HALVES: usize>(
    words: &[u64],
    points: &[u64],
    to: &mut [u64; MOST_LANES],
) {
    assert!(points.len() + MOST_LANES >= words.len() * MOST_LANES + HALVES * LANES);
    let (zero, low) = (_mm256_setzero_si256(), _mm256_set1_epi8(15));
    // How many bits are set in the numbers below 16.
    let set = _mm256_set1_epi64x(0x0302_0201_0201_0100);
    let more = _mm256_set1_epi64x(0x0403_0302_0302_0201);
    let set = _mm256_unpacklo_epi64(set, more);
    for at in (0..HALVES * LANES).step_by(DOUBLES) {
        let mut sum = zero;
        for (run, words) in words.chunks(WORDS_IN_BYTES).enumerate() {
            let mut bytes = zero;
            for (w, &word) in words.iter().enumerate() {
                let w = run * WORDS_IN_BYTES + w;
                // SAFETY: with the words from the first on, this lies within the points, as is asserted above.
                let points = unsafe { points.as_ptr().add(w * MOST_LANES + at) };
                // SAFETY: four numbers from there do as well.
                let points = unsafe { _mm256_loadu_si256(points.cast()) };
                let common = _mm256_and_si256(points, _mm256_set1_epi64x(word.cast_signed()));
                let high = _mm256_and_si256(_mm256_srli_epi16::<4>(common), low);
                let high = _mm256_shuffle_epi8(set, high);
                let common = _mm256_shuffle_epi8(set, _mm256_and_si256(common, low));
                bytes = _mm256_add_epi8(bytes, _mm256_add_epi8(common, high));
            }
            sum = _mm256_add_epi64(sum, _mm256_sad_epu8(bytes, zero));
        }
        let to = &mut to[at..at + DOUBLES];
        // SAFETY: the store of four lies within the slice.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), sum) }
    }
}

type F = __m256;
type U = __m256i;
type D = __m256d;
type M = __m256d;
type I = __m256i;

impl Simd for Avx2 {
    type F = F;
    type U = U;
    type D = D;
    type M = M;
    type I = I;
    const DOUBLES: usize = DOUBLES;
    const LANES: usize = LANES;
    const ROOT_FACTORS: [f32; 2] = [2.0, 1.0];
    const RSQRT_FACTOR: f32 = 2.0;

    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: a value of `Avx2` exists only where its instructions were detected.
        unsafe { enabled(self, kernel) }
    }

    methods!(self:
        splat(value: f32) -> F = bind!(_mm256_set1_ps(value));
        splat_u(value: u32) -> U = bind!(_mm256_set1_epi32(value.cast_signed()));
        add(a: F, b: F) -> F = bind!(_mm256_add_ps(a, b));
        sub(a: F, b: F) -> F = bind!(_mm256_sub_ps(a, b));
        mul(a: F, b: F) -> F = bind!(_mm256_mul_ps(a, b));
        div(a: F, b: F) -> F = bind!(_mm256_div_ps(a, b));
        sqrt(a: F) -> F = bind!(_mm256_sqrt_ps(a));
        mul_add(a: F, b: F, c: F) -> F = bind!(_mm256_fmadd_ps(a, b, c));
        fused(a: F, b: F, c: F) -> F = bind!(_mm256_fmadd_ps(a, b, c));
        max(a: F, b: F) -> F = bind!(_mm256_max_ps(a, b));
        abs(a: F) -> F = bind!(_mm256_andnot_ps(self.splat(-0.0), a));
        less(a: F, b: F) -> U = self.bits(bind!(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)));
        bits(a: F) -> U = bind!(_mm256_castps_si256(a));
        floats(a: U) -> F = bind!(_mm256_castsi256_ps(a));
        to_float(a: U) -> F = bind!(_mm256_cvtepi32_ps(a));
        truncate(a: F) -> U = bind!(_mm256_cvttps_epi32(a));
        round(a: F) -> U = bind!(_mm256_cvtps_epi32(a));
        add_u(a: U, b: U) -> U = bind!(_mm256_add_epi32(a, b));
        sub_u(a: U, b: U) -> U = bind!(_mm256_sub_epi32(a, b));
        mul_u(a: U, b: U) -> U = bind!(_mm256_mullo_epi32(a, b));
        min_u(a: U, b: U) -> U = bind!(_mm256_min_epu32(a, b));
        and(a: U, b: U) -> U = bind!(_mm256_and_si256(a, b));
        or(a: U, b: U) -> U = bind!(_mm256_or_si256(a, b));
        xor(a: U, b: U) -> U = bind!(_mm256_xor_si256(a, b));
        equal_u(a: U, b: U) -> U = bind!(_mm256_cmpeq_epi32(a, b));
        upper_half(a: U) -> U = bind!(_mm256_srav_epi32(a, self.splat_u(16)));
        splat_d(value: f64) -> D = bind!(_mm256_set1_pd(value));
        add_d(a: D, b: D) -> D = bind!(_mm256_add_pd(a, b));
        sub_d(a: D, b: D) -> D = bind!(_mm256_sub_pd(a, b));
        mul_d(a: D, b: D) -> D = bind!(_mm256_mul_pd(a, b));
        fused_d(a: D, b: D, c: D) -> D = bind!(_mm256_fmadd_pd(a, b, c));
        div_d(a: D, b: D) -> D = bind!(_mm256_div_pd(a, b));
        sqrt_d(a: D) -> D = bind!(_mm256_sqrt_pd(a));
        min_d(a: D, b: D) -> D = bind!(_mm256_min_pd(a, b));
        max_d(a: D, b: D) -> D = bind!(_mm256_max_pd(a, b));
        less_d(a: D, b: D) -> M = bind!(_mm256_cmp_pd::<_CMP_LT_OQ>(a, b));
        at_most_d(a: D, b: D) -> M = bind!(_mm256_cmp_pd::<_CMP_LE_OQ>(a, b));
        both(a: M, b: M) -> M = bind!(_mm256_and_pd(a, b));
        either(a: M, b: M) -> M = bind!(_mm256_or_pd(a, b));
        select_d(mask: M, a: D, b: D) -> D = bind!(_mm256_blendv_pd(b, a, mask));
        splat_i(value: i64) -> I = bind!(_mm256_set1_epi64x(value));
        add_i(a: I, b: I) -> I = bind!(_mm256_add_epi64(a, b));
        sub_i(a: I, b: I) -> I = bind!(_mm256_sub_epi64(a, b));
        bits_d(a: D) -> I = bind!(_mm256_castpd_si256(a));
        doubles(a: I) -> D = bind!(_mm256_castsi256_pd(a));
        to_double(a: I) -> D = bind!(to_double(a));
        load_records(from: &[Record], index: &[u32]) -> [I; 3] = bind!(load_4(from, index));
        load_short_records(from: &[ShortRecord], index: &[u32]) -> [U; 4] = bind!(load_short_8(from, index));
    );

    memory!(self:
        load, store: [f32; LANES] => F = _mm256_loadu_ps, _mm256_storeu_ps;
        load_u, store_u: [u32; LANES] => U = _mm256_loadu_si256, _mm256_storeu_si256;
        load_d, store_d: [f64; DOUBLES] => D = _mm256_loadu_pd, _mm256_storeu_pd;
        load_i, store_i: [i64; DOUBLES] => I = _mm256_loadu_si256, _mm256_storeu_si256;
    );

    #[inline(always)]
    fn store_some_d(self, lanes: D, bits: u32, to: &mut [f64]) -> usize {
        bind!(some_of_4(bits, lanes, to));
        bits.count_ones() as usize
    }
    #[inline(always)]
    fn store_some_u(self, lanes: U, bits: u32, to: &mut [u32]) -> usize {
        bind!(some_of_8_words(bits, lanes, to));
        bits.count_ones() as usize
    }
    #[inline(always)]
    fn shift_right_i(self, a: I, bits: u32) -> I {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_srl_epi64(a, _mm_cvtsi32_si128(bits.cast_signed())) }
    }
    #[inline(always)]
    fn root(self, a: F, row: usize) -> F {
        // The unit for roots takes five cycles: half of the rows do without it.
        if row % 2 == MOST_EXACT_ROW {
            return bind!(_mm256_sqrt_ps(a));
        }
        let estimate = bind!(_mm256_rsqrt_ps(a));
        let (scaled, three) = (self.mul(a, estimate), self.splat(3.0));
        self.mul(scaled, bind!(_mm256_fnmadd_ps(scaled, estimate, three)))
    }
    #[inline(always)]
    fn rsqrt(self, a: F) -> F {
        let estimate = bind!(_mm256_rsqrt_ps(a));
        let (scaled, three) = (self.mul(a, estimate), self.splat(3.0));
        self.mul(estimate, bind!(_mm256_fnmadd_ps(scaled, estimate, three)))
    }
    #[inline(always)]
    fn shift_left(self, a: U, bits: u32) -> U {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_sll_epi32(a, _mm_cvtsi32_si128(bits.cast_signed())) }
    }
    #[inline(always)]
    fn shift_right(self, a: U, bits: u32) -> U {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_srl_epi32(a, _mm_cvtsi32_si128(bits.cast_signed())) }
    }
    #[inline(always)]
    fn one_hot(self, a: U) -> U {
        let one = self.splat_u(1);
        bind!(_mm256_sllv_epi32(one, a))
    }
    #[inline(always)]
    fn gather(self, table: &[u32], index: U) -> U {
        // SAFETY: the token proves AVX2; the caller keeps every index below the length of the table.
        unsafe { _mm256_i32gather_epi32::<4>(table.as_ptr().cast::<i32>(), index) }
    }
    #[inline(always)]
    fn mask_bits(self, mask: U) -> u32 {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(mask)).cast_unsigned() }
    }
    #[inline(always)]
    fn take_off_records(self, columns: [I; 3], to: &mut [Record], index: &[u32]) {
        bind!(take_off_4(columns, to, index));
    }
    #[inline(always)]
    fn common_bits(self, words: &[u64], points: &[u64], to: &mut [u64; MOST_LANES]) {
        // SAFETY: the token proves AVX2.
        unsafe { common_bits::<1>(words, points, to) }
    }
    #[inline(always)]
    fn store_packed(self, high: U, terms: [D; 2], to: &mut [u64]) {
        assert!(to.len() >= LANES);
        // SAFETY: the token proves AVX2; the two stores of 4 lie within the slice.
        unsafe {
            let rounding = _mm256_set1_pd(ROUNDING);
            let halves = [
                _mm256_castsi256_si128(high),
                _mm256_extracti128_si256::<1>(high),
            ];
            for (half, (high, terms)) in halves.into_iter().zip(terms).enumerate() {
                let upper = _mm256_slli_epi64::<32>(_mm256_cvtepu32_epi64(high));
                let rounded = _mm256_castpd_si256(_mm256_add_pd(terms, rounding));
                let at = to.as_mut_ptr().add(4 * half);
                _mm256_storeu_si256(at.cast(), _mm256_add_epi64(rounded, upper));
            }
        }
    }
    #[inline(always)]
    fn terms(self, factor: f64, factors: &[f64], to: &mut [u64]) {
        assert!(factors.len() >= LANES && to.len() >= LANES);
        // SAFETY: the token proves AVX2; the two loads and stores of 4 lie within the slices.
        unsafe {
            let (factor, rounding) = (_mm256_set1_pd(factor), _mm256_set1_pd(ROUNDING));
            let term = _mm256_set1_epi64x(TERM.cast_signed());
            for half in 0..2 {
                let product =
                    _mm256_mul_pd(factor, _mm256_loadu_pd(factors.as_ptr().add(4 * half)));
                let rounded = _mm256_castpd_si256(_mm256_add_pd(product, rounding));
                let at = to.as_mut_ptr().add(4 * half);
                _mm256_storeu_si256(at.cast(), _mm256_add_epi64(rounded, term));
            }
        }
    }
}
