//! The operations that terms are made of, on one number or on lanes: each rounds as IEEE says, so that both give the same bits.

use crate::simd::{ROOT_SEED, Simd};

/// Numbers of one kind.
pub(crate) trait Arithmetic: Copy {
    /// A number, or a register of them.
    type D: Copy;
    /// The same number everywhere.
    fn splat(self, value: f64) -> Self::D;
    /// `a - b`.
    fn sub(self, a: Self::D, b: Self::D) -> Self::D;
    /// `a * b`.
    fn mul(self, a: Self::D, b: Self::D) -> Self::D;
    /// The greater of both.
    fn max(self, a: Self::D, b: Self::D) -> Self::D;
    /// `value` where `a < b`, else 0.
    fn where_less(self, a: Self::D, b: Self::D, value: Self::D) -> Self::D;
    /// As [`Simd::inverse_root_seed`].
    fn seed(self, a: Self::D) -> Self::D;

    /// `1 / sqrt(a)` of positive, normal `a` from 1e-300 on, within 4 half units in the last place.
    ///
    /// The seed is off by a factor 1 - e, e at most 0.0343, and each step of Newton's takes e to less than 1.5 e^2: 1.8e-3, 4.8e-6, 3.5e-11
    /// and 2e-21. What is left are the roundings of the last step, with u = 2^-53: those of two products in one that is near 1/2, that of a
    /// difference near 1, and the last product's: 2u/2 + u + u, and a little.
    #[inline(always)]
    fn inverse_root(self, a: Self::D) -> Self::D {
        let (half, bound) = (self.mul(a, self.splat(0.5)), self.splat(1.5));
        let mut y = self.seed(a);
        for _ in 0..4 {
            let t = self.mul(half, self.mul(y, y));
            y = self.mul(y, self.sub(bound, t));
        }
        y
    }
}

/// One number at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scalar;

impl Arithmetic for Scalar {
    type D = f64;

    #[inline(always)]
    fn splat(self, value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn sub(self, a: f64, b: f64) -> f64 {
        a - b
    }
    #[inline(always)]
    fn mul(self, a: f64, b: f64) -> f64 {
        a * b
    }
    #[inline(always)]
    fn max(self, a: f64, b: f64) -> f64 {
        if a > b { a } else { b }
    }
    #[inline(always)]
    fn where_less(self, a: f64, b: f64, value: f64) -> f64 {
        if a < b { value } else { 0.0 }
    }
    #[inline(always)]
    fn seed(self, a: f64) -> f64 {
        f64::from_bits(ROOT_SEED - (a.to_bits() >> 1))
    }
}

/// A register of lanes.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<S>(pub(crate) S);

impl<S: Simd> Arithmetic for Lanes<S> {
    type D = S::D;

    #[inline(always)]
    fn splat(self, value: f64) -> S::D {
        self.0.splat_d(value)
    }
    #[inline(always)]
    fn sub(self, a: S::D, b: S::D) -> S::D {
        self.0.sub_d(a, b)
    }
    #[inline(always)]
    fn mul(self, a: S::D, b: S::D) -> S::D {
        self.0.mul_d(a, b)
    }
    #[inline(always)]
    fn max(self, a: S::D, b: S::D) -> S::D {
        self.0.max_d(a, b)
    }
    #[inline(always)]
    fn where_less(self, a: S::D, b: S::D, value: S::D) -> S::D {
        let less = self.0.less_d(a, b);
        self.0.select_d(less, value, self.0.splat_d(0.0))
    }
    #[inline(always)]
    fn seed(self, a: S::D) -> S::D {
        self.0.inverse_root_seed(a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_roots_are_within_their_bound() {
        let mut worst: f64 = 0.0;
        for k in 0..200_000 {
            let x = 1.0 + 3.0 * f64::from(k) / 200_000.0;
            // In twice the precision: x y^2 = 1 + 2 d, with y = (1 + d) / sqrt(x).
            let y = Scalar.inverse_root(x);
            let square = y * y;
            let low = y.mul_add(y, -square);
            let product = square * x;
            let rest = square.mul_add(x, -product) + low * x;
            worst = worst.max(f64::midpoint(product - 1.0, rest).abs());
            // Powers of four change the exponent alone.
            assert_eq!(Scalar.inverse_root(x * 2f64.powi(-80)), y * 2f64.powi(40));
        }
        assert!(worst <= 4.0 * 2f64.powi(-53), "{worst:e}");
        assert!(worst > 2f64.powi(-54), "the search sees roundings");
        assert!(Scalar.inverse_root(1e-300).is_finite());
    }
}
