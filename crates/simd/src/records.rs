//! Records of four 64-bit integers in rows, met lane by lane: loads that bring rows into columns, and columns taken off rows.
//!
//! Entry: [`load_8`], [`take_off_8`] and those of four lanes, for the bindings; every index is checked before memory is touched. Lanes that are
//! chosen by bits are brought side by side by [`some_of_8`] and its neighbours.

#[allow(clippy::wildcard_imports, reason = "all intrinsics")]
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::ROUNDING;

/// Four integers: of a position or an impulse the components, and one more.
pub type Record = [i64; 4];

/// Four shorter integers: the upper halves of a position, and one more.
pub type ShortRecord = [u32; 4];

/// Records that the widest register of 64-bit lanes meets at a time.
pub const RECORDS: usize = 8;

/// The first `N` indices, all of them below `len`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn rows<const N: usize>(index: &[u32], len: usize) -> [usize; N] {
    let mut rows = [0; N];
    let mut last = 0;
    for &index in &index[..N] {
        last = last.max(index);
    }
    assert!((last as usize) < len);
    for (row, &index) in rows.iter_mut().zip(&index[..N]) {
        *row = index as usize;
    }
    rows
}

/// The nearest float64 numbers to 64-bit integers.
///
/// The upper halves go into the bits of a number near 2^84, whose last place is 2^32, the lower halves into those of one near 2^52: both
/// are exact, and the sum rounds once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn to_double(a: __m256i) -> __m256d {
    /// The bits of 2^84 with those of 2^31 below them, which makes signed upper halves positive; and the bits of 2^52.
    const HIGH: i64 = 0x4530_0000_8000_0000;
    const LOW: i64 = 0x4330_0000_0000_0000;
    /// 2^84 + 2^63 + 2^52.
    const OFFSET: f64 = 19_342_813_113_834_066_795_298_816.0
        + 9_223_372_036_854_775_808.0
        + 4_503_599_627_370_496.0;
    let high = _mm256_xor_si256(_mm256_srli_epi64::<32>(a), _mm256_set1_epi64x(HIGH));
    let low = _mm256_blend_epi32::<0b1010_1010>(a, _mm256_set1_epi64x(LOW));
    let high = _mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(OFFSET));
    _mm256_add_pd(high, _mm256_castsi256_pd(low))
}

/// Four records as columns of their first three numbers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn load_4(from: &[Record], index: &[u32]) -> [__m256i; 3] {
    let rows: [usize; 4] = rows(index, from.len());
    // SAFETY: every row is below the length, and a record is as wide as the load.
    let load = |row: usize| unsafe { _mm256_loadu_si256(from.as_ptr().add(row).cast()) };
    let [a, b, c, d] = [load(rows[0]), load(rows[1]), load(rows[2]), load(rows[3])];
    let (even, odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let (even2, odd2) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
    [
        _mm256_permute2x128_si256::<0x20>(even, even2),
        _mm256_permute2x128_si256::<0x20>(odd, odd2),
        _mm256_permute2x128_si256::<0x31>(even, even2),
    ]
}

/// Takes columns off four records.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn take_off_4([x, y, z]: [__m256i; 3], to: &mut [Record], index: &[u32]) {
    let rows: [usize; 4] = rows(index, to.len());
    let none = _mm256_setzero_si256();
    let (even, odd) = (_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y));
    let (even2, odd2) = (
        _mm256_unpacklo_epi64(z, none),
        _mm256_unpackhi_epi64(z, none),
    );
    let each = [
        _mm256_permute2x128_si256::<0x20>(even, even2),
        _mm256_permute2x128_si256::<0x20>(odd, odd2),
        _mm256_permute2x128_si256::<0x31>(even, even2),
        _mm256_permute2x128_si256::<0x31>(odd, odd2),
    ];
    for (row, lanes) in rows.into_iter().zip(each) {
        // SAFETY: every row is below the length, and a record is as wide as the load and the store.
        unsafe { take_off(to.as_mut_ptr().add(row), lanes) }
    }
}

/// Eight short records as columns.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn load_short_8(from: &[ShortRecord], index: &[u32]) -> [__m256i; 4] {
    let rows: [usize; 8] = rows(index, from.len());
    // SAFETY: every row is below the length, and a record is as wide as the load.
    let load = |k: usize| unsafe { _mm_loadu_si128(from.as_ptr().add(rows[k]).cast()) };
    let pair =
        |k: usize| _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(load(k)), load(k + 4));
    let (a, b, c, d) = (pair(0), pair(1), pair(2), pair(3));
    let (first, last) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    let (first2, last2) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
    [
        _mm256_unpacklo_epi64(first, first2),
        _mm256_unpackhi_epi64(first, first2),
        _mm256_unpacklo_epi64(last, last2),
        _mm256_unpackhi_epi64(last, last2),
    ]
}

