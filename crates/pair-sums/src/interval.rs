//! Intervals that computed numbers lie in: endpoints are rounded as the numbers are, and rounding is monotone, so that none is widened.
//!
//! Entry: [`Interval`].

/// From a least to a largest number, or NaN where that may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
    pub(crate) nan: bool,
}

/// `a` of both ends, 0 where it is 0 times infinity.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

impl Interval {
    pub(crate) const fn new(lo: f64, hi: f64) -> Self {
        Self { lo, hi, nan: false }
    }

    pub(crate) fn of(number: f64) -> Self {
        Self::new(number, number)
    }

    /// All numbers of at most this magnitude.
    pub(crate) fn within(most: f64) -> Self {
        Self::new(-most, most)
    }

    const fn any(nan: bool) -> Self {
        Self {
            lo: f64::NEG_INFINITY,
            hi: f64::INFINITY,
            nan,
        }
    }

    /// The largest magnitude.
    pub(crate) fn most(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// Whether all of it are finite numbers.
    pub(crate) fn is_finite(self) -> bool {
        !self.nan && self.lo.is_finite() && self.hi.is_finite()
    }

    pub(crate) fn has_zero(self) -> bool {
        self.lo <= 0.0 && self.hi >= 0.0
    }

    fn has_infinity(self) -> bool {
        self.lo.is_infinite() || self.hi.is_infinite()
    }

    /// What lies in both, where both are known to hold.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
            nan: self.nan && other.nan,
        }
    }

    /// What lies in either.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            nan: self.nan || other.nan,
        }
    }

    fn hull(of: [f64; 4], nan: bool) -> Self {
        Self {
            lo: of.into_iter().fold(f64::INFINITY, f64::min),
            hi: of.into_iter().fold(f64::NEG_INFINITY, f64::max),
            nan,
        }
    }

    pub(crate) fn add(self, b: Self) -> Self {
        let up = self.hi == f64::INFINITY && b.lo == f64::NEG_INFINITY;
        let down = self.lo == f64::NEG_INFINITY && b.hi == f64::INFINITY;
        let [lo, hi] = [self.lo + b.lo, self.hi + b.hi];
        Self {
            lo: if lo.is_nan() { f64::NEG_INFINITY } else { lo },
            hi: if hi.is_nan() { f64::INFINITY } else { hi },
            nan: self.nan || b.nan || up || down,
        }
    }

    pub(crate) fn negative(self) -> Self {
        Self {
            lo: -self.hi,
            hi: -self.lo,
            ..self
        }
    }

    pub(crate) fn multiply(self, b: Self) -> Self {
        let none = (self.has_zero() && b.has_infinity()) || (self.has_infinity() && b.has_zero());
        let all = [
            product(self.lo, b.lo),
            product(self.lo, b.hi),
            product(self.hi, b.lo),
            product(self.hi, b.hi),
        ];
        Self::hull(all, self.nan || b.nan || none)
    }

    /// Of one number with itself.
    pub(crate) fn square(self) -> Self {
        let [a, b] = [self.lo * self.lo, self.hi * self.hi];
        Self {
            lo: if self.has_zero() { 0.0 } else { a.min(b) },
            hi: a.max(b),
            nan: self.nan,
        }
    }

    pub(crate) fn divide(self, b: Self) -> Self {
        let none = (self.has_zero() && b.has_zero()) || (self.has_infinity() && b.has_infinity());
        let nan = self.nan || b.nan || none;
        if b.has_zero() {
            return Self::any(nan);
        }
        let all = [
            self.lo / b.lo,
            self.lo / b.hi,
            self.hi / b.lo,
            self.hi / b.hi,
        ];
        if all.iter().any(|quotient| quotient.is_nan()) {
            return Self::any(true);
        }
        Self::hull(all, nan)
    }

    pub(crate) fn root(self) -> Self {
        Self {
            lo: self.lo.max(0.0).sqrt(),
            hi: self.hi.max(0.0).sqrt(),
            nan: self.nan || self.lo < 0.0,
        }
    }

    /// Of `if a < b {a} else {b}`: b where a is NaN.
    pub(crate) fn minimum(self, b: Self) -> Self {
        Self {
            lo: self.lo.min(b.lo),
            hi: if self.nan { b.hi } else { self.hi.min(b.hi) },
            nan: b.nan,
        }
    }

    pub(crate) fn maximum(self, b: Self) -> Self {
        self.negative().minimum(b.negative()).negative()
    }

    /// Of the magnitude.
    pub(crate) fn magnitude(self) -> Self {
        let least = if self.has_zero() {
            0.0
        } else {
            self.lo.abs().min(self.hi.abs())
        };
        Self {
            lo: least,
            hi: self.most(),
            nan: self.nan,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [f64; 8] = [
        f64::NEG_INFINITY,
        -2.0,
        -0.5,
        0.0,
        1.0,
        3.0,
        f64::INFINITY,
        f64::NAN,
    ];

    /// An operation on intervals, and what it is of numbers.
    type OfOne = (fn(Interval) -> Interval, fn(f64) -> f64);
    type OfTwo = (fn(Interval, Interval) -> Interval, fn(f64, f64) -> f64);

    /// All intervals between two of the numbers, with NaN and without, and the numbers that lie in each.
    fn intervals() -> Vec<(Interval, Vec<f64>)> {
        let ends = (0..7).flat_map(|lo| (lo..7).map(move |hi| (NUMBERS[lo], NUMBERS[hi])));
        let both = ends.flat_map(|(lo, hi)| [false, true].map(|nan| Interval { lo, hi, nan }));
        let of = |interval: Interval| {
            let inside = NUMBERS.iter().copied().filter(|x| holds(interval, *x));
            (interval, inside.collect())
        };
        both.map(of).collect()
    }

    fn holds(interval: Interval, number: f64) -> bool {
        if number.is_nan() {
            interval.nan
        } else {
            interval.lo <= number && number <= interval.hi
        }
    }

    #[test]
    fn what_is_computed_of_numbers_lies_in_what_is_computed_of_intervals() {
        let one: [OfOne; 4] = [
            (Interval::negative, |x| -x),
            (Interval::square, |x| x * x),
            (Interval::root, f64::sqrt),
            (Interval::magnitude, f64::abs),
        ];
        let two: [OfTwo; 5] = [
            (Interval::add, |x, y| x + y),
            (Interval::multiply, |x, y| x * y),
            (Interval::divide, |x, y| x / y),
            (Interval::minimum, |x, y| if x < y { x } else { y }),
            (Interval::maximum, |x, y| if x > y { x } else { y }),
        ];
        let all = intervals();
        for (a, inside) in &all {
            for (k, (of, exact)) in one.iter().enumerate() {
                let missing = inside.iter().find(|x| !holds(of(*a), exact(**x)));
                assert_eq!(missing, None, "operation {k} of {a:?}");
            }
            for (b, others) in &all {
                for (k, (of, exact)) in two.iter().enumerate() {
                    let pairs = inside
                        .iter()
                        .flat_map(|x| others.iter().map(move |y| (x, y)));
                    let mut pairs = pairs.filter(|(x, y)| !holds(of(*a, *b), exact(**x, **y)));
                    assert_eq!(pairs.next(), None, "operation {k} of {a:?} and {b:?}");
                }
                let shared = inside.iter().filter(|x| holds(*b, **x));
                assert!(shared.clone().all(|x| holds(a.and(*b), *x)), "{a:?} {b:?}");
                let either = inside.iter().chain(others);
                assert!(either.clone().all(|x| holds(a.or(*b), *x)), "{a:?} {b:?}");
            }
        }
    }
}
