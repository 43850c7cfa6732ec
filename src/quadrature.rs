//! Quadrature with nodes of its own making: Gauss and Legendre's for smooth functions, the double exponential rule where ends are rough.

use crate::legendre::legendre;

/// Points of the rule: exact for polynomials up to degree 2 POINTS - 1.
const POINTS: u32 = 16;

/// Nodes and weights on [-1, 1].
#[derive(Debug, Clone)]
pub struct GaussLegendre {
    nodes: Vec<(f64, f64)>,
}

impl Default for GaussLegendre {
    /// The rule: nodes are the zeros of `P_n`, weights `2 (1 - x^2) / (n P_{n-1}(x))^2`.
    fn default() -> Self {
        let n = f64::from(POINTS);
        let node = |k: u32| {
            let guess = std::f64::consts::PI * (f64::from(k) + 0.75) / (n + 0.5);
            let mut x = libm::cos(guess);
            // Newton doubles the digits at each step; the guess has at least two.
            for _ in 0..6 {
                let slope = n * (legendre(POINTS - 1, x) - x * legendre(POINTS, x)) / (1.0 - x * x);
                x -= legendre(POINTS, x) / slope;
            }
            let below = n * legendre(POINTS - 1, x);
            (x, 2.0 * (1.0 - x * x) / (below * below))
        };
        Self {
            nodes: (0..POINTS).map(node).collect(),
        }
    }
}

impl GaussLegendre {
    /// The points of the panel from `a` to `b`, with their weights.
    pub fn points(&self, a: f64, b: f64) -> impl Iterator<Item = (f64, f64)> {
        let (centre, half) = (f64::midpoint(a, b), (b - a) / 2.0);
        let points = self.nodes.iter();
        points.map(move |&(x, w)| (centre + half * x, half * w))
    }

    /// The integral of `f` from `a` to `b` in one panel.
    pub fn integrate(&self, a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
        let (centre, half) = (f64::midpoint(a, b), (b - a) / 2.0);
        let terms = self.nodes.iter().map(|&(x, w)| w * f(centre + half * x));
        half * terms.sum::<f64>()
    }
}

/// The double exponential rule (Takahasi & Mori 1974, DOI 10.2977/prims/1195192451), for functions that go like roots at the ends.
#[derive(Debug, Clone)]
pub struct DoubleExponential {
    /// The distance of each node from the nearer end of [-1, 1], negative of those near 1, and its weight.
    nodes: Vec<(f64, f64)>,
}

impl Default for DoubleExponential {
    /// The rule: `x = tanh(pi/2 sinh t)` at equal steps of t.
    fn default() -> Self {
        let half_pi = std::f64::consts::FRAC_PI_2;
        let node = |k: i32| {
            let t = f64::from(k) * Self::STEP;
            let u = half_pi * libm::sinh(t);
            let cosh = libm::cosh(u);
            let from_end = 1.0 / (libm::exp(u.abs()) * cosh);
            let weight = Self::STEP * half_pi * libm::cosh(t) / (cosh * cosh);
            (if k > 0 { -from_end } else { from_end }, weight)
        };
        Self {
            nodes: (-Self::HALF..=Self::HALF).map(node).collect(),
        }
    }
}

impl DoubleExponential {
    /// Nodes to each side of the middle, and the step between them in t.
    const HALF: i32 = 48;
    const STEP: f64 = 1.0 / 14.0;

    /// The integral of `f` from `a` to `b`; 0 unless a < b.
    pub fn integrate(&self, a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
        let half = (b - a) / 2.0;
        if half.is_nan() || half <= 0.0 {
            return 0.0;
        }
        let term = |&(from_end, weight): &(f64, f64)| {
            let x = if from_end > 0.0 {
                a + half * from_end
            } else {
                b + half * from_end
            };
            weight * f(x)
        };
        half * self.nodes.iter().map(term).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_exact_for_polynomials() {
        let rule = GaussLegendre::default();
        let weights: f64 = rule.nodes.iter().map(|(_, w)| w).sum();
        assert!((weights - 2.0).abs() < 1e-14);
        for degree in 0..32 {
            let exact = 2f64.powi(degree + 1) / f64::from(degree + 1);
            let found = rule.integrate(0.0, 2.0, |x| x.powi(degree));
            assert!((found / exact - 1.0).abs() < 1e-13, "degree {degree}");
        }
        // One degree further the rule is no longer exact.
        let error = rule.integrate(-1.0, 1.0, |x| (x * x).powi(16)) / (2.0 / 33.0) - 1.0;
        assert!(error.abs() > 1e-12);
    }

    #[test]
    fn roots_at_the_ends_do_no_harm() {
        let rule = DoubleExponential::default();
        let circle = rule.integrate(-1.0, 1.0, |x| (1.0 - x * x).max(0.0).sqrt());
        assert!((circle / std::f64::consts::FRAC_PI_2 - 1.0).abs() < 1e-14);
        let root = rule.integrate(2.0, 5.0, |x| (x - 2.0).powf(1.5));
        assert!((root / (3f64.powf(2.5) / 2.5) - 1.0).abs() < 1e-14);
        assert_eq!(rule.integrate(1.0, 1.0, |_| f64::NAN), 0.0);
    }
}