/// Sixteen short records as columns.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2")]
#[inline]
pub(super) fn load_short_16(from: &[ShortRecord], index: &[u32]) -> [__m512i; 4] {
    let index = &index[..16];
    // SAFETY: the load is of 16 numbers.
    let all = unsafe { _mm512_loadu_si512(index.as_ptr().cast()) };
    let len = u32::try_from(from.len()).unwrap_or(u32::MAX);
    let len = _mm512_set1_epi32(len.cast_signed());
    assert!(_mm512_cmpge_epu32_mask(all, len) == 0);
    // SAFETY: every index is below the length, and a record is as wide as the load.
    let load = |k: usize| unsafe { _mm_loadu_si128(from.as_ptr().add(index[k] as usize).cast()) };
    let four = |k: usize| {
        let lanes = _mm512_castsi128_si512(load(k));
        let lanes = _mm512_inserti32x4::<1>(lanes, load(k + 4));
        let lanes = _mm512_inserti32x4::<2>(lanes, load(k + 8));
        _mm512_inserti32x4::<3>(lanes, load(k + 12))
    };
    let (a, b, c, d) = (four(0), four(1), four(2), four(3));
    let (first, last) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let (first2, last2) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    [
        _mm512_unpacklo_epi64(first, first2),
        _mm512_unpackhi_epi64(first, first2),
        _mm512_unpacklo_epi64(last, last2),
        _mm512_unpackhi_epi64(last, last2),
    ]
}

/// Takes `lanes` off one record.
///
/// # Safety
/// `record` can be read and written.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn take_off(record: *mut Record, lanes: __m256i) {
    // SAFETY: the caller's.
    unsafe {
        let before = _mm256_loadu_si256(record.cast());
        _mm256_storeu_si256(record.cast(), _mm256_sub_epi64(before, lanes));
    }
}

/// Eight records as columns of their first three numbers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2")]
#[inline]
pub(super) fn load_8(from: &[Record], index: &[u32]) -> [__m512i; 3] {
    let rows: [usize; 8] = rows(index, from.len());
    // SAFETY: every row is below the length, and a record is as wide as the load.
    let load = |k: usize| unsafe { _mm256_loadu_si256(from.as_ptr().add(rows[k]).cast()) };
    let pair = |low: usize, high: usize| {
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(load(low)), load(high))
    };
    // Pairs that end up side by side once their halves are put together.
    let (a, b, c, d) = (pair(0, 2), pair(1, 3), pair(4, 6), pair(5, 7));
    let (even, odd) = (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    let (even2, odd2) = (_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d));
    [
        _mm512_shuffle_i64x2::<0b10_00_10_00>(even, even2),
        _mm512_shuffle_i64x2::<0b10_00_10_00>(odd, odd2),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(even, even2),
    ]
}

/// Which of eight lanes comes into the upper half of each word; lower halves take none.
#[cfg(target_arch = "x86_64")]
const UPPER: [i32; 16] = [0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7];

/// Rounded terms, with lanes in the upper halves of their words.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2")]
#[inline]
pub(super) fn store_packed_16(high: __m512i, terms: [__m512d; 2], to: &mut [u64]) {
    let (halves, _) = to[..16].as_chunks_mut::<8>();
    let rounding = _mm512_set1_pd(ROUNDING);
    // SAFETY: the load is as wide as the array.
    let order = unsafe { _mm512_loadu_si512(UPPER.as_ptr().cast()) };
    for (half, (to, terms)) in halves.iter_mut().zip(terms).enumerate() {
        let order = _mm512_add_epi32(order, _mm512_set1_epi32(8 * half as i32));
        let upper = _mm512_maskz_permutexvar_epi32(0xaaaa, order, high);
        let rounded = _mm512_castpd_si512(_mm512_add_pd(terms, rounding));
        // SAFETY: the store is as wide as the array.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_add_epi64(rounded, upper)) }
    }
}

/// The lanes whose bits are set, side by side.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2")]
#[inline]
pub(super) fn some_of_8(bits: u8, lanes: __m512d, to: &mut [f64]) {
    let to = &mut to[..8];
    // SAFETY: the store is as wide as the slice.
    unsafe { _mm512_storeu_pd(to.as_mut_ptr(), _mm512_maskz_compress_pd(bits, lanes)) }
}

/// The lanes whose bits are set, side by side.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2")]
#[inline]
pub(super) fn some_of_16(bits: u16, lanes: __m512i, to: &mut [u32]) {
    let to = &mut to[..16];
    // Into a register and then into memory: a store of some lanes takes many times as long on some processors.
    let chosen = _mm512_maskz_compress_epi32(bits, lanes);
    // SAFETY: the store is as wide as the slice.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), chosen) }
}

