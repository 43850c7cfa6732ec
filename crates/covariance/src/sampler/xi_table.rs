//! xi at any separation: a table on a grid of s and mu, whose bilinear interpolation is the definition.
//!
//! Entry: [`XiTable`]. Additions, subtractions, multiplications and one division in float64, in the order written: every engine finds the same bits.

use super::SamplerError;

/// Intervals of mu between 0 and 1.
const MU_INTERVALS: usize = 32;

/// Nodes of mu.
const MU_NODES: usize = MU_INTERVALS + 1;

/// Interpolation between nodes may round above the larger of them.
const ROUNDING: f64 = 1.0 + 1e-12;

/// xi on nodes of s, from 0 on, and of |mu|, from 0 to 1; zero from a cut on.
#[derive(Debug, Clone, PartialEq)]
pub struct XiTable {
    step: f64,
    cut: f64,
    /// Row after row of nodes of s.
    values: Vec<f64>,
    /// The largest magnitude in the row of each node and in those beyond it.
    largest_from: Vec<f64>,
}

impl XiTable {
    /// The distance of nodes of s in the length unit of Mpc/h.
    pub const STEP: f64 = 0.5;

    /// The distance of nodes of mu.
    pub const MU_STEP: f64 = 1.0 / MU_INTERVALS as f64;

    /// Nodes of mu: multiples of 1/32.
    pub fn mu_nodes() -> impl Iterator<Item = f64> {
        (0..MU_NODES).map(|k| k as f64 / MU_INTERVALS as f64)
    }

    /// Takes the value of xi at each node: rows `s = k * step` up to the first at `cut` or beyond, in each of them [`XiTable::mu_nodes`]. From the separation `cut` on xi
    /// is 0.
    ///
    /// # Errors
    /// A step or a cut that is not positive, or more than 2^16 steps; a value that is not finite.
    pub fn from_fn(
        step: f64,
        cut: f64,
        mut xi: impl FnMut(f64, f64) -> f64,
    ) -> Result<Self, SamplerError> {
        let steps = (cut / step).ceil();
        if !(step > 0.0 && cut > 0.0 && steps <= f64::from(1 << 16)) {
            return Err(SamplerError::Table {
                expected: "a step and a cut above 0, and at most 65536 steps up to the cut",
                found: format!("step {step}, cut {cut}"),
            });
        }
        let mut values = Vec::with_capacity((steps as usize + 1) * MU_NODES);
        for row in 0..=steps as usize {
            let s = row as f64 * step;
            for mu in Self::mu_nodes() {
                let value = xi(s, mu);
                if !value.is_finite() {
                    return Err(SamplerError::Table {
                        expected: "finite values up to the cut",
                        found: format!("{value} at s = {s}, mu = {mu}"),
                    });
                }
                values.push(value);
            }
        }
        let magnitude = |row: &[f64]| row.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let mut largest_from: Vec<f64> = values.chunks(MU_NODES).map(magnitude).collect();
        for row in (1..largest_from.len()).rev() {
            largest_from[row - 1] = largest_from[row - 1].max(largest_from[row]);
        }
        Ok(Self {
            step,
            cut,
            values,
            largest_from,
        })
    }

    /// The distance of its nodes of s, its cut and all values.
    pub(super) fn nodes(&self) -> Vec<f64> {
        [&[self.step, self.cut], &self.values[..]].concat()
    }

    /// The separation from which on xi is 0.
    pub fn cut(&self) -> f64 {
        self.cut
    }

    /// The distance of nodes of s.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// xi at a separation of 0 or more and a cosine from 0 on; one above 1 is taken as 1.
    #[inline]
    pub fn at(&self, s: f64, mu: f64) -> f64 {
        if s >= self.cut {
            return 0.0;
        }
        let (x, y) = (s / self.step, mu.min(1.0) * MU_INTERVALS as f64);
        let (row, column) = (x as usize, (y as usize).min(MU_INTERVALS - 1));
        let row = row.min(self.largest_from.len() - 2);
        let (x, y) = (x - row as f64, y - column as f64);
        let at = row * MU_NODES + column;
        let along_mu = |at: usize| self.values[at] + y * (self.values[at + 1] - self.values[at]);
        let (near, far) = (along_mu(at), along_mu(at + MU_NODES));
        near + x * (far - near)
    }

    /// No |xi| at separations from `s` on is larger.
    pub(super) fn largest_from(&self, s: f64) -> f64 {
        let row = (s / self.step * (1.0 - 1e-12)) as usize;
        if s < self.cut {
            self.largest_from.get(row).copied().unwrap_or_default() * ROUNDING
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_bilinear_comes_back() {
        let xi = |s: f64, mu: f64| 3.0 - 0.25 * s + mu * (1.5 + 0.5 * s);
        let table = XiTable::from_fn(0.5, 20.25, xi).unwrap();
        for k in 0..500 {
            let (s, mu) = (f64::from(k) * 0.0404, f64::from(k * 7 % 100) / 99.0);
            assert!((table.at(s, mu) - xi(s, mu)).abs() < 1e-12, "{s} {mu}");
            let bound = table.largest_from(s);
            let beyond = (k..500).map(|k| table.at(f64::from(k) * 0.0404, mu).abs());
            assert!(beyond.fold(0.0, f64::max) <= bound);
        }
        assert_eq!(table.at(20.25, 0.5), 0.0);
        assert_eq!(table.largest_from(20.25), 0.0);
        assert_eq!(table.at(3.0, 1.0 + 1e-9), table.at(3.0, 1.0));
    }

    #[test]
    fn nodes_are_finite_and_not_too_many() {
        assert!(XiTable::from_fn(0.5, 10.0, |s, _| 1.0 / s).is_err());
        assert!(XiTable::from_fn(0.0, 10.0, |_, _| 1.0).is_err());
        assert!(XiTable::from_fn(1e-9, 10.0, |_, _| 1.0).is_err());
        assert!(XiTable::from_fn(0.5, f64::NAN, |_, _| 1.0).is_err());
    }
}
