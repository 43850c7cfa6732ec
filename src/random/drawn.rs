//! Random numbers that are distributed as given ones are: the numbers themselves, drawn again, or others from a smooth curve through them.
//!
//! Entry: [`Distribution`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of the range picks a bin"
)]

use super::Stream;
use crate::error::RandomError;
use crate::particles::{MAX_PARTICLES, check_number};
use crate::pool;

/// The distribution of a sample of numbers, such as its redshifts.
///
/// ```
/// use albireo::random::Distribution;
/// let redshifts = [0.1, 0.2, 0.2, 0.4];
/// let again = Distribution::of_values(&redshifts, None)?.draw(100, 3)?;
/// assert!(again.iter().all(|z| redshifts.contains(z)));
/// let smooth = Distribution::smooth(&redshifts, None, 3)?.draw(100, 3)?;
/// assert!(smooth.iter().all(|z| (0.1..=0.4).contains(z) && !redshifts.contains(z)));
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Sums of weights: up to each value, or up to each edge with a 0 before.
    cumulative: Vec<f64>,
    curve: Curve,
}

/// What lies between the sums.
#[derive(Debug, Clone, PartialEq)]
enum Curve {
    /// Steps at these values.
    Steps(Vec<f64>),
    /// Cubics between equally spaced edges, with these slopes (weight over a bin) at the edges.
    Cubics { range: [f64; 2], slopes: Vec<f64> },
}

/// The most bins of a smooth distribution.
pub const MAX_SMOOTH_BINS: usize = 1 << 20;

/// Halvings in which the place of a number is found within a bin: below the spacing of float64 in [0.5, 1).
const HALVINGS: u32 = 54;

/// The sequence of these numbers among those of a seed; those of single points have lower labels.
const OWN: u64 = u64::MAX;
const _: () = assert!((MAX_PARTICLES as u64) < OWN);

/// The weight of each value as 1 or as given, refused where nothing can be drawn by them.
fn checked_weights(values: &[f64], weights: Option<&[f64]>) -> Result<Vec<f64>, RandomError> {
    let refuse = |detail: String| Err(RandomError::Distribution(detail));
    if values.is_empty() {
        return refuse("at least one value, found none".to_owned());
    }
    if let Some(row) = values.iter().position(|value| !value.is_finite()) {
        return refuse(format!(
            "finite values, found {} in row {row} (counting from 0)",
            values[row]
        ));
    }
    let Some(weights) = weights else {
        return Ok(vec![1.0; values.len()]);
    };
    if weights.len() != values.len() {
        return refuse(format!(
            "a weight for each of {} values, found {}",
            values.len(),
            weights.len()
        ));
    }
    if let Some(row) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
        return refuse(format!(
            "weights of 0 or more, found {} in row {row} (counting from 0)",
            weights[row]
        ));
    }
    let sum: f64 = weights.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return refuse(format!("weights with a positive, finite sum, found {sum}"));
    }
    Ok(weights.to_vec())
}

/// Sums from the first on.
fn running_sums(weights: &[f64]) -> Vec<f64> {
    let sums = weights.iter().scan(0.0, |sum, weight| {
        *sum += weight;
        Some(*sum)
    });
    sums.collect()
}

/// Slopes at the edges that keep cubics through `cumulative` from falling: harmonic means inside, as Fritsch & Butland 1984 (DOI
/// 10.1137/0905021) have them for equal spacing, and one-sided parabolas, held at 0, at the ends.
fn slopes(rises: &[f64]) -> Vec<f64> {
    let inner = rises.windows(2).map(|pair| {
        let sum = pair[0] + pair[1];
        // The product of both is kept from underflow by dividing first.
        if sum > 0.0 {
            2.0 * pair[0] * (pair[1] / sum)
        } else {
            0.0
        }
    });
    let end = |own: f64, next: f64| (1.5 * own - 0.5 * next).max(0.0);
    let n = rises.len();
    let (first, last) = match n {
        1 => (rises[0], rises[0]),
        _ => (end(rises[0], rises[1]), end(rises[n - 1], rises[n - 2])),
    };
    std::iter::once(first)
        .chain(inner)
        .chain(std::iter::once(last))
        .collect()
}

