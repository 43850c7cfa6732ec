//! What terms are made of beside the operations that all rules have: inverse roots, polynomials and functions that are looked up.
//!
//! Entry: [`Arithmetic`], of one [`Element`] at a time here, of registers of them in `lanes`.

use albireo_simd::{Operations, ROOT_SEED, ROUNDING, Scalar, Scalar32};

/// What the seed of a float32 inverse square root is made of (Lomont 2003).
pub(super) const ROOT_SEED_32: u32 = 0x5f37_5a86;

/// Adding it to |x| < 2^22 rounds x to an integer, ties to even.
const ROUNDING_32: f32 = 12_582_912.0;

/// How the seed y of an inverse root of a is brought to its last place, with x = a y^2 - 1: 1 / sqrt(a) = y (1 + x)^(-1/2).
#[derive(Debug, Clone, Copy)]
pub(crate) struct RootSteps {
    /// A polynomial in x, coefficients in order of their powers, that takes y nearer; none where there are no coefficients.
    pub(super) nearer: &'static [f64],
    /// The coefficients from the first power on of one that begins with 1, for x after that: (1 + x)^(-1/2).
    pub(super) series: &'static [f64],
}

/// Seeds have x from -0.06755 to 0.06911. The quadratic nearest to (1 + x)^(-1/2) there is off by at most 2.5e-5 of it, so that x is then at
/// most 5.0e-5, and Taylor's polynomial leaves out 35/128 x^4, at most 1.8e-18.
pub(super) const ROOT_STEPS: RootSteps = RootSteps {
    nearer: &[
        1.000_000_213_310_912_7,
        -0.501_095_922_217_185_2,
        0.375_502_235_956_144_4,
    ],
    series: &[-0.5, 0.375, -0.3125],
};

/// The quartic nearest to (1 + x)^(-1/2), for the same x, is off by at most 2.3e-8 of it; 6.6e-10 are added where it begins with 1.
pub(super) const ROOT_STEPS_32: RootSteps = RootSteps {
    nearer: &[],
    series: &[
        -0.499_998_320_090_738_7,
        0.375_000_700_796_308_6,
        -0.313_939_374_241_951_5,
        0.274_036_990_086_218_8,
    ],
};

/// Numbers of one kind.
pub(crate) trait Arithmetic: Operations {
    /// What brings the seed of an inverse root to its last place.
    const ROOT: RootSteps;
    /// The same number everywhere, rounded to what the kind holds.
    fn splat(self, value: f64) -> Self::D;
    /// The bits of `a` without the last, from those of [`ROOT_SEED`].
    fn seed(self, a: Self::D) -> Self::D;
    /// Of polynomials, one for each whole number from 0 on, that whose number is nearest to `x`, at the distance of `x` from it; coefficients
    /// come in order of their powers. The first and the last polynomial go on beyond their own pieces, by as much as `x` is rounded where it
    /// means an end of the table.
    fn pieces<const N: usize>(self, polynomials: &[[f64; N]], x: Self::D) -> Self::D;

    /// `1 / sqrt(a)` of positive, normal `a` from 1e-300 (float32: 1e-36) on, within 4 half units in the last place.
    ///
    /// With u = 2^-53 (2^-24): the rounding of a product near 1 makes u of x, so u/2; the last of a sum near 1 makes u, as the last product
    /// does; the polynomial is off by 0.02 u (0.4 u), and what else is rounded is small: at most 0.07 u.
    #[inline(always)]
    fn inverse_root(self, a: Self::D) -> Self::D {
        let (y, x) = self.root_parts(a);
        self.mul(y, self.polynomial(Self::ROOT.series, x, self.splat(1.0)))
    }

    /// `factor / sqrt(a)`, times `other`: [`Arithmetic::inverse_root`] in which the factor takes the place of 1, and so costs no rounding of
    /// its own; the product with `other` does, and coefficients do where x is small.
    #[inline(always)]
    fn over_root(self, factor: Self::D, other: Self::D, a: Self::D) -> Self::D {
        let (y, x) = self.root_parts(a);
        let (last, others) = (Self::ROOT.series.len() - 1, Self::ROOT.series);
        let mut sum = self.mul(factor, self.splat(others[last]));
        for &coefficient in others[..last].iter().rev() {
            sum = self.fused(sum, x, self.mul(factor, self.splat(coefficient)));
        }
        self.mul(self.mul(other, y), self.fused(sum, x, factor))
    }

