//! From the fine bins of counts to what is fitted: multipoles, wedges, wp and wider bins are linear maps of xi.
//!
//! Entry: [`LinearMap`].

use super::{Matrix, symmetric};

/// `y_r = sum_a m_ra x_a`, each row a list of the few a that it has.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearMap {
    bins: usize,
    rows: Vec<Vec<(usize, f64)>>,
}

impl LinearMap {
    /// Of so many bins: a row of bins and factors for each value.
    pub fn new(bins: usize, rows: Vec<Vec<(usize, f64)>>) -> Self {
        Self { bins, rows }
    }

    /// The bins as they are.
    pub fn identity(bins: usize) -> Self {
        Self::new(bins, (0..bins).map(|bin| vec![(bin, 1.0)]).collect())
    }

    /// Sums over the second axis of `first` x `second` bins, the second fastest: one after the other, each over all of the first axis. `factors` has a
    /// row for each, such as multipoles have of their bins in mu.
    pub fn over_second(first: usize, factors: &[Vec<f64>]) -> Self {
        let second = factors.first().map_or(0, Vec::len);
        let row = |factors: &[f64], s: usize| {
            let bins = factors.iter().enumerate();
            let kept = bins.filter(|(_, factor)| **factor != 0.0);
            kept.map(|(k, factor)| (s * second + k, *factor)).collect()
        };
        let rows = factors
            .iter()
            .flat_map(|of| (0..first).map(move |s| row(of, s)));
        Self::new(first * second, rows.collect())
    }

    /// Neighbouring bins as one: xi of the sums is the mean of xi by RR. `groups` says for each fine bin which of the wider ones it is in.
    pub fn merging(rr: &[f64], groups: &[usize]) -> Self {
        let wide = groups.iter().max().map_or(0, |last| last + 1);
        let mut whole = vec![0.0; wide];
        for (rr, group) in rr.iter().zip(groups) {
            whole[*group] += rr;
        }
        let mut rows = vec![Vec::new(); wide];
        for (bin, (rr, group)) in rr.iter().zip(groups).enumerate() {
            rows[*group].push((bin, rr / whole[*group]));
        }
        Self::new(rr.len(), rows)
    }

