//! Numbers that carry their derivatives, so that a formula written once gives its value and its gradient.
//!
//! Entry: [`Dual`]. Forward automatic differentiation: Wengert 1964, DOI 10.1145/355586.364791.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "exponents of formulas are small"
)]

use std::ops::{Add, Mul, Sub};

use super::ratio;

/// A value and its derivatives with respect to the logarithms of `N` inputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dual<const N: usize> {
    pub(super) value: f64,
    pub(super) slopes: [f64; N],
}

impl<const N: usize> Dual<N> {
    /// Input number `k`: x grows by x for each unit of ln x.
    pub(super) fn input(k: usize, value: f64) -> Self {
        let mut slopes = [0.0; N];
        slopes[k] = value;
        Self { value, slopes }
    }

    /// A number that depends on no input.
    pub(super) fn constant(value: f64) -> Self {
        Self {
            value,
            slopes: [0.0; N],
        }
    }

    /// `self` to the power of `exponent`, a product of its factors where that is a whole number; NaN for no number, such as 1/0 or the root of
    /// -1.
    pub(super) fn to_the(self, exponent: f64) -> Self {
        const FACTORS: f64 = 64.0;
        if exponent.trunc() == exponent && exponent.abs() <= FACTORS {
            let factors = (1..exponent.abs() as u32).map(|_| self);
            let one = Self::constant(1.0);
            let product = factors.fold(self, |product, factor| product * factor);
            return match exponent {
                0.0 => one,
                _ if exponent < 0.0 => one.over(product),
                _ => product,
            };
        }
        if self.value < 0.0 || (self.value == 0.0 && exponent < 0.0) {
            return Self::constant(f64::NAN);
        }
        let steep = exponent * libm::pow(self.value, exponent - 1.0);
        Self {
            value: libm::pow(self.value, exponent),
            slopes: self
                .slopes
                .map(|slope| if slope == 0.0 { 0.0 } else { steep * slope }),
        }
    }

    /// `self / denominator`, NaN over zero.
    pub(super) fn over(self, denominator: Self) -> Self {
        let value = ratio(self.value, denominator.value);
        let slope = |k: usize| {
            let change = self.slopes[k] - value * denominator.slopes[k];
            ratio(change, denominator.value)
        };
        Self {
            value,
            slopes: std::array::from_fn(slope),
        }
    }

    fn each(self, other: Self, value: f64, slope: impl Fn(f64, f64) -> f64) -> Self {
        let slope = |k: usize| slope(self.slopes[k], other.slopes[k]);
        Self {
            value,
            slopes: std::array::from_fn(slope),
        }
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.each(other, self.value + other.value, |a, b| a + b)
    }
}

impl<const N: usize> Sub for Dual<N> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.each(other, self.value - other.value, |a, b| a - b)
    }
}

impl<const N: usize> Sub<f64> for Dual<N> {
    type Output = Self;

    fn sub(self, constant: f64) -> Self {
        Self {
            value: self.value - constant,
            ..self
        }
    }
}

impl<const N: usize> Mul for Dual<N> {
    type Output = Self;

    #[allow(clippy::suspicious_arithmetic_impl, reason = "the product rule adds")]
    fn mul(self, other: Self) -> Self {
        let (x, y) = (self.value, other.value);
        self.each(other, x * y, |a, b| a * y + x * b)
    }
}

impl<const N: usize> Mul<Dual<N>> for f64 {
    type Output = Dual<N>;

    fn mul(self, x: Dual<N>) -> Dual<N> {
        Dual {
            value: self * x.value,
            slopes: x.slopes.map(|slope| self * slope),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_those_of_the_calculus() {
        let (x, y) = (Dual::<2>::input(0, 3.0), Dual::input(1, 5.0));
        // f = (x y - 2 x)/(y + x) - 4: df/dx = y (y - 2)/(x + y)^2, df/dy = x (x + 2)/(x + y)^2, each times its variable.
        let f = (x * y - 2.0 * x).over(y + x) - 4.0;
        assert_eq!(f.value, 9.0 / 8.0 - 4.0);
        let expected = [3.0 * 15.0 / 64.0, 5.0 * 15.0 / 64.0];
        for (found, expected) in f.slopes.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        // x^1.5 / y^2 - y^-1: derivatives 1.5 and -2 times the first term, and -1 times the second.
        let f = x.to_the(1.5).over(y.to_the(2.0)) - y.to_the(-1.0);
        let (first, second) = (3.0f64.powf(1.5) / 25.0, 0.2);
        assert!((f.value - (first - second)).abs() < 1e-15);
        assert!((f.slopes[0] - 1.5 * first).abs() < 1e-15);
        assert!((f.slopes[1] - (second - 2.0 * first)).abs() < 1e-15);
        assert_eq!(x.to_the(0.0).value, 1.0);
        assert!((x - 4.0).to_the(0.5).value.is_nan() && (x - 3.0).to_the(-2.0).value.is_nan());
        let nothing = x.over(y - 5.0);
        assert!(nothing.value.is_nan() && nothing.slopes.iter().all(|slope| slope.is_nan()));
    }
}