impl Distribution {
    /// The values themselves, each as probable as its weight says: drawing shuffles them, with replacement.
    ///
    /// # Errors
    /// No values, one that is not finite, weights of another number, below zero or without a positive sum.
    pub fn of_values(values: &[f64], weights: Option<&[f64]>) -> Result<Self, RandomError> {
        let weights = checked_weights(values, weights)?;
        Ok(Self {
            cumulative: running_sums(&weights),
            curve: Curve::Steps(values.to_vec()),
        })
    }

    /// A smooth distribution: the cumulative histogram in `bins` equal bins from the least value to the largest, joined at the edges by
    /// monotone cubics. Every bin keeps its share; what is smoothed is where in it the numbers lie.
    ///
    /// # Errors
    /// As [`Distribution::of_values`], and no bins, more than [`MAX_SMOOTH_BINS`], or values that are all the same.
    pub fn smooth(
        values: &[f64],
        weights: Option<&[f64]>,
        bins: usize,
    ) -> Result<Self, RandomError> {
        let weights = checked_weights(values, weights)?;
        if !(1..=MAX_SMOOTH_BINS).contains(&bins) {
            let expected = format!("1 to {MAX_SMOOTH_BINS} bins, found {bins}");
            return Err(RandomError::Distribution(expected));
        }
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let width = most - least;
        if !(width > 0.0 && width.is_finite()) {
            return Err(RandomError::Distribution(format!(
                "values that differ, to be smoothed, found {least} to {most}"
            )));
        }
        let mut rises = vec![0.0; bins];
        for (value, weight) in values.iter().zip(&weights) {
            let bin = ((value - least) / width * bins as f64) as usize;
            rises[bin.min(bins - 1)] += weight;
        }
        let mut cumulative = vec![0.0];
        cumulative.extend(running_sums(&rises));
        let curve = Curve::Cubics {
            range: [least, most],
            slopes: slopes(&rises),
        };
        Ok(Self { cumulative, curve })
    }

    /// `n` numbers of this distribution; number i depends on the seed and i, and is independent of point i of the same seed.
    ///
    /// # Errors
    /// More numbers than a sample can hold points.
    pub fn draw(&self, n: usize, seed: u64) -> Result<Vec<f64>, crate::Error> {
        check_number(n)?;
        let stream = Stream::new(seed).child(OWN);
        Ok(pool::each(n, |i| self.at(stream.uniform(i as u64))))
    }

    /// The number below which the share `u` in [0, 1) of all lies.
    fn at(&self, u: f64) -> f64 {
        let last = self.cumulative.len() - 1;
        let sum = u * self.cumulative[last];
        // Values and bins of no weight have no sum of their own and are passed over.
        let next = self.cumulative.partition_point(|&c| c <= sum).min(last);
        match &self.curve {
            Curve::Steps(values) => values[next],
            Curve::Cubics { range, slopes } => {
                let next = next.max(1);
                let (low, high) = (self.cumulative[next - 1], self.cumulative[next]);
                let t = solve(sum - low, high - low, [slopes[next - 1], slopes[next]]);
                let bins = slopes.len() - 1;
                let share = ((next - 1) as f64 + t) / bins as f64;
                (range[0] + share * (range[1] - range[0])).clamp(range[0], range[1])
            }
        }
    }
}

