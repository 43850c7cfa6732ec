//! AVX-512 F, DQ and BW: registers of sixteen lanes.

#[allow(clippy::wildcard_imports, reason = "all intrinsics")]
use std::arch::x86_64::*;

use super::avx2::{self, Avx2};
use super::avx512_bits;
use super::methods::{bind, memory, methods};
use super::records::{
    Record, ShortRecord, lanes_of, load_8, load_short_16, some_of_8, some_of_16, store_packed_16,
    take_off_8,
};
use super::{
    Common, Factors, Kernel, MOST_EXACT_ROW, ROUNDING, ROWS, Simd, TERM, divide_one_by_one,
    terms_by_weights,
};

const LANES: usize = 16;
/// The same of float64.
const DOUBLES: usize = 8;

/// Proof that the machine has AVX-512 F, DQ and BW, and what [`Avx2`] needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub(crate) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && Avx2::detect().is_some())
        .then_some(Self(()))
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx2,fma,popcnt,bmi1,bmi2")]
#[inline(never)]
fn enabled<K: Kernel>(simd: Avx512, kernel: K) -> K::Output {
    kernel.run(simd)
}

/// The same with an instruction that counts bits, which not every machine with AVX-512 has.
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vpopcntdq,avx2,fma,popcnt,bmi1,bmi2")]
#[inline(never)]
fn enabled_with_bits<K: Kernel>(simd: Avx512, kernel: K) -> K::Output {
    kernel.run(simd)
}

type F = __m512;
type U = __m512i;
type D = __m512d;
type M = __mmask8;
type I = __m512i;

