//! AVX2 with FMA, and the bit instructions that come with them: registers of eight lanes.

use std::arch::x86_64::{
    __m256, __m256d, __m256i, _CMP_LE_OQ, _CMP_LT_OQ, _mm_cvtsi32_si128, _mm256_add_epi8,
    _mm256_add_epi32, _mm256_add_epi64, _mm256_add_pd, _mm256_add_ps, _mm256_and_pd,
    _mm256_and_si256, _mm256_andnot_ps, _mm256_blendv_pd, _mm256_castpd_si256, _mm256_castps_si256,
    _mm256_castsi256_pd, _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cmp_pd, _mm256_cmp_ps,
    _mm256_cmpeq_epi32, _mm256_cvtepi32_ps, _mm256_cvtepu32_epi64, _mm256_cvtps_epi32,
    _mm256_cvttps_epi32, _mm256_div_pd, _mm256_div_ps, _mm256_extracti128_si256, _mm256_fmadd_pd,
    _mm256_fmadd_ps, _mm256_fnmadd_ps, _mm256_i32gather_epi32, _mm256_loadu_pd, _mm256_loadu_ps,
    _mm256_loadu_si256, _mm256_max_pd, _mm256_max_ps, _mm256_min_epu32, _mm256_min_pd,
    _mm256_movemask_ps, _mm256_mul_pd, _mm256_mul_ps, _mm256_mullo_epi32, _mm256_or_pd,
    _mm256_or_si256, _mm256_rsqrt_ps, _mm256_sad_epu8, _mm256_set1_epi8, _mm256_set1_epi32,
    _mm256_set1_epi64x, _mm256_set1_pd, _mm256_set1_ps, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_sll_epi32, _mm256_slli_epi64, _mm256_sllv_epi32, _mm256_sqrt_pd, _mm256_sqrt_ps,
    _mm256_srav_epi32, _mm256_srl_epi32, _mm256_srl_epi64, _mm256_srli_epi16, _mm256_srli_epi64,
    _mm256_storeu_pd, _mm256_storeu_ps, _mm256_storeu_si256, _mm256_sub_epi32, _mm256_sub_epi64,
    _mm256_sub_pd, _mm256_sub_ps, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::records::{
    Record, ShortRecord, load_4, load_short_8, some_of_4, some_of_8_words, take_off_4, to_double,
};
use super::{Kernel, MOST_EXACT_ROW, MOST_LANES, ROOT_SEED, ROUNDING, Simd, TERM};

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

/// Binds one operation; the token proves that its instructions exist.
macro_rules! bind {
    ($op:ident($($operand:expr),+)) => {
        // SAFETY: a value of `Avx2` exists only where AVX2 and FMA were detected; the operands are registers.
        unsafe { $op($($operand),+) }
    };
}

impl Simd for Avx2 {
    type F = __m256;
    type U = __m256i;
    type D = __m256d;
    type M = __m256d;
    type I = __m256i;
    const DOUBLES: usize = DOUBLES;
    const LANES: usize = LANES;
    const ROOT_FACTORS: [f32; 2] = [2.0, 1.0];
    const RSQRT_FACTOR: f32 = 2.0;

    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: a value of `Avx2` exists only where its instructions were detected.
        unsafe { enabled(self, kernel) }
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Self::F {
        bind!(_mm256_set1_ps(value))
    }
    #[inline(always)]
    fn splat_u(self, value: u32) -> Self::U {
        bind!(_mm256_set1_epi32(value.cast_signed()))
    }
    #[inline(always)]
    fn load(self, values: &[f32]) -> Self::F {
        assert!(values.len() >= LANES);
        // SAFETY: the token proves AVX2; the load stays within the values.
        unsafe { _mm256_loadu_ps(values.as_ptr()) }
    }
    #[inline(always)]
    fn load_u(self, values: &[u32]) -> Self::U {
        assert!(values.len() >= LANES);
        // SAFETY: the token proves AVX2; the unaligned load stays within the values.
        unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store(self, lanes: Self::F, to: &mut [f32]) {
        assert!(to.len() >= LANES);
        // SAFETY: the token proves AVX2; the unaligned store stays within the slice.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), lanes) }
    }
    #[inline(always)]
    fn store_u(self, lanes: Self::U, to: &mut [u32]) {
        assert!(to.len() >= LANES);
        // SAFETY: the token proves AVX2; the unaligned store stays within the slice.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), lanes) }
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        bind!(_mm256_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        bind!(_mm256_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        bind!(_mm256_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        bind!(_mm256_div_ps(a, b))
    }
    #[inline(always)]
    fn sqrt(self, a: Self::F) -> Self::F {
        bind!(_mm256_sqrt_ps(a))
    }
    #[inline(always)]
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        bind!(_mm256_fmadd_ps(a, b, c))
    }
    #[inline(always)]
    fn fused(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        bind!(_mm256_fmadd_ps(a, b, c))
    }
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        bind!(_mm256_max_ps(a, b))
    }
    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        bind!(_mm256_andnot_ps(self.splat(-0.0), a))
    }
    #[inline(always)]
    fn root(self, a: Self::F, row: usize) -> Self::F {
        // The unit for roots takes five cycles: half of the rows do without it.
        if row % 2 == MOST_EXACT_ROW {
            return bind!(_mm256_sqrt_ps(a));
        }
        let estimate = bind!(_mm256_rsqrt_ps(a));
        let (scaled, three) = (self.mul(a, estimate), self.splat(3.0));
        self.mul(scaled, bind!(_mm256_fnmadd_ps(scaled, estimate, three)))
    }
    #[inline(always)]
    fn rsqrt(self, a: Self::F) -> Self::F {
        let estimate = bind!(_mm256_rsqrt_ps(a));
        let (scaled, three) = (self.mul(a, estimate), self.splat(3.0));
        self.mul(estimate, bind!(_mm256_fnmadd_ps(scaled, estimate, three)))
    }
    #[inline(always)]
    fn less(self, a: Self::F, b: Self::F) -> Self::U {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) }
    }
    #[inline(always)]
    fn bits(self, a: Self::F) -> Self::U {
        bind!(_mm256_castps_si256(a))
    }
    #[inline(always)]
    fn floats(self, a: Self::U) -> Self::F {
        bind!(_mm256_castsi256_ps(a))
    }
    #[inline(always)]
    fn to_float(self, a: Self::U) -> Self::F {
        bind!(_mm256_cvtepi32_ps(a))
    }
    #[inline(always)]
    fn truncate(self, a: Self::F) -> Self::U {
        bind!(_mm256_cvttps_epi32(a))
    }
    #[inline(always)]
    fn round(self, a: Self::F) -> Self::U {
        bind!(_mm256_cvtps_epi32(a))
    }
    #[inline(always)]
    fn add_u(self, a: Self::U, b: Self::U) -> Self::U {
        bind!(_mm256_add_epi32(a, b))
    }
    #[inline(always)]
    fn sub_u(self, a: Self::U, b: Self::U) -> Self::U {
        bind!(_mm256_sub_epi32(a, b))
    }
    #[inline(always)]
    fn mul_u(self, a: Self::U, b: Self::U) -> Self::U {
        bind!(_mm256_mullo_epi32(a, b))
    }
    #[inline(always)]
    fn min_u(self, a: Self::U, b: Self::U) -> Self::U {
        bind!(_mm256_min_epu32(a, b))
    }
    #[inline(always)]
    fn and(self, a: Self::U, b: Self::U) -> Self::U {
        bind!(_mm256_and_si256(a, b))
    }
    #[inline(always)]
    fn or(self, a: Self::U, b: Self::U) -> Self::U {
        bind!(_mm256_or_si256(a, b))
    }
    #[inline(always)]
    fn xor(self, a: Self::U, b: Self::U) -> Self::U {
        bind!(_mm256_xor_si256(a, b))
    }
    #[inline(always)]
    fn equal_u(self, a: Self::U, b: Self::U) -> Self::U {
        bind!(_mm256_cmpeq_epi32(a, b))
    }
    #[inline(always)]
    fn shift_left(self, a: Self::U, bits: u32) -> Self::U {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_sll_epi32(a, _mm_cvtsi32_si128(bits.cast_signed())) }
    }
    #[inline(always)]
    fn shift_right(self, a: Self::U, bits: u32) -> Self::U {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_srl_epi32(a, _mm_cvtsi32_si128(bits.cast_signed())) }
    }
    #[inline(always)]
    fn upper_half(self, a: Self::U) -> Self::U {
        bind!(_mm256_srav_epi32(a, self.splat_u(16)))
    }
    #[inline(always)]
    fn one_hot(self, a: Self::U) -> Self::U {
        let one = self.splat_u(1);
        bind!(_mm256_sllv_epi32(one, a))
    }
    #[inline(always)]
    fn gather(self, table: &[u32], index: Self::U) -> Self::U {
        // SAFETY: the token proves AVX2; the caller keeps every index below the length of the table.
        unsafe { _mm256_i32gather_epi32::<4>(table.as_ptr().cast::<i32>(), index) }
    }
    #[inline(always)]
    fn mask_bits(self, mask: Self::U) -> u32 {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(mask)).cast_unsigned() }
    }
    #[inline(always)]
    fn splat_d(self, value: f64) -> Self::D {
        bind!(_mm256_set1_pd(value))
    }
    #[inline(always)]
    fn load_d(self, values: &[f64]) -> Self::D {
        assert!(values.len() >= DOUBLES);
        // SAFETY: the token proves AVX2; the load stays within the values.
        unsafe { _mm256_loadu_pd(values.as_ptr()) }
    }
    #[inline(always)]
    fn store_d(self, lanes: Self::D, to: &mut [f64]) {
        assert!(to.len() >= DOUBLES);
        // SAFETY: the token proves AVX2; the store stays within the slice.
        unsafe { _mm256_storeu_pd(to.as_mut_ptr(), lanes) }
    }
    #[inline(always)]
    fn store_some_d(self, lanes: Self::D, bits: u32, to: &mut [f64]) -> usize {
        bind!(some_of_4(bits, lanes, to));
        bits.count_ones() as usize
    }
    #[inline(always)]
    fn store_some_u(self, lanes: Self::U, bits: u32, to: &mut [u32]) -> usize {
        bind!(some_of_8_words(bits, lanes, to));
        bits.count_ones() as usize
    }
    #[inline(always)]
    fn add_d(self, a: Self::D, b: Self::D) -> Self::D {
        bind!(_mm256_add_pd(a, b))
    }
    #[inline(always)]
    fn sub_d(self, a: Self::D, b: Self::D) -> Self::D {
        bind!(_mm256_sub_pd(a, b))
    }
    #[inline(always)]
    fn mul_d(self, a: Self::D, b: Self::D) -> Self::D {
        bind!(_mm256_mul_pd(a, b))
    }
    #[inline(always)]
    fn fused_d(self, a: Self::D, b: Self::D, c: Self::D) -> Self::D {
        bind!(_mm256_fmadd_pd(a, b, c))
    }
    #[inline(always)]
    fn div_d(self, a: Self::D, b: Self::D) -> Self::D {
        bind!(_mm256_div_pd(a, b))
    }
    #[inline(always)]
    fn sqrt_d(self, a: Self::D) -> Self::D {
        bind!(_mm256_sqrt_pd(a))
    }
    #[inline(always)]
    fn min_d(self, a: Self::D, b: Self::D) -> Self::D {
        bind!(_mm256_min_pd(a, b))
    }
    #[inline(always)]
    fn max_d(self, a: Self::D, b: Self::D) -> Self::D {
        bind!(_mm256_max_pd(a, b))
    }
    #[inline(always)]
    fn less_d(self, a: Self::D, b: Self::D) -> Self::M {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(a, b) }
    }
    #[inline(always)]
    fn at_most_d(self, a: Self::D, b: Self::D) -> Self::M {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_cmp_pd::<_CMP_LE_OQ>(a, b) }
    }
    #[inline(always)]
    fn both(self, a: Self::M, b: Self::M) -> Self::M {
        bind!(_mm256_and_pd(a, b))
    }
    #[inline(always)]
    fn either(self, a: Self::M, b: Self::M) -> Self::M {
        bind!(_mm256_or_pd(a, b))
    }
    #[inline(always)]
    fn select_d(self, mask: Self::M, a: Self::D, b: Self::D) -> Self::D {
        bind!(_mm256_blendv_pd(b, a, mask))
    }
    #[inline(always)]
    fn store_keys(self, a: Self::D, bits: u32, to: &mut [i64]) {
        assert!(to.len() >= DOUBLES);
        // SAFETY: the token proves AVX2; the unaligned store stays within the slice.
        unsafe {
            let bits = _mm_cvtsi32_si128(bits.cast_signed());
            let keys = _mm256_srl_epi64(_mm256_castpd_si256(a), bits);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), keys);
        }
    }
    #[inline(always)]
    fn store_rounded(self, a: Self::D, bias: i64, to: &mut [i64]) {
        assert!(to.len() >= DOUBLES);
        // SAFETY: the token proves AVX2; the unaligned store stays within the slice.
        unsafe {
            let rounded = _mm256_add_pd(a, _mm256_set1_pd(ROUNDING));
            let bias = _mm256_set1_epi64x(bias - ROUNDING.to_bits().cast_signed());
            let biased = _mm256_add_epi64(_mm256_castpd_si256(rounded), bias);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), biased);
        }
    }
    #[inline(always)]
    fn inverse_root_seed(self, a: Self::D) -> Self::D {
        // SAFETY: the token proves AVX2; the operands are registers.
        unsafe {
            let seed = _mm256_set1_epi64x(ROOT_SEED.cast_signed());
            let half = _mm256_srli_epi64::<1>(_mm256_castpd_si256(a));
            _mm256_castsi256_pd(_mm256_sub_epi64(seed, half))
        }
    }
    #[inline(always)]
    fn load_i(self, values: &[i64]) -> Self::I {
        assert!(values.len() >= DOUBLES);
        // SAFETY: the token proves AVX2; the unaligned load stays within the values.
        unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store_i(self, lanes: Self::I, to: &mut [i64]) {
        assert!(to.len() >= DOUBLES);
        // SAFETY: the token proves AVX2; the unaligned store stays within the slice.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), lanes) }
    }
    #[inline(always)]
    fn add_rounded(self, sums: Self::I, a: Self::D) -> Self::I {
        // SAFETY: the token proves AVX2; the operands are registers.
        unsafe {
            let rounding = _mm256_set1_pd(ROUNDING);
            let bits = _mm256_castpd_si256(_mm256_add_pd(a, rounding));
            let rounded = _mm256_sub_epi64(bits, _mm256_castpd_si256(rounding));
            _mm256_add_epi64(sums, rounded)
        }
    }
    #[inline(always)]
    fn splat_i(self, value: i64) -> Self::I {
        bind!(_mm256_set1_epi64x(value))
    }
    #[inline(always)]
    fn add_i(self, a: Self::I, b: Self::I) -> Self::I {
        bind!(_mm256_add_epi64(a, b))
    }
    #[inline(always)]
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I {
        bind!(_mm256_sub_epi64(a, b))
    }
    #[inline(always)]
    fn to_double(self, a: Self::I) -> Self::D {
        bind!(to_double(a))
    }
    #[inline(always)]
    fn load_records(self, from: &[Record], index: &[u32]) -> [Self::I; 3] {
        bind!(load_4(from, index))
    }
    #[inline(always)]
    fn load_short_records(self, from: &[ShortRecord], index: &[u32]) -> [Self::U; 4] {
        bind!(load_short_8(from, index))
    }
    #[inline(always)]
    fn take_off_records(self, columns: [Self::I; 3], to: &mut [Record], index: &[u32]) {
        bind!(take_off_4(columns, to, index));
    }
    #[inline(always)]
    fn common_bits(self, words: &[u64], points: &[u64], to: &mut [u64; MOST_LANES]) {
        // SAFETY: the token proves AVX2.
        unsafe { common_bits::<1>(words, points, to) }
    }
    #[inline(always)]
    fn store_packed(self, high: Self::U, terms: [Self::D; 2], to: &mut [u64]) {
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
