//! Bin edges: the only way to say where bins begin and end.
//!
//! Entry: [`Edges`] for separations and [`SignedEdges`] for coordinates along the line of sight.

use super::check_number;
use crate::error::BinsError;
use crate::separation::{LARGEST, SMALLEST_EDGE};

/// At least two edges, finite, >= 0, strictly increasing with strictly increasing squares; bin k is `[e_k, e_k+1)`.
///
/// ```
/// use albireo::Edges;
/// let edges = Edges::linear(0.0, 150.0, 30)?;
/// assert_eq!(edges.n_bins(), 30);
/// assert_eq!(edges.values()[1], 5.0);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Edges {
    values: Vec<f64>,
    squares: Vec<f64>,
}

/// Edges that may be negative: mu and pi. Squares rise strictly away from zero on either side.
///
/// Where the first edge is >= 0 the coordinate is taken without its sign. Below zero bins are mirrored: a negative value v is in the bin
/// that |v| is in among the |edges|, so it lies in `(e_k, e_k+1]`; 0 lies in the bin that begins at or spans it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SignedEdges {
    values: Vec<f64>,
    squares: Vec<f64>,
}

fn check_rising(values: &[f64]) -> Result<(), BinsError> {
    if values.len() < 2 {
        return Err(BinsError::TooFew(values.len()));
    }
    check_number(&[values.len() - 1])?;
    if let Some(index) = values.iter().position(|v| !(v * v).is_finite()) {
        let value = values[index];
        return Err(BinsError::NotFinite { index, value });
    }
    let extreme = |v: &f64| *v != 0.0 && !(SMALLEST_EDGE..=LARGEST).contains(&v.abs());
    if let Some(index) = values.iter().position(extreme) {
        return Err(BinsError::Magnitude {
            index,
            value: values[index],
            lo: SMALLEST_EDGE,
            hi: LARGEST,
        });
    }
    for (index, pair) in values.windows(2).enumerate() {
        let rises = pair[0] < pair[1];
        // On one side of zero the squares must differ too, or the bin could never be distinguished from its neighbour.
        let same_side = pair[0] >= 0.0 || pair[1] <= 0.0;
        if !rises || (same_side && pair[0] * pair[0] == pair[1] * pair[1]) {
            return Err(BinsError::NotIncreasing {
                index: index + 1,
                value: pair[1],
                previous: pair[0],
            });
        }
    }
    Ok(())
}

/// `lo + (k*(hi-lo))/n`, first and last exactly `lo` and `hi`; where `lo = -hi`, `((2k-n)*hi)/n`, which mirrors exactly.
fn linear_values(lo: f64, hi: f64, n: usize) -> Result<Vec<f64>, BinsError> {
    check_number(&[n])?;
    let values = (0..=n)
        .map(|k| match k {
            0 => lo,
            _ if k == n => hi,
            _ if lo == -hi => ((2.0 * k as f64 - n as f64) * hi) / n as f64,
            _ => lo + (k as f64 * (hi - lo)) / n as f64,
        })
        .collect();
    Ok(values)
}

impl Edges {
    /// Takes any edges.
    ///
    /// # Errors
    /// Fewer than two, more than [`super::MAX_BINS`] bins, an edge that is negative or not finite, or edges that do not rise.
    pub fn new(values: Vec<f64>) -> Result<Self, BinsError> {
        check_rising(&values)?;
        if values[0] < 0.0 {
            return Err(BinsError::OutOfRange {
                coordinate: "separation",
                lo: 0.0,
                hi: f64::MAX,
                index: 0,
                value: values[0],
            });
        }
        let squares = values.iter().map(|e| e * e).collect();
        Ok(Self { values, squares })
    }

    /// `n` bins of equal width, edges `lo + (k*(hi-lo))/n`.
    ///
    /// # Errors
    /// As [`Edges::new`].
    pub fn linear(lo: f64, hi: f64, n: usize) -> Result<Self, BinsError> {
        Self::new(linear_values(lo, hi, n)?)
    }

    /// `n` bins of equal ratio, edges `lo*pow(hi/lo, k/n)`.
    ///
    /// # Errors
    /// `lo` not above 0 or not below `hi`; otherwise as [`Edges::new`].
    pub fn logarithmic(lo: f64, hi: f64, n: usize) -> Result<Self, BinsError> {
        if !(lo > 0.0 && lo < hi) {
            return Err(BinsError::Logarithmic { lo, hi });
        }
        check_number(&[n])?;
        let edge = |k: usize| match k {
            0 => lo,
            _ if k == n => hi,
            _ => lo * libm::pow(hi / lo, k as f64 / n as f64),
        };
        Self::new((0..=n).map(edge).collect())
    }