impl Simd for Avx512 {
    type F = F;
    type U = U;
    type D = D;
    type M = M;
    type I = I;
    const DOUBLES: usize = DOUBLES;
    const LANES: usize = LANES;
    const ROOT_FACTORS: [f32; 2] = [2.0, 1.0];
    const FINE_ROOT_FACTOR: f32 = 2.0;
    const RSQRT_FACTOR: f32 = 2.0;

    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        if K::COUNTS_BITS && is_x86_feature_detected!("avx512vpopcntdq") {
            // SAFETY: as below, and the instruction for bits has just been detected.
            return unsafe { enabled_with_bits(self, kernel) };
        }
        // SAFETY: a value of `Avx512` exists only where its instructions were detected.
        unsafe { enabled(self, kernel) }
    }

    methods!(self:
        splat(value: f32) -> F = bind!(_mm512_set1_ps(value));
        splat_u(value: u32) -> U = bind!(_mm512_set1_epi32(value.cast_signed()));
        add(a: F, b: F) -> F = bind!(_mm512_add_ps(a, b));
        sub(a: F, b: F) -> F = bind!(_mm512_sub_ps(a, b));
        mul(a: F, b: F) -> F = bind!(_mm512_mul_ps(a, b));
        div(a: F, b: F) -> F = bind!(_mm512_div_ps(a, b));
        sqrt(a: F) -> F = bind!(_mm512_sqrt_ps(a));
        mul_add(a: F, b: F, c: F) -> F = bind!(_mm512_fmadd_ps(a, b, c));
        fused(a: F, b: F, c: F) -> F = bind!(_mm512_fmadd_ps(a, b, c));
        max(a: F, b: F) -> F = bind!(_mm512_max_ps(a, b));
        abs(a: F) -> F = bind!(_mm512_abs_ps(a));
        bits(a: F) -> U = bind!(_mm512_castps_si512(a));
        floats(a: U) -> F = bind!(_mm512_castsi512_ps(a));
        to_float(a: U) -> F = bind!(_mm512_cvtepi32_ps(a));
        truncate(a: F) -> U = bind!(_mm512_cvttps_epi32(a));
        round(a: F) -> U = bind!(_mm512_cvtps_epi32(a));
        add_u(a: U, b: U) -> U = bind!(_mm512_add_epi32(a, b));
        sub_u(a: U, b: U) -> U = bind!(_mm512_sub_epi32(a, b));
        mul_u(a: U, b: U) -> U = bind!(_mm512_mullo_epi32(a, b));
        min_u(a: U, b: U) -> U = bind!(_mm512_min_epu32(a, b));
        and(a: U, b: U) -> U = bind!(_mm512_and_si512(a, b));
        or(a: U, b: U) -> U = bind!(_mm512_or_si512(a, b));
        xor(a: U, b: U) -> U = bind!(_mm512_xor_si512(a, b));
        // By a number a lane: by one number for all takes two steps.
        shift_left(a: U, bits: u32) -> U = bind!(_mm512_sllv_epi32(a, self.splat_u(bits % 32)));
        shift_right(a: U, bits: u32) -> U = bind!(_mm512_srlv_epi32(a, self.splat_u(bits % 32)));
        upper_half(a: U) -> U = bind!(_mm512_srav_epi32(a, self.splat_u(16)));
        one_hot(a: U) -> U = bind!(_mm512_sllv_epi32(self.splat_u(1), a));
        mask_bits(mask: U) -> u32 = u32::from(bind!(_mm512_movepi32_mask(mask)));
        splat_d(value: f64) -> D = bind!(_mm512_set1_pd(value));
        add_d(a: D, b: D) -> D = bind!(_mm512_add_pd(a, b));
        sub_d(a: D, b: D) -> D = bind!(_mm512_sub_pd(a, b));
        mul_d(a: D, b: D) -> D = bind!(_mm512_mul_pd(a, b));
        fused_d(a: D, b: D, c: D) -> D = bind!(_mm512_fmadd_pd(a, b, c));
        div_d(a: D, b: D) -> D = bind!(_mm512_div_pd(a, b));
        sqrt_d(a: D) -> D = bind!(_mm512_sqrt_pd(a));
        min_d(a: D, b: D) -> D = bind!(_mm512_min_pd(a, b));
        max_d(a: D, b: D) -> D = bind!(_mm512_max_pd(a, b));
        less_d(a: D, b: D) -> M = bind!(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b));
        at_most_d(a: D, b: D) -> M = bind!(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(a, b));
        both(a: M, b: M) -> M = a & b;
        either(a: M, b: M) -> M = a | b;
        select_d(mask: M, a: D, b: D) -> D = bind!(_mm512_mask_blend_pd(mask, b, a));
        splat_i(value: i64) -> I = bind!(_mm512_set1_epi64(value));
        add_i(a: I, b: I) -> I = bind!(_mm512_add_epi64(a, b));
        sub_i(a: I, b: I) -> I = bind!(_mm512_sub_epi64(a, b));
        bits_d(a: D) -> I = bind!(_mm512_castpd_si512(a));
        doubles(a: I) -> D = bind!(_mm512_castsi512_pd(a));
        to_double(a: I) -> D = bind!(_mm512_cvtepi64_pd(a));
        load_records(from: &[Record], index: &[u32]) -> [I; 3] = bind!(load_8(from, index));
        load_short_records(from: &[ShortRecord], index: &[u32]) -> [U; 4] = bind!(load_short_16(from, index));
    );

    memory!(self:
        load, store: [f32; LANES] => F = _mm512_loadu_ps, _mm512_storeu_ps;
        load_u, store_u: [u32; LANES] => U = _mm512_loadu_si512, _mm512_storeu_si512;
        load_d, store_d: [f64; DOUBLES] => D = _mm512_loadu_pd, _mm512_storeu_pd;
        load_i, store_i: [i64; DOUBLES] => I = _mm512_loadu_si512, _mm512_storeu_si512;
    );

    #[inline(always)]
    fn shift_right_i(self, a: I, bits: u32) -> I {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_srl_epi64(a, _mm_cvtsi32_si128(bits.cast_signed())) }
    }
    #[inline(always)]
    fn root(self, a: F, row: usize) -> F {
        // The unit for roots takes ten cycles: half of the rows do without it.
        if row % 2 == MOST_EXACT_ROW {
            return bind!(_mm512_sqrt_ps(a));
        }
        let estimate = bind!(_mm512_rsqrt14_ps(a));
        let root = self.mul(a, estimate);
        let correction = bind!(_mm512_fnmadd_ps(root, estimate, self.splat(3.0)));
        self.mul(root, correction)
    }
    #[inline(always)]
    fn fine_root(self, a: F) -> F {
        let estimate = bind!(_mm512_rsqrt14_ps(a));
        let root = self.mul(a, estimate);
        let residual = bind!(_mm512_fnmadd_ps(root, root, a));
        self.mul_add(residual, estimate, self.add(root, root))
    }
    #[inline(always)]
    fn rsqrt(self, a: F) -> F {
        let estimate = bind!(_mm512_rsqrt14_ps(a));
        let scaled = self.mul(a, estimate);
        let correction = bind!(_mm512_fnmadd_ps(scaled, estimate, self.splat(3.0)));
        self.mul(estimate, correction)
    }
    #[inline(always)]
    fn less(self, a: F, b: F) -> U {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_movm_epi32(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b)) }
    }
    #[inline(always)]
    fn at_most_u(self, a: U, b: U) -> U {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_movm_epi32(_mm512_cmple_epu32_mask(a, b)) }
    }
    #[inline(always)]
    fn equal_u(self, a: U, b: U) -> U {
        // SAFETY: the token proves AVX-512.
        unsafe { _mm512_movm_epi32(_mm512_cmpeq_epi32_mask(a, b)) }
    }
    #[inline(always)]
    fn gather(self, table: &[u32], index: U) -> U {
        // SAFETY: the token proves AVX-512; the caller keeps every index below the length of the table.
        unsafe { _mm512_i32gather_epi32::<4>(index, table.as_ptr().cast()) }
    }
    #[inline(always)]
    fn carry_save(self, a: U, b: U, c: U) -> (U, U) {
        // SAFETY: the token proves AVX-512. Truth tables: 0x96 odd parity, 0xe8 majority.
        unsafe {
            (
                _mm512_ternarylogic_epi32::<0x96>(a, b, c),
                _mm512_ternarylogic_epi32::<0xe8>(a, b, c),
            )
        }
    }
    #[inline(always)]
    fn store_lanes(self, bits: u32, first: u32, to: &mut [u32; LANES]) -> usize {
        bind!(lanes_of(bits as u16, first, to));
        bits.count_ones() as usize
    }
    #[inline(always)]
    fn store_some_d(self, lanes: D, bits: u32, to: &mut [f64]) -> usize {
        bind!(some_of_8(bits as u8, lanes, to));
        bits.count_ones() as usize
    }
    #[inline(always)]
    fn store_some_u(self, lanes: U, bits: u32, to: &mut [u32]) -> usize {
        bind!(some_of_16(bits as u16, lanes, to));
        bits.count_ones() as usize
    }
    #[inline(always)]
    fn take_off_records(self, columns: [I; 3], to: &mut [Record], index: &[u32]) {
        bind!(take_off_8(columns, to, index));
    }
    #[inline(always)]
    fn store_packed(self, high: U, terms: [D; 2], to: &mut [u64]) {
        bind!(store_packed_16(high, terms, to));
    }
    #[inline(always)]
    fn common_bits(self, words: &[u64], points: &[u64], to: &mut [u64; LANES]) {
        if is_x86_feature_detected!("avx512vpopcntdq") {
            // SAFETY: the instructions have been detected, and the token proves AVX-512 F.
            unsafe { avx512_bits::common_bits(words, points, to) }
        } else {
            // SAFETY: the token proves AVX2 too.
            unsafe { avx2::common_bits::<2>(words, points, to) }
        }
    }
    #[inline(always)]
    fn divide_by_common<const ROWS: usize>(
        self,
        common: Common<'_>,
        rows: &[u8; ROWS],
        weights: &mut [[f64; LANES]; ROWS],
    ) {
        if !is_x86_feature_detected!("avx512vpopcntdq") {
            return divide_one_by_one(self, common, rows, weights);
        }
        // SAFETY: the instructions have been detected, and the token proves AVX-512 F and DQ.
        unsafe { avx512_bits::divide_by_common(common, rows, weights) }
    }
    #[inline(always)]
    fn common_terms(self, common: Common<'_>, rows: [u8; ROWS], of: Factors<'_>, to: &mut [u64]) {
        if !is_x86_feature_detected!("avx512vpopcntdq") {
            return terms_by_weights(self, common, rows, of, to);
        }
        // SAFETY: the instructions have been detected, and the token proves AVX-512 F and DQ.
        unsafe { avx512_bits::common_terms(common, rows, of, to) }
    }
    #[inline(always)]
    fn terms(self, factor: f64, factors: &[f64], to: &mut [u64]) {
        assert!(factors.len() >= LANES && to.len() >= LANES);
        // SAFETY: the token proves AVX-512; the two loads and stores of 8 lie within the slices.
        unsafe {
            let (factor, rounding) = (_mm512_set1_pd(factor), _mm512_set1_pd(ROUNDING));
            let term = _mm512_set1_epi64(TERM.cast_signed());
            for half in 0..2 {
                let product =
                    _mm512_mul_pd(factor, _mm512_loadu_pd(factors.as_ptr().add(8 * half)));
                let rounded = _mm512_castpd_si512(_mm512_add_pd(product, rounding));
                let at = to.as_mut_ptr().add(8 * half);
                _mm512_storeu_si512(at.cast(), _mm512_add_epi64(rounded, term));
            }
        }
    }
}
