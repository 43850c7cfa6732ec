//! Functions that terms look up: the Boys function and the exponential, made once, and tables of users.
//!
//! Entry: [`boys`], [`exponential`], [`Table`]. What is looked up is a polynomial; terms evaluate it.

use std::sync::LazyLock;

use crate::error::{FieldError, Result};

/// Pieces of the tables in a unit of their argument.
pub(super) const PIECES: f64 = 8.0;

/// Arguments of the tables end here: erfc(sqrt(x)) and exp(-x) are below 1e-19.
pub(super) const FARTHEST: f64 = 44.0;

/// Bound on the error of the polynomials of the two functions, each of which is 1 at 0.
///
/// Coefficients of the Boys function are within 256 half units of themselves (see [`boys_functions`]), those of the exponential within 4.
/// The first that is left out is at most (1/16)^8 / (17 * 8!) or (1/16)^9 / 9!: 3.4e-16 and 4e-17.
pub(super) const TABLE_ERROR: f64 = 260.0 * f64::EPSILON / 2.0;

/// `F_0` to `F_7` of x, `F_n` the integral of t^(2n) exp(-x t^2) over t from 0 to 1 (Boys 1950, DOI 10.1098/rspa.1950.0036).
///
/// `F_7` by its series of positive terms, from the least on, in Horner's form: a step takes the relative error e to p (e + 2) + 1 half units, p
/// being the share of what is multiplied, which for no x of the table adds up to more than 111; exp and the last two operations add 4. The others by
/// (2n - 1) `F_(n-1)` = 2 x `F_n` + exp(-x), whose sum is of positive numbers: four roundings each.
fn boys_functions(x: f64) -> [f64; 8] {
    let exp = libm::exp(-x);
    let mut series = 1.0;
    for i in (0..400).rev() {
        series = 1.0 + 2.0 * x / f64::from(17 + 2 * i) * series;
    }
    let mut found = [0.0; 8];
    found[7] = exp * series / 15.0;
    for n in (1..8).rev() {
        found[n - 1] = (2.0 * x * found[n] + exp) / (2 * n - 1) as f64;
    }
    found
}

/// Taylor's polynomial of a function whose n-th derivative is (-1)^n times what is given, in pieces.
fn taylor<const N: usize>(derivatives: [f64; N]) -> [f64; N] {
    let mut factor = 1.0;
    let mut n = 0.0;
    derivatives.map(|derivative| {
        let coefficient = derivative * factor;
        n += 1.0;
        factor /= -PIECES * n;
        coefficient
    })
}

fn made<const N: usize>(at: impl Fn(f64) -> [f64; N]) -> Vec<[f64; N]> {
    let last = (FARTHEST * PIECES) as u32;
    let piece = |k: u32| taylor(at(f64::from(k) / PIECES));
    (0..=last).map(piece).collect()
}

/// The Boys function of order 0, of which the n-th derivative is (-1)^n `F_n`.
pub(super) fn boys() -> &'static [[f64; 8]] {
    static BOYS: LazyLock<Vec<[f64; 8]>> = LazyLock::new(|| made(boys_functions));
    &BOYS
}

/// exp(-x).
pub(super) fn exponential() -> &'static [[f64; 9]] {
    static EXP: LazyLock<Vec<[f64; 9]>> = LazyLock::new(|| made(|x| [libm::exp(-x); 9]));
    &EXP
}

/// The most nodes of a table.
const MOST: usize = 1 << 20;

/// How far nodes may lie from where equal steps have them, relative to the last.
const UNEVEN: f64 = 1e-9;

/// A function of the distance by its values at equally distant nodes: the natural cubic spline through them.
///
/// ```
/// use albireo_fields::Table;
/// let table = Table::new(&[0.5, 1.0, 1.5, 2.0], &[4.0, 2.0, 1.0, 0.0])?;
/// assert_eq!(table.nodes(), (0.5, 2.0, 4));
/// # Ok::<(), albireo_fields::FieldError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    first: f64,
    last: f64,
    /// Of each step, round its middle.
    pieces: Vec<[f64; 4]>,
}

impl Table {
    /// The spline through (r, value), in any units.
    ///
    /// # Errors
    /// Fewer than three or more than 2^20 nodes, as many values, numbers that are not finite, distances that are not positive or do not
    /// rise in equal steps (to 1e-9 of the last), all values 0.
    pub fn new(r: &[f64], values: &[f64]) -> Result<Self> {
        let wrong =
            |row: usize, what: &'static str, found: f64| FieldError::Table { row, what, found };
        let n = r.len();
        if !(3..=MOST).contains(&n) || values.len() != n {
            return Err(wrong(
                n,
                "3 to 1048576 rows of a distance and a value",
                n as f64,
            ));
        }
        let (first, last) = (r[0], r[n - 1]);
        if !(first >= 1e-100 && last > first && last <= 1e100) {
            let row = if first >= 1e-100 { n - 1 } else { 0 };
            return Err(wrong(
                row,
                "a positive distance beyond those before",
                r[row],
            ));
        }
        let step = (last - first) / (n - 1) as f64;
        for (row, (&r, &value)) in r.iter().zip(values).enumerate() {
            let even = first + row as f64 * step;
            let off = (r - even).abs();
            if off.is_nan() || off > UNEVEN * last {
                return Err(wrong(row, "a distance in equal steps", r));
            }
            if !value.is_finite() {
                return Err(wrong(row, "a finite value", value));
            }
        }
        if values.iter().all(|&value| value == 0.0) {
            return Err(wrong(0, "a value other than 0 somewhere", 0.0));
        }
        let pieces = spline(values);
        Ok(Self {
            first,
            last,
            pieces,
        })
    }

