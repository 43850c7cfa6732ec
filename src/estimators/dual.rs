//! Numbers that carry their derivatives, so that a formula written once gives its value and its gradient.
//!
//! Entry: [`Dual`]. Forward automatic differentiation: Wengert 1964, DOI 10.1145/355586.364791.

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
        let nothing = x.over(y - 5.0);
        assert!(nothing.value.is_nan() && nothing.slopes.iter().all(|slope| slope.is_nan()));
    }
}
