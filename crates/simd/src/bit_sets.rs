//! Sets of up to 64 members as the bits of words: what two have in common, and what is added to the number or the sum of each member.
//!
//! Entry: [`BitSets`], which every [`super::Simd`] has.

#[allow(clippy::wildcard_imports, reason = "all intrinsics")]
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, avx512::Avx512, records::some_of_4_integers};

/// Bits of a word.
const BITS: usize = u64::BITS as usize;

/// A byte for each member of a set.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))] // So that no register of them straddles two cache lines.
pub struct BitNumbers(pub [u8; BITS]);

/// A sum for each member of a set.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))] // As above.
pub struct BitSums(pub [i64; BITS]);

impl BitNumbers {
    /// 0 of each.
    pub const NONE: Self = Self([0; _]);
}

impl BitSums {
    /// 0 of each.
    pub const NONE: Self = Self([0; _]);
}

/// What is done with sets; those of lanes are as many as a register has lanes.
pub trait BitSets: Copy {
    /// One bit for each lane whose set shares a member with `set`.
    #[inline(always)]
    fn sharing(self, set: u64, lanes: &[u64]) -> u32 {
        let mut bits = 0;
        for (lane, own) in lanes.iter().enumerate() {
            bits |= u32::from(set & own != 0) << lane;
        }
        bits
    }

    /// Writes what `set` and those lanes share whose bit is set in `bits`, in their order. What follows in `to`, as many as there are
    /// lanes in all, may be anything.
    #[inline(always)]
    fn store_shared(self, set: u64, lanes: &[u64], bits: u32, to: &mut [u64]) {
        let to = &mut to[..lanes.len()];
        let mut count = 0;
        for (lane, own) in lanes.iter().enumerate() {
            to[count] = set & own;
            count += (bits >> lane & 1) as usize;
        }
    }

    /// Adds 1 to each member of `set`; none may hold 255.
    #[inline(always)]
    fn count_members(self, set: u64, numbers: &mut BitNumbers) {
        let (bytes, _) = numbers.0.as_chunks_mut::<8>();
        for (bytes, own) in bytes.iter_mut().zip(set.to_le_bytes()) {
            let sum = u64::from_le_bytes(*bytes) + SPREAD[usize::from(own)];
            *bytes = sum.to_le_bytes();
        }
    }

    /// Adds `term` to each member of `set`, wrapping.
    #[inline(always)]
    fn add_to_members(self, set: u64, term: i64, sums: &mut BitSums) {
        for (bit, sum) in sums.0.iter_mut().enumerate() {
            let held = (set >> bit & 1).cast_signed();
            *sum = sum.wrapping_add(term & -held);
        }
    }
}

/// The bits of each byte, a byte each.
static SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[byte] |= (byte as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    spread
};

impl BitSets for super::Portable {}

#[cfg(target_arch = "aarch64")]
impl BitSets for super::neon::Neon {}

