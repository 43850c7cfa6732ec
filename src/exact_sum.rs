//! Sums of float64 numbers without rounding error, rounded once at the end.
//!
//! Entry: [`ExactSum`]. Totals of weights are made with it, so that they do not depend on the order of the rows.

/// A running sum held as non-overlapping partial sums (Shewchuk 1997, DOI 10.1007/PL00009321).
#[derive(Debug, Clone, Default)]
pub struct ExactSum {
    partials: Vec<f64>,
}

/// `a + b` as its rounded value and the exact rest (Knuth's two-sum).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let rest = (a - (sum - b_part)) + (b - b_part);
    (sum, rest)
}

impl ExactSum {
    /// Adds one finite number.
    #[inline]
    pub fn add(&mut self, value: f64) {
        let mut carried = value;
        let mut kept = 0;
        for k in 0..self.partials.len() {
            let (sum, rest) = two_sum(carried, self.partials[k]);
            if rest != 0.0 {
                self.partials[kept] = rest;
                kept += 1;
            }
            carried = sum;
        }
        self.partials.truncate(kept);
        self.partials.push(carried);
    }

    /// Adds `a * a` exactly, as the rounded square and its rest.
    #[inline]
    pub fn add_square(&mut self, a: f64) {
        self.add_product(a, a);
    }

    /// Adds `a * n` exactly, n a number of pairs: as rounded products and their rests.
    #[inline]
    pub fn add_times(&mut self, a: f64, n: u64) {
        for half in [n >> 32 << 32, n & u64::from(u32::MAX)] {
            self.add_product(a, half as f64);
        }
    }

    /// Adds `a * b` exactly, as the rounded product and its rest.
    #[inline]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product);
        self.add(a.mul_add(b, -product));
    }

    /// The sum as floats that do not depend on how it came about: each is what those before it leave, rounded.
    #[inline]
    pub fn digits(&self) -> Vec<f64> {
        let (mut rest, mut digits) = (self.clone(), Vec::new());
        loop {
            let digit = rest.value();
            if digit == 0.0 {
                return digits;
            }
            digits.push(digit);
            rest.add(-digit);
        }
    }

    /// Adds another sum exactly.
    #[inline]
    pub fn merge(&mut self, other: &Self) {
        other.partials.iter().for_each(|&partial| self.add(partial));
    }

    /// The sum, rounded to nearest even once.
    #[inline]
    pub fn value(&self) -> f64 {
        let Some((&last, rest)) = self.partials.split_last() else {
            return 0.0;
        };
        let mut high = last;
        for (k, &partial) in rest.iter().enumerate().rev() {
            let (sum, low) = two_sum(high, partial);
            high = sum;
            if low != 0.0 {
                // A tie between two floats is broken by the sign of what lies below it.
                let below = k.checked_sub(1).map_or(0.0, |b| rest[b]);
                if (low < 0.0 && below < 0.0) || (low > 0.0 && below > 0.0) {
                    let doubled = low * 2.0;
                    let moved = high + doubled;
                    if doubled == moved - high {
                        high = moved;
                    }
                }
                break;
            }
        }
        high
    }
}

impl PartialEq for ExactSum {
    fn eq(&self, other: &Self) -> bool {
        self.digits() == other.digits()
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sum = Self::default();
        values.into_iter().for_each(|v| sum.add(v));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::ExactSum;
    use albireo_simd::fixed_point::power_of_two;

    #[test]
    fn cancellation_keeps_the_small_terms() {
        let values = [1e16, 1.0, -1e16, 1e-16, 3.0];
        let mut reversed = values;
        reversed.reverse();
        assert_eq!(ExactSum::from_iter(values).value(), 4.0);
        assert_eq!(ExactSum::from_iter(reversed).value(), 4.0);
    }

    #[test]
    fn a_tenth_ten_times_is_one() {
        assert_eq!(ExactSum::from_iter([0.1; 10]).value(), 1.0);
    }

    #[test]
    fn half_way_ties_are_broken_by_the_rest() {
        let tie = power_of_two(-53);
        assert_eq!(ExactSum::from_iter([1.0, tie]).value(), 1.0);
        assert_eq!(
            ExactSum::from_iter([1.0, tie, tie * tie]).value(),
            1.0 + f64::EPSILON
        );
        assert_eq!(ExactSum::from_iter([1.0, tie, -tie * tie]).value(), 1.0);
    }

    #[test]
    fn products_with_numbers_of_pairs_are_exact_in_any_order() {
        let n = [
            u64::MAX,
            3,
            1 << 53,
            (1 << 53) + 1,
            0,
            12_345_678_901_234_567,
        ];
        let (mut forwards, mut backwards) = (ExactSum::default(), ExactSum::default());
        for (&first, &last) in n.iter().zip(n.iter().rev()) {
            forwards.add_times(0.1, first);
            backwards.add_times(0.1, last);
        }
        assert_eq!(forwards.digits(), backwards.digits());
        assert_eq!(forwards, forwards.digits().into_iter().collect());
        for n in n {
            forwards.add_times(-0.1, n);
        }
        assert_eq!(forwards.digits(), [0.0; 0]);
        let mut halves = ExactSum::default();
        halves.add_times(0.5, u64::MAX);
        assert_eq!(halves.digits(), [power_of_two(63), -0.5]);
    }

    #[test]
    fn squares_are_exact() {
        let mut sum = ExactSum::default();
        let a = 1.0 + f64::EPSILON;
        sum.add_square(a);
        sum.add(-1.0);
        sum.add(-2.0 * f64::EPSILON);
        assert_eq!(sum.value(), f64::EPSILON * f64::EPSILON);
    }
}
