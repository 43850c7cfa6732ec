//! Sine, cosine and spherical Bessel functions, composed of IEEE operations: the same bits on every processor.
//!
//! Entry: [`Operations::spherical_bessel`]. Arguments are reduced in three parts, and sine and cosine of the rest are polynomials, with the constants
//! of Cody and Waite's method as fdlibm has them; `j_l` by its closed form from 2 on, below by its series, where the closed form would lose digits.

use albireo::tally::Value;
use albireo_catalogs::in_short;

use crate::interval::Interval;
use crate::operations::Operations;

/// Which spherical Bessel function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Zero,
    Two,
    Four,
}

impl Order {
    /// That of `j0`, `j2` or `j4`.
    pub(crate) fn of_name(name: &str) -> Self {
        match name {
            "j2" => Self::Two,
            "j4" => Self::Four,
            _ => Self::Zero,
        }
    }

    fn degree(self) -> u32 {
        match self {
            Self::Zero => 0,
            Self::Two => 2,
            Self::Four => 4,
        }
    }
}

/// Beyond it the reduction of arguments is not exact.
const FURTHEST: f64 = (1u32 << 20) as f64;

/// Where the closed form takes over from the series.
const NEAR: f64 = 2.0;

/// Terms of the series behind the first.
const TERMS: u32 = 11;

/// 3 * 2^51: a number of a smaller magnitude is a whole one once it has been added and subtracted.
const WHOLE: f64 = f64::from_bits(((1023 + 52) << 52) | (1 << 51));

/// A quarter of a turn in three parts: two with 33 bits each, and the rest.
const QUARTER: [u64; 3] = [
    0x3ff9_21fb_5440_0000,
    0x3dd0_b461_1a60_0000,
    0x3ba3_198a_2e03_7073,
];

/// Coefficients of `x^3, x^5, ..` in the sine, and of `x^4, x^6, ..` in the cosine, within a quarter of a turn about 0.
const SINE: [u64; 6] = [
    0xbfc5_5555_5555_5549,
    0x3f81_1111_1110_f8a6,
    0xbf2a_01a0_19c1_61d5,
    0x3ec7_1de3_57b1_fe7d,
    0xbe5a_e5e6_8a2b_9ceb,
    0x3de5_d93a_5acf_d57c,
];
const COSINE: [u64; 6] = [
    0x3fa5_5555_5555_554c,
    0xbf56_c16c_16c1_5177,
    0x3efa_01a0_19cb_1590,
    0xbe92_7e4f_809c_52ad,
    0x3e21_ee9e_bdb4_b1c4,
    0xbda8_fae9_be88_38d4,
];

impl Operations {
    /// `j_l(x)`.
    pub(crate) fn spherical_bessel(&mut self, order: Order, x: Value) -> Result<Value, String> {
        let Interval { lo, hi, nan } = self.ranges.of(x);
        if nan || lo < 0.0 || hi > FURTHEST {
            return Err(format!(
                "j{} takes numbers from 0 to 2^20, found a range from {} to {}",
                order.degree(),
                in_short(lo),
                in_short(hi)
            ));
        }
        // What a range leaves out is not computed.
        let value = if hi < NEAR {
            self.series(order, x)
        } else if lo >= NEAR {
            self.closed_form(order, x)
        } else {
            let near = self.constant(NEAR);
            let is_near = self.less(x, near);
            let (series, closed) = (self.series(order, x), self.closed_form(order, x));
            self.choose(is_near, series, closed)
        };
        // Its magnitude is at most 1, and what is computed is off by less than 1e-13.
        self.ranges.ensure(value, Interval::within(1.0 + 1e-10));
        Ok(value)
    }