    /// The edges, one more than there are bins.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The squared edges, each rounded once: what squared separations are compared with.
    pub fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// Number of bins.
    pub fn n_bins(&self) -> usize {
        self.values.len() - 1
    }

    /// Lowest edge.
    pub fn first(&self) -> f64 {
        self.values[0]
    }

    /// Highest edge.
    pub fn last(&self) -> f64 {
        self.values[self.values.len() - 1]
    }

    /// The bin k with `e_k*e_k <= r2 < e_k+1*e_k+1`.
    #[inline]
    pub fn locate(&self, r2: f64) -> Option<usize> {
        locate(&self.squares, r2)
    }
}

impl Edges {
    /// As [`Edges::locate`], looking first at the bin `guess` and the one below.
    ///
    /// Filters round up: a pair that they doubt is as often in one as in the other, so that no branch may depend on it.
    #[inline]
    pub(crate) fn locate_near(&self, r2: f64, guess: usize) -> Option<usize> {
        let n = self.n_bins();
        let guess = guess.min(n);
        let bin = guess.wrapping_sub(usize::from(r2 < self.squares[guess]));
        if bin < n && self.squares[bin] <= r2 && r2 < self.squares[bin + 1] {
            return Some(bin);
        }
        if bin == n { None } else { self.locate(r2) }
    }
}

/// The bin k with `squares[k] <= value < squares[k + 1]`.
#[inline]
pub(super) fn locate(squares: &[f64], value: f64) -> Option<usize> {
    let above = squares.partition_point(|&square| square <= value);
    (above > 0 && above < squares.len()).then(|| above - 1)
}

impl SignedEdges {
    /// Takes any edges.
    ///
    /// # Errors
    /// Fewer than two, more than [`super::MAX_BINS`] bins, an edge that is not finite, or edges that do not rise.
    pub fn new(values: Vec<f64>) -> Result<Self, BinsError> {
        check_rising(&values)?;
        let squares = values.iter().map(|e| e * e).collect();
        Ok(Self { values, squares })
    }

    /// `n` bins of equal width, edges `lo + (k*(hi-lo))/n`.
    ///
    /// # Errors
    /// As [`SignedEdges::new`].
    pub fn linear(lo: f64, hi: f64, n: usize) -> Result<Self, BinsError> {
        Self::new(linear_values(lo, hi, n)?)
    }

    /// The edges, one more than there are bins.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of bins.
    pub fn n_bins(&self) -> usize {
        self.values.len() - 1
    }

    /// The squared edges, each rounded once.
    pub(crate) fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// Whether the sign of the coordinate matters: the first edge is below zero.
    pub fn signed(&self) -> bool {
        self.values[0] < 0.0
    }

    /// The largest distance of an edge from zero.
    pub fn largest(&self) -> f64 {
        self.values[0]
            .abs()
            .max(self.values[self.values.len() - 1].abs())
    }

    /// Whether `(negative, value2)` lies above edge `k` or, unless negative, on it, comparing `value2` with `edge^2 * scale`.
    #[inline]
    fn reaches(&self, k: usize, negative: bool, value2: f64, scale: f64) -> bool {
        let bound = self.squares[k] * scale;
        match (self.values[k] < 0.0, negative) {
            (false, false) => value2 >= bound,
            (false, true) => false,
            (true, false) => true,
            (true, true) => value2 < bound,
        }
    }

    /// Number of edges that the coordinate reaches whose square is `value2 / scale`, looking first around bin `guess`.
    #[inline]
    pub(super) fn edges_below_near(
        &self,
        negative: bool,
        value2: f64,
        scale: f64,
        guess: usize,
    ) -> usize {
        let signed = negative && self.signed();
        let n_edges = self.values.len();
        let reaches = |k: usize| self.reaches(k, signed, value2, scale);
        let guess = guess.min(n_edges - 1);
        // As in `Edges::locate_near`, the bin `guess` or the one below.
        let below = guess + usize::from(reaches(guess));
        if (below == 0 || reaches(below - 1)) && (below == n_edges || !reaches(below)) {
            return below;
        }
        self.edges_below(negative, value2, scale)
    }

    /// The same by bisection.
    #[inline]
    pub(crate) fn edges_below(&self, negative: bool, value2: f64, scale: f64) -> usize {
        let signed = negative && self.signed();
        let reaches = |k: usize| self.reaches(k, signed, value2, scale);
        let (mut lo, mut hi) = (0, self.values.len());
        while lo < hi {
            let middle = usize::midpoint(lo, hi);
            if reaches(middle) {
                lo = middle + 1;
            } else {
                hi = middle;
            }
        }
        lo
    }

    /// The bin above edge number `below`, counted from 1, if there is one.
    #[inline]
    pub(super) fn bin_above(&self, below: usize) -> Option<usize> {
        (below > 0 && below < self.values.len()).then(|| below - 1)
    }