#[cfg(target_arch = "x86_64")]
impl BitSets for Avx2 {
    #[inline(always)]
    fn sharing(self, set: u64, lanes: &[u64]) -> u32 {
        assert!(lanes.len() >= 8);
        let mut none = 0;
        // SAFETY: the token proves AVX2; the two loads of 4 lie within the lanes.
        unsafe {
            let (set, zero) = (
                _mm256_set1_epi64x(set.cast_signed()),
                _mm256_setzero_si256(),
            );
            for half in 0..2 {
                let own = _mm256_loadu_si256(lanes.as_ptr().add(4 * half).cast());
                let apart = _mm256_cmpeq_epi64(_mm256_and_si256(own, set), zero);
                let bits = _mm256_movemask_pd(_mm256_castsi256_pd(apart));
                none |= bits.cast_unsigned() << (4 * half);
            }
        }
        none ^ 0xff
    }
    #[inline(always)]
    fn store_shared(self, set: u64, lanes: &[u64], bits: u32, to: &mut [u64]) {
        assert!(lanes.len() >= 8);
        // SAFETY: the token proves AVX2; the two loads of 4 lie within the lanes.
        unsafe {
            let set = _mm256_set1_epi64x(set.cast_signed());
            let own = _mm256_loadu_si256(lanes.as_ptr().cast());
            some_of_4_integers(bits, _mm256_and_si256(own, set), to);
            let own = _mm256_loadu_si256(lanes.as_ptr().add(4).cast());
            let to = &mut to[(bits & 15).count_ones() as usize..];
            some_of_4_integers(bits >> 4, _mm256_and_si256(own, set), to);
        }
    }
    #[inline(always)]
    fn count_members(self, set: u64, numbers: &mut BitNumbers) {
        // SAFETY: the token proves AVX2; the two loads and stores of 32 lie within the 64 numbers.
        unsafe {
            // Which of four bytes each byte of the register takes, and which of its bits.
            let one = 0x0101_0101_0101_0101;
            let bytes = _mm256_set_epi64x(3 * one, 2 * one, one, 0);
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
            for half in 0..2 {
                let set = _mm256_set1_epi32(((set >> (32 * half)) as u32).cast_signed());
                let own = _mm256_and_si256(_mm256_shuffle_epi8(set, bytes), bit);
                let held = _mm256_cmpeq_epi8(own, bit);
                let at = numbers.0.as_mut_ptr().add(32 * half);
                let sum = _mm256_sub_epi8(_mm256_loadu_si256(at.cast()), held);
                _mm256_storeu_si256(at.cast(), sum);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl BitSets for Avx512 {
    #[inline(always)]
    fn sharing(self, set: u64, lanes: &[u64]) -> u32 {
        assert!(lanes.len() >= 16);
        // SAFETY: the token proves AVX-512; the two loads of 8 lie within the lanes.
        unsafe {
            let set = _mm512_set1_epi64(set.cast_signed());
            let low = _mm512_loadu_si512(lanes.as_ptr().cast());
            let high = _mm512_loadu_si512(lanes.as_ptr().add(8).cast());
            let high = _mm512_test_epi64_mask(set, high);
            u32::from(_mm512_test_epi64_mask(set, low)) | u32::from(high) << 8
        }
    }
    #[inline(always)]
    fn store_shared(self, set: u64, lanes: &[u64], bits: u32, to: &mut [u64]) {
        assert!(lanes.len() >= 16 && to.len() >= 16);
        let (low, high) = (bits as u8, (bits >> 8) as u8);
        // SAFETY: the token proves AVX-512; the loads and stores of 8 lie within the slices, for at most 8 numbers precede the second.
        unsafe {
            let set = _mm512_set1_epi64(set.cast_signed());
            let own = _mm512_and_si512(set, _mm512_loadu_si512(lanes.as_ptr().cast()));
            let at = to.as_mut_ptr();
            _mm512_storeu_si512(at.cast(), _mm512_maskz_compress_epi64(low, own));
            let own = _mm512_loadu_si512(lanes.as_ptr().add(8).cast());
            let own = _mm512_and_si512(set, own);
            let at = at.add(low.count_ones() as usize);
            _mm512_storeu_si512(at.cast(), _mm512_maskz_compress_epi64(high, own));
        }
    }
    #[inline(always)]
    fn count_members(self, set: u64, numbers: &mut BitNumbers) {
        let at = numbers.0.as_mut_ptr();
        // SAFETY: the token proves AVX-512 with its instructions for bytes; the load and the store are as wide as the numbers.
        unsafe {
            let before = _mm512_loadu_si512(at.cast());
            let sum = _mm512_mask_add_epi8(before, set, before, _mm512_set1_epi8(1));
            _mm512_storeu_si512(at.cast(), sum);
        }
    }
    #[inline(always)]
    fn add_to_members(self, set: u64, term: i64, sums: &mut BitSums) {
        // SAFETY: the token proves AVX-512; the eight loads and stores of 8 lie within the 64 sums.
        unsafe {
            let term = _mm512_set1_epi64(term);
            for eight in 0..8 {
                let at = sums.0.as_mut_ptr().add(8 * eight);
                let before = _mm512_loadu_si512(at.cast());
                let own = (set >> (8 * eight)) as u8;
                let sum = _mm512_mask_add_epi64(before, own, before, term);
                _mm512_storeu_si512(at.cast(), sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isa, Kernel, MOST_LANES, Simd};

    struct Suite;

    /// None, one, all, and sets of any density.
    fn sets() -> Vec<u64> {
        let mut sets = vec![0, 1, 1 << 63, u64::MAX, 0x8000_0001_8000_0001];
        let mut state = 20_261_129_u64;
        for k in 0..64 {
            let mut next = || {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                state ^ (state >> 29)
            };
            sets.push(match k % 3 {
                0 => next(),
                1 => next() & next() & next() & next(),
                _ => 1 << (next() >> 58),
            });
        }
        sets
    }

    impl Kernel for Suite {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            let sets = sets();
            for (k, &set) in sets.iter().enumerate() {
                let lanes = &sets[k % 40..][..S::LANES];
                let sharing = simd.sharing(set, lanes);
                assert_eq!(sharing >> (S::LANES - 1) >> 1, 0);
                for (lane, own) in lanes.iter().enumerate() {
                    assert_eq!(sharing >> lane & 1 == 1, set & own != 0);
                }
                for bits in [0u32, 1, 0b1010_0110, 0x8001, 0xffff, 0x7a35, sharing] {
                    let bits = bits & ((1 << S::LANES) - 1);
                    let mut to = [7; MOST_LANES];
                    simd.store_shared(set, lanes, bits, &mut to);
                    let chosen = (0..S::LANES).filter(|lane| bits >> lane & 1 == 1);
                    for (to, lane) in to.iter().zip(chosen) {
                        assert_eq!(*to, set & lanes[lane]);
                    }
                }
            }
            // Up to what a byte holds, and sums that wrap.
            let (mut numbers, mut sums) = (BitNumbers::NONE, BitSums::NONE);
            let (mut expected, mut in_all) = ([0; BITS], [0i64; BITS]);
            for turn in 0..255 {
                let set = if turn < 200 {
                    sets[turn % sets.len()]
                } else {
                    u64::MAX
                };
                let term = (turn as i64 - 99).wrapping_mul(0x0123_4567_89ab_cdef);
                simd.count_members(set, &mut numbers);
                simd.add_to_members(set, term, &mut sums);
                for bit in (0..BITS).filter(|bit| set >> bit & 1 == 1) {
                    expected[bit] += 1;
                    in_all[bit] = in_all[bit].wrapping_add(term);
                }
                assert_eq!(numbers.0, expected);
                assert_eq!(sums.0, in_all);
            }
            let mut full = BitNumbers([254; BITS]);
            simd.count_members(0x8000_0000_0000_0101, &mut full);
            let of = |bit: usize| if [0, 8, 63].contains(&bit) { 255 } else { 254 };
            assert_eq!(full.0, std::array::from_fn(of));
        }
    }

    #[test]
    fn every_instruction_set_agrees_with_plain_arithmetic() {
        for isa in Isa::available() {
            isa.dispatch(Suite);
        }
    }
}