    /// `coefficients[0] + y*(coefficients[1] + ..)`.
    fn polynomial_of(&mut self, y: Value, coefficients: &[f64]) -> Value {
        let mut backwards = coefficients.iter().rev();
        let last = backwards.next().copied().unwrap_or_default();
        let mut value = self.constant(last);
        for coefficient in backwards {
            let times = self.multiply(y, value);
            let coefficient = self.constant(*coefficient);
            value = self.add(coefficient, times);
        }
        value
    }

    /// `x^l sum_m (-x^2/2)^m / (m! (2l + 2m + 1)!!)`.
    fn series(&mut self, order: Order, x: Value) -> Value {
        let l = order.degree();
        let odd = (1..=l).map(|k| f64::from(2 * k + 1));
        let mut coefficients = vec![1.0 / odd.product::<f64>()];
        for m in 1..=TERMS {
            let ratio = -1.0 / f64::from(2 * m * (2 * l + 2 * m + 1));
            coefficients.push(coefficients[coefficients.len() - 1] * ratio);
        }
        let y = self.multiply(x, x);
        let sum = self.polynomial_of(y, &coefficients);
        (0..l / 2).fold(sum, |value, _| self.multiply(value, y))
    }

    /// By sine and cosine over powers of x.
    fn closed_form(&mut self, order: Order, x: Value) -> Value {
        let [sine, cosine] = self.sine_and_cosine(x);
        let of_sine = self.divide(sine, x);
        if order == Order::Zero {
            return of_sine;
        }
        let (one, square) = (self.constant(1.0), self.multiply(x, x));
        let y = self.divide(one, square);
        let of_cosine = self.multiply(cosine, y);
        let [a, b]: [&[f64]; 2] = match order {
            Order::Four => [&[1.0, -45.0, 105.0], &[10.0, -105.0]],
            _ => [&[-1.0, 3.0], &[-3.0]],
        };
        let (a, b) = (self.polynomial_of(y, a), self.polynomial_of(y, b));
        let (a, b) = (self.multiply(a, of_sine), self.multiply(b, of_cosine));
        self.add(a, b)
    }

    fn sine_and_cosine(&mut self, x: Value) -> [Value; 2] {
        let whole = self.constant(WHOLE);
        let quarters = self.constant(std::f64::consts::FRAC_2_PI);
        let turned = self.multiply(x, quarters);
        let n = self.nearest_whole(turned, whole);
        let mut rest = x;
        for part in QUARTER {
            let part = self.constant(f64::from_bits(part));
            let times = self.multiply(n, part);
            rest = self.subtract(rest, times);
        }
        let y = self.multiply(rest, rest);
        let sine = self.polynomial_of(y, &SINE.map(f64::from_bits));
        let cube = self.multiply(y, rest);
        let sine = self.multiply(cube, sine);
        let sine = self.add(rest, sine);
        let cosine = self.polynomial_of(y, &COSINE.map(f64::from_bits));
        let fourth = self.multiply(y, y);
        let cosine = self.multiply(fourth, cosine);
        let (one, half) = (self.constant(1.0), self.constant(0.5));
        let half_y = self.multiply(half, y);
        let most = self.subtract(one, half_y);
        let cosine = self.add(most, cosine);
        self.turned_by(n, [sine, cosine])
    }

    /// The nearest whole number, halves to even.
    fn nearest_whole(&mut self, x: Value, whole: Value) -> Value {
        let shifted = self.add(x, whole);
        self.subtract(shifted, whole)
    }