    /// The same of cosines: edges of 1 and -1 at the ends are closed.
    #[inline]
    pub(super) fn cosine_bin_above(&self, below: usize) -> Option<usize> {
        let n_bins = self.n_bins();
        if below == n_bins + 1 && self.values[n_bins] == 1.0 {
            return Some(n_bins - 1);
        }
        if below == 0 && self.values[0] == -1.0 {
            return Some(0);
        }
        self.bin_above(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_edges_multiply_before_they_divide() {
        let edges = Edges::linear(0.0, 0.7, 7).unwrap();
        assert_eq!(edges.values()[3], (3.0 * 0.7) / 7.0);
        assert_ne!(
            edges.values()[3],
            3.0 * (0.7 / 7.0),
            "the neighbouring rule differs here"
        );
        assert_eq!(edges.last(), 0.7);
    }

    #[test]
    fn logarithmic_edges_end_exactly() {
        let edges = Edges::logarithmic(0.1, 25.0, 20).unwrap();
        assert_eq!((edges.first(), edges.last()), (0.1, 25.0));
        assert_eq!(edges.values()[10], 0.1 * libm::pow(25.0 / 0.1, 0.5));
        assert!(Edges::logarithmic(0.0, 25.0, 20).is_err());
    }

    #[test]
    fn refusals() {
        let bad: [&[f64]; 7] = [
            &[],
            &[1.0],
            &[1.0, 1.0],
            &[2.0, 1.0],
            &[0.0, f64::NAN],
            &[-1.0, 1.0],
            &[0.0, 1e200],
        ];
        for values in bad {
            assert!(Edges::new(values.to_vec()).is_err(), "{values:?}");
        }
        // Different edges whose squares round to the same number.
        assert!(Edges::new(vec![1e-200, 2e-200]).is_err());
        assert!(SignedEdges::new(vec![-1.0, 1.0]).is_ok());
    }

    #[test]
    fn bins_are_half_open() {
        let edges = Edges::new(vec![0.1, 0.2, 0.3]).unwrap();
        let square = |e: f64| e * e;
        for (k, value) in [0.05, 0.1, 0.15, 0.2, 0.29, 0.3, 5.0]
            .into_iter()
            .enumerate()
        {
            for guess in 0..6 {
                let r2 = square(value);
                assert_eq!(
                    edges.locate_near(r2, guess),
                    edges.locate(r2),
                    "{k} {guess}"
                );
            }
        }
        assert_eq!(edges.locate(square(0.1)), Some(0));
        assert_eq!(edges.locate(square(0.2)), Some(1));
        assert_eq!(edges.locate(square(0.2).next_down()), Some(0));
        assert_eq!(edges.locate(square(0.3)), None);
        assert_eq!(edges.locate(square(0.1).next_down()), None);
    }

    #[test]
    fn signed_edges_are_mirrored() {
        let edges = SignedEdges::new(vec![-2.0, -1.0, 0.0, 1.0, 2.0]).unwrap();
        let at = |v: f64| {
            let found = edges.edges_below(v < 0.0, v * v, 1.0);
            for guess in 0..8 {
                assert_eq!(edges.edges_below_near(v < 0.0, v * v, 1.0, guess), found);
            }
            edges.bin_above(found)
        };
        assert_eq!(
            [-2.5, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0].map(at),
            [
                None,
                None,
                Some(0),
                Some(0),
                Some(1),
                Some(2),
                Some(2),
                Some(3),
                None
            ]
        );
        let unsigned = SignedEdges::new(vec![0.0, 1.0]).unwrap();
        assert_eq!(unsigned.edges_below(true, 0.25, 1.0), 1);
    }

    #[test]
    fn signed_linear_edges_mirror_exactly() {
        for n in [1, 2, 3, 7, 10, 40, 81] {
            for hi in [1.0, 0.7, 40.0, 1.0 / 3.0] {
                let edges = SignedEdges::linear(-hi, hi, n).unwrap();
                let values = edges.values();
                for k in 0..=n {
                    assert_eq!(values[k], -values[n - k], "{n} {hi} {k}");
                }
                assert!(n % 2 == 1 || values[n / 2] == 0.0);
            }
        }
    }

    #[test]
    fn edges_beyond_the_range_of_squares_are_refused() {
        let least = SMALLEST_EDGE;
        assert!(Edges::new(vec![0.0, least, LARGEST]).is_ok());
        for values in [vec![least.next_down(), 1.0], vec![0.0, LARGEST.next_up()]] {
            let refused = matches!(Edges::new(values), Err(BinsError::Magnitude { .. }));
            assert!(refused);
        }
        assert!(SignedEdges::new(vec![-least.next_down(), 1.0]).is_err());
    }
}
