//! Registers of numbers, and the sums of terms that they carry.
//!
//! Entry: [`Summing`], bound to float64 and to float32 lanes. Every operation is that of one number, lane by lane.

use albireo_simd::{Lanes, Lanes32, MOST_LANES, Registers, Simd};

use super::arithmetic::{Arithmetic, Element, ROOT_SEED_32, ROOT_STEPS, ROOT_STEPS_32, RootSteps};

/// Lanes that add terms up as integers.
pub(crate) trait Summing: Arithmetic + Registers<Number: Element> {
    /// The sums of the terms of each lane.
    type Sums: Copy;
    /// Sums in memory, of terms that come a register at a time.
    type Column;
    /// Terms that a sum in memory takes in before it is handed over.
    const MOST_TERMS: usize;
    /// The lesser of positive numbers or 0.
    fn min(self, a: Self::D, b: Self::D) -> Self::D;
    /// No terms.
    fn none(self) -> Self::Sums;
    /// Adds a term of magnitude at most 2^50 (float32: 2^30), rounded to an integer, ties to even.
    fn add_term(self, sums: Self::Sums, term: Self::D) -> Self::Sums;
    /// Adds sums of `terms` terms, at most 2^15, to those of a register's lanes.
    fn flush(self, sums: Self::Sums, terms: usize, to: &mut [i64]);
    /// So many sums of no terms.
    fn column(self, len: usize) -> Self::Column;
    /// As [`Summing::add_term`], to the sums from number `at` on.
    fn add_at(self, column: &mut Self::Column, at: usize, term: Self::D);
    /// Adds all sums to others, and has none again.
    fn hand_over(self, column: &mut Self::Column, to: &mut [i64]);
}

/// As [`Arithmetic::pieces`], lane by lane.
#[inline(always)]
fn pieces<L: Summing, const N: usize>(lanes: L, polynomials: &[[f64; N]], x: L::D) -> L::D {
    let mut rest = [L::Number::default(); MOST_LANES];
    lanes.store(x, &mut rest);
    let mut rows = [[L::Number::default(); MOST_LANES]; N];
    for lane in 0..L::LANES {
        let (k, beyond) = rest[lane].split(polynomials.len() - 1);
        rest[lane] = beyond;
        for (row, &coefficient) in rows.iter_mut().zip(&polynomials[k]) {
            row[lane] = L::Number::of(coefficient);
        }
    }
    let coefficients = rows.map(|row| lanes.load(&row));
    lanes.horner(coefficients, lanes.load(&rest))
}

impl<S: Simd> Arithmetic for Lanes<S> {
    const ROOT: RootSteps = ROOT_STEPS;

    #[inline(always)]
    fn splat(self, value: f64) -> S::D {
        self.0.splat_d(value)
    }
    #[inline(always)]
    fn seed(self, a: S::D) -> S::D {
        self.0.inverse_root_seed(a)
    }
    #[inline(always)]
    fn pieces<const N: usize>(self, polynomials: &[[f64; N]], x: S::D) -> S::D {
        pieces(self, polynomials, x)
    }
}

impl<S: Simd> Summing for Lanes<S> {
    type Sums = S::I;
    type Column = Vec<i64>;
    const MOST_TERMS: usize = usize::MAX;

    #[inline(always)]
    fn min(self, a: S::D, b: S::D) -> S::D {
        self.0.min_d(a, b)
    }
    #[inline(always)]
    fn none(self) -> S::I {
        self.0.load_i(&[0; MOST_LANES])
    }
    #[inline(always)]
    fn add_term(self, sums: S::I, term: S::D) -> S::I {
        self.0.add_rounded(sums, term)
    }
    #[inline(always)]
    fn flush(self, sums: S::I, _terms: usize, to: &mut [i64]) {
        let mut own = [0; MOST_LANES];
        self.0.store_i(sums, &mut own);
        for (to, own) in to[..S::DOUBLES].iter_mut().zip(own) {
            *to += own;
        }
    }
    #[inline(always)]
    fn column(self, len: usize) -> Vec<i64> {
        vec![0; len]
    }
    #[inline(always)]
    fn add_at(self, column: &mut Vec<i64>, at: usize, term: S::D) {
        let sums = &mut column[at..at + S::DOUBLES];
        let sum = self.0.add_rounded(self.0.load_i(sums), term);
        self.0.store_i(sum, sums);
    }
    #[inline(always)]
    fn hand_over(self, column: &mut Vec<i64>, to: &mut [i64]) {
        for (to, own) in to.iter_mut().zip(column) {
            *to += std::mem::take(own);
        }
    }
}