/// Where in [0, 1] the cubic that rises by `rise`, with these slopes at its ends, reaches `height`.
fn solve(height: f64, rise: f64, [begin, end]: [f64; 2]) -> f64 {
    let cubic = |t: f64| {
        let (square, rest) = (t * t, 1.0 - t);
        (begin * t * rest * rest + rise * square * (3.0 - 2.0 * t)) - end * square * rest
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if cubic(middle) <= height {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_as_often_as_their_weights_say() {
        let values = [0.5, 0.1, 0.3, 0.7];
        let drawn = Distribution::of_values(&values, Some(&[1.0, 0.0, 2.0, 1.0])).unwrap();
        let drawn = drawn.draw(40_000, 4).unwrap();
        let count = |value: f64| drawn.iter().filter(|&&z| z == value).count();
        assert_eq!(count(0.1), 0);
        assert_eq!(count(0.5) + count(0.3) + count(0.7), 40_000);
        // Five standard deviations of a half and of a quarter.
        assert!(count(0.3).abs_diff(20_000) < 500 && count(0.7).abs_diff(10_000) < 433);
    }

    #[test]
    fn smooth_numbers_keep_the_share_of_each_bin() {
        // 0, 1 and 16 fix the range; bins of 4 hold 60, 0, 30 and 10.
        let mut values = vec![0.0];
        values.extend((1..60).map(|k| f64::from(k % 4)));
        values.extend((0..30).map(|k| 8.0 + f64::from(k % 4)));
        values.extend([13.0; 9]);
        values.push(16.0);
        let smooth = Distribution::smooth(&values, None, 4).unwrap();
        let drawn = smooth.draw(100_000, 8).unwrap();
        let mut counts = [0usize; 4];
        for z in &drawn {
            assert!((0.0..=16.0).contains(z));
            counts[((z / 4.0) as usize).min(3)] += 1;
        }
        assert_eq!(counts[1], 0, "an empty bin stays empty");
        for (found, expected) in counts.into_iter().zip([60_000, 0, 30_000, 10_000]) {
            assert!(found.abs_diff(expected) < 800, "{counts:?}");
        }
    }

    #[test]
    fn a_line_is_kept_and_the_curve_never_falls() {
        // Equal shares: the cumulative curve is a line, and numbers are uniform.
        let values: Vec<f64> = (0..=1000).map(f64::from).collect();
        let even = Distribution::smooth(&values, None, 10).unwrap();
        for u in [0.0, 0.05, 0.33, 0.5, 0.999] {
            assert!((even.at(u) - 1000.0 * u).abs() < 1.0, "{u}");
        }
        let steep = [0.0, 0.0, 0.0, 0.0, 0.1, 5.0, 5.1, 5.1, 9.9, 10.0];
        let steep = Distribution::smooth(&steep, None, 5).unwrap();
        let quantiles: Vec<f64> = (0..10_000).map(|k| steep.at(f64::from(k) / 1e4)).collect();
        assert!(quantiles.is_sorted());
    }

    #[test]
    fn a_shorter_draw_begins_a_longer_one() {
        let values = Distribution::of_values(&[1.0, 2.0, 3.0], None).unwrap();
        let long = values.draw(5000, 6).unwrap();
        assert_eq!(values.draw(10, 6).unwrap(), long[..10]);
        assert_ne!(values.draw(10, 7).unwrap(), long[..10]);
    }

    #[test]
    fn what_cannot_be_drawn_from_is_refused() {
        let refused = |values: &[f64], weights: Option<&[f64]>, bins: usize| {
            let refusal = Distribution::smooth(values, weights, bins).unwrap_err();
            refusal.to_string()
        };
        let expected = |part: &str, message: String| assert!(message.contains(part), "{message}");
        expected("found none", refused(&[], None, 3));
        expected("NaN in row 1", refused(&[0.0, f64::NAN], None, 3));
        expected("differ", refused(&[0.5, 0.5], None, 3));
        expected("1048576 bins, found 0", refused(&[0.5, 0.6], None, 0));
        let ones = [0.5, 0.6];
        expected("-1 in row 0", refused(&ones, Some(&[-1.0, 2.0]), 3));
        expected("found 0", refused(&ones, Some(&[0.0, 0.0]), 3));
        expected("each of 2 values, found 1", refused(&ones, Some(&[1.0]), 3));
    }
}
