//! Bits that points have in common, and the inverse probabilities that are made of their number.
//!
//! Entry: [`Common`].

use super::{Factors, MOST_LANES, ROWS, Simd};

/// Words of bits of rows, as many of each.
#[derive(Debug, Clone, Copy)]
pub struct WordRows<'a> {
    /// Those of all rows, one after the other.
    pub words: &'a [u64],
    /// Words of a row.
    pub per_row: usize,
}

impl<'a> WordRows<'a> {
    /// The words of a row.
    #[inline(always)]
    pub fn row(self, row: u8) -> &'a [u64] {
        &self.words[row as usize * self.per_row..][..self.per_row]
    }
}

/// Rows and points that have bits in common, and what is made of their number.
#[derive(Debug, Clone, Copy)]
pub struct Common<'a> {
    /// The bits of the rows.
    pub rows: WordRows<'a>,
    /// As in [`Simd::common_bits`].
    pub points: &'a [u64],
    /// What is made of the number.
    pub quotient: &'a Quotient,
}

/// [`Simd::divide_by_common`] on any lanes.
#[inline(always)]
pub(super) fn divide_one_by_one<S: Simd, const ROWS: usize>(
    simd: S,
    of: Common<'_>,
    rows: &[u8; ROWS],
    weights: &mut [[f64; MOST_LANES]; ROWS],
) {
    for (&row, weights) in rows.iter().zip(weights) {
        let mut common = [0; MOST_LANES];
        simd.common_bits(of.rows.row(row), of.points, &mut common);
        for (weight, &common) in weights[..S::LANES].iter_mut().zip(&common) {
            *weight *= of.quotient.of(common);
        }
    }
}

/// [`Simd::common_terms`] on any lanes.
#[inline(always)]
pub(super) fn terms_by_weights<S: Simd>(
    simd: S,
    common: Common<'_>,
    rows: [u8; ROWS],
    factors: Factors<'_>,
    to: &mut [u64],
) {
    for (row, to) in rows.into_iter().zip(to.chunks_exact_mut(S::LANES)) {
        let mut weights = [[0.0; MOST_LANES]];
        let factor = factors.rows[row as usize];
        for (weight, &other) in weights[0][..S::LANES].iter_mut().zip(factors.lanes) {
            *weight = factor * other;
        }
        divide_one_by_one(simd, common, &[row], &mut weights);
        simd.terms(1.0, &weights[0], to);
    }
}

/// Inverse probabilities: `n / (o + c)` of c common bits, z where o + c is 0.
#[derive(Debug, Clone, Copy)]
pub struct Quotient {
    pub(super) n: f64,
    pub(super) o: u32,
    pub(super) z: f64,
    /// Whether its numbers lie where a few products make what a division does.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "AVX-512 alone divides so")
    )]
    pub(super) is_near: bool,
}

impl Quotient {
    /// Far from where anything underflows.
    pub(super) const NUMERATORS: std::ops::Range<f64> = 1e-270..1e270;
    /// What o + c may be in what is proven of quotients.
    pub(super) const MOST: u32 = 1 << 29;

    /// Of the bits in so many words.
    #[inline]
    pub fn new(n: f64, o: u32, z: f64, words: usize) -> Self {
        let most_common = words.saturating_mul(u64::BITS as usize);
        let most = most_common.saturating_add(o as usize);
        Self {
            n,
            o,
            z,
            is_near: Self::NUMERATORS.contains(&n) && most <= Self::MOST as usize,
        }
    }

    /// Of so many common bits, fewer than 2^52.
    #[inline(always)]
    pub(super) fn of(&self, common: u64) -> f64 {
        let held = f64::from(self.o) + (f64::from_bits(common | TWO_52.to_bits()) - TWO_52);
        if held == 0.0 { self.z } else { self.n / held }
    }
}

/// Or'ed with its bits, a whole number below it is added to it.
const TWO_52: f64 = (1u64 << 52) as f64;