    /// Sine and cosine of an angle that is larger by `n` quarters of a turn.
    fn turned_by(&mut self, n: Value, [sine, cosine]: [Value; 2]) -> [Value; 2] {
        let [whole, zero, one, quarter, half, four] =
            [WHOLE, 0.0, 1.0, 0.25, 0.5, 4.0].map(|number| self.constant(number));
        let turns = self.multiply(n, quarter);
        let turns = self.nearest_whole(turns, whole);
        let turns = self.multiply(turns, four);
        // One of -2, -1, 0, 1, 2.
        let left = self.subtract(n, turns);
        let squared = self.multiply(left, left);
        let (above, below) = (self.less(zero, squared), self.less(squared, four));
        let is_odd = self.multiply(above, below);
        // 1 where nothing is left, -1 where half a turn is.
        let halved = self.multiply(squared, half);
        let sign = self.subtract(one, halved);
        let [turned_cosine, turned_sine] = [cosine, sine].map(|of| self.multiply(left, of));
        let [plain_sine, plain_cosine] = [sine, cosine].map(|of| self.multiply(sign, of));
        let turned_sine = self.negative(turned_sine);
        [
            self.choose(is_odd, turned_cosine, plain_sine),
            self.choose(is_odd, turned_sine, plain_cosine),
        ]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use albireo::tally::{End, Operation};

    use super::*;

    /// `j_l(x)` by the operations for arguments in a range.
    fn by_operations(order: Order, range: Interval) -> impl Fn(f64) -> f64 {
        let mut operations = Operations::default();
        let x = operations.column(End::First, 0, range);
        let value = operations.spherical_bessel(order, x).unwrap();
        let list = operations.list().to_vec();
        move |x| {
            let mut values = vec![0.0; list.len()];
            for (at, operation) in list.iter().enumerate() {
                values[at] = match operation {
                    Operation::Column(..) => x,
                    made => made.number(|of| values[of.index()]).unwrap(),
                };
            }
            values[value.index()]
        }
    }

    /// By downward recurrence from far above (Miller), whose scale is `sum (2l + 1) j_l^2 = 1`; its sign is that of j0 or j1.
    fn by_recurrence(l: usize, x: f64) -> f64 {
        if x == 0.0 {
            return f64::from(u8::from(l == 0));
        }
        let top = 60 + 2 * x as usize;
        let mut j = vec![0.0; top + 2];
        j[top] = 1e-300;
        for k in (0..top).rev() {
            j[k] = (2 * k + 3) as f64 / x * j[k + 1] - j[k + 2];
            if j[k].abs() > 1e200 {
                j = j.iter().map(|value| value * 1e-250).collect();
            }
        }
        let largest = j.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        j = j.iter().map(|value| value / largest).collect();
        let squares: f64 = (j.iter().enumerate())
            .map(|(k, j)| (2 * k + 1) as f64 * j * j)
            .sum();
        let sign = j[0].signum() * (x.sin() / x).signum();
        sign * j[l] / squares.sqrt()
    }

    #[test]
    fn agrees_with_the_recurrence() {
        for order in [Order::Zero, Order::Two, Order::Four] {
            let whole = by_operations(order, Interval::new(0.0, FURTHEST));
            let near = by_operations(order, Interval::new(0.0, 1.9));
            let far = by_operations(order, Interval::new(2.0, FURTHEST));
            for k in 0..4000 {
                let x = f64::from(k) * 0.0373;
                let (found, expected) = (whole(x), by_recurrence(order.degree() as usize, x));
                assert!((found - expected).abs() < 1e-14, "j{} {x}", order.degree());
                let apart = if x < NEAR { near(x) } else { far(x) };
                assert_eq!(found.to_bits(), apart.to_bits());
            }
        }
    }

    #[test]
    fn large_arguments_are_reduced() {
        let j0 = by_operations(Order::Zero, Interval::new(0.0, FURTHEST));
        for x in [1e3, 31_415.926_5, 7e5, 1_048_575.75, FURTHEST] {
            assert!((j0(x) - libm::sin(x) / x).abs() * x < 1e-15);
        }
    }

    #[test]
    fn arguments_out_of_range_are_refused() {
        let mut operations = Operations::default();
        let x = operations.column(End::First, 0, Interval::new(-1.0, 5.0));
        let refused = operations.spherical_bessel(Order::Two, x);
        assert_eq!(
            refused.unwrap_err(),
            "j2 takes numbers from 0 to 2^20, found a range from -1 to 5"
        );
    }
}