    /// This map, and then another one of its values.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let row = |of: &Vec<(usize, f64)>| {
            let mut sums = std::collections::BTreeMap::new();
            for (value, factor) in of {
                for (bin, own) in &self.rows[*value] {
                    *sums.entry(*bin).or_insert(0.0) += factor * own;
                }
            }
            sums.into_iter().collect()
        };
        Self::new(self.bins, next.rows.iter().map(row).collect())
    }

    /// The same of so many sets of bins, one after the other.
    #[must_use]
    pub fn of_each(&self, sets: usize) -> Self {
        let of_set = |set: usize| {
            let row = move |row: &Vec<(usize, f64)>| {
                row.iter()
                    .map(|(bin, m)| (set * self.bins + bin, *m))
                    .collect()
            };
            self.rows.iter().map(row)
        };
        Self::new(sets * self.bins, (0..sets).flat_map(of_set).collect())
    }

    /// The bins and factors of each value.
    pub fn rows(&self) -> &[Vec<(usize, f64)>] {
        &self.rows
    }

    /// The number of values.
    pub fn values(&self) -> usize {
        self.rows.len()
    }

    /// The values of numbers in bins.
    pub fn of_bins(&self, x: &[f64]) -> Vec<f64> {
        let row = |row: &Vec<(usize, f64)>| row.iter().map(|(bin, m)| m * x[*bin]).sum();
        self.rows.iter().map(row).collect()
    }

    /// `M C M^T` of the matrix with these elements, made symmetric.
    pub fn of(&self, element: impl Fn(usize, usize) -> f64) -> Matrix {
        let mut mapped = Matrix::zeros(self.values(), self.values());
        let mut left = vec![0.0; self.bins];
        for (r, row) in self.rows.iter().enumerate() {
            left.fill(0.0);
            for (a, m) in row {
                for (b, sum) in left.iter_mut().enumerate() {
                    *sum += m * element(*a, b);
                }
            }
            for (c, value) in self.of_bins(&left).into_iter().enumerate() {
                mapped[(r, c)] = value;
            }
        }
        symmetric(&mapped)
    }

    /// The same of a diagonal matrix.
    pub fn of_diagonal(&self, diagonal: &[f64]) -> Matrix {
        let mut mapped = Matrix::zeros(self.values(), self.values());
        let mut by_bin = vec![Vec::new(); self.bins];
        for (r, row) in self.rows.iter().enumerate() {
            for (a, m) in row {
                by_bin[*a].push((r, *m));
            }
        }
        for (value, rows) in diagonal.iter().zip(&by_bin) {
            for (r, m) in rows {
                for (c, n) in rows {
                    mapped[(*r, *c)] += m * n * value;
                }
            }
        }
        mapped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(a: usize, b: usize) -> f64 {
        (1.0 + (a.min(b) * 7 % 5) as f64) / (1.0 + a.abs_diff(b) as f64) + (a + b) as f64 / 10.0
    }

    /// `M C M^T` in plain loops over a dense M.
    fn plain(m: &Matrix) -> Matrix {
        let bins = m.ncols();
        let c = Matrix::from_fn(bins, bins, element);
        m * c * m.transpose()
    }

    #[test]
    fn maps_are_products_of_matrices() {
        let factors = [vec![0.5, 0.3, 0.2], vec![1.0, 0.0, -1.0]];
        let map = LinearMap::over_second(4, &factors);
        // The value l over s has row 4 l + s, the bin s over mu column 3 s + mu.
        let dense = Matrix::from_fn(8, 12, |r, a| {
            if r % 4 == a / 3 {
                factors[r / 4][a % 3]
            } else {
                0.0
            }
        });
        assert!((map.of(element) - plain(&dense)).abs().max() < 1e-13);
        let diagonal: Vec<f64> = (0..12).map(|a| element(a, a)).collect();
        let of_diagonal = map.of(|a, b| if a == b { diagonal[a] } else { 0.0 });
        assert!((map.of_diagonal(&diagonal) - of_diagonal).abs().max() < 1e-14);
        assert_eq!(map.of_bins(&diagonal).len(), 8);
    }

    #[test]
    fn wider_bins_are_those_of_the_sums() {
        let rr: Vec<f64> = (1..=6).map(f64::from).collect();
        let groups = [0, 0, 1, 1, 2, 2];
        let map = LinearMap::merging(&rr, &groups);
        // xi of a wide bin: sums of RR xi over sums of RR.
        let xi = [0.3, 0.1, 0.2, -0.1, 0.05, 0.0];
        let wide = map.of_bins(&xi);
        assert!((wide[1] - (3.0 * 0.2 - 4.0 * 0.1) / 7.0).abs() < 1e-15);
        let sums = |a: usize, b: usize| -> f64 {
            let all = (0..6).flat_map(|i| (0..6).map(move |j| (i, j)));
            let inside = all.filter(|(i, j)| groups[*i] == a && groups[*j] == b);
            inside.map(|(i, j)| rr[i] * rr[j] * element(i, j)).sum()
        };
        let whole = [3.0, 7.0, 11.0];
        let found = map.of(element);
        for (a, b) in [(0, 0), (0, 2), (2, 1)] {
            let expected = f64::midpoint(sums(a, b), sums(b, a)) / (whole[a] * whole[b]);
            assert!((found[(a, b)] - expected).abs() < 1e-13);
        }
        let then = map.then(&LinearMap::over_second(1, &[vec![0.2, 0.3, 0.5]]));
        let both = then.of_bins(&xi)[0];
        assert!((both - (0.2 * wide[0] + 0.3 * wide[1] + 0.5 * wide[2])).abs() < 1e-15);
        assert_eq!(LinearMap::identity(6).of_bins(&xi), xi);
    }
}