    /// The first and the last distance, and how many nodes there are.
    pub fn nodes(&self) -> (f64, f64, usize) {
        (self.first, self.last, self.pieces.len() + 1)
    }

    /// The distance of nodes.
    pub(super) fn step(&self) -> f64 {
        (self.last - self.first) / self.pieces.len() as f64
    }

    pub(super) fn pieces(&self) -> &[[f64; 4]] {
        &self.pieces
    }

    /// Bounds on the magnitude of the function, and on that of its slope a step.
    pub(super) fn bounds(&self) -> (f64, f64) {
        let each = self.pieces.iter().map(|piece| {
            let [a, b, c, d] = piece.map(f64::abs);
            (a + b / 2.0 + c / 4.0 + d / 8.0, b + c + 0.75 * d)
        });
        each.fold((0.0, 0.0), |(most, steepest), (value, slope)| {
            (f64::max(most, value), f64::max(steepest, slope))
        })
    }
}

/// The natural cubic spline through values at whole numbers, round the middle of each step.
fn spline(values: &[f64]) -> Vec<[f64; 4]> {
    let n = values.len();
    // m[k-1] + 4 m[k] + m[k+1] = 6 (v[k-1] - 2 v[k] + v[k+1]), without bends at the ends: elimination, and back.
    let (mut upper, mut m) = (vec![0.0; n], vec![0.0; n]);
    for k in 1..n - 1 {
        let bend = 6.0 * ((values[k - 1] - values[k]) + (values[k + 1] - values[k]));
        let pivot = 4.0 - upper[k - 1];
        upper[k] = 1.0 / pivot;
        m[k] = (bend - m[k - 1]) / pivot;
    }
    for k in (1..n - 1).rev() {
        m[k] -= upper[k] * m[k + 1];
    }
    let piece = |k: usize| {
        let (c, d) = (m[k] / 2.0, (m[k + 1] - m[k]) / 6.0);
        let b = (values[k + 1] - values[k]) - (2.0 * m[k] + m[k + 1]) / 6.0;
        let a = values[k];
        [
            a + b / 2.0 + c / 4.0 + d / 8.0,
            b + c + 0.75 * d,
            c + 1.5 * d,
            d,
        ]
    };
    (0..n - 1).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::Arithmetic;
    use albireo_simd::Scalar;

    #[test]
    fn tables_are_their_functions() {
        let (mut worst, mut worst_exp): (f64, f64) = (0.0, 0.0);
        for k in 0..=200_000 {
            let x = FARTHEST * f64::from(k) / 200_000.0;
            let found = Scalar.pieces(boys(), x * PIECES);
            let root = x.sqrt();
            let expected = if k == 0 {
                1.0
            } else {
                std::f64::consts::PI.sqrt() / 2.0 / root * libm::erf(root)
            };
            worst = worst.max((found - expected).abs());
            let found = Scalar.pieces(exponential(), x * PIECES);
            worst_exp = worst_exp.max((found - libm::exp(-x)).abs());
        }
        assert!(worst < 1e-15, "{worst:e}");
        assert!(worst_exp < 1e-15, "{worst_exp:e}");
        assert!(worst > 0.0 && worst_exp > 0.0, "the search sees roundings");
    }

    /// Known values: `F_0(1)` = 0.746824132812427, `F_n(0)` = 1/(2n + 1).
    #[test]
    fn boys_functions_are_known_numbers() {
        assert!((boys_functions(1.0)[0] - 0.746_824_132_812_427).abs() < 1e-15);
        for (n, found) in boys_functions(0.0).into_iter().enumerate() {
            assert!((found - 1.0 / (2 * n + 1) as f64).abs() < 1e-16);
        }
    }

    #[test]
    fn splines_pass_through_their_values_smoothly() {
        let values = [3.0, -1.0, 4.0, 1.0, -5.0, 9.0];
        let pieces = spline(&values);
        let at = |piece: [f64; 4], x: f64| Scalar.horner(piece, x);
        let slope = |[_, b, c, d]: [f64; 4], x: f64| b + 2.0 * c * x + 3.0 * d * x * x;
        let bend = |[_, _, c, d]: [f64; 4], x: f64| 2.0 * c + 6.0 * d * x;
        for (k, &piece) in pieces.iter().enumerate() {
            assert!((at(piece, -0.5) - values[k]).abs() < 1e-13);
            assert!((at(piece, 0.5) - values[k + 1]).abs() < 1e-13);
        }
        for two in pieces.windows(2) {
            assert!((slope(two[0], 0.5) - slope(two[1], -0.5)).abs() < 1e-12);
            assert!((bend(two[0], 0.5) - bend(two[1], -0.5)).abs() < 1e-12);
        }
        assert!(bend(pieces[0], -0.5).abs() < 1e-12 && bend(pieces[4], 0.5).abs() < 1e-12);
    }

    #[test]
    fn tables_without_meaning_are_refused() {
        for (r, values) in [
            (vec![1.0, 2.0], vec![1.0, 2.0]),
            (vec![0.0, 1.0, 2.0], vec![1.0; 3]),
            (vec![1.0, 2.0, 3.5], vec![1.0; 3]),
            (vec![3.0, 2.0, 1.0], vec![1.0; 3]),
            (vec![1.0, 2.0, 3.0], vec![1.0, f64::NAN, 0.0]),
            (vec![1.0, f64::NAN, 3.0], vec![1.0; 3]),
            (vec![1.0, 2.0, 3.0], vec![0.0; 3]),
            (vec![1.0, 2.0, 3.0], vec![1.0; 4]),
        ] {
            assert!(Table::new(&r, &values).is_err(), "{r:?} {values:?}");
        }
    }
}