    /// A number y near `1 / sqrt(a)`, and a y^2 - 1.
    #[inline(always)]
    fn root_parts(self, a: Self::D) -> (Self::D, Self::D) {
        let minus_one = self.splat(-1.0);
        let mut y = self.seed(a);
        let mut x = self.fused(self.mul(a, y), y, minus_one);
        if let Some((&first, others)) = Self::ROOT.nearer.split_first() {
            y = self.mul(y, self.polynomial(others, x, self.splat(first)));
            x = self.fused(self.mul(a, y), y, minus_one);
        }
        (y, x)
    }

    /// The polynomial that begins with `first` and has these coefficients of the powers from the first on, by Horner's rule.
    #[inline(always)]
    fn polynomial(self, coefficients: &'static [f64], x: Self::D, first: Self::D) -> Self::D {
        let last = coefficients.len() - 1;
        let mut sum = self.splat(coefficients[last]);
        for &coefficient in coefficients[..last].iter().rev() {
            sum = self.fused(sum, x, self.splat(coefficient));
        }
        self.fused(sum, x, first)
    }

    /// The polynomial with these coefficients, by Horner's rule.
    #[inline(always)]
    fn horner<const N: usize>(self, coefficients: [Self::D; N], x: Self::D) -> Self::D {
        let mut sum = coefficients[N - 1];
        for k in (0..N - 1).rev() {
            sum = self.fused(sum, x, coefficients[k]);
        }
        sum
    }
}

/// A number that terms are made of: float64 or float32.
pub(crate) trait Element: Copy + PartialOrd + Send + Sync + Default + 'static {
    /// The arithmetic of one number at a time.
    type One: Arithmetic<D = Self>;
    /// One number at a time.
    const ONE: Self::One;
    /// More than the roundings of a squared separation, relative to it.
    const SLACK: f64;
    /// The nearest.
    fn of(value: f64) -> Self;
    /// The same number in float64.
    fn real(self) -> f64;
    /// The nearest integer, ties to even.
    fn rounded(self) -> i64;
    /// The nearest whole number from 0 to `last`, and what is left.
    fn split(self, last: usize) -> (usize, Self);
}

impl Element for f64 {
    type One = Scalar;
    const ONE: Scalar = Scalar;
    const SLACK: f64 = 1e-9;

    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn real(self) -> f64 {
        self
    }
    #[inline(always)]
    fn rounded(self) -> i64 {
        self.round_ties_even() as i64
    }
    #[inline(always)]
    fn split(self, last: usize) -> (usize, f64) {
        let whole = ((self + ROUNDING) - ROUNDING).max(0.0).min(last as f64);
        (whole as usize, self - whole)
    }
}

impl Element for f32 {
    type One = Scalar32;
    const ONE: Scalar32 = Scalar32;
    const SLACK: f64 = 1e-6;

    #[inline(always)]
    fn of(value: f64) -> f32 {
        value as f32
    }
    #[inline(always)]
    fn real(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn rounded(self) -> i64 {
        self.round_ties_even() as i64
    }
    #[inline(always)]
    fn split(self, last: usize) -> (usize, f32) {
        let whole = ((self + ROUNDING_32) - ROUNDING_32)
            .max(0.0)
            .min(last as f32);
        (whole as usize, self - whole)
    }
}

/// The arithmetic of one number, which both kinds have.
macro_rules! scalar {
    ($name:ty, $number:ty, $steps:ident, $seed:ident) => {
        impl Arithmetic for $name {
            const ROOT: RootSteps = $steps;

            #[inline(always)]
            fn splat(self, value: f64) -> $number {
                value as $number
            }
            #[inline(always)]
            fn seed(self, a: $number) -> $number {
                <$number>::from_bits($seed - (a.to_bits() >> 1))
            }
            #[inline(always)]
            fn pieces<const N: usize>(self, polynomials: &[[f64; N]], x: $number) -> $number {
                let (k, rest) = x.split(polynomials.len() - 1);
                self.horner(polynomials[k].map(|c| c as $number), rest)
            }
        }
    };
}

scalar!(Scalar, f64, ROOT_STEPS, ROOT_SEED);
scalar!(Scalar32, f32, ROOT_STEPS_32, ROOT_SEED_32);

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

    /// All float32 numbers between two powers of four, one in eleven.
    #[test]
    fn inverse_roots_of_float32_are_within_their_bound() {
        let mut worst: f64 = 0.0;
        for bits in (1f32.to_bits()..4f32.to_bits()).step_by(11) {
            let x = f32::from_bits(bits);
            let y = f64::from(Scalar32.inverse_root(x));
            worst = worst.max((y * f64::from(x).sqrt() - 1.0).abs());
        }
        assert!(worst <= 4.0 * 2f64.powi(-24), "{worst:e}");
        assert!(worst > 2f64.powi(-25), "the search sees roundings");
        assert!(Scalar32.inverse_root(1e-36).is_finite());
    }
}