impl<S: Simd> Arithmetic for Lanes32<S> {
    const ROOT: RootSteps = ROOT_STEPS_32;

    #[inline(always)]
    fn splat(self, value: f64) -> S::F {
        self.0.splat(value as f32)
    }
    #[inline(always)]
    fn seed(self, a: S::F) -> S::F {
        let half = self.0.shift_right(self.0.bits(a), 1);
        self.0
            .floats(self.0.sub_u(self.0.splat_u(ROOT_SEED_32), half))
    }
    #[inline(always)]
    fn pieces<const N: usize>(self, polynomials: &[[f64; N]], x: S::F) -> S::F {
        pieces(self, polynomials, x)
    }
}

/// What makes 32-bit integers unsigned.
const BIAS: u32 = 1 << 31;

impl<S: Simd> Summing for Lanes32<S> {
    /// The sums of the lower and of the upper halves of biased terms.
    type Sums = [S::U; 2];
    /// The sums of terms, which wrap, and those of their upper halves, which tell what was lost.
    type Column = [Vec<u32>; 2];
    const MOST_TERMS: usize = 1 << 16;

    #[inline(always)]
    fn min(self, a: S::F, b: S::F) -> S::F {
        // Floats without a sign are in the order of their bits.
        let least = self.0.min_u(self.0.bits(a), self.0.bits(b));
        self.0.floats(least)
    }
    #[inline(always)]
    fn none(self) -> [S::U; 2] {
        [self.0.splat_u(0); 2]
    }
    #[inline(always)]
    fn add_term(self, [low, high]: [S::U; 2], term: S::F) -> [S::U; 2] {
        let biased = self.0.xor(self.0.round(term), self.0.splat_u(BIAS));
        let lower = self.0.and(biased, self.0.splat_u(0xffff));
        let upper = self.0.shift_right(biased, 16);
        [self.0.add_u(low, lower), self.0.add_u(high, upper)]
    }
    #[inline(always)]
    fn flush(self, sums: [S::U; 2], terms: usize, to: &mut [i64]) {
        let mut own = [[0; MOST_LANES]; 2];
        self.0.store_u(sums[0], &mut own[0]);
        self.0.store_u(sums[1], &mut own[1]);
        let bias = terms as i64 * i64::from(BIAS);
        for (lane, to) in to[..S::LANES].iter_mut().enumerate() {
            *to += ((i64::from(own[1][lane]) << 16) + i64::from(own[0][lane])) - bias;
        }
    }
    #[inline(always)]
    fn column(self, len: usize) -> [Vec<u32>; 2] {
        [vec![0; len], vec![0; len]]
    }
    #[inline(always)]
    fn add_at(self, [sums, upper]: &mut [Vec<u32>; 2], at: usize, term: S::F) {
        let term = self.0.round(term);
        let sums = &mut sums[at..at + S::LANES];
        self.0
            .store_u(self.0.add_u(self.0.load_u(sums), term), sums);
        let upper = &mut upper[at..at + S::LANES];
        let half = self.0.upper_half(term);
        self.0
            .store_u(self.0.add_u(self.0.load_u(upper), half), upper);
    }
    #[inline(always)]
    fn hand_over(self, [sums, upper]: &mut [Vec<u32>; 2], to: &mut [i64]) {
        for (to, (sum, upper)) in to.iter_mut().zip(sums.iter_mut().zip(upper)) {
            // Terms are their upper halves times 2^16, and what is left: together less than 2^32 of at most 2^16 terms.
            let floor = i64::from(std::mem::take(upper).cast_signed()) << 16;
            *to += floor + i64::from(std::mem::take(sum).wrapping_sub(floor as u32));
        }
    }
}