/// For each set of four lanes, the words of 32 bits that bring its lanes of 64 bits side by side.
#[cfg(target_arch = "x86_64")]
static SOME_OF_4: [[u32; 8]; 16] = {
    let mut all = [[0; 8]; 16];
    let mut bits = 0;
    while bits < 16 {
        let (mut lane, mut count) = (0, 0);
        while lane < 4 {
            if bits >> lane & 1 == 1 {
                all[bits][2 * count] = 2 * lane;
                all[bits][2 * count + 1] = 2 * lane + 1;
                count += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    all
};

/// The same of four lanes of 32 bits, by bytes.
#[cfg(target_arch = "x86_64")]
static SOME_OF_4_WORDS: [[u8; 16]; 16] = {
    let mut all = [[0; 16]; 16];
    let mut bits = 0;
    while bits < 16 {
        let (mut lane, mut count) = (0, 0);
        while lane < 4 {
            let mut byte = 0;
            while bits >> lane & 1 == 1 && byte < 4 {
                all[bits][count] = 4 * lane + byte;
                count += 1;
                byte += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    all
};

/// The lanes whose bits are set, side by side.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn some_of_4(bits: u32, lanes: __m256d, to: &mut [f64]) {
    let to = &mut to[..4];
    let chosen = _mm256_castsi256_pd(chosen_of_4(bits, _mm256_castpd_si256(lanes)));
    // SAFETY: the store is as wide as the slice.
    unsafe { _mm256_storeu_pd(to.as_mut_ptr(), chosen) }
}

/// The same of integers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn some_of_4_integers(bits: u32, lanes: __m256i, to: &mut [u64]) {
    let to = &mut to[..4];
    // SAFETY: the store is as wide as the slice.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), chosen_of_4(bits, lanes)) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn chosen_of_4(bits: u32, lanes: __m256i) -> __m256i {
    let order = &SOME_OF_4[(bits & 15) as usize];
    // SAFETY: the load is as wide as the array.
    let order = unsafe { _mm256_loadu_si256(order.as_ptr().cast()) };
    _mm256_permutevar8x32_epi32(lanes, order)
}

/// The lanes whose bits are set, side by side.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
#[inline]
pub(super) fn some_of_8_words(bits: u32, lanes: __m256i, to: &mut [u32]) {
    let to = &mut to[..8];
    let (low, high) = (bits & 15, bits >> 4 & 15);
    let orders = [low, high].map(|bits| SOME_OF_4_WORDS[bits as usize].as_ptr());
    let halves = [
        _mm256_castsi256_si128(lanes),
        _mm256_extracti128_si256::<1>(lanes),
    ];
    // SAFETY: the loads are as wide as the arrays; the second store begins at word 4 or before it, and both lie within the slice.
    unsafe {
        let at = to.as_mut_ptr();
        let chosen = _mm_shuffle_epi8(halves[0], _mm_loadu_si128(orders[0].cast()));
        _mm_storeu_si128(at.cast(), chosen);
        let chosen = _mm_shuffle_epi8(halves[1], _mm_loadu_si128(orders[1].cast()));
        _mm_storeu_si128(at.add(low.count_ones() as usize).cast(), chosen);
    }
}

/// `first` and the numbers of the lanes whose bits are set, side by side.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2")]
#[inline]
pub(super) fn lanes_of(bits: u16, first: u32, to: &mut [u32; 16]) {
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let all = _mm512_add_epi32(lanes, _mm512_set1_epi32(first.cast_signed()));
    some_of_16(bits, all, to);
}

/// Takes columns off eight records.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2")]
#[inline]
pub(super) fn take_off_8([x, y, z]: [__m512i; 3], to: &mut [Record], index: &[u32]) {
    let rows: [usize; 8] = rows(index, to.len());
    let none = _mm512_setzero_si512();
    let (even, odd) = (_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y));
    let (even2, odd2) = (
        _mm512_unpacklo_epi64(z, none),
        _mm512_unpackhi_epi64(z, none),
    );
    let near = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    let far = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    let pairs = [
        (0, _mm512_permutex2var_epi64(even, near, even2)),
        (1, _mm512_permutex2var_epi64(odd, near, odd2)),
        (4, _mm512_permutex2var_epi64(even, far, even2)),
        (5, _mm512_permutex2var_epi64(odd, far, odd2)),
    ];
    for (k, lanes) in pairs {
        // SAFETY: every row is below the length, and a record is as wide as the loads and the stores.
        unsafe {
            let records = to.as_mut_ptr();
            take_off(records.add(rows[k]), _mm512_castsi512_si256(lanes));
            let high = _mm512_extracti64x4_epi64::<1>(lanes);
            take_off(records.add(rows[k + 2]), high);
        }
    }
}
